//! Flux: Kustomizations and HelmReleases are units, and so are ResourceSets, which make objects out of
//! templates; sources and artifacts say where files and charts come from; a bootstrap directory or a
//! FluxInstance shows where a cluster begins.

mod edit;
mod inputs;
mod origin;
mod release;
mod remote;
mod set;
mod text;
mod values;

use smol_str::SmolStr;

use super::duration::seconds;
use super::values_from::EntryLookup;
use super::{
    Describe, Expand, Expanded, LineChange, NameInTool, NewUnit, Operate, ReadContext, Reader,
    Source, Verb,
};
use crate::facts::kubernetes::scope::is_cluster_scoped;
use crate::facts::{
    ApplyRules, Build, Dependency, EntryPoint, FileFacts, Gate, Located, Reconcile, Relation,
    Resource, ResourceId, SourceRef, Statement, Substitution, SyncPolicy, Timing, Unit, UnitId,
    VariableSource, split_api_version,
};
use crate::input::repo::RepoPath;
use base::Finding;
use kustomize::{both, entries, images, located, patches, text};
use shell::quote;
use yaml::Node;

pub struct Flux;

pub const SOURCE: Source = Source {
    reader: &Flux,
    describe: Some(&Flux),
    expand: Some(&Flux),
    operate: Some(&Flux),
};

pub const KUSTOMIZE_GROUP: &str = "kustomize.toolkit.fluxcd.io";
pub const HELM_GROUP: &str = "helm.toolkit.fluxcd.io";
const NO_SUBSTITUTION: (&str, &str) = ("kustomize.toolkit.fluxcd.io/substitute", "disabled");

impl Reader for Flux {
    fn name(&self) -> &'static str {
        "flux"
    }

    fn unit(&self, resource: &Resource) -> Option<Unit> {
        let id = &resource.id;
        if id.is(KUSTOMIZE_GROUP, "Kustomization") {
            Some(kustomization(resource))
        } else if id.is(HELM_GROUP, "HelmRelease") {
            Some(release::unit(resource))
        } else if set::is_set(id) {
            Some(set::unit(resource))
        } else {
            None
        }
    }

    fn entry_point(&self, path: &RepoPath, facts: &FileFacts) -> Option<EntryPoint> {
        entry_point(path, facts)
    }

    /// The operator makes Flux out of a FluxInstance, so that it runs before anything is applied.
    fn preinstalled_group(&self, facts: &FileFacts) -> Option<&'static str> {
        let mut resources = facts.resources.iter();
        let has_instance = resources.any(|resource| resource.id.is(set::GROUP, "FluxInstance"));
        (has_instance || syncs(facts).next().is_some()).then_some(set::GROUP)
    }

    fn is_bootstrap(&self, unit: &UnitId) -> bool {
        unit.kind == "Kustomization" && unit.name == "flux-system"
    }

    fn is_bootstrap_source(&self, source: &SourceRef) -> bool {
        source.kind != "HelmRepository" && source.name == "flux-system"
    }
}

impl Describe for Flux {
    fn describe(&self, resource: &Resource, statement: &mut Statement) {
        // Flux installs its own CRDs, so its objects need no other CRD.
        if resource.id.group.ends_with(".fluxcd.io") {
            statement
                .references
                .retain(|reference| reference.relation != Relation::CustomResource);
        }
        statement.is_shared = is_shared(resource);
        origin::describe(resource, statement);
        release::describe(resource, statement);
    }

    fn values_from(
        &self,
        resource: &Resource,
        lookup: &EntryLookup<'_>,
        statement: &mut Statement,
    ) {
        if resource.id.is(HELM_GROUP, "HelmRelease") {
            values::describe(resource, lookup, statement);
        }
    }

    fn resolve_files(
        &self,
        resource: &Resource,
        context: &ReadContext<'_>,
        statement: &mut Statement,
    ) -> Vec<Finding> {
        if resource.id.is(HELM_GROUP, "HelmRelease") {
            release::resolve_files(context, statement);
        }
        Vec::new()
    }

