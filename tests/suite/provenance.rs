//! Files of specs, compared with a history: what changed after the record and who accounts for it; and the components
//! that decisions and runbooks stand with.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::cli::export;
use crate::diff::git;

pub fn put(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

pub fn commit(root: &Path, message: &str) {
    git(root, &["add", "-A"]);
    git(root, &["commit", "-qm", message]);
}

pub fn spec(number: &str, steps: &str) -> String {
    format!(
        "# Spec {number}: Shop\n\n## Context\n\nThe shop is new.\n\n## Validation steps\n\n{steps}"
    )
}

fn record(number: &str, day: &str, rows: &str) -> String {
    format!(
        "# Provenance: Spec {number}\n\n**Spec:** `.sdd/specification/spec-{number}-shop.md`\n**Executed:** {day}\n\n\
         ## Actions Taken\n\n1. Did it\n\n## Decisions Made\n\nNone.\n\n## Deviations from Spec\n\nNone.\n\n\
         ## Artifacts Produced\n\n| File | Status |\n|---|---|\n{rows}\n## Validation Results\n\n1. PASS\n"
    )
}

pub fn add_spec(root: &Path, number: &str, steps: &str, day: &str, rows: &str) {
    let path = format!(".sdd/specification/spec-{number}-shop.md");
    put(root, &path, &spec(number, steps));
    let path = format!(".sdd/provenance/spec-{number}-shop.provenance.md");
    put(root, &path, &record(number, day, rows));
}

/// The states of the files of a spec, by path.
fn files(document: &Value, id: &str) -> BTreeMap<String, String> {
    let specs = document["specs"].as_array().unwrap();
    let spec = specs.iter().find(|spec| spec["id"] == id).unwrap();
    let artifacts = spec["artifacts"].as_array().unwrap().iter();
    artifacts
        .map(|one| {
            let compared = match one["compared"].as_bool() {
                Some(true) => "",
                _ => " (not compared)",
            };
            let state = one["state"].as_str().unwrap();
            let path = one["file"].as_str().unwrap().to_owned();
            (path, format!("{state}{compared}"))
        })
        .collect()
}

pub fn steps(document: &Value, id: &str) -> Vec<String> {
    let specs = document["specs"].as_array().unwrap();
    let spec = specs.iter().find(|spec| spec["id"] == id).unwrap();
    let steps = spec["validation"].as_array().unwrap().iter();
    steps
        .map(|step| step["state"].as_str().unwrap().to_owned())
        .collect()
}

fn findings(document: &Value, rule: &str) -> Vec<String> {
    let all = document["findings"].as_array().unwrap().iter();
    all.filter(|finding| finding["rule"] == rule)
        .map(|finding| finding["message"].as_str().unwrap().to_owned())
        .collect()
}

pub const CONFIG: &str =
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shop}\ndata: {a: \"1\"}\n";

#[test]
fn a_file_is_as_its_record_left_it_or_somebody_accounts_for_the_change() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    git(root, &["init", "-q", "-b", "main"]);
    let names = [
        "same", "later", "drifted", "bot", "moved", "gone", "planned", "kept",
    ];
    let mut rows = String::new();
    for name in names {
        put(
            root,
            &format!("apps/{name}.yaml"),
            &CONFIG.replace("shop", name),
        );
        rows += &format!("| `apps/{name}.yaml` | Created |\n");
    }
    rows += "| `.sdd/specification/spec-0001-shop.md` | Created |\n";
    // The record was written under another name, and moved since.
    put(
        root,
        ".provenance/spec-1-shop.provenance.md",
        &record("0001", "2026-03-01", &rows),
    );
    put(
        root,
        ".sdd/specification/spec-0001-shop.md",
        &spec("0001", "1. `apps/same.yaml` exists\n"),
    );
    commit(root, "Add the shop");

    put(root, "apps/later.yaml", &CONFIG.replace('1', "2"));
    add_spec(
        root,
        "0002",
        "1. `apps/later.yaml` exists\n",
        "2026-03-02",
        "| `apps/later.yaml` | Modified |\n",
    );
    commit(root, "Change it by a spec");

    put(root, "apps/drifted.yaml", &CONFIG.replace('1', "3"));
    fs::remove_file(root.join("apps/gone.yaml")).unwrap();
    fs::rename(root.join("apps/moved.yaml"), root.join("apps/here.yaml")).unwrap();
    commit(root, "Repair it in a hurry");
    fs::rename(
        root.join(".provenance/spec-1-shop.provenance.md"),
        root.join(".sdd/provenance/spec-0001-shop.provenance.md"),
    )
    .unwrap();
    commit(root, "Move the record");
    put(
        root,
        ".sdd/specification/spec-0003-shop.md",
        "# Spec 0003: Shop\n\n## Context\n\nMore.\n\n## Work\n\nUpdate `apps/planned.yaml`.\n\n## Validation steps\n\n1. `apps/planned.yaml` exists\n",
    );
    commit(root, "Write a spec");
    put(root, "apps/planned.yaml", &CONFIG.replace('1', "3"));
    commit(root, "Begin to carry it out");

    put(root, "apps/bot.yaml", &CONFIG.replace('1', "4"));
    git(root, &["add", "-A"]);
    git(
        root,
        &[
            "commit",
            "-qm",
            "Update",
            "--author",
            "renovate[bot] <r@example.org>",
        ],
    );
    put(
        root,
        ".sdd/specification/spec-0001-shop.md",
        &spec("0001", "1. `apps/same.yaml` exists.\n"),
    );
    commit(root, "Correct a spec");

    let document = export(root);
    let found = files(&document, "0001");
    let expected = [
        (".sdd/specification/spec-0001-shop.md", "edited"),
        ("apps/bot.yaml", "edited"),
        ("apps/drifted.yaml", "drifted"),
        ("apps/gone.yaml", "gone"),
        ("apps/kept.yaml", "holds"),
        ("apps/later.yaml", "changed"),
        ("apps/moved.yaml", "gone"),
        ("apps/planned.yaml", "changed"),
        ("apps/same.yaml", "holds"),
    ];
    let expected: BTreeMap<String, String> = expected
        .iter()
        .map(|(path, state)| ((*path).to_owned(), (*state).to_owned()))
        .collect();
    assert_eq!(found, expected);
    let drifted = findings(&document, "artifact-drifted");
    assert_eq!(drifted.len(), 1, "{drifted:?}");
    assert!(drifted[0].contains("changed `apps/drifted.yaml` after this record"));
    let gone = findings(&document, "artifact-gone");
    let says = |text: &str| gone.iter().any(|message| message.contains(text));
    assert!(
        says("`apps/gone.yaml` does not exist (deleted by commit"),
        "{gone:?}"
    );
    assert!(
        says("`apps/moved.yaml` was moved to `apps/here.yaml`"),
        "{gone:?}"
    );

    // Whoever changes a spec that names neither the file nor its directory accounts for nothing.
    put(root, "apps/same.yaml", &CONFIG.replace('1', "6"));
    put(root, "apps/later.yaml", &CONFIG.replace('1', "6"));
    let path = ".sdd/specification/spec-0002-shop.md";
    put(root, path, &spec("0002", "1. `apps/later.yaml` exists.\n"));
    commit(root, "Correct a spec and repair a file");
    let document = export(root);
    assert_eq!(files(&document, "0001")["apps/same.yaml"], "drifted");
    assert_eq!(files(&document, "0002")["apps/later.yaml"], "edited");
    let drifted = findings(&document, "artifact-drifted");
    assert_eq!(drifted.len(), 1, "one finding a record: {drifted:?}");
    assert!(drifted[0].starts_with("2 files of this record changed after it"));

    // What is not committed yet differs as well.
    put(root, "apps/kept.yaml", &CONFIG.replace('1', "5"));
    let document = export(root);
    assert_eq!(files(&document, "0001")["apps/kept.yaml"], "drifted");

    // An accepted change is no finding.
    put(
        root,
        "catalog.toml",
        "[[accepted]]\nspec = \"0001\"\nfile = \"apps/drifted.yaml\"\nbecause = \"It was urgent.\"\n",
    );
    let drifted = findings(&export(root), "artifact-drifted");
    assert!(
        drifted[0].starts_with("2 files of this record"),
        "{drifted:?}"
    );

    // Without history, nothing is said of changes, nor of those that were accepted.
    fs::remove_dir_all(root.join(".git")).unwrap();
    let document = export(root);
    assert_eq!(findings(&document, "accepted-nothing"), [""; 0]);
    assert_eq!(
        files(&document, "0001")["apps/drifted.yaml"],
        "holds (not compared)"
    );
    assert_eq!(findings(&document, "artifact-drifted"), [""; 0]);
}

