//! Resources that are Kubernetes objects, as the objects that they are: `kubernetes_manifest`, `kubectl_manifest` and the
//! types that spell one kind out in blocks. Secrets lose their values.

use smol_str::SmolStr;

use super::make::{Making, PendingBlock};
use super::tree;
use crate::facts::MARKER;
use base::Place;
use terraform::{Bindings, Block, Body, HclData, HclValue, Module};
use yaml::{Map, Node};

/// Stands beside the fields of an object for what this reader alone needs to know about it.
pub const NOTE: &str = "terraform.io";

/// The objects that a resource is; none for one that is no Kubernetes object, or whose name is not known.
pub fn make(
    making: &mut Making<'_, '_>,
    made: &PendingBlock<'_, '_>,
    kind: &str,
    waits: &[Node],
) -> Option<Vec<Node>> {
    let mut objects = match kind {
        "kubernetes_manifest" => stated(making, made, "manifest")?,
        "kubectl_manifest" => stated(making, made, "yaml_body")?,
        _ => {
            let (api_version, kind) = typed(kind)?;
            vec![spelled_out(making, made, api_version, kind)]
        }
    };
    let is_object = |node: &Node| {
        let is_stated = |path: &[&str]| node.text_at(path).is_some();
        is_stated(&["apiVersion"]) && is_stated(&["kind"]) && is_stated(&["metadata", "name"])
    };
    let is_whole = !objects.is_empty() && objects.iter().all(is_object);
    for object in &mut objects {
        secret::seal(object);
        note(object, kind, waits);
    }
    is_whole.then_some(objects)
}

/// The objects that a resource states whole, under a name.
fn stated(
    making: &mut Making<'_, '_>,
    made: &PendingBlock<'_, '_>,
    name: &str,
) -> Option<Vec<Node>> {
    let body = &made.block.body;
    let value = making
        .run
        .attribute(made.scope, made.bindings, body, name)?;
    Some(manifests(making, &value, made.place))
}

/// Adds facts that the manifest lacks: its dependencies, and when the provider looks up its type.
fn note(object: &mut Node, kind: &str, waits: &[Node]) {
    let place = object.place;
    let mut spec = tree::Spec::default();
    // Nothing is asked of the cluster before it is applied, and then what it depends on is there.
    spec.mark_if("late", (kind == "kubectl_manifest").then_some(()), place);
    // The provider looks for its type while Terraform plans.
    spec.mark_if(
        "early",
        (kind == "kubernetes_manifest").then_some(()),
        place,
    );
    // Its namespace may be a hole.
    let is_vague = object.at(&["metadata", "namespace"]).is_none();
    spec.mark_if("vague", is_vague.then_some(()), place);
    spec.nodes("dependsOn", waits.to_vec(), place);
    if let Some(map) = object.as_map_mut().filter(|_| !spec.0.is_empty()) {
        map.push(NOTE, tree::map(spec.0, place));
    }
}

fn manifests(making: &mut Making<'_, '_>, value: &HclValue, place: Place) -> Vec<Node> {
    if let Some(documents) = value.documents() {
        return documents;
    }
    match &value.data {
        _ if value.is_secret => Vec::new(),
        HclData::Map(_) => whole(value, place),
        HclData::Encoded(inner) => whole(inner, place),
        HclData::Part(file, nth) => {
            making.read(*file);
            let resources = &making.context.facts.file(*file).resources;
            let one = resources.get(*nth);
            one.map(|resource| (*resource.node).clone())
                .into_iter()
                .collect()
        }
        HclData::File(file) => {
            making.read(*file);
            let resources = making.context.facts.file(*file).resources.iter();
            resources.map(|resource| (*resource.node).clone()).collect()
        }
        _ => Vec::new(),
    }
}

/// An object that a block states as one value. Its place is that of the block.
fn whole(value: &HclValue, place: Place) -> Vec<Node> {
    let node = value.shown().node;
    node.map(|node| Node { place, ..node })
        .into_iter()
        .collect()
}

/// Whether a resource is one or more Kubernetes objects, known or not.
pub fn is_object(kind: &str) -> bool {
    let others = [
        "kubernetes_manifest",
        "kubectl_",
        "kustomization_",
        "k8s_manifest",
    ];
    typed(kind).is_some() || others.iter().any(|start| kind.starts_with(start))
}

/// Whether a resource is an object that may run something.
pub fn may_run(kind: &str) -> bool {
    let workloads = [
        "Pod",
        "Deployment",
        "StatefulSet",
        "DaemonSet",
        "Job",
        "CronJob",
    ];
    match typed(kind) {
        Some((_, kind)) => workloads.contains(&kind),
        None => is_object(kind),
    }
}

/// Whether a root module, and the modules that it calls, can put objects into a cluster: those get their providers from it.
pub fn reaches_clusters(root: &Module) -> bool {
    let able = [
        "helm",
        "kubernetes",
        "kubectl",
        "kustomization",
        "flux",
        "argocd",
        "rancher2",
    ];
    root.providers
        .iter()
        .any(|name| able.iter().any(|able| name.starts_with(able)))
}

fn spelled_out(
    making: &mut Making<'_, '_>,
    made: &PendingBlock<'_, '_>,
    api_version: &str,
    kind: &str,
) -> Node {
    let mut map = Map::default();
    map.push("apiVersion", Node::string(api_version, made.place));
    map.push("kind", Node::string(kind, made.place));
    let Node {
        value: yaml::Value::Map(fields),
        ..
    } = fields(making, made, made.bindings, &made.block.body, 0)
    else {
        return tree::map(map, made.place);
    };
    let is_meta = |key: &str| matches!(key, "dependsOn" | "count" | "forEach" | "provider");
    for mut entry in fields.0.into_iter().filter(|entry| !is_meta(&entry.key)) {
        let is_secret = kind == "Secret" && matches!(entry.key.as_str(), "data" | "binaryData");
        if let Some(values) = entry.value.as_map_mut().filter(|_| is_secret) {
            for value in &mut values.0 {
                value.value = Node::string(MARKER, value.value.place);
            }
        }
        map.0.push(entry);
    }
    tree::map(map, made.place)
}

