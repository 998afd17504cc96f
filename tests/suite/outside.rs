//! What lies outside the repository stays there: no link in it makes a command read or write elsewhere.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use tempfile::TempDir;

use crate::cli::{catalog, platform, stderr, stdout};
use crate::diff::git;
use crate::site::{files, written};

const SECRET: &str = "DEPLOY_TOKEN=hunter2-of-the-job";

/// A directory with a repository in `repo`, and beside it `victim/` with a file of somebody else's.
fn beside_a_victim() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let source = written("# Web\n", &[]);
    fs::rename(source.path(), directory.path().join("repo")).unwrap();
    fs::create_dir(directory.path().join("victim")).unwrap();
    fs::write(directory.path().join("secret"), SECRET).unwrap();
    directory
}

fn assert_nothing_came_in(root: &Path) {
    for (path, bytes) in files(root) {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(SECRET), "{path} holds what is outside");
    }
}

/// A run that may not hang: ended after ten seconds.
fn within_seconds(args: &[&str], directory: &Path) -> Output {
    Command::new("timeout")
        .args(["10", env!("CARGO_BIN_EXE_catalog")])
        .args(args)
        .current_dir(directory)
        .output()
        .unwrap()
}

const COMMANDS: [&[&str]; 3] = [
    &["build", "--out", "book"],
    &["build", "--out", "book", "--check"],
    &["export", "--format", "markdown", "--out", "book"],
];

#[test]
fn a_kept_file_that_is_a_link_brings_nothing_into_the_site() {
    for args in COMMANDS {
        for name in [".gitkeep", ".gitignore"] {
            let directory = beside_a_victim();
            let repo = directory.path().join("repo");
            fs::create_dir(repo.join("book")).unwrap();
            symlink("../../secret", repo.join("book").join(name)).unwrap();
            let output = within_seconds(args, &repo);
            let said = stdout(&output) + &stderr(&output);
            assert!(!said.contains(SECRET), "{said}");
            if !args.contains(&"--check") {
                assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
                assert!(
                    said.contains(name) && said.contains("regular file"),
                    "{said}"
                );
            }
            fs::remove_file(repo.join("book").join(name)).unwrap();
            assert_nothing_came_in(&repo.join("book"));
        }
    }
}

