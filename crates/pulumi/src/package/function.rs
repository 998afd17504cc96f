//! Functions of packages and globals whose result can be computed.

use super::*;

impl Evaluator<'_, '_> {
    /// Calls a function of a package.
    pub fn call_package(
        &mut self,
        package: &Package,
        arguments: Vec<ProgramValue>,
        place: Place,
    ) -> ProgramValue {
        let path: Vec<&str> = package.path.iter().map(SmolStr::as_str).collect();
        let first = arguments
            .first()
            .cloned()
            .unwrap_or_else(|| ProgramValue::undefined(place));
        match (package.module.as_str(), path.as_slice()) {
            ("global", path) => self.call_global(path, first, arguments, place),
            ("@pulumi/pulumi", ["getStack"]) => match &self.stack.name {
                Some(name) => ProgramValue::string(name.clone(), place),
                None => ProgramValue::unknown(place),
            },
            ("@pulumi/pulumi", ["getProject"]) => {
                ProgramValue::string(self.project.name.clone(), place)
            }
            ("@pulumi/pulumi", ["output" | "unsecret" | "all"]) => first,
            ("@pulumi/pulumi", ["secret"]) => {
                let from = self.sources_within(&first);
                let hole = Hole {
                    is_secret: true,
                    ..Hole::default()
                };
                let value = self.heap.hole(hole, place);
                self.heap.with(value, from)
            }
            ("@pulumi/pulumi", ["concat"]) => self.concat(arguments, place),
            ("@pulumi/pulumi", ["mergeOptions"]) => self.merge_options(arguments, place),
            ("@pulumi/pulumi", ["log", ..]) => ProgramValue::undefined(place),
            (
                "@pulumi/pulumi",
                [
                    "runtime",
                    function @ ("registerStackTransformation"
                    | "registerStackTransform"
                    | "registerResourceTransform"),
                ],
            ) => {
                let message = format!(
                    "`{function}` transforms the program's resources, which is not supported; they are \
                     shown untransformed"
                );
                self.report(place, message);
                ProgramValue::undefined(place)
            }
            ("@pulumi/pulumi", _) => {
                let from = self.sources_within(&first);
                self.heap.with(ProgramValue::unknown(place), from)
            }
            ("path", ["join" | "resolve", ..]) => self.join_path(arguments, place),
            ("fs", ["readFileSync"]) | ("fs", ["promises", "readFile"]) => {
                self.read_file(&first, place)
            }
            ("fs", ["existsSync"]) => self.exists(&first, place),
            ("fs", ["readdirSync"]) => {
                let options = arguments.get(1).cloned();
                self.list_directory(&first, options.as_ref(), place)
            }
            ("js-yaml", ["load" | "loadAll" | "safeLoad"])
            | ("yaml", ["parse" | "parseDocument"]) => self.parse_file(&first, place),
            (_, [class @ .., "get"]) => {
                let of = Package {
                    module: package.module.clone(),
                    path: class.iter().map(|part| SmolStr::from(*part)).collect(),
                };
                match class_of(&of) {
                    Some(found) => {
                        let kind = match found {
                            ResourceClass::Object { kind, .. } | ResourceClass::Other { kind } => {
                                kind
                            }
                            _ => SmolStr::default(),
                        };
                        let options = arguments.into_iter().nth(2);
                        let empty = ProgramValue::undefined(place);
                        let class = ResourceClass::Existing { kind };
                        match self.register(class, Some(first), empty, options, place) {
                            Some(at) => ProgramValue::new(ValueKind::Resource(at), place),
                            None => ProgramValue::unknown(place),
                        }
                    }
                    None => ProgramValue::unknown(place),
                }
            }
            (module, _) if module.starts_with("@pulumi/") => {
                let from = arguments.iter().fold(NOTHING, |from, argument| {
                    let inside = self.sources_within(argument);
                    self.heap.join(from, inside)
                });
                self.heap.with(ProgramValue::unknown(place), from)
            }
            _ => {
                let function = ProgramValue::unknown(place);
                self.call_unknown(&function, arguments, place)
            }
        }
    }

