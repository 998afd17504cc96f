//! Lines of the repo's files as they may be shown: whatever is or may be secret is taken out of them, or the line is not
//! given at all. Findings are shown on terminals and in logs, so that in doubt a line stays hidden.

use std::ops::Range;

use super::secret;
use crate::diagnostic::{FileId, Place};
use crate::fact::MARKER;
use crate::repo::{Repo, RepoPath};
use crate::yaml::{self, Node, Value};

/// The lines of one file.
#[derive(Debug, Default)]
pub struct Excerpt {
    lines: Vec<Line>,
    /// Stands for what was taken out.
    marker: &'static str,
}

/// Nobody reads a longer line, and what is secret in it takes long to find.
const LONGEST: usize = 10_000;

#[derive(Debug)]
enum Line {
    Hidden,
    /// What it says, and the columns whose characters were replaced by the marker, counted from 0.
    Shown(String, Vec<Range<usize>>),
}

/// A line, and a part of it in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    pub text: String,
    pub span: Range<usize>,
}

impl Excerpt {
    /// The lines of a file; none where it cannot be read as text.
    pub fn of(repo: &Repo, file: FileId) -> Excerpt {
        match repo.read_text(file) {
            Ok(text) => Excerpt::new(&text, repo.path(file)),
            Err(_) => Excerpt::default(),
        }
    }

    pub fn new(text: &str, path: &RepoPath) -> Excerpt {
        let lines: Vec<&str> = text.lines().collect();
        let language = Language::of(path);
        // Values of an env file are left out unseen: most are not secret.
        let marker = match language {
            Language::Env => "…",
            _ => MARKER,
        };
        let mut hidden = match language {
            Language::Yaml => in_yaml(text, &lines),
            Language::Env => in_env(&lines),
            Language::Markdown => whole_if(&lines, holds_key(text)),
            Language::Other => whole_if(&lines, holds_key(text) || lines.iter().any(names_secret)),
        };
        hidden.resize(lines.len(), Cover::None);
        let lines = lines.iter().zip(hidden);
        let lines = lines.map(|(line, cover)| match cover {
            _ if line.len() > LONGEST => Line::Hidden,
            Cover::All => Line::Hidden,
            Cover::None => shown(line, Vec::new(), marker),
            Cover::Parts(parts) => shown(line, parts, marker),
        });
        Excerpt {
            lines: lines.collect(),
            marker,
        }
    }

    /// A line as it may be shown; none where it may not, or where there is no such line. Line counts from 1.
    pub fn line(&self, line: u32) -> Option<&str> {
        match self.lines.get((line as usize).checked_sub(1)?)? {
            Line::Hidden => None,
            Line::Shown(text, _) => Some(text),
        }
    }

    /// Whether a line is shown just as it is written.
    pub fn is_plain(&self, line: u32) -> bool {
        let line = (line as usize).checked_sub(1);
        matches!(line.and_then(|at| self.lines.get(at)), Some(Line::Shown(_, parts)) if parts.is_empty())
    }

    /// The line of a place, with the place in it.
    pub fn quote(&self, place: Place) -> Option<Quote> {
        let Line::Shown(text, parts) = self.lines.get((place.line as usize).checked_sub(1)?)?
        else {
            return None;
        };
        let first = (place.column as usize).saturating_sub(1);
        let last = first.saturating_add(place.len as usize);
        let start = byte_of(text, moved(first, parts, self.marker, Edge::Start));
        let end = byte_of(text, moved(last, parts, self.marker, Edge::End));
        let text = text.clone();
        Some(Quote {
            text,
            span: start..end.max(start),
        })
    }
}

/// Which columns of a line may not be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Cover {
    None,
    Parts(Vec<Range<usize>>),
    All,
}

enum Language {
    Yaml,
    Env,
    Markdown,
    Other,
}

impl Language {
    fn of(path: &RepoPath) -> Language {
        let name = path.file_name();
        match path.extension() {
            Some("yaml" | "yml" | "json") => Language::Yaml,
            Some("md" | "markdown" | "MD") => Language::Markdown,
            _ if super::kustomize::is_kustomization(path) => Language::Yaml,
            Some("env") => Language::Env,
            _ if name.starts_with(".env") => Language::Env,
            _ => Language::Other,
        }
    }
}

fn whole_if(lines: &[&str], closed: bool) -> Vec<Cover> {
    match closed {
        true => vec![Cover::All; lines.len()],
        false => Vec::new(),
    }
}

