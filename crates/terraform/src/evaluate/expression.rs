//! Evaluates expressions, kind by kind. A result is secret if an operand is.

use smol_str::SmolStr;

use super::{Bindings, MAX_DEPTH, ModuleRun, ScopeId, elements};
use crate::syntax::{Expr, ExprKind, ForExpr, LoopNames, Operator, TemplatePart};
use crate::value::{HOLE, HclData, HclValue, MAX_TEXT};
use base::Place;

impl ModuleRun<'_> {
    /// The value of an expression.
    pub fn eval(&mut self, scope: ScopeId, bindings: &Bindings, expr: &Expr) -> HclValue {
        if self.steps.charge(1).is_err() || self.depth >= MAX_DEPTH {
            return HclValue::unknown(expr.place);
        }
        self.depth += 1;
        let value = self.eval_here(scope, bindings, expr);
        self.depth -= 1;
        value
    }

    fn eval_here(&mut self, scope: ScopeId, bindings: &Bindings, expr: &Expr) -> HclValue {
        let place = expr.place;
        match &expr.kind {
            ExprKind::Null => HclValue::new(HclData::Null, place),
            ExprKind::Bool(value) => HclValue::new(HclData::Bool(*value), place),
            ExprKind::Number(number) => HclValue::new(HclData::Number(*number), place),
            ExprKind::Text(text) => HclValue::text(text.clone(), place),
            ExprKind::List(items) => {
                let items = items.iter().map(|item| self.eval(scope, bindings, item));
                let items = items.collect();
                HclValue::list(items, place)
            }
            ExprKind::Object(entries) => self.object(scope, bindings, entries, place),
            ExprKind::Template(parts) => self.template(scope, bindings, parts, place),
            ExprKind::Name(name) => match bound(bindings, name) {
                Some(value) => value.clone(),
                None => HclValue::unknown(place),
            },
            ExprKind::Get(of, steps) => self.get(scope, bindings, of, steps, place),
            ExprKind::If(all) => {
                let [condition, yes, no] = &**all;
                let condition = self.eval(scope, bindings, condition);
                let value = match condition.as_bool() {
                    Some(true) => self.eval(scope, bindings, yes),
                    Some(false) => self.eval(scope, bindings, no),
                    None => HclValue::unknown(place),
                };
                value.with_secrecy(condition.is_secret)
            }
            ExprKind::Call(name, args) if name == "try" => {
                self.eval_try(scope, bindings, args, place)
            }
            ExprKind::Call(name, args) => {
                let args: Vec<HclValue> = args
                    .iter()
                    .map(|arg| self.eval(scope, bindings, arg))
                    .collect();
                self.call(scope, name, args, place)
            }
            ExprKind::CallWith(name, args) => {
                let mut args: Vec<HclValue> = args
                    .iter()
                    .map(|arg| self.eval(scope, bindings, arg))
                    .collect();
                let last = args.pop().unwrap_or_else(|| HclValue::unknown(place));
                match last.items() {
                    Some(items) => {
                        args.extend(items.iter().cloned());
                        self.call(scope, name, args, place)
                            .with_secrecy(last.is_secret)
                    }
                    None => HclValue::unknown(place).with_secrecy(last.is_secret),
                }
            }
            ExprKind::Not(one) => {
                let value = self.eval(scope, bindings, one);
                let data = value
                    .as_bool()
                    .map_or(HclData::Unknown, |it| HclData::Bool(!it));
                HclValue::new(data, place).with_secrecy(value.is_secret)
            }
            ExprKind::Minus(one) => {
                let value = self.eval(scope, bindings, one);
                let data = value
                    .as_number()
                    .map_or(HclData::Unknown, |it| HclData::Number(-it));
                HclValue::new(data, place).with_secrecy(value.is_secret)
            }
            ExprKind::Binary(operator, both) => {
                let a = self.eval(scope, bindings, &both[0]);
                let b = self.eval(scope, bindings, &both[1]);
                let data = binary(*operator, &a, &b).unwrap_or(HclData::Unknown);
                HclValue::new(data, place).with_secrecy(a.is_secret || b.is_secret)
            }
            ExprKind::For(it) => self.each(scope, bindings, it, place),
        }
    }

    fn object(
        &mut self,
        scope: ScopeId,
        bindings: &Bindings,
        entries: &[(Expr, Expr)],
        place: Place,
    ) -> HclValue {
        let mut all: Vec<(SmolStr, HclValue)> = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            // A bare name is a key; one in parentheses is evaluated. The tree keeps no parentheses.
            let key = match &key.kind {
                ExprKind::Name(name) => match bound(bindings, name) {
                    Some(value) => open_text(value),
                    None => Some(name.clone()),
                },
                _ => open_text(&self.eval(scope, bindings, key)),
            };
            let Some(key) = key else {
                return HclValue::unknown(place);
            };
            let value = self.eval(scope, bindings, value);
            all.retain(|(name, _)| *name != key);
            all.push((key, value));
        }
        HclValue::map(all, place)
    }

    pub(super) fn template(
        &mut self,
        scope: ScopeId,
        bindings: &Bindings,
        parts: &[TemplatePart],
        place: Place,
    ) -> HclValue {
        // A template of just one value is that value, whatever its type.
        if let [TemplatePart::Value(one)] = parts {
            return self.eval(scope, bindings, one);
        }
        let mut made = TemplateOutput::default();
        match self.fill(scope, bindings, parts, &mut made) {
            Some(()) if made.has_holes => HclValue::new(HclData::Holed(made.text.into()), place),
            Some(()) => HclValue::text(made.text, place),
            None => HclValue::unknown(place),
        }
        .with_secrecy(made.is_secret)
    }

    /// Fills in a template; `None` if not even the shape of the text is known.
    fn fill(
        &mut self,
        scope: ScopeId,
        bindings: &Bindings,
        parts: &[TemplatePart],
        made: &mut TemplateOutput,
    ) -> Option<()> {
        for part in parts {
            match part {
                TemplatePart::Text(literal) => made.text.push_str(literal),
                TemplatePart::Value(value) => {
                    let value = self.eval(scope, bindings, value);
                    made.is_secret |= value.is_secret;
                    match value.as_text().filter(|_| !value.is_secret) {
                        Some(value) => made.text.push_str(&value),
                        None => {
                            made.has_holes = true;
                            made.text.push_str(HOLE);
                        }
                    }
                }
                TemplatePart::If(condition, yes, no) => {
                    let condition = self.eval(scope, bindings, condition);
                    made.is_secret |= condition.is_secret;
                    let parts = if condition.as_bool()? { yes } else { no };
                    self.fill(scope, bindings, parts, made)?;
                }
                TemplatePart::For(names, collection, body) => {
                    let collection = self.eval(scope, bindings, collection);
                    made.is_secret |= collection.is_secret;
                    for (key, value) in elements(&collection)? {
                        let value = value.with_secrecy(collection.is_secret);
                        let inner = with(bindings, names, key, value);
                        self.fill(scope, &inner, body, made)?;
                    }
                }
            }
            if made.text.len() > MAX_TEXT {
                return None;
            }
        }
        Some(())
    }

    fn each(
        &mut self,
        scope: ScopeId,
        bindings: &Bindings,
        it: &ForExpr,
        place: Place,
    ) -> HclValue {
        let collection = self.eval(scope, bindings, &it.collection);
        let is_secret = collection.is_secret;
        let Some(elements) = elements(&collection) else {
            return HclValue::unknown(place).with_secrecy(is_secret);
        };
        let mut items: Vec<HclValue> = Vec::new();
        let mut entries: Vec<(SmolStr, HclValue)> = Vec::new();
        for (key, value) in elements {
            let inner = with(bindings, &it.names, key, value.with_secrecy(is_secret));
            if let Some(condition) = &it.condition {
                match self.eval(scope, &inner, condition).as_bool() {
                    Some(true) => {}
                    Some(false) => continue,
                    None => return HclValue::unknown(place).with_secrecy(is_secret),
                }
            }
            let value = self.eval(scope, &inner, &it.value);
            let Some(key) = &it.key else {
                items.push(value);
                continue;
            };
            let Some(key) = open_text(&self.eval(scope, &inner, key)) else {
                return HclValue::unknown(place).with_secrecy(is_secret);
            };
            let before = entries.iter_mut().find(|(name, _)| *name == key);
            match (before, it.is_grouped) {
                (Some((_, group)), true) => {
                    let mut all = group.items().unwrap_or_default().to_vec();
                    all.push(value);
                    *group = HclValue::list(all, place);
                }
                (None, true) => entries.push((key, HclValue::list(vec![value], place))),
                (Some((_, before)), false) => *before = value,
                (None, false) => entries.push((key, value)),
            }
        }
        if it.key.is_some() {
            HclValue::map(entries, place)
        } else {
            HclValue::list(items, place)
        }
    }
}

