//! Units that hold several components: releases side by side, and workloads of several directories.

use super::super::running;
use super::workloads::Servers;
use super::*;
use crate::input::config::is_known_application;
use base::hash::HashSet;

impl ClusterView<'_> {
    /// A unit of its own, unless all it does is create units.
    pub(super) fn without_release(&self, unit: UnitIx, found: &mut Vec<ComponentPart>) {
        let here = &self.cluster.units[unit];
        if here.unit.release.is_some() || self.cluster.wrapped_release(unit).is_some() {
            return;
        }
        let objects = self.objects(Some(unit));
        let creates = objects.iter().any(|object| object.statement.unit.is_some());
        let runs = objects
            .iter()
            .any(|object| object.statement.runs.workload.is_some());
        // A template without output is structure as well, unless its output cannot be known here.
        let is_known = here
            .applied
            .as_ref()
            .is_some_and(|applied| !applied.is_partial);
        let is_template = here.unit.template.is_some();
        if creates && !runs || is_template && is_known && objects.is_empty() {
            return;
        }
        let directories = self.workload_directories(objects);
        let of_workloads: HashSet<ObjectIx> = directories.values().flatten().copied().collect();
        let rest: Vec<ObjectIx> = self
            .without_whole(objects)
            .into_iter()
            .filter(|at| !of_workloads.contains(at))
            .collect();
        if here.unit.appearance.naming == Naming::Workload && runs {
            self.by_workload(unit, objects.indices(), found);
        } else if directories.len() > 1 {
            self.by_directory(unit, directories, found);
        } else if creates && !self.is_root(unit) && !rest.is_empty() {
            // Further units and their namespaces belong to the unit, not to its workload.
            self.by_directory(unit, directories, found);
            self.unit_part(unit, None, rest, found);
        } else {
            self.unit_part(unit, None, self.without_whole(objects), found);
        }
    }

    /// Several releases side by side: one component each, with the objects that serve it.
    pub(super) fn shared(
        &self,
        unit: Option<UnitIx>,
        releases: &[Release],
        found: &mut Vec<ComponentPart>,
    ) {
        let objects = self.objects(unit);
        let served = serve(self.repo, self.cluster, objects, releases, Beside::Belongs);
        self.releases(unit, releases, &served, found);
        // Workloads next to the releases that serve none of them are components as well.
        let Some(unit) = unit else {
            return;
        };
        self.by_directory(unit, self.others(objects, &served), found);
    }

    /// A component for each release, with the objects that serve it.
    pub(super) fn releases(
        &self,
        unit: Option<UnitIx>,
        releases: &[Release],
        served: &[Vec<ObjectIx>],
        found: &mut Vec<ComponentPart>,
    ) {
        for (release, served) in releases.iter().zip(served) {
            let here = &self.cluster.units[release.unit];
            let id = &here.unit.id;
            let mut names = vec![id.name.clone()];
            let source = self.directory_of(&here.unit.place.file);
            names.extend(source.iter().flat_map(|directory| self.names_in(directory)));
            let part = Placement {
                cluster: self.index,
                target: here.target,
                unit,
                release: Some(release.unit),
                subject: release.unit,
                objects: served.clone(),
                declared: None,
                is_remainder: false,
            };
            let key = ComponentKey::Unit {
                kind: id.kind.clone(),
                namespace: id.namespace.clone(),
                name: id.name.clone(),
            };
            found.push(ComponentPart {
                key,
                names,
                apart: None,
                kind: id.kind.clone(),
                part,
                source,
            });
        }
    }

    /// The directories that workloads come from, with their objects.
    pub(super) fn workload_directories(
        &self,
        objects: &Objects,
    ) -> BTreeMap<RepoPath, Vec<ObjectIx>> {
        let directory = |object: &Object| {
            let directory = self.directory_of(&object.statement.place.file);
            above_kinds(directory.unwrap_or_else(RepoPath::root))
        };
        let mut directories: BTreeMap<RepoPath, Vec<ObjectIx>> = objects
            .iter()
            .filter(|object| object.statement.runs.workload.is_some())
            .map(|object| (directory(object), Vec::new()))
            .collect();
        for (at, object) in objects.iter_enumerated() {
            if let Some(list) = directories.get_mut(&directory(object)) {
                list.push(at);
            }
        }
        if directories.len() > 1 {
            place_claims(objects, &mut directories);
        }
        directories
    }

    /// The workloads of a unit that people know by its own name, by directory, if it is a collection such as `media`: at
    /// least two directories are called like well-known applications, and none like the unit. Databases and the like are
    /// parts of what they stand beside.
    pub(super) fn collected(&self, unit: UnitIx) -> Option<BTreeMap<RepoPath, Vec<ObjectIx>>> {
        let here = &self.cluster.units[unit].unit;
        if here.is_program() {
            return None;
        }
        let objects = self.objects(Some(unit));
        let mut directories = self.workload_directories(objects);
        if directories.len() < 2 {
            return None;
        }
        let own: HashSet<&str> = name::words(&here.id.name).collect();
        let mut names: HashSet<SmolStr> = HashSet::default();
        for directory in directories.keys() {
            let overlay = overlay(directory);
            let mut telling = self.names_in(directory).into_iter();
            let telling =
                telling.find(|name| Some(name.as_str()) != overlay && !name::is_generic(name))?;
            let is_part = name::words(&telling).any(|word| own.contains(word));
            if is_part || !names.insert(telling) {
                return None;
            }
        }
        let is_one = |name: &&SmolStr| is_known_application(name) && !running::is_side(name);
        if names.iter().filter(is_one).count() < 2 {
            return None;
        }
        for list in directories.values_mut() {
            list.retain(|at| objects[*at].statement.unit.is_none());
        }
        Some(directories)
    }

    /// Splits a unit with several applications by the directories of their manifests.
    pub(super) fn by_directory(
        &self,
        unit: UnitIx,
        directories: BTreeMap<RepoPath, Vec<ObjectIx>>,
        found: &mut Vec<ComponentPart>,
    ) {
        let here = &self.cluster.units[unit];
        for (directory, objects) in directories {
            if self.is_collection(unit, &directory, &objects) {
                self.by_workload(unit, objects.into_iter(), found);
                continue;
            }
            let key = ComponentKey::Directory {
                unit: here.unit.id.qualified().into(),
                directory: directory.clone(),
            };
            let all = self.objects(Some(unit));
            let mut statements = objects.iter().map(|at| &all[*at].statement);
            let workload = statements.find_map(|statement| statement.runs.workload.as_ref());
            let mut names = self.names_in(&directory);
            let overlay = overlay(&directory);
            names.retain(|name| Some(name.as_str()) != overlay);
            names.extend(only_workload(objects.iter().map(|at| &all[*at])));
            names.extend(name::directory_names(&directory));
            let kind = workload.map_or_else(
                || here.unit.id.kind.clone(),
                |workload| workload.kind.clone(),
            );
            let part = Placement {
                cluster: self.index,
                target: here.target,
                unit: Some(unit),
                release: None,
                subject: unit,
                objects,
                declared: None,
                is_remainder: false,
            };
            found.push(ComponentPart {
                key,
                names,
                apart: None,
                kind,
                part,
                source: Some(directory),
            });
        }
    }
}

