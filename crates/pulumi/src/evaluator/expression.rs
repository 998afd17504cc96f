//! Evaluates expressions to values, which may be unknown.

use super::*;

impl Evaluator<'_, '_> {
    pub fn eval(&mut self, expression: &Expr, scope: usize) -> ProgramValue {
        if self.depth >= self.most_depth {
            self.report(expression.place, "this is nested too deeply and is skipped");
            return ProgramValue::unknown(expression.place);
        }
        if !self.step(expression.place) {
            return ProgramValue::unknown(expression.place);
        }
        self.depth += 1;
        let value = self.eval_within(expression, scope);
        self.depth -= 1;
        value
    }

    pub(super) fn eval_within(&mut self, expression: &Expr, scope: usize) -> ProgramValue {
        let place = expression.place;
        match &expression.kind {
            ExprKind::Undefined => ProgramValue::undefined(place),
            ExprKind::Null => ProgramValue::new(ValueKind::Null, place),
            ExprKind::Bool(value) => ProgramValue::new(ValueKind::Bool(*value), place),
            ExprKind::Number(value) => ProgramValue::new(ValueKind::Number(*value), place),
            ExprKind::Text(text) => ProgramValue::string(text.clone(), place),
            ExprKind::Template(template) => self.template(template, place, scope),
            ExprKind::Tagged { tag, template } => {
                self.eval(tag, scope);
                self.template(template, place, scope)
            }
            ExprKind::Array(items) => {
                let items = self.list(items, scope);
                self.heap.array(items, place)
            }
            ExprKind::Object(properties) => self.object(properties, place, scope),
            ExprKind::Name(name) => self.look_up(scope, name, place),
            ExprKind::This => self
                .frames
                .last()
                .and_then(|frame| frame.this.clone())
                .unwrap_or_else(|| ProgramValue::undefined(place)),
            ExprKind::Super => ProgramValue::unknown(place),
            ExprKind::Member { object, key } => {
                let object = self.eval(object, scope);
                self.member(&object, key, place)
            }
            ExprKind::Index { object, key } => {
                let object = self.eval(object, scope);
                let key = self.eval(key, scope);
                match self.text(&key) {
                    Some(key) => self.member(&object, &key, place),
                    None => {
                        let from = self.heap.join(object.from, key.from);
                        let inside = self.sources_within(&object);
                        let from = self.heap.join(from, inside);
                        self.heap.with(ProgramValue::unknown(place), from)
                    }
                }
            }
            ExprKind::Call { callee, arguments } => self.call(callee, arguments, place, scope),
            ExprKind::New { class, arguments } => {
                let class = self.eval(class, scope);
                let arguments = self.list(arguments, scope);
                self.make(class, arguments, place)
            }
            ExprKind::Function(function) => self.closure(function, scope),
            ExprKind::Class(class) => {
                let value = self.class(class, scope);
                if !class.name.is_empty() {
                    self.bind_name(scope, &class.name, value.clone());
                }
                value
            }
            ExprKind::Conditional { test, yes, no } => {
                let decided = self.eval(test, scope).truth();
                match decided {
                    Some(true) => self.eval(yes, scope),
                    Some(false) => self.eval(no, scope),
                    None => {
                        let before = self.resources.len();
                        self.doubt += 1;
                        let first = self.eval(yes, scope);
                        let second = self.eval(no, scope);
                        self.doubt -= 1;
                        self.say_undecided(before, test.place);
                        self.merge(first, second)
                    }
                }
            }
            ExprKind::Logical {
                operator,
                left,
                right,
            } => self.logical(*operator, left, right, scope),
            ExprKind::Binary {
                operator,
                left,
                right,
            } => {
                let left = self.eval(left, scope);
                let right = self.eval(right, scope);
                self.binary(*operator, left, right, place)
            }
            ExprKind::Unary { operator, operand } => {
                let value = self.eval(operand, scope);
                let kind = match (operator, &value.kind) {
                    (Unary::Not, _) => match value.truth() {
                        Some(truth) => ValueKind::Bool(!truth),
                        None => ValueKind::Hole(0),
                    },
                    (Unary::Minus, ValueKind::Number(number)) => ValueKind::Number(-number),
                    (Unary::Plus, ValueKind::Number(number)) => ValueKind::Number(*number),
                    (Unary::Plus, ValueKind::Text(text)) => match text.parse() {
                        Ok(number) => ValueKind::Number(number),
                        Err(_) => ValueKind::Hole(0),
                    },
                    (Unary::Void, _) => ValueKind::Undefined,
                    (Unary::TypeOf, ValueKind::Text(_)) => ValueKind::Text("string".into()),
                    (Unary::TypeOf, ValueKind::Undefined) => ValueKind::Text("undefined".into()),
                    (Unary::TypeOf, ValueKind::Number(_)) => ValueKind::Text("number".into()),
                    (Unary::TypeOf, ValueKind::Bool(_)) => ValueKind::Text("boolean".into()),
                    (Unary::TypeOf, ValueKind::Object(_) | ValueKind::Array(_)) => {
                        ValueKind::Text("object".into())
                    }
                    (Unary::TypeOf, ValueKind::Function(_)) => ValueKind::Text("function".into()),
                    _ => ValueKind::Hole(0),
                };
                ProgramValue {
                    kind,
                    place,
                    from: value.from,
                }
            }
            ExprKind::Assign {
                target,
                operator,
                value,
            } => {
                let value = match operator {
                    Assign::Plain => self.eval(value, scope),
                    other => {
                        let before = match &**target {
                            BindingPattern::Name(name) => self.look_up(scope, name, place),
                            BindingPattern::Place(target) => self.eval(target, scope),
                            _ => ProgramValue::unknown(place),
                        };
                        match other {
                            Assign::Binary(operator) => {
                                let value = self.eval(value, scope);
                                self.binary(*operator, before, value, place)
                            }
                            Assign::Logical(operator) => {
                                self.logical_after(*operator, before, value, scope)
                            }
                            Assign::Plain => before,
                        }
                    }
                };
                self.bind(target, value.clone(), scope, Binding::Again);
                value
            }
            ExprKind::Await(inner) => self.eval(inner, scope),
            ExprKind::Sequence(all) => {
                let mut last = ProgramValue::undefined(place);
                for one in all {
                    last = self.eval(one, scope);
                }
                last
            }
            ExprKind::Import(from) => {
                let from = self.eval(from, scope);
                match from.text().cloned() {
                    Some(from) => self.import(&from, place),
                    None => {
                        self.report(
                            place,
                            "the imported file cannot be determined; its resources are missing from the \
                             catalogue",
                        );
                        ProgramValue::unknown(place)
                    }
                }
            }
            ExprKind::Pattern(source, flags) => self.pattern(source, flags, place),
            ExprKind::Other => ProgramValue::unknown(place),
            ExprKind::TooDeep => {
                self.report(place, "this is nested too deeply and is skipped");
                ProgramValue::unknown(place)
            }
        }
    }

