//! HelmReleases: the chart, where it comes from, and the values that it is given.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use smol_str::SmolStr;

use super::origin::{named_chart, taken};
use super::{dependencies, is_suspended, remote, source_ref, timing, unit_id};
use crate::facts::values;
use crate::facts::{
    ChartFile, CrdsOnUpgrade, Detail, Gate, ObjectChanges, Reconcile, Reference, Relation, Release,
    Resource, Statement, SyncPolicy, Target, Unit, UnitChart,
};
use crate::input::repo::RepoPath;
use crate::sources::ReadContext;
use kustomize::{images, patches};
use yaml::Node;

pub fn unit(resource: &Resource) -> Unit {
    let node = &*resource.node;
    let empty = Node::map(resource.place);
    let spec = node.get("spec").unwrap_or(&empty);
    let namespace = &resource.id.namespace;
    let target_namespace = spec.text_at(&["targetNamespace"]).unwrap_or(namespace);
    Unit {
        depends_on: dependencies(spec, &resource.id),
        // A release is ready once its chart is installed and, by default, its workloads are.
        gate: match spec.at(&["install", "disableWait"]).and_then(Node::as_bool) {
            Some(true) => Gate::None,
            _ => Gate::Wait,
        },
        suspended: is_suspended(spec),
        reconcile: Reconcile {
            timing: timing(spec),
            // A release that somebody else upgraded is upgraded again.
            sync_policy: SyncPolicy {
                reverts: true,
                ..SyncPolicy::default()
            },
        },
        remote: remote::remote(spec, namespace),
        source_refs: taken(chart_source(spec), namespace),
        release: Some(Box::new(Release {
            name: release_name(resource, spec),
            target_namespace: target_namespace.into(),
            chart: chart(spec, namespace),
            creates_namespace: spec
                .at(&["install", "createNamespace"])
                .and_then(Node::as_bool)
                .unwrap_or(false),
            skips_crds: spec.text_at(&["install", "crds"]) == Some("Skip")
                || spec.at(&["install", "skipCRDs"]).and_then(Node::as_bool) == Some(true),
            crds_on_upgrade: crds_on_upgrade(spec),
            has_more_values: !spec.items_at("valuesFrom").is_empty(),
            is_rendered: false,
            values: stated_values(spec).into_iter().collect(),
            changes: changes(spec),
        })),
        ..Unit::new(unit_id(resource), resource.place)
    }
}

/// Flux leaves CRDs alone unless told otherwise; `Create` only adds new ones.
fn crds_on_upgrade(spec: &Node) -> CrdsOnUpgrade {
    match spec.text_at(&["upgrade", "crds"]) {
        Some("CreateReplace") => CrdsOnUpgrade::Replaced,
        _ => CrdsOnUpgrade::Kept,
    }
}

fn stated_values(spec: &Node) -> Option<Arc<Node>> {
    let values = spec.get("values")?;
    values.as_map().is_some().then(|| Arc::new(values.clone()))
}

/// What its post-renderers change.
fn changes(spec: &Node) -> Vec<ObjectChanges> {
    let renderers = spec.items_at("postRenderers").iter();
    let kustomize = renderers.filter_map(|renderer| renderer.get("kustomize"));
    let changes = kustomize.map(|kustomize| ObjectChanges {
        patches: patches(kustomize, "patches"),
        images: images(kustomize),
    });
    changes.collect()
}

/// Reference to the object that the chart comes from.
fn chart_source(spec: &Node) -> Option<&Node> {
    let within = spec.at(&["chart", "spec"]);
    within.map_or_else(|| spec.get("chartRef"), |chart| chart.get("sourceRef"))
}

fn chart(spec: &Node, namespace: &str) -> Option<UnitChart> {
    if let Some(chart) = spec.at(&["chart", "spec"]) {
        return Some(named_chart(chart, namespace, chart.place));
    }
    let reference = spec.get("chartRef")?;
    Some(UnitChart {
        name: None,
        version: None,
        source: source_ref(Some(reference), namespace),
        repository: None,
        parts: Vec::new(),
        main_part: None,
        file: None,
        place: reference.place,
    })
}

/// Adds what a chart among the files of the repo says of itself.
pub fn resolve_files(context: &ReadContext<'_>, statement: &mut Statement) {
    let Some(file) = chart_file(context, statement) else {
        return;
    };
    let unit = statement.unit.as_mut().map(Arc::make_mut);
    let release = unit.and_then(|unit| unit.release.as_mut());
    if let Some(chart) = release.and_then(|release| release.chart.as_mut()) {
        chart.file = Some(file);
    }
}

fn chart_file(context: &ReadContext<'_>, statement: &Statement) -> Option<ChartFile> {
    let release = statement.unit.as_ref()?.release.as_ref()?;
    let chart = release
        .chart
        .as_ref()
        .filter(|chart| chart.file.is_some())?;
    let directory = RepoPath::new(&chart.name.as_ref()?.value)?;
    let file = context.facts.repo.file_in(&directory, "Chart.yaml")?;
    let metadata = context.documents(file).first()?;
    let text = |key: &str| metadata.text_at(&[key]).map(SmolStr::from);
    Some(ChartFile {
        name: text("name"),
        version: text("version"),
    })
}

pub fn describe(resource: &Resource, statement: &mut Statement) {
    if !resource.id.is(super::HELM_GROUP, "HelmRelease") {
        return;
    }
    let Some(spec) = resource.node.get("spec") else {
        return;
    };
    let namespace = &resource.id.namespace;
    statement.details.extend(details(resource, spec));
    for from in spec.items_at("valuesFrom") {
        let (Some(kind), Some(name)) = (from.text_at(&["kind"]), from.text_at(&["name"])) else {
            continue;
        };
        let relation = match kind {
            "Secret" => Relation::Secret,
            _ => Relation::Values,
        };
        statement.references.push(Reference {
            relation,
            target: Target::object(kind, namespace, name),
            place: from.place,
        });
        if kind == "ConfigMap" && statement.supplies.values_from.is_none() {
            statement.supplies.values_from = Some(Arc::new(resource.clone()));
        }
    }
    if let Some(values) = spec.get("values") {
        values::describe(values, statement);
    }
}

/// The name that the controller gives the release: the one that is stated, else that of the object, after the namespace
/// that it is installed in if that is stated.
fn release_name(resource: &Resource, spec: &Node) -> SmolStr {
    let name = &resource.id.name;
    let stated = |key: &str| spec.text_at(&[key]);
    match (stated("releaseName"), stated("targetNamespace")) {
        (Some(name), _) => shortened(name),
        (None, Some(namespace)) => shortened(&format!("{namespace}-{name}")),
        (None, None) => shortened(name),
    }
}

/// Helm takes no longer name than this, so the controller ends a longer one with a hash of it.
fn shortened(name: &str) -> SmolStr {
    const LONGEST: usize = 53;
    const HASH: usize = 12;
    let Some(start) = name
        .get(..LONGEST - HASH - 1)
        .filter(|_| name.len() > LONGEST)
    else {
        return name.into();
    };
    let digest = Sha256::digest(name.as_bytes());
    format!("{start}-{}", &base::text::hex(&digest)[..HASH]).into()
}

/// Helm's release name, and the namespace that stores its release records.
fn details(resource: &Resource, spec: &Node) -> [Detail; 2] {
    let own = &resource.id;
    let storage = spec.text_at(&["storageNamespace"]);
    [
        Detail {
            name: "release",
            value: release_name(resource, spec),
        },
        Detail {
            name: "storage",
            value: storage.map_or_else(|| own.namespace.clone(), SmolStr::from),
        },
    ]
}
