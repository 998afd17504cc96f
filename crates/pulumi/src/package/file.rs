//! Files and directories of the repo that a program reads.

use std::collections::BTreeMap;

use super::*;
use base::FileId;

/// Maximum number of entries in a directory listing.
const MAX_LISTED: usize = 1_000;

impl Evaluator<'_, '_> {
    pub(super) fn read_file(&mut self, path: &ProgramValue, place: Place) -> ProgramValue {
        let found = self.text(path).and_then(|text| {
            let path = self.repo_path(&text)?;
            self.loader.files.file(&path)
        });
        let hole = Hole {
            file: found,
            ..Hole::default()
        };
        self.heap.hole(hole, place)
    }

    /// Whether a path exists. A file that is not in the repo may exist when the program runs.
    pub(super) fn exists(&mut self, path: &ProgramValue, place: Place) -> ProgramValue {
        let path = self.text(path).and_then(|text| self.repo_path(&text));
        let files = self.loader.files;
        let is_there = path.is_some_and(|path| files.is_dir(&path) || files.file(&path).is_some());
        if is_there {
            ProgramValue::new(ValueKind::Bool(true), place)
        } else {
            ProgramValue::unknown(place)
        }
    }

    /// The names in a directory, or its entries with types.
    pub(super) fn list_directory(
        &mut self,
        path: &ProgramValue,
        options: Option<&ProgramValue>,
        place: Place,
    ) -> ProgramValue {
        let path = self.text(path).and_then(|text| self.repo_path(&text));
        let files = self.loader.files;
        let Some(path) = path.filter(|path| files.is_dir(path)) else {
            return ProgramValue::unknown(place);
        };
        let typed = options.and_then(|options| self.heap.get(options, "withFileTypes"));
        let is_typed = typed.and_then(ProgramValue::truth) == Some(true);
        let is_deep = options.and_then(|options| self.heap.get(options, "recursive"));
        if is_deep.is_some() {
            return ProgramValue::unknown(place);
        }
        let mut names: BTreeMap<SmolStr, bool> = BTreeMap::new();
        for file in files.below(&path) {
            let whole = files.path(file).as_str();
            let below = match path.as_str() {
                "" => Some(whole),
                parent => whole
                    .strip_prefix(parent)
                    .and_then(|rest| rest.strip_prefix('/')),
            };
            let Some(below) = below else {
                continue;
            };
            match below.split_once('/') {
                Some((directory, _)) => names.insert(directory.into(), true),
                None => names.insert(below.into(), false),
            };
            if names.len() > MAX_LISTED {
                return ProgramValue::unknown(place);
            }
        }
        let mut items = Vec::with_capacity(names.len());
        for (name, is_directory) in names {
            let text = ProgramValue::string(name, place);
            if !is_typed {
                items.push(text);
                continue;
            }
            let entry = |key: &str, value: ProgramValue| ObjectEntry {
                key: key.into(),
                key_place: place,
                value,
            };
            let entries = vec![
                entry("name", text),
                entry(
                    "isDirectory",
                    ProgramValue::new(ValueKind::Bool(is_directory), place),
                ),
                entry(
                    "isFile",
                    ProgramValue::new(ValueKind::Bool(!is_directory), place),
                ),
            ];
            items.push(self.heap.object(entries, place));
        }
        self.heap.array(items, place)
    }

    /// The content of a data file that the program imports.
    pub fn load_data(&mut self, file: FileId, place: Place) -> ProgramValue {
        self.loader.used.insert(file);
        match self.loader.data.document(file) {
            Some(node) => self.value_of(node),
            None => ProgramValue::unknown(place),
        }
    }

    pub(super) fn parse_file(&mut self, value: &ProgramValue, place: Place) -> ProgramValue {
        let file = match value.kind {
            ValueKind::Hole(at) => self.heap.holes[at].file,
            _ => None,
        };
        match file {
            Some(file) => self.load_data(file, place),
            None => self.heap.with(ProgramValue::unknown(place), value.from),
        }
    }

    /// A YAML node as a value of the program.
    pub fn value_of(&mut self, node: &Node) -> ProgramValue {
        use yaml::Value;
        let place = node.place;
        if !self.take_steps(1, place) {
            return ProgramValue::unknown(place);
        }
        match &node.value {
            Value::Scalar(scalar) if scalar.text == base::MARKER => {
                let hole = Hole {
                    is_secret: true,
                    ..Hole::default()
                };
                self.heap.hole(hole, place)
            }
            Value::Scalar(scalar) => {
                let kind = match scalar.kind() {
                    ScalarKind::Null => ValueKind::Null,
                    ScalarKind::Bool(value) => ValueKind::Bool(value),
                    ScalarKind::Int(value) => ValueKind::Number(value as f64),
                    ScalarKind::Float(value) => ValueKind::Number(value),
                    ScalarKind::Str(text) => ValueKind::Text(text.into()),
                };
                ProgramValue::new(kind, place)
            }
            Value::Seq(items) => {
                let items = items.iter().map(|item| self.value_of(item)).collect();
                self.heap.array(items, place)
            }
            Value::Map(map) => {
                let entries = map.0.iter().map(|entry| ObjectEntry {
                    key: entry.key.clone(),
                    key_place: entry.key_place,
                    value: self.value_of(&entry.value),
                });
                let entries = entries.collect();
                self.heap.object(entries, place)
            }
        }
    }
}
