//! Finds the secrets that could be read before they were sealed. Encrypted values, references and placeholders do not
//! count. Values are inspected here and never returned.

use smol_str::{SmolStr, format_smolstr};

use super::address;
use super::harmless::is_reference;
use super::look::{Evidence, SecretSpan};
use crate::PlainSecret;
use base::Place;
use yaml::{Node, decode_base64};

/// Plain values of a Secret.
pub fn stated(root: &Node) -> Vec<PlainSecret> {
    let mut found = Vec::new();
    if root.text_at(&["kind"]) == Some("Secret") && root.get("apiVersion").is_some() {
        let holder = holder(root);
        let is_of_cluster = address::is_of_cluster(root);
        for field in ["stringData", "data"] {
            for entry in root.entries_at(field) {
                if is_of_cluster && address::is_open(field, &entry.key, &entry.value) {
                    continue;
                }
                let Some(text) = entry.value.text() else {
                    continue;
                };
                let value = match field {
                    "data" => decoded(text),
                    _ => text.to_owned(),
                };
                if !is_public(&entry.key) && is_material(&value) {
                    found.push(secret(&entry.key, &holder, entry.value.place));
                }
            }
        }
    }
    found
}

/// Plain values of Secrets that a kustomization generates.
pub fn generated(root: &Node) -> Vec<PlainSecret> {
    let mut found = Vec::new();
    for generator in root.items_at("secretGenerator") {
        let name = generator.text_at(&["name"]).unwrap_or_default();
        let holder = Some(format_smolstr!("Secret {name}"));
        for literal in generator.items_at("literals") {
            let pair = literal.text().and_then(|text| text.split_once('='));
            if let Some((key, value)) = pair
                && !is_public(key)
                && is_material(value.trim_matches(['"', '\'']))
            {
                found.push(secret(key, &holder, literal.place));
            }
        }
    }
    found
}

/// The kind and name of the object that contains a secret, if it has a name.
pub fn holder(root: &Node) -> Option<SmolStr> {
    let kind = root.text_at(&["kind"])?;
    let name = root.text_at(&["metadata", "name"])?;
    Some(format_smolstr!("{kind} {name}"))
}

/// Whether the value of a key that names a password is one.
pub fn is_password(key: &str, value: &str) -> bool {
    let name = letters(key);
    let endings: [&[u8]; 7] = [
        b"password",
        b"passwd",
        b"apikey",
        b"clientsecret",
        b"secretkey",
        b"secretaccesskey",
        b"privatekey",
    ];
    let singular = name.strip_suffix(b"s").unwrap_or(&name);
    let is_named = endings.iter().any(|ending| singular.ends_with(ending));
    is_named && is_material(value) && !is_key_of(&name, value)
}

fn letters(text: &str) -> Vec<u8> {
    let letters = text.bytes().filter(u8::is_ascii_alphanumeric);
    letters.map(|byte| byte.to_ascii_lowercase()).collect()
}

/// Whether a value names the entry that holds the secret, such as `clientSecretKey: "shopClientSecret"`: its last words
/// are those of the key. A single word is not enough to tell.
fn is_key_of(name: &[u8], value: &str) -> bool {
    let held = name.strip_suffix(b"key").unwrap_or_default();
    let is_telling = held.len() > b"secret".len() && held.ends_with(b"secret");
    let is_words = value
        .bytes()
        .all(|byte| byte.is_ascii_alphabetic() || b"-_.:/".contains(&byte));
    is_telling && is_words && letters(value).ends_with(held)
}

/// Whether a value has a usable part among those that look secret.
pub fn is_by_value(value: &str, parts: &[SecretSpan]) -> bool {
    parts.iter().any(|part| part.evidence == Evidence::Certain)
        && is_material(value)
        && !value.contains("BEGIN AGE ENCRYPTED")
}

fn secret(key: &str, holder: &Option<SmolStr>, place: Place) -> PlainSecret {
    PlainSecret {
        key: key.into(),
        holder: holder.clone(),
        place,
    }
}

