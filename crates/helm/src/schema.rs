//! Checks values against `values.schema.json`: the keywords of JSON Schema draft 7, without formats. References to
//! other files are taken as met.

use base::budget::Budget;
use base::hash::HashMap;
use regex::{Regex, RegexBuilder};
use serde_json::Value as Schema;

use crate::data::Data;
use crate::values::coalesce::{Flavour, Table};
use crate::values::dependencies::ChartInstance;

/// Limits on nesting and on schemas applied.
const MAX_DEPTH: usize = 80;
const MAX_STEPS: u64 = 500_000;
/// Steps that the compilation of an expression counts as, and bytes that are matched in a step.
const STEPS_OF_REGEX: usize = 2_000;
const TEXT_OF_STEP: usize = 256;
/// Limit on the size of a compiled expression.
const MAX_REGEX: usize = 1 << 20;
/// Maximum number of problems that are listed.
const MAX_PROBLEMS: usize = 50;

/// The result of checking values against schemas.
#[derive(Default)]
pub struct SchemaCheck {
    /// The errors, worded as by Helm; empty if there are none.
    pub text: String,
    /// Whether a limit ended it.
    pub is_cut_off: bool,
}

/// Checks the values of a chart and its subcharts.
pub fn check(chart: &ChartInstance, values: &Data, flavour: Flavour) -> SchemaCheck {
    let mut checked = SchemaCheck::default();
    check_chart(chart, values, flavour, &mut checked);
    checked
}

fn check_chart(chart: &ChartInstance, values: &Data, flavour: Flavour, checked: &mut SchemaCheck) {
    match &chart.package.schema {
        Some(Ok(schema)) => {
            let mut checker = Checker {
                root: schema,
                flavour,
                steps: Budget::new(MAX_STEPS),
                problems: Vec::new(),
                regexes: HashMap::default(),
            };
            checker.apply(schema, values, "", 0);
            checked.is_cut_off |= checker.steps.is_exceeded();
            if !checker.problems.is_empty() {
                checked.text.push_str(&format!("{}:\n", chart.name));
                for problem in checker.problems {
                    checked.text.push_str(&format!("- {problem}\n"));
                }
            }
        }
        Some(Err(error)) => {
            let text = format!("{}:\n{error}\n", chart.name);
            checked.text.push_str(&text);
        }
        None => {}
    }
    for sub in &chart.subcharts {
        if let Some(values @ Data::Map(_)) = values.get(&sub.name) {
            check_chart(sub, values, flavour, checked);
        }
    }
}

struct Checker<'s> {
    root: &'s Schema,
    flavour: Flavour,
    steps: Budget,
    problems: Vec<String>,
    regexes: HashMap<&'s str, Option<Regex>>,
}

impl<'s> Checker<'s> {
    fn problem(&mut self, path: &str, text: impl Into<String>) {
        if self.problems.len() < MAX_PROBLEMS {
            let path = if path.is_empty() { "(root)" } else { path };
            self.problems.push(format!("{path}: {}", text.into()));
        }
    }

    /// The expression of a pattern, for a text of some length. Schemas use few patterns often, and large ones take long.
    fn regex(&mut self, pattern: &'s str, length: usize) -> Option<Regex> {
        let _ = self.steps.charge((length / TEXT_OF_STEP) as u64);
        if let Some(known) = self.regexes.get(pattern) {
            return known.clone();
        }
        self.steps
            .charge((STEPS_OF_REGEX + pattern.len()) as u64)
            .ok()?;
        let regex = RegexBuilder::new(pattern)
            .size_limit(MAX_REGEX)
            .build()
            .ok();
        self.regexes.insert(pattern, regex.clone());
        regex
    }

    /// Whether a value meets a schema, without noting problems.
    fn is_met(&mut self, schema: &'s Schema, value: &Data, depth: usize) -> bool {
        let before = std::mem::take(&mut self.problems);
        self.apply(schema, value, "", depth);
        let found = std::mem::replace(&mut self.problems, before);
        found.is_empty()
    }

