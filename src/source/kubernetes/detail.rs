//! What people ask about an object beyond its name, in words that do not depend on its kind.

use smol_str::SmolStr;

use crate::fact::{Detail, Resource, Statement};

/// A kind, and where the answers stand in it.
type Fields = &'static [(&'static str, &'static [&'static str])];

const KINDS: &[(&str, &str, Fields)] = &[
    (
        "external-secrets.io",
        "ExternalSecret",
        &[
            ("store", &["spec", "secretStoreRef", "name"]),
            ("store-kind", &["spec", "secretStoreRef", "kind"]),
            ("secret", &["spec", "target", "name"]),
        ],
    ),
    (
        "external-secrets.io",
        "PushSecret",
        &[("secret", &["spec", "selector", "secret", "name"])],
    ),
    (
        "cert-manager.io",
        "Certificate",
        &[
            ("secret", &["spec", "secretName"]),
            ("issuer", &["spec", "issuerRef", "name"]),
            ("issuer-kind", &["spec", "issuerRef", "kind"]),
        ],
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
}
