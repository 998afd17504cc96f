//! When each file was last changed, and by whom: one pass over the log of git, ended as soon as all is known.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Stdio;

use serde::{Deserialize, Serialize};

use super::RepoPath;
use super::git::{self, Depth, Git, Watch};
use crate::diagnostic::FileId;

/// The last change of the files that are in the commit.
#[derive(Debug, Default)]
pub struct History {
    changes: Vec<Change>,
    /// By file, an index into `changes`.
    last: Vec<Option<usize>>,
}

/// A commit that changed a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The full id of the commit.
    pub commit: String,
    /// The day on which it was committed, as `yyyy-mm-dd`.
    pub date: String,
    pub author: String,
}

impl History {
    /// None for a file that is not committed, and where a shallow clone does not reach back to its last change.
    pub fn last_change(&self, file: FileId) -> Option<&Change> {
        let change = self.last.get(file.0 as usize).copied().flatten()?;
        self.changes.get(change)
    }

    /// The last change of a file, if it came after that of another.
    pub fn later_change(&self, file: FileId, than: FileId) -> Option<&Change> {
        let at = |file: FileId| self.last.get(file.0 as usize).copied().flatten();
        // The newest change comes first.
        let (file, than) = (at(file)?, at(than)?);
        (file < than).then(|| &self.changes[file])
    }

    /// The newest change of some files.
    pub fn newest_change(&self, files: impl Iterator<Item = FileId>) -> Option<&Change> {
        let at = |file: FileId| self.last.get(file.0 as usize).copied().flatten();
        // The newest change comes first.
        self.changes.get(files.filter_map(at).min()?)
    }

    /// A history that was kept: `last` is by file, positions in `changes`, the newest of which comes first.
    pub(super) fn of(changes: Vec<Change>, last: Vec<Option<usize>>) -> History {
        History { changes, last }
    }

    pub(super) fn changes(&self) -> &[Change] {
        &self.changes
    }

    pub(super) fn position(&self, file: FileId) -> Option<usize> {
        self.last.get(file.0 as usize).copied().flatten()
    }

    /// `paths` are those of all files, sorted.
    pub(super) fn load(git: &Git, root: &Path, paths: &[&RepoPath]) -> Option<History> {
        let mut child = git::command(root)
            .args(["log", HEADER, "--name-only", "-z", "-c"])
            .args([
                "--no-renames",
                "--no-ext-diff",
                "--no-color",
                "--encoding=UTF-8",
            ])
            .args([&git.commit, "--", "."])
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let log = child.stdout.take();
        let watch = Watch::over(child);
        let history = log.map(|log| {
            let pending = committed(git, root, paths);
            follow(log, git, paths, pending)
        });
        // It may have more to tell than was needed. What came too late would differ from run to run.
        history.filter(|_| watch.stop())
    }
}

/// Starts with a slash, which no path in the log does.
const HEADER: &str = "--format=tformat:/%H|%cs|%P|%an";

/// The files whose last change is yet to be found. One that is not committed would be waited for in vain.
struct Pending {
    files: Vec<bool>,
    count: usize,
}

fn committed(git: &Git, root: &Path, paths: &[&RepoPath]) -> Pending {
    let mut command = git::command(root);
    command.args(["ls-tree", "-r", "-z", "--name-only", &git.commit]);
    let listing = git::finished(&mut command)
        .map(|output| output.stdout)
        .unwrap_or_default();
    let mut files = vec![false; paths.len()];
    for index in listing
        .split(|byte| *byte == 0)
        .filter_map(|name| position(paths, name))
    {
        files[index] = true;
    }
    let count = files.iter().filter(|pending| **pending).count();
    Pending { files, count }
}

/// Reads the log, newest commit first, until nothing is pending.
fn follow(log: impl Read, git: &Git, paths: &[&RepoPath], mut pending: Pending) -> History {
    let mut log = BufReader::new(log);
    let mut history = History {
        changes: Vec::new(),
        last: vec![None; paths.len()],
    };
    let mut commit = None;
    let mut is_first = false;
    let mut token = Vec::new();
    while pending.count > 0 {
        token.clear();
        match log.read_until(0, &mut token) {
            Ok(0) | Err(_) => break,
            Ok(_) => token.pop_if(|byte| *byte == 0),
        };
        if token.starts_with(b"/") {
            commit = header(&token, git.depth);
            is_first = true;
            continue;
        }
        // Between header and names, git puts a newline, or an empty name after a merge.
        let separator: &[u8] = if is_first { b"\n" } else { b"" };
        is_first = false;
        let name = token.strip_prefix(separator).unwrap_or(&token);
        let below_root = name.strip_prefix(git.prefix.as_bytes());
        let Some(index) = below_root.and_then(|name| position(paths, name)) else {
            continue;
        };
        if !std::mem::take(&mut pending.files[index]) {
            continue;
        }
        pending.count -= 1;
        if let Some(change) = &commit {
            if history.changes.last() != Some(change) {
                history.changes.push(change.clone());
            }
            history.last[index] = Some(history.changes.len() - 1);
        }
    }
    history
}

