//! Converts offsets in a text to lines and columns.

use oxc_span::Span;

use base::{FileId, Place};

/// The start of each line.
pub(super) struct SourceLines<'t> {
    text: &'t str,
    starts: Vec<u32>,
    file: FileId,
    is_ascii: bool,
}

impl<'t> SourceLines<'t> {
    pub(super) fn new(text: &'t str, file: FileId) -> SourceLines<'t> {
        let ends = text.bytes().zip(1..).filter(|(byte, _)| *byte == b'\n');
        SourceLines {
            text,
            starts: std::iter::once(0).chain(ends.map(|(_, at)| at)).collect(),
            file,
            is_ascii: text.is_ascii(),
        }
    }

    /// The place of a span. A span of several lines ends with the first.
    pub(super) fn place(&self, span: Span) -> Place {
        let line = self
            .starts
            .partition_point(|start| *start <= span.start)
            .max(1);
        let start = self.starts[line - 1];
        let next = self
            .starts
            .get(line)
            .copied()
            .unwrap_or(self.text.len() as u32 + 1);
        let end = span.end.min(next.saturating_sub(1)).max(span.start);
        Place {
            file: self.file,
            line: line as u32,
            column: 1 + self.count(start, span.start),
            len: self.count(span.start, end),
        }
    }

    /// Characters between two offsets of a line.
    fn count(&self, from: u32, to: u32) -> u32 {
        // Columns in very long lines need not be exact.
        if self.is_ascii || to - from > 2_000 {
            return to - from;
        }
        let part = self.text.get(from as usize..to as usize);
        part.map_or(to - from, |part| part.chars().count() as u32)
    }
}
