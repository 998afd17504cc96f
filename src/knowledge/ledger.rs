//! The ledger: which decisions and specs concern a component, what later specs did to the artifacts of earlier ones,
//! and which validation steps still hold.

use std::collections::BTreeMap;

use crate::catalog::{Catalog, ComponentIx};
use crate::input::repo::Repo;
use base::FileId;
use base::hash::HashMap;
use base::index::IndexVec;

use super::artifact::{Artifact, ArtifactClaim, ArtifactState};
use super::content::AskedFiles;
use super::decision::Decision;
use super::mention::{Mention, MentionedBy};
use super::provenance::Provenance;
use super::record::Record;
use super::spec::Spec;
use super::validation::{Breach, BreachKind, StepState, ValidationContext};

/// Index from components and decisions to the documents about them.
#[derive(Debug, Default)]
pub struct Ledger {
    /// By component.
    pub concerns: IndexVec<ComponentIx, Concern>,
    /// By decision, the specs that name it.
    pub specs_of: Vec<Vec<usize>>,
}

/// Decisions and specs about one component, each list in document order.
#[derive(Debug, Default, Clone)]
pub struct Concern {
    pub decisions: Vec<(usize, Mention)>,
    /// With where it is named: in the spec, or else in its record.
    pub specs: Vec<(usize, Mention, LedgerSource)>,
}

/// Which document of a spec names a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LedgerSource {
    Spec,
    Record,
}

impl Ledger {
    /// The specs that name a decision.
    pub fn specs_of(&self, decision: usize) -> &[usize] {
        self.specs_of.get(decision).map_or(&[], Vec::as_slice)
    }

    pub fn build(
        catalog: &Catalog,
        decisions: &[Decision],
        specs: &[Spec],
        records: &[Record],
    ) -> Ledger {
        let mut ledger = Ledger {
            concerns: IndexVec::from_elem(Concern::default(), catalog.components.len()),
            specs_of: vec![Vec::new(); decisions.len()],
        };
        for (at, decision) in decisions.iter().enumerate() {
            for mention in &decision.mentions {
                ledger.concerns[mention.component]
                    .decisions
                    .push((at, *mention));
            }
        }
        for (at, spec) in specs.iter().enumerate() {
            for (decision, _) in &spec.decisions {
                ledger.specs_of[*decision].push(at);
            }
            for (component, (mention, source)) in concerned(spec, records) {
                ledger.concerns[component].specs.push((at, mention, source));
            }
        }
        ledger
    }
}

/// The components that a spec is about: those whose files its record names, otherwise those that the spec names itself.
/// If the spec names files or objects, a component mentioned only by title does not count.
pub fn concerned(
    spec: &Spec,
    records: &[Record],
) -> BTreeMap<ComponentIx, (Mention, LedgerSource)> {
    let record = spec.record.map(|at| records[at].mentions.as_slice());
    let mut concerned = BTreeMap::new();
    for mention in record.unwrap_or_default() {
        concerned.insert(mention.component, (*mention, LedgerSource::Record));
    }
    let is_done = !concerned.is_empty();
    let is_certain = spec
        .mentions
        .iter()
        .any(|mention| mention.by != MentionedBy::Title);
    for mention in &spec.mentions {
        let counts = match mention.by {
            MentionedBy::FrontMatter => true,
            MentionedBy::Path | MentionedBy::Resource => !is_done,
            MentionedBy::Title => !is_done && !is_certain,
        };
        if counts {
            concerned.insert(mention.component, (*mention, LedgerSource::Spec));
        }
    }
    concerned
}

/// An artifact that a later record names again is that record's now: it was changed, or is gone as was meant.
pub fn follow_changes(specs: &[Spec], records: &mut [Record]) {
    let order = order(specs, records);
    let mut last: HashMap<String, (usize, ArtifactClaim)> = HashMap::default();
    for record in order.iter().rev() {
        let Some(spec) = records[*record].spec else {
            continue;
        };
        let mut own = Vec::new();
        for artifact in &mut records[*record].artifacts {
            let key = artifact.path.trim_end_matches('/').to_owned();
            if let Some((later, claim)) = last.get(&key) {
                artifact.since = Some(*later);
                // Gone, though the later record has it as well, is gone.
                if artifact.state != ArtifactState::Gone || *claim == ArtifactClaim::Deleted {
                    artifact.state = ArtifactState::Changed;
                }
            }
            // To keep a file is not to change it.
            if artifact.claim != ArtifactClaim::Kept {
                own.push((key, artifact.claim.clone()));
            }
        }
        for (key, claim) in own {
            last.entry(key).or_insert((spec, claim));
        }
    }
}