    fn is_plumbing(&self, kind: &str) -> bool {
        let sources = [
            "HelmRepository",
            "OCIRepository",
            "GitRepository",
            "HelmChart",
            "Bucket",
        ];
        self.unit_kinds().contains(&kind) || sources.contains(&kind)
    }

    fn makes_no_pods(&self, group: &str) -> bool {
        let controllers = ["notification.toolkit.fluxcd.io", "image.toolkit.fluxcd.io"];
        [KUSTOMIZE_GROUP, origin::GROUP].contains(&group) || controllers.contains(&group)
    }

    fn is_source(&self, id: &ResourceId) -> bool {
        id.group == origin::GROUP
    }
}

impl Expand for Flux {
    fn makes_unnamed(&self, kind: &str) -> bool {
        kind == "ResourceSet"
    }

    fn expand(&self, template: &Resource, context: &ReadContext<'_>) -> Option<Expanded> {
        set::is_set(&template.id).then(|| set::expand(template, context))
    }
}

impl Operate for Flux {
    fn command(&self, unit: &UnitId, _upkeep: SyncPolicy, verb: Verb) -> Option<String> {
        let kind = match unit.kind.as_str() {
            "Kustomization" => "kustomization",
            "HelmRelease" => "helmrelease",
            _ => return None,
        };
        let verb = match verb {
            Verb::Suspend => "suspend",
            Verb::Resume => "resume",
        };
        let (name, namespace) = (quote(&unit.name), quote(&unit.namespace));
        Some(format!("flux {verb} {kind} {name} -n {namespace}"))
    }

    fn unit_kinds(&self) -> &'static [&'static str] {
        &["Kustomization", "HelmRelease"]
    }

    fn name_in_tool(&self, unit: &UnitId) -> Option<NameInTool> {
        let kind = || NameInTool::Kind(unit.kind.to_ascii_lowercase());
        self.unit_kinds().contains(&unit.kind.as_str()).then(kind)
    }

    fn gate_line(&self, unit: &UnitId) -> Option<&'static str> {
        matches!(unit.kind.as_str(), "Kustomization" | "ResourceSet").then_some("wait: true")
    }

    fn write_gate(&self, document: &Node, text: &str) -> Option<LineChange> {
        let id = ResourceId::from_node(document)?;
        let is_unit = id.is(KUSTOMIZE_GROUP, "Kustomization");
        is_unit.then(|| edit::gate(document, text))?
    }

    fn write_unit(&self, beside: &Node, text: &str, new: &NewUnit<'_>) -> Option<String> {
        let id = ResourceId::from_node(beside)?;
        let is_unit = id.is(KUSTOMIZE_GROUP, "Kustomization");
        is_unit.then(|| edit::beside(beside, text, new))?
    }

    /// Both controllers have `--requeue-dependency`, of 30 s by default; the operator always takes 5 s.
    fn requeue(&self, unit: &UnitId) -> Option<u64> {
        match unit.kind.as_str() {
            "Kustomization" | "HelmRelease" => Some(30),
            "ResourceSet" => Some(5),
            _ => None,
        }
    }
}

/// An object that is applied in part, once, or never deleted may have several owners.
fn is_shared(resource: &Resource) -> bool {
    let metadata = |key: &str| {
        let label = |part| resource.node.text_at(&["metadata", part, key]);
        label("annotations").or_else(|| label("labels"))
    };
    let ssa = metadata("kustomize.toolkit.fluxcd.io/ssa");
    matches!(ssa, Some("Merge" | "IfNotPresent" | "Ignore"))
        || metadata("kustomize.toolkit.fluxcd.io/prune") == Some("disabled")
}

