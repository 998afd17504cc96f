//! Markdown as a list of blocks with their lines, for code that reads facts from it rather than rendering it.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};

use super::place::LineStarts;
use super::source::MarkdownSource;
use super::{MAX_BYTES, cut, front};
use base::FileId;

/// The blocks of a document, in order.
#[derive(Debug, Clone, Default)]
pub struct Blocks {
    pub front_matter: super::FrontMatter,
    pub blocks: Vec<Block>,
}

/// A block of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Line of its first character, counted from 1.
    pub line: u32,
    /// Number of lists and quotes around it.
    pub depth: usize,
    pub kind: BlockKind,
}

/// The kind of a block, with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockKind {
    Heading {
        level: u8,
        text: Text,
    },
    Paragraph(Text),
    /// A list item, without nested lists.
    Item {
        text: Text,
        /// Its number, in an ordered list.
        number: Option<u64>,
        /// Whether its checkbox is ticked, if it has one.
        done: Option<bool>,
    },
    /// A row of a table.
    Row {
        cells: Vec<Text>,
        is_head: bool,
    },
    Code {
        /// The first word of the fence's info string.
        language: String,
        text: String,
        /// Line of its first line of code.
        first: u32,
    },
}

/// Text with its inline markup.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text {
    /// The text without markup, including line breaks.
    pub plain: String,
    /// Ranges of code in `plain`.
    pub code: Vec<Range<usize>>,
    /// Ranges of bold text in `plain`.
    pub strong: Vec<Range<usize>>,
    /// Links and images: their range in `plain`, and their target as written.
    pub links: Vec<(Range<usize>, String)>,
}

impl Text {
    /// The inline code, in order.
    pub fn codes(&self) -> impl Iterator<Item = &str> {
        self.code.iter().map(|range| &self.plain[range.clone()])
    }
}

/// The blocks of `text`, up to the size limit of a page.
pub fn blocks(text: &str) -> Blocks {
    let text = cut(text, MAX_BYTES);
    let (front_matter, start, _) = front::split(text, FileId::NONE);
    let lines = LineStarts::new(text, FileId::NONE);
    let mut reader = BlockReader {
        lines: &lines,
        blocks: Vec::new(),
        lists: Vec::new(),
        depth: 0,
        text: None,
        marks: Vec::new(),
        cells: Vec::new(),
        row: 0,
    };
    for (event, bytes) in MarkdownSource::new(text, start).document().events {
        reader.take(event, bytes.start);
    }
    Blocks {
        front_matter,
        blocks: reader.blocks,
    }
}

struct BlockReader<'l> {
    lines: &'l LineStarts<'l>,
    blocks: Vec<Block>,
    /// The current number of each open list.
    lists: Vec<Option<u64>>,
    depth: usize,
    text: Option<OpenBlock>,
    /// Start of open bold text and links.
    marks: Vec<(usize, Option<String>)>,
    cells: Vec<Text>,
    /// Line of the current table row.
    row: u32,
}

/// The block whose text is being read.
struct OpenBlock {
    line: u32,
    /// Number of containers that were open where it began.
    depth: usize,
    text: Text,
    what: OpenKind,
}

enum OpenKind {
    Heading(u8),
    Paragraph,
    Item {
        number: Option<u64>,
        done: Option<bool>,
    },
    Cell,
    Code {
        language: String,
        first: Option<u32>,
    },
}

