//! Names as Backstage takes them: letters, digits, `-`, `_` and `.`, at most 63, each once, also where case does not count.

use std::collections::BTreeSet;

const LONGEST: usize = 63;

/// Hands out the names of one kind.
#[derive(Default)]
pub struct NamePool(BTreeSet<String>);

impl NamePool {
    pub fn give(&mut self, wanted: &str) -> String {
        let name = slug(wanted);
        for number in 1usize.. {
            let name = match number {
                1 => name.clone(),
                _ => {
                    let end = format!("-{number}");
                    let start = cut(&name, LONGEST - end.len());
                    format!("{start}{end}")
                }
            };
            if self.0.insert(name.to_lowercase()) {
                return name;
            }
        }
        unreachable!("numbers do not run out")
    }
}

pub fn slug(text: &str) -> String {
    let mut slug = String::with_capacity(text.len());
    for c in text.chars().map(|c| c.to_ascii_lowercase()) {
        match c {
            'a'..='z' | '0'..='9' | '_' | '.' => slug.push(c),
            _ if slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    match cut(&slug, LONGEST) {
        "" => "unnamed".to_owned(),
        slug => slug.to_owned(),
    }
}

/// A tag has no dots and no underscores.
pub fn tag(text: &str) -> Option<String> {
    let slug = slug(text).replace(['_', '.'], "-");
    let words: Vec<&str> = slug.split('-').filter(|word| !word.is_empty()).collect();
    let tag = words.join("-");
    (!tag.is_empty() && text.chars().any(|c| c.is_ascii_alphanumeric())).then_some(tag)
}

/// The first `most` characters of an ASCII name. It starts and ends with a letter or a digit.
fn cut(name: &str, most: usize) -> &str {
    let is_mark = |c: char| !c.is_ascii_alphanumeric();
    let name = name.trim_matches(is_mark);
    name[..name.len().min(most)].trim_end_matches(is_mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_valid_and_given_once() {
        let mut names = NamePool::default();
        assert_eq!(names.give("Data Stores"), "data-stores");
        assert_eq!(names.give("data/stores"), "data-stores-2");
        assert_eq!(names.give("基盤"), "unnamed");
        assert_eq!(names.give("._a_."), "a");
        let long = "x".repeat(80);
        assert_eq!(names.give(&long).len(), 63);
        let second = names.give(&long);
        assert_eq!(second.len(), 63);
        assert!(second.ends_with("x-2"));
    }

    #[test]
    fn a_tag_has_words_and_hyphens_only() {
        assert_eq!(tag("eu_west.1 Prod").as_deref(), Some("eu-west-1-prod"));
        assert_eq!(tag("基盤"), None);
    }
}
