//! Operators: what they return, as far as their operands are known. Touches nothing.

use super::*;

impl Evaluator<'_, '_> {
    pub(super) fn is_optional(&self, value: &Value) -> bool {
        matches!(value.kind, Kind::Hole(at) if self.heap.holes[at].is_optional)
    }

    pub(super) fn logical(
        &mut self,
        operator: Logical,
        left: &Expr,
        right: &Expr,
        scope: usize,
    ) -> Value {
        let reads = self.reads.len();
        let value = self.eval(left, scope);
        // `config.get("…") || "…"` says what holds where nothing is configured.
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
        left: Value,
        right: &Expr,
        scope: usize,
    ) -> Value {
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
                    Kind::Resource(_) | Kind::Instance(_) | Kind::Object(_) | Kind::Array(_) => {
                        value
                    }
                    _ => self.merge(left, value),
                }
            }
            None if self.is_optional(&left) => {
                let from = left.from;
                let value = self.eval(right, scope);
                // What stands in for a secret is one.
                let is_secret =
                    matches!(left.kind, Kind::Hole(at) if self.heap.holes[at].is_secret);
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
        left: Value,
        right: Value,
        place: Place,
    ) -> Value {
        let from = self.heap.join(left.from, right.from);
        let numbers = match (&left.kind, &right.kind) {
            (Kind::Number(a), Kind::Number(b)) => Some((*a, *b)),
            _ => None,
        };
        let kind = match (operator, numbers) {
            (Binary::Add, Some((a, b))) => Kind::Number(a + b),
            (Binary::Add, None) => return self.concat(vec![left, right], place),
            (Binary::Subtract, Some((a, b))) => Kind::Number(a - b),
            (Binary::Multiply, Some((a, b))) => Kind::Number(a * b),
            (Binary::Divide, Some((a, b))) => Kind::Number(a / b),
            (Binary::Remainder, Some((a, b))) => Kind::Number(a % b),
            (Binary::Less, Some((a, b))) => Kind::Bool(a < b),
            (Binary::LessOrEqual, Some((a, b))) => Kind::Bool(a <= b),
            (Binary::Greater, Some((a, b))) => Kind::Bool(a > b),
            (Binary::GreaterOrEqual, Some((a, b))) => Kind::Bool(a >= b),
            (Binary::Equal, _) => self.equal(&left, &right).map_or(Kind::Hole(0), Kind::Bool),
            (Binary::Unequal, _) => self
                .equal(&left, &right)
                .map_or(Kind::Hole(0), |same| Kind::Bool(!same)),
            (Binary::In, _) => match (self.text(&left), &right.kind) {
                (Some(key), Kind::Object(_)) => Kind::Bool(self.heap.get(&right, &key).is_some()),
                _ => Kind::Hole(0),
            },
            _ => Kind::Hole(0),
        };
        Value { kind, place, from }
    }

    /// Whether two values are the same; none where nobody knows.
    pub fn equal(&self, a: &Value, b: &Value) -> Option<bool> {
        Some(match (&a.kind, &b.kind) {
            (Kind::Hole(_) | Kind::Package(_), _) | (_, Kind::Hole(_) | Kind::Package(_)) => {
                return None;
            }
            (Kind::Text(a), Kind::Text(b)) => a == b,
            (Kind::Number(a), Kind::Number(b)) => a == b,
            (Kind::Bool(a), Kind::Bool(b)) => a == b,
            (Kind::Undefined | Kind::Null, Kind::Undefined | Kind::Null) => true,
            (Kind::Undefined | Kind::Null, _) | (_, Kind::Undefined | Kind::Null) => false,
            (Kind::Object(a), Kind::Object(b)) => a == b,
            (Kind::Array(a), Kind::Array(b)) => a == b,
            (Kind::Instance(a), Kind::Instance(b)) => a == b,
            (Kind::Resource(a), Kind::Resource(b)) => a == b,
            (a, b) if std::mem::discriminant(a) != std::mem::discriminant(b) => false,
            _ => return None,
        })
    }

    /// One or the other: nobody knows which.
    pub(super) fn merge(&mut self, a: Value, b: Value) -> Value {
        if self.equal(&a, &b) == Some(true) {
            return a;
        }
        let is_whole = |value: &Value| {
            matches!(
                value.kind,
                Kind::Resource(_)
                    | Kind::Instance(_)
                    | Kind::Object(_)
                    | Kind::Array(_)
                    | Kind::Function(_)
                    | Kind::Running(_)
            )
        };
        match (a.is_nothing(), b.is_nothing()) {
            (true, _) if is_whole(&b) => return b,
            (_, true) if is_whole(&a) => return a,
            _ => {}
        }
        let (first, second) = (self.sources_within(&a), self.sources_within(&b));
        let from = self.heap.join(first, second);
        self.heap.with(Value::unknown(a.place), from)
    }
}
