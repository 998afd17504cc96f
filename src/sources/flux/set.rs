//! ResourceSets: object templates, rendered once per set of inputs. The objects can be of any kind, including units.

use std::sync::Arc;

use super::super::{Expanded, ReadContext};
use super::text::{self, TemplateText};
use super::{inputs, sync_policy, unit_id};
use crate::facts::{
    ApplyRules, Dependency, Gate, Reconcile, Relation, Resource, ResourceId, SyncWave, Timing,
    Unit, UnitId,
};
use crate::sources::duration::seconds;
use base::Finding;
use base::hash::HashSet;
use gotemplate::{Fault, Missing, Value};
use yaml::Node;

pub const GROUP: &str = "fluxcd.controlplane.io";
/// Limit on objects per ResourceSet. More are hardly intended.
const MAX_MADE: usize = 2_000;
/// Limits on template renderings per ResourceSet, and on the rendered bytes.
const MAX_RUNS: usize = 10_000;
const MAX_WRITTEN: usize = 32 << 20;
/// Limit on labels or annotations per object.
const MAX_MARKS: usize = 200;

pub fn is_set(id: &ResourceId) -> bool {
    id.is(GROUP, "ResourceSet")
}

pub fn unit(resource: &Resource) -> Unit {
    let empty = Node::map(resource.place);
    let spec = resource.node.get("spec").unwrap_or(&empty);
    let annotation = |name: &str| {
        let key = format!("{GROUP}/{name}");
        resource.node.text_at(&["metadata", "annotations", &key])
    };
    let every = |name: &str| annotation(name).and_then(seconds);
    Unit {
        depends_on: dependencies(spec, &resource.id),
        gate: match spec.get("wait").and_then(Node::as_bool) {
            Some(true) => Gate::Wait,
            _ => Gate::None,
        },
        suspended: annotation("reconcile") == Some("disabled"),
        reconcile: Reconcile {
            sync_policy: sync_policy(),
            timing: Timing {
                interval: every("reconcileEvery"),
                retry: None,
                timeout: every("reconcileTimeout"),
            },
        },
        template: Some(Arc::new(resource.clone())),
        apply: ApplyRules {
            // Steps come one after the other, and each is tried once those before it are ready.
            dry_runs_whole: spec.items_at("steps").is_empty(),
            orders_children: !spec.items_at("steps").is_empty(),
            ..ApplyRules::default()
        },
        ..Unit::new(unit_id(resource), resource.place)
    }
}

/// Dependencies of a ResourceSet. It may depend on any object, but only units that must be ready imply an order.
fn dependencies(spec: &Node, id: &ResourceId) -> Vec<Dependency> {
    let items = spec.items_at("dependsOn").iter();
    let ready = items.filter(|item| item.get("ready").and_then(Node::as_bool) == Some(true));
    let each = ready.filter_map(|item| {
        let kind = item.text_at(&["kind"])?;
        let name = item.get("name")?;
        matches!(kind, "Kustomization" | "HelmRelease" | "ResourceSet").then(|| Dependency {
            on: UnitId {
                kind: kind.into(),
                namespace: item.text_at(&["namespace"]).unwrap_or(&id.namespace).into(),
                name: name.text().unwrap_or_default().into(),
            },
            relation: Relation::FluxDependsOn,
            place: name.place,
        })
    });
    each.collect()
}

/// The objects that a set makes.
pub fn expand(set: &Resource, context: &ReadContext<'_>) -> Expanded {
    let empty = Node::map(set.place);
    let spec = set.node.get("spec").unwrap_or(&empty);
    let given = inputs::resource_set_inputs(set, spec, context);
    let name = &set.id.name;
    let unknown = given.unknown.iter().map(|(place, why)| {
        Finding::info(
            "generator-unknown",
            *place,
            format!(
                "some objects of the ResourceSet `{name}` are missing from the catalogue: {why}"
            ),
        )
        .help("no action needed: Flux still creates them")
    });
    let mut expanded = Expanded {
        findings: unknown.collect(),
        is_partial: !given.unknown.is_empty(),
        files: given.files,
        ..Expanded::default()
    };
    let common = spec.get("commonMetadata");
    let mut taken = HashSet::default();
    let (mut runs, mut written) = (0, 0);
    for (template, sync_wave) in templates(spec) {
        for input in &given.sets {
            runs += 1;
            if expanded.resources.len() >= MAX_MADE || runs > MAX_RUNS || written > MAX_WRITTEN {
                expanded.is_partial = true;
                expanded.findings.push(too_large(set));
                return expanded;
            }
            match made(&template, input, context) {
                Ok((objects, length)) => {
                    written += length;
                    let wanted = objects.into_iter().filter(|object| !is_off(object));
                    let new = wanted.filter(|object| {
                        let id = &object.id;
                        let (kind, space) = (id.kind.clone(), id.namespace.clone());
                        taken.insert((id.group.clone(), kind, space, id.name.clone()))
                    });
                    expanded.resources.extend(new.map(|mut object| {
                        common.inspect(|common| mark(&mut object, common));
                        object
                    }));
                    if sync_wave.is_some() {
                        expanded.is_stepped = true;
                        expanded
                            .sync_waves
                            .resize(expanded.resources.len(), sync_wave);
                    }
                }
                // One failure fails them all: the ResourceSet is built as a whole.
                Err(fault) => {
                    expanded.is_partial = true;
                    expanded.findings.push(unfollowed(set, &template, &fault));
                    break;
                }
            }
        }
    }
    expanded
}

