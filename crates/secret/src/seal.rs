//! Replaces secrets in a YAML document by [`MARKER`], by the names of their keys and by the look of their values.
//! Changes the document it is given and touches nothing else.

use smol_str::SmolStr;

use super::guess::is_guessable;
use super::harmless::{is_count, is_harmless, is_reference};
use super::name::{self, is_secret_name};
use super::{PlainSecret, address, container, look, plain};
use base::hash::HashSet;
use base::{MARKER, Place};
use yaml::{Entry, Map, Node, Scalar, Style, Value};

/// Replaces every secret in a document by [`MARKER`], and returns those that could be read.
pub fn seal(root: &mut Node) -> Vec<PlainSecret> {
    let kind = root.text_at(&["kind"]);
    let is_encrypted = root.get("sops").is_some() || kind == Some("SealedSecret");
    // The schema in a definition describes what secrets look like, and holds none.
    let is_schema = kind == Some("CustomResourceDefinition");
    let mut context = Context {
        form: match root.at(&["sops", "mac"]) {
            Some(_) => Form::Encrypted,
            None => Form::Plain,
        },
        found: Vec::new(),
        stated: plain::generated(root),
        is_object: root.get("kind").is_some(),
        texts: TextRole::Values,
        names: NameRole::Secrets,
    };
    walk(root, &mut context);
    if is_encrypted || is_schema {
        return Vec::new();
    }
    let mut plain = std::mem::take(&mut context.stated);
    if !context.found.is_empty() {
        let holder = plain::holder(root);
        let stated: HashSet<Place> = plain.iter().map(|one| one.place).collect();
        context.found.retain(|one| !stated.contains(&one.place));
        plain.extend(context.told(holder));
    }
    plain
}

/// Whether every value of a Secret is a marker.
pub fn is_sealed(root: &Node) -> bool {
    let entries = ["data", "stringData"].map(|key| root.entries_at(key));
    entries.iter().copied().flatten().all(|entry| {
        let scalar = entry.value.as_scalar();
        scalar.is_some_and(|scalar| {
            scalar.is_null() || scalar.text == MARKER || is_variable(&scalar.text)
        })
    })
}

/// Whether a text is one variable of Flux and nothing else: `${DB_PASSWORD}`.
fn is_variable(text: &str) -> bool {
    let name = text
        .strip_prefix("${")
        .and_then(|text| text.strip_suffix('}'));
    name.is_some_and(|name| {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        !name.is_empty() && name.bytes().all(is_part)
    })
}

/// The secrets that can be read in a tree that is not a Kubernetes object, by name and by look.
pub fn exposed(mut root: Node, holder: Option<SmolStr>) -> Vec<PlainSecret> {
    let mut context = Context {
        form: Form::Plain,
        found: Vec::new(),
        stated: Vec::new(),
        is_object: true,
        texts: TextRole::Values,
        names: NameRole::Secrets,
    };
    walk(&mut root, &mut context);
    context.told(holder)
}

/// Whether SOPS encrypted the document.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Plain,
    Encrypted,
}

/// A secret that could be read. Its value is looked at once more beside those of its mapping, and goes no further.
struct Readable {
    key: SmolStr,
    place: Place,
    value: SmolStr,
    is_guessable: bool,
}

pub struct Context {
    form: Form,
    /// Secrets that could be read.
    found: Vec<Readable>,
    /// Secrets that could be read in Secrets and their generators.
    stated: Vec<PlainSecret>,
    /// False in files of other kinds, where a name may mean anything.
    is_object: bool,
    texts: TextRole,
    names: NameRole,
}

/// What the values under names of secrets are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum NameRole {
    Secrets,
    /// Names of entries of a Secret, as below `secretKeys`.
    Entries,
}

/// How texts that contain whole objects are treated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TextRole {
    Values,
    /// They are parsed and sealed on their own.
    Patches,
}

