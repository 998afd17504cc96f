//! Values of expressions, with places and with holes for unknown parts. A secret is marked as such and loses its value
//! at once.

use std::sync::Arc;

use smol_str::{SmolStr, format_smolstr};

use base::{FileId, MARKER, Place};
use yaml::{Entry, Map, Node, Scalar, ScalarKind};

/// Maximum length of a text.
pub const MAX_TEXT: usize = 64 * 1024;
/// Maximum number of items in a collection.
pub const MAX_ITEMS: usize = 4096;
/// Maximum number of nodes in a value that is shown.
const MAX_NODES: usize = 20_000;
/// Maximum nesting of values.
const MAX_NESTED: u16 = 200;
/// Replaces unknown and secret parts of a text.
pub const HOLE: &str = "__not_known_here__";
/// Begins a path in this repo, which has another form where Terraform runs.
pub const HERE: char = '\u{1}';

/// A value, with the place of its expression.
#[derive(Debug, Clone)]
pub struct HclValue {
    pub data: HclData,
    pub place: Place,
    pub is_secret: bool,
    /// Whether any part of it is secret.
    pub(crate) holds_secret: bool,
    /// Depth of nested values.
    nested: u16,
}

/// The data of a value.
#[derive(Debug, Clone)]
pub enum HclData {
    /// Not determined by the files.
    Unknown,
    Null,
    Bool(bool),
    Number(f64),
    Text(SmolStr),
    /// A text with holes, for callers that take it apart. Contains no secrets.
    Holed(SmolStr),
    List(Arc<Vec<HclValue>>),
    Map(Arc<HclMap>),
    /// A text that encodes another value as JSON or YAML.
    Encoded(Arc<HclValue>),
    /// The text of a file in this repo.
    File(FileId),
    /// The text of one object in a file of this repo, by its index.
    Part(FileId, usize),
}

/// A map, in source order.
#[derive(Debug, Clone, Default)]
pub struct HclMap {
    pub(crate) entries: Vec<(SmolStr, HclValue)>,
}

impl HclValue {
    pub(crate) fn new(data: HclData, place: Place) -> HclValue {
        HclValue {
            data,
            place,
            is_secret: false,
            holds_secret: false,
            nested: 0,
        }
    }

