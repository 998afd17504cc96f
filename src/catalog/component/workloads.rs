//! Units whose own name says nothing, such as a directory `manifests` with a whole shop in it: one component for each
//! workload, with the objects that serve it.

use std::collections::BTreeSet;
use std::hash::Hash;

use super::*;
use crate::facts::{Routing, Statement, Target};
use base::hash::HashMap;

impl ClusterView<'_> {
    /// Whether a directory is a collection, such as `manifests/upstream`: several workloads in files of their own, and
    /// neither they nor their namespaces are called like it.
    pub(super) fn is_collection(
        &self,
        unit: UnitIx,
        directory: &RepoPath,
        of: &[ObjectIx],
    ) -> bool {
        let objects = self.objects(Some(unit));
        let names = self.names_in(directory);
        let Some(name) = names.iter().find(|name| !name::is_generic(name)) else {
            return false;
        };
        let called: BTreeSet<&str> = name::words(name).collect();
        let bears = |other: &str| name::words(other).any(|word| called.contains(word));
        let statements = of.iter().map(|at| &objects[*at].statement);
        let workloads: Vec<&Statement> = statements
            .filter(|statement| statement.runs.workload.is_some())
            .collect();
        let files: BTreeSet<FileId> = workloads.iter().map(|one| one.place.file).collect();
        let is_called_like_it = |statement: &&Statement| {
            let workload = statement.runs.workload.iter();
            let mut labels = workload.flat_map(|it| &it.labels).map(|(_, value)| value);
            bears(&statement.id.name)
                || bears(&statement.id.namespace)
                || labels.any(|value| value == name)
        };
        workloads.len() >= MIN_COLLECTED
            && files.len() >= MIN_COLLECTED
            && !workloads.iter().any(is_called_like_it)
    }

    /// A component for each workload of a unit, by name: what else bears the name is part of it.
    pub(super) fn by_workload(
        &self,
        unit: UnitIx,
        of: impl Iterator<Item = ObjectIx>,
        found: &mut Vec<ComponentPart>,
    ) {
        let objects = self.objects(Some(unit));
        let of: BTreeSet<ObjectIx> = of.collect();
        let mut groups: BTreeMap<SmolStr, Vec<ObjectIx>> = BTreeMap::new();
        for at in &of {
            if let Some(workload) = &objects[*at].statement.runs.workload {
                groups.entry(workload.name.clone()).or_default().push(*at);
            }
        }
        let servers = Servers::from_objects(objects);
        let served: Vec<(ObjectIx, SmolStr)> = objects
            .iter_enumerated()
            .filter(|(_, object)| object.statement.runs.workload.is_none())
            .filter_map(|(at, object)| Some((at, servers.server(&object.statement, objects)?)))
            .filter(|(at, name)| of.contains(at) || groups.contains_key(name))
            .collect();
        for (at, name) in served {
            groups.entry(name).or_default().push(at);
        }
        let here = &self.cluster.units[unit];
        for (name, mut objects_of) in groups {
            objects_of.sort_unstable();
            let mut workloads = objects_of.iter().filter_map(|at| {
                let statement = &objects[*at].statement;
                Some((statement, statement.runs.workload.as_ref()?))
            });
            let Some((statement, workload)) = workloads.next() else {
                continue;
            };
            let source = self.directory_of(&statement.place.file);
            let kind = workload.kind.clone();
            found.push(ComponentPart {
                key: ComponentKey::Unit {
                    kind: here.unit.id.kind.clone(),
                    namespace: here.unit.id.qualified().into(),
                    name: name.clone(),
                },
                names: vec![name],
                apart: None,
                kind,
                part: Placement {
                    cluster: self.index,
                    target: here.target,
                    unit: Some(unit),
                    release: None,
                    subject: unit,
                    objects: objects_of,
                    declared: None,
                    is_remainder: false,
                },
                source,
            });
        }
    }
}

/// So many workloads that bear none of a directory's words are a collection; fewer may be the parts of one application.
const MIN_COLLECTED: usize = 3;

/// A Service that selects by a label which more workloads have belongs to none of them.
const MAX_SELECTED: usize = 64;

