//! Index of the sources and variables that the objects of a cluster declare. It tells which source is this repo,
//! which directory a build means, and which variables a unit has.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use smol_str::SmolStr;

use super::build::Builder;
use super::published::is_beside;
use super::unit::{Applied, Variables};
use crate::facts::{Artifact, Build, ChartSource, Located, SourceRef, Statement, Unit, Variable};
use crate::input::repo::{Repo, RepoPath};
use crate::sources::address::{address, is_placeholder};
use crate::sources::is_bootstrap_source;
use crate::sources::values_from::ConfigMapEntry;
use base::Finding;
use base::hash::{HashMap, HashSet};
use base::text::has_gap;

/// Kind, namespace and name.
type SourceKey = (SmolStr, SmolStr, SmolStr);

/// The variables that an object gives, shared by all that take them.
type GivenVariables = Arc<HashMap<SmolStr, Variable>>;

/// Sources and variables that some objects declare.
#[derive(Debug, Default)]
pub struct Declarations {
    variables: Vec<(SourceKey, GivenVariables)>,
    /// Objects that may give further variables.
    incomplete: Vec<SourceKey>,
    sources: Vec<(SourceRef, Box<ChartSource>)>,
    artifacts: Vec<Artifact>,
}

impl Declarations {
    pub fn from_applied(applied: &Applied) -> Declarations {
        let mut declarations = Declarations::default();
        for object in &applied.objects {
            declarations.add(&object.statement);
        }
        declarations
    }

    fn add(&mut self, statement: &Statement) {
        let id = &statement.id;
        let key = || (id.kind.clone(), id.namespace.clone(), id.name.clone());
        if statement.supplies.has_more_variables {
            self.incomplete.push(key());
        }
        if !statement.supplies.variables.is_empty() {
            let variables = statement.supplies.variables.iter();
            let named = variables.map(|variable| (variable.name.clone(), variable.clone()));
            self.variables.push((key(), Arc::new(named.collect())));
        }
        if let Some(source) = &statement.supplies.source {
            let key = SourceRef {
                kind: id.kind.clone(),
                namespace: id.namespace.clone(),
                name: id.name.clone(),
            };
            self.sources.push((key, source.clone()));
        }
        self.artifacts
            .extend(statement.supplies.artifacts.iter().cloned());
    }
}

/// Sources and variables declared by the objects seen so far.
#[derive(Debug)]
pub struct SourceIndex {
    variables: HashMap<SourceKey, GivenVariables>,
    incomplete: HashSet<SourceKey>,
    sources: HashMap<SourceRef, Box<ChartSource>>,
    artifacts: Vec<Artifact>,
    /// Addresses of this repo.
    own: BTreeSet<String>,
    /// Sources that nothing declares, and whose paths are here.
    undeclared: HashSet<SourceRef>,
    /// The source that the entry point is fetched from, and what it is pinned to.
    own_source: Option<SourceRef>,
    own_reference: Option<SmolStr>,
    root: RepoPath,
}

impl SourceIndex {
    /// Nothing but where the cluster begins, and the addresses of this repo.
    pub fn new(root: &RepoPath, own: &BTreeSet<String>) -> SourceIndex {
        SourceIndex {
            variables: HashMap::default(),
            incomplete: HashSet::default(),
            sources: HashMap::default(),
            artifacts: Vec::new(),
            own: own.clone(),
            undeclared: HashSet::default(),
            own_source: None,
            own_reference: None,
            root: root.clone(),
        }
    }

    /// Addresses of this repo.
    pub fn own(&self) -> &BTreeSet<String> {
        &self.own
    }

