//! Secrets: what looks like one is replaced by a marker as soon as it is read, so that nothing
//! later can show it. Names of secrets and references to them are not secret and stay.

pub mod address;
mod plain;

use smol_str::SmolStr;

use crate::diagnostic::Place;
use crate::fact::{MARKER, PlainSecret};
use crate::yaml::{Entry, Map, Node, Scalar, Style, Value};

/// Replaces every secret in a document by [`MARKER`], and says which could be read.
pub fn seal(root: &mut Node) -> Vec<PlainSecret> {
    let is_encrypted = root.get("sops").is_some();
    let mut plain = match is_encrypted {
        true => Vec::new(),
        false => plain::stated(root),
    };
    let kind = root.get("kind").and_then(Node::text);
    if kind.is_some_and(|kind| kind.ends_with("List")) {
        let items = root.get_mut("items").and_then(Node::as_seq_mut);
        let found = items.into_iter().flatten().flat_map(seal);
        plain.extend(found.filter(|_| !is_encrypted));
    } else if kind == Some("Secret") {
        let is_of_cluster = address::is_of_cluster(root);
        for key in ["data", "stringData"] {
            if let Some(Value::Map(map)) = root.get_mut(key).map(|node| &mut node.value) {
                let is_open = |entry: &Entry| {
                    is_of_cluster && address::is_open(key, &entry.key, &entry.value)
                };
                // No key has a dollar: in a patch, it is a directive.
                let is_secret = |entry: &&mut Entry| entry.key != "$patch" && !is_open(entry);
                let secret = map.0.iter_mut().filter(is_secret);
                secret.for_each(|entry| seal_all(&mut entry.value));
            }
        }
    }
    let mut context = Context {
        form: match root.at(&["sops", "mac"]) {
            Some(_) => Form::Encrypted,
            None => Form::Plain,
        },
        found: Vec::new(),
        is_object: root.get("kind").is_some(),
    };
    walk(root, &mut context);
    if !is_encrypted && !context.found.is_empty() {
        let holder = plain::holder(root);
        plain.extend(context.found.into_iter().map(|(key, place)| PlainSecret {
            key,
            holder: holder.clone(),
            place,
        }));
    }
    plain
}

/// Whether every value of a Secret is a marker already.
pub fn is_sealed(root: &Node) -> bool {
    let entries = ["data", "stringData"].map(|key| root.entries_at(key));
    entries.iter().copied().flatten().all(|entry| {
        let scalar = entry.value.as_scalar();
        scalar.is_some_and(|scalar| scalar.is_null() || scalar.text == MARKER)
    })
}

/// Whether the value of a key or variable of this name is to be kept secret.
pub fn is_secret_name(name: &str) -> bool {
    if !may_be_secret(name) {
        return false;
    }
    let mut buffer = [0u8; 64];
    let mut length = 0;
    for byte in name.bytes().filter(u8::is_ascii_alphanumeric) {
        if length == buffer.len() {
            buffer.rotate_left(1);
            length -= 1;
        }
        buffer[length] = byte.to_ascii_lowercase();
        length += 1;
    }
    let name = &buffer[..length];
    SECRET_ENDINGS.iter().any(|ending| {
        // Saves a call for nearly every ending.
        name.last() == ending.as_bytes().last()
            && name.ends_with(ending.as_bytes())
            && !NAMES_OF_OBJECTS
                .iter()
                .any(|exception| name.ends_with(exception.as_bytes()))
    })
}

/// Which secrets can be read in a tree that is no object of a cluster, by their names and by the look of them.
pub fn exposed(mut root: Node, holder: Option<SmolStr>) -> Vec<PlainSecret> {
    let mut context = Context {
        form: Form::Plain,
        found: Vec::new(),
        is_object: true,
    };
    walk(&mut root, &mut context);
    let found = context.found.into_iter();
    let found = found.map(|(key, place)| PlainSecret {
        key,
        holder: holder.clone(),
        place,
    });
    found.collect()
}

/// Whether a text that a program keeps under a name is secret wherever it is used. Names of objects, and of keys in them, are
/// kept under such names as well.
pub fn is_secret_text(name: &str, text: &str) -> bool {
    if !is_secret_name(name) || shown(name, text).is_none() {
        return false;
    }
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let lower = letters.collect::<String>().to_ascii_lowercase();
    let is_of = |case: fn(&u8) -> bool| {
        let mut bytes = text.bytes();
        bytes.all(|b| case(&b) || b.is_ascii_digit() || matches!(b, b'-' | b'_' | b'.'))
    };
    let is_label = is_of(u8::is_ascii_lowercase) || is_of(u8::is_ascii_uppercase);
    let is_name = lower.ends_with("secret") && !lower.ends_with("clientsecret")
        || lower.ends_with("secretkey");
    !(is_label && is_name)
}

