//! Values set by path, as Helm's `--set` parses them: `a.b[1].c`, with numbers and booleans recognised, and lists in
//! braces.

use std::sync::Arc;

use base::Place;
use yaml::Node;

/// Maximum depth of a path, as in Helm.
const MAX_DEPTH: usize = 30;
/// Maximum number of nulls that one path adds to lists, in total.
const MAX_GAP: usize = 100;

/// All parameters as one values document, merged over `before`; and whether every parameter was understood.
pub fn document(parameters: &[Node], before: &[Arc<Node>]) -> (Option<Node>, Completeness) {
    let assigned = parameters.iter().filter_map(|parameter| {
        let name = parameter.text_at(&["name"])?;
        Some((name, parameter.place, value(parameter)))
    });
    assign(assigned, before)
}

/// Texts set by path, as `--set-file` does with the content of files: they are taken as they are. Each has the place that
/// names its file.
pub fn texts(
    texts: &[(&str, String, Place)],
    before: &[Arc<Node>],
) -> (Option<Node>, Completeness) {
    let assigned = texts
        .iter()
        .map(|(name, text, place)| (*name, *place, Some(Node::string(text.as_str(), *place))));
    assign(assigned, before)
}

/// Sets values by path. Those that are invalid are left out.
fn assign<'a>(
    assigned: impl Iterator<Item = (&'a str, Place, Option<Node>)>,
    before: &[Arc<Node>],
) -> (Option<Node>, Completeness) {
    let mut document = None;
    let mut completeness = Completeness::Whole;
    for (name, place, value) in assigned {
        let whole = document.get_or_insert_with(|| Node::map(place));
        if value
            .and_then(|value| set(whole, name, value, before))
            .is_none()
        {
            completeness = Completeness::Partial;
        }
    }
    (document, completeness)
}

/// Whether every parameter was understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    Whole,
    Partial,
}

/// A step of a path.
#[derive(Debug, PartialEq)]
pub enum PathStep {
    Key(String),
    Index(usize),
}

fn set(document: &mut Node, name: &str, value: Node, before: &[Arc<Node>]) -> Option<()> {
    let path = path(name)?;
    let keys = leading_keys(&path);
    let (leading, rest) = path.split_at(keys.len());
    // An index refers to the list given before; the defaults of the chart do not count.
    if !rest.is_empty() && document.at(&keys).is_none() {
        let list = existing_value(before, &keys).filter(|node| node.as_seq().is_some());
        let list = list
            .cloned()
            .unwrap_or_else(|| Node::seq(Vec::new(), value.place));
        put(document, leading, list)?;
    }
    put(document, &path, value)
}

/// The value that the documents give for a path of keys; the last one wins.
fn existing_value<'n>(documents: &'n [Arc<Node>], keys: &[&str]) -> Option<&'n Node> {
    'documents: for document in documents.iter().rev() {
        let mut node = &**document;
        for key in keys {
            match (node.get(key), node.as_map()) {
                (Some(inner), _) => node = inner,
                (None, Some(_)) => continue 'documents,
                (None, None) => return None,
            }
        }
        return Some(node);
    }
    None
}

/// The keys at the start of a path.
pub fn leading_keys(path: &[PathStep]) -> Vec<&str> {
    let keys = path.iter().map_while(|step| match step {
        PathStep::Key(key) => Some(key.as_str()),
        PathStep::Index(_) => None,
    });
    keys.collect()
}

/// Sets a value at a path; `None` if the path is invalid.
pub fn put(node: &mut Node, path: &[PathStep], value: Node) -> Option<()> {
    put_within(node, path, value, MAX_GAP)
}