    /// Makes room for what all of them say.
    pub fn reserve<'a>(&mut self, declarations: impl Iterator<Item = &'a Declarations> + Clone) {
        let variables = declarations
            .clone()
            .map(|declarations| declarations.variables.len())
            .sum();
        self.variables.reserve(variables);
        self.sources.reserve(
            declarations
                .map(|declarations| declarations.sources.len())
                .sum(),
        );
    }

    /// Adds declarations. If several objects declare the same thing, the first one wins.
    pub fn take(&mut self, declarations: Declarations) {
        for (key, variables) in declarations.variables {
            self.variables.entry(key).or_insert(variables);
        }
        self.incomplete.extend(declarations.incomplete);
        for (key, source) in declarations.sources {
            self.sources.entry(key).or_insert(source);
        }
        self.artifacts.extend(declarations.artifacts);
    }

    /// Replaces the earlier declarations of an object.
    pub fn update(&mut self, statement: &Statement) {
        let id = &statement.id;
        let key = (id.kind.clone(), id.namespace.clone(), id.name.clone());
        self.variables.remove(&key);
        self.incomplete.remove(&key);
        let (kind, namespace, name) = key;
        self.sources.remove(&SourceRef {
            kind,
            namespace,
            name,
        });
        let mut declarations = Declarations::default();
        declarations.add(statement);
        self.take(declarations);
    }

    /// Looks up an entry of a ConfigMap.
    pub fn entry(&self, namespace: &str, name: &str, key: &str) -> ConfigMapEntry<'_> {
        let object: (SmolStr, SmolStr, SmolStr) =
            ("ConfigMap".into(), namespace.into(), name.into());
        match self.variables.get(&object).map(|entries| entries.get(key)) {
            Some(Some(entry)) => ConfigMapEntry::Found(entry),
            Some(None) if self.incomplete.contains(&object) => ConfigMapEntry::Unknown,
            Some(None) => ConfigMapEntry::Missing,
            None => ConfigMapEntry::Unknown,
        }
    }

    pub fn has_variables(&self, unit: &Unit) -> bool {
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
    pub fn variables_of(&self, unit: &Unit) -> Variables {
        let mut variables = Variables::default();
        let Some(substitution) = unit
            .build
            .as_ref()
            .and_then(|build| build.substitution.as_ref())
        else {
            return variables;
        };
        variables.always = substitution.always;
        variables.opt_out = substitution.opt_out;
        variables.put_in_by = unit.id.kind.clone();
        for from in &substitution.from {
            let key = (
                from.kind.clone(),
                unit.id.namespace.clone(),
                from.name.clone(),
            );
            let found = self.variables.get(&key);
            variables.incomplete |= found.is_none() || self.incomplete.contains(&key);
            variables.sources.extend(found.cloned());
        }
        for entry in &substitution.inline {
            variables.own.insert(
                entry.key.clone(),
                Variable {
                    name: entry.key.clone(),
                    value: Some(entry.value.clone()),
                    place: entry.place,
                    has_lines: false,
                },
            );
        }
        variables
    }
}

/// The directory of this repo that a build means, or why there is none.
pub fn directory(
    builder: &Builder<'_>,
    unit: &Unit,
    build: &Build,
    known: &SourceIndex,
) -> Result<RepoPath, Finding> {
    let repo = builder.repo();
    if let Some(directory) = known.published(builder, build) {
        return Ok(directory);
    }
    let unknown = |reason: String| {
        Finding::info(
            "source-elsewhere",
            build.path_place,
            format!(
                "{} {reason}; its objects are missing from the catalogue",
                unit.id
            ),
        )
    };
    if build.source.kind == "ExternalArtifact" {
        let name = &build.source.name;
        return known.artifact_directory(repo, build).ok_or_else(|| {
            unknown(format!(
                "takes its manifests from the artifact `{name}`, not from this repository"
            ))
        });
    }
    let path = known.path_here(repo, &build.source, &build.path);
    let stated = build.origin.as_ref().map(|origin| ChartSource {
        url: origin.url.clone(),
        version: origin.revision.clone().map(|value| Located {
            value,
            place: build.path_place,
        }),
        revision: None,
        is_fixed: false,
        ignore: None,
        chart: None,
    });
    let declared = known
        .sources
        .get(&build.source)
        .filter(|source| !source.url.is_empty());
    let source = stated.as_ref().or(declared.map(|source| &**source));
    if !known.is_own(&build.source, source, path.as_ref()) {
        let from = source.map_or_else(
            || format!("{} {}", build.source.kind, build.source.name),
            |source| described(source, known),
        );
        return Err(unknown(format!(
            "takes its manifests from {from}, not from this repository"
        )));
    }
    if path.is_none() && source.is_none() && known.is_lost(&build.source) {
        let SourceRef { kind, name, .. } = &build.source;
        return Err(unknown(format!(
            "takes its manifests from {kind} {name}, which is not declared here"
        )));
    }
    let revision = build.origin.as_ref().and_then(|it| it.revision.as_ref());
    path.ok_or_else(|| match (has_gap(&build.path), revision) {
        (true, _) => unknown(format!(
            "builds `{}`, a path with a variable that is not set here",
            build.path
        )),
        (false, Some(revision)) => unknown(format!(
            "builds `{}` at `{revision}`, which is not the revision read here",
            build.path
        )),
        (false, None) if RepoPath::new(&build.path).is_none() => Finding::error(
            "path-outside",
            build.path_place,
            format!(
                "{} builds `{}`, which is outside the repository and is not read",
                unit.id, build.path
            ),
        ),
        (false, None) => Finding::error(
            "path-missing",
            build.path_place,
            format!("{} builds `{}`, which does not exist", unit.id, build.path),
        )
        .about(unit.id.to_string())
        .help(missing_path_help(repo, build)),
    })
}

