//! Parses file names and document titles: numbers, dates, and whether a file is only an index of others.

use crate::input::repo::RepoPath;

use super::reference::{Number, leading_number, starts_with_day};

/// `ADR-018: Title`, `1. Title`, `0001 - Title`.
pub fn split_title(title: &str) -> (Option<Number>, &str) {
    let bare = title.trim();
    let begins = bare
        .get(..3)
        .is_some_and(|word| word.eq_ignore_ascii_case("adr"));
    let rest = if begins {
        bare[3..].trim_start_matches([' ', '-', '_', '#'])
    } else {
        bare
    };
    let Some((number, after)) = leading_number(rest).filter(|_| !starts_with_day(rest)) else {
        return (None, bare);
    };
    let title = after.trim_start_matches([' ', ':', '.', '-', '\u{2013}', '\u{2014}', ')', '|']);
    // `3 clusters are enough` begins with a number that is part of the sentence.
    let is_marked = begins
        || after.starts_with([':', '.', ')'])
        || after.starts_with(" -")
        || after.starts_with(" \u{2014}");
    if is_marked && !title.is_empty() {
        (Some(number), title)
    } else {
        (None, bare)
    }
}

/// `adr-018-title.md`, `0018-title.md`, `ADR_18.md`: the number, and what follows it.
pub fn number_of_file(path: &RepoPath) -> Option<(Number, &str)> {
    let bare = bare_stem(path);
    if starts_with_day(bare) {
        return None;
    }
    leading_number(bare)
}

pub fn in_name_digits(path: &RepoPath) -> Option<usize> {
    number_of_file(path)?;
    let digits = bare_stem(path).bytes().take_while(u8::is_ascii_digit);
    Some(digits.count())
}

pub fn in_name_rest(path: &RepoPath) -> &str {
    match number_of_file(path) {
        Some((_, rest)) if !rest.is_empty() => rest.trim_start_matches(['-', '_', '.', ' ']),
        _ => stem(path),
    }
}

pub fn day_of_file(path: &RepoPath) -> Option<String> {
    let bare = bare_stem(path);
    if !starts_with_day(bare) {
        return None;
    }
    // `20260305-title`, as log4brains writes it.
    if bare.as_bytes().get(..8)?.iter().all(u8::is_ascii_digit) {
        return Some(format!("{}-{}-{}", &bare[..4], &bare[4..6], &bare[6..8]));
    }
    let day = bare.get(..10)?;
    (day.as_bytes()[4] == b'-').then(|| day.to_owned())
}

/// The name without its ending and without `adr-`.
fn bare_stem(path: &RepoPath) -> &str {
    let stem = stem(path);
    match stem.get(..3) {
        Some(word) if word.eq_ignore_ascii_case("adr") => {
            stem[3..].trim_start_matches(['-', '_', ' ', '.'])
        }
        _ => stem,
    }
}

pub fn stem(path: &RepoPath) -> &str {
    let name = path.file_name();
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

pub fn is_markdown(path: &RepoPath) -> bool {
    let extension = path.extension();
    extension.is_some_and(|extension| matches!(extension, "md" | "markdown" | "MD"))
}

pub fn is_asciidoc(path: &RepoPath) -> bool {
    let extension = path.extension();
    extension.is_some_and(|extension| matches!(extension, "adoc" | "asciidoc"))
}

pub fn is_hidden(path: &RepoPath) -> bool {
    path.as_str().split('/').any(|name| name.starts_with('.'))
}

/// Templates, and pages that list the others.
pub fn is_about_others(path: &RepoPath) -> bool {
    const LISTS: &[&str] = &[
        "index",
        "_index",
        "readme",
        "toc",
        "contents",
        "summary",
        "contributing",
        "changelog",
        "about",
        "_category_",
        "adr",
        "adrs",
        "decisions",
        "adr-index",
        "adr-log",
        "adr-list",
    ];
    let stem = stem(path).to_lowercase();
    let is_numbered = number_of_file(path).is_some_and(|(number, _)| number.value > 0);
    let mut words = stem.split(['-', '_', '.', ' ']);
    let is_template = !is_numbered && words.any(|word| matches!(word, "template" | "templates"));
    let in_templates = path.as_str().split('/').rev().skip(1).any(|name| {
        matches!(
            name.to_lowercase().as_str(),
            "template" | "templates" | "_templates"
        )
    });
    // `000-index`, `0000-readme`: a list that is to come first.
    let rest = in_name_rest(path).to_lowercase().replace('_', "-");
    let is_first = number_of_file(path).is_some_and(|(number, _)| number.value == 0);
    let is_list = LISTS.contains(&stem.as_str())
        || matches!(
            rest.as_str(),
            "index" | "readme" | "toc" | "adr-index" | "adr-log" | "adr-list"
        )
        || is_first && LISTS.contains(&rest.as_str());
    is_template || in_templates || is_list
}
