//! Tests of `config.rs`.

use super::*;

const FULL: &str = r#"
title = "Platform"
repository = "https://github.com/acme/platform.git/"
repo = "../platform"
ignore = ["/drafts/", "!drafts/kept.yaml", "*.bak"]
decisions = ["./docs/architecture/"]
external_crds = ["traefik.io", "*.cattle.io"]

[[cluster]]
name = "dev"
root = "./clusters/dev/"

[[cluster]]
name = "prod"
root = "clusters/prod"

[[layer]]
name = "Network"
match = ["traefik", "k8s/network/", "cert-*"]

[[layer]]
name = "Apps"
match = ["apps/**"]

[[owner]]
name = "Platform team"
contact = "platform@example.org"
match = ["**"]

[[accepted]]
spec = "0003"
step = 2
now = "`a/` has 4 files, not 3"
because = "Spec 0003a added one."

[[accepted]]
spec = "0002"
file = "infra/main.tf"
because = "It moved to another repository."
"#;

/// The places and messages of all mistakes, one a line.
fn mistakes(text: &str) -> Vec<String> {
    let error = parse(text, "catalog.toml").unwrap_err();
    let line = |m: &Mistake| format!("{}:{} {}", m.line, m.column, m.message);
    error.mistakes.iter().map(line).collect()
}

#[test]
fn an_empty_file_is_a_configuration() {
    assert_eq!(parse("", "catalog.toml").unwrap(), Config::default());
}

#[test]
fn an_address_has_no_control_characters() {
    for key in ["url", "repository"] {
        let found = mistakes(&format!("{key} = \"https://x/\\u0000\""));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("is not a URL"), "{found:?}");
    }
}

#[test]
fn every_key_is_read() {
    let config = parse(FULL, "catalog.toml").unwrap();
    assert_eq!(config.title.as_deref(), Some("Platform"));
    assert_eq!(
        config.repository.as_deref(),
        Some("https://github.com/acme/platform")
    );
    assert_eq!(
        config.repo_dir(Path::new("docs/catalog.toml")),
        Some(PathBuf::from("docs/../platform"))
    );
    assert_eq!(config.ignore.len(), 3);
    let clusters: Vec<_> = config
        .clusters
        .iter()
        .map(|c| (c.name.as_str(), c.place.line))
        .collect();
    assert_eq!(clusters, [("dev", 11), ("prod", 15)]);
    assert_eq!(config.decisions, ["docs/architecture"]);
    let accepted = config.accepted.iter();
    let accepted: Vec<_> = accepted
        .map(|a| (a.spec.as_str(), a.step, a.place.line))
        .collect();
    assert_eq!(accepted, [("0003", Some(2), 31), ("0002", None, 37)]);
    assert_eq!(config.layers[0].name, "Network");
    assert_eq!(
        config.owners[0].contact.as_deref(),
        Some("platform@example.org")
    );
    assert!(config.owners[0].matches(&["anything/at/all"]));
    assert!(config.has_external_crds("management.cattle.io"));
    assert!(!config.has_external_crds("cattle.io"));
}

#[test]
fn a_directory_matches_itself_and_all_below_but_a_star_stops_at_a_slash() {
    let config = parse(FULL, "catalog.toml").unwrap();
    let [network, apps] = &config.layers[..] else {
        panic!("two layers")
    };
    assert!(network.matches(&["other", "k8s/network"]));
    assert!(network.matches(&["k8s/network/traefik/release.yaml"]));
    assert!(network.matches(&["cert-manager"]));
    assert!(!network.matches(&["cert-manager/x", "k8s", "k8s/networks"]));
    assert!(apps.matches(&["apps"]) && apps.matches(&["apps/n8n"]));
    assert!(!apps.matches(&[]));
}

#[test]
fn all_mistakes_are_told_at_once_with_their_places() {
    let text = r#"
tilte = "x"
title = 3
ignore = ["[a", "ok", 4]
external_crds = "traefik.io"
repository = "github.com/acme"

[[cluster]]
name = "dev"
root = "/clusters/dev"

[[cluster]]
name = "dev"
root = "a/../../b"

[[cluster]]
nmae = "x"
root = ".."

[layer]
name = "x"

[[owner]]
name = ""
contact = "javascript:alert(1)"
match = ["a{b"]
"#;
    assert_eq!(
        mistakes(text),
        [
            "2:1 unknown key `tilte`",
            "3:9 `title` must be a string, not an integer",
            "4:11 `[a` is not a valid glob: unclosed character class; missing ']'",
            "4:23 `ignore` must be a string, not an integer",
            "5:17 `external_crds` must be a list of strings, not a string",
            "6:14 `github.com/acme` is not a URL",
            "10:8 `/clusters/dev` is not a directory in the repository",
            "13:8 there are two clusters named `dev`",
            "14:8 `a/../../b` is not a directory in the repository",
            "16:1 the key `name` is missing",
            "17:1 unknown key `nmae`",
            "18:8 `..` is not a directory in the repository",
            "20:1 `layer` must be a list of tables, not a table",
            "24:8 the name of this owner is empty",
            "25:11 `javascript:alert(1)` is neither a URL nor an email address",
            "26:10 `a{b` is not a valid glob: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)",
        ]
    );
}

