//! Literal blocks.

use super::{BlockParser, Cursor};
use crate::{Node, Style};

impl BlockParser<'_> {
    /// `|`, with a sign for the line breaks at the end.
    pub(super) fn literal(&mut self, at: Cursor, parent: usize) -> Option<Node> {
        let sign = self.rest(at);
        if !matches!(sign, "|" | "|-" | "|+") {
            return None;
        }
        let mut text = String::new();
        let mut own = None;
        let mut breaks = 0;
        while let Some((line, indent)) = self.peek() {
            let is_blank = indent == line.len();
            match own {
                None if is_blank => return None,
                None if indent <= parent => return None,
                None => own = Some((indent, self.line + 1)),
                Some((own, _)) if is_blank && indent <= own => {
                    breaks += 1;
                    self.skip(line);
                    continue;
                }
                Some((own, _)) if indent < own => break,
                Some(_) => {}
            }
            let (indent, _) = own?;
            text.extend(std::iter::repeat_n('\n', breaks));
            text.push_str(&line[indent..]);
            breaks = 1;
            self.skip(line);
        }
        let (indent, line) = own?;
        if text.contains('\r') || text.contains('\u{feff}') {
            return None;
        }
        match sign {
            "|-" => {}
            "|" => text.push('\n'),
            _ => text.extend(std::iter::repeat_n('\n', breaks)),
        }
        let node = self.scalar(text.into(), Style::Block, self.place(line, indent, 0))?;
        self.advance()?;
        let is_below = self.cursor.is_some_and(|next| next.indent > parent);
        (!is_below).then_some(node)
    }
}
