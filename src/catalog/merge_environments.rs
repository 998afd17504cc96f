//! One component under several names: a fleet may name the same thing after each cluster.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::component::{ComponentDraft, ComponentKey, Placement};
use super::name;
use crate::cluster::{ClusterIx, Clusters, Destination, ENVIRONMENTS};
use crate::facts::Unit;
use crate::input::repo::RepoPath;
use base::Place;

/// Merges components that clusters create from the same declaration under different names. If one cluster has several
/// of them, they stay separate.
pub fn merge(drafts: &mut BTreeMap<ComponentKey, ComponentDraft>, clusters: &Clusters) {
    let mut declared: BTreeMap<Place, Vec<ComponentKey>> = BTreeMap::new();
    for (key, draft) in drafts.iter() {
        if let Some(unit) = unit_of(key, draft, clusters) {
            declared.entry(unit.place).or_default().push(key.clone());
        }
    }
    for keys in declared.into_values().filter(|keys| keys.len() > 1) {
        let parts = keys.iter().flat_map(|key| &drafts[key].parts);
        if are_apart(parts.map(|part| part.cluster)) {
            join(drafts, keys);
        }
    }
    if clusters.len() > 1 {
        merge_across(drafts, clusters);
    }
    // One entry point may lead to many clusters: there, only what is named after each of them is the same.
    if clusters
        .iter()
        .any(|cluster| cluster.environments.len() > 1)
    {
        merge_by(drafts, clusters, |unit, part| {
            let core = core(unit, part, clusters)?;
            Some((part.cluster, core, Likeness::Declared(unit.place)))
        });
        merge_by(drafts, clusters, |unit, part| {
            let core = core(unit, part, clusters)?;
            let source = source(unit, part.environment(clusters))?;
            Some((part.cluster, core, Likeness::Made(source)))
        });
        for draft in drafts.values_mut() {
            draft.parts.sort_by_key(|part| {
                let cluster = &clusters[part.cluster];
                (part.cluster, cluster.rank(part.target))
            });
        }
    }
    prefer_cores(drafts, clusters);
}

/// Joins what several entry points create: one release by its name, and what each names after its environment.
fn merge_across(drafts: &mut BTreeMap<ComponentKey, ComponentDraft>, clusters: &Clusters) {
    merge_by(drafts, clusters, |unit, part| {
        part.release?;
        let source = source(unit, part.environment(clusters))?;
        Some((
            ClusterIx::FIRST,
            unit.id.qualified(),
            Likeness::Made(source),
        ))
    });
    merge_by(drafts, clusters, |unit, part| {
        let environment = part.environment(clusters);
        let name = &unit.id.name;
        around(name, environment)?;
        let source = without_stages(&source(unit, environment)?);
        let core = without(name, environment);
        (!core.is_empty()).then_some((ClusterIx::FIRST, core, Likeness::Made(source)))
    });
}

/// A path without the parts that say which stage it is for: `shop/production` is `shop`.
fn without_stages(source: &str) -> String {
    let parts = source
        .split('/')
        .filter(|part| !ENVIRONMENTS.contains(part));
    parts.collect::<Vec<_>>().join("/")
}

/// A name without that of its environment, which it begins or ends with.
fn around<'n>(name: &'n str, environment: &str) -> Option<&'n str> {
    let ends = |rest: &'n str| rest.strip_suffix(['-', '_']);
    let begins = |rest: &'n str| rest.strip_prefix(['-', '_']);
    let end = name.strip_suffix(environment).and_then(ends);
    let core = end.or_else(|| name.strip_prefix(environment).and_then(begins));
    core.filter(|core| !core.is_empty())
}

/// What is named after the only environment that it is in goes by the rest of its name, if nothing else is called so.
fn prefer_cores(drafts: &mut BTreeMap<ComponentKey, ComponentDraft>, clusters: &Clusters) {
    let environments = clusters.iter().map(|cluster| cluster.environments.len());
    if environments.sum::<usize>() < 2 {
        return;
    }
    let core = |draft: &ComponentDraft| {
        let name = draft.names.first()?;
        let mut environments = draft.parts.iter().map(|part| part.environment(clusters));
        let environment = environments.next()?;
        let is_only = environments.all(|other| other == environment);
        let core = around(name, environment).filter(|core| is_only && !name::is_generic(core));
        core.map(SmolStr::from)
    };
    let cores: Vec<(ComponentKey, SmolStr)> = drafts
        .iter()
        .filter_map(|(key, draft)| Some((key.clone(), core(draft)?)))
        .collect();
    let mut called: BTreeMap<SmolStr, usize> = BTreeMap::new();
    let names = drafts.values().flat_map(|draft| draft.names.first());
    for name in names.chain(cores.iter().map(|(_, core)| core)) {
        *called.entry(name.clone()).or_default() += 1;
    }
    for (key, core) in cores {
        if called[&core] == 1
            && let Some(draft) = drafts.get_mut(&key)
        {
            draft.names.insert(0, core);
        }
    }
}

