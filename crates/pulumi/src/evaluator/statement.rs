//! Executes statements: declarations, branches and loops.

use super::*;

impl Evaluator<'_, '_> {
    pub(super) fn block(&mut self, body: &[Stmt], scope: usize) -> Completion {
        // Functions and classes are hoisted: they may be used before their declaration.
        for statement in body {
            let inner = match statement {
                Stmt::Export(inner) => inner,
                other => other,
            };
            match inner {
                Stmt::Function(function) => {
                    let value = self.closure(function, scope);
                    self.bind_name(scope, &function.name, value);
                }
                Stmt::ExportDefault(Expr {
                    kind: ExprKind::Function(function),
                    ..
                }) if !function.name.is_empty() => {
                    let value = self.closure(function, scope);
                    self.bind_name(scope, &function.name, value);
                }
                Stmt::Import { from, names, place } => {
                    self.import_names(from, names, *place, scope)
                }
                _ => {}
            }
        }
        for statement in body {
            match self.statement(statement, scope) {
                Completion::Next => {}
                other => return other,
            }
        }
        Completion::Next
    }

    pub(super) fn import_names(
        &mut self,
        from: &str,
        names: &[(Imported, SmolStr)],
        place: Place,
        scope: usize,
    ) {
        let module = self.import(from, place);
        for (imported, local) in names {
            let value = match imported {
                Imported::All => module.clone(),
                Imported::Default => match module.kind {
                    ValueKind::Module(at) => self
                        .exported(at, "default", 0)
                        .unwrap_or_else(|| self.late_binding(&module, "default")),
                    _ => module.clone(),
                },
                Imported::Name(name) => match module.kind {
                    ValueKind::Module(at) => self
                        .exported(at, name, 0)
                        .unwrap_or_else(|| self.late_binding(&module, name)),
                    _ => self.member(&module, name, place),
                },
            };
            self.bind_name(scope, local, value);
        }
    }

    /// A name of a file that is still being evaluated: it is looked up when it is used.
    pub(super) fn late_binding(&mut self, module: &ProgramValue, name: &str) -> ProgramValue {
        self.heap.bound(module.clone(), name.into(), module.place)
    }

    pub(super) fn inner(&mut self, body: &[Stmt], scope: usize) -> Completion {
        let scope = self.heap.scope(Some(scope), self.doubt);
        self.block(body, scope)
    }

    pub(super) fn statement(&mut self, statement: &Stmt, scope: usize) -> Completion {
        if self.is_over() {
            return Completion::Stop;
        }
        match statement {
            Stmt::Expr(expression) => {
                self.eval(expression, scope);
                if is_exit(expression) {
                    return Completion::Stop;
                }
            }
            Stmt::Declare(all) => {
                for (pattern, value) in all {
                    let value = match value {
                        Some(value) => self.eval(value, scope),
                        None => ProgramValue::undefined(Place::default()),
                    };
                    self.bind(pattern, value, scope, Binding::New);
                }
            }
            Stmt::Function(_) | Stmt::Import { .. } => {}
            Stmt::Class(class) => {
                let value = self.class(class, scope);
                self.bind_name(scope, &class.name, value);
            }
            Stmt::Enum {
                name,
                members,
                place,
            } => {
                let mut next = 0.0;
                let mut entries = Vec::new();
                for (key, value) in members.iter().take(MAX_KEYS) {
                    let value = match value {
                        Some(value) => self.eval(value, scope),
                        None => ProgramValue::new(ValueKind::Number(next), *place),
                    };
                    if let ValueKind::Number(number) = value.kind {
                        next = number + 1.0;
                    }
                    entries.push(ObjectEntry {
                        key: key.clone(),
                        key_place: *place,
                        value,
                    });
                }
                let object = self.heap.object(entries, *place);
                self.bind_name(scope, name, object);
            }
            Stmt::Return(value, place) => {
                let value = match value {
                    Some(value) => self.eval(value, scope),
                    None => ProgramValue::undefined(*place),
                };
                return Completion::Return(value);
            }
            Stmt::If { test, yes, no } => return self.branch(test, yes, no, scope),
            Stmt::For {
                start,
                test,
                next,
                body,
                place,
            } => {
                let scope = self.heap.scope(Some(scope), self.doubt);
                for statement in start {
                    self.statement(statement, scope);
                }
                return self.turns(
                    test.as_ref(),
                    next.as_ref(),
                    body,
                    scope,
                    *place,
                    LoopTest::First,
                );
            }
            Stmt::While { test, body, runs } => {
                return self.turns(Some(test), None, body, scope, test.place, *runs);
            }
            Stmt::ForOf {
                pattern,
                over,
                body,
            } => {
                let value = self.eval(over, scope);
                return self.for_each(pattern, value, body, scope, over.place);
            }
            Stmt::ForIn {
                pattern,
                over,
                body,
            } => {
                let value = self.eval(over, scope);
                let keys = self.keys(&value, over.place);
                return self.for_each(pattern, keys, body, scope, over.place);
            }
            Stmt::Switch { on, cases } => return self.switch(on, cases, scope),
            Stmt::Try { block, finally } => {
                let flow = self.inner(block, scope);
                self.inner(finally, scope);
                // An exception is caught, so the code after it is reached.
                return match flow {
                    Completion::Stop if !self.is_over() => Completion::Next,
                    other => other,
                };
            }
            Stmt::Block(body) => return self.inner(body, scope),
            Stmt::Throw => return Completion::Stop,
            Stmt::Break => return Completion::Break,
            Stmt::Continue => return Completion::Continue,
            Stmt::Export(inner) => return self.statement(inner, scope),
            Stmt::ExportDefault(value) => {
                let value = self.eval(value, scope);
                let at = self.here();
                if let Some(module) = self.modules.get_mut(at) {
                    module
                        .exports
                        .push(("default".into(), Export::Value(value)));
                }
            }
            Stmt::ExportNames { from, names, place } => {
                let module = from.as_ref().map(|from| self.import(from, *place));
                let at = self.here();
                for (local, name) in names {
                    let export = match &module {
                        Some(module) => Export::Of(module.clone(), local.clone()),
                        None => Export::Local(local.clone()),
                    };
                    self.modules[at].exports.push((name.clone(), export));
                }
            }
            Stmt::ExportAll { from, under, place } => {
                let module = self.import(from, *place);
                let at = self.here();
                match under {
                    Some(name) => {
                        let export = (name.clone(), Export::Value(module));
                        self.modules[at].exports.push(export);
                    }
                    None => self.modules[at].all_of.push(module),
                }
            }
            Stmt::Other(what, place) => {
                self.report(
                    *place,
                    format!("{what} is not supported; resources created there are missing from the catalogue"),
                );
            }
        }
        Completion::Next
    }

