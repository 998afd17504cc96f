//! Writes YAML as `sigs.k8s.io/yaml` does: sorted keys, the same quotes, the same line breaks.

use smol_str::SmolStr;

use super::scalar::{ScalarShape, is_printable, is_reserved};
use crate::data;
use crate::engine::print::float;
use crate::engine::{Entries, Fail, MapKind, Run, Val};

/// Maximum nesting of values.
const MAX_DEPTH: usize = 400;
/// Keys that are longer are written with a question mark.
const MAX_SIMPLE_KEY: usize = 128;
/// Beyond this column, a space becomes a line break.
const WIDTH: usize = 80;

/// How lists inside maps are indented, and numbers written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum YamlLayout {
    /// `toYaml`: lists are as far left as their key.
    Compact,
    /// `toYamlPretty`: lists are indented.
    Pretty,
}

/// Whether a collection begins on the line of its dash.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    SameLine,
    NewLine,
}

/// A value as YAML, without a final newline. Empty if it cannot be written.
pub fn write(run: &mut Run, value: &Val, layout: YamlLayout) -> Result<String, Fail> {
    let mut writer = YamlWriter {
        run,
        out: String::new(),
        layout,
        is_unwritable: false,
    };
    match value {
        Val::Map(_) | Val::List(_) if !is_empty(value) => {
            writer.node(value, 0, Start::SameLine, 0)?;
        }
        scalar => writer.scalar(scalar, 2)?,
    }
    if writer.is_unwritable {
        return Ok(String::new());
    }
    let out = writer.out;
    Ok(out.strip_suffix('\n').map_or(out.clone(), str::to_owned))
}

fn is_empty(value: &Val) -> bool {
    match value {
        Val::Map(map) => map.entries.borrow().is_empty(),
        Val::List(list) => list.items.is_empty(),
        _ => false,
    }
}

struct YamlWriter<'r> {
    run: &'r mut Run,
    out: String,
    layout: YamlLayout,
    is_unwritable: bool,
}

