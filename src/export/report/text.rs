//! Findings for people: as compilers print them, with the source line, an underline and the next step.

use std::collections::BTreeMap;
use std::fmt::Write;

use rayon::prelude::*;

use super::Report;
use crate::checks::fix;
use crate::input::excerpt::Excerpt;
use base::{FileId, Finding, Fix, Place};
use system::snippet::{LineRole, Message};
use system::terminal::{BOLD, CYAN, GREEN, Paint, RED, line, plain};

/// A fix of more lines than this is not printed with its finding.
const MOST_LINES: usize = 40;

pub fn text(report: &Report<'_>, paint: Paint) -> String {
    let excerpts = excerpts(report);
    let writer = TextWriter {
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

struct TextWriter<'a> {
    report: &'a Report<'a>,
    excerpts: &'a BTreeMap<FileId, Excerpt>,
    paint: Paint,
}

impl TextWriter<'_> {
    fn finding(&self, finding: &Finding) -> String {
        let mut message = Message::new(finding.severity, Some(finding.rule), &finding.message);
        if finding.place.file != FileId::NONE {
            message = self.source(message, finding.place, LineRole::Primary, "");
        }
        for (place, note) in finding.notes() {
            message = match place.file {
                FileId::NONE => message.remark("note", plain(note)),
                _ => self.source(message, *place, LineRole::Related, note),
            };
        }
        if let Some(help) = &finding.help {
            message = message.remark("help", plain(help));
        }
        if let Some(fix) = self.report.fixes.get(finding) {
            message = message.remark("fix", self.fix(fix));
        }
        let more = match self.report.address(finding.rule) {
            Some(address) => address,
            None => format!("catalog explain {}", finding.rule),
        };
        message.remark("more", more).render(self.paint) + "\n\n"
    }

    fn source(&self, message: Message, place: Place, role: LineRole, label: &str) -> Message {
        let path = self.report.path(place.file).unwrap_or_default();
        let excerpt = self.excerpts.get(&place.file);
        let quote = excerpt
            .and_then(|excerpt| excerpt.quote(place))
            .filter(|quote| !quote.text.trim().is_empty());
        let shown = quote
            .as_ref()
            .map(|quote| (quote.text.as_str(), quote.span.clone()));
        message.source(&path, place, shown, role, label)
    }

    /// The title of a fix, with its patch below.
    fn fix(&self, fix: &Fix) -> String {
        let mut text = plain(&fix.title);
        let patch = match fix::patch(self.report.repo, &[fix], self.report.prefix()) {
            Ok(patch) => patch,
            Err(error) => return format!("{text}\n{}", plain(&error.to_string())),
        };
        for path in &patch.hidden {
            let path = plain(path);
            let _ = write!(text, "\n{path}: not shown because it contains a secret");
        }
        for shown in patch.text.lines().take(MOST_LINES) {
            let style = match shown.as_bytes().first() {
                _ if shown.starts_with("--- ") || shown.starts_with("+++ ") => Some(BOLD),
                Some(b'+') => Some(GREEN),
                Some(b'-') => Some(RED),
                Some(b'@') => Some(CYAN),
                _ => None,
            };
            text.push('\n');
            text += &match style {
                Some(style) => self.paint.styled(style, &line(shown)),
                None => line(shown),
            };
        }
        let left = patch.text.lines().count().saturating_sub(MOST_LINES);
        if left > 0 {
            let _ = write!(text, "\n… {left} more lines; `--diff` prints them");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::fix::Fixes;
    use crate::input::config::Config;
    use crate::input::repo::Repo;
    use base::Severity;

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
            unseen: None,
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
  |
 ::: a.yaml:1:9
  |
1 | kind: 日本
  |           - first here
  |
  = help: fix it
  = more: catalog explain yaml-syntax

"
        );
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
