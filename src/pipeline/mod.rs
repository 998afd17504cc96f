//! Runs the stages in order, from files to findings: repo, facts, composition, catalogue, knowledge, checks.
//! `check` and `diff` end here; `site` makes pages of the result.

mod chart_references;
mod commit;
mod fast_path;
mod incremental;
mod rendered;
mod tried;

use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::catalog::{self, Catalog, ComponentParts, EnvironmentScope, UnknownName};
use crate::checks::rehearse::{self, Rehearsal};
use crate::checks::triage::{self, Findings};
use crate::checks::unseen::Unseen;
use crate::checks::{self, CheckContext, Origins, unapplied};
use crate::cluster::{self, Clusters, Trees};
use crate::input::config::{self, Config, ConfigError, Origin};
use crate::input::repo::{CommitError, Record, Repo, RepoError, RepoPath};
use crate::input::repo_host::RepoHost;
use crate::knowledge::pages::{self, Guide, Pages};
use crate::knowledge::{self, Knowledge};
use crate::sources::Facts;
use crate::sources::inventory::Inventory;
use base::Finding;
use system::output;
use system::progress::{self, Stage};

pub use crate::input::repo::GitUse;
pub use chart_references::{ChartReferences, chart_references};
pub use commit::{check_commit, check_work_tree, merge_base, read_commit};
pub use fast_path::{FastUpdate, RebuildState};
pub use incremental::{Memory, Read, is_unreadable, read_incrementally};
pub use rendered::{RenderedObject, RenderedRepo, rendered};

/// A repo that was read, and its findings: all that reports and comparisons need.
pub struct Checked {
    pub config: Config,
    pub repo: Repo,
    pub catalog: Catalog,
    pub knowledge: Knowledge,
    pub pages: Pages,
    pub findings: Findings,
    pub unseen: Unseen,
    /// Pages outside the repo that belong to its site.
    pub guide: Option<Guide>,
}

/// A checked repo, with the parts that only pages show.
pub struct Reading {
    checked: Checked,
    /// Simulated bootstrap of each cluster.
    pub rehearsals: Vec<Rehearsal>,
    /// Components that install CRDs.
    pub origins: Origins,
}

impl Deref for Reading {
    type Target = Checked;

    fn deref(&self) -> &Checked {
        &self.checked
    }
}

impl DerefMut for Reading {
    fn deref_mut(&mut self) -> &mut Checked {
        &mut self.checked
    }
}

/// Error that prevents reading a repo.
#[derive(Debug, Error)]
pub enum ReadError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Repo(#[from] RepoError),
    #[error(transparent)]
    Commit(#[from] CommitError),
    #[error("`{}` is a bare repository without a work tree; pass two commits", .0.display())]
    Bare(PathBuf),
    #[error("`{}` is reached through a symbolic link that points outside the git repository, which is not \
             followed; pass its target instead", .0.display())]
    Link(PathBuf),
    #[error("the guide `{0}` is not a directory; correct `guide` in catalog.toml, or remove it")]
    Guide(String),
}

/// Location of the repo and its configuration, from the command line.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The repo; else the one that the configuration names, else the git work tree around the current directory.
    pub repo: Option<PathBuf>,
    /// The configuration; else `catalog.toml` in the repo, if there is one.
    pub config: Option<PathBuf>,
    /// Whether commit, remote and last changes are read from git.
    pub git: GitUse,
}

/// Reads a repo for its site.
pub fn read(request: &Request) -> Result<Reading, ReadError> {
    read_in(request, EnvironmentScope::All)
}

/// Reads a repo for what is in some environments.
pub fn read_in(request: &Request, scope: EnvironmentScope<'_>) -> Result<Reading, ReadError> {
    progress::begin(Stage::Reading);
    let RepoConfig { config, root, .. } = configuration(request)?;
    let repo = Repo::open_with(&root, &config.ignore, request.git)?;
    let guide = guide(request, None)?;
    let composed = composed_with(&repo, &config, Trees::Dropped, scope);
    Ok(reading(config, repo, composed, guide))
}

/// Reads a repo for its findings.
pub fn check(request: &Request) -> Result<Checked, ReadError> {
    progress::begin(Stage::Reading);
    let RepoConfig { config, root, .. } = configuration(request)?;
    let repo = Repo::open_with(&root, &config.ignore, request.git)?;
    let guide = guide(request, None)?;
    let composed = composed(&repo, &config);
    Ok(only_checked(config, repo, composed, guide))
}

