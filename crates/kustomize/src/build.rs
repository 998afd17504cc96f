//! Building a directory: what it includes, generated objects, components, then every change in the
//! order in which kustomize makes it. What kustomize would refuse becomes a finding, and the
//! build goes on with what there is.

mod bounds;
mod change;
mod fault;
mod plugin;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use rayon::prelude::*;
use smol_str::SmolStr;

use self::bounds::cost;
use self::fault::{
    cycle, included_twice, nameless, not_a_kustomization, not_an_object, wrong_kind,
};
use super::effort::Effort;
use super::item::effective_namespace;
use super::table::Extra;
use super::{finish, rename, transform, variable};
use crate::manifests::Manifests;
use crate::read::{FILE_NAMES, is_remote};
use crate::{Assembly, AssemblyKind, Disabled, HelmChart, Item, Listed, Located, ResourceId, Var};
use base::hash::{HashMap, HashSet};
use base::{Effect, FileId, Files, Finding, Place, RepoPath, missing, outside};

/// Directories that include directories that include …
const MAX_DEPTH: usize = 64;

/// What a directory builds to.
#[derive(Debug, Clone, Default)]
pub struct Built {
    pub items: Vec<Item>,
    pub findings: Vec<Finding>,
    /// Every file that took part.
    pub files: BTreeSet<FileId>,
    /// Entries that are commented out, with the directory that they are relative to.
    pub disabled: Vec<(RepoPath, Disabled)>,
    /// Fields that name charts to render, of all kustomizations that took part.
    pub chart_fields: Vec<Located<SmolStr>>,
    /// There are objects in it that nobody here knows.
    pub is_partial: bool,
}

impl Built {
    /// Adds what a part of it built.
    fn join(&mut self, part: Built) {
        self.items.extend(part.items);
        self.findings.extend(part.findings);
        self.files.extend(part.files);
        self.disabled.extend(part.disabled);
        self.chart_fields.extend(part.chart_fields);
        self.is_partial |= part.is_partial;
    }
}

/// Builds directories, and keeps what many others include.
pub struct Builder<M> {
    manifests: M,
    kept: HashSet<RepoPath>,
    done: Mutex<HashMap<RepoPath, Arc<Accumulated>>>,
}

#[derive(Debug, Clone, Default)]
struct Accumulated {
    built: Built,
    extra: Extra,
    vars: Vec<Var>,
    effort: Effort,
}

impl<M: Manifests> Builder<M> {
    pub fn new(manifests: M) -> Self {
        Builder {
            kept: kept(&manifests),
            ..Builder::once(manifests)
        }
    }

