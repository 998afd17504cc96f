//! Readers: each turns what one tool writes into facts. A reader never fails on user input; what
//! it cannot read becomes a finding. To add one: a file below `source/` and a line in [`SOURCES`].

pub mod argocd;
pub mod charts;
mod duration;
pub mod flux;
pub mod helmfile;
pub mod inventory;
pub mod kubernetes;
pub mod kustomize;
pub mod local_charts;
pub mod pulumi;
pub mod read_context;
pub mod terraform;
pub mod values;
pub mod values_from;

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use crate::facts::{
    EntryPoint, FileFacts, HelmChart, PlainSecret, Resource, ResourceId, SourceRef, Statement,
    SyncPolicy, Unit, UnitId,
};
use crate::input::repo::{Repo, RepoPath};
pub use ::kustomize::read_inline;
use base::{FileId, Finding};
pub use base::{missing, outside};
use inventory::Inventory;
use read_context::{Expanded, Fetched, Program, ReadContext};
use values_from::EntryLookup;
use yaml::{Document, Node};

pub trait Source: Sync {
    fn name(&self) -> &'static str;

    /// Takes the documents that this reader knows out of a file.
    fn read(&self, _file: &mut SourceFile<'_>, _facts: &mut FileFacts) {}

    /// The unit that an object declares.
    fn unit(&self, _resource: &Resource) -> Option<Unit> {
        None
    }

    /// The directory that a reconciler starts from, as this file shows.
    fn entry_point(&self, _path: &RepoPath, _facts: &FileFacts) -> Option<EntryPoint> {
        None
    }

    /// What to type to do something with a unit; none where there is nothing to do.
    fn command(&self, _unit: &UnitId, _sync_policy: SyncPolicy, _verb: Verb) -> Option<String> {
        None
    }

    /// What a unit is called on the command line of its tool, where that is more than its name.
    fn name_in_tool(&self, _unit: &UnitId) -> Option<String> {
        None
    }

    /// The line that makes a unit wait until all that it applies is ready.
    fn gate_line(&self, _unit: &UnitId) -> Option<&'static str> {
        None
    }

    /// The change of a unit's file that makes it wait so.
    fn write_gate(&self, _document: &Node, _text: &str) -> Option<LineChange> {
        None
    }

    /// A unit as another one is written that it shall stand beside.
    fn write_unit(&self, _beside: &Node, _text: &str, _new: &NewUnit<'_>) -> Option<String> {
        None
    }

    /// After how many seconds a unit looks again whether what it depends on is ready, unless its controller was told
    /// otherwise.
    fn requeue(&self, _unit: &UnitId) -> Option<u64> {
        None
    }

    /// When a unit that failed is tried again, where nothing does that by itself.
    fn retry_advice(&self, _unit: &UnitId, _refusal: Refusal) -> Option<&'static str> {
        None
    }

    /// The API group of objects that install the reconciler itself, where a file has one: its types were there first.
    fn preinstalled_group(&self, _facts: &FileFacts) -> Option<&'static str> {
        None
    }

    /// Whether a unit is one that bootstrapping makes, so that no file need declare it.
    fn is_bootstrap(&self, _unit: &UnitId) -> bool {
        false
    }

    /// Whether files or charts may be taken from an object.
    fn is_source(&self, _id: &ResourceId) -> bool {
        false
    }

    /// Whether bootstrapping makes an object of this name for the files that a cluster begins with.
    fn is_bootstrap_source(&self, _source: &SourceRef) -> bool {
        false
    }

    /// How to mend the order of a unit, in the words of its reconciler.
    fn advice(&self, _unit: &UnitId, _advice: Advice<'_>) -> Option<String> {
        None
    }

    /// Says what a built object means.
    fn describe(&self, _resource: &Resource, _statement: &mut Statement) {}

    /// Describes an object once more that takes values from others, now that those of its cluster are known.
    fn values_from(
        &self,
        _resource: &Resource,
        _entries: &EntryLookup<'_>,
        _statement: &mut Statement,
    ) {
    }

    /// What an object says is fetched from elsewhere, or from here.
    fn declared_sources(&self, _resource: &Resource) -> Vec<Fetched> {
        Vec::new()
    }

    /// Adds to a unit's statement what only the files around it tell.
    fn resolve_files(
        &self,
        _resource: &Resource,
        _around: &ReadContext<'_>,
        _statement: &mut Statement,
    ) -> Vec<Finding> {
        Vec::new()
    }

    /// The units that somebody gets who installs a chart of this repo by hand.
    fn install(&self, _chart: &RepoPath, _around: &ReadContext<'_>) -> Option<Expanded> {
        None
    }

    /// The objects that a chart which a directory has rendered makes out of its values, if it is known by those.
    fn inflate(
        &self,
        _chart: &HelmChart,
        _directory: &RepoPath,
        _around: &ReadContext<'_>,
    ) -> Option<Expanded> {
        None
    }

    /// Secrets that can be read in files which hold no manifests.
    fn plain_secrets(&self, _facts: &Facts<'_>) -> Vec<PlainSecret> {
        Vec::new()
    }

    /// The programs of this repo that somebody runs to bring about units.
    fn programs(&self, _around: &ReadContext<'_>) -> Vec<Program> {
        Vec::new()
    }

    /// The objects that a reconciler makes out of the template of a unit.
    fn expand(&self, _template: &Resource, _around: &ReadContext<'_>) -> Option<Expanded> {
        None
    }
}

