//! Resources that a program creates: their classes, arguments and dependencies.

use smol_str::SmolStr;

use super::evaluator::Evaluator;
use super::package::ResourceClass;
use super::value::*;
use base::hash::HashSet;
use base::{FileId, Place};

/// Maximum number of resources in a program.
const MAX_RESOURCES: usize = 5_000;

/// A resource that the program creates. Resources are numbered in the order of creation.
#[derive(Debug, Clone)]
pub struct Resource {
    pub class: ResourceClass,
    /// Its name in the program.
    pub name: SmolStr,
    /// The arguments of its constructor, without options. An object without a name gets that of the resource.
    pub arguments: ProgramValue,
    /// The number of the option `parent`.
    pub parent: Option<usize>,
    pub dependencies: Vec<Dependency>,
    /// Whether `dependsOn` may name more than `dependencies` holds.
    pub has_unknown_dependency: bool,
    /// Whether `transformations` or `transforms` change it or what it creates; they are not evaluated.
    pub is_transformed: bool,
    /// Whether a condition that is not known decides about it: it may not exist.
    pub is_doubtful: bool,
    pub place: Place,
    /// The file whose top level led to it, through any number of calls.
    pub requested_by: FileId,
    /// The innermost call in another file that led to it; for a component, the call that gives its name.
    pub called_at: Option<Place>,
}

/// A resource that another one waits for.
#[derive(Debug, Clone, Copy)]
pub struct Dependency {
    /// The number of that resource.
    pub resource: usize,
    /// How far that resource is by then.
    pub state: State,
    pub place: Place,
    pub reason: Reason,
}

/// Why a resource waits for another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The option `dependsOn` names it.
    DependsOn,
    /// An output of it is used.
    Output,
}

impl Evaluator<'_, '_> {
    /// Adds a resource; `None` once there are too many.
    pub fn register(
        &mut self,
        class: ResourceClass,
        name: Option<ProgramValue>,
        arguments: ProgramValue,
        options: Option<ProgramValue>,
        place: Place,
    ) -> Option<usize> {
        if self.resources.len() >= MAX_RESOURCES {
            self.report(
                place,
                format!(
                    "only the first {MAX_RESOURCES} resources of the program are shown; the rest is missing \
                     from the catalogue"
                ),
            );
            self.stop();
            return None;
        }
        let named = name.as_ref().map_or(place, |name| name.place).file;
        let name = name
            .and_then(|name| self.partial_text(&name))
            .unwrap_or_else(|| "…".into());
        let options = options.unwrap_or_else(|| ProgramValue::undefined(place));
        let parent = self.heap.get(&options, "parent").cloned();
        let parent = parent.and_then(|parent| self.resource_of(&parent));
        let (mut dependencies, has_unknown_dependency) = self.stated(&options);
        if class != ResourceClass::Component {
            let taken = self.sources_within(&arguments);
            self.take(taken, arguments.place, &mut dependencies);
        }
        for key in ["provider", "providers"] {
            if let Some(provider) = self.heap.get(&options, key).cloned() {
                let taken = self.sources_within(&provider);
                self.take(taken, provider.place, &mut dependencies);
            }
        }
        let is_transformed = self.is_transformed(&class, &name, &arguments, &options);
        let arguments = self.named(&class, &name, arguments, place);
        let called = self.called_from(place);
        let called = match class {
            ResourceClass::Component => self.called_in(named, place).or(called),
            _ => called,
        };
        self.resources.push(Resource {
            class,
            name,
            arguments,
            parent,
            dependencies,
            has_unknown_dependency,
            is_transformed,
            is_doubtful: self.doubt > 0,
            place,
            requested_by: self.requesting_file(),
            called_at: called,
        });
        Some(self.resources.len() - 1)
    }

