//! Fields and methods of values: of the program's own classes, of resources and configuration, of arrays and texts.
mod list;
mod pattern;

pub use list::distinct;
pub use pattern::RegexPattern;
use smol_str::SmolStr;

use super::evaluator::{Evaluator, ReadParameter};
use super::syntax::{MethodKind, Placement};
use super::value::*;
use base::Place;

impl Evaluator<'_, '_> {
    /// A field of a value.
    pub fn member(&mut self, object: &ProgramValue, key: &str, place: Place) -> ProgramValue {
        let object = self.resolve_late(object.clone());
        let from = object.from;
        let value = match &object.kind {
            ValueKind::Object(_) => {
                let found = self.heap.get(&object, key).cloned();
                found.unwrap_or_else(|| ProgramValue::undefined(place))
            }
            ValueKind::Array(at) => {
                let items = &self.heap.arrays[*at];
                match (key, key.parse::<usize>()) {
                    ("length" | "size", _) => {
                        ProgramValue::new(ValueKind::Number(items.len() as f64), place)
                    }
                    (_, Ok(index)) => {
                        let item = items.get(index).cloned();
                        item.unwrap_or_else(|| ProgramValue::undefined(place))
                    }
                    _ => self.heap.bound(object.clone(), key.into(), place),
                }
            }
            ValueKind::Text(text) if key == "length" => {
                ProgramValue::new(ValueKind::Number(text.chars().count() as f64), place)
            }
            ValueKind::Instance(at) => self.field(*at, &object, key, place),
            ValueKind::Class(at) => {
                match (
                    self.of_class(*at, key),
                    self.method(*at, key, Placement::Static),
                ) {
                    (Some(value), _) => value,
                    (None, Some(_)) => self.heap.bound(object.clone(), key.into(), place),
                    (None, None) => ProgramValue::undefined(place),
                }
            }
            ValueKind::Resource(at) => self.output(*at, key, place),
            ValueKind::Running(at) => {
                let source = ValueSource {
                    resource: *at,
                    state: State::Running,
                };
                let from = self.heap.only(source);
                self.heap.with(ProgramValue::unknown(place), from)
            }
            ValueKind::Package(at) => {
                let mut package = self.heap.packages[*at].clone();
                if package.module == "global"
                    && package.path.len() == 1
                    && package.path[0] == "process"
                    && key == "env"
                {
                    return ProgramValue::unknown(place);
                }
                // The default export of a package is the package itself.
                if key != "default" {
                    package.path.push(key.into());
                }
                if package.path.len() > 16 {
                    return ProgramValue::unknown(place);
                }
                self.heap.package(package, place)
            }
            ValueKind::Module(_) => self.of_file(&object, key, place),
            ValueKind::Undefined | ValueKind::Null => ProgramValue::undefined(place),
            ValueKind::Hole(at) => {
                let hole = Hole {
                    is_secret: self.heap.holes[*at].is_secret,
                    is_optional: self.heap.holes[*at].is_optional,
                    ..Hole::default()
                };
                if hole.is_secret || hole.is_optional {
                    self.heap.hole(hole, place)
                } else {
                    ProgramValue::unknown(place)
                }
            }
            _ => self.heap.bound(object.clone(), key.into(), place),
        };
        let value = self.with_secret_name(key, value);
        // The output of a resource has the place where it is used.
        let value = if from != NOTHING && value.is_plain() {
            ProgramValue { place, ..value }
        } else {
            value
        };
        self.heap.with(value, from)
    }

    /// A static field of a class or its base classes.
    fn of_class(&self, class: usize, key: &str) -> Option<ProgramValue> {
        let mut at = class;
        for _ in 0..32 {
            let here = &self.heap.classes[at];
            if let Some(found) = here.statics.iter().find(|entry| entry.key == key) {
                return Some(found.value.clone());
            }
            match here.parent.as_ref().map(|parent| &parent.kind) {
                Some(ValueKind::Class(parent)) => at = *parent,
                _ => return None,
            }
        }
        None
    }

    fn field(&mut self, at: usize, this: &ProgramValue, key: &str, place: Place) -> ProgramValue {
        let instance = &self.heap.instances[at];
        let (class, resource) = (instance.class, instance.resource);
        let mut fields = instance.fields.iter();
        if let Some(found) = fields.find(|entry| entry.key == key) {
            return found.value.clone();
        }
        match self.method(class, key, Placement::Instance) {
            Some((home, function, MethodKind::Get)) => {
                self.call_function(&function, home, this.clone(), Vec::new(), place)
            }
            Some(_) => self.heap.bound(this.clone(), key.into(), place),
            None => match resource {
                Some(resource) => self.output(resource, key, place),
                None => ProgramValue::undefined(place),
            },
        }
    }