/// Reads a repo for its site with git facts of another time, to compare with what was made then.
pub fn read_as_recorded(request: &Request, record: &Record) -> Result<Reading, ReadError> {
    let RepoConfig { config, root, .. } = configuration(request)?;
    let repo = Repo::open_with(&root, &config.ignore, request.git)?.as_recorded(record);
    let guide = guide(request, Some(record))?;
    let composed = composed(&repo, &config);
    Ok(reading(config, repo, composed, guide))
}

/// The directory that a request is about.
pub fn root(request: &Request) -> Result<PathBuf, ReadError> {
    Ok(configuration(request)?.root)
}

/// The configuration file that a request leads to, if there is one.
pub fn configuration_file(request: &Request) -> Result<Option<PathBuf>, ReadError> {
    Ok(configuration(request)?.file)
}

/// The directory whose `catalog.toml` counts if no repo is named: the current one if it has that file, else the root of
/// the git work tree around it.
pub fn start_directory() -> PathBuf {
    let here = PathBuf::from(".");
    if config::is_at(&here.join("catalog.toml")) {
        return here;
    }
    output::work_tree_above().unwrap_or(here)
}

/// Names that people type.
pub struct KnownNames {
    /// The ids of all components, sorted.
    pub components: Vec<String>,
    pub environments: Vec<String>,
}

/// The names in a repo. Reads no more than that takes.
pub fn names(request: &Request) -> Result<KnownNames, ReadError> {
    let RepoConfig { config, root, .. } = configuration(request)?;
    let repo = Repo::open_with(&root, &config.ignore, request.git)?;
    let catalog = composed(&repo, &config).catalog;
    let components = catalog.components.iter();
    let mut components: Vec<String> = components.map(|one| one.id.0.to_string()).collect();
    components.sort();
    let environments = catalog.environments.iter();
    Ok(KnownNames {
        components,
        environments: environments.map(|one| one.name.clone()).collect(),
    })
}

fn reading(config: Config, repo: Repo, composed: Composed, guide: Option<Guide>) -> Reading {
    let (reading, clusters) = reading_to_edit(config, repo, composed, guide);
    // Dropped in the background, because there are many of them.
    rayon::spawn(|| drop(clusters));
    reading
}

/// The same, with what it was made of.
fn reading_to_edit(
    config: Config,
    repo: Repo,
    composed: Composed,
    guide: Option<Guide>,
) -> (Reading, RebuildState) {
    let (checked, clusters, parts, (rehearsals, origins)) =
        checked(config, repo, composed, guide, |context, parts| {
            let rehearsals = rehearse::rehearse(context, &[]);
            (rehearsals, checks::origins(context, parts))
        });
    let rebuild_state = RebuildState::new(clusters, parts, &checked.catalog);
    let reading = Reading {
        checked,
        rehearsals,
        origins,
    };
    (reading, rebuild_state)
}

fn only_checked(config: Config, repo: Repo, composed: Composed, guide: Option<Guide>) -> Checked {
    let (checked, clusters, ..) = checked(config, repo, composed, guide, |_, _| ());
    rayon::spawn(|| drop(clusters));
    checked
}