/// Where the workloads of a unit are found by what other objects say of them. Each entry is none if several fit.
#[derive(Default)]
pub(super) struct Servers {
    by_name: BTreeSet<SmolStr>,
    by_label: HashMap<(SmolStr, SmolStr), Vec<ObjectIx>>,
    by_file: HashMap<FileId, Option<SmolStr>>,
    /// By the kind and name of what they refer to.
    by_reference: HashMap<(SmolStr, SmolStr), Option<SmolStr>>,
    by_kind: HashMap<(SmolStr, SmolStr), SmolStr>,
    /// The workload behind each Service.
    by_service: HashMap<SmolStr, Option<SmolStr>>,
}

impl Servers {
    pub(super) fn from_objects(objects: &Objects) -> Servers {
        let mut servers = Servers::default();
        for (at, object) in objects.iter_enumerated() {
            let statement = &object.statement;
            let Some(workload) = &statement.runs.workload else {
                continue;
            };
            let name = &workload.name;
            servers.by_name.insert(name.clone());
            let kind = (workload.kind.clone(), name.clone());
            servers.by_kind.insert(kind, name.clone());
            for label in &workload.labels {
                let with = servers.by_label.entry(label.clone()).or_default();
                with.push(at);
            }
            only(&mut servers.by_file, statement.place.file, name);
            for reference in &statement.references {
                if let Target::Object { kind, name: to, .. } = &reference.target {
                    only(&mut servers.by_reference, (kind.clone(), to.clone()), name);
                }
            }
        }
        for object in objects.iter() {
            let statement = &object.statement;
            if let Some(workload) = servers.selected(statement, objects) {
                only(
                    &mut servers.by_service,
                    statement.id.name.clone(),
                    &workload,
                );
            }
        }
        servers
    }

    /// The workload that an object serves: the one whose pods a Service selects, else the one that it is named after,
    /// else the only one that it refers to or that refers to it, else the only one in its file.
    pub(super) fn server(&self, statement: &Statement, objects: &Objects) -> Option<SmolStr> {
        let id = &statement.id;
        let is_service = matches!(
            statement.reached.routing.as_deref(),
            Some(Routing::Service(_))
        );
        let referred = || {
            let mut to = statement.references.iter().filter_map(|reference| {
                let Target::Object { kind, name, .. } = &reference.target else {
                    return None;
                };
                let behind = || self.by_service.get(name)?.as_ref();
                let served = self.by_kind.get(&(kind.clone(), name.clone()));
                served.or_else(|| behind().filter(|_| kind == "Service"))
            });
            let from = || {
                let key = (id.kind.clone(), id.name.clone());
                self.by_reference.get(&key).cloned().flatten()
            };
            // A reference to a Service comes from a caller, not from the workload behind it.
            to.next()
                .cloned()
                .or_else(|| from().filter(|_| !is_service))
        };
        let beside = || self.by_file.get(&statement.place.file).cloned().flatten();
        self.selected(statement, objects)
            .or_else(|| self.named(&id.name))
            .or_else(referred)
            .or_else(beside)
    }

    fn selected(&self, statement: &Statement, objects: &Objects) -> Option<SmolStr> {
        let Some(Routing::Service(selector)) = statement.reached.routing.as_deref() else {
            return None;
        };
        let rarest = selector.iter().map(|label| self.by_label.get(label));
        let rarest: Option<Vec<&Vec<ObjectIx>>> = rarest.collect();
        let with = rarest?.into_iter().min_by_key(|with| with.len())?;
        if with.len() > MAX_SELECTED {
            return None;
        }
        let mut selected = with.iter().filter_map(|at| {
            let workload = objects[*at].statement.runs.workload.as_ref()?;
            let fits = selector.iter().all(|label| workload.labels.contains(label));
            fits.then_some(&workload.name)
        });
        let first = selected.next()?;
        selected.all(|name| name == first).then(|| first.clone())
    }

    /// The workload with the longest name that a name begins with.
    fn named(&self, name: &str) -> Option<SmolStr> {
        let ends = name.match_indices('-').map(|(at, _)| at);
        let mut ends: Vec<usize> = ends.chain([name.len()]).collect();
        ends.reverse();
        ends.iter()
            .find_map(|end| self.by_name.get(&name[..*end]).cloned())
    }
}

/// Adds a workload under a key that tells only if there is no other.
fn only<K: Eq + Hash>(all: &mut HashMap<K, Option<SmolStr>>, key: K, name: &SmolStr) {
    let known = all.entry(key).or_insert_with(|| Some(name.clone()));
    if known.as_ref() != Some(name) {
        *known = None;
    }
}
