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
        let mut text = rest[1..].trim_end_matches(' ').to_owned();
        if text.is_empty() {
            return None;
        }
        let mut breaks = 1;
        loop {
            let (line, indent) = self.peek()?;
            let start = self.next;
            self.skip(line);
            let own = &line[indent..];
            if own.is_empty() {
                breaks += 1;
                continue;
            }
            if indent <= parent {
                return None;
            }
            match breaks {
                1 => text.push(' '),
                _ => text.extend(std::iter::repeat_n('\n', breaks - 1)),
            }
            breaks = 1;
            let Some(end) = closing(own, 0, quote)? else {
                text.push_str(own.trim_end_matches(' '));
                continue;
            };
            if end == 0 {
                return None;
            }
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
            b'\\' if quote == b'"' => {
                bytes.get(at + 1)?;
                at += 2;
            }
            b'\t' | b'\r' => return None,
            byte if *byte == quote => return Some(Some(at)),
            _ => at += 1,
        }
    }
    Some(None)
}