    /// The resources in `dependsOn`, and whether there may be more.
    fn stated(&mut self, options: &ProgramValue) -> (Vec<Dependency>, bool) {
        let Some(entry) = self.heap.entry(options, "dependsOn").cloned() else {
            return (Vec::new(), options.is_hole());
        };
        // Merged options have a place per part.
        let parts = match entry.value.kind {
            ValueKind::Array(at) if self.heap.merged.contains(&at) => self.heap.arrays[at].clone(),
            _ => vec![ProgramValue {
                place: entry.key_place,
                ..entry.value
            }],
        };
        let mut dependencies: Vec<Dependency> = Vec::new();
        let mut has_unknown_dependency = false;
        for part in parts {
            let from = self.sources_within(&part);
            if from == NOTHING && !self.is_empty(&part) {
                has_unknown_dependency = true;
                self.report(part.place, "this dependency cannot be traced to a resource");
            }
            let sources = self.heap.sources(from).iter();
            let stated = sources.map(|source| Dependency {
                resource: source.resource,
                state: source.state,
                place: part.place,
                reason: Reason::DependsOn,
            });
            dependencies.extend(stated);
        }
        (dependencies, has_unknown_dependency)
    }

    /// Whether transformations change a resource or its children. They are callbacks on the provider's output, so each
    /// is reported where it is passed.
    fn is_transformed(
        &mut self,
        class: &ResourceClass,
        name: &SmolStr,
        arguments: &ProgramValue,
        options: &ProgramValue,
    ) -> bool {
        let mut given = vec![(options, "transformations"), (options, "transforms")];
        if class.takes_transformations() {
            given.push((arguments, "transformations"));
        }
        let found = given.into_iter().find_map(|(value, key)| {
            let entry = self.heap.entry(value, key)?;
            let is_stated = !self.is_empty(&entry.value) && !entry.value.is_hole();
            is_stated.then_some((key, entry.key_place))
        });
        let Some((key, place)) = found else {
            return false;
        };
        let message = match class {
            ResourceClass::Provider
            | ResourceClass::Existing { .. }
            | ResourceClass::StackReference => return false,
            ResourceClass::Chart(_) => format!(
                "`{name}` changes its chart's objects with `{key}`, which are not evaluated; checks use \
                 the chart as published"
            ),
            ResourceClass::Component
            | ResourceClass::ConfigFile(_)
            | ResourceClass::ConfigGroup(_)
            | ResourceClass::Directory(_) => format!(
                "`{name}` changes its objects with `{key}`, which are not evaluated; the objects are shown \
                 unchanged"
            ),
            _ => format!(
                "`{name}` is changed by `{key}`, which are not evaluated; it is shown unchanged"
            ),
        };
        self.report(place, message);
        true
    }

    /// Whether a value is empty, at any depth. A list may contain itself.
    fn is_empty(&self, value: &ProgramValue) -> bool {
        let mut seen: HashSet<usize> = HashSet::default();
        let mut left = vec![value];
        while let Some(value) = left.pop() {
            match value.kind {
                ValueKind::Array(at) if seen.insert(at) => left.extend(&self.heap.arrays[at]),
                ValueKind::Array(_) => {}
                _ if value.is_nothing() => {}
                _ => return false,
            }
        }
        true
    }

    fn take(&mut self, from: Origins, place: Place, dependencies: &mut Vec<Dependency>) {
        let known: Vec<usize> = dependencies.iter().map(|one| one.resource).collect();
        let sources = self.heap.sources(from).iter();
        let new = sources.filter(|source| !known.contains(&source.resource));
        dependencies.extend(new.map(|source| Dependency {
            resource: source.resource,
            state: source.state,
            place,
            reason: Reason::Output,
        }));
    }

    /// The resource that a value denotes.
    pub fn resource_of(&self, value: &ProgramValue) -> Option<usize> {
        match value.kind {
            ValueKind::Resource(at) => Some(at),
            ValueKind::Instance(at) => self.heap.instances[at].resource,
            _ => None,
        }
    }