fn kustomization(resource: &Resource) -> Unit {
    let node = &*resource.node;
    let empty = Node::map(resource.place);
    let spec = node.get("spec").unwrap_or(&empty);
    let namespace = &resource.id.namespace;
    Unit {
        depends_on: dependencies(spec, &resource.id),
        gate: gate(spec, namespace),
        suspended: is_suspended(spec),
        reconcile: Reconcile {
            sync_policy: SyncPolicy {
                prunes: spec.get("prune").and_then(Node::as_bool) == Some(true),
                ..sync_policy()
            },
            timing: timing(spec),
        },
        remote: remote::remote(spec, namespace),
        build: Some(Box::new(build(spec, namespace))),
        source_refs: origin::taken(spec.get("sourceRef"), namespace),
        apply: ApplyRules {
            dry_runs_whole: true,
            ..ApplyRules::default()
        },
        ..Unit::new(unit_id(resource), resource.place)
    }
}

/// Flux reverts drift. It leaves `spec.suspend` alone, because the manifest does not set that field.
fn sync_policy() -> SyncPolicy {
    SyncPolicy {
        applies: true,
        reverts: true,
        ..SyncPolicy::default()
    }
}

fn unit_id(resource: &Resource) -> UnitId {
    UnitId {
        kind: resource.id.kind.clone(),
        namespace: resource.id.namespace.clone(),
        name: resource.id.name.clone(),
    }
}

fn timing(spec: &Node) -> Timing {
    let seconds = |key: &str| spec.text_at(&[key]).and_then(seconds);
    Timing {
        interval: seconds("interval"),
        retry: seconds("retryInterval"),
        timeout: seconds("timeout"),
    }
}

fn is_suspended(spec: &Node) -> bool {
    spec.get("suspend").and_then(Node::as_bool).unwrap_or(false)
}

/// `dependsOn` names units of the same kind, in the same namespace unless it says otherwise.
fn dependencies(spec: &Node, id: &ResourceId) -> Vec<Dependency> {
    spec.read_at("dependsOn", |item| {
        let name = item.text_at(&["name"])?;
        Some(Dependency {
            on: UnitId {
                kind: id.kind.clone(),
                namespace: item.text_at(&["namespace"]).unwrap_or(&id.namespace).into(),
                name: name.into(),
            },
            relation: Relation::FluxDependsOn,
            place: item.get("name").map_or(item.place, |name| name.place),
        })
    })
}

fn gate(spec: &Node, namespace: &str) -> Gate {
    if spec.get("wait").and_then(Node::as_bool) == Some(true) {
        return Gate::Wait;
    }
    let checks = spec.items_at("healthChecks").iter();
    let checks: Vec<ResourceId> = checks.map(|check| health_check(check, namespace)).collect();
    if checks.is_empty() {
        Gate::None
    } else {
        Gate::HealthChecks(checks)
    }
}

/// The object that a health check names. What states no version is a workload, as it was in the first versions of the API.
fn health_check(check: &Node, namespace: &str) -> ResourceId {
    let version = check.text_at(&["apiVersion"]);
    let version = version.filter(|version| !version.is_empty());
    let (group, version) = split_api_version(version.unwrap_or("apps/v1"));
    let kind = text(check, "kind");
    let namespace = if is_cluster_scoped(group, &kind) {
        ""
    } else {
        check.text_at(&["namespace"]).unwrap_or(namespace)
    };
    ResourceId {
        group: group.into(),
        version: version.into(),
        kind,
        namespace: namespace.into(),
        name: text(check, "name"),
    }
}

fn build(spec: &Node, namespace: &str) -> Build {
    let path = spec.get("path");
    let substitution = spec.get("postBuild").map(|post| Substitution {
        inline: entries(post, "substitute"),
        from: post.read_at("substituteFrom", variable_source),
        always: spec.text_at(&["postBuild", "substituteStrategy"]) == Some("Always"),
        opt_out: Some(NO_SUBSTITUTION),
    });
    Build {
        source: source_ref(spec.get("sourceRef"), namespace),
        path: normal_path(path.and_then(Node::text).unwrap_or_default()),
        path_place: path.map_or(spec.place, |path| path.place),
        target_namespace: spec.get("targetNamespace").and_then(located),
        name_prefix: text(spec, "namePrefix"),
        name_suffix: text(spec, "nameSuffix"),
        patches: both(
            patches(spec, "patchesStrategicMerge"),
            patches(spec, "patches"),
        ),
        late_patches: patches(spec, "patchesJson6902"),
        components: spec.read_at("components", located),
        images: images(spec),
        common_labels: metadata_entries(spec, "labels"),
        common_annotations: metadata_entries(spec, "annotations"),
        substitution,
        ..Build::default()
    }
}

