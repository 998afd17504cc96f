//! Instances of the program's own classes.

use super::*;

impl Evaluator<'_, '_> {
    /// Creates an instance of a class of the program.
    pub fn instantiate(
        &mut self,
        class: usize,
        arguments: Vec<ProgramValue>,
        place: Place,
    ) -> ProgramValue {
        let at = self.heap.instances.len();
        self.heap.instances.push(Instance {
            class,
            fields: Vec::new(),
            resource: None,
        });
        let this = ProgramValue::new(ValueKind::Instance(at), place);
        self.construct(class, &this, arguments, place);
        this
    }

    pub(super) fn construct(
        &mut self,
        class: usize,
        this: &ProgramValue,
        arguments: Vec<ProgramValue>,
        place: Place,
    ) {
        if self.frames.len() > MAX_CALLS {
            self.report(
                place,
                "constructors are nested too deeply; this one is skipped",
            );
            return;
        }
        let has_parent = self.heap.classes[class].parent.is_some();
        let constructor = self.heap.classes[class].class.constructor.clone();
        match constructor {
            Some(constructor) => {
                if !has_parent {
                    self.fields(class, this);
                }
                self.call_function(&constructor, class, this.clone(), arguments, place);
            }
            None => {
                if has_parent {
                    // A class that extends itself has no end.
                    self.frames.push(CallFrame::default());
                    self.construct_parent(class, this, arguments, place);
                    self.frames.pop();
                }
                self.fields(class, this);
            }
        }
    }

    pub(super) fn fields(&mut self, class: usize, this: &ProgramValue) {
        let (code, scope) = {
            let class = &self.heap.classes[class];
            (class.class.clone(), class.scope)
        };
        self.frames.push(CallFrame {
            this: Some(this.clone()),
            home: Some(class),
            module: self.module_of(scope),
            ..CallFrame::default()
        });
        for field in code
            .fields
            .iter()
            .filter(|field| field.of == Placement::Instance)
        {
            if let Some(expression) = &field.value {
                let value = self.eval(expression, scope);
                self.set_field(this, field.name.clone(), value);
            }
        }
        self.frames.pop();
    }

    pub(super) fn construct_parent(
        &mut self,
        class: usize,
        this: &ProgramValue,
        arguments: Vec<ProgramValue>,
        place: Place,
    ) {
        let Some(parent) = self.heap.classes[class].parent.clone() else {
            return;
        };
        let parent = self.resolve_late(parent);
        match parent.kind {
            ValueKind::Class(parent) => self.construct(parent, this, arguments, place),
            ValueKind::Package(at) => {
                let package = self.heap.packages[at].clone();
                let ValueKind::Instance(instance) = this.kind else {
                    return;
                };
                // People look for the line that creates it.
                let made = self.make_parent(&package, arguments, this.place);
                self.heap.instances[instance].resource = made;
            }
            _ => self.report(
                place,
                "the base class cannot be determined; its resources are missing from the catalogue",
            ),
        }
    }
}
