//! Reads shell text: quotes, pipes, redirects, here-documents, placeholders, and commands inside commands. Placeholders such
//! as `<name>` or `$NAME` are kept as placeholders, so they are not mistaken for names.

mod extent;

use super::{Command, CommandOutput, Pipeline, Sense, Word};
use extent::{closing, placeholder, template};

/// Commands in commands are followed this far.
const DEEPEST: usize = 4;
/// Values fill in at most so many bytes of a text.
const MAX_FILLED: usize = 64 * 1024;

/// What happens in a text, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShellEvent {
    Pipeline(Pipeline),
    /// Brackets open: the directory that commands change inside is that outside again afterwards.
    Enter,
    Leave,
}

/// What begins with `$`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expansion<'t> {
    /// `$NAME`, or the inside of `${…}`.
    Variable(&'t str),
    /// The inside of `$(…)`.
    Commands(&'t str),
}

/// The words that an expansion stands for, if they are known.
pub type Values<'v> = &'v dyn Fn(Expansion<'_>) -> Option<Vec<Word>>;

pub fn events(text: &str, values: Values<'_>) -> Vec<ShellEvent> {
    events_from(text, 0, values)
}

/// The words of a text, whatever commands they belong to, without those of commands inside it.
pub fn words(text: &str, values: Values<'_>) -> Vec<Word> {
    let events = events_from(text, DEEPEST, values).into_iter();
    let commands = events.flat_map(|event| match event {
        ShellEvent::Pipeline(pipeline) => pipeline.commands,
        ShellEvent::Enter | ShellEvent::Leave => Vec::new(),
    });
    commands.flat_map(|command| command.words).collect()
}

fn events_from(text: &str, depth: usize, values: Values<'_>) -> Vec<ShellEvent> {
    let mut found = ShellText {
        events: Vec::new(),
        values,
        filled: 0,
    };
    read(text, 0, depth, CommandOutput::Shown, &mut found);
    found.events
}

/// What is found in a text and in all that is inside it.
struct ShellText<'v> {
    events: Vec<ShellEvent>,
    values: Values<'v>,
    /// How many bytes values have filled in.
    filled: usize,
}

fn read(text: &str, first: u32, depth: usize, output: CommandOutput, found: &mut ShellText<'_>) {
    let mut reader = ShellParser {
        text,
        at: 0,
        line: first,
        depth,
        output,
        pipeline: Pipeline {
            output,
            ..Pipeline::default()
        },
        command: Command::default(),
        start: 0,
        word: None,
        heredocs: Vec::new(),
        open_brackets: 0,
        found,
    };
    reader.run();
    for _ in 0..reader.open_brackets {
        reader.found.events.push(ShellEvent::Leave);
    }
}

struct ShellParser<'t, 'f, 'v> {
    text: &'t str,
    at: usize,
    line: u32,
    depth: usize,
    output: CommandOutput,
    pipeline: Pipeline,
    command: Command,
    /// Where the command begins.
    start: usize,
    word: Option<Word>,
    /// The words that end the here-documents which begin after this line.
    heredocs: Vec<String>,
    open_brackets: usize,
    found: &'f mut ShellText<'v>,
}

