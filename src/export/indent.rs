//! JSON with a line for every value, as `serde_json` indents it. A document has millions of lines, and each break is
//! written at once instead of level by level.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

pub fn write(to: impl Write, value: &impl Serialize) -> serde_json::Result<()> {
    value.serialize(&mut Serializer::with_formatter(to, Indented::default()))
}

#[derive(Default)]
struct Indented {
    depth: usize,
    /// Whether what is open has anything in it.
    is_filled: bool,
}

/// A comma, a break, and as much as the deepest documents are indented.
const BREAK: &[u8] = b",\n                                                                ";
const DEEPEST: usize = (BREAK.len() - 2) / 2;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    First,
    Another,
    End,
}

impl Indented {
    fn open<W: Write + ?Sized>(&mut self, to: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.is_filled = false;
        to.write_all(bracket)
    }

    fn close<W: Write + ?Sized>(&mut self, to: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        if self.is_filled {
            self.line(to, Before::End)?;
        }
        to.write_all(bracket)
    }

    fn line<W: Write + ?Sized>(&self, to: &mut W, before: Before) -> io::Result<()> {
        let start = usize::from(before != Before::Another);
        to.write_all(&BREAK[start..2 + 2 * self.depth.min(DEEPEST)])?;
        for _ in DEEPEST..self.depth {
            to.write_all(b"  ")?;
        }
        Ok(())
    }
}

fn before(first: bool) -> Before {
    match first {
        true => Before::First,
        false => Before::Another,
    }
}

impl Formatter for Indented {
    fn begin_array<W: Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        self.open(to, b"[")
    }

    fn end_array<W: Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        self.close(to, b"]")
    }

    fn begin_array_value<W: Write + ?Sized>(&mut self, to: &mut W, first: bool) -> io::Result<()> {
        self.line(to, before(first))
    }

    fn end_array_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.is_filled = true;
        Ok(())
    }

    fn begin_object<W: Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        self.open(to, b"{")
    }

    fn end_object<W: Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        self.close(to, b"}")
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, to: &mut W, first: bool) -> io::Result<()> {
        self.line(to, before(first))
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        to.write_all(b": ")
    }

    fn end_object_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.is_filled = true;
        Ok(())
    }
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
    fn it_is_indented_as_usual() {
        let value = json!({"a": [], "b": {}, "c": [1, [2, {"d": [null, "x,\n"]}], []], "e": {"f": {"g": true}}});
        assert_eq!(
            written(&value),
            serde_json::to_string_pretty(&value).unwrap()
        );
        let mut deep = json!(1);
        for _ in 0..100 {
            deep = json!([deep, {"k": 0}]);
        }
        assert_eq!(written(&deep), serde_json::to_string_pretty(&deep).unwrap());
    }
}