/// The commit that a header tells of; none when what it changed cannot be known.
fn header(token: &[u8], depth: Depth) -> Option<Change> {
    let text = String::from_utf8_lossy(token);
    let mut fields = text.strip_prefix('/')?.splitn(4, '|');
    let (commit, date) = (fields.next()?, fields.next()?);
    let (parents, author) = (fields.next()?, fields.next()?);
    // Where a shallow clone ends, every file looks as if it were new.
    let is_end = depth == Depth::Shallow && parents.is_empty();
    let is_date = date.len() == 10 && date.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    (is_date && !is_end).then(|| Change {
        commit: commit.to_string(),
        date: date.to_string(),
        author: author.to_string(),
    })
}

fn position(paths: &[&RepoPath], name: &[u8]) -> Option<usize> {
    let by_bytes = |path: &&RepoPath| path.as_str().as_bytes().cmp(name);
    paths.binary_search_by(by_bytes).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::super::{GitUse, Repo};
    use super::*;

    /// Runs git in a directory with a fixed author and date; none where there is no git.
    fn git(dir: &Path, date: &str, args: &[&str]) -> Option<()> {
        let status = Command::new("git")
            .current_dir(dir)
            .args([
                "-c",
                "user.name=Ann Other",
                "-c",
                "user.email=ann@example.org",
            ])
            .args([
                "-c",
                "commit.gpgSign=false",
                "-c",
                "protocol.file.allow=always",
            ])
            .args(args)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_AUTHOR_DATE", format!("{date}T12:00:00Z"))
            .env("GIT_COMMITTER_DATE", format!("{date}T12:00:00Z"))
            .env_remove("GIT_DIR")
            .env_remove("GIT_INDEX_FILE")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .ok()?;
        assert!(status.success(), "git {args:?}");
        Some(())
    }

    fn commit(dir: &Path, date: &str, files: &[(&str, &str)]) {
        for (path, text) in files {
            let path = dir.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        git(dir, date, &["add", "-A"]).unwrap();
        git(dir, date, &["commit", "-q", "--allow-empty", "-m", date]).unwrap();
    }

    fn dates(repo: &Repo) -> Vec<(&str, Option<&str>)> {
        let history = repo.history().unwrap();
        let date = |id| history.last_change(id).map(|change| change.date.as_str());
        repo.files()
            .map(|id| (repo.path(id).as_str(), date(id)))
            .collect()
    }

    #[test]
    fn every_committed_file_has_its_last_change() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        if git(root, "2026-01-01", &["init", "-q", "-b", "main"]).is_none() {
            return;
        }
        assert!(
            Repo::open(root, &[]).unwrap().git().is_none(),
            "no commit yet"
        );
        let odd = "apps/\u{e9} x\ny.yaml";
        commit(
            root,
            "2026-01-02",
            &[("a.yaml", "1"), (odd, "1"), ("\nb", "1")],
        );
        commit(root, "2026-01-03", &[]);
        git(root, "2026-01-04", &["checkout", "-q", "-b", "side"]).unwrap();
        commit(root, "2026-01-04", &[("side.yaml", "1")]);
        git(root, "2026-01-05", &["checkout", "-q", "main"]).unwrap();
        commit(root, "2026-01-05", &[("a.yaml", "2")]);
        git(root, "2026-01-06", &["merge", "-q", "--no-commit", "side"]).unwrap();
        commit(root, "2026-01-06", &[("merge.yaml", "1")]);
        let url = "https://me:secret@example.org/a/b.git";
        git(root, "2026-01-06", &["remote", "add", "origin", url]).unwrap();
        fs::write(root.join("new.yaml"), "1").unwrap();

        let repo = Repo::open(root, &[]).unwrap();
        let facts = repo.git().unwrap();
        assert_eq!(facts.commit.len(), 40);
        assert_eq!(facts.branch.as_deref(), Some("main"));
        assert_eq!(facts.remote.as_deref(), Some("https://example.org/a/b"));
        assert_eq!(
            dates(&repo),
            [
                ("\nb", Some("2026-01-02")),
                ("a.yaml", Some("2026-01-05")),
                (odd, Some("2026-01-02")),
                ("merge.yaml", Some("2026-01-06")),
                ("new.yaml", None),
                ("side.yaml", Some("2026-01-04")),
            ]
        );
        let named = |path: &str| repo.file(&RepoPath::new(path).unwrap()).unwrap();
        let later = |file, than| {
            let history = repo.history().unwrap();
            history.later_change(named(file), named(than)).is_some()
        };
        assert!(later("a.yaml", "side.yaml") && !later("side.yaml", "a.yaml"));
        assert!(!later("a.yaml", "a.yaml") && !later("a.yaml", "new.yaml"));
        let merge = named("merge.yaml");
        let change = repo.history().unwrap().last_change(merge).unwrap();
        assert_eq!(
            (change.author.as_str(), &change.commit),
            ("Ann Other", &facts.commit)
        );

        git(root, "2026-01-06", &["checkout", "-q", "--detach"]).unwrap();
        let detached = Repo::open(root, &[]).unwrap();
        assert_eq!(detached.git().unwrap().branch, None);
    }

    #[test]
    fn a_subdirectory_has_the_facts_of_its_work_tree_if_it_is_part_of_it() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        if git(root, "2026-01-01", &["init", "-q"]).is_none() {
            return;
        }
        let files = [
            ("content/apps/a.yaml", "1"),
            ("b", "1"),
            (".gitignore", "*.tmp"),
        ];
        commit(root, "2026-01-02", &files);
        commit(root, "2026-01-03", &[("b", "2")]);
        fs::write(root.join("content/x.tmp"), "").unwrap();
        let repo = Repo::open(&root.join("content"), &[]).unwrap();
        assert_eq!(repo.git().unwrap().prefix, "content/");
        assert_eq!(dates(&repo), [("apps/a.yaml", Some("2026-01-02"))]);

        fs::create_dir(root.join("scratch")).unwrap();
        fs::write(root.join("scratch/x.tmp"), "").unwrap();
        let scratch = Repo::open(&root.join("scratch"), &[]).unwrap();
        assert!(scratch.git().is_none() && scratch.history().is_none());
        assert_eq!(scratch.files().len(), 1);
    }

    #[test]
    fn without_git_the_same_files_are_read_and_nothing_is_asked() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        if git(root, "2026-01-01", &["init", "-q"]).is_none() {
            return;
        }
        let files = [("content/a.yaml", "1"), (".gitignore", "*.tmp.yaml")];
        commit(root, "2026-01-02", &files);
        fs::write(root.join("content/b.tmp.yaml"), "1").unwrap();
        let content = root.join("content");
        let asked = Repo::open_with(&content, &[], GitUse::Read).unwrap();
        let skipped = Repo::open_with(&content, &[], GitUse::Skip).unwrap();
        assert!(asked.git().is_some() && asked.findings().is_empty());
        assert!(skipped.git().is_none() && skipped.history().is_none());
        let paths = |repo: &Repo| -> Vec<String> {
            let files = repo.files();
            files.map(|id| repo.path(id).to_string()).collect()
        };
        assert_eq!(paths(&asked), ["a.yaml"]);
        assert_eq!(paths(&skipped), ["a.yaml"]);
        let [finding] = skipped.findings() else {
            panic!("{:?}", skipped.findings());
        };
        assert_eq!(finding.rule, "file-ignored");
        assert!(finding.message.contains("`b.tmp.yaml`"), "{finding:?}");
        assert!(finding.help.as_deref().unwrap().contains("--no-git"));
    }

    #[test]
    fn where_a_shallow_clone_ends_nothing_is_guessed() {
        let dir = tempfile::tempdir().unwrap();
        let origin = dir.path().join("origin");
        fs::create_dir(&origin).unwrap();
        if git(&origin, "2026-01-01", &["init", "-q"]).is_none() {
            return;
        }
        commit(&origin, "2026-01-02", &[("a", "1")]);
        commit(&origin, "2026-01-03", &[("b", "1")]);
        commit(&origin, "2026-01-04", &[("c", "1")]);
        let url = format!("file://{}", origin.display());
        let clone = ["clone", "-q", "--depth", "2", &url, "clone"];
        git(dir.path(), "2026-01-05", &clone).unwrap();
        let repo = Repo::open(&dir.path().join("clone"), &[]).unwrap();
        assert_eq!(repo.git().unwrap().remote, None);
        assert_eq!(
            dates(&repo),
            [("a", None), ("b", None), ("c", Some("2026-01-04"))]
        );
    }
}
