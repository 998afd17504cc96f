//! JSON as people read and compare it: a line for every value, but for lists and maps that hold nothing further and fit in a
//! line. A document has millions of values, so it is laid out as its bytes come, in one pass.

use std::io::{self, Write};

use serde::Serialize;

pub fn write(to: impl Write, value: &impl Serialize) -> serde_json::Result<()> {
    let mut layout = Layout::new(to);
    serde_json::to_writer(&mut layout, value)?;
    layout.flush().map_err(serde_json::Error::io)
}

/// What is longer has a line for each of its values.
const WIDEST: usize = 180;

/// Takes compact JSON, and hands it on in lines.
struct Layout<W> {
    to: W,
    /// Lists and maps that are open and have lines of their own.
    depth: usize,
    /// The innermost list or map as far as it was read, from its bracket on; empty where that has lines already.
    pending: Vec<u8>,
    /// Where its values end: before each comma in it.
    commas: Vec<usize>,
    inside: Inside,
    /// Whether nothing stands between the last bracket that has lines and what comes.
    is_fresh: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Nothing,
    Text,
    /// Behind a backslash.
    Escape,
}

/// A break, and as much as most documents are indented.
const BREAK: &[u8] = b"\n                                                                ";

impl<W: Write> Layout<W> {
    fn new(to: W) -> Layout<W> {
        Layout {
            to,
            depth: 0,
            pending: Vec::with_capacity(256),
            commas: Vec::new(),
            inside: Inside::Nothing,
            is_fresh: false,
        }
    }

    /// Where a text ends that is read from `start` on, or the part of it that can be handed on whole: most of a document is text.
    fn text(&mut self, bytes: &[u8], start: usize) -> usize {
        let ends = |byte: &u8| matches!(byte, b'"' | b'\\');
        let end = bytes[start..].iter().position(ends);
        let Some(end) = end.map(|end| start + end) else {
            self.inside = Inside::Text;
            return bytes.len();
        };
        self.inside = match bytes[end] {
            b'"' => Inside::Nothing,
            _ => Inside::Escape,
        };
        end + 1
    }

    fn take(&mut self, mark: u8) -> io::Result<()> {
        match mark {
            b'{' | b'[' => {
                self.spread()?;
                self.start_value()?;
                self.pending.push(mark);
            }
            b'}' | b']' if !self.pending.is_empty() => self.close(mark)?,
            b'}' | b']' => {
                self.depth -= 1;
                self.line()?;
                self.to.write_all(&[mark])?;
            }
            b',' if !self.pending.is_empty() => {
                self.commas.push(self.pending.len());
                self.pending.extend_from_slice(b", ");
            }
            b',' => {
                self.to.write_all(b",")?;
                self.line()?;
            }
            _ => self.put(b": ")?,
        }
        Ok(())
    }

    /// Bytes that are part of a value.
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self.pending.is_empty() {
            true => {
                self.start_value()?;
                self.to.write_all(bytes)
            }
            false => {
                self.pending.extend_from_slice(bytes);
                Ok(())
            }
        }
    }

    /// The first value behind a bracket has a line of its own.
    fn start_value(&mut self) -> io::Result<()> {
        match std::mem::take(&mut self.is_fresh) {
            true => self.line(),
            false => Ok(()),
        }
    }

    /// Ends a list or map that holds nothing further.
    fn close(&mut self, bracket: u8) -> io::Result<()> {
        if self.pending.len() > WIDEST {
            self.spread()?;
            self.depth -= 1;
            self.line()?;
            return self.to.write_all(&[bracket]);
        }
        let (open, values) = self.pending.split_at(1);
        self.to.write_all(open)?;
        if !values.is_empty() {
            let is_map = bracket == b'}';
            let room: &[u8] = if is_map { b" " } else { b"" };
            self.to.write_all(room)?;
            self.to.write_all(values)?;
            self.to.write_all(room)?;
        }
        self.pending.clear();
        self.commas.clear();
        self.to.write_all(&[bracket])
    }

    /// Gives what is pending lines of its own.
    fn spread(&mut self) -> io::Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let pending = std::mem::take(&mut self.pending);
        self.to.write_all(&pending[..1])?;
        self.depth += 1;
        let mut start = 1;
        self.is_fresh = true;
        for comma in std::mem::take(&mut self.commas) {
            self.start_value()?;
            self.to.write_all(&pending[start..=comma])?;
            self.is_fresh = true;
            start = comma + 2;
        }
        if start < pending.len() {
            self.start_value()?;
            self.to.write_all(&pending[start..])?;
        }
        self.pending = pending;
        self.pending.clear();
        Ok(())
    }

    fn line(&mut self) -> io::Result<()> {
        let mut left = 1 + 2 * self.depth;
        let first = left.min(BREAK.len());
        self.to.write_all(&BREAK[..first])?;
        left -= first;
        while left > 0 {
            let next = left.min(BREAK.len() - 1);
            self.to.write_all(&BREAK[1..=next])?;
            left -= next;
        }
        Ok(())
    }
}

impl<W: Write> Write for Layout<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while let Some(first) = rest.first() {
            let end = match self.inside {
                Inside::Nothing if *first == b'"' => self.text(rest, 1),
                Inside::Text => self.text(rest, 0),
                Inside::Escape => {
                    self.inside = Inside::Text;
                    1
                }
                Inside::Nothing if is_mark(first) => {
                    self.take(*first)?;
                    rest = &rest[1..];
                    continue;
                }
                Inside::Nothing => rest.iter().position(is_mark).unwrap_or(rest.len()),
            };
            self.put(&rest[..end])?;
            rest = &rest[end..];
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// What stands between values.
fn is_mark(byte: &u8) -> bool {
    matches!(byte, b'{' | b'}' | b'[' | b']' | b',' | b':')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn written(value: &Value) -> String {
        let mut bytes = Vec::new();
        write(&mut bytes, value).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn what_holds_nothing_further_stands_in_a_line() {
        let value = json!({
            "a": [], "b": {}, "c": [1, [2, {"d": [null, "x,\n\"]}"]}], []], "e": {"f": {"g": true, "h": "\\"}},
        });
        let expected = r#"{
  "a": [],
  "b": {},
  "c": [
    1,
    [
      2,
      {
        "d": [null, "x,\n\"]}"]
      }
    ],
    []
  ],
  "e": {
    "f": { "g": true, "h": "\\" }
  }
}"#;
        assert_eq!(written(&value), expected);
        assert_eq!(written(&json!("a")), "\"a\"");
    }

    #[test]
    fn what_is_too_long_for_a_line_has_one_for_each_value() {
        let long = "word ".repeat(40);
        let expected = format!("{{\n  \"a\": 1,\n  \"long\": \"{long}\",\n  \"z\": \"\"\n}}");
        assert_eq!(written(&json!({"a": 1, "long": long, "z": ""})), expected);
    }

    #[test]
    fn nothing_but_room_is_added() {
        let mut deep = json!({"k": "a b,[c]:{d}"});
        for at in 0..100 {
            deep = json!([deep, {"k": at}, [], "\u{1}"]);
        }
        let text = written(&deep);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), deep);
        assert!(!text.lines().any(|line| line.ends_with(' ')));
    }
}