    /// One for a few directories, which keeps nothing.
    pub fn once(manifests: M) -> Self {
        Builder {
            manifests,
            kept: HashSet::default(),
            done: Mutex::default(),
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

    /// Builds what stands in a directory: its kustomization, or what `listed` makes of a directory that has none, with
    /// what `changed` makes of either.
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

    /// Builds a kustomization that stands in no file.
    pub fn build_listed(&self, directory: &RepoPath, assembly: &Assembly) -> Built {
        self.build_assembly(directory, assembly, Accumulated::default())
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
        if *is_partial || !chart_fields.is_empty() {
            fault::forget_unsure(findings);
        }
        whole.built
    }

    fn files(&self) -> &dyn Files {
        self.manifests.files()
    }

    /// A directory may have one kustomization, under one of its names.
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

    /// Adds what a chart makes out of its values, where somebody knows that.
    fn inflate(&self, directory: &RepoPath, chart: &HelmChart, whole: &mut Accumulated) {
        if let Some(made) = self.manifests.inflate(chart, directory) {
            let built = &mut whole.built;
            built.items.extend(made.resources.iter().map(Item::new));
            built.findings.extend(made.findings);
            built.files.extend(made.files);
        }
    }

    fn include(
        &self,
        directory: &RepoPath,
        listed: &Listed,
        stack: &mut Vec<RepoPath>,
        whole: &mut Accumulated,
    ) {
        if whole.is_full(listed.place) {
            return;
        }
        let Some(path) = self.local(directory, listed, whole) else {
            return;
        };
        if let Some(file) = self.files().file(&path) {
            whole.built.files.insert(file);
            let manifest = self.manifests.manifest(file);
            whole.effort.gather(1 + manifest.resources.len());
            if manifest.assembly.is_some() {
                whole
                    .built
                    .findings
                    .push(not_an_object(listed, Place::start_of(file)));
            }
            for resource in manifest.resources {
                if resource.id.name.is_empty() {
                    whole.built.findings.push(nameless(resource));
                }
                let mut item = Item::new(resource);
                item.heading = listed.heading.clone();
                whole.built.items.push(item);
            }
            if let Some(other) = manifest.documents.first() {
                whole
                    .built
                    .findings
                    .push(not_an_object(listed, other.place));
            }
            return;
        }
        let Some((real, assembly)) = self.assembly_at(&path, listed, stack, whole) else {
            return;
        };
        if assembly.kind == AssemblyKind::Component {
            whole.built.findings.push(wrong_kind(
                listed,
                "is a Component",
                "list it under `components`",
            ));
            return;
        }
        let part = self.included(&real, &assembly, stack);
        whole.effort.add(part.effort);
        whole.effort.gather(part.weight());
        // What was left out of the part is told of, even if nothing follows it.
        whole.is_full(listed.place);
        let mut part = Arc::unwrap_or_clone(part);
        for item in &mut part.built.items {
            item.heading = item.heading.take().or_else(|| listed.heading.clone());
        }
        whole.built.join(part.built);
        whole.extra.extend(&part.extra);
        variable::adopt(&mut whole.vars, &part.vars, &mut whole.built.findings);
    }

    /// What a directory contributes to those that include it.
    fn included(
        &self,
        directory: &RepoPath,
        assembly: &Assembly,
        stack: &mut Vec<RepoPath>,
    ) -> Arc<Accumulated> {
        let kept = self.kept.contains(directory);
        if kept && let Some(done) = self.lock().get(directory) {
            return done.clone();
        }
        let mut part = Accumulated::default();
        if let Some(file) = self.assembly_file(directory) {
            part.built.files.insert(file);
            part.built
                .findings
                .extend(self.second_file(directory, file));
        }
        stack.push(directory.clone());
        self.accumulate(directory, assembly, stack, &mut part);
        stack.pop();
        let part = Arc::new(part.within_bounds());
        if kept {
            self.lock().insert(directory.clone(), part.clone());
        }
        part
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<RepoPath, Arc<Accumulated>>> {
        // Nothing is left half done in the map when a thread panics.
        self.done
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn component(
        &self,
        directory: &RepoPath,
        listed: &Listed,
        stack: &mut Vec<RepoPath>,
        whole: &mut Accumulated,
    ) {
        if whole.is_full(listed.place) {
            return;
        }
        let Some(path) = self.local(directory, listed, whole) else {
            return;
        };
        let Some((real, assembly)) = self.assembly_at(&path, listed, stack, whole) else {
            return;
        };
        if assembly.kind != AssemblyKind::Component {
            whole.built.findings.push(wrong_kind(
                listed,
                "is not a Component",
                "list it under `resources`",
            ));
            return;
        }
        whole.built.files.extend(self.assembly_file(&real));
        stack.push(real.clone());
        self.accumulate(&real, &assembly, stack, whole);
        stack.pop();
    }

    /// The path of an entry, unless it is remote or leads out of the repo.
    fn local(
        &self,
        directory: &RepoPath,
        listed: &Listed,
        whole: &mut Accumulated,
    ) -> Option<RepoPath> {
        if is_remote(&listed.path) {
            whole.built.is_partial = true;
            whole.built.findings.push(
                Finding::warning(
                    "remote-base",
                    listed.place,
                    format!(
                        "`{}` is remote and is not fetched; its objects are missing from the catalogue",
                        listed.path
                    ),
                )
                .help("to catalogue and review it, copy it into the repository")
                .effect(Effect::Remote),
            );
            return None;
        }
        let path = directory.join(&listed.path);
        if path.is_none() {
            whole
                .built
                .findings
                .push(outside(&listed.path, listed.place));
        }
        path
    }

    /// The kustomization behind an entry, with the checks that keep inclusion finite.
    fn assembly_at(
        &self,
        path: &RepoPath,
        listed: &Listed,
        stack: &[RepoPath],
        whole: &mut Accumulated,
    ) -> Option<(RepoPath, Arc<Assembly>)> {
        let findings = &mut whole.built.findings;
        let Some(real) = self.files().resolve_dir(path) else {
            // The link itself is told of already, and there is something at its end.
            if !self.files().leads_out(path) {
                findings.push(missing(&listed.path, path, listed.place));
            }
            return None;
        };
        if stack.contains(&real) {
            findings.push(cycle(listed));
            return None;
        }
        if stack.len() >= MAX_DEPTH {
            findings.push(Finding::error(
                "build-too-large",
                listed.place,
                format!("directories include each other more than {MAX_DEPTH} levels deep; the rest is skipped"),
            ));
            return None;
        }
        let file = self.assembly_file(&real);
        let assembly = file.and_then(|file| self.manifests.manifest(file).assembly.cloned());
        if let (Some(_), None) = (file, &assembly) {
            findings.push(not_a_kustomization(listed.place));
        } else if assembly.is_none() {
            findings.push(
                Finding::error(
                    "kustomization-missing",
                    listed.place,
                    format!(
                        "the directory `{}` has no kustomization.yaml, so kustomize cannot include it",
                        listed.path
                    ),
                )
                .help("add one, or list the files themselves"),
            );
        }
        Some((real, assembly?))
    }
}

/// The directories whose builds are kept because others include them again. Each of those changes a
/// copy, so that where only two do, as the overlays of two environments, building a few files again
/// costs less. What includes directories in turn is always kept, or the work would double with each.
fn kept(manifests: &impl Manifests) -> HashSet<RepoPath> {
    let files = manifests.files();
    let all = manifests.assemblies();
    let each = all.par_iter().filter_map(|(file, assembly)| {
        let directory = files.path(*file).parent()?;
        let listed = assembly.resources.iter();
        let targets = listed.filter_map(|listed| directory.join(&listed.path));
        let targets = targets.filter_map(|target| files.resolve_dir(&target));
        let targets: Vec<RepoPath> = targets.collect();
        let is_including = !targets.is_empty() || !assembly.components.is_empty();
        is_including.then_some((directory, targets))
    });
    let each: Vec<(RepoPath, Vec<RepoPath>)> = each.collect();
    let most = each.iter().map(|(_, targets)| targets.len()).sum();
    let mut included: HashMap<RepoPath, usize> =
        HashMap::with_capacity_and_hasher(most, Default::default());
    let mut including: HashSet<RepoPath> =
        HashSet::with_capacity_and_hasher(each.len(), Default::default());
    for (directory, targets) in each {
        for target in targets {
            *included.entry(target).or_default() += 1;
        }
        including.insert(directory);
    }
    included.retain(|directory, times| *times > 2 || *times == 2 && including.contains(directory));
    included.into_keys().collect()
}

/// Two objects with one identity: the first counts, as the build would be refused anyway.
fn drop_duplicates(built: &mut Built) {
    if transform::are_distinct(&built.items) {
        return;
    }
    let mut seen: HashSet<ResourceId> =
        HashSet::with_capacity_and_hasher(built.items.len(), Default::default());
    let findings = &mut built.findings;
    built.items.retain(|item| {
        let mut id = item.id.clone();
        id.namespace = effective_namespace(&item.id).into();
        let new = seen.insert(id);
        if !new {
            findings.push(included_twice(item));
        }
        new
    });
}
