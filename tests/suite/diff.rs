//! `catalog diff`: what changed between two commits, read from git as a reviewer would have it.

mod chart;
mod commit;

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::cli::{catalog, follows_schema, platform, stderr, stdout};

/// Runs git with a fixed author.
pub fn git(directory: &Path, args: &[&str]) {
    let output = Command::new("git")
        .current_dir(directory)
        .args(["-c", "user.name=Ann", "-c", "user.email=ann@example.org"])
        .args(["-c", "commit.gpgSign=false"])
        .args(["-c", "protocol.file.allow=always"])
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env_remove("GIT_DIR")
        .env_remove("GIT_INDEX_FILE")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "git {args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

pub fn commit(directory: &Path, message: &str) {
    git(directory, &["add", "-A", "-f"]);
    git(directory, &["commit", "-q", "--allow-empty", "-m", message]);
}

/// The small platform of the other tests, committed on `main`.
pub fn committed() -> TempDir {
    let directory = platform();
    git(directory.path(), &["init", "-q", "-b", "main"]);
    commit(directory.path(), "first");
    directory
}

fn write(directory: &Path, path: &str, text: &str) {
    let path = directory.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn replace(directory: &Path, path: &str, from: &str, to: &str) {
    let text = fs::read_to_string(directory.join(path)).unwrap();
    assert!(text.contains(from), "{path} has no {from}:\n{text}");
    write(directory, path, &text.replace(from, to));
}

fn json(directory: &Path, args: &[&str]) -> Value {
    let args = [&["diff", "--format", "json"], args].concat();
    let output = catalog(&args, directory);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn text(directory: &Path, args: &[&str]) -> String {
    let output = catalog(&[&["diff"], args].concat(), directory);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output)
}

/// What a run ends with that cannot go on.
fn refusal(directory: &Path, args: &[&str]) -> String {
    let output = catalog(&[&["diff"], args].concat(), directory);
    assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
    stderr(&output)
}

fn assert_nothing(directory: &Path, args: &[&str]) {
    let said = text(directory, args);
    assert!(
        said.starts_with("No changes in the catalogue from"),
        "{said}"
    );
}

/// A change of everything that a reviewer asks about.
fn changed() -> TempDir {
    let directory = committed();
    let root = directory.path();
    git(root, &["checkout", "-q", "-b", "feature"]);
    replace(root, "shop/app.yaml", "1.2.3", "1.3.0");
    replace(root, "clusters/dev/shop.yaml", "\"3\"", "\"5\"");
    replace(root, "clusters/dev/shop.yaml", "hunter2", "hunter3");
    replace(root, "clusters/dev/operator.yaml", "  wait: true\n", "");
    replace(
        root,
        "clusters/dev/store.yaml",
        "  dependsOn: [{name: operator}]\n",
        "",
    );
    fs::remove_file(root.join("clusters/dev/store.yaml")).unwrap();
    fs::remove_file(root.join("store/store.yaml")).unwrap();
    let unit = fs::read_to_string(root.join("clusters/dev/shop.yaml")).unwrap();
    let unit = unit.replace("shop", "till");
    let unit = unit.split("  postBuild").next().unwrap().to_owned();
    write(
        root,
        "clusters/dev/till.yaml",
        &(unit + "  dependsOn: [{name: shop}]\n"),
    );
    let app = fs::read_to_string(root.join("shop/app.yaml")).unwrap();
    write(root, "till/app.yaml", &app.replace("shop", "till"));
    write(root, "shop/broken.yaml", "a: 'open\n");
    commit(root, "second");
    directory
}

#[test]
fn a_reviewer_sees_what_came_what_went_and_what_changed() {
    let directory = changed();
    let difference = json(directory.path(), &["main", "feature"]);
    assert_eq!(difference["schema"], 1);
    assert_eq!(difference["base"]["name"], "main");
    assert_eq!(
        difference["head"]["commit"].as_str().map(str::len),
        Some(40)
    );
    let ids = |list: &Value| -> Vec<String> {
        let list = list.as_array().unwrap().iter();
        list.map(|one| one["id"].as_str().unwrap().to_owned())
            .collect()
    };
    let components = &difference["components"];
    assert_eq!(ids(&components["added"]), ["till"]);
    assert_eq!(ids(&components["removed"]), ["store"]);
    assert_eq!(ids(&components["changed"]), ["operator", "shop"]);
    let operator = &components["changed"][0]["fields"][0];
    assert_eq!(operator["field"], "gate");
    assert_eq!(
        (&operator["before"], &operator["after"]),
        (&"wait".into(), &"none".into())
    );
    let shop = &components["changed"][1];
    assert_eq!(shop["images"][0]["before"], "1.2.3");
    assert_eq!(shop["images"][0]["after"], "1.3.0");
    let replicas = &shop["settings"][0];
    assert_eq!(replicas["name"], "REPLICAS");
    assert_eq!(replicas["environment"], "dev");
    assert_eq!(
        (&replicas["before"], &replicas["after"]),
        (&"3".into(), &"5".into())
    );
    let edges = |list: &Value| -> Vec<String> {
        let list = list.as_array().unwrap().iter();
        list.map(|one| format!("{} {}", one["from"], one["to"]))
            .collect()
    };
    assert!(edges(&difference["edges"]["gained"]).contains(&"\"till\" \"shop\"".to_owned()));
    assert!(edges(&difference["edges"]["lost"]).contains(&"\"store\" \"operator\"".to_owned()));
    let new = difference["findings"]["new"].as_array().unwrap();
    let broken = new.iter().find(|one| one["rule"] == "yaml-syntax").unwrap();
    assert_eq!(broken["file"], "shop/broken.yaml");
    assert_eq!(broken["severity"], "error");
    // The other way round, what was new is fixed.
    let back = json(directory.path(), &["feature", "main"]);
    // A finding about one more thing is new; one about one less is not fixed.
    let grown = new.iter().filter(|one| one["rule"] != "crd-unordered");
    assert_eq!(
        back["findings"]["fixed"],
        Value::Array(grown.cloned().collect())
    );
    assert_eq!(back["edges"]["gained"], difference["edges"]["lost"]);
}

#[test]
fn the_three_formats_tell_the_same_and_no_secret() {
    let directory = changed();
    for format in ["text", "markdown", "json"] {
        let said = text(directory.path(), &["main", "--format", format]);
        for word in ["till", "store", "1.2.3", "1.3.0", "REPLICAS", "yaml-syntax"] {
            assert!(said.contains(word), "{format} has no {word}:\n{said}");
        }
        assert!(!said.contains("hunter"), "{format} tells a secret:\n{said}");
        assert!(!said.contains('\x1b'), "{format} has colour:\n{said}");
    }
    let said = text(directory.path(), &["main", "--color", "always"]);
    assert!(said.contains("\x1b[32m+\x1b[0m"), "{said}");
    let markdown = text(directory.path(), &["main", "--format", "markdown"]);
    assert!(
        markdown.starts_with("<!-- catalog diff -->\n### 1 component added, 1 removed, 2 changed;"),
        "{markdown}"
    );
}

#[test]
fn the_document_follows_its_schema_and_the_schema_in_docs_is_current() {
    let document = json(changed().path(), &["main"]);
    follows_schema(
        "diff.schema.json",
        &catalog::export::diff::schema(),
        &document,
    );
}

#[test]
fn it_fails_on_new_findings_only_when_asked_to() {
    let directory = changed();
    let code = |args: &[&str]| {
        let output = catalog(&[&["diff"], args].concat(), directory.path());
        output.status.code()
    };
    assert_eq!(code(&["main"]), Some(0));
    assert_eq!(code(&["main", "--fail-on", "error"]), Some(1));
    assert_eq!(code(&["feature", "main", "--fail-on", "error"]), Some(0));
    assert_eq!(code(&["feature", "--fail-on", "info"]), Some(0));
}

#[test]
fn a_line_or_a_file_that_moved_is_no_change() {
    let directory = committed();
    let root = directory.path();
    write(root, "shop/broken.yaml", "a: 'open\n");
    commit(root, "broken");
    let app = fs::read_to_string(root.join("shop/app.yaml")).unwrap();
    write(root, "shop/app.yaml", &format!("# Moved.\n\n\n{app}"));
    write(root, "notes.txt", "nothing");
    git(root, &["mv", "shop/broken.yaml", "shop/still-broken.yaml"]);
    commit(root, "moved");
    assert_nothing(root, &["HEAD~1"]);
    // What stays where it was and comes again elsewhere is new.
    write(root, "shop/broken.yaml", "a: 'open\n");
    let difference = json(root, &["HEAD"]);
    assert_eq!(difference["findings"]["new"].as_array().unwrap().len(), 1);
}

/// Many findings, in cells that have to be escaped.
fn many_findings(number: usize) -> TempDir {
    let directory = committed();
    for page in 0..number {
        let link = "x".repeat(100);
        write(
            directory.path(),
            &format!("docs/page-{page}.md"),
            &format!("# Page\n\n[a](gone-{page}-{link}.md) `a|b` @everyone <b>\n"),
        );
    }
    directory
}

#[test]
fn a_long_comment_is_shortened_by_whole_rows_and_says_how_many() {
    let directory = many_findings(900);
    let markdown = text(directory.path(), &["main", "--format", "markdown"]);
    // It is nearly as long as a host accepts.
    assert!(
        markdown.len() <= 65_000 && markdown.len() > 60_000,
        "{}",
        markdown.len()
    );
    let rows: Vec<&str> = markdown
        .lines()
        .filter(|line| line.starts_with("| "))
        .collect();
    for row in &rows {
        assert!(row.ends_with(" |"), "{row}");
        assert_eq!(row.matches("`").count() % 2, 0, "{row}");
    }
    // One row is the header; the separator follows it.
    let shown = rows
        .iter()
        .filter(|row| row.contains("link-broken"))
        .count();
    let left_out = 900 - shown;
    assert!(
        markdown.contains(&format!("\n{left_out} more rows left out\n")),
        "{left_out} in {markdown}"
    );
    assert_eq!(
        markdown.matches("<details>").count(),
        markdown.matches("</details>").count()
    );
    assert!(markdown.ends_with("</details>\n"), "{markdown}");
    let whole = json(directory.path(), &["main"]);
    assert_eq!(whole["findings"]["new"].as_array().unwrap().len(), 900);
}

#[test]
fn a_comment_that_fits_is_complete() {
    let directory = many_findings(100);
    let markdown = text(directory.path(), &["main", "--format", "markdown"]);
    assert_eq!(markdown.matches("`link-broken`").count(), 100);
    assert!(!markdown.contains("left out"), "{markdown}");
}

/// A unit of one name in two namespaces, objects with generated names, and a second cluster.
fn renamed() -> TempDir {
    let directory = committed();
    let root = directory.path();
    let kustomization = "namespace: shop\nresources: [app.yaml]\nsecretGenerator:\n  - name: login\n    literals: [PASSWORD=hunter2]\nconfigMapGenerator:\n  - name: conf\n    literals: [A=1]\n";
    write(root, "shop/kustomization.yaml", kustomization);
    commit(root, "generated");
    let with = kustomization.replace("hunter2", "hunter3");
    write(root, "shop/kustomization.yaml", &with.replace("A=1", "A=2"));
    let unit = fs::read_to_string(root.join("clusters/dev/shop.yaml")).unwrap();
    let other = unit.replace("namespace: flux-system", "namespace: team-b");
    write(
        root,
        "clusters/dev/other.yaml",
        &other.replace("./shop", "./other"),
    );
    let app = fs::read_to_string(root.join("shop/app.yaml")).unwrap();
    write(
        root,
        "other/app.yaml",
        &app.replace("namespace: shop", "namespace: team-b"),
    );
    for file in [
        "flux-system/gotk-sync.yaml",
        "flux-system/kustomization.yaml",
        "shop.yaml",
    ] {
        let text = fs::read_to_string(root.join("clusters/dev").join(file)).unwrap();
        let text = text.replace("clusters/dev", "clusters/prod");
        write(root, &format!("clusters/prod/{file}"), &text);
    }
    commit(root, "more");
    directory
}

#[test]
fn a_unit_under_another_id_is_renamed_and_generated_names_stay_the_same_object() {
    let directory = renamed();
    let difference = json(directory.path(), &["HEAD~1", "HEAD"]);
    assert_eq!(difference["clusters"]["added"][0], "prod");
    let renamed = &difference["components"]["renamed"][0];
    assert_eq!(renamed["from"], "shop", "{difference}");
    let changed = difference["components"]["changed"].as_array().unwrap();
    let shop = changed.iter().find(|one| one["was"] == "shop").unwrap();
    assert_eq!(shop["id"], renamed["to"]);
    let objects: Vec<String> = shop["objects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{} {} {}", one["kind"], one["name"], one["change"]))
        .collect();
    assert_eq!(
        objects,
        [
            "\"ConfigMap\" \"conf\" \"changed\"",
            "\"Secret\" \"login\" \"changed\""
        ]
    );
    // A cluster that is new brings its settings, which is one change; what was set otherwise in the old one is another.
    let settings = shop["settings"].as_array().unwrap();
    let names: Vec<&str> = settings
        .iter()
        .filter_map(|one| one["name"].as_str())
        .collect();
    assert_eq!(names, ["A"], "{difference}");
    let said = text(directory.path(), &["HEAD~1"]);
    assert!(said.contains("+ environment  prod\n"), "{said}");
    assert!(!said.contains("hunter"), "{said}");
}

#[test]
fn a_secret_that_comes_or_goes_is_told_without_its_value() {
    let directory = committed();
    let root = directory.path();
    let with = "hunter2, NEW_TOKEN: tok-123, REGION: eu";
    replace(root, "clusters/dev/shop.yaml", "hunter2", with);
    replace(
        root,
        "shop/app.yaml",
        "            - {name: API_TOKEN",
        "            - {name: NEW, value: '${NEW_TOKEN} ${REGION}'}\n            - {name: API_TOKEN",
    );
    let difference = json(root, &["main"]);
    let settings = &difference["components"]["changed"][0]["settings"];
    assert_eq!(settings[0]["name"], "NEW_TOKEN", "{difference}");
    assert_eq!(settings[0]["secret"], true);
    assert_eq!(settings[0]["change"], "added");
    assert_eq!(settings[0]["after"], Value::Null);
    assert_eq!(settings[1]["after"], "eu");
    assert!(!difference.to_string().contains("tok-123"));
    let said = text(root, &["main"]);
    assert!(
        said.contains("+ setting  NEW_TOKEN (secret, dev)\n"),
        "{said}"
    );
    assert!(said.contains("+ setting  REGION: eu (dev)\n"), "{said}");
}
