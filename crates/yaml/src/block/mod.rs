//! A fast parser for what most files consist of: block mappings and sequences with scalars on one line, plain scalars
//! over several lines, blocks of text, and flow collections on one line. It gives up on everything else, and on everything that there would
//! be a finding about, so that the complete parser decides. Both agree on the rest.

mod flow;
mod literal;
mod quoted;
mod scan;

use smol_str::SmolStr;

use super::{Comment, CommentPosition, Document, Entry, Map, Node, Scalar, Style, Value};
use super::{doubt, mapping};
use base::{FileId, Place};
use scan::{is_item, key, plain_line};

/// Maximum nesting; the complete parser allows more.
const MAX_DEPTH: usize = 100;
/// Maximum number of values; the complete parser counts, too.
const MAX_NODES: usize = 1_000_000;

/// All documents of a text, or nothing if the text is not as simple as that.
pub fn parse(text: &str, file: FileId) -> Option<Vec<Document>> {
    if text.len() >= u32::MAX as usize {
        return None;
    }
    if text.ends_with('\n') {
        parse_lines(text, file, LastLine::Ended)
    } else {
        parse_lines(&format!("{text}\n"), file, LastLine::Cut)
    }
}

fn parse_lines(text: &str, file: FileId, last: LastLine) -> Option<Vec<Document>> {
    let mut parser = BlockParser {
        text,
        last,
        file,
        next: 0,
        peeked: (usize::MAX, 0, 0),
        line: 0,
        cursor: None,
        is_at_marker: false,
        comments: Vec::new(),
        items: Vec::new(),
        entries: Vec::new(),
        nodes: 0,
    };
    let mut documents: Vec<Document> = Vec::new();
    parser.advance()?;
    if parser.is_at_marker {
        parser.advance()?;
    }
    loop {
        let start = parser.cursor?;
        if start.indent != 0 {
            return None;
        }
        let root = parser.block(None, 0)?;
        if parser.cursor.is_some() {
            return None;
        }
        let comments = std::mem::take(&mut parser.comments);
        documents.push(Document { root, comments });
        if !parser.is_at_marker {
            return Some(documents);
        }
        parser.advance()?;
    }
}

/// How the file ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastLine {
    Ended,
    /// Without a line break, which was added.
    Cut,
}

/// The rest of a line that begins with something.
#[derive(Clone, Copy)]
struct Cursor {
    line: u32,
    /// Columns before it.
    indent: usize,
    start: usize,
    end: usize,
}

struct BlockParser<'t> {
    text: &'t str,
    last: LastLine,
    file: FileId,
    /// Where the next line begins.
    next: usize,
    /// The start of the line that was asked for last, its end and its indentation.
    peeked: (usize, usize, usize),
    /// The number of the last line that was read.
    line: u32,
    cursor: Option<Cursor>,
    /// Whether the line is `---`.
    is_at_marker: bool,
    comments: Vec<Comment>,
    items: Vec<Node>,
    entries: Vec<Entry>,
    nodes: usize,
}

impl<'t> BlockParser<'t> {
    /// The next line as it is, with the number of spaces before its content.
    fn peek(&mut self) -> Option<(&'t str, usize)> {
        self.peek_at(self.next)
    }

    fn skip(&mut self, line: &str) {
        self.next += line.len() + 1;
        self.line += 1;
    }

    /// Goes to the next line with content.
    fn advance(&mut self) -> Option<()> {
        self.cursor = None;
        self.is_at_marker = false;
        while let Some((line, indent)) = self.peek() {
            let start = self.next;
            self.skip(line);
            match line.as_bytes().get(indent) {
                None => continue,
                Some(b'#') => self.comment(
                    start + indent,
                    start + line.len(),
                    indent,
                    CommentPosition::OwnLine,
                )?,
                Some(b'\t' | b'%') => return None,
                Some(_) if indent == 0 && (line.starts_with("---") || line.starts_with("...")) => {
                    self.is_at_marker = true;
                    return (line == "---").then_some(());
                }
                Some(_) => {
                    self.cursor = Some(Cursor {
                        line: self.line,
                        indent,
                        start: start + indent,
                        end: start + line.len(),
                    });
                    return Some(());
                }
            }
        }
        Some(())
    }

    fn comment(
        &mut self,
        start: usize,
        end: usize,
        column: usize,
        position: CommentPosition,
    ) -> Option<()> {
        let text = &self.text[start..end];
        if text.contains('\r') {
            return None;
        }
        let place = self.place(self.line, column, text.chars().count());
        self.comments.push(Comment {
            text: text[1..].into(),
            place,
            position,
        });
        Some(())
    }

