//! Shell commands and sessions: commands, flags, strings, comments, variables and pipes. Highlights them without
//! parsing the language.

use super::{HighlightClass, Spans};

pub fn scan(code: &str, spans: &mut Spans) {
    // In a session, lines without a prompt are output.
    let is_session = code.lines().any(|line| prompt(line) > 0);
    let mut scanner = Scanner {
        code,
        at: 0,
        is_command: true,
        heredocs: Vec::new(),
        spans,
    };
    while scanner.at < code.len() {
        if is_session {
            let rest = scanner.rest();
            let line = rest.split_inclusive('\n').next().unwrap_or(rest);
            let prompt = prompt(line);
            if prompt == 0 && !line.trim_start().starts_with('#') {
                let len = line.len();
                scanner.take(None, len);
                continue;
            }
            scanner.take(HighlightClass::Prompt, prompt);
        }
        scanner.line();
    }
}

/// Length of the prompt at the start of a line.
fn prompt(line: &str) -> usize {
    if line.starts_with("$ ") || line.starts_with("% ") {
        return 2;
    }
    // `user@host:~$ command`
    let word = line.split(' ').next().unwrap_or_default();
    if word.contains('@') && word.ends_with(['$', '#']) && line.len() > word.len() {
        word.len() + 1
    } else {
        0
    }
}

struct Scanner<'c, 's> {
    code: &'c str,
    at: usize,
    /// Whether the next word is a command.
    is_command: bool,
    /// The end markers of here-documents that begin after this line.
    heredocs: Vec<String>,
    spans: &'s mut Spans,
}

