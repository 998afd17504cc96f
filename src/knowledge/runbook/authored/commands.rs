//! The component that the commands of a runbook are about, for runbooks whose title names none: by the objects that the
//! commands name, and by namespaces that hold one component.

use std::collections::{BTreeMap, BTreeSet};

use super::super::command::{NamedObject, named_objects};
use crate::catalog::{Catalog, ComponentIx};
use crate::sources;
use markdown::{BlockKind, Blocks};

/// Who has which objects and namespaces.
#[derive(Default)]
pub struct ObjectOwners<'a> {
    /// By kind and name, namespaces with the component of each.
    objects: BTreeMap<(&'a str, &'a str), Vec<(&'a str, ComponentIx)>>,
    /// None where a namespace holds several components.
    namespaces: BTreeMap<&'a str, Option<ComponentIx>>,
    kinds: BTreeSet<&'a str>,
}

/// Commands that must be about a component.
const LEAST: usize = 2;
/// One in so many commands must name an object of it: a namespace alone may hold more than what is in the repository.
const LEAST_NAMED: usize = 3;
/// A runbook about more components is about none of them in particular.
const MOST: usize = 2;

impl<'a> ObjectOwners<'a> {
    pub fn from_catalog(catalog: &'a Catalog) -> ObjectOwners<'a> {
        let mut owners = ObjectOwners::default();
        for (at, component) in catalog.components.iter_enumerated() {
            for resource in &component.resources {
                let id = &resource.id;
                owners.kinds.insert(&id.kind);
                let having = owners.objects.entry((&id.kind, &id.name)).or_default();
                having.push((&id.namespace, at));
            }
            let environments = component.environments.iter();
            let own = environments.map(|one| one.namespace.as_str());
            let own = own.chain([component.namespace.as_str()]);
            let running = component.workloads.iter();
            for name in own.chain(running.map(|one| one.namespace.as_str())) {
                let owner = owners.namespaces.entry(name).or_insert(Some(at));
                *owner = owner.filter(|owner| *owner == at);
            }
        }
        // What reconciles all others is asked about all of them.
        let units = catalog.clusters.iter().flat_map(|cluster| &cluster.units);
        for unit in units {
            owners.namespaces.remove(unit.id.namespace.as_str());
        }
        for shared in ["", "default", "kube-system", "kube-public"] {
            owners.namespaces.remove(shared);
        }
        owners
    }

    /// The components that at least half of the commands are about, many of them by name.
    pub fn subjects(&self, blocks: &Blocks) -> Vec<ComponentIx> {
        // Commands by name, and all.
        let mut counts: BTreeMap<ComponentIx, (usize, usize)> = BTreeMap::new();
        let mut all = 0;
        for block in &blocks.blocks {
            let BlockKind::Code { text, .. } = &block.kind else {
                continue;
            };
            for object in named_objects(text, &self.kinds) {
                all += 1;
                let by_name = self.by_name(&object);
                if let Some(owner) = by_name.or_else(|| self.by_namespace(&object)) {
                    let (named, count) = counts.entry(owner).or_default();
                    *named += usize::from(by_name.is_some());
                    *count += 1;
                }
            }
        }
        let subjects = counts.iter().filter(|(_, (named, count))| {
            *count >= LEAST && *count * 2 >= all && *named * LEAST_NAMED >= all
        });
        let subjects: Vec<ComponentIx> = subjects.map(|(component, _)| *component).collect();
        match subjects.len() {
            0..=MOST => subjects,
            _ => Vec::new(),
        }
    }

    fn by_name(&self, object: &NamedObject) -> Option<ComponentIx> {
        let name = object.name.as_deref()?;
        let having = self.objects.get(&(object.kind.as_deref()?, name))?;
        let here = having.iter().filter(|(namespace, _)| {
            let wanted = object.namespace.as_deref();
            wanted.is_none_or(|wanted| wanted == *namespace || namespace.is_empty())
        });
        let mut owners: Vec<ComponentIx> = here.map(|(_, owner)| *owner).collect();
        owners.dedup();
        match owners.as_slice() {
            [one] => Some(*one),
            _ => None,
        }
    }

    fn by_namespace(&self, object: &NamedObject) -> Option<ComponentIx> {
        let is_unit = |kind: &str| sources::unit_kinds().any(|unit| unit == kind);
        if object.kind.as_deref().is_some_and(is_unit) {
            return None;
        }
        self.namespaces
            .get(object.namespace.as_deref()?)
            .copied()
            .flatten()
    }
}
