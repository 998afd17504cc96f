//! Directories with the same workloads as another: a release in one file, images that a build fills in. One of them is what
//! runs.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use smol_str::SmolStr;

use super::super::super::build::Builder;
use super::{Entry, is_workload};
use base::text::last_part;
use kustomize::BuildObject;
use shell::kubectl::Reads;
use yaml::Node;

/// A workload, as other copies of it know it: kind, name and image, without registry and tag.
type WorkloadCopy = (SmolStr, SmolStr, SmolStr);

/// What an entry runs.
struct Runs {
    workloads: BTreeSet<WorkloadCopy>,
    /// Whether each image has a tag or a digest.
    is_pinned: bool,
}

/// The entries without those that mostly run what a better one does in the same environment.
pub fn without_copies(builder: &Builder<'_>, entries: Vec<Entry>) -> Vec<Entry> {
    if entries.len() < 2 {
        return entries;
    }
    let runs = entries.par_iter().map(|entry| runs(builder, entry));
    let runs: Vec<Runs> = runs.collect();
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|at| {
        let (entry, runs) = (&entries[*at], &runs[*at]);
        (
            entry.layout.environment.is_none(),
            !runs.is_pinned,
            entry.reads != Reads::Kustomization,
            entry.command.as_ref().map_or(3, |it| it.stated_in as usize),
            Reverse(runs.workloads.len()),
            entry.directory.clone(),
        )
    });
    let mut taken: BTreeMap<Option<&SmolStr>, BTreeSet<&WorkloadCopy>> = BTreeMap::new();
    let mut is_kept = vec![true; entries.len()];
    for at in order {
        let entry = &entries[at];
        if entry.layout.namespace.is_some() {
            continue;
        }
        let environment = entry.layout.environment.as_ref();
        let known = match environment {
            Some(_) => taken.get(&environment),
            None => taken.get(&None),
        };
        let workloads = &runs[at].workloads;
        let is_taken = |one: &&WorkloadCopy| known.is_some_and(|known| known.contains(*one));
        let copies = workloads.iter().filter(is_taken).count();
        if copies * 2 > workloads.len() {
            is_kept[at] = false;
            continue;
        }
        taken.entry(environment).or_default().extend(workloads);
        // What is in an environment is also what stands anywhere without one.
        taken.entry(None).or_default().extend(workloads);
    }
    let mut is_kept = is_kept.into_iter();
    let mut entries = entries;
    entries.retain(|_| is_kept.next().unwrap_or(true));
    entries
}

fn runs(builder: &Builder<'_>, entry: &Entry) -> Runs {
    let mut runs = Runs {
        workloads: BTreeSet::new(),
        is_pinned: true,
    };
    let resources = if entry.reads == Reads::Kustomization {
        let built = builder.build(&entry.directory, None).items;
        built.into_iter().map(BuildObject::into_resource).collect()
    } else {
        let files = entry.files.iter();
        let resources = files.flat_map(|file| builder.resources_of(*file).iter().cloned());
        resources.collect::<Vec<_>>()
    };
    for resource in resources.iter().filter(|one| is_workload(one)) {
        let image = image(&resource.node).unwrap_or_default();
        let (name, is_pinned) = without_tag(image);
        runs.is_pinned &= is_pinned;
        let id = &resource.id;
        let known = (id.kind.clone(), id.name.clone(), last_part(name).into());
        runs.workloads.insert(known);
    }
    runs
}

/// The image of the first container.
fn image(node: &Node) -> Option<&str> {
    let paths: [&[&str]; 2] = [
        &["spec", "template", "spec"],
        &["spec", "jobTemplate", "spec", "template", "spec"],
    ];
    let pods = paths.iter().find_map(|path| node.at(path));
    pods?.items_at("containers").first()?.text_at(&["image"])
}

/// An image without tag and digest, and whether it has one of them.
fn without_tag(image: &str) -> (&str, bool) {
    let (name, digest) = match image.split_once('@') {
        Some((name, _)) => (name, true),
        None => (image, false),
    };
    match name.rsplit_once(':') {
        Some((name, tag)) if !tag.contains('/') => (name, true),
        _ => (name, digest),
    }
}
