//! A Markdown document as headings with their content, and the `Key: value` lines of its head in any notation. Looks
//! only at blocks.

use std::ops::Range;

use markdown::{Block, BlockKind, Text};

pub struct DocumentOutline<'b> {
    /// The first heading, if it is of the first level or numbers the document.
    pub title: Option<&'b str>,
    /// Blocks before the first heading other than the title.
    pub head: &'b [Block],
    pub sections: Vec<OutlineSection<'b>>,
}

/// A heading and the blocks below it.
#[derive(Clone, Copy)]
pub struct OutlineSection<'b> {
    pub title: &'b Text,
    pub level: u8,
    pub line: u32,
    /// Up to the next heading.
    pub own: &'b [Block],
    /// Up to the next heading of its level or a higher one, with those below it.
    pub all: &'b [Block],
}

/// A line of the head: `**Status:** Accepted`, a list item, a row of a table.
#[derive(Debug, Clone)]
pub struct HeadField {
    /// In lower case, without markup and colon.
    pub key: String,
    pub value: String,
    pub line: u32,
    /// Link targets in the value, as written.
    pub links: Vec<String>,
}

pub fn outline(blocks: &[Block]) -> DocumentOutline<'_> {
    let headings: Vec<(usize, u8, &Text)> = blocks
        .iter()
        .enumerate()
        .filter_map(|(at, block)| match &block.kind {
            BlockKind::Heading { level, text } if block.depth == 0 => Some((at, *level, text)),
            _ => None,
        })
        .collect();
    let titled = title_position(blocks);
    let title = headings.first().filter(|(at, ..)| Some(*at) == titled);
    let below = usize::from(title.is_some());
    let start = title.map_or(0, |(at, _, _)| at + 1);
    let end = headings.get(below).map_or(blocks.len(), |(at, _, _)| *at);
    let sections = headings.iter().enumerate().skip(below);
    DocumentOutline {
        title: title.map(|(_, _, text)| text.plain.as_str()),
        head: &blocks[start.min(end)..end],
        sections: sections
            .map(|(index, (at, level, text))| {
                let mut later = headings[index + 1..].iter();
                let next = later.clone().next().map_or(blocks.len(), |(at, _, _)| *at);
                let peer = later.find(|(_, other, _)| other <= level);
                let peer = peer.map_or(blocks.len(), |(at, _, _)| *at);
                OutlineSection {
                    title: text,
                    level: *level,
                    line: blocks[*at].line,
                    own: &blocks[at + 1..next],
                    all: &blocks[at + 1..peer],
                }
            })
            .collect(),
    }
}

/// The position of the heading that is the title: the first one, if it is of the first level. Where none is, one with
/// the number of the document is: `## ADR-0012: Use a queue`, with `## Status` below it.
pub fn title_position(blocks: &[Block]) -> Option<usize> {
    let headings = || {
        let each = blocks.iter().enumerate();
        each.filter_map(|(at, block)| match &block.kind {
            BlockKind::Heading { level, text } if block.depth == 0 => Some((at, *level, text)),
            _ => None,
        })
    };
    let (at, level, text) = headings().next()?;
    let is_title =
        level == 1 || is_numbered_title(&text.plain) && headings().all(|(_, level, _)| level > 1);
    is_title.then_some(at)
}

/// `ADR-0012: Use a queue`, `RFC 7 - Queues`.
fn is_numbered_title(text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    let rest = ["adr", "rfc", "decision", "spec"]
        .iter()
        .find_map(|word| lower.strip_prefix(word));
    let number = rest.map(|rest| rest.trim_start_matches([' ', '-', '_', '#']));
    number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
}

impl<'b> DocumentOutline<'b> {
    /// The first section whose title begins with one of these words, whatever its number and case.
    pub fn section(&self, names: &[&str]) -> Option<OutlineSection<'b>> {
        let mut sections = self.sections.iter();
        sections
            .find(|section| names.iter().any(|name| section.is_called(name)))
            .copied()
    }
}

impl OutlineSection<'_> {
    /// Whether its title begins with `name`, which is in lower case.
    pub fn is_called(&self, name: &str) -> bool {
        let title = self.title.plain.to_lowercase();
        let title = title.trim_start_matches(|c: char| !c.is_alphabetic());
        let rest = title.strip_prefix(name);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphabetic))
    }
}