/// Whether a value would be of use to somebody who should not have it.
pub fn is_usable(value: &str) -> bool {
    plain::is_material(value)
}

/// Whether what stands under a name is a password that can be read and used.
pub fn is_plain_password(name: &str, value: &str) -> bool {
    plain::is_password(name, value)
}

/// Cheap refusal: every key is asked, and almost none ends in the letters that a secret's name does.
fn may_be_secret(name: &str) -> bool {
    let letters = name.bytes().rev().filter(u8::is_ascii_alphanumeric);
    let mut letters = letters.map(|byte| byte.to_ascii_lowercase());
    let (last, before) = (letters.next(), letters.next());
    let (Some(last), Some(before)) = (last, before) else {
        return false;
    };
    matches!(
        [before, last],
        [b'r' | b'w' | b'e' | b'i', b'd']
            | [b's', b'e' | b's' | b'n']
            | [b'e', b't' | b'n' | b'y' | b'm']
            | [b'a', b'l']
            | [b'l', b's' | b't']
            | [b'n', b'g']
            | [b't', b'h']
    )
}

/// What is shown of a value outside YAML, such as a line of an env file, when it holds a secret.
pub fn shown(key: &str, value: &str) -> Option<SmolStr> {
    // The value is text whatever it looks like.
    let mut scalar = Scalar::string(value);
    match is_secret_name(key) {
        true => seal_scalar(&mut scalar, key),
        false => seal_by_value(&mut scalar, Form::Plain),
    };
    (scalar.text != value).then_some(scalar.text)
}

/// What the names of secret values end in, in lower case and without separators.
const SECRET_ENDINGS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pass",
    "pwd",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "accesskeyid",
    "secretkey",
    "privatekey",
    "encryptionkey",
    "signingkey",
    "authkey",
    "licensekey",
    "sharedkey",
    "masterkey",
    "rootkey",
    "hmackey",
    "cookiesecret",
    "credential",
    "credentials",
    "connectionstring",
    "dsn",
    "salt",
    "htpasswd",
    "clientsecret",
    "keypem",
    "seed",
    "basicauth",
];

/// Keys with such an ending that hold the name of an object, or a switch, rather than a secret.
const NAMES_OF_OBJECTS: &[&str] = &[
    "existingsecret",
    "existingsecretkey",
    "passwordsecretkey",
    "usernamesecretkey",
    "tlssecret",
    "pullsecret",
    "casecret",
    "certsecret",
    "certificatesecret",
    "configsecret",
    "credentialssecret",
    "externalsecret",
    "fromsecret",
    "createsecret",
    "usesecret",
    "credentialssecretname",
    "serviceaccounttoken",
    "automounttoken",
    "bypass",
    "compass",
    "valuessecret",
    "webhooksecretname",
    "pushsecret",
    "sealedsecret",
    "clusterexternalsecret",
    "userssecret",
    "adminsecret",
    "existingcredentials",
    "backupsecret",
    "storagesecret",
    "imagecredentials",
    "encompass",
];

/// Whether a document is one that SOPS has encrypted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Plain,
    Encrypted,
}

struct Context {
    form: Form,
    /// Keys and places of what could be read.
    found: Vec<(SmolStr, Place)>,
    /// In files of other kinds, a name may mean anything.
    is_object: bool,
}

fn walk(node: &mut Node, context: &mut Context) {
    let place = node.place;
    match &mut node.value {
        Value::Scalar(scalar) => context.seal_by_value("", scalar, place),
        Value::Seq(items) => items.iter_mut().for_each(|item| walk(item, context)),
        Value::Map(map) => {
            seal_named_value(map, context);
            let names_a_key = map.get("remoteRef").is_some() || map.get("sourceRef").is_some();
            for entry in &mut map.0 {
                let place = entry.value.place;
                if let Value::Scalar(scalar) = &mut entry.value.value {
                    if is_secret_name(&entry.key) && !(names_a_key && entry.key == "secretKey") {
                        context.seal_named(&entry.key, scalar, place);
                    } else {
                        context.seal_by_value(&entry.key, scalar, place);
                    }
                } else {
                    if is_secret_name(&entry.key) {
                        seal_inner(&entry.key, &mut entry.value, context);
                    }
                    walk(&mut entry.value, context);
                }
            }
        }
    }
}

/// `dbPassword:` with `default: …` or `value: …` below it, as parameters are declared.
fn seal_inner(key: &str, node: &mut Node, context: &mut Context) {
    for inner in ["default", "value"] {
        let Some(node) = node.get_mut(inner) else {
            continue;
        };
        let place = node.place;
        if let Value::Scalar(scalar) = &mut node.value {
            context.seal_named(key, scalar, place);
        }
    }
}

