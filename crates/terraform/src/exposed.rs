//! Plain-text secrets in `*.tfvars` and `*.tf`: in values, defaults, locals and arguments. Returns places, never
//! values.

use std::collections::BTreeMap;

use smol_str::{SmolStr, format_smolstr};

use crate::module::{self, Form};
use crate::syntax::{Block, Body, Expr, ExprKind, TemplatePart};
use base::{FileId, Files, Place, RepoPath};
use secret::PlainSecret;
use yaml::{Map, Node, Value};

/// The plain-text secrets in the Terraform files of a tree.
pub fn plain_secrets(tree: &dyn Files) -> Vec<PlainSecret> {
    let mut files: Vec<FileId> = tree.below(&RepoPath::root());
    files.retain(|file| is_used(tree.path(*file)));
    let mut found = SecretCollector::default();
    for (_, body) in module::read_all(tree, files) {
        let Ok(body) = body else {
            continue;
        };
        for attribute in &body.attributes {
            found.named(&attribute.name, &attribute.value);
        }
        body.blocks.iter().for_each(|block| found.block(block));
    }
    found.0.into_values().collect()
}

/// Whether a file is in use, rather than a template or an example.
fn is_used(path: &RepoPath) -> bool {
    let name = path.file_name().to_ascii_lowercase();
    let models = ["example", "sample", "template"];
    match Form::from_path(path) {
        Some(Form::Values(_)) => !models.iter().any(|word| name.contains(word)),
        Some(Form::Configuration(_)) => !module::is_shown(path.parent().as_ref()),
        None => false,
    }
}

/// The secrets found, once per place.
#[derive(Default)]
struct SecretCollector(BTreeMap<Place, PlainSecret>);

impl SecretCollector {
    fn add(&mut self, all: Vec<PlainSecret>) {
        for one in all {
            self.0.entry(one.place).or_insert(one);
        }
    }

    fn block(&mut self, block: &Block) {
        let name = block.labels.last().cloned().unwrap_or_default();
        match block.kind.as_str() {
            "variable" => {
                let Some(default) = block.body.get("default") else {
                    return;
                };
                self.named(&name, default);
                if block.body.is_true("sensitive") {
                    self.stated(&name, default, None);
                }
            }
            "locals" => {
                for local in &block.body.attributes {
                    self.named(&local.name, &local.value);
                }
            }
            _ => self.arguments(block),
        }
    }

    /// Adds a value with a name that people chose.
    fn named(&mut self, name: &SmolStr, value: &Expr) {
        passwords(name, value, self);
        if let Some(node) = literal(value) {
            let mut map = Map::default();
            map.push(name.clone(), node);
            self.add(secret::exposed(tree(map, value.place), None));
        }
    }

    /// Adds a value that is declared sensitive, under a name that agrees.
    fn stated(&mut self, name: &str, value: &Expr, holder: Option<SmolStr>) {
        if let ExprKind::Text(text) = &value.kind
            && secret::is_secret_name(name)
            && secret::is_usable(text)
        {
            self.add(vec![PlainSecret {
                is_guessable: secret::is_guessable(text, &[name]),
                key: name.into(),
                holder,
                place: value.place,
            }]);
        }
    }

    fn arguments(&mut self, block: &Block) {
        let labels = block.labels.join(".");
        let holder = match (block.kind.as_str(), labels.is_empty()) {
            (_, true) => None,
            ("resource", false) => Some(SmolStr::from(labels)),
            (kind, false) => Some(format_smolstr!("{kind}.{labels}")),
        };
        let body = &block.body;
        let kind = block.labels.first().map(SmolStr::as_str);
        match (block.kind.as_str(), kind) {
            ("resource", Some("kubernetes_secret" | "kubernetes_secret_v1")) => {
                let data = body.get("data").and_then(literal);
                self.add(secret_of(block, data));
            }
            ("resource", Some("kubernetes_manifest")) => {
                let manifest = body.get("manifest").and_then(literal);
                let all = manifest.map(|mut node| secret::seal(&mut node));
                self.add(all.unwrap_or_default());
            }
            ("resource", Some("kubectl_manifest")) => {
                for mut node in body.get("yaml_body").map(documents).unwrap_or_default() {
                    self.add(secret::seal(&mut node));
                }
            }
            ("resource", Some("helm_release")) => {
                let values = body.get("values").map(|expr| &expr.kind);
                if let Some(ExprKind::List(items)) = values {
                    for node in items.iter().flat_map(documents) {
                        self.add(secret::exposed(node, holder.clone()));
                    }
                }
                self.sensitive(body, &holder);
            }
            _ => {}
        }
        self.add(secret::exposed(arguments(body, block.place), holder));
    }