    /// A value that contains others; unknown if they are nested too deeply.
    fn holding<'v>(
        data: HclData,
        inner: impl Iterator<Item = &'v HclValue>,
        place: Place,
    ) -> HclValue {
        let nested = inner.map(|one| one.nested + 1).max().unwrap_or_default();
        if nested > MAX_NESTED {
            HclValue::unknown(place)
        } else {
            HclValue {
                nested,
                ..HclValue::new(data, place)
            }
        }
    }

    /// A text that encodes another value.
    pub(crate) fn encoded(inner: &HclValue, place: Place) -> HclValue {
        let data = HclData::Encoded(Arc::new(inner.clone()));
        HclValue::holding(data, [inner].into_iter(), place).with_held(inner.is_sensitive())
    }

    /// An unknown value.
    pub fn unknown(place: Place) -> HclValue {
        HclValue::new(HclData::Unknown, place)
    }

    pub(crate) fn text(text: impl Into<SmolStr>, place: Place) -> HclValue {
        HclValue::new(HclData::Text(text.into()), place)
    }

    pub(crate) fn list(items: Vec<HclValue>, place: Place) -> HclValue {
        let holds_secret = items.iter().any(HclValue::is_sensitive);
        let value = if items.len() > MAX_ITEMS {
            HclValue::unknown(place)
        } else {
            let items = Arc::new(items);
            HclValue::holding(HclData::List(items.clone()), items.iter(), place)
        };
        value.with_held(holds_secret)
    }

    pub(crate) fn map(entries: Vec<(SmolStr, HclValue)>, place: Place) -> HclValue {
        HclValue::from_table(HclMap { entries }, place)
    }

    pub(crate) fn from_table(table: HclMap, place: Place) -> HclValue {
        let holds_secret = table.entries.iter().any(|(_, value)| value.is_sensitive());
        let value = if table.entries.len() > MAX_ITEMS {
            HclValue::unknown(place)
        } else {
            let table = Arc::new(table);
            let inner = table.entries.iter().map(|(_, value)| value);
            HclValue::holding(HclData::Map(table.clone()), inner, place)
        };
        value.with_held(holds_secret)
    }

    /// Whether it, or a part of it, is secret.
    pub(crate) fn is_sensitive(&self) -> bool {
        self.is_secret || self.holds_secret
    }

    fn with_held(mut self, holds_secret: bool) -> HclValue {
        self.holds_secret = holds_secret;
        self
    }

    /// Marks a value as secret and drops its data; only its place stays.
    pub fn with_secrecy(mut self, is_secret: bool) -> HclValue {
        self.is_secret |= is_secret;
        // A text with holes has holes in place of secrets.
        if self.is_secret && !matches!(self.data, HclData::Holed(_)) {
            self.data = HclData::Unknown;
        }
        self
    }

    /// Whether it is at least partly unknown.
    pub fn is_unknown(&self) -> bool {
        matches!(self.data, HclData::Unknown | HclData::Holed(_))
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self.data, HclData::Null)
    }

    /// A boolean, or a text that spells one.
    pub fn as_bool(&self) -> Option<bool> {
        match &self.data {
            HclData::Bool(value) => Some(*value),
            HclData::Text(text) if text == "true" => Some(true),
            HclData::Text(text) if text == "false" => Some(false),
            _ => None,
        }
    }

    pub(crate) fn as_number(&self) -> Option<f64> {
        match &self.data {
            HclData::Number(number) => Some(*number),
            HclData::Text(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// A text, or a number or boolean as text.
    pub fn as_text(&self) -> Option<SmolStr> {
        match &self.data {
            HclData::Text(text) => Some(text.clone()),
            HclData::Number(number) => Some(number_text(*number)),
            HclData::Bool(value) => Some(if *value {
                SmolStr::new_static("true")
            } else {
                SmolStr::new_static("false")
            }),
            _ => None,
        }
    }

    /// The items of a list.
    pub fn items(&self) -> Option<&[HclValue]> {
        match &self.data {
            HclData::List(items) => Some(items),
            _ => None,
        }
    }

    /// A map whose entries are all known.
    pub(crate) fn table(&self) -> Option<&HclMap> {
        match &self.data {
            HclData::Map(table) => Some(table),
            _ => None,
        }
    }

    /// A value of a map.
    pub fn get(&self, key: &str) -> Option<&HclValue> {
        let mut entries = self.table()?.entries.iter();
        entries
            .find(|(name, _)| name == key)
            .map(|(_, value)| value)
    }

    /// A text that identifies it in a set. A multi-line text is identified by its place.
    pub(crate) fn set_key(&self) -> Option<SmolStr> {
        match self.data {
            HclData::Part(file, nth) => Some(format_smolstr!("{}-{nth}", file.0)),
            _ => self.as_text(),
        }
    }

    /// Whether two values are equal; `None` if that depends on a hole.
    pub(crate) fn same(&self, other: &HclValue) -> Option<bool> {
        match (&self.data, &other.data) {
            (HclData::Part(file, nth), HclData::Part(other, another)) => {
                Some((file, nth) == (other, another))
            }
            (
                HclData::Unknown
                | HclData::Holed(_)
                | HclData::Encoded(_)
                | HclData::File(_)
                | HclData::Part(..),
                _,
            )
            | (
                _,
                HclData::Unknown
                | HclData::Holed(_)
                | HclData::Encoded(_)
                | HclData::File(_)
                | HclData::Part(..),
            ) => None,
            (HclData::Null, HclData::Null) => Some(true),
            (HclData::Bool(a), HclData::Bool(b)) => Some(a == b),
            (HclData::Number(a), HclData::Number(b)) => Some(a == b),
            (HclData::Text(a), HclData::Text(b)) => Some(a == b),
            (HclData::List(a), HclData::List(b)) if a.is_empty() && b.is_empty() => Some(true),
            (HclData::List(_), HclData::List(_)) | (HclData::Map(_), HclData::Map(_)) => None,
            _ => Some(false),
        }
    }

    /// Converts a document whose secrets are redacted.
    pub(crate) fn from_node(node: &Node) -> HclValue {
        let data = match &node.value {
            yaml::Value::Scalar(scalar) if scalar.text.contains(MARKER) => {
                return HclValue::unknown(node.place).with_secrecy(true);
            }
            yaml::Value::Scalar(scalar) => match scalar.kind() {
                ScalarKind::Null => HclData::Null,
                ScalarKind::Bool(value) => HclData::Bool(value),
                ScalarKind::Int(number) => HclData::Number(number as f64),
                ScalarKind::Float(number) => HclData::Number(number),
                ScalarKind::Str(text) => HclData::Text(text.into()),
            },
            yaml::Value::Seq(items) => {
                return HclValue::list(items.iter().map(HclValue::from_node).collect(), node.place);
            }
            yaml::Value::Map(map) => {
                let entries = map.0.iter();
                return HclValue::map(
                    entries
                        .map(|entry| (entry.key.clone(), HclValue::from_node(&entry.value)))
                        .collect(),
                    node.place,
                );
            }
        };
        HclValue::new(data, node.place)
    }

    /// The value as a tree without secrets and holes.
    pub fn shown(&self) -> Shown {
        let mut trees = TreeWriter {
            left: MAX_NODES,
            is_partial: false,
        };
        let mut node = trees.node(self, None);
        if let Some(node) = &mut node {
            secret::seal(node);
        }
        Shown {
            node,
            is_partial: trees.is_partial,
        }
    }

    /// The value as written in one line; `None` if it is secret or unknown.
    pub fn written(&self) -> Option<SmolStr> {
        let shown = self.shown();
        let node = shown
            .node
            .filter(|_| !shown.is_partial && !self.is_secret)?;
        let text = yaml::to_json(&node).to_string();
        (!text.contains(MARKER)).then(|| text.into())
    }
}

/// A tree, if there is one, and whether a part of the value is missing from it.
#[derive(Debug)]
pub struct Shown {
    pub node: Option<Node>,
    pub is_partial: bool,
}

struct TreeWriter {
    left: usize,
    is_partial: bool,
}

impl TreeWriter {
    fn node(&mut self, value: &HclValue, key: Option<&str>) -> Option<Node> {
        if self.left == 0 {
            self.is_partial = true;
            return None;
        }
        self.left -= 1;
        if value.is_secret {
            return Some(Node::string(MARKER, value.place));
        }
        let scalar = match &value.data {
            HclData::Unknown | HclData::Holed(_) | HclData::File(_) | HclData::Part(..) => {
                self.is_partial = true;
                return None;
            }
            HclData::Null => Scalar::plain("null"),
            HclData::Bool(_) | HclData::Number(_) => {
                Scalar::plain(value.as_text().unwrap_or_default())
            }
            HclData::Text(text) if text.contains(HERE) => {
                self.is_partial = true;
                return None;
            }
            HclData::Text(text) if text.contains('\n') && contains_secret(text) => {
                Scalar::string(MARKER)
            }
            HclData::Text(text) => {
                let sealed = secret::shown(key.unwrap_or_default(), text);
                Scalar::string(sealed.unwrap_or_else(|| text.clone()))
            }
            HclData::Encoded(inner) => {
                let inner = self.node(inner, key)?;
                let text = yaml::to_json(&inner).to_string();
                // Each level of encoding may double the text.
                if text.len() > MAX_TEXT {
                    self.is_partial = true;
                    return None;
                }
                Scalar::string(text)
            }
            HclData::List(items) => {
                let items = items.iter().filter_map(|item| self.node(item, key));
                return Some(Node::seq(items.collect(), value.place));
            }
            HclData::Map(table) => {
                let mut map = Map::default();
                for (key, value) in &table.entries {
                    if let Some(node) = self.node(value, Some(key)) {
                        map.0.push(Entry {
                            key: key.clone(),
                            key_place: node.place,
                            value: node,
                        });
                    }
                }
                return Some(Node {
                    value: yaml::Value::Map(map),
                    place: value.place,
                });
            }
        };
        Some(Node {
            value: yaml::Value::Scalar(scalar),
            place: value.place,
        })
    }
}

/// Whether a line of a script or configuration file contains a secret.
fn contains_secret(text: &str) -> bool {
    text.lines().any(|line| {
        let mut parts = line.splitn(2, ['=', ':']);
        let (name, value) = (parts.next().unwrap_or_default(), parts.next());
        let name = name.split_whitespace().next_back().unwrap_or_default();
        let value = value.unwrap_or(line).trim();
        secret::shown(name.trim_matches(['"', '\'']), value).is_some()
    })
}

fn number_text(number: f64) -> SmolStr {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        SmolStr::from((number as i64).to_string())
    } else {
        SmolStr::from(number.to_string())
    }
}
