//! The tree keeps its shape: a folder of `src/` uses only those above it, each dependency is imported in one place, and
//! every file says what it is. Cargo holds the same for the crates.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The Rust files of the program and of its crates, by their path from the root of the project.
pub fn sources() -> Vec<(PathBuf, String)> {
    files_below(&["src", "crates"])
}

fn files_below(directories: &[&str]) -> Vec<(PathBuf, String)> {
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
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for directory in directories {
        walk(&root.join(directory), &mut paths);
    }
    paths.sort();
    let relative = |path: &PathBuf| path.strip_prefix(root).unwrap().to_path_buf();
    paths
        .iter()
        .map(|path| (relative(path), fs::read_to_string(path).unwrap()))
        .collect()
}

/// The folders of `src/` in the order of `lib.rs`, whether public or not.
fn order() -> Vec<String> {
    let lib = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let modules = lib.lines().filter_map(|line| {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        line.strip_prefix("mod ")?.strip_suffix(';')
    });
    modules.map(str::to_owned).collect()
}

/// The modules that a file below `src/` stands for, outermost first: `input`, `repo`, `walk`.
fn modules(path: &Path) -> Vec<String> {
    let inside = path.strip_prefix("src").unwrap().with_extension("");
    let names = inside
        .iter()
        .map(|name| name.to_string_lossy().into_owned());
    names
        .filter(|name| name != "mod" && name != "lib")
        .collect()
}

/// Whether a whole file is compiled for tests only.
fn is_test(path: &Path) -> bool {
    path.iter()
        .any(|name| name == "tests" || name == "tests.rs" || name == "fixture.rs")
}

/// `text` without comments and without the items that are compiled for tests only.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    while let Some(line) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            code.push_str(line);
            code.push('\n');
            continue;
        }
        // The item ends with a semicolon, or with a brace as far in as it begins. `rustfmt` sees to that.
        let mut indent = None;
        for line in lines.by_ref() {
            let inner = line.trim_start();
            let own = line.len() - inner.len();
            let start = *indent.get_or_insert(own);
            if own == start && (inner.ends_with(';') || inner.ends_with('}')) {
                break;
            }
        }
    }
    code
}

/// The paths in `code` that begin at the root of the crate, without `crate::`. `own` are the modules of the file.
fn paths_from_root(code: &str, own: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for after in code.split("crate::").skip(1) {
        match after.strip_prefix('{') {
            // A group at the root: only the first name of each of its members matters.
            Some(group) => {
                let group = group.split(';').next().unwrap_or_default();
                let members = group.split([',', '{', '}']).map(str::trim);
                found.extend(members.map(str::to_owned));
            }
            None => found.push(after.to_owned()),
        }
    }
    // `super::` leads to the root if there are as many as modules; blocks in a file may take one or two more.
    let mut rest = code;
    while let Some(at) = rest.find("super::") {
        let mut after = &rest[at..];
        let mut count = 0;
        while let Some(next) = after.strip_prefix("super::") {
            after = next;
            count += 1;
        }
        if count >= own.len() {
            found.push(after.to_owned());
        }
        rest = after;
    }
    found
}