fn missing_path_help(repo: &Repo, build: &Build) -> String {
    if build.path.starts_with("map[") {
        return "the template rendered a whole map; refer to the field that contains the path"
            .into();
    }
    match repo.git().map(|git| git.prefix.trim_end_matches('/')) {
        Some(read) if !read.is_empty() => format!(
            "only `{read}` of the git repository is read: if the directory is elsewhere in it, read all of it, and limit \
             findings with `--path {read}`"
        ),
        _ => "correct the path, which is relative to the root of the repository, or create the directory".into(),
    }
}

/// A source in words; its reference tells it from this repo where the address does not.
fn described(source: &ChartSource, known: &SourceIndex) -> String {
    match &source.version {
        Some(reference) if known.own.contains(&address(&source.url)) => {
            format!("`{}` of {}", reference.value, source.url)
        }
        _ => source.url.to_string(),
    }
}

impl SourceIndex {
    /// The unit in an entry point that applies the entry point. Of several, that which takes its
    /// files from this repo; one that takes an artifact is the least likely to.
    pub fn owner_of_root(&self, units: impl Iterator<Item = Arc<Unit>>) -> Option<Arc<Unit>> {
        let owners = units.filter(|unit| {
            let build = unit.build.as_ref();
            build.and_then(|build| RepoPath::new(&build.path)).as_ref() == Some(&self.root)
        });
        owners.min_by_key(|unit| {
            let source = unit.build.as_ref().map(|build| &build.source);
            let declared = source.and_then(|source| self.sources.get(source));
            let own = declared.is_some_and(|source| self.own.contains(&address(&source.url)));
            let git = source.is_some_and(|source| source.kind == "GitRepository");
            (!own, !git, unit.id.clone())
        })
    }

    /// Records the source of the unit that applies the entry point: that source is this repo.
    pub fn learn_own(&mut self, owner: &Unit) {
        let Some(build) = &owner.build else {
            return;
        };
        self.own_source = Some(build.source.clone());
        if let Some(source) = self.sources.get(&build.source) {
            self.own.insert(address(&source.url));
            self.own_reference = reference(source).cloned();
        }
    }

