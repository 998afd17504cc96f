//! Comments of a kustomization: an entry that is commented out is disabled, and a comment above several entries is a
//! heading. Documents in, headings and disabled entries out.

use smol_str::SmolStr;

use crate::Disabled;
use yaml::{Comment, CommentPosition, Document};

/// Headings by line, in order; `None` where a group without one begins.
pub struct Headings(Vec<(u32, Option<SmolStr>)>);

impl Headings {
    /// The heading above the entry at a line.
    pub fn above(&self, line: u32) -> Option<SmolStr> {
        let after = self.0.partition_point(|(at, _)| *at < line);
        let (_, heading) = self.0.get(after.checked_sub(1)?)?;
        heading.clone()
    }
}

/// Comments on lines of their own inside a list: the first meaningful line of each block. A block that is set apart
/// from the entries above it but is no heading explains the next entries, and ends the previous heading.
pub fn headings(document: &Document) -> Headings {
    let Some(first_entry) = first_entry_line(document) else {
        return Headings(Vec::new());
    };
    let entries = entry_lines(document);
    let mut headings: Vec<(u32, Option<SmolStr>)> = Vec::new();
    let mut previous_line = 0;
    for comment in own_lines(document) {
        let line = comment.place.line;
        let continues = line == previous_line + 1;
        if line >= first_entry && disabled_path(comment).is_none() && !continues {
            let heading = heading_text(&comment.text);
            let last = headings.last().map_or(0, |(at, _)| *at);
            let above = entries[..entries.partition_point(|at| *at < line)].last();
            let is_apart = above.is_some_and(|above| last < *above && above + 1 < line);
            if heading.is_some() || is_apart && says_something(&comment.text) {
                headings.push((line, heading));
            }
        }
        // A disabled entry ends a block of comments, as an entry does.
        previous_line = match disabled_path(comment) {
            Some(_) => 0,
            None => line,
        };
    }
    Headings(headings)
}

/// Disabled entries such as `# - n8n.yaml` within the lines of the lists.
pub fn disabled(document: &Document, headings: &Headings) -> Vec<Disabled> {
    let Some(first_entry) = first_entry_line(document) else {
        return Vec::new();
    };
    own_lines(document)
        .filter(|comment| comment.place.line >= first_entry)
        .filter_map(|comment| {
            Some(Disabled {
                path: disabled_path(comment)?,
                place: comment.place,
                heading: headings.above(comment.place.line),
            })
        })
        .collect()
}

fn own_lines(document: &Document) -> impl Iterator<Item = &Comment> {
    let comments = document.comments.iter();
    comments.filter(|comment| comment.position == CommentPosition::OwnLine)
}

const LISTS: [&str; 3] = ["resources", "bases", "components"];

fn first_entry_line(document: &Document) -> Option<u32> {
    let entries = document.root.entries().iter();
    entries
        .filter(|entry| LISTS.contains(&entry.key.as_str()))
        .map(|entry| entry.key_place.line)
        .min()
}

/// The lines of all entries, including disabled ones, in order.
fn entry_lines(document: &Document) -> Vec<u32> {
    let lists = LISTS.iter().flat_map(|key| document.root.items_at(key));
    let mut lines: Vec<u32> = lists.map(|item| item.place.line).collect();
    let off = own_lines(document).filter(|comment| disabled_path(comment).is_some());
    lines.extend(off.map(|comment| comment.place.line));
    lines.sort_unstable();
    lines
}

/// The path of a disabled entry: `./n8n/ks.yaml` for `# - ./n8n/ks.yaml  # broken`.
fn disabled_path(comment: &Comment) -> Option<SmolStr> {
    let entry = comment
        .text
        .trim_start_matches(['#', ' '])
        .strip_prefix("- ")?;
    let path = entry.split(" #").next()?.trim().trim_matches(['"', '\'']);
    let is_path = !path.is_empty()
        && !path.contains([' ', ':', '`', '(', '{'])
        && path.contains(['/', '.', '-'])
        || path
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
            && !path.is_empty();
    is_path.then(|| path.into())
}

