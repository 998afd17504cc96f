//! The page of recent commits: what each changed, and in which components.

use serde::Serialize;

use super::frame::PageHead;
use super::{PageContent, view};
use crate::site::view::change::{self, CommitView};
use crate::site::view::{Here, Text, counted};

#[derive(Serialize)]
struct ChangesPage {
    days: Vec<Day>,
}

#[derive(Serialize)]
struct Day {
    date: String,
    commits: Vec<CommitView>,
}

pub fn write(here: &Here<'_>) -> PageContent {
    let context = here.context;
    let recent = context.repo.recent();
    let changes = context.changes();
    let mut page = PageHead::new(here, "changes", "Recent changes");
    page.description = Some(format!(
        "The last {}, the components and the values that each changed.",
        counted(recent.len(), "commit")
    ));
    let mut days: Vec<Day> = Vec::new();
    for (commit, components) in recent.iter().zip(&changes.components) {
        let commit = change::commit(here, commit, |_| true, components);
        match days.last_mut() {
            Some(day) if day.date == commit.date => day.commits.push(commit),
            _ => days.push(Day {
                date: commit.date.clone(),
                commits: vec![commit],
            }),
        }
    }
    let mut markdown = Text::default();
    for commit in days.iter().flat_map(|day| &day.commits) {
        markdown.item(&commit.markdown());
    }
    PageContent {
        template: "pages/changes.html",
        page,
        views: vec![view("changes", &ChangesPage { days })],
        markdown,
    }
}