    fn place(&self, line: u32, column: usize, len: usize) -> Place {
        Place {
            file: self.file,
            line,
            column: column as u32 + 1,
            len: len as u32,
        }
    }

    fn count(&mut self, depth: usize) -> Option<()> {
        self.nodes += 1;
        (depth < MAX_DEPTH && self.nodes < MAX_NODES).then_some(())
    }

    /// The mapping or sequence at the cursor, inside a mapping with an indentation.
    fn block(&mut self, outer: Option<usize>, depth: usize) -> Option<Node> {
        self.count(depth)?;
        let start = self.cursor?;
        let rest = self.rest(start);
        match outer {
            _ if is_item(rest) => self.sequence(start, outer, depth),
            // The value of a key, on a line of its own.
            Some(parent) if key(rest).is_none() && start.indent > parent => {
                self.value(start, parent, depth)
            }
            _ => self.mapping(start, depth),
        }
    }

    fn rest(&self, at: Cursor) -> &'t str {
        &self.text[at.start..at.end]
    }

    fn sequence(&mut self, start: Cursor, outer: Option<usize>, depth: usize) -> Option<Node> {
        let first = self.items.len();
        let mut place = self.place(start.line, start.indent, 0);
        let mut at = start;
        loop {
            let rest = &self.rest(at)[1..];
            let content = rest.trim_start_matches(' ');
            let skipped = 1 + rest.len() - content.len();
            let inner = Cursor {
                indent: at.indent + skipped,
                start: at.start + skipped,
                ..at
            };
            if outer == Some(start.indent) && self.items.len() == first {
                // The complete parser says so where the items are not indented.
                place = self.place(inner.line, inner.indent, 0);
                if content.is_empty() || content.starts_with('#') {
                    return None;
                }
            }
            let item = if content.is_empty() || content.starts_with('#') {
                self.end_line(inner)?;
                match self.cursor {
                    Some(next) if next.indent > start.indent => self.block(None, depth + 1)?,
                    _ if rest.is_empty() => self.null(at, 1, depth)?,
                    _ => return None,
                }
            } else if is_item(content) || key(content).is_some() {
                self.cursor = Some(inner);
                self.block(None, depth + 1)?
            } else {
                self.value(inner, start.indent, depth + 1)?
            };
            self.items.push(item);
            match self.cursor {
                Some(next) if next.indent > start.indent => return None,
                Some(next) if next.indent == start.indent && is_item(self.rest(next)) => at = next,
                _ => break,
            }
        }
        Some(Node {
            value: Value::Seq(self.items.split_off(first)),
            place,
        })
    }

    fn mapping(&mut self, start: Cursor, depth: usize) -> Option<Node> {
        let first = self.entries.len();
        let place = self.place(start.line, start.indent, 0);
        let mut at = start;
        loop {
            let rest = self.rest(at);
            let found = key(rest)?;
            let key_place = self.place(at.line, at.indent, found.length);
            let scalar = Scalar {
                text: found.text.into(),
                style: found.style,
                shared: None,
            };
            if doubt::check_key(&scalar, key_place).is_some() || found.text == "<<" {
                return None;
            }
            let after = &rest[found.length + 1..];
            let content = after.trim_start_matches(' ');
            let skipped = found.length + 1 + after.len() - content.len();
            let inner = Cursor {
                indent: at.indent + skipped,
                start: at.start + skipped,
                ..at
            };
            let value = if content.is_empty() || content.starts_with('#') {
                self.end_line(inner)?;
                let is_below = |next: &Cursor| {
                    let is_list = next.indent == start.indent && is_item(self.rest(*next));
                    next.indent > start.indent || is_list
                };
                if self.cursor.as_ref().is_some_and(is_below) {
                    self.block(Some(start.indent), depth + 1)?
                } else {
                    self.null(at, found.length, depth)?
                }
            } else {
                self.value(inner, start.indent, depth + 1)?
            };
            self.entries.push(Entry {
                key: scalar.text,
                key_place,
                value,
            });
            match self.cursor {
                Some(next) if next.indent > start.indent => return None,
                Some(next) if next.indent == start.indent => at = next,
                _ => break,
            }
        }
        let entries = self.entries.split_off(first);
        if !mapping::distinct(&entries) {
            return None;
        }
        Some(Node {
            value: Value::Map(Map(entries)),
            place,
        })
    }

    /// An absent value, some columns after the cursor.
    fn null(&mut self, at: Cursor, columns: usize, depth: usize) -> Option<Node> {
        self.count(depth)?;
        let place = self.place(at.line, at.indent + columns, 0);
        self.scalar(SmolStr::default(), Style::Plain, place)
    }

    /// Ends a line on which nothing but a comment is left.
    fn end_line(&mut self, at: Cursor) -> Option<()> {
        if at.start < at.end {
            self.comment(at.start, at.end, at.indent, CommentPosition::AfterValue)?;
        }
        self.advance()
    }

    /// The value that begins on the line of its key.
    fn value(&mut self, at: Cursor, parent: usize, depth: usize) -> Option<Node> {
        self.count(depth)?;
        let rest = self.rest(at);
        match rest.as_bytes()[0] {
            b'"' | b'\'' => self.quoted(at, parent),
            b'|' => self.literal(at, parent),
            b'>' => self.folded(at, parent),
            b'[' | b'{' => self.flow(at, depth),
            b'&' | b'*' | b'!' | b'%' | b'@' | b'`' | b'#' | b',' | b']' | b'}' => None,
            b'-' | b'?' | b':' if matches!(rest.as_bytes().get(1), None | Some(b' ')) => None,
            _ => self.plain(at, parent),
        }
    }

    fn scalar(&self, text: SmolStr, style: Style, place: Place) -> Option<Node> {
        let scalar = Scalar {
            text,
            style,
            shared: None,
        };
        doubt::check_value(&scalar, place)
            .is_none()
            .then_some(Node {
                value: Value::Scalar(scalar),
                place,
            })
    }

    /// What follows a value on its line: nothing, or a comment.
    fn after(&mut self, at: Cursor, end: usize, column: usize) -> Option<()> {
        let rest = &self.text[end..at.end];
        let content = rest.trim_start_matches(' ');
        let skipped = rest.len() - content.len();
        if !content.is_empty() && (skipped == 0 || !content.starts_with('#')) {
            return None;
        }
        self.end_line(Cursor {
            start: end + skipped,
            indent: column + skipped,
            ..at
        })
    }

    fn plain(&mut self, at: Cursor, parent: usize) -> Option<Node> {
        let rest = self.rest(at);
        let line = plain_line(rest)?;
        let columns = line.chars().count();
        if line.len() < rest.trim_end_matches(' ').len() {
            // A comment ends it.
            let place = self.place(at.line, at.indent, columns);
            let node = self.scalar(line.into(), Style::Plain, place)?;
            self.after(at, at.start + line.len(), at.indent + columns)?;
            return Some(node);
        }
        let mut text = String::new();
        let mut breaks = 1;
        let (mut ahead, mut skipped) = (self.next, 0);
        while let Some((content, indent)) = self.peek_at(ahead) {
            ahead += content.len() + 1;
            skipped += 1;
            let own = &content[indent..];
            if own.is_empty() {
                breaks += 1;
                continue;
            }
            if indent <= parent || own.starts_with('#') {
                break;
            }
            let more =
                plain_line(own).filter(|more| more.len() == own.trim_end_matches(' ').len())?;
            if text.is_empty() {
                text.push_str(line);
            }
            match breaks {
                1 => text.push(' '),
                _ => text.extend(std::iter::repeat_n('\n', breaks - 1)),
            }
            text.push_str(more);
            breaks = 1;
            self.next = ahead;
            self.line += skipped;
            skipped = 0;
        }
        let node = if text.is_empty() {
            let place = self.place(at.line, at.indent, columns);
            self.scalar(line.into(), Style::Plain, place)
        } else {
            self.scalar(text.into(), Style::Plain, self.place(at.line, at.indent, 0))
        };
        self.advance()?;
        node
    }

    /// Whether a block of text reaches to the end of a text without a line break there.
    fn is_cut_off(&self) -> bool {
        self.last == LastLine::Cut && self.next >= self.text.len()
    }

    /// The line at an offset. Most lines are asked for twice.
    fn peek_at(&mut self, at: usize) -> Option<(&'t str, usize)> {
        if at != self.peeked.0 {
            let rest = self.text.get(at..).filter(|rest| !rest.is_empty())?;
            let end = rest.find('\n')?;
            let indent = rest.bytes().take_while(|byte| *byte == b' ').count();
            base::steps::count(end + 1);
            self.peeked = (at, at + end, indent);
        }
        let (_, end, indent) = self.peeked;
        Some((&self.text[at..end], indent))
    }
}
