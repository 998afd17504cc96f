//! The deprecated `vars`: `$(NAME)` in some fields is replaced by a field of an object, read once all names are final.

use smol_str::SmolStr;

use super::field::{Create, any, visit};
use super::item::{BuildObject, effective_namespace};
use super::schema::is_cluster_scoped;
use super::table::{Extra, VARIABLES};
use crate::{ResourceId, Var};
use base::Finding;
use base::hash::{HashMap, HashSet};
use yaml::{Node, Scalar, ScalarKind, Value};

/// Binds the variables of a kustomization to its objects.
pub fn declare(
    items: &mut [BuildObject],
    known: &mut Vec<Var>,
    vars: &[Var],
    findings: &mut Vec<Finding>,
) {
    if vars.is_empty() {
        return;
    }
    let mut by_name: HashMap<SmolStr, Vec<usize>> = HashMap::default();
    for (index, item) in items.iter().enumerate() {
        let names: HashSet<&SmolStr> = item.identities().map(|id| &id.name).collect();
        for name in names {
            by_name.entry(name.clone()).or_default().push(index);
        }
    }
    for var in vars {
        let called = by_name.get(&var.object.name).map(Vec::as_slice);
        let found: Vec<usize> = called
            .unwrap_or_default()
            .iter()
            .copied()
            .filter(|index| {
                items[*index]
                    .identities()
                    .any(|id| is_meant(id, &var.object))
            })
            .collect();
        match found.as_slice() {
            [] => {}
            [index] => items[*index].vars.push(var.name.clone()),
            _ => findings.push(fault(var, "refers to an object that exists more than once")),
        }
    }
    inherit(known, vars, findings);
}

/// Adds variables; each may be declared once per build.
pub fn inherit(known: &mut Vec<Var>, vars: &[Var], findings: &mut Vec<Finding>) {
    let mut names: HashSet<SmolStr> = known.iter().map(|var| var.name.clone()).collect();
    for var in vars {
        if names.insert(var.name.clone()) {
            known.push(var.clone())
        } else {
            findings.push(fault(var, "is declared twice in one build"))
        }
    }
}

/// Replaces all variables by their values.
pub fn resolve(
    items: &mut [BuildObject],
    vars: &[Var],
    extra: &Extra,
    findings: &mut Vec<Finding>,
) {
    if vars.is_empty() {
        return;
    }
    let mut owners: HashMap<SmolStr, usize> = HashMap::default();
    for (index, item) in items.iter().enumerate() {
        for name in &item.vars {
            owners.entry(name.clone()).or_insert(index);
        }
    }
    let mut values: HashMap<SmolStr, Scalar> = HashMap::default();
    for var in vars {
        let owner = owners.get(&var.name).map(|index| &items[*index].node);
        let value = owner.and_then(|node| lookup(node, &var.field_path)?.as_scalar());
        match value {
            Some(value) => drop(values.insert(var.name.clone(), value.clone())),
            None => findings.push(fault(
                var,
                "refers to an object or field that this kustomization does not include",
            )),
        }
    }
    for item in items {
        let id = item.original().clone();
        let fields = VARIABLES.iter().chain(&extra.variables);
        for field in fields.filter(|field| field.applies_to(&id)) {
            if any(&item.node, &field.path, &mut lists_other_than_text) {
                findings.push(
                    Finding::error(
                        "var-list",
                        item.place,
                        format!(
                            "{} has a list with non-string values where `vars` may be used, so the kustomize \
                             build fails",
                            item.id
                        ),
                    )
                    .help("quote them, such as `\"8080\"`"),
                );
            }
            if any(&item.node, &field.path, &mut names_something) {
                visit(item.node_mut(), &field.path, Create::Never, &mut |node| {
                    replace(node, &values);
                });
                secret::seal(item.node_mut());
            }
        }
    }
}

