//! Clusters: from an entry point on, every unit is built, the units found in it are built in turn,
//! and so on, each with the namespace, patches and variables that its owner gave it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use rayon::prelude::*;
use smol_str::SmolStr;

use super::build::Builder;
use super::unit::{self, Applied, Variables};
use crate::diagnostic::{FileId, Finding, Place};
use crate::fact::{Artifact, Build, ChartSource, SourceRef, Statement, Unit, UnitId, Variable};
use crate::repo::RepoPath;
use crate::source;

/// A chain of units that create units longer than this has no end.
const MAX_CHAIN: usize = 24;

#[derive(Debug)]
pub struct Cluster {
    pub name: String,
    pub root: RepoPath,
    /// What the entry point itself holds; empty when a unit of its own applies it.
    pub loose: Applied,
    pub units: Vec<ClusterUnit>,
    /// What is switched off: entries that are commented out, and what they would bring.
    pub disabled: Vec<Off>,
    pub findings: Vec<Finding>,
    positions: HashMap<UnitId, usize>,
}

/// Something that a commented-out entry would bring.
#[derive(Debug)]
pub struct Off {
    pub unit: UnitId,
    /// What it would be shown as.
    pub kind: SmolStr,
    pub directory: RepoPath,
    pub place: Place,
    pub heading: Option<SmolStr>,
}

#[derive(Debug)]
pub struct ClusterUnit {
    pub unit: Arc<Unit>,
    /// The unit that creates this one; none when the entry point does.
    pub owner: Option<usize>,
    /// What it applies; none for a release, and where its files are not in this repo.
    pub applied: Option<Applied>,
    /// The directory in this repo that it builds.
    pub directory: Option<RepoPath>,
    /// Variables that it knows.
    pub variables: Variables,
    pub heading: Option<SmolStr>,
}

impl Cluster {
    pub fn position(&self, unit: &UnitId) -> Option<usize> {
        self.positions.get(unit).copied()
    }

    /// Every file that takes part in this cluster, once for each unit that it takes part in.
    pub fn files(&self) -> impl Iterator<Item = FileId> {
        let units = self.units.iter().filter_map(|unit| unit.applied.as_ref());
        let applied = units.chain([&self.loose]);
        applied.flat_map(|applied| applied.files.iter().copied())
    }

    /// Every statement, with the unit that applies the object.
    pub fn objects(&self) -> impl Iterator<Item = (Option<usize>, &unit::Object)> {
        let loose = self.loose.objects.iter().map(|object| (None, object));
        let units = self.units.iter().enumerate().flat_map(|(index, unit)| {
            let objects = unit.applied.iter().flat_map(|applied| &applied.objects);
            objects.map(move |object| (Some(index), object))
        });
        loose.chain(units)
    }
}

/// Composes everything that is reached from `root`. `own` are the addresses of this repo.
pub fn compose(
    builder: &Builder<'_>,
    name: &str,
    root: &RepoPath,
    own: &BTreeSet<String>,
) -> Cluster {
    let mut cluster = Cluster {
        name: name.to_owned(),
        root: root.clone(),
        loose: Applied::default(),
        units: Vec::new(),
        disabled: Vec::new(),
        findings: Vec::new(),
        positions: HashMap::new(),
    };
    let loose = unit::apply(builder, root, None, &Variables::default());
    let mut known = Known {
        own: own.clone(),
        ..Known::default()
    };
    known.take(&loose);
    match owner_of_root(&loose, root) {
        // The entry point applies itself: what it holds belongs to that unit, with its changes.
        Some(owner) => {
            let source = owner
                .build
                .as_ref()
                .and_then(|build| known.sources.get(&build.source));
            let url = source.map(|source| address(&source.url));
            known.own.extend(url);
            cluster.add(owner, None, None);
            cluster.units[0].owner = Some(0);
        }
        None => {
            let found = units_in(&loose);
            cluster.loose = loose;
            for (unit, heading) in found {
                cluster.add(unit, None, heading);
            }
        }
    }
    let mut next = 0;
    let mut waiting: Vec<usize> = Vec::new();
    loop {
        waiting.extend(next..cluster.units.len());
        next = cluster.units.len();
        let (ready, held): (Vec<usize>, Vec<usize>) = waiting
            .iter()
            .partition(|index| known.has_variables(&cluster.units[**index].unit));
        // When all wait for variables that nothing provides, they are built without.
        let batch = match ready.is_empty() {
            true => std::mem::take(&mut waiting),
            false => {
                waiting = held;
                ready
            }
        };
        if batch.is_empty() {
            break;
        }
        let results: Vec<(usize, Outcome)> = batch
            .into_par_iter()
            .map(|index| (index, build(builder, &cluster.units[index].unit, &known)))
            .collect();
        for (index, outcome) in results {
            cluster.integrate(index, outcome, &mut known);
        }
    }
    cluster.disabled = switched_off(builder, &cluster);
    cluster
}

