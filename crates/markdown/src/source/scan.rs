//! Rewrites blocks of other dialects as quotes, line by line, in one pass. Code and raw HTML stay as they are.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::directive::{self, AlertKind, Extent, Folding, Frame, Opening};
use super::{MarkdownSource, Piece, options};

/// Deeper blocks stay as they are written: every level costs two bytes in every line.
const MAX_DEPTH: usize = 8;
/// A page that grows by more than this stays as it is: it is mostly empty lines in deep blocks.
const MAX_GROWTH: usize = 4;
/// Columns that the body of an admonition is indented by.
const BODY: usize = 4;

/// The text from `start` on, rewritten if it has blocks of other dialects.
pub fn rewritten(text: &str, start: usize) -> MarkdownSource<'_> {
    let whole = Piece {
        start: 0,
        origin: start,
        len: text.len() - start,
    };
    let unchanged = MarkdownSource {
        text: Cow::Borrowed(&text[start..]),
        pieces: vec![whole],
        openings: BTreeMap::new(),
        options: options(),
    };
    let marks = ["!!!", "???", "===", ":::", "///"];
    let may_open = |line: &str| marks.iter().any(|mark| line.trim_start().starts_with(mark));
    if !text[start..].lines().any(may_open) {
        return unchanged;
    }
    let mut scanner = BlockScanner::new(text, start);
    let mut at = start;
    let mut lines = text[start..].split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let next = lines.peek().copied().unwrap_or_default();
        scanner.line(line, at, next);
        at += line.len();
        if scanner.out.len() > MAX_GROWTH * text.len() + 4096 {
            return unchanged;
        }
    }
    if scanner.openings.is_empty() {
        return unchanged;
    }
    MarkdownSource {
        text: Cow::Owned(scanner.out),
        pieces: scanner.pieces,
        openings: scanner.openings,
        options: options(),
    }
}

struct BlockScanner {
    out: String,
    pieces: Vec<Piece>,
    openings: BTreeMap<usize, Opening>,
    open: Vec<OpenBlock>,
    /// The offset of the last line that closes a fenced block: later ones never end.
    last_closing: BTreeMap<u8, usize>,
    code: Option<CodeFence>,
    /// The end of the raw HTML that is open.
    html: Option<&'static str>,
    /// The columns at which the text of each open list item starts.
    items: Vec<usize>,
    before: LineBefore,
    /// Lines of options may follow: `    type: warning`.
    takes_options: bool,
}

/// A block that has not ended.
struct OpenBlock {
    indent: usize,
    extent: Extent,
    /// Number of list items that were open around it.
    items: usize,
}

struct CodeFence {
    mark: u8,
    length: usize,
    /// Number of blocks around it.
    depth: usize,
}

/// The kind of the line before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineBefore {
    Blank,
    Text,
    IndentedCode,
}

/// Part of a line: its offset in the file, and the columns that a cut tab leaves over.
#[derive(Clone, Copy)]
struct Rest<'l> {
    text: &'l str,
    at: usize,
    spaces: usize,
}

impl<'l> Rest<'l> {
    /// Width of its indentation.
    fn indent(self) -> usize {
        let mut column = self.spaces;
        for byte in self.text.bytes() {
            match byte {
                b' ' => column += 1,
                b'\t' => column += 4 - column % 4,
                _ => break,
            }
        }
        column
    }

    /// Without up to `columns` of its indentation.
    fn cut(self, columns: usize) -> Rest<'l> {
        let mut column = self.spaces;
        let mut bytes = 0;
        for byte in self.text.bytes() {
            if column >= columns {
                break;
            }
            match byte {
                b' ' => column += 1,
                b'\t' => column += 4 - column % 4,
                _ => break,
            }
            bytes += 1;
        }
        Rest {
            text: &self.text[bytes..],
            at: self.at + bytes,
            spaces: column.saturating_sub(columns),
        }
    }
}

impl BlockScanner {
    fn new(text: &str, start: usize) -> BlockScanner {
        let mut last_closing = BTreeMap::new();
        let mut at = start;
        for line in text[start..].split_inclusive('\n') {
            if let Some((mark, _)) = directive::closing(line.trim_start()) {
                last_closing.insert(mark, at);
            }
            at += line.len();
        }
        BlockScanner {
            out: String::with_capacity(text.len() + text.len() / 4),
            pieces: Vec::new(),
            openings: BTreeMap::new(),
            open: Vec::new(),
            last_closing,
            code: None,
            html: None,
            items: Vec::new(),
            before: LineBefore::Blank,
            takes_options: false,
        }
    }

