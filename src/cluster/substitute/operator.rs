//! Applies operators to values, down to the oddities of the Go code that Flux runs. Text in, text out.

use std::borrow::Cow;

use super::expression::{MatchLength, Operator, TrimmedEnd};

/// Applies an operator other than [`Operator::Default`], whose argument may be partly unknown. `limit` is in bytes.
/// The error is the reason why there is no result.
pub(super) fn apply(
    operator: Operator,
    value: &str,
    arguments: &[Cow<'_, str>],
    limit: usize,
) -> Result<String, String> {
    let first = arguments.first().map_or("", AsRef::as_ref);
    let second = arguments.get(1).map_or("", AsRef::as_ref);
    Ok(match operator {
        Operator::Value | Operator::Default => value.to_owned(),
        Operator::Length => value.len().to_string(),
        Operator::LowerFirst => map_first(value, lower),
        Operator::Lower => value.chars().map(lower).collect(),
        Operator::UpperFirst => map_first(value, upper),
        Operator::Upper => value.chars().map(upper).collect(),
        Operator::Substring => substring(value, first, arguments.get(1).map(AsRef::as_ref))?,
        Operator::Trim(end, extent) => trim(value, first, end, extent),
        Operator::ReplaceFirst => value.replacen(first, second, 1),
        Operator::ReplaceAll => {
            let matches = value.matches(first).count();
            if value.len() + matches.saturating_mul(second.len()) > limit {
                return Err("the result of a replacement is too large".into());
            }
            value.replace(first, second)
        }
        Operator::ReplaceAt(_) if arguments.len() < 2 => value.to_owned(),
        Operator::ReplaceAt(TrimmedEnd::Prefix) => match value.strip_prefix(first) {
            Some(rest) => format!("{second}{rest}"),
            None => value.to_owned(),
        },
        Operator::ReplaceAt(TrimmedEnd::Suffix) => match value.strip_suffix(first) {
            Some(rest) => format!("{rest}{second}"),
            None => value.to_owned(),
        },
    })
}

/// How many comparisons [`apply`] needs at most, so that the caller can refuse.
pub(super) fn cost(operator: Operator, value: &str, arguments: &[Cow<'_, str>]) -> usize {
    let pattern = arguments.first().map_or(0, |pattern| pattern.len());
    match operator {
        Operator::Trim(..) => value.len().saturating_mul(pattern + 1),
        _ => value.len(),
    }
}

fn map_first(value: &str, map: fn(char) -> char) -> String {
    let mut chars = value.chars();
    chars.next().map(map).into_iter().chain(chars).collect()
}

/// Go maps one character to one: `İ` to `i`, where Rust adds a combining dot.
fn lower(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

/// Go maps one character to one: `ß` stays, where Rust gives `SS`.
fn upper(c: char) -> char {
    let mut upper = c.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

fn substring(value: &str, position: &str, length: Option<&str>) -> Result<String, String> {
    let size = i64::try_from(value.len()).unwrap_or(i64::MAX);
    let Ok(position) = position.parse::<i64>() else {
        return Ok(value.to_owned());
    };
    // Negative numbers count from the end.
    let start = if position < 0 {
        size.saturating_add(position).max(0)
    } else {
        position.min(size)
    };
    let end = match length.map(str::parse::<i64>) {
        None => size,
        Some(Err(_)) => return Ok(value.to_owned()),
        Some(Ok(length)) if length < 0 => size.saturating_add(length).max(start),
        Some(Ok(length)) => start.saturating_add(length).min(size),
    };
    if start >= end {
        return Ok(String::new());
    }
    usize::try_from(start)
        .ok()
        .zip(usize::try_from(end).ok())
        .and_then(|(start, end)| value.get(start..end))
        .map(str::to_owned)
        .ok_or_else(|| "the offset counts bytes and splits a character".into())
}

/// Removes what a pattern matches at one end: at least one character, or nothing.
fn trim(value: &str, pattern: &str, end: TrimmedEnd, extent: MatchLength) -> String {
    match end {
        TrimmedEnd::Prefix => {
            let matched = matched_prefix(value, pattern, extent);
            value[matched..].to_owned()
        }
        // Flux reverses the pattern's text with the value's, which makes nonsense of classes and escapes.
        TrimmedEnd::Suffix => {
            let reversed = reverse(value);
            let matched = matched_prefix(&reversed, &reverse(pattern), extent);
            reverse(&reversed[matched..])
        }
    }
}

fn reverse(text: &str) -> String {
    text.chars().rev().collect()
}

/// How many bytes of `value` the pattern matches, following every way to match at once so that time stays linear.
fn matched_prefix(value: &str, pattern: &str, extent: MatchLength) -> usize {
    let Some(items) = items(pattern) else {
        return 0;
    };
    let mut at = vec![false; items.len() + 1];
    at[0] = true;
    skip_stars(&items, &mut at);
    let mut matched = 0;
    let mut next = at.clone();
    for (index, c) in value.char_indices() {
        next.fill(false);
        for (state, item) in items.iter().enumerate().filter(|(state, _)| at[*state]) {
            if *item == PatternItem::Star {
                next[state] = true;
            } else if item.matches(c) {
                next[state + 1] = true;
            }
        }
        skip_stars(&items, &mut next);
        std::mem::swap(&mut at, &mut next);
        if at[items.len()] {
            matched = index + c.len_utf8();
            if extent == MatchLength::Shortest {
                break;
            }
        }
        if !at.contains(&true) {
            break;
        }
    }
    matched
}

fn skip_stars(items: &[PatternItem], at: &mut [bool]) {
    for (state, item) in items.iter().enumerate() {
        if at[state] && *item == PatternItem::Star {
            at[state + 1] = true;
        }
    }
}

/// One element of a pattern.
#[derive(Debug, PartialEq, Eq)]
enum PatternItem {
    /// `*`: anything, slashes included.
    Star,
    /// `?`
    One,
    Literal(char),
    /// `[a-z]`, or `[^a-z]` for everything else.
    Class {
        is_negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl PatternItem {
    fn matches(&self, c: char) -> bool {
        match self {
            PatternItem::Star | PatternItem::One => true,
            PatternItem::Literal(literal) => *literal == c,
            PatternItem::Class { is_negated, ranges } => {
                ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)) != *is_negated
            }
        }
    }
}

/// A pattern's elements, or `None` for a malformed one, which matches nothing.
fn items(pattern: &str) -> Option<Vec<PatternItem>> {
    let mut items = Vec::new();
    let mut rest = pattern.chars().peekable();
    while let Some(c) = rest.next() {
        items.push(match c {
            // Several in a row are one.
            '*' if items.last() == Some(&PatternItem::Star) => continue,
            '*' => PatternItem::Star,
            '?' => PatternItem::One,
            '\\' => PatternItem::Literal(rest.next()?),
            '[' => {
                let is_negated = rest.next_if_eq(&'^').is_some();
                let mut ranges = Vec::new();
                while ranges.is_empty() || rest.next_if_eq(&']').is_none() {
                    let low = class_char(&mut rest)?;
                    let high = match rest.next_if_eq(&'-') {
                        Some(_) => class_char(&mut rest)?,
                        None => low,
                    };
                    ranges.push((low, high));
                }
                PatternItem::Class { is_negated, ranges }
            }
            literal => PatternItem::Literal(literal),
        });
    }
    Some(items)
}

fn class_char(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<char> {
    match rest.next()? {
        '-' | ']' => None,
        '\\' => rest.next(),
        c => Some(c),
    }
}
