//! Generators and transformers that are configured by objects. kustomize's built-in ones act like the fields of a
//! kustomization; others bring a program, which is not run.

use super::super::field::ObjectField;
use super::super::image;
use super::super::item::BuildObject;
use super::super::transform::{self, Affix, Namespacing};
use super::{Accumulated, DirectoryBuilder};
use crate::manifests::Manifests;
use crate::read;
use crate::{
    Assembly, FieldSpec, GeneratorOptions, Listed, Located, PatchBody, Plugin, PluginStep, Resource,
};
use base::RepoPath;
use base::{Effect, Finding, Place};

/// The annotation that says whether an object of a plugin is new or changes one that is there.
const BEHAVIOR: &str = "kustomize.config.k8s.io/behavior";

impl<M: Manifests> DirectoryBuilder<M> {
    pub(super) fn run_generators(
        &self,
        directory: &RepoPath,
        assembly: &Assembly,
        stack: &mut Vec<RepoPath>,
        whole: &mut Accumulated,
    ) {
        self.run(directory, &assembly.generator_plugins, stack, whole);
    }

    pub(super) fn run_transformers(
        &self,
        directory: &RepoPath,
        assembly: &Assembly,
        stack: &mut Vec<RepoPath>,
        whole: &mut Accumulated,
    ) {
        self.run(directory, &assembly.transformer_plugins, stack, whole);
        // A validator changes no objects; only its verdict is missing.
        for (object, place) in self.objects(directory, &assembly.validator_plugins, stack, whole) {
            whole.built.findings.push(self.unsupported(&object, place));
        }
    }

    fn run(
        &self,
        directory: &RepoPath,
        plugins: &[Plugin],
        stack: &mut Vec<RepoPath>,
        whole: &mut Accumulated,
    ) {
        for (object, place) in self.objects(directory, plugins, stack, whole) {
            let steps = read::steps(&object, &mut whole.built.findings);
            if steps.is_empty() {
                whole.built.is_partial = true;
                whole.built.findings.push(self.unsupported(&object, place));
            }
            for step in &steps {
                match step {
                    PluginStep::Inflate(chart) => {
                        let field = Located {
                            value: object.id.kind.clone(),
                            place,
                        };
                        whole.built.chart_fields.push(field);
                        self.inflate(directory, chart, whole);
                    }
                    PluginStep::Include(files) => self.include_new(directory, files, stack, whole),
                    step => self.step(directory, step, whole),
                }
            }
        }
    }

    /// Adds objects that a plugin reads from files. Those that are to change others are left alone.
    fn include_new(
        &self,
        directory: &RepoPath,
        files: &[Listed],
        stack: &mut Vec<RepoPath>,
        whole: &mut Accumulated,
    ) {
        for listed in files {
            let mut part = Accumulated::default();
            self.include(directory, listed, stack, &mut part);
            whole.effort.add(part.effort);
            part.built.items.retain(|item| {
                let annotations = item.node.at(&["metadata", "annotations"]);
                let behavior = annotations.and_then(|all| all.text_at(&[BEHAVIOR]));
                !matches!(behavior, Some("merge" | "replace"))
            });
            whole.built.join(part.built);
        }
    }

    /// The objects that configure plugins, with the entries that list them.
    fn objects(
        &self,
        directory: &RepoPath,
        plugins: &[Plugin],
        stack: &mut Vec<RepoPath>,
        whole: &mut Accumulated,
    ) -> Vec<(Resource, Place)> {
        let mut objects = Vec::new();
        for plugin in plugins {
            match &plugin.body {
                PatchBody::Inline(scalar) => {
                    let (documents, findings) = read::read_inline(scalar);
                    whole.built.findings.extend(findings);
                    let resources = documents.into_iter().filter_map(Resource::new);
                    objects.extend(resources.map(|resource| (resource, plugin.place)));
                }
                PatchBody::File(path) => {
                    let listed = Listed {
                        path: path.clone(),
                        place: plugin.place,
                        heading: None,
                    };
                    let mut part = Accumulated::default();
                    self.include(directory, &listed, stack, &mut part);
                    whole.effort.add(part.effort);
                    let items = std::mem::take(&mut part.built.items);
                    let items = items.into_iter().map(BuildObject::into_resource);
                    whole.built.join(part.built);
                    objects.extend(items.map(|resource| (resource, plugin.place)));
                }
            }
        }
        objects
    }

    fn step(&self, directory: &RepoPath, step: &PluginStep, whole: &mut Accumulated) {
        let read =
            |specs: &[FieldSpec]| specs.iter().map(ObjectField::from_spec).collect::<Vec<_>>();
        let items = &mut whole.built.items;
        let findings = &mut whole.built.findings;
        match step {
            PluginStep::Generate(generator) => {
                let defaults = GeneratorOptions::default();
                self.generate(directory, [&**generator], &defaults, whole);
            }
            PluginStep::Namespace {
                namespace,
                subjects,
                only_unset,
                fields,
            } => {
                let to = Namespacing {
                    namespace,
                    subjects: *subjects,
                    only_unset: *only_unset,
                };
                let fields = read(fields);
                transform::namespace(items, &to, &fields.iter().collect::<Vec<_>>(), findings);
            }
            PluginStep::Prefix(prefix, fields) => {
                let fields = read(fields);
                transform::affix(
                    items,
                    Affix::Prefix(prefix),
                    &fields.iter().collect::<Vec<_>>(),
                );
            }
            PluginStep::Suffix(suffix, fields) => {
                let fields = read(fields);
                transform::affix(
                    items,
                    Affix::Suffix(suffix),
                    &fields.iter().collect::<Vec<_>>(),
                );
            }
            PluginStep::Pairs(pairs, fields) => {
                let fields = read(fields);
                transform::pairs_in(items, &fields.iter().collect::<Vec<_>>(), pairs);
            }
            PluginStep::Patches(patches) => {
                for one in patches {
                    self.patch(directory, one, whole);
                }
            }
            PluginStep::Image(one, fields) => {
                let fields = read(fields);
                let fields: Vec<&ObjectField> = fields.iter().collect();
                image::images(items, std::slice::from_ref(one), &fields, findings);
            }
            PluginStep::Replica(replica, fields) => {
                let fields = read(fields);
                transform::replicas(items, replica, &fields.iter().collect::<Vec<_>>(), findings);
            }
            // These need more than the objects so far.
            PluginStep::Inflate(_) | PluginStep::Include(_) => {}
            PluginStep::Replacements(replacements) => {
                for one in replacements {
                    self.replace(directory, one, whole);
                }
            }
        }
    }

    fn unsupported(&self, object: &Resource, place: Place) -> Finding {
        Finding::warning(
            "kustomize-unsupported",
            place,
            format!(
                "the plugin {} `{}` in {} is not supported; what it adds or changes is missing from the \
                 catalogue",
                object.id.kind,
                object.id.name,
                self.files().path(object.place.file)
            ),
        )
        .help("no action needed, unless you want the missing objects in the catalogue")
        .effect(Effect::Unsupported)
    }
}
