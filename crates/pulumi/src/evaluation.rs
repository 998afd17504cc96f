//! The result of an evaluation, for callers: resources, outputs, parameters, and access to values.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::evaluator::Evaluator;
use super::load::{Loader, ROOT, Resolved};
use super::project::{Project, Stack};
use super::resource::Resource;
use super::value::{ProgramValue, ValueKind, number};
use base::{FileId, Finding, MARKER, Place, RepoPath};
use yaml::{Map, Node, Scalar, Value};

/// Maximum number of nodes in all YAML trees of an evaluation.
const MAX_NODES: usize = 400_000;
/// Maximum depth of a YAML tree.
const MAX_DEPTH: usize = 64;

/// The evaluation of a program for one stack.
pub struct Evaluation<'r, 'p> {
    evaluator: Evaluator<'r, 'p>,
    entry: FileId,
    outputs: Vec<ProgramOutput>,
    /// Number of nodes in YAML trees so far.
    nodes: usize,
}

/// A parameter that the program reads from its configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The name without the project.
    pub name: SmolStr,
    pub kind: &'static str,
    pub default: Option<SmolStr>,
    pub is_required: bool,
    pub is_secret: bool,
    pub place: Place,
}

/// A value that the program exports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramOutput {
    pub name: SmolStr,
    pub is_secret: bool,
    pub place: Place,
}

/// Another project whose outputs the program uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StackReference {
    pub project: SmolStr,
    pub place: Place,
}

impl<'r, 'p> Evaluation<'r, 'p> {
    pub(crate) fn new(
        project: &'r Project<'r>,
        stack: &'r Stack,
        loader: &'r mut Loader<'p>,
        entry: FileId,
    ) -> Self {
        let mut evaluator = Evaluator::new(project, stack, loader);
        let outputs = outputs(&mut evaluator, stack, entry);
        Evaluation {
            evaluator,
            entry,
            outputs,
            nodes: 0,
        }
    }

    pub(crate) fn into_findings(self) -> BTreeMap<Place, Finding> {
        self.evaluator.reported
    }

    /// The file that the program starts with.
    pub fn entry(&self) -> FileId {
        self.entry
    }

    /// The resources in the order of their creation.
    pub fn resources(&self) -> &[Resource] {
        &self.evaluator.resources
    }

    /// The outputs, sorted by name.
    pub fn outputs(&self) -> &[ProgramOutput] {
        &self.outputs
    }

    /// The parameters that the program reads, each once, sorted by name.
    pub fn parameters(&self) -> Vec<Parameter> {
        let mut parameters: BTreeMap<SmolStr, Parameter> = BTreeMap::new();
        let prefix = format!("{}:", self.evaluator.project.name);
        for read in &self.evaluator.reads {
            let name = SmolStr::from(read.key.strip_prefix(&prefix).unwrap_or(&read.key));
            let parameter = parameters.entry(name.clone()).or_insert_with(|| Parameter {
                name,
                kind: read.kind,
                default: None,
                is_required: read.is_required,
                is_secret: read.is_secret,
                place: read.place,
            });
            parameter.is_secret |= read.is_secret;
            parameter.is_required |= read.is_required;
            if !parameter.is_secret && parameter.default.is_none() {
                parameter.default = read.default.clone();
            }
        }
        for parameter in parameters.values_mut().filter(|one| one.is_secret) {
            parameter.default = None;
        }
        parameters.into_values().collect()
    }

    /// The stacks of other projects that the program refers to.
    pub fn stack_references(&self) -> &[StackReference] {
        &self.evaluator.stack_references
    }

    /// The value under a key of an object.
    pub fn get(&self, object: &ProgramValue, key: &str) -> Option<&ProgramValue> {
        self.evaluator.heap.get(object, key)
    }

    /// The text at the end of a path of keys.
    pub fn text_at(&self, object: &ProgramValue, path: &[&str]) -> Option<SmolStr> {
        self.evaluator.heap.text_at(object, path)
    }

    /// A text, number or boolean as text, with `…` for each part that is unknown.
    pub fn partial_text(&self, value: &ProgramValue) -> Option<SmolStr> {
        self.evaluator.partial_text(value)
    }

    /// The elements of a list; any other value as the only element.
    pub fn elements(&self, value: &ProgramValue) -> Vec<ProgramValue> {
        match value.kind {
            ValueKind::Array(at) => self.evaluator.heap.arrays[at].clone(),
            _ => vec![value.clone()],
        }
    }

    /// The file whose text a value is.
    pub fn file_of(&self, value: &ProgramValue) -> Option<FileId> {
        match value.kind {
            ValueKind::Hole(at) => self.evaluator.heap.holes[at].file,
            _ => None,
        }
    }

    /// Whether a value, or a part of it, is unknown. Goes a few levels deep and assumes so beyond.
    pub fn has_unknown_part(&self, value: &ProgramValue) -> bool {
        self.has_hole(value, 0)
    }

