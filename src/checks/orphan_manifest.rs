//! `orphan-manifest`: a manifest that is never applied, although others next to it are.

use std::collections::BTreeMap;

use super::{Check, CheckContext, wording};
use crate::input::repo::{Repo, RepoPath};
use crate::sources::inventory::Manifest;
use base::hash::HashSet;
use base::text::counted;
use base::{FileId, Finding, Rule, Severity};

pub struct OrphanManifest;

pub static RULE: Rule = Rule {
    name: "orphan-manifest",
    severity: Severity::Info,
    skips_input: false,
    security: None,
    summary: "A manifest is never applied, although others next to it are.",
    about: r#"
## What it does

Checks for manifests that no cluster applies, in directories where a reconciler applies other files. All orphans in a directory
are reported as one finding.

Directories that the reconciler does not use, such as those of bootstrap scripts, are ignored. So are CRDs and templates of
charts, what `flux bootstrap` leaves, and everything that a commented-out entry would include. In a repository with Argo CD, whose
Applications may be created elsewhere, only manifests count that the `kustomization.yaml` next to them leaves out.

## Why is this bad?

Somebody added the file and forgot its entry in `kustomization.yaml`, or removed the entry and forgot the file. Anyone who
reads the repository assumes that it is running.

## Example

```yaml
# kustomization.yaml, next to deployment.yaml, service.yaml and ingress.yaml
resources:
  - deployment.yaml
  - service.yaml
```

## How to fix it

Add the entry, or delete the file.
"#,
};

impl Check for OrphanManifest {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, context: &CheckContext<'_>) -> Vec<Finding> {
        if context.clusters.is_empty() {
            return Vec::new();
        }
        let used: HashSet<FileId> = context
            .clusters
            .iter()
            .flat_map(|cluster| cluster.files())
            .collect();
        let directories = directories(context, &reconciled(context));
        let switched_off = switched_off(context);
        let mut orphans: BTreeMap<RepoPath, Vec<&Manifest>> = BTreeMap::new();
        for manifest in &context.inventory.manifests {
            let path = context.repo.path(manifest.file);
            let is_first = context
                .inventory
                .exists_first
                .files
                .contains(&manifest.file);
            if used.contains(&manifest.file)
                || is_first
                || is_off(path, &switched_off)
                || is_in_chart(context.repo, path)
            {
                continue;
            }
            // Argo CD and people may apply what no unit names, but not through the kustomization beside it.
            if context.inventory.has_other_reconcilers && !is_left_out(context, &used, path) {
                continue;
            }
            if let Some(top) = top_unused(path, &directories) {
                orphans.entry(top).or_default().push(manifest);
            }
        }
        // Something installed by hand often has manifests next to it that are applied by hand too.
        let by_hand = &context.inventory.bootstrapped;
        orphans.retain(|top, _| {
            let mut files = by_hand.iter().map(|first| first.place.file);
            !files.any(|file| context.repo.path(file).is_below(top))
        });
        orphans
            .into_iter()
            .map(|(directory, manifests)| finding(context, &used, &directory, &manifests))
            .collect()
    }
}

/// Whether the kustomization beside a file is applied, and does without it for certain.
fn is_left_out(context: &CheckContext<'_>, used: &HashSet<FileId>, path: &RepoPath) -> bool {
    let directory = path.parent();
    let beside = directory.and_then(|directory| kustomization(context.repo, &directory));
    beside
        .is_some_and(|file| used.contains(&file) && !context.inventory.with_plugins.contains(&file))
}

fn kustomization(repo: &Repo, directory: &RepoPath) -> Option<FileId> {
    repo.file_in(directory, "kustomization.yaml")
}

/// The files that a reconciler applies. What else people apply with commands need not be stated anywhere.
fn reconciled(context: &CheckContext<'_>) -> HashSet<FileId> {
    let mut files = HashSet::default();
    for cluster in context.clusters {
        let units = cluster.units.iter();
        let units = units.filter(|unit| !unit.unit.is_applied_by_command());
        let applied = units.filter_map(|unit| unit.applied.as_ref());
        for applied in applied.chain([&cluster.loose]) {
            files.extend(&applied.files);
        }
    }
    files
}