impl<'t> ShellParser<'t, '_, '_> {
    fn run(&mut self) {
        while let Some(c) = self.peek() {
            if self.command.words.is_empty() && self.word.is_none() {
                self.start = self.at;
                self.command.line = self.line;
            }
            match c {
                '\n' => {
                    self.end_pipeline();
                    self.bump();
                    self.skip_heredocs();
                }
                ' ' | '\t' | '\r' => {
                    self.end_word();
                    self.bump();
                }
                '#' if self.word.is_none() => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.bump();
                    }
                }
                '\\' => {
                    self.bump();
                    match self.bump() {
                        Some('\n') | None => {}
                        Some('\r') => drop(self.bump()),
                        Some(c) => self.word().text.push(c),
                    }
                }
                '\'' => {
                    self.bump();
                    let Some(end) = self.rest().find('\'') else {
                        return;
                    };
                    let inside = &self.rest()[..end];
                    self.word().text.push_str(inside);
                    self.skip(end + 1);
                }
                '"' => {
                    self.bump();
                    if !self.double_quoted() {
                        return;
                    }
                }
                '`' => {
                    self.bump();
                    let Some(end) = self.rest().find('`') else {
                        return;
                    };
                    self.inner(end);
                    self.skip(1);
                }
                '$' => {
                    if !self.dollar() {
                        return;
                    }
                }
                '|' if self.rest().starts_with("||") => {
                    self.end_pipeline();
                    self.skip(2);
                }
                '|' => {
                    self.end_command();
                    self.bump();
                    if self.peek() == Some('&') {
                        self.bump();
                    }
                }
                '&' if self.rest().starts_with("&>") => {
                    self.skip(1);
                    self.redirect();
                }
                ';' | '&' => {
                    self.end_pipeline();
                    self.bump();
                }
                '(' => {
                    self.end_pipeline();
                    self.bump();
                    self.open_brackets += 1;
                    self.found.events.push(ShellEvent::Enter);
                }
                ')' => {
                    self.end_pipeline();
                    self.bump();
                    if self.open_brackets > 0 {
                        self.open_brackets -= 1;
                        self.found.events.push(ShellEvent::Leave);
                    }
                }
                '<' if self.rest().starts_with("<<<") => {
                    self.end_word();
                    self.skip(3);
                }
                '<' if self.rest().starts_with("<<") => self.heredoc(),
                '<' | '>' => match placeholder(self.rest()) {
                    Some(len) => self.open(len),
                    None => self.redirect(),
                },
                '{' => self.open(template(self.rest()).unwrap_or(1)),
                // An ellipsis is a placeholder.
                '*' | '?' | '}' | '[' | ']' | '…' => self.open(c.len_utf8()),
                c => {
                    self.bump();
                    self.word().text.push(c);
                }
            }
        }
        self.end_pipeline();
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        base::steps::count(1);
        self.line += u32::from(c == '\n');
        Some(c)
    }

    /// `bytes` of what follows, which end between two characters.
    fn skip(&mut self, bytes: usize) {
        let passed = &self.rest()[..bytes];
        self.line += passed.matches('\n').count() as u32;
        self.at += bytes;
    }

    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }

    /// The next `len` bytes stand for something else.
    fn open(&mut self, len: usize) {
        let text = &self.rest()[..len];
        let word = self.word();
        word.text.push_str(text);
        word.sense = Sense::Open;
        self.skip(len);
    }

    fn end_word(&mut self) {
        self.command.words.extend(self.word.take());
    }

    fn end_command(&mut self) {
        self.end_word();
        let mut command = std::mem::take(&mut self.command);
        if !command.words.is_empty() {
            command.text = self.text[self.start..self.at].trim().to_owned();
            self.pipeline.commands.push(command);
        }
    }

    fn end_pipeline(&mut self) {
        self.end_command();
        let next = Pipeline {
            output: self.output,
            ..Pipeline::default()
        };
        let pipeline = std::mem::replace(&mut self.pipeline, next);
        if !pipeline.commands.is_empty() {
            self.found.events.push(ShellEvent::Pipeline(pipeline));
        }
    }

    /// `$NAME`, `${…}`, `$(…)`; false where it does not end.
    fn dollar(&mut self) -> bool {
        self.bump();
        let rest = self.rest();
        if rest.starts_with("((") {
            let Some(end) = rest.find("))") else {
                return false;
            };
            self.unknown(end + 2);
        } else if rest.starts_with('{') {
            let Some(end) = closing(rest, '{', '}') else {
                return false;
            };
            if self.fill(Expansion::Variable(&rest[1..end])) {
                self.skip(end + 1);
            } else {
                self.unknown(end + 1);
            }
        } else if rest.starts_with('(') {
            let Some(end) = closing(rest, '(', ')') else {
                return false;
            };
            if self.fill(Expansion::Commands(&rest[1..end])) {
                self.skip(end + 1);
            } else {
                self.skip(1);
                self.inner(end - 1);
                self.skip(1);
            }
        } else {
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            if end > 0 && self.fill(Expansion::Variable(&rest[..end])) {
                self.skip(end);
            } else {
                self.unknown(0);
            }
        }
        true
    }

    /// Adds the words that an expansion stands for; false if they are not known.
    fn fill(&mut self, expansion: Expansion<'_>) -> bool {
        let Some(words) = (self.found.values)(expansion) else {
            return false;
        };
        let bytes: usize = words.iter().map(|word| word.text.len() + 1).sum();
        if self.found.filled + bytes > MAX_FILLED {
            return false;
        }
        self.found.filled += bytes;
        for (at, known) in words.into_iter().enumerate() {
            if at > 0 {
                self.end_word();
            }
            let word = self.word();
            word.text.push_str(&known.text);
            word.sense = word.sense.max(known.sense);
        }
        true
    }

    /// The next `len` bytes belong to a `$` whose value is not known.
    fn unknown(&mut self, len: usize) {
        let word = self.word();
        word.text.push('$');
        word.sense = Sense::Open;
        self.skip(len);
    }

    /// The next `len` bytes are commands whose output becomes part of a word.
    fn inner(&mut self, len: usize) {
        let inside = &self.rest()[..len];
        if self.depth < DEEPEST {
            self.found.events.push(ShellEvent::Enter);
            read(
                inside,
                self.line,
                self.depth + 1,
                CommandOutput::Kept,
                self.found,
            );
            self.found.events.push(ShellEvent::Leave);
        }
        self.unknown(len);
    }

    /// Reads up to the closing double quote, after the opening one. Returns false if the quote never closes.
    fn double_quoted(&mut self) -> bool {
        self.word();
        while let Some(c) = self.peek() {
            match c {
                '"' => {
                    self.bump();
                    return true;
                }
                '\\' => {
                    self.bump();
                    match self.bump() {
                        Some('\n') | None => {}
                        Some(c) => self.word().text.push(c),
                    }
                }
                '$' => {
                    if !self.dollar() {
                        return false;
                    }
                }
                c => {
                    self.bump();
                    self.word().text.push(c);
                }
            }
        }
        false
    }

    /// `> file`, `2>&1`, `< file`: output is no longer shown, unless only errors are redirected.
    fn redirect(&mut self) {
        let of_errors = self.word.as_ref().is_some_and(|word| word.text == "2");
        let digit = self
            .word
            .as_ref()
            .is_some_and(|word| matches!(word.text.as_str(), "0" | "1" | "2"));
        if digit {
            self.word = None
        } else {
            self.end_word()
        }
        let is_input = self.rest().starts_with('<');
        while self
            .peek()
            .is_some_and(|c| matches!(c, '<' | '>' | '&' | '|'))
        {
            self.bump();
        }
        while self.peek() == Some(' ') {
            self.bump();
        }
        let start = self.at;
        while self
            .peek()
            .is_some_and(|c| !c.is_whitespace() && !matches!(c, ';' | '|' | '&' | ')'))
        {
            self.bump();
        }
        let target = &self.text[start..self.at];
        if !of_errors && !is_input && !matches!(target, "1" | "2" | "/dev/stdout" | "/dev/tty") {
            self.pipeline.output = CommandOutput::Kept;
        }
    }

    fn heredoc(&mut self) {
        self.end_word();
        self.skip(2);
        let rest = self.rest();
        let rest = rest
            .strip_prefix('-')
            .unwrap_or(rest)
            .trim_start_matches([' ', '\t']);
        let end = rest
            .find(|c: char| c.is_whitespace() || ";|&)>".contains(c))
            .unwrap_or(rest.len());
        let marker = rest[..end].trim_matches(['\'', '"', '\\']);
        self.heredocs.push(marker.to_owned());
        let passed = self.rest().len() - rest.len() + end;
        self.skip(passed);
    }

    fn skip_heredocs(&mut self) {
        for marker in std::mem::take(&mut self.heredocs) {
            while !self.rest().is_empty() {
                let line = self.rest().split_inclusive('\n').next().unwrap_or_default();
                let is_end = line.trim() == marker;
                self.skip(line.len());
                if is_end {
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