/// Collects the findings of all stages: those of the composition, of checks, of decisions and of authored pages. What
/// `beside` makes of the same context, it makes at the same time.
fn checked<T: Send>(
    config: Config,
    repo: Repo,
    composed: Composed,
    guide: Option<Guide>,
    beside: impl FnOnce(&CheckContext<'_>, &ComponentParts) -> T + Send,
) -> (Checked, Clusters, ComponentParts, T) {
    progress::begin(Stage::Checking);
    let context = composed.check_context(&repo, &config);
    let (hazards, (made, knowledge, pages)) = rayon::join(
        || checks::check(&context),
        || {
            let made = beside(&context, &composed.parts);
            let knowledge = knowledge::read(&repo, &config, &composed.catalog);
            let repo_host = RepoHost::detect(&repo, &config);
            let pages = pages::read(&repo, &composed.catalog, &knowledge, repo_host.as_ref());
            (made, knowledge, pages)
        },
    );
    let unseen = Unseen::count(&context);
    // Files that a generator embeds are data of some program, not pages for people.
    let is_page = |finding: &&Finding| {
        let inputs = &context.inventory.generator_inputs;
        !inputs.contains(&finding.place.file)
    };
    let of_pages: Vec<Finding> = pages.findings.iter().filter(is_page).cloned().collect();
    let is_of_order = |finding: &Finding| {
        let remedy = finding.remedy();
        remedy.is_some_and(|remedy| remedy.kind.is_of_order())
    };
    let before = hazards
        .iter()
        .any(is_of_order)
        .then(|| rehearse::rehearse(&context, &[]));
    drop(context);
    let Composed {
        catalog,
        findings: mut reported,
        clusters,
        parts,
        ..
    } = composed;
    reported.extend(hazards);
    reported.extend(knowledge.findings.iter().cloned());
    reported.extend(of_pages);
    let mut findings = triage::triage(&repo, &config, &catalog, reported);
    if let Some(before) = before {
        tried::drop_worse(&repo, &config, &before, &mut findings);
    }
    let checked = Checked {
        config,
        repo,
        catalog,
        knowledge,
        pages,
        findings,
        unseen,
        guide,
    };
    (checked, clusters, parts, made)
}

/// The guide, if the configuration itself names the repo. A repo passed on the command line has none, because its
/// configuration could point to directories around it.
fn guide(request: &Request, record: Option<&Record>) -> Result<Option<Guide>, ReadError> {
    let file = request.config.clone();
    let file = file.unwrap_or_else(|| start_directory().join("catalog.toml"));
    if request.repo.is_some() || !config::is_at(&file) {
        return Ok(None);
    }
    let config = config::load(&file)?;
    let Some(name) = &config.guide else {
        return Ok(None);
    };
    let root = file.parent().filter(|root| !root.as_os_str().is_empty());
    let directory = RepoPath::new(name.trim_end_matches('/'));
    let directory = directory.ok_or_else(|| ReadError::Guide(name.clone()))?;
    let guide = Guide::open(
        root.unwrap_or(Path::new(".")),
        &directory,
        &config,
        request.git,
        record,
    )?;
    guide
        .map(Some)
        .ok_or_else(|| ReadError::Guide(name.clone()))
}

/// A simulated bootstrap of every cluster, and the catalogue that it is about.
pub struct Rehearsed {
    pub catalog: Catalog,
    pub unseen: Unseen,
    /// The error is a component to leave out that does not exist.
    pub rehearsals: Result<Vec<Rehearsal>, UnknownName>,
}

/// Simulates the bootstrap of every cluster, without a component if one is named.
pub fn rehearse(request: &Request, without: Option<&str>) -> Result<Rehearsed, ReadError> {
    progress::begin(Stage::Reading);
    let RepoConfig { config, root, .. } = configuration(request)?;
    let repo = Repo::open_with(&root, &config.ignore, request.git)?;
    let composed = composed(&repo, &config);
    let units = match without {
        Some(name) => composed.catalog.units_named(name),
        None => Ok(Vec::new()),
    };
    let context = composed.check_context(&repo, &config);
    let rehearsals = units.map(|units| rehearse::rehearse(&context, &units));
    let unseen = Unseen::count(&context);
    drop(context);
    Ok(Rehearsed {
        unseen,
        catalog: composed.catalog,
        rehearsals,
    })
}

/// A repo that was read, composed and modelled: the input of checks.
pub struct Composed {
    pub catalog: Catalog,
    /// Findings of readers, composition and the model, in no order.
    pub findings: Vec<Finding>,
    clusters: Clusters,
    parts: ComponentParts,
    inventory: Inventory,
}

/// Reads all files of a repo and builds its catalogue.
pub fn composed(repo: &Repo, config: &Config) -> Composed {
    composed_with(repo, config, Trees::Dropped, EnvironmentScope::All)
}

fn composed_with(
    repo: &Repo,
    config: &Config,
    trees: Trees,
    scope: EnvironmentScope<'_>,
) -> Composed {
    let facts = Facts::read(repo).with_kinds(&config.kinds);
    progress::begin(Stage::Composing);
    let (clusters, missing) = cluster::clusters(&facts, config, trees);
    let (modelled, (said, inventory)) = rayon::join(
        || catalog::model(repo, config, &clusters, scope),
        || {
            let kept = (said(&facts, missing), facts.inventory());
            // The YAML trees are no longer needed, and dropping them takes time, so do it in parallel.
            drop(facts);
            kept
        },
    );
    Composed::new(repo, modelled, clusters, inventory, said)
}

/// Findings of the file walk, the readers and the search for clusters.
fn said(facts: &Facts<'_>, missing: Vec<Finding>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = facts.repo.findings().to_vec();
    findings.extend(missing);
    let in_files = facts.all().flat_map(|(_, file)| &file.findings);
    findings.extend(in_files.cloned());
    findings
}

impl Composed {
    fn new(
        repo: &Repo,
        (mut catalog, parts): (Catalog, ComponentParts),
        clusters: Clusters,
        mut inventory: Inventory,
        mut findings: Vec<Finding>,
    ) -> Composed {
        let applied = clusters.iter().flat_map(|cluster| &cluster.units);
        let applied = applied.filter_map(|unit| unit.applied.as_ref());
        let unset = applied
            .flat_map(|applied| &applied.objects)
            .flat_map(|object| {
                let place = object.statement.place;
                object.unset.iter().map(move |name| (place, name))
            });
        inventory.locate(repo, unset);
        let hidden = clusters.iter().flat_map(|cluster| cluster.hidden());
        repo.hide(hidden.copied().collect());
        findings = unapplied::weigh(repo, &clusters, &inventory, findings);
        findings.append(&mut catalog.findings);
        Composed {
            catalog,
            findings,
            clusters,
            parts,
            inventory,
        }
    }

    /// Findings about YAML, judged by what happens to their files.
    pub fn weighed(&self, repo: &Repo, findings: Vec<Finding>) -> Vec<Finding> {
        unapplied::weigh(repo, &self.clusters, &self.inventory, findings)
    }

    fn check_context<'a>(&'a self, repo: &'a Repo, config: &'a Config) -> CheckContext<'a> {
        CheckContext::new(repo, config, &self.clusters, &self.catalog, &self.inventory)
    }
}

