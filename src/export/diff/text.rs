//! A difference for a terminal: what was added, removed and changed, and which findings are new or fixed.

use std::fmt::Write;

use super::line::{self, DiffLine, by_pair, cut, facts, lines, summary};
use super::{Brief, Change, Difference, DocumentChange, EdgeChange, FindingChange, SeverityName};
use system::terminal::{BOLD, CYAN, FAINT, GREEN, Paint, RED, YELLOW, plain};

/// Longer values are cut.
const LONGEST: usize = 72;

pub fn text(difference: &Difference, paint: Paint) -> String {
    let writer = DiffText { paint };
    let (base, head) = (difference.base.shown(), difference.head.shown());
    let (base, head) = (plain(&base), plain(&head));
    if difference.is_empty() {
        return format!("No changes in the catalogue from {base} to {head}.\n");
    }
    let mut text = format!("{base} → {head}\n{}\n", summary(difference));
    writer.clusters(&mut text, difference);
    writer.components(&mut text, difference);
    let edges = &difference.edges;
    if !edges.gained.is_empty() || !edges.lost.is_empty() {
        writer.heading(&mut text, "Dependencies");
        let gained = by_pair(&edges.gained).into_iter();
        let gained = gained.map(|pair| (Change::Added, pair));
        let lost = by_pair(&edges.lost).into_iter();
        let lost = lost.map(|pair| (Change::Removed, pair));
        for (change, pair) in gained.chain(lost) {
            writer.edges(&mut text, change, pair);
        }
    }
    if !difference.documents.is_empty() {
        writer.heading(&mut text, "Decisions and specs");
        for document in &difference.documents {
            writer.document(&mut text, document);
        }
    }
    let findings = &difference.findings;
    writer.findings(&mut text, "New findings", Change::Added, &findings.new);
    writer.findings(
        &mut text,
        "Fixed findings",
        Change::Removed,
        &findings.fixed,
    );
    text
}

struct DiffText {
    paint: Paint,
}

impl DiffText {
    fn heading(&self, text: &mut String, title: &str) {
        let _ = writeln!(text, "\n{}", self.paint.styled(BOLD, title));
    }

    fn clusters(&self, text: &mut String, difference: &Difference) {
        let clusters = &difference.clusters;
        if clusters.added.is_empty() && clusters.removed.is_empty() {
            return;
        }
        self.heading(text, "Clusters");
        for name in &clusters.added {
            let _ = writeln!(text, "{} {}", self.sign(Change::Added), plain(name));
        }
        for name in &clusters.removed {
            let _ = writeln!(text, "{} {}", self.sign(Change::Removed), plain(name));
        }
    }

    fn components(&self, text: &mut String, difference: &Difference) {
        let components = &difference.components;
        let has_any = !components.added.is_empty()
            || !components.removed.is_empty()
            || !components.changed.is_empty();
        if !has_any {
            return;
        }
        self.heading(text, "Components");
        for brief in &components.added {
            self.brief(text, Change::Added, brief);
        }
        for brief in &components.removed {
            self.brief(text, Change::Removed, brief);
        }
        for changed in &components.changed {
            let name = self.paint.styled(BOLD, &plain(&changed.id));
            let _ = writeln!(text, "{} {name}", self.sign(Change::Changed));
            let lines = lines(changed);
            let names = lines.iter().map(|line| line.what.name().len());
            let width = names.max().unwrap_or_default();
            for line in &lines {
                self.line(text, line, width);
            }
        }
    }

    fn brief(&self, text: &mut String, change: Change, brief: &Brief) {
        let words = facts(brief).into_iter().map(|(fact, value)| {
            let value = plain(&value);
            match fact.word() {
                Some(word) => format!("{word} {value}"),
                None => value,
            }
        });
        let words: Vec<String> = words.collect();
        let name = self.paint.styled(BOLD, &plain(&brief.id));
        let about = self.paint.styled(FAINT, &words.join(" · "));
        let _ = writeln!(text, "{} {name}  {about}", self.sign(change));
    }

