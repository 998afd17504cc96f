//! The JSON syntax: `*.tf.json` and `*.tfvars.json`. Only a provider's schema tells blocks from maps, so the blocks
//! that matter here are listed by name. Parsed as YAML.

use smol_str::SmolStr;

use super::native::text_kind;
use super::{Attribute, Block, Body, Expr, ExprKind};
use base::{FileId, Finding, Place};
use yaml::{Entry, Node, ScalarKind, Value};

/// Parses a configuration file.
pub fn parse(text: &str, file: FileId) -> Result<Body, Finding> {
    let root = document(text, file)?;
    let mut body = Body::default();
    for entry in stated(&root) {
        let labels = match entry.key.as_str() {
            "resource" | "data" => 2,
            "variable" | "output" | "module" | "provider" => 1,
            _ => 0,
        };
        blocks(entry, labels, BlockContext::File, &mut body.blocks);
    }
    Ok(body)
}

/// Parses a `.tfvars.json` file, which has no expressions.
pub fn parse_values(text: &str, file: FileId) -> Result<Body, Finding> {
    let root = document(text, file)?;
    let attributes = stated(&root).map(|entry| Attribute {
        name: entry.key.clone(),
        value: expr(&entry.value, StringSyntax::AsTheyAre),
        written: None,
    });
    Ok(Body {
        attributes: attributes.collect(),
        blocks: Vec::new(),
    })
}

fn document(text: &str, file: FileId) -> Result<Node, Finding> {
    super::refuse_long(text, file)?;
    let parsed = yaml::parse(text, file);
    let root = parsed.documents.into_iter().next();
    if let Some(root) = root.filter(|document| document.root.as_map().is_some()) {
        return Ok(root.root);
    }
    let first = parsed.findings.into_iter().next();
    let (place, why) = match first {
        Some(finding) => (finding.place, finding.message),
        None => (Place::start_of(file), "it contains no object".to_owned()),
    };
    let message = format!("this is not valid Terraform JSON: {why}");
    Err(Finding::error("terraform-invalid", place, message)
        .help("run `terraform validate` in its directory for details"))
}

/// Entries, without comments.
fn stated(node: &Node) -> impl Iterator<Item = &Entry> {
    node.entries().iter().filter(|entry| entry.key != "//")
}

/// The blocks under a key: one object, or a list of them.
fn blocks(entry: &Entry, labels: usize, within: BlockContext, found: &mut Vec<Block>) {
    let kind = entry.key.clone();
    let mut open: Vec<(Vec<SmolStr>, Place, &Node)> =
        vec![(Vec::new(), entry.key_place, &entry.value)];
    for _ in 0..labels {
        let nested = open.into_iter().flat_map(|(labels, _, node)| {
            let named = each(node).iter().flat_map(stated);
            named.map(move |entry| {
                let mut labels = labels.clone();
                labels.push(entry.key.clone());
                (labels, entry.key_place, &entry.value)
            })
        });
        open = nested.collect();
    }
    for (labels, place, node) in open {
        for node in each(node).iter().filter(|node| node.as_map().is_some()) {
            found.push(Block {
                body: body(node, within.block(&kind, &labels)),
                kind: kind.clone(),
                labels: labels.clone(),
                place,
            });
        }
    }
}

/// An object as a list of one.
fn each(node: &Node) -> &[Node] {
    match &node.value {
        Value::Seq(items) => items,
        _ => std::slice::from_ref(node),
    }
}

/// The surrounding block, which determines what is a nested block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockContext {
    File,
    Variable,
    Terraform,
    Release,
    /// A resource that spells out a Kubernetes object.
    Object,
    Other,
}

