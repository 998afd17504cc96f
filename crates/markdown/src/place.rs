//! From bytes to lines and columns.

use std::ops::Range;

use base::{FileId, Place};

const MAX_COLUMN_BYTES: usize = 10_000;

/// Where the lines of a file begin.
pub struct Lines<'t> {
    text: &'t str,
    file: FileId,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub fn new(text: &'t str, file: FileId) -> Lines<'t> {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0)
            .chain(breaks.map(|(at, _)| at + 1))
            .collect();
        Lines { text, file, starts }
    }

    pub fn line(&self, at: usize) -> u32 {
        self.starts.partition_point(|start| *start <= at) as u32
    }

    /// The place of some bytes, as far as their first line goes.
    pub fn place(&self, bytes: &Range<usize>) -> Place {
        let line = self.line(bytes.start);
        let start = self.starts[line.saturating_sub(1) as usize];
        let characters = |range: Range<usize>| self.text.get(range).unwrap_or_default().chars();
        let span = characters(bytes.clone()).take_while(|c| *c != '\n');
        // Behind so many bytes nobody counts columns, and counting them for every link would take very long.
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
