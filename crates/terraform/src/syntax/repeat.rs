//! Duplicate keys in objects. Terraform accepts them, and the last one wins; the parser does not. So all but the first
//! are renamed, keeping the length, while the text is parsed. Text in, text out.

use std::collections::BTreeMap;

use hcl_edit::parser::{self, Error};
use hcl_edit::structure::Body;
use smol_str::SmolStr;

use super::{Expr, ExprKind};

/// The original names of renamed keys, by position.
pub type RenamedKeys = BTreeMap<usize, SmolStr>;

/// Maximum number of attempts to parse a text.
const MAX_READS: usize = 64;
/// Maximum number of bytes parsed, over all attempts.
const MAX_BYTES: usize = 16 * 1024 * 1024;

pub fn parse_body(text: &str) -> (Result<Body, Error>, RenamedKeys) {
    let mut repeated = RenamedKeys::default();
    base::steps::count(text.len());
    let mut parsed = parser::parse_body(text);
    let mut changed = String::new();
    for turn in 0..MAX_READS.min(MAX_BYTES / text.len().max(1)) {
        let Err(error) = &parsed else {
            break;
        };
        let at = error.location().offset();
        let is_again = error.message().contains("redefined object key");
        let Some((start, name)) = key_at(text, at).filter(|_| is_again) else {
            break;
        };
        if changed.is_empty() {
            changed = text.to_owned();
        }
        changed.replace_range(
            start..start + name.len(),
            &placeholder_name(name.len(), turn),
        );
        repeated.insert(at, name.into());
        base::steps::count(changed.len());
        parsed = parser::parse_body(&changed);
    }
    (parsed, repeated)
}

/// The last of the entries with one key, with original names restored.
pub fn last_entries(entries: Vec<(Expr, Expr)>, repeated: &RenamedKeys) -> Vec<(Expr, Expr)> {
    if repeated.is_empty() {
        return entries;
    }
    let name = |key: &Expr| match &key.kind {
        ExprKind::Text(text) => Some(text.clone()),
        _ => None,
    };
    let mut last: BTreeMap<SmolStr, usize> = BTreeMap::new();
    for (at, (key, _)) in entries.iter().enumerate() {
        name(key).map(|name| last.insert(name, at));
    }
    let entries = entries.into_iter().enumerate();
    let kept = entries.filter(|(at, (key, _))| name(key).is_none_or(|name| last[&name] == *at));
    kept.map(|(_, entry)| entry).collect()
}

/// The name of a key, bare or quoted, and its position.
fn key_at(text: &str, at: usize) -> Option<(usize, &str)> {
    let rest = text.get(at..)?;
    let (start, end) = match rest.strip_prefix('"') {
        Some(inside) => (at + 1, inside.find('"')?),
        None => {
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
            (at, rest.find(|c| !is_part(c))?)
        }
    };
    let name = text.get(start..start + end)?;
    let is_plain = !name.is_empty() && !name.contains(['$', '%', '\\', '\n']);
    is_plain.then_some((start, name))
}

/// A name of a given length that differs per attempt.
fn placeholder_name(length: usize, turn: usize) -> String {
    let mut rest = turn;
    let letters = (0..length).map(|_| {
        let letter = b'a' + (rest % 26) as u8;
        rest /= 26;
        char::from(letter)
    });
    let mut name: String = letters.collect();
    // Keywords cannot be names.
    if matches!(name.as_str(), "for" | "if" | "in") {
        name = name.replacen(['f', 'i'], "z", 1);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::super::{Body, parse};
    use super::*;
    use base::FileId;

    fn values(body: &Body) -> Vec<(SmolStr, f64)> {
        let ExprKind::Object(entries) = &body.get("a").unwrap().kind else {
            panic!("no object");
        };
        let pair = |(key, value): &(Expr, Expr)| match (&key.kind, &value.kind) {
            (ExprKind::Text(name), ExprKind::Number(number)) => (name.clone(), *number),
            other => panic!("{other:?}"),
        };
        entries.iter().map(pair).collect()
    }

    #[test]
    fn of_a_key_that_an_object_states_twice_the_later_counts() {
        let text = "a = {\n  size = 1\n  b = 2\n  \"c d\" = 3\n  size = 4\n  b = 5\n  \"c d\" = 6\n  b = 7\n}\n";
        let body = parse(text, FileId(0)).unwrap();
        let all = values(&body);
        let all: Vec<(&str, f64)> = all
            .iter()
            .map(|(name, value)| (name.as_str(), *value))
            .collect();
        assert_eq!(all, [("size", 4.0), ("c d", 6.0), ("b", 7.0)]);
    }

    #[test]
    fn what_is_repeated_without_end_is_told_as_before() {
        let text = format!("a = {{\n{}}}\n", "x = 1\n".repeat(1_000));
        assert_eq!(
            parse(&text, FileId(0)).unwrap_err().rule,
            "terraform-invalid"
        );
    }
}
