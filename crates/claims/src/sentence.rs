//! Facts about files in a sentence: "`dir/` contains exactly 3 files", "`a.yaml` does NOT exist". Understands a small
//! part of English, and reports when it does not understand. Text in, facts out.

use markdown::Text;

use crate::looks_like_path;
use form::{CONDITIONS, EVIDENCE, LEAD, Meaning, PROGRAMS, SAVED, TURNS};

mod form;
mod phrase;
mod token;
mod whole;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence<'t> {
    pub subject: SentenceSubject<'t>,
    pub facts: Vec<FileFact>,
    /// Why it says more than the facts do; none where the facts are all that it says.
    pub unclear: Option<Unclear>,
}

/// The subject of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SentenceSubject<'t> {
    Path(&'t str),
    /// An object of a kind, such as "The HelmRelease".
    Kind(&'t str),
    /// An object of a kind with a name, such as "Loki HelmRelease".
    Named {
        name: String,
        kind: &'t str,
    },
    /// "The network module".
    Module(String),
    /// A part of the values of a chart, such as "VMAgent".
    Section(String),
    /// The file that the sentence before is about.
    Same,
    /// Every file whose name contains this.
    Every(String),
    /// Any of the files that were changed.
    Artifacts,
    None,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileFact {
    Exists,
    Absent,
    /// A text in a file, or a file in a directory.
    Has(String),
    Lacks(String),
    Count {
        files: usize,
        names: Vec<String>,
    },
    /// It has all the sections that a record must have.
    Complete,
    /// A Terraform output of this name.
    Output(String),
    /// It has headings with these words.
    Sections(Vec<String>),
    /// Its title begins like this.
    Title(String),
    /// Relative links in this section, or in all of it, lead to files.
    Links(String),
    /// The work did not change it.
    Unchanged,
    /// An object of this kind.
    OfKind(String),
    /// It holds JSON without mistakes.
    Json,
    /// A Service has this port and this target.
    Ports(String, String),
    /// A toleration names this taint.
    Tolerates(String),
    /// No node selector, affinity or toleration.
    Unscheduled,
    /// Something of this name is not enabled.
    Disabled(String),
    /// Something of this name has an entry.
    Entry {
        name: String,
        entry: String,
    },
    /// So many modules with this source.
    Instances {
        module: String,
        count: usize,
    },
    /// The version of a chart is a range.
    VersionRange,
    /// It has the keys that another file has.
    Like(String),
    /// Liveness and readiness probes ask this path on this port.
    Probes {
        path: String,
        port: String,
    },
    /// Limits for resources.
    Limits,
    /// The YAML of this section of the spec.
    Planned(String),
    /// One commit changed all files.
    Together,
    /// The work changed no file with one of these endings, or none but its own.
    NoneModified {
        endings: &'static [&'static str],
        others: bool,
    },
    /// The work added no object of this kind.
    NoneAdded(String),
}

/// Source of evidence for a sentence that this module cannot decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unclear {
    Command,
    History,
    Cluster,
    Person,
}

