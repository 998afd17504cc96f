//! Building a directory: what it includes, generated objects, components, then every change in the
//! order in which kustomize makes it. What kustomize would refuse becomes a finding, and the
//! build goes on with what there is.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex};

use smol_str::SmolStr;

use super::generate::{self, Origin};
use super::item::Item;
use super::table::Extra;
use super::{patch, rename, replace, transform};
use crate::diagnostic::{FileId, Finding, Place};
use crate::fact::{
    self, Assembly, AssemblyKind, Disabled, Listed, PatchBody, Replacement, Resource,
};
use crate::repo::{Repo, RepoPath};
use crate::source::{self, Facts, kustomize};
use crate::yaml::Node;

/// More objects than this in one build are nobody's intention.
const MAX_ITEMS: usize = 100_000;
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
}

/// Builds directories, each at most once where several others include it.
pub struct Builder<'a> {
    facts: &'a Facts<'a>,
    shared: HashSet<RepoPath>,
    done: Mutex<HashMap<RepoPath, Arc<Accumulated>>>,
}

#[derive(Debug, Clone, Default)]
struct Accumulated {
    built: Built,
    extra: Extra,
}

impl<'a> Builder<'a> {
    pub fn new(facts: &'a Facts<'a>) -> Self {
        Builder {
            facts,
            shared: included_twice(facts),
            done: Mutex::default(),
        }
    }