/// Templates of a ResourceSet: trees, or texts with several documents. Those under `steps` have a sync wave.
fn templates(spec: &Node) -> Vec<(TemplateText, Option<SyncWave>)> {
    let mut templates = Vec::new();
    let mut add = |holder: &Node, sync_wave: Option<SyncWave>| {
        let trees = holder.items_at("resources").iter().map(text::of_tree);
        let text = holder.get("resourcesTemplate").and_then(text::of_scalar);
        templates.extend(trees.chain(text).map(|text| (text, sync_wave)));
    };
    let steps = spec.items_at("steps");
    // A set states its objects or its steps.
    if steps.is_empty() {
        add(spec, None);
    }
    for (number, step) in (0..).zip(steps) {
        let sync_wave = SyncWave {
            number,
            relation: Relation::ResourceSetSteps,
            place: step.place,
        };
        add(step, Some(sync_wave));
    }
    templates
}

/// Gives an object the labels and annotations that all of its set have.
fn mark(object: &mut Resource, common: &Node) {
    let node = Arc::make_mut(&mut object.node);
    for key in ["labels", "annotations"] {
        let pairs = common.entries_at(key);
        if pairs.is_empty() {
            continue;
        }
        let place = node.place;
        let metadata = node.map_under("metadata");
        let marks = metadata.get_or_insert(key, || Node::map(place));
        if marks.as_map().is_none() {
            *marks = Node::map(place);
        }
        for pair in pairs.iter().take(MAX_MARKS) {
            if let Some(marks) = marks.as_map_mut() {
                marks.set(&pair.key, pair.value.clone());
            }
        }
    }
}

/// The objects that a template makes of a set of inputs, and how much text that took.
fn made(
    template: &TemplateText,
    input: &Value,
    context: &ReadContext<'_>,
) -> Result<(Vec<Resource>, usize), Fault> {
    let written = gotemplate::run(&template.text, input, Missing::Fault)?;
    let file = template.place.file;
    let path = context.facts.repo.path(file);
    let facts = super::super::read_text(&written.text, file, path);
    let line = |line: u32| {
        let at = (line as usize).saturating_sub(1);
        written.lines.get(at).copied().unwrap_or(1)
    };
    let mut findings = facts.findings.iter();
    if let Some(broken) = findings.find(|one| one.effect.is_unparsed()) {
        return Err(Fault {
            message: "its output is not YAML".to_owned(),
            line: line(broken.place.line),
        });
    }
    let moved = facts.resources.into_iter().map(|mut resource| {
        let node = Arc::make_mut(&mut resource.node);
        node.move_places(&|place| template.place_of(line(place.line)));
        resource.place = node.place;
        resource
    });
    Ok((moved.collect(), written.text.len()))
}

/// An object may ask to be left out.
fn is_off(object: &Resource) -> bool {
    let key = format!("{GROUP}/reconcile");
    object.node.text_at(&["metadata", "annotations", &key]) == Some("disabled")
}

fn unfollowed(set: &Resource, template: &TemplateText, fault: &Fault) -> Finding {
    Finding::info(
        "template-unfollowed",
        template.place_of(fault.line),
        format!(
            "some objects of the ResourceSet `{}` are missing from the catalogue: {}",
            set.id.name, fault.message
        ),
    )
    .help(
        "no action needed if the ResourceSet is ready in the cluster; otherwise correct the template or \
         its inputs",
    )
}

fn too_large(set: &Resource) -> Finding {
    Finding::warning(
        "generator-too-large",
        set.place,
        format!(
            "the ResourceSet `{}` generates more than {MAX_MADE} objects, or never ends; the rest is skipped",
            set.id.name
        ),
    )
    .help("narrow its inputs, or split the set")
}
