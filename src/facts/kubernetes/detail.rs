//! Details of an object beyond its name, under labels that do not depend on its kind.

use smol_str::SmolStr;

use crate::facts::{Detail, Resource, Statement};

/// Labels, and the field path of each.
type Fields = &'static [(&'static str, &'static [&'static str])];

const KINDS: &[(&str, &str, Fields)] = &[
    (
        "external-secrets.io",
        "ExternalSecret",
        &[("creation-policy", &["spec", "target", "creationPolicy"])],
    ),
    (
        "external-secrets.io",
        "PushSecret",
        &[("secret", &["spec", "selector", "secret", "name"])],
    ),
    (
        "cert-manager.io",
        "Certificate",
        &[("secret", &["spec", "secretName"])],
    ),
    (
        "postgresql.cnpg.io",
        "Cluster",
        &[
            ("instances", &["spec", "instances"]),
            ("size", &["spec", "storage", "size"]),
        ],
    ),
    (
        "argoproj.io",
        "Application",
        &[
            ("path", &["spec", "source", "path"]),
            ("target-namespace", &["spec", "destination", "namespace"]),
        ],
    ),
];

pub fn describe(resource: &Resource, statement: &mut Statement) {
    let id = &resource.id;
    let known = KINDS.iter().find(|(group, kind, _)| id.is(group, kind));
    let Some((_, _, fields)) = known else {
        return;
    };
    let details = fields.iter().filter_map(|(name, path)| {
        let value = resource.node.text_at(path)?;
        (!value.is_empty()).then(|| Detail {
            name,
            value: SmolStr::from(value),
        })
    });
    statement.details.extend(details);
    let secret = super::fetched_secret(resource).map(|name| Detail {
        name: "secret",
        value: name.into(),
    });
    statement.details.extend(secret);
    statement.details.extend(provider(resource));
}

/// Store or issuer that serves an object: namespaced or cluster-wide.
fn provider(resource: &Resource) -> Option<Detail> {
    let (field, local, cluster) = match resource.id.kind.as_str() {
        "ExternalSecret" => ("secretStoreRef", "local-store", "cluster-store"),
        "Certificate" => ("issuerRef", "local-issuer", "cluster-issuer"),
        _ => return None,
    };
    let reference = resource.node.at(&["spec", field])?;
    let of_cluster = reference
        .text_at(&["kind"])
        .is_some_and(|kind| kind.starts_with("Cluster"));
    // An issuer of another group is no object that these commands could ask.
    let is_own = reference
        .text_at(&["group"])
        .is_none_or(|group| group == resource.id.group);
    let name = reference.text_at(&["name"]).filter(|_| is_own)?;
    Some(Detail {
        name: if of_cluster { cluster } else { local },
        value: name.into(),
    })
}
