//! Decides what counts as a component. A unit with one release is a component. A unit with several releases is a
//! layer with one component each. A unit that only creates units is structure.

mod several;
mod workloads;

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use smol_str::SmolStr;

use super::disabled;
use super::merge_environments;
use super::name;
use super::shared_objects::{Beside, Release, serve};
use super::{ComponentId, Status};
use crate::cluster::{
    Cluster, ClusterIx, Clusters, Destination, Object, ObjectIx, Objects, UnitIx,
};
use crate::facts::Naming;
use crate::input::repo::{Repo, RepoPath};
use base::{FileId, Place};

/// A component before it has a name: what makes it, cluster by cluster.
#[derive(Debug)]
pub struct ComponentDraft {
    /// Names from the most to the least wanted.
    pub names: Vec<SmolStr>,
    /// Alternative name, used if an object that it creates has the same name.
    pub apart: Option<SmolStr>,
    /// The namespace of its unit, which distinguishes it from others of the same name.
    pub scope: SmolStr,
    pub kind: SmolStr,
    pub parts: Vec<Placement>,
    pub status: Status,
    pub source: Option<RepoPath>,
    /// For a disabled component: the place that disables it.
    pub place: Place,
    pub namespace: SmolStr,
}

/// A component in one environment.
#[derive(Debug, Clone)]
pub struct Placement {
    pub cluster: ClusterIx,
    /// The cluster to which its objects are applied.
    pub target: Destination,
    /// The unit that applies its objects; none for objects of the entry point itself.
    pub unit: Option<UnitIx>,
    pub release: Option<UnitIx>,
    /// The unit that is about this component alone: the release, if a unit has several.
    pub subject: UnitIx,
    /// Positions in what the unit applies.
    pub objects: Vec<ObjectIx>,
    /// The object that declares its unit, if it is about this component alone.
    pub declared: Option<Declaration>,
    /// Directories of its unit are components of their own, so that its chart says nothing of this one.
    pub is_remainder: bool,
}

/// An object that declares a unit.
#[derive(Debug, Clone, Copy)]
pub struct Declaration {
    /// The unit that applies it; none for objects of the entry point itself.
    pub owner: Option<UnitIx>,
    pub object: ObjectIx,
}

impl Placement {
    /// Display name of the cluster that it runs in.
    pub fn environment<'a>(&self, clusters: &'a Clusters) -> &'a str {
        clusters[self.cluster].environment(self.target)
    }
}

pub struct NamedComponent {
    pub id: ComponentId,
    pub draft: ComponentDraft,
}

/// Identity that makes parts in different clusters the same component.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ComponentKey {
    Unit {
        kind: SmolStr,
        namespace: SmolStr,
        name: SmolStr,
    },
    Directory {
        unit: SmolStr,
        directory: RepoPath,
    },
}

pub fn drafts(repo: &Repo, clusters: &Clusters) -> Vec<ComponentDraft> {
    let mut drafts: BTreeMap<ComponentKey, ComponentDraft> = BTreeMap::new();
    for (index, cluster) in clusters.iter_enumerated() {
        let view = ClusterView {
            repo,
            cluster,
            index,
        };
        let mut found = Vec::new();
        view.parts_of(None, &mut found);
        let units = 0..cluster.units.len();
        let of_units = units.into_par_iter().with_max_len(64).map(|unit| {
            let mut found = Vec::new();
            view.parts_of(Some(UnitIx::from_usize(unit)), &mut found);
            found
        });
        let of_units: Vec<Vec<ComponentPart>> = of_units.collect();
        for one in found.into_iter().chain(of_units.into_iter().flatten()) {
            add(&mut drafts, one);
        }
    }
    merge_environments::drop_repeated(&mut drafts, clusters);
    merge_environments::merge(&mut drafts, clusters);
    for cluster in clusters {
        disabled::add(cluster, clusters, &mut drafts);
    }
    drafts.into_values().collect()
}

/// A part, before it is known which component it is of.
struct ComponentPart {
    key: ComponentKey,
    names: Vec<SmolStr>,
    apart: Option<SmolStr>,
    kind: SmolStr,
    part: Placement,
    source: Option<RepoPath>,
}

struct ClusterView<'a> {
    repo: &'a Repo,
    cluster: &'a Cluster,
    index: ClusterIx,
}

