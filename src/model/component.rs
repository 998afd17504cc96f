//! What counts as a component. A unit with one release is one; a unit with several is a layer with
//! one for each; a unit that only creates units is structure. Objects that stand beside several
//! releases go to the one that they serve.

use std::collections::{BTreeMap, HashMap};

use smol_str::SmolStr;

use super::setting;
use super::title::title;
use super::unit::Sources;
use super::{Chart, Component, ComponentId, ComponentResource, Environment, Status};
use crate::compose::{Cluster, Object};
use crate::diagnostic::{FileId, Place};
use crate::fact::{ResourceId, Statement, Target};
use crate::repo::{Repo, RepoPath};

/// A component before it has a name: what makes it, cluster by cluster.
#[derive(Debug)]
pub struct Draft {
    /// Names from the most to the least wanted.
    names: Vec<SmolStr>,
    pub kind: SmolStr,
    pub parts: Vec<Part>,
    pub status: Status,
    pub source: Option<RepoPath>,
    /// For one that is switched off: where that is said.
    pub place: Place,
    pub heading: Option<SmolStr>,
    namespace: SmolStr,
}

/// A component in one cluster.
#[derive(Debug, Clone)]
pub struct Part {
    pub cluster: usize,
    /// The unit that applies its objects; none for what an entry point holds itself.
    pub unit: Option<usize>,
    pub release: Option<usize>,
    /// Positions in what the unit applies.
    pub objects: Vec<usize>,
}

pub struct Named {
    pub id: ComponentId,
    pub draft: Draft,
}

/// What makes two parts in different clusters the same component.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
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

/// Names that say what kind of thing something is, not which one.
const GENERIC: &[&str] = &[
    "app",
    "apps",
    "application",
    "applications",
    "base",
    "main",
    "release",
    "deploy",
    "deployment",
    "services",
    "service",
    "infrastructure",
    "infra",
    "cluster",
    "config",
    "configs",
    "controllers",
    "workloads",
    "platform",
    "core",
    "system",
    "all",
    "ks",
    "production",
    "staging",
    "prod",
    "dev",
    "cluster-apps",
    "addons",
    "tenants",
    "helm",
    "kustomization",
];

pub fn drafts(repo: &Repo, clusters: &[Cluster]) -> Vec<Draft> {
    let mut drafts: BTreeMap<Key, Draft> = BTreeMap::new();
    for (index, cluster) in clusters.iter().enumerate() {
        let view = View {
            repo,
            cluster,
            index,
        };
        for unit in std::iter::once(None).chain((0..cluster.units.len()).map(Some)) {
            view.parts_of(unit, &mut drafts);
        }
    }
    for cluster in clusters {
        switched_off(cluster, &mut drafts);
    }
    drafts.into_values().collect()
}

struct View<'a> {
    repo: &'a Repo,
    cluster: &'a Cluster,
    index: usize,
}

