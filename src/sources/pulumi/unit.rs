//! The reader's own objects, and what they mean: runs, components, workloads and charts as units, and what the objects of a
//! run wait for. Touches nothing.

use std::sync::Arc;

use smol_str::SmolStr;

use super::{DEPENDS_ON, DOUBTFUL, FILE, GROUP, IMPLIED, RUN, TAKEN, UNCLEAR};
use crate::facts::values;
use crate::facts::{
    Appearance, AppliedBy, ApplyRules, Await, Build, CrdsOnUpgrade, Dependency, Detail, Gate,
    Input, Interface, Located, Naming, Output, Relation, Release, Resource, Sees, SourceRef,
    Statement, Target, Unit, UnitChart, UnitId,
};
use crate::input::repo::RepoPath;
use crate::sources::Advice;
use base::Place;
use yaml::{Map, Node, Value};

pub fn unit(resource: &Resource) -> Option<Unit> {
    let spec = resource.node.get("spec")?;
    let stated = spec.text_at(&["kind"]);
    let id = UnitId {
        kind: stated.unwrap_or(&resource.id.kind).into(),
        namespace: spec.text_at(&["scope"]).unwrap_or_default().into(),
        name: resource.id.name.clone(),
    };
    let waits = spec.items_at(DEPENDS_ON);
    let depends_on = waits.iter().filter_map(|node| {
        Some(Dependency {
            on: unit_id(node)?,
            relation: relation(node),
            place: node.place,
        })
    });
    let running = waits.iter().filter(|node| is_running(node));
    let mut unit = Unit {
        depends_on: depends_on.collect(),
        apply: ApplyRules {
            observed_healthy: running.filter_map(unit_id).collect(),
            // Each object is applied by itself, and one that fails keeps back only what waits for it.
            skips_dry_run_on_missing: true,
            own_group: Some(GROUP),
            ..ApplyRules::default()
        },
        appearance: Appearance {
            home: spec.text_at(&["home"]).and_then(RepoPath::new),
            ..Appearance::default()
        },
        ..Unit::new(id, resource.place)
    };
    match resource.id.kind.as_str() {
        "Stack" => {
            unit.appearance.interface = interface(spec);
            // One that does nothing but install a chart is known as that.
            let is_told =
                unit.appearance.interface.is_some() || !spec.entries_at("settings").is_empty();
            if is_told || !is_one_release(spec.items_at("objects")) {
                unit.appearance.naming = Naming::Own;
            }
            unit.apply.applied_by = AppliedBy::Program;
            unit.template = Some(Arc::new(resource.clone()));
        }
        "ComponentResource" | "Workload" | FILE => {
            if spec.get("whole").and_then(Node::as_bool) == Some(true) {
                unit.appearance.naming = Naming::Own;
            }
            unit.template = Some(Arc::new(resource.clone()));
        }
        "Directory" => {
            let path = spec.get("path")?;
            unit.build = Some(Box::new(Build {
                path: path.text()?.into(),
                path_place: path.place,
                ..Build::default()
            }));
        }
        "Chart" | "Release" => {
            unit.gate = match spec.get("waits").and_then(Node::as_bool) {
                Some(true) => Gate::Wait,
                _ => Gate::None,
            };
            unit.release = Some(Box::new(release(resource, spec)));
        }
        _ => return None,
    }
    Some(unit)
}

/// Whether the objects are a single chart, release or file group.
fn is_one_release(objects: &[Node]) -> bool {
    let [only] = objects else {
        return false;
    };
    let is_ours = only.text_at(&["apiVersion"]) == Some(&format!("{GROUP}/v1"));
    is_ours && matches!(only.text_at(&["kind"]), Some("Chart" | "Release" | FILE))
}