impl ClusterView<'_> {
    fn objects(&self, unit: Option<UnitIx>) -> &Objects {
        static NONE: Objects = Objects::new();
        let applied = self.cluster.applied_by(unit);
        applied.map_or(&NONE, |applied| &applied.objects)
    }

    fn parts_of(&self, unit: Option<UnitIx>, found: &mut Vec<ComponentPart>) {
        if let Some(unit) = unit.filter(|unit| self.cluster.units[*unit].unit.is_component()) {
            return self.whole(unit, found);
        }
        let objects = self.objects(unit);
        let target = self.cluster.target_of(unit);
        let releases: Vec<Release> = objects
            .iter_enumerated()
            .filter_map(|(at, object)| {
                let id = &object
                    .statement
                    .unit
                    .as_ref()
                    .filter(|unit| unit.release.is_some() && !unit.is_component())?
                    .id;
                Some(Release {
                    object: at,
                    unit: self.cluster.position_in(target, id)?,
                })
            })
            .filter(|release| self.cluster.units[release.unit].owner == unit)
            .collect();
        match (unit, releases.as_slice()) {
            (Some(unit), [release]) if !self.is_unbuilt(unit) && !self.is_root(unit) => {
                self.with_release(unit, *release, found);
            }
            (Some(unit), []) => self.without_release(unit, found),
            (None, []) => {}
            (_, releases) => self.shared(unit, releases, found),
        }
    }

    /// A unit that people know by its own name: one component with all that it applies, but for releases that others
    /// reconcile, which are components of their own.
    fn whole(&self, unit: UnitIx, found: &mut Vec<ComponentPart>) {
        let objects = self.objects(Some(unit));
        let here = &self.cluster.units[unit];
        let others = objects.iter_enumerated().filter_map(|(at, object)| {
            let declared = object.statement.unit.as_ref()?;
            let is_release = declared.release.is_some() && !declared.is_component();
            let release =
                is_release.then(|| self.cluster.position_in(here.target, &declared.id))??;
            (self.cluster.units[release].owner == Some(unit)).then_some(Release {
                object: at,
                unit: release,
            })
        });
        let releases: Vec<Release> = others.collect();
        // A release that is the whole point of the unit is no other.
        let inner = match releases.as_slice() {
            [one] => Some(*one).filter(|release| {
                self.cluster.units[release.unit].unit.appearance.naming == Naming::Owner
            }),
            _ => None,
        };
        let releases = match inner {
            Some(_) => Vec::new(),
            None => releases,
        };
        let served = serve(self.repo, self.cluster, objects, &releases, Beside::Nothing);
        let is_other = |at: &ObjectIx| {
            let is_served = served.iter().any(|served| served.contains(at));
            is_served || objects[*at].statement.unit.is_some()
        };
        let mut own: Vec<ObjectIx> = objects.indices().filter(|at| !is_other(at)).collect();
        own.extend(inner.map(|release| release.object));
        let own_release = here.unit.release.is_some().then_some(unit);
        let release = own_release.or(inner.map(|release| release.unit));
        let mut is_remainder = false;
        if (release.is_none() || self.has_inner_chart(unit))
            && let Some(directories) = self.collected(unit)
        {
            let placed: BTreeSet<ObjectIx> = directories.values().flatten().copied().collect();
            own.retain(|at| !placed.contains(at));
            self.by_directory(unit, directories, found);
            is_remainder = true;
        }
        let first = found.len();
        self.unit_part(unit, release, own, found);
        if let Some(one) = found.get_mut(first) {
            one.part.declared = self.declaration(unit);
            one.part.is_remainder = is_remainder;
        }
        self.releases(Some(unit), &releases, &served, found);
    }

    /// The parts of a file's directory that say what is in it.
    fn telling_parts<'p>(&self, file: &'p RepoPath) -> Vec<&'p str> {
        let directory = file.as_str().rsplit_once('/').map_or("", |(it, _)| it);
        let parts = directory.split('/');
        let telling = parts.filter(|part| !name::is_generic(part) && !self.is_of_root(part));
        telling.collect()
    }

    /// The object that declares `unit`.
    fn declaration(&self, unit: UnitIx) -> Option<Declaration> {
        let here = &self.cluster.units[unit];
        let owner = here.owner.filter(|owner| *owner != unit);
        let object = self.objects(owner).find_index(|object| {
            let declared = object.statement.unit.as_ref();
            declared.is_some_and(|declared| declared.id == here.unit.id)
        })?;
        Some(Declaration { owner, object })
    }

    /// Whether a unit applies the entry point. Such a unit contains everything there and is about none of it.
    fn is_root(&self, unit: UnitIx) -> bool {
        self.cluster.units[unit].owner == Some(unit)
    }

    fn is_unbuilt(&self, unit: UnitIx) -> bool {
        self.cluster.units[unit].applied.is_none()
    }

    /// Adds a unit with one release. It is about that release, unless it has workloads in another directory.
    fn with_release(&self, unit: UnitIx, release: Release, found: &mut Vec<ComponentPart>) {
        let objects = self.objects(Some(unit));
        let whole =
            |found| self.unit_part(unit, Some(release.unit), self.without_whole(objects), found);
        let path = |at: ObjectIx| self.repo.path(objects[at].statement.place.file);
        let home = self.telling_parts(path(release.object));
        // Objects in the same directory, above or below. A base and its overlays count as one directory.
        let is_near = |at: &ObjectIx| {
            let there = self.telling_parts(path(*at));
            home.iter().zip(&there).all(|(one, other)| one == other)
        };
        let mut running = objects
            .indices()
            .filter(|at| objects[*at].statement.runs.workload.is_some());
        if running.all(|at| is_near(&at)) {
            return whole(found);
        }
        let releases = &[release];
        let mut served = serve(self.repo, self.cluster, objects, releases, Beside::Belongs);
        for own in &mut served {
            let declares = |at: &ObjectIx| objects[*at].statement.unit.is_some();
            own.extend(objects.indices().filter(|at| is_near(at) && !declares(at)));
            own.sort_unstable();
            own.dedup();
        }
        let others = self.others(objects, &served);
        if others.is_empty() {
            return whole(found);
        }
        self.releases(Some(unit), releases, &served, found);
        self.by_directory(unit, others, found);
    }

    /// Workloads next to releases that serve none of them, by directory.
    fn others(
        &self,
        objects: &Objects,
        served: &[Vec<ObjectIx>],
    ) -> BTreeMap<RepoPath, Vec<ObjectIx>> {
        let mut directories = self.workload_directories(objects);
        for list in directories.values_mut() {
            list.retain(|at| !served.iter().any(|served| served.contains(at)));
        }
        directories.retain(|_, list| {
            list.iter()
                .any(|at| objects[*at].statement.runs.workload.is_some())
        });
        directories
    }

    /// All objects but those that declare units which are components by themselves.
    fn without_whole(&self, objects: &Objects) -> Vec<ObjectIx> {
        let is_whole = |at: &ObjectIx| {
            let declared = objects[*at].statement.unit.as_ref();
            declared.is_some_and(|unit| unit.is_component())
        };
        objects.indices().filter(|at| !is_whole(at)).collect()
    }

    fn unit_part(
        &self,
        unit: UnitIx,
        release: Option<UnitIx>,
        objects: Vec<ObjectIx>,
        found: &mut Vec<ComponentPart>,
    ) {
        let here = &self.cluster.units[unit];
        let id = &here.unit.id;
        let shared = here.unit.appearance.shared_name.iter();
        let mut names: Vec<SmolStr> = shared.chain([&id.name]).cloned().collect();
        // However little its name says, it is the one that people use; a run is called like its environment.
        let is_known_by_name = here.unit.is_component() && !here.unit.is_program();
        let says_nothing = release.is_some_and(|release| self.is_around(unit, release))
            || name::is_layer(&id.name);
        // What people look for is what a template makes, unless they know the template as an application.
        let is_made = here.unit.template.is_some() && !is_known_by_name;
        match release.map(|release| &self.cluster.units[release].unit.id.name) {
            Some(release) if says_nothing || is_made || name::adds_nothing(&id.name, release) => {
                names.insert(0, release.clone());
            }
            Some(release) => names.push(release.clone()),
            None if self.is_root(unit) || is_known_by_name => {}
            None => {
                let all = self.objects(Some(unit));
                let workload = only_workload(objects.iter().map(|at| &all[*at]));
                let at = if says_nothing { 0 } else { names.len() };
                names.splice(at..at, workload);
            }
        }
        let directory = here.directory.clone();
        let telling = directory.iter().filter(|_| !is_known_by_name);
        names.extend(telling.flat_map(|directory| self.names_in(directory)));
        // A namespace that it shares with the unit that creates it tells nothing.
        let owner = here.owner.map(|owner| &self.cluster.units[owner].unit.id);
        if owner.is_some_and(|owner| owner.namespace != id.namespace) {
            // One that people know by its own name keeps it, even if that needs another to be told by.
            names.extend(
                here.unit
                    .is_component()
                    .then(|| name::within(&id.namespace, &id.name)),
            );
            names.push(id.namespace.clone());
        }
        let kind = match release {
            Some(release) => self.cluster.units[release].unit.id.kind.clone(),
            None => id.kind.clone(),
        };
        // What is called like its release in one cluster may hold another in the next.
        let known = release.filter(|_| says_nothing && !here.unit.is_component());
        let known = known.map_or(id, |release| &self.cluster.units[release].unit.id);
        let key = ComponentKey::Unit {
            kind: known.kind.clone(),
            namespace: known.namespace.clone(),
            name: known.name.clone(),
        };
        let part = Placement {
            cluster: self.index,
            target: self.cluster.target_of(release.or(Some(unit))),
            unit: Some(unit),
            release,
            subject: unit,
            objects,
            declared: None,
            is_remainder: false,
        };
        // Under a name that says nothing of it, what a person looks for is where the release stands.
        let declared = release
            .and_then(|release| self.directory_of(&self.cluster.units[release].unit.place.file));
        let source = if says_nothing {
            declared.or(directory)
        } else {
            directory
        };
        // The file that declares a unit says nothing about a unit that is a component under its own name.
        let declared = || self.directory_of(&here.unit.place.file);
        let source = if here.unit.is_component() {
            source.or_else(|| here.unit.appearance.home.clone())
        } else {
            source.or_else(declared)
        };
        // If a program and the release that it installs share a name, people mean the release.
        // The same holds for a template and what is made of it, but modules of a program are known by its name.
        let is_of_program = here
            .owner
            .is_some_and(|owner| self.cluster.units[owner].unit.is_program());
        let is_template = here.unit.template.is_some() && !is_of_program;
        let apart = (here.unit.is_program() || is_template) && release.is_none();
        let apart = apart.then(|| name::within(&names[0], &name::words_of(&id.kind)));
        // If both want a name, a unit of a reconciler keeps it: a module of a program, and what is applied by hand, get a
        // longer one.
        let apart = apart.or_else(|| {
            let gives_way = here.unit.is_applied_by_command() || is_of_program;
            (gives_way && !id.namespace.is_empty()).then(|| name::within(&id.namespace, &id.name))
        });
        found.push(ComponentPart {
            key,
            names,
            apart,
            kind,
            part,
            source,
        });
    }

    /// Whether a unit only happens to hold one release: a directory below its own bears the release's name, and the
    /// unit another.
    fn is_around(&self, unit: UnitIx, release: UnitIx) -> bool {
        let (here, release) = (&self.cluster.units[unit], &self.cluster.units[release].unit);
        let file = self.repo.path(release.place.file).as_str();
        let directory = here.directory.as_ref().map(RepoPath::as_str);
        let below = directory.and_then(|directory| file.strip_prefix(directory));
        let inner = below.and_then(|below| below.trim_start_matches('/').split_once('/'));
        inner.is_some_and(|(inner, _)| {
            let rest = release.id.name.strip_prefix(inner);
            let bears = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
            bears && !name::is_generic(inner) && !here.unit.id.name.contains(inner)
        })
    }

    /// Whether the chart of a unit is one that a directory below its own names, for what is there alone.
    fn has_inner_chart(&self, unit: UnitIx) -> bool {
        let here = &self.cluster.units[unit];
        let release = here.unit.release.as_ref().filter(|it| it.is_rendered);
        let chart = release.and_then(|release| release.chart.as_ref());
        let named_in = chart.and_then(|chart| self.directory_of(&chart.place.file));
        let (Some(named_in), Some(own)) = (named_in, &here.directory) else {
            return false;
        };
        named_in.is_below(own) && named_in != *own
    }

    /// The parts of a path that may name what is in it, last first; not those that name the cluster.
    fn names_in(&self, directory: &RepoPath) -> Vec<SmolStr> {
        let mut names = name::directory_names(directory);
        names.retain(|name| !self.is_of_root(name));
        names
    }

    /// Whether a part of a path is also a part of the path of the cluster's root.
    fn is_of_root(&self, part: &str) -> bool {
        let root = self.cluster.root.as_str();
        root.split('/').any(|of_root| of_root == part)
    }

    fn directory_of(&self, file: &FileId) -> Option<RepoPath> {
        self.repo.path(*file).parent()
    }
}

