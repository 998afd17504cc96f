//! What an edit says, at once and only as far as somebody looks: the components that are asked for, with what the edited
//! files say now. All else, such as edges and findings, is as it was; reading it again tells.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::{Memory, Request, configuration_files};
use crate::catalog::{Catalog, Component, Parts};
use crate::cluster::{Cluster, Unsure};
use crate::input::config::Config;
use crate::input::repo::{Changed, Repo};
use crate::sources::Facts;
use base::{FileId, Finding, Severity};

/// Whoever changes more files than this is no person who looks at a page.
const MOST_CHANGED: usize = 64;
/// Above this number of components, only those that are asked for are updated.
const MOST_EDITED: usize = 16;

/// What the last reading was made of, to be changed in place where somebody edits it.
pub struct RebuildState {
    clusters: Vec<Cluster>,
    parts: Parts,
    components: Vec<Arc<Component>>,
    /// Somebody was unsure when it was half changed.
    is_spoilt: bool,
}

/// Components as edited files have them.
pub struct FastUpdate {
    pub repo: Repo,
    pub config: Config,
    pub edited: BTreeSet<FileId>,
    /// Errors in what the edited files say. Where there is one, there are no components.
    pub errors: Vec<Finding>,
    /// Those that were asked for or edited, by position in the catalogue.
    pub components: Vec<(usize, Component)>,
}

impl RebuildState {
    pub(super) fn new(clusters: Vec<Cluster>, parts: Parts, catalog: &Catalog) -> RebuildState {
        RebuildState {
            clusters,
            parts,
            components: catalog.components.clone(),
            is_spoilt: false,
        }
    }

    /// What all that changed since the last reading says about some components. None where that may say more than these
    /// can tell.
    pub fn update(
        &mut self,
        request: &Request,
        memory: &Memory,
        changed: &Changed,
        asked: &BTreeSet<usize>,
    ) -> Option<FastUpdate> {
        let last = memory.last.as_deref()?;
        let of_config = configuration_files(request, &last.root);
        let of_config: Vec<_> = of_config
            .iter()
            .filter_map(|file| file.canonicalize().ok())
            .collect();
        let is_special = |path: &Path| {
            let is_in = |directory: &Path| path.starts_with(directory);
            of_config.iter().any(|file| file == path)
                || last.guide.as_deref().is_some_and(is_in)
                || is_in(&last.repo.root().join("theme"))
        };
        if self.is_spoilt
            || last.repo.is_holding()
            || changed.paths.len() > MOST_CHANGED
            || changed.paths.iter().any(|path| is_special(path))
            || !last.repo.has_same_files(changed)
        {
            return None;
        }
        let again = last.repo.reopen(&last.config.ignore, changed).ok()?;
        let facts = Facts::read_edited(&again.repo, &last.facts, &again.edited);
        let manifests = again.edited.iter().filter(|file| facts.is_manifest(**file));
        let findings = manifests.flat_map(|file| &facts.file(*file).findings);
        let errors = findings.filter(|finding| finding.severity == Severity::Error);
        let errors: Vec<Finding> = errors.cloned().collect();
        let update = |components: Vec<(usize, Component)>| FastUpdate {
            repo: again.repo.clone(),
            config: last.config.clone(),
            edited: again.edited.clone(),
            errors: errors.clone(),
            components,
        };
        if !errors.is_empty() {
            return Some(update(Vec::new()));
        }
        let asked = &self.with_edited(asked, &again.edited);
        for (at, cluster) in self.clusters.iter_mut().enumerate() {
            let units = asked
                .iter()
                .flat_map(|component| self.parts.units(*component));
            let units = units.filter(|(cluster, _)| *cluster == at);
            let units: BTreeSet<usize> = units.map(|(_, unit)| unit).collect();
            if let Err(Unsure) = cluster.rebuild_units(&facts, &again.edited, &units) {
                self.is_spoilt = true;
                return None;
            }
        }
        let components =
            self.parts
                .with_parts(&last.config, &self.components, asked, &self.clusters);
        Some(update(components))
    }

    /// These components, and those that files take part in unless that are many.
    fn with_edited(&self, asked: &BTreeSet<usize>, files: &BTreeSet<FileId>) -> BTreeSet<usize> {
        let mut edited = BTreeSet::new();
        for (at, cluster) in self.clusters.iter().enumerate() {
            edited.extend(cluster.units_of(files).map(|unit| (at, unit)));
        }
        let all = 0..self.components.len();
        let touched = all.filter(|at| self.parts.units(*at).any(|unit| edited.contains(&unit)));
        let touched: BTreeSet<usize> = touched.take(MOST_EDITED + 1).collect();
        if touched.len() > MOST_EDITED {
            asked.clone()
        } else {
            asked | &touched
        }
    }
}
