//! What the comments of a kustomization say: an entry that is commented out is switched off, and a
//! comment above several entries is the heading of that part of the list.

use smol_str::SmolStr;

use crate::fact::Disabled;
use crate::yaml::{Comment, CommentPosition, Document};

/// Headings by line, in order.
pub struct Headings(Vec<(u32, SmolStr)>);

impl Headings {
    /// The heading that the entry at this line stands under.
    pub fn above(&self, line: u32) -> Option<SmolStr> {
        let after = self.0.partition_point(|(at, _)| *at < line);
        let (_, heading) = self.0.get(after.checked_sub(1)?)?;
        Some(heading.clone())
    }
}

/// Comments on lines of their own inside a list, one per block: the first line that says something.
pub fn headings(document: &Document) -> Headings {
    let Some(first_entry) = first_entry_line(document) else {
        return Headings(Vec::new());
    };
    let mut headings: Vec<(u32, SmolStr)> = Vec::new();
    let mut previous_line = 0;
    for comment in own_lines(document) {
        let continues = comment.place.line == previous_line + 1;
        if comment.place.line > first_entry.saturating_sub(1)
            && disabled_path(comment).is_none()
            && let Some(text) = heading_text(&comment.text)
            && !continues
        {
            headings.push((comment.place.line, text));
        }
        // A switched-off entry ends a block of comments, as an entry would.
        previous_line = match disabled_path(comment) {
            Some(_) => 0,
            None => comment.place.line,
        };
    }
    Headings(headings)
}

/// Entries such as `# - n8n.yaml` within the span of the lists.
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

fn first_entry_line(document: &Document) -> Option<u32> {
    let lists = ["resources", "bases", "components"];
    let entries = document.root.entries().iter();
    entries
        .filter(|entry| lists.contains(&entry.key.as_str()))
        .map(|entry| entry.key_place.line)
        .min()
}

/// `# - ./n8n/ks.yaml  # broken` names `./n8n/ks.yaml`.
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

/// A heading has few words; what stands in brackets beside them does not count.
const MAX_WORDS: usize = 5;
/// So many may end in a colon, and be a heading all the same.
const MAX_WORDS_BEFORE_COLON: usize = 3;

/// The words of a heading without rules and numbering around them. A sentence is none.
fn heading_text(comment: &str) -> Option<SmolStr> {
    let text = comment
        .trim()
        .trim_matches(|c: char| "#-=*~_ \t".contains(c));
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let directive = text.starts_with("yaml-language-server")
        || text.starts_with("renovate:")
        || text.starts_with("catalog:");
    if letters < 3 || text.len() > 80 || directive {
        return None;
    }
    let beside = text.split('(').next().unwrap_or(text);
    let words = beside.split_whitespace();
    let words = words.filter(|word| word.contains(char::is_alphanumeric));
    let words = words.count();
    match text.strip_suffix(':') {
        Some(heading) if words <= MAX_WORDS_BEFORE_COLON => Some(heading.trim_end().into()),
        None if words <= MAX_WORDS && !text.ends_with(['.', '!', '?', ',', ';']) => {
            Some(text.into())
        }
        _ => None,
    }
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
                "Data - Wave 4b (Parallel - depends on all the operators)",
            ),
        ] {
            assert_eq!(heading_text(comment).as_deref(), Some(heading));
        }
        for sentence in [
            "# These must be healthy before anything else can deploy",
            "# Skip the stuck hook.",
            "# Troubleshooting alternatives - uncomment to test:",
            "# ---",
        ] {
            assert_eq!(heading_text(sentence), None, "{sentence}");
        }
    }
}
