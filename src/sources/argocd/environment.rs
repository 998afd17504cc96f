//! Environments of a chart that people install to create Applications. The chart leaves a value open, and its Applications
//! name files or directories after it: `values-{{ .Values.environment }}.yaml`. Each that exists is an environment.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use super::super::{InstallEnvironment, ReadContext};
use super::application::sources;
use super::chart;
use super::chart_tree::chart_tree;
use super::gap::{FilledKind, OPEN, matches};
use crate::facts::Resource;
use crate::input::repo::RepoPath;
use gotemplate::Value;
use yaml::Node;

/// More open values or environments of a chart than this are not looked at.
const MAX_OPEN: usize = 32;
const MAX_ENVIRONMENTS: usize = 64;

/// The environments of the chart in a directory: those that it has values files for, else those that files which its
/// Applications read are named after. None if it leaves nothing open that names files.
pub fn environments(directory: &RepoPath, context: &ReadContext<'_>) -> Vec<InstallEnvironment> {
    let own = with_own_values(directory, context);
    if !own.is_empty() {
        return own;
    }
    let open = open_values(directory, context).into_iter();
    for field in open.take(MAX_OPEN) {
        let probe = InstallEnvironment {
            field,
            name: OPEN.into(),
            values: None,
        };
        let made = chart::install(directory, Some(&probe), context).unwrap_or_default();
        let names = names(&made.resources, context);
        if !names.is_empty() {
            let each = names.into_iter().take(MAX_ENVIRONMENTS);
            return each
                .map(|name| InstallEnvironment {
                    field: probe.field.clone(),
                    name,
                    values: None,
                })
                .collect();
        }
    }
    Vec::new()
}

/// The environments that a chart has values files for, `values-prod.yaml`, where that is what makes its Applications
/// differ: with one of them the chart creates more than without.
fn with_own_values(directory: &RepoPath, context: &ReadContext<'_>) -> Vec<InstallEnvironment> {
    let repo = context.facts.repo;
    let files = repo.below(directory).filter_map(|file| {
        let path = repo.path(file);
        let stem = path.file_name().strip_suffix(".yaml");
        let stem = stem.or_else(|| path.file_name().strip_suffix(".yml"))?;
        let name = stem.strip_prefix("values")?.strip_prefix(['-', '_', '.'])?;
        let is_own = path.parent().as_ref() == Some(directory);
        let is_example = name.split(['-', '.']).any(|word| EXAMPLES.contains(&word));
        (is_own && !name.is_empty() && !is_example).then(|| InstallEnvironment {
            field: SmolStr::default(),
            name: name.into(),
            values: Some(file),
        })
    });
    let environments: Vec<InstallEnvironment> = files.take(MAX_ENVIRONMENTS).collect();
    let made = |environment: Option<&InstallEnvironment>| -> BTreeSet<SmolStr> {
        let made = chart::install(directory, environment, context).unwrap_or_default();
        made.resources.into_iter().map(|one| one.id.name).collect()
    };
    if environments.is_empty() {
        return environments;
    }
    let plain = made(None);
    let differs = environments
        .iter()
        .any(|one| made(Some(one)).len() > plain.len());
    if differs { environments } else { Vec::new() }
}

/// Words in the names of values files that nobody installs with.
const EXAMPLES: &[&str] = &["example", "sample", "schema", "template"];

/// The values that templates with Applications read and that the chart does not set.
fn open_values(directory: &RepoPath, context: &ReadContext<'_>) -> BTreeSet<SmolStr> {
    let Some((_, metadata)) = helm::metadata(directory, context) else {
        return BTreeSet::new();
    };
    let repo = context.facts.repo;
    let tree = chart_tree(directory, &metadata, context);
    let file = repo.file_in(directory, "values.yaml");
    let documents = file.map(|file| context.documents(file)).unwrap_or_default();
    let is_set = |path: &str| {
        let keys: Vec<&str> = path.split('.').collect();
        let mut found = documents.iter().filter_map(|document| document.at(&keys));
        found.any(|node| Value::from_node(node).is_true() || node.as_bool().is_some())
    };
    let making = tree.making.first().into_iter().flatten();
    let texts = making.filter_map(|file| repo.read_text(*file).ok());
    let mut open = BTreeSet::new();
    for text in texts {
        let read = text.split(".Values.").skip(1).map(|rest| {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"._-".contains(c));
            rest[..end.unwrap_or(rest.len())].trim_end_matches('.')
        });
        open.extend(
            read.filter(|path| !path.is_empty() && !is_set(path))
                .map(SmolStr::from),
        );
    }
    open
}

/// What the open value can be: all that exists for every Application that is named after it.
fn names(made: &[Resource], context: &ReadContext<'_>) -> BTreeSet<SmolStr> {
    let mut names: Option<BTreeSet<SmolStr>> = None;
    let mut optional = BTreeSet::new();
    for application in made {
        let sources = sources(&application.node);
        for source in &sources {
            for (found, presence) in in_source(source, context) {
                if presence == Presence::Optional {
                    optional.extend(found);
                    continue;
                }
                names = Some(match names.take() {
                    Some(names) => names.intersection(&found).cloned().collect(),
                    None => found,
                });
            }
        }
    }
    names.unwrap_or(optional)
}

/// Whether an Application can do without a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presence {
    Required,
    Optional,
}

/// For the path and each values file of a source that the value is part of: what the value can be.
fn in_source(source: &Node, context: &ReadContext<'_>) -> Vec<(BTreeSet<SmolStr>, Presence)> {
    let path = source.text_at(&["path"]).unwrap_or_default();
    let url = source.text_at(&["repoURL"]).unwrap_or_default();
    let path = path.trim_start_matches('/');
    let fixed = path.split(OPEN).next().unwrap_or_default();
    let base = RepoPath::new(fixed.rsplit_once('/').map_or(fixed, |(before, _)| before));
    if source.get("chart").is_some() || !base.is_some_and(|base| context.is_own(url, &base)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    if path.contains(OPEN) {
        found.push((
            matches(path, FilledKind::Directory, context),
            Presence::Required,
        ));
        return found;
    }
    let Some(helm) = source.get("helm") else {
        return found;
    };
    let may_miss = helm.get("ignoreMissingValueFiles").and_then(Node::as_bool) == Some(true);
    let presence = if may_miss {
        Presence::Optional
    } else {
        Presence::Required
    };
    let files = helm.items_at("valueFiles").iter().filter_map(Node::text);
    for file in files.filter(|file| file.contains(OPEN) && !file.contains("://")) {
        let whole = match file.strip_prefix('/') {
            Some(file) => RepoPath::new(file),
            None => RepoPath::new(path).and_then(|path| path.join(file)),
        };
        if let Some(whole) = whole.filter(|_| !file.starts_with('$')) {
            found.push((matches(whole.as_str(), FilledKind::File, context), presence));
        }
    }
    found
}
