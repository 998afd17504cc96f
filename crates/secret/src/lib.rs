//! Secrets: what looks like one is replaced by a marker as soon as it is read, so that nothing
//! later can show it. Names of secrets and references to them are not secret and stay.

pub mod address;
mod below;
pub mod look;
mod name;
mod plain;

use smol_str::SmolStr;

use base::MARKER;
use base::Place;
use base::hash::HashSet;
use yaml::{Entry, Map, Node, Scalar, Style, Value};

pub use name::is_secret_name;

/// Where a secret value stands unencrypted; the value itself is gone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlainSecret {
    /// The key that it stands under.
    pub key: SmolStr,
    /// What holds it, such as `Secret db`.
    pub holder: Option<SmolStr>,
    pub place: Place,
}

/// Replaces every secret in a document by [`MARKER`], and says which could be read.
pub fn seal(root: &mut Node) -> Vec<PlainSecret> {
    let is_encrypted = root.get("sops").is_some();
    let mut context = Context {
        form: match root.at(&["sops", "mac"]) {
            Some(_) => Form::Encrypted,
            None => Form::Plain,
        },
        found: Vec::new(),
        stated: plain::generated(root),
        is_object: root.get("kind").is_some(),
        texts: Texts::Values,
    };
    walk(root, &mut context);
    if is_encrypted {
        return Vec::new();
    }
    let mut plain = context.stated;
    if !context.found.is_empty() {
        let holder = plain::holder(root);
        let stated: HashSet<Place> = plain.iter().map(|one| one.place).collect();
        context.found.retain(|(_, place)| !stated.contains(place));
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

/// Which secrets can be read in a tree that is no object of a cluster, by their names and by the look of them.
pub fn exposed(mut root: Node, holder: Option<SmolStr>) -> Vec<PlainSecret> {
    let mut context = Context {
        form: Form::Plain,
        found: Vec::new(),
        stated: Vec::new(),
        is_object: true,
        texts: Texts::Values,
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

/// What is shown of a value outside YAML, such as a line of an env file, when it holds a secret.
pub fn shown(key: &str, value: &str) -> Option<SmolStr> {
    // The value is text whatever it looks like.
    let mut scalar = Scalar::string(value);
    let is_left = !is_secret_name(key) || seal_scalar(&mut scalar, key) == Sealing::Left;
    if is_left && name::may_hold_key(key) && look::is_random(value) {
        scalar = Scalar::string(MARKER);
    } else if is_left {
        seal_by_value(&mut scalar, Form::Plain, Texts::Values);
    }
    (scalar.text != value).then_some(scalar.text)
}

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
    /// What could be read in Secrets, and in what generates them.
    stated: Vec<PlainSecret>,
    /// In files of other kinds, a name may mean anything.
    is_object: bool,
    texts: Texts,
}

/// What texts are that hold whole objects.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Texts {
    Values,
    /// They are read by themselves, and sealed then.
    Patches,
}

fn walk(node: &mut Node, context: &mut Context) {
    let place = node.place;
    let signs = Signs::from_node(node);
    if signs.kind && node.text_at(&["kind"]) == Some("Secret") {
        context.stated.extend(plain::stated(node));
        seal_object(node);
    }
    // The name of what it generates depends on its literals, so that its reader sees them first.
    let is_generator = signs.kind
        && node
            .text_at(&["kind"])
            .is_some_and(|kind| kind.ends_with("Generator"));
    match &mut node.value {
        Value::Scalar(scalar) => context.seal_by_value("", scalar, place),
        Value::Seq(items) => {
            seal_words(items);
            items.iter_mut().for_each(|item| walk(item, context));
        }
        Value::Map(map) => {
            if signs.name {
                seal_named_value(map, context);
            }
            if signs.op {
                seal_operation(map, context);
            }
            let names_a_key = signs.secret_key
                && (map.get("remoteRef").is_some() || map.get("sourceRef").is_some());
            for entry in &mut map.0 {
                seal_key(entry);
                let place = entry.value.place;
                let outer = context.texts;
                if entry.key.starts_with("patch")
                    || is_generator && entry.key == "literals"
                    || matches!(
                        entry.key.as_str(),
                        "generators" | "transformers" | "validators"
                    )
                {
                    context.texts = Texts::Patches;
                }
                let is_secret =
                    is_secret_name(&entry.key) && !(names_a_key && entry.key == "secretKey");
                match &mut entry.value.value {
                    Value::Scalar(scalar) if is_secret => {
                        context.seal_named(&entry.key, scalar, place);
                    }
                    Value::Scalar(scalar) => context.seal_by_value(&entry.key, scalar, place),
                    _ => {
                        if is_secret {
                            seal_inner(&entry.key, &mut entry.value, context);
                        }
                        below::seal(&entry.key, &mut entry.value, context);
                        walk(&mut entry.value, context);
                    }
                }
                context.texts = outer;
            }
        }
    }
}

/// Which keys a mapping has that say what the others are. Every mapping is asked, and few have any.
#[derive(Default)]
struct Signs {
    kind: bool,
    name: bool,
    op: bool,
    secret_key: bool,
}

impl Signs {
    fn from_node(node: &Node) -> Signs {
        let mut signs = Signs::default();
        for entry in node.entries() {
            match entry.key.as_str() {
                "kind" => signs.kind = true,
                "name" => signs.name = true,
                "op" => signs.op = true,
                "secretKey" => signs.secret_key = true,
                _ => {}
            }
        }
        signs
    }
}

/// A key may be a token, where people map tokens to what they are for.
fn seal_key(entry: &mut Entry) {
    if entry.key.len() < LONG_KEY {
        return;
    }
    if let Some(shown) = look::without(&entry.key, &look::parts(&entry.key)) {
        entry.key = shown.into();
    }
}

/// No token is shorter.
const LONG_KEY: usize = 20;

/// `["--password", "hunter2"]`, as the words of a command are listed.
fn seal_words(items: &mut [Node]) {
    let is_flag = |node: &Node| node.text().is_some_and(|text| text.starts_with('-'));
    if !items.iter().any(is_flag) {
        return;
    }
    let words: Vec<&str> = items
        .iter()
        .map(|item| item.text().unwrap_or_default())
        .collect();
    let mut found = Vec::new();
    look::command::in_words(&words, &mut |at, part| found.push((at, part)));
    for (at, range) in found {
        let part = look::SecretSpan {
            range,
            evidence: look::Evidence::Doubtful,
        };
        if let Value::Scalar(scalar) = &mut items[at].value
            && scalar.text != MARKER
            && let Some(shown) = look::without(&scalar.text, &[part])
        {
            *scalar = Scalar::string(shown);
        }
    }
}

/// All values of a Secret but those that say where a cluster is.
fn seal_object(node: &mut Node) {
    let is_of_cluster = address::is_of_cluster(node);
    for key in ["data", "stringData"] {
        if let Some(Value::Map(map)) = node.get_mut(key).map(|node| &mut node.value) {
            let is_open =
                |entry: &Entry| is_of_cluster && address::is_open(key, &entry.key, &entry.value);
            // No key has a dollar: in a patch, it is a directive.
            let is_secret = |entry: &&mut Entry| entry.key != "$patch" && !is_open(entry);
            let secret = map.0.iter_mut().filter(is_secret);
            secret.for_each(|entry| seal_all(&mut entry.value));
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
        match seal_scalar(scalar, key) {
            Sealing::Sealed if is_plain => self.found.push((key.into(), place)),
            Sealing::Sealed => {}
            // What its name does not make secret may look it.
            Sealing::Left => self.seal_by_value(key, scalar, place),
        }
    }

    fn seal_by_value(&mut self, key: &str, scalar: &mut Scalar, place: Place) {
        if scalar.text.len() < SHORTEST {
            return;
        }
        if name::may_hold_key(key) && look::is_random(&scalar.text) {
            *scalar = Scalar::string(MARKER);
            return;
        }
        let Some(taken) = seal_by_value(scalar, self.form, self.texts) else {
            return;
        };
        if self.form == Form::Plain && plain::is_by_value(&taken.before, &taken.parts) {
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

/// `- name: DB_PASSWORD` with `value: …`, as containers and chart values have it, or with a value of another type, as
/// parameters of a plugin.
fn seal_named_value(map: &mut Map, context: &mut Context) {
    let Some(name) = map
        .get("name")
        .and_then(Node::text)
        .filter(|name| is_secret_name(name))
    else {
        return;
    };
    let name = name.to_owned();
    for field in ["value", "string", "array", "map"] {
        if let Some(node) = map.get_mut(field) {
            below::seal_whole(&name, node, context);
        }
    }
}

/// `{op: replace, path: /spec/values/adminPassword, value: …}`.
fn seal_operation(map: &mut Map, context: &mut Context) {
    let Some(path) = map.get("path").and_then(Node::text).map(str::to_owned) else {
        return;
    };
    let Some(value) = map.get_mut("value") else {
        return;
    };
    if path.split('/').any(|part| part == "stringData") {
        return seal_all(value);
    }
    let is_name = |part: &&str| *part != "-" && !part.bytes().all(|byte| byte.is_ascii_digit());
    let name = path.rsplit('/').find(is_name).unwrap_or_default();
    if is_secret_name(name) {
        below::seal_whole(name, value, context);
    }
}

fn seal_scalar(scalar: &mut Scalar, key: &str) -> Sealing {
    let text = scalar.text.as_str();
    let is_number = text.bytes().all(|b| b.is_ascii_digit());
    if text.is_empty()
        || scalar.is_null()
        || is_reference(text)
        || is_number && is_count(key, scalar.style)
        || !is_number && is_harmless(key, text)
    {
        return Sealing::Left;
    }
    *scalar = Scalar::string(MARKER);
    Sealing::Sealed
}

/// Whether a value is no secret although its name is that of one: a switch, or what a name that is not telling may hold.
fn is_harmless(key: &str, text: &str) -> bool {
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return text.is_empty() || is_count(key, Style::Plain);
    }
    matches!(text, "true" | "false" | "null" | "~")
        || name::strength(key) == name::Strength::Weak
            && (is_path(text) || is_way(text) || text.contains("://"))
}

fn is_path(text: &str) -> bool {
    let mut endings = [".pem", ".key", ".crt", ".json", ".yaml", ".pub"].iter();
    text.starts_with(['/', '.', '~']) && text.contains('/')
        || endings.any(|ending| text.ends_with(ending))
}

/// How somebody is let in, rather than what with.
fn is_way(text: &str) -> bool {
    const WAYS: &[&str] = &[
        "none",
        "basic",
        "plain",
        "login",
        "ldap",
        "oauth",
        "oauth2",
        "oidc",
        "saml",
        "jwt",
        "iam",
        "kerberos",
        "ntlm",
        "digest",
        "md5",
        "cram-md5",
        "scram-sha-256",
        "scram-sha-512",
        "trust",
        "token",
        "password",
        "anonymous",
        "internal",
        "external",
        "required",
        "optional",
        "on",
        "off",
        "yes",
        "no",
        "enabled",
        "disabled",
        "always",
        "never",
        "default",
    ];
    let lower = text.to_ascii_lowercase();
    WAYS.contains(&lower.as_str())
}

/// Whether a number under a name is a setting: how many tokens there may be, or how long something lives.
fn is_count(key: &str, style: Style) -> bool {
    let key = key.to_ascii_lowercase();
    key.ends_with("tokens") || style == Style::Plain && !key.contains("pass")
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

/// A text that was sealed because of how it looks, and the parts that told.
struct Taken {
    before: SmolStr,
    parts: Vec<look::SecretSpan>,
}

fn seal_by_value(scalar: &mut Scalar, form: Form, texts: Texts) -> Option<Taken> {
    let text = scalar.text.as_str();
    if text.len() < SHORTEST {
        return None;
    }
    let is_whole = form == Form::Encrypted && text.starts_with("ENC[")
        || texts == Texts::Values && is_secret_object(text);
    let parts = match is_whole {
        true => vec![look::SecretSpan {
            range: 0..text.len(),
            evidence: look::Evidence::Certain,
        }],
        false if texts == Texts::Patches => look::unnamed_parts(text),
        false => look::parts(text),
    };
    let shown = look::without(text, &parts)?;
    let before = scalar.text.clone();
    if shown == MARKER {
        *scalar = Scalar::string(MARKER)
    } else {
        scalar.text = shown.into()
    }
    Some(Taken { before, parts })
}

/// `${PW:=x}` is the shortest text that says something secret by itself.
const SHORTEST: usize = 8;

/// A text that is a Secret, as charts take objects to be created besides their own.
fn is_secret_object(text: &str) -> bool {
    let is_secret = |line: &str| {
        let kind = line.strip_prefix("kind:");
        kind.is_some_and(|kind| kind.trim().trim_matches(['"', '\'']) == "Secret")
    };
    let is_data = |line: &str| line.starts_with("stringData:") || line.starts_with("data:");
    // It has lines, which few texts have.
    base::bytes::any(text.as_bytes(), |byte| byte == b'\n')
        && text.contains("kind:")
        && text.lines().any(is_secret)
        && text.lines().any(is_data)
}

/// Seals everything in a document.
pub fn seal_whole(root: &mut Node) {
    seal_all(root);
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
mod tests;
