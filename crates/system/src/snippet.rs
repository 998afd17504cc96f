//! Messages as compilers print them: with the source line, an underline and remarks below. The only importer of the crate
//! that lays them out.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use super::terminal::{Paint, line, plain};
use base::{Place, Severity};

/// Cuts off the location that the renderer computes.
const CUT: char = '\0';

/// A message under construction.
pub struct Message {
    group: Group<'static>,
    /// Stands for the number of a line while there is none.
    margin: &'static str,
}

/// What a line is to the message: where the problem is, or what it is related to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineRole {
    Primary,
    Related,
}

impl Message {
    pub fn new(severity: Severity, rule: Option<&'static str>, text: &str) -> Message {
        let level = match severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Info => Level::INFO,
        };
        let title = level.primary_title(plain(text));
        Message {
            group: Group::with_title(match rule {
                Some(rule) => title.id(rule),
                None => title,
            }),
            margin: " ",
        }
    }

    /// Adds a place with its line, of which the bytes of the range are underlined. Some lines cannot be shown.
    pub fn source(
        self,
        path: &str,
        place: Place,
        shown: Option<(&str, Range<usize>)>,
        role: LineRole,
        label: &str,
    ) -> Message {
        let location = format!("{}:{}:{}", plain(path), place.line, place.column);
        let label = Some(plain(label)).filter(|label| !label.is_empty());
        let Some((text, span)) = shown else {
            let message = self.element(Origin::path(location));
            return match label {
                Some(label) => message.element(Level::NOTE.message(label)),
                None => message,
            };
        };
        let (before, rest) = text.split_at(span.start);
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let (marked, after) = rest.split_at(span.len().max(first));
        let (before, marked) = (line(before), line(marked));
        let span = before.len()..before.len() + marked.len();
        let kind = match role {
            LineRole::Primary => AnnotationKind::Primary,
            LineRole::Related => AnnotationKind::Context,
        };
        // The renderer counts columns in the line as shown, where redaction and escapes may have moved them.
        let snippet = Snippet::source(format!("{before}{marked}{}", line(after)))
            .line_start(place.line as usize)
            .path(format!("{location}{CUT}"))
            .annotation(kind.span(span).label(label));
        Message {
            margin: "",
            ..self.element(snippet)
        }
    }

    /// Adds `= help: text`. The text may have lines and colours of its own, and nothing else that a terminal obeys.
    pub fn remark(self, name: &'static str, text: String) -> Message {
        self.element(Level::NOTE.with_name(name).message(text))
    }

    fn element(self, element: impl Into<Element<'static>>) -> Message {
        Message {
            group: self.group.element(element),
            ..self
        }
    }

    /// The lines, without a line break at the end.
    pub fn render(self, paint: Paint) -> String {
        let renderer = match paint {
            Paint::Plain => Renderer::plain(),
            Paint::Colour => Renderer::styled(),
        };
        let rendered = renderer.render(&[self.group]);
        let lines = rendered.lines().map(|line| {
            let line = line.split_once(CUT).map_or(line, |(line, _)| line);
            line.trim_end()
        });
        let separator = format!("\n{}", self.margin);
        lines.collect::<Vec<_>>().join(&separator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::FileId;

    fn shown(text: &str, span: Range<usize>) -> String {
        let place = Place {
            file: FileId(0),
            line: 1,
            column: 7,
            len: 1,
        };
        Message::new(Severity::Error, None, "no")
            .source("f", place, Some((text, span)), LineRole::Primary, "")
            .render(Paint::Plain)
    }

    #[test]
    fn a_long_line_is_cut_around_what_is_meant() {
        let line = format!("{}X{}", "a".repeat(500), "b".repeat(500));
        let shown = shown(&line, 500..501);
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[3].starts_with("1 | ...") && lines[3].ends_with("..."));
        assert!(lines[3].len() < 200);
        assert_eq!(lines[3].find('X'), lines[4].find('^'));
    }

    #[test]
    fn the_underline_stands_below_what_is_meant_whatever_stands_before() {
        for (text, span, expected) in [
            ("é\té = 1", 3..5, "1 | é    é = 1\n  |      ^"),
            (
                "日\u{202e}\u{1b}x",
                7..8,
                "1 | 日\\u{202e}␛x\n  |            ^",
            ),
            ("ab", 2..2, "1 | ab\n  |   ^"),
            ("", 0..0, "1 |\n  | ^"),
        ] {
            let head = "error: no\n --> f:1:7\n  |\n";
            assert_eq!(shown(text, span), format!("{head}{expected}"));
        }
    }
}