#[test]
fn a_kept_file_is_a_small_regular_one_that_nobody_else_has() {
    type Make = fn(&Path, &Path);
    let odd: [(&str, Make); 4] = [
        ("a pipe", |kept, _| {
            assert!(Command::new("mkfifo").arg(kept).status().unwrap().success());
        }),
        ("a large file", |kept, _| {
            fs::File::create(kept).unwrap().set_len(1 << 32).unwrap();
        }),
        ("a hard link", |kept, secret| {
            fs::hard_link(secret, kept).unwrap();
        }),
        ("a directory", |kept, _| fs::create_dir(kept).unwrap()),
    ];
    for (what, make) in odd {
        let directory = beside_a_victim();
        let repo = directory.path().join("repo");
        fs::create_dir(repo.join("book")).unwrap();
        let kept = repo.join("book/.gitkeep");
        make(&kept, &directory.path().join("secret"));
        let output = within_seconds(&["build"], &repo);
        assert_eq!(output.status.code(), Some(2), "{what}: {}", stderr(&output));
        assert!(
            stderr(&output).contains(".gitkeep"),
            "{what}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn an_output_that_a_link_in_the_repo_leads_to_is_not_written() {
    for args in [
        &["build", "--out", "book"][..],
        &["build", "--out", "site/book"],
        &["build", "--out", "./site/../book"],
        &["build", "--out", "site/new/book"],
        &["build", "--out", "book", "--check"],
        &["export", "--format", "markdown", "--out", "book"],
        &["export", "--format", "markdown", "--out", "site/book"],
        &["export", "--out", "file.json"],
        &["export", "--out", "site/file.json"],
        &["export", "--out", "dangling.json"],
        &["check", "--write-baseline", "file.json"],
        &["check", "--write-baseline", "site/file.json"],
        &["check", "--write-baseline", "dangling.json"],
        &["check", "--baseline", "baseline.json"],
    ] {
        let directory = beside_a_victim();
        let repo = directory.path().join("repo");
        symlink("../victim", repo.join("book")).unwrap();
        symlink("..", repo.join("site")).unwrap();
        symlink("../victim/file.json", repo.join("file.json")).unwrap();
        symlink("../victim/new.json", repo.join("dangling.json")).unwrap();
        symlink("../secret", repo.join("baseline.json")).unwrap();
        fs::write(directory.path().join("victim/file.json"), "mine").unwrap();
        fs::create_dir(directory.path().join("victim/empty")).unwrap();
        let output = within_seconds(args, &repo);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{args:?}: {}",
            stderr(&output)
        );
        assert!(
            stderr(&output).contains("link"),
            "{args:?}: {}",
            stderr(&output)
        );
        let victim = directory.path().join("victim");
        let kept: Vec<String> = files(&victim).into_keys().collect();
        assert_eq!(kept, ["file.json"], "{args:?}");
        assert_eq!(
            fs::read_to_string(victim.join("file.json")).unwrap(),
            "mine"
        );
        let mut names: Vec<_> = fs::read_dir(directory.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["repo", "secret", "victim"], "{args:?}");
    }
}

#[test]
fn an_empty_directory_that_a_link_leads_to_is_not_filled() {
    let directory = beside_a_victim();
    let repo = directory.path().join("repo");
    symlink("../victim", repo.join("book")).unwrap();
    let output = catalog(&["build"], &repo);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(files(&directory.path().join("victim")).is_empty());
}

#[test]
fn a_link_in_the_git_repository_around_is_one_in_the_repository() {
    let directory = beside_a_victim();
    let around = directory.path();
    git(&around.join("repo"), &["init", "-q"]);
    symlink("../victim", around.join("repo/book")).unwrap();
    // Read is a part of it, and written beside that part.
    let output = catalog(&["build", "apps"], &around.join("repo"));
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(files(&around.join("victim")).is_empty());
    let output = catalog(&["man", "--out", "book"], &around.join("repo"));
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(files(&around.join("victim")).is_empty());
    // A link in place of one of the pages.
    fs::create_dir(around.join("repo/man")).unwrap();
    symlink("../../secret", around.join("repo/man/catalog.1")).unwrap();
    let output = catalog(&["man", "--out", "man"], &around.join("repo"));
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(around.join("secret")).unwrap(), SECRET);
}

#[test]
fn a_link_of_the_operators_own_is_followed() {
    let directory = beside_a_victim();
    let here = directory.path();
    fs::create_dir(here.join("real")).unwrap();
    symlink("real", here.join("link")).unwrap();
    symlink("real/file.json", here.join("file.json")).unwrap();
    for args in [
        &["build", "repo", "--out", "link"][..],
        &["build", "repo", "--out", "link", "--check"],
        &["build", "repo", "--out", "link/below/site"],
        &[
            "export",
            "repo",
            "--format",
            "markdown",
            "--out",
            "link/pages",
        ],
    ] {
        let output = catalog(args, here);
        // A site inside a site is none of its files any more.
        let is_right = output.status.code() == Some(0);
        assert!(is_right, "{args:?}: {}{}", stdout(&output), stderr(&output));
    }
    assert!(here.join("link").is_symlink() && here.join("real/index.html").exists());
    for args in [
        &["export", "repo", "--out", "file.json"][..],
        &["check", "repo", "--write-baseline", "file.json"],
    ] {
        let output = catalog(args, here);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{args:?}: {}",
            stderr(&output)
        );
        assert!(here.join("file.json").is_symlink());
        assert!(fs::metadata(here.join("real/file.json")).unwrap().len() > 2);
    }
    let output = catalog(&["export", "repo", "--out", "/dev/stdout"], here);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(
        stdout(&output).starts_with('{'),
        "a device is written, not replaced"
    );
    // One that leads back into the repo, to a link of the repo's.
    symlink("repo/book", here.join("into")).unwrap();
    symlink("../victim", here.join("repo/book")).unwrap();
    let output = catalog(&["build", "repo", "--out", "into"], here);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(files(&here.join("victim")).is_empty());
}