    /// A method of a value.
    pub fn call_method(
        &mut self,
        this: ProgramValue,
        key: &str,
        arguments: Vec<ProgramValue>,
        place: Place,
    ) -> ProgramValue {
        let this = self.resolve_late(this);
        if matches!(key, "apply" | "then")
            && !matches!(this.kind, ValueKind::Function(_) | ValueKind::Package(_))
        {
            return self.call_back(this, arguments, place);
        }
        match &this.kind {
            ValueKind::Object(_) => {
                let found = self.heap.get(&this, key).cloned();
                match found {
                    // `isFile()` and its like on a directory entry.
                    Some(answer) if matches!(answer.kind, ValueKind::Bool(_)) => answer,
                    Some(function) => self.call_value(&function, arguments, Some(this), place),
                    None => self.heap.with(ProgramValue::unknown(place), this.from),
                }
            }
            ValueKind::Instance(at) => {
                let class = self.heap.instances[*at].class;
                let fields = self.heap.instances[*at].fields.iter();
                let field = fields.into_iter().find(|entry| entry.key == key);
                if let Some(function) = field.map(|entry| entry.value.clone()) {
                    return self.call_value(&function, arguments, Some(this), place);
                }
                match self.method(class, key, Placement::Instance) {
                    Some((home, function, _)) => {
                        self.call_function(&function, home, this, arguments, place)
                    }
                    None => match self.resource_of(&this) {
                        Some(resource) => self.call_resource(resource, key, &arguments, place),
                        None => ProgramValue::unknown(place),
                    },
                }
            }
            ValueKind::Class(at) => match self.method(*at, key, Placement::Static) {
                Some((home, function, _)) => {
                    self.call_function(&function, home, this, arguments, place)
                }
                None => {
                    let function = self.member(&this, key, place);
                    match function.kind {
                        ValueKind::Bound(_) => ProgramValue::unknown(place),
                        _ => self.call_value(&function, arguments, Some(this), place),
                    }
                }
            },
            ValueKind::Resource(at) => self.call_resource(*at, key, &arguments, place),
            ValueKind::Config(name) => {
                let name = name.clone();
                self.configured(&name, key, &arguments, place)
            }
            ValueKind::Package(_) | ValueKind::Module(_) => {
                let function = self.member(&this, key, place);
                self.call_value(&function, arguments, None, place)
            }
            ValueKind::Array(_) => self.call_array(this, key, arguments, place),
            ValueKind::Pattern(at) => self.call_pattern(*at, key, &arguments, place),
            ValueKind::Text(text) => {
                let text = text.clone();
                let value = self.call_text(&text, key, &arguments, place);
                self.heap.with(value, this.from)
            }
            ValueKind::Function(_) => match key {
                "call" => {
                    let mut arguments = arguments.into_iter();
                    let object = arguments.next();
                    self.call_value(&this, arguments.collect(), object, place)
                }
                "bind" => this,
                _ => ProgramValue::unknown(place),
            },
            ValueKind::Number(_) | ValueKind::Bool(_) if key == "toString" => {
                match self.text(&this) {
                    Some(text) => ProgramValue::string(text, place),
                    None => ProgramValue::unknown(place),
                }
            }
            ValueKind::Hole(_) => self.call_hole(this, key, arguments, place),
            _ => self.heap.with(ProgramValue::unknown(place), this.from),
        }
    }

    /// Runs a callback on a value (`apply`, `then`).
    fn call_back(
        &mut self,
        this: ProgramValue,
        arguments: Vec<ProgramValue>,
        place: Place,
    ) -> ProgramValue {
        let from = self.sources_within(&this);
        let Some(function) = arguments.into_iter().next() else {
            return this;
        };
        let value = self.call_value(&function, vec![this], None, place);
        self.heap.with(value, from)
    }

    /// A method of an unknown value: its arguments are called once, with an unknown value.
    fn call_hole(
        &mut self,
        this: ProgramValue,
        key: &str,
        arguments: Vec<ProgramValue>,
        place: Place,
    ) -> ProgramValue {
        // The bytes of a file, converted to text, are still that file.
        let is_file =
            matches!(this.kind, ValueKind::Hole(at) if self.heap.holes[at].file.is_some());
        if is_file && key == "toString" {
            return this;
        }
        let is_each = matches!(
            key,
            "map" | "forEach" | "flatMap" | "filter" | "find" | "some" | "every" | "reduce"
        );
        let mut from = this.from;
        for argument in &arguments {
            match argument.kind {
                ValueKind::Function(_) if is_each => {
                    let before = self.resources.len();
                    let one = self.heap.with(ProgramValue::unknown(this.place), this.from);
                    let given = match key {
                        "reduce" => vec![ProgramValue::unknown(this.place), one],
                        _ => vec![one],
                    };
                    let value = self.undecided(|run| run.call_value(argument, given, None, place));
                    self.say_often(before, place);
                    let inside = self.sources_within(&value);
                    from = self.heap.join(from, inside);
                }
                _ => {
                    let inside = self.sources_within(argument);
                    from = self.heap.join(from, inside);
                }
            }
        }
        self.heap.with(ProgramValue::unknown(place), from)
    }

