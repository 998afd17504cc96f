//! Builds a directory: resources, generated objects, components, then every change in kustomize's order. Reads files
//! through `Manifests` only. Anything kustomize would reject is a finding, and the build continues with the rest.

mod bounds;
mod change;
pub(crate) mod fault;
mod include;
mod plugin;
mod shared;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use smol_str::SmolStr;

use self::bounds::cost;
use self::fault::{included_twice, not_a_kustomization};
use self::shared::shared_directories;
use super::effort::Effort;
use super::item::effective_namespace;
use super::table::Extra;
use super::{finish, rename, transform, variable};
use crate::manifests::Manifests;
use crate::read::FILE_NAMES;
use crate::{Assembly, BuildObject, Disabled, HelmChart, Located, ResourceId, Var};
use base::hash::{HashMap, HashSet};
use base::{Effect, FileId, Files, Finding, MARKER, Place, RepoPath};

/// The result of building a directory.
#[derive(Debug, Clone, Default)]
pub struct Built {
    pub items: Vec<BuildObject>,
    pub findings: Vec<Finding>,
    /// Every file that was read.
    pub files: BTreeSet<FileId>,
    /// Entries that are commented out, with the directory they are relative to.
    pub disabled: Vec<(RepoPath, Disabled)>,
    /// The fields that list charts, of all kustomizations in the build.
    pub chart_fields: Vec<Located<SmolStr>>,
    /// Whether objects are missing, such as those of a remote base.
    pub is_partial: bool,
    /// Addresses of the bases that are not fetched.
    pub remote: Vec<SmolStr>,
}

impl Built {
    /// Adds the result of an included directory.
    fn join(&mut self, part: Built) {
        self.items.extend(part.items);
        self.findings.extend(part.findings);
        self.files.extend(part.files);
        self.disabled.extend(part.disabled);
        self.chart_fields.extend(part.chart_fields);
        self.is_partial |= part.is_partial;
        self.remote.extend(part.remote);
    }
}

/// Builds directories, and caches those that several others include.
pub struct DirectoryBuilder<M> {
    manifests: M,
    shared: HashSet<RepoPath>,
    cache: Mutex<HashMap<RepoPath, Arc<Accumulated>>>,
}

#[derive(Debug, Clone, Default)]
struct Accumulated {
    built: Built,
    extra: Extra,
    vars: Vec<Var>,
    effort: Effort,
}

impl<M: Manifests> DirectoryBuilder<M> {
    pub fn new(manifests: M) -> Self {
        DirectoryBuilder {
            shared: shared_directories(&manifests),
            ..DirectoryBuilder::once(manifests)
        }
    }

    /// A builder for a few directories, without a cache.
    pub fn once(manifests: M) -> Self {
        DirectoryBuilder {
            manifests,
            shared: HashSet::default(),
            cache: Mutex::default(),
        }
    }

    pub fn manifests(&self) -> &M {
        &self.manifests
    }

    pub fn manifests_mut(&mut self) -> &mut M {
        &mut self.manifests
    }

    /// The kustomization file of a directory.
    pub fn assembly_file(&self, directory: &RepoPath) -> Option<FileId> {
        let mut names = FILE_NAMES.iter();
        names.find_map(|name| self.files().file_in(directory, name))
    }

    /// Builds a directory: its kustomization, or the result of `listed` if it has none, after `changed` was applied to
    /// either.
    pub fn build(
        &self,
        directory: &RepoPath,
        listed: impl FnOnce() -> Assembly,
        changed: impl FnOnce(Arc<Assembly>) -> Arc<Assembly>,
    ) -> Built {
        let mut whole = Accumulated::default();
        let assembly = match self.assembly_file(directory) {
            Some(file) => {
                whole.built.files.insert(file);
                whole
                    .built
                    .findings
                    .extend(self.second_file(directory, file));
                let Some(assembly) = self.manifests.manifest(file).assembly else {
                    let fault = not_a_kustomization(Place::start_of(file));
                    whole.built.findings.push(fault);
                    return whole.built;
                };
                assembly.clone()
            }
            None => Arc::new(listed()),
        };
        self.build_assembly(directory, &changed(assembly), whole)
    }

    /// Builds a kustomization that is not in a file.
    pub fn build_listed(&self, directory: &RepoPath, assembly: &Assembly) -> Built {
        self.build_assembly(directory, assembly, Accumulated::default())
    }

