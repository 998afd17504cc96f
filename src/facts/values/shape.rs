//! What charts and operators commonly say of images, ports, volumes and addresses. Charts differ, so only forms that mean
//! one thing are taken.

use super::template::Scope;
use super::{image, is_off, port, route, volume};
use crate::facts::kubernetes::{self, routes::dns};
use crate::facts::{Reference, Relation, Resource, Statement, Target};
use yaml::{Map, Node, Value};

/// What to do with whole Kubernetes objects among the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objects {
    /// They are installed with the chart.
    Installed,
    /// They are templates of what something else makes.
    Templates,
}

/// Limit on images and volumes per object. A longer list is unreadable.
const MAX_FOUND: usize = 200;

/// Adds what values, or the fields of a custom resource, say. `owner` names volumes that have no name.
pub fn describe(
    values: &Node,
    owner: &str,
    scope: Scope<'_>,
    objects: Objects,
    statement: &mut Statement,
) {
    let mut shapes = Shapes {
        owner,
        scope,
        objects,
        path: Vec::new(),
        statement,
    };
    shapes.node(values);
}

struct Shapes<'n, 's> {
    owner: &'s str,
    scope: Scope<'s>,
    objects: Objects,
    /// Keys from the top.
    path: Vec<&'n str>,
    statement: &'s mut Statement,
}

impl<'n> Shapes<'n, '_> {
    fn node(&mut self, node: &'n Node) {
        match &node.value {
            Value::Scalar(_) => {}
            Value::Seq(items) => {
                for item in items {
                    // A template of an object, as text.
                    let text = item.text().unwrap_or_default();
                    self.statement.namespaces.names_namespaces |= text.contains("kind: Namespace");
                    self.node(item);
                }
            }
            Value::Map(_) if is_off(node) => {}
            Value::Map(_) if is_object(node) => self.object(node),
            Value::Map(map) => self.map(node, map),
        }
    }

    fn map(&mut self, node: &'n Node, map: &'n Map) {
        let key = self.path.last().copied().unwrap_or_default();
        let parent = self.path.iter().rev().nth(1).copied().unwrap_or_default();
        self.runs(node, key);
        let ports = &mut self.statement.reached.ports;
        port::of_container(node, ports);
        if port::is_service(key) || port::is_service(parent) {
            port::of_service(node, ports);
        }
        if route::is_route(key) {
            route::urls(node, &self.scope, &mut self.statement.reached.urls);
        }
        if defines_storage_class(key)
            && let Some(name) = node.text_at(&["name"])
        {
            let class = Target::object("StorageClass", "", name);
            self.statement.provides.push(class);
        }
        if key == "ingressClassResource"
            && let Some(name) = node.text_at(&["name"])
        {
            let class = Target::object("IngressClass", "", name);
            self.statement.provides.push(class);
        }
        if let Some(kind) = monitor(key)
            && node
                .get("enabled")
                .and_then(Node::text)
                .is_some_and(|on| on.eq_ignore_ascii_case("true"))
        {
            self.statement.references.push(Reference {
                relation: Relation::Controller,
                target: Target::Api {
                    group: "monitoring.coreos.com".into(),
                    kind: kind.into(),
                },
                place: node.place,
            });
        }
        for entry in &map.0 {
            self.statement.namespaces.names_namespaces |= match entry.key.as_str() {
                "kind" => entry.value.text() == Some("Namespace"),
                "namespaces" | "createNamespaces" | "extraNamespaces" => true,
                _ => false,
            };
            if let Value::Scalar(_) = entry.value.value {
                let image = image::of_entry(entry, node, key, &self.scope);
                self.statement.runs.images.extend(image);
                let address = route::host_of_entry(entry, &self.scope);
                self.statement.reached.urls.extend(address);
                if entry.key == dns::HOSTNAME && !self.path.iter().any(|key| route::is_route(key)) {
                    let urls = dns::urls(&entry.value, "tcp");
                    self.statement.reached.urls.extend(urls);
                }
            } else {
                self.path.push(&entry.key);
                self.node(&entry.value);
                self.path.pop();
            }
        }
    }

    fn runs(&mut self, node: &Node, key: &str) {
        let runs = &mut self.statement.runs;
        if runs.images.len() < MAX_FOUND {
            runs.images.extend(image::of_map(node, key, &self.scope));
        }
        if runs.volumes.len() < MAX_FOUND {
            let volume = volume::at(node, &self.path, self.owner, &self.scope);
            runs.volumes.extend(volume);
        }
    }

    /// An object that the chart installs as it is stated.
    fn object(&mut self, node: &Node) {
        self.statement.namespaces.names_namespaces |= node.text_at(&["kind"]) == Some("Namespace");
        if self.objects == Objects::Templates {
            return;
        }
        let mut node = node.clone();
        resolve(&mut node, &self.scope);
        let Some(mut resource) = Resource::new(node) else {
            return;
        };
        if resource.id.namespace.is_empty() {
            resource.id.namespace = self.scope.namespace();
        }
        let stated = kubernetes::running(&resource);
        let images = stated.runs.workload.into_iter();
        let images = images.flat_map(|workload| workload.images);
        let own = &mut self.statement.runs;
        own.images.extend(images.chain(stated.runs.images));
        own.volumes.extend(stated.runs.volumes);
        let own = &mut self.statement.reached;
        own.urls.extend(stated.reached.urls);
        own.ports.extend(stated.reached.ports);
    }
}

/// Replaces all templates that the release decides.
pub fn resolve(node: &mut Node, scope: &Scope<'_>) {
    match &mut node.value {
        Value::Scalar(scalar) => {
            if scalar.text.contains("{{")
                && let Some(text) = scope.resolved(&scalar.text)
            {
                scalar.text = text.into();
            }
        }
        Value::Seq(items) => items.iter_mut().for_each(|item| resolve(item, scope)),
        Value::Map(map) => {
            for entry in &mut map.0 {
                resolve(&mut entry.value, scope);
            }
        }
    }
}

/// Whether a mapping is a whole Kubernetes object.
pub fn is_object(node: &Node) -> bool {
    let is_stated = |key: &str| node.text_at(&[key]).is_some();
    let has = |key: &str| node.get(key).is_some_and(|it| it.as_map().is_some());
    is_stated("apiVersion") && is_stated("kind") && (has("metadata") || has("spec"))
}

/// The kind that charts make for Prometheus if values under this key are enabled.
fn monitor(key: &str) -> Option<&'static str> {
    match key {
        "serviceMonitor" => Some("ServiceMonitor"),
        "podMonitor" => Some("PodMonitor"),
        "prometheusRule" => Some("PrometheusRule"),
        _ => None,
    }
}

/// Whether a mapping, or a list of them, under this key describes a storage class that the chart creates.
fn defines_storage_class(key: &str) -> bool {
    matches!(key, "storageClass" | "storageClasses" | "hostpathClass")
}
