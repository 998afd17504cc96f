//! Units that the kustomization beside them leaves out: they are not deployed, and neither is what only they would create.

use super::*;
use crate::facts::Unit;

impl EntrySearch<'_> {
    /// Candidates without those that the kustomization beside them leaves out, and without what only these would create.
    pub(super) fn without_left_out(&self, candidates: Vec<ManualUnits>) -> Vec<ManualUnits> {
        let built: BTreeSet<RepoPath> = candidates
            .iter()
            .flat_map(|part| paths_of(&self.units_of(part)).collect::<Vec<_>>())
            .collect();
        let (left_out, mut kept): (Vec<ManualUnits>, Vec<ManualUnits>) =
            candidates.into_iter().partition(|part| {
                is_kept_aside(part, &built) || self.is_left_out(part) && !self.leads_here(part)
            });
        if left_out.is_empty() {
            return kept;
        }
        let paths = |parts: &[ManualUnits]| -> Vec<RepoPath> {
            let units = parts.iter().map(|part| self.units_of(part));
            units
                .flat_map(|units| paths_of(&units).collect::<Vec<_>>())
                .collect()
        };
        let (unwanted, wanted) = (paths(&left_out), paths(&kept));
        let is_at = |path: &RepoPath, top: &RepoPath| path == top || path.is_below(top);
        kept.retain(|part| {
            let here = &part.directory;
            let mut from = unwanted.iter().filter(|path| is_at(here, path));
            // What builds a directory further up lists what it wants of it.
            from.all(|top| {
                let mut inner = wanted.iter().filter(|path| is_at(path, top));
                inner.any(|path| is_at(here, path))
            })
        });
        kept
    }

    /// Whether a unit is made by a template, or builds the directory that it lies in, or one above or below: people apply
    /// it to start with.
    fn leads_here(&self, part: &ManualUnits) -> bool {
        let here = &part.directory;
        let units = self.units_of(part);
        let mut paths = paths_of(&units);
        units.iter().any(|unit| unit.template.is_some())
            || paths.any(|path| path == *here || path.is_below(here) || here.is_below(&path))
    }

    /// The units that files of a part declare. Templates of charts are not YAML, and declare none.
    fn units_of(&self, part: &ManualUnits) -> Vec<Unit> {
        if !part.by_hand.charts.is_empty() {
            return Vec::new();
        }
        let files = part.files.iter();
        let resources = files.flat_map(|file| self.builder.resources_of(*file));
        resources.filter_map(sources::unit).collect()
    }

    /// Whether the kustomization beside a file lists units in other files, but not this one: it is not deployed.
    fn is_left_out(&self, part: &ManualUnits) -> bool {
        let by_hand = &part.by_hand;
        if !by_hand.directories.is_empty() || !by_hand.charts.is_empty() {
            return false;
        }
        let assembly = self.facts.assembly_file(&part.directory);
        let assembly = assembly.and_then(|file| self.facts.file(file).assembly.as_ref());
        let listed = assembly.iter().flat_map(|assembly| &assembly.resources);
        let files = listed
            .filter_map(|entry| self.facts.repo.file(&part.directory.join(&entry.path)?))
            .filter(|file| self.facts.repo.path(*file).parent().as_ref() == Some(&part.directory));
        let mut units = files
            .flat_map(|file| self.builder.resources_of(file))
            .filter_map(sources::unit);
        units.any(|unit| unit.may_be_applied_by_hand())
    }
}

/// Whether a part lies in a directory for what is not deployed now, beside one that a unit applies.
fn is_kept_aside(part: &ManualUnits, built: &BTreeSet<RepoPath>) -> bool {
    const ASIDE: &[&str] = &["backup", "backups"];
    let directory = &part.directory;
    let above = directory.parent();
    ASIDE.contains(&directory.file_name())
        && !built.contains(directory)
        && built
            .iter()
            .any(|other| other.parent() == above && !ASIDE.contains(&other.file_name()))
}

/// The paths that units build.
fn paths_of(units: &[Unit]) -> impl Iterator<Item = RepoPath> {
    let builds = units.iter().flat_map(Unit::builds);
    builds.filter_map(|build| RepoPath::new(&build.path))
}