impl BlockReader<'_> {
    fn take(&mut self, event: Event<'_>, at: usize) {
        match event {
            Event::Start(tag) => self.start(tag, at),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                let line = self.lines.line(at);
                if let Some(open) = &mut self.text {
                    if let OpenKind::Code { first, .. } = &mut open.what {
                        first.get_or_insert(line);
                    }
                    open.text.plain.push_str(&text);
                }
            }
            Event::Code(text) => {
                if let Some(open) = &mut self.text {
                    let start = open.text.plain.len();
                    open.text.plain.push_str(&text);
                    open.text.code.push(start..open.text.plain.len());
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(open) = &mut self.text {
                    open.text.plain.push('\n');
                }
            }
            Event::TaskListMarker(ticked) => {
                if let Some(OpenBlock {
                    what: OpenKind::Item { done, .. },
                    ..
                }) = &mut self.text
                {
                    *done = Some(ticked);
                }
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, at: usize) {
        match tag {
            Tag::Heading { level, .. } => self.open(at, OpenKind::Heading(level as u8)),
            // The first paragraph of an item is the item's own text.
            Tag::Paragraph if self.is_in_item() => {}
            Tag::Paragraph => self.open(at, OpenKind::Paragraph),
            Tag::List(first) => {
                self.close();
                self.lists.push(first);
                self.depth += 1;
            }
            Tag::Item => {
                let number = self.lists.last_mut().and_then(|number| {
                    let own = *number;
                    *number = number.map(|number| number.saturating_add(1));
                    own
                });
                self.open(at, OpenKind::Item { number, done: None });
            }
            Tag::BlockQuote(_) => {
                self.close();
                self.depth += 1;
            }
            Tag::CodeBlock(kind) => {
                let language = match kind {
                    CodeBlockKind::Fenced(info) => {
                        let mut words = info.split([' ', ',', '{']);
                        words.next().unwrap_or_default().to_ascii_lowercase()
                    }
                    CodeBlockKind::Indented => String::new(),
                };
                self.open(
                    at,
                    OpenKind::Code {
                        language,
                        first: None,
                    },
                );
            }
            Tag::TableHead | Tag::TableRow => {
                self.close();
                self.cells.clear();
                self.row = self.lines.line(at);
            }
            Tag::TableCell => self.open(at, OpenKind::Cell),
            Tag::Strong => self.mark(None),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.mark(Some(dest_url.into_string()));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) | TagEnd::CodeBlock | TagEnd::Paragraph | TagEnd::Item => {
                self.close()
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.depth = self.depth.saturating_sub(1);
            }
            TagEnd::BlockQuote(_) => {
                self.close();
                self.depth = self.depth.saturating_sub(1);
            }
            TagEnd::TableCell => {
                if let Some(open) = self.text.take() {
                    self.cells.push(open.text);
                }
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                let kind = BlockKind::Row {
                    cells: std::mem::take(&mut self.cells),
                    is_head: tag == TagEnd::TableHead,
                };
                self.blocks.push(Block {
                    line: self.row,
                    depth: self.depth,
                    kind,
                });
            }
            TagEnd::Strong | TagEnd::Link | TagEnd::Image => {
                if let (Some((start, target)), Some(open)) = (self.marks.pop(), &mut self.text) {
                    let range = start.min(open.text.plain.len())..open.text.plain.len();
                    match target {
                        None => open.text.strong.push(range),
                        Some(target) => open.text.links.push((range, target)),
                    }
                }
            }
            _ => {}
        }
    }

    fn mark(&mut self, target: Option<String>) {
        let start = self.text.as_ref().map_or(0, |open| open.text.plain.len());
        self.marks.push((start, target));
    }

    fn is_in_item(&self) -> bool {
        let open = self.text.as_ref();
        open.is_some_and(|open| matches!(open.what, OpenKind::Item { .. }))
    }

    fn open(&mut self, at: usize, what: OpenKind) {
        self.close();
        self.marks.clear();
        self.text = Some(OpenBlock {
            line: self.lines.line(at),
            depth: self.depth,
            text: Text::default(),
            what,
        });
    }

    fn close(&mut self) {
        let Some(open) = self.text.take() else {
            return;
        };
        let text = open.text;
        let kind = match open.what {
            OpenKind::Heading(level) => BlockKind::Heading { level, text },
            OpenKind::Paragraph => BlockKind::Paragraph(text),
            OpenKind::Item { number, done } => BlockKind::Item { text, number, done },
            OpenKind::Cell => return,
            OpenKind::Code { language, first } => BlockKind::Code {
                language,
                text: text.plain,
                first: first.unwrap_or(open.line),
            },
        };
        self.blocks.push(Block {
            line: open.line,
            depth: open.depth,
            kind,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(u32, usize, String)> {
        let shown = |block: &Block| match &block.kind {
            BlockKind::Heading { level, text } => format!("h{level} {}", text.plain),
            BlockKind::Paragraph(text) => format!("p {}", text.plain),
            BlockKind::Item { text, number, done } => {
                format!("i {number:?} {done:?} {}", text.plain)
            }
            BlockKind::Row { cells, is_head } => {
                let cells: Vec<&str> = cells.iter().map(|cell| cell.plain.as_str()).collect();
                format!("{} {}", if *is_head { "th" } else { "td" }, cells.join("|"))
            }
            BlockKind::Code {
                language,
                text,
                first,
            } => format!("{language} {first} {text}"),
        };
        let all = blocks(text).blocks;
        all.iter()
            .map(|block| (block.line, block.depth, shown(block)))
            .collect()
    }

    #[test]
    fn blocks_know_their_lines_and_how_deep_they_stand() {
        let text = "---\ntitle: T\n---\n# One\n\nText.\n\n- [x] done `a`\n  1. inner\n- two\n\n  more\n\n> quoted\n";
        let expected = [
            (4, 0, "h1 One"),
            (6, 0, "p Text."),
            (8, 1, "i None Some(true) done a"),
            (9, 2, "i Some(1) None inner"),
            (10, 1, "i None None two"),
            (12, 1, "p more"),
            (14, 1, "p quoted"),
        ];
        let expected = expected.map(|(line, depth, text)| (line, depth, text.to_owned()));
        assert_eq!(kinds(text), expected);
    }

    #[test]
    fn tables_and_code_are_read_row_by_row_and_line_by_line() {
        let text = "| File | Status |\n|---|---|\n| `a.yaml` | Created |\n\n```bash title=x\nls\npwd\n```\n";
        let expected = [
            (1, 0, "th File|Status"),
            (3, 0, "td a.yaml|Created"),
            (5, 0, "bash 6 ls\npwd\n"),
        ];
        let expected = expected.map(|(line, depth, text)| (line, depth, text.to_owned()));
        assert_eq!(kinds(text), expected);
    }

    #[test]
    fn markup_is_kept_beside_the_words() {
        let Blocks { blocks, .. } = blocks("**Status:** see [ADR 1](./0001.md) and `x`");
        let [
            Block {
                kind: BlockKind::Paragraph(text),
                ..
            },
        ] = blocks.as_slice()
        else {
            panic!("one paragraph: {blocks:?}");
        };
        assert_eq!(text.plain, "Status: see ADR 1 and x");
        assert_eq!(&text.plain[text.strong[0].clone()], "Status:");
        assert_eq!(text.links[0].1, "./0001.md");
        assert_eq!(text.codes().collect::<Vec<_>>(), ["x"]);
    }
}