#[test]
fn a_repository_that_a_link_leads_out_to_is_not_read() {
    let directory = beside_a_victim();
    let here = directory.path();
    let around = tempfile::tempdir().unwrap();
    git(around.path(), &["init", "-q"]);
    fs::create_dir(around.path().join("inside")).unwrap();
    fs::write(around.path().join("inside/catalog.toml"), "title = \"a\"\n").unwrap();
    fs::write(around.path().join("inside/sync.yaml"), crate::cli::SYNC).unwrap();
    fs::write(here.join("victim/catalog.toml"), SECRET).unwrap();
    symlink(here.join("repo"), around.path().join("platform")).unwrap();
    symlink(here.join("victim"), around.path().join("conf")).unwrap();
    symlink("inside", around.path().join("current")).unwrap();
    for args in [
        &["check", "platform"][..],
        &["check", "platform/apps"],
        &["export", "platform"],
        &["build", "platform", "--out", "site"],
        &["rehearse", "platform"],
        &["init", "platform"],
        &["diff", "HEAD", "--repo", "platform"],
        &["check", "--config", "conf/catalog.toml"],
    ] {
        let output = catalog(args, around.path());
        assert_eq!(
            output.status.code(),
            Some(2),
            "{args:?}: {}",
            stderr(&output)
        );
        assert!(
            stderr(&output).contains("link"),
            "{args:?}: {}",
            stderr(&output)
        );
        assert!(!stderr(&output).contains(SECRET), "{}", stderr(&output));
    }
    // One that stays inside is as good as what it leads to, and what is named outside is the operator's choice.
    let repo = here.join("repo");
    for path in ["current", ".", repo.to_str().unwrap()] {
        let output = catalog(&["check", path], around.path());
        assert_eq!(output.status.code(), Some(0), "{path}: {}", stderr(&output));
    }
}

#[test]
fn a_page_that_is_reached_through_a_link_is_stale() {
    let directory = beside_a_victim();
    let repo = directory.path().join("repo");
    assert_eq!(catalog(&["build"], &repo).status.code(), Some(0));
    let check = || within_seconds(&["build", "--check"], &repo);
    assert_eq!(check().status.code(), Some(0));
    let components = repo.join("book/components");
    fs::rename(&components, directory.path().join("victim/components")).unwrap();
    symlink("../../victim/components", &components).unwrap();
    let output = check();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(
        stdout(&output).contains("components/web.html"),
        "{}",
        stdout(&output)
    );
    // What a build would refuse is not current.
    fs::remove_file(&components).unwrap();
    fs::rename(directory.path().join("victim/components"), &components).unwrap();
    symlink("../../secret", repo.join("book/.gitkeep")).unwrap();
    let output = check();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stdout(&output).contains(".gitkeep"), "{}", stdout(&output));
    fs::remove_file(repo.join("book/.gitkeep")).unwrap();
    assert_eq!(check().status.code(), Some(0));
    // A record that never ends.
    let record = repo.join("book/.catalog-git.json");
    symlink("/dev/zero", &record).unwrap();
    assert_ne!(check().status.code(), Some(124), "it ends");
}

