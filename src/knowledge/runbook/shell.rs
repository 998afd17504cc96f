//! Parses shell text into commands: enough of the language to tell words, pipes and redirects apart. Placeholders such
//! as `<name>` or `$NAME` are kept as placeholders, so they are not mistaken for names.

/// Commands joined by pipes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pipeline {
    pub commands: Vec<Command>,
    /// The destination of its output.
    pub output: CommandOutput,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CommandOutput {
    #[default]
    Shown,
    /// Into a file, a variable or another command's words.
    Kept,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Command {
    pub words: Vec<Word>,
    /// The line of its first word, counted from the first line of the text.
    pub line: u32,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    /// Without quotes.
    pub text: String,
    pub sense: Sense,
}

/// Whether a word is literal text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sense {
    #[default]
    Plain,
    /// It holds a variable, a pattern, a placeholder or what another command prints.
    Open,
}

/// Commands in commands are followed this far.
const DEEPEST: usize = 4;

/// The pipelines of a text, including those inside `$(…)`. Text that breaks off inside a quote ends before that quote.
pub fn pipelines(text: &str) -> Vec<Pipeline> {
    let session = session(text);
    let mut found = Vec::new();
    read(
        session.as_deref().unwrap_or(text),
        0,
        0,
        CommandOutput::Shown,
        &mut found,
    );
    found.retain(|pipeline| !pipeline.commands.is_empty());
    found
}

/// The typed lines of a terminal session: those after a prompt, with their continuation lines.
fn session(text: &str) -> Option<String> {
    let typed = |line: &str| {
        let line = line.trim_start();
        line.strip_prefix("$ ")
            .or_else(|| line.strip_prefix("% "))
            .map(str::to_owned)
    };
    if !text.lines().any(|line| typed(line).is_some()) {
        return None;
    }
    let mut kept = String::new();
    let mut goes_on = false;
    for line in text.lines() {
        let own = if goes_on {
            Some(line.to_owned())
        } else {
            typed(line)
        };
        let own = own.unwrap_or_default();
        goes_on = own.ends_with('\\');
        kept.push_str(&own);
        kept.push('\n');
    }
    Some(kept)
}

fn read(text: &str, first: u32, depth: usize, output: CommandOutput, found: &mut Vec<Pipeline>) {
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
        word: None,
        heredocs: Vec::new(),
        found,
    };
    reader.run();
}

struct ShellParser<'t, 'f> {
    text: &'t str,
    at: usize,
    line: u32,
    depth: usize,
    output: CommandOutput,
    pipeline: Pipeline,
    command: Command,
    word: Option<Word>,
    /// The words that end the here-documents which begin after this line.
    heredocs: Vec<String>,
    found: &'f mut Vec<Pipeline>,
}

impl<'t> ShellParser<'t, '_> {
    fn run(&mut self) {
        while let Some(c) = self.peek() {
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
                '|' => {
                    self.bump();
                    match self.peek() {
                        Some('|') => {
                            self.bump();
                            self.end_pipeline();
                        }
                        Some('&') => {
                            self.bump();
                            self.end_command();
                        }
                        _ => self.end_command(),
                    }
                }
                '&' if self.rest().starts_with("&>") => {
                    self.skip(1);
                    self.redirect();
                }
                ';' | '&' | '(' | ')' => {
                    self.end_pipeline();
                    self.bump();
                }
                '<' if self.rest().starts_with("<<<") => {
                    self.end_word();
                    self.skip(3);
                }
                '<' if self.rest().starts_with("<<") => self.heredoc(),
                '<' => match placeholder(self.rest()) {
                    Some(len) => {
                        let text = &self.rest()[..len];
                        let word = self.word();
                        word.text.push_str(text);
                        word.sense = Sense::Open;
                        self.skip(len);
                    }
                    None => self.redirect(),
                },
                '>' => self.redirect(),
                '*' | '?' | '{' | '}' | '[' | ']' => {
                    self.bump();
                    let word = self.word();
                    word.text.push(c);
                    word.sense = Sense::Open;
                }
                // An ellipsis is a placeholder.
                '…' => {
                    self.bump();
                    let word = self.word();
                    word.text.push(c);
                    word.sense = Sense::Open;
                }
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
        if self.command.words.is_empty() && self.word.is_none() {
            self.command.line = self.line;
        }
        self.word.get_or_insert_default()
    }

    fn end_word(&mut self) {
        self.command.words.extend(self.word.take());
    }

    fn end_command(&mut self) {
        self.end_word();
        let command = std::mem::take(&mut self.command);
        if !command.words.is_empty() {
            self.pipeline.commands.push(command);
        }
    }

    fn end_pipeline(&mut self) {
        self.end_command();
        let next = Pipeline {
            output: self.output,
            ..Pipeline::default()
        };
        self.found.push(std::mem::replace(&mut self.pipeline, next));
    }

    /// `$NAME`, `${…}`, `$(…)`; false where it does not end.
    fn dollar(&mut self) -> bool {
        self.bump();
        let rest = self.rest();
        if rest.starts_with("((") || rest.starts_with('{') {
            let close = if rest.starts_with('{') { "}" } else { "))" };
            let Some(end) = rest.find(close) else {
                return false;
            };
            self.word().sense = Sense::Open;
            self.word().text.push('$');
            self.skip(end + close.len());
            return true;
        }
        if rest.starts_with('(') {
            let Some(end) = closing(rest) else {
                return false;
            };
            self.skip(1);
            self.inner(end - 1);
            self.skip(1);
            return true;
        }
        let word = self.word();
        word.text.push('$');
        word.sense = Sense::Open;
        true
    }

    /// The next `len` bytes are commands whose output becomes part of a word.
    fn inner(&mut self, len: usize) {
        let inside = &self.rest()[..len];
        if self.depth < DEEPEST {
            read(
                inside,
                self.line,
                self.depth + 1,
                CommandOutput::Kept,
                self.found,
            );
        }
        let word = self.word();
        word.sense = Sense::Open;
        word.text.push('$');
        self.skip(len);
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

/// How long `<name>` is, if that is what begins here. A name has no blanks, or words with single ones between.
fn placeholder(text: &str) -> Option<usize> {
    const LONGEST: usize = 64;
    let inside = text.strip_prefix('<')?;
    let inside = &inside[..inside.floor_char_boundary(LONGEST)];
    let end = inside.find(['>', '\n'])?;
    let (name, rest) = inside.split_at(end);
    let is_name = name.starts_with(|c: char| c.is_alphabetic())
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || " -_./|:".contains(c))
        && !name.contains("  ");
    (rest.starts_with('>') && is_name).then_some(end + 2)
}

/// Position of the bracket that closes the one at the start of `text`; respects quotes.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        let was_escaped = escaped;
        escaped = c == '\\' && !was_escaped && quote != Some('\'');
        if was_escaped {
            continue;
        }
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests;
