//! What a Kubernetes object of any kind states: the fields that Kubernetes and common extensions share, so unknown
//! kinds are understood if they follow the same conventions.

pub mod about;
pub mod alert;
mod certificate;
mod detail;
pub mod kind;
pub mod needs;
mod operand;
mod operators;
pub mod outside;
pub mod routes;
pub mod scope;
mod setting;
mod webhook;
mod workload;

use smol_str::SmolStr;

use crate::facts::image::is_moving;
use crate::facts::{Located, MARKER, Reference, Relation, Resource, Statement, Target, Variable};
use yaml::{Node, Style};

/// Adds to a statement what a built object says of itself.
pub fn describe(resource: &Resource, statement: &mut Statement) {
    needs::describe(resource, statement);
    workload::describe(resource, statement);
    operand::describe(resource, statement);
    setting::describe(resource, statement);
    routes::describe(resource, statement);
    certificate::describe(resource, statement);
    alert::describe(resource, statement);
    detail::describe(resource, statement);
    outside::describe(resource, statement);
    webhook::describe(resource, statement);
    statement.provides.extend(provides(resource));
    statement.namespaces.defines_namespaced = defines_namespaced(resource);
    statement.supplies.variables = variables(resource);
    statement.supplies.api_versions = scope::served(resource);
    statement.labels.layer = about::labelled(resource, &["layer", "tier"]).map(Box::new);
    statement.labels.owner = about::owner(resource).map(Box::new);
    statement.labels.description = annotated(resource, DESCRIPTIONS).map(Box::new);
    statement.labels.more = about::more(resource).map(Box::new);
    let id = &resource.id;
    if !is_builtin(&id.group) {
        statement.references.push(Reference {
            relation: Relation::CustomResource,
            target: Target::Api {
                group: id.group.clone(),
                kind: id.kind.clone(),
            },
            place: resource.place,
        });
    }
}

/// What an object among the values of a chart runs, stores and is reached by.
pub fn running(resource: &Resource) -> Statement {
    let mut statement = Statement::default();
    workload::describe(resource, &mut statement);
    operand::describe(resource, &mut statement);
    routes::describe(resource, &mut statement);
    statement
}

/// Groups that every cluster serves without anybody installing them.
pub fn is_builtin(group: &str) -> bool {
    matches!(
        group,
        "" | "apps" | "batch" | "policy" | "autoscaling" | "extensions"
    ) || group.ends_with(".k8s.io")
        && matches!(
            group,
            "admissionregistration.k8s.io"
                | "apiextensions.k8s.io"
                | "apiregistration.k8s.io"
                | "authentication.k8s.io"
                | "authorization.k8s.io"
                | "certificates.k8s.io"
                | "coordination.k8s.io"
                | "discovery.k8s.io"
                | "events.k8s.io"
                | "flowcontrol.apiserver.k8s.io"
                | "networking.k8s.io"
                | "node.k8s.io"
                | "rbac.authorization.k8s.io"
                | "resource.k8s.io"
                | "scheduling.k8s.io"
                | "storage.k8s.io"
        )
}

/// Whether an object defines a type whose objects live in namespaces.
fn defines_namespaced(resource: &Resource) -> bool {
    let defined = scope::defined(resource);
    defined.is_some_and(|(_, _, scope)| scope == scope::ResourceScope::Namespace)
}

