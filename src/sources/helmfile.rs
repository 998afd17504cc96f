//! Helmfile: releases that people install. Where a reconciler installs them too, they come first, with their CRDs and
//! webhooks; the others are units of a program that people run.

mod program;

use std::sync::Arc;

use smol_str::{SmolStr, format_smolstr};

use super::{Describe, Expand, Expanded, Program, ReadContext, Reader, Source, SourceFile};
use crate::facts::values;
use crate::facts::{
    AppliedBy, BootstrapExtent, Bootstrapped, CrdsOnUpgrade, Dependency, FileFacts, Gate, Located,
    NamedChart, Naming, Relation, Release, Resource, SourceRef, Statement, Target, Unit, UnitChart,
    UnitId,
};
use base::text::last_part;
use yaml::Node;

pub struct Helmfile;

pub const SOURCE: Source = Source {
    reader: &Helmfile,
    describe: Some(&Helmfile),
    expand: Some(&Helmfile),
    operate: None,
};

/// Of objects of this reader's own making.
const GROUP: &str = "helmfile";
const ROOT: &str = "Helmfile";
const RELEASE: &str = "HelmfileRelease";

impl Reader for Helmfile {
    fn name(&self) -> &'static str {
        "helmfile"
    }

    fn unit(&self, resource: &Resource) -> Option<Unit> {
        let spec = spec(resource)?;
        let id = UnitId {
            kind: resource.id.kind.clone(),
            namespace: spec.text_at(&["namespace"]).unwrap_or_default().into(),
            name: resource.id.name.clone(),
        };
        let mut unit = Unit::new(id, resource.place);
        unit.apply.own_group = Some(GROUP);
        unit.apply.applied_by = AppliedBy::Program;
        if resource.id.kind == ROOT {
            unit.gate = Gate::Wait;
            unit.template = Some(Arc::new(resource.clone()));
            return Some(unit);
        }
        unit.appearance.naming = Naming::Own;
        if is_marked(spec, "waits") {
            unit.gate = Gate::Wait;
        }
        unit.depends_on = spec.items_at("needs").iter().filter_map(need).collect();
        unit.release = Some(Box::new(installed(spec, &unit.id)));
        Some(unit)
    }

    /// Only inspects the documents, so that references to them still work.
    fn read(&self, file: &mut SourceFile<'_>, facts: &mut FileFacts) {
        for document in &file.documents {
            let root = &document.root;
            if root.get("kind").is_some() || root.get("apiVersion").is_some() {
                continue;
            }
            let extent = extent(root);
            let releases = root.items_at("releases").iter();
            facts
                .bootstrapped
                .extend(releases.clone().filter_map(|node| release(node, extent)));
            facts
                .named_charts
                .extend(releases.filter_map(|node| named_chart(node, root)));
        }
    }
}

impl Describe for Helmfile {
    fn describe(&self, resource: &Resource, statement: &mut Statement) {
        let Some(spec) = spec(resource) else {
            return;
        };
        statement.is_shared = true;
        statement
            .references
            .retain(|reference| reference.relation != Relation::CustomResource);
        if resource.id.kind != RELEASE {
            return;
        }
        values::describe_over(spec.items_at("values"), statement);
        if is_marked(spec, "creates")
            && let Some(namespace) = spec.text_at(&["namespace"])
        {
            let made = Target::object("Namespace", "", namespace);
            statement.provides.push(made);
        }
    }
}

impl Expand for Helmfile {
    fn expand(&self, template: &Resource, _context: &ReadContext<'_>) -> Option<Expanded> {
        let objects = spec(template)?.items_at("objects").iter().cloned();
        Some(Expanded {
            resources: objects.filter_map(Resource::new).collect(),
            ..Expanded::default()
        })
    }

    fn programs(&self, context: &ReadContext<'_>) -> Vec<Program> {
        program::programs(context)
    }
}

/// The `spec` of an object that this reader created.
fn spec(resource: &Resource) -> Option<&Node> {
    (resource.id.group == GROUP).then(|| resource.node.get("spec"))?
}

