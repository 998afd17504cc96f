//! What of a repo may be applied with a command: files with workloads, directories of namespaces, overlays. Reads facts,
//! changes nothing.

use super::super::{Aside, EntrySearch, ancestors, is_retired};
use super::layout;
use crate::facts::Resource;
use crate::input::repo::RepoPath;
use crate::sources::kustomize::included;
use crate::sources::{self, Facts};
use base::FileId;
use kustomize::AssemblyKind;

/// Files with workloads that no cluster has yet.
pub fn running<'s>(search: &'s EntrySearch<'_>, aside: Aside) -> impl Iterator<Item = FileId> + 's {
    let all = search.facts.all();
    let files = all.filter(move |(file, found)| {
        let is_wanted = |path: &RepoPath| aside == Aside::Taken || !is_aside(path);
        !search.is_reached(*file)
            && found.resources.iter().any(is_workload)
            && found
                .resources
                .iter()
                .all(|one| sources::unit(one).is_none())
            && is_wanted(search.facts.repo.path(*file))
            && !is_in_chart(search.facts, *file)
    });
    files.map(|(file, _)| file)
}

/// Directories that have the name of a Namespace in them, below `namespaces`.
pub fn namespaces(search: &EntrySearch<'_>, aside: Aside) -> Vec<RepoPath> {
    let all = search
        .facts
        .all()
        .filter(|(file, _)| !search.is_reached(*file));
    let named = all.filter_map(|(file, found)| {
        let directory = search.facts.repo.path(file).parent()?;
        let mut spaces = found
            .resources
            .iter()
            .filter(|one| one.id.is("", "Namespace"));
        let is_own = spaces.any(|space| space.id.name == directory.file_name());
        let is_wanted = aside == Aside::Taken || !is_aside(&directory);
        let is_below = layout::is_namespace(&directory);
        (is_own && is_wanted && is_below).then_some(directory)
    });
    let mut found: Vec<RepoPath> = named.collect();
    found.dedup();
    found
}

/// `overlays/a` and what is below, where a kustomization takes objects that no cluster has yet: an operator runs what they
/// ask for. Not where a component is all there is.
pub fn overlays(search: &EntrySearch<'_>, aside: Aside) -> Vec<RepoPath> {
    let facts = search.facts;
    let assemblies = facts.all().filter_map(|(file, found)| {
        let assembly = found.assembly.as_ref()?;
        let directory = facts.repo.path(file).parent()?;
        let is_wanted = aside == Aside::Taken || !is_aside(&directory);
        let is_top = assembly.kind == AssemblyKind::Whole && layout::is_overlay(&directory);
        (is_top && is_wanted).then_some(directory)
    });
    let has_free = |directory: &RepoPath| {
        let files = included(facts, directory);
        files.into_iter().any(|file| {
            let mut objects = facts.file(file).resources.iter();
            !search.is_reached(file)
                && objects.any(|one| !one.id.name.is_empty() && sources::unit(one).is_none())
        })
    };
    // One inside another that does not include it is left out there.
    let is_left_out = |directory: &RepoPath| {
        ancestors(directory)
            .take_while(layout::is_overlay)
            .any(|above| facts.assembly_file(&above).is_some())
    };
    let overlays = assemblies.filter(|directory| !is_left_out(directory));
    overlays.filter(has_free).collect()
}

pub fn is_workload(resource: &Resource) -> bool {
    let id = &resource.id;
    let is_kind = matches!(
        (id.group.as_str(), id.kind.as_str()),
        (
            "apps" | "extensions",
            "Deployment" | "StatefulSet" | "DaemonSet"
        ) | ("batch", "CronJob")
            | ("apps.openshift.io", "DeploymentConfig")
            | ("argoproj.io", "Rollout")
            | ("serving.knative.dev", "Service")
    );
    is_kind && !id.name.is_empty()
}

fn is_in_chart(facts: &Facts<'_>, file: FileId) -> bool {
    let path = facts.repo.path(file);
    ancestors(path).any(|directory| facts.repo.file_in(&directory, "Chart.yaml").is_some())
}

/// Whether a path says that what is there is not deployed: examples, tests, documentation, what others wrote.
pub fn is_aside(path: &RepoPath) -> bool {
    let is_example = |part: &str| {
        matches!(
            part,
            "docs"
                | "doc"
                | "documentation"
                | "example"
                | "examples"
                | "sample"
                | "samples"
                | "tests"
                | "e2e"
                | "fixtures"
                | "vendor"
                | "third_party"
                | "node_modules"
                | "hack"
        ) || part.starts_with('.')
    };
    is_retired(path) || path.as_str().split('/').any(is_example)
}
