//! Findings for people: as compilers print them, with the source line, an underline and the next step.

use std::collections::BTreeMap;
use std::fmt::Write;

use rayon::prelude::*;

use super::Report;
use crate::checks::fix;
use crate::input::excerpt::Excerpt;
use base::{FileId, Finding, Fix, Place, Severity};
use system::terminal::{columns, plain};

/// Whether text has colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    Plain,
    Colour,
}

/// A line of a file is cut to this many columns.
const WIDEST: usize = 140;
/// How much of a cut line is shown before the underlined part.
const BEFORE: usize = 40;
/// A fix of more lines than this is not printed with its finding.
const MOST_LINES: usize = 40;

pub fn text(report: &Report<'_>, paint: Paint) -> String {
    let excerpts = excerpts(report);
    let writer = Writer {
        report,
        excerpts: &excerpts,
        paint,
    };
    let findings = report.findings.par_iter();
    let each: Vec<String> = findings.map(|finding| writer.finding(finding)).collect();
    each.concat()
}

/// The lines of every file that is shown, each read once.
fn excerpts(report: &Report<'_>) -> BTreeMap<FileId, Excerpt> {
    let findings = report.findings.iter();
    let places = findings.flat_map(|finding| {
        let notes = finding.notes().iter().map(|(place, _)| place.file);
        notes.chain([finding.place.file])
    });
    let mut files: Vec<FileId> = places.filter(|file| *file != FileId::NONE).collect();
    files.sort();
    files.dedup();
    let read = files.par_iter();
    let read = read.map(|file| (*file, Excerpt::read(report.repo, *file)));
    read.collect::<Vec<_>>().into_iter().collect()
}

struct Writer<'a> {
    report: &'a Report<'a>,
    excerpts: &'a BTreeMap<FileId, Excerpt>,
    paint: Paint,
}

/// What a text is, which determines its colour.
#[derive(Clone, Copy)]
enum Ink {
    Severity(Severity),
    Frame,
    Bold,
    Note,
    Added,
    Removed,
}

