//! Disabled units: commented-out entries, and the objects that they would add.

use super::*;

/// A unit or workload that a commented-out entry would add.
#[derive(Debug)]
pub struct Off {
    pub unit: UnitId,
    /// The kind under which it would be shown.
    pub kind: SmolStr,
    /// The namespace in which it would run, if stated.
    pub namespace: SmolStr,
    pub directory: RepoPath,
    pub place: Place,
    pub heading: Option<SmolStr>,
    /// Dependencies that its unit declares.
    pub depends_on: Vec<Dependency>,
}

/// Components and sources that commented-out entries would add, unless they exist anyway.
pub(super) fn switched_off(
    builder: &Builder<'_>,
    cluster: &Cluster,
) -> (Vec<Off>, Vec<Located<SourceRef>>) {
    let mut origins = Vec::new();
    let applied = cluster
        .units
        .iter()
        .filter_map(|unit| unit.applied.as_ref());
    let entries = applied
        .chain([&cluster.loose])
        .flat_map(|applied| &applied.disabled);
    let mut off: BTreeMap<UnitId, Off> = BTreeMap::new();
    for (directory, entry) in entries {
        let Some(path) = directory.join(&entry.path) else {
            continue;
        };
        for resource in builder.resources_at(&path) {
            if sources::is_origin(&resource.id) {
                origins.push(Located {
                    value: origin(builder, directory, &resource),
                    place: entry.place,
                });
            }
            let unit = sources::unit(&resource);
            if unit.is_none() && !is_workload(&resource.id.kind) {
                continue;
            }
            let id = UnitId {
                kind: resource.id.kind.clone(),
                namespace: if resource.id.namespace.is_empty() {
                    builder.namespace_of(directory).unwrap_or_default()
                } else {
                    resource.id.namespace.clone()
                },
                name: resource.id.name.clone(),
            };
            let namespace = unit.as_ref().map(|unit| would_run_in(builder, unit));
            let depends_on = unit.as_ref().map(|unit| would_wait_for(unit, &id));
            let built = unit.and_then(|unit| RepoPath::new(&unit.build?.path));
            let declared = builder.repo().path(resource.place.file).parent();
            if cluster.position(&id).is_none()
                && let Some(directory) = built.or(declared)
            {
                off.entry(id.clone()).or_insert_with(|| Off {
                    kind: id.kind.clone(),
                    namespace: namespace.unwrap_or_else(|| id.namespace.clone()),
                    unit: id,
                    directory,
                    place: entry.place,
                    heading: entry.heading.clone(),
                    depends_on: depends_on.unwrap_or_default(),
                });
            }
        }
    }
    (off.into_values().collect(), origins)
}

/// The source that an object would declare.
fn origin(builder: &Builder<'_>, directory: &RepoPath, resource: &Resource) -> SourceRef {
    let id = &resource.id;
    let namespace = builder.namespace_of(directory);
    SourceRef {
        kind: id.kind.clone(),
        namespace: namespace.unwrap_or_else(|| id.namespace.clone()),
        name: id.name.clone(),
    }
}

/// Explicit dependencies of a unit, resolved in the namespace that it would have.
pub(super) fn would_wait_for(unit: &Unit, id: &UnitId) -> Vec<Dependency> {
    let stated = unit.depends_on.iter();
    let stated = stated.filter(|dependency| dependency.relation != Relation::Implied);
    let mut depends_on: Vec<Dependency> = stated.cloned().collect();
    for dependency in &mut depends_on {
        if dependency.on.namespace.is_empty() {
            dependency.on.namespace = id.namespace.clone();
        }
    }
    depends_on
}

pub(super) fn is_workload(kind: &str) -> bool {
    matches!(kind, "Deployment" | "StatefulSet" | "DaemonSet")
}

/// The namespace in which a disabled unit would run its workloads.
pub(super) fn would_run_in(builder: &Builder<'_>, unit: &Unit) -> SmolStr {
    if let Some(release) = &unit.release {
        return release.target_namespace.clone();
    }
    let Some(build) = &unit.build else {
        return SmolStr::default();
    };
    if let Some(target) = &build.target_namespace {
        return target.value.clone();
    }
    let directory = RepoPath::new(&build.path).filter(|path| builder.repo().is_dir(path));
    let items = directory.map(|directory| builder.build(&directory, Some(build)).items);
    let resources = items.into_iter().flatten().map(BuildObject::into_resource);
    if let Some(default) = &build.default_namespace {
        // A workload may state its own namespace.
        let mut running = resources
            .filter(|resource| is_workload(&resource.id.kind) && !resource.id.namespace.is_empty());
        let own = running.next().map(|resource| resource.id.namespace);
        return own.unwrap_or_else(|| default.value.clone());
    }
    let namespaces =
        resources.map(
            |resource| match sources::unit(&resource).and_then(|unit| unit.release) {
                Some(release) => release.target_namespace,
                None => resource.id.namespace,
            },
        );
    let mut stated =
        namespaces.filter(|namespace| !namespace.is_empty() && !namespace.contains('$'));
    stated.next().unwrap_or_default()
}
