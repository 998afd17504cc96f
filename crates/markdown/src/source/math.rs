//! Tells formulas from dollars. A dollar in text is mostly a variable of a shell or a price, so a formula must look
//! like one; every other dollar is escaped before the page is parsed.

use std::borrow::Cow;

use pulldown_cmark::{Event, Options, Parser};

use super::{MarkdownSource, Piece, options};

/// Escaping a dollar may pair those after it, so the page is read again; after this many times it has no formulas.
const MAX_ROUNDS: usize = 4;

/// Longest formula.
const MAX_BYTES: usize = 4096;

impl MarkdownSource<'_> {
    /// Enables formulas if the page has any, and escapes dollars that are none.
    pub(super) fn find_formulas(&mut self) {
        if self.text.bytes().filter(|byte| *byte == b'$').count() < 2 {
            return;
        }
        let with_formulas = options() | Options::ENABLE_MATH;
        for _ in 0..MAX_ROUNDS {
            let mut formulas = 0;
            let mut dollars = Vec::new();
            for (event, bytes) in Parser::new_ext(&self.text, with_formulas).into_offset_iter() {
                let (Event::InlineMath(formula) | Event::DisplayMath(formula)) = &event else {
                    continue;
                };
                let is_display = matches!(event, Event::DisplayMath(_));
                let before = self.text[..bytes.start].chars().next_back();
                let after = self.text[bytes.end..].chars().next();
                if stands_alone(before, after) && is_formula(formula) {
                    formulas += 1;
                } else {
                    dollars.push(bytes.start);
                    dollars.extend(is_display.then_some(bytes.start + 1));
                }
            }
            if dollars.is_empty() {
                if formulas > 0 {
                    self.options = with_formulas;
                }
                return;
            }
            self.escape(&dollars);
        }
    }

    /// Writes a backslash before each of these characters.
    fn escape(&mut self, offsets: &[usize]) {
        let mut text = String::with_capacity(self.text.len() + offsets.len());
        let mut pieces = Vec::with_capacity(self.pieces.len() + 2 * offsets.len());
        let mut openings = std::mem::take(&mut self.openings).into_iter().peekable();
        let mut due = offsets.iter().copied().peekable();
        for (number, piece) in self.pieces.iter().enumerate() {
            let next = self.pieces.get(number + 1);
            let end = next.map_or(self.text.len(), |next| next.start);
            let mut at = piece.start;
            while at < end {
                let stop = due.peek().copied().filter(|due| *due < end);
                while let Some((_, opening)) =
                    openings.next_if(|(start, _)| *start >= at && *start < stop.unwrap_or(end))
                {
                    // A heading begins its piece.
                    self.openings.insert(text.len(), opening);
                }
                let origin = piece.origin + (at - piece.start).min(piece.len);
                let len = piece.len.saturating_sub(at - piece.start);
                let stop_at = stop.unwrap_or(end);
                pieces.push(Piece {
                    start: text.len(),
                    origin,
                    len: len.min(stop_at - at),
                });
                text.push_str(&self.text[at..stop_at]);
                at = stop_at;
                if stop.is_some() {
                    due.next();
                    let origin = piece.origin + (at - piece.start).min(piece.len);
                    pieces.push(Piece {
                        start: text.len(),
                        origin,
                        len: 0,
                    });
                    text.push_str("\\$");
                    pieces.push(Piece {
                        start: text.len() - 1,
                        origin,
                        len: 1.min(len),
                    });
                    at += 1;
                }
            }
        }
        self.text = Cow::Owned(text);
        self.pieces = pieces;
    }
}

/// Whether the characters around a formula are those around a word.
fn stands_alone(before: Option<char>, after: Option<char>) -> bool {
    let joins_before = |c: char| c.is_alphanumeric() || matches!(c, '\\' | '$' | '_');
    let joins_after = |c: char| c.is_alphanumeric() || matches!(c, '$' | '_' | '{' | '(' | '/');
    !before.is_some_and(joins_before) && !after.is_some_and(joins_after)
}

/// Whether the text between dollars is a formula, not prose between two variables.
fn is_formula(text: &str) -> bool {
    const FUNCTIONS: [&str; 7] = ["sin", "cos", "tan", "log", "max", "min", "exp"];
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_BYTES || text.contains(['`', '"', '$']) {
        return false;
    }
    if text.contains('\\') {
        return true;
    }
    if text.contains("://") || text.starts_with(['{', '(']) && !text.contains(['^', '=']) {
        return false;
    }
    let words = text.split(|c: char| !c.is_alphabetic());
    let has_prose = words
        .filter(|word| word.len() > 2)
        .any(|word| !FUNCTIONS.contains(&word));
    let has_letter = text.contains(char::is_alphabetic);
    let has_sign = text.contains(['^', '_', '=', '<', '>', '+', '*', '/', '-']);
    let has_digit = text.contains(|c: char| c.is_ascii_digit());
    !has_prose && ((has_letter && (has_sign || text.len() <= 2)) || (has_digit && has_sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_told_from_variables_and_prices() {
        for formula in [
            "x",
            "n^2",
            "\\frac{a}{b}",
            "O(n \\log n)",
            "a_1 + b_1",
            "p = 0.5",
            "1 + 1",
        ] {
            assert!(is_formula(formula), "{formula}");
        }
        for other in [
            "HOME",
            "FOO_BAR",
            "5 and ",
            "5",
            "{VAR}",
            "(pwd)",
            "A` and `",
            "a value of ",
            "10/month or ",
        ] {
            assert!(!is_formula(other), "{other}");
        }
        assert!(stands_alone(Some(' '), Some(',')) && stands_alone(None, None));
        assert!(!stands_alone(Some(' '), Some('B')) && !stands_alone(Some('a'), None));
    }
}