impl BlockContext {
    /// The context inside a block.
    fn block(self, kind: &str, labels: &[SmolStr]) -> BlockContext {
        let first = labels.first().map(SmolStr::as_str).unwrap_or_default();
        match (self, kind, first) {
            (BlockContext::Object, _, _) => BlockContext::Object,
            (BlockContext::File, "variable", _) => BlockContext::Variable,
            (BlockContext::File, "terraform", _) => BlockContext::Terraform,
            (BlockContext::File, "resource", "helm_release") => BlockContext::Release,
            (BlockContext::File, "resource", "kubernetes_manifest") => BlockContext::Other,
            (BlockContext::File, "resource", kind) if kind.starts_with("kubernetes_") => {
                BlockContext::Object
            }
            _ => BlockContext::Other,
        }
    }

    /// The number of labels of the blocks under a key; `None` if it is a value.
    fn labels(self, entry: &Entry) -> Option<usize> {
        let is_block = |name: &str| match self {
            BlockContext::Terraform => matches!(name, "required_providers" | "cloud"),
            BlockContext::Release => matches!(name, "set" | "set_list" | "set_sensitive"),
            // The selector of a Service is a map of labels, any other a block.
            BlockContext::Object if name == "selector" => entry.value.get("match_labels").is_some(),
            BlockContext::Object => !MAPS.contains(&name) && is_nested(&entry.value),
            BlockContext::File | BlockContext::Variable | BlockContext::Other => false,
        };
        match entry.key.as_str() {
            "backend" if self == BlockContext::Terraform => Some(1),
            "dynamic" if self != BlockContext::Variable => Some(1),
            name => is_block(name).then_some(0),
        }
    }
}

/// Maps in Kubernetes objects with arbitrary keys.
const MAPS: &[&str] = &[
    "labels",
    "annotations",
    "match_labels",
    "data",
    "binary_data",
    "node_selector",
    "limits",
    "requests",
    "hard",
    "default",
    "default_request",
    "parameters",
    "options",
    "volume_attributes",
];

/// Whether a node is an object, or a list of objects.
fn is_nested(node: &Node) -> bool {
    let is_block = |node: &Node| node.as_map().is_some();
    !each(node).is_empty() && each(node).iter().all(is_block)
}

fn body(node: &Node, within: BlockContext) -> Body {
    let mut body = Body::default();
    for entry in stated(node) {
        match within.labels(entry) {
            Some(labels) => blocks(entry, labels, within, &mut body.blocks),
            None => body.attributes.push(attribute(entry, within)),
        }
    }
    body
}

fn attribute(entry: &Entry, within: BlockContext) -> Attribute {
    let texts = match (within, entry.key.as_str()) {
        (_, "depends_on") => StringSyntax::AreExpressions,
        (BlockContext::Variable, _) => StringSyntax::AsTheyAre,
        _ => StringSyntax::MayCompute,
    };
    let is_kept = matches!(entry.key.as_str(), "type" | "version");
    let written = entry.value.text().filter(|_| is_kept).map(|text| {
        let inner = text
            .strip_prefix("${")
            .and_then(|rest| rest.strip_suffix('}'));
        super::written(inner.unwrap_or(text))
    });
    Attribute {
        name: entry.key.clone(),
        value: expr(&entry.value, texts),
        written,
    }
}

#[derive(Clone, Copy)]
enum StringSyntax {
    AsTheyAre,
    /// They are templates.
    MayCompute,
    /// They are expressions without `${}`.
    AreExpressions,
}

