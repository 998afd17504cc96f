//! Checks the content of pages: commands that cannot work, and facts that the manifests contradict.

use std::sync::OnceLock;

use super::PageHome;
use super::home::Residence;
use crate::catalog::{Catalog, ComponentIx, Graph};
use crate::knowledge::runbook::authored::Lookup;
use crate::knowledge::runbook::command::{self, RunbookScope};
use crate::knowledge::runbook::drift::{self, ComponentPage, Truth};
use crate::knowledge::runbook::inventory::Inventory;
use base::{FileId, Finding};
use markdown::Blocks;

/// The data that pages are checked against.
pub struct Reviewer<'a> {
    catalog: &'a Catalog,
    inventory: Inventory<'a>,
    lookup: Lookup<'a>,
    /// Few pages list dependencies, so it is made when one does.
    graph: OnceLock<Graph>,
}

impl<'a> Reviewer<'a> {
    pub fn new(catalog: &'a Catalog) -> Reviewer<'a> {
        Reviewer {
            catalog,
            inventory: Inventory::from_catalog(catalog),
            lookup: Lookup::from_catalog(catalog),
            graph: OnceLock::new(),
        }
    }

    pub fn lookup(&self) -> &Lookup<'a> {
        &self.lookup
    }

    /// Findings about a file. Only runbooks and component pages are checked.
    pub fn review(&self, file: FileId, text: &str, residence: &Residence) -> Vec<Finding> {
        let component = match (&residence.home, residence.about.as_slice()) {
            (PageHome::Component(at), _) | (PageHome::Own(_), [at]) => Some(*at),
            _ => None,
        };
        let scope = match (&residence.runbook, &residence.home) {
            (Some(_), _) => RunbookScope::Page,
            (None, PageHome::Component(_)) => RunbookScope::Operations,
            (None, PageHome::Own(_)) => return Vec::new(),
        };
        let Blocks { blocks, .. } = markdown::blocks(text);
        let lines: Vec<&str> = text.lines().collect();
        let mut findings = command::lint(file, &lines, &blocks, scope, &self.inventory);
        if let PageHome::Component(component) = residence.home {
            let page = ComponentPage {
                file,
                lines: &lines,
                blocks: &blocks,
                component,
            };
            let truth = Truth {
                catalog: self.catalog,
                lookup: &self.lookup,
                needs: &|from, to| self.needs(from, to),
            };
            findings.extend(drift::compare(&page, &truth));
        }
        let id = component.map(|at| self.catalog.components[at].id.0.to_string());
        for finding in &mut findings {
            finding.component = id.clone();
        }
        findings
    }

    /// Whether one component needs another, at any distance.
    fn needs(&self, from: ComponentIx, to: ComponentIx) -> bool {
        let graph = self.graph.get_or_init(|| self.catalog.order_graph());
        if graph.needs(from).contains(&to) {
            return true;
        }
        graph.dependents(to).all().contains(&from)
    }
}
