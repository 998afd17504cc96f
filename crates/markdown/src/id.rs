//! Ids of headings and raw HTML in a page. They never equal an id of the theme, whose script and styles would affect
//! the author's element.

/// Prefix of the ids of authored text on pages that have ids of their own.
pub const PREFIX: &str = "about-";

/// Ids that the theme uses on pages with authored text. A test checks that the list is complete.
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

/// Prefixes of ids that end in a number.
const NUMBERED: &[&str] = &["hit-", "fn-", "fnref-", "drawing-", "tab-", "tabs-"];

/// The id in the page, where those of the document begin with `prefix`.
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
        // No other id may become what one of these becomes.
        || id.starts_with(PREFIX)
        || id.starts_with("h-")
        || numbered.any(is_number)
}
