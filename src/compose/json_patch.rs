//! JSON 6902: a list of operations on paths, all of which must succeed.

use crate::yaml::{Node, Value};

/// Applies the operations in order; the message says which one cannot be applied.
pub fn apply(target: &mut Node, operations: &[Node]) -> Result<(), String> {
    operations
        .iter()
        .try_for_each(|operation| apply_one(target, operation))
}

fn apply_one(target: &mut Node, operation: &Node) -> Result<(), String> {
    let field = |key: &str| {
        let scalar = operation.get(key).and_then(Node::as_scalar);
        scalar.map(|scalar| scalar.text.as_str())
    };
    let op = field("op").unwrap_or_default();
    let path = field("path").ok_or("an operation has no `path`")?;
    let pointer = pointer(path)?;
    let value = || {
        operation
            .get("value")
            .cloned()
            .unwrap_or_else(|| Node::plain("", operation.place))
    };
    let from = || {
        let from = field("from").ok_or_else(|| format!("`{op}` of `{path}` has no `from`"))?;
        self::pointer(from)
    };
    match op {
        "add" => add(target, &pointer, value(), path),
        "remove" => remove(target, &pointer, path).map(drop),
        "replace" => {
            let node = find(target, &pointer).ok_or_else(|| missing(path))?;
            *node = value();
            Ok(())
        }
        "move" => {
            let node = remove(target, &from()?, path)?;
            add(target, &pointer, node, path)
        }
        "copy" => {
            let node = find(target, &from()?).ok_or_else(|| missing(path))?.clone();
            add(target, &pointer, node, path)
        }
        "test" => match find(target, &pointer) {
            Some(node) if node.same(&value()) => Ok(()),
            _ => Err(format!("the test of `{path}` does not hold")),
        },
        other => Err(format!("`{other}` is not an operation")),
    }
}

fn pointer(path: &str) -> Result<Vec<String>, String> {
    if path.is_empty() {
        return Ok(Vec::new());
    }
    let rest = path
        .strip_prefix('/')
        .ok_or_else(|| format!("the path `{path}` does not begin with `/`"))?;
    let segments = rest.split('/');
    Ok(segments
        .map(|segment| segment.replace("~1", "/").replace("~0", "~"))
        .collect())
}

fn find<'a>(node: &'a mut Node, pointer: &[String]) -> Option<&'a mut Node> {
    pointer
        .iter()
        .try_fold(node, |node, segment| match &mut node.value {
            Value::Map(map) => map.get_mut(segment),
            Value::Seq(items) => {
                let index = index(segment, items.len())?;
                items.get_mut(index)
            }
            Value::Scalar(_) => None,
        })
}

/// A position in a list; negative ones count from its end, as kustomize takes them.
fn index(segment: &str, len: usize) -> Option<usize> {
    let index: i64 = segment.parse().ok()?;
    match index < 0 {
        true => len.checked_sub(usize::try_from(-index).ok()?),
        false => usize::try_from(index).ok(),
    }
}

fn add(target: &mut Node, pointer: &[String], value: Node, path: &str) -> Result<(), String> {
    let Some((last, parents)) = pointer.split_last() else {
        *target = value;
        return Ok(());
    };
    let parent = find(target, parents).ok_or_else(|| missing(path))?;
    match &mut parent.value {
        Value::Map(map) => map.set(last, value),
        Value::Seq(items) if last == "-" => items.push(value),
        Value::Seq(items) => {
            let at = index(last, items.len()).filter(|at| *at <= items.len());
            items.insert(at.ok_or_else(|| missing(path))?, value);
        }
        Value::Scalar(_) => return Err(missing(path)),
    }
    Ok(())
}

fn remove(target: &mut Node, pointer: &[String], path: &str) -> Result<Node, String> {
    let (last, parents) = pointer
        .split_last()
        .ok_or("the whole object cannot be removed")?;
    let parent = find(target, parents).ok_or_else(|| missing(path))?;
    let removed = match &mut parent.value {
        Value::Map(map) => map.remove(last),
        Value::Seq(items) => index(last, items.len())
            .filter(|at| *at < items.len())
            .map(|at| items.remove(at)),
        Value::Scalar(_) => None,
    };
    removed.ok_or_else(|| missing(path))
}

fn missing(path: &str) -> String {
    format!("the path `{path}` does not exist")
}
