//! Decisions and specs as texts name them: `ADR-018`, `Spec 0003a`. Text in, numbers out.

use std::ops::Range;

/// The number of a decision or a spec, with the letter that a follow-up has.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number {
    pub value: u32,
    pub suffix: String,
}

impl Number {
    /// Whether it is a follow-up of another: `0003a` of `0003`.
    pub fn is_part_of(&self, other: &Number) -> bool {
        self.value == other.value && other.suffix.is_empty() && !self.suffix.is_empty()
    }
}

/// A number where a text names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberedReference {
    pub number: Number,
    /// In the text, with the word before it.
    pub range: Range<usize>,
}

/// Decisions that a text names: `ADR-018`, `ADR 18`, `adr-018`.
pub fn decisions_in(text: &str) -> Vec<NumberedReference> {
    named(text, "adr")
}

/// Specs that a text names: `Spec 0003a`, `spec-0003a`.
pub fn specs_in(text: &str) -> Vec<NumberedReference> {
    named(text, "spec")
}

/// The number that a text begins with, and what follows it.
pub fn leading_number(text: &str) -> Option<(Number, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 || digits > 5 {
        return None;
    }
    let value = text[..digits].parse().ok()?;
    let mut rest = &text[digits..];
    let mut suffix = String::new();
    let mut letters = rest.chars();
    if let Some(letter) = letters.next().filter(char::is_ascii_lowercase) {
        let after = letters.next();
        if !after.is_some_and(char::is_alphanumeric) {
            suffix.push(letter);
            rest = &rest[1..];
        }
    }
    let is_end = !rest.starts_with(|c: char| c.is_alphanumeric());
    is_end.then_some((Number { value, suffix }, rest))
}

/// Whether a text begins with a day: `2026-03-05` or `20260305`.
pub fn starts_with_day(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
    let dashed = digits == 4
        && bytes.len() >= 10
        && matches!(bytes[4], b'-' | b'_')
        && bytes[5..7].iter().all(u8::is_ascii_digit)
        && matches!(bytes[7], b'-' | b'_')
        && bytes[8..10].iter().all(u8::is_ascii_digit);
    dashed || digits == 8
}

fn named(text: &str, word: &str) -> Vec<NumberedReference> {
    let lower = text.to_ascii_lowercase();
    let mut found = Vec::new();
    for (start, _) in lower.match_indices(word) {
        let before = text[..start].chars().next_back();
        if before.is_some_and(char::is_alphanumeric) {
            continue;
        }
        let written = &text[start..start + word.len()];
        let mut rest = &text[start + word.len()..];
        rest = rest.strip_prefix('s').unwrap_or(rest);
        let digits = rest.trim_start_matches([' ', '-', '_', '#', '\u{a0}', '\u{2011}']);
        let gap = rest.len() - digits.len();
        // In lower case it is a word like any other, unless it is joined to its number.
        let is_joined = gap == 1 && rest.starts_with(['-', '_']);
        let is_name = written.starts_with(|c: char| c.is_ascii_uppercase());
        if gap > 2 || !(is_name || is_joined) || starts_with_day(digits) {
            continue;
        }
        let Some((number, after)) = leading_number(digits) else {
            continue;
        };
        let is_version =
            after.starts_with('.') && after[1..].starts_with(|c: char| c.is_ascii_digit());
        if !is_version {
            found.push(NumberedReference {
                number,
                range: start..text.len() - after.len(),
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(found: Vec<NumberedReference>) -> Vec<String> {
        let each = found.into_iter();
        each.map(|named| format!("{}{}", named.number.value, named.number.suffix))
            .collect()
    }

    #[test]
    fn decisions_are_named_in_several_ways() {
        let text = "See ADR-018, ADR 7, (ADR0012), adr-003-umami.md and ADR-2's; not the adr 4, padr-5, ADR-1.2, ADR 2026-03-05.";
        assert_eq!(numbers(decisions_in(text)), ["18", "7", "12", "3", "2"]);
    }

    #[test]
    fn specs_are_named_with_their_letter() {
        let text =
            "Spec 0003a follows Spec 0003; spec-0004-umami.md. A spec 12 pages long, Spec 2nd.";
        assert_eq!(numbers(specs_in(text)), ["3a", "3", "4"]);
    }

    #[test]
    fn a_day_is_not_a_number() {
        assert!(starts_with_day("2026-03-05-title") && starts_with_day("20260305-title"));
        assert!(!starts_with_day("0012-title") && !starts_with_day("2026-title"));
    }
}