impl Context {
    fn seal_named(&mut self, key: &str, scalar: &mut Scalar, place: Place) {
        let is_plain =
            self.form == Form::Plain && self.is_object && plain::is_password(key, &scalar.text);
        if seal_scalar(scalar, key) == Sealing::Sealed && is_plain {
            self.found.push((key.into(), place));
        }
    }

    fn seal_by_value(&mut self, key: &str, scalar: &mut Scalar, place: Place) {
        // Only what is long can be a token or a key.
        if scalar.text.len() < 16 {
            return;
        }
        let text = scalar.text.clone();
        if seal_by_value(scalar, self.form) == Sealing::Sealed
            && self.form == Form::Plain
            && plain::is_by_value(&text)
        {
            let key = if key.is_empty() { "value" } else { key };
            self.found.push((key.into(), place));
        }
    }
}

#[derive(PartialEq, Eq)]
enum Sealing {
    Sealed,
    Left,
}

/// `- name: DB_PASSWORD` with `value: …`, as containers and chart values have it.
fn seal_named_value(map: &mut Map, context: &mut Context) {
    let Some(name) = map
        .get("name")
        .and_then(Node::text)
        .filter(|name| is_secret_name(name))
    else {
        return;
    };
    let name = name.to_owned();
    if let Some(node) = map.get_mut("value") {
        let place = node.place;
        if let Value::Scalar(scalar) = &mut node.value {
            context.seal_named(&name, scalar, place);
        }
    }
}

fn seal_scalar(scalar: &mut Scalar, key: &str) -> Sealing {
    let text = scalar.text.as_str();
    let harmless = text.is_empty()
        || scalar.is_null()
        || matches!(text, "true" | "false")
        || is_reference(text)
        || scalar.style == Style::Plain
            && text.bytes().all(|b| b.is_ascii_digit())
            && !key.to_ascii_lowercase().contains("pass");
    if harmless {
        return Sealing::Left;
    }
    *scalar = Scalar::string(MARKER);
    Sealing::Sealed
}

/// The value is taken from elsewhere when it is used; what stands here is only its name.
fn is_reference(text: &str) -> bool {
    let whole = |open: &str, close: &str| {
        text.strip_prefix(open)
            .and_then(|rest| rest.strip_suffix(close))
            .is_some_and(|inner| !inner.contains([':', '=', '"', '-']) || open == "{{")
    };
    whole("${", "}")
        || whole("$(", ")")
        || whole("{{", "}}")
        || ["op://", "vault:", "ref+", "arn:aws:secretsmanager:"]
            .iter()
            .any(|prefix| text.starts_with(prefix))
}

fn seal_by_value(scalar: &mut Scalar, form: Form) -> Sealing {
    let text = scalar.text.as_str();
    if text.len() < 16 {
        return Sealing::Left;
    }
    let known = form == Form::Encrypted && text.starts_with("ENC[")
        || TOKEN_PREFIXES.iter().any(|prefix| {
            // Saves a call for nearly every prefix.
            text.as_bytes().first() == prefix.as_bytes().first()
                && text
                    .strip_prefix(prefix)
                    .is_some_and(|rest| rest.len() >= 16 && rest.bytes().all(is_token_byte))
        })
        || is_private_key(text);
    if known {
        *scalar = Scalar::string(MARKER);
        Sealing::Sealed
    } else if let Some(shown) = without_password(text) {
        scalar.text = shown.into();
        Sealing::Sealed
    } else {
        Sealing::Left
    }
}

/// How well-known access tokens begin.
const TOKEN_PREFIXES: &[&str] = &[
    "ghp_",
    "gho_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "sk_live_",
    "rk_live_",
    "sk-",
    "hvs.",
    "s.",
    "dckr_pat_",
    "npm_",
    "eyJ",
    "AGE-SECRET-KEY-",
];

/// Counting dashes is cheaper than a search, and rules out nearly every text.
fn is_private_key(text: &str) -> bool {
    text.bytes().filter(|byte| *byte == b'-').count() >= 5 && text.contains("PRIVATE KEY-----")
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.+/=".contains(&byte)
}

/// A URL with a password in it, shown without; none when there is no password.
fn without_password(text: &str) -> Option<String> {
    if !text.contains('@') {
        return None;
    }
    let start = text.find("://")? + 3;
    let authority_end = text[start..]
        .find(['/', '?', '#', ' ', '\n', '"', '\''])
        .map_or(text.len(), |end| start + end);
    let authority = &text[start..authority_end];
    let (login, host) = authority.rsplit_once('@')?;
    let (user, password) = login.split_once(':')?;
    if password.is_empty() || is_reference(password) || password == MARKER {
        return None;
    }
    Some(format!(
        "{}{user}:{MARKER}@{host}{}",
        &text[..start],
        &text[authority_end..]
    ))
}