impl View<'_> {
    fn objects(&self, unit: Option<usize>) -> &[Object] {
        let applied = match unit {
            None => Some(&self.cluster.loose),
            Some(unit) => self.cluster.units[unit].applied.as_ref(),
        };
        applied
            .map(|applied| applied.objects.as_slice())
            .unwrap_or_default()
    }

    fn parts_of(&self, unit: Option<usize>, drafts: &mut BTreeMap<Key, Draft>) {
        let objects = self.objects(unit);
        let releases: Vec<(usize, usize)> = objects
            .iter()
            .enumerate()
            .filter_map(|(at, object)| {
                let id = &object
                    .statement
                    .unit
                    .as_ref()
                    .filter(|unit| unit.release.is_some())?
                    .id;
                Some((at, self.cluster.position(id)?))
            })
            .filter(|(_, release)| self.cluster.units[*release].owner == unit)
            .collect();
        match (unit, releases.as_slice()) {
            (Some(unit), [(_, release)]) if !self.is_unbuilt(unit) => {
                let all = (0..objects.len()).collect();
                self.unit_part(unit, Some(*release), all, drafts);
            }
            (Some(unit), []) => self.without_release(unit, drafts),
            (None, []) => {}
            (_, releases) => self.shared(unit, releases, drafts),
        }
    }

    fn is_unbuilt(&self, unit: usize) -> bool {
        self.cluster.units[unit].applied.is_none()
    }

    /// A unit of its own, unless all it does is create units.
    fn without_release(&self, unit: usize, drafts: &mut BTreeMap<Key, Draft>) {
        let here = &self.cluster.units[unit];
        if here.unit.release.is_some() {
            return;
        }
        let objects = self.objects(Some(unit));
        let creates = objects.iter().any(|object| object.statement.unit.is_some());
        let runs = objects
            .iter()
            .any(|object| object.statement.workload.is_some());
        if creates && !runs {
            return;
        }
        let directories = self.workload_directories(objects);
        if directories.len() > 1 {
            self.by_directory(unit, directories, drafts);
        } else {
            self.unit_part(unit, None, (0..objects.len()).collect(), drafts);
        }
    }

    fn unit_part(
        &self,
        unit: usize,
        release: Option<usize>,
        objects: Vec<usize>,
        drafts: &mut BTreeMap<Key, Draft>,
    ) {
        let here = &self.cluster.units[unit];
        let id = &here.unit.id;
        let mut names = vec![id.name.clone()];
        if let Some(release) = release {
            names.push(self.cluster.units[release].unit.id.name.clone());
        }
        let directory = here.directory.clone();
        names.extend(directory.iter().flat_map(directory_names));
        names.push(id.namespace.clone());
        let kind = match release {
            Some(release) => self.cluster.units[release].unit.id.kind.clone(),
            None => id.kind.clone(),
        };
        let key = Key::Unit {
            kind: id.kind.clone(),
            namespace: id.namespace.clone(),
            name: id.name.clone(),
        };
        let part = Part {
            cluster: self.index,
            unit: Some(unit),
            release,
            objects,
        };
        // Under a name that says nothing, what a person looks for is where the release stands.
        let declared = release
            .and_then(|release| self.directory_of(&self.cluster.units[release].unit.place.file));
        let source = match GENERIC.contains(&id.name.as_str()) {
            true => declared.or(directory),
            false => directory,
        };
        let source = source.or_else(|| self.directory_of(&here.unit.place.file));
        add(drafts, key, names, kind, part, source);
    }

    fn directory_of(&self, file: &FileId) -> Option<RepoPath> {
        self.repo.path(*file).parent()
    }

    /// Several releases side by side: one component each, with the objects that serve it.
    fn shared(
        &self,
        unit: Option<usize>,
        releases: &[(usize, usize)],
        drafts: &mut BTreeMap<Key, Draft>,
    ) {
        let objects = self.objects(unit);
        let served = serve(self.cluster, objects, releases);
        for (nth, (_, release)) in releases.iter().enumerate() {
            let here = &self.cluster.units[*release];
            let id = &here.unit.id;
            let mut names = vec![id.name.clone()];
            let source = self.directory_of(&here.unit.place.file);
            names.extend(source.iter().flat_map(directory_names));
            let part = Part {
                cluster: self.index,
                unit,
                release: Some(*release),
                objects: served[nth].clone(),
            };
            let key = Key::Unit {
                kind: id.kind.clone(),
                namespace: id.namespace.clone(),
                name: id.name.clone(),
            };
            add(drafts, key, names, id.kind.clone(), part, source);
        }
    }

    /// The directories that workloads come from, with their objects.
    fn workload_directories(&self, objects: &[Object]) -> BTreeMap<RepoPath, Vec<usize>> {
        let directory = |object: &Object| {
            self.directory_of(&object.statement.place.file)
                .unwrap_or_else(RepoPath::root)
        };
        let mut directories: BTreeMap<RepoPath, Vec<usize>> = objects
            .iter()
            .filter(|object| object.statement.workload.is_some())
            .map(|object| (directory(object), Vec::new()))
            .collect();
        for (at, object) in objects.iter().enumerate() {
            if let Some(list) = directories.get_mut(&directory(object)) {
                list.push(at);
            }
        }
        directories
    }

    /// Several applications in one unit, told apart by where their manifests stand.
    fn by_directory(
        &self,
        unit: usize,
        directories: BTreeMap<RepoPath, Vec<usize>>,
        drafts: &mut BTreeMap<Key, Draft>,
    ) {
        let here = &self.cluster.units[unit];
        for (directory, objects) in directories {
            let key = Key::Directory {
                unit: here.unit.id.qualified().into(),
                directory: directory.clone(),
            };
            let workload = objects.iter().find_map(|at| {
                let statement = &self.objects(Some(unit))[*at].statement;
                statement.workload.as_ref()
            });
            let mut names = directory_names(&directory);
            names.extend(workload.map(|workload| workload.name.clone()));
            let kind = workload.map_or_else(
                || here.unit.id.kind.clone(),
                |workload| workload.kind.clone(),
            );
            let part = Part {
                cluster: self.index,
                unit: Some(unit),
                release: None,
                objects,
            };
            add(drafts, key, names, kind, part, Some(directory));
        }
    }
}

