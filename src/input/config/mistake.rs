//! Mistakes in `catalog.toml`, with the line that each is in, shown as a compiler shows them.

use std::fmt;
use std::ops::Range;

use thiserror::Error;

use base::text::counted;
use base::{FileId, Place, Severity};
use system::snippet::{LineRole, Message};
use system::terminal::{Paint, plain};

/// All that is wrong with one configuration file, in the order of its lines.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct ConfigError {
    pub file: String,
    pub mistakes: Vec<Mistake>,
    /// How many mistakes there are besides.
    pub more: usize,
}

/// Mistakes beyond this number are left out: fixing the first ones comes first.
const MOST: usize = 50;

/// One mistake. Line and column count from 1; line 0 is the file as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mistake {
    pub line: u32,
    pub column: u32,
    /// How many characters to underline.
    pub len: u32,
    pub message: String,
    pub help: Option<String>,
    source: Option<String>,
}

/// Collects mistakes while a file is read, so that the reader need not stop at the first.
pub(super) struct Mistakes<'s> {
    source: &'s str,
    /// Start of each line.
    lines: Vec<usize>,
    list: Vec<(MistakeKind, Mistake)>,
    /// How many are not in the list, of syntax and in all.
    more: (usize, usize),
    /// Placeholder for mistakes beyond the limit. It is never read.
    spare: Mistake,
}

/// Kind of a mistake, to tell apart mistakes that only follow from another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MistakeKind {
    Syntax,
    Missing,
    Value,
}

impl ConfigError {
    /// For a file that cannot even be read.
    pub(super) fn whole_file(file: &str, message: String) -> ConfigError {
        let mistake = Mistake {
            message,
            ..Mistake::default()
        };
        ConfigError {
            file: file.to_string(),
            mistakes: vec![mistake],
            more: 0,
        }
    }
}

impl Mistake {
    pub(super) fn help(&mut self, help: impl Into<String>) -> &mut Mistake {
        self.help = Some(help.into());
        self
    }

    /// For a line that holds a secret, which a log must not repeat.
    pub(super) fn hide_source(&mut self) -> &mut Mistake {
        self.source = None;
        self
    }
}

impl<'s> Mistakes<'s> {
    pub(super) fn new(source: &'s str) -> Mistakes<'s> {
        let ends = source.match_indices('\n').map(|(at, _)| at + 1);
        Mistakes {
            source,
            lines: [0].into_iter().chain(ends).collect(),
            list: Vec::new(),
            more: (0, 0),
            spare: Mistake::default(),
        }
    }

    /// Adds a mistake about what is written at these bytes of the source.
    pub(super) fn add(&mut self, span: Range<usize>, message: impl Into<String>) -> &mut Mistake {
        self.push(MistakeKind::Value, span, message.into())
    }

    /// Adds a mistake about what is not written, but belongs at these bytes.
    pub(super) fn add_missing(&mut self, span: Range<usize>, message: String) -> &mut Mistake {
        self.push(MistakeKind::Missing, span, message)
    }

    /// Adds an error of the parser, of which only the first in a line is worth telling.
    pub(super) fn add_syntax(&mut self, span: Range<usize>, message: String) {
        let line = self.line_of(&span);
        if self.list.iter().all(|(_, other)| other.line != line) {
            self.push(MistakeKind::Syntax, span, message);
        }
    }

    /// Place of these bytes in the source, up to the end of their first line, without the file.
    pub(super) fn place_of(&self, span: &Range<usize>) -> Place {
        let (start, end) = (self.boundary(span.start), self.boundary(span.end));
        let at = self.lines.partition_point(|line| *line <= start);
        let line_start = self.lines[at - 1];
        let line = self.source[line_start..].lines().next().unwrap_or("");
        let end = end.clamp(start, (line_start + line.len()).max(start));
        Place {
            file: FileId::NONE,
            line: at as u32,
            column: self.source[line_start..start].chars().count() as u32 + 1,
            len: self.source[start..end].chars().count() as u32,
        }
    }

    pub(super) fn line_of(&self, span: &Range<usize>) -> u32 {
        let start = self.boundary(span.start);
        self.lines.partition_point(|line| *line <= start) as u32
    }

    /// The value when nothing is wrong with the file.
    pub(super) fn into_result<T>(self, file: &str, value: T) -> Result<T, ConfigError> {
        let mut list = self.list;
        let syntax = list.iter().filter(|(kind, _)| *kind == MistakeKind::Syntax);
        // The parser guesses what follows a broken line; a mistake there may be its own.
        if let Some(broken) = syntax.map(|(_, mistake)| mistake.line).min() {
            list.retain(|(kind, mistake)| match kind {
                MistakeKind::Syntax => true,
                MistakeKind::Missing => false,
                MistakeKind::Value => mistake.line < broken,
            });
        }
        if list.is_empty() {
            return Ok(value);
        }
        let more = if list.iter().any(|(kind, _)| *kind == MistakeKind::Syntax) {
            self.more.0
        } else {
            self.more.1
        };
        let mut mistakes: Vec<Mistake> = list.into_iter().map(|(_, mistake)| mistake).collect();
        mistakes.sort_by_key(|mistake| (mistake.line, mistake.column));
        Err(ConfigError {
            file: file.to_string(),
            mistakes,
            more,
        })
    }

    fn push(&mut self, kind: MistakeKind, span: Range<usize>, message: String) -> &mut Mistake {
        // To look at a place costs as much as its line is long, so that not all of many can be looked at.
        if self.list.len() >= MOST {
            self.more.0 += usize::from(kind == MistakeKind::Syntax);
            self.more.1 += 1;
            return &mut self.spare;
        }
        let place = self.place_of(&span);
        let line_start = self.lines[place.line as usize - 1];
        let line = self.source[line_start..].lines().next().unwrap_or("");
        let mistake = Mistake {
            line: place.line,
            column: place.column,
            len: place.len,
            message,
            help: None,
            source: Some(line.to_string()),
        };
        self.list.push((kind, mistake));
        let last = self.list.len() - 1;
        &mut self.list[last].1
    }

    /// The start of the character at this byte, as an index that cannot fail.
    fn boundary(&self, at: usize) -> usize {
        let mut at = at.min(self.source.len());
        while !self.source.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, mistake) in self.mistakes.iter().enumerate() {
            if index > 0 {
                write!(f, "\n\n")?;
            }
            f.write_str(&shown(mistake, &self.file))?;
        }
        match self.more {
            0 => Ok(()),
            more => write!(f, "\n\nerror: {} in this file", counted(more, "more error")),
        }
    }
}