/// The unit in an entry point that applies the entry point.
fn owner_of_root(loose: &Applied, root: &RepoPath) -> Option<Arc<Unit>> {
    let units = units_in(loose).into_iter().map(|(unit, _)| unit);
    units
        .filter(|unit| {
            let path = unit
                .build
                .as_ref()
                .and_then(|build| RepoPath::new(&build.path));
            path.as_ref() == Some(root)
        })
        .min_by(|a, b| a.id.cmp(&b.id))
}

fn units_in(applied: &Applied) -> Vec<(Arc<Unit>, Option<SmolStr>)> {
    let objects = applied.objects.iter();
    objects
        .filter_map(|object| Some((object.statement.unit.clone()?, object.heading.clone())))
        .collect()
}

/// What the objects seen so far say about sources and variables.
#[derive(Default)]
struct Known {
    variables: HashMap<(SmolStr, SmolStr, SmolStr), Arc<HashMap<SmolStr, Variable>>>,
    sources: HashMap<SourceRef, Box<ChartSource>>,
    artifacts: Vec<Artifact>,
    /// Addresses of this repo.
    own: BTreeSet<String>,
}

impl Known {
    fn take(&mut self, applied: &Applied) {
        for object in &applied.objects {
            self.take_one(&object.statement);
        }
    }

    fn take_one(&mut self, statement: &Statement) {
        let id = &statement.id;
        if !statement.variables.is_empty() {
            let key = (id.kind.clone(), id.namespace.clone(), id.name.clone());
            self.variables.entry(key).or_insert_with(|| {
                let variables = statement.variables.iter();
                let named = variables.map(|variable| (variable.name.clone(), variable.clone()));
                Arc::new(named.collect())
            });
        }
        if let Some(source) = &statement.source {
            let key = SourceRef {
                kind: id.kind.clone(),
                namespace: id.namespace.clone(),
                name: id.name.clone(),
            };
            self.sources.entry(key).or_insert_with(|| source.clone());
        }
        self.artifacts.extend(statement.artifacts.iter().cloned());
    }

    fn has_variables(&self, unit: &Unit) -> bool {
        let substitution = unit
            .build
            .as_ref()
            .and_then(|build| build.substitution.as_ref());
        substitution.is_none_or(|substitution| {
            substitution.from.iter().all(|from| {
                self.variables.contains_key(&(
                    from.kind.clone(),
                    unit.id.namespace.clone(),
                    from.name.clone(),
                ))
            })
        })
    }

    /// The variables that a unit may use, later sources over earlier ones and its own over all.
    fn variables_of(&self, unit: &Unit) -> Variables {
        let mut variables = Variables::default();
        let Some(substitution) = unit
            .build
            .as_ref()
            .and_then(|build| build.substitution.as_ref())
        else {
            return variables;
        };
        variables.always = substitution.always;
        for from in &substitution.from {
            let key = (
                from.kind.clone(),
                unit.id.namespace.clone(),
                from.name.clone(),
            );
            match self.variables.get(&key) {
                Some(found) => variables.sources.push(found.clone()),
                None => variables.incomplete = true,
            }
        }
        for entry in &substitution.inline {
            variables.own.insert(
                entry.key.clone(),
                Variable {
                    name: entry.key.clone(),
                    value: Some(entry.value.clone()),
                    place: entry.place,
                },
            );
        }
        variables
    }
}

#[derive(Default)]
struct Outcome {
    applied: Option<Applied>,
    directory: Option<RepoPath>,
    variables: Variables,
    findings: Vec<Finding>,
}

fn build(builder: &Builder<'_>, unit: &Unit, known: &Known) -> Outcome {
    let Some(build) = &unit.build else {
        return Outcome::default();
    };
    let variables = known.variables_of(unit);
    match directory(builder, unit, build, known) {
        Ok(directory) => Outcome {
            applied: Some(unit::apply(builder, &directory, Some(build), &variables)),
            directory: Some(directory),
            variables,
            findings: Vec::new(),
        },
        Err(finding) => Outcome {
            findings: vec![finding],
            variables,
            ..Outcome::default()
        },
    }
}

/// The directory of this repo that a build means, or why there is none.
fn directory(
    builder: &Builder<'_>,
    unit: &Unit,
    build: &Build,
    known: &Known,
) -> Result<RepoPath, Finding> {
    let repo = builder.repo();
    let unknown = |reason: String| {
        Finding::info(
            "source-elsewhere",
            build.path_place,
            format!("{} {reason}; what it applies is not known", unit.id),
        )
    };
    if build.source.kind == "ExternalArtifact" {
        let name = &build.source.name;
        return known
            .artifact_directory(build)
            .filter(|directory| repo.is_dir(directory))
            .ok_or_else(|| {
                unknown(format!(
                    "takes its files from the artifact `{name}`, not from this repository"
                ))
            });
    }
    let path = RepoPath::new(&build.path).filter(|path| repo.is_dir(path));
    let source = known
        .sources
        .get(&build.source)
        .filter(|source| !source.url.is_empty());
    if let Some(source) = source
        && !known.is_own(source, path.is_some())
    {
        return Err(unknown(format!(
            "takes its files from {}, not from this repository",
            source.url
        )));
    }
    path.ok_or_else(|| match build.path.contains("${") {
        true => unknown(format!(
            "builds `{}`, a path with a variable that nothing here sets",
            build.path
        )),
        false => Finding::error(
            "path-missing",
            build.path_place,
            format!("{} builds `{}`, which does not exist", unit.id, build.path),
        )
        .help("correct the path, or create the directory"),
    })
}