/// The configuration in effect, and the directory to read.
struct RepoConfig {
    config: Config,
    root: PathBuf,
    /// The configuration file, if there is one.
    file: Option<PathBuf>,
}

fn configuration(request: &Request) -> Result<RepoConfig, ReadError> {
    // A pull request could replace a directory that a job names with a link.
    let mut named = request.repo.iter().chain(&request.config);
    if let Some(path) = named.find(|path| output::leads_out(path)) {
        return Err(ReadError::Link(path.clone()));
    }
    let start = request.repo.clone().unwrap_or_else(start_directory);
    let beside = start.join("catalog.toml");
    let file = match &request.config {
        Some(file) => Some(file.clone()),
        None => Some(beside).filter(|file| config::is_at(file)),
    };
    let config = match &file {
        Some(file) => config::load(file)?,
        None => Config::default(),
    };
    let named = file
        .as_deref()
        .and_then(|file: &Path| config.repo_dir(file));
    // A configuration that leads to another repo leads to what that one says of itself, too.
    let own = named.as_ref().map(|repo| repo.join("catalog.toml"));
    let own = own.filter(|own| request.repo.is_none() && config::is_at(own));
    let mut config = match &own {
        Some(own) => config::load(own)?,
        None => config,
    };
    let root = request.repo.clone().or(named).unwrap_or(start);
    let read = own.as_ref().or(file.as_ref());
    if let Some(path) = read.and_then(|read| path_in(&root, read)) {
        config.origin = Origin::Repo(path);
    }
    Ok(RepoConfig { config, root, file })
}

/// The path of a file in a repo; none if it is outside.
fn path_in(root: &Path, file: &Path) -> Option<String> {
    let (root, file) = (root.canonicalize().ok()?, file.canonicalize().ok()?);
    let path = file.strip_prefix(root).ok()?;
    let names: Option<Vec<&str>> = path.iter().map(|name| name.to_str()).collect();
    Some(names?.join("/"))
}

/// The files that a configuration is read from, whether or not they are there.
fn configuration_files(request: &Request, root: &Path) -> Vec<PathBuf> {
    let beside = request.repo.clone().unwrap_or_else(start_directory);
    let named = request.config.clone();
    let file = named.unwrap_or_else(|| beside.join("catalog.toml"));
    vec![file, root.join("catalog.toml")]
}