    fn line(&self, text: &mut String, line: &DiffLine, width: usize) {
        let _ = write!(
            text,
            "    {} {:<width$}",
            self.sign(line.change),
            line.what.name()
        );
        if let Some(subject) = &line.subject {
            let colon = match line.values {
                Some(_) => ":",
                None => "",
            };
            let _ = write!(text, "  {}{colon}", plain(subject));
        }
        if let Some((before, after)) = &line.values {
            let shown = |value: &str| plain(&cut(value, LONGEST));
            let values = match (before, after) {
                (Some(before), Some(after)) => format!("{} → {}", shown(before), shown(after)),
                (one, other) => one
                    .as_ref()
                    .or(other.as_ref())
                    .map_or(String::new(), |it| shown(it)),
            };
            let gap = match line.subject {
                Some(_) => " ",
                None => "  ",
            };
            let _ = write!(text, "{gap}{values}");
        }
        let mut about: Vec<String> = line.remark.iter().map(|it| (*it).to_owned()).collect();
        about.extend(line.environments.iter().map(|name| plain(name)));
        if !about.is_empty() {
            let about = self.paint.styled(FAINT, &format!("({})", about.join(", ")));
            let _ = write!(text, " {about}");
        }
        text.push('\n');
    }

    /// Writes the edges between two components.
    fn edges(&self, text: &mut String, change: Change, pair: &[EdgeChange]) {
        let Some(first) = pair.first() else {
            return;
        };
        let (from, to) = (plain(&first.from), plain(&first.to));
        let _ = writeln!(text, "{} {from} needs {to}", self.sign(change));
        for edge in pair {
            let place = place(edge.file.as_deref(), edge.line);
            let about = format!("    {}  {place}", plain(&edge.reason));
            let _ = writeln!(text, "{}", self.paint.styled(FAINT, about.trim_end()));
        }
    }

    fn document(&self, text: &mut String, document: &DocumentChange) {
        let sign = self.sign(document.change);
        let (id, title) = (plain(&document.id), plain(&document.title));
        let status = match (&document.before, &document.after) {
            (Some(before), Some(after)) => format!("  {} → {}", plain(before), plain(after)),
            (Some(status), None) | (None, Some(status)) => format!("  {}", plain(status)),
            (None, None) => String::new(),
        };
        let status = self.paint.styled(FAINT, &status);
        let _ = writeln!(text, "{sign} {} {id}: {title}{status}", document.kind);
    }

    fn findings(&self, text: &mut String, title: &str, change: Change, findings: &[FindingChange]) {
        if findings.is_empty() {
            return;
        }
        self.heading(text, &format!("{title}: {}", line::severities(findings)));
        for finding in findings {
            let head = format!("{}[{}]", finding.severity.name(), finding.rule);
            let style = match finding.severity {
                SeverityName::Error => RED,
                SeverityName::Warning => YELLOW,
                SeverityName::Info => CYAN,
            };
            let head = match change {
                Change::Removed => head,
                _ => self.paint.styled(style, &head),
            };
            let message = plain(&finding.message);
            let _ = writeln!(text, "{} {head}: {message}", self.sign(change));
            let place = place(finding.file.as_deref(), finding.line);
            if !place.is_empty() {
                let _ = writeln!(text, "    {}", self.paint.styled(FAINT, &place));
            }
        }
    }

    fn sign(&self, change: Change) -> String {
        let (style, sign) = match change {
            Change::Added => (GREEN, "+"),
            Change::Removed => (RED, "-"),
            Change::Changed => (YELLOW, "~"),
        };
        self.paint.styled(style, sign)
    }
}

fn place(file: Option<&str>, line: Option<u32>) -> String {
    match (file, line) {
        (Some(file), Some(line)) => format!("{}:{line}", plain(file)),
        (Some(file), None) => plain(file),
        _ => String::new(),
    }
}
