//! Decisions, specs, the records of how specs were carried out, and whether they still hold. The ledger joins them to
//! components, files and commits. Reads Markdown through the repo; a repo without such files costs only a scan of its
//! paths.

pub mod pages;
pub mod route;
pub mod runbook;

mod accepted;
mod artifact;
mod content;
mod dead;
mod decision;
mod join;
mod ledger;
mod mention;
mod missing;
mod name;
mod plan;
mod provenance;
mod record;
mod spec;
mod validation;

use crate::input::page::read_page;
use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::catalog::{Catalog, ComponentIx};
use crate::input::config::Config;
use crate::input::repo::{Repo, RepoPath};
use base::{FileId, Finding};
use claims::{asciidoc, day, outline, plain, reference, status};
use markdown::Blocks;

pub use artifact::{Artifact, ArtifactClaim, ArtifactState, LaterChange};
pub use decision::{Decision, Reference};
pub use ledger::{Concern, Ledger};
pub use mention::{Mention, MentionRole, MentionedBy};
pub use plan::Planned;
pub use record::{Choice, Passed, Record, StepResult};
pub use spec::{Spec, SpecCounts, SpecForm, SpecStatement, Task, Tasks};
pub use status::Status;
pub use validation::{Breach, BreachKind, StepState, ValidationStep};

use decision::ReferenceKind;
use mention::ComponentNames;
use provenance::Provenance;
use spec::SpecFileRole;

/// Everything that is known of decisions, specs and records.
#[derive(Debug, Default)]
pub struct Knowledge {
    /// By the directory that they are kept in, then by number.
    pub decisions: Vec<Decision>,
    /// By form, then by number: `0003a` follows `0003`.
    pub specs: Vec<Spec>,
    /// By path.
    pub records: Vec<Record>,
    pub ledger: Ledger,
    pub findings: Vec<Finding>,
}

/// A decision, spec or record, by position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentRef {
    Decision(usize),
    Spec(usize),
    Record(usize),
}

pub fn read(repo: &Repo, config: &Config, catalog: &Catalog) -> Knowledge {
    let found = documents(repo, config);
    if found.is_empty() {
        return Knowledge {
            findings: accepted::unused(repo, config),
            ledger: Ledger::build(catalog, &[], &[], &[]),
            ..Knowledge::default()
        };
    }
    let blocks: BTreeMap<FileId, Blocks> = found
        .par_iter()
        .filter_map(|(file, _)| {
            let text = read_page(repo, *file).ok()?;
            if name::is_asciidoc(repo.path(*file)) {
                return Some((*file, markdown::blocks(&asciidoc::to_markdown(&text))));
            }
            Some((*file, markdown::blocks(&text)))
        })
        .collect();
    let mut knowledge = Knowledge::default();
    let mut parts: Vec<(RepoPath, FileId)> = Vec::new();
    for (file, kind) in found {
        let Some(blocks) = blocks.get(&file) else {
            continue;
        };
        match kind {
            DocumentKind::Decision => {
                let decision = decision::decision(repo, config, file, blocks);
                knowledge.decisions.extend(decision);
            }
            DocumentKind::Role(SpecFileRole::Spec(form)) => {
                knowledge.specs.extend(spec::spec(repo, file, form, blocks));
            }
            DocumentKind::Role(SpecFileRole::Record) => {
                knowledge.records.extend(record::record(repo, file, blocks));
            }
            DocumentKind::Role(SpecFileRole::Part(of)) => parts.push((of, file)),
        }
    }
    knowledge.sort(repo);
    knowledge.join_parts(repo, &parts, &blocks);
    knowledge.join_decisions(repo);
    knowledge.join_records(repo);
    let names = ComponentNames::from_catalog(repo, config, catalog);
    knowledge.name_components(&names, &blocks);
    knowledge.join_specs(&blocks);
    knowledge.look(repo);
    knowledge.findings =
        accepted::accept(repo, config, &mut knowledge.specs, &mut knowledge.records);
    knowledge
        .findings
        .extend(missing::findings(repo, &knowledge, &blocks, &names));
    knowledge.ledger = Ledger::build(
        catalog,
        &knowledge.decisions,
        &knowledge.specs,
        &knowledge.records,
    );
    knowledge
}

enum DocumentKind {
    Decision,
    Role(SpecFileRole),
}

/// The files that are looked at. A link to one is not another.
fn documents(repo: &Repo, config: &Config) -> Vec<(FileId, DocumentKind)> {
    let files = repo.files().filter_map(|file| {
        let path = repo.path(file);
        if decision::is_decision(path, config) {
            return Some((file, DocumentKind::Decision));
        }
        Some((file, DocumentKind::Role(spec::role(repo, path)?)))
    });
    files.collect()
}

impl Knowledge {
    /// The decision, spec or record in `file`.
    pub fn document(&self, file: FileId) -> Option<DocumentRef> {
        let decision = self.decisions.iter().position(|one| one.file == file);
        let spec = || self.specs.iter().position(|one| one.file == file);
        let record = || self.records.iter().position(|one| one.file == file);
        decision
            .map(DocumentRef::Decision)
            .or_else(|| spec().map(DocumentRef::Spec))
            .or_else(|| record().map(DocumentRef::Record))
    }

