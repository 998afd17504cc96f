//! Regular expressions with the same meaning in Rust: characters, classes, groups and repetition, on plain texts.

use smol_str::SmolStr;

use super::super::evaluator::Evaluator;
use super::super::value::*;
use base::Place;
use base::pattern::{self, Regex};

/// Limits on the length of expressions and texts.
const MAX_PATTERN: usize = 128;
const MAX_TEXT: usize = 1024;
const MAX_PARTS: usize = 256;

#[derive(Debug)]
pub struct RegexPattern {
    source: SmolStr,
    flags: SmolStr,
    regex: Regex,
}

impl RegexPattern {
    fn is_global(&self) -> bool {
        self.flags.contains('g')
    }
}

impl Evaluator<'_, '_> {
    /// A regular expression literal.
    pub fn pattern(&mut self, source: &SmolStr, flags: &SmolStr, place: Place) -> ProgramValue {
        let mut known = self.heap.patterns.iter();
        let is_it = |one: &RegexPattern| one.source == *source && one.flags == *flags;
        let at = known.position(is_it).or_else(|| {
            self.heap.patterns.push(RegexPattern {
                source: source.clone(),
                flags: flags.clone(),
                regex: compiled(source, flags)?,
            });
            Some(self.heap.patterns.len() - 1)
        });
        ProgramValue::new(at.map_or(ValueKind::Hole(0), ValueKind::Pattern), place)
    }

    /// A method of a regular expression.
    pub(super) fn call_pattern(
        &mut self,
        at: usize,
        key: &str,
        arguments: &[ProgramValue],
        place: Place,
    ) -> ProgramValue {
        let text = arguments.first().and_then(ProgramValue::text).cloned();
        let Some(text) = text.filter(|text| self.is_small(text, place)) else {
            return ProgramValue::unknown(place);
        };
        let pattern = &self.heap.patterns[at];
        match key {
            // A global expression continues after its last match.
            "test" if !pattern.is_global() => {
                ProgramValue::new(ValueKind::Bool(pattern.regex.is_match(&text)), place)
            }
            _ => ProgramValue::unknown(place),
        }
    }

    /// A method of a text with a regular expression as argument.
    pub(super) fn call_text_with(
        &mut self,
        text: &SmolStr,
        key: &str,
        at: usize,
        by: Option<&ProgramValue>,
        place: Place,
    ) -> ProgramValue {
        if !self.is_small(text, place) {
            return ProgramValue::unknown(place);
        }
        let pattern = &self.heap.patterns[at];
        let regex = &pattern.regex;
        let is_somewhere = !regex.is_match("");
        match (key, by.and_then(ProgramValue::text)) {
            ("replace" | "replaceAll", Some(by)) if is_somewhere || by.is_empty() => {
                let count = if pattern.is_global() { 0 } else { 1 };
                match replacement(by, regex.captures_len()) {
                    Some(by) => ProgramValue::string(&*regex.replacen(text, count, by), place),
                    None => ProgramValue::unknown(place),
                }
            }
            ("split", None) if is_somewhere && regex.captures_len() == 1 => {
                let parts = regex
                    .split(text)
                    .take(MAX_PARTS)
                    .map(|part| ProgramValue::string(part, place))
                    .collect();
                self.heap.array(parts, place)
            }
            _ => ProgramValue::unknown(place),
        }
    }

    /// Whether a text is short enough; charges its length.
    fn is_small(&mut self, text: &str, place: Place) -> bool {
        text.is_ascii() && text.len() <= MAX_TEXT && self.take_steps(text.len(), place)
    }
}

/// The replacement in Rust's syntax; `None` if it uses more than groups.
fn replacement(by: &str, groups: usize) -> Option<String> {
    if by.len() > MAX_PATTERN {
        return None;
    }
    let mut written = String::new();
    let mut letters = by.chars();
    while let Some(letter) = letters.next() {
        if letter != '$' {
            written.push(letter);
            continue;
        }
        let group = letters.next()?.to_digit(10)? as usize;
        let is_longer = letters.as_str().starts_with(|c: char| c.is_ascii_digit());
        if group == 0 || group >= groups || is_longer {
            return None;
        }
        written.push_str(&format!("${{{group}}}"));
    }
    Some(written)
}