fn is_marked(spec: &Node, key: &str) -> bool {
    spec.get(key).and_then(Node::as_bool) == Some(true)
}

/// A release that another one waits for: `[[CONTEXT/]NAMESPACE/]NAME`.
fn need(node: &Node) -> Option<Dependency> {
    let mut parts = node.text()?.rsplit('/');
    let name = parts.next()?;
    Some(Dependency {
        on: UnitId {
            kind: RELEASE.into(),
            namespace: parts.next().unwrap_or_default().into(),
            name: name.into(),
        },
        relation: Relation::HelmfileNeeds,
        place: node.place,
    })
}

fn installed(spec: &Node, id: &UnitId) -> Release {
    let located = |key: &str| {
        let node = spec.get(key)?;
        Some(Located {
            value: SmolStr::from(node.text()?),
            place: node.place,
        })
    };
    let chart = located("chart").map(|name| UnitChart {
        place: name.place,
        name: Some(name),
        version: located("version"),
        source: SourceRef::default(),
        repository: spec.text_at(&["repository"]).map(SmolStr::from),
        parts: Vec::new(),
        main_part: None,
        file: None,
    });
    let values = spec.items_at("values").iter();
    Release {
        name: id.name.clone(),
        target_namespace: id.namespace.clone(),
        chart,
        creates_namespace: is_marked(spec, "creates"),
        skips_crds: false,
        crds_on_upgrade: CrdsOnUpgrade::Replaced,
        has_more_values: is_marked(spec, "moreValues"),
        is_rendered: false,
        values: values.cloned().map(Arc::new).collect(),
        changes: Vec::new(),
    }
}

/// `--include-crds` is an argument of `helm template`: such a file is rendered for the CRDs of its charts.
fn extent(root: &Node) -> BootstrapExtent {
    let defaults = root.get("helmDefaults");
    let mut arguments = defaults.iter().flat_map(|node| node.items_at("args"));
    if arguments.any(|argument| argument.text() == Some("--include-crds")) {
        BootstrapExtent::Definitions
    } else {
        BootstrapExtent::Release
    }
}

fn release(node: &Node, extent: BootstrapExtent) -> Option<Bootstrapped> {
    let is_off = node.get("installed").and_then(Node::as_bool) == Some(false);
    let name = node.text_at(&["name"]).filter(|_| !is_off)?;
    Some(Bootstrapped {
        namespace: node.text_at(&["namespace"]).unwrap_or_default().into(),
        name: name.into(),
        chart: last_part(node.text_at(&["chart"]).unwrap_or_default()).into(),
        extent,
        place: node.place,
    })
}

/// The chart of a release, with the repository that its first part names: `bitnami/redis`, or an address. None if it is a
/// directory.
fn named_chart(node: &Node, root: &Node) -> Option<NamedChart> {
    let chart = node.get("chart")?;
    let text = chart.text()?;
    if text.starts_with(['.', '/']) || node.get("installed").and_then(Node::as_bool) == Some(false)
    {
        return None;
    }
    let (_, name) = text.rsplit_once('/')?;
    Some(NamedChart {
        name: name.into(),
        version: node.text_at(&["version"]).map(Into::into),
        repository: repository_of(text, root),
        place: chart.place,
    })
}

/// The address of the repository of a chart, if it is stated.
fn repository_of(chart: &str, root: &Node) -> Option<SmolStr> {
    let (repository, _) = chart.rsplit_once('/')?;
    if repository.contains("://") {
        return Some(repository.into());
    }
    let mut declared = root.items_at("repositories").iter();
    let own = declared.find(|one| one.text_at(&["name"]) == Some(repository))?;
    let url = own.text_at(&["url"])?;
    let is_registry = own.get("oci").and_then(Node::as_bool) == Some(true);
    let scheme = if is_registry && !url.contains("://") {
        "oci://"
    } else {
        ""
    };
    Some(format_smolstr!("{scheme}{url}"))
}
