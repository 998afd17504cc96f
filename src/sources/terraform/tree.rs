//! Objects of this reader's own making, as trees: what is found in files goes through composition in the same form as
//! what other tools write.

use smol_str::SmolStr;

use crate::facts::{Input, MARKER};
use crate::facts::{Interface, Output, UnitId};
use base::Place;
use yaml::{Map, Node, Value};

pub const GROUP: &str = "terraform";

/// An object with a specification.
pub fn object(kind: &str, name: &str, spec: Spec, place: Place) -> Node {
    let mut metadata = Map::default();
    metadata.push("name", Node::string(name, place));
    let mut root = Map::default();
    root.push("apiVersion", Node::string(format!("{GROUP}/v1"), place));
    root.push("kind", Node::string(kind, place));
    root.push("metadata", map(metadata, place));
    root.push("spec", map(spec.0, place));
    map(root, place)
}

pub fn map(map: Map, place: Place) -> Node {
    Node {
        value: Value::Map(map),
        place,
    }
}

/// Fields that an object states about itself.
#[derive(Debug, Default)]
pub struct Spec(pub Map);

impl Spec {
    pub fn node(&mut self, key: &str, node: Node) {
        self.0.push(key, node);
    }

    pub fn nodes(&mut self, key: &str, nodes: Vec<Node>, place: Place) {
        if !nodes.is_empty() {
            self.0.push(key, Node::seq(nodes, place));
        }
    }

    pub fn text(&mut self, key: &str, text: impl Into<SmolStr>, place: Place) {
        // An address may have a password in it.
        let text = text.into();
        let text = secret::shown("", &text).unwrap_or(text);
        self.0.push(key, Node::string(text, place));
    }

    pub fn some(&mut self, key: &str, text: Option<impl Into<SmolStr>>, place: Place) {
        if let Some(text) = text {
            self.text(key, text, place);
        }
    }

    pub fn mark(&mut self, key: &str, place: Place) {
        self.0.push(key, Node::plain("true", place));
    }

    pub fn mark_if(&mut self, key: &str, holds: Option<()>, place: Place) {
        if holds.is_some() {
            self.mark(key, place);
        }
    }

    /// The identity of the unit that the object declares.
    pub fn unit(&mut self, id: &UnitId, place: Place) {
        self.text("scope", id.namespace.clone(), place);
        self.text("unit", id.name.clone(), place);
    }
}

pub fn is_marked(spec: &Node, key: &str) -> bool {
    spec.get(key)
        .is_some_and(|node| node.as_bool() == Some(true))
}

/// Inputs and outputs of a module, as a tree.
pub fn of_interface(interface: &Interface, place: Place) -> Node {
    let inputs = interface.inputs.iter().map(|input| {
        let mut spec = Spec::default();
        spec.text("name", input.name.clone(), input.place);
        spec.some("kind", input.kind.clone(), input.place);
        spec.some("description", input.description.clone(), input.place);
        spec.some("default", input.default.clone(), input.place);
        spec.mark_if("required", input.is_required.then_some(()), input.place);
        spec.mark_if("secret", input.is_secret.then_some(()), input.place);
        map(spec.0, input.place)
    });
    let outputs = interface.outputs.iter().map(|output| {
        let mut spec = Spec::default();
        spec.text("name", output.name.clone(), output.place);
        spec.some("description", output.description.clone(), output.place);
        spec.mark_if("secret", output.is_secret.then_some(()), output.place);
        map(spec.0, output.place)
    });
    let mut spec = Spec::default();
    spec.nodes("inputs", inputs.collect(), place);
    spec.nodes("outputs", outputs.collect(), place);
    map(spec.0, place)
}

pub fn interface(node: &Node) -> Interface {
    let text = |node: &Node, key: &str| node.text_at(&[key]).map(SmolStr::from);
    let inputs = node.items_at("inputs").iter().map(|input| Input {
        name: text(input, "name").unwrap_or_default(),
        kind: text(input, "kind"),
        description: text(input, "description"),
        default: text(input, "default").filter(|default| !default.contains(MARKER)),
        is_required: is_marked(input, "required"),
        is_secret: is_marked(input, "secret"),
        place: input.place,
    });
    let outputs = node.items_at("outputs").iter().map(|output| Output {
        name: text(output, "name").unwrap_or_default(),
        description: text(output, "description"),
        is_secret: is_marked(output, "secret"),
        place: output.place,
    });
    Interface {
        inputs: inputs.collect(),
        outputs: outputs.collect(),
    }
}