impl Unclear {
    pub fn reason(self) -> &'static str {
        match self {
            Unclear::Command => "needs a command to be run",
            Unclear::History => "describes a change, not the current state",
            Unclear::Cluster => "needs access to a cluster",
            Unclear::Person => "needs a person to judge",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum SentenceToken<'t> {
    /// In lower case.
    Word(String),
    /// As written, for kinds.
    Name(&'t str),
    Code(&'t str),
    Open,
    Close,
    Comma,
    Dash,
}

impl<'t> Sentence<'t> {
    pub fn parse(text: &'t Text) -> Sentence<'t> {
        let tokens = token::tokens(text);
        let unclear = unclear(&tokens);
        if let Some(sentence) = whole::read(&tokens) {
            return sentence;
        }
        about_path(&tokens, unclear)
            .or_else(|| about_kind(&tokens))
            .unwrap_or(Sentence {
                subject: SentenceSubject::None,
                facts: Vec::new(),
                unclear: Some(unclear),
            })
    }
}

/// "The file `a.yaml` contains `b`".
fn about_path<'t>(tokens: &[SentenceToken<'t>], unclear: Unclear) -> Option<Sentence<'t>> {
    let at = first_code(tokens)?;
    let SentenceToken::Code(path) = tokens[at] else {
        return None;
    };
    let lead = words(&tokens[..at]);
    let is_saved = lead.iter().any(|word| SAVED.contains(word));
    let is_lead = |word: &&str| LEAD.contains(word) || SAVED.contains(word);
    if !looks_like_path(path) || lead.len() < at || !lead.iter().all(is_lead) {
        return None;
    }
    let known = is_saved.then_some(FileFact::Exists).into_iter().collect();
    let (mut facts, is_clear) = SentenceParser::read(&tokens[at + 1..], known);
    let needs_it = |fact: &FileFact| {
        matches!(
            fact,
            FileFact::Has(_) | FileFact::Count { .. } | FileFact::Complete | FileFact::Output(_)
        )
    };
    if is_clear && facts.iter().any(needs_it) && !facts.contains(&FileFact::Exists) {
        facts.insert(0, FileFact::Exists);
    }
    if !is_clear && words(tokens).iter().any(|word| TURNS.contains(word)) {
        facts.clear();
    }
    Some(Sentence {
        subject: SentenceSubject::Path(path),
        facts,
        unclear: (!is_clear).then_some(unclear),
    })
}

/// "The HelmRepository points to `https://…`"; "Loki HelmRelease uses `a: b`"; "The network module creates `x`".
fn about_kind<'t>(tokens: &[SentenceToken<'t>]) -> Option<Sentence<'t>> {
    let (subject, rest) = match tokens {
        [
            SentenceToken::Word(the),
            SentenceToken::Name(kind),
            rest @ ..,
        ] if the == "the" && words(rest).first() != Some(&"module") => {
            (SentenceSubject::Kind(kind), rest)
        }
        [
            SentenceToken::Word(the),
            SentenceToken::Word(name),
            SentenceToken::Word(module),
            rest @ ..,
        ] if the == "the" && module == "module" => (SentenceSubject::Module(name.clone()), rest),
        [
            SentenceToken::Word(the),
            SentenceToken::Name(name),
            SentenceToken::Word(module),
            rest @ ..,
        ] if the == "the" && module == "module" => {
            (SentenceSubject::Module(name.to_lowercase()), rest)
        }
        [
            SentenceToken::Word(name),
            SentenceToken::Name(kind),
            rest @ ..,
        ] => (
            SentenceSubject::Named {
                name: name.clone(),
                kind,
            },
            rest,
        ),
        _ => return None,
    };
    let has_ports = || words(rest).first() == Some(&"maps");
    if first_code(rest).map_or(!has_ports(), |at| at == 0) {
        return None;
    }
    let (mut facts, is_clear) = SentenceParser::read(rest, Vec::new());
    if !is_clear && words(rest).iter().any(|word| TURNS.contains(word)) {
        facts.clear();
    }
    Some(Sentence {
        subject,
        facts,
        unclear: (!is_clear).then_some(Unclear::Person),
    })
}

fn first_code(tokens: &[SentenceToken<'_>]) -> Option<usize> {
    tokens
        .iter()
        .position(|token| matches!(token, SentenceToken::Code(_)))
}

/// How the next code span is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    None,
    Has,
    Lacks,
    Count,
    Output,
    Like,
}

struct SentenceParser<'r, 't> {
    tokens: &'r [SentenceToken<'t>],
    facts: Vec<FileFact>,
    is_clear: bool,
    mode: Mode,
    is_after_code: bool,
}