fn walk(node: &mut Node, context: &mut Context) {
    let place = node.place;
    let signs = KeyFlags::from_node(node);
    if signs.kind && node.text_at(&["kind"]) == Some("Secret") {
        context.stated.extend(plain::stated(node));
        seal_object(node);
    }
    // The name of a generated object depends on its literals, so its reader needs them unsealed.
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
            let first = context.found.len();
            let names_a_key = signs.secret_key
                && (map.get("remoteRef").is_some() || map.get("sourceRef").is_some());
            for entry in &mut map.0 {
                seal_key(entry);
                let place = entry.value.place;
                let outer = (context.texts, context.enter(&entry.key));
                if entry.key.starts_with("patch")
                    || is_generator && entry.key == "literals"
                    || matches!(
                        entry.key.as_str(),
                        "generators" | "transformers" | "validators"
                    )
                {
                    context.texts = TextRole::Patches;
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
                        container::seal(&entry.key, &mut entry.value, context);
                        walk(&mut entry.value, context);
                    }
                }
                (context.texts, context.names) = outer;
            }
            context.compare(first, map);
        }
    }
}

/// The keys of a mapping that give meaning to others. Collected in one pass, because few mappings have any.
#[derive(Default)]
struct KeyFlags {
    kind: bool,
    name: bool,
    op: bool,
    secret_key: bool,
}

impl KeyFlags {
    fn from_node(node: &Node) -> KeyFlags {
        let mut signs = KeyFlags::default();
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

/// Seals keys that are tokens, as in mappings from a token to its purpose.
fn seal_key(entry: &mut Entry) {
    if entry.key.len() < LONG_KEY {
        return;
    }
    if let Some(shown) = look::without(&entry.key, &look::parts(&entry.key)) {
        entry.key = shown.into();
    }
}

/// Minimum length of a token.
const LONG_KEY: usize = 20;

/// Seals values in lists of command-line words: `["--password", "hunter2"]`.
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

/// Seals all values of a Secret except the name and address of a cluster.
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

/// Seals the default or value of a declared parameter: `dbPassword:` with `default: …` or `value: …` below it.
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
    /// The secrets that could be read, without their values.
    fn told(self, holder: Option<SmolStr>) -> Vec<PlainSecret> {
        let name = holder.clone().unwrap_or_default();
        let found = self.found.into_iter().map(|one| PlainSecret {
            is_guessable: one.is_guessable || is_guessable(&one.value, &[&one.key, &name]),
            key: one.key,
            holder: holder.clone(),
            place: one.place,
        });
        found.collect()
    }

    /// Marks those secrets of a mapping that repeat other values of it, such as the name of the user.
    fn compare(&mut self, first: usize, map: &Map) {
        if self.found.len() == first {
            return;
        }
        let beside = map.0.iter().filter_map(|entry| entry.value.text());
        let beside: Vec<&str> = beside.filter(|text| *text != MARKER).take(32).collect();
        for one in &mut self.found[first..] {
            one.is_guessable |= is_guessable(&one.value, &beside);
        }
    }

    /// Notes what the values below a key are, and returns what those around it are.
    /// From here on, values under names of secrets are settings of a container that is called like one.
    pub fn enter_workload(&mut self) {
        self.names = NameRole::Entries;
    }

    pub fn enter(&mut self, key: &str) -> NameRole {
        let outer = self.names;
        if lists_names(key) {
            self.names = NameRole::Entries;
        }
        outer
    }

    pub fn leave(&mut self, outer: NameRole) {
        self.names = outer;
    }

    pub fn seal_named(&mut self, key: &str, scalar: &mut Scalar, place: Place) {
        let is_plain = self.form == Form::Plain
            && self.is_object
            && self.names == NameRole::Secrets
            && plain::is_password(key, &scalar.text);
        let value = scalar.text.clone();
        match seal_scalar(scalar, key) {
            Sealing::Sealed if is_plain => self.found.push(Readable {
                key: key.into(),
                place,
                value,
                is_guessable: false,
            }),
            Sealing::Sealed => {}
            // A value that its name does not make secret may still look secret.
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
        let style = scalar.style;
        let Some(taken) = seal_by_value(scalar, self.form, self.texts) else {
            return;
        };
        let is_told = self.form == Form::Plain && self.names == NameRole::Secrets;
        if !is_told || !plain::is_by_value(&taken.before, &taken.parts) {
            return;
        }
        let text = taken.before.as_str();
        for part in taken
            .parts
            .iter()
            .filter(|part| plain::is_usable(text, part))
        {
            let name = plain::name_before(text, part.range.start);
            let key = if key.is_empty() { "value" } else { key };
            let place = match style {
                Style::Block => plain::place_in(text, part.range.start, place),
                _ => place,
            };
            if self.found.last().is_none_or(|last| last.place != place) {
                self.found.push(Readable {
                    key: name.unwrap_or(key).into(),
                    place,
                    value: text.get(part.range.clone()).unwrap_or_default().into(),
                    is_guessable: false,
                });
            }
        }
    }
}

/// Whether what is below a key names secrets in some store, by their entries or ids.
pub fn lists_names(key: &str) -> bool {
    let mut endings = ["ecretKeys", "ecret_keys", "Ids", "_ids", "IDs"].iter();
    endings.any(|end| key.ends_with(end))
}

#[derive(PartialEq, Eq)]
pub enum Sealing {
    Sealed,
    Left,
}

/// Seals `- name: DB_PASSWORD` with `value: …`, as in containers and chart values, or with a value of another type, as
/// in parameters of a plugin, or with a default, as in parameters of a task.
fn seal_named_value(map: &mut Map, context: &mut Context) {
    let Some(name) = map
        .get("name")
        .and_then(Node::text)
        .filter(|name| is_secret_name(name))
    else {
        return;
    };
    let name = name.to_owned();
    for field in ["value", "string", "array", "map", "default", "defaultValue"] {
        if let Some(node) = map.get_mut(field) {
            container::seal_whole(&name, node, context);
        }
    }
}

/// Seals the value of a JSON patch operation: `{op: replace, path: /spec/values/adminPassword, value: …}`.
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
        container::seal_whole(name, value, context);
    }
}

