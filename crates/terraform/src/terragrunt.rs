//! Terragrunt files: which modules of the repo they run. Nothing else of them is read.

use std::collections::{BTreeMap, BTreeSet};

use crate::module::{Module, read_all};
use crate::syntax::{Block, Body, ExprKind, TemplatePart};
use base::{FileId, Files, RepoPath};

pub fn is_file(path: &RepoPath) -> bool {
    matches!(path.file_name(), "terragrunt.hcl" | "terragrunt.stack.hcl")
}

/// The modules that Terragrunt files name as their source.
pub fn run(
    tree: &dyn Files,
    files: Vec<FileId>,
    modules: &BTreeMap<RepoPath, Module>,
) -> BTreeSet<RepoPath> {
    if modules.is_empty() {
        return BTreeSet::new();
    }
    let mut run = BTreeSet::new();
    for (file, body) in read_all(tree, files) {
        // A mistake in such a file is Terragrunt's to report.
        let Ok(body) = body else {
            continue;
        };
        let directory = tree.path(file).parent().unwrap_or_else(RepoPath::root);
        let named = body.blocks.iter().filter(|block| names_source(block));
        let sources = named.filter_map(|block| source(&block.body));
        run.extend(sources.filter_map(|source| module(&directory, &source, modules)));
    }
    run
}

fn names_source(block: &Block) -> bool {
    matches!(block.kind.as_str(), "terraform" | "unit" | "stack")
}

/// The source of a block. Of an expression such as `"${get_repo_root()}/modules//vpc"`, the text after it.
fn source(body: &Body) -> Option<String> {
    match &body.get("source")?.kind {
        ExprKind::Text(text) => Some(text.to_string()),
        ExprKind::Template(parts) => match parts.last()? {
            TemplatePart::Text(text) => Some(text.to_string()),
            _ => None,
        },
        _ => None,
    }
}

/// The module that a source names: relative to the file, or else the only one whose path ends like that. Stacks copy
/// their units elsewhere, so the way up from there says nothing here.
fn module(
    directory: &RepoPath,
    source: &str,
    modules: &BTreeMap<RepoPath, Module>,
) -> Option<RepoPath> {
    if source.contains("://") || source.contains("::") || source.starts_with("git@") {
        return None;
    }
    let source = source.split('?').next().unwrap_or_default();
    let parts = source.split('/').filter(|part| !matches!(*part, "" | "."));
    let plain: Vec<&str> = parts.collect();
    let target = directory.join(&plain.join("/"));
    if let Some(target) = target.filter(|target| modules.contains_key(target)) {
        return Some(target);
    }
    let below = plain.iter().rposition(|part| *part == "..");
    let tail = plain[below.map_or(0, |at| at + 1)..].join("/");
    if tail.is_empty() {
        return None;
    }
    let ends = |path: &&RepoPath| {
        let rest = path.as_str().strip_suffix(tail.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    let mut found = modules.keys().filter(ends);
    let first = found.next()?;
    found.next().is_none().then(|| first.clone())
}
