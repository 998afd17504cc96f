//! What all commands have in common: options, the repository that is read, names, and where results go.

mod completion;
mod findings;

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::cli::{SYNC, catalog, follows_schema, platform, repo, stderr, stdout, unit};
use crate::site::files;

/// Exit code, stdout and stderr.
fn run(args: &[&str], directory: &Path) -> (i32, String, String) {
    let output = catalog(args, directory);
    let code = output.status.code().unwrap();
    (code, stdout(&output), stderr(&output))
}

fn git(root: &Path, args: &[&str]) {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=t", "-c", "user.email=t@example.org"]);
    let output = git.args(args).current_dir(root).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
}

fn commit(root: &Path) {
    git(root, &["init", "-q", "-b", "main"]);
    git(root, &["add", "-A"]);
    git(root, &["commit", "-qm", "all"]);
}

/// A platform with findings of every severity, in files whose order is another.
fn troubled() -> tempfile::TempDir {
    let directory = platform();
    let put = |path: &str, text: &str| fs::write(directory.path().join(path), text).unwrap();
    put(
        "operator/kustomization.yaml",
        "resources: [helm.yaml]\nconfigMapGenerator:\n  - name: a\n    envs: [a.env]\n",
    );
    put("operator/a.env", "TIMEOUT=30 # seconds\n");
    put("shop/broken.yaml", "a: 'open\n");
    directory
}

#[test]
fn the_repository_around_the_current_directory_is_read() {
    let directory = platform();
    let root = directory.path();
    fs::write(root.join("catalog.toml"), "title = \"Ours\"\n").unwrap();
    commit(root);
    let below = root.join("clusters/dev");
    let (_, whole, _) = run(&["export"], root);
    let (code, from_below, error) = run(&["export"], &below);
    assert_eq!(code, 0, "{error}");
    assert_eq!(whole, from_below);
    let (code, _, error) = run(&["build"], &below);
    assert_eq!(code, 0, "{error}");
    assert!(error.contains("../../book"), "{error}");
    let index = fs::read_to_string(root.join("book/index.html")).unwrap();
    assert!(
        index.contains("Ours"),
        "the catalog.toml of the root counts"
    );
    assert!(!below.join("book").exists());
    assert_eq!(run(&["build", "--check"], &below).0, 0);
    // A directory with a catalog.toml of its own stands for itself, and so does one that is named.
    fs::write(below.join("catalog.toml"), "title = \"Below\"\n").unwrap();
    let (_, own, _) = run(&["export", "--no-git"], &below);
    assert_ne!(own, whole);
    fs::remove_file(below.join("catalog.toml")).unwrap();
    let (_, named, _) = run(&["export", "."], &below);
    assert_ne!(named, whole);
}

#[test]
fn general_options_count_before_and_after_the_command() {
    let directory = platform();
    let away = tempfile::tempdir().unwrap();
    let path = directory.path().to_str().unwrap();
    for command in ["check", "export", "graph", "rehearse"] {
        let (code, plain, error) = run(&[command, path, "-q"], away.path());
        assert_eq!((code, error.as_str()), (0, ""), "{command}");
        for args in [
            &["--repo", path, "-q", command][..],
            &[command, "--repo", path, "-q"],
            &["-q", command, "--repo", path],
            &["--no-git", "--repo", path, command, "--quiet"],
        ] {
            let (code, text, error) = run(args, away.path());
            assert_eq!((code, error.as_str()), (0, ""), "{args:?}");
            assert_eq!(text, plain, "{args:?}");
        }
    }
    let (code, _, error) = run(&["check", ".", "--repo", path], away.path());
    assert_eq!(code, 2);
    assert!(error.contains("two repositories are named"), "{error}");
    fs::write(away.path().join("other.toml"), "title = \"Other\"\n").unwrap();
    for args in [
        &["--config", "other.toml", "-o", "site", "build", path][..],
        &[
            "build",
            "--repo",
            path,
            "-o",
            "site",
            "--config",
            "other.toml",
        ],
    ] {
        assert_eq!(run(args, away.path()).0, 0, "{args:?}");
        let index = fs::read_to_string(away.path().join("site/index.html")).unwrap();
        assert!(index.contains("Other"), "{args:?}");
    }
}

