//! Secrets that stand in files of values for everybody to read. Reads `*.tfvars`; the values go no further.

use smol_str::SmolStr;

use super::module::{self, Form};
use super::syntax::{Body, Expr, Kind};
use crate::diagnostic::Place;
use crate::fact::PlainSecret;
use crate::repo::Repo;
use crate::source::secret;
use crate::yaml::{Map, Node, Value};

pub fn plain_secrets(repo: &Repo) -> Vec<PlainSecret> {
    let files = repo.files().filter(|file| {
        let path = repo.path(*file);
        matches!(Form::of(path), Some(Form::Values(_))) && !is_model(path.file_name())
    });
    let mut found = Vec::new();
    for file in files {
        if let Ok(body) = module::read(repo, file) {
            for attribute in &body.attributes {
                passwords(&attribute.name, &attribute.value, &mut found);
            }
            // What is secret by the look of it, whatever its name.
            let others = secret::seal(&mut tree(&body, Place::start_of(file)));
            let known: Vec<Place> = found.iter().map(|secret| secret.place).collect();
            found.extend(others.into_iter().filter(|one| !known.contains(&one.place)));
        }
    }
    found
}

/// Plain values under names of passwords.
fn passwords(name: &SmolStr, value: &Expr, found: &mut Vec<PlainSecret>) {
    match &value.kind {
        Kind::Text(text) if secret::is_plain_password(name, text) => found.push(PlainSecret {
            key: name.clone(),
            holder: None,
            place: value.place,
        }),
        Kind::List(items) => items.iter().for_each(|item| passwords(name, item, found)),
        Kind::Object(entries) => {
            for (key, value) in entries {
                if let Kind::Text(name) = &key.kind {
                    passwords(name, value, found);
                }
            }
        }
        _ => {}
    }
}

/// Whether a file is there to be copied.
fn is_model(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["example", "sample", "template"]
        .iter()
        .any(|word| name.contains(word))
}

/// What a file states, without what is computed.
fn tree(body: &Body, place: Place) -> Node {
    let mut map = Map::default();
    for attribute in &body.attributes {
        if let Some(node) = literal(&attribute.value) {
            map.push(attribute.name.clone(), node);
        }
    }
    Node {
        value: Value::Map(map),
        place,
    }
}

/// The parser limits how deep these are.
fn literal(expr: &Expr) -> Option<Node> {
    Some(match &expr.kind {
        Kind::Text(text) => Node::string(text.clone(), expr.place),
        Kind::List(items) => Node::seq(items.iter().filter_map(literal).collect(), expr.place),
        Kind::Object(entries) => {
            let mut map = Map::default();
            for (key, value) in entries {
                if let (Kind::Text(name), Some(node)) = (&key.kind, literal(value)) {
                    map.push(name.clone(), node);
                }
            }
            Node {
                value: Value::Map(map),
                place: expr.place,
            }
        }
        _ => return None,
    })
}
