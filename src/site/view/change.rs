//! Recent commits as pages show them: when, what and by whom, with the values that each replaced.

use serde::Serialize;

use super::Here;
use super::LinkView;
use crate::catalog::ComponentIx;
use crate::input::repo::{FileChange, RecentCommit};
use base::text::{counted, last_part};
use markdown::text::{code, escaped, link};

#[derive(Serialize)]
pub struct CommitView {
    /// The `id` of its row on the page of recent changes.
    pub id: String,
    /// The day, as `yyyy-mm-dd`.
    pub date: String,
    pub subject: LinkView,
    pub author: String,
    /// Values that it replaced.
    values: Vec<ValueView>,
    /// Files that it added or deleted, in words.
    pub files: Option<String>,
    /// The components that it changed; empty on the page of one.
    pub components: Vec<LinkView>,
}

#[derive(Serialize)]
struct ValueView {
    key: String,
    from: String,
    to: String,
    /// The names of the files.
    files: String,
}

/// Values that are shown of one commit.
const MOST_VALUES: usize = 8;
/// Components that a commit names.
const MOST_COMPONENTS: usize = 12;

/// A commit, as far as it concerns files that `is_meant` takes.
pub fn commit(
    here: &Here<'_>,
    commit: &RecentCommit,
    is_meant: impl Fn(&str) -> bool,
    components: &[ComponentIx],
) -> CommitView {
    let repo_host = here.context.repo_host.as_ref();
    let files = commit.files.iter().filter(|file| is_meant(&file.path));
    let mut values: Vec<ValueView> = Vec::new();
    for file in files.clone() {
        for value in &file.values {
            let (from, to) = (short(&value.from), short(&value.to));
            let name = last_part(&file.path);
            let is_same = |known: &&mut ValueView| {
                (&known.key, &known.from, &known.to) == (&value.key, &from, &to)
            };
            match values.iter_mut().find(is_same) {
                Some(known) if known.files.split(", ").any(|one| one == name) => {}
                Some(known) => known.files.push_str(&format!(", {name}")),
                None => values.push(ValueView {
                    key: value.key.clone(),
                    from,
                    to,
                    files: name.to_owned(),
                }),
            }
        }
    }
    values.truncate(MOST_VALUES);
    let number = |how: FileChange| files.clone().filter(|file| file.how == how).count();
    let told = [
        (number(FileChange::Added), "added"),
        (number(FileChange::Deleted), "deleted"),
    ];
    let told = told
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, how)| format!("{} {how}", counted(*number, "file")));
    let told: Vec<String> = told.collect();
    let mut named: Vec<LinkView> = components
        .iter()
        .take(MOST_COMPONENTS)
        .map(|at| LinkView {
            title: here.component(*at).title.clone(),
            href: Some(here.href(*at)),
        })
        .collect();
    if components.len() > MOST_COMPONENTS {
        named.push(LinkView {
            title: format!("{} more", components.len() - MOST_COMPONENTS),
            href: None,
        });
    }
    CommitView {
        id: anchor(commit),
        date: commit.time.get(..10).unwrap_or_default().to_owned(),
        subject: LinkView {
            title: title(commit).to_owned(),
            href: repo_host.map(|repo_host| repo_host.commit_page(&commit.commit)),
        },
        author: commit.author.clone(),
        values,
        files: (!told.is_empty()).then(|| told.join(", ")),
        components: named,
    }
}

/// The `id` of its row on the page of recent changes.
pub fn anchor(commit: &RecentCommit) -> String {
    format!("commit-{}", short_id(&commit.commit))
}

/// What a commit is called: its subject, or else its id.
pub fn title(commit: &RecentCommit) -> &str {
    match commit.subject.as_str() {
        "" => short_id(&commit.commit),
        subject => subject,
    }
}

pub fn short_id(commit: &str) -> &str {
    commit.get(..SHOWN_OF_ID).unwrap_or(commit)
}

/// A value with the start of its digest: the rest tells nobody anything.
fn short(value: &str) -> String {
    match value.split_once("@sha256:") {
        Some((tagged, digest)) => {
            let digest = digest.get(..SHOWN_OF_DIGEST).unwrap_or(digest);
            format!("{tagged}@{digest}")
        }
        None => value.to_owned(),
    }
}

/// As much of the id of a commit as `git log --oneline` shows.
const SHOWN_OF_ID: usize = 8;

/// Enough to compare two digests by eye.
const SHOWN_OF_DIGEST: usize = 12;

impl CommitView {
    /// Whether it replaced values, or added or deleted files.
    pub fn has_changes(&self) -> bool {
        !self.values.is_empty() || self.files.is_some()
    }

    /// The commit as an item of a Markdown list.
    pub fn markdown(&self) -> String {
        let subject = link(&self.subject.title, self.subject.href.as_deref());
        let mut text = format!("{}: {subject} ({})", self.date, escaped(&self.author));
        for value in &self.values {
            let (from, to) = (code(&value.from), code(&value.to));
            text.push_str(&format!("; {} {from} → {to}", code(&value.key)));
        }
        if let Some(files) = &self.files {
            text.push_str(&format!("; {files}"));
        }
        if !self.components.is_empty() {
            let names = self.components.iter();
            let names: Vec<String> = names
                .map(|one| link(&one.title, one.href.as_deref()))
                .collect();
            text.push_str(&format!("; {}", names.join(", ")));
        }
        text
    }
}
