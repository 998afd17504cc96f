//! Words and names in documents: which of them can only mean a component, and which mean anything.

use crate::catalog::ComponentChart;
use crate::knowledge::plain::is_plain_word;

/// The words of a text, and where each begins.
pub fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let from = rest + text[rest..].find(char::is_alphanumeric)?;
        let length = text[from..].find(|c: char| !c.is_alphanumeric());
        rest = length.map_or(text.len(), |length| from + length);
        Some((from, &text[from..rest]))
    })
}

/// Whether a chart is called like what it installs: not `.`, the scaffold in the directory beside it, or one that
/// installs anything.
pub fn names_component(chart: &ComponentChart) -> bool {
    const GENERIC: &[&str] = &["app-template", "common", "raw", "generic", "application"];
    let is_beside = chart
        .repository
        .as_deref()
        .is_some_and(|repository| repository.starts_with("file:"));
    let has_name = chart.name.chars().any(char::is_alphabetic);
    has_name && !is_beside && !GENERIC.contains(&chart.name.as_str())
}

/// Whether a title can only mean a component: two words or more, or one that is a name.
pub fn is_telling(title: &str, words: &[String]) -> bool {
    let is_plain = words.iter().all(|word| is_plain_word(word));
    match words {
        [] => false,
        [word] => !is_plain && word.chars().count() >= 4 && title.starts_with(char::is_uppercase),
        // In a sentence, words like these must all be written as names.
        _ => true,
    }
}

/// Whether code can be the name of a component rather than of anything else.
pub fn is_telling_name(name: &str) -> bool {
    name.chars().count() >= 3
        && name.chars().any(char::is_alphabetic)
        && !is_plain_word(&name.to_lowercase())
}

/// Whether a path is that of something to read: naming it says no more than "see there". The README of a directory
/// stands for the directory.
pub fn is_document(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_readme = name.to_ascii_lowercase().starts_with("readme");
    let endings = [".md", ".adoc", ".markdown"];
    !is_readme && endings.iter().any(|ending| path.ends_with(ending))
}

/// Whether a kind is that of an extension and can mean nothing else in a sentence.
pub fn is_own_kind(group: &str, kind: &str) -> bool {
    let is_extension = group.contains('.') && !group.ends_with(".k8s.io");
    let is_deployment = ["fluxcd.io", "argoproj.io"]
        .iter()
        .any(|domain| group.ends_with(domain));
    is_extension && !is_deployment && kind.chars().filter(|c| c.is_uppercase()).count() > 1
}

/// Kinds whose object names say little; they are not looked for in text.
pub fn is_telling_kind(kind: &str) -> bool {
    !matches!(
        kind,
        "Namespace" | "Service" | "ServiceAccount" | "Secret" | "ConfigMap" | "Role"
    )
}