fn seal_all(node: &mut Node) {
    match &mut node.value {
        // Nothing is no secret, and deletes in a patch.
        Value::Scalar(scalar) if scalar.is_null() => {}
        Value::Scalar(scalar) => *scalar = Scalar::string(MARKER),
        Value::Seq(items) => items.iter_mut().for_each(seal_all),
        Value::Map(map) => map
            .0
            .iter_mut()
            .for_each(|entry| seal_all(&mut entry.value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::FileId;
    use crate::yaml::{parse, to_json};
    use serde_json::json;

    fn sealed(text: &str) -> serde_json::Value {
        let mut root = parse(text, FileId(0)).documents.remove(0).root;
        seal(&mut root);
        to_json(&root)
    }

    #[test]
    fn values_of_a_secret_are_gone_and_its_keys_stay() {
        assert_eq!(
            sealed(
                "kind: Secret\nmetadata: {name: db}\ndata: {user: YQ==}\nstringData: {port: 5}\n"
            ),
            json!({"kind": "Secret", "metadata": {"name": "db"}, "data": {"user": MARKER}, "stringData": {"port": MARKER}})
        );
    }

    #[test]
    fn keys_that_look_secret_lose_their_value_and_references_stay() {
        assert_eq!(
            sealed(
                "a: {adminPassword: x, DB_PASSWORD: 12345, apiKey: k, existingSecret: db, secretName: db, tokenTTL: 1h}\n"
            ),
            json!({"a": {"adminPassword": MARKER, "DB_PASSWORD": MARKER, "apiKey": MARKER, "existingSecret": "db", "secretName": "db", "tokenTTL": "1h"}})
        );
        assert_eq!(
            sealed(
                "a: {password: \"${PW}\", token: \"{{ .token }}\", secret: \"${PW:=hunter2}\", createSecret: true, password2: ''}\n"
            ),
            json!({"a": {"password": "${PW}", "token": "{{ .token }}", "secret": MARKER, "createSecret": true, "password2": ""}})
        );
        assert_eq!(
            sealed("env: [{name: DB_PASSWORD, value: x}, {name: HOST, value: h}]\n"),
            json!({"env": [{"name": "DB_PASSWORD", "value": MARKER}, {"name": "HOST", "value": "h"}]})
        );
        assert_eq!(
            sealed("config: {dbPassword: {default: x, description: d}, size: {default: 3}}\n"),
            json!({"config": {"dbPassword": {"default": MARKER, "description": "d"}, "size": {"default": 3}}})
        );
    }

    #[test]
    fn a_text_under_a_name_is_secret_unless_it_names_an_object() {
        for (name, text) in [
            ("adminPassword", "hunter2"),
            ("client_secret", "correct-horse"),
            ("webhookSecret", "Hunter2"),
            ("api_token", "abcdef"),
        ] {
            assert!(is_secret_text(name, text), "{name}");
        }
        for (name, text) in [
            ("dbSecret", "db-credentials"),
            ("secretKey", "ADMIN_PASSWORD"),
            ("password", "${PASSWORD}"),
            ("existingSecret", "Hunter2"),
            ("tokenName", "Hunter2"),
        ] {
            assert!(!is_secret_text(name, text), "{name}");
        }
    }

    #[test]
    fn no_ending_of_a_secret_is_refused_unseen() {
        for ending in SECRET_ENDINGS {
            assert!(may_be_secret(ending), "{ending}");
            assert!(is_secret_name(ending), "{ending}");
        }
    }

    #[test]
    fn the_key_of_an_external_secret_is_a_name() {
        assert_eq!(
            sealed(
                "data: [{secretKey: password, remoteRef: {key: app/db}}]\nb: {secretKey: wJalr}\n"
            ),
            json!({"data": [{"secretKey": "password", "remoteRef": {"key": "app/db"}}], "b": {"secretKey": MARKER}})
        );
    }

    #[test]
    fn values_that_look_secret_are_sealed_wherever_they_stand() {
        assert_eq!(
            sealed(
                "a: ghp_0123456789abcdefghij\nb: postgres://app:hunter2@db.svc:5432/x\nc: postgres://app:${PW}@db/x\nd: |\n  -----BEGIN RSA PRIVATE KEY-----\n  x\n"
            ),
            json!({"a": MARKER, "b": "postgres://app:<secret>@db.svc:5432/x", "c": "postgres://app:${PW}@db/x", "d": MARKER})
        );
    }

    #[test]
    fn encrypted_values_of_a_sops_document_are_sealed() {
        assert_eq!(
            sealed(
                "host: ENC[AES256_GCM,data:abcdef,type:str]\nsops: {mac: 'ENC[AES256_GCM,data:xyz]'}\n"
            ),
            json!({"host": MARKER, "sops": {"mac": MARKER}})
        );
    }
}