    /// Names an object that has no name. Pulumi appends random letters to the resource's name; here the object and its
    /// references use the latter alone.
    fn named(
        &mut self,
        class: &ResourceClass,
        name: &SmolStr,
        arguments: ProgramValue,
        place: Place,
    ) -> ProgramValue {
        if !class.is_object() {
            return arguments;
        }
        let entries = match arguments.kind {
            ValueKind::Object(at) => self.heap.objects[at].clone(),
            ValueKind::Undefined | ValueKind::Null => Vec::new(),
            _ => return arguments,
        };
        let metadata = entries
            .iter()
            .find(|entry| entry.key == "metadata")
            .map(|entry| entry.value.clone());
        let mut inner = match metadata.as_ref().map(|value| &value.kind) {
            Some(ValueKind::Object(at)) => self.heap.objects[*at].clone(),
            Some(ValueKind::Undefined | ValueKind::Null) | None => Vec::new(),
            Some(_) => return arguments,
        };
        let stated = inner
            .iter()
            .find(|entry| entry.key == "name")
            .map(|entry| entry.value.clone());
        let stated = stated.filter(|value| !value.is_nothing());
        let is_named = stated
            .as_ref()
            .is_some_and(|value| self.partial_text(value).is_some());
        if is_named || inner.iter().any(|entry| entry.key == "generateName") {
            return arguments;
        }
        let known = match stated {
            Some(stated) => self.nameless(name, &stated),
            None => ProgramValue::string(name.clone(), place),
        };
        super::evaluator::set(&mut inner, "name".into(), place, known);
        let at = metadata.as_ref().map_or(place, |value| value.place);
        let inner = self.heap.object(inner, at);
        let inner = match metadata {
            Some(before) => self.heap.with(inner, before.from),
            None => inner,
        };
        let mut entries = entries;
        super::evaluator::set(&mut entries, "metadata".into(), at, inner);
        let named = self.heap.object(entries, arguments.place);
        self.heap.with(named, arguments.from)
    }

    /// The name of an object whose stated name is unknown: the hole with the resource's name beside it, so that several
    /// stay distinct.
    fn nameless(&mut self, name: &SmolStr, stated: &ProgramValue) -> ProgramValue {
        let place = stated.place;
        self.report(
            place,
            format!("the name of `{name}` in the cluster cannot be determined"),
        );
        let hole = Hole {
            shape: Some(smol_str::format_smolstr!("…({name})")),
            ..Hole::default()
        };
        let value = self.heap.hole(hole, place);
        self.heap.with(value, stated.from)
    }

    /// The status of a Helm release, as far as its arguments determine it.
    fn release_status(&mut self, at: usize, place: Place) -> ProgramValue {
        let keys = [
            "appVersion",
            "chart",
            "name",
            "namespace",
            "revision",
            "status",
            "version",
        ];
        let entries = keys.iter().map(|key| {
            let value = match *key {
                "name" => self.output(at, key, place),
                "namespace" | "version" => {
                    let stated = self.heap.get(&self.resources[at].arguments, key).cloned();
                    stated
                        .filter(|value| !value.is_nothing())
                        .unwrap_or_else(|| ProgramValue::unknown(place))
                }
                // A chart may be given by path or address.
                "chart" => {
                    let stated = self
                        .heap
                        .text_at(&self.resources[at].arguments, &["chart"])
                        .filter(|chart| !chart.contains('/'));
                    stated.map_or_else(
                        || ProgramValue::unknown(place),
                        |it| ProgramValue::string(it, place),
                    )
                }
                _ => ProgramValue::unknown(place),
            };
            ObjectEntry {
                key: (*key).into(),
                key_place: place,
                value,
            }
        });
        let entries = entries.collect();
        self.heap.object(entries, place)
    }

    /// An output of a resource: mostly the argument of the same name.
    pub fn output(&mut self, at: usize, key: &str, place: Place) -> ProgramValue {
        let made = &self.resources[at];
        let class = made.class.clone();
        let arguments = made.arguments.clone();
        let state = State::Created;
        let skips = self
            .heap
            .get(&arguments, "skipAwait")
            .and_then(ProgramValue::truth);
        if key == "ready" && class.has_ready() && skips != Some(true) {
            return ProgramValue::new(ValueKind::Running(at), place);
        }
        let from = self.heap.only(ValueSource {
            resource: at,
            state,
        });
        let value = match key {
            "status" if class == ResourceClass::Release => self.release_status(at, place),
            "id" | "urn" | "status" => ProgramValue::unknown(place),
            "name" if class.is_release() => {
                let stated = self.heap.get(&arguments, "name").cloned();
                stated
                    .unwrap_or_else(|| ProgramValue::string(self.resources[at].name.clone(), place))
            }
            "data" | "stringData" if class.is_secret() => {
                let hole = Hole {
                    is_secret: true,
                    ..Hole::default()
                };
                self.heap.hole(hole, place)
            }
            _ => {
                let given = self.heap.get(&arguments, key).cloned();
                given.unwrap_or_else(|| ProgramValue::unknown(place))
            }
        };
        let value = if value.is_plain() {
            ProgramValue { place, ..value }
        } else {
            value
        };
        self.heap.with(value, from)
    }
}
