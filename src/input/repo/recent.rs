//! The newest commits, with the files and the values that each of them changed: versions, images, replicas and other
//! keys whose values can be published.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Stdio;

use serde::{Deserialize, Serialize};

use super::git::{self, Depth, Git, Watch};

/// A commit, and what it changed in the repo.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecentCommit {
    /// The full id.
    pub commit: String,
    /// When it was committed, in the form of RFC 3339.
    pub time: String,
    pub author: String,
    /// The first line of its message, without secrets.
    pub subject: String,
    pub files: Vec<ChangedFile>,
    /// Files that it changed beyond those in `files`.
    pub more_files: usize,
}

/// A file that a commit changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChangedFile {
    /// From the root of the repo.
    pub path: String,
    pub how: FileChange,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<ChangedValue>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileChange {
    Added,
    Deleted,
    #[default]
    Modified,
}

/// A value that a commit replaced.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChangedValue {
    pub key: String,
    pub from: String,
    pub to: String,
}

const MOST_COMMITS: usize = 300;
/// Output of git that is read; commits beyond are left out.
const MOST_BYTES: u64 = 8 * 1024 * 1024;
/// A longer line is skipped: no value in it can be shown.
const LONGEST_LINE: usize = 2_000;
const LONGEST_VALUE: usize = 240;
const LONGEST_SUBJECT: usize = 300;
const MOST_FILES: usize = 200;
/// Values per file.
const MOST_VALUES: usize = 12;

/// Starts a line that describes a commit. No line of a patch starts with it.
const START: &str = "\u{1}commit ";
const SEPARATOR: char = '\u{1f}';

/// The newest commits that changed files of the repo, newest first. Empty without git.
pub fn recent(git: &Git, root: &Path) -> Vec<RecentCommit> {
    read(git, root).unwrap_or_default()
}

fn read(git: &Git, root: &Path) -> Option<Vec<RecentCommit>> {
    let format =
        format!("--format={START}%H{SEPARATOR}%P{SEPARATOR}%cI{SEPARATOR}%an{SEPARATOR}%s");
    let mut child = git::command(root)
        .args(["-c", "core.quotePath=false", "-c", "diff.noprefix=false"])
        .args(["-c", "diff.mnemonicPrefix=false"])
        .args([
            "log",
            "--no-merges",
            "--unified=0",
            "--no-renames",
            "--patch",
        ])
        .args(["--no-ext-diff", "--no-textconv", "--no-color", "--relative"])
        .args(["--encoding=UTF-8", &format!("--max-count={MOST_COMMITS}")])
        .args([&format, &git.commit, "--", "."])
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let printed = child.stdout.take()?;
    let watch = Watch::over(child);
    let mut reader = PatchReader::new(git.depth);
    let mut lines = BufReader::new(printed.take(MOST_BYTES));
    let mut line = Vec::new();
    let mut bytes = 0;
    loop {
        line.clear();
        match lines.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(length) => bytes += length as u64,
        }
        let text = String::from_utf8_lossy(&line);
        reader.take(text.trim_end_matches(['\n', '\r']));
    }
    watch.stop();
    let is_cut = bytes >= MOST_BYTES;
    Some(reader.finish(is_cut))
}

/// Reads the output of `git log --patch` line by line.
struct PatchReader {
    depth: Depth,
    commits: Vec<RecentCommit>,
    /// The commit that is read has no parent, so its patch lists everything.
    is_first: bool,
    /// Lines of the hunk that are still to come.
    removed_left: usize,
    added_left: usize,
    /// Values that the hunk removes.
    removed: Vec<(String, String)>,
}

impl PatchReader {
    fn new(depth: Depth) -> PatchReader {
        PatchReader {
            depth,
            commits: Vec::new(),
            is_first: false,
            removed_left: 0,
            added_left: 0,
            removed: Vec::new(),
        }
    }

    fn take(&mut self, line: &str) {
        if self.removed_left + self.added_left > 0 {
            match line.as_bytes().first() {
                Some(b'-') => {
                    self.removed_left = self.removed_left.saturating_sub(1);
                    if let Some(stated) = value(&line[1..]) {
                        self.removed.push(stated);
                    }
                }
                Some(b'+') => {
                    self.added_left = self.added_left.saturating_sub(1);
                    self.added(&line[1..]);
                }
                _ => {}
            }
            return;
        }
        if let Some(header) = line.strip_prefix(START) {
            self.commit(header);
        } else if let Some(counts) = line.strip_prefix("@@ ") {
            self.hunk(counts);
        } else if let Some(paths) = line.strip_prefix("diff --git a/") {
            self.file(paths);
        } else if line.starts_with("new file mode") {
            self.set(FileChange::Added);
        } else if line.starts_with("deleted file mode") {
            self.set(FileChange::Deleted);
        }
    }

