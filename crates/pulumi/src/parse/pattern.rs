//! Converts the parser's binding and assignment patterns.

use super::*;

impl TreeConverter<'_> {
    pub(super) fn params(
        &mut self,
        it: &ast::FormalParameters<'_>,
    ) -> (Vec<Param>, Option<BindingPattern>) {
        let params = it.items.iter().map(|param| Param {
            pattern: self.pattern(&param.pattern),
            default: param
                .initializer
                .as_ref()
                .map(|value| self.expression(value)),
            is_field: param.accessibility.is_some() || param.readonly,
        });
        let params = params.collect();
        let rest = it
            .rest
            .as_ref()
            .map(|rest| self.pattern(&rest.rest.argument));
        (params, rest)
    }

    pub(super) fn pattern(&mut self, it: &ast::BindingPattern<'_>) -> BindingPattern {
        if self.depth >= self.most_depth {
            return BindingPattern::Other;
        }
        self.depth += 1;
        let pattern = match it {
            ast::BindingPattern::BindingIdentifier(id) => BindingPattern::Name(text(id.name)),
            ast::BindingPattern::ObjectPattern(object) => BindingPattern::Object {
                entries: object
                    .properties
                    .iter()
                    .map(|entry| (self.key(&entry.key), self.pattern(&entry.value)))
                    .collect(),
                rest: object
                    .rest
                    .as_ref()
                    .map(|rest| Box::new(self.pattern(&rest.argument))),
            },
            ast::BindingPattern::ArrayPattern(array) => BindingPattern::Array {
                items: array
                    .elements
                    .iter()
                    .map(|item| item.as_ref().map(|item| self.pattern(item)))
                    .collect(),
                rest: array
                    .rest
                    .as_ref()
                    .map(|rest| Box::new(self.pattern(&rest.argument))),
            },
            ast::BindingPattern::AssignmentPattern(default) => BindingPattern::Default(
                Box::new(self.pattern(&default.left)),
                self.boxed(&default.right),
            ),
        };
        self.depth -= 1;
        pattern
    }

    pub(super) fn simple_target(&mut self, it: &ast::SimpleAssignmentTarget<'_>) -> BindingPattern {
        use ast::SimpleAssignmentTarget as Target;
        let place = self.place(it);
        let kind = match it {
            Target::AssignmentTargetIdentifier(id) => return BindingPattern::Name(text(id.name)),
            Target::StaticMemberExpression(member) => self.member(member),
            Target::ComputedMemberExpression(member) => self.computed(member),
            Target::PrivateFieldExpression(member) => self.private(member),
            Target::TSAsExpression(inner) => return self.as_target(&inner.expression),
            Target::TSNonNullExpression(inner) => return self.as_target(&inner.expression),
            _ => return BindingPattern::Other,
        };
        BindingPattern::Place(Box::new(Expr { kind, place }))
    }

    pub(super) fn as_target(&mut self, it: &Expression<'_>) -> BindingPattern {
        let expression = self.expression(it);
        match expression.kind {
            ExprKind::Name(name) => BindingPattern::Name(name),
            _ => BindingPattern::Place(Box::new(expression)),
        }
    }

    pub(super) fn target(&mut self, it: &ast::AssignmentTarget<'_>) -> BindingPattern {
        match it {
            ast::AssignmentTarget::ObjectAssignmentTarget(object) => {
                let entries = object.properties.iter().filter_map(|entry| match entry {
                    ast::AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(id) => {
                        let name = text(id.binding.name);
                        Some((Key::Text(name.clone()), BindingPattern::Name(name)))
                    }
                    ast::AssignmentTargetProperty::AssignmentTargetPropertyProperty(_) => None,
                });
                BindingPattern::Object {
                    entries: entries.collect(),
                    rest: None,
                }
            }
            ast::AssignmentTarget::ArrayAssignmentTarget(_) => BindingPattern::Other,
            other => match other.as_simple_assignment_target() {
                Some(simple) => self.simple_target(simple),
                None => BindingPattern::Other,
            },
        }
    }
}