    pub fn repo(&self) -> &'a Repo {
        self.facts.repo
    }

    /// What an entry of a list would bring: the objects of a file, or those that a directory builds.
    pub fn resources_at(&self, path: &RepoPath) -> Vec<Resource> {
        if let Some(file) = self.facts.repo.file(path) {
            return match is_applied(path) {
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

    /// The namespace that a directory's kustomization sets.
    pub fn namespace_of(&self, directory: &RepoPath) -> Option<SmolStr> {
        let file = self.facts.assembly_file(directory)?;
        let assembly = self.facts.of(file).assembly.as_ref()?;
        Some(assembly.namespace.as_ref()?.value.clone())
    }

    /// Builds what stands in a directory, with the changes that a unit makes to it.
    pub fn build(&self, directory: &RepoPath, unit: Option<&fact::Build>) -> Built {
        let mut whole = Accumulated::default();
        let assembly = match self.facts.assembly_file(directory) {
            Some(file) => {
                whole.built.files.insert(file);
                self.facts.of(file).assembly.clone()
            }
            None => Some(Arc::new(self.listing(directory))),
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
        rename::add_hashes(&mut whole.built.items);
        rename::follow(&mut whole.built.items, &whole.extra);
        whole.built.items.retain(|item| !is_local(item));
        whole.built
    }

    /// A directory without a kustomization: every manifest below it, and every directory that has one.
    fn listing(&self, directory: &RepoPath) -> Assembly {
        let mut resources: Vec<Listed> = Vec::new();
        let mut skip: Option<RepoPath> = None;
        for file in self.facts.repo.below(directory) {
            let path = self.facts.repo.path(file);
            if skip.as_ref().is_some_and(|skip| path.is_below(skip)) {
                continue;
            }
            let nested = self.nearest_assembly(path, directory);
            let listed = match &nested {
                Some(nested) => nested,
                None if is_applied(path) => path,
                None => continue,
            };
            resources.push(Listed {
                path: relative(listed, directory),
                place: Place::start_of(file),
                heading: None,
            });
            skip = nested;
        }
        Assembly {
            resources,
            ..Assembly::default()
        }
    }

    /// The topmost directory between `top` and a file that has a kustomization of its own.
    fn nearest_assembly(&self, file: &RepoPath, top: &RepoPath) -> Option<RepoPath> {
        let mut found = None;
        let mut directory = file.parent()?;
        while directory != *top && directory.is_below(top) {
            if self.facts.assembly_file(&directory).is_some() {
                found = Some(directory.clone());
            }
            directory = directory.parent()?;
        }
        found
    }

    fn accumulate(
        &self,
        directory: &RepoPath,
        assembly: &Assembly,
        stack: &mut Vec<RepoPath>,
        whole: &mut Accumulated,
    ) {
        whole
            .built
            .findings
            .extend(assembly.findings.iter().cloned());
        let disabled = assembly.disabled.iter().cloned();
        whole
            .built
            .disabled
            .extend(disabled.map(|entry| (directory.clone(), entry)));
        for listed in &assembly.resources {
            self.include(directory, listed, stack, whole);
        }
        drop_duplicates(&mut whole.built);
        for listed in &assembly.configurations {
            self.configure(directory, listed, whole);
        }
        let origin = Origin {
            facts: self.facts,
            directory,
        };
        for generator in &assembly.generators {
            let defaults = &assembly.generator_options;
            let built = &mut whole.built;
            generate::generate(
                &mut built.items,
                generator,
                defaults,
                &origin,
                &mut built.findings,
            );
        }
        for listed in &assembly.components {
            self.component(directory, listed, stack, whole);
        }
        self.change(directory, assembly, whole);
    }

    fn include(
        &self,
        directory: &RepoPath,
        listed: &Listed,
        stack: &mut Vec<RepoPath>,
        whole: &mut Accumulated,
    ) {
        let Some(path) = self.local(directory, listed, whole) else {
            return;
        };
        if let Some(file) = self.facts.repo.file(&path) {
            whole.built.files.insert(file);
            let facts = self.facts.of(file);
            for resource in &facts.resources {
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
        let mut part = Arc::unwrap_or_clone(part);
        for item in &mut part.built.items {
            item.heading = item.heading.take().or_else(|| listed.heading.clone());
        }
        whole.built.items.append(&mut part.built.items);
        whole.built.findings.append(&mut part.built.findings);
        whole.built.files.append(&mut part.built.files);
        whole.built.disabled.append(&mut part.built.disabled);
        whole.extra.extend(&part.extra);
    }

    /// What a directory contributes to those that include it.
    fn included(
        &self,
        directory: &RepoPath,
        assembly: &Assembly,
        stack: &mut Vec<RepoPath>,
    ) -> Arc<Accumulated> {
        let shared = self.shared.contains(directory);
        if shared && let Some(done) = self.lock().get(directory) {
            return done.clone();
        }
        let mut part = Accumulated::default();
        part.built.files.extend(self.facts.assembly_file(directory));
        stack.push(directory.clone());
        self.accumulate(directory, assembly, stack, &mut part);
        stack.pop();
        let part = Arc::new(part);
        if shared {
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
            whole.built.findings.push(
                Finding::warning(
                    "remote-base",
                    listed.place,
                    format!(
                        "`{}` is remote and is not fetched; what it brings is missing here",
                        listed.path
                    ),
                )
                .help("copy it into the repository to have it in the catalogue"),
            );
            return None;
        }
        let path = directory.join(&listed.path);
        if path.is_none() {
            whole
                .built
                .findings
                .push(source::outside(&listed.path, listed.place));
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
            findings.push(source::missing(&listed.path, path, listed.place));
            return None;
        };
        if stack.contains(&real) {
            findings.push(
                Finding::error(
                    "kustomization-cycle",
                    listed.place,
                    format!("`{}` includes itself, through this entry", listed.path),
                )
                .help("remove the entry: kustomize refuses it"),
            );
            return None;
        }
        if stack.len() >= MAX_DEPTH || whole.built.items.len() > MAX_ITEMS {
            findings.push(Finding::error(
                "build-too-large",
                listed.place,
                format!("more than {MAX_DEPTH} directories deep or {MAX_ITEMS} objects; the rest is left out"),
            ));
            return None;
        }
        let assembly = self
            .facts
            .assembly_file(&real)
            .and_then(|file| self.facts.of(file).assembly.clone());
        if assembly.is_none() {
            findings.push(
                Finding::error(
                    "kustomization-missing",
                    listed.place,
                    format!(
                        "`{}` is a directory without a kustomization.yaml",
                        listed.path
                    ),
                )
                .help("add one, or list the files themselves: kustomize refuses it"),
            );
        }
        Some((real, assembly?))
    }

    fn configure(&self, directory: &RepoPath, listed: &Listed, whole: &mut Accumulated) {
        match self.facts.file_at(directory, &listed.path, listed.place) {
            Ok(file) => {
                whole.built.files.insert(file);
                for document in &self.facts.of(file).other_documents {
                    whole.extra.read(document);
                }
            }
            Err(finding) => whole.built.findings.push(finding),
        }
    }

    fn change(&self, directory: &RepoPath, assembly: &Assembly, whole: &mut Accumulated) {
        for one in &assembly.patches {
            self.patch(directory, one, whole);
        }
        if let Some(namespace) = &assembly.namespace {
            transform::namespace(&mut whole.built.items, namespace, &whole.extra);
        }
        let items = &mut whole.built.items;
        transform::prefix_and_suffix(items, &assembly.name_prefix, &assembly.name_suffix);
        for set in &assembly.labels {
            transform::labels(items, set, &whole.extra);
        }
        transform::annotations(items, &assembly.annotations, &whole.extra);
        for one in &assembly.late_patches {
            self.patch(directory, one, whole);
        }
        for replica in &assembly.replicas {
            let built = &mut whole.built;
            transform::replicas(&mut built.items, replica, &whole.extra, &mut built.findings);
        }
        transform::images(&mut whole.built.items, &assembly.images, &whole.extra);
        for replacement in &assembly.replacements {
            self.replace(directory, replacement, whole);
        }
    }

    fn patch(&self, directory: &RepoPath, one: &fact::Patch, whole: &mut Accumulated) {
        let built = &mut whole.built;
        let documents: Vec<Arc<Node>> = match &one.body {
            PatchBody::Inline(scalar) => {
                let (documents, findings) = source::read_inline(scalar);
                built.findings.extend(findings);
                documents.into_iter().map(Arc::new).collect()
            }
            PatchBody::File(path) => match self.facts.file_at(directory, path, one.place) {
                Ok(file) => {
                    built.files.insert(file);
                    let facts = self.facts.of(file);
                    let objects = facts.resources.iter().map(|resource| resource.node.clone());
                    objects
                        .chain(facts.other_documents.iter().cloned())
                        .collect()
                }
                Err(finding) => {
                    built.findings.push(finding);
                    return;
                }
            },
        };
        patch::apply(&mut built.items, one, &documents, &mut built.findings);
    }

    fn replace(&self, directory: &RepoPath, replacement: &Replacement, whole: &mut Accumulated) {
        let built = &mut whole.built;
        let Some(path) = &replacement.file else {
            replace::replace(&mut built.items, replacement, &mut built.findings);
            return;
        };
        match self.facts.file_at(directory, path, replacement.place) {
            Ok(file) => {
                built.files.insert(file);
                for one in kustomize::replacements_in(&self.facts.of(file).other_documents) {
                    replace::replace(&mut built.items, &one, &mut built.findings);
                }
            }
            Err(finding) => built.findings.push(finding),
        }
    }
}

/// The directories that more than one kustomization includes.
fn included_twice(facts: &Facts<'_>) -> HashSet<RepoPath> {
    let mut once = HashSet::new();
    let mut twice = HashSet::new();
    for (file, found) in facts.all() {
        let Some(assembly) = &found.assembly else {
            continue;
        };
        let Some(directory) = facts.repo.path(file).parent() else {
            continue;
        };
        let targets = assembly
            .resources
            .iter()
            .filter_map(|listed| directory.join(&listed.path));
        for target in targets.filter_map(|target| facts.repo.resolve_dir(&target)) {
            if !once.insert(target.clone()) {
                twice.insert(target);
            }
        }
    }
    twice
}

/// A unit's own settings act as if they stood in the kustomization that it builds.
fn with_unit(assembly: &Assembly, unit: &fact::Build) -> Assembly {
    let mut assembly = assembly.clone();
    if let Some(namespace) = &unit.target_namespace {
        assembly.namespace = Some(namespace.clone());
    }
    if !unit.name_prefix.is_empty() {
        assembly.name_prefix = unit.name_prefix.clone();
    }
    if !unit.name_suffix.is_empty() {
        assembly.name_suffix = unit.name_suffix.clone();
    }
    assembly.patches.extend(unit.patches.iter().cloned());
    assembly
        .late_patches
        .extend(unit.late_patches.iter().cloned());
    for image in &unit.images {
        assembly.images.retain(|other| other.name != image.name);
        assembly.images.push(image.clone());
    }
    let components = unit.components.iter().map(|component| Listed {
        path: component.value.clone(),
        place: component.place,
        heading: None,
    });
    assembly.components.extend(components);
    assembly
}

/// Two objects with one identity: the first counts, as the build would be refused anyway.
fn drop_duplicates(built: &mut Built) {
    if built.items.len() < 2 {
        return;
    }
    let mut seen: HashMap<(SmolStr, SmolStr, SmolStr, SmolStr), Place> =
        HashMap::with_capacity(built.items.len());
    let findings = &mut built.findings;
    built.items.retain(|item| {
        let id = &item.id;
        let key = (
            id.group.clone(),
            id.kind.clone(),
            id.namespace.clone(),
            id.name.clone(),
        );
        match seen.get(&key) {
            None => {
                seen.insert(key, item.place);
                true
            }
            Some(_) => {
                findings.push(
                    Finding::error(
                        "included-twice",
                        item.place,
                        format!("{id} is included twice in one build: kustomize refuses it"),
                    )
                    .help("remove one of the entries that lead to it"),
                );
                false
            }
        }
    });
}

/// Marked to stay out of the cluster.
fn is_local(item: &Item) -> bool {
    item.node
        .at(&[
            "metadata",
            "annotations",
            "config.kubernetes.io/local-config",
        ])
        .is_some_and(|mark| mark.text() != Some("false"))
}

/// What Flux applies when it lists a directory itself: YAML that is not a tool's own file.
fn is_applied(path: &RepoPath) -> bool {
    const TOOL_FILES: &[&str] = &[
        ".sops.yaml",
        ".sops.yml",
        ".flux.yaml",
        ".goreleaser.yml",
        ".goreleaser.yaml",
        ".gitlab-ci.yml",
        ".travis.yml",
        "appveyor.yml",
        ".drone.yml",
        "cloudbuild.yaml",
        "codeship-services.yml",
        "codeship-steps.yml",
    ];
    let tools = path
        .as_str()
        .split('/')
        .any(|part| matches!(part, ".git" | ".github" | ".circleci"));
    matches!(path.extension(), Some("yaml" | "yml"))
        && !TOOL_FILES.contains(&path.file_name())
        && !tools
}

fn relative(path: &RepoPath, directory: &RepoPath) -> SmolStr {
    let path = path.as_str();
    path.strip_prefix(directory.as_str())
        .unwrap_or(path)
        .trim_start_matches('/')
        .into()
}

fn not_an_object(listed: &Listed, place: Place) -> Finding {
    Finding::error(
        "not-an-object",
        place,
        format!(
            "`{}` is applied, but this document has no `apiVersion` and `kind`",
            listed.path
        ),
    )
    .help("move it out of what is applied: the build fails on it")
}

fn wrong_kind(listed: &Listed, what: &str, help: &str) -> Finding {
    Finding::error(
        "kustomization-wrong-kind",
        listed.place,
        format!("`{}` {what}", listed.path),
    )
    .help(format!("{help}: kustomize refuses it here"))
}
