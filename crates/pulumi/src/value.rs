//! Values of a program. An unknown value is a hole that remembers the resources it came from. Values are small and
//! refer to a heap, which is dropped as a whole after a run.

use std::sync::Arc;

use smol_str::SmolStr;

use super::method::RegexPattern;
use super::syntax::{Class, Function};
use base::hash::{HashMap, HashSet};
use base::{FileId, Place};

/// A value of the program. Its contents live in the evaluation; [`crate::Evaluation`] looks them up.
#[derive(Debug, Clone)]
pub struct ProgramValue {
    pub(crate) kind: ValueKind,
    /// The place of the expression.
    pub place: Place,
    /// The resources that it came from.
    pub(crate) from: Origins,
}

/// The kind of a value.
#[derive(Debug, Clone)]
pub enum ValueKind {
    Undefined,
    Null,
    Bool(bool),
    Number(f64),
    Text(SmolStr),
    Array(usize),
    Object(usize),
    Function(usize),
    Class(usize),
    /// An instance of a class of the program.
    Instance(usize),
    /// A resource, by its number.
    Resource(usize),
    /// Everything a resource creates, once it is ready.
    Running(usize),
    /// A member of a package that is not in the repo.
    Package(usize),
    /// A file of the repo, as a module.
    Module(usize),
    /// The configuration of a namespace.
    Config(SmolStr),
    /// A regular expression.
    Pattern(usize),
    /// A method bound to a value.
    Bound(usize),
    Hole(usize),
}

/// A set of resources, by its number in the heap. The first is empty.
pub type Origins = usize;
pub const NOTHING: Origins = 0;

/// A resource that a value came from, by its number, and its state when the value was known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ValueSource {
    pub resource: usize,
    pub state: State,
}

/// How far a resource is when its dependents go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    Created,
    Running,
}

/// An unknown value.
#[derive(Debug, Clone, Default)]
pub struct Hole {
    /// The text as far as it is known, with `…` for the rest.
    pub shape: Option<SmolStr>,
    pub is_secret: bool,
    /// It may be undefined, so that a default replaces it.
    pub is_optional: bool,
    /// The file whose text it is.
    pub file: Option<FileId>,
}

#[derive(Debug, Clone)]
pub struct ObjectEntry {
    pub key: SmolStr,
    pub key_place: Place,
    pub value: ProgramValue,
}

#[derive(Debug)]
pub struct Closure {
    pub function: Arc<Function>,
    pub scope: usize,
    pub this: Option<ProgramValue>,
    /// The class that declares the method, which `super` refers to.
    pub home: Option<usize>,
}

#[derive(Debug)]
pub struct ClassValue {
    pub class: Arc<Class>,
    pub scope: usize,
    pub parent: Option<ProgramValue>,
    pub statics: Vec<ObjectEntry>,
}

#[derive(Debug)]
pub struct Instance {
    pub class: usize,
    pub fields: Vec<ObjectEntry>,
    pub resource: Option<usize>,
}

#[derive(Debug, Clone)]
pub struct Package {
    pub module: SmolStr,
    pub path: Vec<SmolStr>,
}

#[derive(Debug, Default)]
pub struct LexicalScope {
    pub names: HashMap<SmolStr, ProgramValue>,
    pub parent: Option<usize>,
    /// Number of undecided branches around its declaration.
    pub doubt: usize,
}

/// The contents of all values of an evaluation.
#[derive(Debug)]
pub struct Heap {
    pub arrays: Vec<Vec<ProgramValue>>,
    /// Arrays that were concatenated from several lists, each with its own place.
    pub merged: HashSet<usize>,
    pub objects: Vec<Vec<ObjectEntry>>,
    pub closures: Vec<Closure>,
    pub classes: Vec<ClassValue>,
    pub instances: Vec<Instance>,
    pub packages: Vec<Package>,
    pub bound: Vec<(ProgramValue, SmolStr)>,
    pub holes: Vec<Hole>,
    pub patterns: Vec<RegexPattern>,
    pub scopes: Vec<LexicalScope>,
    sources: Vec<Vec<ValueSource>>,
}

impl Default for Heap {
    fn default() -> Heap {
        Heap {
            arrays: Vec::new(),
            merged: HashSet::default(),
            objects: Vec::new(),
            closures: Vec::new(),
            classes: Vec::new(),
            instances: Vec::new(),
            packages: Vec::new(),
            bound: Vec::new(),
            // The first hole has no known origin.
            holes: vec![Hole::default()],
            patterns: Vec::new(),
            scopes: Vec::new(),
            sources: vec![Vec::new()],
        }
    }
}

fn put<T>(list: &mut Vec<T>, item: T) -> usize {
    list.push(item);
    list.len() - 1
}

impl Heap {
    pub fn array(&mut self, items: Vec<ProgramValue>, place: Place) -> ProgramValue {
        ProgramValue::new(ValueKind::Array(put(&mut self.arrays, items)), place)
    }

