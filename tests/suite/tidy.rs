//! The tree keeps its shape: modules use only those above them, each dependency is imported in one
//! place, and every file says what it is.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

pub fn sources() -> Vec<(PathBuf, String)> {
    fn walk(directory: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    walk(&root, &mut paths);
    paths.sort();
    let relative = |path: &PathBuf| path.strip_prefix(&root).unwrap().to_path_buf();
    paths
        .iter()
        .map(|path| (relative(path), fs::read_to_string(path).unwrap()))
        .collect()
}

/// The modules in the order of `lib.rs`.
fn order() -> Vec<String> {
    let lib = &sources()
        .into_iter()
        .find(|(path, _)| path == Path::new("lib.rs"))
        .unwrap()
        .1;
    let modules = lib
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    modules.map(str::to_owned).collect()
}

/// The top module that a file belongs to.
fn module(path: &Path) -> String {
    let first = path
        .components()
        .next()
        .unwrap()
        .as_os_str()
        .to_string_lossy()
        .into_owned();
    first.trim_end_matches(".rs").to_owned()
}

#[test]
fn a_module_uses_only_modules_above_it() {
    let order = order();
    let rank = |name: &str| order.iter().position(|module| module == name);
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let Some(own) = rank(&module(&path)) else {
            continue;
        };
        let code = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim_start().starts_with("//"));
        for (number, line) in code {
            for used in line.split("crate::").skip(1) {
                let name: String = used
                    .chars()
                    .take_while(|c| c.is_ascii_lowercase() || *c == '_')
                    .collect();
                if rank(&name).is_some_and(|other| other > own) {
                    wrong.push(format!("{}:{}: uses {name}", path.display(), number + 1));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "modules are listed in lib.rs from the first to the last stage:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn the_model_has_never_heard_of_a_tool() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        // Documentation shows manifests as people write them.
        let is_documentation = path.starts_with("check/read");
        if !["model", "check"].contains(&module(&path).as_str()) || is_documentation {
            continue;
        }
        let code = text.split("#[cfg(test)]").next().unwrap();
        let code = without_documentation(code);
        for word in [
            "flux",
            "Flux",
            "argo",
            "Argo",
            "pulumi",
            "terraform",
            "Kustomization\"",
            "HelmRelease\"",
        ] {
            // Titles spell the names of products.
            if code.contains(word) && path != Path::new("model/title.rs") {
                wrong.push(format!("{}: {word}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a rule says of itself shows manifests as people write them.
fn without_documentation(code: &str) -> String {
    let mut parts = code.split("about: r#\"");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.split_once("\"#").map_or("", |(_, code)| code));
    rest.fold(first, |code, part| code + part)
}

#[test]
fn a_dependency_is_imported_in_one_module() {
    // These are the language's furniture rather than choices that may be revisited.
    const EVERYWHERE: &[&str] = &[
        "serde",
        "serde_json",
        "smol_str",
        "thiserror",
        "rayon",
        "clap",
        "anyhow",
        "schemars",
        "sha2",
    ];
    let manifest =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
    let dependencies = manifest
        .split("[dependencies]")
        .nth(1)
        .unwrap()
        .split("\n[")
        .next()
        .unwrap();
    let names: Vec<String> = dependencies
        .lines()
        .filter_map(|line| {
            line.split_once(" = ")
                .or_else(|| line.split_once(".workspace"))
        })
        .map(|(name, _)| name.replace('-', "_"))
        .filter(|name| !EVERYWHERE.contains(&name.as_str()))
        .collect();
    assert!(names.len() > 3, "{names:?}");
    let mut users: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in sources() {
        let code = text.split("#[cfg(test)]").next().unwrap();
        for name in &names {
            let used = [
                format!("use {name}::"),
                format!(" {name}::"),
                format!("({name}::"),
                format!("<{name}::"),
            ];
            if used.iter().any(|pattern| code.contains(pattern.as_str())) {
                users.entry(name.clone()).or_default().insert(module(&path));
            }
        }
    }
    let wrong: Vec<_> = users
        .iter()
        .filter(|(_, modules)| modules.len() > 1)
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn every_file_opens_with_what_it_is() {
    for (path, text) in sources() {
        assert!(
            text.starts_with("//! "),
            "{} does not say what it is",
            path.display()
        );
    }
}

#[test]
fn no_file_has_grown_out_of_shape() {
    for (path, text) in sources() {
        let lines = text.split("#[cfg(test)]").next().unwrap().lines().count();
        assert!(
            lines <= 600,
            "{} has {lines} lines: split it",
            path.display()
        );
    }
}
