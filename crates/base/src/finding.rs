//! What the program has to say about its input: findings, with the place that each is about.
//! Knows nothing of where they come from.

mod few;

use std::fmt;

use serde::Serialize;

pub use few::{Few, few};

/// A file of the repo being read; [`crate::input::repo::Repo::path`] says which.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FileId(pub u32);

impl FileId {
    /// For what is true of the repo but of none of its files, such as a link that leads nowhere.
    pub const NONE: FileId = FileId(u32::MAX);
}

/// Where something stands in a file: line and column count from 1, `len` is in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Place {
    pub file: FileId,
    pub line: u32,
    pub column: u32,
    pub len: u32,
}

impl Place {
    /// The start of a file, for what is true of the file as a whole.
    pub fn start_of(file: FileId) -> Place {
        Place {
            file,
            line: 1,
            column: 1,
            len: 0,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
    Info,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        })
    }
}

/// One thing worth telling: what is wrong, where, and the next step.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    pub place: Place,
    pub severity: Severity,
    pub rule: &'static str,
    pub message: String,
    pub help: Option<String>,
    /// The id of the component that it concerns, once components are known; none where these are several.
    pub component: Option<String>,
    /// Few findings have more to say.
    more: Option<Box<More>>,
    pub effect: Effect,
}

/// What a finding means for code that works with what was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Effect {
    #[default]
    None,
    /// A document is not valid in its language, and was skipped.
    InvalidSyntax,
    /// A document is a template for its language, and was skipped.
    Template,
    /// A file or document was skipped for another reason.
    Unreadable,
    /// A file was skipped, since it is larger than a limit.
    TooLarge,
    /// Objects are missing, since they are in another repository.
    Remote,
    /// Objects are missing, or not as they will be, since something is not supported.
    Unsupported,
}

impl Effect {
    /// Whether a document could not be parsed in its language.
    pub fn is_unparsed(self) -> bool {
        matches!(self, Effect::InvalidSyntax | Effect::Template)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
struct More {
    subject: Option<String>,
    concerned: Vec<String>,
    notes: Vec<(Place, String)>,
    remedy: Option<Remedy>,
    /// How many others it stands for, where there are too many to tell.
    rest: usize,
}

/// What would fix a finding. Small: the edits are worked out from the files when somebody asks for the [`Fix`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remedy {
    /// What it does, as a command: "add `wait: true`".
    pub title: String,
    pub kind: RemedyKind,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum RemedyKind {
    /// Makes these edits.
    Edits(Vec<Edit>),
    /// Adds a health gate to the units that are declared at these places.
    AddGates(Vec<Place>),
    /// Moves objects into a directory of their own, applied by a new unit.
    MoveObjects(Box<MoveObjects>),
    /// Adds a file with a Namespace, and an entry to the list of files if there is one.
    AddNamespace {
        name: String,
        path: String,
        list: Option<FileId>,
    },
}

/// Objects that get a directory and a unit of their own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MoveObjects {
    /// Where each is declared.
    pub objects: Vec<Place>,
    pub from: String,
    pub to: String,
    /// The unit that applies them, by the place of its declaration.
    pub unit: Place,
    pub unit_name: String,
    /// The name of the new unit, which depends on that one.
    pub new_name: String,
    /// That unit needs a health gate.
    pub needs_gate: bool,
}

/// A change of files that fixes what a finding is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fix {
    /// What it does, as a command: "add `wait: true`".
    pub title: String,
    pub edits: Vec<Edit>,
}

/// A change of one file, by its path in the repo.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edit {
    /// Puts whole lines in the place of others. `first` counts from 1; where `count` is 0, the text goes before it.
    Lines {
        path: String,
        first: u32,
        count: u32,
        text: String,
    },
    Create {
        path: String,
        text: String,
    },
    Remove {
        path: String,
    },
}

/// A kind of finding, and what there is to say about it.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    pub name: &'static str,
    /// Unless configured otherwise, or where a finding is less certain.
    pub severity: Severity,
    /// One sentence.
    pub summary: &'static str,
    /// Markdown: what it does, why that is bad, an example, and how to fix it.
    pub about: &'static str,
    /// Its findings name something that was not read.
    pub skips_input: bool,
}

impl Finding {
    pub fn new(
        rule: &'static str,
        severity: Severity,
        place: Place,
        message: impl Into<String>,
    ) -> Self {
        Finding {
            place,
            severity,
            rule,
            message: message.into(),
            help: None,
            component: None,
            more: None,
            effect: Effect::None,
        }
    }

    pub fn error(rule: &'static str, place: Place, message: impl Into<String>) -> Self {
        Finding::new(rule, Severity::Error, place, message)
    }

    pub fn warning(rule: &'static str, place: Place, message: impl Into<String>) -> Self {
        Finding::new(rule, Severity::Warning, place, message)
    }

    pub fn info(rule: &'static str, place: Place, message: impl Into<String>) -> Self {
        Finding::new(rule, Severity::Info, place, message)
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says what it means for code that works with what was read.
    pub fn effect(mut self, effect: Effect) -> Self {
        self.effect = effect;
        self
    }

    /// Adds another place that it is about, and what that has to do with it.
    pub fn note(mut self, place: Place, note: impl Into<String>) -> Self {
        let more = self.more.get_or_insert_default();
        more.notes.push((place, note.into()));
        self
    }

    /// Says which object its message begins with or names: the same may be true of others that stand in the same place.
    pub fn about(mut self, subject: impl Into<String>) -> Self {
        self.more.get_or_insert_default().subject = Some(subject.into());
        self
    }

    /// Adds what would fix it, if anything certainly does.
    pub fn fix(mut self, remedy: Option<Remedy>) -> Self {
        if remedy.is_some() {
            self.more.get_or_insert_default().remedy = remedy;
        }
        self
    }

    /// Says which components it concerns, where these are several.
    pub fn set_concerned(&mut self, components: Vec<String>) {
        if !components.is_empty() {
            self.more.get_or_insert_default().concerned = components;
        }
    }

    /// The ids of several components that it concerns; empty where it is one or none.
    pub fn several(&self) -> &[String] {
        self.more.as_ref().map_or(&[], |more| &more.concerned)
    }

    /// The ids of all components that it concerns.
    pub fn concerned(&self) -> impl Iterator<Item = &str> {
        let all = self.component.iter().chain(self.several());
        all.map(String::as_str)
    }

    pub fn notes(&self) -> &[(Place, String)] {
        self.more.as_ref().map_or(&[], |more| &more.notes)
    }

    pub fn subject(&self) -> Option<&str> {
        self.more.as_ref()?.subject.as_deref()
    }

    /// How many others it stands for; none unless there were too many to tell.
    pub fn rest(&self) -> usize {
        self.more.as_ref().map_or(0, |more| more.rest)
    }

    pub fn remedy(&self) -> Option<&Remedy> {
        self.more.as_ref()?.remedy.as_ref()
    }
}
