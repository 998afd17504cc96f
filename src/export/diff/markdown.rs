//! A difference as a comment on a pull request: a summary, then tables. Long tables are folded, and shortened by whole rows
//! where the comment would be longer than a repository host accepts.

use super::line::{
    ComponentFact, DiffLine, Topic, by_pair, cut, edge_tally, facts, lines, severities, summary,
};
use super::{
    Brief, Change, Changed, Difference, DocumentChange, EdgeChange, FindingChange, SeverityName,
};
use base::text::{count, counted};
use markdown::text::escaped;

/// First line of every comment. CI finds the comment of an earlier run by it, and replaces that one.
pub const MARKER: &str = "<!-- catalog diff -->";
/// GitHub accepts 65,536 characters. The rest is left for text that CI adds.
const MOST_BYTES: usize = 65_000;
/// Longer tables are folded.
const LONGEST_OPEN: usize = 10;
/// Longer values are cut.
const LONGEST_VALUE: usize = 120;
/// A component's cell lists this many changes.
const MOST_LINES: usize = 8;

pub fn markdown(difference: &Difference) -> String {
    let tables = tables(difference);
    let longest = tables.iter().map(|table| table.rows.len()).max();
    let whole = written(difference, &tables, longest.unwrap_or_default());
    if whole.len() <= MOST_BYTES {
        return whole;
    }
    // The largest number of rows per table that fits: `fits` always does, `too_many` never does.
    let (mut fits, mut too_many) = (0, longest.unwrap_or_default());
    while too_many - fits > 1 {
        let rows = fits + (too_many - fits) / 2;
        if written(difference, &tables, rows).len() <= MOST_BYTES {
            fits = rows;
        } else {
            too_many = rows;
        }
    }
    written(difference, &tables, fits)
}

/// The comment, with at most this many rows per table.
fn written(difference: &Difference, tables: &[DiffTable], most_rows: usize) -> String {
    let (base, head) = (difference.base.shown(), difference.head.shown());
    let compared = format!("{} → {}", code(&base), code(&head));
    if difference.is_empty() {
        return format!("{MARKER}\n**No changes in the catalogue.** {compared}\n");
    }
    let mut text = format!("{MARKER}\n### {}\n\n{compared}\n", summary(difference));
    for table in tables.iter().filter(|table| !table.rows.is_empty()) {
        table.write(most_rows, &mut text);
    }
    text
}

/// Errors come first, the other new findings after the components.
fn tables(difference: &Difference) -> Vec<DiffTable> {
    let findings = &difference.findings;
    let errors_end = findings
        .new
        .partition_point(|new| new.severity == SeverityName::Error);
    let (errors, others) = findings.new.split_at(errors_end);
    let finding_columns: &[&str] = &["", "Rule", "Finding", "Where"];
    let settings: Vec<Vec<String>> = {
        let changed = difference.components.changed.iter();
        changed.flat_map(settings).collect()
    };
    let gained = by_pair(&difference.edges.gained).into_iter();
    let lost = by_pair(&difference.edges.lost).into_iter();
    let edges = gained
        .map(|pair| between(Change::Added, pair))
        .chain(lost.map(|pair| between(Change::Removed, pair)));
    vec![
        DiffTable {
            title: format!("New findings: {}", severities(errors)),
            columns: finding_columns,
            rows: errors.iter().map(finding).collect(),
            fold: Fold::WhenLong,
        },
        DiffTable {
            title: "Components".to_owned(),
            columns: &["", "Component", "What changed"],
            rows: component_rows(difference),
            fold: Fold::WhenLong,
        },
        DiffTable {
            title: format!("New findings: {}", severities(others)),
            columns: finding_columns,
            rows: others.iter().map(finding).collect(),
            fold: Fold::WhenLong,
        },
        DiffTable {
            title: format!("{} changed", counted(settings.len(), "setting")),
            columns: &["Component", "Setting", "Environments", "Before", "After"],
            rows: settings,
            fold: Fold::WhenLong,
        },
        DiffTable {
            title: edge_tally(difference).unwrap_or_default(),
            columns: &["", "Component", "Needs", "Why", "Where"],
            rows: edges.collect(),
            fold: Fold::WhenLong,
        },
        DiffTable {
            title: "Decisions and specs".to_owned(),
            columns: &["", "Document", "Status"],
            rows: difference.documents.iter().map(document).collect(),
            fold: Fold::WhenLong,
        },
        DiffTable {
            title: format!("Fixed findings: {}", severities(&findings.fixed)),
            columns: finding_columns,
            rows: findings.fixed.iter().map(finding).collect(),
            fold: Fold::Always,
        },
    ]
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fold {
    WhenLong,
    Always,
}

struct DiffTable {
    title: String,
    columns: &'static [&'static str],
    /// Cells are Markdown, each on one line.
    rows: Vec<Vec<String>>,
    fold: Fold,
}

