//! Validation steps: sentences that define when a spec is done. A step that states a fact about files is checked
//! against them. Only certain statements are decided; all others are left to people, with the reason.

use crate::input::repo::{Repo, RepoPath};
use base::{FileId, Place};
use markdown::Text;

use super::content::{AskedFiles, Containment};
use super::record::Passed;
use super::sentence::{FileFact, Sentence, SentenceSubject, Unclear};
use super::spec::ticked;

/// One step of a spec.
#[derive(Debug, Clone)]
pub struct ValidationStep {
    /// In the list of steps, counted from 1.
    pub number: usize,
    /// With code between backticks.
    pub text: String,
    pub line: u32,
    pub state: StepState,
    /// The result that the record states.
    pub recorded: Option<Passed>,
    /// A later spec, by position, that changed the subject of the step.
    pub since: Option<usize>,
    /// Why its state is accepted, from the configuration.
    pub accepted: Option<String>,
    words: Text,
}

/// The current state of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepState {
    Holds,
    Broken(Breach),
    /// Why a machine cannot tell.
    Undecided(String),
}

/// How reality differs from a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breach {
    /// The actual state, as a sentence without its full stop.
    pub why: String,
    /// The place that shows it.
    pub place: Option<Place>,
    /// The file or directory that it is about.
    pub path: String,
    pub kind: BreachKind,
}

/// The kind of breach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BreachKind {
    /// This file or directory is not there.
    Missing(String),
    /// A record lacks sections.
    Incomplete,
    Other,
}

/// The data that steps are checked against.
pub struct ValidationContext<'a> {
    pub repo: &'a Repo,
    pub contents: &'a AskedFiles<'a>,
    /// The files that the record names and that are there.
    pub artifacts: Vec<(&'a str, FileId)>,
    /// The record's path, and whether it has all its sections.
    pub record: Option<(&'a str, bool)>,
}

impl ValidationStep {
    pub fn new(number: usize, words: Text, line: u32) -> ValidationStep {
        ValidationStep {
            number,
            text: ticked(&words),
            line,
            state: StepState::Undecided("not checked yet".to_owned()),
            recorded: None,
            since: None,
            accepted: None,
            words,
        }
    }

    pub fn look(&mut self, context: &ValidationContext<'_>) {
        self.state = decide(&Sentence::parse(&self.words), context);
    }

    pub fn breach(&self) -> Option<&Breach> {
        match &self.state {
            StepState::Broken(breach) => Some(breach),
            _ => None,
        }
    }
}

impl StepState {
    pub fn name(&self) -> &'static str {
        match self {
            StepState::Holds => "holds",
            StepState::Broken(_) => "broken",
            StepState::Undecided(_) => "undecided",
        }
    }
}

/// The result of checking one fact.
enum Verdict {
    Holds,
    Broken(Breach),
    Unsure,
}

fn decide(sentence: &Sentence<'_>, context: &ValidationContext<'_>) -> StepState {
    let (path, is_certain) = match &sentence.subject {
        SentenceSubject::Path(path) => match resolve(path, context) {
            Some(path) => (path, true),
            None => return undecided("unclear which file is meant"),
        },
        SentenceSubject::Kind(kind) => match of_kind(kind, context) {
            Some(path) => (path, false),
            None => return undecided(sentence.unclear.unwrap_or(Unclear::Person).reason()),
        },
        SentenceSubject::None => {
            return undecided(sentence.unclear.unwrap_or(Unclear::Person).reason());
        }
    };
    let look = Look {
        context,
        path: &path,
    };
    let mut is_sure = sentence.unclear.is_none();
    let mut is_there = false;
    for fact in &sentence.facts {
        // Words that are not understood may negate the statement in code.
        let is_hard = is_certain
            && (sentence.unclear.is_none() || matches!(fact, FileFact::Exists | FileFact::Absent));
        match look.at(fact) {
            Verdict::Holds => is_there |= matches!(fact, FileFact::Exists),
            Verdict::Broken(breach) if is_hard => return StepState::Broken(breach),
            Verdict::Broken(_) | Verdict::Unsure => is_sure = false,
        }
    }
    match (is_sure, sentence.unclear) {
        (true, _) => StepState::Holds,
        (false, Some(Unclear::Person) | None) if is_there => {
            StepState::Undecided(format!("`{path}` exists; the rest needs a person to judge"))
        }
        (false, unclear) => undecided(unclear.unwrap_or(Unclear::Person).reason()),
    }
}