fn fault(var: &Var, what: &str) -> Finding {
    Finding::error(
        "var-invalid",
        var.place,
        format!(
            "the variable `{}` {what}, so the kustomize build fails",
            var.name
        ),
    )
    .help("correct or remove the entry under `vars`")
}

/// Whether an identity matches; an unset namespace matches any.
fn is_meant(id: &ResourceId, object: &ResourceId) -> bool {
    let any_namespace = object.namespace.is_empty() && !is_cluster_scoped(object);
    id.kind == object.kind
        && id.group == object.group
        && id.version == object.version
        && id.name == object.name
        && (any_namespace || effective_namespace(id) == effective_namespace(object))
}

/// The node at a path such as `spec.ports[0].port`.
fn lookup<'a>(root: &'a Node, path: &str) -> Option<&'a Node> {
    let mut node = root;
    for segment in super::replace::segments(path) {
        let (key, indices) = match segment.find('[') {
            Some(at) => segment.split_at(at),
            None => (segment.as_str(), ""),
        };
        if !key.is_empty() {
            node = match key.parse::<usize>() {
                Ok(index) if node.as_seq().is_some() => node.items().get(index)?,
                _ => node.get(key)?,
            };
        }
        for index in indices.split(['[', ']']).filter(|index| !index.is_empty()) {
            node = match index.split_once('=') {
                Some((key, value)) => node
                    .items()
                    .iter()
                    .find(|item| item.text_at(&[key]) == Some(value))?,
                None => node.items().get(index.parse::<usize>().ok()?)?,
            };
        }
    }
    Some(node)
}

fn lists_other_than_text(node: &Node) -> bool {
    let is_text = |item: &Node| {
        let scalar = item.as_scalar();
        scalar.is_some_and(|scalar| matches!(scalar.kind(), ScalarKind::Str(_)))
    };
    !node.items().iter().all(is_text)
}

fn names_something(node: &Node) -> bool {
    let scalar = |node: &Node| {
        node.as_scalar()
            .is_some_and(|scalar| scalar.text.contains('$'))
    };
    scalar(node)
        || node.items().iter().any(scalar)
        || node.entries().iter().any(|entry| scalar(&entry.value))
}

fn replace(node: &mut Node, values: &HashMap<SmolStr, Scalar>) {
    match &mut node.value {
        Value::Scalar(scalar) => replace_scalar(scalar, values),
        Value::Seq(items) => {
            for item in items {
                if let Value::Scalar(scalar) = &mut item.value {
                    replace_scalar(scalar, values);
                }
            }
        }
        Value::Map(map) => {
            for entry in &mut map.0 {
                if let Value::Scalar(scalar) = &mut entry.value.value {
                    replace_scalar(scalar, values);
                }
            }
        }
    }
}

fn replace_scalar(scalar: &mut Scalar, values: &HashMap<SmolStr, Scalar>) {
    if !matches!(scalar.kind(), ScalarKind::Str(_)) || !scalar.text.contains('$') {
        return;
    }
    // A text that is only a variable takes over the type of its value.
    let whole = scalar
        .text
        .strip_prefix("$(")
        .and_then(|rest| rest.strip_suffix(')'))
        .and_then(|name| values.get(name));
    *scalar = match whole {
        Some(value) => value.clone(),
        None => Scalar::string(expand(&scalar.text, values)),
    };
    scalar.shared = None;
}

/// Replaces `$(NAME)` if the variable exists, and `$$` by a dollar sign.
fn expand(text: &str, values: &HashMap<SmolStr, Scalar>) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        result.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('$') {
            result.push('$');
            rest = after;
        } else if let Some((name, after)) = rest.strip_prefix('(').and_then(|r| r.split_once(')')) {
            match values.get(name) {
                Some(value) => result.push_str(&value.text),
                None => {
                    result.push_str("$(");
                    result.push_str(name);
                    result.push(')');
                }
            }
            rest = after;
        } else {
            result.push('$');
        }
    }
    result.push_str(rest);
    result
}
