//! Names: lookup in scopes, declaration and assignment.

use super::*;

impl Evaluator<'_, '_> {
    pub(super) fn bind_name(&mut self, scope: usize, name: &SmolStr, value: ProgramValue) {
        self.heap.scopes[scope].names.insert(name.clone(), value);
    }

    pub(super) fn assign_name(&mut self, scope: usize, name: &SmolStr, value: ProgramValue) {
        let mut at = Some(scope);
        while let Some(here) = at {
            let known = self.heap.scopes[here].names.get(name).cloned();
            if let Some(before) = known {
                // After an undecided branch, it is either value.
                let value = if self.heap.scopes[here].doubt < self.doubt {
                    self.merge(before, value)
                } else {
                    value
                };
                self.bind_name(here, name, value);
                return;
            }
            at = self.heap.scopes[here].parent;
        }
    }

    pub(super) fn look_up(&mut self, scope: usize, name: &str, place: Place) -> ProgramValue {
        let mut at = Some(scope);
        while let Some(here) = at {
            if let Some(value) = self.heap.scopes[here].names.get(name) {
                let value = value.clone();
                return self.resolve_late(value);
            }
            at = self.heap.scopes[here].parent;
        }
        if name == "__dirname" {
            let file = self.modules.get(self.here()).map(|module| module.file);
            return ProgramValue::string(self.loader.directory(file), place);
        }
        let package = Package {
            module: "global".into(),
            path: vec![name.into()],
        };
        self.heap.package(package, place)
    }

    /// Resolves a name that did not exist yet when it was imported.
    pub fn resolve_late(&mut self, value: ProgramValue) -> ProgramValue {
        let ValueKind::Bound(at) = value.kind else {
            return value;
        };
        let (this, name) = self.heap.bound[at].clone();
        match this.kind {
            ValueKind::Module(module) => self
                .exported(module, &name, 0)
                .filter(|found| !matches!(found.kind, ValueKind::Bound(again) if again == at))
                .unwrap_or_else(|| ProgramValue::unknown(value.place)),
            _ => value,
        }
    }

    pub(super) fn bind(
        &mut self,
        pattern: &BindingPattern,
        value: ProgramValue,
        scope: usize,
        binding: Binding,
    ) {
        match pattern {
            BindingPattern::Name(name) => {
                let value = self.with_secret_name(name, value);
                match binding {
                    Binding::New => self.bind_name(scope, name, value),
                    Binding::Again => self.assign_name(scope, name, value),
                }
            }
            BindingPattern::Default(inner, default) => {
                let is_optional = self.is_optional(&value);
                let value = if matches!(value.kind, ValueKind::Undefined) || is_optional {
                    self.eval(default, scope)
                } else {
                    value
                };
                self.bind(inner, value, scope, binding);
            }
            BindingPattern::Object { entries, rest } => {
                let mut taken = Vec::new();
                for (key, inner) in entries {
                    let key = self.key(key, scope);
                    let field = match &key {
                        Some(key) => self.member(&value, key, value.place),
                        None => self
                            .heap
                            .with(ProgramValue::unknown(value.place), value.from),
                    };
                    taken.extend(key);
                    self.bind(inner, field, scope, binding);
                }
                if let Some(rest) = rest {
                    let left = match value.kind {
                        ValueKind::Object(at) => {
                            let all = self.heap.objects[at].iter();
                            let left = all
                                .filter(|entry| !taken.contains(&entry.key))
                                .cloned()
                                .collect();
                            self.heap.object(left, value.place)
                        }
                        _ => ProgramValue::unknown(value.place),
                    };
                    let left = self.heap.with(left, value.from);
                    self.bind(rest, left, scope, binding);
                }
            }
            BindingPattern::Array { items, rest } => {
                let known = self.items(&value);
                for (at, inner) in items.iter().enumerate() {
                    let Some(inner) = inner else {
                        continue;
                    };
                    let item = match &known {
                        Some(all) => all
                            .get(at)
                            .cloned()
                            .unwrap_or_else(|| ProgramValue::undefined(value.place)),
                        None => self
                            .heap
                            .with(ProgramValue::unknown(value.place), value.from),
                    };
                    self.bind(inner, item, scope, binding);
                }
                if let Some(rest) = rest {
                    let left = match known {
                        Some(all) => {
                            let left = all.into_iter().skip(items.len()).collect();
                            self.heap.array(left, value.place)
                        }
                        None => self
                            .heap
                            .with(ProgramValue::unknown(value.place), value.from),
                    };
                    self.bind(rest, left, scope, binding);
                }
            }
            BindingPattern::Place(target) => self.assign(target, value, scope),
            BindingPattern::Other => {}
        }
    }