fn undecided(why: &str) -> StepState {
    StepState::Undecided(why.to_owned())
}

/// The path in the repo that is meant. A bare name is that of an artifact, where one has it.
fn resolve(written: &str, context: &ValidationContext<'_>) -> Option<String> {
    let bare = written.trim_start_matches("./");
    if bare.trim_end_matches('/').contains('/') {
        return Some(bare.to_owned());
    }
    let is_name = |path: &str| path.rsplit('/').next() == Some(bare);
    let mut named = context.artifacts.iter().filter(|(path, _)| is_name(path));
    match (named.next(), named.next()) {
        (Some((path, _)), None) => Some((*path).to_owned()),
        (Some(_), Some(_)) => None,
        (None, _) => {
            // At the root of the repo, or anywhere.
            let path = RepoPath::new(bare)?;
            let is_there = context.repo.file(&path).is_some() || context.repo.is_dir(&path);
            is_there.then(|| bare.to_owned())
        }
    }
}

/// The one artifact that has an object of this kind.
fn of_kind(kind: &str, context: &ValidationContext<'_>) -> Option<String> {
    let files = context.artifacts.iter();
    let mut having = files.filter(|(_, file)| {
        context
            .contents
            .content(*file)
            .is_some_and(|content| content.has_kind(kind))
    });
    match (having.next(), having.next()) {
        (Some((path, _)), None) => Some((*path).to_owned()),
        _ => None,
    }
}

struct Look<'a> {
    context: &'a ValidationContext<'a>,
    path: &'a str,
}