/// What somebody who mends an order asks.
#[derive(Debug, Clone, Copy)]
pub enum Advice<'a> {
    /// How others can wait until this unit is ready.
    Gate,
    /// Why this unit, of that name, counts as ready too early.
    Weakness(&'a str),
    /// How it comes after the unit of that name.
    After(&'a str),
    /// What to do with a custom resource that stands in the way of the unit of that name.
    Apart(&'a str),
}

/// Why the API server refuses an object that comes too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It does not know the kind yet.
    Kind,
    /// The webhook that admits it does not answer yet.
    Webhook,
}

/// Lines that take the place of others; where `count` is 0, they go before the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineChange {
    pub first: u32,
    pub count: u32,
    pub text: String,
}

/// A unit that is to be written.
pub struct NewUnit<'a> {
    pub name: &'a str,
    pub directory: &'a str,
    pub depends_on: &'a str,
}

/// What a person on call does with a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Keep the reconciler from touching it.
    Suspend,
    Resume,
}

/// All readers, in the order in which they are asked: a document goes to the first that takes it.
pub const SOURCES: &[&dyn Source] = &[
    &kustomize::Kustomize,
    &helmfile::Helmfile,
    &kubernetes::Kubernetes,
    &flux::Flux,
    &argocd::ArgoCd,
    &terraform::Terraform,
    &pulumi::Pulumi,
];

/// A file as readers see it: secrets are gone from its documents.
pub struct SourceFile<'a> {
    pub id: FileId,
    pub path: &'a RepoPath,
    pub documents: Vec<Document>,
    /// What kustomize's reader must see before secrets are gone; secrets in it are sealed.
    pub early: ::kustomize::Early,
}

/// The facts of all files of a repo: manifests are read at once, others when somebody asks.
pub struct Facts<'a> {
    pub repo: &'a Repo,
    files: Vec<OnceLock<Arc<FileFacts>>>,
}

/// The facts of a repo, apart from it.
#[derive(Default)]
pub struct Kept(Vec<OnceLock<Arc<FileFacts>>>);

impl Kept {
    /// What a file held, if it was read.
    pub fn get(&self, id: FileId) -> Option<&FileFacts> {
        let file = self.0.get(id.0 as usize)?;
        file.get().map(|facts| &**facts)
    }
}

