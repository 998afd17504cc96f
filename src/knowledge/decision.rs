//! Architecture decisions: which files are some, and what each says of itself. Knows the forms of Nygard, MADR and
//! adr-tools, and what teams made of them. Reads Markdown that it is given; looks at no other file.

use crate::catalog::ComponentIx;
use crate::input::config::Config;
use crate::input::repo::{Repo, RepoPath};
use base::FileId;
use markdown::{Block, BlockKind, Blocks};

use super::day::{date, day};
use super::mention::Mention;
use super::name::{
    day_of_file, in_name_digits, in_name_rest, is_about_others, is_asciidoc, is_hidden,
    is_markdown, number_of_file, split_title, stem,
};
use super::outline::{DocumentOutline, HeadField, fields, outline};
use super::reference::{Number, decisions_in, leading_number, starts_with_day};
use super::status::{self, RELATIONS, SUPERSEDED_BY, SUPERSEDES, Status};

/// A decision as its file records it.
#[derive(Debug, Clone)]
pub struct Decision {
    /// Such as `ADR-0018`; where another has it already, the path without its ending.
    pub id: String,
    pub number: Option<Number>,
    /// Without the number.
    pub title: String,
    pub status: Status,
    /// As `yyyy-mm-dd` where it can be told, else as written.
    pub date: Option<String>,
    pub file: FileId,
    /// Line of the status; the first line if there is no status.
    pub line: u32,
    /// Decisions that this one supersedes.
    pub supersedes: Vec<Reference>,
    /// Decisions that supersede this one.
    pub superseded_by: Vec<Reference>,
    /// The components that it names.
    pub mentions: Vec<Mention>,
}

impl Decision {
    /// The decision that took its place, by position, if it says itself that one did.
    pub fn successor(&self) -> Option<usize> {
        let is_over = self.status.name().starts_with(Status::Superseded.name());
        let mut references = self.superseded_by.iter().filter(|_| is_over);
        references.find_map(|reference| reference.to)
    }

    /// The components that it is about.
    pub fn components(&self) -> Vec<ComponentIx> {
        let mentions = self.mentions.iter().filter(|mention| mention.is_decided());
        mentions.map(|mention| mention.component).collect()
    }
}

/// Another decision, as this one names it.
#[derive(Debug, Clone)]
pub struct Reference {
    pub text: String,
    pub line: u32,
    /// By position in the decisions; none where there is no such decision.
    pub to: Option<usize>,
    pub kind: ReferenceKind,
}