#[test]
fn a_verbose_command_prints_what_was_read_and_skipped_and_how_long_it_took() {
    let directory = platform();
    let root = directory.path();
    fs::write(root.join("catalog.toml"), "ignore = [\"store/\"]\n").unwrap();
    fs::write(root.join("shop/data.yaml"), b"a: \xff\n").unwrap();
    let (_, text, said) = run(&["check", "-v"], root);
    for line in [
        "repository: .",
        "configuration: ./catalog.toml",
        "git: not used",
        "read: 9 files (8 YAML, 0 Markdown, 1 other)",
        "skipped: 1 path because of `ignore` in catalog.toml (store/)",
        "skipped: shop/data.yaml: ",
        "cluster: dev in clusters/dev, 5 units",
        "time: reading ",
    ] {
        assert!(said.contains(line), "{line} in\n{said}");
    }
    assert_eq!(text, run(&["check"], root).1);
}

#[test]
fn without_git_there_are_no_git_facts() {
    let directory = platform();
    commit(directory.path());
    let commit_of = |args: &[&str]| {
        let (_, text, _) = run(args, directory.path());
        let document: Value = serde_json::from_str(&text).unwrap();
        document["commit"].clone()
    };
    assert!(commit_of(&["export"]).is_string());
    assert!(commit_of(&["--no-git", "export"]).is_null());
    let (code, _, error) = run(&["diff", "HEAD", "--no-git"], directory.path());
    assert_eq!(code, 2);
    assert!(error.contains("remove --no-git"), "{error}");
}

#[test]
fn every_result_can_be_written_to_a_file() {
    let directory = platform();
    commit(directory.path());
    for args in [
        &["check"][..],
        &["check", "--format", "json"],
        &["graph"],
        &["export"],
        &["rehearse"],
        &["diff", "HEAD"],
        &["explain", "weak-gate"],
        &["completions", "bash"],
        &["init", "--dry-run"],
    ] {
        let (code, printed, _) = run(args, directory.path());
        let away = tempfile::tempdir().unwrap();
        let file = away.path().join("result");
        let path = file.to_str().unwrap();
        for args in [
            [args, &["-o", path]].concat(),
            [&["--out", path], args].concat(),
        ] {
            let (with_file, text, error) = run(&args, directory.path());
            assert_eq!((with_file, text.as_str()), (code, ""), "{args:?}: {error}");
            assert_eq!(fs::read_to_string(&file).unwrap(), printed, "{args:?}");
            fs::remove_file(&file).unwrap();
        }
    }
    for command in ["serve", "init"] {
        assert_eq!(run(&[command, "-o", "x"], directory.path()).0, 2);
    }
}

#[test]
fn a_name_that_does_not_exist_is_answered_with_the_nearest() {
    let directory = platform();
    for (args, meant) in [
        (&["check", "--component", "stor"][..], "store"),
        (&["check", "--path", "shp/app.yaml"], "shop/app.yaml"),
        (&["check", "--path", "./clusters/deb/"], "clusters/dev"),
        (&["check", "--select", "weak-gat"], "weak-gate"),
        (&["check", "--ignore", "weak-gat"], "weak-gate"),
        (&["explain", "weak-gat"], "weak-gate"),
        (&["graph", "stor"], "store"),
        (&["rehearse", "--without", "stor"], "store"),
        (&["check", "clustres"], "clusters"),
        (&["--repo", "./clustres", "build"], "./clusters"),
    ] {
        let (code, text, error) = run(args, directory.path());
        assert_eq!((code, text.as_str()), (2, ""), "{args:?}");
        let suggestion = format!("did you mean `{meant}`?");
        assert!(error.contains(&suggestion), "{args:?}: {error}");
    }
}

