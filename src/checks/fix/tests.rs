//! Fixes put together, shown and written.

use std::fs;
use std::process::Command;

use super::*;
use base::Edit;

fn repo(files: &[(&str, &str)]) -> (tempfile::TempDir, Repo) {
    let directory = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let repo = Repo::open(directory.path(), &[]).unwrap();
    (directory, repo)
}

fn lines(path: &str, first: u32, count: u32, text: &str) -> Edit {
    Edit::Lines {
        path: path.into(),
        first,
        count,
        text: text.into(),
    }
}

fn fix(edits: Vec<Edit>) -> Fix {
    Fix {
        title: "fix it".into(),
        edits,
    }
}

fn create(path: &str, text: &str) -> Edit {
    Edit::Create {
        path: path.into(),
        text: text.into(),
    }
}

fn remove(path: &str) -> Edit {
    Edit::Remove { path: path.into() }
}

/// Writes the fixes, and checks that the patch does the same when `git apply` makes it.
#[track_caller]
fn written(files: &[(&str, &str)], fixes: &[Fix]) -> Vec<(String, String)> {
    let (directory, repo) = repo(files);
    let fixes: Vec<&Fix> = fixes.iter().collect();
    let plan = plan(&repo, &fixes);
    let patch = plan.patch("");
    assert!(patch.hidden.is_empty(), "{:?}", patch.hidden);
    plan.write(&repo).unwrap();
    let after = contents(directory.path());
    let (other, _) = self::repo(files);
    let file = other.path().join("the.patch");
    fs::write(&file, &patch.text).unwrap();
    let git = Command::new("git")
        .args(["apply", "the.patch"])
        .current_dir(other.path())
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&git.stderr).into_owned();
    assert!(git.status.success(), "{error}\n{}", patch.text);
    fs::remove_file(file).unwrap();
    assert_eq!(contents(other.path()), after, "{}", patch.text);
    after
}

fn contents(root: &std::path::Path) -> Vec<(String, String)> {
    let repo = Repo::open(root, &[]).unwrap();
    let files = repo.files().map(|file| {
        let bytes = fs::read(root.join(repo.path(file).as_str())).unwrap();
        (
            repo.path(file).to_string(),
            String::from_utf8(bytes).unwrap(),
        )
    });
    files.collect()
}

#[test]
fn edits_are_made_from_the_bottom_up_and_all_else_stays() {
    let text =
        "a: 1 # one\nb:   2\n\nc: 3\nd: 4\ne: 5\nf: 6\ng: 7\nh: 8\ni: 9\nj: 10\nk: 11\nl: 12\n";
    let after = written(
        &[("x/a.yaml", text)],
        &[
            fix(vec![lines("x/a.yaml", 2, 1, "b: 20\nbb: 21")]),
            fix(vec![
                lines("x/a.yaml", 14, 0, "m: 13\n"),
                lines("x/a.yaml", 1, 0, "# head"),
            ]),
            fix(vec![lines("x/a.yaml", 12, 1, "")]),
        ],
    );
    let expected = "# head\na: 1 # one\nb: 20\nbb: 21\n\nc: 3\nd: 4\ne: 5\nf: 6\ng: 7\nh: 8\ni: 9\nj: 10\nl: 12\nm: 13\n";
    assert_eq!(after, [("x/a.yaml".to_owned(), expected.to_owned())]);
}

#[test]
fn files_are_made_and_removed() {
    let after = written(
        &[("a.yaml", "a: 1\n"), ("b.yaml", "b: 1")],
        &[fix(vec![
            create("new/deep/c.yaml", "c: 1"),
            remove("b.yaml"),
            remove("a.yaml"),
        ])],
    );
    assert_eq!(after, [("new/deep/c.yaml".to_owned(), "c: 1\n".to_owned())]);
}

#[test]
fn line_ends_a_byte_order_mark_and_an_open_last_line_are_kept() {
    let crlf = written(
        &[("a.yaml", "a: 1\r\nb: 2\r\n")],
        &[fix(vec![lines("a.yaml", 2, 0, "x: 1\ny: 2\n")])],
    );
    assert_eq!(crlf[0].1, "a: 1\r\nx: 1\r\ny: 2\r\nb: 2\r\n");
    let mark = written(
        &[("a.yaml", "\u{feff}a: 1\nb: 2\n")],
        &[fix(vec![lines("a.yaml", 1, 0, "x: 1\n")])],
    );
    assert_eq!(mark[0].1, "\u{feff}x: 1\na: 1\nb: 2\n");
    let mark = written(
        &[("a.yaml", "\u{feff}a: 1\nb: 2\n")],
        &[fix(vec![lines("a.yaml", 1, 1, "x: 1\n")])],
    );
    assert_eq!(mark[0].1, "\u{feff}x: 1\nb: 2\n");
    let open = written(
        &[("a.yaml", "a: 1\nb: 2")],
        &[fix(vec![lines("a.yaml", 3, 0, "c: 3\n")])],
    );
    assert_eq!(open[0].1, "a: 1\nb: 2\nc: 3\n");
    let open = written(
        &[("a.yaml", "a: 1\nb: 2")],
        &[fix(vec![lines("a.yaml", 1, 1, "c: 3\n")])],
    );
    assert_eq!(open[0].1, "c: 3\nb: 2");
}

