//! Compares the images that a component runs. A new tag of the same image is one change.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use smol_str::SmolStr;

/// An image, before and after.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImageChange {
    /// Without tag and digest.
    pub name: String,
    /// The tag, the digest or both; empty if it has neither. Null if the image was not used.
    pub before: Option<String>,
    pub after: Option<String>,
}

pub fn changes(then: &[SmolStr], now: &[SmolStr]) -> Vec<ImageChange> {
    let (then, now): (BTreeSet<&SmolStr>, BTreeSet<&SmolStr>) =
        (then.iter().collect(), now.iter().collect());
    let mut by_name: BTreeMap<&str, (Vec<&str>, Vec<&str>)> = BTreeMap::new();
    for gone in then.difference(&now) {
        let (name, version) = split(gone);
        by_name.entry(name).or_default().0.push(version);
    }
    for new in now.difference(&then) {
        let (name, version) = split(new);
        by_name.entry(name).or_default().1.push(version);
    }
    let mut changes = Vec::new();
    for (name, (gone, new)) in by_name {
        let change = |before: Option<&str>, after: Option<&str>| ImageChange {
            name: name.to_owned(),
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
        };
        match (&*gone, &*new) {
            ([gone], [new]) => changes.push(change(Some(gone), Some(new))),
            _ => {
                changes.extend(gone.iter().map(|one| change(Some(one), None)));
                changes.extend(new.iter().map(|one| change(None, Some(one))));
            }
        }
    }
    changes
}

/// The name of an image, and its tag and digest.
fn split(image: &str) -> (&str, &str) {
    let digest = image.find('@').unwrap_or(image.len());
    // A colon before the last slash belongs to the port of a registry.
    let last = image[..digest].rfind('/').map_or(0, |at| at + 1);
    match image[last..digest].find(':') {
        Some(at) => (&image[..last + at], &image[last + at + 1..]),
        None => (
            &image[..digest],
            image.get(digest + 1..).unwrap_or_default(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(then: &[&str], now: &[&str]) -> Vec<(String, Option<String>, Option<String>)> {
        let images = |all: &[&str]| -> Vec<SmolStr> { all.iter().map(|it| (*it).into()).collect() };
        let changes = changes(&images(then), &images(now)).into_iter();
        changes
            .map(|one| (one.name, one.before, one.after))
            .collect()
    }

    #[test]
    fn an_image_is_known_by_its_name_whatever_its_tag_or_digest() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            told(
                &["r.io:5000/a:1", "b", "c@sha256:1", "same:1"],
                &["r.io:5000/a:2", "b:2", "c:3@sha256:2", "same:1"]
            ),
            [
                ("b".to_owned(), some(""), some("2")),
                ("c".to_owned(), some("sha256:1"), some("3@sha256:2")),
                ("r.io:5000/a".to_owned(), some("1"), some("2")),
            ]
        );
        assert_eq!(
            told(&["a:1"], &["a:2", "a:3"]),
            [
                ("a".to_owned(), some("1"), None),
                ("a".to_owned(), None, some("2")),
                ("a".to_owned(), None, some("3")),
            ]
        );
    }
}