/// A key is spread over lines that look like nothing.
fn holds_key(text: &str) -> bool {
    text.contains("PRIVATE KEY") || text.contains("AGE-SECRET-KEY-")
}

/// Whether a line speaks of something secret by name.
fn names_secret(line: &&str) -> bool {
    words(line).any(|(word, _)| secret::is_secret_name(word))
}

/// Names and the like in a line, with where each ends in bytes.
fn words(line: &str) -> impl Iterator<Item = (&str, usize)> {
    let mut at = 0;
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    std::iter::from_fn(move || {
        let start = at + line[at..].find(is_part)?;
        let end = line[start..]
            .find(|c| !is_part(c))
            .map_or(line.len(), |length| start + length);
        at = end;
        Some((&line[start..end], end))
    })
}

/// Every value of an env file may be secret: who reads the file is not known here.
fn in_env(lines: &[&str]) -> Vec<Cover> {
    let is_entry = |line: &&str| {
        let line = line.trim();
        let name = line.split_once('=').map(|(name, _)| name.trim());
        let is_name = |name: &str| {
            let letters = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-');
            (1..=48).contains(&name.len()) && name.bytes().all(letters)
        };
        line.is_empty() || line.starts_with('#') || name.is_some_and(is_name)
    };
    // A line that is no entry may be a part of a value of several lines, and so may those around it.
    if !lines.iter().all(is_entry) {
        return vec![Cover::All; lines.len()];
    }
    let value = |line: &&str| match line.split_once('=') {
        Some((name, _)) if !line.trim_start().starts_with('#') => {
            let start = name.chars().count() + 1;
            Cover::Parts(std::iter::once(start..usize::MAX).collect())
        }
        Some(_) => Cover::All,
        None => Cover::None,
    };
    lines.iter().map(value).collect()
}