/// Moves objects of other directories to the only workload that mounts or serves them: volumes that an overlay adds, or a
/// directory without a workload of its own has.
fn place_claims(objects: &Objects, directories: &mut BTreeMap<RepoPath, Vec<ObjectIx>>) {
    let mut homes: BTreeMap<SmolStr, Option<RepoPath>> = BTreeMap::new();
    let mut taken: HashSet<ObjectIx> = HashSet::default();
    for (directory, list) in directories.iter() {
        taken.extend(list.iter().copied());
        let workloads = list
            .iter()
            .filter_map(|at| objects[*at].statement.runs.workload.as_ref());
        for workload in workloads {
            let home = homes.entry(workload.name.clone());
            let home = home.or_insert_with(|| Some(directory.clone()));
            if home.as_ref() != Some(directory) {
                *home = None;
            }
        }
    }
    let servers = Servers::from_objects(objects);
    let mut moved: Vec<(ObjectIx, RepoPath)> = Vec::new();
    for (at, object) in objects.iter_enumerated() {
        let statement = &object.statement;
        let is_claim = statement.id.is("", "PersistentVolumeClaim");
        if statement.runs.workload.is_some() || taken.contains(&at) && !is_claim {
            continue;
        }
        let server = servers.server(statement, objects);
        if let Some(Some(home)) = server.and_then(|name| homes.get(&name).cloned()) {
            moved.push((at, home));
        }
    }
    for (at, home) in moved {
        directories
            .values_mut()
            .for_each(|list| list.retain(|one| *one != at));
        let list = directories.entry(home).or_default();
        list.push(at);
        list.sort_unstable();
    }
}

/// The overlay that a directory is in, by name.
fn overlay(directory: &RepoPath) -> Option<&str> {
    let mut parts = directory.as_str().split('/');
    parts.find(|part| matches!(*part, "overlays" | "overlay"))?;
    parts.next()
}

/// The directory around those that sort objects by kind, such as `core/deployments`: they hold parts of one thing.
fn above_kinds(directory: RepoPath) -> RepoPath {
    let mut here = directory.clone();
    while KINDS.contains(&here.file_name()) {
        let Some(above) = here.parent().filter(|above| *above != RepoPath::root()) else {
            return directory;
        };
        here = above;
    }
    let is_sorted = here != directory;
    while is_sorted && (GROUPS.contains(&here.file_name()) || here.file_name().ends_with(".k8s.io"))
    {
        let Some(above) = here.parent().filter(|above| *above != RepoPath::root()) else {
            return here;
        };
        here = above;
    }
    here
}

/// Kinds of objects, as people call directories after them.
const KINDS: &[&str] = &[
    "configmaps",
    "cronjobs",
    "daemonsets",
    "deployments",
    "ingresses",
    "jobs",
    "namespaces",
    "persistentvolumeclaims",
    "pvcs",
    "rolebindings",
    "roles",
    "routes",
    "secrets",
    "serviceaccounts",
    "servicemonitors",
    "services",
    "statefulsets",
];

/// API groups that directories for kinds are in.
const GROUPS: &[&str] = &["apps", "batch", "core"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_for_kinds_are_parts_of_the_one_around_them() {
        for (path, expected) in [
            ("csi/base/core/daemonsets", "csi/base"),
            ("shop/deployments", "shop"),
            ("deployments", "deployments"),
            ("apps/shop", "apps/shop"),
            ("apps/services/cart", "apps/services/cart"),
        ] {
            let path = RepoPath::new(path).unwrap();
            assert_eq!(above_kinds(path).as_str(), expected);
        }
    }
}
