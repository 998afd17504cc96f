//! Validation steps: sentences that define when a spec is done. A step that states a fact about files is checked
//! against them. Only certain statements are decided; all others are left to people, with the reason.

use crate::input::repo::{Repo, RepoPath};
use base::{FileId, Place};
use markdown::Text;

use super::content::AskedFiles;
use super::provenance::Provenance;
use claims::{Containment, FileFact, Sentence, SentenceSubject, Unclear};
use target::{Target, missing_words, target};

mod past;
mod target;
use super::record::Passed;
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
    /// It was true until a later spec changed what it is about.
    Ended(Breach),
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
    /// It is about a commit, which no later one changes.
    Past,
    Other,
}

/// The data that steps are checked against.
pub struct ValidationContext<'a> {
    pub repo: &'a Repo,
    pub contents: &'a AskedFiles<'a>,
    /// The files that the record names and that are there, without documents.
    pub artifacts: Vec<(&'a str, FileId)>,
    /// All paths that the record names.
    pub paths: Vec<&'a str>,
    /// Files that later records name.
    pub later: Vec<(&'a str, FileId)>,
    /// The record's path, and whether it has all its sections.
    pub record: Option<(&'a str, bool)>,
    pub provenance: Option<&'a Provenance>,
    /// The YAML of the spec by section: the beginning of its title, and the code.
    pub planned: &'a [(String, String)],
    /// The file that an earlier step is about.
    pub same: Option<String>,
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

    /// The file that the step names, if a later step can mean it by "the file".
    pub fn file(&self) -> Option<String> {
        match Sentence::parse(&self.words).subject {
            SentenceSubject::Path(path) => Some(path.trim_start_matches("./").to_owned()),
            _ => None,
        }
    }

    pub fn breach(&self) -> Option<&Breach> {
        match &self.state {
            StepState::Broken(breach) | StepState::Ended(breach) => Some(breach),
            StepState::Holds | StepState::Undecided(_) => None,
        }
    }
}

impl StepState {
    pub fn name(&self) -> &'static str {
        match self {
            StepState::Holds => "holds",
            StepState::Broken(_) => "broken",
            StepState::Ended(_) => "ended",
            StepState::Undecided(_) => "undecided",
        }
    }
}

/// The result of checking one fact.
pub(super) enum Verdict {
    Holds,
    Broken(Breach),
    Unsure,
}

fn decide(sentence: &Sentence<'_>, context: &ValidationContext<'_>) -> StepState {
    let unclear = || undecided(sentence.unclear.unwrap_or(Unclear::Person).reason());
    let target = match target(&sentence.subject, context) {
        Ok(Some(target)) => target,
        Ok(None) => return unclear(),
        Err(why) => return undecided(why),
    };
    let mut is_sure = sentence.unclear.is_none();
    let mut there = None;
    for fact in &sentence.facts {
        let is_hard =
            sentence.unclear.is_none() || matches!(fact, FileFact::Exists | FileFact::Absent);
        match target.check(fact, context) {
            Verdict::Holds => {
                if let (FileFact::Exists, Target::Path(path)) = (fact, &target) {
                    there = Some(path);
                }
            }
            Verdict::Broken(breach) if is_hard => return StepState::Broken(breach),
            Verdict::Broken(_) | Verdict::Unsure => is_sure = false,
        }
    }
    match (is_sure, sentence.unclear, there) {
        (true, ..) => StepState::Holds,
        (false, Some(Unclear::Person) | None, Some(path)) => {
            StepState::Undecided(format!("`{path}` exists; the rest needs a person to judge"))
        }
        _ => unclear(),
    }
}

fn undecided(why: &str) -> StepState {
    StepState::Undecided(why.to_owned())
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
            FileFact::Has(wanted) if file.is_none() => self.member(&path, wanted),
            FileFact::Like(other) => self.like(file, other),
            FileFact::Planned(section) => self.planned(file, section),
            FileFact::Links(section) => self.links(file, section),
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
            _ => match file {
                Some(file) => self.verdict(file, fact, self.answer(file, fact)),
                None => Verdict::Unsure,
            },
        }
    }

    fn answer(&self, file: FileId, fact: &FileFact) -> Containment {
        let content = self.context.contents.content(file);
        content.map_or(Containment::Perhaps, |content| content.answer(fact))
    }

    /// What an answer says of a fact.
    fn verdict(&self, file: FileId, fact: &FileFact, answer: Containment) -> Verdict {
        let at = |line| {
            Some(Place {
                line,
                ..Place::start_of(file)
            })
        };
        let Some(wanted) = missing_words(fact) else {
            return Verdict::Unsure;
        };
        let path = self.path;
        match (answer, fact) {
            (Containment::At(_), _) => Verdict::Holds,
            (Containment::Perhaps, _) => Verdict::Unsure,
            // What no file names may be off without being told so.
            (Containment::Nowhere, FileFact::Disabled(_)) => Verdict::Unsure,
            (_, FileFact::Has(text)) if is_pattern(text) => Verdict::Unsure,
            (Containment::Other(line), FileFact::Has(text)) => self.broken(
                format!("`{path}` sets a value other than `{text}`"),
                at(line),
            ),
            (Containment::Comment(line), FileFact::Has(text)) => {
                self.broken(format!("`{path}` has `{text}` in a comment only"), at(line))
            }
            (Containment::Nowhere, FileFact::Has(text)) => {
                self.broken(format!("`{path}` does not contain `{text}`"), at(1))
            }
            (Containment::Other(line) | Containment::Comment(line), _) => {
                self.broken(format!("`{path}` no longer {wanted}"), at(line))
            }
            (Containment::Nowhere, _) => self.broken(format!("`{path}` no longer {wanted}"), at(1)),
        }
    }

    /// The keys of another file, which may be named without its directory.
    fn like(&self, file: Option<FileId>, other: &str) -> Verdict {
        let repo = self.context.repo;
        let beside = RepoPath::new(self.path).and_then(|path| path.parent()?.join(other));
        let at_root = || RepoPath::new(other);
        let other_file = beside
            .filter(|path| repo.file(path).is_some())
            .or_else(at_root)
            .and_then(|path| repo.file(&path));
        let contents = self.context.contents;
        let content = |file: Option<FileId>| contents.content(file?);
        let (Some(own), Some(pattern)) = (content(file), content(other_file)) else {
            return Verdict::Unsure;
        };
        match own.lacks_key_of(&pattern) {
            Some(None) => Verdict::Holds,
            Some(Some(key)) => self.broken(
                format!("`{}` lacks `{key}`, which `{other}` has", self.path),
                file.map(Place::start_of),
            ),
            None => Verdict::Unsure,
        }
    }

    /// The YAML that a section of the spec shows.
    fn planned(&self, file: Option<FileId>, section: &str) -> Verdict {
        let Some((file, content)) =
            file.and_then(|file| Some((file, self.context.contents.content(file)?)))
        else {
            return Verdict::Unsure;
        };
        let is_meant = |title: &str| {
            let number = title.trim_start_matches(|c: char| !c.is_ascii_digit());
            let rest = number.strip_prefix(section);
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        let kind = content.first_kind();
        let blocks = self.context.planned.iter();
        let meant = blocks.filter(|(title, code)| {
            is_meant(title) && kind.is_some_and(|kind| code.contains(&format!("kind: {kind}")))
        });
        let codes: Vec<&str> = meant.map(|(_, code)| code.as_str()).collect();
        let [code] = codes.as_slice() else {
            return Verdict::Unsure;
        };
        match content.covers(code) {
            Some(Ok(())) => Verdict::Holds,
            Some(Err(key)) => self.broken(
                format!("`{}` differs from section {section} in `{key}`", self.path),
                Some(Place::start_of(file)),
            ),
            None => Verdict::Unsure,
        }
    }

    fn links(&self, file: Option<FileId>, section: &str) -> Verdict {
        let repo = self.context.repo;
        let Some(file) = file else {
            return Verdict::Unsure;
        };
        let content = self.context.contents.content(file);
        let links = content.and_then(|content| content.links(section));
        let (Some(links), Some(directory)) = (links, repo.path(file).parent()) else {
            return Verdict::Unsure;
        };
        for (target, line) in links {
            let Some(path) = directory.join(target.trim_start_matches("./")) else {
                return Verdict::Unsure;
            };
            let is_there = |path: &RepoPath| {
                repo.file(path).is_some() || repo.is_dir(path) || repo.has_unread(path)
            };
            let with_ending = RepoPath::new(&format!("{}.md", path.as_str().trim_end_matches('/')));
            if target.starts_with('/') {
                return Verdict::Unsure;
            }
            if !is_there(&path) && !with_ending.is_some_and(|path| is_there(&path)) {
                let place = Place {
                    line,
                    ..Place::start_of(file)
                };
                return self.broken(
                    format!("`{}` links to `{target}`, which does not exist", self.path),
                    Some(place),
                );
            }
        }
        Verdict::Holds
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
            Some(Containment::Nowhere | Containment::Other(_) | Containment::Comment(_)) => {
                Verdict::Holds
            }
            Some(Containment::Perhaps) | None => Verdict::Unsure,
        }
    }

    /// Whether a directory has a file of this name.
    fn member(&self, path: &RepoPath, name: &str) -> Verdict {
        let inside = path.join(name).filter(|_| claims::looks_like_path(name));
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

/// Whether a text stands for several.
fn is_pattern(wanted: &str) -> bool {
    let is_open = wanted.contains(['<', '>', '\u{2026}']) || wanted.contains("...");
    is_open && !wanted.contains("://") || wanted.len() < 2
}