fn decoded(text: &str) -> String {
    let joined: String = text.split_whitespace().collect();
    let bytes = decode_base64(&joined).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Keys of Secrets whose values are public.
fn is_public(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let ending = |endings: &[&str]| endings.iter().any(|ending| key.ends_with(ending));
    ending(&[
        "username",
        "user",
        "login",
        "email",
        "url",
        "uri",
        "host",
        "hostname",
        "port",
        "endpoint",
        "region",
        "database",
        "dbname",
        "name",
        "type",
        "project",
        "server",
        "namespace",
        ".crt",
        ".pub",
        "known_hosts",
        "bucket",
        "domain",
        "enabled",
        "keyid",
        "key-id",
        "key_id",
        "clientid",
        "client-id",
        "client_id",
        "tenantid",
        "tenant-id",
        "address",
        "path",
        "version",
        "issuer",
        "scopes",
        "labels",
    ])
}

/// Whether a value works as a credential.
pub fn is_material(value: &str) -> bool {
    let value = value.trim();
    let lower = value.to_ascii_lowercase();
    let is_short = value.chars().count() < 5;
    let is_one_sign = value.chars().all(|c| value.starts_with(c));
    let is_elsewhere = is_reference(value)
        || ["${", "$(", "{{", "<"]
            .iter()
            .any(|sign| value.contains(sign));
    let is_encrypted = value.starts_with("ENC[")
        || value.starts_with("$ANSIBLE_VAULT")
        || value.contains("BEGIN PGP MESSAGE")
        || value.contains("BEGIN AGE ENCRYPTED");
    let is_public = value.contains("BEGIN CERTIFICATE") || value.contains("BEGIN PUBLIC KEY");
    // The name of the variable that holds it.
    let is_name = value.contains('_')
        && value
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    let words = [
        "change",
        "placeholder",
        "replace",
        "example",
        "dummy",
        "todo",
        "your",
        "xxx",
        "redacted",
        "insert",
        "fake",
        "here",
        "sample",
        "not-a",
        "notreal",
        "localhost",
        "override",
        "fixme",
    ];
    let is_placeholder = words.iter().any(|word| lower.contains(word))
        || matches!(
            lower.as_str(),
            "password"
                | "secret"
                | "admin"
                | "token"
                | "true"
                | "false"
                | "unused"
                | "value"
                | "default"
        );
    !(is_short
        || is_one_sign
        || is_elsewhere
        || is_name
        || is_encrypted
        || is_public && !value.contains("PRIVATE KEY")
        || is_placeholder)
}

#[cfg(test)]
mod tests {
    use base::FileId;

    fn found(text: &str) -> Vec<String> {
        let mut root = yaml::parse(text, FileId(0)).documents.remove(0).root;
        let found = super::super::seal(&mut root);
        let shown = found.iter().map(|secret| {
            let holder = secret.holder.as_deref().unwrap_or("-");
            format!("{}:{} {holder}", secret.place.line, secret.key)
        });
        shown.collect()
    }

    #[test]
    fn plain_values_of_a_secret_are_told_and_placeholders_are_not() {
        let text = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData:\n  username: shop\n  password: correct-horse\n  token: changeme\n  key: ${KEY}\n  other: test\ndata:\n  pin: Y29ycmVjdC1ob3JzZQ==\n";
        assert_eq!(found(text), ["6:password Secret db", "11:pin Secret db"]);
    }

    #[test]
    fn what_is_encrypted_is_not_told() {
        let text = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData:\n  password: ENC[AES256_GCM,data:abc]\nsops: {mac: x}\n";
        assert_eq!(found(text), [""; 0]);
    }

    #[test]
    fn passwords_and_keys_are_found_elsewhere() {
        let text = "kind: HelmRelease\nmetadata: {name: db}\nspec:\n  adminPassword: correct-horse\n  existingSecret: correct-horse\n  env: [{name: DB_PASSWORD, value: battery-staple}]\n  url: postgres://app:battery-staple@db:5432/x\n  pem: |\n    -----BEGIN RSA PRIVATE KEY-----\n    MIIB\n";
        assert_eq!(
            found(text),
            [
                "4:adminPassword HelmRelease db",
                "6:DB_PASSWORD HelmRelease db",
                "7:url HelmRelease db",
                "9:pem HelmRelease db"
            ]
        );
    }

    #[test]
    fn the_name_of_the_entry_that_holds_a_secret_is_none() {
        let text = "kind: Proxy\nmetadata: {name: web}\nspec:\n  clientSecretKey: shopClientSecret\n  cookieSecretKey: web/cookie-secret\n  tokenSecretKey: correct-horse\n  secretKey: superSecret\n  otherSecretKey: b4ttery-other-secret\n";
        assert_eq!(
            found(text),
            [
                "6:tokenSecretKey Proxy web",
                "7:secretKey Proxy web",
                "8:otherSecretKey Proxy web"
            ]
        );
    }

    #[test]
    fn generated_secrets_are_looked_at() {
        let text =
            "secretGenerator:\n  - name: db\n    literals: [user=shop, password=correct-horse]\n";
        assert_eq!(found(text), ["3:password Secret db"]);
    }
}