fn in_yaml(text: &str, lines: &[&str]) -> Vec<Cover> {
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

/// Where anything of a document stands.
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

/// What is secret though no key says so: literals of a generator, operations on a secret field, and texts of several lines
/// that mention something secret.
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

/// Hides a scalar: up to its end where it is of one line, else up to whatever follows it.
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
    // What follows on the line where it ends is shown, and so is its indentation.
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

/// A line with what is covered, and whatever looks secret by itself, replaced.
fn shown(line: &str, mut parts: Vec<Range<usize>>, marker: &str) -> Line {
    parts.extend(telling(line));
    parts.sort_by_key(|part| (part.start, part.end));
    // Those that overlap become one, so that each column is looked up in one of them.
    parts.dedup_by(|next, last| {
        let overlap = next.start <= last.end;
        if overlap {
            last.end = last.end.max(next.end);
        }
        overlap
    });
    let mut hiding = parts.iter().peekable();
    let mut text = String::with_capacity(line.len());
    let mut replaced: Vec<Range<usize>> = Vec::new();
    for (column, c) in line.chars().enumerate() {
        while hiding.next_if(|part| part.end <= column).is_some() {}
        let hidden = hiding.peek().is_some_and(|part| part.contains(&column));
        match replaced.last_mut() {
            Some(last) if hidden && last.end == column => last.end = column + 1,
            _ if hidden => {
                replaced.push(column..column + 1);
                text.push_str(marker);
            }
            _ => text.push(c),
        }
    }
    Line::Shown(text, replaced)
}

/// Columns of what looks secret by itself: the value of a telling name up to the end of the line, tokens, and passwords in
/// addresses.
fn telling(line: &str) -> Vec<Range<usize>> {
    let column = |byte: usize| line[..byte].chars().count();
    let mut parts = Vec::new();
    for (word, end) in words(line).filter(|(word, _)| secret::is_secret_name(word)) {
        let quotes = |c: char| matches!(c, '"' | '\'' | ' ' | '\t');
        let rest = line[end..].trim_start_matches(quotes);
        let sign = rest.strip_prefix([':', '=']);
        // What follows a flag is its value, with or without a sign between them.
        let Some(value) = sign.or(word.starts_with('-').then_some(rest)) else {
            continue;
        };
        let value = value.trim_start_matches(|c| quotes(c) || c == ',');
        let is_block = |c: char| matches!(c, '|' | '>' | '+' | '-') || c.is_ascii_digit();
        if value.starts_with(['|', '>']) && value.chars().all(is_block) {
            continue;
        }
        if secret::shown(word, value.trim_end_matches(quotes)).is_some() {
            parts.push(column(line.len() - value.len())..usize::MAX);
            break;
        }
    }
    for sign in ["Bearer ", "Basic "] {
        if let Some(at) = line.find(sign) {
            parts.push(column(at + sign.len())..usize::MAX);
        }
    }
    for word in line.split([' ', '\t', '"', '\'', '`', ',', '(', ')', '[', ']', '<', '>']) {
        let start = word.as_ptr() as usize - line.as_ptr() as usize;
        let is_value = |text: &str| secret::shown("", text).is_some();
        let tail = word.rsplit([':', '=']).next().unwrap_or(word);
        if is_value(word) || is_value(tail) {
            parts.push(column(start)..column(start + word.len()));
        }
    }
    parts
}

enum Edge {
    Start,
    End,
}

/// Where a column of the line as written is in the line as shown.
fn moved(column: usize, parts: &[Range<usize>], marker: &str, edge: Edge) -> usize {
    let marker = marker.chars().count();
    let mut gone = 0;
    let mut added = 0;
    for part in parts {
        if part.end <= column {
            gone += part.len();
            added += marker;
        } else if part.start < column {
            // In the midst of what is hidden, the marker stands for all of it.
            let inside = match edge {
                Edge::Start => 0,
                Edge::End => marker,
            };
            return part.start - gone + added + inside;
        }
    }
    column - gone + added
}

fn byte_of(text: &str, column: usize) -> usize {
    let mut chars = text.char_indices();
    chars.nth(column).map_or(text.len(), |(byte, _)| byte)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All lines as they may be shown; `~` for those that may not.
    fn excerpt(name: &str, text: &str) -> Vec<String> {
        let excerpt = Excerpt::new(text, &RepoPath::new(name).unwrap());
        let lines = 1..=text.lines().count() as u32;
        let shown = lines.map(|line| excerpt.line(line).unwrap_or("~").to_owned());
        shown.collect()
    }

    #[test]
    fn a_harmless_line_is_shown_as_it_is() {
        let text = "kind: Kustomization\r\nspec:\r\n  path: ./apps # é\r\n";
        assert_eq!(
            excerpt("a.yaml", text),
            ["kind: Kustomization", "spec:", "  path: ./apps # é"]
        );
    }

    #[test]
    fn no_line_of_a_secret_or_an_encrypted_document_is_shown() {
        let text = "a: 1\n---\napiVersion: v1\nkind: \"Secret\"\ndata: {x: YQ==}\n---\n{\"kind\": \"Secret\", \"data\": {\"x\": \"YQ==\"}}\n---\nhost: ENC[AES256_GCM,data:x]\nsops: {mac: x}\n---\nkind: SecretStore\n";
        assert_eq!(
            excerpt("a.yaml", text),
            [
                "a: 1",
                "~",
                "~",
                "~",
                "~",
                "~",
                "~",
                "~",
                "~",
                "~",
                "---",
                "kind: SecretStore"
            ]
        );
    }

    #[test]
    fn values_of_telling_keys_are_replaced_however_they_are_written() {
        assert_eq!(
            excerpt(
                "a.yaml",
                "password: hunter2\nother: {apiKey: \"abc def\", port: 1}\nadminPassword:\n  hunter2\nx: 1\n"
            ),
            [
                "password: <secret>",
                "other: {apiKey: <secret>",
                "adminPassword:",
                "  <secret>",
                "x: 1"
            ]
        );
        assert_eq!(
            excerpt(
                "a.yaml",
                "token: |\n  first\n  second\nclientSecret: \"one\n  two\"\nenv:\n- name: DB_PASSWORD\n  value: hunter2\n- name: HOST\n  value: h\n"
            ),
            [
                "token: |",
                "  <secret>",
                "~",
                "clientSecret: <secret>",
                "~",
                "env:",
                "- name: DB_PASSWORD",
                "  value: <secret>",
                "- name: HOST",
                "  value: h"
            ]
        );
    }

    #[test]
    fn what_no_key_names_is_hidden_too() {
        assert_eq!(
            excerpt(
                "kustomization.yaml",
                "secretGenerator:\n- name: db\n  literals:\n  - user=admin\npatches:\n- patch: |\n    - op: replace\n      path: /data/password\n      value: hunter2\n  target: {kind: X}\n"
            ),
            [
                "secretGenerator:",
                "- name: db",
                "  literals:",
                "  - <secret>",
                "patches:",
                "- patch: |",
                "    <secret>",
                "~",
                "~",
                "  target: {kind: X}"
            ]
        );
        assert_eq!(
            excerpt(
                "a.yaml",
                "a: ghp_0123456789abcdefghij\nb: \"postgres://app:hunter2@db/x\"\n# password: hunter2\n"
            ),
            ["a: <secret>", "b: <secret>", "# password: <secret>"]
        );
        assert_eq!(
            excerpt("a.md", "Use `API_TOKEN=abc123` here\n"),
            ["Use `API_TOKEN=<secret>"]
        );
    }

    #[test]
    fn a_broken_document_that_speaks_of_a_secret_is_not_shown() {
        assert_eq!(
            excerpt("a.yaml", "name: 'open\npassword:\n  hunter2\n"),
            ["~", "~", "~"]
        );
        assert_eq!(
            excerpt("a.yaml", "name: 'open\nport: 1\n"),
            ["name: 'open", "port: 1"]
        );
        assert_eq!(
            excerpt("a.yaml", "data:\n  token:\n   x\ndata:\n  b: 1\n"),
            ["~", "~", "~", "~", "~"]
        );
    }

    #[test]
    fn no_value_of_an_env_file_is_shown() {
        assert_eq!(
            excerpt("a.env", "# note\nHOST=h # x\n\nB=\n#C=1\n"),
            ["# note", "HOST=…", "", "B=", "~"]
        );
        assert_eq!(
            excerpt(".env.prod", "KEY=\"-----BEGIN\nMIIEow+/abc==\nHOST=h\n"),
            ["~", "~", "~"]
        );
        assert_eq!(
            excerpt("tls.key", "-----BEGIN PRIVATE KEY-----\nabc\n"),
            ["~", "~"]
        );
    }

    #[test]
    fn flags_and_headers_lose_their_values() {
        let text = "args: [\"--db-password\", \"hunter2\"]\nargs2:\n- --token\n- abcdef\n- --port\n- 80\nh: Bearer abc\n";
        assert_eq!(
            excerpt("a.yaml", text),
            [
                "args: [\"--db-password\", <secret>",
                "args2:",
                "- --token",
                "- <secret>",
                "- --port",
                "- 80",
                "h: Bearer <secret>"
            ]
        );
        assert_eq!(
            excerpt("a.md", "run --password hunter2\n"),
            ["run --password <secret>"]
        );
    }

    #[test]
    fn an_endless_line_is_hidden_rather_than_searched() {
        let line = "password=x ".repeat(200_000);
        assert_eq!(excerpt("a.md", &line), ["~"]);
    }

    #[test]
    fn a_place_is_found_again_behind_what_was_replaced() {
        let excerpt = Excerpt::new(
            "x: {pass: hunter2}\né: [postgres://a:b@c/d, wörld]\n",
            &RepoPath::new("a.yaml").unwrap(),
        );
        let quote = |line, column, len| {
            let place = Place {
                file: FileId(0),
                line,
                column,
                len,
            };
            let quote = excerpt.quote(place).unwrap();
            quote.text[quote.span].to_owned()
        };
        assert_eq!(quote(1, 1, 1), "x");
        assert_eq!(quote(1, 11, 7), "<secret>");
        assert_eq!(quote(1, 13, 2), "<secret>");
        assert_eq!(quote(2, 25, 5), "wörld");
        assert_eq!(quote(2, 900, 5), "");
        assert_eq!(
            excerpt.quote(Place {
                file: FileId(0),
                line: 9,
                column: 1,
                len: 1
            }),
            None
        );
    }

    proptest! {
        #[test]
        fn no_text_makes_it_fail(text in "([a-z:\\-|>{}\\[\\]\"'#= \n]|password|kind: Secret|é){0,60}", line in 0u32..9, column in 0u32..30, len in 0u32..30) {
            for name in ["a.yaml", "a.env", "a.md", "a.ts"] {
                let excerpt = Excerpt::new(&text, &RepoPath::new(name).unwrap());
                let quote = excerpt.quote(Place { file: FileId(0), line, column, len });
                if let Some(quote) = quote {
                    prop_assert!(quote.text.get(quote.span).is_some());
                }
            }
        }
    }
}