    fn line(&mut self, line: &str, at: usize, next: &str) {
        let whole = Rest {
            text: line,
            at,
            spaces: 0,
        };
        if line.trim().is_empty() {
            self.takes_options = false;
            let rest = if self.is_code() {
                self.inside(whole).0
            } else {
                Rest {
                    text: "\n",
                    at: at + line.len(),
                    spaces: 0,
                }
            };
            self.write(rest);
            self.before = match self.before {
                LineBefore::IndentedCode => LineBefore::IndentedCode,
                _ => LineBefore::Blank,
            };
            return;
        }
        let (rest, depth) = self.inside(whole);
        if depth < self.open.len() {
            self.close(depth, at);
        }
        if std::mem::take(&mut self.takes_options) && self.option(rest) {
            self.takes_options = true;
            return;
        }
        if self.is_code() {
            self.end_code(rest);
            return self.write(rest);
        }
        let indent = rest.indent();
        let trimmed = rest.cut(indent);
        self.leave_items(indent, trimmed.text);
        let base = self.item();
        if indent >= base + 4 {
            if self.before != LineBefore::Text {
                self.before = LineBefore::IndentedCode;
            }
            return self.write(rest);
        }
        if let Some((mark, length)) = directive::closing(trimmed.text)
            && let Some(block) = self.closed_by(mark, length)
        {
            return self.close(block, at);
        }
        if self.open.len() < MAX_DEPTH
            && let Some(opening) = directive::opening(trimmed.text.trim_end())
            && self.holds(&opening, at, indent, next)
        {
            return self.begin(opening, rest, indent);
        }
        self.begin_code(trimmed.text);
        self.begin_item(trimmed.text, indent);
        self.before = LineBefore::Text;
        self.write(rest);
    }

    /// The line inside all blocks that it continues, and how many these are.
    fn inside<'l>(&self, line: Rest<'l>) -> (Rest<'l>, usize) {
        let mut rest = line;
        for (depth, block) in self.open.iter().enumerate() {
            match block.extent {
                Extent::Fenced { .. } => rest = rest.cut(block.indent),
                Extent::Indented if rest.text.trim().is_empty() => {
                    rest = rest.cut(block.indent + BODY);
                }
                Extent::Indented if rest.indent() >= block.indent + BODY => {
                    rest = rest.cut(block.indent + BODY);
                }
                Extent::Indented => return (rest, depth),
            }
        }
        (rest, self.open.len())
    }

    fn is_code(&self) -> bool {
        self.code.is_some() || self.html.is_some()
    }

    /// The column at which the text of the innermost list item of this block starts.
    fn item(&self) -> usize {
        let outside = self.open.last().map_or(0, |block| block.items);
        let own = self.items.get(outside..).unwrap_or_default();
        own.last().copied().unwrap_or(0)
    }

    fn leave_items(&mut self, indent: usize, text: &str) {
        let outside = self.open.last().map_or(0, |block| block.items);
        if self.before == LineBefore::Text && item_width(text).is_none() {
            return;
        }
        while self.items.len() > outside && self.items.last().is_some_and(|item| *item > indent) {
            self.items.pop();
        }
    }

    fn begin_item(&mut self, text: &str, indent: usize) {
        if let Some(width) = item_width(text) {
            self.items.push(indent + width);
        }
    }

    /// The block that a line of `length` characters closes: the innermost of this length, or else of a smaller one.
    fn closed_by(&self, mark: u8, length: usize) -> Option<usize> {
        let find = |matches: &dyn Fn(usize) -> bool| {
            self.open.iter().rposition(|block| match block.extent {
                Extent::Fenced { mark: own, length } => own == mark && matches(length),
                Extent::Indented => false,
            })
        };
        find(&|own| own == length).or_else(|| find(&|own| own < length))
    }

    /// Whether the block is one: it ends, or has a body.
    fn holds(&self, opening: &Opening, at: usize, indent: usize, next: &str) -> bool {
        match opening.extent {
            Extent::Fenced { mark, .. } => {
                self.last_closing.get(&mark).is_some_and(|last| *last > at)
            }
            Extent::Indented => {
                let below = Rest {
                    text: next,
                    at: 0,
                    spaces: 0,
                };
                let (below, depth) = self.inside(below);
                let has_body = depth == self.open.len() && below.indent() >= indent + BODY;
                opening.is_certain || has_body
            }
        }
    }

    fn begin(&mut self, opening: Opening, line: Rest<'_>, indent: usize) {
        self.gap(line.at);
        let prefix = self.prefix();
        self.invent(&prefix, line.at);
        self.invent(&" ".repeat(indent), line.at);
        self.invent("> ", line.at);
        let heading = self.out.len();
        self.invent("###### ", line.at);
        let trimmed = line.cut(indent);
        let title = trimmed.text.get(opening.title.clone()).unwrap_or_default();
        self.copy(title, trimmed.at + opening.title.start);
        self.invent("\n", line.at);
        let extent = opening.extent;
        self.openings.insert(heading, opening);
        self.open.push(OpenBlock {
            indent,
            extent,
            items: self.items.len(),
        });
        self.gap(line.at);
        self.takes_options = matches!(extent, Extent::Fenced { mark: b'/', .. });
        self.before = LineBefore::Blank;
    }

    /// Takes a line of options of the block that was just opened.
    fn option(&mut self, rest: Rest<'_>) -> bool {
        let pair = rest.text.trim().split_once(':');
        let Some((name, value)) = pair.filter(|_| rest.indent() >= BODY) else {
            return false;
        };
        let Some(opening) = self.openings.values_mut().next_back() else {
            return false;
        };
        match (name, value.trim(), opening.frame) {
            ("type", kind, Frame::Alert(_)) => {
                opening.frame = Frame::Alert(directive::kind(kind).unwrap_or(AlertKind::Note));
            }
            ("type", name, Frame::Details { state, .. }) => {
                let kind = directive::kind(name).unwrap_or(AlertKind::Note);
                opening.frame = Frame::Details { kind, state };
            }
            ("open", value, Frame::Details { kind, .. }) if value.eq_ignore_ascii_case("true") => {
                let state = Folding::Open;
                opening.frame = Frame::Details { kind, state };
            }
            _ => return name.bytes().all(|byte| byte.is_ascii_alphanumeric()),
        }
        true
    }

    /// Ends all blocks from `depth` on.
    fn close(&mut self, depth: usize, at: usize) {
        if let Some(block) = self.open.get(depth) {
            self.items.truncate(block.items);
        }
        self.open.truncate(depth);
        if self.code.as_ref().is_some_and(|code| code.depth > depth) {
            self.code = None;
        }
        self.html = None;
        self.gap(at);
        self.before = LineBefore::Blank;
        self.takes_options = false;
    }

    fn begin_code(&mut self, text: &str) {
        let mark = text.bytes().next().unwrap_or_default();
        let length = text.bytes().take_while(|byte| *byte == mark).count();
        if matches!(mark, b'`' | b'~') && length >= 3 {
            if mark == b'~' || !text[length..].contains('`') {
                let depth = self.open.len();
                self.code = Some(CodeFence {
                    mark,
                    length,
                    depth,
                });
            }
            return;
        }
        self.html = raw_end(text).filter(|end| !contains(text, end));
    }

    fn end_code(&mut self, line: Rest<'_>) {
        let text = line.text.trim();
        if let Some(code) = &self.code {
            let is_fence = text.len() >= code.length && text.bytes().all(|byte| byte == code.mark);
            if is_fence {
                self.code = None;
                self.before = LineBefore::Text;
            }
        } else if self.html.is_some_and(|end| contains(text, end)) {
            self.html = None;
            self.before = LineBefore::Text;
        }
    }

    fn prefix(&self) -> String {
        let mut prefix = String::new();
        for block in &self.open {
            prefix.extend(std::iter::repeat_n(' ', block.indent));
            prefix.push_str("> ");
        }
        prefix
    }

    /// Writes an empty line inside the open blocks.
    fn gap(&mut self, at: usize) {
        let prefix = self.prefix();
        self.invent(prefix.trim_end(), at);
        self.invent("\n", at);
    }

    fn write(&mut self, rest: Rest<'_>) {
        let prefix = self.prefix();
        let is_blank = rest.text.trim().is_empty() && !self.is_code();
        self.invent(if is_blank { prefix.trim_end() } else { &prefix }, rest.at);
        if is_blank {
            return self.invent("\n", rest.at);
        }
        self.invent(&" ".repeat(rest.spaces), rest.at);
        self.copy(rest.text, rest.at);
    }

    /// Writes text that is not in the file.
    fn invent(&mut self, text: &str, origin: usize) {
        if !text.is_empty() {
            self.push(text, origin, 0);
        }
    }

    fn copy(&mut self, text: &str, origin: usize) {
        if !text.is_empty() {
            self.push(text, origin, text.len());
        }
    }

    fn push(&mut self, text: &str, origin: usize, len: usize) {
        let start = self.out.len();
        match self.pieces.last_mut() {
            // Lines that follow each other in both are one piece.
            Some(last)
                if last.len > 0
                    && len > 0
                    && last.start + last.len == start
                    && last.origin + last.len == origin =>
            {
                last.len += len;
            }
            _ => self.pieces.push(Piece { start, origin, len }),
        }
        self.out.push_str(text);
    }
}

