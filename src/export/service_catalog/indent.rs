//! JSON as people read and compare it: a line for every value, but for lists and maps that hold nothing further and fit in a
//! line. A document has millions of values, so its compact form is laid out in one pass, a good piece at a time.

use std::io::{self, Write};

use base::bytes::either;

/// What is longer has a line for each of its values.
const WIDEST: usize = 180;
/// As much is handed on at once.
const FULL: usize = 1 << 16;

/// Lines on their way to somebody.
pub struct Layout<W> {
    to: W,
    lines: Vec<u8>,
    /// Where the marks stand in a list or map that is looked at.
    marks: Vec<usize>,
}

impl<W: Write> Layout<W> {
    pub fn new(to: W) -> Layout<W> {
        Layout {
            to,
            lines: Vec::with_capacity(2 * FULL),
            marks: Vec::new(),
        }
    }

    /// Appends a text as it is.
    pub fn put(&mut self, text: &str) {
        self.lines.extend_from_slice(text.as_bytes());
    }

    /// Breaks the line; the next one is so deep in others.
    pub fn line(&mut self, depth: usize) -> io::Result<()> {
        if self.lines.len() > FULL {
            self.hand_on()?;
        }
        self.lines.push(b'\n');
        let end = self.lines.len() + 2 * depth;
        self.lines.resize(end, b' ');
        Ok(())
    }

    /// Appends compact JSON that stands so deep in others.
    pub fn json(&mut self, json: &str, mut depth: usize) -> io::Result<()> {
        let json = json.as_bytes();
        let mut at = 0;
        while let Some(&byte) = json.get(at) {
            match byte {
                b'{' | b'[' => {
                    if let Some(end) = self.flat(json, at) {
                        at = end;
                        continue;
                    }
                    depth += 1;
                    self.lines.push(byte);
                    self.line(depth)?;
                }
                b'}' | b']' => {
                    depth -= 1;
                    self.line(depth)?;
                    self.lines.push(byte);
                }
                b',' => {
                    self.lines.push(b',');
                    self.line(depth)?;
                }
                b':' => self.lines.extend_from_slice(b": "),
                _ => {
                    let end = value(json, at);
                    self.lines.extend_from_slice(&json[at..end]);
                    at = end;
                    continue;
                }
            }
            at += 1;
        }
        Ok(())
    }

    pub fn finish(mut self) -> io::Result<()> {
        self.hand_on()?;
        self.to.flush()
    }

    fn hand_on(&mut self) -> io::Result<()> {
        self.to.write_all(&self.lines)?;
        self.lines.clear();
        Ok(())
    }

    /// Appends the list or map that begins at `start` in one line, if it is one, and says where it ends.
    fn flat(&mut self, json: &[u8], start: usize) -> Option<usize> {
        self.marks.clear();
        let mut at = start + 1;
        let close = loop {
            match *json.get(at)? {
                b'{' | b'[' => return None,
                b'}' | b']' => break at,
                b',' | b':' => {
                    self.marks.push(at);
                    at += 1;
                }
                _ => at = value(json, at),
            }
            // With the room behind each mark.
            if at - start + self.marks.len() > WIDEST {
                return None;
            }
        };
        let is_map = json[close] == b'}' && close > start + 1;
        self.lines.push(json[start]);
        if is_map {
            self.lines.push(b' ');
        }
        let mut from = start + 1;
        for mark in &self.marks {
            self.lines.extend_from_slice(&json[from..=*mark]);
            self.lines.push(b' ');
            from = mark + 1;
        }
        self.lines.extend_from_slice(&json[from..close]);
        if is_map {
            self.lines.push(b' ');
        }
        self.lines.push(json[close]);
        Some(close + 1)
    }
}

/// Where the text, number or word ends that begins at `start`.
fn value(json: &[u8], start: usize) -> usize {
    if json[start] != b'"' {
        let is_end = |byte: &u8| matches!(byte, b'}' | b']' | b',' | b':');
        let end = json[start..].iter().position(is_end);
        return end.map_or(json.len(), |end| start + end);
    }
    let mut at = start + 1;
    // Most texts have no character behind a backslash.
    while let Some(found) = either(b'"', b'\\', &json[at..]) {
        at += found + 1;
        if json[at - 1] == b'"' {
            return at;
        }
        at += 1;
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn written(value: &Value) -> String {
        let mut bytes = Vec::new();
        let mut layout = Layout::new(&mut bytes);
        layout.json(&value.to_string(), 0).unwrap();
        layout.finish().unwrap();
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