impl<'a> Facts<'a> {
    pub fn read(repo: &'a Repo) -> Facts<'a> {
        Facts::read_files(repo, repo.files().map(|_| OnceLock::new()).collect())
    }

    /// The facts of a repo that was opened again: only what changed is read.
    pub fn read_incrementally(repo: &'a Repo, earlier: &Repo, kept: &Kept) -> Facts<'a> {
        let files = repo.files().map(|id| {
            let known = kept.0.get(id.0 as usize).and_then(OnceLock::get);
            // What was read because somebody referred to it counts only while somebody does.
            let known = known.filter(|_| repo.has_kept(earlier, id) && is_manifest(repo, id));
            known.map_or_else(OnceLock::new, |known| OnceLock::from(known.clone()))
        });
        Facts::read_files(repo, files.collect())
    }

    /// The facts of a repo that has the same files, of which these were edited.
    pub fn read_edited(repo: &'a Repo, kept: &Kept, edited: &BTreeSet<FileId>) -> Facts<'a> {
        let mut files = kept.0.clone();
        for id in edited {
            if let Some(file) = files.get_mut(id.0 as usize) {
                *file = OnceLock::new();
            }
        }
        let mut facts = Facts { repo, files };
        for id in edited.iter().filter(|id| facts.is_manifest(**id)) {
            facts.file(*id);
        }
        facts.withhold();
        facts
    }

    /// What is worth keeping when the repo goes.
    pub fn keep(self) -> Kept {
        Kept(self.files)
    }

    fn read_files(repo: &'a Repo, files: Vec<OnceLock<Arc<FileFacts>>>) -> Facts<'a> {
        let mut facts = Facts { repo, files };
        let all = (0..repo.files().len() as u32).into_par_iter().map(FileId);
        // In small portions, so that nobody is left with much when the others are done.
        all.with_max_len(32).for_each(|id| {
            if facts.is_manifest(id) {
                facts.file(id);
            }
        });
        facts.withhold();
        facts
    }

    /// Seals the files that become Secrets, now that it is known which do.
    fn withhold(&mut self) {
        let withheld = kustomize::withheld(self);
        for index in 0..self.files.len() {
            let id = FileId(index as u32);
            let Some(known) = self.files[index].get() else {
                continue;
            };
            match (known.is_withheld, withheld.contains_key(&id)) {
                (false, true) => {
                    self.files[index] = OnceLock::from(Arc::new(kustomize::sealed(known)))
                }
                // It did before somebody edited the generator.
                (true, false) => self.files[index] = OnceLock::from(Arc::new(read(self.repo, id))),
                _ => {}
            }
        }
        self.repo.withhold(withheld);
    }

    pub fn file(&self, id: FileId) -> &FileFacts {
        static NOTHING: FileFacts = FileFacts::EMPTY;
        match self.files.get(id.0 as usize) {
            Some(file) => file.get_or_init(|| Arc::new(read(self.repo, id))),
            None => &NOTHING,
        }
    }

    /// What a file holds, if it was read.
    pub fn known(&self, id: FileId) -> Option<&FileFacts> {
        let file = self.files.get(id.0 as usize)?;
        file.get().map(|facts| &**facts)
    }

    /// Files that were read, and what they hold.
    pub fn all(&self) -> impl Iterator<Item = (FileId, &FileFacts)> {
        let files = self.repo.files();
        files.filter_map(|id| Some((id, self.known(id)?)))
    }

    /// The same, many at once.
    pub fn par_all(&self) -> impl ParallelIterator<Item = (FileId, &FileFacts)> {
        let files = self.files.par_iter().enumerate();
        files.filter_map(|(index, file)| Some((FileId(index as u32), &**file.get()?)))
    }

    /// What stays of the files once the trees are gone.
    pub fn inventory(&self) -> Inventory {
        let mut inventory = Inventory::from_files(self.all());
        let elsewhere = SOURCES.iter();
        let elsewhere = elsewhere.flat_map(|source| source.plain_secrets(self));
        inventory.plain_secrets.extend(elsewhere);
        inventory.charts = local_charts::local_charts(self.repo);
        inventory
    }

    /// The kustomization of a directory.
    pub fn assembly_file(&self, directory: &RepoPath) -> Option<FileId> {
        let mut names = ::kustomize::FILE_NAMES.iter();
        names.find_map(|name| self.repo.file_in(directory, name))
    }

    /// Whether a file is read without anybody referring to it. A chart's templates are not YAML.
    pub fn is_manifest(&self, id: FileId) -> bool {
        is_manifest(self.repo, id)
    }
}

fn is_manifest(repo: &Repo, id: FileId) -> bool {
    let path = repo.path(id);
    let named =
        matches!(path.extension(), Some("yaml" | "yml")) || ::kustomize::is_kustomization(path);
    named && !is_chart_template(repo, path)
}

fn is_chart_template(repo: &Repo, path: &RepoPath) -> bool {
    let Some(at) = path.as_str().rfind("templates/") else {
        return false;
    };
    let chart = RepoPath::new(&path.as_str()[..at]).and_then(|chart| chart.join("Chart.yaml"));
    chart.is_some_and(|chart| repo.file(&chart).is_some())
}

/// Reads one file into facts.
fn read(repo: &Repo, id: FileId) -> FileFacts {
    match repo.read_text(id) {
        Ok(text) => read_text(&text, id, repo.path(id)),
        Err(finding) => FileFacts {
            findings: vec![finding],
            ..FileFacts::default()
        },
    }
}

pub fn read_text(text: &str, id: FileId, path: &RepoPath) -> FileFacts {
    let mut parsed = yaml::parse(text, id);
    let early = if ::kustomize::is_kustomization(path) {
        ::kustomize::read_early(&mut parsed.documents)
    } else {
        ::kustomize::Early::default()
    };
    let mut plain_secrets = Vec::new();
    for document in &mut parsed.documents {
        plain_secrets.extend(secret::seal(&mut document.root));
    }
    let mut facts = FileFacts {
        findings: parsed.findings,
        plain_secrets,
        ..FileFacts::default()
    };
    let mut file = SourceFile {
        id,
        path,
        documents: parsed.documents,
        early,
    };
    for source in SOURCES {
        source.read(&mut file, &mut facts);
    }
    let rest = file.documents.into_iter();
    facts
        .other_documents
        .extend(rest.map(|document| Arc::new(document.root)));
    facts
}

/// The unit that an object declares, by whichever reader knows it.
pub fn unit(resource: &Resource) -> Option<Unit> {
    SOURCES.iter().find_map(|source| source.unit(resource))
}

/// The line that makes a unit wait until all that it applies is ready.
pub fn gate(unit: &UnitId) -> Option<&'static str> {
    SOURCES.iter().find_map(|source| source.gate_line(unit))
}

/// The change of a unit's file that makes it wait until all that it applies is ready.
pub fn write_gate(document: &Node, text: &str) -> Option<LineChange> {
    let mut sources = SOURCES.iter();
    sources.find_map(|source| source.write_gate(document, text))
}

/// A unit as another one is written that it shall stand beside.
pub fn write_unit(beside: &Node, text: &str, new: &NewUnit<'_>) -> Option<String> {
    let mut sources = SOURCES.iter();
    sources.find_map(|source| source.write_unit(beside, text, new))
}

/// How to mend the order of a unit, in the words of its reconciler.
pub fn advice(unit: &UnitId, advice: Advice<'_>) -> Option<String> {
    let mut sources = SOURCES.iter();
    sources.find_map(|source| source.advice(unit, advice))
}

/// After how many seconds a unit looks again whether what it depends on is ready.
pub fn requeue(unit: &UnitId) -> u64 {
    let mut sources = SOURCES.iter();
    sources.find_map(|source| source.requeue(unit)).unwrap_or(0)
}

/// When a unit that failed is tried again, where nothing does that by itself.
pub fn retry_advice(unit: &UnitId, refusal: Refusal) -> Option<&'static str> {
    let mut sources = SOURCES.iter();
    sources.find_map(|source| source.retry_advice(unit, refusal))
}

/// The API groups of objects in a file that install a reconciler itself.
pub fn first_groups(facts: &FileFacts) -> impl Iterator<Item = &'static str> {
    let sources = SOURCES.iter();
    sources.filter_map(|source| source.preinstalled_group(facts))
}

/// Whether a unit is one that bootstrapping makes, so that no file need declare it.
pub fn is_bootstrap(unit: &UnitId) -> bool {
    SOURCES.iter().any(|source| source.is_bootstrap(unit))
}

/// Whether files or charts may be taken from an object.
pub fn is_origin(id: &ResourceId) -> bool {
    SOURCES.iter().any(|source| source.is_source(id))
}

/// Whether bootstrapping makes an object of this name for the files that a cluster begins with.
pub fn is_bootstrap_source(named: &SourceRef) -> bool {
    let mut sources = SOURCES.iter();
    sources.any(|source| source.is_bootstrap_source(named))
}

/// What to type to do something with a unit; none where there is nothing to do.
pub fn command(unit: &UnitId, sync_policy: SyncPolicy, verb: Verb) -> Option<String> {
    let mut sources = SOURCES.iter();
    sources.find_map(|source| source.command(unit, sync_policy, verb))
}

/// What a unit is called on the command line of its tool.
pub fn called(unit: &UnitId) -> String {
    let mut sources = SOURCES.iter();
    let called = sources.find_map(|source| source.name_in_tool(unit));
    called.unwrap_or_else(|| unit.name.to_string())
}

/// The directory that a reconciler starts from, if this file shows one.
pub fn entry_point(path: &RepoPath, facts: &FileFacts) -> Option<EntryPoint> {
    let mut sources = SOURCES.iter();
    sources.find_map(|source| source.entry_point(path, facts))
}

/// What all readers have to say about a built object.
pub fn describe(resource: &Resource) -> Statement {
    let mut statement = Statement {
        id: resource.id.clone(),
        place: resource.place,
        unit: unit(resource).map(Arc::new),
        ..Statement::default()
    };
    for source in SOURCES {
        source.describe(resource, &mut statement);
    }
    // Statements stay until the catalogue is made; the room to grow need not.
    statement.settings.shrink_to_fit();
    statement.references.shrink_to_fit();
    statement
}

/// Describes an object once more that takes values from others, now that those of its cluster are known.
pub fn describe_values_from(
    resource: &Resource,
    lookup: &EntryLookup<'_>,
    statement: &mut Statement,
) {
    for source in SOURCES {
        source.values_from(resource, lookup, statement);
    }
}
