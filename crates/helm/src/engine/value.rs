//! The values that templates compute with. Maps are shared and changed in place, as in Go.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::data::Data;
use crate::functions::date::Time;
use crate::functions::version::SemanticVersion;

/// A value at run time.
#[derive(Debug, Clone)]
pub enum Val {
    /// No value: what a pipeline yields for null.
    Nil,
    /// A null that was read from a map or list. Go fails when a field of it is read, but not for `Nil`.
    Null,
    Bool(bool),
    /// Go's `int`: literals, `len`, `int`, indexes.
    Int(i64),
    /// Go's `int64`: `int64`, `add`, `--set`.
    Int64(i64),
    Float(f64),
    Text(SmolStr),
    /// Shared with the files of the chart.
    Bytes(Arc<[u8]>),
    List(Rc<GoList>),
    Map(Rc<GoMap>),
    Time(Rc<Time>),
    Version(Rc<SemanticVersion>),
}

/// A list, and its type in Go.
#[derive(Debug)]
pub struct GoList {
    pub items: Vec<Val>,
    pub kind: ListKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListKind {
    Any,
    Texts,
    Ints,
    /// `.Capabilities.APIVersions`, which has a method.
    Versions,
}

/// A map or struct, and its type in Go.
#[derive(Debug)]
pub struct GoMap {
    pub entries: RefCell<BTreeMap<SmolStr, Val>>,
    pub kind: MapKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapKind {
    Any,
    /// `chartutil.Values`.
    Values,
    /// `map[string]string`.
    Texts,
    /// `.Files`.
    Files,
    /// A struct with a name; other fields than its own cannot be read.
    Struct(&'static str),
}

pub type Entries = BTreeMap<SmolStr, Val>;

impl Val {
    pub fn text(text: impl Into<SmolStr>) -> Val {
        Val::Text(text.into())
    }

    pub fn list(items: Vec<Val>) -> Val {
        Val::List(Rc::new(GoList {
            items,
            kind: ListKind::Any,
        }))
    }

    pub fn texts(items: impl IntoIterator<Item = impl Into<SmolStr>>) -> Val {
        Val::List(Rc::new(GoList {
            items: items.into_iter().map(Val::text).collect(),
            kind: ListKind::Texts,
        }))
    }

    pub fn map(entries: Entries) -> Val {
        Val::of_kind(entries, MapKind::Any)
    }

    pub fn of_kind(entries: Entries, kind: MapKind) -> Val {
        Val::Map(Rc::new(GoMap {
            entries: RefCell::new(entries),
            kind,
        }))
    }

    /// The values of a chart: a map of its own type.
    pub fn values(data: &Data) -> Val {
        let entries = match Val::from_data(data) {
            Val::Map(map) => map.entries.take(),
            _ => Entries::new(),
        };
        Val::of_kind(entries, MapKind::Values)
    }

    pub fn from_data(data: &Data) -> Val {
        match data {
            Data::Null => Val::Nil,
            Data::Bool(value) => Val::Bool(*value),
            Data::Int(value) => Val::Int64(*value),
            Data::Float(value) => Val::Float(*value),
            Data::Text(text) => Val::Text(text.clone()),
            Data::List(items) => Val::list(items.iter().map(Val::from_data).collect()),
            Data::Map(map) => Val::map(
                map.iter()
                    .map(|(key, inner)| (key.clone(), Val::from_data(inner)))
                    .collect(),
            ),
        }
    }

    /// The value without a difference between kinds of null.
    pub fn settled(self) -> Val {
        if matches!(self, Val::Null) {
            Val::Nil
        } else {
            self
        }
    }

    /// A value as an element of a map or list holds it.
    pub fn as_element(&self) -> Val {
        match self {
            Val::Nil => Val::Null,
            other => other.clone(),
        }
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Val::Nil | Val::Null)
    }

    /// Whether Go's templates treat the value as true.
    pub fn is_true(&self) -> bool {
        match self {
            Val::Map(map) if matches!(map.kind, MapKind::Struct(_)) => true,
            Val::Time(_) | Val::Version(_) => true,
            other => !other.is_empty(),
        }
    }

    /// Whether the value is the zero value of its type, or has no items.
    pub fn is_empty(&self) -> bool {
        match self {
            Val::Nil | Val::Null => true,
            Val::Bool(value) => !value,
            Val::Int(value) | Val::Int64(value) => *value == 0,
            Val::Float(value) => *value == 0.0,
            Val::Text(text) => text.is_empty(),
            Val::Bytes(bytes) => bytes.is_empty(),
            Val::List(list) => list.items.is_empty(),
            Val::Map(map) => {
                !matches!(map.kind, MapKind::Struct(_)) && map.entries.borrow().is_empty()
            }
            Val::Time(_) | Val::Version(_) => false,
        }
    }

    /// Whether the value is `.Capabilities.APIVersions`.
    pub fn is_versions(&self) -> bool {
        matches!(self, Val::List(list) if list.kind == ListKind::Versions)
    }

    /// The value under a key, for maps.
    pub fn get(&self, key: &str) -> Option<Val> {
        match self {
            Val::Map(map) => map.entries.borrow().get(key).cloned(),
            _ => None,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Val::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_map(&self) -> Option<&Rc<GoMap>> {
        match self {
            Val::Map(map) => Some(map),
            _ => None,
        }
    }

    pub fn as_int(&self) -> Option<i64> {
        match self {
            Val::Int(value) | Val::Int64(value) => Some(*value),
            _ => None,
        }
    }

    /// The items of a list; bytes are numbers.
    pub fn items(&self) -> Option<Vec<Val>> {
        match self {
            Val::List(list) => Some(list.items.clone()),
            Val::Bytes(bytes) => Some(bytes.iter().map(|b| Val::Int(i64::from(*b))).collect()),
            _ => None,
        }
    }

    /// The name of the type, as `%T` prints it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Val::Nil | Val::Null => "<nil>",
            Val::Bool(_) => "bool",
            Val::Int(_) => "int",
            Val::Int64(_) => "int64",
            Val::Float(_) => "float64",
            Val::Text(_) => "string",
            Val::Bytes(_) => "[]uint8",
            Val::List(list) => match list.kind {
                ListKind::Any => "[]interface {}",
                ListKind::Texts => "[]string",
                ListKind::Ints => "[]int",
                ListKind::Versions => "chartutil.VersionSet",
            },
            Val::Map(map) => match map.kind {
                MapKind::Any => "map[string]interface {}",
                MapKind::Values => "chartutil.Values",
                MapKind::Texts => "map[string]string",
                MapKind::Files => "engine.files",
                MapKind::Struct(name) => name,
            },
            Val::Time(_) => "time.Time",
            Val::Version(_) => "*semver.Version",
        }
    }

    /// The name of the kind, as Go's `reflect` has it.
    pub fn kind_name(&self) -> &'static str {
        match self {
            Val::Nil | Val::Null => "invalid",
            Val::Bool(_) => "bool",
            Val::Int(_) => "int",
            Val::Int64(_) => "int64",
            Val::Float(_) => "float64",
            Val::Text(_) => "string",
            Val::Bytes(_) | Val::List(_) => "slice",
            Val::Map(map) => match map.kind {
                MapKind::Struct(name) if name.starts_with('*') => "ptr",
                MapKind::Struct(_) => "struct",
                _ => "map",
            },
            Val::Time(_) => "struct",
            Val::Version(_) => "ptr",
        }
    }
}

impl GoMap {
    /// Whether Go accepts it where it wants a `map[string]interface{}`.
    pub fn is_dict(&self) -> bool {
        matches!(self.kind, MapKind::Any | MapKind::Values)
    }
}
