//! Calls of functions and methods of the program.

use super::*;

impl Evaluator<'_, '_> {
    pub(super) fn call(
        &mut self,
        callee: &Expr,
        arguments: &[Element],
        place: Place,
        scope: usize,
    ) -> ProgramValue {
        match &callee.kind {
            ExprKind::Super => {
                let arguments = self.list(arguments, scope);
                let frame = self.frames.last();
                let home = frame.and_then(|frame| frame.home);
                let this = frame.and_then(|frame| frame.this.clone());
                if let (Some(home), Some(this)) = (home, this) {
                    self.construct_parent(home, &this, arguments, place);
                    self.fields(home, &this);
                }
                ProgramValue::undefined(place)
            }
            ExprKind::Member { object, key } => {
                if let ExprKind::Super = object.kind {
                    let arguments = self.list(arguments, scope);
                    return self.call_of_parent(key, arguments, place);
                }
                let this = self.eval(object, scope);
                let arguments = self.list(arguments, scope);
                if key == "lazyLoad" && self.export_late(&arguments) {
                    return ProgramValue::undefined(place);
                }
                self.call_method(this, key, arguments, place)
            }
            _ => {
                let function = self.eval(callee, scope);
                let arguments = self.list(arguments, scope);
                self.call_value(&function, arguments, None, place)
            }
        }
    }

    pub(super) fn call_of_parent(
        &mut self,
        key: &str,
        arguments: Vec<ProgramValue>,
        place: Place,
    ) -> ProgramValue {
        let frame = self.frames.last();
        let this = frame.and_then(|frame| frame.this.clone());
        let home = frame.and_then(|frame| frame.home);
        let parent = home.and_then(|home| self.heap.classes[home].parent.clone());
        let (Some(this), Some(ValueKind::Class(parent))) = (this, parent.map(|it| it.kind)) else {
            return ProgramValue::unknown(place);
        };
        match self.method(parent, key, Placement::Instance) {
            Some((home, function, _)) => {
                self.call_function(&function, home, this, arguments, place)
            }
            None => ProgramValue::unknown(place),
        }
    }

    /// A method of a class or its base classes.
    pub fn method(
        &self,
        class: usize,
        key: &str,
        of: Placement,
    ) -> Option<(usize, Arc<Function>, MethodKind)> {
        let mut at = class;
        for _ in 0..32 {
            let here = &self.heap.classes[at];
            let mut methods = here.class.methods.iter();
            if let Some(found) = methods.find(|method| method.name == key && method.of == of) {
                return Some((at, found.function.clone(), found.kind));
            }
            match here.parent.as_ref().map(|parent| &parent.kind) {
                Some(ValueKind::Class(parent)) => at = *parent,
                _ => return None,
            }
        }
        None
    }

    pub fn call_function(
        &mut self,
        function: &Arc<Function>,
        home: usize,
        this: ProgramValue,
        arguments: Vec<ProgramValue>,
        place: Place,
    ) -> ProgramValue {
        let scope = self.heap.classes[home].scope;
        self.enter(function, scope, Some(this), Some(home), arguments, place)
    }

    pub fn call_value(
        &mut self,
        function: &ProgramValue,
        arguments: Vec<ProgramValue>,
        this: Option<ProgramValue>,
        place: Place,
    ) -> ProgramValue {
        let function = self.resolve_late(function.clone());
        match function.kind {
            ValueKind::Function(at) => {
                let closure = &self.heap.closures[at];
                let (code, scope, home) = (closure.function.clone(), closure.scope, closure.home);
                let this = match code.form {
                    FunctionForm::Arrow => closure.this.clone(),
                    FunctionForm::Plain => this,
                };
                self.enter(&code, scope, this, home, arguments, place)
            }
            ValueKind::Bound(at) => {
                let (this, name) = self.heap.bound[at].clone();
                self.call_method(this, &name, arguments, place)
            }
            ValueKind::Package(at) => {
                let package = self.heap.packages[at].clone();
                self.call_package(&package, arguments, place)
            }
            _ => self.call_unknown(&function, arguments, place),
        }
    }

    /// A call of an unknown function: it may call its arguments, and may return them.
    pub fn call_unknown(
        &mut self,
        function: &ProgramValue,
        arguments: Vec<ProgramValue>,
        place: Place,
    ) -> ProgramValue {
        let mut from = function.from;
        let mut matters = false;
        for argument in &arguments {
            let inside = self.sources_within(argument);
            from = self.heap.join(from, inside);
            matters |= matches!(
                argument.kind,
                ValueKind::Function(_)
                    | ValueKind::Class(_)
                    | ValueKind::Resource(_)
                    | ValueKind::Instance(_)
            );
        }
        if matters {
            self.report(
                place,
                "this call cannot be evaluated; resources it creates are missing from the catalogue",
            );
        }
        self.heap.with(ProgramValue::unknown(place), from)
    }

    pub(super) fn enter(
        &mut self,
        function: &Arc<Function>,
        scope: usize,
        this: Option<ProgramValue>,
        home: Option<usize>,
        arguments: Vec<ProgramValue>,
        place: Place,
    ) -> ProgramValue {
        if self.frames.len() > MAX_CALLS {
            let name = if function.name.is_empty() {
                "a function".to_owned()
            } else {
                format!("`{}`", function.name)
            };
            let message = format!(
                "{name} is called more than {MAX_CALLS} levels deep; deeper calls are skipped"
            );
            self.report(function.place, message);
            return ProgramValue::unknown(place);
        }
        let module = self.module_of(scope);
        self.frames.push(CallFrame {
            this: this.clone(),
            home,
            module,
            called: place,
            ..CallFrame::default()
        });
        let inner = self.heap.scope(Some(scope), self.doubt);
        for (at, param) in function.params.iter().enumerate() {
            let given = arguments.get(at).cloned();
            let mut value = given.unwrap_or_else(|| ProgramValue::undefined(place));
            if let (ValueKind::Undefined, Some(default)) = (&value.kind, &param.default) {
                value = self.eval(default, inner);
            }
            if let (true, BindingPattern::Name(name), Some(this)) =
                (param.is_field, &param.pattern, &this)
            {
                self.set_field(this, name.clone(), value.clone());
            }
            self.bind(&param.pattern, value, inner, Binding::New);
        }
        if let Some(rest) = &function.rest {
            let left = arguments.into_iter().skip(function.params.len()).collect();
            let left = self.heap.array(left, place);
            self.bind(rest, left, inner, Binding::New);
        }
        let result = match &function.body {
            FunctionBody::Value(value) => self.eval(value, inner),
            FunctionBody::Block(body) => match self.block(body, inner) {
                Completion::Return(value) => value,
                _ => ProgramValue::undefined(place),
            },
        };
        let frame = self.frames.pop().unwrap_or_default();
        let maybe = frame.maybe.into_iter();
        maybe.fold(result, |result, other| self.merge(other, result))
    }

    /// The file that contains a scope.
    pub(super) fn module_of(&self, scope: usize) -> usize {
        let mut at = scope;
        while let Some(parent) = self.heap.scopes[at].parent {
            at = parent;
        }
        let mut modules = self.modules.iter();
        modules.position(|module| module.scope == at).unwrap_or(0)
    }

    pub(super) fn set_field(&mut self, this: &ProgramValue, name: SmolStr, value: ProgramValue) {
        if let ValueKind::Instance(at) = this.kind {
            let place = value.place;
            set(&mut self.heap.instances[at].fields, name, place, value);
        }
    }
}
