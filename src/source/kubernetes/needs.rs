//! What an object needs: references by the names that Kubernetes, charts and operators give to
//! such fields, and host names of services inside any value.

use crate::diagnostic::Place;
use crate::fact::{Reference, Relation, Resource, Statement, Target};
use crate::yaml::{Entry, Node, Value};

pub fn describe(resource: &Resource, statement: &mut Statement) {
    // A CRD's schema names such fields without meaning any object.
    if matches!(resource.id.kind.as_str(), "CustomResourceDefinition") {
        return;
    }
    let namespace = match resource.node.text_at(&["spec", "targetNamespace"]) {
        Some(target) if resource.id.kind == "HelmRelease" => target,
        _ => &resource.id.namespace,
    };
    let mut needs = Needs {
        namespace,
        references: &mut statement.references,
    };
    for entry in resource.node.entries() {
        if !matches!(entry.key.as_str(), "metadata" | "status") {
            needs.entry(entry);
        }
    }
}

struct Needs<'a> {
    namespace: &'a str,
    references: &'a mut Vec<Reference>,
}

impl Needs<'_> {
    fn entry(&mut self, entry: &Entry) {
        let value = &entry.value;
        match entry.key.as_str() {
            "secretKeyRef" | "secretRef" | "secret" => {
                self.named(Relation::Secret, "Secret", value)
            }
            "secretName" | "existingSecret" | "existingSecretName" => {
                self.text(Relation::Secret, "Secret", value)
            }
            "imagePullSecrets" => value
                .items()
                .iter()
                .for_each(|item| self.named(Relation::Secret, "Secret", item)),
            "configMapKeyRef" | "configMapRef" | "configMap" => {
                self.named(Relation::ConfigMap, "ConfigMap", value)
            }
            "existingConfigMap" | "configMapName" => {
                self.text(Relation::ConfigMap, "ConfigMap", value)
            }
            "claimName" | "existingClaim" => {
                self.text(Relation::Claim, "PersistentVolumeClaim", value)
            }
            "storageClassName" | "storageClass" => {
                self.text(Relation::StorageClass, "StorageClass", value)
            }
            "secretStoreRef" => self.kinded(Relation::SecretStore, "SecretStore", value),
            "secretStoreRefs" => value
                .items()
                .iter()
                .for_each(|item| self.kinded(Relation::SecretStore, "SecretStore", item)),
            "issuerRef" => self.kinded(Relation::Issuer, "Issuer", value),
            "parentRefs" => value
                .items()
                .iter()
                .for_each(|item| self.kinded(Relation::Gateway, "Gateway", item)),
            "backendRefs" => value
                .items()
                .iter()
                .for_each(|item| self.kinded(Relation::Backend, "Service", item)),
            _ => {}
        }
        self.node(value);
    }

    fn node(&mut self, node: &Node) {
        match &node.value {
            Value::Map(map) => map.0.iter().for_each(|entry| self.entry(entry)),
            Value::Seq(items) => items.iter().for_each(|item| self.node(item)),
            Value::Scalar(scalar) => self.hosts(&scalar.text, node.place),
        }
    }

    fn add(&mut self, relation: Relation, target: Target, place: Place) {
        self.references.push(Reference {
            relation,
            target,
            place,
        });
    }

    /// `{name: x}`, possibly with a namespace.
    fn named(&mut self, relation: Relation, kind: &str, node: &Node) {
        if let Some(name) = node.get("name").filter(|name| name.text().is_some()) {
            let namespace = node.text_at(&["namespace"]).unwrap_or(self.namespace);
            let target = Target::object(kind, namespace, name.text().unwrap_or_default());
            self.add(relation, target, name.place);
        }
    }

    /// `{kind: y, name: x}`, where the kind has a default.
    fn kinded(&mut self, relation: Relation, default: &str, node: &Node) {
        let kind = node.text_at(&["kind"]).unwrap_or(default).to_owned();
        self.named(relation, &kind, node);
    }

    fn text(&mut self, relation: Relation, kind: &str, node: &Node) {
        if let Some(name) = node.text() {
            self.add(
                relation,
                Target::object(kind, self.namespace, name),
                node.place,
            );
        }
    }

    /// `db.shop.svc.cluster.local` names the service `db` in `shop`.
    fn hosts(&mut self, text: &str, place: Place) {
        let mut rest = 0;
        while let Some(found) = text[rest..].find(".svc") {
            let end = rest + found;
            rest = end + 4;
            let is_host_character = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
            let start = text[..end]
                .char_indices()
                .rev()
                .take_while(|(_, c)| is_host_character(*c))
                .last()
                .map_or(end, |(at, _)| at);
            let follows = text[rest..].chars().next();
            let mut parts = text[start..end].rsplit('.');
            let (Some(namespace), Some(service)) = (parts.next(), parts.next()) else {
                continue;
            };
            if follows.is_some_and(|c| c.is_ascii_alphanumeric() || c == '-')
                || namespace.is_empty()
                || service.is_empty()
            {
                continue;
            }
            let target = Target::Host {
                service: service.into(),
                namespace: namespace.into(),
            };
            self.add(Relation::Service, target, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::FileId;
    use crate::yaml::parse;

    fn needs(text: &str) -> Vec<String> {
        let root = parse(text, FileId(0)).documents.remove(0).root;
        let resource = Resource::new(root).unwrap();
        let mut statement = Statement::default();
        describe(&resource, &mut statement);
        let shown = statement
            .references
            .iter()
            .map(|reference| match &reference.target {
                Target::Object {
                    kind,
                    namespace,
                    name,
                } => format!("{kind} {namespace}/{name}"),
                Target::Host { service, namespace } => format!("host {service}.{namespace}"),
                Target::Api { group, kind } => format!("api {group}/{kind}"),
            });
        shown.collect()
    }

    #[test]
    fn references_are_found_by_the_names_of_their_fields() {
        let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: n}\nspec:\n  containers:\n    - envFrom: [{secretRef: {name: s}}, {configMapRef: {name: c}}]\n  volumes: [{secret: {secretName: t}}, {persistentVolumeClaim: {claimName: p}}]\n";
        assert_eq!(
            needs(text),
            [
                "Secret n/s",
                "ConfigMap n/c",
                "Secret n/t",
                "PersistentVolumeClaim n/p"
            ]
        );
    }

    #[test]
    fn host_names_of_services_are_found_inside_values() {
        let text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: n}\ndata: {url: 'http://db.shop.svc.cluster.local:80/x,cache.shop.svc', no: 'x.svcs', lone: '.svc'}\n";
        assert_eq!(needs(text), ["host db.shop", "host cache.shop"]);
    }
}