    pub fn object(&mut self, entries: Vec<ObjectEntry>, place: Place) -> ProgramValue {
        ProgramValue::new(ValueKind::Object(put(&mut self.objects, entries)), place)
    }

    pub fn closure(&mut self, closure: Closure, place: Place) -> ProgramValue {
        ProgramValue::new(ValueKind::Function(put(&mut self.closures, closure)), place)
    }

    pub fn package(&mut self, package: Package, place: Place) -> ProgramValue {
        ProgramValue::new(ValueKind::Package(put(&mut self.packages, package)), place)
    }

    pub fn bound(&mut self, this: ProgramValue, name: SmolStr, place: Place) -> ProgramValue {
        let from = this.from;
        let kind = ValueKind::Bound(put(&mut self.bound, (this, name)));
        ProgramValue { kind, place, from }
    }

    pub fn hole(&mut self, hole: Hole, place: Place) -> ProgramValue {
        ProgramValue::new(ValueKind::Hole(put(&mut self.holes, hole)), place)
    }

    pub fn scope(&mut self, parent: Option<usize>, doubt: usize) -> usize {
        let scope = LexicalScope {
            parent,
            doubt,
            ..LexicalScope::default()
        };
        put(&mut self.scopes, scope)
    }

    pub fn sources(&self, from: Origins) -> &[ValueSource] {
        &self.sources[from]
    }

    pub fn only(&mut self, source: ValueSource) -> Origins {
        put(&mut self.sources, vec![source])
    }

    /// The union of two sets.
    pub fn join(&mut self, a: Origins, b: Origins) -> Origins {
        if a == b || b == NOTHING {
            return a;
        }
        if a == NOTHING {
            return b;
        }
        let new: Vec<ValueSource> = self.sources[b]
            .iter()
            .filter(|one| !self.sources[a].contains(one))
            .copied()
            .collect();
        if new.is_empty() {
            return a;
        }
        let mut all = self.sources[a].clone();
        all.extend(new);
        // A value that comes from this many comes from everything.
        all.truncate(MAX_SOURCES);
        put(&mut self.sources, all)
    }

    pub fn with(&mut self, mut value: ProgramValue, from: Origins) -> ProgramValue {
        value.from = self.join(value.from, from);
        value
    }

    pub fn get<'h>(&'h self, object: &ProgramValue, key: &str) -> Option<&'h ProgramValue> {
        self.entry(object, key).map(|entry| &entry.value)
    }

    pub fn entry<'h>(&'h self, object: &ProgramValue, key: &str) -> Option<&'h ObjectEntry> {
        let ValueKind::Object(at) = object.kind else {
            return None;
        };
        self.objects[at].iter().find(|entry| entry.key == key)
    }

    /// The text at the end of a path of keys.
    pub fn text_at(&self, object: &ProgramValue, path: &[&str]) -> Option<SmolStr> {
        let mut at = object;
        for key in path {
            at = self.get(at, key)?;
        }
        at.text().cloned()
    }
}

/// Maximum number of resources that a value is known to come from.
const MAX_SOURCES: usize = 256;

impl ProgramValue {
    pub(crate) fn new(kind: ValueKind, place: Place) -> ProgramValue {
        ProgramValue {
            kind,
            place,
            from: NOTHING,
        }
    }

    pub(crate) fn undefined(place: Place) -> ProgramValue {
        ProgramValue::new(ValueKind::Undefined, place)
    }

    /// An unknown value.
    pub(crate) fn unknown(place: Place) -> ProgramValue {
        ProgramValue::new(ValueKind::Hole(0), place)
    }

    pub(crate) fn string(text: impl Into<SmolStr>, place: Place) -> ProgramValue {
        ProgramValue::new(ValueKind::Text(text.into()), place)
    }

    /// The text that it is.
    pub fn text(&self) -> Option<&SmolStr> {
        match &self.kind {
            ValueKind::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn is_nothing(&self) -> bool {
        matches!(self.kind, ValueKind::Undefined | ValueKind::Null)
    }

    /// Whether it contains no other values.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(
            self.kind,
            ValueKind::Text(_) | ValueKind::Number(_) | ValueKind::Bool(_) | ValueKind::Hole(_)
        )
    }

    pub(crate) fn is_hole(&self) -> bool {
        matches!(self.kind, ValueKind::Hole(_))
    }

    /// Whether it is truthy; `None` if it is unknown.
    pub fn truth(&self) -> Option<bool> {
        Some(match &self.kind {
            ValueKind::Undefined | ValueKind::Null => false,
            ValueKind::Bool(value) => *value,
            ValueKind::Number(value) => *value != 0.0 && !value.is_nan(),
            ValueKind::Text(text) => !text.is_empty(),
            ValueKind::Hole(_) => return None,
            _ => true,
        })
    }
}

/// A number as JavaScript writes it.
pub fn number(value: f64) -> SmolStr {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        smol_str::format_smolstr!("{}", value as i64)
    } else {
        smol_str::format_smolstr!("{value}")
    }
}
