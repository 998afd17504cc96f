//! Fast path for edits: updates only the requested components from the edited files. Everything else, such as edges
//! and findings, stays unchanged until the next full read.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::{Memory, Request, configuration_files};
use crate::catalog::{Catalog, Component, ComponentIx, ComponentParts};
use crate::cluster::{Clusters, UnitIx, Unsure};
use crate::input::config::Config;
use crate::input::repo::{Changed, Repo};
use crate::sources::Facts;
use base::index::IndexVec;
use base::{FileId, Finding, Severity};

/// More changed files than this are not the work of a person who edits a page.
const MOST_CHANGED: usize = 64;
/// Above this number of components, only those that are asked for are updated.
const MOST_EDITED: usize = 16;

/// State of the last read, updated in place when files are edited.
pub struct RebuildState {
    clusters: Clusters,
    parts: ComponentParts,
    components: IndexVec<ComponentIx, Arc<Component>>,
    /// An update was aborted halfway, so the state is unusable.
    is_spoilt: bool,
}

/// Components as the edited files declare them.
pub struct FastUpdate {
    pub repo: Repo,
    pub config: Config,
    pub edited: BTreeSet<FileId>,
    /// Errors in the edited files. If there are any, `components` is empty.
    pub errors: Vec<Finding>,
    /// Requested or edited components, by position in the catalogue.
    pub components: Vec<(ComponentIx, Component)>,
}

impl RebuildState {
    pub(super) fn new(
        clusters: Clusters,
        parts: ComponentParts,
        catalog: &Catalog,
    ) -> RebuildState {
        RebuildState {
            clusters,
            parts,
            components: catalog.components.clone(),
            is_spoilt: false,
        }
    }

    /// Components updated for all changes since the last read. None if the changes may affect more than these
    /// components.
    pub fn update(
        &mut self,
        request: &Request,
        memory: &Memory,
        changed: &Changed,
        asked: &BTreeSet<ComponentIx>,
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
        let facts = Facts::read_edited(&again.repo, &last.facts, &again.edited)
            .with_kinds(&last.config.kinds);
        let manifests = again.edited.iter().filter(|file| facts.is_manifest(**file));
        let findings = manifests.flat_map(|file| &facts.file(*file).findings);
        let errors = findings.filter(|finding| finding.severity == Severity::Error);
        let errors: Vec<Finding> = errors.cloned().collect();
        let update = |components: Vec<(ComponentIx, Component)>| FastUpdate {
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
        for (at, cluster) in self.clusters.iter_mut_enumerated() {
            let units = asked
                .iter()
                .flat_map(|component| self.parts.units(*component));
            let units = units.filter(|(cluster, _)| *cluster == at);
            let units: BTreeSet<UnitIx> = units.map(|(_, unit)| unit).collect();
            if let Err(Unsure) = cluster.rebuild_units(&facts, &again.edited, &units) {
                self.is_spoilt = true;
                return None;
            }
        }
        let components = self.parts.with_parts(
            &again.repo,
            &last.config,
            &self.components,
            asked,
            &self.clusters,
        );
        Some(update(components))
    }

    /// These components, and those that files take part in unless that are many.
    fn with_edited(
        &self,
        asked: &BTreeSet<ComponentIx>,
        files: &BTreeSet<FileId>,
    ) -> BTreeSet<ComponentIx> {
        let mut edited = BTreeSet::new();
        for (at, cluster) in self.clusters.iter_enumerated() {
            edited.extend(cluster.units_of(files).map(|unit| (at, unit)));
        }
        let all = self.components.indices();
        let touched = all.filter(|at| self.parts.units(*at).any(|unit| edited.contains(&unit)));
        let touched: BTreeSet<ComponentIx> = touched.take(MOST_EDITED + 1).collect();
        if touched.len() > MOST_EDITED {
            asked.clone()
        } else {
            asked | &touched
        }
    }
}