#[test]
fn a_fix_and_what_it_fixes_know_each_other() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    add_spec(
        root,
        "0003",
        "1. `apps/store.yaml` exists\n2. `apps/` contains exactly 1 files\n",
        "2026-03-01",
        "| `apps/store.yaml` | Created |\n",
    );
    add_spec(
        root,
        "0003a",
        "1. `apps/store.yaml` does not exist\n",
        "2026-03-02",
        "| `apps/store.yaml` | Deleted |\n| `store/store.yaml` | Created |\n",
    );
    let path = ".sdd/specification/spec-0003a-shop.md";
    let text = fs::read_to_string(root.join(path)).unwrap();
    put(
        root,
        path,
        &text.replace("The shop is new.", "Spec 0003 placed the store too early."),
    );
    put(root, "store/store.yaml", CONFIG);
    put(root, "apps/other.yaml", CONFIG);
    let document = export(root);
    let fix = document["specs"]
        .as_array()
        .unwrap()
        .iter()
        .find(|spec| spec["id"] == "0003a")
        .unwrap();
    assert_eq!(fix["fixes"], serde_json::json!(["0003"]));
    // A step that a later spec ended is neither broken nor a finding.
    assert_eq!(steps(&document, "0003")[0], "ended");
    assert_eq!(findings(&document, "validation-broken"), [""; 0]);
}