#[test]
fn a_directory_without_manifests_is_an_error_and_not_a_clean_repository() {
    for files_of_repo in [&[][..], &[("README.md", "# A\n"), ("src/main.rs", "")]] {
        let directory = repo(files_of_repo);
        let before = files(directory.path());
        for args in [
            &["check"][..],
            &["build"],
            &["build", "--check"],
            &["export"],
            &["graph"],
            &["rehearse"],
        ] {
            let (code, _, error) = run(args, directory.path());
            assert_eq!(code, 2, "{args:?}: {error}");
            assert!(error.contains("no GitOps manifests found"), "{error}");
            assert!(error.contains("\nhelp: run catalog in"), "{error}");
        }
        assert!(files(directory.path()) == before);
        assert_eq!(run(&["init"], directory.path()).0, 0);
    }
    // Decisions have pages of their own.
    let decisions = repo(&[("docs/adr/0001-a.md", "# 1. A\n\n## Status\n\nAccepted\n")]);
    for command in ["check", "build", "export"] {
        let (code, _, error) = run(&[command], decisions.path());
        assert_eq!(code, 0, "{command}: {error}");
    }
    assert_eq!(run(&["graph"], decisions.path()).0, 2);
}

#[test]
fn findings_are_printed_even_if_there_are_no_manifests() {
    let directory = repo(&[(
        "catalog.toml",
        "[[cluster]]\nname = \"dev\"\nroot = \"cluster/dev\"\n",
    )]);
    let (code, text, error) = run(&["check"], directory.path());
    assert_eq!(code, 2);
    assert!(text.contains("error[cluster-missing]"), "{text}{error}");
}

#[test]
fn a_graph_or_rehearsal_of_nothing_says_so() {
    let directory = repo(&[
        (
            "catalog.toml",
            "[[cluster]]\nname = \"dev\"\nroot = \"dev\"\n",
        ),
        ("dev/kustomization.yaml", "resources: []\n"),
    ]);
    for (command, message) in [
        ("graph", "nothing to show"),
        ("rehearse", "nothing to rehearse"),
    ] {
        let (code, _, error) = run(&[command, "-q"], directory.path());
        assert_eq!(code, 0, "{error}");
        assert!(error.contains(message), "{error}");
    }
    let alone = platform();
    let (_, text, error) = run(&["graph", "operator", "--upstream"], alone.path());
    assert!(text.contains("Operator"), "{text}");
    assert!(error.contains("depends on no other component"), "{error}");
}

#[test]
fn a_name_means_the_same_component_to_every_command() {
    let directory = platform();
    let root = directory.path();
    // `operator` is a directory as well; `external-secrets` is the HelmRelease that it applies.
    let graph = |name: &str| run(&["graph", name, "--format", "json"], root);
    let (code, by_id, error) = graph("operator");
    assert_eq!(code, 0, "{error}");
    for name in [
        "External Secrets",
        "Operator",
        "external-secrets",
        "flux-system/external-secrets",
        "HelmRelease/external-secrets",
    ] {
        let (code, text, error) = graph(name);
        if name == "External Secrets" && code == 2 {
            // Only one of the two is the title.
            assert!(error.contains("did you mean"), "{error}");
            continue;
        }
        assert_eq!((code, &text), (0, &by_id), "{name}: {error}");
        let (code, _, error) = run(&["check", "--component", name], root);
        assert_ne!(code, 2, "{name}: {error}");
        let (code, _, error) = run(&["rehearse", "--without", name], root);
        assert_ne!(code, 2, "{name}: {error}");
    }
    // A unit that only creates others stands for what these bring.
    let (code, all, error) = graph("flux-system");
    assert_eq!(code, 0, "{error}");
    let all: Value = serde_json::from_str(&all).unwrap();
    assert_eq!(all["nodes"].as_array().unwrap().len(), 3);
    // A directory is read only if it is written as one.
    fs::create_dir(root.join("fleet")).unwrap();
    let (code, _, error) = graph("fleet");
    assert_eq!(code, 2);
    assert!(error.contains("help: to read the directory of that name, use `--repo fleet`"));
    for args in [&["graph", "./fleet"][..], &["graph", "--repo", "fleet"]] {
        let (code, _, error) = run(args, root);
        assert_eq!(code, 2);
        assert!(error.contains("no GitOps manifests found"), "{error}");
    }
    let (code, text, _) = run(&["graph", ".", "operator", "--format", "json"], root);
    assert_eq!((code, &text), (0, &by_id));
}