    pub(super) fn closure(&mut self, function: &Arc<Function>, scope: usize) -> ProgramValue {
        let frame = self.frames.last();
        let (this, home) = match function.form {
            FunctionForm::Arrow => (
                frame.and_then(|frame| frame.this.clone()),
                frame.and_then(|frame| frame.home),
            ),
            FunctionForm::Plain => (None, None),
        };
        let closure = Closure {
            function: function.clone(),
            scope,
            this,
            home,
        };
        self.heap.closure(closure, function.place)
    }

    pub(super) fn class(&mut self, class: &Arc<Class>, scope: usize) -> ProgramValue {
        let parent = class.parent.as_ref().map(|parent| self.eval(parent, scope));
        let at = self.heap.classes.len();
        self.heap.classes.push(ClassValue {
            class: class.clone(),
            scope,
            parent,
            statics: Vec::new(),
        });
        let value = ProgramValue::new(ValueKind::Class(at), class.place);
        // A field may refer to its class by name.
        if !class.name.is_empty() {
            self.bind_name(scope, &class.name, value.clone());
        }
        for field in class
            .fields
            .iter()
            .filter(|field| field.of == Placement::Static)
        {
            if let Some(expression) = &field.value {
                let field_value = self.eval(expression, scope);
                let statics = &mut self.heap.classes[at].statics;
                set(statics, field.name.clone(), expression.place, field_value);
            }
        }
        value
    }

    pub(super) fn list(&mut self, items: &[Element], scope: usize) -> Vec<ProgramValue> {
        let mut values = Vec::with_capacity(items.len().min(1024));
        for item in items {
            match item {
                Element::One(one) => values.push(self.eval(one, scope)),
                Element::Gap => values.push(ProgramValue::undefined(Place::default())),
                Element::Spread(many) => {
                    let value = self.eval(many, scope);
                    match self.iterated(&value) {
                        Some(all) => {
                            for one in all {
                                if !self.step(many.place) {
                                    break;
                                }
                                values.push(one);
                            }
                        }
                        // Their number is unknown, but their origin is not.
                        None => values.push(value),
                    }
                }
            }
            if self.is_over() {
                break;
            }
        }
        values
    }