pub fn seal_scalar(scalar: &mut Scalar, key: &str) -> Sealing {
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

/// A text that was sealed for its look, and the parts that look secret.
pub struct SealedText {
    before: SmolStr,
    parts: Vec<look::SecretSpan>,
}

pub fn seal_by_value(scalar: &mut Scalar, form: Form, texts: TextRole) -> Option<SealedText> {
    let text = scalar.text.as_str();
    if text.len() < SHORTEST {
        return None;
    }
    let is_whole = form == Form::Encrypted && text.starts_with("ENC[")
        || texts == TextRole::Values && is_secret_object(text);
    let parts = match is_whole {
        true => vec![look::SecretSpan {
            range: 0..text.len(),
            evidence: look::Evidence::Certain,
        }],
        false if texts == TextRole::Patches => look::unnamed_parts(text),
        false => look::parts(text),
    };
    let shown = look::without(text, &parts)?;
    let before = scalar.text.clone();
    if shown == MARKER {
        *scalar = Scalar::string(MARKER)
    } else {
        scalar.text = shown.into()
    }
    Some(SealedText { before, parts })
}

/// Length of `${PW:=x}`, the shortest text that is secret by itself.
const SHORTEST: usize = 8;

/// Whether a text is itself a Secret, as in charts that take extra objects as values.
fn is_secret_object(text: &str) -> bool {
    let is_secret = |line: &str| {
        let kind = line.strip_prefix("kind:");
        kind.is_some_and(|kind| kind.trim().trim_matches(['"', '\'']) == "Secret")
    };
    let is_data = |line: &str| line.starts_with("stringData:") || line.starts_with("data:");
    // As JSON, which `kubectl apply` keeps in an annotation.
    if text.starts_with('{') && text.contains("\"kind\"") && text.contains("ata\"") {
        let bare: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        return bare.contains("\"kind\":\"Secret\"")
            && (bare.contains("\"data\":{") || bare.contains("\"stringData\":{"));
    }
    // Most texts have one line: reject them first.
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
        // Null is not secret, and deletes a field in a patch. A variable tells that it is secret where it is set.
        Value::Scalar(scalar) if scalar.is_null() || is_variable(&scalar.text) => {}
        Value::Scalar(scalar) => *scalar = Scalar::string(MARKER),
        Value::Seq(items) => items.iter_mut().for_each(seal_all),
        Value::Map(map) => map
            .0
            .iter_mut()
            .for_each(|entry| seal_all(&mut entry.value)),
    }
}