/// Maximum number of words in a heading, not counting those in brackets.
const MAX_WORDS: usize = 5;
/// Maximum number of words in a heading that ends in a colon.
const MAX_WORDS_BEFORE_COLON: usize = 3;
/// Maximum length of a heading. A longer one loses its brackets; if it is still longer, it is none.
const MAX_LETTERS: usize = 40;

/// Words that begin an explanation or instruction rather than a heading.
const ORDERS: [&str; 14] = [
    "add",
    "apply",
    "create",
    "deploy",
    "disable",
    "enable",
    "fixme",
    "install",
    "note",
    "remove",
    "see",
    "todo",
    "uncomment",
    "use",
];

/// The words of a heading without rules and numbering around them; `None` for a sentence.
fn heading_text(comment: &str) -> Option<SmolStr> {
    let text = bare(comment);
    if !says_something(comment) {
        return None;
    }
    let beside = text.split('(').next().unwrap_or(text).trim_end();
    let words = beside
        .split_whitespace()
        .filter(|word| word.contains(char::is_alphanumeric));
    let words: Vec<String> = words.map(str::to_lowercase).collect();
    // A heading is a noun phrase: it may begin with an article, and has none after a verb.
    let is_article = |word: &String| matches!(word.as_str(), "the" | "a" | "an");
    let first = words.first()?.trim_end_matches(':');
    if ORDERS.contains(&first) || words.iter().skip(1).any(is_article) {
        return None;
    }
    if let Some(heading) = text.strip_suffix(':') {
        let is_short = words.len() <= MAX_WORDS_BEFORE_COLON;
        return is_short.then(|| heading.trim_end().into());
    }
    let heading = if text.chars().count() <= MAX_LETTERS {
        text
    } else {
        beside
    };
    let is_heading = words.len() <= MAX_WORDS
        && heading.chars().count() <= MAX_LETTERS
        && !text.ends_with(['.', '!', '?', ',', ';']);
    is_heading.then(|| heading.into())
}

fn bare(comment: &str) -> &str {
    let rules = |c: char| "#-=*~_ \t".contains(c);
    comment.trim().trim_matches(rules)
}

/// Whether a comment contains words rather than a rule.
fn says_something(comment: &str) -> bool {
    let text = bare(comment);
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let directive = text.starts_with("yaml-language-server")
        || text.starts_with("renovate:")
        || text.starts_with("catalog:");
    letters >= 3 && !directive
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_told_from_sentences() {
        for (comment, heading) in [
            ("# --- Infrastructure ---", "Infrastructure"),
            ("# Infrastructure:", "Infrastructure"),
            ("# Wave 1: Core and CRDs", "Wave 1: Core and CRDs"),
            (
                "# Data - Wave 4b (Parallel - depends on all the operators)",
                "Data - Wave 4b",
            ),
            ("# Storage (Longhorn)", "Storage (Longhorn)"),
            ("# The way in", "The way in"),
        ] {
            assert_eq!(heading_text(comment).as_deref(), Some(heading));
        }
        for sentence in [
            "# These must be healthy before anything else can deploy",
            "# Skip the stuck hook.",
            "# Deploy the operator (wrapped in a Kustomization so wait: true gates the CRs)",
            "# Install CRDs",
            "# Note: made by hand",
            "# Troubleshooting alternatives - uncomment to test:",
            "# ---",
        ] {
            assert_eq!(heading_text(sentence), None, "{sentence}");
        }
    }

    #[test]
    fn an_explanation_that_stands_apart_is_under_no_heading() {
        let text = "resources:
  # Storage
  - longhorn.yaml

  - nfs.yaml
  # this one is slow, and nobody knows why it is
  - smb.yaml

  # Brings default objects of the directory beside it
  # once the webhook is ready.
  - objects.yaml

  # Network
  # which comes second because of the load balancer
  - cilium.yaml
";
        let parsed = yaml::parse(text, base::FileId(0));
        let headings = headings(&parsed.documents[0]);
        let above = |line: u32| headings.above(line);
        for line in [3, 5, 7] {
            assert_eq!(above(line).as_deref(), Some("Storage"), "line {line}");
        }
        assert_eq!(above(11), None);
        assert_eq!(above(15).as_deref(), Some("Network"));
    }
}
