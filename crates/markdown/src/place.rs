//! Converts byte offsets to lines and columns.

use std::ops::Range;

use base::{FileId, Place};

const MAX_COLUMN_BYTES: usize = 10_000;

/// The start of each line of a file.
pub struct LineStarts<'t> {
    text: &'t str,
    file: FileId,
    starts: Vec<usize>,
}

impl<'t> LineStarts<'t> {
    pub fn new(text: &'t str, file: FileId) -> LineStarts<'t> {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0)
            .chain(breaks.map(|(at, _)| at + 1))
            .collect();
        LineStarts { text, file, starts }
    }

    pub fn line(&self, at: usize) -> u32 {
        self.starts.partition_point(|start| *start <= at) as u32
    }

    /// The place of a byte range, up to the end of its first line.
    pub fn place(&self, bytes: &Range<usize>) -> Place {
        let line = self.line(bytes.start);
        let start = self.starts[line.saturating_sub(1) as usize];
        let characters = |range: Range<usize>| self.text.get(range).unwrap_or_default().chars();
        let span = characters(bytes.clone()).take_while(|c| *c != '\n');
        // Columns in very long lines are not counted: doing so for every link would be slow.
        let column = match bytes.start.saturating_sub(start) {
            far if far > MAX_COLUMN_BYTES => far,
            _ => characters(start..bytes.start).count(),
        };
        Place {
            file: self.file,
            line,
            column: column as u32 + 1,
            len: span.count() as u32,
        }
    }
}
