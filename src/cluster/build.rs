//! Building a directory: what it includes, generated objects, components, then every change in the
//! order in which kustomize makes it. What kustomize would refuse becomes a finding, and the
//! build goes on with what there is.

mod bounds;
mod change;
mod fault;
mod listing;
mod plugin;
mod settings;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock};

use rayon::prelude::*;
use smol_str::SmolStr;

use self::bounds::cost;
use self::fault::{
    cycle, included_twice, nameless, not_a_kustomization, not_an_object, wrong_kind,
};
use self::settings::with_unit;
use super::effort::Effort;
use super::item::{Item, effective_namespace};
use super::table::Extra;
use super::{finish, rename, transform, variable};
use crate::facts::{
    self, Assembly, AssemblyKind, Disabled, Inflated, Listed, Listing, Located, Resource,
    ResourceId, Var,
};
use crate::input::repo::{Patterns, Repo, RepoPath};
use crate::sources::around::{self, Around};
use crate::sources::kubernetes::scope::{self, Scope, is_cluster_scoped};
use crate::sources::{self, Facts, kustomize};
use base::hash::{HashMap, HashSet};
use base::{FileId, Finding, Place};

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
pub struct Builder<'a> {
    facts: &'a Facts<'a>,
    around: Around<'a>,
    kept: HashSet<RepoPath>,
    done: Mutex<HashMap<RepoPath, Arc<Accumulated>>>,
    /// What files say is left out of what is listed, once somebody asked.
    left_out: OnceLock<Patterns>,
    /// Types that files of the repo define, and what their objects belong to, once somebody asked.
    scopes: OnceLock<Scopes>,
}

#[derive(Debug, Clone, Default)]
struct Accumulated {
    built: Built,
    extra: Extra,
    vars: Vec<Var>,
    effort: Effort,
}

impl<'a> Builder<'a> {
    pub fn new(facts: &'a Facts<'a>) -> Self {
        Builder {
            facts,
            around: Around::new(facts),
            kept: kept(facts),
            done: Mutex::default(),
            left_out: OnceLock::new(),
            scopes: OnceLock::new(),
        }
    }

    /// One for a few directories, which keeps nothing.
    pub fn once(facts: &'a Facts<'a>) -> Self {
        Builder {
            facts,
            around: Around::new(facts),
            kept: HashSet::default(),
            done: Mutex::default(),
            left_out: OnceLock::new(),
            scopes: OnceLock::new(),
        }
    }

    /// The same, in a repo that goes by these addresses.
    pub fn with_own(self, own: BTreeSet<String>) -> Self {
        Builder {
            around: self.around.with_own(own),
            ..self
        }
    }

