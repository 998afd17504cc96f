//! Quoted scalars.

use super::scan::{decoded, quoted};
use super::{BlockParser, Cursor};
use crate::{Node, Style};

impl BlockParser<'_> {
    pub(super) fn quoted(&mut self, at: Cursor, parent: usize) -> Option<Node> {
        let rest = self.rest(at);
        let Some(length) = closing(rest, 1, rest.as_bytes()[0])? else {
            return self.quoted_lines(at, parent);
        };
        let (text, length) = quoted(&rest[..=length])?;
        let columns = rest[..length].chars().count();
        let place = self.place(at.line, at.indent, columns);
        let node = self.scalar(text, Style::Quoted, place)?;
        self.after(at, at.start + length, at.indent + columns)?;
        Some(node)
    }

    /// A scalar over several lines: single line breaks in it are spaces.
    fn quoted_lines(&mut self, at: Cursor, parent: usize) -> Option<Node> {
        let rest = self.rest(at);
        let quote = rest.as_bytes()[0];
        let mut text = String::new();
        let mut breaks = push_line(&mut text, &rest[1..], quote)?;
        if text.is_empty() {
            return None;
        }
        loop {
            let (line, indent) = self.peek()?;
            let start = self.next;
            self.skip(line);
            let own = &line[indent..];
            if own.is_empty() {
                if breaks == 0 {
                    return None;
                }
                breaks += 1;
                continue;
            }
            if indent <= parent {
                return None;
            }
            match breaks {
                0 => {}
                1 => text.push(' '),
                _ => text.extend(std::iter::repeat_n('\n', breaks - 1)),
            }
            let Some(end) = closing(own, 0, quote)? else {
                breaks = push_line(&mut text, own, quote)?;
                continue;
            };
            text.push_str(&own[..end]);
            let text = decoded(&text, quote)?;
            let node = self.scalar(text, Style::Quoted, self.place(at.line, at.indent, 0))?;
            let columns = line[..indent + end].chars().count() + 1;
            let last = Cursor {
                line: self.line,
                indent,
                start: start + indent,
                end: start + line.len(),
            };
            self.after(last, start + indent + end + 1, columns)?;
            return Some(node);
        }
    }
}

/// Adds a line that does not end a scalar. Returns the number of line breaks after it: none if it ends with a backslash.
fn push_line(text: &mut String, line: &str, quote: u8) -> Option<usize> {
    let content = line.trim_end_matches(' ');
    let slashes = content.len() - content.trim_end_matches('\\').len();
    let is_escaped = quote == b'"' && !slashes.is_multiple_of(2);
    if !is_escaped {
        text.push_str(content);
        return Some(1);
    }
    // A space after the backslash is escaped, and not the line break.
    text.push_str(line.strip_suffix('\\')?);
    Some(0)
}

/// Where the quote is that ends a scalar, if it is on the line; `None` if the line has something that is not simple.
#[expect(
    clippy::option_option,
    reason = "a scalar that goes on is no reason to give up"
)]
fn closing(line: &str, from: usize, quote: u8) -> Option<Option<usize>> {
    let bytes = line.as_bytes();
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\'' if quote == b'\'' && bytes.get(at + 1) == Some(&b'\'') => at += 2,
            b'\\' if quote == b'"' => at += 2,
            b'\t' | b'\r' => return None,
            byte if *byte == quote => return Some(Some(at)),
            _ => at += 1,
        }
    }
    Some(None)
}