/// A block as a Kubernetes object. Only Terraform's own names are converted: keys of maps belong to the user.
fn fields(
    making: &mut Making<'_, '_>,
    made: &PendingBlock<'_, '_>,
    bindings: &Bindings,
    body: &Body,
    depth: usize,
) -> Node {
    let mut map = Map::default();
    for attribute in &body.attributes {
        let value = making.run.eval(made.scope, bindings, &attribute.value);
        if let Some(node) = value.shown().node.filter(|node| !node.is_null()) {
            map.push(turned(&attribute.name), node);
        }
    }
    let blocks: &[Block] = if depth < 24 { &body.blocks } else { &[] };
    for block in blocks {
        match (block.kind.as_str(), block.labels.first()) {
            ("dynamic", Some(kind)) => {
                let contents = making.run.dynamic(made.scope, bindings, block);
                for (bindings, content) in contents.unwrap_or_default() {
                    let node = fields(making, made, &bindings, &content.body, depth + 1);
                    add(&mut map, kind, content, node);
                }
            }
            _ => {
                let node = fields(making, made, bindings, &block.body, depth + 1);
                add(&mut map, &block.kind, block, node);
            }
        }
    }
    tree::map(map, made.place)
}

/// Adds what a block spells out under the name that it goes by.
fn add(map: &mut Map, kind: &str, block: &Block, node: Node) {
    let node = Node {
        place: block.place,
        ..node
    };
    match plural(kind, &block.body) {
        Some(name) => {
            let list = map.get_or_insert(name, || Node::seq(Vec::new(), block.place));
            if let Some(items) = list.as_seq_mut() {
                items.push(node);
            }
        }
        None => map.set(&turned(kind), node),
    }
}

/// The name of a list whose items Terraform writes as blocks.
fn plural(kind: &str, body: &Body) -> Option<&'static str> {
    let name = match kind {
        // The port of a backend is one.
        "port" if body.get("number").is_some() => return None,
        "port" => "ports",
        "container" => "containers",
        "init_container" => "initContainers",
        "env" => "env",
        "env_from" => "envFrom",
        "volume" => "volumes",
        "volume_mount" => "volumeMounts",
        "volume_claim_template" => "volumeClaimTemplates",
        "image_pull_secrets" | "image_pull_secret" => "imagePullSecrets",
        "toleration" => "tolerations",
        "host_aliases" => "hostAliases",
        "rule" => "rules",
        "path" => "paths",
        "tls" => "tls",
        "subject" => "subjects",
        "match_expressions" => "matchExpressions",
        "metric" => "metrics",
        "webhook" => "webhooks",
        "items" => "items",
        _ => return None,
    };
    Some(name)
}

/// `secret_key_ref` as `secretKeyRef`.
fn turned(name: &str) -> SmolStr {
    let mut parts = name.split('_');
    let mut turned = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut letters = part.chars();
        turned.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        turned.push_str(letters.as_str());
    }
    turned.into()
}

/// The Kubernetes kind of a resource type.
fn typed(resource: &str) -> Option<(&'static str, &'static str)> {
    let name = resource.strip_prefix("kubernetes_")?;
    let plain = ["_v1beta1", "_v2beta2", "_v1", "_v2"]
        .iter()
        .find_map(|version| name.strip_suffix(version))
        .unwrap_or(name);
    let rbac = "rbac.authorization.k8s.io/v1";
    let networking = "networking.k8s.io/v1";
    let webhooks = "admissionregistration.k8s.io/v1";
    Some(match plain {
        "namespace" => ("v1", "Namespace"),
        "config_map" => ("v1", "ConfigMap"),
        "secret" => ("v1", "Secret"),
        "service" => ("v1", "Service"),
        "service_account" => ("v1", "ServiceAccount"),
        "persistent_volume" => ("v1", "PersistentVolume"),
        "persistent_volume_claim" => ("v1", "PersistentVolumeClaim"),
        "pod" => ("v1", "Pod"),
        "limit_range" => ("v1", "LimitRange"),
        "resource_quota" => ("v1", "ResourceQuota"),
        "deployment" => ("apps/v1", "Deployment"),
        "stateful_set" => ("apps/v1", "StatefulSet"),
        "daemonset" | "daemon_set" => ("apps/v1", "DaemonSet"),
        "job" => ("batch/v1", "Job"),
        "cron_job" => ("batch/v1", "CronJob"),
        "horizontal_pod_autoscaler" => ("autoscaling/v2", "HorizontalPodAutoscaler"),
        "pod_disruption_budget" => ("policy/v1", "PodDisruptionBudget"),
        "ingress" => (networking, "Ingress"),
        "ingress_class" => (networking, "IngressClass"),
        "network_policy" => (networking, "NetworkPolicy"),
        "role" => (rbac, "Role"),
        "role_binding" => (rbac, "RoleBinding"),
        "cluster_role" => (rbac, "ClusterRole"),
        "cluster_role_binding" => (rbac, "ClusterRoleBinding"),
        "storage_class" => ("storage.k8s.io/v1", "StorageClass"),
        "priority_class" => ("scheduling.k8s.io/v1", "PriorityClass"),
        "validating_webhook_configuration" => (webhooks, "ValidatingWebhookConfiguration"),
        "mutating_webhook_configuration" => (webhooks, "MutatingWebhookConfiguration"),
        _ => return None,
    })
}