#[test]
fn a_baseline_that_never_ends_is_not_read() {
    let directory = beside_a_victim();
    let repo = directory.path().join("repo");
    let pipe = repo.join("known.json");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    for flag in ["--baseline", "--write-baseline"] {
        let output = within_seconds(&["check", flag, "known.json"], &repo);
        assert_eq!(output.status.code(), Some(2), "{flag}: {}", stderr(&output));
    }
    let output = within_seconds(&["export", "--out", "known.json"], &repo);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

#[test]
fn builds_at_once_leave_a_whole_site_and_nothing_else() {
    let repo = platform();
    let reference = tempfile::tempdir().unwrap();
    let source = repo.path().to_str().unwrap();
    let whole = |args: &[&str]| {
        let output = catalog(args, reference.path());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    };
    whole(&["build", source, "--out", "site"]);
    let expected = files(&reference.path().join("site"));
    let out = tempfile::tempdir().unwrap();
    for round in 0..3 {
        // The first is one of first builds.
        let builds = (0..5).map(|_| {
            Command::new(env!("CARGO_BIN_EXE_catalog"))
                .args(["build", source, "--out", "site"])
                .current_dir(out.path())
                .stderr(std::process::Stdio::piped())
                .spawn()
                .unwrap()
        });
        let builds: Vec<_> = builds.collect();
        for build in builds {
            let output = build.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        }
        assert!(files(&out.path().join("site")) == expected, "round {round}");
        let names: Vec<_> = fs::read_dir(out.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names, ["site"], "round {round}");
    }
}

#[test]
fn a_build_waits_for_another_and_says_so() {
    let repo = written("# Web\n", &[]);
    let out = tempfile::tempdir().unwrap();
    let lock = fs::File::open(out.path()).unwrap();
    lock.lock().unwrap();
    let mut build = Command::new(env!("CARGO_BIN_EXE_catalog"))
        .args(["build", repo.path().to_str().unwrap(), "--out", "site"])
        .current_dir(out.path())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    assert!(build.try_wait().unwrap().is_none(), "it waits");
    assert!(!out.path().join("site").exists());
    lock.unlock().unwrap();
    let output = build.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("waiting"), "{}", stderr(&output));
}

#[test]
fn a_file_that_is_written_is_whole_at_every_moment() {
    let repo = platform();
    let out = tempfile::tempdir().unwrap();
    let source = repo.path().to_str().unwrap();
    let file = out.path().join("catalog.json");
    let write = ["export", source, "--out", "catalog.json"];
    assert_eq!(catalog(&write, out.path()).status.code(), Some(0));
    let expected = fs::read(&file).unwrap();
    let runs = (0..4).map(|_| {
        Command::new(env!("CARGO_BIN_EXE_catalog"))
            .args(write)
            .current_dir(out.path())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap()
    });
    let mut runs: Vec<_> = runs.collect();
    while runs.iter_mut().any(|run| run.try_wait().unwrap().is_none()) {
        assert!(
            fs::read(&file).unwrap() == expected,
            "half of a file is seen"
        );
    }
    let names: Vec<_> = fs::read_dir(out.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["catalog.json"]);
}

/// In a container every process has the same number, which threads of one process have, too.
#[test]
fn builds_of_one_process_number_leave_a_whole_site() {
    let repo = platform();
    let out = tempfile::tempdir().unwrap();
    let request = catalog::pipeline::Request {
        repo: Some(repo.path().to_path_buf()),
        config: None,
        ..catalog::pipeline::Request::default()
    };
    let reading = catalog::pipeline::read(&request).unwrap();
    let context = reading.context();
    let site = catalog::site::Site::new(&context).unwrap();
    let publish = |name: &str| catalog::publish::publish(&site, &out.path().join(name));
    publish("reference").unwrap();
    let expected = files(&out.path().join("reference"));
    for round in 0..4 {
        std::thread::scope(|scope| {
            let runs: Vec<_> = (0..4).map(|_| scope.spawn(|| publish("site"))).collect();
            for run in runs {
                run.join().unwrap().unwrap();
            }
        });
        assert!(files(&out.path().join("site")) == expected, "round {round}");
    }
    let mut names: Vec<_> = fs::read_dir(out.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["reference", "site"]);
}