/// The `Key: value` lines of some blocks.
pub fn fields(blocks: &[Block]) -> Vec<HeadField> {
    let mut fields = Vec::new();
    let mut at = 0;
    while let Some(block) = blocks.get(at) {
        match &block.kind {
            BlockKind::Paragraph(text) | BlockKind::Item { text, .. } => {
                fields.extend(lines(text, block.line));
            }
            BlockKind::Row { .. } => {
                let rest = &blocks[at..];
                let more = rest[1..].iter();
                let rows = more.take_while(|block| is_body_row(block)).count() + 1;
                fields.extend(table(&rest[..rows]));
                at += rows;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    fields
}

fn is_body_row(block: &Block) -> bool {
    matches!(block.kind, BlockKind::Row { is_head: false, .. })
}

/// A table with a key in each row, or one whose head has the keys.
fn table(blocks: &[Block]) -> Vec<HeadField> {
    let rows: Vec<(&[Text], u32)> = blocks
        .iter()
        .filter_map(|block| match &block.kind {
            BlockKind::Row { cells, .. } => Some((cells.as_slice(), block.line)),
            _ => None,
        })
        .collect();
    let are_keys = |cells: &[Text]| {
        let mut keys = cells.iter().map(|cell| key(&cell.plain));
        cells.len() > 1 && keys.all(|key| KEYS.contains(&key.as_str()))
    };
    match rows.as_slice() {
        [(head, _), (values, line), ..] if are_keys(head) => {
            let pairs = head.iter().zip(values.iter());
            pairs.map(|(key, value)| cell(key, value, *line)).collect()
        }
        _ => {
            let pairs = rows.iter().filter(|(cells, _)| cells.len() > 1);
            pairs
                .map(|(cells, line)| cell(&cells[0], &cells[1], *line))
                .collect()
        }
    }
}

/// A table whose head has nothing else goes across.
const KEYS: &[&str] = &[
    "status",
    "statut",
    "estado",
    "stato",
    "状态",
    "ステータス",
    "상태",
    "date",
    "datum",
    "날짜",
    "created",
    "updated",
    "author",
    "authors",
    "owner",
    "deciders",
    "decision makers",
    "version",
    "id",
    "title",
    "category",
    "reviewers",
];

fn cell(name: &Text, value: &Text, line: u32) -> HeadField {
    HeadField {
        key: key(&name.plain),
        value: value.plain.trim().to_owned(),
        line,
        links: value.links.iter().map(|(_, to)| to.clone()).collect(),
    }
}

/// No head of a document has more in one block.
const MOST_FIELDS: usize = 100;
/// Longer than this before its colon is a sentence rather than a key.
const LONGEST_KEY: usize = 32;

/// Each line that has a key. A line may have several: `Date: 2026-08-18 · Status: accepted`.
fn lines(text: &Text, first: u32) -> Vec<HeadField> {
    let mut fields = Vec::new();
    let (mut start, mut line) = (0, first);
    while start < text.plain.len() && fields.len() < MOST_FIELDS {
        let rest = &text.plain[start..];
        let cuts = ["\n", "\u{b7}", "\u{2022}", "   "];
        let ends = cuts.iter().filter_map(|cut| Some((rest.find(cut)?, *cut)));
        let (length, cut) = ends.min().unwrap_or((rest.len(), ""));
        let range = start..start + length;
        fields.extend(field(text, range.clone(), line));
        line += u32::from(cut == "\n");
        start = range.end + cut.len().max(1);
    }
    fields
}

fn field(text: &Text, range: Range<usize>, line: u32) -> Option<HeadField> {
    let (name, value) = text.plain[range.clone()].split_once([':', '：'])?;
    let is_key = name.chars().count() <= LONGEST_KEY && !name.trim().is_empty();
    let inside = text.links.iter();
    let inside = inside.filter(|(words, _)| range.contains(&words.start));
    is_key.then(|| HeadField {
        key: key(name),
        value: value.trim().to_owned(),
        line,
        links: inside.map(|(_, to)| to.clone()).collect(),
    })
}

fn key(name: &str) -> String {
    name.trim()
        .trim_end_matches([':', '：'])
        .trim()
        .to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, String, u32)> {
        let blocks = markdown::blocks(text).blocks;
        let fields = fields(outline(&blocks).head);
        let each = fields.into_iter();
        each.map(|field| (field.key, field.value, field.line))
            .collect()
    }

    #[test]
    fn a_field_is_a_line_an_item_or_a_row() {
        let expected = [
            ("status".to_owned(), "Accepted".to_owned()),
            ("date".to_owned(), "2026-01-02".to_owned()),
        ];
        let pairs = |text: &str| -> Vec<(String, String)> {
            let fields = read(text).into_iter();
            fields.map(|(key, value, _)| (key, value)).collect()
        };
        for text in [
            "# T\n\n**Status:** Accepted\n**Date:** 2026-01-02\n\n## Status\n\nother: x\n",
            "# T\n\n* Status: Accepted\n* Date: 2026-01-02\n",
            "# T\n\nStatus: Accepted · Date: 2026-01-02\n",
            "# T\n\n| | |\n|---|---|\n| Status | Accepted |\n| Date | 2026-01-02 |\n",
            "# T\n\n| Status | Accepted |\n|---|---|\n| Date | 2026-01-02 |\n",
            "# T\n\n| Status | Date |\n|---|---|\n| Accepted | 2026-01-02 |\n",
        ] {
            let found: Vec<_> = pairs(text)
                .into_iter()
                .filter(|(k, _)| !k.is_empty())
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_heading_with_the_number_of_the_document_is_its_title() {
        let title = |text: &str| {
            let blocks = markdown::blocks(text).blocks;
            outline(&blocks).title.map(str::to_owned)
        };
        let numbered = "## ADR-12: Queues\n\n- **Status:** Accepted\n\n## Context\n";
        assert_eq!(title(numbered).as_deref(), Some("ADR-12: Queues"));
        assert_eq!(read(numbered).len(), 1);
        assert_eq!(title("## Status\n\nAccepted\n\n## Context\n"), None);
        assert_eq!(title("## ADR-12: Queues\n\n# Queues\n"), None);
    }

    #[test]
    fn a_section_reaches_to_the_next_of_its_level() {
        let blocks =
            markdown::blocks("# T\n\nlead\n\n## 1. One\n\na\n\n### Sub\n\nb\n\n## Two\n").blocks;
        let outline = outline(&blocks);
        assert_eq!((outline.title, outline.head.len()), (Some("T"), 1));
        let one = outline.section(&["one"]).unwrap();
        assert_eq!((one.line, one.own.len(), one.all.len()), (5, 1, 3));
        assert!(outline.section(&["on"]).is_none());
        assert!(outline.section(&["sub"]).is_some_and(|sub| sub.level == 3));
    }
}
