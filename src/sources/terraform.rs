//! Terraform and OpenTofu: a root module is a program, and each module and release in it is a unit. `crates/terraform`
//! evaluates the files; this module turns the results into objects and facts.

mod about;
mod kubernetes;
mod make;
mod program;
mod release;
mod tree;
mod wait;

use std::sync::Arc;

use super::{
    Advice, Describe, Expand, Expanded, Facts, Operate, Program, ReadContext, Reader, Refusal,
    Source,
};
use crate::facts::kubernetes::outside;
use crate::facts::values;
use crate::facts::{
    AppliedBy, Detail, Gate, Naming, PlainSecret, Relation, Resource, SettingFact, Statement,
    Target, Unit, UnitId,
};
use base::{FileId, Files};
use tree::{GROUP, is_marked};
use wait::{awaited, dependency};
use yaml::Node;

pub struct Terraform;

pub const SOURCE: Source = Source {
    reader: &Terraform,
    describe: Some(&Terraform),
    expand: Some(&Terraform),
    operate: Some(&Terraform),
};

/// Arguments of a resource that are shown as details.
const DETAILS: &[&str] = &[
    "name",
    "bucket",
    "secret_id",
    "identifier",
    "cluster_name",
    "zone_name",
    "domain_name",
    "location",
    "region",
    "version",
];

impl Reader for Terraform {
    fn name(&self) -> &'static str {
        "terraform"
    }

    fn unit(&self, resource: &Resource) -> Option<Unit> {
        let spec = spec(resource)?;
        let id = UnitId {
            kind: resource.id.kind.clone(),
            namespace: spec.text_at(&["scope"]).unwrap_or_default().into(),
            name: spec.text_at(&["unit"])?.into(),
        };
        let mut unit = Unit::new(id, resource.place);
        unit.depends_on = spec.items_at("dependsOn").iter().map(dependency).collect();
        if is_marked(spec, "whole") {
            unit.appearance.naming = Naming::Own;
        }
        if is_marked(spec, "run") {
            unit.apply.applied_by = AppliedBy::Program;
        }
        unit.appearance.home = make::home(spec);
        unit.apply.own_group = Some(GROUP);
        if resource.id.kind == release::TYPE {
            unit.gate = release::gate(spec);
            unit.release = Some(Box::new(release::release(spec, &unit.id.name)));
            if !unit.is_component() {
                unit.appearance.naming = Naming::Owner;
            }
            return Some(unit);
        }
        // Dependents of a module wait for everything in it.
        unit.gate = Gate::Wait;
        let is_followed = is_marked(spec, "followed");
        unit.template = is_followed.then(|| Arc::new(resource.clone()));
        unit.appearance.interface = spec
            .get("interface")
            .map(|node| Arc::new(tree::interface(node)));
        Some(unit)
    }

    fn plain_secrets(&self, facts: &Facts<'_>) -> Vec<PlainSecret> {
        terraform::plain_secrets(facts.repo)
    }
}

impl Describe for Terraform {
    fn describe(&self, resource: &Resource, statement: &mut Statement) {
        if let Some(note) = resource.node.get(kubernetes::NOTE) {
            statement.order.is_in_order = is_marked(note, "late");
            statement.order.is_tried_first = is_marked(note, "early");
            statement.is_shared = is_marked(note, "vague");
            let waits = note.items_at("dependsOn").iter().map(dependency);
            statement.order.awaits = waits.map(awaited).collect();
        }
        let Some(spec) = spec(resource) else {
            return;
        };
        statement.is_shared = true;
        let is_release = resource.id.kind == release::TYPE;
        statement
            .references
            .retain(|reference| is_release && reference.relation != Relation::CustomResource);
        let details: &[&'static str] = match resource.id.kind.as_str() {
            make::ROOT => &["backend", "requires", "providers"],
            make::MODULE => &["source", "version", "keys"],
            release::TYPE => &[],
            _ => DETAILS,
        };
        for name in details {
            if let Some(value) = spec.text_at(&[name]) {
                statement.details.push(Detail {
                    name,
                    value: value.into(),
                });
            }
        }
        if is_release {
            release::describe(spec, statement);
        }
        statement
            .provides
            .extend(provided_outside(&resource.id.kind, spec));
        if let Some(given) = spec.get("settings") {
            let settings: Vec<SettingFact> = values::settings(given);
            statement.settings.extend(settings);
        }
    }
}

