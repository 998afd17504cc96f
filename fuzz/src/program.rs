//! Targets that need the whole program.

use std::fs;
use std::path::Path;

use catalog::cluster::substitute::{Lookup, SubstitutionBudget, substitute};
use catalog::pipeline::{self, Request};

/// The name of a target, and what it runs.
type Target = (&'static str, fn(&str));

pub const TARGETS: &[Target] = &[
    ("substitution", put_in),
    ("kustomize", check_repository),
    ("configuration", read_configuration),
];

fn put_in(text: &str) {
    let lookup = |name: &str| match name.len() % 3 {
        0 => Lookup::Unset,
        1 => Lookup::Unknown,
        _ => Lookup::Value(name.into()),
    };
    let mut budget = SubstitutionBudget::default();
    let _ = substitute(text, &lookup, &mut budget);
}

fn read_configuration(text: &str) {
    if let Err(error) = catalog::input::config::parse(text, "catalog.toml") {
        drop(error.to_string());
    }
}

const SYNC: &str = "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: flux-system, namespace: flux-system}
spec: {path: ./clusters/dev, sourceRef: {kind: GitRepository, name: flux-system}}
";
const MAP: &str =
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: shop}\ndata: {a: b}\n";

/// A repository in which the text is a kustomization.
fn check_repository(text: &str) {
    let root = std::env::temp_dir().join(format!("catalog-fuzz-{}", std::process::id()));
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        let directory = path.parent().unwrap_or(Path::new("."));
        let made = fs::create_dir_all(directory).and_then(|()| fs::write(path, text));
        made.expect("a temporary file can be written");
    };
    write("clusters/dev/flux-system/gotk-sync.yaml", SYNC);
    write("clusters/dev/kustomization.yaml", text);
    write("clusters/dev/map.yaml", MAP);
    write("clusters/dev/a.env", "A=1\nB=two\n");
    write(
        "clusters/base/kustomization.yaml",
        "resources: [map.yaml]\n",
    );
    write("clusters/base/map.yaml", MAP);
    let request = Request {
        repo: Some(root.clone()),
        config: None,
        ..Request::default()
    };
    let checked = pipeline::check(&request);
    assert!(checked.is_ok(), "input is never an error");
}
