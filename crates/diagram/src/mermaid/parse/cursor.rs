//! A position in the source that knows its line.

use base::steps::count;

use super::Error;

#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// The line at `counted`. Lines are counted from there on, so that counting takes linear time.
    line: usize,
    counted: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Cursor<'a> {
        Cursor {
            text,
            at: 0,
            line: 1,
            counted: 0,
        }
    }

    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub fn starts_with(&self, prefix: &str) -> bool {
        self.rest().starts_with(prefix)
    }

    pub fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        count(1);
        self.at += next.len_utf8();
        Some(next)
    }

    pub fn eat(&mut self, prefix: &str) -> bool {
        let found = self.starts_with(prefix);
        count(1);
        if found {
            self.at += prefix.len();
        }
        found
    }

    /// Passes `length` bytes, which end where a character ends.
    pub fn take(&mut self, length: usize) -> &'a str {
        let taken = &self.rest()[..length];
        count(length + 1);
        self.at += length;
        taken
    }

    pub fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !accept(c)).unwrap_or(rest.len());
        self.take(length)
    }

    /// Passes blanks within the line.
    pub fn skip_spaces(&mut self) {
        self.take_while(|c| c != '\n' && c.is_whitespace());
    }

    /// Passes blanks, line breaks and `;`. False at the end of the source.
    pub fn skip_to_statement(&mut self) -> bool {
        self.take_while(|c| c.is_whitespace() || c == ';');
        !self.is_at_end()
    }

    /// Passes blanks and line breaks.
    pub fn skip_blank(&mut self) {
        self.take_while(char::is_whitespace);
    }

    /// The rest of the line, without the line break.
    pub fn take_line(&mut self) -> &'a str {
        self.take_while(|c| c != '\n')
    }

    /// The next word, up to a blank.
    pub fn take_word(&mut self) -> &'a str {
        self.skip_spaces();
        self.take_while(|c| !c.is_whitespace())
    }

    /// The text between the quotes at the cursor. None if there is no quote or it is never closed.
    pub fn take_quoted(&mut self) -> Option<&'a str> {
        let inner = self.rest().strip_prefix('"')?;
        let length = inner.find('"');
        count(length.unwrap_or(inner.len()));
        let length = length?;
        self.at += length + 2;
        Some(&inner[..length])
    }

    pub fn line(&mut self) -> usize {
        if self.at > self.counted {
            let passed = &self.text.as_bytes()[self.counted..self.at];
            count(passed.len());
            self.line += passed.iter().filter(|byte| **byte == b'\n').count();
            self.counted = self.at;
        }
        self.line
    }

    pub fn error(&mut self, message: impl Into<String>) -> Error {
        Error::at(self.line(), message)
    }

    /// The next few characters, for a message.
    pub fn excerpt(&self) -> String {
        excerpt(self.rest())
    }
}

/// The start of a text, for a message.
pub(super) fn excerpt(text: &str) -> String {
    const MOST: usize = 24;
    count(text.lines().next().map_or(0, str::len));
    let line = text.trim_start().lines().next().unwrap_or_default().trim();
    let is_plain = |c: &char| !c.is_control() && *c != '`';
    let mut short: String = line.chars().filter(is_plain).take(MOST).collect();
    if line.chars().nth(MOST).is_some() {
        short.push('…');
    }
    short
}