/// Records in the order in which they were carried out: by day where all say it, else by spec.
fn order(specs: &[Spec], records: &[Record]) -> Vec<usize> {
    let all_dated = records.iter().all(|record| record.executed.is_some());
    let mut order: Vec<usize> = (0..records.len())
        .filter(|at| records[*at].spec.is_some())
        .collect();
    order.sort_by_key(|at| {
        let record = &records[*at];
        let day = record.executed.as_deref().filter(|_| all_dated);
        let spec = record.spec.map(|spec| (specs[spec].number.clone(), spec));
        (day, spec)
    });
    order
}

pub fn look_at_steps(
    repo: &Repo,
    specs: &mut [Spec],
    records: &[Record],
    provenance: Option<&Provenance>,
) {
    let order = order(specs, records);
    let spec_of = |record: &usize| records[*record].spec;
    let contents = AskedFiles::new(repo);
    for spec in specs {
        let record = spec.record;
        let path = record.map(|record| repo.path(records[record].file).as_str());
        let artifacts = record.map(|record| records[record].artifacts.as_slice());
        let artifacts: &[Artifact] = artifacts.unwrap_or_default();
        let planned = std::mem::take(&mut spec.yaml);
        let mut context = ValidationContext {
            repo,
            contents: &contents,
            artifacts: present(artifacts),
            paths: artifacts.iter().map(|one| one.path.as_str()).collect(),
            later: Vec::new(),
            provenance,
            planned: &planned,
            same: None,
            record: path.zip(record.map(|record| records[record].lacks.is_empty())),
        };
        let later: Vec<usize> =
            match record.and_then(|own| order.iter().position(|one| *one == own)) {
                Some(position) => order[position + 1..].to_vec(),
                None => Vec::new(),
            };
        let all_later = later.iter().flat_map(|record| &records[*record].artifacts);
        context.later = present(all_later);
        let own_record = record.map(|record| &records[record]);
        for step in &mut spec.steps {
            step.look(&context);
            if let Some(file) = step.file().filter(|file| !is_paperwork(file)) {
                context.same = Some(file);
            }
        }
        let steps = spec.steps.len();
        for step in &mut spec.steps {
            let Some(record) = own_record else {
                // Without a record, the spec may not have been carried out yet.
                if step.breach().is_some() {
                    step.state = StepState::Undecided(
                        "no record says that this spec was carried out".to_owned(),
                    );
                }
                continue;
            };
            let results = &record.results;
            let by_number = results
                .iter()
                .find(|result| result.number == Some(step.number));
            let by_position = || {
                results
                    .get(step.number - 1)
                    .filter(|_| results.len() == steps)
            };
            step.recorded = by_number.or_else(by_position).map(|result| result.passed);
            step.since = step.breach().and_then(|breach| {
                let touches = |record: &&usize| {
                    let mut artifacts = records[**record].artifacts.iter();
                    artifacts.any(|artifact| explains(artifact, breach))
                };
                later.iter().find(touches).and_then(spec_of)
            });
            if let (Some(breach), true) = (step.breach().cloned(), step.since.is_some()) {
                step.state = StepState::Ended(breach);
            }
        }
        spec.yaml = planned;
    }
}

/// The files among artifacts that are there, without documents.
fn present<'a>(artifacts: impl IntoIterator<Item = &'a Artifact>) -> Vec<(&'a str, FileId)> {
    let artifacts = artifacts.into_iter();
    artifacts
        .filter(|artifact| !artifact.path.ends_with(".md"))
        .filter_map(|artifact| Some((artifact.path.as_str(), artifact.file?)))
        .collect()
}

/// Whether a path is that of a spec or a record.
fn is_paperwork(path: &str) -> bool {
    let mut names = path.split('/');
    names.any(|name| matches!(name, ".sdd" | ".spec" | ".provenance"))
}

/// Whether the change to `artifact` explains why a step no longer holds.
fn explains(artifact: &Artifact, breach: &Breach) -> bool {
    match &breach.kind {
        BreachKind::Past => false,
        BreachKind::Missing(path) => {
            artifact.claim == ArtifactClaim::Deleted && is_about(path, &artifact.path)
        }
        _ => is_about(&breach.path, &artifact.path),
    }
}

/// Whether a change to `path` can affect a statement about `subject`: the file itself, or a directory that contains it.
pub fn is_about(subject: &str, path: &str) -> bool {
    let (subject, path) = (subject.trim_end_matches('/'), path.trim_end_matches('/'));
    subject == path
        || path
            .strip_prefix(subject)
            .is_some_and(|rest| rest.starts_with('/'))
}