fn put_within(node: &mut Node, path: &[PathStep], value: Node, most: usize) -> Option<()> {
    let place = value.place;
    match path.split_first() {
        None => *node = value,
        Some((PathStep::Key(key), rest)) => {
            if node.as_map().is_none() {
                *node = Node::map(place);
            }
            let inner = node
                .as_map_mut()?
                .get_or_insert(key, || Node::plain("null", place));
            put_within(inner, rest, value, most)?;
        }
        Some((PathStep::Index(at), rest)) => {
            if node.as_seq().is_none() {
                *node = Node::seq(Vec::new(), place);
            }
            let items = node.as_seq_mut()?;
            let gap = at.saturating_sub(items.len());
            let most = most.checked_sub(gap)?;
            while items.len() <= *at {
                items.push(Node::plain("null", place));
            }
            put_within(&mut items[*at], rest, value, most)?;
        }
    }
    Some(())
}

/// Parses `a.b[1]`; a backslash escapes the next character.
pub fn path(name: &str) -> Option<Vec<PathStep>> {
    let mut path = Vec::new();
    let mut key = String::new();
    let mut is_after_index = false;
    let mut characters = name.chars();
    while let Some(c) = characters.next() {
        match c {
            // These begin another assignment.
            ',' | '=' => return None,
            '.' | '[' if key.is_empty() && !is_after_index => return None,
            '.' | '[' => {
                if !is_after_index {
                    path.push(PathStep::Key(std::mem::take(&mut key)));
                }
                is_after_index = c == '[';
                if is_after_index {
                    let (index, rest) = characters.as_str().split_once(']')?;
                    path.push(PathStep::Index(index.parse().ok()?));
                    characters = rest.chars();
                }
            }
            _ if is_after_index => return None,
            '\\' => key.push(characters.next()?),
            c => key.push(c),
        }
    }
    match (key.is_empty(), is_after_index) {
        (true, true) => {}
        (false, false) => path.push(PathStep::Key(key)),
        _ => return None,
    }
    (path.len() <= MAX_DEPTH).then_some(path)
}

fn value(parameter: &Node) -> Option<Node> {
    let stated = parameter.get("value");
    let place = stated.unwrap_or(parameter).place;
    let text = match stated {
        Some(stated) => stated.as_scalar()?.text.as_str(),
        None => "",
    };
    let is_forced = parameter.get("forceString").and_then(Node::as_bool) == Some(true);
    let kind = if is_forced { Typing::Text } else { Typing::Any };
    read(text, kind, place)
}

/// Parses a value; `None` if it is invalid.
pub fn read(text: &str, kind: Typing, place: Place) -> Option<Node> {
    let Some(inside) = text.strip_prefix('{') else {
        return Some(typed(&plain(text), kind, place));
    };
    // A list must be closed.
    let items = parts(inside.strip_suffix('}')?);
    let items = items.iter().map(|item| typed(item, kind, place));
    Some(Node::seq(items.collect(), place))
}

/// How values are typed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Typing {
    Text,
    Any,
}

fn typed(text: &str, kind: Typing, place: Place) -> Node {
    let lower = text.to_ascii_lowercase();
    let number = text.parse::<i64>().ok();
    // A leading zero makes it a string, unless it is zero itself.
    let number = number.filter(|_| text == "0" || !text.starts_with('0'));
    match (kind, lower.as_str(), number) {
        (Typing::Any, "true" | "false" | "null", _) => Node::plain(lower, place),
        (Typing::Any, _, Some(number)) => Node::plain(number.to_string(), place),
        _ => Node::string(text, place),
    }
}

/// Removes the backslashes of escapes.
fn plain(text: &str) -> String {
    let mut characters = text.chars();
    let mut plain = String::new();
    while let Some(c) = characters.next() {
        match c {
            '\\' => plain.extend(characters.next()),
            c => plain.push(c),
        }
    }
    plain
}