    /// Guesses the source that is this repo if none is known: the one whose paths exist here most often. A fork or
    /// mirror has another address than the one that is fetched.
    pub fn guess_own<'u>(&mut self, repo: &Repo, units: impl Iterator<Item = &'u Unit>) {
        let mut here: BTreeMap<String, usize> = BTreeMap::new();
        let mut is_known = false;
        for unit in units {
            let Some(build) = &unit.build else {
                continue;
            };
            let path = RepoPath::new(&build.path);
            let is_here = path.is_some_and(|path| !is_root(&path) && repo.is_dir(&path));
            let Some(source) = self.sources.get(&build.source) else {
                if is_here {
                    self.undeclared.insert(build.source.clone());
                }
                continue;
            };
            let address = address(&source.url);
            is_known |= self.own.contains(&address);
            if is_here {
                *here.entry(address).or_default() += 1;
            }
        }
        if is_known {
            return;
        }
        let most = here.into_iter().rev().max_by_key(|(_, count)| *count);
        self.own.extend(most.map(|(address, _)| address));
    }

    /// The directory that a build means if its source is published from a part of this repo, beside the artifact that the
    /// entry point is fetched from.
    fn published(&self, builder: &Builder<'_>, build: &Build) -> Option<RepoPath> {
        let source = self.sources.get(&build.source)?;
        let url = address(&source.url);
        let is_ours = self.own.contains(&url) || self.own.iter().any(|own| is_beside(&url, own));
        if !is_ours {
            return None;
        }
        builder.published_directory(&build.source, &build.path)
    }

    /// The patterns of files that the source of a build leaves out, if it states any.
    pub fn ignore_of(&self, build: &Build) -> Option<&SmolStr> {
        self.sources.get(&build.source)?.ignore.as_ref()
    }

    /// The directory of this repo at a path in a source. What is published as an artifact may be a part
    /// of the repo: then paths begin at a directory above the entry point.
    fn path_here(&self, repo: &Repo, source: &SourceRef, path: &str) -> Option<RepoPath> {
        let path = RepoPath::new(path)?;
        if repo.is_dir(&path) {
            return Some(path);
        }
        // Paths begin at the root of the git work tree, of which only a directory may be read.
        let inside = repo
            .git()
            .and_then(|git| path.as_str().strip_prefix(&git.prefix));
        let inside = inside.and_then(RepoPath::new);
        if let Some(inside) = inside.filter(|inside| repo.is_dir(inside)) {
            return Some(inside);
        }
        if !matches!(source.kind.as_str(), "OCIRepository" | "Bucket") {
            return None;
        }
        let mut above = self.root.parent();
        while let Some(here) = above {
            let path = here.join(path.as_str());
            if let Some(path) = path.filter(|path| repo.is_dir(path)) {
                return Some(path);
            }
            above = here.parent();
        }
        None
    }

    /// Whether files of a source are files of this repo. A path that exists here speaks for it; the
    /// root, which exists everywhere, speaks for nothing.
    fn is_own(
        &self,
        named: &SourceRef,
        source: Option<&ChartSource>,
        path: Option<&RepoPath>,
    ) -> bool {
        let speaks = path.is_some_and(|path| !is_root(path));
        let Some(source) = source else {
            // Bootstrapping makes sources that no file declares.
            return speaks
                || path.is_none()
                || match &self.own_source {
                    Some(own) => named == own,
                    None => named.kind == "GitRepository",
                };
        };
        if self.own.is_empty() || is_placeholder(&source.url) {
            return speaks;
        }
        // Another branch of this repo may hold anything.
        let same = self.own_reference.is_none() || self.own_reference.as_ref() == reference(source);
        self.own.contains(&address(&source.url)) && (speaks || same)
    }

    /// Whether a source that nothing declares may be another repository: the one that the entry point is fetched from is
    /// another one, or sources are declared here, and bootstrapping did not make it.
    fn is_lost(&self, source: &SourceRef) -> bool {
        let declares = || self.sources.keys().any(|other| other.kind == source.kind);
        match &self.own_source {
            _ if source.name.is_empty() => false,
            Some(own) => own != source,
            None => {
                let is_ours = is_bootstrap_source(source) || self.undeclared.contains(source);
                !is_ours && declares()
            }
        }
    }

    /// The directory of this repo that an artifact has a copy of, at a build's path.
    fn artifact_directory(&self, repo: &Repo, build: &Build) -> Option<RepoPath> {
        let SourceRef {
            namespace, name, ..
        } = &build.source;
        let mut artifacts = self.artifacts.iter();
        let artifact = artifacts
            .find(|artifact| artifact.name == *name && artifact.namespace == *namespace)?;
        let (copied, path) = copied_path(artifact, &build.path)?;
        let path = self.path_here(repo, copied, path.as_str())?;
        let declared = self.sources.get(copied);
        let declared = declared.filter(|source| !source.url.is_empty());
        self.is_own(copied, declared.map(|source| &**source), Some(&path))
            .then_some(path)
    }
}

fn is_root(path: &RepoPath) -> bool {
    path.as_str().is_empty()
}

fn reference(source: &ChartSource) -> Option<&SmolStr> {
    source.version.as_ref().map(|reference| &reference.value)
}

/// The source and the path in it behind a path in an artifact: that of the longest copied directory around it.
fn copied_path<'a>(artifact: &'a Artifact, path: &str) -> Option<(&'a SourceRef, RepoPath)> {
    let covers = |to: &str| path == to || to.is_empty() || path.starts_with(&format!("{to}/"));
    let copies = artifact.copies.iter().filter(|copy| covers(&copy.to));
    let copy = copies.max_by_key(|copy| copy.to.len())?;
    let rest = path[copy.to.len()..].trim_start_matches('/');
    Some((&copy.source, RepoPath::new(&copy.from)?.join(rest)?))
}