fn release(resource: &Resource, spec: &Node) -> Release {
    let located = |key: &str| {
        let node = spec.get(key)?;
        Some(Located {
            value: SmolStr::from(node.text()?),
            place: node.place,
        })
    };
    let is = |key: &str| spec.get(key).and_then(Node::as_bool) == Some(true);
    let name = located("chart");
    let chart = name.map(|name| {
        // A chart in a registry is named by its whole address.
        let address = name
            .value
            .strip_prefix("oci://")
            .and_then(|rest| rest.rsplit_once('/'));
        let (short, repository) = match address {
            Some((registry, short)) => (
                SmolStr::from(short),
                Some(smol_str::format_smolstr!("oci://{registry}")),
            ),
            None => (name.value.clone(), None),
        };
        UnitChart {
            place: name.place,
            name: Some(Located {
                value: short,
                place: name.place,
            }),
            version: located("version"),
            source: SourceRef::default(),
            repository: repository.or_else(|| spec.text_at(&["repository"]).map(SmolStr::from)),
            parts: Vec::new(),
            main_part: None,
            file: None,
        }
    });
    Release {
        name: resource.id.name.clone(),
        target_namespace: resource.id.namespace.clone(),
        chart,
        creates_namespace: is("createNamespace"),
        skips_crds: is("skipCrds"),
        crds_on_upgrade: CrdsOnUpgrade::Replaced,
        has_more_values: is("partial"),
        is_rendered: false,
        values: spec
            .items_at("values")
            .iter()
            .cloned()
            .map(Arc::new)
            .collect(),
        changes: Vec::new(),
    }
}

/// Describes an object of a run: its dependencies, beyond its identity.
pub fn describe(resource: &Resource, statement: &mut Statement) {
    if let Some(waits) = resource.node.get(RUN) {
        let awaits = waits.items().iter().filter_map(|node| {
            Some(Await {
                on: unit_id(node)?,
                sees: if is_running(node) {
                    Sees::Running
                } else {
                    Sees::Ready
                },
                relation: relation(node),
                place: node.place,
            })
        });
        statement.order.awaits = awaits.collect();
        let says = |mark: &str| waits.items().iter().any(|node| node.text() == Some(mark));
        // A name with an unknown part may stand for several objects, and of the two sides of a condition that is not
        // known, one exists.
        statement.is_shared =
            resource.id.name.contains('…') || resource.id.namespace.contains('…') || says(DOUBTFUL);
        // An object with an unknown dependency may be created late enough for its CRD.
        if says(UNCLEAR) {
            statement
                .references
                .retain(|reference| reference.relation != Relation::CustomResource);
        }
    }
    if resource.id.group != GROUP {
        return;
    }
    // The reader's own types are no types of the cluster, and what stands inside speaks for itself.
    match resource.id.kind.as_str() {
        "Chart" | "Release" => statement
            .references
            .retain(|reference| reference.relation != Relation::CustomResource),
        _ => {
            statement.references.clear();
            statement.provides.clear();
            statement.reached.urls.clear();
            statement.runs.images.clear();
            statement.alerts.clear();
            statement.details.clear();
        }
    }
    let Some(spec) = resource.node.get("spec") else {
        return;
    };
    if let Some(settings) = spec.get("settings") {
        values::describe(settings, statement);
    }
    values::describe_over(spec.items_at("values"), statement);
    let is_made = spec.get("createNamespace").and_then(Node::as_bool) == Some(true);
    if is_made && !resource.id.namespace.is_empty() {
        let made = Target::object("Namespace", "", &resource.id.namespace);
        statement.provides.push(made);
    }
    if matches!(resource.id.kind.as_str(), "Chart" | "Release") {
        let waits = spec.get("waits").and_then(Node::as_bool) == Some(true);
        statement.details.push(Detail {
            name: "waits",
            value: if waits {
                "until ready".into()
            } else {
                "no".into()
            },
        });
    }
}

fn unit_id(node: &Node) -> Option<UnitId> {
    Some(UnitId {
        kind: node.text_at(&["kind"])?.into(),
        namespace: node.text_at(&["namespace"]).unwrap_or_default().into(),
        name: node.text_at(&["name"])?.into(),
    })
}

fn is_running(node: &Node) -> bool {
    node.get("running").and_then(Node::as_bool) == Some(true)
}

fn relation(node: &Node) -> Relation {
    match node.text_at(&["means"]) {
        Some(TAKEN) => Relation::PulumiOutput,
        Some(IMPLIED) => Relation::Implied,
        Some(super::STACK) => Relation::PulumiStackReference,
        _ => Relation::PulumiDependsOn,
    }
}

