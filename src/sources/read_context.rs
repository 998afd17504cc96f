//! What lies around an object: the files of the repo, and the addresses that the repo goes by. For readers whose
//! objects mean something only together with files that they name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use smol_str::SmolStr;

use super::argocd::{ChartTrees, Projects, Registered};
use super::flux::Providers;
use super::{Facts, SOURCES};
use crate::facts::{HelmChart, Origin, Resource, Statement, SyncWave};
use crate::input::repo::RepoPath;
use base::text::{has_gap, last_part};
use base::{FileId, Finding};
use yaml::Node;

pub struct ReadContext<'a> {
    pub facts: &'a Facts<'a>,
    /// Addresses of this repo.
    own: BTreeSet<String>,
    /// Whether one unit can see that another is healthy, once somebody asked.
    pub(super) sees_health: OnceLock<bool>,
    /// Whether stars in patterns of files stay within a name, once somebody asked.
    pub(super) globs_by_name: OnceLock<bool>,
    /// What groups of units allow, once somebody asked.
    pub(super) projects: OnceLock<Projects>,
    /// Clusters that files register, once somebody asked.
    pub(super) registered: OnceLock<Vec<Registered>>,
    /// What gives inputs to templates, once somebody asked.
    pub(super) inputs: OnceLock<Providers>,
    /// Charts with those in them, and their files that make units, chart by chart, once somebody asked.
    chart_trees: Mutex<ChartTrees>,
}

impl<'a> ReadContext<'a> {
    pub fn new(facts: &'a Facts<'a>) -> ReadContext<'a> {
        ReadContext {
            facts,
            own: BTreeSet::new(),
            sees_health: OnceLock::new(),
            globs_by_name: OnceLock::new(),
            projects: OnceLock::new(),
            registered: OnceLock::new(),
            inputs: OnceLock::new(),
            chart_trees: Mutex::default(),
        }
    }

    /// Names the addresses that the repo goes by.
    pub fn set_own(&mut self, own: BTreeSet<String>) {
        self.own = own;
    }

    pub(super) fn lock_chart_trees(&self) -> MutexGuard<'_, ChartTrees> {
        // Nothing is left half done in it when a thread panics.
        self.chart_trees
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether an address is that of this repo. Where nobody knows that, whatever is found here speaks for it.
    pub fn is_own(&self, url: &str, path: &RepoPath) -> bool {
        if self.own.is_empty() || is_placeholder(url) {
            !path.as_str().is_empty() && self.has(path)
        } else {
            self.own.contains(&address(url))
        }
    }

    fn has(&self, path: &RepoPath) -> bool {
        self.facts.repo.is_dir(path) || self.facts.repo.file(path).is_some()
    }

    /// The documents of a file that are no objects, such as values; secrets are gone from them.
    pub fn documents(&self, file: FileId) -> &'a [Arc<Node>] {
        &self.facts.file(file).other_documents
    }
}

impl helm::ChartSource for ReadContext<'_> {
    fn files(&self) -> &dyn base::Files {
        self.facts.repo
    }

    fn documents(&self, file: FileId) -> &[Arc<Node>] {
        ReadContext::documents(self, file)
    }
}

/// Objects that a reconciler makes out of what another states.
#[derive(Debug, Default)]
pub struct Expanded {
    pub resources: Vec<Resource>,
    pub findings: Vec<Finding>,
    /// Files that took part.
    pub files: BTreeSet<FileId>,
    /// There may be more than these.
    pub is_partial: bool,
    /// For each object, if the reconciler makes them one after the other: its wave. The next is made once all
    /// before it are ready; one without a wave is in no order.
    pub sync_waves: Vec<Option<SyncWave>>,
    /// All objects with a wave come in order, whatever they are; a unit among them is ready when it says so itself.
    pub is_stepped: bool,
    /// For each object, if it is a unit that goes to another cluster: what that is called where the object is made.
    pub called: Vec<Option<SmolStr>>,
}

impl Expanded {
    /// What a template puts together may be secret only where it is put.
    fn sealed(mut self) -> Expanded {
        for resource in &mut self.resources {
            secret::seal(Arc::make_mut(&mut resource.node));
        }
        self
    }
}

/// What somebody runs to bring about units, once for each environment.
#[derive(Debug)]
pub struct Program {
    /// Where it stands.
    pub root: RepoPath,
    pub runs: Vec<Run>,
    pub findings: Vec<Finding>,
    /// Files that say what it is and how it is run.
    pub files: BTreeSet<FileId>,
    /// Directories that a reconciler which it installs starts from, if they are in this repo.
    pub starts: BTreeSet<RepoPath>,
}

#[derive(Debug)]
pub struct Run {
    /// The environment that it is for, if anything says so.
    pub environment: Option<SmolStr>,
    /// Declares the unit that stands for all that the run makes; its template tells the rest.
    pub unit: Resource,
}

/// A path at an address, as an object states that something is fetched from there.
#[derive(Debug, Clone)]
pub struct Fetched {
    pub origin: Origin,
    pub path: SmolStr,
}