    pub(super) fn call_global(
        &mut self,
        path: &[&str],
        first: ProgramValue,
        arguments: Vec<ProgramValue>,
        place: Place,
    ) -> ProgramValue {
        match path {
            ["require"] => match first.text().cloned() {
                Some(from) => {
                    let file = self.current_file();
                    let resolved = self.loader.resolve(&from, file);
                    self.load(resolved, place)
                }
                None => ProgramValue::unknown(place),
            },
            ["console", ..] => ProgramValue::undefined(place),
            ["String"] => match self.text(&first) {
                Some(text) => ProgramValue::string(text, place),
                None => first,
            },
            ["Number" | "parseInt" | "parseFloat"] => {
                let number = self
                    .text(&first)
                    .and_then(|text| text.trim().parse::<f64>().ok());
                let kind = number.map_or(ValueKind::Hole(0), ValueKind::Number);
                let from = first.from;
                ProgramValue { kind, place, from }
            }
            ["Boolean"] => {
                let kind = first.truth().map_or(ValueKind::Hole(0), ValueKind::Bool);
                let from = first.from;
                ProgramValue { kind, place, from }
            }
            ["Promise", "all" | "resolve" | "allSettled"] => first,
            ["Object", "keys"] => self.keys(&first, place),
            ["Object", "values"] => self.entries(&first, place, ListingShape::Values),
            ["Object", "entries"] => self.entries(&first, place, ListingShape::Pairs),
            ["Object", "freeze" | "seal"] => first,
            ["Object", "assign"] => self.merge_options(arguments, place),
            ["Object", "fromEntries"] => {
                let Some(pairs) = self.items(&first) else {
                    return self.heap.with(ProgramValue::unknown(place), first.from);
                };
                let mut entries = Vec::new();
                for pair in pairs {
                    let pair = self.items(&pair).unwrap_or_default();
                    if let [key, value, ..] = pair.as_slice()
                        && let Some(text) = self.text(key)
                    {
                        super::super::evaluator::set(&mut entries, text, key.place, value.clone());
                    }
                }
                self.heap.object(entries, place)
            }
            ["Array", "isArray"] => {
                let kind = match first.kind {
                    ValueKind::Array(_) => ValueKind::Bool(true),
                    ValueKind::Hole(_) => ValueKind::Hole(0),
                    _ => ValueKind::Bool(false),
                };
                ProgramValue::new(kind, place)
            }
            ["Array", "from"] => {
                let length = match self.heap.get(&first, "length").map(|length| &length.kind) {
                    Some(ValueKind::Number(length)) if (0.0..1_000.0).contains(length) => {
                        Some(*length as usize)
                    }
                    _ => None,
                };
                let items = match length {
                    Some(length) => Some(vec![ProgramValue::undefined(place); length]),
                    None => self.iterated(&first),
                };
                match (items, arguments.get(1)) {
                    (Some(items), Some(function)) => {
                        let array = self.heap.array(items, place);
                        self.call_method(array, "map", vec![function.clone()], place)
                    }
                    (Some(items), None) => self.heap.array(items, place),
                    (None, _) => self.heap.with(ProgramValue::unknown(place), first.from),
                }
            }
            ["JSON", "parse"] => self.parse_file(&first, place),
            ["process", "cwd"] => {
                let root = smol_str::format_smolstr!("{ROOT}{}", self.project.root);
                ProgramValue::string(root, place)
            }
            _ => {
                let from = self.sources_within(&first);
                self.heap.with(ProgramValue::unknown(place), from)
            }
        }
    }

    pub(super) fn entries(
        &mut self,
        value: &ProgramValue,
        place: Place,
        shape: ListingShape,
    ) -> ProgramValue {
        let entries = match value.kind {
            ValueKind::Object(at) => self.heap.objects[at].clone(),
            ValueKind::Array(at) => {
                let items = self.heap.arrays[at].iter().enumerate();
                let entry = |(position, item): (usize, &ProgramValue)| ObjectEntry {
                    key: smol_str::format_smolstr!("{position}"),
                    key_place: item.place,
                    value: item.clone(),
                };
                items.map(entry).collect()
            }
            _ => return self.heap.with(ProgramValue::unknown(place), value.from),
        };
        let mut items = Vec::with_capacity(entries.len());
        for entry in entries {
            let item = match shape {
                ListingShape::Values => entry.value,
                ListingShape::Pairs => {
                    let key = ProgramValue::string(entry.key, entry.key_place);
                    self.heap.array(vec![key, entry.value], entry.key_place)
                }
            };
            items.push(item);
        }
        let array = self.heap.array(items, place);
        self.heap.with(array, value.from)
    }

    /// Merges resource options: dependencies are concatenated, other options are overridden.
    pub(super) fn merge_options(
        &mut self,
        arguments: Vec<ProgramValue>,
        place: Place,
    ) -> ProgramValue {
        let mut entries: Vec<ObjectEntry> = Vec::new();
        for argument in &arguments {
            let ValueKind::Object(at) = argument.kind else {
                continue;
            };
            for entry in self.heap.objects[at].clone() {
                let before = entries.iter().find(|other| other.key == entry.key);
                let value = match before.filter(|_| entry.key == "dependsOn") {
                    Some(before) => {
                        let both = [before.clone(), entry.clone()];
                        self.merged(both, entry.key_place)
                    }
                    None => entry.value,
                };
                super::super::evaluator::set(&mut entries, entry.key, entry.key_place, value);
            }
        }
        self.heap.object(entries, place)
    }

    /// Concatenates two lists; each part keeps its place.
    fn merged(&mut self, both: [ObjectEntry; 2], place: Place) -> ProgramValue {
        let mut parts = Vec::new();
        for entry in both {
            match entry.value.kind {
                ValueKind::Array(at) if self.heap.merged.contains(&at) => {
                    parts.extend(self.heap.arrays[at].iter().cloned());
                }
                _ => parts.push(ProgramValue {
                    place: entry.key_place,
                    ..entry.value
                }),
            }
        }
        let merged = self.heap.array(parts, place);
        if let ValueKind::Array(at) = merged.kind {
            self.heap.merged.insert(at);
        }
        merged
    }

    pub(super) fn join_path(&mut self, arguments: Vec<ProgramValue>, place: Place) -> ProgramValue {
        let mut joined = String::new();
        for argument in &arguments {
            let Some(part) = self.text(argument) else {
                return ProgramValue::unknown(place);
            };
            if part.starts_with(ROOT) {
                joined = part.to_string()
            } else {
                if !joined.is_empty() && joined != ROOT {
                    joined.push('/');
                }
                joined.push_str(&part);
            }
            if joined.len() > 4_096 {
                return ProgramValue::unknown(place);
            }
        }
        ProgramValue::string(joined, place)
    }
}
