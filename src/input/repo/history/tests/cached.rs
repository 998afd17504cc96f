//! The cache file: what is wrong with it never shows.

use super::*;
use system::cache::{resolved, user_directory};

fn answer(root: &Path, commit: &str, cache: Option<&Cache>) -> LastChanges {
    let git = at_commit(root, commit, "");
    last_changes(&git, root, &limited_to(4), cache).unwrap()
}

/// A repository with a cache of its second newest commit, and the file of that.
fn warm() -> Option<(tempfile::TempDir, Cache, std::path::PathBuf)> {
    let dir = tempfile::tempdir().unwrap();
    let repo = dir.path().join("repo");
    fs::create_dir(&repo).unwrap();
    days(&repo)?;
    let cache = Cache::new(dir.path().join("cache/history"), &repo, "", &limited_to(4));
    answer(&repo, "HEAD~1", Some(&cache));
    let mut files = fs::read_dir(dir.path().join("cache/history")).unwrap();
    let file = files.next().unwrap().unwrap().path();
    assert!(files.next().is_none(), "no temporary file is left");
    Some((dir, cache, file))
}

#[test]
fn git_is_not_asked_for_what_is_cached() {
    let Some((dir, cache, _)) = warm() else {
        return;
    };
    let repo = dir.path().join("repo");
    let newer = answer(&repo, "HEAD", None);
    // Without the objects of older commits, only a walk that stops at what is known succeeds.
    let old = at_commit(&repo, "HEAD~2", "").commit;
    let head = at_commit(&repo, "HEAD", "");
    let object = format!(".git/objects/{}/{}", &old[..2], &old[2..]);
    fs::remove_file(repo.join(object)).unwrap();
    let continued = last_changes(&head, &repo, &limited_to(4), Some(&cache));
    assert_eq!(continued, Some(newer));
}

#[test]
fn a_broken_file_is_ignored_and_replaced() {
    let Some((dir, cache, file)) = warm() else {
        return;
    };
    let repo = dir.path().join("repo");
    let expected = [answer(&repo, "HEAD~1", None), answer(&repo, "HEAD", None)];
    let good = fs::read(&file).unwrap();
    let mut broken = vec![
        Vec::new(),
        b"catalog-history-0 1 2 3\n".to_vec(),
        vec![0; 4096],
    ];
    for place in (0..good.len()).step_by(7) {
        broken.push(good[..place].to_vec());
        let mut flipped = good.clone();
        flipped[place] ^= 1;
        broken.push(flipped);
    }
    for bytes in broken.iter().step_by(3) {
        for (commit, expected) in ["HEAD~1", "HEAD"].iter().zip(&expected) {
            fs::write(&file, bytes).unwrap();
            assert_eq!(answer(&repo, commit, Some(&cache)), *expected);
            assert_eq!(cache.read().unwrap().answer, *expected, "it is whole again");
        }
    }
}

#[test]
fn what_has_the_right_digest_may_still_be_wrong() {
    use encoding::{decode_answer, decode_commits};
    let id = "a".repeat(40);
    // A bar stands for the NUL byte that terminates a text.
    let bytes = |text: &String| text.replace('|', "\0").into_bytes();
    let answers = [
        format!("{id}||1|{id}|2026-01-01|Ann|a|0|"),
        format!("{id}||0|a|0|"),
        format!("{id}||0|a||"),
        format!("{id}|<b>|0|a||"),
        format!("{id}||1|../../x|2026-01-01|Ann|a|0|"),
        format!("{id}||1|{id}|yesterday|Ann|a|0|"),
        format!("{id}||99999999999|{id}|"),
        format!("{id}|2026-01-01|0|b||a||"),
        format!("{id}||-1|"),
    ];
    let decoded: Vec<bool> = answers
        .iter()
        .map(|answer| decode_answer(&bytes(answer)).is_some())
        .collect();
    assert!(decoded[0] && !decoded[1..].contains(&true), "{decoded:?}");
    let commits = [
        format!("7|2|{id}|x|0|5|1|1||1|"),
        format!("7|2|{id}|x|0|5|1|1|9|1|"),
        format!("7|2|{id}|x|0|5|1|1||9|"),
        format!("7|2|{id}|x|1|5|1|1||1|"),
        format!("7|2|{id}|{id}|0|5|1|1||1|"),
        format!("7|4000000000|{id}|"),
        "x|0|".to_owned(),
    ];
    let decoded: Vec<bool> = commits
        .iter()
        .map(|commits| decode_commits(&bytes(commits)).is_some())
        .collect();
    assert!(decoded[0] && !decoded[1..].contains(&true), "{decoded:?}");
}