#[test]
fn a_folder_uses_only_folders_above_it() {
    let order = order();
    assert!(order.len() > 8, "{order:?}");
    let rank = |name: &str| order.iter().position(|module| module == name);
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        if !path.starts_with("src") || is_test(&path) {
            continue;
        }
        let own = modules(&path);
        let Some(own_rank) = own.first().and_then(|name| rank(name)) else {
            continue;
        };
        for used in paths_from_root(&code(&text), &own) {
            let is_part = |c: &char| c.is_ascii_lowercase() || *c == '_';
            let name: String = used.chars().take_while(is_part).collect();
            if rank(&name).is_some_and(|other| other > own_rank) {
                wrong.push(format!("{} uses {name}", path.display()));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "folders are listed in lib.rs from the first to the last stage:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn the_model_and_the_checks_know_no_tool() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        // Documentation shows manifests as people write them, and titles spell the names of products.
        let is_data = path.starts_with("src/checks/read") || path.ends_with("catalog/title.rs");
        if !(path.starts_with("src/catalog") || path.starts_with("src/checks")) || is_data {
            continue;
        }
        let code = without_documentation(&code(&text));
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
            if code.contains(word) {
                wrong.push(format!("{}: {word}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn checks_read_no_files() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        // Suppression comments and fixes are in the files.
        let may = ["src/checks/triage", "src/checks/fix"];
        if !path.starts_with("src/checks") || may.iter().any(|may| path.starts_with(may)) {
            continue;
        }
        let code = code(&text);
        for call in [".read(", ".read_text(", "read_page(", "fs::"] {
            if code.contains(call) {
                wrong.push(format!("{}: {call}", path.display()));
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

/// These are the language's furniture rather than choices that may be revisited.
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

/// The dependencies that a `Cargo.toml` lists, other than the project's own crates.
fn dependencies(manifest: &Path) -> Vec<String> {
    let text = fs::read_to_string(manifest).unwrap();
    let list = text.split("\n[dependencies]\n").nth(1).unwrap_or_default();
    let list = list.split("\n[").next().unwrap();
    let engines = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
    list.lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            line.split_once(" = ")
                .or_else(|| line.split_once(".workspace"))
        })
        .map(|(name, _)| name.trim().replace('-', "_"))
        .filter(|name| !EVERYWHERE.contains(&name.as_str()) && !engines.join(name).is_dir())
        .collect()
}

/// Where a file imports from, as far as that matters: its crate, and in the program its folder and module. The preview is
/// one subject.
fn importer(path: &Path) -> String {
    if path.starts_with("crates") {
        let name = path.iter().nth(1).unwrap();
        return name.to_string_lossy().into_owned();
    }
    let modules = modules(path);
    let depth = match modules[0].as_str() {
        "preview" => 1,
        _ => 2,
    };
    modules[..depth.min(modules.len())].join("/")
}

#[test]
fn a_dependency_is_imported_in_one_module() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut names: BTreeSet<String> = dependencies(&root.join("Cargo.toml")).into_iter().collect();
    for entry in fs::read_dir(root.join("crates")).unwrap() {
        names.extend(dependencies(&entry.unwrap().path().join("Cargo.toml")));
    }
    assert!(names.len() > 20, "{names:?}");
    let mut users: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    // Tests of crates may make what the program reads.
    for (path, text) in sources().into_iter().filter(|(path, _)| !is_test(path)) {
        let code = code(&text);
        for name in &names {
            let used = [
                format!("use {name}::"),
                format!(" {name}::"),
                format!("({name}::"),
                format!("<{name}::"),
            ];
            if used.iter().any(|pattern| code.contains(pattern.as_str())) {
                users.entry(name).or_default().insert(importer(&path));
            }
        }
    }
    let wrong: Vec<_> = users
        .iter()
        .filter(|(_, modules)| modules.len() > 1)
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// A tree of YAML and a value of a Go template: each is `Value` where it is at home, and what turns one into the other
/// tells them apart by their crates.
const ALIKE: &str = "Value";

/// The name of the type that a line of code defines. Associated types belong to their trait.
fn defined(line: &str) -> Option<&str> {
    let item = line.trim_start();
    let visible = item
        .strip_prefix("pub")
        .map(|rest| match rest.split_once(") ") {
            Some((scope, item)) if scope.starts_with('(') => item,
            _ => rest.trim_start(),
        });
    let (keyword, name) = visible.unwrap_or(item).split_once(' ')?;
    let is_type = match keyword {
        "struct" | "enum" | "trait" => true,
        "type" => visible.is_some() || item.len() == line.len(),
        _ => false,
    };
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_');
    let name = &name[..end.unwrap_or(name.len())];
    (is_type && name.starts_with(|c: char| c.is_ascii_uppercase())).then_some(name)
}

/// Whether `code` calls `name` by itself, and the modules by which it calls something of that name: `markdown::Link`.
fn called<'c>(code: &'c str, name: &str) -> (bool, BTreeSet<&'c str>) {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut by_itself = false;
    let mut modules = BTreeSet::new();
    for (at, _) in code.match_indices(name) {
        let (before, after) = (&code[..at], &code[at + name.len()..]);
        let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
        if line.ends_with(is_part) || after.starts_with(is_part) {
            continue;
        }
        match line.strip_suffix("::") {
            // A variant of an enum is called by its type.
            Some(path) => {
                let module = path.rsplit(|c| !is_part(c)).next().unwrap_or_default();
                if module.starts_with(|c: char| c.is_ascii_lowercase()) && !is_import(line) {
                    modules.insert(module);
                }
            }
            // At the start of a line, variants are defined.
            None => by_itself |= !line.trim_start().is_empty(),
        }
    }
    (by_itself, modules)
}

fn is_import(line: &str) -> bool {
    let item = line.trim_start();
    item.starts_with("use ") || item.starts_with("pub") && item.contains(" use ")
}

#[test]
fn a_name_of_a_type_means_one_thing() {
    let sources: Vec<_> = sources()
        .into_iter()
        .filter(|(path, _)| !is_test(path))
        .map(|(path, text)| (path, code(&text)))
        .collect();
    let mut homes: BTreeMap<&str, Vec<&Path>> = BTreeMap::new();
    for (path, code) in &sources {
        for name in code.lines().filter_map(defined) {
            homes.entry(name).or_default().push(path);
        }
    }
    assert!(homes.len() > 1000, "{}", homes.len());
    homes.retain(|_, homes| homes.len() > 1);
    // What other people's crates call their types is theirs to choose.
    let names = sources.iter().flat_map(|(path, _)| path.iter());
    let mut own: BTreeSet<_> = names
        .filter_map(|name| name.to_str())
        .map(|name| name.trim_end_matches(".rs"))
        .collect();
    own.extend(["super", "self", "crate"]);
    let mut wrong = Vec::new();
    for (name, homes) in &homes {
        if homes.len() > 2 {
            wrong.push(format!("{name} is defined in {homes:?}"));
        }
        for (path, code) in &sources {
            if *name == ALIKE || !code.contains(name) {
                continue;
            }
            let (by_itself, mut modules) = called(code, name);
            let imports: Vec<_> = code.lines().filter(|line| is_import(line)).collect();
            modules.retain(|module| {
                let same =
                    |line: &&str| line.contains(&format!("{module}::")) && line.contains(name);
                own.contains(*module) && !imports.iter().any(same)
            });
            if by_itself && !modules.is_empty() {
                wrong.push(format!(
                    "{} uses two types called {name}: {modules:?}",
                    path.display()
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "name them after what they hold:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn definitions_of_types_are_found() {
    for line in [
        "struct Link {",
        "    pub(super) enum Link<'a> {",
        "pub trait Link: Copy {",
        "type Link = (u32, u32);",
        "pub struct Link;",
    ] {
        assert_eq!(defined(line), Some("Link"), "{line}");
    }
    for line in [
        "    type Item = Link;",
        "let link = Link {",
        "impl Link {",
        "pub fn link(",
    ] {
        assert_eq!(defined(line), None, "{line}");
    }
    let calls = |code| {
        let (by_itself, modules) = called(code, "Link");
        (by_itself, modules.into_iter().collect::<Vec<_>>())
    };
    let imported = "use markdown::Link;\nfn a(b: Option<Link>) {}";
    assert_eq!(calls(imported), (true, vec![]));
    assert_eq!(
        calls("fn a(b: &Link, c: markdown::Link) {}"),
        (true, vec!["markdown"])
    );
    assert_eq!(
        calls("    Link(u32),\n    Kind::Link => LinkKind::A,"),
        (false, vec![])
    );
}

#[test]
fn every_file_opens_with_what_it_is() {
    for (path, text) in files_below(&["src", "crates", "tests", "benches"]) {
        assert!(
            text.starts_with("//! "),
            "{} does not say what it is",
            path.display()
        );
    }
}

#[test]
fn no_file_has_grown_out_of_shape() {
    for (path, text) in files_below(&["src", "crates", "tests", "benches"]) {
        let lines = code(&text).lines().count();
        assert!(
            lines <= 500,
            "{} has {lines} lines: split it",
            path.display()
        );
    }
}

#[test]
fn no_folder_has_outgrown_its_subject() {
    let mut sizes: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for (path, text) in sources().iter().filter(|(path, _)| !is_test(path)) {
        let code = code(text);
        let lines = code.lines().filter(|line| !line.trim().is_empty());
        *sizes.entry(path.iter().take(2).collect()).or_default() += lines.count();
    }
    assert!(sizes.len() > 20, "{sizes:?}");
    sizes.retain(|_, lines| *lines > 12_000);
    assert!(sizes.is_empty(), "divide what they do: {sizes:?}");
}

#[test]
fn code_for_tests_is_left_out_and_nothing_else() {
    let text = "use a;\n#[cfg(test)]\nuse b;\nfn c() {}\n#[cfg(test)]\nmod tests {\n    mod d {}\n}\nfn e() {}\n";
    assert_eq!(code(text), "use a;\nfn c() {}\nfn e() {}\n");
    let own = ["input".to_owned(), "repo".to_owned()];
    let used = paths_from_root(
        "use crate::{a, b::c};\nuse super::super::d::E;\nuse super::f;",
        &own,
    );
    assert_eq!(used, ["a", "b::c", "", "d::E;\nuse super::f;"]);
}