impl Reference {
    /// The number that it names, in words or in the name of a file.
    pub fn number(&self) -> Option<&Number> {
        match &self.kind {
            ReferenceKind::Number(number) => Some(number),
            ReferenceKind::Link(_) => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReferenceKind {
    /// A path, as a link has it.
    Link(String),
    Number(Number),
}

/// Whether a file may be a decision, judged by its path.
pub fn is_decision(path: &RepoPath, config: &Config) -> bool {
    if !is_markdown(path) && !is_asciidoc(path) || is_hidden(path) || is_about_others(path) {
        return false;
    }
    let configured = &config.decisions;
    if !configured.is_empty() {
        let paths = configured.iter().filter_map(|text| RepoPath::new(text));
        return paths
            .into_iter()
            .any(|dir| path.is_below(&dir) || *path == dir);
    }
    let mut directories = path.as_str().rsplit('/').skip(1);
    directories.any(is_log)
}

/// Whether decisions are kept in a directory of this name.
pub fn is_log(name: &str) -> bool {
    DIRECTORIES
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known))
}

const DIRECTORIES: &[&str] = &[
    "adr",
    "adrs",
    "decisions",
    "decision-records",
    "decision-log",
    "architecture-decisions",
    "architecture_decisions",
    "architecture-decision-records",
    "architectural-decisions",
];

/// Reads a file as a decision; `None` if it only shares the directory.
pub fn decision(repo: &Repo, config: &Config, file: FileId, blocks: &Blocks) -> Option<Decision> {
    let path = repo.path(file);
    let outline = outline(&blocks.blocks);
    let front = &blocks.front_matter;
    let in_name = number_of_file(path);
    // A heading with the number of the file is the title, whatever else a tool needs in the front matter.
    let numbered = outline.title.filter(|title| {
        let number = split_title(title).0;
        number.is_some() && number == in_name.as_ref().map(|(number, _)| number.clone())
    });
    let written = numbered.or(front.title.as_deref()).or(outline.title);
    if written.is_some_and(is_placeholder) {
        return None;
    }
    let head = DecisionHead::read(&outline, blocks);
    let (in_title, title) = match written {
        Some(title) => split_title(title),
        None => (None, ""),
    };
    let number = in_name.map(|(number, _)| number).or(in_title);
    let is_one = number.is_some() || head.status != Status::Unknown || !config.decisions.is_empty();
    if !is_one {
        return None;
    }
    let digits = in_name_digits(path).unwrap_or(4);
    Some(Decision {
        id: match &number {
            Some(number) => format!("ADR-{:0digits$}{}", number.value, number.suffix),
            None => stem(path).to_owned(),
        },
        number,
        title: match title.trim() {
            "" => sentence(in_name_rest(path)),
            title => title.to_owned(),
        },
        status: head.status,
        date: head.date.or(head.status_day).or_else(|| day_of_file(path)),
        file,
        line: head.line,
        supersedes: head.supersedes,
        superseded_by: head.superseded_by,
        mentions: Vec::new(),
    })
}

/// The name of a file as a title: `use-a-queue` is "Use a queue".
fn sentence(name: &str) -> String {
    let spaced = name.replace(['-', '_'], " ");
    let mut letters = spaced.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// Status, date and references from the head of a decision.
struct DecisionHead {
    status: Status,
    line: u32,
    date: Option<String>,
    /// The day beside the status, for a decision that has no date.
    status_day: Option<String>,
    supersedes: Vec<Reference>,
    superseded_by: Vec<Reference>,
}

/// `stand` is German for both: `Stand: Angenommen` is a status, and `Stand: 06.05.2024` a date.
const STATUS: &[&str] = &[
    "status",
    "stand",
    "zustand",
    "statut",
    "état",
    "estado",
    "situação",
    "stato",
    "статус",
    "状态",
    "狀態",
    "ステータス",
    "状況",
    "状態",
    "상태",
];
const DATE: &[&str] = &[
    "date",
    "datum",
    "fecha",
    "data",
    "дата",
    "日期",
    "日付",
    "決定日",
    "날짜",
    "일자",
    "결정일",
];
const OTHER_DATES: &[&str] = &[
    "decision date",
    "date accepted",
    "decided",
    "decided on",
    "created",
    "entscheidungsdatum",
    "beschlossen am",
    "entschieden am",
    "date de décision",
    "fecha de decisión",
    "data da decisão",
    "作成日",
    "创建日期",
    "작성일",
    "작성일자",
];
const METADATA: &[&str] = &["metadata", "meta", "info", "details"];

impl DecisionHead {
    fn read(outline: &DocumentOutline<'_>, blocks: &Blocks) -> DecisionHead {
        let mut head = DecisionHead {
            status: Status::Unknown,
            line: 1,
            date: None,
            status_day: None,
            supersedes: Vec::new(),
            superseded_by: Vec::new(),
        };
        for (key, value) in &blocks.front_matter.fields {
            head.take(&HeadField {
                key: key.to_lowercase().replace(['-', '_'], " "),
                value: value.clone(),
                line: 1,
                links: Vec::new(),
            });
        }
        let mut all = fields(outline.head);
        for section in &outline.sections {
            if METADATA.iter().any(|name| section.is_called(name)) {
                all.extend(fields(section.own));
            }
        }
        for field in &all {
            head.take(field);
        }
        for section in &outline.sections {
            if STATUS.iter().any(|name| section.is_called(name)) {
                let is_table = |block: &&Block| matches!(block.kind, BlockKind::Row { .. });
                match section.own.iter().find(is_table) {
                    Some(_) => fields(section.own)
                        .iter()
                        .for_each(|field| head.take(field)),
                    None => {
                        lines_of(&chosen(section.own)).for_each(|line| head.line_of_status(&line))
                    }
                }
                // `## Status: Accepted`
                if let Some((_, value)) = section.title.plain.split_once(':') {
                    head.status_day = head.status_day.take().or_else(|| day(value));
                    head.say(Status::parse(value), section.line);
                }
            } else if DATE.iter().any(|name| section.is_called(name)) && head.date.is_none() {
                let mut lines = lines_of(section.own);
                head.date = lines.find_map(|line| date(&line.value));
            }
        }
        if head.status == Status::Superseded && head.superseded_by.is_empty() {
            head.superseded_by = successors(&blocks.blocks);
        }
        head
    }

    fn take(&mut self, field: &HeadField) {
        let key = field.key.as_str();
        let is_day = key == "stand" && field.value.starts_with(|c: char| c.is_ascii_digit());
        if is_day {
            self.date = self.date.take().or_else(|| date(&field.value));
        } else if STATUS.contains(&key) {
            self.line_of_status(field);
        } else if DATE.contains(&key) || OTHER_DATES.contains(&key) {
            self.date = self.date.take().or_else(|| date(&field.value));
        } else if SUPERSEDED_BY.contains(&key) {
            let found = references(field, &field.value);
            if !found.is_empty() && self.status == Status::Unknown {
                self.say(Status::Superseded, field.line);
            }
            add(&mut self.superseded_by, found);
        } else if SUPERSEDES.contains(&key) {
            add(&mut self.supersedes, references(field, &field.value));
        }
    }

    /// Reads one line of the status section: a status, or a relation to other decisions.
    fn line_of_status(&mut self, line: &HeadField) {
        let lower = line.value.to_lowercase();
        // `Accepted (2024-05-06)`; a date beside a later status is that of the change.
        if self.status == Status::Unknown {
            self.status_day = self.status_day.take().or_else(|| day(&line.value));
        }
        // `由 ADR-9 取代`: the decision comes before the word.
        if status::names_successor_first(&line.value) {
            let found = references(line, &line.value);
            if !found.is_empty() {
                self.say(Status::Superseded, line.line);
                return add(&mut self.superseded_by, found);
            }
        }
        let by = SUPERSEDED_BY.iter().find_map(|words| {
            let at = lower.find(words)?;
            line.value.get(at + words.len()..)
        });
        if let Some(rest) = by {
            self.say(Status::parse(&line.value), line.line);
            return add(&mut self.superseded_by, references(line, rest));
        }
        let words = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
        if SUPERSEDES
            .iter()
            .any(|word| words.starts_with(&format!("{word} ")))
        {
            return add(&mut self.supersedes, references(line, &line.value));
        }
        if !RELATIONS.iter().any(|word| words.starts_with(word)) {
            self.say(Status::parse(&line.value), line.line);
        }
    }

    /// The first word counts, unless a later one says that it is over.
    fn say(&mut self, status: Status, line: u32) {
        let is_first = self.status == Status::Unknown && status != Status::Unknown;
        if is_first || status == Status::Superseded && self.status != Status::Superseded {
            self.status = status;
            self.line = line;
        }
    }
}

/// The decisions that a sentence of the document names, where its head does not: `Superseded by ADR-12.`
fn successors(blocks: &[Block]) -> Vec<Reference> {
    let named = lines_of(blocks).find_map(|line| {
        let lower = line.value.to_lowercase();
        let words = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
        let is_one = SUPERSEDED_BY.iter().any(|known| words.starts_with(known));
        let found = references(&line, &line.value);
        (is_one && !found.is_empty()).then_some(found)
    });
    named.unwrap_or_default()
}

fn add(to: &mut Vec<Reference>, found: Vec<Reference>) {
    for reference in found {
        if to.iter().all(|known| known.kind != reference.kind) {
            to.push(reference);
        }
    }
}

/// The blocks of a status: where it is a list of choices to tick, only those that are ticked.
fn chosen(blocks: &[Block]) -> Vec<Block> {
    let is_ticked = |block: &&Block| match &block.kind {
        BlockKind::Item { done, .. } => *done != Some(false),
        _ => true,
    };
    blocks.iter().filter(is_ticked).cloned().collect()
}

/// A status is not longer.
const MOST_LINES: usize = 50;

/// The lines of paragraphs and items, as fields without keys.
fn lines_of(blocks: &[Block]) -> impl Iterator<Item = HeadField> + '_ {
    blocks.iter().flat_map(|block| {
        let text = match &block.kind {
            BlockKind::Paragraph(text) | BlockKind::Item { text, .. } => Some(text),
            _ => None,
        };
        let mut start = 0;
        let mut lines = Vec::new();
        let all = text.iter().flat_map(|text| text.plain.split('\n'));
        for (number, line) in all.take(MOST_LINES).enumerate() {
            let range = start..start + line.len();
            start = range.end + 1;
            let links = text.iter().flat_map(|text| &text.links);
            lines.push(HeadField {
                key: String::new(),
                value: line.to_owned(),
                line: block.line + number as u32,
                links: links
                    .filter(|(words, _)| range.contains(&words.start))
                    .map(|(_, to)| to.clone())
                    .collect(),
            });
        }
        lines
    })
}

/// The decisions that a line names: by link, else by `ADR-12`, else by a bare number.
fn references(field: &HeadField, text: &str) -> Vec<Reference> {
    let reference = |text: &str, kind| Reference {
        text: text.trim().to_owned(),
        line: field.line,
        to: None,
        kind,
    };
    let links = field.links.iter();
    let own: Vec<&String> = links
        .filter(|to| !to.contains("://") && !to.starts_with('#'))
        .collect();
    if !own.is_empty() {
        let each = own.into_iter();
        return each
            .map(|to| reference(text, ReferenceKind::Link(to.clone())))
            .collect();
    }
    if !field.links.is_empty() {
        return Vec::new();
    }
    let named = decisions_in(text);
    if !named.is_empty() {
        let each = named.into_iter();
        return each
            .map(|named| {
                reference(
                    &text[named.range.clone()],
                    ReferenceKind::Number(named.number),
                )
            })
            .collect();
    }
    // `superseded_by: 0012`, or the name of a file.
    let pieces = text.split([',', ';']).map(str::trim);
    pieces
        .filter_map(|piece| {
            if piece.ends_with(".md") && !piece.contains(' ') {
                return Some(reference(piece, ReferenceKind::Link(piece.to_owned())));
            }
            let (number, rest) = leading_number(piece)?;
            let is_bare = rest.is_empty() || rest.starts_with('-') && !rest.contains(' ');
            (is_bare && !starts_with_day(piece))
                .then(|| reference(piece, ReferenceKind::Number(number)))
        })
        .collect()
}

/// A title as a template has it.
fn is_placeholder(title: &str) -> bool {
    let lower = title.to_lowercase();
    let marks = [
        "nnn",
        "xxx",
        "short title",
        "<title>",
        "[title]",
        "{title",
        "short decision title",
    ];
    lower.trim() == "template" || marks.iter().any(|mark| lower.contains(mark))
}