/// The components that show a page, by id.
fn shown_on(document: &Value, list: &str, wanted: &str) -> Vec<String> {
    let components = document["components"].as_array().unwrap().iter();
    let has = |component: &&Value| {
        let entries = component[list].as_array().unwrap().iter();
        entries
            .map(|entry| entry["file"].as_str().or(entry.as_str()))
            .any(|entry| entry == Some(wanted))
    };
    components
        .filter(has)
        .map(|component| component["id"].as_str().unwrap().to_owned())
        .collect()
}

/// Components in namespaces of their own.
fn platform(names: &[&str]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    put(
        root,
        "clusters/dev/flux-system/gotk-sync.yaml",
        crate::cli::SYNC,
    );
    for name in names {
        put(
            root,
            &format!("clusters/dev/{name}.yaml"),
            &crate::cli::unit(name, &format!("apps/{name}"), ""),
        );
        let group = if *name == "cnpg-clusters" {
            "apiVersion: postgresql.cnpg.io/v1\nkind: Cluster\n"
        } else {
            "apiVersion: apps/v1\nkind: Deployment\n"
        };
        put(
            root,
            &format!("apps/{name}/objects.yaml"),
            &format!("{group}metadata: {{name: {name}, namespace: {name}}}\nspec: {{}}\n"),
        );
    }
    directory
}

#[test]
fn a_runbook_stands_with_the_component_that_its_name_says() {
    let directory = platform(&[
        "sealed-secrets",
        "vault",
        "nextcloud",
        "cnpg-clusters",
        "search",
    ]);
    let root = directory.path();
    let rebuild = "docs/runbooks/cluster-rebuild.md";
    let pages = [
        (
            "docs/runbooks/sealed-secrets-key-backup.md",
            "# Save the key\n",
            "sealed-secrets",
        ),
        (
            "docs/runbooks/home-nextcloud-recovery.md",
            "# Recovery\n",
            "nextcloud",
        ),
        (
            "docs/runbooks/vault-operations.md",
            "# Operations\n\n```bash\nkubectl -n vault get pods\n```\n",
            "vault",
        ),
        (
            "apps/search/RUNBOOK.md",
            "# When nothing is found\n",
            "search",
        ),
        // A kind that is a word as well counts where a runbook says that it is a kind.
        (
            "docs/runbooks/failover.md",
            "---\nkind: Cluster\n---\n\n# Failover\n",
            "cnpg-clusters",
        ),
    ];
    for (path, text, _) in pages {
        put(root, path, text);
    }
    // It rebuilds Kubernetes, and must not be at hand when a database is down.
    put(
        root,
        rebuild,
        "# Cluster Rebuild Runbook\n\nRebuild the Cluster.\n",
    );
    put(
        root,
        "docs/runbooks/search-for-leaks.md",
        "# Search for leaks\n\n```bash\nkubectl -n nextcloud get pods\n```\n",
    );
    let document = export(root);
    for (path, _, component) in pages {
        assert_eq!(shown_on(&document, "runbooks", path), [component], "{path}");
    }
    for path in [rebuild, "docs/runbooks/search-for-leaks.md"] {
        assert_eq!(shown_on(&document, "runbooks", path), [""; 0], "{path}");
    }
}

#[test]
fn a_decision_is_about_what_it_decides_and_not_about_what_it_names() {
    let directory = platform(&["grafana", "loki", "umami", "cnpg-clusters"]);
    let root = directory.path();
    let decision = |title: &str, context: &str, decided: &str| {
        format!(
            "# {title}\n\n## Status\n\nAccepted\n\n## Context\n\n{context}\n\n## Decision\n\n{decided}\n"
        )
    };
    put(
        root,
        "docs/adr/0001-logs.md",
        &decision(
            "1. Keep logs in Loki",
            "Grafana shows them.",
            "We run it on one node.",
        ),
    );
    put(
        root,
        "docs/adr/0002-analytics.md",
        &decision("2. Count visits", "Loki has no visits.", "We use Umami."),
    );
    put(
        root,
        "docs/adr/0003-files.md",
        &decision(
            "3. Boards as code",
            "See `apps/grafana/objects.yaml`.",
            "In git.",
        ),
    );
    let document = export(root);
    assert_eq!(shown_on(&document, "decisions", "ADR-0001"), ["loki"]);
    assert_eq!(shown_on(&document, "decisions", "ADR-0002"), ["umami"]);
    assert_eq!(shown_on(&document, "decisions", "ADR-0003"), ["grafana"]);
}