impl DiffTable {
    fn write(&self, most_rows: usize, text: &mut String) {
        let is_folded = self.fold == Fold::Always || self.rows.len() > LONGEST_OPEN;
        let title = &self.title;
        if is_folded {
            *text += &format!("\n<details><summary>{title}</summary>\n\n");
        } else {
            *text += &format!("\n#### {title}\n\n");
        }
        if most_rows > 0 {
            push_row(text, self.columns.iter().copied());
            push_row(text, self.columns.iter().map(|_| "---"));
        }
        for row in self.rows.iter().take(most_rows) {
            push_row(text, row.iter().map(String::as_str));
        }
        let left_out = self.rows.len().saturating_sub(most_rows);
        if left_out > 0 {
            *text += &format!("\n{} left out\n", counted(left_out, "more row"));
        }
        if is_folded {
            *text += "\n</details>\n";
        }
    }
}

fn push_row<'c>(text: &mut String, cells: impl Iterator<Item = &'c str>) {
    for cell in cells {
        text.push_str("| ");
        text.push_str(cell);
        text.push(' ');
    }
    text.push_str("|\n");
}

fn sign(change: Change) -> String {
    match change {
        Change::Added => "added",
        Change::Removed => "removed",
        Change::Changed => "changed",
    }
    .to_owned()
}

fn component_rows(difference: &Difference) -> Vec<Vec<String>> {
    let components = &difference.components;
    let clusters = &difference.clusters;
    let cluster =
        |change: Change, name: &String| vec![sign(change), code(name), "cluster".to_owned()];
    let mut rows: Vec<Vec<String>> = Vec::new();
    rows.extend(clusters.added.iter().map(|it| cluster(Change::Added, it)));
    rows.extend(
        clusters
            .removed
            .iter()
            .map(|it| cluster(Change::Removed, it)),
    );
    rows.extend(components.added.iter().map(|it| brief(Change::Added, it)));
    rows.extend(
        components
            .removed
            .iter()
            .map(|it| brief(Change::Removed, it)),
    );
    rows.extend(components.changed.iter().map(changed));
    rows
}

fn brief(change: Change, brief: &Brief) -> Vec<String> {
    let words = facts(brief).into_iter().map(|(fact, value)| {
        let shown = match fact {
            ComponentFact::Kind | ComponentFact::Status | ComponentFact::Environments => {
                text(&value)
            }
            ComponentFact::Namespace | ComponentFact::Chart | ComponentFact::Source => {
                value_code(&value)
            }
        };
        match fact.word() {
            Some(word) => format!("{word} {shown}"),
            None => shown,
        }
    });
    let words: Vec<String> = words.collect();
    vec![sign(change), code(&brief.id), words.join(" · ")]
}

/// The row of a component that changed. Settings have their own table.
fn changed(changed: &Changed) -> Vec<String> {
    let lines = lines(changed);
    let settings = lines.iter().filter(|line| line.what == Topic::Setting);
    let settings = settings.count();
    let others: Vec<&DiffLine> = lines
        .iter()
        .filter(|line| line.what != Topic::Setting)
        .collect();
    let mut told: Vec<String> = others
        .iter()
        .take(MOST_LINES)
        .map(|line| told(line))
        .collect();
    if others.len() > MOST_LINES {
        told.push(format!("… and {} more", count(others.len() - MOST_LINES)));
    }
    if settings > 0 {
        told.push(counted(settings, "setting"));
    }
    vec![sign(Change::Changed), code(&changed.id), told.join("<br>")]
}

fn told(line: &DiffLine) -> String {
    let mut words = vec![line.what.name().to_owned()];
    words.extend(line.subject.iter().map(|subject| value_code(subject)));
    match (&line.values, line.change) {
        (Some((Some(before), Some(after))), _) => {
            words.push(format!("{} → {}", value_code(before), value_code(after)));
        }
        (Some((before, after)), change) => {
            let value = before.as_ref().or(after.as_ref());
            words.extend(value.map(|value| value_code(value)));
            words.push(sign(change));
        }
        (None, Change::Changed) => {}
        (None, change) => words.push(sign(change)),
    }
    let mut about: Vec<String> = line.remark.iter().map(|it| (*it).to_owned()).collect();
    about.extend(line.environments.iter().map(|name| text(name)));
    if !about.is_empty() {
        words.push(format!("({})", about.join(", ")));
    }
    words.join(" ")
}