    /// What readers may look at beside an object.
    pub fn around(&self) -> &Around<'a> {
        &self.around
    }

    pub fn repo(&self) -> &'a Repo {
        self.facts.repo
    }

    /// What an entry of a list would bring: the objects of a file, or those that a directory builds.
    pub fn resources_at(&self, path: &RepoPath) -> Vec<Resource> {
        if let Some(file) = self.facts.repo.file(path) {
            return match listing::is_applied(path) {
                true => self.facts.of(file).resources.clone(),
                false => Vec::new(),
            };
        }
        match self.facts.repo.is_dir(path) {
            true => self
                .build(path, None)
                .items
                .into_iter()
                .map(Item::into_resource)
                .collect(),
            false => Vec::new(),
        }
    }

    /// Whether an object is of the whole cluster, so that no namespace that it was given counts: as its definition in this
    /// repo says, else as most people know it.
    pub fn is_cluster_wide(&self, id: &ResourceId) -> bool {
        let scopes = self.scopes.get_or_init(|| scopes(self.facts));
        let kinds = scopes.get(id.group.as_str()).into_iter().flatten();
        let mut kinds = kinds.filter(|(kind, _)| *kind == id.kind);
        match kinds.next() {
            Some((_, scope)) => *scope == Scope::Cluster,
            None => is_cluster_scoped(&id.group, &id.kind),
        }
    }

    /// The objects that stand in a file.
    pub fn resources_of(&self, file: FileId) -> &[Resource] {
        &self.facts.of(file).resources
    }

    /// The namespace that a directory's kustomization sets.
    pub fn namespace_of(&self, directory: &RepoPath) -> Option<SmolStr> {
        let file = self.facts.assembly_file(directory)?;
        let assembly = self.facts.of(file).assembly.as_ref()?;
        Some(assembly.namespace.as_ref()?.value.clone())
    }

    /// Builds what stands in a directory, with the changes that a unit makes to it.
    pub fn build(&self, directory: &RepoPath, unit: Option<&facts::Build>) -> Built {
        let mut whole = Accumulated::default();
        let is_chart = unit.is_some_and(|unit| unit.listing == Listing::Chart);
        let assembly = match self.facts.assembly_file(directory).filter(|_| !is_chart) {
            Some(file) => {
                whole.built.files.insert(file);
                whole
                    .built
                    .findings
                    .extend(self.second_file(directory, file));
                let assembly = self.facts.of(file).assembly.clone();
                if assembly.is_none() {
                    whole
                        .built
                        .findings
                        .push(not_a_kustomization(Place::start_of(file)));
                }
                assembly
            }
            None => {
                let listing = unit.map_or(&Listing::Tree, |unit| &unit.listing);
                let ignore = unit.and_then(|unit| unit.ignore.as_deref());
                Some(Arc::new(self.listing(directory, listing, ignore)))
            }
        };
        let assembly = match (assembly, unit) {
            (None, _) => return whole.built,
            (Some(assembly), None) => assembly,
            (Some(assembly), Some(unit)) if unit.builds_as_is() => assembly,
            (Some(assembly), Some(unit)) => Arc::new(with_unit(&assembly, unit)),
        };
        self.accumulate(
            directory,
            &assembly,
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
        findings.extend(fault::unrendered(chart_fields, unit));
        if *is_partial || !chart_fields.is_empty() {
            fault::forget_unsure(findings);
        }
        whole.built
    }

    /// A directory may have one kustomization, under one of its names.
    fn second_file(&self, directory: &RepoPath, first: FileId) -> Option<Finding> {
        let names = kustomize::FILE_NAMES.iter();
        let second = names
            .filter_map(|name| self.facts.repo.file_in(directory, name))
            .find(|file| *file != first)?;
        Some(
            Finding::error(
                "kustomization-twice",
                Place::start_of(second),
                format!(
                    "both `{}` and `{}` exist, and kustomize accepts only one kustomization per directory",
                    self.facts.repo.path(second),
                    self.facts.repo.path(first)
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

    /// Adds what a chart makes out of its values, where readers know that.
    fn inflate(&self, directory: &RepoPath, chart: &Inflated, whole: &mut Accumulated) {
        if let Some(made) = around::inflate(chart, directory, &self.around) {
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
        if let Some(file) = self.facts.repo.file(&path) {
            whole.built.files.insert(file);
            let facts = self.facts.of(file);
            whole.effort.gather(1 + facts.resources.len());
            if facts.assembly.is_some() {
                whole
                    .built
                    .findings
                    .push(not_an_object(listed, Place::start_of(file)));
            }
            for resource in &facts.resources {
                if resource.id.name.is_empty() {
                    whole.built.findings.push(nameless(resource));
                }
                let mut item = Item::new(resource);
                item.heading = listed.heading.clone();
                whole.built.items.push(item);
            }
            if let Some(other) = facts.other_documents.first() {
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
        if let Some(file) = self.facts.assembly_file(directory) {
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
        whole.built.files.extend(self.facts.assembly_file(&real));
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
        if kustomize::is_remote(&listed.path) {
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
                .help("to catalogue and review it, copy it into the repository"),
            );
            return None;
        }
        let path = directory.join(&listed.path);
        if path.is_none() {
            whole
                .built
                .findings
                .push(sources::outside(&listed.path, listed.place));
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
        let Some(real) = self.facts.repo.resolve_dir(path) else {
            // The link itself is told of already, and there is something at its end.
            if !self.facts.repo.leads_out(path) {
                findings.push(sources::missing(&listed.path, path, listed.place));
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
        let file = self.facts.assembly_file(&real);
        let assembly = file.and_then(|file| self.facts.of(file).assembly.clone());
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
fn kept(facts: &Facts<'_>) -> HashSet<RepoPath> {
    let each = facts.par_all().filter_map(|(file, found)| {
        let assembly = found.assembly.as_ref()?;
        let directory = facts.repo.path(file).parent()?;
        let listed = assembly.resources.iter();
        let targets = listed.filter_map(|listed| directory.join(&listed.path));
        let targets = targets.filter_map(|target| facts.repo.resolve_dir(&target));
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

/// Kinds by group, with what their objects belong to.
type Scopes = HashMap<SmolStr, Vec<(SmolStr, Scope)>>;

/// The types that files define.
fn scopes(facts: &Facts<'_>) -> Scopes {
    let resources = facts.all().flat_map(|(_, found)| &found.resources);
    let mut scopes = Scopes::default();
    for (group, kind, scope) in resources.filter_map(scope::defined) {
        scopes
            .entry(group.into())
            .or_default()
            .push((kind.into(), scope));
    }
    scopes
}

/// Two objects with one identity: the first counts, as the build would be refused anyway.
fn drop_duplicates(built: &mut Built) {
    if transform::are_distinct(&built.items) {
        return;
    }
    let mut seen: HashSet<facts::ResourceId> =
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
