//! A difference as a comment on a pull request: the sum of it first, then tables; long lists are folded, and cut where the
//! whole would be longer than a forge takes.

use super::line::{Line, Topic, by_pair, cut, edge_tally, facts, lines, severities, summary};
use super::{
    Brief, Change, Changed, Difference, DocumentChange, EdgeChange, FindingChange, SeverityName,
};
use crate::view::text::escaped;
use crate::view::{count, counted};

/// GitHub takes 65,536 characters; some are left for what others put around it.
const MOST_BYTES: usize = 65_000;
/// How many rows of each list are shown: the first that fits.
const MOST_ROWS: [usize; 8] = [usize::MAX, 500, 200, 100, 50, 20, 5, 0];
/// A longer list is folded.
const LONGEST_OPEN: usize = 10;
/// As much of a value as is shown.
const LONGEST_VALUE: usize = 120;
/// More changes than these are not listed in the cell of a component.
const MOST_LINES: usize = 8;

pub fn markdown(difference: &Difference) -> String {
    let mut whole = String::new();
    for most in MOST_ROWS {
        whole = written(difference, most);
        if whole.len() <= MOST_BYTES {
            break;
        }
    }
    whole
}

fn written(difference: &Difference, most: usize) -> String {
    let (base, head) = (difference.base.shown(), difference.head.shown());
    let compared = format!("{} → {}", code(&base), code(&head));
    if difference.is_empty() {
        return format!("**Nothing in the catalogue changed.** {compared}\n");
    }
    let mut page = Page {
        text: format!("### {}\n\n{compared}\n", summary(difference)),
        most,
    };
    let findings = &difference.findings;
    // What fails is seen at once; the rest of what is new follows the components.
    let graver = findings
        .new
        .partition_point(|new| new.severity == SeverityName::Error);
    let (errors, others) = findings.new.split_at(graver);
    let columns = ["", "Rule", "Finding", "Where"];
    let title = format!("New findings: {}", severities(errors));
    page.table(&title, &columns, errors.iter().map(finding), Fold::WhenLong);
    page.table(
        "Components",
        &["", "Component", "What changed"],
        component_rows(difference),
        Fold::WhenLong,
    );
    let title = format!("New findings: {}", severities(others));
    page.table(&title, &columns, others.iter().map(finding), Fold::WhenLong);
    let settings = difference.components.changed.iter().flat_map(settings);
    let settings: Vec<_> = settings.collect();
    let title = format!("{} changed", counted(settings.len(), "setting"));
    page.table(
        &title,
        &["Component", "Setting", "Environments", "Before", "After"],
        settings,
        Fold::WhenLong,
    );
    let edges = &difference.edges;
    let gained = by_pair(&edges.gained).into_iter();
    let gained = gained.map(|pair| between(Change::Added, pair));
    let lost = by_pair(&edges.lost).into_iter();
    let lost = lost.map(|pair| between(Change::Removed, pair));
    let all: Vec<_> = gained.chain(lost).collect();
    page.table(
        &edge_tally(difference).unwrap_or_default(),
        &["", "Component", "Needs", "Why", "Where"],
        all,
        Fold::WhenLong,
    );
    page.table(
        "Decisions and specs",
        &["", "Document", "Status"],
        difference.documents.iter().map(document),
        Fold::WhenLong,
    );
    let title = format!("Fixed findings: {}", severities(&findings.fixed));
    let fixed = findings.fixed.iter().map(finding);
    page.table(&title, &columns, fixed, Fold::Always);
    page.text
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fold {
    WhenLong,
    Always,
}

struct Page {
    text: String,
    most: usize,
}

impl Page {
    /// Rows under a title, unless there are none.
    fn table<const N: usize>(
        &mut self,
        title: &str,
        columns: &[&str; N],
        rows: impl IntoIterator<Item = [String; N]>,
        fold: Fold,
    ) {
        let rows: Vec<[String; N]> = rows.into_iter().collect();
        if rows.is_empty() {
            return;
        }
        let is_folded = fold == Fold::Always || rows.len() > LONGEST_OPEN;
        let text = &mut self.text;
        match is_folded {
            true => *text += &format!("\n<details><summary>{title}</summary>\n\n"),
            false => *text += &format!("\n#### {title}\n\n"),
        }
        if self.most > 0 {
            push_row(text, columns.iter().copied());
            push_row(text, columns.iter().map(|_| "---"));
        }
        for row in rows.iter().take(self.most) {
            push_row(text, row.iter().map(String::as_str));
        }
        let left = rows.len().saturating_sub(self.most);
        if left > 0 {
            *text += &format!("\n… and {} more\n", count(left));
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

fn component_rows(difference: &Difference) -> Vec<[String; 3]> {
    let components = &difference.components;
    let clusters = &difference.clusters;
    let cluster = |change: Change, name: &String| {
        let about = "a cluster".to_owned();
        [sign(change), code(name), about]
    };
    let mut rows: Vec<[String; 3]> = Vec::new();
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

fn brief(change: Change, brief: &Brief) -> [String; 3] {
    let words = facts(brief).into_iter().map(|(word, value)| match word {
        "" => text(&value),
        "on" => format!("on {}", text(&value)),
        word => format!("{word} {}", value_code(&value)),
    });
    let words: Vec<String> = words.collect();
    [sign(change), code(&brief.id), words.join(" · ")]
}

/// Settings have a table of their own.
fn changed(changed: &Changed) -> [String; 3] {
    let lines = lines(changed);
    let settings = lines.iter().filter(|line| line.what == Topic::Setting);
    let settings = settings.count();
    let others: Vec<&Line> = lines
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
    [sign(Change::Changed), code(&changed.id), told.join("<br>")]
}

fn told(line: &Line) -> String {
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

fn settings(changed: &Changed) -> impl Iterator<Item = [String; 5]> {
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
        [
            code(&changed.id),
            value_code(line.subject.as_deref().unwrap_or_default()),
            text(&line.environments.join(", ")),
            before.unwrap_or_default(),
            after.unwrap_or_default(),
        ]
    })
}

/// What is between two components.
fn between(change: Change, pair: &[EdgeChange]) -> [String; 5] {
    let name = |name: fn(&EdgeChange) -> &String| pair.first().map(|edge| code(name(edge)));
    let each = |cell: &dyn Fn(&EdgeChange) -> String| {
        let cells: Vec<String> = pair.iter().map(cell).collect();
        cells.join("<br>")
    };
    [
        sign(change),
        name(|edge| &edge.from).unwrap_or_default(),
        name(|edge| &edge.to).unwrap_or_default(),
        each(&|edge| text(&edge.reason)),
        each(&|edge| place(edge.file.as_deref(), edge.line)),
    ]
}

fn document(document: &DocumentChange) -> [String; 3] {
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
    [sign(document.change), name, status]
}

fn finding(finding: &FindingChange) -> [String; 4] {
    [
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

/// Text and nothing else: no markup, and nobody is called by it.
fn text(text: &str) -> String {
    escaped(&text.replace('&', "&amp;")).replace('@', "&#64;")
}

/// A message, with code where it has backticks.
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

/// A value as code in a line, between more backticks than it holds.
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
    fn nothing_that_is_put_in_becomes_markup_or_calls_somebody() {
        assert_eq!(code("a|b"), "`a\\|b`");
        assert_eq!(code("`` @all ``"), "``` `` @all `` ```");
        assert_eq!(text("@all <b> a_b"), "&#64;all \\<b\\> a\\_b");
        assert_eq!(message("`a` is @b"), "`a` is &#64;b");
        assert_eq!(message("one ` only"), "one \\` only");
    }
}
