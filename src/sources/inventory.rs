//! What checks need of files that no object tells: which of them hold manifests, what is installed by hand, and where
//! secrets can be read. Small, so that the trees can go.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use super::{first_groups, is_origin};
use crate::facts::{Bootstrapped, FileFacts, PlainSecret};
use base::{FileId, Place};

#[derive(Debug, Default)]
pub struct Inventory {
    /// Files with objects in them, in order.
    pub manifests: Vec<Manifest>,
    pub bootstrapped: Vec<Bootstrapped>,
    pub plain_secrets: Vec<PlainSecret>,
    /// API groups of objects that install a reconciler: where that runs, their types are known.
    pub first_groups: BTreeSet<&'static str>,
    /// Kinds and names of the objects in files that others take files and charts from, whether anything applies them or not.
    pub origins: BTreeSet<(SmolStr, SmolStr)>,
    /// Objects here may have files applied that no unit is seen to apply.
    pub has_other_reconcilers: bool,
}

/// A file with objects in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    pub file: FileId,
    /// The first of them.
    pub place: Place,
    pub objects: usize,
}

impl Inventory {
    pub fn of<'a>(files: impl Iterator<Item = (FileId, &'a FileFacts)>) -> Inventory {
        let mut inventory = Inventory::default();
        for (file, facts) in files {
            if let Some(first) = facts.resources.first() {
                inventory.manifests.push(Manifest {
                    file,
                    place: first.place,
                    objects: facts.resources.len(),
                });
            }
            inventory.has_other_reconcilers |= facts.resources.iter().any(|resource| {
                let id = &resource.id;
                id.is("argoproj.io", "Application") || id.is("argoproj.io", "ApplicationSet")
            });
            let origins = facts.resources.iter().map(|resource| &resource.id);
            let origins = origins.filter(|id| is_origin(id));
            let origins = origins.map(|id| (id.kind.clone(), id.name.clone()));
            inventory.origins.extend(origins);
            inventory.first_groups.extend(first_groups(facts));
            inventory
                .bootstrapped
                .extend(facts.bootstrapped.iter().cloned());
            inventory
                .plain_secrets
                .extend(facts.plain_secrets.iter().cloned());
        }
        inventory
    }
}
