//! Literal and folded blocks.

use super::{BlockParser, Cursor};
use crate::{Node, Style, folded};

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
        let mut widest = 0;
        while let Some((line, indent)) = self.peek() {
            let is_blank = indent == line.len();
            match own {
                None if is_blank => {
                    widest = widest.max(indent);
                    breaks += 1;
                    self.skip(line);
                    continue;
                }
                None if indent <= parent || indent < widest => return None,
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
        if text.contains('\r') || text.contains('\u{feff}') || self.is_cut_off() {
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

    /// `>`, where all lines are indented alike: single line breaks are spaces.
    pub(super) fn folded(&mut self, at: Cursor, parent: usize) -> Option<Node> {
        let sign = self.rest(at);
        if !matches!(sign, ">" | ">-") {
            return None;
        }
        let mut text = String::new();
        let mut own: Option<(usize, u32)> = None;
        let mut breaks = 0;
        while let Some((line, indent)) = self.peek() {
            if indent == line.len() {
                if own.is_none_or(|(own, _)| indent > own) {
                    return None;
                }
                breaks += 1;
                self.skip(line);
                continue;
            }
            match own {
                None if indent <= parent => return None,
                None => own = Some((indent, self.line + 1)),
                Some((own, _)) if indent < own => break,
                // Lines that are indented further keep their line breaks.
                Some((own, _)) if indent > own => return None,
                Some(_) => {}
            }
            let content = &line[indent..];
            if content.starts_with('\t') {
                return None;
            }
            match breaks {
                0 => {}
                1 => text.push(' '),
                _ => text.extend(std::iter::repeat_n('\n', breaks - 1)),
            }
            text.push_str(content);
            breaks = 1;
            self.skip(line);
        }
        let (indent, line) = own?;
        if text.contains('\r') || text.contains('\u{feff}') || self.is_cut_off() {
            return None;
        }
        if sign == ">" {
            text.push('\n');
        }
        let text = folded::rewritten(&text);
        let node = self.scalar(text.into(), Style::Block, self.place(line, indent, 0))?;
        self.advance()?;
        let is_below = self.cursor.is_some_and(|next| next.indent > parent);
        (!is_below).then_some(node)
    }
}