    /// Changes objects that are not in files, such as those of a chart, as a kustomization in the directory would.
    pub fn change_objects(
        &self,
        directory: &RepoPath,
        items: Vec<BuildObject>,
        assembly: &Assembly,
    ) -> Built {
        let mut whole = Accumulated::default();
        whole.built.items = items;
        self.build_assembly(directory, assembly, whole)
    }

    fn build_assembly(
        &self,
        directory: &RepoPath,
        assembly: &Assembly,
        mut whole: Accumulated,
    ) -> Built {
        self.accumulate(
            directory,
            assembly,
            &mut vec![directory.clone()],
            &mut whole,
        );
        let Built {
            items,
            findings,
            chart_fields,
            is_partial,
            ..
        } = &mut whole.built;
        finish::add_hashes(items);
        rename::follow(items, &whole.extra, findings);
        variable::resolve(items, &whole.vars, &whole.extra, findings);
        finish::finish(items);
        let left_out = |finding: &Finding| finding.effect == Effect::Unsupported;
        if *is_partial || !chart_fields.is_empty() || findings.iter().any(left_out) {
            fault::drop_uncertain(findings);
        }
        whole.built
    }

    fn files(&self) -> &dyn Files {
        self.manifests.files()
    }

    /// Finding for a second kustomization file: a directory may have only one.
    fn second_file(&self, directory: &RepoPath, first: FileId) -> Option<Finding> {
        let names = FILE_NAMES.iter();
        let second = names
            .filter_map(|name| self.files().file_in(directory, name))
            .find(|file| *file != first)?;
        Some(
            Finding::error(
                "kustomization-twice",
                Place::start_of(second),
                format!(
                    "both `{}` and `{}` exist, and kustomize accepts only one kustomization per directory",
                    self.files().path(second),
                    self.files().path(first)
                ),
            )
            .help("remove one of them"),
        )
    }

    fn accumulate(
        &self,
        directory: &RepoPath,
        assembly: &Assembly,
        stack: &mut Vec<RepoPath>,
        whole: &mut Accumulated,
    ) {
        whole.effort.gather(cost(assembly, &whole.built));
        whole
            .built
            .findings
            .extend(assembly.findings.iter().cloned());
        let disabled = assembly.disabled.iter().cloned();
        whole
            .built
            .disabled
            .extend(disabled.map(|entry| (directory.clone(), entry)));
        let fields = assembly.chart_fields.iter().cloned();
        whole.built.chart_fields.extend(fields);
        for listed in &assembly.resources {
            self.include(directory, listed, stack, whole);
        }
        drop_duplicates(&mut whole.built);
        for listed in &assembly.configurations {
            self.configure(directory, listed, whole);
        }
        for listed in &assembly.definitions {
            self.define(directory, listed, whole);
        }
        self.generate(
            directory,
            &assembly.generators,
            &assembly.generator_options,
            whole,
        );
        for chart in &assembly.charts {
            self.inflate(directory, chart, whole);
        }
        self.run_generators(directory, assembly, stack, whole);
        for listed in &assembly.components {
            self.component(directory, listed, stack, whole);
        }
        self.change(directory, assembly, whole);
        self.run_transformers(directory, assembly, stack, whole);
        let built = &mut whole.built;
        variable::declare(
            &mut built.items,
            &mut whole.vars,
            &assembly.vars,
            &mut built.findings,
        );
    }

    /// Adds the objects of a chart, if the caller can render it.
    fn inflate(&self, directory: &RepoPath, chart: &HelmChart, whole: &mut Accumulated) {
        if let Some(made) = self.manifests.inflate(chart, directory) {
            let built = &mut whole.built;
            built
                .items
                .extend(made.resources.iter().map(BuildObject::new));
            built.findings.extend(made.findings);
            built.files.extend(made.files);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<RepoPath, Arc<Accumulated>>> {
        // The map is consistent even if a thread panicked.
        self.cache
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Drops all but the first object of each identity. kustomize would reject the build.
fn drop_duplicates(built: &mut Built) {
    if transform::are_distinct(&built.items) {
        return;
    }
    let mut seen: HashSet<ResourceId> =
        HashSet::with_capacity_and_hasher(built.items.len(), Default::default());
    let findings = &mut built.findings;
    built.items.retain(|item| {
        // The cluster generates a name for each, or it is encrypted.
        if item.id.name.is_empty() || item.id.name == MARKER {
            return true;
        }
        let mut id = item.id.clone();
        id.namespace = effective_namespace(&item.id).into();
        let new = seen.insert(id);
        if !new {
            findings.push(included_twice(item));
        }
        new
    });
}