#[test]
fn a_cache_that_cannot_be_written_is_done_without() {
    let Some((dir, _, file)) = warm() else {
        return;
    };
    let repo = dir.path().join("repo");
    let expected = answer(&repo, "HEAD", None);
    // A file is where the directory should be.
    let nowhere = Cache::new(file.join("history"), &repo, "", &limited_to(4));
    assert_eq!(answer(&repo, "HEAD", Some(&nowhere)), expected);
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    let cache = Cache::new(dir.path().join("cache/history"), &repo, "", &limited_to(4));
    assert_eq!(answer(&repo, "HEAD", Some(&cache)), expected);
    assert!(file.is_dir());
    assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_cache_is_private_and_follows_no_link() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let Some((dir, cache, file)) = warm() else {
        return;
    };
    let repo = dir.path().join("repo");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&file), 0o600);
    assert_eq!(mode(file.parent().unwrap()), 0o700);
    let elsewhere = dir.path().join("elsewhere");
    fs::rename(&file, &elsewhere).unwrap();
    let kept = fs::read(&elsewhere).unwrap();
    symlink(&elsewhere, &file).unwrap();
    assert!(cache.read().is_none());
    answer(&repo, "HEAD", Some(&cache));
    assert!(fs::symlink_metadata(&file).unwrap().is_file());
    assert_eq!(fs::read(&elsewhere).unwrap(), kept);

    let moved = dir.path().join("moved");
    fs::rename(dir.path().join("cache/history"), &moved).unwrap();
    symlink(&moved, dir.path().join("cache/history")).unwrap();
    let before = fs::read_dir(&moved).unwrap().count();
    assert!(cache.read().is_none());
    answer(&repo, "HEAD~1", Some(&cache));
    assert_eq!(fs::read_dir(&moved).unwrap().count(), before);
}

#[test]
fn the_repository_itself_holds_no_cache() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    if days(&root).is_none() {
        return;
    }
    let git = at_commit(&root, "HEAD", "d/");
    let inside = |caches: &Path| Cache::below(caches, &git, &root.join("d"), &LIMITS).is_none();
    assert!(inside(&root.join(".cache/catalog")));
    assert!(inside(&root.join(".git/x")));
    assert!(inside(&root.join("d")));
    assert!(!inside(&root.parent().unwrap().join("caches")));
    assert!(!root.join(".cache").exists());
    #[cfg(unix)]
    {
        let outside = tempfile::tempdir().unwrap();
        let link = outside.path().join("link");
        std::os::unix::fs::symlink(&root, &link).unwrap();
        assert!(inside(&link.join("caches")));
    }
}

#[test]
fn a_shallow_clone_is_not_cached() {
    let Some((dir, cache, file)) = warm() else {
        return;
    };
    let repo = dir.path().join("repo");
    let written = fs::read(&file).unwrap();
    let git = Git {
        depth: Depth::Shallow,
        ..at_commit(&repo, "HEAD", "")
    };
    last_changes(&git, &repo, &limited_to(4), Some(&cache)).unwrap();
    assert_eq!(fs::read(&file).unwrap(), written);
}

#[test]
fn a_short_history_is_not_cached() {
    let Some((dir, _, _)) = warm() else {
        return;
    };
    let repo = dir.path().join("repo");
    let limits = WalkLimits {
        cached_from: 7,
        ..limited_to(100)
    };
    let place = dir.path().join("short");
    let cache = Cache::new(place.clone(), &repo, "", &limits);
    last_changes(&at_commit(&repo, "HEAD", ""), &repo, &limits, Some(&cache)).unwrap();
    assert!(!place.exists());
}

#[test]
fn old_files_go_when_there_are_too_many() {
    let Some((dir, cache, file)) = warm() else {
        return;
    };
    let place = file.parent().unwrap();
    for number in 0..100 {
        fs::write(place.join(format!("{number:064}.history")), "x").unwrap();
    }
    fs::write(place.join("notes.txt"), "mine").unwrap();
    answer(&dir.path().join("repo"), "HEAD", Some(&cache));
    assert_eq!(fs::read_dir(place).unwrap().count(), 64 + 1);
    assert!(file.exists() && place.join("notes.txt").exists());
}

#[test]
fn the_user_says_where_the_cache_is() {
    let of = |variables: &[(&str, &str)]| {
        let found = |name: &str| variables.iter().find(|one| one.0 == name);
        user_directory(|name| found(name).map(|one| one.1.into()))
    };
    let is = |path: &str| Some(std::path::PathBuf::from(path));
    let home = ("HOME", "/home/ann");
    assert_eq!(of(&[("CATALOG_CACHE_DIR", "/x"), home]), is("/x"));
    assert_eq!(of(&[("CATALOG_CACHE_DIR", ""), home]), None);
    assert_eq!(of(&[]), None);
    if cfg!(target_os = "linux") {
        assert_eq!(of(&[home]), is("/home/ann/.cache/catalog"));
        let xdg = ("XDG_CACHE_HOME", "/c");
        assert_eq!(of(&[xdg, home]), is("/c/catalog"));
        // As the specification of these directories asks for.
        let relative = ("XDG_CACHE_HOME", "c");
        assert_eq!(of(&[relative, home]), is("/home/ann/.cache/catalog"));
        assert_eq!(of(&[("HOME", "")]), None);
    }
    assert_eq!(resolved(Path::new("/nowhere/../x")), None);
}