/// The name of what runs, if it is one thing.
fn only_workload<'o>(objects: impl Iterator<Item = &'o Object>) -> Option<SmolStr> {
    let mut names =
        objects.filter_map(|object| Some(&object.statement.runs.workload.as_ref()?.name));
    let first = names.next()?;
    names.all(|name| name == first).then(|| first.clone())
}

fn add(drafts: &mut BTreeMap<ComponentKey, ComponentDraft>, found: ComponentPart) {
    let ComponentPart {
        key,
        names,
        apart,
        kind,
        part,
        source,
    } = found;
    if let Some(draft) = drafts.get_mut(&key) {
        draft.source = merge_environments::common_directory(draft.source.take(), source.as_ref());
    }
    let scope = match &key {
        ComponentKey::Unit { namespace, .. } => namespace.clone(),
        ComponentKey::Directory { unit, .. } => unit.split('/').next().unwrap_or_default().into(),
    };
    let draft = drafts.entry(key).or_insert_with(|| ComponentDraft {
        names,
        apart,
        scope,
        kind,
        parts: Vec::new(),
        status: Status::Enabled,
        source,
        place: Place::default(),
        namespace: SmolStr::default(),
    });
    let mut others = draft.parts.iter();
    if !others.any(|other| other.cluster == part.cluster && other.target == part.target) {
        draft.parts.push(part);
    }
}
