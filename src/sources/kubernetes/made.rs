//! Objects that operators create for a custom resource, from the data in `made.yaml`.

use std::sync::LazyLock;

use smol_str::SmolStr;

use crate::facts::{Resource, Target};
use base::FileId;
use base::hash::HashMap;
use yaml::Node;

/// What exists because of one kind of resource: kinds and patterns of names.
type Made = Vec<(&'static str, SmolStr)>;

/// Services and Secrets that exist once the operator of a resource has seen it.
pub fn targets(resource: &Resource) -> Vec<Target> {
    let id = &resource.id;
    // Most objects are built in.
    if super::is_builtin(&id.group) {
        return Vec::new();
    }
    let key = format!("{}/{}", id.group, id.kind);
    let made = TABLE.get(key.as_str()).into_iter().flatten();
    let named = made.filter_map(|(kind, pattern)| Some((kind, name(pattern, resource)?)));
    named
        .map(|(kind, name)| Target::object(kind, &id.namespace, &name))
        .collect()
}

static TABLE: LazyLock<HashMap<SmolStr, Made>> = LazyLock::new(|| {
    let parsed = yaml::parse(include_str!("made.yaml"), FileId(0));
    let entries = parsed.documents.iter().flat_map(|it| it.root.items());
    entries
        .filter_map(|entry| {
            let of = |field: &str, kind: &'static str| {
                let names = entry.items_at(field).iter().filter_map(Node::text);
                names.map(|name| (kind, name.into())).collect::<Made>()
            };
            let made = [of("services", "Service"), of("secrets", "Secret")].concat();
            Some((entry.text_at(&["kind"])?.into(), made))
        })
        .collect()
});

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

    fn made(text: &str) -> Vec<String> {
        let root = yaml::parse(text, FileId(0)).documents.remove(0).root;
        let targets = targets(&Resource::new(root).unwrap());
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
    fn every_entry_names_a_kind_of_a_group_and_what_is_made() {
        assert!(TABLE.len() > 30);
        for (kind, made) in TABLE.iter() {
            let (group, name) = kind.split_once('/').unwrap();
            assert!(group.contains('.') && !name.is_empty(), "{kind}");
            assert!(!made.is_empty(), "{kind}");
        }
    }
}
