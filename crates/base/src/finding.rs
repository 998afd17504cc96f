//! Findings: what is wrong, where it is, and how to fix it. Plain data that knows nothing about the stages that report
//! it.

mod few;

use std::fmt;

use serde::Serialize;

pub use few::{Few, few};

/// A file of the repo that is being read; [`crate::Files::path`] returns its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FileId(pub u32);

impl FileId {
    /// No file: for findings about the repo as a whole, such as a link that leads nowhere.
    pub const NONE: FileId = FileId(u32::MAX);
}

/// A position in a file. Line and column count from 1; `len` is in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Place {
    pub file: FileId,
    pub line: u32,
    pub column: u32,
    pub len: u32,
}

impl Place {
    /// The start of a file, for findings about the file as a whole.
    pub fn start_of(file: FileId) -> Place {
        Place {
            file,
            line: 1,
            column: 1,
            len: 0,
        }
    }

    /// The start of a line of a file; lines count from one.
    pub fn start_of_line(file: FileId, line: u32) -> Place {
        Place {
            line: line.max(1),
            ..Place::start_of(file)
        }
    }
}

/// How bad a finding is.
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

/// A problem: what is wrong, where, and the next step.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    pub place: Place,
    pub severity: Severity,
    pub rule: &'static str,
    pub message: String,
    pub help: Option<String>,
    /// The id of the component it concerns, once components are known; `None` if there are several.
    pub component: Option<String>,
    /// Boxed because few findings have any of it.
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
    /// A document was skipped for another reason.
    Unreadable,
    /// A file was skipped, since it cannot be opened or is not text.
    UnreadableFile,
    /// A document was read, but kustomize rejects it.
    Rejected,
    /// A document was read, although it sets a key twice: kustomize rejects it, other tools keep one value.
    DuplicateKey,
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

    /// Whether the fault is in the language of a document, not in what the document declares.
    pub fn is_of_language(self) -> bool {
        matches!(
            self,
            Effect::InvalidSyntax
                | Effect::Template
                | Effect::Unreadable
                | Effect::Rejected
                | Effect::DuplicateKey
        )
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
struct More {
    subject: Option<String>,
    concerned: Vec<String>,
    notes: Vec<(Place, String)>,
    remedy: Option<Remedy>,
    cause: Option<String>,
    covers: Vec<(Place, String)>,
    /// Number of findings that were left out in favour of this one.
    rest: usize,
}

/// A fix in short form. The edits are worked out from the files when somebody asks for the [`Fix`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remedy {
    /// The action in a few words: "add `wait: true`".
    pub title: String,
    pub kind: RemedyKind,
}

/// The kind of a fix, with what is needed to work out its edits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum RemedyKind {
    /// Applies these edits.
    Edits(Vec<Edit>),
    /// Adds a health gate to the units declared at these places.
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

impl RemedyKind {
    /// Whether it changes the order in which a cluster starts.
    pub fn is_of_order(&self) -> bool {
        !matches!(self, RemedyKind::Edits(_))
    }
}

/// Objects that get a directory and a unit (such as a Kustomization) of their own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MoveObjects {
    /// Where each object is declared.
    pub objects: Vec<Place>,
    pub from: String,
    pub to: String,
    /// Where the unit that applies them is declared.
    pub unit: Place,
    pub unit_name: String,
    /// The name of the new unit, which depends on `unit`.
    pub new_name: String,
    /// Whether `unit` needs a health gate.
    pub needs_gate: bool,
}

/// Changes to files that fix a finding.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fix {
    /// The action in a few words: "add `wait: true`".
    pub title: String,
    pub edits: Vec<Edit>,
}

/// A change to one file, by its path in the repo.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edit {
    /// Replaces whole lines. `first` counts from 1; if `count` is 0, the text is inserted before it.
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

/// A kind of finding, with its documentation.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    pub name: &'static str,
    /// The default; configuration may change it, and uncertain findings may be less severe.
    pub severity: Severity,
    /// One sentence.
    pub summary: &'static str,
    /// Markdown: what it checks, why that is bad, an example, and how to fix it.
    pub about: &'static str,
    /// Its findings name something that was not read.
    pub skips_input: bool,
    /// If it is about security: how grave that is.
    pub security: Option<Security>,
}

/// What code scanning sorts findings about security by.
#[derive(Debug, Clone, Copy)]
pub struct Security {
    /// From 0.1 to 10.0, as CVSS scores are. GitHub calls 7.0 and above high.
    pub score: f32,
    /// The number of the weakness in the Common Weakness Enumeration.
    pub cwe: u32,
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

    /// Adds another place, and how it relates to the finding.
    pub fn note(mut self, place: Place, note: impl Into<String>) -> Self {
        let more = self.more.get_or_insert_default();
        more.notes.push((place, note.into()));
        self
    }

    /// Sets the object that the message names: the same may be true of others at the same place.
    pub fn about(mut self, subject: impl Into<String>) -> Self {
        self.more.get_or_insert_default().subject = Some(subject.into());
        self
    }

    /// Sets what causes it. Findings of one rule with the same cause are reported as one.
    pub fn cause(mut self, cause: impl fmt::Display) -> Self {
        self.more.get_or_insert_default().cause = Some(cause.to_string());
        self
    }

    /// Adds one of the things that it is about, by its place and name. If there are several, a finding is known again by
    /// these, however many of them the message names.
    pub fn covers(mut self, place: Place, name: impl fmt::Display) -> Self {
        let more = self.more.get_or_insert_default();
        more.covers.push((place, name.to_string()));
        self
    }

    /// Adds a fix, if one is certain.
    pub fn fix(mut self, remedy: Option<Remedy>) -> Self {
        if remedy.is_some() {
            self.more.get_or_insert_default().remedy = remedy;
        }
        self
    }

    pub fn drop_fix(&mut self) {
        if let Some(more) = &mut self.more {
            more.remedy = None;
        }
    }

    /// Sets the components it concerns, if there are several.
    pub fn set_concerned(&mut self, components: Vec<String>) {
        if !components.is_empty() {
            self.more.get_or_insert_default().concerned = components;
        }
    }

    /// The ids of the components it concerns if there are several; empty if there is one or none.
    pub fn several(&self) -> &[String] {
        self.more.as_ref().map_or(&[], |more| &more.concerned)
    }

    /// The ids of all components it concerns.
    pub fn concerned(&self) -> impl Iterator<Item = &str> {
        let all = self.component.iter().chain(self.several());
        all.map(String::as_str)
    }

    pub fn notes(&self) -> &[(Place, String)] {
        self.more.as_ref().map_or(&[], |more| &more.notes)
    }

    pub fn get_cause(&self) -> Option<&str> {
        self.more.as_ref()?.cause.as_deref()
    }

    /// The things that it is about, if it names them one by one.
    pub fn covered(&self) -> &[(Place, String)] {
        self.more.as_ref().map_or(&[], |more| &more.covers)
    }

    pub fn subject(&self) -> Option<&str> {
        self.more.as_ref()?.subject.as_deref()
    }

    /// Number of findings that were left out in favour of this one; zero for most.
    pub fn rest(&self) -> usize {
        self.more.as_ref().map_or(0, |more| more.rest)
    }

    pub fn remedy(&self) -> Option<&Remedy> {
        self.more.as_ref()?.remedy.as_ref()
    }
}