fn add(
    drafts: &mut BTreeMap<Key, Draft>,
    key: Key,
    names: Vec<SmolStr>,
    kind: SmolStr,
    part: Part,
    source: Option<RepoPath>,
) {
    if let Some(draft) = drafts.get_mut(&key) {
        draft.source = common_directory(draft.source.take(), source.as_ref());
    }
    let draft = drafts.entry(key).or_insert_with(|| Draft {
        names,
        kind,
        parts: Vec::new(),
        status: Status::Enabled,
        source,
        place: Place::default(),
        heading: None,
        namespace: SmolStr::default(),
    });
    if !draft
        .parts
        .iter()
        .any(|other| other.cluster == part.cluster)
    {
        draft.parts.push(part);
    }
}

/// Where environments build different directories, the manifests are in what these have in common.
fn common_directory(one: Option<RepoPath>, other: Option<&RepoPath>) -> Option<RepoPath> {
    let (Some(first), Some(second)) = (&one, other) else {
        return one;
    };
    if first == second {
        return one;
    }
    let mut above = first.parent();
    while let Some(directory) = above.filter(|directory| !directory.as_str().is_empty()) {
        if second.is_below(&directory) {
            return Some(directory);
        }
        above = directory.parent();
    }
    one
}

/// The parts of a path that may name what is in it, last first.
fn directory_names(directory: &RepoPath) -> Vec<SmolStr> {
    let parts = directory
        .as_str()
        .rsplit('/')
        .filter(|part| !part.is_empty());
    parts.take(3).map(SmolStr::from).collect()
}

/// For each release, its own object and those that refer to it, or that it refers to.
fn serve(cluster: &Cluster, objects: &[Object], releases: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut served: Vec<Vec<usize>> = releases.iter().map(|(at, _)| vec![*at]).collect();
    let names: Vec<&str> = releases
        .iter()
        .map(|(_, release)| cluster.units[*release].unit.id.name.as_str())
        .collect();
    for (at, object) in objects.iter().enumerate() {
        if releases.iter().any(|(release, _)| *release == at) || object.statement.unit.is_some() {
            continue;
        }
        let statement = &object.statement;
        let by_reference = releases.iter().position(|(release, _)| {
            let release = &objects[*release].statement;
            release
                .references
                .iter()
                .any(|reference| is_about(&reference.target, statement))
                || chart_source_is(release, statement)
        });
        let by_target = || {
            let mut best: Option<(usize, usize)> = None;
            let targets = statement
                .references
                .iter()
                .map(|reference| &reference.target);
            let services = targets.filter_map(|target| match target {
                Target::Object { kind, name, .. } if kind == "Service" => Some(name.as_str()),
                _ => None,
            });
            for service in services.chain([statement.id.name.as_str()]) {
                for (nth, name) in names.iter().enumerate() {
                    let fits = service == *name || service.starts_with(&format!("{name}-"));
                    if fits && best.is_none_or(|(_, length)| name.len() > length) {
                        best = Some((nth, name.len()));
                    }
                }
            }
            best.map(|(nth, _)| nth)
        };
        if let Some(nth) = by_reference.or_else(by_target) {
            served[nth].push(at);
        }
    }
    for list in &mut served {
        list.sort_unstable();
    }
    served
}

fn is_about(target: &Target, statement: &Statement) -> bool {
    let is = |target: &Target| match target {
        Target::Object {
            kind,
            namespace,
            name,
        } => {
            let id = &statement.id;
            id.kind == *kind && id.namespace == *namespace && id.name == *name
        }
        _ => false,
    };
    is(target) || statement.provides.contains(target)
}

fn chart_source_is(release: &Statement, statement: &Statement) -> bool {
    let chart = release
        .unit
        .as_ref()
        .and_then(|unit| unit.release.as_ref()?.chart.as_ref());
    chart.is_some_and(|chart| {
        let id = &statement.id;
        chart.source.kind == id.kind
            && chart.source.namespace == id.namespace
            && chart.source.name == id.name
    })
}

