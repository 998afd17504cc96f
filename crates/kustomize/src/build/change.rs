//! Applies the changes of a kustomization to the objects it gathered, in kustomize's order. Files of patches and
//! replacements are read through the builder.

use std::sync::Arc;

use super::super::field::ObjectField;
use super::super::generate::{self, GeneratorFiles};
use super::super::index::ObjectIndex;
use super::super::table::{self, Extra, read_definitions};
use super::super::transform::{self, Affix, Namespacing};
use super::super::{image, patch, replace};
use super::fault::remote;
use super::{Accumulated, Built, DirectoryBuilder};
use crate::manifests::Manifests;
use crate::read;
use crate::{
    Assembly, BuildObject, Generator, GeneratorOptions, LabelReach, Listed, Patch, PatchBody,
    Replacement, Subjects,
};
use base::{FileId, Finding, Place, RepoPath};
use yaml::Node;

impl<M: Manifests> DirectoryBuilder<M> {
    pub(super) fn change(
        &self,
        directory: &RepoPath,
        assembly: &Assembly,
        whole: &mut Accumulated,
    ) {
        // Every object remembers its previous names. If those are too many, the next entry reports it.
        whole.effort.write(names(assembly, &whole.built)).ok();
        for one in &assembly.patches {
            self.patch(directory, one, whole);
        }
        let Accumulated { built, extra, .. } = whole;
        let Built {
            items, findings, ..
        } = built;
        if assembly.patches.iter().any(|patch| patch.target.is_some()) {
            transform::report_conflicts(items, format_args!("a patch"), findings);
        }
        set_namespace(assembly, items, extra, findings);
        report_blocked_fields(assembly, items, extra, findings);
        add_affixes(assembly, items, extra);
        add_labels(assembly, items, extra);
        if !assembly.annotations.is_empty() {
            let annotated = fields(&table::ANNOTATIONS, &extra.annotations);
            transform::pairs_in(items, &annotated, &assembly.annotations);
        }
        for one in &assembly.late_patches {
            self.patch(directory, one, whole);
        }
        let extra = &whole.extra;
        let items = &mut whole.built.items;
        let findings = &mut whole.built.findings;
        for replica in &assembly.replicas {
            let scaled = fields(&table::REPLICAS, &extra.replicas);
            transform::replicas(items, replica, &scaled, findings);
        }
        if !assembly.images.is_empty() {
            let pictured = fields(&table::IMAGES, &extra.images);
            image::images(items, &assembly.images, &pictured, findings);
        }
        for replacement in &assembly.replacements {
            self.replace(directory, replacement, whole);
        }
    }

    pub(super) fn patch(&self, directory: &RepoPath, one: &Patch, whole: &mut Accumulated) {
        if whole.is_full(one.place) {
            return;
        }
        let built = &mut whole.built;
        let documents: Vec<Arc<Node>> = match &one.body {
            PatchBody::Inline(scalar) => {
                built.findings.extend(not_json(scalar, one.place));
                let (documents, findings) = read::read_inline(scalar);
                built.findings.extend(findings);
                documents.into_iter().map(Arc::new).collect()
            }
            PatchBody::File(path) => {
                let Some(file) = self.named_file(directory, path, one.place, built) else {
                    return;
                };
                let manifest = self.manifests.manifest(file);
                let objects = manifest
                    .resources
                    .iter()
                    .map(|resource| resource.node.clone());
                objects.chain(manifest.documents.iter().cloned()).collect()
            }
        };
        let Built {
            items, findings, ..
        } = built;
        patch::apply(items, one, &documents, &mut whole.effort, findings);
    }

    pub(super) fn replace(
        &self,
        directory: &RepoPath,
        replacement: &Replacement,
        whole: &mut Accumulated,
    ) {
        if whole.is_full(replacement.place) {
            return;
        }
        let built = &mut whole.built;
        let effort = &mut whole.effort;
        let Some(path) = &replacement.file else {
            return replace::replace(&mut built.items, replacement, effort, &mut built.findings);
        };
        if let Some(file) = self.named_file(directory, path, replacement.place, built) {
            for one in read::replacements_in(self.manifests.manifest(file).documents) {
                replace::replace(&mut built.items, &one, effort, &mut built.findings);
            }
        }
    }