    /// The components that a spec is about.
    pub fn concerned(&self, spec: usize) -> Vec<ComponentIx> {
        let concerned = ledger::concerned(&self.specs[spec], &self.records);
        concerned.into_keys().collect()
    }

    /// Puts everything in order and gives every document an id of its own.
    fn sort(&mut self, repo: &Repo) {
        self.decisions.sort_by_cached_key(|one| {
            let path = repo.path(one.file);
            (
                log(path),
                one.number.is_none(),
                one.number.clone(),
                path.clone(),
            )
        });
        self.specs.sort_by_cached_key(|one| {
            (
                one.form,
                one.number.is_none(),
                one.number.clone(),
                repo.path(one.file).clone(),
            )
        });
        let mut taken: BTreeMap<String, String> = BTreeMap::new();
        for one in &mut self.decisions {
            one.id = distinct(&mut taken, &one.id, repo.path(one.file));
        }
        taken.clear();
        for one in &mut self.specs {
            one.id = distinct(&mut taken, &one.id, repo.path(one.file));
        }
    }

    /// Follows what decisions say of each other, in both directions.
    fn join_decisions(&mut self, repo: &Repo) {
        let index = DecisionLookup::index(repo, &self.decisions);
        let mut by_other: Vec<(usize, usize, ReferenceSide)> = Vec::new();
        let mut joined = Vec::new();
        for (at, one) in self.decisions.iter().enumerate() {
            let follow = |references: &[Reference]| -> Vec<Option<usize>> {
                let each = references.iter();
                each.map(|reference| index.find(one.file, &reference.kind))
                    .collect()
            };
            let (to, by) = (follow(&one.supersedes), follow(&one.superseded_by));
            by_other.extend(to.iter().flatten().map(|to| (*to, at, ReferenceSide::By)));
            by_other.extend(by.iter().flatten().map(|by| (*by, at, ReferenceSide::To)));
            joined.push((to, by));
        }
        for (one, (to, by)) in self.decisions.iter_mut().zip(joined) {
            let pairs = one.supersedes.iter_mut().zip(to);
            pairs.for_each(|(reference, to)| reference.to = to);
            let pairs = one.superseded_by.iter_mut().zip(by);
            pairs.for_each(|(reference, by)| reference.to = by);
        }
        for (at, other, side) in by_other {
            let text = self.decisions[other].id.clone();
            let one = &mut self.decisions[at];
            let references = match side {
                ReferenceSide::By => &mut one.superseded_by,
                ReferenceSide::To => &mut one.supersedes,
            };
            if references
                .iter()
                .all(|reference| reference.to != Some(other))
            {
                let number = ReferenceKind::Link(String::new());
                references.push(Reference {
                    text,
                    line: 0,
                    to: Some(other),
                    kind: number,
                });
            }
        }
    }

    fn join_records(&mut self, repo: &Repo) {
        for (at, record) in self.records.iter_mut().enumerate() {
            let named = record.names.as_ref().and_then(|names| {
                let path = RepoPath::new(names.text.trim_start_matches("./"))?;
                let file = repo.file(&path)?;
                self.specs.iter().position(|spec| spec.file == file)
            });
            let stem = name::stem(repo.path(record.file));
            let stem = stem.strip_suffix(".provenance").unwrap_or(stem);
            let by_name = || {
                let mut specs = self.specs.iter();
                specs.position(|spec| {
                    spec.form == SpecForm::Recorded && name::stem(repo.path(spec.file)) == stem
                })
            };
            // One that names no spec may still have its number.
            let by_number = || {
                let number = record.number.as_ref().filter(|_| record.names.is_none())?;
                self.specs
                    .iter()
                    .position(|spec| spec.number.as_ref() == Some(number))
            };
            record.spec = named.or_else(by_name).or_else(by_number);
            if let Some(spec) = record.spec {
                self.specs[spec].record.get_or_insert(at);
            }
        }
    }

    fn name_components(&mut self, names: &ComponentNames<'_>, blocks: &BTreeMap<FileId, Blocks>) {
        let mentions = |file: FileId| match blocks.get(&file) {
            Some(blocks) => names.mentions(file, blocks),
            None => Vec::new(),
        };
        self.decisions
            .par_iter_mut()
            .for_each(|one| one.mentions = mentions(one.file));
        self.demote_hubs();
        self.specs.par_iter_mut().for_each(|one| {
            one.mentions = mentions(one.file);
            for part in &one.parts {
                add_mentions(&mut one.mentions, mentions(*part));
            }
            for artifact in &mut one.artifacts {
                artifact.owners = names.of_path(&artifact.path);
            }
        });
        for record in &mut self.records {
            let mut found: BTreeMap<ComponentIx, u32> = BTreeMap::new();
            for artifact in &mut record.artifacts {
                artifact.owners = names.of_path(&artifact.path);
                for component in &artifact.owners {
                    found.entry(*component).or_insert(artifact.line);
                }
            }
            let found = found.into_iter();
            record.mentions = found
                .map(|(component, line)| Mention {
                    component,
                    line,
                    by: MentionedBy::Path,
                    role: MentionRole::Subject,
                })
                .collect();
        }
    }