    fn has_hole(&self, value: &ProgramValue, depth: usize) -> bool {
        if depth > MAX_DEPTH {
            return true;
        }
        let heap = &self.evaluator.heap;
        match value.kind {
            ValueKind::Hole(_) => true,
            ValueKind::Array(at) => {
                let mut items = heap.arrays[at].iter().take(1_000);
                items.any(|item| self.has_hole(item, depth + 8))
            }
            ValueKind::Object(at) => {
                let mut entries = heap.objects[at].iter().take(1_000);
                entries.any(|entry| self.has_hole(&entry.value, depth + 8))
            }
            _ => false,
        }
    }

    /// A value as a YAML tree, without its unknown parts; `None` if all of it is unknown or no data.
    pub fn to_yaml(&mut self, value: &ProgramValue) -> Option<Node> {
        self.tree(value, 0)
    }

    fn tree(&mut self, value: &ProgramValue, depth: usize) -> Option<Node> {
        self.nodes += 1;
        if self.nodes > MAX_NODES || depth > MAX_DEPTH {
            self.report(
                value.place,
                "this value is too large; part of it is skipped",
            );
            return None;
        }
        let place = value.place;
        let scalar = |scalar: Scalar| Node {
            value: Value::Scalar(scalar),
            place,
        };
        Some(match &value.kind {
            ValueKind::Null => scalar(Scalar::plain("null")),
            ValueKind::Bool(true) => scalar(Scalar::plain("true")),
            ValueKind::Bool(false) => scalar(Scalar::plain("false")),
            ValueKind::Number(value) => scalar(Scalar::plain(number(*value))),
            ValueKind::Text(text) => Node::string(text.clone(), place),
            ValueKind::Array(at) => {
                let items = self.evaluator.heap.arrays[*at].clone();
                let items = items.iter().filter_map(|item| self.tree(item, depth + 1));
                Node::seq(items.collect(), place)
            }
            ValueKind::Object(at) => {
                let entries = self.evaluator.heap.objects[*at].clone();
                let mut map = Map::default();
                for one in entries {
                    if let Some(value) = self.tree(&one.value, depth + 1) {
                        map.0.push(yaml::Entry {
                            key: one.key,
                            key_place: one.key_place,
                            value,
                        });
                    }
                }
                Node {
                    value: Value::Map(map),
                    place,
                }
            }
            ValueKind::Hole(at) => {
                let hole = &self.evaluator.heap.holes[*at];
                match (hole.is_secret, &hole.shape) {
                    (true, _) => Node::string(MARKER, place),
                    (false, Some(shape)) => Node::string(shape.clone(), place),
                    (false, None) => return None,
                }
            }
            _ => return None,
        })
    }

    /// The path in the repo that a text of the program denotes.
    pub fn repo_path(&self, text: &str) -> Option<RepoPath> {
        self.evaluator.repo_path(text)
    }

    /// Adds a file to those that the program reads.
    pub fn add_file(&mut self, file: FileId) {
        self.evaluator.loader.used.insert(file);
    }

    /// Reports what could not be evaluated. The first message for a place counts.
    pub fn report(&mut self, place: Place, message: impl Into<String>) {
        self.evaluator.report(place, message);
    }
}

/// Whether a text of the program is written like a path: relative with a dot, or built from `__dirname`.
pub fn is_path(text: &str) -> bool {
    text.starts_with('.') || text.starts_with(ROOT)
}

/// Evaluates the program from its first file on, and returns what it exports.
fn outputs(evaluator: &mut Evaluator<'_, '_>, stack: &Stack, entry: FileId) -> Vec<ProgramOutput> {
    let place = stack.file.map_or(Place::start_of(entry), Place::start_of);
    let module = evaluator.load(Resolved::File(entry), place);
    let mut exports = evaluator.exports(&module);
    // A program may export a function instead of values, which Pulumi calls.
    let main = exports
        .iter()
        .find(|(name, _)| name == "default")
        .filter(|(_, value)| matches!(value.kind, ValueKind::Function(_)));
    if let Some(main) = main.map(|(_, value)| value.clone()) {
        let given = evaluator.call_value(&main, Vec::new(), None, main.place);
        if let ValueKind::Object(at) = given.kind {
            let given = evaluator.heap.objects[at].iter();
            exports.extend(given.map(|entry| (entry.key.clone(), entry.value.clone())));
        }
    }
    let is_data = |name: &SmolStr, value: &ProgramValue| {
        let is_code = matches!(
            value.kind,
            ValueKind::Function(_) | ValueKind::Class(_) | ValueKind::Module(_)
        );
        name != "default" && !is_code
    };
    let is_secret = |value: &ProgramValue| matches!(value.kind, ValueKind::Hole(at) if evaluator.heap.holes[at].is_secret);
    let mut outputs: Vec<ProgramOutput> = exports
        .iter()
        .filter(|(name, value)| is_data(name, value))
        .map(|(name, value)| ProgramOutput {
            name: name.clone(),
            is_secret: is_secret(value),
            place: value.place,
        })
        .collect();
    outputs.sort_by(|a, b| a.name.cmp(&b.name));
    outputs.dedup_by(|a, b| a.name == b.name);
    outputs
}