    pub(super) fn branch(
        &mut self,
        test: &Expr,
        yes: &[Stmt],
        no: &[Stmt],
        scope: usize,
    ) -> Completion {
        let decided = self.eval(test, scope).truth();
        match decided {
            Some(true) => self.inner(yes, scope),
            Some(false) => self.inner(no, scope),
            None => {
                let before = self.resources.len();
                self.doubt += 1;
                let first = self.inner(yes, scope);
                let second = self.inner(no, scope);
                self.doubt -= 1;
                self.say_undecided(before, test.place);
                self.merge_flow(first, second)
            }
        }
    }

    pub(super) fn say_undecided(&mut self, before: usize, place: Place) {
        if self.resources.len() > before {
            self.report(
                place,
                "this condition is not known here; the resources of both branches are shown",
            );
        }
    }

    /// Control flow after an undecided branch.
    pub(super) fn merge_flow(&mut self, first: Completion, second: Completion) -> Completion {
        match (first, second) {
            (Completion::Return(a), Completion::Return(b)) => Completion::Return(self.merge(a, b)),
            (Completion::Return(value), other) | (other, Completion::Return(value)) => {
                if let Some(frame) = self.frames.last_mut() {
                    frame.maybe.push(value);
                }
                match other {
                    Completion::Stop => Completion::Stop,
                    _ => Completion::Next,
                }
            }
            (Completion::Stop, Completion::Stop) => Completion::Stop,
            (Completion::Break, Completion::Break) => Completion::Break,
            _ => Completion::Next,
        }
    }

    pub(super) fn switch(
        &mut self,
        on: &Expr,
        cases: &[(Option<Expr>, Vec<Stmt>)],
        scope: usize,
    ) -> Completion {
        let value = self.eval(on, scope);
        let scope = self.heap.scope(Some(scope), self.doubt);
        if value.is_hole() {
            let before = self.resources.len();
            self.doubt += 1;
            for (_, body) in cases {
                if let Completion::Return(value) = self.block(body, scope)
                    && let Some(frame) = self.frames.last_mut()
                {
                    frame.maybe.push(value);
                }
            }
            self.doubt -= 1;
            self.say_undecided(before, on.place);
            return Completion::Next;
        }
        let mut taken = None;
        for (at, (test, _)) in cases.iter().enumerate() {
            let Some(test) = test else {
                continue;
            };
            let test = self.eval(test, scope);
            if self.equal(&value, &test) == Some(true) {
                taken = Some(at);
                break;
            }
        }
        let default = || cases.iter().position(|(test, _)| test.is_none());
        let Some(first) = taken.or_else(default) else {
            return Completion::Next;
        };
        for (_, body) in &cases[first..] {
            match self.block(body, scope) {
                Completion::Next => {}
                Completion::Break => return Completion::Next,
                other => return other,
            }
        }
        Completion::Next
    }

