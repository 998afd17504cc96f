//! Facts about files in a sentence: "`dir/` contains exactly 3 files", "`a.yaml` does NOT exist". Understands a small
//! part of English, and reports when it does not understand. Text in, facts out.

use markdown::Text;

use super::plan::looks_like_path;
use form::{CONDITIONS, EVIDENCE, KINDS, LEAD, Meaning, PROGRAMS, SAVED, TURNS};

mod form;

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
        let tokens = tokens(text);
        let unclear = unclear(&tokens);
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
            FileFact::Has(_) | FileFact::Count { .. } | FileFact::Complete
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

/// "The HelmRepository points to `https://…`".
fn about_kind<'t>(tokens: &[SentenceToken<'t>]) -> Option<Sentence<'t>> {
    let [
        SentenceToken::Word(the),
        SentenceToken::Name(kind),
        rest @ ..,
    ] = tokens
    else {
        return None;
    };
    if the != "the" || first_code(rest)? == 0 {
        return None;
    }
    let (facts, is_clear) = SentenceParser::read(rest, Vec::new());
    Some(Sentence {
        subject: SentenceSubject::Kind(kind),
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
}

struct SentenceParser<'r, 't> {
    tokens: &'r [SentenceToken<'t>],
    facts: Vec<FileFact>,
    is_clear: bool,
    mode: Mode,
}

impl<'r, 't> SentenceParser<'r, 't> {
    /// The facts in these tokens besides those that are known, and whether they are all that the tokens say.
    fn read(tokens: &'r [SentenceToken<'t>], known: Vec<FileFact>) -> (Vec<FileFact>, bool) {
        let mut parser = SentenceParser {
            tokens,
            facts: known,
            is_clear: true,
            mode: Mode::None,
        };
        parser.run();
        let is_clear = parser.is_clear && !parser.facts.is_empty();
        (parser.facts, is_clear)
    }

    fn run(&mut self) {
        while let Some(token) = self.tokens.first() {
            match token {
                SentenceToken::Code(code) => {
                    self.code(code);
                    self.tokens = &self.tokens[1..];
                }
                SentenceToken::Comma | SentenceToken::Close => self.tokens = &self.tokens[1..],
                SentenceToken::Open | SentenceToken::Dash => self.aside(),
                SentenceToken::Word(_) | SentenceToken::Name(_) => self.phrase(),
            }
        }
    }

    fn code(&mut self, code: &str) {
        match self.mode {
            Mode::Has => self.facts.push(FileFact::Has(code.to_owned())),
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
        let is_conditional = words(inside).iter().any(|word| CONDITIONS.contains(word));
        self.is_clear &= !is_conditional;
        // It is read on, bracket or not.
        let is_read = has_code || is_conditional;
        self.tokens = if is_read { rest } else { &rest[end..] };
    }

    fn phrase(&mut self) {
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
        self.is_clear = false;
        self.tokens = &self.tokens[1..];
    }
}

/// "exactly 3 files", "3 files", and how many words that is.
fn count(words: &[&str]) -> Option<(usize, usize)> {
    let (number, rest, skipped) = match words {
        ["exactly", number, rest @ ..] => (number, rest, 1),
        [number, rest @ ..] => (number, rest, 0),
        [] => return None,
    };
    let number = number.parse().ok().or_else(|| {
        let numbers = [
            "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        ];
        numbers.iter().position(|name| name == number)
    })?;
    let is_files = matches!(rest.first(), Some(&("file" | "files" | "manifests")));
    is_files.then_some((number, skipped + 2))
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

fn tokens(text: &Text) -> Vec<SentenceToken<'_>> {
    let mut tokens = Vec::new();
    let mut end = 0;
    for range in &text.code {
        plain(&text.plain[end..range.start], &mut tokens);
        tokens.push(SentenceToken::Code(text.plain[range.clone()].trim()));
        end = range.end;
    }
    plain(&text.plain[end..], &mut tokens);
    tokens
}

fn plain<'t>(text: &'t str, tokens: &mut Vec<SentenceToken<'t>>) {
    let mut start = None;
    let ends = text.char_indices().chain([(text.len(), ' ')]);
    for (at, c) in ends {
        let is_word =
            at < text.len() && (c.is_alphanumeric() || matches!(c, '-' | '\'' | '/' | '_'));
        match (is_word, start) {
            (true, None) => start = Some(at),
            (false, Some(first)) => {
                let word = &text[first..at];
                let capitals = word.chars().filter(|c| c.is_uppercase()).count();
                let is_kind = word.starts_with(char::is_uppercase)
                    && capitals > 1
                    && word.chars().any(char::is_lowercase)
                    && word.chars().all(char::is_alphanumeric);
                if is_kind || KINDS.contains(&word) {
                    tokens.push(SentenceToken::Name(word));
                } else if word.chars().any(char::is_alphanumeric) {
                    tokens.push(SentenceToken::Word(word.to_lowercase()));
                }
                start = None;
            }
            _ => {}
        }
        match c {
            '(' => tokens.push(SentenceToken::Open),
            ')' => tokens.push(SentenceToken::Close),
            ',' | ';' | ':' => tokens.push(SentenceToken::Comma),
            '\u{2014}' | '\u{2013}' => tokens.push(SentenceToken::Dash),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