/// The width of a list marker with the space after it.
fn item_width(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let digits = bytes
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let marker = match digits {
        0 if matches!(bytes.first(), Some(b'-' | b'*' | b'+')) => 1,
        1..=9 if matches!(bytes.get(digits), Some(b'.' | b')')) => digits + 1,
        _ => return None,
    };
    let spaces = bytes[marker..]
        .iter()
        .take_while(|byte| **byte == b' ')
        .count();
    match spaces {
        0 => None,
        1..=4 => Some(marker + spaces),
        _ => Some(marker + 1),
    }
}

/// The end of a block of raw HTML that blank lines do not end.
fn raw_end(text: &str) -> Option<&'static str> {
    const BLOCKS: [(&str, &str); 7] = [
        ("<!--", "-->"),
        ("<pre", "</pre>"),
        ("<script", "</script>"),
        ("<style", "</style>"),
        ("<textarea", "</textarea>"),
        ("<?", "?>"),
        ("<![CDATA[", "]]>"),
    ];
    let starts = |start: &str| {
        let head = text.get(..start.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(start))
    };
    let block = BLOCKS.iter().find(|(start, _)| starts(start));
    block.map(|(_, end)| *end)
}

fn contains(text: &str, end: &str) -> bool {
    text.len() >= end.len() && text.to_ascii_lowercase().contains(end)
}
