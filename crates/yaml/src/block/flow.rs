//! Flow collections on one line: `[a, "b"]`, `{c: d}`, and these in each other.

use smol_str::SmolStr;

use super::scan::quoted;
use super::{BlockParser, Cursor};
use crate::{Entry, Map, Node, Scalar, Style, Value, doubt, mapping};

impl BlockParser<'_> {
    /// A flow collection with nothing but a comment after it.
    pub(super) fn flow(&mut self, at: Cursor, depth: usize) -> Option<Node> {
        let mut next = at;
        let node = self.collection(&mut next, depth)?;
        self.after(at, next.start, next.indent)?;
        Some(node)
    }

    /// The collection that `at` is at; `at` is behind it then.
    fn collection(&mut self, at: &mut Cursor, depth: usize) -> Option<Node> {
        self.count(depth)?;
        let place = self.place(at.line, at.indent, 0);
        let is_map = self.flow_sign(at)? == b'{';
        let end = if is_map { b'}' } else { b']' };
        let (first_item, first_entry) = (self.items.len(), self.entries.len());
        loop {
            let next = self.flow_byte(at)?;
            if next == end {
                break;
            }
            if is_map {
                let entry = self.flow_entry(at, depth)?;
                self.entries.push(entry);
            } else {
                let item = self.flow_value(at, depth)?;
                self.items.push(item);
            }
            match self.flow_byte(at)? {
                b',' => self.flow_sign(at)?,
                next if next == end => break,
                _ => return None,
            };
            // A comma at the end is left to the complete parser.
            if self.flow_byte(at)? == end {
                return None;
            }
        }
        self.flow_sign(at)?;
        let value = if is_map {
            let entries = self.entries.split_off(first_entry);
            if !mapping::distinct(&entries) {
                return None;
            }
            Value::Map(Map(entries))
        } else {
            Value::Seq(self.items.split_off(first_item))
        };
        Some(Node { value, place })
    }

    fn flow_entry(&mut self, at: &mut Cursor, depth: usize) -> Option<Entry> {
        let start = *at;
        let (key, style) = self.flow_scalar(at)?;
        let key_place = self.place(start.line, start.indent, at.indent - start.indent);
        let scalar = Scalar {
            text: key,
            style,
            shared: None,
        };
        if doubt::check_key(&scalar, key_place).is_some() || scalar.text == "<<" {
            return None;
        }
        if !self.rest(*at).starts_with(": ") {
            return None;
        }
        self.flow_sign(at)?;
        self.flow_byte(at)?;
        let value = self.flow_value(at, depth)?;
        Some(Entry {
            key: scalar.text,
            key_place,
            value,
        })
    }

    fn flow_value(&mut self, at: &mut Cursor, depth: usize) -> Option<Node> {
        if matches!(self.flow_byte(at)?, b'[' | b'{') {
            return self.collection(at, depth + 1);
        }
        self.count(depth)?;
        let start = *at;
        let (text, style) = self.flow_scalar(at)?;
        let place = self.place(start.line, start.indent, at.indent - start.indent);
        self.scalar(text, style, place)
    }

    /// A quoted scalar, or a plain one without spaces and signs.
    fn flow_scalar(&mut self, at: &mut Cursor) -> Option<(SmolStr, Style)> {
        let rest = self.rest(*at);
        let (text, length, style) = match rest.as_bytes().first()? {
            b'"' | b'\'' => {
                let (text, length) = quoted(rest)?;
                (text, length, Style::Quoted)
            }
            byte if byte.is_ascii_alphanumeric() || *byte == b'_' => {
                let is_plain = |byte: &u8| {
                    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/')
                };
                let length = rest.bytes().take_while(is_plain).count();
                (rest[..length].into(), length, Style::Plain)
            }
            _ => return None,
        };
        if !rest[..length].is_ascii() {
            return None;
        }
        at.start += length;
        at.indent += length;
        Some((text, style))
    }

    /// The next byte that is not a space, where `at` is then.
    fn flow_byte(&mut self, at: &mut Cursor) -> Option<u8> {
        let rest = self.rest(*at);
        let skipped = rest.bytes().take_while(|byte| *byte == b' ').count();
        at.start += skipped;
        at.indent += skipped;
        rest.as_bytes().get(skipped).copied()
    }

    /// Goes behind a sign.
    fn flow_sign(&mut self, at: &mut Cursor) -> Option<u8> {
        let sign = self.rest(*at).as_bytes().first().copied()?;
        at.start += 1;
        at.indent += 1;
        Some(sign)
    }
}