    pub(super) fn object(
        &mut self,
        properties: &[Property],
        place: Place,
        scope: usize,
    ) -> ProgramValue {
        let mut entries: Vec<ObjectEntry> = Vec::new();
        let mut from = NOTHING;
        for property in properties {
            match property {
                Property::Value {
                    key,
                    key_place,
                    value,
                } => {
                    let key = self.key(key, scope);
                    let value = self.eval(value, scope);
                    match key {
                        Some(key) => set(&mut entries, key, *key_place, value),
                        None => from = self.heap.join(from, value.from),
                    }
                }
                Property::Spread(many) => {
                    let value = self.eval(many, scope);
                    from = self.heap.join(from, value.from);
                    let more = match value.kind {
                        ValueKind::Object(at) => self.heap.objects[at].clone(),
                        ValueKind::Instance(at) => self.heap.instances[at].fields.clone(),
                        _ => Vec::new(),
                    };
                    for entry in more {
                        if !self.step(many.place) {
                            break;
                        }
                        set(&mut entries, entry.key, entry.key_place, entry.value);
                    }
                }
            }
            if entries.len() > MAX_KEYS {
                self.report(
                    place,
                    format!("only the first {MAX_KEYS} keys of this object are read"),
                );
                break;
            }
            if self.is_over() {
                break;
            }
        }
        let object = self.heap.object(entries, place);
        self.heap.with(object, from)
    }

    pub(super) fn template(
        &mut self,
        template: &Template,
        place: Place,
        scope: usize,
    ) -> ProgramValue {
        let mut parts = Vec::with_capacity(template.texts.len() * 2);
        for (at, text) in template.texts.iter().enumerate() {
            parts.push(ProgramValue::string(text.clone(), place));
            if let Some(value) = template.values.get(at) {
                parts.push(self.eval(value, scope));
            }
        }
        self.concat(parts, place)
    }

    /// Concatenates values to a text.
    pub fn concat(&mut self, parts: Vec<ProgramValue>, place: Place) -> ProgramValue {
        let mut text = String::new();
        let mut from = NOTHING;
        let (mut is_known, mut is_secret) = (true, false);
        for part in &parts {
            from = self.heap.join(from, part.from);
            match self.text(part) {
                Some(known) => text.push_str(&known),
                None => {
                    is_known = false;
                    if let ValueKind::Hole(at) = part.kind {
                        is_secret |= self.heap.holes[at].is_secret;
                    }
                    text.push_str(&self.partial_text(part).unwrap_or_else(|| "…".into()));
                }
            }
            if text.len() > MAX_TEXT {
                self.report(place, "this string becomes too long and is skipped");
                return self.heap.with(ProgramValue::unknown(place), from);
            }
        }
        if !self.charge_text(text.len(), place) {
            return self.heap.with(ProgramValue::unknown(place), from);
        }
        let value = if is_known {
            ProgramValue::string(text, place)
        } else {
            let shape = text.replace("……", "…");
            let hole = Hole {
                shape: (shape != "…" && !is_secret).then(|| shape.into()),
                is_secret,
                ..Hole::default()
            };
            self.heap.hole(hole, place)
        };
        self.heap.with(value, from)
    }

    /// A value as text, if it is known.
    pub fn text(&self, value: &ProgramValue) -> Option<SmolStr> {
        match &value.kind {
            ValueKind::Text(text) => Some(text.clone()),
            ValueKind::Number(value) => Some(number(*value)),
            ValueKind::Bool(value) => Some(SmolStr::from(if *value { "true" } else { "false" })),
            _ => None,
        }
    }

    /// A text, as far as it is known.
    pub fn partial_text(&self, value: &ProgramValue) -> Option<SmolStr> {
        match value.kind {
            ValueKind::Hole(at) => self.heap.holes[at].shape.clone(),
            _ => self.text(value),
        }
    }

    /// The resources that a value consists of or came from.
    pub fn sources_within(&mut self, value: &ProgramValue) -> Origins {
        let mut found = value.from;
        let mut next = vec![value.clone()];
        const MAX_LOOKED: usize = 2_000;
        let mut looked = 0;
        while let Some(value) = next.pop() {
            looked += 1;
            if looked > MAX_LOOKED {
                break;
            }
            found = self.heap.join(found, value.from);
            let source = match &value.kind {
                ValueKind::Resource(on) => Some((*on, State::Created)),
                ValueKind::Running(on) => Some((*on, State::Running)),
                ValueKind::Instance(at) => self.heap.instances[*at]
                    .resource
                    .map(|on| (on, State::Created)),
                ValueKind::Array(at) => {
                    next.extend(self.heap.arrays[*at].iter().take(MAX_LOOKED).cloned());
                    None
                }
                ValueKind::Object(at) => {
                    next.extend(
                        self.heap.objects[*at]
                            .iter()
                            .take(MAX_LOOKED)
                            .map(|entry| entry.value.clone()),
                    );
                    None
                }
                _ => None,
            };
            if let Some((resource, state)) = source {
                let one = self.heap.only(ValueSource { resource, state });
                found = self.heap.join(found, one);
            }
        }
        found
    }
}
