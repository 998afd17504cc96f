//! How a commit is read: as a clean working tree of it would be, or with the next step where it cannot be.

use std::fs;

use tempfile::TempDir;

use super::*;

#[test]
fn a_file_that_is_kept_apart_is_read_where_this_machine_has_it() {
    let directory = committed();
    let root = directory.path();
    let app = fs::read_to_string(root.join("shop/app.yaml")).unwrap();
    let id = "0123456789abcdef".repeat(4);
    let pointer = format!(
        "version https://git-lfs.github.com/spec/v1\noid sha256:{id}\nsize {}\n",
        app.len()
    );
    write(root, "shop/app.yaml", &pointer);
    commit(root, "kept apart");
    assert_nothing(root, &["HEAD"]);
    write(root, "shop/app.yaml", &app);
    write(root, &format!(".git/lfs/objects/01/23/{id}"), &app);
    assert_nothing(root, &["HEAD"]);
    assert_nothing(root, &["HEAD~1", "HEAD"]);
}

/// Whatever git and the file system think of differently.
fn odd() -> TempDir {
    let directory = committed();
    let root = directory.path();
    // Committed, and ignored all the same.
    write(root, ".gitignore", "*.log\n/shop/ignored/\n!kept.log\n");
    write(root, "shop/ignored/extra.yaml", "a: 'open\n");
    write(root, "shop/x.log", "x");
    write(root, "kept.log", "x");
    write(root, "shop/.gitignore", "x*.yaml\n");
    write(root, "shop/xx.yaml", "a: 'open\n");
    write(
        root,
        "catalog.toml",
        "title = \"Odd\"\nignore = [\"drafts/\"]\n",
    );
    write(root, "drafts/a.yaml", "a: 'open\n");
    write(root, "public/.catalog-site", "");
    write(root, "public/a.yaml", "a: 'open\n");
    write(root, "shop/binary.yaml", "a\0b");
    write(root, "shop/large.yaml", &"# x\n".repeat(3 << 20));
    write(root, "é ü/a\nb.yaml", "a: 'open\n");
    write(
        root,
        "docs/page.md",
        "# Page\n\n[here](../nowhere.md) and [there](../drafts/a.yaml)\n",
    );
    write(
        root,
        "docs/model.bin",
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink("shop", root.join("alias")).unwrap();
        symlink("../alias/app.yaml", root.join("docs/app.yaml")).unwrap();
        symlink("gone", root.join("dangling")).unwrap();
        symlink("loop2", root.join("loop1")).unwrap();
        symlink("loop1", root.join("loop2")).unwrap();
        symlink("/etc/hostname", root.join("out")).unwrap();
        symlink("../../..", root.join("up")).unwrap();
        symlink("catalog.toml/x", root.join("through")).unwrap();
        symlink("drafts", root.join("unread")).unwrap();
    }
    directory
}

#[test]
fn a_clean_working_tree_is_what_its_commit_is() {
    let directory = odd();
    let root = directory.path();
    commit(root, "odd");
    // What is there and ignored does not count, but links and records may lead to it.
    write(root, "local.log", "x");
    assert_nothing(root, &["HEAD"]);
    assert_nothing(root, &["HEAD", "HEAD"]);
    let first = json(root, &["HEAD~1", "HEAD"]);
    let since = json(root, &["HEAD~1"]);
    assert_eq!(first["findings"], since["findings"]);
    assert_eq!(first["components"], since["components"]);
    let rules: Vec<&str> = first["findings"]["new"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["rule"].as_str().unwrap())
        .collect();
    for rule in [
        "file-too-large",
        "file-binary",
        "link-broken",
        "link-outside",
    ] {
        assert!(rules.contains(&rule), "{rules:?}");
    }
    let text = first.to_string();
    // Whatever a `.gitignore` or the marker of a site says, a manifest that is committed may be deployed.
    assert!(text.contains("extra.yaml") && text.contains("public/a.yaml"));
    assert!(!text.contains("drafts/a.yaml cannot"));
}

