//! `namespace-missing`: objects in a namespace that nothing creates.

use std::collections::{BTreeMap, HashSet};

use super::{Check, Scene, wording};
use crate::compose::{Cluster, Destination, Object};
use crate::diagnostic::{Finding, Rule, Severity};
use crate::fact::{Relation, Target};

pub struct NamespaceMissing;

pub static RULE: Rule = Rule {
    name: "namespace-missing",
    severity: Severity::Warning,
    summary: "Objects are applied into a namespace that nothing creates.",
    about: r#"
## What it does

Looks for objects and releases in a namespace for which the cluster gets no Namespace, and which no release creates
either. Namespaces of Kubernetes itself, and those that the units of the entry point live in, exist. Where a cluster
applies something that is not in this repository, the namespace may come from there, and nothing is reported.

## Why is this bad

On a new cluster, the unit fails as a whole:

```text
Deployment/shop/web namespace not specified: namespaces "shop" not found
```

## Example

```yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
```

## Fix

Add the Namespace to the unit, or `createNamespace: true` below `install` to the release:

```yaml
apiVersion: v1
kind: Namespace
metadata:
  name: shop
```
"#,
};

impl Check for NamespaceMissing {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, scene: &Scene<'_>) -> Vec<Finding> {
        let orders = scene.orders.iter();
        let known = orders.filter(|order| order.unknown().is_empty());
        known.flat_map(|order| findings(order.cluster)).collect()
    }
}

fn findings(cluster: &Cluster) -> Vec<Finding> {
    let there = namespaces(cluster);
    let mut missing: BTreeMap<&str, Vec<&Object>> = BTreeMap::new();
    for (unit, object) in cluster.objects() {
        let to_another = cluster.target_of(unit) != Destination::HERE;
        let id = &object.statement.id;
        if !to_another && !there.contains(id.namespace.as_str()) && is_namespaced(object) {
            missing.entry(&id.namespace).or_default().push(object);
        }
        let declared = object.statement.unit.as_ref();
        let release = declared.and_then(|unit| unit.release.as_ref());
        if let Some(release) = release
            && declared.is_some_and(|unit| unit.remote.is_none())
        {
            let target = release.target_namespace.as_str();
            if !to_another && !there.contains(target) && target != id.namespace {
                missing.entry(target).or_default().push(object);
            }
        }
    }
    let findings = missing
        .into_iter()
        .filter(|(name, _)| !name.contains(['$', '{']));
    findings
        .map(|(name, objects)| {
            let first = &objects[0].statement;
            let more = match objects.len() {
                1 => String::new(),
                count => format!(", and {} more", wording::counted(count - 1, "object")),
            };
            // A unit may stand in one namespace and install into another.
            let goes = match first.id.namespace == name {
                true => "is applied into",
                false => "installs into",
            };
            let message = format!(
                "nothing creates the namespace `{name}`, which {} {goes}{more}",
                first.id
            );
            let mut finding = Finding::warning(RULE.name, first.place, message).help(format!(
                "add a Namespace `{name}`; without it, a new cluster answers `namespaces \"{name}\" not found`"
            ));
            for object in wording::some(&objects[1..]) {
                let statement = &object.statement;
                finding = finding.note(statement.place, statement.id.to_string());
            }
            finding
        })
        .collect()
}

/// The namespaces that are there, or come by themselves.
fn namespaces(cluster: &Cluster) -> HashSet<&str> {
    let mut there: HashSet<&str> = HashSet::from([
        "",
        "default",
        "kube-system",
        "kube-public",
        "kube-node-lease",
    ]);
    for (_, object) in cluster.objects() {
        let id = &object.statement.id;
        if id.kind == "Namespace" {
            there.insert(&id.name);
        }
        for made in &object.statement.provides {
            if let Target::Object { kind, name, .. } = made
                && kind == "Namespace"
            {
                there.insert(name);
            }
        }
        let declared = object.statement.unit.as_ref();
        let release = declared.and_then(|unit| unit.release.as_ref());
        if let Some(release) = release.filter(|release| release.creates_namespace) {
            there.insert(&release.target_namespace);
        }
    }
    // What applies the entry point lives somewhere.
    let roots = cluster.units.iter().enumerate();
    let roots = roots.filter(|(index, unit)| unit.owner.is_none_or(|owner| owner == *index));
    there.extend(roots.map(|(_, unit)| unit.unit.id.namespace.as_str()));
    there
}

/// Whether an object is of a kind that is known to live in a namespace.
fn is_namespaced(object: &Object) -> bool {
    let statement = &object.statement;
    let mut references = statement.references.iter();
    let is_custom = references.any(|reference| reference.relation == Relation::CustomResource);
    let kind = statement.id.kind.as_str();
    !is_custom
        && !kind.starts_with("Cluster")
        && !matches!(
            kind,
            "Namespace"
                | "Node"
                | "PersistentVolume"
                | "StorageClass"
                | "IngressClass"
                | "PriorityClass"
                | "RuntimeClass"
                | "CSIDriver"
                | "CSINode"
                | "VolumeAttachment"
                | "CustomResourceDefinition"
                | "APIService"
                | "MutatingWebhookConfiguration"
                | "ValidatingWebhookConfiguration"
                | "ValidatingAdmissionPolicy"
                | "ValidatingAdmissionPolicyBinding"
                | "MutatingAdmissionPolicy"
                | "MutatingAdmissionPolicyBinding"
                | "FlowSchema"
                | "PriorityLevelConfiguration"
                | "CertificateSigningRequest"
        )
}