/// Drops what two entry points bring to one cluster from one directory under one name: it is there once.
pub fn drop_repeated(drafts: &mut BTreeMap<ComponentKey, ComponentDraft>, clusters: &Clusters) {
    let several = clusters
        .iter()
        .filter(|cluster| cluster.environments.len() > 1);
    if several.count() < 2 {
        return;
    }
    let mut seen: BTreeMap<(&str, SmolStr, &str), ClusterIx> = BTreeMap::new();
    for draft in drafts.values_mut() {
        draft.parts.retain(|part| {
            let cluster = &clusters[part.cluster];
            let unit = &cluster.units[part.subject];
            let Some(directory) = unit
                .directory
                .as_ref()
                .filter(|_| part.target != Destination::HERE)
            else {
                return true;
            };
            let environment = cluster.environment(part.target);
            let brought = (environment, unit.unit.id.name.clone(), directory.as_str());
            *seen.entry(brought).or_insert(part.cluster) == part.cluster
        });
    }
    drafts.retain(|_, draft| !draft.parts.is_empty());
}

/// Evidence, besides the name, that two components are the same.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    /// One place declares both.
    Declared(Place),
    /// Both are made of the same directory or chart.
    Made(String),
}

/// Joins what a way to look at it says is the same, and what no environment has twice.
fn merge_by(
    drafts: &mut BTreeMap<ComponentKey, ComponentDraft>,
    clusters: &Clusters,
    same: impl Fn(&Unit, &Placement) -> Option<(ClusterIx, String, Likeness)>,
) {
    let mut alike: BTreeMap<(ClusterIx, String, Likeness), Vec<ComponentKey>> = BTreeMap::new();
    for (key, draft) in drafts.iter() {
        let unit = unit_of(key, draft, clusters);
        let first = unit.zip(draft.parts.first());
        if let Some(group) = first.and_then(|(unit, part)| same(unit, part)) {
            alike.entry(group).or_default().push(key.clone());
        }
    }
    for keys in alike.into_values().filter(|keys| keys.len() > 1) {
        let parts = keys.iter().flat_map(|key| &drafts[key].parts);
        if are_apart(parts.map(|part| part.environment(clusters))) {
            join(drafts, keys);
        }
    }
}

/// The unit that creates a component in the first of its clusters.
fn unit_of<'a>(
    key: &ComponentKey,
    draft: &ComponentDraft,
    clusters: &'a Clusters,
) -> Option<&'a Unit> {
    let part = draft.parts.first()?;
    let unit = part.release.or(part.unit)?;
    let unit = &clusters[part.cluster].units[unit].unit;
    matches!(key, ComponentKey::Unit { .. }).then_some(unit)
}

fn are_apart<T: Ord>(all: impl Iterator<Item = T>) -> bool {
    let mut seen = BTreeSet::new();
    let mut all = all;
    all.all(|one| seen.insert(one))
}

/// Makes one component of several.
fn join(drafts: &mut BTreeMap<ComponentKey, ComponentDraft>, keys: Vec<ComponentKey>) {
    let same: Vec<ComponentDraft> = keys.iter().filter_map(|key| drafts.remove(key)).collect();
    let firsts = same.iter().filter_map(|draft| draft.names.first().cloned());
    let firsts: Vec<SmolStr> = firsts.collect();
    let shared = name::common(&firsts.iter().map(|name| name.as_str()).collect::<Vec<_>>());
    let merged = same.into_iter().reduce(|mut draft, other| {
        draft.source = common_directory(draft.source.take(), other.source.as_ref());
        draft.parts.extend(other.parts);
        draft
    });
    if let (Some(mut draft), Some(key)) = (merged, keys.into_iter().next()) {
        // Each of their names is about one environment.
        if let Some(shared) = shared {
            draft.names.retain(|name| !firsts.contains(name));
            draft.names.insert(0, shared);
        }
        draft.parts.sort_by_key(|part| part.cluster);
        drafts.insert(key, draft);
    }
}

/// A unit's name without the name of its environment; none if nothing is left.
fn core(unit: &Unit, part: &Placement, clusters: &Clusters) -> Option<String> {
    if let Some(shared) = &unit.appearance.shared_name {
        return Some(shared.to_string());
    }
    let environment = part.environment(clusters);
    let core = without(&unit.id.name, environment);
    (!core.is_empty()).then_some(core)
}