/// The result of a template so far.
#[derive(Default)]
struct TemplateOutput {
    text: String,
    has_holes: bool,
    is_secret: bool,
}

/// The text of a key, which is shown; `None` if it is secret.
fn open_text(value: &HclValue) -> Option<SmolStr> {
    value.as_text().filter(|_| !value.is_secret)
}

fn with(bindings: &Bindings, names: &LoopNames, key: SmolStr, value: HclValue) -> Bindings {
    let mut inner = bindings.clone();
    if let Some(name) = &names.key {
        // The position in a list is a number.
        let data = match key.parse::<u16>() {
            Ok(number) if number.to_string() == key => HclData::Number(f64::from(number)),
            _ => HclData::Text(key),
        };
        inner.push((name.clone(), HclValue::new(data, value.place)));
    }
    inner.push((names.value.clone(), value));
    inner
}

pub fn bound<'b>(bindings: &'b Bindings, name: &str) -> Option<&'b HclValue> {
    let mut all = bindings.iter().rev();
    all.find(|(bound, _)| bound == name).map(|(_, value)| value)
}

fn binary(operator: Operator, a: &HclValue, b: &HclValue) -> Option<HclData> {
    let number = |f: fn(f64, f64) -> f64| {
        let number = f(a.as_number()?, b.as_number()?);
        number.is_finite().then_some(HclData::Number(number))
    };
    let compare =
        |f: fn(&f64, &f64) -> bool| Some(HclData::Bool(f(&a.as_number()?, &b.as_number()?)));
    match operator {
        Operator::Equal => a.same(b).map(HclData::Bool),
        Operator::NotEqual => a.same(b).map(|same| HclData::Bool(!same)),
        // One operand may decide, whatever the other is.
        Operator::And => match (a.as_bool(), b.as_bool()) {
            (Some(false), _) | (_, Some(false)) => Some(HclData::Bool(false)),
            (Some(true), Some(true)) => Some(HclData::Bool(true)),
            _ => None,
        },
        Operator::Or => match (a.as_bool(), b.as_bool()) {
            (Some(true), _) | (_, Some(true)) => Some(HclData::Bool(true)),
            (Some(false), Some(false)) => Some(HclData::Bool(false)),
            _ => None,
        },
        Operator::Less => compare(f64::lt),
        Operator::LessEqual => compare(f64::le),
        Operator::Greater => compare(f64::gt),
        Operator::GreaterEqual => compare(f64::ge),
        Operator::Plus => number(|a, b| a + b),
        Operator::Minus => number(|a, b| a - b),
        Operator::Times => number(|a, b| a * b),
        Operator::Divided => number(|a, b| a / b),
        Operator::Modulo => number(|a, b| a % b),
    }
}
