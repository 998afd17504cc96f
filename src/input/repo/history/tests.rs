//! The last change of each file, asked of real repositories.

mod cached;
mod random;

use std::fs;
use std::process::{Command, Stdio};

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
    let date = |id| match history.last_change(id)? {
        LastChange::In(change) => Some(change.date.as_str()),
        LastChange::Before(_) => panic!("the history is short"),
    };
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
    let last = repo.history().unwrap().last_change(merge);
    let Some(LastChange::In(change)) = last else {
        panic!("{last:?}");
    };
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

/// The git facts of a commit in a repository that need not have it checked out.
fn at_commit(root: &Path, name: &str, prefix: &str) -> Git {
    Git {
        commit: printed(root, &["rev-parse", name]).trim().to_owned(),
        branch: None,
        remote: None,
        prefix: prefix.to_owned(),
        depth: Depth::Full,
    }
}

fn printed(root: &Path, args: &[&str]) -> String {
    let output = Command::new("git").arg("-C").arg(root).args(args).output();
    String::from_utf8(output.unwrap().stdout).unwrap()
}

/// Limits of a window, under which everything is cached.
fn limited_to(commits: usize) -> WalkLimits {
    WalkLimits {
        commits,
        bytes: LIMITS.bytes,
        cached_from: 1,
    }
}

/// Some days with a commit each; `old` is changed in none but the first.
fn days(root: &Path) -> Option<()> {
    git(root, "2026-01-01", &["init", "-q", "-b", "main"])?;
    commit(
        root,
        "2026-01-01",
        &[("old", "1"), ("older", "1"), ("d/a", "1")],
    );
    for day in 2..=6 {
        commit(
            root,
            &format!("2026-01-{day:02}"),
            &[("b", &day.to_string())],
        );
    }
    Some(())
}

#[test]
fn a_file_older_than_the_window_was_changed_before_a_day() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    if days(root).is_none() {
        return;
    }
    fs::write(root.join("new"), "").unwrap();
    let head = at_commit(root, "HEAD", "");
    let answer = last_changes(&head, root, &limited_to(3), None).unwrap();
    // The newest commit beyond the window was made on the 3rd, at noon in Greenwich and on the 4th farther east.
    assert_eq!(answer.before.as_deref(), Some("2026-01-05"));
    let paths = ["b", "new", "old", "older"].map(|path| RepoPath::new(path).unwrap());
    let history = History::from_answer(answer, &paths.iter().collect::<Vec<_>>());
    let [b, new, old, older] = [0, 1, 2, 3].map(FileId);
    assert_eq!(history.last_change(new), None);
    let before = Some(LastChange::Before("2026-01-05"));
    assert_eq!(history.last_change(old), before);
    assert_eq!(history.newest_change([old, older, new].into_iter()), before);
    let newest = history.newest_change([old, b].into_iter());
    let Some(LastChange::In(change)) = newest else {
        panic!("{newest:?}");
    };
    assert_eq!(change.date, "2026-01-06");
    // A change inside the window is later than one outside. The order of two outside is unknown.
    assert_eq!(history.later_change(b, old), Some(change));
    assert_eq!(history.later_change(old, b), None);
    assert_eq!(history.later_change(old, older), None);
}

#[test]
fn a_window_that_holds_all_commits_has_no_end() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    if days(root).is_none() {
        return;
    }
    let head = at_commit(root, "HEAD", "");
    let all = last_changes(&head, root, &limited_to(6), None).unwrap();
    assert_eq!((all.before, all.files.len()), (None, 4));
    let most = last_changes(&head, root, &limited_to(5), None).unwrap();
    assert!(most.before.is_some());
}

#[test]
fn commits_elsewhere_count_in_the_window_of_a_subdirectory() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    if days(root).is_none() {
        return;
    }
    let head = at_commit(root, "HEAD", "d/");
    let inside = root.join("d");
    let few = last_changes(&head, &inside, &limited_to(5), None).unwrap();
    assert_eq!(few.files, [("a".to_owned(), Last::Before)]);
    let all = last_changes(&head, &inside, &limited_to(6), None).unwrap();
    assert_eq!(all.files, [("a".to_owned(), Last::Change(0))]);
    assert_eq!(all.changes[0].date, "2026-01-01");
}

#[test]
fn a_commit_of_too_many_files_ends_the_window() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    if days(root).is_none() {
        return;
    }
    let names: Vec<String> = (0..20).map(|number| format!("many/{number}")).collect();
    let many: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "1")).collect();
    commit(root, "2026-01-07", &many);
    commit(root, "2026-01-08", &[("b", "8")]);
    let limits = WalkLimits {
        bytes: 400,
        ..limited_to(100)
    };
    let answer = last_changes(&at_commit(root, "HEAD", ""), root, &limits, None).unwrap();
    assert_eq!(answer.before.as_deref(), Some("2026-01-09"));
    let changed: Vec<&str> = answer
        .files
        .iter()
        .filter(|file| file.1 != Last::Before)
        .map(|file| file.0.as_str())
        .collect();
    assert_eq!(changed, ["b"]);
}

#[test]
fn objects_that_one_clone_replaces_are_the_same_for_all() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    if days(root).is_none() {
        return;
    }
    let head = at_commit(root, "HEAD", "");
    let plain = last_changes(&head, root, &limited_to(100), None).unwrap();
    git(
        root,
        "2026-01-07",
        &["replace", "--graft", "HEAD", "HEAD~4"],
    )
    .unwrap();
    fs::create_dir_all(root.join(".git/info")).unwrap();
    let graft = printed(root, &["rev-parse", "HEAD~1"]);
    fs::write(root.join(".git/info/grafts"), graft).unwrap();
    let replaced = last_changes(&head, root, &limited_to(100), None).unwrap();
    assert_eq!(plain, replaced);
}

#[test]
fn a_day_is_over_everywhere_before_the_day_that_is_named() {
    let noon = |days: u64| days * SECONDS_PER_DAY + SECONDS_PER_DAY / 2;
    assert_eq!(day_after(0).as_deref(), Some("1970-01-02"));
    assert_eq!(day_after(noon(0)).as_deref(), Some("1970-01-03"));
    assert_eq!(day_after(noon(19_781)).as_deref(), Some("2024-03-01"));
    assert_eq!(day_after(noon(20_454)).as_deref(), Some("2026-01-03"));
    assert_eq!(day_after(u64::MAX), None);
    assert_eq!(day_after(u64::MAX / 2), None);
}
