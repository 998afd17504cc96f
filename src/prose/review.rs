//! What is wrong with what a page says: commands that cannot work, and facts that the manifests contradict.

use super::Home;
use super::home::Residence;
use crate::diagnostic::{FileId, Finding};
use crate::model::Catalog;
use crate::render::markdown::{self, Blocks};
use crate::runbook::command::{self, Scope};
use crate::runbook::inventory::Inventory;

/// What pages are compared with.
pub struct Reviewer<'a> {
    catalog: &'a Catalog,
    inventory: Inventory<'a>,
}

impl<'a> Reviewer<'a> {
    pub fn new(catalog: &'a Catalog) -> Reviewer<'a> {
        Reviewer {
            catalog,
            inventory: Inventory::of(catalog),
        }
    }

    /// What to say about a file; pages that are neither runbooks nor a component's are left alone.
    pub fn review(&self, file: FileId, text: &str, residence: &Residence) -> Vec<Finding> {
        let component = match (&residence.home, residence.about.as_slice()) {
            (Home::Component(at), _) | (Home::Own(_), [at]) => Some(*at),
            _ => None,
        };
        let scope = match (&residence.runbook, &residence.home) {
            (Some(_), _) => Scope::Page,
            (None, Home::Component(_)) => Scope::Operations,
            (None, Home::Own(_)) => return Vec::new(),
        };
        let Blocks { blocks, .. } = markdown::blocks(text);
        let mut findings = command::lint(file, text, &blocks, scope, &self.inventory);
        let id = component.map(|at| self.catalog.components[at].id.0.to_string());
        for finding in &mut findings {
            finding.component = id.clone();
        }
        findings
    }
}