/// Splits a list at its commas, and removes the backslashes of escapes.
fn parts(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        let last = parts.last_mut().expect("there is one from the start");
        match c {
            '\\' => last.extend(characters.next()),
            ',' => parts.push(String::new()),
            c => last.push(c),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Data;
    use base::FileId;

    fn tree(text: &str) -> Node {
        let mut parsed = yaml::parse(text, FileId(0));
        parsed.documents.remove(0).root
    }

    fn set(parameters: &str, before: &[&str]) -> (Data, Completeness) {
        let before: Vec<Arc<Node>> = before.iter().map(|text| Arc::new(tree(text))).collect();
        let (document, completeness) = document(tree(parameters).items(), &before);
        (Data::from_node(&document.unwrap()), completeness)
    }

    #[test]
    fn parameters_are_read_as_helm_reads_them() {
        let cases = [
            ("[{name: a.b, value: 'false'}]", "a: {b: false}"),
            (
                "[{name: a, value: '3'}, {name: b, value: '03'}]",
                "{a: 3, b: '03'}",
            ),
            (
                "[{name: a, value: 'TRUE'}, {name: b, value: 'null'}]",
                "{a: true, b: ~}",
            ),
            (
                "[{name: a, value: 'false', forceString: true}]",
                "a: 'false'",
            ),
            ("[{name: a, value: '1.5'}, {name: b}]", "{a: '1.5', b: ''}"),
            ("[{name: 'a\\.b/c', value: x}]", "a.b/c: x"),
            (
                "[{name: a, value: '{x,1,\"y\\,z\"}'}]",
                "a: [x, 1, '\"y,z\"']",
            ),
            ("[{name: a, value: 'x,y\\,z'}]", "a: 'x,y,z'"),
            ("[{name: 'a[1].b', value: x}]", "a: [~, {b: x}]"),
            (
                "[{name: 'a[0][1]', value: '2'}, {name: 'a[0][0]', value: '1'}]",
                "a: [[1, 2]]",
            ),
            (
                "[{name: a.b, value: x}, {name: a.c, value: y}]",
                "a: {b: x, c: 'y'}",
            ),
        ];
        for (parameters, expected) in cases {
            let expected = (Data::from_node(&tree(expected)), Completeness::Whole);
            assert_eq!(set(parameters, &[]), expected, "{parameters}");
        }
    }

    #[test]
    fn texts_of_files_are_taken_as_they_are() {
        let place = Place::default();
        let given = [
            ("a.b", "{x,1}\n".to_owned(), place),
            ("c", "007".to_owned(), place),
        ];
        let (document, completeness) = texts(&given, &[]);
        let expected = Data::from_node(&tree("{a: {b: \"{x,1}\\n\"}, c: '007'}"));
        assert_eq!(Data::from_node(&document.unwrap()), expected);
        assert_eq!(completeness, Completeness::Whole);
        let invalid = [("a[", String::new(), place)];
        assert_eq!(texts(&invalid, &[]).1, Completeness::Partial);
    }

    #[test]
    fn an_element_is_one_of_the_list_that_was_given_before() {
        let first = "apps: [{name: a, on: true}, {name: b, on: true}]\nother: [1]";
        let parameters = "[{name: 'apps[1].on', value: 'false'}, {name: 'apps[2].name', value: c}]";
        let all = "apps: [{name: a, on: true}, {name: b, on: false}, {name: c}]";
        let expected = (Data::from_node(&tree(all)), Completeness::Whole);
        assert_eq!(set(parameters, &[first, "other: [2]"]), expected);
        let replaced = Data::from_node(&tree("apps: [~, {on: false}, {name: c}]"));
        assert_eq!(set(parameters, &[first, "apps: 1"]).0, replaced);
    }

    #[test]
    fn what_helm_refuses_or_nobody_means_is_left_out() {
        let names = [
            "a[x]",
            "a[9999999]",
            "a[1]b",
            "a,b",
            "a=b",
            ".a",
            "a.",
            "a[0",
        ];
        let mut names: Vec<String> = names.map(str::to_owned).into();
        names.push(["a"; 31].join("."));
        // Much that is nothing at each step would be far too much in the end.
        names.push(format!("a{}", "[40]".repeat(4)));
        for name in names {
            let parameters = format!("[{{name: '{name}', value: x}}, {{name: z, value: x}}]");
            let (value, completeness) = set(&parameters, &[]);
            assert_eq!(value.get("z"), Some(&Data::Text("x".into())), "{name}");
            assert_eq!(completeness, Completeness::Partial, "{name}");
        }
        assert_eq!(
            set("[{name: a, value: '{x'}]", &[]).1,
            Completeness::Partial
        );
    }
}
