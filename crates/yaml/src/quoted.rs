//! Quoted scalars over several lines. YAML wants their continuation lines indented, and kustomize does not care. Such
//! lines are indented here before they are parsed: leading space in them is no part of the value.

use std::borrow::Cow;

/// Columns by which a line is indented: more than any mapping that people write.
pub const INDENT: usize = 256;
/// Maximum number of lines that are indented in one file; each costs another pass.
const MAX_LINES: usize = 32;

/// The lines that were indented so far, counted from 1.
#[derive(Debug, Clone, Default)]
pub struct Indented {
    lines: Vec<usize>,
    /// Indenting did not help, so the text is parsed as it is.
    is_final: bool,
}

impl Indented {
    /// Whether indenting a line may help. A line that separates documents is no part of a scalar.
    pub fn may_indent(&self, text: &str, line: usize) -> bool {
        let is_separator = || {
            let content = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
            content.starts_with("---") || content.starts_with("...")
        };
        !self.is_final
            && self.lines.len() < MAX_LINES
            && !self.lines.contains(&line)
            && !is_separator()
    }

    /// The column in the file that a column in a line stands for.
    pub fn column(&self, line: usize, column: usize) -> usize {
        if self.lines.contains(&line) {
            column.saturating_sub(INDENT)
        } else {
            column
        }
    }
}

/// Parses a text, again for each line that has to be indented: the error of `once`. If the text is broken even so, it
/// is parsed as it is.
pub fn parse<T>(
    text: &str,
    is_broken: impl Fn(&T) -> bool,
    once: impl Fn(&str, &Indented) -> Result<T, usize>,
) -> Option<T> {
    let mut indented = Indented::default();
    let mut changed = Cow::Borrowed(text);
    // One pass for each line, and the last one.
    for _ in 0..=MAX_LINES {
        match once(&changed, &indented) {
            Ok(parsed) if indented.lines.is_empty() || !is_broken(&parsed) => return Some(parsed),
            Ok(_) => break,
            Err(line) => {
                indented.lines.push(line);
                changed = Cow::Owned(with_indent(&changed, line));
            }
        }
    }
    let as_it_is = Indented {
        is_final: true,
        ..Indented::default()
    };
    once(text, &as_it_is).ok()
}

fn with_indent(text: &str, line: usize) -> String {
    let mut out = String::with_capacity(text.len() + INDENT);
    for (number, content) in (1..).zip(text.split_inclusive('\n')) {
        if number == line {
            out.extend(std::iter::repeat_n(' ', INDENT));
        }
        out.push_str(content);
    }
    out
}
