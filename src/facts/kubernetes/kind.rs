//! Custom resources: what operators create for them, and what they refer to, from the data of `[[kind]]`.

use super::needs;
use crate::facts::{Reference, Relation, Resource, Statement, Target};
use crate::input::config::{self, Kind};
use yaml::Node;

/// Adds what the kind of a resource means: that of the team's own configuration, and what is built in.
pub fn describe(resource: &Resource, own: &[Kind], statement: &mut Statement) {
    let id = &resource.id;
    // Most objects are built in.
    if super::is_builtin(&id.group) {
        return;
    }
    let name = format!("{}/{}", id.group, id.kind);
    let own = own.iter().filter(|kind| kind.name == name);
    for kind in own.chain(config::known_kind(&name)) {
        statement.provides.extend(made(kind, resource));
        for entry in &kind.refers {
            if let Some((field, to)) = config::reference(entry) {
                let path: Vec<&str> = path(field).collect();
                refer(&resource.node, &path, (resource, to), statement);
            }
        }
        if !kind.quiet.is_empty() {
            silence(resource, &kind.quiet, statement);
        }
    }
}

/// Services, Secrets and classes that exist once the operator of a resource has seen it.
fn made(kind: &Kind, resource: &Resource) -> Vec<Target> {
    let namespace = resource.id.namespace.as_str();
    let lists = [
        ("Service", namespace, &kind.services),
        ("Secret", namespace, &kind.secrets),
        ("DeviceClass", "", &kind.classes),
    ];
    let each = lists.iter().flat_map(|(kind, namespace, patterns)| {
        let names = patterns
            .iter()
            .filter_map(|pattern| name(pattern, resource));
        names.map(|name| Target::object(kind, namespace, &name))
    });
    each.collect()
}

/// The keys of a field. The name of a label has dots of its own.
fn path(field: &str) -> impl Iterator<Item = &str> {
    let (start, label) = match field.strip_prefix("metadata.labels.") {
        Some(label) => ("metadata.labels", Some(label)),
        None => (field, None),
    };
    start.split('.').chain(label)
}

/// Adds the references at a path below a node.
fn refer(node: &Node, path: &[&str], about: (&Resource, &str), statement: &mut Statement) {
    let [key, rest @ ..] = path else {
        let (resource, kind) = about;
        let kind = node.text_at(&["kind"]).unwrap_or(kind);
        let name = node.text().or_else(|| node.text_at(&["name"]));
        let namespace = node.text_at(&["namespace"]);
        if let Some(name) = name {
            statement.references.push(Reference {
                relation: relation(kind),
                target: Target::object(kind, namespace.unwrap_or(&resource.id.namespace), name),
                place: node.place,
            });
        }
        return;
    };
    match key.strip_suffix("[]") {
        Some(key) => {
            let items = node.items_at(key).iter();
            items.for_each(|item| refer(item, rest, about, statement));
        }
        None => {
            if let Some(below) = node.get(key) {
                refer(below, rest, about, statement);
            }
        }
    }
}

/// What it means to name an object of a kind.
fn relation(kind: &str) -> Relation {
    match kind {
        "Secret" => Relation::Secret,
        "ConfigMap" => Relation::ConfigMap,
        "Service" => Relation::Service,
        "PersistentVolumeClaim" => Relation::Claim,
        "StorageClass" => Relation::StorageClass,
        "Gateway" => Relation::Gateway,
        "IngressClass" | "GatewayClass" => Relation::Class,
        "Issuer" | "ClusterIssuer" => Relation::Issuer,
        "SecretStore" | "ClusterSecretStore" => Relation::SecretStore,
        _ => Relation::Resource,
    }
}

/// Takes back the services that are named below some keys.
fn silence(resource: &Resource, keys: &[String], statement: &mut Statement) {
    let mut quiet = Vec::new();
    let spec = resource.node.entries_at("spec").iter();
    for entry in spec.filter(|entry| keys.iter().any(|key| *key == entry.key)) {
        quiet.extend(needs::below(&entry.value, &resource.id.namespace));
    }
    quiet.retain(|one: &Reference| one.relation == Relation::Service);
    quiet.sort_unstable();
    statement
        .references
        .retain(|one| quiet.binary_search(one).is_err());
}

/// A pattern with its fields filled in; none if one of them is not set.
fn name(pattern: &str, resource: &Resource) -> Option<String> {
    let mut name = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        let (field, behind) = after.split_once('}')?;
        name.push_str(before);
        name.push_str(match field {
            "name" => &resource.id.name,
            path => {
                let path: Vec<&str> = path.split('.').collect();
                resource.node.text_at(&path)?
            }
        });
        rest = behind;
    }
    name.push_str(rest);
    Some(name).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::FileId;

    fn described(text: &str, own: &[Kind]) -> Statement {
        let root = yaml::parse(text, FileId(0)).documents.remove(0).root;
        let mut statement = Statement::default();
        describe(&Resource::new(root).unwrap(), own, &mut statement);
        statement
    }

    fn made(text: &str) -> Vec<String> {
        shown(&described(text, &[]).provides)
    }

    fn refers(text: &str) -> Vec<String> {
        let references = described(text, &[]).references.into_iter();
        let targets: Vec<Target> = references.map(|reference| reference.target).collect();
        shown(&targets)
    }

    fn shown(targets: &[Target]) -> Vec<String> {
        let shown = targets.iter().map(|target| match target {
            Target::Object {
                kind,
                namespace,
                name,
            } => format!("{kind} {namespace}/{name}"),
            other => format!("{other:?}"),
        });
        shown.collect()
    }

    #[test]
    fn an_operator_creates_services_named_after_its_resource() {
        let kafka = "apiVersion: kafka.strimzi.io/v1beta2\nkind: Kafka\nmetadata: {name: events, namespace: shop}\n";
        assert_eq!(
            made(kafka),
            [
                "Service shop/events-kafka-bootstrap",
                "Service shop/events-kafka-brokers"
            ]
        );
    }

    #[test]
    fn a_name_that_a_field_states_is_left_out_where_it_is_not_set() {
        let secret = |spec: &str| {
            made(&format!(
                "apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {{name: web, namespace: shop}}\nspec: {spec}\n"
            ))
        };
        assert_eq!(secret("{secretName: web-tls}"), ["Secret shop/web-tls"]);
        assert_eq!(secret("{}"), [""; 0]);
    }

    #[test]
    fn a_field_names_another_object() {
        let topic = "apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaTopic\nmetadata: {name: a, namespace: shop, labels: {strimzi.io/cluster: events}}\n";
        assert_eq!(refers(topic), ["Kafka shop/events"]);
        let canary = "apiVersion: flagger.app/v1beta1\nkind: Canary\nmetadata: {name: a, namespace: shop}\nspec: {service: {gatewayRefs: [{name: public, namespace: ways}]}}\n";
        assert_eq!(refers(canary), ["Gateway ways/public"]);
    }

    #[test]
    fn what_a_team_says_of_a_kind_is_added() {
        let own = Kind {
            name: "acme.example/Database".into(),
            services: vec!["{name}-primary".into()],
            ..Kind::default()
        };
        let text =
            "apiVersion: acme.example/v1\nkind: Database\nmetadata: {name: a, namespace: shop}\n";
        let statement = described(text, &[own]);
        assert_eq!(shown(&statement.provides), ["Service shop/a-primary"]);
    }
}
