//! Secret parts of a YAML file, by document. An unreadable document is hidden if it mentions something secret.

use std::ops::Range;

use super::{Cover, holds_key, names_secret};
use base::{FileId, Place};
use yaml::{Node, Value};

/// Secret parts of a YAML file: everything that sealing changes, secrets that no key reveals, and `known` ones.
pub fn in_yaml(text: &str, lines: &[&str], known: &[Place]) -> Vec<Cover> {
    let mut covers = vec![Cover::None; lines.len()];
    let parsed = yaml::parse(text, FileId::NONE);
    let is_doubtful = !parsed.findings.is_empty();
    for segment in segments(lines) {
        let own = &lines[segment.clone()];
        let is_closed = own.iter().any(|line| is_of_secret(line))
            || is_doubtful && own.iter().any(names_secret);
        if is_closed {
            covers[segment].fill(Cover::All);
        }
    }
    for document in parsed.documents {
        let mut tokens = Vec::new();
        places(&document.root, &mut tokens);
        tokens.sort();
        tokens.dedup();
        let mut sealed = document.root.clone();
        secret::seal(&mut sealed);
        let mut hide = Vec::new();
        differing(&document.root, &sealed, &mut hide);
        beyond_names(&document.root, &mut hide);
        let is_here = |place: &&Place| tokens.binary_search(&(place.line, place.column)).is_ok();
        hide.extend(known.iter().filter(is_here));
        for place in hide {
            cover(place, &tokens, lines, &mut covers);
        }
    }
    covers
}

/// The lines of each document.
fn segments(lines: &[&str]) -> Vec<Range<usize>> {
    let starts = lines.iter().enumerate().filter(|(_, line)| {
        let rest = line.strip_prefix("---");
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
    });
    let mut cuts: Vec<usize> = starts.map(|(at, _)| at).collect();
    cuts.insert(0, 0);
    cuts.push(lines.len());
    cuts.dedup();
    cuts.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

/// Whether a line shows that its document is a Secret, is encrypted, or holds a key.
fn is_of_secret(line: &str) -> bool {
    let bare: String = line
        .chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '"' | '\''))
        .collect();
    let is_secret = bare.split("kind:").skip(1).any(|rest| {
        let rest = rest.strip_prefix("Secret");
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
    });
    is_secret || bare.starts_with("sops:") || bare.contains("ENC[AES256") || holds_key(line)
}

/// Collects the places of all keys and values of a document.
fn places(node: &Node, tokens: &mut Vec<(u32, u32)>) {
    tokens.push((node.place.line, node.place.column));
    match &node.value {
        Value::Scalar(_) => {}
        Value::Seq(items) => items.iter().for_each(|item| places(item, tokens)),
        Value::Map(map) => map.0.iter().for_each(|entry| {
            tokens.push((entry.key_place.line, entry.key_place.column));
            places(&entry.value, tokens);
        }),
    }
}

/// The scalars that sealing has changed.
fn differing(before: &Node, after: &Node, hide: &mut Vec<Place>) {
    match (&before.value, &after.value) {
        (Value::Scalar(a), Value::Scalar(b)) => {
            if a.text != b.text {
                hide.push(before.place);
            }
        }
        (Value::Seq(a), Value::Seq(b)) => {
            let pairs = a.iter().zip(b);
            pairs.for_each(|(a, b)| differing(a, b, hide));
        }
        (Value::Map(a), Value::Map(b)) => {
            let pairs = a.0.iter().zip(&b.0);
            pairs.for_each(|(a, b)| differing(&a.value, &b.value, hide));
        }
        _ => hide.push(before.place),
    }
}

/// Collects secrets that no key reveals: literals of a generator, JSON patch operations on a secret field, and
/// multi-line texts that mention something secret.
fn beyond_names(node: &Node, hide: &mut Vec<Place>) {
    match &node.value {
        Value::Scalar(scalar) => {
            let text = scalar.text.as_str();
            let is_long = node.place.len == 0 && text.contains('\n');
            if is_long && (holds_key(text) || text.lines().any(|line| names_secret(&line))) {
                hide.push(node.place);
            }
        }
        Value::Seq(items) => {
            // `["--password", "hunter2"]`
            for pair in items.windows(2) {
                let is_flag = |flag: &str| flag.starts_with('-') && secret::is_secret_name(flag);
                if pair[0].text().is_some_and(is_flag) {
                    everything(&pair[1], hide);
                }
            }
            items.iter().for_each(|item| beyond_names(item, hide));
        }
        Value::Map(map) => {
            let path = map.get("path").and_then(Node::text);
            let is_secret_path =
                map.get("op").is_some() && path.is_some_and(secret::is_secret_name);
            for entry in &map.0 {
                let literals = match entry.key.as_str() {
                    "secretGenerator" => entry.value.items(),
                    _ => &[],
                };
                for generator in literals {
                    let literals = generator.items_at("literals");
                    hide.extend(literals.iter().map(|literal| literal.place));
                }
                if is_secret_path && entry.key == "value" {
                    everything(&entry.value, hide);
                }
                beyond_names(&entry.value, hide);
            }
        }
    }
}

fn everything(node: &Node, hide: &mut Vec<Place>) {
    match &node.value {
        Value::Scalar(_) => hide.push(node.place),
        Value::Seq(items) => items.iter().for_each(|item| everything(item, hide)),
        Value::Map(map) => {
            let values = map.0.iter();
            values.for_each(|entry| everything(&entry.value, hide));
        }
    }
}

/// Hides a scalar: to its end if it is on one line, else up to the next token.
fn cover(place: Place, tokens: &[(u32, u32)], lines: &[&str], covers: &mut [Cover]) {
    let first = (place.line as usize).saturating_sub(1);
    let column = (place.column as usize).saturating_sub(1);
    if place.len > 0 {
        return hide(covers, first, column..column + place.len as usize);
    }
    let next = tokens.partition_point(|token| *token <= (place.line, place.column));
    let (last, until) = match tokens.get(next) {
        Some((line, column)) => ((*line as usize).saturating_sub(1), *column as usize - 1),
        None => (lines.len().saturating_sub(1), usize::MAX),
    };
    if first == last {
        return hide(covers, first, column..until);
    }
    hide(covers, first, column..usize::MAX);
    for line in first + 1..last.min(covers.len()) {
        covers[line] = Cover::All;
    }
    // The rest of its last line is shown, and so is the indentation.
    let is_indented = |line: &&str| line.chars().take(until).all(char::is_whitespace);
    if !lines.get(last).is_some_and(is_indented) {
        hide(covers, last, 0..until);
    }
}

fn hide(covers: &mut [Cover], line: usize, columns: Range<usize>) {
    let Some(cover) = covers.get_mut(line).filter(|_| !columns.is_empty()) else {
        return;
    };
    match cover {
        Cover::All => {}
        Cover::Parts(parts) => parts.push(columns),
        Cover::None => *cover = Cover::Parts(vec![columns]),
    }
}