#[test]
fn the_same_edit_is_made_once_and_of_two_that_overlap_the_first_is() {
    let (_directory, repo) = repo(&[("a.yaml", "a: 1\nb: 2\nc: 3\n"), ("b.yaml", "b: 1\n")]);
    let first = fix(vec![lines("a.yaml", 2, 0, "wait: true\n")]);
    let same = fix(vec![
        lines("a.yaml", 2, 0, "wait: true\n"),
        lines("a.yaml", 3, 1, "c: 4\n"),
    ]);
    let other = fix(vec![
        lines("b.yaml", 1, 1, "b: 9\n"),
        lines("a.yaml", 2, 0, "other: true\n"),
    ]);
    let wide = fix(vec![lines("a.yaml", 2, 2, "x: 1\n")]);
    let plan = plan(&repo, &[&first, &same, &other, &wide]);
    assert_eq!(plan.made.len(), 2);
    assert_eq!(plan.left.len(), 2);
    assert_eq!(plan.left[0].1, FixError::Conflict("a.yaml".into()));
    assert_eq!(
        plan.patch("").text,
        "diff --git a/a.yaml b/a.yaml\n--- a/a.yaml\n+++ b/a.yaml\n@@ -1,3 +1,4 @@\n a: 1\n+wait: true\n b: 2\n-c: 3\n+c: 4\n"
    );
}

#[test]
fn nothing_outside_of_the_tree_is_touched() {
    let (directory, _) = repo(&[
        ("a.yaml", "a: 1\n"),
        (".gitignore", "ignored.yaml\n"),
        ("ignored.yaml", "x: 1\n"),
    ]);
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("o.yaml"), "o: 1\n").unwrap();
    std::os::unix::fs::symlink(outside.path(), directory.path().join("link")).unwrap();
    std::os::unix::fs::symlink("a.yaml", directory.path().join("b.yaml")).unwrap();
    let repo = Repo::open(directory.path(), &[]).unwrap();
    for edit in [
        create("../x.yaml", "x"),
        create("/tmp/x.yaml", "x"),
        create("a/../../x.yaml", "x"),
        create(".git/hooks/pre-commit", "x"),
        create("link/x.yaml", "x"),
        create("ignored.yaml", "x"),
        create("a.yaml", "x"),
        lines("link/o.yaml", 1, 1, "x"),
        lines("b.yaml", 1, 1, "x"),
        lines("a.yaml", 9, 1, "x"),
        lines("a.yaml", 0, 0, "x"),
        lines("none.yaml", 1, 0, "x"),
        remove("none.yaml"),
        remove(""),
    ] {
        let fix = fix(vec![edit]);
        let plan = plan(&repo, &[&fix]);
        assert!(plan.made.is_empty(), "{fix:?}");
        assert_eq!(plan.write(&repo).unwrap(), Vec::<String>::new());
    }
    assert_eq!(
        fs::read_to_string(outside.path().join("o.yaml")).unwrap(),
        "o: 1\n"
    );
}

#[test]
fn a_file_that_has_changed_since_is_not_written() {
    let (directory, repo) = repo(&[("a.yaml", "a: 1\n")]);
    let fix = fix(vec![lines("a.yaml", 1, 1, "a: 2\n")]);
    let plan = plan(&repo, &[&fix]);
    fs::write(directory.path().join("a.yaml"), "a: 3\n").unwrap();
    assert!(plan.write(&repo).is_err());
    assert_eq!(
        fs::read_to_string(directory.path().join("a.yaml")).unwrap(),
        "a: 3\n"
    );
}

#[test]
fn a_patch_shows_no_secret() {
    let text = "spec:\n  path: x\n  a: 1\n  password: hunter2\n  b: 2\n  c: 3\n";
    let (_directory, repo) = repo(&[("a.yaml", text)]);
    let beside = fix(vec![lines("a.yaml", 2, 0, "  wait: true\n")]);
    let shown = patch(&repo, &[&beside], "").unwrap();
    assert!(
        shown.hidden.is_empty() && !shown.text.contains("hunter2"),
        "{}",
        shown.text
    );
    for edit in [
        lines("a.yaml", 4, 1, "  password: other\n"),
        lines("a.yaml", 4, 0, "  wait: true\n"),
        lines("a.yaml", 2, 0, "  token: abcdef\n"),
        create("b.yaml", "kind: Secret\nstringData: {a: hunter2}\n"),
    ] {
        let fix = fix(vec![edit]);
        let hidden = patch(&repo, &[&fix], "").unwrap();
        assert_eq!(hidden.hidden.len(), 1, "{}", hidden.text);
        assert_eq!(hidden.text, "");
    }
}