#[test]
fn a_mistake_is_shown_with_its_line_and_a_suggestion() {
    let error = parse("# us\n\ntilte = \"x\"\n", "catalog.toml").unwrap_err();
    let expected = "\
error: unknown key `tilte`
 --> catalog.toml:3:1
  |
3 | tilte = \"x\"
  | ^^^^^
  |
  = help: did you mean `title`?";
    assert_eq!(error.to_string(), expected);
    let far = parse("environments = 1", "catalog.toml").unwrap_err();
    assert!(far.to_string().contains("`external_crds`, `owner`"));
}

#[test]
fn a_guide_lies_beside_a_repo_that_is_named_and_nowhere_else() {
    let config = parse("repo = \"content\"\nguide = \"docs\"\n", "catalog.toml").unwrap();
    assert_eq!(config.guide.as_deref(), Some("docs"));
    assert_eq!(
        mistakes("guide = \"docs\""),
        ["1:9 `guide` is set without `repo`"]
    );
    for outside in ["../docs", "/etc", "docs/../.."] {
        let text = format!("repo = \"content\"\nguide = \"{outside}\"\n");
        let message = format!("2:9 `{outside}` is not below the directory of this file");
        assert_eq!(mistakes(&text), [message]);
    }
}

#[test]
fn broken_syntax_is_told_with_what_stands_before_it_and_nothing_it_causes() {
    let text = "tilte = 1\n[[cluster]]\nname = \"a\"\nroot\n[[cluster\nname = 1\n";
    assert_eq!(
        mistakes(text),
        [
            "1:1 unknown key `tilte`",
            "4:5 invalid TOML: key with no value, expected `=`",
            "5:10 invalid TOML: unclosed array table, expected `]]`",
        ]
    );
    assert_eq!(
        mistakes("title = \"a\"\ntitle = \"b\"\n"),
        ["2:1 invalid TOML: duplicate key"]
    );
}

#[test]
fn what_is_accepted_says_what_and_why() {
    let text = "[[accepted]]\nspec = \"1\"\nbecause = \"x\"\n[[accepted]]\nspec = \"1\"\nfile = \"a\"\nstep = 0\n\
                    [[accepted]]\nspec = \"1\"\nstep = \"2\"\nbecause = \" \"\n";
    assert_eq!(
        mistakes(text),
        [
            "1:1 this entry has neither `file` nor `step`",
            "4:1 the key `because` is missing",
            "7:8 `step` counts from 1",
            "7:8 this entry has both `file` and `step`",
            "8:1 this entry has neither `file` nor `step`",
            "10:8 `step` must be an integer, not a string",
            "11:11 the reason is empty",
        ]
    );
}

#[test]
fn credentials_in_the_address_are_refused_and_not_repeated() {
    let text = "repository = \"https://me:secret@github.com/acme/platform\"";
    let error = parse(text, "catalog.toml").unwrap_err().to_string();
    assert!(error.contains("credentials") && !error.contains("secret"));
}

#[test]
fn the_schema_has_the_keys_that_are_read() {
    let schema = schemars::schema_for!(Config);
    let keys = |value: &serde_json::Value| -> Vec<String> {
        let object = value["properties"].as_object().unwrap();
        let mut keys: Vec<String> = object.keys().cloned().collect();
        keys.sort();
        keys
    };
    let sorted = |keys: &[&str]| {
        let mut keys: Vec<String> = keys.iter().map(|key| key.to_string()).collect();
        keys.sort();
        keys
    };
    let defs = &schema.as_value()["$defs"];
    assert_eq!(keys(schema.as_value()), sorted(read::KEYS));
    assert_eq!(keys(&defs["Cluster"]), sorted(read::CLUSTER_KEYS));
    assert_eq!(keys(&defs["Layer"]), sorted(read::LAYER_KEYS));
    assert_eq!(keys(&defs["Owner"]), sorted(read::OWNER_KEYS));
    assert_eq!(keys(&defs["Chart"]), sorted(chart::CHART_KEYS));
    assert_eq!(keys(&defs["Kind"]), sorted(kind::KIND_KEYS));
    assert_eq!(keys(&defs["Accepted"]), sorted(read::ACCEPTED_KEYS));
    assert_eq!(keys(&defs["Check"]), sorted(check::KEYS));
    assert_eq!(keys(&defs["Allow"]), sorted(check::ALLOW_KEYS));
    assert!(schema.as_value()["properties"]["ignore"]["description"].is_string());
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let missing = load(&dir.path().join("catalog.toml")).unwrap_err();
    assert!(missing.to_string().contains("catalog.toml`: "));
    assert!(
        load(dir.path())
            .unwrap_err()
            .to_string()
            .contains("regular file")
    );

    let latin = dir.path().join("latin.toml");
    std::fs::write(&latin, b"title = \"a\"\n# caf\xe9\n").unwrap();
    let error = load(&latin).unwrap_err();
    assert_eq!((error.mistakes[0].line, error.mistakes[0].column), (2, 6));
}