fn shown(mistake: &Mistake, file: &str) -> String {
    let mut message = Message::new(Severity::Error, None, &mistake.message);
    if mistake.line > 0 {
        let place = Place {
            file: FileId::NONE,
            line: mistake.line,
            column: mistake.column,
            len: mistake.len,
        };
        let line = mistake.source.as_deref().map(|line| {
            let byte = |column: u32| {
                let mut chars = line.char_indices().map(|(byte, _)| byte);
                chars.nth(column as usize).unwrap_or(line.len())
            };
            let start = mistake.column.saturating_sub(1);
            (line, byte(start)..byte(start.saturating_add(mistake.len)))
        });
        message = message.source(file, place, line, LineRole::Primary, "");
    }
    if let Some(help) = &mistake.help {
        message = message.remark("help", plain(help));
    }
    message.render(Paint::Plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(source: &str, span: Range<usize>) -> String {
        let mut mistakes = Mistakes::new(source);
        mistakes.add(span, "no");
        mistakes.into_result("f", ()).unwrap_err().to_string()
    }

    #[test]
    fn the_underline_stands_below_characters_and_not_bytes() {
        let shown = shown("é\té = 1\n", 3..5);
        assert_eq!(
            shown,
            "error: no\n --> f:1:3\n  |\n1 | é    é = 1\n  |      ^"
        );
    }

    #[test]
    fn a_span_over_several_lines_is_underlined_on_its_first() {
        let shown = shown("a = [\r\n  1,\r\n]\r\n", 4..16);
        assert_eq!(shown, "error: no\n --> f:1:5\n  |\n1 | a = [\n  |     ^");
    }

    #[test]
    fn any_span_has_a_place() {
        for source in ["", "é", "a\n", "\r\n\r\n", "日本\n語"] {
            for start in 0..9 {
                for end in 0..9 {
                    assert!(shown(source, start..end).starts_with("error: no\n --> f:"));
                }
            }
        }
    }

    #[test]
    fn of_many_mistakes_the_first_are_told_and_the_others_counted() {
        let source = "a = \n".repeat(80_000);
        let mut mistakes = Mistakes::new(&source);
        for line in 0..80_000 {
            mistakes.add_syntax(line * 5..line * 5 + 1, "no".to_owned());
        }
        let error = mistakes.into_result("f", ()).unwrap_err();
        assert_eq!((error.mistakes.len(), error.more), (MOST, 79_950));
        assert_eq!(error.mistakes[49].line, 50);
        let shown = error.to_string();
        assert!(shown.ends_with("\n\nerror: 79,950 more errors in this file"));
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert!(!shown("a\u{1b}[31m", 0..1).contains('\u{1b}'));
    }
}