fn metadata_entries(spec: &Node, key: &str) -> Vec<crate::facts::KeyValue> {
    spec.get("commonMetadata")
        .map(|metadata| entries(metadata, key))
        .unwrap_or_default()
}

fn variable_source(node: &Node) -> Option<VariableSource> {
    Some(VariableSource {
        kind: text(node, "kind"),
        name: node.text_at(&["name"])?.into(),
        optional: node
            .get("optional")
            .and_then(Node::as_bool)
            .unwrap_or(false),
        place: node.get("name")?.place,
    })
}

fn source_ref(node: Option<&Node>, namespace: &str) -> SourceRef {
    SourceRef {
        kind: node.map(|node| text(node, "kind")).unwrap_or_default(),
        namespace: node
            .and_then(|node| node.text_at(&["namespace"]))
            .unwrap_or(namespace)
            .into(),
        name: node.map(|node| text(node, "name")).unwrap_or_default(),
    }
}

/// Normalises a path: `./apps/` and `apps` are the same, and so is `../apps`, because Flux never leaves the source.
/// Anything else is kept unchanged.
fn normal_path(path: &str) -> SmolStr {
    let mut inside: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(inside.pop()),
            part => inside.push(part),
        }
    }
    match RepoPath::new(&inside.join("/")) {
        Some(path) => path.as_str().into(),
        None => path.into(),
    }
}

/// A bootstrap directory shows the directory above it; a FluxInstance names the one it syncs.
fn entry_point(path: &RepoPath, facts: &FileFacts) -> Option<EntryPoint> {
    if let Some(sync) = syncs(facts).next() {
        return Some(EntryPoint {
            path: RepoPath::new(sync.text_at(&["path"])?)?,
            url: sync.text_at(&["url"]).map(SmolStr::from),
        });
    }
    if path.file_name() != "gotk-sync.yaml" {
        return None;
    }
    let units = facts.resources.iter();
    let mut units = units.filter_map(|resource| Some((resource, Flux.unit(resource)?)));
    let synced = units.clone().find_map(|(resource, unit)| {
        // Bootstrapping writes the path down. Without one, this is a base, and each cluster has a patch.
        resource.node.at(&["spec", "path"])?;
        RepoPath::new(&unit.build?.path)
    });
    let is_base = synced.is_none() && units.next().is_some();
    let directory = path.parent()?;
    let above = || match directory.file_name() {
        "flux-system" if !is_base => directory.parent(),
        _ => None,
    };
    Some(EntryPoint {
        path: synced.or_else(above)?,
        url: None,
    })
}

/// The `sync` nodes of FluxInstances: from objects, from the values of a HelmRelease, or from values files.
fn syncs(facts: &FileFacts) -> impl Iterator<Item = &Node> {
    let instances = facts.resources.iter().filter_map(|resource| {
        let (id, node) = (&resource.id, &resource.node);
        if id.is(set::GROUP, "FluxInstance") {
            node.at(&["spec", "sync"])
        } else if id.is(HELM_GROUP, "HelmRelease") {
            node.at(&["spec", "values", "instance", "sync"])
        } else {
            None
        }
    });
    let values = facts.other_documents.iter();
    instances.chain(values.filter_map(|values| values.at(&["instance", "sync"])))
}

/// The text of a field with its place.
fn located_at(node: &Node, path: &[&str]) -> Option<Located<SmolStr>> {
    located(node.at(path)?)
}