impl<'r, 't> SentenceParser<'r, 't> {
    /// The facts in these tokens besides those that are known, and whether they are all that the tokens say.
    fn read(tokens: &'r [SentenceToken<'t>], known: Vec<FileFact>) -> (Vec<FileFact>, bool) {
        let mut parser = SentenceParser {
            tokens,
            facts: known,
            is_clear: true,
            mode: Mode::None,
            is_after_code: false,
        };
        parser.run();
        let is_clear = parser.is_clear && !parser.facts.is_empty();
        (parser.facts, is_clear)
    }

    /// The facts in tokens that begin with what follows "with", and whether they are all that the tokens say.
    fn read_with(tokens: &'r [SentenceToken<'t>]) -> (Vec<FileFact>, bool) {
        let mut parser = SentenceParser {
            tokens,
            facts: Vec::new(),
            is_clear: true,
            mode: Mode::Has,
            is_after_code: false,
        };
        parser.run();
        let is_clear = parser.is_clear && !parser.facts.is_empty();
        (parser.facts, is_clear)
    }

    fn run(&mut self) {
        while let Some(token) = self.tokens.first() {
            let was_code = matches!(token, SentenceToken::Code(_));
            match token {
                SentenceToken::Code(code) => {
                    self.code(code);
                    self.tokens = &self.tokens[1..];
                }
                SentenceToken::Comma | SentenceToken::Close => self.tokens = &self.tokens[1..],
                SentenceToken::Open | SentenceToken::Dash => self.aside(),
                // "`flux-system` GitRepository"
                SentenceToken::Name(_) if self.mode == Mode::Has && self.is_after_code => {
                    self.tokens = &self.tokens[1..];
                }
                SentenceToken::Word(_) | SentenceToken::Name(_) => self.phrase(),
            }
            self.is_after_code = was_code;
        }
    }

    fn code(&mut self, code: &str) {
        let mended = if code.contains('\\') && code.contains('`') {
            code.replace('\\', "`")
        } else {
            code.to_owned()
        };
        let code = mended.as_str();
        match self.mode {
            Mode::Has => self.facts.push(FileFact::Has(code.to_owned())),
            Mode::Output => self.facts.push(FileFact::Output(code.to_owned())),
            Mode::Like => self.facts.push(FileFact::Like(code.to_owned())),
            Mode::Lacks => self.facts.push(FileFact::Lacks(code.to_owned())),
            Mode::Count => match self.facts.last_mut() {
                Some(FileFact::Count { names, .. }) => names.push(code.to_owned()),
                _ => self.is_clear = false,
            },
            Mode::None => self.is_clear = false,
        }
    }

    /// Skips text in brackets or after a dash as explanation, unless it contains code or a condition.
    fn aside(&mut self) {
        let is_bracket = self.tokens.first() == Some(&SentenceToken::Open);
        let rest = &self.tokens[1..];
        let end = if is_bracket {
            rest.iter().position(|token| *token == SentenceToken::Close)
        } else {
            None
        };
        let end = end.unwrap_or(rest.len());
        let inside = &rest[..end];
        let has_code = inside
            .iter()
            .any(|token| matches!(token, SentenceToken::Code(_)));
        let is_conditional = words(inside).iter().any(|word| CONDITIONS.contains(word))
            && words(inside) != ["not", "hardcoded"]
            && words(inside).first() != Some(&"no");
        if is_bracket && has_code && matches!(self.mode, Mode::Like) {
            self.mode = Mode::Has;
        }
        self.is_clear &= !is_conditional;
        // It is read on, bracket or not.
        let is_read = has_code || is_conditional;
        self.tokens = if is_read { rest } else { &rest[end..] };
    }

    fn phrase(&mut self) {
        if let Some(length) = self.special() {
            self.tokens = &self.tokens[length..];
            return;
        }
        let ahead: Vec<&str> = self.tokens.iter().map_while(word).take(6).collect();
        if let Some((meaning, length)) = form::form(&ahead) {
            match meaning {
                Meaning::Exists => {
                    self.facts.push(FileFact::Exists);
                    self.mode = Mode::None;
                }
                Meaning::Absent => self.facts.push(FileFact::Absent),
                Meaning::Has => self.mode = Mode::Has,
                Meaning::Lacks => self.mode = Mode::Lacks,
                Meaning::Complete => self.facts.push(FileFact::Complete),
                Meaning::Unchanged => self.facts.push(FileFact::Unchanged),
                Meaning::Output => self.mode = Mode::Output,
                Meaning::Like => self.mode = Mode::Like,
                Meaning::VersionRange => self.facts.push(FileFact::VersionRange),
                Meaning::Limits => self.facts.push(FileFact::Limits),
                Meaning::Unscheduled => self.facts.push(FileFact::Unscheduled),
                Meaning::Json => self.facts.push(FileFact::Json),
                // One of two will do, unless neither may be there.
                Meaning::Or => self.is_clear &= self.mode == Mode::Lacks,
                Meaning::Filler => {}
            }
            self.tokens = &self.tokens[length..];
            return;
        }
        if let Some((files, length)) = count(&ahead) {
            self.facts.push(FileFact::Count {
                files,
                names: Vec::new(),
            });
            self.mode = Mode::Count;
            self.tokens = &self.tokens[length..];
            return;
        }
        if let Some(length) = self.description() {
            self.tokens = &self.tokens[length..];
            return;
        }
        self.is_clear = false;
        self.tokens = &self.tokens[1..];
    }
}

/// A number in digits or as a word.
fn number(text: &str) -> Option<usize> {
    const NUMBERS: &[&str] = &[
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    ];
    text.parse()
        .ok()
        .or_else(|| NUMBERS.iter().position(|name| *name == text))
}

/// "exactly 3 files", "3 files", and how many words that is.
fn count(words: &[&str]) -> Option<(usize, usize)> {
    let (number, rest, skipped) = match words {
        ["exactly", number, rest @ ..] => (number, rest, 1),
        [number, rest @ ..] => (number, rest, 0),
        [] => return None,
    };
    let files = self::number(number)?;
    let is_files = matches!(rest.first(), Some(&("file" | "files" | "manifests")));
    is_files.then_some((files, skipped + 2))
}

/// Classifies by its words what a sentence would need to be decided.
fn unclear(tokens: &[SentenceToken<'_>]) -> Unclear {
    let is_command = |token: &SentenceToken<'_>| match token {
        SentenceToken::Code(code) => code
            .split_once(' ')
            .is_some_and(|(first, _)| PROGRAMS.contains(&first)),
        _ => false,
    };
    if tokens.iter().any(is_command) {
        return Unclear::Command;
    }
    let words = words(tokens);
    let shown = EVIDENCE
        .iter()
        .find(|(_, known)| words.iter().any(|word| known.contains(word)));
    shown.map_or(Unclear::Person, |(unclear, _)| *unclear)
}

fn word<'w>(token: &'w SentenceToken<'_>) -> Option<&'w str> {
    match token {
        SentenceToken::Word(word) => Some(word),
        _ => None,
    }
}

fn words<'w>(tokens: &'w [SentenceToken<'_>]) -> Vec<&'w str> {
    tokens.iter().filter_map(word).collect()
}

#[cfg(test)]
mod tests;
