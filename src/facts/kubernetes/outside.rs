//! Resources outside every cluster that objects use: vaults, entries of a secret service, buckets. Only addresses that
//! are unique worldwide or within an account count.

use crate::facts::{Reference, Relation, Resource, Statement, StoreRef, Target};
use base::Place;
use yaml::Node;

pub const VAULT: &str = "vault.azure.net";
pub const AWS_SECRETS: &str = "secretsmanager.amazonaws.com";
pub const AWS_PARAMETERS: &str = "ssm.amazonaws.com";
pub const GOOGLE_SECRETS: &str = "secretmanager.googleapis.com";
pub const AWS_BUCKETS: &str = "s3.amazonaws.com";
pub const GOOGLE_BUCKETS: &str = "storage.googleapis.com";

pub fn describe(resource: &Resource, statement: &mut Statement) {
    if resource.id.group != "external-secrets.io" {
        return;
    }
    match resource.id.kind.as_str() {
        "SecretStore" | "ClusterSecretStore" => store(resource, statement),
        "ExternalSecret" => secret(&resource.node, &resource.id.namespace, statement),
        _ => {}
    }
}

/// The service that a store reads from, and the vault, if it names one.
fn store(resource: &Resource, statement: &mut Statement) {
    let Some(provider) = resource.node.at(&["spec", "provider"]) else {
        return;
    };
    let aws = provider.text_at(&["aws", "service"]);
    statement.supplies.reads_from = match aws {
        Some("SecretsManager") => Some(AWS_SECRETS),
        Some("ParameterStore") => Some(AWS_PARAMETERS),
        _ if provider.get("gcpsm").is_some() => Some(GOOGLE_SECRETS),
        _ => None,
    };
    let url = provider.at(&["azurekv", "vaultUrl"]);
    let vault = url.and_then(|url| Some((vault_of(url.text()?)?, url.place)));
    if let Some((vault, place)) = vault {
        add(statement, Target::outside(VAULT, &vault), place);
    }
}

/// `https://NAME.vault.azure.net/`; names of vaults are the same in any case.
fn vault_of(url: &str) -> Option<String> {
    let host = url.strip_prefix("https://")?.trim_end_matches('/');
    let name = host.to_ascii_lowercase();
    let name = name.strip_suffix(VAULT)?.strip_suffix('.')?;
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    is_name.then(|| name.to_owned())
}

/// The entries that a secret is made of, by the store that it reads them through.
fn secret(node: &Node, namespace: &str, statement: &mut Statement) {
    let Some(spec) = node.get("spec") else {
        return;
    };
    let Some(name) = spec.text_at(&["secretStoreRef", "name"]) else {
        return;
    };
    let kind = spec.text_at(&["secretStoreRef", "kind"]);
    let kind = kind.unwrap_or("SecretStore");
    let store = StoreRef {
        kind: kind.into(),
        namespace: match kind {
            "SecretStore" => namespace.into(),
            _ => "".into(),
        },
        name: name.into(),
    };
    let single = spec.items_at("data").iter();
    let single = single.filter_map(|one| one.at(&["remoteRef", "key"]));
    let whole = spec.items_at("dataFrom").iter();
    let whole = whole.filter_map(|one| one.at(&["extract", "key"]));
    let keys: Vec<&Node> = single.chain(whole).collect();
    for key in keys {
        let Some(name) = key.text().filter(|name| !name.contains('$')) else {
            continue;
        };
        let target = Target::Behind {
            store: Box::new(store.clone()),
            name: name.into(),
        };
        let is_new = |reference: &Reference| reference.target != target;
        if statement.references.iter().all(is_new) {
            add(statement, target, key.place);
        }
    }
}

/// The bucket that an address such as `s3://NAME/path` leads to.
pub fn bucket(token: &str) -> Option<Target> {
    let (service, rest) = match token.strip_prefix("s3://") {
        Some(rest) => (AWS_BUCKETS, rest),
        None => (GOOGLE_BUCKETS, token.strip_prefix("gs://")?),
    };
    let name = rest.split('/').next().unwrap_or_default();
    let is_name = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_');
    let fits = name.len() >= 3 && name.bytes().all(is_name);
    fits.then(|| Target::outside(service, name))
}

fn add(statement: &mut Statement, target: Target, place: Place) {
    statement.references.push(Reference {
        relation: Relation::Outside,
        target,
        place,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vault_is_known_by_its_address() {
        assert_eq!(
            vault_of("https://Shop-Prod.vault.azure.net/").as_deref(),
            Some("shop-prod")
        );
        for other in [
            "http://a.vault.azure.net",
            "https://vault.azure.net",
            "https://a.b.vault.azure.net",
            "https://${V}.vault.azure.net",
        ] {
            assert_eq!(vault_of(other), None, "{other}");
        }
    }

    #[test]
    fn a_bucket_is_known_by_its_scheme() {
        let shop = Target::outside(AWS_BUCKETS, "shop-backups");
        assert_eq!(bucket("s3://shop-backups/base/x"), Some(shop));
        assert_eq!(bucket("gs://x"), None);
        assert_eq!(bucket("s3://shop-${ENV}"), None);
        assert_eq!(bucket("https://shop-backups"), None);
    }
}
