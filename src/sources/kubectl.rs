//! kubectl: directories that people apply by hand before any reconciler runs, as READMEs, Taskfiles, Makefiles and scripts
//! say. What is in them exists without the unit that applies it later.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::Facts;
use super::kustomize::included;
use crate::input::repo::RepoPath;
use base::FileId;

/// So many directories are looked into.
const MAX_DIRECTORIES: usize = 500;

/// What a command applies: a directory, or any whose path ends like this, since it begins with a variable.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum AppliedPath {
    Directory(RepoPath),
    End(String),
}

/// The files in directories that somebody applies with `kubectl apply -k`.
pub fn applied_first(facts: &Facts<'_>) -> BTreeSet<FileId> {
    let repo = facts.repo;
    let files: Vec<FileId> = repo.files().filter(|id| tells(repo.path(*id))).collect();
    let named = files.par_iter().flat_map_iter(|file| named(facts, *file));
    let named: BTreeSet<AppliedPath> = named.collect();
    let mut directories: BTreeSet<RepoPath> = BTreeSet::new();
    let mut ends: BTreeSet<String> = BTreeSet::new();
    for one in named {
        match one {
            AppliedPath::Directory(directory) => drop(directories.insert(directory)),
            AppliedPath::End(end) => drop(ends.insert(end)),
        }
    }
    if !ends.is_empty() {
        directories.extend(ending(facts, &ends));
    }
    let each = directories.iter().take(MAX_DIRECTORIES);
    each.flat_map(|directory| included(facts, directory))
        .collect()
}

/// Directories with a kustomization whose paths end in one of these.
fn ending(facts: &Facts<'_>, ends: &BTreeSet<String>) -> Vec<RepoPath> {
    let lists = facts.all().filter(|(_, found)| found.assembly.is_some());
    let lists = lists.filter_map(|(file, _)| facts.repo.path(file).parent());
    let is_meant = |directory: &RepoPath| {
        let path = directory.as_str();
        let parts = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
        std::iter::once(path)
            .chain(parts)
            .any(|end| ends.contains(end))
    };
    lists.filter(is_meant).collect()
}

/// Whether commands in a file are what people run.
fn tells(path: &RepoPath) -> bool {
    let name = path.file_name().to_ascii_lowercase();
    let (stem, extension) = name.rsplit_once('.').unwrap_or((&name, ""));
    match extension {
        "md" | "sh" | "just" => true,
        "yaml" | "yml" => stem.contains("taskfile") || path.as_str().contains("taskfiles/"),
        _ => matches!(name.as_str(), "makefile" | "justfile" | ".justfile"),
    }
}

/// What the commands in a file apply.
fn named(facts: &Facts<'_>, file: FileId) -> Vec<AppliedPath> {
    let Ok(text) = facts.repo.read_text(file) else {
        return Vec::new();
    };
    let here = facts.repo.path(file).parent();
    let here = here.unwrap_or_else(RepoPath::root);
    let commands = text.lines().filter_map(applied);
    commands
        .filter_map(|path| meant(facts, &here, &path))
        .collect()
}

/// The directory that a line of shell applies: `kubectl apply -k DIR` or `kustomize build DIR | kubectl apply -f -`.
fn applied(line: &str) -> Option<String> {
    if !line.contains("kubectl") {
        return None;
    }
    // A template is one word, even with spaces in it.
    let line = line.replace("{{ ", "{{").replace(" }}", "}}");
    let words: Vec<&str> = line
        .split_whitespace()
        .map(|word| word.trim_matches(['`', '"', '\'', ';', ',', '(', ')']))
        .collect();
    let kubectl = words.iter().position(|word| *word == "kubectl")?;
    let rest = &words[kubectl..];
    let end = rest
        .iter()
        .position(|word| ["|", "&&", "||"].contains(word));
    let rest = &rest[..end.unwrap_or(rest.len())];
    if !rest.iter().any(|word| ["apply", "create"].contains(word)) {
        return None;
    }
    let flag = rest
        .iter()
        .position(|word| ["-k", "--kustomize"].contains(word));
    let separate = flag.and_then(|at| rest.get(at + 1)).copied();
    let joined = || {
        rest.iter()
            .find_map(|word| word.strip_prefix("--kustomize="))
    };
    let built = || {
        let build = words[..kubectl]
            .windows(2)
            .position(|pair| pair == ["kustomize", "build"])?;
        let mut after = words[build + 2..kubectl].iter();
        after
            .find(|word| !word.starts_with('-') && **word != "|")
            .copied()
    };
    let path = separate.or_else(joined).or_else(built)?;
    Some(path.trim_matches(['"', '\'', '`']).to_owned())
}

/// What a path in a command means: a directory with a kustomization, seen from the file or from a directory above it.
fn meant(facts: &Facts<'_>, here: &RepoPath, path: &str) -> Option<AppliedPath> {
    let is_open = |part: &&str| part.contains(['$', '{', '<', '*']);
    let parts: Vec<&str> = path.trim_end_matches('/').split('/').collect();
    let known: Vec<&str> = parts.iter().copied().skip_while(is_open).collect();
    if known.iter().any(is_open) || path.contains("://") {
        return None;
    }
    if known.len() < parts.len() {
        // One name alone may be that of many directories.
        return (known.len() > 1).then(|| AppliedPath::End(known.join("/")));
    }
    let above = std::iter::successors(Some(here.clone()), RepoPath::parent);
    let mut found = above.filter_map(|above| facts.repo.resolve_dir(&above.join(path)?));
    let found = found.find(|directory| facts.assembly_file(directory).is_some())?;
    (!found.as_str().is_empty()).then_some(AppliedPath::Directory(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_the_directory_that_it_applies() {
        let cases = [
            ("kubectl apply -k ./flux/config", Some("./flux/config")),
            ("kubectl apply --server-side --kustomize=a/b", Some("a/b")),
            (
                "- kubectl apply -k \"{{ .DIR }}/boot/flux\"",
                Some("{{.DIR}}/boot/flux"),
            ),
            ("run `kubectl apply -k apps/x`, then wait", Some("apps/x")),
            (
                "kustomize build --enable-helm cni | kubectl apply -f -",
                Some("cni"),
            ),
            ("kubectl delete -k apps/x", None),
            ("kubectl apply -f apps/x", None),
            ("kubectl get pods && apply -k x", None),
        ];
        for (line, path) in cases {
            assert_eq!(applied(line).as_deref(), path, "{line}");
        }
    }
}
