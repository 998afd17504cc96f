//! The last commits that changed a component, and the values that each replaced.

use serde::Serialize;

use super::{About, SectionBody};
use crate::site::theme::View;
use crate::site::view::Text;
use crate::site::view::change::{self, CommitView};

#[derive(Serialize)]
struct ChangeSection {
    commits: Vec<CommitView>,
    /// Whether any of them replaced values, or added or deleted files.
    has_changes: bool,
    /// The page of all recent commits.
    all_href: String,
}

/// Commits on the page of a component; the page of all changes has more.
const MOST: usize = 5;

pub fn write(about: &About<'_>) -> Option<SectionBody> {
    let here = &about.here;
    let context = here.context;
    let own = &context.changes().commits[about.index];
    let recent = context.repo.recent();
    if own.is_empty() {
        return None;
    }
    let owned = context.own_files(about.index, about.component);
    let source = about.component.source.as_ref().map(|path| path.as_str());
    let is_meant = |path: &str| {
        let is_below = |directory: &str| {
            let rest = path.strip_prefix(directory);
            !directory.is_empty() && rest.is_some_and(|rest| rest.starts_with('/'))
        };
        owned.binary_search(&path).is_ok() || source.is_some_and(is_below)
    };
    let commits: Vec<CommitView> = own
        .iter()
        .take(MOST)
        .map(|at| change::commit(here, &recent[*at], is_meant, &[]))
        .collect();
    let mut markdown = Text::default();
    commits
        .iter()
        .for_each(|commit| markdown.item(&commit.markdown()));
    let changes = ChangeSection {
        has_changes: commits.iter().any(CommitView::has_changes),
        commits,
        all_href: here.to(&context.routes.changes),
    };
    Some(SectionBody {
        view: View::serialize(&changes),
        markdown,
        headings: Vec::new(),
        count: None,
    })
}
