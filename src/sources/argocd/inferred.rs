//! Clusters that nothing here registers, but that a template names in its paths: `kubernetes/{{name}}/web`. A directory
//! that is there has its cluster.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use super::super::ReadContext;
use super::application::sources;
use super::gap::{FilledKind, OPEN, matches};
use super::generator::GeneratorContext;
use super::params;
use crate::input::repo::RepoPath;
use gotemplate::{Value, normal};
use yaml::Node;

/// More clusters than this are not inferred.
const MAX_CLUSTERS: usize = 200;

/// The names for which everything exists that a template needs of this repo. None if it names nothing after clusters.
pub fn clusters(template: &Node, context: &ReadContext<'_>) -> BTreeSet<SmolStr> {
    let mut names: Option<BTreeSet<SmolStr>> = None;
    for (pattern, shape) in patterns(template, context) {
        let found = matches(&pattern, shape, context);
        names = Some(match names {
            Some(names) => names.intersection(&found).cloned().collect(),
            None => found,
        });
    }
    names
        .unwrap_or_default()
        .into_iter()
        .take(MAX_CLUSTERS)
        .collect()
}

/// Parameters that the generator would give for such a cluster. Its address and labels are not known.
pub fn parameters(name: &SmolStr) -> Value {
    let mut set = Value::default();
    set.set(&["name"], Value::Text(name.clone()));
    set.set(&["nameNormalized"], Value::text(normal(name)));
    set.set(&["server"], Value::text("https://unknown.invalid"));
    for key in ["labels", "annotations"] {
        set.set(&["metadata", key], Value::map(std::iter::empty()));
    }
    set
}

/// Whether a source of this repo has a directory for such a cluster.
pub fn exists(template: &Node, set: &Value, context: &GeneratorContext<'_>) -> bool {
    let repo = context.context.facts.repo;
    let is_there = |source: &&Node| {
        let path = source.text_at(&["path"])?;
        let url = source.text_at(&["repoURL"]).unwrap_or_default();
        let path = params::fill(path, set, context.style).ok()?;
        let path = RepoPath::new(path.trim_start_matches('/'))?;
        (context.context.is_own(url, &path) && repo.is_dir(&path)).then_some(())
    };
    sources(template)
        .iter()
        .any(|source| is_there(source).is_some())
}

/// Makes an Application for such a cluster go there by name.
pub fn send(application: &mut Node, name: &SmolStr) {
    let place = application.place;
    let destination = application.map_under("spec");
    let Some(destination) = destination
        .get_mut("destination")
        .and_then(Node::as_map_mut)
    else {
        return;
    };
    destination.0.retain(|entry| entry.key != "server");
    destination.set("name", Node::string(name.clone(), place));
}

/// Paths in this repo that are named after the cluster.
fn patterns(template: &Node, context: &ReadContext<'_>) -> Vec<(String, FilledKind)> {
    let sources = sources(template);
    let is_own = |source: &Node, path: &str| {
        let url = source.text_at(&["repoURL"]).unwrap_or_default();
        let fixed = path.split("{{").next().unwrap_or_default();
        let base = RepoPath::new(fixed.rsplit_once('/').map_or("", |(base, _)| base));
        base.is_some_and(|base| context.is_own(url, &base))
    };
    let mut found = Vec::new();
    for source in &sources {
        if let Some(path) = source.text_at(&["path"])
            && is_own(source, path)
        {
            let path = path.trim_start_matches('/');
            found.extend(pattern(path).map(|pattern| (pattern, FilledKind::Directory)));
        }
        let Some(helm) = source.get("helm") else {
            continue;
        };
        if helm.get("ignoreMissingValueFiles").and_then(Node::as_bool) == Some(true) {
            continue;
        }
        for file in helm.items_at("valueFiles").iter().filter_map(Node::text) {
            let referenced = file.strip_prefix('$').and_then(|rest| rest.split_once('/'));
            let Some((name, path)) = referenced else {
                continue;
            };
            let mut named = sources.iter();
            let named = named.find(|one| one.text_at(&["ref"]) == Some(name));
            if named.is_some_and(|named| is_own(named, path)) {
                found.extend(pattern(path).map(|pattern| (pattern, FilledKind::File)));
            }
        }
    }
    found
}

/// A path with a gap for the name, if that is its only parameter and it says more than the name.
fn pattern(path: &str) -> Option<String> {
    let mut pattern = String::new();
    let mut rest = path;
    while let Some((before, after)) = rest.split_once("{{") {
        let (inner, after) = after.split_once("}}")?;
        let inner = inner.trim_matches(['-', ' ']);
        if !matches!(
            inner,
            "name" | ".name" | "nameNormalized" | ".nameNormalized"
        ) {
            return None;
        }
        pattern.push_str(before);
        pattern.push_str(OPEN);
        rest = after;
    }
    pattern.push_str(rest);
    (pattern.contains(OPEN) && pattern.contains('/')).then_some(pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_name_of_a_cluster_leaves_a_gap() {
        let stated = |path: &str| pattern(path).map(|pattern| pattern.replace(OPEN, "*"));
        assert_eq!(stated("k8s/{{ .name }}/web").as_deref(), Some("k8s/*/web"));
        assert_eq!(stated("k8s/{{name}}").as_deref(), Some("k8s/*"));
        for path in [
            "{{name}}",
            "k8s/web",
            "k8s/{{.name}}/{{.path}}",
            "k8s/{{name",
        ] {
            assert_eq!(stated(path), None, "{path}");
        }
    }
}