impl<'c> Scanner<'c, '_> {
    /// A command line with its continuation lines.
    fn line(&mut self) {
        self.is_command = true;
        let mut is_word_start = true;
        while let Some(c) = self.rest().chars().next() {
            let was_word_start = std::mem::replace(&mut is_word_start, false);
            match c {
                '\n' => {
                    self.take(None, 1);
                    self.heredoc_bodies();
                    return;
                }
                '\\' => {
                    let next = self.rest()[1..].chars().next();
                    let len = 1 + next.map_or(0, char::len_utf8);
                    is_word_start = next == Some('\n');
                    self.take(None, len);
                }
                ' ' | '\t' | '\r' => {
                    self.take(None, 1);
                    is_word_start = true;
                }
                '#' if was_word_start => self.take_while(HighlightClass::Comment, |c| c != '\n'),
                '\'' => {
                    let len = self.rest()[1..].find('\'').map(|end| end + 2);
                    let len = len.unwrap_or(self.rest().len());
                    self.take(HighlightClass::String, len);
                    self.is_command = false;
                }
                '"' => {
                    self.double_quoted();
                    self.is_command = false;
                }
                '$' | '`' => {
                    is_word_start = self.dollar();
                }
                '|' | '&' | ';' | '(' => {
                    self.take_while(HighlightClass::Keyword, |c| "|&;(".contains(c));
                    self.is_command = true;
                    is_word_start = true;
                }
                ')' | '}' => self.take(None, 1),
                '<' if self.placeholder() > 0 => {
                    let len = self.placeholder();
                    self.take(HighlightClass::Variable, len);
                    self.is_command = false;
                }
                '<' | '>' => self.redirect(),
                _ if was_word_start => self.word(),
                _ => {
                    let len = self.word_len().max(c.len_utf8());
                    self.take(None, len);
                }
            }
        }
    }

    /// A word at its start: a keyword, an assignment, a command, a flag or an argument.
    fn word(&mut self) {
        const KEYWORDS: &[&str] = &[
            "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case",
            "esac", "in", "function", "return", "export", "local", "set", "exit", "{", "!", "[[",
            "]]", "[",
        ];
        // Commands that run the command after them.
        const PREFIXES: &[&str] = &["sudo", "time", "exec", "xargs", "watch", "nohup", "env"];
        let rest = self.rest();
        let len = self
            .word_len()
            .max(rest.chars().next().map_or(0, char::len_utf8));
        let word = &rest[..len];
        let name = word.split('=').next().unwrap_or_default();
        let is_name = !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let (class, len, goes_on) = if self.is_command && KEYWORDS.contains(&word) {
            (
                Some(HighlightClass::Keyword),
                len,
                !matches!(word, "for" | "case"),
            )
        } else if self.is_command && is_name && word.contains('=') {
            (Some(HighlightClass::Variable), name.len(), true)
        } else if self.is_command {
            (
                Some(HighlightClass::Function),
                len,
                PREFIXES.contains(&word),
            )
        } else if word.len() > 1 && word.starts_with('-') {
            let flag = word.find('=').unwrap_or(len);
            (Some(HighlightClass::Attribute), flag, false)
        } else {
            (None, len, false)
        };
        self.take(class, len);
        self.is_command = goes_on;
    }

    fn word_len(&self) -> usize {
        let rest = self.rest();
        rest.find(|c: char| c.is_whitespace() || "'\"$`|&;()<>\\}".contains(c))
            .unwrap_or(rest.len())
    }

    fn double_quoted(&mut self) {
        self.take(HighlightClass::String, 1);
        loop {
            let rest = self.rest();
            let len = rest.find(['"', '\\', '$']).unwrap_or(rest.len());
            self.take(HighlightClass::String, len);
            match self.rest().chars().next() {
                None => return,
                Some('"') => return self.take(HighlightClass::String, 1),
                Some('\\') => {
                    let next = self.rest()[1..].chars().next();
                    self.take(HighlightClass::String, 1 + next.map_or(0, char::len_utf8));
                }
                Some(_) => {
                    let len = variable(self.rest());
                    let class = if len > 1 {
                        HighlightClass::Variable
                    } else {
                        HighlightClass::String
                    };
                    self.take(class, len);
                }
            }
        }
    }

    /// A `$` or backtick outside quotes; returns whether a command begins after it.
    fn dollar(&mut self) -> bool {
        let is_substitution = self.rest().starts_with("$(") || self.rest().starts_with('`');
        if is_substitution {
            let len = if self.rest().starts_with('`') { 1 } else { 2 };
            self.take(HighlightClass::Keyword, len);
            self.is_command = true;
        } else {
            let len = variable(self.rest());
            self.take((len > 1).then_some(HighlightClass::Variable), len);
            self.is_command = false;
        }
        is_substitution
    }

    fn redirect(&mut self) {
        let rest = self.rest();
        let len = rest.find(|c| c != '<' && c != '>').unwrap_or(rest.len());
        let is_heredoc = &rest[..len] == "<<";
        let word = rest[len..].trim_start_matches(['-', ' ']);
        let end = word.find(|c: char| c.is_whitespace() || ";|&)".contains(c));
        let word = word[..end.unwrap_or(word.len())].trim_matches(['\'', '"', '\\']);
        // A page full of `<<x` must not make every line search for thousands of ends.
        if is_heredoc && !word.is_empty() && self.heredocs.len() < 8 {
            self.heredocs.push(word.to_owned());
        }
        self.take(HighlightClass::Keyword, len);
        self.is_command = false;
    }

    fn heredoc_bodies(&mut self) {
        for word in std::mem::take(&mut self.heredocs) {
            let mut len = 0;
            for line in self.rest().split_inclusive('\n') {
                len += line.len();
                if line.trim() == word {
                    break;
                }
            }
            self.take(HighlightClass::String, len);
        }
    }

    /// Length of a placeholder such as `<name>`.
    fn placeholder(&self) -> usize {
        let inner = &self.rest()[1..];
        let end = inner.find(|c: char| !(c.is_ascii_alphanumeric() || "-_ .".contains(c)));
        match end {
            Some(end) if end > 0 && end < 40 && inner[end..].starts_with('>') => {
                let is_name = inner.starts_with(|c: char| c.is_ascii_alphabetic())
                    && !inner[..end].ends_with(' ');
                if is_name { end + 2 } else { 0 }
            }
            _ => 0,
        }
    }

    fn rest(&self) -> &'c str {
        &self.code[self.at..]
    }

    fn take_while(&mut self, class: HighlightClass, is_part: impl Fn(char) -> bool) {
        let rest = self.rest();
        let len = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        self.take(class, len);
    }

    fn take(&mut self, class: impl Into<Option<HighlightClass>>, len: usize) {
        let text = &self.code[self.at..self.at + len];
        self.spans.push(class, text);
        base::steps::count(len + 1);
        self.at += len;
    }
}

/// Length of the variable at the start of `text`: `$NAME`, `${…}`, `$(…` or a lone `$`.
fn variable(text: &str) -> usize {
    let after = &text[1..];
    if after.starts_with('{') {
        let line = after.split('\n').next().unwrap_or_default();
        return line.find('}').map_or(1, |end| end + 2);
    }
    let name = after
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(after.len());
    match after.chars().next() {
        Some(c) if name == 0 && "?!@*#$-".contains(c) => 2,
        _ => 1 + name,
    }
}
