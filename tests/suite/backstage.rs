//! The export for Backstage, held to the schemas that Backstage publishes and to what its validators ask of names.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::cli::{catalog, repo, stderr, stdout};

fn entities(repo: &Path) -> Vec<Value> {
    let here = tempfile::tempdir().unwrap();
    let args = [
        "export",
        repo.to_str().unwrap(),
        "--format",
        "backstage",
        "-q",
    ];
    let output = catalog(&args, here.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    let documents = text.split("---\n").skip(1);
    documents
        .map(|document| serde_yaml::from_str(document).unwrap())
        .collect()
}

/// A schema with those that it refers to put in their place.
fn schema(name: &str) -> Value {
    fn resolve(value: &mut Value) {
        match value {
            Value::Object(map) => {
                map.remove("$id");
                let to = map.get("$ref").and_then(Value::as_str);
                if let Some(other) = to.filter(|to| !to.contains('#')) {
                    *value = schema(other);
                    return;
                }
                map.values_mut().for_each(resolve);
            }
            Value::Array(list) => list.iter_mut().for_each(resolve),
            _ => {}
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schema/backstage");
    let text = fs::read_to_string(root.join(format!("{name}.schema.json"))).unwrap();
    // What the processor adds is not in a file: what refers to its definitions is left out.
    let mut value: Value = serde_json::from_str(&text).unwrap();
    if let Some(Value::Object(properties)) = value.get_mut("properties") {
        properties.retain(|_, property| !property.to_string().contains("common#"));
    }
    resolve(&mut value);
    value
}

fn is_name(text: &str) -> bool {
    let ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    text.len() <= 63
        && ends(text.chars().next())
        && ends(text.chars().next_back())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

fn hold(entities: &[Value]) {
    let mut names = BTreeSet::new();
    for entity in entities {
        let kind = entity["kind"].as_str().unwrap();
        let schema = schema(&format!("{kind}.v1alpha1"));
        let validator = jsonschema::validator_for(&schema).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(entity)
            .map(|e| e.to_string())
            .collect();
        assert!(errors.is_empty(), "{entity:#}\n{errors:?}");
        let name = entity["metadata"]["name"].as_str().unwrap();
        assert!(is_name(name), "{name}");
        assert!(
            names.insert(format!("{}:{name}", kind.to_lowercase())),
            "{kind} {name}"
        );
        for tag in entity["metadata"]["tags"].as_array().into_iter().flatten() {
            let mut words = tag.as_str().unwrap().split('-');
            let is_word = |word: &str| {
                !word.is_empty()
                    && word
                        .bytes()
                        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
            };
            assert!(words.all(is_word), "{tag}");
        }
    }
    for entity in entities {
        let spec = &entity["spec"];
        let needs = spec["dependsOn"].as_array().into_iter().flatten();
        let owner = Some(&spec["owner"]).filter(|owner| owner.is_string() && *owner != "unknown");
        for reference in needs.chain(owner) {
            assert!(names.contains(reference.as_str().unwrap()), "{reference}");
        }
        if let Some(system) = spec["system"].as_str() {
            assert!(names.contains(&format!("system:{system}")), "{system}");
        }
    }
}

#[test]
fn the_example_is_what_backstage_takes() {
    let entities = entities(&Path::new(env!("CARGO_MANIFEST_DIR")).join("content"));
    hold(&entities);
    let find = |kind: &str, name: &str| {
        let mut all = entities.iter();
        let found = all.find(|e| e["kind"] == kind && e["metadata"]["name"] == name);
        found.unwrap_or_else(|| panic!("no {kind} {name}"))
    };
    let postgres = find("Component", "postgres");
    assert_eq!(postgres["spec"]["owner"], "group:platform");
    assert_eq!(postgres["spec"]["system"], "data");
    assert_eq!(postgres["spec"]["lifecycle"], "production");
    let needs: Vec<&str> = postgres["spec"]["dependsOn"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(needs.contains(&"component:cloudnative-pg"), "{needs:?}");
    assert!(needs.contains(&"resource:postgres-database"), "{needs:?}");
    assert_eq!(
        find("Resource", "postgres-database")["spec"]["type"],
        "database"
    );
    assert_eq!(
        find("Component", "localstack")["spec"]["lifecycle"],
        "experimental"
    );
    assert_eq!(
        find("Component", "recommendations")["spec"]["lifecycle"],
        "disabled"
    );
    assert_eq!(
        find("Group", "shop")["spec"]["profile"]["email"],
        "shop@meridianbooks.example"
    );
}

#[test]
fn whatever_a_repository_calls_things_the_entities_are_valid() {
    let unit = |name: &str, path: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\n\
             spec: {{interval: 1h, path: {path}, prune: true, sourceRef: {{kind: GitRepository, name: flux-system}}}}\n"
        )
    };
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n";
    let long = "n".repeat(90);
    let repo = repo(&[
        (
            "clusters/live-1/a.yaml",
            &unit("\"web\"", "\"./apps/Größe: x\""),
        ),
        ("clusters/live-1/b.yaml", &unit(&long, "./apps/b")),
        (
            "clusters/live-1/c.yaml",
            &unit(&format!("{long}.x"), "./apps/c"),
        ),
        ("apps/Größe: x/a.yaml", map),
        ("apps/b/a.yaml", map),
        ("apps/c/a.yaml", map),
        ("apps/b/README.md", "# - \"yes\": *x\n\nA: \"b\" #c\\\n"),
        (
            "catalog.toml",
            "[[layer]]\nname = \"基盤 & <x>\"\nmatch = [\"**\"]\n[[owner]]\nname = \"yes\"\ncontact = \"https://x.example/y?z=%20\"\nmatch = [\"**\"]\n",
        ),
    ]);
    let entities = entities(repo.path());
    assert_eq!(entities.len(), 5, "{entities:#?}");
    hold(&entities);
}