    pub(super) fn key(&mut self, key: &Key, scope: usize) -> Option<SmolStr> {
        match key {
            Key::Text(text) => Some(text.clone()),
            Key::Computed(expression) => {
                let value = self.eval(expression, scope);
                self.text(&value)
            }
        }
    }

    pub(super) fn assign(&mut self, target: &Expr, value: ProgramValue, scope: usize) {
        let (object, key) = match &target.kind {
            ExprKind::Member { object, key } => (self.eval(object, scope), Some(key.clone())),
            ExprKind::Index { object, key } => {
                let object = self.eval(object, scope);
                let key = self.eval(key, scope);
                (object, self.text(&key))
            }
            _ => return,
        };
        let Some(key) = key else {
            return;
        };
        let before = if self.doubt > 0 {
            let before = self.member(&object, &key, target.place);
            (!before.is_nothing()).then_some(before)
        } else {
            None
        };
        let value = match before {
            Some(before) => self.merge(before, value),
            None => value,
        };
        let entries = match object.kind {
            ValueKind::Object(at) => &mut self.heap.objects[at],
            ValueKind::Instance(at) => &mut self.heap.instances[at].fields,
            ValueKind::Class(at) => &mut self.heap.classes[at].statics,
            ValueKind::Array(at) => {
                let array = &mut self.heap.arrays[at];
                if let Ok(index) = key.parse::<usize>()
                    && index < array.len()
                {
                    array[index] = value;
                }
                return;
            }
            ValueKind::Package(at) => {
                // `module.exports = …` and `exports.x = …` of CommonJS.
                let package = self.heap.packages[at].clone();
                self.export_of_script(&package, key, value);
                return;
            }
            _ => return,
        };
        set(entries, key, target.place, value);
    }

    /// Handles `lazyLoad(exports, ["A"], () => require("./a"))`, as generated packages write it: names that another
    /// file provides on first use.
    pub(super) fn export_late(&mut self, arguments: &[ProgramValue]) -> bool {
        let [target, names, load, ..] = arguments else {
            return false;
        };
        let is_own = matches!(target.kind, ValueKind::Package(at) if {
            let package = &self.heap.packages[at];
            package.module == "global" && package.path == ["exports"]
        });
        let here = self.here();
        let (ValueKind::Array(names), true) = (&names.kind, is_own && here < self.modules.len())
        else {
            return false;
        };
        let names = self.heap.arrays[*names]
            .iter()
            .filter_map(ProgramValue::text);
        let late = names.map(|name| (name.clone(), Export::Late(load.clone())));
        self.modules[here].exports.extend(late);
        true
    }

    pub(super) fn export_of_script(
        &mut self,
        package: &Package,
        key: SmolStr,
        value: ProgramValue,
    ) {
        let path: Vec<&str> = package.path.iter().map(SmolStr::as_str).collect();
        let here = self.here();
        if package.module != "global" || self.modules.get(here).is_none() {
            return;
        }
        let name: SmolStr = match (path.as_slice(), key.as_str()) {
            (["module"], "exports") => "default".into(),
            (["exports"] | ["module", "exports"], _) => key,
            _ => return,
        };
        self.modules[here]
            .exports
            .push((name, Export::Value(value)));
    }
}