/// Entries that are commented out stand for components that somebody switched off.
fn switched_off(cluster: &Cluster, drafts: &mut BTreeMap<Key, Draft>) {
    for off in &cluster.disabled {
        let key = Key::Unit {
            kind: off.unit.kind.clone(),
            namespace: off.unit.namespace.clone(),
            name: off.unit.name.clone(),
        };
        drafts.entry(key).or_insert_with(|| {
            let mut names = vec![off.unit.name.clone()];
            names.extend(directory_names(&off.directory));
            names.push(off.unit.namespace.clone());
            Draft {
                names,
                kind: off.kind.clone(),
                parts: Vec::new(),
                status: Status::Disabled,
                source: Some(off.directory.clone()),
                place: off.place,
                heading: off.heading.clone(),
                namespace: off.namespace.clone(),
            }
        });
    }
}

/// Gives every draft an id: the first of its names that says which one it is; where two would
/// have the same, both are told apart by their namespace, then by their directory.
pub fn named(drafts: Vec<Draft>) -> Vec<Named> {
    let wanted = |draft: &Draft| {
        let telling = draft
            .names
            .iter()
            .find(|name| !GENERIC.contains(&name.as_str()) && !name.is_empty());
        let name = telling
            .or_else(|| draft.names.first())
            .cloned()
            .unwrap_or_default();
        slug(&name)
    };
    let mut ids: Vec<String> = drafts.iter().map(wanted).collect();
    type Longer = fn(&Draft) -> Option<SmolStr>;
    let longer: [Longer; 3] = [
        |draft| draft.names.last().cloned(),
        |draft| Some(draft.source.as_ref()?.parent()?.file_name().into()),
        |draft| Some(draft.source.as_ref()?.as_str().replace('/', "-").into()),
    ];
    for more in longer {
        for index in repeated(&ids) {
            if let Some(part) = more(&drafts[index])
                .map(|part| slug(&part))
                .filter(|part| !part.is_empty() && *part != ids[index])
            {
                ids[index] = format!("{part}-{}", ids[index]);
            }
        }
    }
    // Nothing tells them apart but their order, which is that of their keys.
    let mut seen: HashMap<String, usize> = HashMap::new();
    for id in &mut ids {
        let count = seen.entry(id.clone()).or_insert(0);
        *count += 1;
        if *count > 1 {
            *id = format!("{id}-{count}");
        }
    }
    let mut named: Vec<Named> = ids
        .into_iter()
        .zip(drafts)
        .map(|(id, draft)| Named {
            id: ComponentId(id.into()),
            draft,
        })
        .collect();
    named.sort_by(|a, b| a.id.cmp(&b.id));
    named
}

fn repeated(ids: &[String]) -> Vec<usize> {
    let mut count: HashMap<&str, usize> = HashMap::new();
    for id in ids {
        *count.entry(id).or_default() += 1;
    }
    (0..ids.len())
        .filter(|index| count[ids[*index].as_str()] > 1)
        .collect()
}

/// A name as part of an address: lower case, digits and dashes.
fn slug(name: &str) -> String {
    let mut slug = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            c if c.is_ascii_alphanumeric() => slug.push(c.to_ascii_lowercase()),
            c if c.is_alphanumeric() => slug.extend(c.to_lowercase()),
            _ if slug.ends_with('-') || slug.is_empty() => {}
            _ => slug.push('-'),
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    match slug.is_empty() {
        true => "unnamed".to_owned(),
        false => slug,
    }
}