    pub(super) fn generate<'g>(
        &self,
        directory: &RepoPath,
        generators: impl IntoIterator<Item = &'g Generator>,
        defaults: &GeneratorOptions,
        whole: &mut Accumulated,
    ) {
        let Built {
            items,
            files,
            findings,
            ..
        } = &mut whole.built;
        let mut generators = generators.into_iter().peekable();
        if generators.peek().is_none() {
            return;
        }
        let mut index = ObjectIndex::new(items);
        let mut origin = GeneratorFiles {
            manifests: &self.manifests,
            directory,
            files,
        };
        for generator in generators {
            generate::generate(
                items,
                &mut index,
                generator,
                defaults,
                &mut origin,
                findings,
            );
        }
    }

    pub(super) fn configure(&self, directory: &RepoPath, listed: &Listed, whole: &mut Accumulated) {
        for document in self.documents(directory, listed, whole) {
            whole.extra.read(&document, &mut whole.built.findings);
        }
    }

    pub(super) fn define(&self, directory: &RepoPath, listed: &Listed, whole: &mut Accumulated) {
        for document in self.documents(directory, listed, whole) {
            read_definitions(&document, &mut whole.extra);
        }
    }

    fn documents(
        &self,
        directory: &RepoPath,
        listed: &Listed,
        whole: &mut Accumulated,
    ) -> Vec<Arc<Node>> {
        let file = self.named_file(directory, &listed.path, listed.place, &mut whole.built);
        file.map_or_else(Vec::new, |file| {
            self.manifests.manifest(file).documents.to_vec()
        })
    }

    /// The file that an entry names. kustomize downloads what an address names; here it stays unread.
    fn named_file(
        &self,
        directory: &RepoPath,
        path: &str,
        place: Place,
        built: &mut Built,
    ) -> Option<FileId> {
        if read::is_address(path) {
            built.is_partial = true;
            built.findings.push(remote(path, "its changes", place));
            return None;
        }
        match self.files().file_at(directory, path, place) {
            Ok(file) => {
                built.files.insert(file);
                Some(file)
            }
            Err(finding) => {
                built.findings.push(finding);
                None
            }
        }
    }
}

/// Sets the namespace of objects, and of the fields that contain it.
fn set_namespace(
    assembly: &Assembly,
    items: &mut [BuildObject],
    extra: &Extra,
    findings: &mut Vec<Finding>,
) {
    if let Some(namespace) = &assembly.namespace {
        let to = Namespacing {
            namespace,
            subjects: Subjects::Default,
            only_unset: false,
        };
        let fields = fields(&table::NAMESPACES, &extra.namespaces);
        transform::namespace(items, &to, &fields, findings);
    }
}

/// Reports configured fields of names and namespaces whose path runs into a scalar. Built-in paths fit every valid object.
fn report_blocked_fields(
    assembly: &Assembly,
    items: &[BuildObject],
    extra: &Extra,
    findings: &mut Vec<Finding>,
) {
    let used: [(bool, &[ObjectField]); 3] = [
        (!assembly.name_prefix.is_empty(), &extra.prefixes),
        (!assembly.name_suffix.is_empty(), &extra.suffixes),
        (assembly.namespace.is_some(), &extra.namespaces),
    ];
    for (_, more) in used.iter().filter(|(used, _)| *used) {
        transform::report_blocked(items, &fields(more, &[]), findings);
    }
}

/// Adds `namePrefix` and `nameSuffix`.
fn add_affixes(assembly: &Assembly, items: &mut [BuildObject], extra: &Extra) {
    let prefixed = fields(&table::NAMES, &extra.prefixes);
    transform::affix(items, Affix::Prefix(&assembly.name_prefix), &prefixed);
    let suffixed = fields(&table::NAMES, &extra.suffixes);
    transform::affix(items, Affix::Suffix(&assembly.name_suffix), &suffixed);
}

/// Adds `labels` and `commonLabels`, each set to the fields that it reaches.
fn add_labels(assembly: &Assembly, items: &mut [BuildObject], extra: &Extra) {
    for set in &assembly.labels {
        let own: Vec<ObjectField> = set.fields.iter().map(ObjectField::from_spec).collect();
        let mut all: Vec<&ObjectField> = own.iter().collect();
        if set.reach != LabelReach::Everything {
            all.extend(&extra.plain_labels);
        }
        all.extend(match set.reach {
            LabelReach::Metadata => fields(&table::METADATA_LABELS, &[]),
            LabelReach::Templates => {
                let mut all = fields(&table::METADATA_LABELS, &[]);
                all.extend(fields(&table::TEMPLATE_LABELS, &extra.template_labels));
                all
            }
            LabelReach::Selectors | LabelReach::Everything => fields(&table::LABELS, &extra.labels),
        });
        transform::pairs_in(items, &all, &set.pairs);
    }
}

/// Cost of renaming objects.
fn names(assembly: &Assembly, built: &Built) -> usize {
    const LETTERS: usize = 16;
    let more = assembly.name_prefix.len() + assembly.name_suffix.len();
    if more > 0 || assembly.namespace.is_some() {
        let lengths = built.items.iter().map(|item| item.id.name.len() + more);
        lengths.map(|length| 1 + length / LETTERS).sum()
    } else {
        0
    }
}

fn fields<'a>(known: &'a [ObjectField], more: &'a [ObjectField]) -> Vec<&'a ObjectField> {
    known.iter().chain(more).collect()
}

/// Finding for a patch that begins with a bracket but is not valid JSON.
fn not_json(scalar: &Node, place: Place) -> Option<Finding> {
    let text = scalar.text()?.trim();
    let is_json = || serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    (text.starts_with('[') && !is_json()).then(|| {
        Finding::error(
            "patch-invalid",
            place,
            "this patch starts with `[` but is not valid JSON, so kustomize rejects it",
        )
        .help("quote all keys and strings, or write it as a YAML list")
    })
}