/// A git repository whose directory `platform` has a finding with a fix.
fn with_platform_below() -> tempfile::TempDir {
    let directory = repo(&[
        ("platform/clusters/dev/gotk-sync.yaml", SYNC),
        (
            "platform/clusters/dev/web.yaml",
            &unit("web", "apps/web", ""),
        ),
        (
            "platform/apps/web/web.yaml",
            "# catalog: allow link-broken, because x\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a: b}\ndata: {c: d}\n",
        ),
    ]);
    commit(directory.path());
    directory
}

#[test]
fn a_patch_of_a_directory_below_applies_from_the_root_of_the_git_repository() {
    let directory = with_platform_below();
    let root = directory.path();
    for (here, repository) in [
        (root.to_path_buf(), "platform"),
        (root.join("platform"), "."),
    ] {
        let args = ["check", repository, "--diff", "--select", "allow-unused"];
        let (code, patch, error) = run(&args, &here);
        assert_eq!(code, 1, "{error}");
        fs::write(root.join("fixes.patch"), &patch).unwrap();
        git(root, &["apply", "--check", "fixes.patch"]);
    }
    git(root, &["apply", "fixes.patch"]);
    let text = fs::read_to_string(root.join("platform/apps/web/web.yaml")).unwrap();
    assert!(text.starts_with("apiVersion"), "{text}");
}

#[test]
fn paths_are_relative_to_the_root_of_the_git_repository_in_every_format() {
    let directory = with_platform_below();
    let root = directory.path();
    for format in ["text", "concise", "json", "sarif", "github", "junit"] {
        let args = ["check", "platform", "--format", format];
        let (_, text, _) = run(&args, root);
        // In sentences, a path is one of the repository.
        let text = text.replace("`apps/web/web.yaml`", "");
        let shown = text.matches("apps/web/web.yaml").count();
        let whole = text.matches("platform/apps/web/web.yaml").count();
        assert!(shown > 0 && shown == whole, "{format}: {text}");
    }
    // Both ways to write a path are understood.
    for path in ["apps/web/", "platform/apps/web/", "./platform/apps"] {
        let args = ["check", "platform", "--format", "concise", "--path", path];
        let (code, text, error) = run(&args, root);
        assert_eq!((code, text.is_empty()), (1, false), "{path}: {error}");
    }
}

#[test]
fn the_schema_of_the_configuration_is_current_and_takes_what_the_program_takes() {
    let schema = catalog::input::config::schema();
    let text = fs::read_to_string(crate::ci::root().join("content/catalog.toml")).unwrap();
    let example: toml::Value = toml::from_str(&text).unwrap();
    let example = serde_json::to_value(example).unwrap();
    follows_schema("catalog.schema.json", &schema, &example);
    let validator = jsonschema::validator_for(&schema).unwrap();
    let takes = |text: &str| {
        let document: toml::Value = toml::from_str(text).unwrap();
        validator.is_valid(&serde_json::to_value(document).unwrap())
    };
    for text in [
        "",
        "title = \"A\"\nignore = [\"a\"]\n",
        "[[owner]]\nname = \"A\"\nmatch = [\"a\"]\n",
        "[check.severity]\nweak-gate = \"off\"\n",
    ] {
        assert!(takes(text), "{text}");
    }
    for text in [
        "tilte = \"A\"\n",
        "title = 1\n",
        "[[owner]]\nmatch = [\"a\"]\n",
        "[[layer]]\nname = \"A\"\nmatch = \"a\"\n",
        "[check.severity]\nweak-gate = \"fatal\"\n",
    ] {
        assert!(!takes(text), "{text}");
    }
}

#[test]
fn a_preview_of_a_directory_without_manifests_runs_and_says_so() {
    let directory = repo(&[("README.md", "# A\n")]);
    let server = crate::serve::Server::start(directory.path());
    let said = server.running.said.join("\n");
    assert!(
        said.contains("warning: no GitOps manifests found"),
        "{said}"
    );
}