/// A dependency, as the reader's own objects hold it.
pub fn dependency(id: &UnitId, means: &str, place: Place) -> Node {
    let mut map = Map::default();
    map.push("kind", Node::string(id.kind.clone(), place));
    map.push("namespace", Node::string(id.namespace.clone(), place));
    map.push("name", Node::string(id.name.clone(), place));
    map.push("means", Node::string(means, place));
    Node {
        value: Value::Map(map),
        place,
    }
}

fn flag(value: bool, place: Place) -> Node {
    Node::plain(if value { "true" } else { "false" }, place)
}

/// Inputs of a run, as the reader's own objects hold them.
pub fn inputs(inputs: &[Input], place: Place) -> Node {
    let items = inputs.iter().map(|input| {
        let mut map = Map::default();
        map.push("name", Node::string(input.name.clone(), input.place));
        let kind = input.kind.clone().unwrap_or_default();
        map.push("kind", Node::string(kind, input.place));
        if let Some(default) = &input.default {
            map.push("default", Node::string(default.clone(), input.place));
        }
        map.push("required", flag(input.is_required, input.place));
        map.push("secret", flag(input.is_secret, input.place));
        Node {
            value: Value::Map(map),
            place: input.place,
        }
    });
    Node::seq(items.collect(), place)
}

/// Outputs of a run, as the reader's own objects hold them.
pub fn outputs(outputs: &[Output], place: Place) -> Node {
    let items = outputs.iter().map(|output| {
        let mut map = Map::default();
        map.push("name", Node::string(output.name.clone(), output.place));
        map.push("secret", flag(output.is_secret, output.place));
        Node {
            value: Value::Map(map),
            place: output.place,
        }
    });
    Node::seq(items.collect(), place)
}

fn interface(spec: &Node) -> Option<Arc<Interface>> {
    let is = |node: &Node, key: &str| node.get(key).and_then(Node::as_bool) == Some(true);
    let text = |node: &Node, key: &str| node.text_at(&[key]).map(SmolStr::from);
    let inputs = spec.items_at("inputs").iter().filter_map(|node| {
        Some(Input {
            name: text(node, "name")?,
            kind: text(node, "kind"),
            description: None,
            default: text(node, "default"),
            is_required: is(node, "required"),
            is_secret: is(node, "secret"),
            place: node.place,
        })
    });
    let outputs = spec.items_at("outputs").iter().filter_map(|node| {
        Some(Output {
            name: text(node, "name")?,
            description: None,
            is_secret: is(node, "secret"),
            place: node.place,
        })
    });
    let interface = Interface {
        inputs: inputs.collect(),
        outputs: outputs.collect(),
    };
    let is_empty = interface.inputs.is_empty() && interface.outputs.is_empty();
    (!is_empty).then(|| Arc::new(interface))
}

/// Whether a unit is one that this reader made.
pub fn is_ours(unit: &UnitId) -> bool {
    matches!(
        unit.kind.as_str(),
        "Stack"
            | "ComponentResource"
            | FILE
            | "Directory"
            | "Chart"
            | "Release"
            | "Deployment"
            | "StatefulSet"
            | "DaemonSet"
            | "CronJob"
    )
}

/// How to fix an order, in Pulumi's words.
pub fn advice(unit: &UnitId, advice: Advice<'_>) -> Option<String> {
    let name = &unit.name;
    is_ours(unit).then(|| match advice {
        Advice::Within => "put the workload that serves the webhook into its `dependsOn`".to_owned(),
        Advice::Gate if unit.kind == "Chart" => format!(
            "depend on the chart's workload rather than on the Chart: put `ready` of `{name}`, or its \
             `getResource(\"apps/v1/Deployment\", …)`, into `dependsOn`, or install the chart with \
             `helm.v3.Release`, which waits"
        ),
        Advice::Gate => {
            format!("remove `skipAwait` from `{name}`, so that it waits for its workloads")
        }
        Advice::Weakness(name) => format!(
            "`{name}` counts as created as soon as its objects are submitted; Pulumi does not wait for its \
             workloads"
        ),
        Advice::After(name) => format!(
            "put `{name}` into `dependsOn`, in a form that waits for its workloads: a `helm.v3.Release`, \
             or `ready` of a `helm.v3.Chart`"
        ),
        Advice::Apart(name) => format!("put `{name}` into its `dependsOn`"),
    })
}