    /// Looks at every artifact and every step as things are now.
    fn look(&mut self, repo: &Repo) {
        for record in &mut self.records {
            record
                .artifacts
                .iter_mut()
                .for_each(|artifact| artifact.look(repo));
        }
        for artifact in self.specs.iter_mut().flat_map(|spec| &mut spec.artifacts) {
            artifact.look(repo);
            if artifact.state == ArtifactState::Gone {
                artifact.state =
                    ArtifactState::Undecided("named by a finished task, and not there");
            }
        }
        ledger::follow_changes(&self.specs, &mut self.records);
        let provenance = Provenance::read(repo, &self.specs, &self.records, &self.decisions);
        if let Some(provenance) = &provenance {
            provenance.judge(repo, &self.specs, &mut self.records);
        }
        ledger::look_at_steps(repo, &mut self.specs, &self.records, provenance.as_ref());
    }
}

/// Adds components that another file of the same spec names more certainly, or alone.
fn add_mentions(own: &mut Vec<Mention>, others: Vec<Mention>) {
    for other in others
        .into_iter()
        .filter(|other| other.by < MentionedBy::Title)
    {
        match own
            .iter_mut()
            .find(|known| known.component == other.component)
        {
            Some(known) => known.by = known.by.min(other.by),
            None => own.push(other),
        }
    }
    own.sort_by_key(|mention| mention.component);
}

/// Which list of two a reference belongs in.
enum ReferenceSide {
    By,
    To,
}

/// Decisions, found by file or by number.
struct DecisionLookup<'d> {
    repo: &'d Repo,
    decisions: &'d [Decision],
}

impl<'d> DecisionLookup<'d> {
    fn index(repo: &'d Repo, decisions: &'d [Decision]) -> DecisionLookup<'d> {
        DecisionLookup { repo, decisions }
    }

    fn find(&self, from: FileId, reference: &ReferenceKind) -> Option<usize> {
        let directory = self.repo.path(from).parent()?;
        match reference {
            ReferenceKind::Link(target) => {
                let target = target.split(['#', '?']).next()?;
                let path = match target.strip_prefix('/') {
                    Some(rest) => RepoPath::new(rest)?,
                    None => directory.join(target)?,
                };
                let with_ending = || self.repo.file(&RepoPath::new(&format!("{path}.md"))?);
                // Some write paths from the root of the repo.
                let from_root = || self.repo.file(&RepoPath::new(target)?);
                let file = self.repo.file(&path).or_else(with_ending);
                let file = file.or_else(from_root)?;
                self.decisions.iter().position(|one| one.file == file)
            }
            ReferenceKind::Number(number) => {
                let all = self.decisions.iter().enumerate();
                let having: Vec<usize> = all
                    .filter(|(_, one)| one.number.as_ref() == Some(number) && one.file != from)
                    .map(|(at, _)| at)
                    .collect();
                let own = having.iter().find(|at| {
                    let path = self.repo.path(self.decisions[**at].file);
                    log(path) == log(self.repo.path(from))
                });
                own.or(having.first()).copied()
            }
        }
    }
}

/// The directory that decisions are kept in together: the highest that is called like one, else their own.
fn log(path: &RepoPath) -> String {
    let mut above = String::new();
    for name in path.as_str().split('/') {
        above.push_str(name);
        if decision::is_log(name) {
            return above;
        }
        above.push('/');
    }
    path.parent()
        .map(|parent| parent.to_string())
        .unwrap_or_default()
}

/// The id that a document asks for, unless another has it: then with what its directory is about, with the rest of its
/// name, or its path without the ending. `taken` holds ids with the directory of each.
fn distinct(taken: &mut BTreeMap<String, String>, wanted: &str, path: &RepoPath) -> String {
    let log = log(path);
    let place = taken.get(wanted).filter(|other| **other != log);
    let place = place.and_then(|_| {
        let mut parts = log.rsplit('/');
        parts.find(|part| !decision::is_log(part) && !COMMON_PARTS.contains(part))
    });
    let by_place = place.map(|place| format!("{place}/{wanted}"));
    let rest = name::in_name_rest(path);
    let candidates = [
        Some(wanted.to_owned()),
        by_place,
        (!rest.is_empty()).then(|| format!("{wanted}-{rest}")),
    ];
    let mut candidates = candidates.into_iter().flatten();
    let id = candidates
        .find(|id| !taken.contains_key(id))
        .unwrap_or_else(|| {
            let path = path.as_str();
            path.rsplit_once('.')
                .map_or(path, |(stem, _)| stem)
                .to_owned()
        });
    taken.insert(id.clone(), log);
    id
}

/// Directories above decisions that say nothing of what these are about.
const COMMON_PARTS: &[&str] = &["", "doc", "docs", "documentation", "architecture", "design"];