impl Expand for Terraform {
    fn expand(&self, template: &Resource, _around: &ReadContext<'_>) -> Option<Expanded> {
        let spec = spec(template)?;
        let objects = spec.items_at("objects").iter().cloned();
        Some(Expanded {
            resources: objects.filter_map(Resource::new).collect(),
            is_partial: is_marked(spec, "partial"),
            ..Expanded::default()
        })
    }

    fn programs(&self, context: &ReadContext<'_>) -> Vec<Program> {
        program::programs(context)
    }
}

impl Operate for Terraform {
    fn retry_advice(&self, unit: &UnitId, _refusal: Refusal) -> Option<&'static str> {
        is_own(unit).then_some("on the next run")
    }

    fn advice(&self, unit: &UnitId, advice: Advice<'_>) -> Option<String> {
        is_own(unit).then(|| match advice {
            Advice::Within => {
                "add the release that serves the webhook to its `depends_on`".to_owned()
            }
            Advice::Gate => "leave `wait` of the `helm_release` at its default, `true`".to_owned(),
            Advice::Weakness(name) => format!(
                "`{name}` sets `wait = false`, so Terraform continues before the release is ready"
            ),
            Advice::After(name) => format!("add `{name}` to `depends_on`"),
            Advice::Apart(name) => format!(
                "`kubernetes_manifest` looks up the type in the cluster during the plan, whatever \
                 `depends_on` says: move it to a root module of its own that is applied after `{name}`, or \
                 into a chart"
            ),
        })
    }
}

impl terraform::Documents for Facts<'_> {
    fn files(&self) -> &dyn Files {
        self.repo
    }

    fn documents(&self, file: FileId) -> Vec<Arc<Node>> {
        let mut documents = self.objects(file);
        documents.extend(self.file(file).other_documents.iter().cloned());
        documents
    }

    fn objects(&self, file: FileId) -> Vec<Arc<Node>> {
        let resources = self.file(file).resources.iter();
        resources.map(|resource| resource.node.clone()).collect()
    }
}

/// Whether a unit is of this reader's making.
fn is_own(unit: &UnitId) -> bool {
    [make::ROOT, make::MODULE, release::TYPE].contains(&unit.kind.as_str())
}

/// The `spec` of an object that this reader created.
fn spec(resource: &Resource) -> Option<&Node> {
    (resource.id.group == GROUP).then(|| resource.node.get("spec"))?
}

/// Kinds of cloud resources that clusters refer to: the service, and the argument with the name.
const OUTSIDE: &[(&str, &str, &str)] = &[
    ("azurerm_key_vault", outside::VAULT, "name"),
    ("aws_secretsmanager_secret", outside::AWS_SECRETS, "name"),
    ("aws_ssm_parameter", outside::AWS_PARAMETERS, "name"),
    (
        "google_secret_manager_secret",
        outside::GOOGLE_SECRETS,
        "secret_id",
    ),
    ("aws_s3_bucket", outside::AWS_BUCKETS, "bucket"),
    ("google_storage_bucket", outside::GOOGLE_BUCKETS, "name"),
];

/// Cloud resource that a Terraform resource creates, under the address that clusters use for it.
fn provided_outside(kind: &str, spec: &Node) -> Option<Target> {
    let (_, service, key) = OUTSIDE.iter().find(|(known, ..)| *known == kind)?;
    let name = spec.text_at(&[key])?;
    Some(match kind {
        "azurerm_key_vault" => Target::outside(service, &name.to_ascii_lowercase()),
        _ => Target::outside(service, name),
    })
}
