//! The entries of a kustomization: files, directories and components, and the checks that keep inclusion finite.
//! Adds to the build it is given; reads manifests through the builder only.

use std::sync::Arc;

use super::fault::{cycle, nameless, not_a_kustomization, not_an_object, remote, wrong_kind};
use super::{Accumulated, Built, DirectoryBuilder, variable};
use crate::manifests::Manifests;
use crate::read::is_remote;
use crate::{Assembly, AssemblyKind, BuildObject, Listed};
use base::{Finding, Place, RepoPath, outside};

/// Maximum depth of directories that include each other.
const MAX_DEPTH: usize = 64;

impl<M: Manifests> DirectoryBuilder<M> {
    pub(super) fn include(
        &self,
        directory: &RepoPath,
        listed: &Listed,
        stack: &mut Vec<RepoPath>,
        whole: &mut Accumulated,
    ) {
        let Some(path) = self.entry_path(directory, listed, whole) else {
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
                let mut item = BuildObject::new(resource);
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
        // Reports what was cut off in the part, even if it is the last entry.
        whole.is_full(listed.place);
        let mut part = Arc::unwrap_or_clone(part);
        for item in &mut part.built.items {
            item.heading = item.heading.take().or_else(|| listed.heading.clone());
        }
        whole.built.join(part.built);
        whole.extra.extend(&part.extra);
        variable::inherit(&mut whole.vars, &part.vars, &mut whole.built.findings);
    }

    /// The result of an included directory, from the cache if others include it too.
    fn included(
        &self,
        directory: &RepoPath,
        assembly: &Assembly,
        stack: &mut Vec<RepoPath>,
    ) -> Arc<Accumulated> {
        let kept = self.shared.contains(directory);
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

    pub(super) fn component(
        &self,
        directory: &RepoPath,
        listed: &Listed,
        stack: &mut Vec<RepoPath>,
        whole: &mut Accumulated,
    ) {
        let Some(path) = self.entry_path(directory, listed, whole) else {
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

    /// The path of an entry, unless the build is full, or the entry is remote or leads out of the repo.
    fn entry_path(
        &self,
        directory: &RepoPath,
        listed: &Listed,
        whole: &mut Accumulated,
    ) -> Option<RepoPath> {
        if whole.is_full(listed.place) {
            return None;
        }
        self.local(directory, listed, whole)
    }

    /// The path of an entry, unless it is remote or leads out of the repo.
    pub(super) fn local(
        &self,
        directory: &RepoPath,
        listed: &Listed,
        whole: &mut Accumulated,
    ) -> Option<RepoPath> {
        if is_remote(&listed.path) {
            whole.built.is_partial = true;
            let fault = remote(&listed.path, "its objects", listed.place);
            whole.built.findings.push(fault);
            whole.built.remote.push(listed.path.clone());
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
    pub(super) fn assembly_at(
        &self,
        path: &RepoPath,
        listed: &Listed,
        stack: &[RepoPath],
        whole: &mut Accumulated,
    ) -> Option<(RepoPath, Arc<Assembly>)> {
        let Built {
            findings,
            is_partial,
            ..
        } = &mut whole.built;
        let Some(real) = self.files().resolve_dir(path) else {
            *is_partial = true;
            // A link that leads out of the repo is reported elsewhere, and its target exists.
            if !self.files().leads_out(path) {
                findings.push(self.files().missing(&listed.path, path, listed.place));
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