impl Look<'_> {
    fn at(&self, fact: &FileFact) -> Verdict {
        let Some(path) = RepoPath::new(self.path.trim_end_matches('/')) else {
            return Verdict::Unsure;
        };
        let repo = self.context.repo;
        let file = repo.file(&path);
        let is_there = file.is_some() || repo.is_dir(&path);
        if !is_there && repo.has_unread(&path) {
            return Verdict::Unsure;
        }
        match fact {
            FileFact::Absent => {
                if is_there {
                    self.broken(format!("`{}` exists", self.path), file.map(Place::start_of))
                } else {
                    Verdict::Holds
                }
            }
            FileFact::Lacks(_) if !is_there => Verdict::Unsure,
            _ if !is_there => self.missing(self.path),
            FileFact::Exists => Verdict::Holds,
            FileFact::Complete => match self.context.record {
                Some((record, true)) if record == path.as_str() => Verdict::Holds,
                Some((record, false)) if record == path.as_str() => Verdict::Broken(Breach {
                    why: format!("`{}` lacks a section", self.path),
                    place: file.map(Place::start_of),
                    path: self.path.to_owned(),
                    kind: BreachKind::Incomplete,
                }),
                _ => Verdict::Unsure,
            },
            FileFact::Count { files, names } => self.count(&path, *files, names),
            FileFact::Has(wanted) => match file {
                Some(file) => self.has(file, wanted),
                None => self.member(&path, wanted),
            },
            FileFact::Lacks(unwanted) => match file {
                Some(file) => self.lacks(file, unwanted),
                None => match self.member(&path, unwanted) {
                    Verdict::Holds => {
                        self.broken(format!("`{}{unwanted}` exists", self.directory()), None)
                    }
                    Verdict::Broken(_) => Verdict::Holds,
                    Verdict::Unsure => Verdict::Unsure,
                },
            },
        }
    }

    fn has(&self, file: FileId, wanted: &str) -> Verdict {
        let Some(content) = self.context.contents.content(file) else {
            return Verdict::Unsure;
        };
        let at = |line| Place {
            line,
            ..Place::start_of(file)
        };
        match content.find(wanted) {
            Containment::At(_) => Verdict::Holds,
            Containment::Perhaps => Verdict::Unsure,
            Containment::Other(line) => {
                let why = format!("`{}` sets a value other than `{wanted}`", self.path);
                self.broken(why, Some(at(line)))
            }
            // Terraform writes `a.b` as two words, and so do others.
            Containment::Nowhere if !is_literal(wanted) => Verdict::Unsure,
            Containment::Nowhere => {
                let why = format!("`{}` does not contain `{wanted}`", self.path);
                self.broken(why, Some(at(1)))
            }
        }
    }

    fn lacks(&self, file: FileId, unwanted: &str) -> Verdict {
        match self
            .context
            .contents
            .content(file)
            .map(|content| content.find(unwanted))
        {
            Some(Containment::At(line)) => {
                let place = Place {
                    line,
                    ..Place::start_of(file)
                };
                self.broken(
                    format!("`{}` contains `{unwanted}`", self.path),
                    Some(place),
                )
            }
            Some(Containment::Nowhere | Containment::Other(_)) => Verdict::Holds,
            Some(Containment::Perhaps) | None => Verdict::Unsure,
        }
    }

    /// Whether a directory has a file of this name.
    fn member(&self, path: &RepoPath, name: &str) -> Verdict {
        let inside = path
            .join(name)
            .filter(|_| super::plan::looks_like_path(name));
        let Some(inside) = inside else {
            return Verdict::Unsure;
        };
        let repo = self.context.repo;
        if repo.file(&inside).is_some() || repo.is_dir(&inside) {
            Verdict::Holds
        } else {
            self.missing(inside.as_str())
        }
    }

    /// Files in a directory itself, or with all that is below it: a sentence may mean either.
    fn count(&self, path: &RepoPath, wanted: usize, names: &[String]) -> Verdict {
        let repo = self.context.repo;
        let Some(directory) = repo.resolve_dir(path) else {
            return self.broken(format!("`{}` is not a directory", self.path), None);
        };
        let all: Vec<&RepoPath> = repo.below(&directory).map(|file| repo.path(file)).collect();
        let own: Vec<&&RepoPath> = all
            .iter()
            .filter(|file| file.parent().as_ref() == Some(&directory))
            .collect();
        for name in names {
            if let broken @ Verdict::Broken(_) = self.member(path, name) {
                return broken;
            }
        }
        if own.len() == wanted || all.len() == wanted {
            return Verdict::Holds;
        }
        let more: Vec<String> = own
            .iter()
            .map(|file| file.file_name())
            .filter(|name| !names.is_empty() && !names.iter().any(|known| known == name))
            .map(|name| format!("`{name}`"))
            .collect();
        let which = match more.len() {
            0 => String::new(),
            1..=4 => format!("; extra: {}", more.join(", ")),
            _ => format!(
                "; extra: {} and {} more",
                more[..3].join(", "),
                more.len() - 3
            ),
        };
        self.broken(
            format!(
                "`{}` has {}, not {wanted}{which}",
                self.path,
                base::text::counted(own.len(), "file")
            ),
            None,
        )
    }

    fn directory(&self) -> String {
        format!("{}/", self.path.trim_end_matches('/'))
    }

    fn missing(&self, path: &str) -> Verdict {
        Verdict::Broken(Breach {
            why: format!("`{path}` does not exist"),
            place: None,
            path: self.path.to_owned(),
            kind: BreachKind::Missing(path.to_owned()),
        })
    }

    fn broken(&self, why: String, place: Option<Place>) -> Verdict {
        Verdict::Broken(Breach {
            why,
            place,
            path: self.path.to_owned(),
            kind: BreachKind::Other,
        })
    }
}

/// Whether a text can only be written in one way.
fn is_literal(wanted: &str) -> bool {
    let is_dotted = wanted.contains('.')
        && !wanted.contains(['/', ' ', '='])
        && !super::plan::looks_like_path(wanted);
    let is_pattern = wanted.contains(['*', '<', '>', '\u{2026}']) || wanted.contains("...");
    !is_dotted && !is_pattern && wanted.len() > 1
}