/// Whether a file is a CRD or a template of a chart, which Helm decides about.
fn is_in_chart(repo: &Repo, path: &RepoPath) -> bool {
    let mut here = path.parent();
    while let Some(directory) = here {
        let chart = directory.parent();
        let is_part = matches!(directory.file_name(), "crds" | "templates");
        let is_chart = |chart: &RepoPath| repo.file_in(chart, "Chart.yaml").is_some();
        if is_part && chart.as_ref().is_some_and(is_chart) {
            return true;
        }
        here = chart;
    }
    false
}

/// Every directory that contains an applied file, at any depth.
fn directories(context: &CheckContext<'_>, used: &HashSet<FileId>) -> HashSet<RepoPath> {
    let mut directories = HashSet::default();
    for file in used {
        let mut directory = context.repo.path(*file).parent();
        while let Some(here) = directory {
            directory = here.parent();
            if !directories.insert(here) {
                break;
            }
        }
    }
    directories
}

/// The paths that commented-out entries refer to.
fn switched_off(context: &CheckContext<'_>) -> HashSet<RepoPath> {
    let mut paths = HashSet::default();
    for cluster in context.clusters {
        paths.extend(cluster.disabled.iter().map(|off| off.directory.clone()));
        let applied = cluster
            .units
            .iter()
            .filter_map(|unit| unit.applied.as_ref());
        for applied in applied.chain([&cluster.loose]) {
            let entries = applied.disabled.iter();
            paths.extend(entries.filter_map(|(directory, entry)| directory.join(&entry.path)));
        }
    }
    paths
}

fn is_off(path: &RepoPath, switched_off: &HashSet<RepoPath>) -> bool {
    let mut here = Some(path.clone());
    while let Some(at) = here {
        if switched_off.contains(&at) {
            return true;
        }
        here = at.parent();
    }
    false
}

/// The directory that an orphan is reported under: its own if other files in it are applied, else the topmost unused
/// directory within a used one. None if no directory above it is used.
fn top_unused(path: &RepoPath, used: &HashSet<RepoPath>) -> Option<RepoPath> {
    let own = path.parent()?;
    let mut here = own;
    if used.contains(&here) {
        return Some(here).filter(|here| !here.as_str().is_empty());
    }
    loop {
        let above = here.parent()?;
        if used.contains(&above) {
            // A top-level directory that nothing uses serves another purpose.
            return Some(here).filter(|_| !above.as_str().is_empty());
        }
        here = above;
    }
}

fn finding(
    context: &CheckContext<'_>,
    used_files: &HashSet<FileId>,
    directory: &RepoPath,
    manifests: &[&Manifest],
) -> Finding {
    let first = manifests[0];
    let name = context.repo.path(first.file).file_name();
    let message = match manifests.len() {
        1 if context.inventory.has_other_reconcilers => {
            format!(
                "`{name}` is not in the kustomization.yaml next to it, and nothing else here applies it"
            )
        }
        1 => format!("`{name}` is never applied"),
        count => format!(
            "`{name}` and {} in `{directory}` are never applied",
            counted(count - 1, "more manifest")
        ),
    };
    // Where the kustomization itself is not used, an entry in it changes nothing.
    let beside = kustomization(context.repo, directory);
    let is_beside = beside.is_some_and(|file| used_files.contains(&file));
    let help = match (is_beside, manifests.len()) {
        (true, 1) => "add it to the kustomization.yaml next to it, or delete it".to_owned(),
        (true, _) => "add them to the kustomization.yaml next to them, or delete them".to_owned(),
        (false, _) => {
            format!(
                "no kustomization that is applied includes `{directory}`: add it to one, or delete it"
            )
        }
    };
    let mut finding = Finding::info(RULE.name, first.place, message).help(help);
    for manifest in wording::some(&manifests[1..]) {
        let path = context.repo.path(manifest.file);
        finding = finding.note(manifest.place, format!("`{path}` is never applied either"));
    }
    for manifest in manifests {
        finding = finding.covers(manifest.place, "manifest");
    }
    finding
}