    fn commit(&mut self, header: &str) {
        let mut fields = header.splitn(5, SEPARATOR);
        let mut next = || fields.next().unwrap_or_default().to_owned();
        let (commit, parents, time, author, subject) = (next(), next(), next(), next(), next());
        self.is_first = parents.is_empty();
        if !git::is_id(&commit) || !is_time(&time) {
            return;
        }
        self.commits.push(RecentCommit {
            commit,
            time,
            author: plain(&author),
            subject: published(&subject),
            ..RecentCommit::default()
        });
    }

    /// The file that the next hunks change: `path b/path`.
    fn file(&mut self, paths: &str) {
        let Some(commit) = self.commits.last_mut() else {
            return;
        };
        // Without renames, both paths are the same.
        let length = paths.len().saturating_sub(" b/".len()) / 2;
        let path = paths.get(..length).unwrap_or_default();
        if path.is_empty() || paths.get(length..) != Some(&format!(" b/{path}")) {
            commit.more_files += 1;
            return;
        }
        if commit.files.len() >= MOST_FILES {
            commit.more_files += 1;
            return;
        }
        commit.files.push(ChangedFile {
            path: path.to_owned(),
            ..ChangedFile::default()
        });
    }

    fn set(&mut self, how: FileChange) {
        let file = self.commits.last_mut().and_then(|it| it.files.last_mut());
        if let Some(file) = file {
            file.how = how;
        }
    }

    /// `-12,3 +12,4 @@ …`: how many lines follow.
    fn hunk(&mut self, counts: &str) {
        let mut counts = counts.split(' ').map(|range| {
            let count = range.split_once(',').map_or("1", |(_, count)| count);
            count.parse().unwrap_or(0)
        });
        self.removed_left = counts.next().unwrap_or(0);
        self.added_left = counts.next().unwrap_or(0);
        self.removed.clear();
    }

    /// A line that is added: if it states another value for a key that the hunk removes, the value changed.
    fn added(&mut self, line: &str) {
        let Some((key, to)) = value(line) else {
            return;
        };
        let same = |(known, _): &(String, String)| *known == key;
        let Some(at) = self.removed.iter().position(same) else {
            return;
        };
        let (_, from) = self.removed.remove(at);
        let commit = self
            .commits
            .last_mut()
            .filter(|commit| commit.more_files == 0);
        let file = commit.and_then(|commit| commit.files.last_mut());
        if let Some(file) = file.filter(|file| file.values.len() < MOST_VALUES && from != to) {
            file.values.push(ChangedValue { key, from, to });
        }
    }

    /// The last commit is incomplete if the output was cut. The first one of a shallow clone does not say what it changed.
    fn finish(mut self, is_cut: bool) -> Vec<RecentCommit> {
        if is_cut || self.is_first && self.depth == Depth::Shallow {
            self.commits.pop();
        }
        self.commits
    }
}

/// Keys whose values say nothing secret; others are not published.
const PUBLIC: &[&str] = &[
    "version",
    "tag",
    "newtag",
    "image",
    "repository",
    "replicas",
    "replicacount",
    "minreplicas",
    "maxreplicas",
    "targetrevision",
    "semver",
    "branch",
    "suspend",
    "enabled",
    "chart",
    "appversion",
    "storage",
    "size",
    "cpu",
    "memory",
    "interval",
];

/// The key and the value that a line of YAML, TOML or an env file states, if the value may be shown.
fn value(line: &str) -> Option<(String, String)> {
    if line.len() > LONGEST_LINE {
        return None;
    }
    let line = line.trim().trim_start_matches("- ");
    let end = line.find([':', '='])?;
    let key = line[..end].trim().trim_matches(['"', '\'']);
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if key.is_empty() || !key.chars().all(name) {
        return None;
    }
    let is_public = |word: &str| PUBLIC.contains(&word.to_ascii_lowercase().as_str());
    let is_environment = key.chars().all(|c| !c.is_ascii_lowercase());
    let last = key.rsplit(['_', '.']).next().unwrap_or(key);
    let has_public_name = is_public(key) || is_environment && is_public(last);
    if !has_public_name {
        return None;
    }
    let text = line[end + 1..].trim();
    let text = text.split(" #").next().unwrap_or(text).trim();
    let text = text.trim_matches(['"', '\'']);
    let is_shown = !text.is_empty()
        && text.len() <= LONGEST_VALUE
        && !text.starts_with(['{', '[', '&', '*', '|', '>', '!'])
        && !text.starts_with("ENC[")
        // Several words are prose.
        && !text.contains(|c: char| c.is_whitespace() || c.is_control())
        && secret::shown(key, text).is_none()
        && secret::look::published(text) == text;
    is_shown.then(|| (key.to_owned(), text.to_owned()))
}