#[test]
fn a_directory_of_a_repository_is_compared_alone() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let inner = platform();
    fs::create_dir_all(root.join("fleet")).unwrap();
    let copied = Command::new("cp")
        .args(["-r", &format!("{}/.", inner.path().display())])
        .arg(root.join("fleet"))
        .status();
    assert!(copied.unwrap().success());
    write(root, ".gitignore", "*.log\n");
    write(root, "fleet/a.log", "x");
    write(root, "catalog.toml", "repo = \"fleet\"\n");
    git(root, &["init", "-q", "-b", "main"]);
    commit(root, "first");
    write(root, "other.yaml", "a: 'open\n");
    replace(root, "fleet/shop/app.yaml", "1.2.3", "1.3.0");
    for args in [
        &["main"] as &[&str],
        &["main", "--repo", "fleet"],
        &["HEAD", "--repo", "./fleet"],
    ] {
        let difference = json(root, args);
        let changed = difference["components"]["changed"].as_array().unwrap();
        assert_eq!(changed.len(), 1);
        assert_eq!(changed[0]["images"][0]["after"], "1.3.0");
        assert!(difference["findings"]["new"].as_array().unwrap().is_empty());
    }
    assert_eq!(
        json(&root.join("fleet"), &["main"])["components"]["changed"][0]["id"],
        "shop"
    );
    // Before there was such a directory, there was nothing in it.
    git(root, &["checkout", "-q", "--orphan", "empty"]);
    git(root, &["rm", "-rqf", "--cached", "."]);
    fs::rename(root.join("fleet"), root.join("aside")).unwrap();
    git(root, &["commit", "-q", "--allow-empty", "-m", "empty"]);
    fs::rename(root.join("aside"), root.join("fleet")).unwrap();
    let difference = json(root, &["empty", "main"]);
    assert!(
        !difference["components"]["added"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn each_commit_has_its_own_configuration() {
    let directory = committed();
    let root = directory.path();
    write(root, "catalog.toml", "ignore = [\"shop/\"]\n");
    commit(root, "without the shop");
    let difference = json(root, &["HEAD~1", "HEAD"]);
    assert_eq!(difference["components"]["changed"][0]["id"], "shop");
    // With one for both, there is no difference.
    assert_nothing(root, &["HEAD~1", "HEAD", "--config", "catalog.toml"]);
    write(root, "catalog.toml", "tilte = \"x\"\n");
    commit(root, "mistaken");
    write(root, "catalog.toml", "");
    let refused = refusal(root, &["HEAD"]);
    assert!(refused.contains("catalog.toml of HEAD:1:1"), "{refused}");
}

#[test]
fn a_submodule_is_read_where_it_is_checked_out() {
    let apps = committed();
    let directory = committed();
    let root = directory.path();
    fs::remove_dir_all(root.join("shop")).unwrap();
    let url = apps.path().display().to_string();
    git(root, &["submodule", "--quiet", "add", &url, "apps"]);
    replace(root, "clusters/dev/shop.yaml", "./shop", "./apps/shop");
    commit(root, "submodule");
    assert_nothing(root, &["HEAD"]);
    let shop = json(root, &["HEAD~1"]);
    let changed = &shop["components"]["changed"][0];
    assert_eq!(changed["id"], "shop", "{shop}");
    assert_eq!(changed["fields"][0]["after"], "apps/shop");
    assert_eq!(changed["images"].as_array().unwrap().len(), 0);
}

#[test]
fn a_pull_request_is_compared_with_where_it_began() {
    let directory = changed();
    let root = directory.path();
    git(root, &["checkout", "-q", "main"]);
    replace(
        root,
        "operator/helm.yaml",
        "kind: HelmRelease",
        "kind: HelmRelease\n# later",
    );
    write(root, "docs/later.md", "# Later\n\n[gone](gone.md)\n");
    commit(root, "main went on");
    git(root, &["checkout", "-q", "feature"]);
    let fixed = |args: &[&str]| {
        let difference = json(root, args);
        difference["findings"]["fixed"].as_array().unwrap().len()
    };
    assert_eq!(fixed(&["main", "--merge-base"]) + 1, fixed(&["main"]));
    assert_eq!(
        fixed(&["main", "feature", "--merge-base"]),
        fixed(&["main", "--merge-base"])
    );
}

#[test]
fn what_cannot_be_compared_is_said_with_the_next_step() {
    let directory = changed();
    let root = directory.path();
    let unknown = refusal(root, &["nowhere"]);
    assert!(
        unknown.contains("there is no branch, tag or commit `nowhere`")
            && unknown.contains("git branch"),
        "{unknown}"
    );
    let range = refusal(root, &["main...feature"]);
    assert!(range.contains("--merge-base"), "{range}");
    for option in ["--output=x", "-x"] {
        let refused = refusal(root, &["--", option]);
        assert!(refused.contains("is an option"), "{refused}");
    }
    let blob = refusal(root, &["main:shop/app.yaml"]);
    assert!(blob.contains("there is no branch, tag or commit"), "{blob}");

    let plain = platform();
    let none = refusal(plain.path(), &["main"]);
    assert!(none.contains("is not in a git repository"), "{none}");

    let clones = tempfile::tempdir().unwrap();
    let url = format!("file://{}", root.display());
    git(
        clones.path(),
        &[
            "clone", "-q", "--depth", "1", "--branch", "feature", &url, "shallow",
        ],
    );
    let shallow = refusal(&clones.path().join("shallow"), &["HEAD~1"]);
    assert!(
        shallow.contains("shallow") && shallow.contains("fetch"),
        "{shallow}"
    );
    git(
        clones.path(),
        &["clone", "-q", "--branch", "feature", &url, "full"],
    );
    let meant = refusal(&clones.path().join("full"), &["main"]);
    assert!(meant.contains("did you mean `origin/main`?"), "{meant}");

    git(clones.path(), &["clone", "-q", "--bare", &url, "bare"]);
    let bare = clones.path().join("bare");
    assert!(refusal(&bare, &["main"]).contains("pass two commits"));
    let difference = json(&bare, &["main", "feature"]);
    assert_eq!(
        difference["components"],
        json(root, &["main", "feature"])["components"]
    );

    let output = Command::new(env!("CARGO_BIN_EXE_catalog"))
        .args(["diff", "main"])
        .current_dir(root)
        .env("PATH", clones.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("install git"));
}