/// The parser limits how deep these are.
fn expr(node: &Node, texts: StringSyntax) -> Expr {
    let kind = match &node.value {
        Value::Seq(items) => ExprKind::List(items.iter().map(|item| expr(item, texts)).collect()),
        Value::Map(map) => {
            let entries = map.0.iter().map(|entry| {
                let key = Node::string(entry.key.clone(), entry.key_place);
                (expr(&key, texts), expr(&entry.value, texts))
            });
            ExprKind::Object(entries.collect())
        }
        Value::Scalar(scalar) => match (scalar.kind(), texts) {
            (ScalarKind::Null, _) => ExprKind::Null,
            (ScalarKind::Bool(value), _) => ExprKind::Bool(value),
            (ScalarKind::Int(value), _) => ExprKind::Number(value as f64),
            (ScalarKind::Float(value), _) => ExprKind::Number(value),
            (ScalarKind::Str(text), StringSyntax::AsTheyAre) => ExprKind::Text(text.into()),
            (ScalarKind::Str(text), StringSyntax::MayCompute) => text_kind(text, node.place),
            (ScalarKind::Str(text), StringSyntax::AreExpressions) => {
                if text.contains("${") {
                    text_kind(text, node.place)
                } else {
                    text_kind(&format!("${{{text}}}"), node.place)
                }
            }
        },
    };
    Expr {
        kind,
        place: node.place,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_both_forms_are_the_same() {
        let text = r#"{
  "//": "made by a script",
  "locals": [{"a": 1}, {"b": "x-${local.a}"}],
  "variable": {"size": {"type": "${list(string)}", "default": ["${no}"]}},
  "resource": {
    "helm_release": {
      "web": [{"depends_on": ["module.base"], "set": {"name": "a.b", "value": "c"}}]
    },
    "kubernetes_service": {
      "web": {"metadata": {"name": "web", "labels": {"a": "b"}}, "spec": {"selector": {"a": "b"}, "port": [{"port": 1}, {"port": 2}]}}
    }
  },
  "terraform": {"backend": {"s3": {"bucket": "state"}}, "required_providers": {"helm": {"version": "3"}}}
}"#;
        let body = parse(text, FileId(0)).unwrap();
        let told: Vec<String> = body.blocks.iter().map(tell).collect();
        assert_eq!(
            told,
            [
                "locals(a)",
                "locals(b)",
                "variable size(type default)",
                "resource helm_release web(depends_on set(name value))",
                "resource kubernetes_service web(metadata(name labels) spec(selector port(port) port(port)))",
                "terraform(backend s3(bucket) required_providers(helm))",
            ]
        );
        let size = &body.blocks[2].body;
        assert_eq!(
            size.written("type").map(SmolStr::as_str),
            Some("list(string)")
        );
        let ExprKind::List(items) = &size.get("default").unwrap().kind else {
            panic!()
        };
        assert!(matches!(&items[0].kind, ExprKind::Text(text) if text == "${no}"));
        let ExprKind::List(waits) = &body.blocks[3].body.get("depends_on").unwrap().kind else {
            panic!()
        };
        assert!(matches!(&waits[0].kind, ExprKind::Template(_)));
        assert_eq!((waits[0].place.line, body.blocks[3].place.line), (7, 7));
    }

    fn tell(block: &Block) -> String {
        let names = block.body.attributes.iter().map(|one| one.name.to_string());
        let inner: Vec<String> = names.chain(block.body.blocks.iter().map(tell)).collect();
        let kind: Vec<&str> = std::iter::once(&block.kind)
            .chain(&block.labels)
            .map(SmolStr::as_str)
            .collect();
        format!("{}({})", kind.join(" "), inner.join(" "))
    }

    #[test]
    fn what_is_no_configuration_costs_one_finding_and_odd_shapes_cost_nothing() {
        let deep = format!("{}1{}", "{\"a\":".repeat(20_000), "}".repeat(20_000));
        let lists = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
        let long = format!("{{\"a\": \"{}\"}}", "a".repeat(3 << 20));
        for text in ["", "[]", "7", "{\"a\": ", &deep, &lists, &long] {
            let finding = parse(text, FileId(0)).unwrap_err();
            assert_eq!(finding.rule, "terraform-invalid");
        }
        let odd = [
            "{\"resource\": 7, \"variable\": [[]], \"module\": {\"a\": null}, \"locals\": \"x\"}",
            "{\"resource\": {\"a\": [{\"b\": 1}, 2]}, \"output\": {\"c\": {\"value\": \"${\"}}}",
        ];
        for text in odd {
            assert!(parse(text, FileId(0)).is_ok(), "{text}");
        }
    }
}