impl Known {
    /// Whether a source is this repo. Where nothing says what this repo's address is, a path that
    /// exists here is taken to be here.
    fn is_own(&self, source: &ChartSource, exists: bool) -> bool {
        match self.own.is_empty() {
            true => exists,
            false => self.own.contains(&address(&source.url)),
        }
    }

    fn artifact_directory(&self, build: &Build) -> Option<RepoPath> {
        let SourceRef {
            namespace, name, ..
        } = &build.source;
        let mut artifacts = self.artifacts.iter();
        let artifact = artifacts
            .find(|artifact| artifact.name == *name && artifact.namespace == *namespace)?;
        in_artifact(artifact, &build.path)
    }
}

/// An address without scheme, login and ending: the same for the forms that a repository goes by.
pub fn address(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let rest = rest.trim_end_matches('/').trim_end_matches(".git");
    let (host, path) = rest.split_once(['/', ':']).unwrap_or((rest, ""));
    // A port belongs to the host, not to the path.
    let path = path
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start_matches('/');
    let path = match path.is_empty() {
        true => rest.split_once(['/', ':']).map_or("", |(_, path)| path),
        false => path,
    };
    format!("{}/{}", host.to_lowercase(), path.to_lowercase())
}

/// The repo directory behind a directory of an artifact: the longest copied part that covers it.
fn in_artifact(artifact: &Artifact, path: &str) -> Option<RepoPath> {
    let covers = |to: &str| path == to || to.is_empty() || path.starts_with(&format!("{to}/"));
    let (to, from) = artifact
        .copies
        .iter()
        .filter(|(to, _)| covers(to))
        .max_by_key(|(to, _)| to.len())?;
    let rest = path[to.len()..].trim_start_matches('/');
    RepoPath::new(from)?.join(rest)
}

/// What commented-out entries would bring, unless it is there all the same.
fn switched_off(builder: &Builder<'_>, cluster: &Cluster) -> Vec<Off> {
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
            let unit = source::unit(&resource);
            let is_workload = matches!(
                resource.id.kind.as_str(),
                "Deployment" | "StatefulSet" | "DaemonSet"
            );
            if unit.is_none() && !is_workload {
                continue;
            }
            let id = UnitId {
                kind: resource.id.kind.clone(),
                namespace: match resource.id.namespace.is_empty() {
                    true => builder.namespace_of(directory).unwrap_or_default(),
                    false => resource.id.namespace.clone(),
                },
                name: resource.id.name.clone(),
            };
            let built = unit.and_then(|unit| RepoPath::new(&unit.build?.path));
            let declared = builder.repo().path(resource.place.file).parent();
            if cluster.position(&id).is_none()
                && let Some(directory) = built.or(declared)
            {
                off.entry(id.clone()).or_insert_with(|| Off {
                    kind: id.kind.clone(),
                    unit: id,
                    directory,
                    place: entry.place,
                    heading: entry.heading.clone(),
                });
            }
        }
    }
    off.into_values().collect()
}

impl Cluster {
    fn add(&mut self, unit: Arc<Unit>, owner: Option<usize>, heading: Option<SmolStr>) {
        if self.positions.contains_key(&unit.id) {
            return;
        }
        if self.chain(owner) > MAX_CHAIN {
            self.findings.push(Finding::error(
                "unit-chain",
                unit.place,
                format!(
                    "{} is created by a chain of more than {MAX_CHAIN} units; it is left out",
                    unit.id
                ),
            ));
            return;
        }
        self.positions.insert(unit.id.clone(), self.units.len());
        self.units.push(ClusterUnit {
            unit,
            owner,
            applied: None,
            directory: None,
            variables: Variables::default(),
            heading,
        });
    }

    fn chain(&self, mut owner: Option<usize>) -> usize {
        let mut length = 0;
        while let Some(index) = owner.filter(|_| length <= MAX_CHAIN) {
            length += 1;
            owner = self.units[index].owner.filter(|above| *above != index);
        }
        length
    }

    fn integrate(&mut self, index: usize, outcome: Outcome, known: &mut Known) {
        self.findings.extend(outcome.findings);
        if let Some(applied) = &outcome.applied {
            known.take(applied);
            for (unit, heading) in units_in(applied) {
                self.add(unit, Some(index), heading);
            }
        }
        let unit = &mut self.units[index];
        unit.applied = outcome.applied;
        unit.directory = outcome.directory;
        unit.variables = outcome.variables;
    }
}