    fn apply(&mut self, schema: &'s Schema, value: &Data, path: &str, depth: usize) {
        if self.steps.charge(1).is_err() || depth > MAX_DEPTH {
            return;
        }
        let map = match schema {
            Schema::Bool(false) => return self.problem(path, "False always fails validation"),
            Schema::Object(map) => map,
            _ => return,
        };
        if let Some(Schema::String(target)) = map.get("$ref") {
            if let Some(target) = self.resolve(target) {
                self.apply(target, value, path, depth + 1);
            }
            if self.flavour == Flavour::Helm3 {
                return;
            }
        }
        if !self.check_type(map, value, path) {
            return;
        }
        self.check_choices(map, value, path);
        match value {
            Data::Int(number) => self.check_number(map, *number as f64, path),
            Data::Float(number) => self.check_number(map, *number, path),
            Data::Text(text) => self.check_text(map, text, path),
            Data::List(items) => self.check_list(map, items, path, depth),
            Data::Map(fields) => self.check_map(map, fields, path, depth),
            Data::Null | Data::Bool(_) => {}
        }
        self.check_combinations(map, value, path, depth);
    }

    /// The schema that a reference inside the file leads to.
    fn resolve(&self, target: &str) -> Option<&'s Schema> {
        let pointer = target.strip_prefix('#')?;
        let pointer = pointer.replace("%24", "$").replace("%25", "%");
        self.root.pointer(&pointer)
    }

    fn check_type(&mut self, map: &'s SchemaMap, value: &Data, path: &str) -> bool {
        let wanted: Vec<&str> = match map.get("type") {
            Some(Schema::String(one)) => vec![one],
            Some(Schema::Array(many)) => many.iter().filter_map(Schema::as_str).collect(),
            _ => return true,
        };
        let is_whole = |number: f64| number.fract() == 0.0;
        let given = match value {
            Data::Null => "null",
            Data::Bool(_) => "boolean",
            Data::Int(_) => "integer",
            Data::Float(number) if is_whole(*number) => "integer",
            Data::Float(_) => "number",
            Data::Text(_) => "string",
            Data::List(_) => "array",
            Data::Map(_) => "object",
        };
        let is_met = wanted
            .iter()
            .any(|one| *one == given || *one == "number" && given == "integer");
        if !is_met {
            let expected = match wanted.as_slice() {
                [one] => (*one).to_owned(),
                many => format!("[{}]", many.join(",")),
            };
            let text = format!("Invalid type. Expected: {expected}, given: {given}");
            self.problem(path, text);
        }
        is_met
    }

    fn check_choices(&mut self, map: &'s SchemaMap, value: &Data, path: &str) {
        let field = if path.is_empty() { "(root)" } else { path };
        if let Some(Schema::Array(choices)) = map.get("enum")
            && !choices.iter().any(|choice| is_same(choice, value))
        {
            let choices: Vec<String> = choices.iter().map(Schema::to_string).collect();
            let text = format!(
                "{field} must be one of the following: {}",
                choices.join(", ")
            );
            self.problem(path, text);
        }
        if let Some(wanted) = map.get("const")
            && !is_same(wanted, value)
        {
            self.problem(path, format!("{field} does not match: {wanted}"));
        }
    }

    fn check_number(&mut self, map: &'s SchemaMap, number: f64, path: &str) {
        let limit = |key: &str| map.get(key).and_then(Schema::as_f64);
        let is_exclusive = |key: &str| map.get(key) == Some(&Schema::Bool(true));
        if let Some(least) = limit("minimum") {
            if is_exclusive("exclusiveMinimum") && number <= least {
                self.problem(path, format!("Must be greater than {least}"));
            } else if number < least {
                self.problem(path, format!("Must be greater than or equal to {least}"));
            }
        }
        if let Some(most) = limit("maximum") {
            if is_exclusive("exclusiveMaximum") && number >= most {
                self.problem(path, format!("Must be less than {most}"));
            } else if number > most {
                self.problem(path, format!("Must be less than or equal to {most}"));
            }
        }
        if let Some(least) = limit("exclusiveMinimum").filter(|least| number <= *least) {
            self.problem(path, format!("Must be greater than {least}"));
        }
        if let Some(most) = limit("exclusiveMaximum").filter(|most| number >= *most) {
            self.problem(path, format!("Must be less than {most}"));
        }
        let step = limit("multipleOf").filter(|step| *step > 0.0 && (number / step).fract() != 0.0);
        if let Some(step) = step {
            self.problem(path, format!("Must be a multiple of {step}"));
        }
    }

    fn check_text(&mut self, map: &'s SchemaMap, text: &str, path: &str) {
        let length = text.chars().count() as u64;
        let limit = |key: &str| map.get(key).and_then(Schema::as_u64);
        if let Some(least) = limit("minLength").filter(|least| length < *least) {
            let text = format!("String length must be greater than or equal to {least}");
            self.problem(path, text);
        }
        if let Some(most) = limit("maxLength").filter(|most| length > *most) {
            let text = format!("String length must be less than or equal to {most}");
            self.problem(path, text);
        }
        if let Some(pattern) = map.get("pattern").and_then(Schema::as_str)
            && let Some(regex) = self.regex(pattern, text.len())
            && !regex.is_match(text)
        {
            self.problem(path, format!("Does not match pattern '{pattern}'"));
        }
    }

    fn check_list(&mut self, map: &'s SchemaMap, items: &[Data], path: &str, depth: usize) {
        let limit = |key: &str| map.get(key).and_then(Schema::as_u64);
        let length = items.len() as u64;
        if let Some(least) = limit("minItems").filter(|least| length < *least) {
            self.problem(path, format!("Array must have at least {least} items"));
        }
        if let Some(most) = limit("maxItems").filter(|most| length > *most) {
            self.problem(path, format!("Array must have at most {most} items"));
        }
        let has_twice = || (1..items.len()).any(|at| items[..at].contains(&items[at]));
        if map.get("uniqueItems") == Some(&Schema::Bool(true)) && items.len() < 1_000 && has_twice()
        {
            self.problem(path, "array items must be unique");
        }
        let at_index = |at: usize| join(path, &at.to_string());
        match map.get("items") {
            Some(Schema::Array(schemas)) => {
                for (at, item) in items.iter().enumerate() {
                    match (schemas.get(at), map.get("additionalItems")) {
                        (Some(schema), _) => self.apply(schema, item, &at_index(at), depth + 1),
                        (None, Some(Schema::Bool(false))) => {
                            self.problem(path, "No additional items allowed on array");
                            break;
                        }
                        (None, Some(schema)) => self.apply(schema, item, &at_index(at), depth + 1),
                        (None, None) => {}
                    }
                }
            }
            Some(schema) => {
                for (at, item) in items.iter().enumerate() {
                    self.apply(schema, item, &at_index(at), depth + 1);
                }
            }
            None => {}
        }
        if let Some(schema) = map.get("contains")
            && !items
                .iter()
                .any(|item| self.is_met(schema, item, depth + 1))
        {
            self.problem(path, "At least one of the items must match");
        }
    }

    fn check_map(&mut self, map: &'s SchemaMap, fields: &Table, path: &str, depth: usize) {
        let limit = |key: &str| map.get(key).and_then(Schema::as_u64);
        let length = fields.len() as u64;
        if let Some(least) = limit("minProperties").filter(|least| length < *least) {
            self.problem(path, format!("Must have at least {least} properties"));
        }
        if let Some(most) = limit("maxProperties").filter(|most| length > *most) {
            self.problem(path, format!("Must have at most {most} properties"));
        }
        if let Some(Schema::Array(required)) = map.get("required") {
            for name in required.iter().filter_map(Schema::as_str) {
                if !fields.contains_key(name) {
                    self.problem(path, format!("{name} is required"));
                }
            }
        }
        let listed = map.get("properties").and_then(Schema::as_object);
        let patterns = map.get("patternProperties").and_then(Schema::as_object);
        let patterns: Vec<(Regex, &Schema)> = patterns
            .into_iter()
            .flatten()
            .filter_map(|(pattern, schema)| Some((self.regex(pattern, 0)?, schema)))
            .collect();
        for (name, value) in fields {
            let inner = join(path, name);
            let mut is_known = false;
            if let Some(schema) = listed.and_then(|listed| listed.get(name.as_str())) {
                is_known = true;
                self.apply(schema, value, &inner, depth + 1);
            }
            for (regex, schema) in &patterns {
                if regex.is_match(name) {
                    is_known = true;
                    self.apply(schema, value, &inner, depth + 1);
                }
            }
            match map.get("additionalProperties") {
                Some(Schema::Bool(false)) if !is_known => {
                    self.problem(path, format!("Additional property {name} is not allowed"));
                }
                Some(schema) if !is_known => self.apply(schema, value, &inner, depth + 1),
                _ => {}
            }
            if let Some(schema) = map.get("propertyNames")
                && !self.is_met(schema, &Data::Text(name.clone()), depth + 1)
            {
                self.problem(path, format!("Property name of {name:?} does not match"));
            }
        }
        self.check_dependencies(map, fields, path, depth);
    }

    fn check_dependencies(&mut self, map: &'s SchemaMap, fields: &Table, path: &str, depth: usize) {
        for key in ["dependencies", "dependentRequired", "dependentSchemas"] {
            let listed = map.get(key).and_then(Schema::as_object);
            let listed = listed.into_iter().flatten();
            for (_, wanted) in listed.filter(|(name, _)| fields.contains_key(name.as_str())) {
                if let Schema::Array(names) = wanted {
                    for name in names.iter().filter_map(Schema::as_str) {
                        if !fields.contains_key(name) {
                            self.problem(path, format!("Has a dependency on {name}"));
                        }
                    }
                } else {
                    self.apply(wanted, &Data::Map(fields.clone()), path, depth + 1);
                }
            }
        }
    }

    fn check_combinations(&mut self, map: &'s SchemaMap, value: &Data, path: &str, depth: usize) {
        let list = |key: &str| map.get(key).and_then(Schema::as_array);
        if let Some(all) = list("allOf") {
            for schema in all {
                self.apply(schema, value, path, depth + 1);
            }
        }
        if let Some(any) = list("anyOf")
            && !any
                .iter()
                .any(|schema| self.is_met(schema, value, depth + 1))
        {
            self.problem(path, "Must validate at least one schema (anyOf)");
        }
        if let Some(one) = list("oneOf") {
            let met = one
                .iter()
                .filter(|schema| self.is_met(schema, value, depth + 1));
            if met.count() != 1 {
                self.problem(path, "Must validate one and only one schema (oneOf)");
            }
        }
        if let Some(schema) = map.get("not")
            && self.is_met(schema, value, depth + 1)
        {
            self.problem(path, "Must not validate the schema (not)");
        }
        if let Some(condition) = map.get("if") {
            let next = if self.is_met(condition, value, depth + 1) {
                map.get("then")
            } else {
                map.get("else")
            };
            if let Some(schema) = next {
                self.apply(schema, value, path, depth + 1);
            }
        }
    }
}

type SchemaMap = serde_json::Map<String, Schema>;

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

fn is_same(schema: &Schema, value: &Data) -> bool {
    match (schema, value) {
        (Schema::Null, Data::Null) => true,
        (Schema::Bool(a), Data::Bool(b)) => a == b,
        (Schema::Number(a), Data::Float(b)) => a.as_f64() == Some(*b),
        (Schema::Number(a), Data::Int(b)) => a.as_f64() == Some(*b as f64),
        (Schema::String(a), Data::Text(b)) => a == b.as_str(),
        (Schema::Array(a), Data::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Schema::Object(a), Data::Map(b)) => {
            let has =
                |(key, a): (&String, &Schema)| b.get(key.as_str()).is_some_and(|b| is_same(a, b));
            a.len() == b.len() && a.iter().all(has)
        }
        _ => false,
    }
}