    /// Adds the sensitive values of a release, in blocks or as a list of objects.
    fn sensitive(&mut self, body: &Body, holder: &Option<SmolStr>) {
        for set in body.blocks("set_sensitive") {
            if let (Some(name), Some(value)) = (set.body.text("name"), set.body.get("value")) {
                self.stated(name, value, holder.clone());
            }
        }
        let listed = body.get("set_sensitive").map(|expr| &expr.kind);
        let Some(ExprKind::List(items)) = listed else {
            return;
        };
        for item in items {
            let field = |name: &str| match &item.kind {
                ExprKind::Object(entries) => entries.iter().find_map(|(key, value)| {
                    matches!(&key.kind, ExprKind::Text(key) if key == name).then_some(value)
                }),
                _ => None,
            };
            if let (Some(name), Some(value)) = (field("name"), field("value"))
                && let ExprKind::Text(name) = &name.kind
            {
                self.stated(name, value, holder.clone());
            }
        }
    }
}

/// Adds plain values under names of passwords, including lists of them.
fn passwords(name: &SmolStr, value: &Expr, found: &mut SecretCollector) {
    match &value.kind {
        ExprKind::Text(text) if secret::is_plain_password(name, text) => {
            found.add(vec![PlainSecret {
                is_guessable: secret::is_guessable(text, &[name]),
                key: name.clone(),
                holder: None,
                place: value.place,
            }])
        }
        ExprKind::List(items) => items.iter().for_each(|item| passwords(name, item, found)),
        ExprKind::Object(entries) if !secret::lists_names(name) => {
            for (key, value) in entries {
                if let ExprKind::Text(name) = &key.kind {
                    passwords(name, value, found);
                }
            }
        }
        _ => {}
    }
}

/// The plain values of a Secret that a resource spells out, except those that are clearly public.
fn secret_of(block: &Block, data: Option<Node>) -> Vec<PlainSecret> {
    let place = block.place;
    let metadata = block.body.blocks("metadata").next();
    let name = metadata.and_then(|metadata| metadata.body.text("name"));
    let mut named = Map::default();
    let label = block.labels.last();
    let name = name.or(label).cloned().unwrap_or_default();
    named.push("name", Node::string(name, place));
    let mut map = Map::default();
    map.push("apiVersion", Node::string("v1", place));
    map.push("kind", Node::string("Secret", place));
    map.push("metadata", tree(named, place));
    data.into_iter()
        .for_each(|data| map.push("stringData", data));
    secret::seal(&mut tree(map, place))
}

/// The literal arguments of a block.
fn arguments(body: &Body, place: Place) -> Node {
    let mut map = Map::default();
    for attribute in &body.attributes {
        if let Some(node) = literal(&attribute.value) {
            map.push(attribute.name.clone(), node);
        }
    }
    for block in &body.blocks {
        map.push(block.kind.clone(), arguments(&block.body, block.place));
    }
    tree(map, place)
}

fn tree(map: Map, place: Place) -> Node {
    Node {
        value: Value::Map(map),
        place,
    }
}

/// The literal value of an expression. The parser limits the depth.
fn literal(expr: &Expr) -> Option<Node> {
    Some(match &expr.kind {
        ExprKind::Text(text) => Node::string(text.clone(), expr.place),
        ExprKind::List(items) => Node::seq(items.iter().filter_map(literal).collect(), expr.place),
        // The arguments of these functions are readable literals. Arguments of other functions may be names.
        ExprKind::Call(name, items) => match (name.as_str(), items.as_slice()) {
            (
                "yamlencode" | "jsonencode" | "base64encode" | "sensitive" | "nonsensitive"
                | "tostring" | "tomap",
                [one],
            ) => literal(one)?,
            ("merge", items) => Node::seq(items.iter().filter_map(literal).collect(), expr.place),
            _ => return None,
        },
        ExprKind::Object(entries) => {
            let mut map = Map::default();
            for (key, value) in entries {
                if let (ExprKind::Text(name), Some(node)) = (&key.kind, literal(value)) {
                    map.push(name.clone(), node);
                }
            }
            tree(map, expr.place)
        }
        _ => return None,
    })
}

/// The YAML documents in a text, with computed parts replaced by references.
fn documents(expr: &Expr) -> Vec<Node> {
    let text: SmolStr = match &expr.kind {
        ExprKind::Text(text) => text.clone(),
        ExprKind::Template(parts) => {
            let parts = parts.iter().map(|part| match part {
                TemplatePart::Text(text) => text.as_str(),
                _ => "${computed}",
            });
            parts.collect()
        }
        _ => return Vec::new(),
    };
    let parsed = yaml::parse_within(&Node::string(text, expr.place));
    let documents = parsed.documents.into_iter();
    documents.map(|document| document.root).collect()
}