/// The first line of a message, without secrets.
pub(super) fn published(subject: &str) -> String {
    secret::look::published(&plain(subject)).into_owned()
}

/// A text of one line without control characters.
pub(super) fn plain(text: &str) -> String {
    let text = text.chars().filter(|c| !c.is_control());
    text.take(LONGEST_SUBJECT).collect()
}

/// Whether a text is a time as git prints it: `2026-01-02T03:04:05+01:00`.
fn is_time(text: &str) -> bool {
    let form = "dddd-dd-ddTdd:dd:dd";
    let fits = |(c, form): (char, char)| match form {
        'd' => c.is_ascii_digit(),
        other => c == other,
    };
    let rest = text.get(form.len()..).unwrap_or("?");
    text.len() >= form.len()
        && text.chars().zip(form.chars()).all(fits)
        && rest
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '+' | '-' | ':' | 'Z'))
}

/// Commits of a record, which is a file like any other: what it holds is looked at as if git had said it.
pub(super) fn recorded(commits: &[RecentCommit]) -> Vec<RecentCommit> {
    let commits = commits.iter().take(MOST_COMMITS);
    let commits = commits.filter(|one| git::is_id(&one.commit) && is_time(&one.time));
    commits.cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "\u{1}commit 0123456789012345678901234567890123456789\u{1f}aa\u{1f}2026-01-02T03:04:05+01:00\u{1f}Ann\u{1f}Update the shop
diff --git a/apps/shop/release.yaml b/apps/shop/release.yaml
index 1..2 100644
--- a/apps/shop/release.yaml
+++ b/apps/shop/release.yaml
@@ -7 +7 @@ spec:
-      version: 1.2.3
+      version: \"1.3.0\" # renovate
@@ -12,3 +12,4 @@
-    replicas: 2
-    password: hunter2
---- a/looks/like/a/file
+    replicas: 3
+    password: hunter3
++++ b/looks/like/a/file
+    host: new
diff --git a/apps/shop/new file.yaml b/apps/shop/new file.yaml
new file mode 100644
@@ -0,0 +1 @@
+version: 1
\u{1}commit 1123456789012345678901234567890123456789\u{1f}\u{1f}2026-01-01T03:04:05Z\u{1f}Bo\u{1f}Start
diff --git a/old.yaml b/old.yaml
deleted file mode 100644
";

    fn read_patch(depth: Depth, patch: &str) -> Vec<RecentCommit> {
        let mut reader = PatchReader::new(depth);
        patch.lines().for_each(|line| reader.take(line));
        reader.finish(false)
    }

    #[test]
    fn values_that_a_commit_replaces_are_told_from_secrets() {
        let commits = read_patch(Depth::Full, PATCH);
        assert_eq!(commits.len(), 2);
        let first = &commits[0];
        assert_eq!(
            (first.author.as_str(), first.subject.as_str()),
            ("Ann", "Update the shop")
        );
        assert_eq!(first.files.len(), 2);
        let told: Vec<String> = first.files[0]
            .values
            .iter()
            .map(|value| format!("{} {} → {}", value.key, value.from, value.to))
            .collect();
        assert_eq!(told, ["version 1.2.3 → 1.3.0", "replicas 2 → 3"]);
        assert_eq!(first.files[1].path, "apps/shop/new file.yaml");
        assert_eq!(first.files[1].how, FileChange::Added);
        assert_eq!(commits[1].files[0].how, FileChange::Deleted);
    }

    #[test]
    fn the_first_commit_of_a_shallow_clone_is_left_out() {
        assert_eq!(read_patch(Depth::Shallow, PATCH).len(), 1);
    }

    #[test]
    fn only_values_that_can_be_published_are_shown() {
        let shown = |line: &str| value(line).map(|(key, value)| format!("{key}={value}"));
        assert_eq!(shown("  - tag: v1 # pinned").as_deref(), Some("tag=v1"));
        assert_eq!(
            shown("SHOP_VERSION=1.2").as_deref(),
            Some("SHOP_VERSION=1.2")
        );
        for line in [
            "token: abc",
            "version: ENC[AES256_GCM,data:abc]",
            "data: aGVsbG8=",
            "image: https://user:pass1234word@example.org/a",
            "version: |",
            "not a pair",
            "- repository: ask whoever is on call",
            "version:",
        ] {
            assert_eq!(shown(line), None, "{line}");
        }
    }
}