/// Targets that exist because of an object, other than the object itself.
fn provides(resource: &Resource) -> Vec<Target> {
    let id = &resource.id;
    let node = &*resource.node;
    let secret = |name: &str| Target::object("Secret", &id.namespace, name);
    match (id.group.as_str(), id.kind.as_str()) {
        ("apiextensions.k8s.io", "CustomResourceDefinition") => {
            let group = node.text_at(&["spec", "group"]).unwrap_or_default();
            let kind = node.text_at(&["spec", "names", "kind"]).unwrap_or_default();
            vec![Target::Api {
                group: group.into(),
                kind: kind.into(),
            }]
        }
        ("operators.coreos.com", "Subscription") => operators::provided(resource),
        ("external-secrets.io", "ExternalSecret") => {
            let policy = node.text_at(&["spec", "target", "creationPolicy"]);
            let name = fetched_secret(resource).filter(|_| policy != Some("None"));
            name.map(secret).into_iter().collect()
        }
        ("external-secrets.io", "ClusterExternalSecret") => {
            let Some(name) = fetched_secret(resource) else {
                return Vec::new();
            };
            let namespaces = node.at(&["spec"]).map(|spec| spec.items_at("namespaces"));
            let namespaces = namespaces.unwrap_or_default().iter().filter_map(Node::text);
            namespaces
                .map(|namespace| Target::object("Secret", namespace, name))
                .collect()
        }
        ("image.openshift.io", "ImageStream") => pinned_tags(resource).collect(),
        _ => Vec::new(),
    }
}

/// The tags of an ImageStream that stand for one image of a registry.
fn pinned_tags(resource: &Resource) -> impl Iterator<Item = Target> {
    let id = &resource.id;
    let tags = resource
        .node
        .at(&["spec"])
        .map(|spec| spec.items_at("tags"));
    let tags = tags.unwrap_or_default().iter().filter(|tag| {
        let from = tag.text_at(&["from", "name"]).unwrap_or_default();
        let is_image = tag.text_at(&["from", "kind"]) == Some("DockerImage");
        is_image && !is_moving(from)
    });
    let names = tags.filter_map(|tag| tag.text_at(&["name"]));
    names.map(|tag| {
        let name = format!("{}:{tag}", id.name);
        Target::object("ImageStreamTag", &id.namespace, &name)
    })
}

/// The Secret that is filled for an object: under the name that the object gives it, else under its own.
fn fetched_secret(resource: &Resource) -> Option<&str> {
    let id = &resource.id;
    let paths: &[&[&str]] = match (id.group.as_str(), id.kind.as_str()) {
        ("external-secrets.io", "ExternalSecret") => &[&["spec", "target", "name"]],
        ("external-secrets.io", "ClusterExternalSecret") => &[
            &["spec", "externalSecretSpec", "target", "name"],
            &["spec", "externalSecretName"],
        ],
        _ => return None,
    };
    let stated = paths.iter().filter_map(|path| resource.node.text_at(path));
    let mut names = stated.chain([id.name.as_str()]);
    names.find(|name| !name.is_empty())
}

/// Keys and values that units may substitute.
fn variables(resource: &Resource) -> Vec<Variable> {
    let id = &resource.id;
    let fields: &[&str] = match (id.group.as_str(), id.kind.as_str()) {
        ("", "ConfigMap") => &["data"],
        ("", "Secret") => &["data", "stringData"],
        _ => return Vec::new(),
    };
    let entries = fields
        .iter()
        .flat_map(|field| resource.node.entries_at(field));
    let variables = entries.filter_map(|entry| {
        let scalar = entry.value.as_scalar()?;
        let (text, place) = (&scalar.text, entry.value.place);
        // Only a whole file stands at the start of one.
        let is_file = (place.line, place.column) == (1, 1);
        Some(Variable {
            name: entry.key.clone(),
            value: (text != MARKER).then(|| text.clone()),
            place,
            has_lines: is_file || scalar.style == Style::Block,
        })
    });
    variables.collect()
}

/// Annotations that describe the application that an object is part of. Others describe the object alone.
const DESCRIPTIONS: &[&str] = &[
    "app.kubernetes.io/description",
    "backstage.io/description",
    "description",
    "openshift.io/description",
    "org.opencontainers.image.description",
];

/// The value of the first of these annotations.
fn annotated(resource: &Resource, keys: &[&str]) -> Option<Located<SmolStr>> {
    let annotations = resource.node.get("metadata")?.entries_at("annotations");
    let mut known = annotations
        .iter()
        .filter(|entry| keys.contains(&entry.key.as_str()));
    known.find_map(|entry| {
        let text = entry.value.text()?.trim();
        (!text.is_empty()).then(|| Located {
            value: text.into(),
            place: entry.value.place,
        })
    })
}