/// Compiles an expression, if it means the same in Rust.
fn compiled(source: &str, flags: &str) -> Option<Regex> {
    let is_known = flags.chars().all(|flag| matches!(flag, 'g' | 'i'));
    if !is_known || !source.is_ascii() || source.len() > MAX_PATTERN {
        return None;
    }
    let mut written = String::new();
    if flags.contains('i') {
        written.push_str("(?i)");
    }
    let mut left = source;
    let mut is_in_class = false;
    while let Some(letter) = left.chars().next() {
        left = &left[1..];
        match letter {
            '\\' => {
                let escaped = left.chars().next()?;
                left = &left[1..];
                match escaped {
                    'd' | 'D' | 'w' | 'W' | 's' | 'S' | 'n' | 'r' | 't' => {
                        written.push('\\');
                        written.push(escaped);
                    }
                    'b' | 'B' if !is_in_class => {
                        written.push('\\');
                        written.push(escaped);
                    }
                    _ if escaped.is_ascii_alphanumeric() => return None,
                    _ => sign(escaped, &mut written),
                }
            }
            ']' if is_in_class => {
                is_in_class = false;
                written.push(']');
            }
            '-' if is_in_class => written.push('-'),
            '[' if !is_in_class => {
                is_in_class = true;
                written.push('[');
                if let Some(rest) = left.strip_prefix('^') {
                    written.push('^');
                    left = rest;
                }
                if left.starts_with(']') {
                    return None;
                }
            }
            '{' if !is_in_class => return None,
            '(' if !is_in_class && left.starts_with('?') => {
                left = left.strip_prefix("?:")?;
                written.push_str("(?:");
            }
            '(' | ')' | '|' | '*' | '+' | '?' | '^' | '$' | '.' if !is_in_class => {
                written.push(letter);
            }
            _ if letter.is_ascii_alphanumeric() => written.push(letter),
            _ => sign(letter, &mut written),
        }
    }
    pattern::small(&written)
}

/// Writes a character that stands for itself.
fn sign(sign: char, written: &mut String) {
    written.push_str(&format!("\\x{:02X}", u32::from(sign)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(source: &str, text: &str, by: &str) -> Option<String> {
        let regex = compiled(source, "g")?;
        let by = replacement(by, regex.captures_len())?;
        Some(regex.replace_all(text, by).into_owned())
    }

    #[test]
    fn what_means_the_same_is_taken() {
        let cases = [
            (r"\.", "a.example.com", "-", "a-example-com"),
            (r"[^a-z0-9]+", "my app_2", "-", "my-app-2"),
            (r"^-|-$", "-a-b-", "", "a-b"),
            (r"[\/.:]", "ghcr.io/a:1", "-", "ghcr-io-a-1"),
            (r"^(.*?)\..*", "www.example.com", "$1", "www"),
            (r"(?:a|b)+", "xaabby", "", "xy"),
            (r"\*", "*.example.com", "wildcard", "wildcard.example.com"),
        ];
        for (source, text, by, expected) in cases {
            assert_eq!(
                replaced(source, text, by).as_deref(),
                Some(expected),
                "{source}"
            );
        }
    }

    #[test]
    fn what_may_mean_something_else_is_not() {
        let unknown = [
            "(?=a)", "(?<n>a)", "a{2}", "\\1", "\\u0041", "\\p{L}", "[]", "[^]", "é", "[", "(",
        ];
        for source in unknown {
            assert!(compiled(source, "").is_none(), "{source}");
        }
        assert!(compiled("a", "gm").is_none());
        assert!(compiled(&"a".repeat(MAX_PATTERN + 1), "").is_none());
        assert_eq!(replaced("a", "a", "$&"), None);
        assert_eq!(replaced("a", "a", "$1"), None);
    }
}