/// A name without the words that it begins or ends with and that are those of an environment.
pub fn without(name: &str, environment: &str) -> String {
    let of_environment: BTreeSet<&str> = words(environment).collect();
    let mut left: Vec<&str> = name.split(['-', '_']).collect();
    let is_of = |word: Option<&&str>| word.is_some_and(|word| of_environment.contains(word));
    while is_of(left.last()) {
        left.pop();
    }
    let start = left.iter().take_while(|word| is_of(Some(word))).count();
    left.split_off(start).join("-")
}

fn words(name: &str) -> impl Iterator<Item = &str> {
    let words = name.split(['-', '_', '.', '/']);
    words.filter(|word| !word.is_empty())
}

/// The source of a unit: the name of its chart, else its directory without the environment's name.
fn source(unit: &Unit, environment: &str) -> Option<String> {
    if let Some(shared) = &unit.appearance.shared_name {
        return Some(shared.to_string());
    }
    let chart = unit.release.as_ref().and_then(|it| it.chart.as_ref());
    if let Some(chart) = chart {
        let name = chart.name.as_ref().map(|name| &name.value);
        return Some(name.unwrap_or(&chart.source.name).to_string());
    }
    let path = unit.build.as_ref().map(|build| &build.path)?;
    let parts = without_overlay(path, environment).split('/');
    let parts = parts.map(|part| without(part, environment));
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    Some(parts.join("/"))
}

/// A path up to its overlays, if the one that it leads to bears the environment's name: `shop/overlays/eu/prod` is
/// `shop/overlays` in `prod`, as is `shop/overlays/us/test` in `test`.
fn without_overlay<'p>(path: &'p str, environment: &str) -> &'p str {
    let leads_to = |overlay: &str| {
        let last = overlay.rsplit('/').next();
        last.is_some_and(|last| !last.is_empty() && without(last, environment).is_empty())
    };
    for overlays in ["overlays", "overlay"] {
        let around = path.split_once(&format!("/{overlays}/"));
        if let Some((base, overlay)) = around
            && leads_to(overlay.trim_end_matches('/'))
        {
            return &path[..base.len() + 1 + overlays.len()];
        }
    }
    path
}

/// The common parent of two directories: the manifests of a component if its environments build different ones.
pub fn common_directory(one: Option<RepoPath>, other: Option<&RepoPath>) -> Option<RepoPath> {
    let (Some(first), Some(second)) = (&one, other) else {
        return one;
    };
    // The common parent found so far may already contain the next directory.
    let mut above = Some(first.clone());
    while let Some(directory) = above.filter(|directory| !directory.as_str().is_empty()) {
        if *second == directory || second.is_below(&directory) {
            return Some(directory);
        }
        above = directory.parent();
    }
    one
}

#[cfg(test)]
mod tests {
    use super::*;

    fn common(directories: &[&str]) -> String {
        let mut paths = directories.iter().filter_map(|path| RepoPath::new(path));
        let first = paths.next();
        let all = paths.fold(first, |one, other| common_directory(one, Some(&other)));
        all.map(|path| path.as_str().to_owned()).unwrap_or_default()
    }

    #[test]
    fn a_name_is_the_same_but_for_the_words_of_its_environment() {
        assert_eq!(without("web-staging", "staging"), "web");
        assert_eq!(without("web-prod", "eks-prod-1"), "web");
        assert_eq!(without("prod-eu-web_api", "eu-prod.example.org"), "web-api");
        assert_eq!(
            without("web-production-cache", "production"),
            "web-production-cache"
        );
        assert_eq!(without("staging", "staging"), "");
    }

    #[test]
    fn an_overlay_may_lead_to_its_environment_through_other_directories() {
        let shared = "shop/overlays";
        assert_eq!(without_overlay("shop/overlays/eu/prod", "prod"), shared);
        assert_eq!(
            without_overlay("shop/overlays/moc/infra/", "moc-infra"),
            shared
        );
        for other in ["shop/overlays/prod/cache", "shop/overlays", "overlays/prod"] {
            assert_eq!(without_overlay(other, "prod"), other);
        }
    }

    #[test]
    fn however_many_directories_there_are_the_nearest_above_all_is_what_they_have_in_common() {
        let overlays = [
            "shop/overlays/dev",
            "shop/overlays/qa",
            "shop/overlays/prod",
        ];
        assert_eq!(common(&overlays), "shop/overlays");
        assert_eq!(common(&["shop", "shop/overlays/prod"]), "shop");
        assert_eq!(common(&["shop/overlays/prod", "shop"]), "shop");
        assert_eq!(common(&["shop/dev", "shop-api/dev"]), "shop/dev");
    }
}