fn settings(changed: &Changed) -> impl Iterator<Item = Vec<String>> {
    let lines = lines(changed).into_iter();
    let settings = lines.filter(|line| line.what == Topic::Setting);
    settings.map(|line| {
        let (before, after) = match (&line.values, line.change) {
            (Some((before, after)), _) => {
                let shown = |value: &Option<String>| value.as_deref().map(value_code);
                (shown(before), shown(after))
            }
            (None, Change::Added) => (None, Some("secret".to_owned())),
            (None, Change::Removed) => (Some("secret".to_owned()), None),
            (None, Change::Changed) => {
                let hidden = Some("secret".to_owned());
                (hidden.clone(), hidden)
            }
        };
        vec![
            code(&changed.id),
            value_code(line.subject.as_deref().unwrap_or_default()),
            text(&line.environments.join(", ")),
            before.unwrap_or_default(),
            after.unwrap_or_default(),
        ]
    })
}

/// The row of all dependencies between two components.
fn between(change: Change, pair: &[EdgeChange]) -> Vec<String> {
    let name = |name: fn(&EdgeChange) -> &String| pair.first().map(|edge| code(name(edge)));
    let each = |cell: &dyn Fn(&EdgeChange) -> String| {
        let cells: Vec<String> = pair.iter().map(cell).collect();
        cells.join("<br>")
    };
    vec![
        sign(change),
        name(|edge| &edge.from).unwrap_or_default(),
        name(|edge| &edge.to).unwrap_or_default(),
        each(&|edge| text(&edge.reason)),
        each(&|edge| place(edge.file.as_deref(), edge.line)),
    ]
}

fn document(document: &DocumentChange) -> Vec<String> {
    let status = match (&document.before, &document.after) {
        (Some(before), Some(after)) => format!("{} → {}", text(before), text(after)),
        (Some(status), None) | (None, Some(status)) => text(status),
        (None, None) => String::new(),
    };
    let name = format!(
        "{} {}: {}",
        document.kind,
        text(&document.id),
        text(&cut(&document.title, LONGEST_VALUE))
    );
    vec![sign(document.change), name, status]
}

fn finding(finding: &FindingChange) -> Vec<String> {
    vec![
        finding.severity.name().to_owned(),
        code(&finding.rule),
        message(&cut(&finding.message, 4 * LONGEST_VALUE)),
        place(finding.file.as_deref(), finding.line),
    ]
}

fn place(file: Option<&str>, line: Option<u32>) -> String {
    match (file, line) {
        (Some(file), Some(line)) => code(&format!("{file}:{line}")),
        (Some(file), None) => code(file),
        _ => String::new(),
    }
}

fn value_code(value: &str) -> String {
    code(&cut(value, LONGEST_VALUE))
}

/// Plain text: escapes markup, and keeps `@name` from notifying anybody.
fn text(text: &str) -> String {
    escaped(&text.replace('&', "&amp;")).replace('@', "&#64;")
}

/// A message; its text between backticks is shown as code.
fn message(said: &str) -> String {
    let pieces: Vec<&str> = said.split('`').collect();
    if pieces.len().is_multiple_of(2) {
        return text(said);
    }
    let pieces = pieces.iter().enumerate().map(|(at, piece)| match at % 2 {
        1 => code(piece),
        _ => text(piece),
    });
    pieces.collect()
}

/// A value as inline code, fenced with more backticks than it contains.
fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ").replace('|', "\\|");
    let runs = text.split(|c| c != '`').map(str::len);
    match runs.max().unwrap_or_default() {
        0 if text.is_empty() => String::new(),
        0 => format!("`{text}`"),
        longest => {
            let fence = "`".repeat(longest + 1);
            format!("{fence} {text} {fence}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_neither_become_markup_nor_notify_anybody() {
        assert_eq!(code("a|b"), "`a\\|b`");
        assert_eq!(code("`` @all ``"), "``` `` @all `` ```");
        assert_eq!(text("@all <b> a_b"), "&#64;all \\<b\\> a\\_b");
        assert_eq!(message("`a` is @b"), "`a` is &#64;b");
        assert_eq!(message("one ` only"), "one \\` only");
    }
}