impl Writer<'_> {
    fn finding(&self, finding: &Finding) -> String {
        let mut text = String::new();
        let head = format!("{}[{}]", finding.severity, finding.rule);
        let _ = writeln!(
            text,
            "{}{}",
            self.ink(Ink::Severity(finding.severity), &head),
            self.ink(Ink::Bold, &format!(": {}", plain(&finding.message)))
        );
        let gutter = self.gutter(finding);
        if finding.place.file != FileId::NONE {
            let ink = Ink::Severity(finding.severity);
            self.snippet(
                &mut text,
                finding.place,
                Arrow::First,
                gutter,
                ('^', ink, ""),
            );
        }
        for (place, note) in finding.notes() {
            let note = plain(note);
            match place.file {
                FileId::NONE => self.line(&mut text, gutter, "note", &note),
                _ => {
                    let mark = ('-', Ink::Note, note.as_str());
                    self.snippet(&mut text, *place, Arrow::Further, gutter, mark);
                }
            }
        }
        if let Some(help) = &finding.help {
            self.line(&mut text, gutter, "help", &plain(help));
        }
        if let Some(fix) = self.report.fixes.get(finding) {
            self.fix(&mut text, gutter, fix);
        }
        let more = match self.report.address(finding.rule) {
            Some(address) => address,
            None => format!("catalog explain {}", finding.rule),
        };
        self.line(&mut text, gutter, "more", &more);
        text.push('\n');
        text
    }

    /// As wide as the largest number of a line.
    fn gutter(&self, finding: &Finding) -> usize {
        let notes = finding.notes().iter().map(|(place, _)| place.line);
        let largest = notes.chain([finding.place.line]).max().unwrap_or(0);
        largest.to_string().len()
    }

    fn snippet(
        &self,
        text: &mut String,
        place: Place,
        arrow: Arrow,
        gutter: usize,
        (mark, ink, label): (char, Ink, &str),
    ) {
        let path = plain(&self.report.path(place.file).unwrap_or_default());
        let arrow = match arrow {
            Arrow::First => "-->",
            Arrow::Further => ":::",
        };
        let space = " ".repeat(gutter);
        let bar = self.ink(Ink::Frame, "|");
        let _ = writeln!(
            text,
            "{space}{} {path}:{}:{}",
            self.ink(Ink::Frame, arrow),
            place.line,
            place.column
        );
        let quote = self
            .excerpts
            .get(&place.file)
            .and_then(|excerpt| excerpt.quote(place))
            .filter(|quote| !quote.text.trim().is_empty());
        let Some(quote) = quote else {
            if !label.is_empty() {
                let _ = writeln!(text, "{space} {bar} {label}");
            }
            return;
        };
        let before = quote.text[..quote.span.start].chars().count();
        let len = quote.text[quote.span.clone()].chars().count();
        let (line, indent, width) = cut(&columns(&quote.text), before, len);
        let number = format!("{:>gutter$}", place.line);
        let _ = writeln!(text, "{space} {bar}");
        let _ = writeln!(text, "{} {bar} {line}", self.ink(Ink::Frame, &number));
        let marks = mark.to_string().repeat(width);
        let marks = match label {
            "" => marks,
            label => format!("{marks} {label}"),
        };
        let indent = " ".repeat(indent);
        let _ = writeln!(text, "{space} {bar} {indent}{}", self.ink(ink, &marks));
    }

    fn line(&self, text: &mut String, gutter: usize, what: &str, said: &str) {
        let space = " ".repeat(gutter);
        let sign = self.ink(Ink::Frame, "=");
        let what = self.ink(Ink::Bold, what);
        let _ = writeln!(text, "{space} {sign} {what}: {said}");
    }

    fn fix(&self, text: &mut String, gutter: usize, fix: &Fix) {
        self.line(text, gutter, "fix", &plain(&fix.title));
        let space = " ".repeat(gutter + 3);
        let patch = match fix::patch(self.report.repo, &[fix], self.report.prefix()) {
            Ok(patch) => patch,
            Err(error) => {
                let _ = writeln!(text, "{space}{}", plain(&error.to_string()));
                return;
            }
        };
        for path in &patch.hidden {
            let path = plain(path);
            let _ = writeln!(
                text,
                "{space}{path}: not shown because it contains a secret"
            );
        }
        let lines = patch.text.lines().count();
        for line in patch.text.lines().take(MOST_LINES) {
            let ink = match line.as_bytes().first() {
                _ if line.starts_with("--- ") || line.starts_with("+++ ") => Ink::Bold,
                Some(b'+') => Ink::Added,
                Some(b'-') => Ink::Removed,
                Some(b'@') => Ink::Note,
                _ => Ink::Frame,
            };
            let shown: String = columns(line).into_iter().map(|(text, _)| text).collect();
            let shown = match ink {
                Ink::Frame => shown,
                _ => self.ink(ink, &shown),
            };
            let _ = writeln!(text, "{}", format!("{space}{shown}").trim_end());
        }
        if lines > MOST_LINES {
            let left = lines - MOST_LINES;
            let _ = writeln!(text, "{space}… {left} more lines; `--diff` prints them");
        }
    }

    fn ink(&self, ink: Ink, text: &str) -> String {
        if self.paint == Paint::Plain {
            return text.to_owned();
        }
        let code = match ink {
            Ink::Severity(Severity::Error) => "1;31",
            Ink::Severity(Severity::Warning) => "1;33",
            Ink::Severity(Severity::Info) => "1;36",
            Ink::Frame => "1;34",
            Ink::Bold => "1",
            Ink::Note => "36",
            Ink::Added => "32",
            Ink::Removed => "31",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

enum Arrow {
    First,
    Further,
}

/// A line that fits, the columns before the underline, and the columns of the underline. `before` and `len` are in
/// characters.
fn cut(columns: &[(String, usize)], before: usize, len: usize) -> (String, usize, usize) {
    let before = before.min(columns.len());
    let end = before.saturating_add(len.max(1)).min(columns.len());
    let width = |range: &[(String, usize)]| -> usize { range.iter().map(|(_, width)| width).sum() };
    let mut first = 0;
    if width(columns) > WIDEST && width(&columns[..before]) > BEFORE {
        first = before;
        while first > 0 && width(&columns[first - 1..before]) <= BEFORE {
            first -= 1;
        }
    }
    let mut last = first;
    let mut room = WIDEST;
    while last < columns.len() && columns[last].1 <= room {
        room -= columns[last].1;
        last += 1;
    }
    let (lead, tail) = (
        if first > 0 { "…" } else { "" },
        if last < columns.len() { "…" } else { "" },
    );
    let text: String = columns[first..last]
        .iter()
        .map(|(text, _)| text.as_str())
        .collect();
    let text = format!("{lead}{text}{tail}");
    let indent = width(&columns[first..before]) + lead.chars().count();
    let marked = width(&columns[before..end.clamp(before, last.max(before))]);
    (text.trim_end().to_owned(), indent, marked.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::fix::Fixes;
    use crate::input::config::Config;
    use crate::input::repo::Repo;

    fn shown(file: &str, content: &str, place: Place) -> String {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join(file), content).unwrap();
        let repo = Repo::open(directory.path(), &[]).unwrap();
        let finding = Finding::error("yaml-syntax", place, "bad\x1b[2J thing")
            .help("fix it")
            .note(
                Place {
                    line: 1,
                    len: 1,
                    ..place
                },
                "first here",
            );
        let report = Report {
            repo: &repo,
            config: &Config::default(),
            findings: vec![&finding],
            fixes: Fixes::default(),
            allowed: &[],
            fail_on: Some(Severity::Error),
        };
        text(&report, Paint::Plain)
    }

    fn at(line: u32, column: u32, len: u32) -> Place {
        Place {
            file: FileId(0),
            line,
            column,
            len,
        }
    }

    #[test]
    fn a_finding_is_shown_with_its_line_and_what_is_meant_underlined() {
        assert_eq!(
            shown(
                "a.yaml",
                "\u{feff}kind: 日本\r\n\tb: [日, word]\r\n",
                at(2, 9, 4)
            ),
            "\
error[yaml-syntax]: bad␛[2J thing
 --> a.yaml:2:9
  |
2 |     b: [日, word]
  |             ^^^^
 ::: a.yaml:1:9
  |
1 | kind: 日本
  |           - first here
  = help: fix it
  = more: catalog explain yaml-syntax

"
        );
    }

    #[test]
    fn a_long_line_is_cut_around_what_is_meant() {
        let line = format!("{}X{}", "a".repeat(500), "b".repeat(500));
        let (text, indent, marked) = cut(&columns(&line), 500, 1);
        assert!(text.starts_with('…') && text.ends_with('…'));
        assert_eq!(text.chars().nth(indent), Some('X'));
        assert_eq!((text.chars().count(), marked), (WIDEST + 2, 1));
        assert_eq!(cut(&columns("ab"), 9, 9), ("ab".to_owned(), 2, 1));
        assert_eq!(cut(&columns(""), 0, 0), (String::new(), 0, 1));
    }

    #[test]
    fn the_line_of_a_secret_is_not_shown() {
        let text = shown(
            "a.yaml",
            "kind: Secret\ndata:\n  a: aHVudGVyMg==\n",
            at(3, 6, 12),
        );
        assert!(
            !text.contains("aHVudGVy") && text.contains("a.yaml:3:6"),
            "{text}"
        );
    }
}
