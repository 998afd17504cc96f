//! Generators that look at a repository: its directories, or the files in it that hold parameters. Only this one can be
//! looked at.

use std::collections::BTreeSet;

use super::generator::{GeneratorContext, MAX_PARAMS, ParameterSets};
use super::globbing::Globbing;
use super::params::ParamStyle;
use crate::input::repo::{Repo, RepoPath};
use base::glob::{self, Stars};
use base::{FileId, Place};
use gotemplate::Value;
use yaml::Node;

/// The parameters that it gives, for each directory and file that it finds.
pub fn sets(
    body: &Node,
    place: Place,
    context: &GeneratorContext<'_>,
    given: &mut ParameterSets,
) -> Vec<Value> {
    let url = body.text_at(&["repoURL"]).unwrap_or_default();
    let patterns = |key: &str| {
        let listed = body.items_at(key).iter();
        listed.filter_map(|item| item.text_at(&["path"])).next()
    };
    let first = patterns("directories").or_else(|| patterns("files"));
    let fixed = RepoPath::new(glob::fixed(first.unwrap_or_default()));
    let is_own = fixed.is_some_and(|path| context.context.is_own(url, &path));
    if !is_own {
        let why = format!("it reads {url}, which is not this repository");
        given.unknown.insert(place, why);
        return Vec::new();
    }
    let repo = context.context.facts.repo;
    let prefix = body.text_at(&["pathParamPrefix"]).unwrap_or_default();
    let mut sets = Vec::new();
    for directory in directories(repo, body.items_at("directories")) {
        let mut set = Value::map(std::iter::empty());
        add_path(&mut set, &directory, None, prefix, context.style);
        sets.push(set);
    }
    for (file, path) in files(context, body.items_at("files")) {
        if sets.len() > MAX_PARAMS {
            break;
        }
        given.files.insert(file);
        let directory = path.parent().unwrap_or_else(RepoPath::root);
        for mut set in parameters(context, file) {
            add_path(
                &mut set,
                &directory,
                Some(path.file_name()),
                prefix,
                context.style,
            );
            sets.push(set);
        }
    }
    given.is_cut |= sets.len() > MAX_PARAMS;
    sets.truncate(MAX_PARAMS);
    sets
}

/// The maps that a file holds: one, or a list of them.
fn parameters(context: &GeneratorContext<'_>, file: FileId) -> Vec<Value> {
    let facts = context.context.facts.file(file);
    let objects = facts.resources.iter().map(|resource| &resource.node);
    let documents = facts.other_documents.iter().chain(objects);
    let mut sets = Vec::new();
    for document in documents.take(1) {
        match Value::from_node(document) {
            Value::List(items) => sets.extend(items.iter().take(MAX_PARAMS).cloned()),
            set @ Value::Map(_) => sets.push(set),
            _ => {}
        }
    }
    sets
}

/// Directories that a pattern matches and none that excludes; those that begin with a dot are never looked at.
fn directories(repo: &Repo, patterns: &[Node]) -> BTreeSet<RepoPath> {
    let mut all = BTreeSet::new();
    for pattern in patterns.iter().filter(|pattern| !is_exclusion(pattern)) {
        let Some(text) = pattern.text_at(&["path"]) else {
            continue;
        };
        let Some(base) = RepoPath::new(glob::fixed(text)) else {
            continue;
        };
        for file in repo.below(&base) {
            let mut above = repo.path(file).parent();
            while let Some(here) = above.filter(|here| !here.as_str().is_empty()) {
                above = here.parent();
                if all.contains(&here) {
                    continue;
                }
                let is_hidden = here.as_str().split('/').any(|part| part.starts_with('.'));
                if !is_hidden && glob::matches(text, here.as_str(), Stars::Plain) {
                    all.insert(here);
                }
            }
        }
    }
    let excluded: Vec<&str> = exclusions(patterns);
    all.retain(|path| {
        let mut excluded = excluded.iter();
        !excluded.any(|pattern| glob::matches(pattern, path.as_str(), Stars::Plain))
    });
    all
}

fn files(context: &GeneratorContext<'_>, patterns: &[Node]) -> Vec<(FileId, RepoPath)> {
    let repo = context.context.facts.repo;
    let by_git = matching(repo, patterns, Globbing::Git);
    let by_name = matching(repo, patterns, Globbing::Stars);
    // The globbing mode is looked up only if it makes a difference.
    let found = if by_git == by_name || Globbing::detect(context.context) == Globbing::Git {
        by_git
    } else {
        by_name
    };
    let files = found.into_iter();
    files.map(|file| (file, repo.path(file).clone())).collect()
}

fn matching(repo: &Repo, patterns: &[Node], globbing: Globbing) -> BTreeSet<FileId> {
    let mut found = BTreeSet::new();
    for pattern in patterns.iter().filter(|pattern| !is_exclusion(pattern)) {
        let Some(text) = pattern.text_at(&["path"]) else {
            continue;
        };
        let Some(base) = RepoPath::new(glob::fixed(text)) else {
            continue;
        };
        let single = repo.file(&base);
        let below = repo.below(&base).chain(single);
        found.extend(below.filter(|file| globbing.matches(text, repo.path(*file).as_str())));
    }
    let excluded = exclusions(patterns);
    found.retain(|file| {
        let mut excluded = excluded.iter();
        !excluded.any(|pattern| globbing.matches(pattern, repo.path(*file).as_str()))
    });
    found
}

fn is_exclusion(pattern: &Node) -> bool {
    pattern.get("exclude").and_then(Node::as_bool) == Some(true)
}

fn exclusions(patterns: &[Node]) -> Vec<&str> {
    let excluded = patterns.iter().filter(|pattern| is_exclusion(pattern));
    excluded
        .filter_map(|pattern| pattern.text_at(&["path"]))
        .collect()
}

/// Adds the path parameters of a git generator, in the template style of the ApplicationSet.
fn add_path(set: &mut Value, path: &RepoPath, file: Option<&str>, prefix: &str, style: ParamStyle) {
    let segments: Vec<&str> = path.as_str().split('/').collect();
    let basename = path.file_name();
    let normal = gotemplate::normal(basename).replace('_', "-");
    let named = file.map(|file| (file, gotemplate::normal(file)));
    match style {
        ParamStyle::Go(_) => {
            let mut inner = Value::default();
            inner.set(&["path"], Value::text(path.as_str()));
            inner.set(&["basename"], Value::text(basename));
            inner.set(&["basenameNormalized"], Value::text(normal));
            inner.set(
                &["segments"],
                Value::list(segments.iter().map(|part| Value::text(*part))),
            );
            if let Some((file, normal)) = named {
                inner.set(&["filename"], Value::text(file));
                inner.set(&["filenameNormalized"], Value::text(normal));
            }
            match prefix {
                "" => set.set(&["path"], inner),
                prefix => set.set(&[prefix, "path"], inner),
            }
        }
        ParamStyle::Names => {
            let key = |name: &str| match prefix {
                "" => name.to_owned(),
                prefix => format!("{prefix}.{name}"),
            };
            let mut put = |name: &str, value: &str| set.set(&[&key(name)], Value::text(value));
            put("path", path.as_str());
            put("path.path", path.as_str());
            put("path.basename", basename);
            put("path.basenameNormalized", &normal);
            if let Some((file, normal)) = named {
                put("path.filename", file);
                put("path.filenameNormalized", &normal);
            }
            for (at, part) in segments.iter().enumerate() {
                put(&format!("path[{at}]"), part);
            }
        }
    }
}