    fn call_resource(
        &mut self,
        at: usize,
        key: &str,
        arguments: &[ProgramValue],
        place: Place,
    ) -> ProgramValue {
        let state = match key {
            // A lookup by name waits for the object, and so for a workload to run.
            "getResource" | "getResourceProperty" => {
                let skips = self
                    .heap
                    .get(&self.resources[at].arguments, "skipAwait")
                    .and_then(ProgramValue::truth)
                    == Some(true);
                let kind = arguments.first().and_then(|kind| kind.text());
                let runs = kind.is_some_and(|kind| {
                    let kind = base::text::last_part(kind);
                    matches!(
                        kind,
                        "Deployment" | "StatefulSet" | "DaemonSet" | "Service" | "Pod" | "Job"
                    )
                });
                if runs && !skips {
                    State::Running
                } else {
                    State::Created
                }
            }
            "registerOutputs" => return ProgramValue::undefined(place),
            _ => State::Created,
        };
        let from = self.heap.only(ValueSource {
            resource: at,
            state,
        });
        self.heap.with(ProgramValue::unknown(place), from)
    }

    /// Marks a value as secret if its name says so.
    pub fn with_secret_name(&mut self, name: &str, value: ProgramValue) -> ProgramValue {
        let Some(text) = value.text() else {
            return value;
        };
        if !secret::is_secret_text(name, text) {
            return value;
        }
        let hole = Hole {
            is_secret: true,
            ..Hole::default()
        };
        let hidden = self.heap.hole(hole, value.place);
        self.heap.with(hidden, value.from)
    }

    /// The value of a parameter in the stack.
    fn configured(
        &mut self,
        name: &str,
        method: &str,
        arguments: &[ProgramValue],
        place: Place,
    ) -> ProgramValue {
        let Some(key) = arguments.first().and_then(|key| self.text(key)) else {
            return ProgramValue::unknown(place);
        };
        let is_required = method.starts_with("require");
        let is_secret = method.contains("Secret");
        let kind = match method {
            _ if method.contains("Number") => "number",
            _ if method.contains("Boolean") => "boolean",
            _ if method.contains("Object") => "object",
            _ => "string",
        };
        let full = smol_str::format_smolstr!("{name}:{key}");
        let stated = self.stack.config.get(&full).cloned();
        let mut before = self.reads.iter();
        let is_hidden = is_secret
            || secret::is_secret_name(&key)
            || self.project.secret_keys.contains(&full)
            || before.any(|read| read.key == full && read.is_secret)
            || stated
                .as_ref()
                .is_some_and(|stated| stated.get("secure").is_some());
        if !self
            .reads
            .iter()
            .any(|read| read.key == full && read.place == place)
        {
            self.reads.push(ReadParameter {
                key: full,
                kind,
                default: None,
                is_required,
                is_secret: is_hidden,
                place,
            });
        }
        if is_hidden {
            let hole = Hole {
                is_secret: true,
                is_optional: stated.is_none() && !is_required,
                ..Hole::default()
            };
            return self.heap.hole(hole, place);
        }
        match stated {
            Some(stated) => {
                let value = self.value_of(&stated);
                self.as_kind(value, kind)
            }
            // A parameter that is neither required nor set is undefined.
            None if !is_required && self.stack.name.is_some() => ProgramValue::undefined(place),
            None => {
                let hole = Hole {
                    is_optional: !is_required,
                    ..Hole::default()
                };
                self.heap.hole(hole, place)
            }
        }
    }

    fn as_kind(&self, value: ProgramValue, kind: &str) -> ProgramValue {
        let text = self.text(&value);
        let as_kind = match (kind, text) {
            ("string", Some(text)) => Some(ValueKind::Text(text)),
            ("number", Some(text)) => text.parse().ok().map(ValueKind::Number),
            ("boolean", Some(text)) => match text.as_str() {
                "true" => Some(ValueKind::Bool(true)),
                "false" => Some(ValueKind::Bool(false)),
                _ => None,
            },
            _ => None,
        };
        match as_kind {
            Some(kind) => ProgramValue { kind, ..value },
            None => value,
        }
    }
}
