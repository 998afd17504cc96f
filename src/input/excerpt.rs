//! Lines of the repo's files in a form that may be shown: secrets are replaced, or the whole line is hidden. Findings
//! appear on terminals and in logs, so a doubtful line stays hidden.

mod document;

use std::ops::Range;

use crate::input::repo::{Repo, RepoPath, Withheld};
use base::MARKER;
use base::{FileId, Place};
use document::in_yaml;

/// The lines of one file.
#[derive(Debug, Default)]
pub struct Excerpt {
    lines: Vec<ExcerptLine>,
    /// Stands for what was taken out.
    marker: &'static str,
}

/// Limit on line length. Searching a longer line for secrets takes too long.
const LONGEST: usize = 10_000;

#[derive(Debug)]
enum ExcerptLine {
    Hidden,
    /// Text of the line, and the columns that the marker replaced, counted from 0.
    Shown(String, Vec<Range<usize>>),
}

/// A line, and a part of it in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    pub text: String,
    pub span: Range<usize>,
}

impl Excerpt {
    /// The lines of a file. None if it is not readable as text.
    pub fn read(repo: &Repo, file: FileId) -> Excerpt {
        let language = match repo.withheld(file) {
            Some(Withheld::Whole) => return Excerpt::default(),
            Some(Withheld::Values) => Language::Env,
            None => Language::from_path(repo.path(file)),
        };
        match repo.read_secret_text(file) {
            Ok(text) => Excerpt::in_language(&text, language, &repo.hidden(file)),
            Err(_) => Excerpt::default(),
        }
    }

    pub fn new(text: &str, path: &RepoPath) -> Excerpt {
        Excerpt::in_language(text, Language::from_path(path), &[])
    }

    fn in_language(text: &str, language: Language, known: &[Place]) -> Excerpt {
        let lines: Vec<&str> = text.lines().collect();
        // Values of an env file are left out unseen: most are not secret.
        let marker = match language {
            Language::Env => "…",
            _ => MARKER,
        };
        let mut hidden = match language {
            Language::Yaml => in_yaml(text, &lines, known),
            Language::Env => in_env(&lines),
            Language::Markdown => whole_if(&lines, holds_key(text)),
            Language::Module => {
                // A variable can be declared secret many lines away from its value.
                let is_open = !text.contains("sensitive") && !holds_key(text);
                whole_if(&lines, !is_open || lines.iter().any(names_secret))
            }
            Language::Other => whole_if(&lines, holds_key(text) || lines.iter().any(names_secret)),
        };
        hidden.resize(lines.len(), Cover::None);
        let lines = lines.iter().zip(hidden);
        let lines = lines.map(|(line, cover)| match cover {
            _ if line.len() > LONGEST => ExcerptLine::Hidden,
            Cover::All => ExcerptLine::Hidden,
            Cover::None => shown(line, Vec::new(), marker),
            Cover::Parts(parts) => shown(line, parts, marker),
        });
        Excerpt {
            lines: lines.collect(),
            marker,
        }
    }

    /// A line as it may be shown. None if it is hidden or does not exist. Lines count from 1.
    pub fn line(&self, line: u32) -> Option<&str> {
        match self.lines.get((line as usize).checked_sub(1)?)? {
            ExcerptLine::Hidden => None,
            ExcerptLine::Shown(text, _) => Some(text),
        }
    }

    /// Whether a line is shown unchanged.
    pub fn is_plain(&self, line: u32) -> bool {
        let line = (line as usize).checked_sub(1);
        matches!(line.and_then(|at| self.lines.get(at)), Some(ExcerptLine::Shown(_, parts)) if parts.is_empty())
    }

    /// The line of a place, with the place in it.
    pub fn quote(&self, place: Place) -> Option<Quote> {
        let ExcerptLine::Shown(text, parts) =
            self.lines.get((place.line as usize).checked_sub(1)?)?
        else {
            return None;
        };
        let first = (place.column as usize).saturating_sub(1);
        let last = first.saturating_add(place.len as usize);
        let start = byte_of(text, moved(first, parts, self.marker, SpanEnd::Start));
        let end = byte_of(text, moved(last, parts, self.marker, SpanEnd::End));
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
    /// Terraform.
    Module,
    Other,
}

impl Language {
    fn from_path(path: &RepoPath) -> Language {
        let name = path.file_name();
        let stem = name.strip_suffix(".json").unwrap_or_default();
        match path.extension() {
            // Terraform in its other form.
            _ if stem.ends_with(".tf") || stem.ends_with(".tofu") => Language::Module,
            _ if stem.ends_with(".tfvars") => Language::Env,
            Some("yaml" | "yml" | "json") => Language::Yaml,
            Some("md" | "markdown" | "MD") => Language::Markdown,
            _ if ::kustomize::is_kustomization(path) => Language::Yaml,
            Some("tf" | "tofu") => Language::Module,
            // Other files declare which of these variables are secret.
            Some("env" | "tfvars") => Language::Env,
            _ if name.starts_with(".env") => Language::Env,
            _ => Language::Other,
        }
    }
}

fn whole_if(lines: &[&str], closed: bool) -> Vec<Cover> {
    if closed {
        vec![Cover::All; lines.len()]
    } else {
        Vec::new()
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

/// Every value of an env file may be secret: programs read such files, too.
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

/// A line with covered parts and anything that looks secret replaced.
fn shown(line: &str, mut parts: Vec<Range<usize>>, marker: &str) -> ExcerptLine {
    parts.extend(telling(line));
    parts.sort_by_key(|part| (part.start, part.end));
    // Merge overlapping ranges, so that each column is in at most one.
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
    ExcerptLine::Shown(text, replaced)
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
        // A flag is followed by its value, with or without a sign between them.
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
    let looks = secret::look::parts(line).into_iter();
    parts.extend(looks.map(|part| column(part.range.start)..column(part.range.end)));
    parts
}

enum SpanEnd {
    Start,
    End,
}

/// Maps a column of the original line to the shown line.
fn moved(column: usize, parts: &[Range<usize>], marker: &str, edge: SpanEnd) -> usize {
    let marker = marker.chars().count();
    let mut gone = 0;
    let mut added = 0;
    for part in parts {
        if part.end <= column {
            gone += part.len();
            added += marker;
        } else if part.start < column {
            // A column inside a hidden part maps to the start or end of the marker.
            let inside = match edge {
                SpanEnd::Start => 0,
                SpanEnd::End => marker,
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
mod tests;