impl YamlWriter<'_> {
    fn line(&mut self, indent: usize) {
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
        self.out.extend(std::iter::repeat_n(' ', indent));
    }

    /// A collection that is not empty.
    fn node(&mut self, value: &Val, indent: usize, start: Start, depth: usize) -> Result<(), Fail> {
        if depth > MAX_DEPTH {
            return Err(Fail::limit("a value is nested too deeply"));
        }
        self.run.spent.charge_text(indent)?;
        self.run.spent.charge(3)?;
        let mut start = start;
        match value {
            Val::Map(map) => {
                let is_metadata = matches!(map.kind, MapKind::Struct(_));
                let entries = map.entries.borrow();
                for (key, inner) in sorted(self.run, &entries)? {
                    if is_metadata && inner.is_empty() {
                        continue;
                    }
                    self.run.spent.charge(2 + indent as u64 / 16)?;
                    if std::mem::replace(&mut start, Start::NewLine) == Start::NewLine {
                        self.line(indent);
                    }
                    if key.len() > MAX_SIMPLE_KEY || key.contains('\n') {
                        self.out.push_str("? ");
                        self.text(key, Some(indent + 2));
                        self.line(indent);
                        self.out.push(':');
                    } else {
                        self.text(key, None);
                        self.out.push(':');
                    }
                    self.value(inner, indent, depth)?;
                }
            }
            Val::List(list) => {
                for item in &list.items {
                    self.run.spent.charge(2 + indent as u64 / 16)?;
                    if std::mem::replace(&mut start, Start::NewLine) == Start::NewLine {
                        self.line(indent);
                    }
                    self.out.push('-');
                    if is_empty(item) || !matches!(item, Val::Map(_) | Val::List(_)) {
                        self.out.push(' ');
                        self.scalar(item, indent + 2)?;
                    } else {
                        self.out.push(' ');
                        self.node(item, indent + 2, Start::SameLine, depth + 1)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The value after a key.
    fn value(&mut self, value: &Val, indent: usize, depth: usize) -> Result<(), Fail> {
        match value {
            Val::Map(_) if !is_empty(value) => {
                self.node(value, indent + 2, Start::NewLine, depth + 1)
            }
            Val::List(_) if !is_empty(value) => {
                let indent = if self.layout == YamlLayout::Pretty {
                    indent + 2
                } else {
                    indent
                };
                self.node(value, indent, Start::NewLine, depth + 1)
            }
            scalar => {
                self.out.push(' ');
                self.scalar(scalar, indent + 2)
            }
        }
    }

    fn scalar(&mut self, value: &Val, indent: usize) -> Result<(), Fail> {
        self.run.spent.charge(1)?;
        match value {
            Val::Nil | Val::Null => self.out.push_str("null"),
            Val::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Val::Int(value) | Val::Int64(value) => self.out.push_str(&value.to_string()),
            Val::Float(value) => match number(*value, self.layout) {
                Some(text) => self.out.push_str(&text),
                None => self.is_unwritable = true,
            },
            Val::Text(text) => {
                self.run.spent.charge_text(text.len())?;
                self.text(text, Some(indent));
            }
            Val::Bytes(bytes) => {
                let text = super::base64(bytes);
                self.run.spent.charge_text(text.len())?;
                self.text(&text, Some(indent));
            }
            Val::Time(time) => self.text(&time.to_rfc3339(), Some(indent)),
            Val::Version(version) => self.text(&version.to_string(), Some(indent)),
            Val::List(_) => self.out.push_str("[]"),
            Val::Map(_) => self.out.push_str("{}"),
        }
        Ok(())
    }

    /// A text; `block` is the indentation of its lines if it may be a block, which a key may not.
    fn text(&mut self, text: &str, block: Option<usize>) {
        let shape = ScalarShape::of(text);
        let is_plain = data::resolve(text).is_none() && !is_reserved(text);
        if text.contains('\n') {
            match block {
                Some(indent) if shape.block => self.block(text, indent),
                _ => self.double_quoted(text, block),
            }
        } else if !is_plain {
            self.double_quoted(text, block);
        } else if shape.plain {
            self.folded(text, block);
        } else if shape.single_quoted {
            self.out.push('\'');
            self.folded(&text.replace('\'', "''"), block);
            self.out.push('\'');
        } else {
            self.double_quoted(text, block);
        }
    }

    /// The column of the end, in characters.
    fn column(&self) -> usize {
        let start = self.out.rfind('\n').map_or(0, |at| at + 1);
        self.out[start..].chars().count()
    }

    /// Whether a text may reach beyond the width, so that it must be folded.
    fn is_wide(&self, text: &str, block: Option<usize>) -> bool {
        block.is_some() && self.layout == YamlLayout::Compact && self.column() + text.len() > WIDTH
    }

    /// A text that needs no escapes. A single space beyond the width becomes a line break.
    fn folded(&mut self, text: &str, block: Option<usize>) {
        let Some(indent) = block.filter(|_| self.is_wide(text, block)) else {
            self.out.push_str(text);
            return;
        };
        let mut column = self.column();
        let is_quoted = self.out.ends_with('\'');
        let mut was_space = false;
        let mut characters = text.chars().peekable();
        let mut is_first = true;
        while let Some(c) = characters.next() {
            let next = characters.peek();
            let is_inside = !is_quoted || !is_first && next.is_some();
            let breaks =
                c == ' ' && !was_space && column > WIDTH && next != Some(&' ') && is_inside;
            was_space = c == ' ';
            is_first = false;
            if breaks {
                self.out.push('\n');
                self.out.extend(std::iter::repeat_n(' ', indent));
                column = indent;
            } else {
                self.out.push(c);
                column += 1;
            }
        }
    }

    fn block(&mut self, text: &str, indent: usize) {
        self.out.push('|');
        if text.starts_with([' ', '\n']) {
            self.out.push('2');
        }
        let body = text.trim_end_matches('\n');
        match text.len() - body.len() {
            0 => self.out.push('-'),
            1 if !body.is_empty() => {}
            _ => self.out.push('+'),
        }
        self.out.push('\n');
        for line in text.split_inclusive('\n') {
            if line != "\n" {
                self.out.extend(std::iter::repeat_n(' ', indent));
            }
            self.out.push_str(line);
        }
    }

    fn double_quoted(&mut self, text: &str, block: Option<usize>) {
        self.out.push('"');
        let folds = block.filter(|_| self.is_wide(text, block));
        let mut was_space = false;
        let mut characters = text.chars().peekable();
        let mut is_first = true;
        while let Some(c) = characters.next() {
            let is_inside = !is_first && characters.peek().is_some();
            is_first = false;
            if let (' ', Some(indent)) = (c, folds)
                && is_inside
                && !was_space
                && self.column() > WIDTH
            {
                self.out.push('\n');
                self.out.extend(std::iter::repeat_n(' ', indent));
                if characters.peek() == Some(&' ') {
                    self.out.push('\\');
                }
            } else {
                self.escaped(c);
            }
            was_space = c == ' ';
        }
        self.out.push('"');
    }

    fn escaped(&mut self, c: char) {
        let code = u32::from(c);
        let letter = match c {
            '"' | '\\' => c,
            '\0' => '0',
            '\u{7}' => 'a',
            '\u{8}' => 'b',
            '\t' => 't',
            '\n' => 'n',
            '\u{b}' => 'v',
            '\u{c}' => 'f',
            '\r' => 'r',
            '\u{1b}' => 'e',
            '\u{85}' => 'N',
            '\u{2028}' => 'L',
            '\u{2029}' => 'P',
            c if is_printable(c) => {
                self.out.push(c);
                return;
            }
            _ if code <= 0xFF => return self.out.push_str(&format!("\\x{code:02X}")),
            _ if code <= 0xFFFF => return self.out.push_str(&format!("\\u{code:04X}")),
            _ => return self.out.push_str(&format!("\\U{code:08X}")),
        };
        self.out.push('\\');
        self.out.push(letter);
    }
}

/// Entries in the order of the library: numbers in keys count as numbers, and signs come before letters.
fn sorted<'e>(run: &mut Run, entries: &'e Entries) -> Result<Vec<(&'e SmolStr, &'e Val)>, Fail> {
    let mut all: Vec<(&SmolStr, &Val)> = Vec::with_capacity(entries.len());
    for entry in entries {
        // The order is not always transitive, so it cannot be given to a sorting function.
        let mut at = all.len();
        while at > 0 && is_before(entry.0, all[at - 1].0) {
            run.spent.charge(1 + entry.0.len() as u64 / 64)?;
            at -= 1;
        }
        all.insert(at, entry);
    }
    Ok(all)
}

fn is_before(one: &str, other: &str) -> bool {
    let shared = one
        .bytes()
        .zip(other.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    let shared = (0..=shared)
        .rev()
        .find(|at| one.is_char_boundary(*at) && other.is_char_boundary(*at));
    let (before, rest) = one.split_at(shared.unwrap_or(0));
    let other_rest = &other[shared.unwrap_or(0)..];
    let (Some(a), Some(b)) = (rest.chars().next(), other_rest.chars().next()) else {
        return rest.is_empty() && !other_rest.is_empty();
    };
    match (a.is_alphabetic(), b.is_alphabetic()) {
        (true, true) => return a < b,
        (true, false) => return false,
        (false, true) => return true,
        (false, false) => {}
    }
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (length, other_length) = (digits(rest), digits(other_rest));
    // Digits before that are not zero give zeros here a weight.
    let weight = if a == '0' || b == '0' {
        let number = before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let has_number = before[number..].bytes().any(|b| b != b'0');
        if has_number { "1" } else { "" }
    } else {
        ""
    };
    let value = |digits: &str| {
        format!("{weight}{digits}")
            .parse::<u64>()
            .unwrap_or(u64::MAX)
    };
    let value = |digits: &str| {
        if digits.is_empty() && weight.is_empty() {
            0
        } else {
            value(digits)
        }
    };
    let (number, other_number) = (value(&rest[..length]), value(&other_rest[..other_length]));
    if number != other_number {
        return number < other_number;
    }
    if length != other_length {
        return length < other_length;
    }
    a < b
}

/// A float as YAML; `None` if JSON has no such number.
fn number(value: f64, layout: YamlLayout) -> Option<String> {
    if !value.is_finite() {
        return None;
    }
    let is_whole = value.fract() == 0.0 && value.abs() < 18_446_744_073_709_551_615.0;
    if value == 0.0 {
        return Some("0".to_owned());
    }
    if is_whole && layout == YamlLayout::Compact {
        return Some(format!("{value}"));
    }
    Some(float(value))
}
