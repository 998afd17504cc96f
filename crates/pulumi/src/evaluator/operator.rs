//! Operators: their results, as far as the operands are known.

use super::*;

impl Evaluator<'_, '_> {
    pub(super) fn is_optional(&self, value: &ProgramValue) -> bool {
        matches!(value.kind, ValueKind::Hole(at) if self.heap.holes[at].is_optional)
    }

    pub(super) fn logical(
        &mut self,
        operator: Logical,
        left: &Expr,
        right: &Expr,
        scope: usize,
    ) -> ProgramValue {
        let reads = self.reads.len();
        let value = self.eval(left, scope);
        // `config.get("…") || "…"` gives a parameter its default.
        if operator != Logical::And
            && self.reads.len() > reads
            && let Some(default) = plain(right)
            && let Some(read) = self.reads.last_mut()
        {
            read.default.get_or_insert(default);
        }
        self.logical_after(operator, value, right, scope)
    }

    pub(super) fn logical_after(
        &mut self,
        operator: Logical,
        left: ProgramValue,
        right: &Expr,
        scope: usize,
    ) -> ProgramValue {
        let goes_on = match operator {
            Logical::Or => left.truth().map(|truth| !truth),
            Logical::And => left.truth(),
            Logical::Coalesce => {
                if left.is_hole() {
                    None
                } else {
                    Some(left.is_nothing())
                }
            }
        };
        match goes_on {
            Some(true) => self.eval(right, scope),
            Some(false) => left,
            None if operator == Logical::And => {
                let before = self.resources.len();
                self.doubt += 1;
                let value = self.eval(right, scope);
                self.doubt -= 1;
                self.say_undecided(before, left.place);
                match value.kind {
                    ValueKind::Resource(_)
                    | ValueKind::Instance(_)
                    | ValueKind::Object(_)
                    | ValueKind::Array(_) => value,
                    _ => self.merge(left, value),
                }
            }
            None if self.is_optional(&left) => {
                let from = left.from;
                let value = self.eval(right, scope);
                // The replacement of a secret is secret.
                let is_secret =
                    matches!(left.kind, ValueKind::Hole(at) if self.heap.holes[at].is_secret);
                if is_secret && value.text().is_some() {
                    left
                } else {
                    self.heap.with(value, from)
                }
            }
            None => {
                self.doubt += 1;
                self.eval(right, scope);
                self.doubt -= 1;
                left
            }
        }
    }

    pub(super) fn binary(
        &mut self,
        operator: Binary,
        left: ProgramValue,
        right: ProgramValue,
        place: Place,
    ) -> ProgramValue {
        let from = self.heap.join(left.from, right.from);
        let numbers = match (&left.kind, &right.kind) {
            (ValueKind::Number(a), ValueKind::Number(b)) => Some((*a, *b)),
            _ => None,
        };
        let kind = match (operator, numbers) {
            (Binary::Add, Some((a, b))) => ValueKind::Number(a + b),
            (Binary::Add, None) => return self.concat(vec![left, right], place),
            (Binary::Subtract, Some((a, b))) => ValueKind::Number(a - b),
            (Binary::Multiply, Some((a, b))) => ValueKind::Number(a * b),
            (Binary::Divide, Some((a, b))) => ValueKind::Number(a / b),
            (Binary::Remainder, Some((a, b))) => ValueKind::Number(a % b),
            (Binary::Less, Some((a, b))) => ValueKind::Bool(a < b),
            (Binary::LessOrEqual, Some((a, b))) => ValueKind::Bool(a <= b),
            (Binary::Greater, Some((a, b))) => ValueKind::Bool(a > b),
            (Binary::GreaterOrEqual, Some((a, b))) => ValueKind::Bool(a >= b),
            (Binary::Equal, _) => self
                .equal(&left, &right)
                .map_or(ValueKind::Hole(0), ValueKind::Bool),
            (Binary::Unequal, _) => self
                .equal(&left, &right)
                .map_or(ValueKind::Hole(0), |same| ValueKind::Bool(!same)),
            (Binary::In, _) => match (self.text(&left), &right.kind) {
                (Some(key), ValueKind::Object(_)) => {
                    ValueKind::Bool(self.heap.get(&right, &key).is_some())
                }
                _ => ValueKind::Hole(0),
            },
            _ => ValueKind::Hole(0),
        };
        ProgramValue { kind, place, from }
    }

    /// Whether two values are equal; `None` if that is unknown.
    pub fn equal(&self, a: &ProgramValue, b: &ProgramValue) -> Option<bool> {
        Some(match (&a.kind, &b.kind) {
            (ValueKind::Hole(_) | ValueKind::Package(_), _)
            | (_, ValueKind::Hole(_) | ValueKind::Package(_)) => {
                return None;
            }
            (ValueKind::Text(a), ValueKind::Text(b)) => a == b,
            (ValueKind::Number(a), ValueKind::Number(b)) => a == b,
            (ValueKind::Bool(a), ValueKind::Bool(b)) => a == b,
            (ValueKind::Undefined | ValueKind::Null, ValueKind::Undefined | ValueKind::Null) => {
                true
            }
            (ValueKind::Undefined | ValueKind::Null, _)
            | (_, ValueKind::Undefined | ValueKind::Null) => false,
            (ValueKind::Object(a), ValueKind::Object(b)) => a == b,
            (ValueKind::Array(a), ValueKind::Array(b)) => a == b,
            (ValueKind::Instance(a), ValueKind::Instance(b)) => a == b,
            (ValueKind::Resource(a), ValueKind::Resource(b)) => a == b,
            (a, b) if std::mem::discriminant(a) != std::mem::discriminant(b) => false,
            _ => return None,
        })
    }

    /// A value that is either of two.
    pub(super) fn merge(&mut self, a: ProgramValue, b: ProgramValue) -> ProgramValue {
        if self.equal(&a, &b) == Some(true) {
            return a;
        }
        let is_whole = |value: &ProgramValue| {
            matches!(
                value.kind,
                ValueKind::Resource(_)
                    | ValueKind::Instance(_)
                    | ValueKind::Object(_)
                    | ValueKind::Array(_)
                    | ValueKind::Function(_)
                    | ValueKind::Running(_)
            )
        };
        match (a.is_nothing(), b.is_nothing()) {
            (true, _) if is_whole(&b) => return b,
            (_, true) if is_whole(&a) => return a,
            _ => {}
        }
        let (first, second) = (self.sources_within(&a), self.sources_within(&b));
        let from = self.heap.join(first, second);
        self.heap.with(ProgramValue::unknown(a.place), from)
    }
}