/// What the files around an object add to its statement.
pub fn resolve_files(
    resource: &Resource,
    context: &ReadContext<'_>,
    statement: &mut Statement,
) -> Vec<Finding> {
    let sources = SOURCES.iter();
    sources
        .flat_map(|source| source.resolve_files(resource, context, statement))
        .collect()
}

/// The objects that a reconciler makes out of one.
pub fn expand(resource: &Resource, context: &ReadContext<'_>) -> Expanded {
    let mut sources = SOURCES.iter();
    let expanded = sources.find_map(|source| source.expand(resource, context));
    expanded.unwrap_or_default().sealed()
}

/// The units that somebody gets who installs a chart by hand; none where it makes none.
pub fn install(chart: &RepoPath, context: &ReadContext<'_>) -> Option<Expanded> {
    let mut sources = SOURCES.iter();
    let expanded = sources.find_map(|source| source.install(chart, context));
    expanded.map(Expanded::sealed)
}

/// The objects that a chart which a directory has rendered makes out of its values; none where it is known otherwise.
pub fn inflate(
    chart: &HelmChart,
    directory: &RepoPath,
    context: &ReadContext<'_>,
) -> Option<Expanded> {
    let mut sources = SOURCES.iter();
    let expanded = sources.find_map(|source| source.inflate(chart, directory, context));
    expanded.map(Expanded::sealed)
}

/// The programs of a repo, by where they stand.
pub fn programs(context: &ReadContext<'_>) -> Vec<Program> {
    let sources = SOURCES.iter();
    let mut programs: Vec<Program> = sources
        .flat_map(|source| source.programs(context))
        .collect();
    programs.sort_by(|a, b| a.root.cmp(&b.root));
    programs
}

/// The addresses that objects fetch directories from which are here: a fork or a copy has another address than the one
/// that is fetched, or none. Of several, the one that most are fetched from speaks, or the one that is known, and a mirror
/// goes by the same name. Where no object tells, those that charts make may.
pub fn guessed_addresses(context: &ReadContext<'_>, known: &BTreeSet<String>) -> Vec<String> {
    let facts = context.facts;
    let resources = facts.all().flat_map(|(_, found)| &found.resources);
    let mut counted = Counted::default();
    resources.for_each(|resource| counted.add(resource, facts));
    let tells = |counted: &Counted| counted.0.keys().any(|address| known.contains(address));
    if !tells(&counted) && counted.most().is_none() {
        let files = facts.repo.files().map(|file| facts.repo.path(file));
        let charts = files.filter(|path| path.file_name() == "Chart.yaml");
        for chart in charts.filter_map(RepoPath::parent) {
            let made = install(&chart, context).unwrap_or_default();
            let resources = made.resources.iter();
            resources.for_each(|resource| counted.add(resource, facts));
        }
    }
    let names: BTreeSet<&str> = if tells(&counted) {
        known.iter().map(|address| last_part(address)).collect()
    } else {
        counted.most().into_iter().map(last_part).collect()
    };
    let here = counted.mostly_here().map(|(address, _)| address);
    here.filter(|address| names.contains(last_part(address)) && !known.contains(*address))
        .cloned()
        .collect()
}

/// Whether whoever takes the repo over is to put their own address in: `https://github.com/<your-org>/<your-repo>`.
pub fn is_placeholder(url: &str) -> bool {
    url.contains('<') && url.contains('>')
}

/// How many directories are fetched from each address, and how many of them are here.
#[derive(Default)]
struct Counted(BTreeMap<String, (usize, usize)>);

impl Counted {
    /// The addresses of which more is here than is not, with how much.
    fn mostly_here(&self) -> impl DoubleEndedIterator<Item = (&String, usize)> {
        let mostly = self.0.iter().filter(|(_, (here, all))| here * 2 > *all);
        mostly.map(|(address, (here, _))| (address, *here))
    }

    /// The one of them that most are fetched from.
    fn most(&self) -> Option<&str> {
        let most = self.mostly_here().rev().max_by_key(|(_, here)| *here);
        most.map(|(address, _)| address.as_str())
    }

    fn add(&mut self, resource: &Resource, facts: &Facts<'_>) {
        let fetched = SOURCES
            .iter()
            .flat_map(|source| source.declared_sources(resource));
        for Fetched { origin, path } in fetched {
            if has_gap(&origin.url) {
                continue;
            }
            let Some(path) = RepoPath::new(path.trim_start_matches('/')) else {
                continue;
            };
            // The root exists everywhere.
            if !path.as_str().is_empty() {
                let (here, all) = self.0.entry(address(&origin.url)).or_default();
                *here += usize::from(facts.repo.is_dir(&path));
                *all += 1;
            }
        }
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
    let path = if path.is_empty() {
        rest.split_once(['/', ':']).map_or("", |(_, path)| path)
    } else {
        path
    };
    format!("{}/{}", host.to_lowercase(), path.to_lowercase())
}
