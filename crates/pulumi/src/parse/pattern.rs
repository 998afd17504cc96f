//! Converts the parser's binding and assignment patterns.

use super::*;

impl Reader<'_> {
    pub(super) fn params(
        &mut self,
        it: &ast::FormalParameters<'_>,
    ) -> (Vec<Param>, Option<Pattern>) {
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

    pub(super) fn pattern(&mut self, it: &ast::BindingPattern<'_>) -> Pattern {
        if self.depth >= self.most_depth {
            return Pattern::Other;
        }
        self.depth += 1;
        let pattern = match it {
            ast::BindingPattern::BindingIdentifier(id) => Pattern::Name(text(id.name)),
            ast::BindingPattern::ObjectPattern(object) => Pattern::Object {
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
            ast::BindingPattern::ArrayPattern(array) => Pattern::Array {
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
            ast::BindingPattern::AssignmentPattern(default) => Pattern::Default(
                Box::new(self.pattern(&default.left)),
                self.boxed(&default.right),
            ),
        };
        self.depth -= 1;
        pattern
    }

    pub(super) fn simple_target(&mut self, it: &ast::SimpleAssignmentTarget<'_>) -> Pattern {
        use ast::SimpleAssignmentTarget as Target;
        let place = self.place(it);
        let kind = match it {
            Target::AssignmentTargetIdentifier(id) => return Pattern::Name(text(id.name)),
            Target::StaticMemberExpression(member) => self.member(member),
            Target::ComputedMemberExpression(member) => self.computed(member),
            Target::PrivateFieldExpression(member) => self.private(member),
            Target::TSAsExpression(inner) => return self.as_target(&inner.expression),
            Target::TSNonNullExpression(inner) => return self.as_target(&inner.expression),
            _ => return Pattern::Other,
        };
        Pattern::Place(Box::new(Expr { kind, place }))
    }

    pub(super) fn as_target(&mut self, it: &Expression<'_>) -> Pattern {
        let expression = self.expression(it);
        match expression.kind {
            ExprKind::Name(name) => Pattern::Name(name),
            _ => Pattern::Place(Box::new(expression)),
        }
    }

    pub(super) fn target(&mut self, it: &ast::AssignmentTarget<'_>) -> Pattern {
        match it {
            ast::AssignmentTarget::ObjectAssignmentTarget(object) => {
                let entries = object.properties.iter().filter_map(|entry| match entry {
                    ast::AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(id) => {
                        let name = text(id.binding.name);
                        Some((Key::Text(name.clone()), Pattern::Name(name)))
                    }
                    ast::AssignmentTargetProperty::AssignmentTargetPropertyProperty(_) => None,
                });
                Pattern::Object {
                    entries: entries.collect(),
                    rest: None,
                }
            }
            ast::AssignmentTarget::ArrayAssignmentTarget(_) => Pattern::Other,
            other => match other.as_simple_assignment_target() {
                Some(simple) => self.simple_target(simple),
                None => Pattern::Other,
            },
        }
    }
}