    pub(super) fn turns(
        &mut self,
        test: Option<&Expr>,
        next: Option<&Expr>,
        body: &[Stmt],
        scope: usize,
        place: Place,
        runs: LoopTest,
    ) -> Completion {
        for turn in 0.. {
            let looks = turn > 0 || runs == LoopTest::First;
            if let (Some(test), true) = (test, looks) {
                match self.eval(test, scope).truth() {
                    Some(true) => {}
                    Some(false) => break,
                    None => return self.once(body, scope, test.place),
                }
            }
            if !self.step(place) {
                break;
            }
            if turn >= MAX_TURNS {
                self.report(
                    place,
                    format!(
                        "this loop is evaluated for {turn} iterations; resources created later are \
                             missing from the catalogue"
                    ),
                );
                break;
            }
            match self.inner(body, scope) {
                Completion::Next | Completion::Continue => {}
                Completion::Break => break,
                other => return other,
            }
            if let Some(next) = next {
                self.eval(next, scope);
            }
        }
        Completion::Next
    }

    /// Runs a loop once if the number of iterations is unknown.
    pub(super) fn once(&mut self, body: &[Stmt], scope: usize, place: Place) -> Completion {
        let before = self.resources.len();
        self.doubt += 1;
        let flow = self.inner(body, scope);
        self.doubt -= 1;
        self.say_often(before, place);
        match flow {
            Completion::Return(value) => {
                self.merge_flow(Completion::Return(value), Completion::Next)
            }
            _ => Completion::Next,
        }
    }

    pub fn say_often(&mut self, before: usize, place: Place) {
        if self.resources.len() > before {
            self.report(
                place,
                "the number of iterations is not known here; the resources are shown once",
            );
        }
    }

    pub(super) fn for_each(
        &mut self,
        pattern: &BindingPattern,
        over: ProgramValue,
        body: &[Stmt],
        scope: usize,
        place: Place,
    ) -> Completion {
        let Some(items) = self.items(&over) else {
            let inner = self.heap.scope(Some(scope), self.doubt + 1);
            let one = self.heap.with(ProgramValue::unknown(place), over.from);
            self.bind(pattern, one, inner, Binding::New);
            return self.once(body, inner, place);
        };
        for item in items {
            if !self.step(place) {
                break;
            }
            let inner = self.heap.scope(Some(scope), self.doubt);
            self.bind(pattern, item, inner, Binding::New);
            match self.inner(body, inner) {
                Completion::Next | Completion::Continue => {}
                Completion::Break => break,
                other => return other,
            }
        }
        Completion::Next
    }

    /// The elements of an array; `None` if they are unknown.
    pub fn items(&mut self, value: &ProgramValue) -> Option<Vec<ProgramValue>> {
        match value.kind {
            ValueKind::Array(at) => {
                let items = self.heap.arrays[at].clone();
                let from = value.from;
                Some(
                    items
                        .into_iter()
                        .map(|item| self.heap.with(item, from))
                        .collect(),
                )
            }
            ValueKind::Undefined | ValueKind::Null => Some(Vec::new()),
            _ => None,
        }
    }

    /// The elements that iterating over a value gives; the characters of a text.
    pub fn iterated(&mut self, value: &ProgramValue) -> Option<Vec<ProgramValue>> {
        let ValueKind::Text(text) = &value.kind else {
            return self.items(value);
        };
        let mut characters = Vec::new();
        for character in text.chars() {
            let text = smol_str::format_smolstr!("{character}");
            characters.push(ProgramValue {
                kind: ValueKind::Text(text),
                ..value.clone()
            });
        }
        Some(characters)
    }

    pub fn keys(&mut self, value: &ProgramValue, place: Place) -> ProgramValue {
        let keys = match value.kind {
            ValueKind::Object(at) => {
                let keys = self.heap.objects[at].iter();
                keys.map(|entry| ProgramValue::string(entry.key.clone(), entry.key_place))
                    .collect()
            }
            // The keys of an array are its positions, as texts.
            ValueKind::Array(at) => {
                let positions = 0..self.heap.arrays[at].len();
                let key = |position: usize| smol_str::format_smolstr!("{position}");
                positions
                    .map(|position| ProgramValue::string(key(position), place))
                    .collect()
            }
            _ => return self.heap.with(ProgramValue::unknown(place), value.from),
        };
        self.heap.array(keys, place)
    }
}
