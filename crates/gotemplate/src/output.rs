//! The text that a template writes, with the line of the template that each line comes from.

use super::Written;

/// Text that is being written, with the line each of its lines comes from.
#[derive(Default)]
pub struct Output {
    pub text: String,
    lines: Vec<Option<u32>>,
}

impl Output {
    /// Writes text of the template itself.
    pub fn text(&mut self, text: &str, line: u32) {
        for (nth, part) in text.split('\n').enumerate() {
            self.part(part, line + nth as u32, nth);
        }
    }

    /// Writes the result of an action.
    pub fn value(&mut self, text: &str, line: u32) {
        for (nth, part) in text.split('\n').enumerate() {
            self.part(part, line, nth);
        }
    }

    fn part(&mut self, part: &str, line: u32, nth: usize) {
        if self.lines.is_empty() {
            self.lines.push(None);
        }
        if nth > 0 {
            self.text.push('\n');
            self.lines.push(None);
        }
        self.text.push_str(part);
        if let Some(last) = self.lines.last_mut()
            && last.is_none()
            && !part.trim().is_empty()
        {
            *last = Some(line);
        }
    }

    pub fn finish(self) -> Written {
        let mut before = 1;
        let lines = self.lines.into_iter().map(|line| {
            before = line.unwrap_or(before);
            before
        });
        Written {
            lines: lines.collect(),
            text: self.text,
        }
    }
}
