//! The ids that headings and raw HTML have in a page: never one that the theme has there, whose script and styles would take
//! the author's element for their own.

/// Begins the ids of prose where the page has ids of its own.
pub const PREFIX: &str = "about-";

/// Ids that the theme uses around a page of prose. A test checks that the list is complete.
const OF_THE_THEME: &[&str] = &[
    "artifacts",
    "catalog-live",
    "checks",
    "components",
    "content",
    "hits",
    "nav",
    "nav-open",
    "toc-title",
];

/// What ids begin with that end in a number.
const NUMBERED: &[&str] = &["hit-", "fn-", "fnref-", "drawing-"];

/// An id as it is written in the page, where those of the document begin with `prefix`.
pub fn id_on_page(prefix: &str, id: &str) -> String {
    if prefix.is_empty() && is_taken(id) {
        format!("{PREFIX}{id}")
    } else {
        format!("{prefix}{id}")
    }
}

fn is_taken(id: &str) -> bool {
    let is_number = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    let mut numbered = NUMBERED.iter().filter_map(|start| id.strip_prefix(start));
    OF_THE_THEME.contains(&id)
        // So that no other id becomes what one of these becomes.
        || id.starts_with(PREFIX)
        || id.starts_with("h-")
        || numbered.any(is_number)
}