/// Gathers what a component is, over all clusters that have it.
pub fn finish(named: &Named, clusters: &[Cluster], sources: &[Sources<'_>]) -> Component {
    let draft = &named.draft;
    let first = draft.parts.first();
    let mut component = Component {
        id: named.id.clone(),
        title: title(&named.id.0),
        kind: draft.kind.clone(),
        namespace: first.map_or_else(|| draft.namespace.clone(), |part| namespace(part, clusters)),
        layer: None,
        status: status(draft, clusters),
        source: draft.source.clone(),
        place: first.map_or(draft.place, |part| place(part, clusters)),
        owner: None,
        chart: None,
        environments: draft
            .parts
            .iter()
            .map(|part| environment(part, clusters, sources))
            .collect(),
        workloads: Vec::new(),
        images: Vec::new(),
        urls: Vec::new(),
        ports: Vec::new(),
        volumes: Vec::new(),
        settings: setting::settings(&draft.parts, clusters),
        resources: Vec::new(),
    };
    let mut resources: Vec<(&ResourceId, Place)> = Vec::new();
    for part in &draft.parts {
        if component.chart.is_none() {
            component.chart = chart(part, clusters, sources);
        }
        for object in objects(part, clusters) {
            take(&mut component, &object.statement);
            resources.push((&object.statement.id, object.statement.place));
        }
    }
    resources.sort_unstable();
    resources.dedup();
    component.resources = resources
        .into_iter()
        .map(|(id, place)| ComponentResource {
            id: id.clone(),
            place,
        })
        .collect();
    component.images.sort();
    component.images.dedup();
    component.urls.sort();
    component.urls.dedup();
    component
}

fn take(component: &mut Component, statement: &Statement) {
    if let Some(workload) = &statement.workload {
        component
            .images
            .extend(workload.images.iter().map(|image| image.value.clone()));
        if !component
            .workloads
            .iter()
            .any(|other| other.kind == workload.kind && other.name == workload.name)
        {
            component.workloads.push(workload.clone());
        }
    }
    component
        .images
        .extend(statement.images.iter().map(|image| image.value.clone()));
    component
        .urls
        .extend(statement.urls.iter().map(|url| url.url.clone()));
    for port in &statement.ports {
        if !component.ports.contains(port) {
            component.ports.push(port.clone());
        }
    }
    for volume in &statement.volumes {
        if !component
            .volumes
            .iter()
            .any(|other| other.name == volume.name)
        {
            component.volumes.push(volume.clone());
        }
    }
}

/// The objects of a part, as its unit applies them.
pub fn objects<'a>(part: &'a Part, clusters: &'a [Cluster]) -> impl Iterator<Item = &'a Object> {
    let cluster = &clusters[part.cluster];
    let applied = match part.unit {
        None => Some(&cluster.loose),
        Some(unit) => cluster.units[unit].applied.as_ref(),
    };
    let all = applied
        .map(|applied| applied.objects.as_slice())
        .unwrap_or_default();
    part.objects.iter().filter_map(|at| all.get(*at))
}

/// Where it runs: the release's namespace, else that of what it runs, else of what it applies.
fn namespace(part: &Part, clusters: &[Cluster]) -> SmolStr {
    let cluster = &clusters[part.cluster];
    let release = part
        .release
        .and_then(|release| cluster.units[release].unit.release.as_ref());
    if let Some(release) = release {
        return release.target_namespace.clone();
    }
    let unit = part.unit.map(|unit| &cluster.units[unit].unit);
    let target = unit.and_then(|unit| unit.build.as_ref()?.target_namespace.as_ref());
    let workload = objects(part, clusters).find_map(|object| {
        let workload = object.statement.workload.as_ref()?;
        (!workload.namespace.is_empty()).then(|| workload.namespace.clone())
    });
    let any = || {
        objects(part, clusters)
            .map(|object| object.statement.id.namespace.clone())
            .find(|namespace| !namespace.is_empty())
    };
    workload
        .or_else(|| target.map(|target| target.value.clone()))
        .or_else(any)
        .unwrap_or_default()
}

fn place(part: &Part, clusters: &[Cluster]) -> Place {
    let cluster = &clusters[part.cluster];
    let unit = part.unit.or(part.release);
    let first = objects(part, clusters).next();
    unit.map(|unit| cluster.units[unit].unit.place)
        .or_else(|| first.map(|object| object.statement.place))
        .unwrap_or_default()
}

fn chart(part: &Part, clusters: &[Cluster], sources: &[Sources<'_>]) -> Option<Chart> {
    let release = &clusters[part.cluster].units[part.release?].unit.release;
    sources[part.cluster].chart(release.as_ref()?.chart.as_ref()?)
}

fn environment(part: &Part, clusters: &[Cluster], sources: &[Sources<'_>]) -> Environment {
    Environment {
        name: clusters[part.cluster].name.clone(),
        status: status_of(part, clusters),
        version: chart(part, clusters, sources).and_then(|chart| chart.version),
    }
}

/// Suspended when it is so in every cluster that has it.
fn status(draft: &Draft, clusters: &[Cluster]) -> Status {
    let mut parts = draft.parts.iter().map(|part| status_of(part, clusters));
    match draft.parts.is_empty() {
        true => draft.status,
        false if parts.all(|status| status == Status::Suspended) => Status::Suspended,
        false => Status::Enabled,
    }
}

/// Suspended when it, or a unit above it, is so.
fn status_of(part: &Part, clusters: &[Cluster]) -> Status {
    let cluster = &clusters[part.cluster];
    let mut suspended = part
        .release
        .is_some_and(|release| cluster.units[release].unit.suspended);
    let mut unit = part.unit;
    for _ in 0..64 {
        let Some(at) = unit else {
            break;
        };
        suspended |= cluster.units[at].unit.suspended;
        unit = cluster.units[at].owner.filter(|owner| *owner != at);
    }
    match suspended {
        true => Status::Suspended,
        false => Status::Enabled,
    }
}
