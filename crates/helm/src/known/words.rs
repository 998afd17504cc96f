//! Words in comments.

use base::hash::HashSet;
use smol_str::SmolStr;

/// Adds the keys that comments of `values.yaml` mention: `# key: value`, and the parts of dotted paths.
pub fn add_comments(text: &str, words: &mut HashSet<SmolStr>) {
    for line in text.lines() {
        let Some((_, comment)) = line.split_once('#') else {
            continue;
        };
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
        let mut rest = comment;
        while let Some(start) = rest.find(is_name) {
            let after = &rest[start..];
            let end = after.find(|c| !is_name(c)).unwrap_or(after.len());
            let (word, next) = after.split_at(end);
            if next.starts_with([':', '"', '\'', '`']) || word.contains('.') {
                words.insert(word.into());
                words.extend(word.split('.').map(SmolStr::new));
            }
            rest = next;
        }
    }
}
