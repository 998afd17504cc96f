//! Methods of arrays and texts.

use super::super::evaluator::MAX_TEXT;
use super::*;
use base::hash::HashSet;

/// Number of copied items that count as a step.
const COPIED: usize = 4;
/// Number of visited characters that count as a step.
const LETTERS: usize = 64;

impl Evaluator<'_, '_> {
    /// Charges the length of a text; false once the limit is reached.
    pub(in super::super) fn charge_text(&mut self, count: usize, place: Place) -> bool {
        count < LETTERS || self.take_steps(count / LETTERS, place)
    }

    pub(super) fn call_array(
        &mut self,
        this: ProgramValue,
        key: &str,
        arguments: Vec<ProgramValue>,
        place: Place,
    ) -> ProgramValue {
        let ValueKind::Array(at) = this.kind else {
            return ProgramValue::unknown(place);
        };
        // Callbacks that take all items get a copy of them.
        let items = match key {
            "push" | "unshift" => Vec::new(),
            _ if self.take_steps(self.heap.arrays[at].len() / COPIED, place) => {
                self.items(&this).unwrap_or_default()
            }
            _ => return ProgramValue::unknown(place),
        };
        let first = arguments
            .first()
            .cloned()
            .unwrap_or_else(|| ProgramValue::undefined(place));
        match key {
            "map" | "forEach" | "flatMap" | "filter" | "find" | "some" | "every" => {
                self.each(&this, key, items, &first, place)
            }
            "reduce" => {
                let mut items = items.into_iter();
                let start = arguments.get(1).cloned().or_else(|| items.next());
                let mut result = start.unwrap_or_else(|| ProgramValue::undefined(place));
                for item in items {
                    if self.is_over() {
                        break;
                    }
                    result = self.call_value(&first, vec![result, item], None, place);
                }
                result
            }
            "push" | "unshift" => {
                let room = 100_000usize.saturating_sub(self.heap.arrays[at].len());
                let new = arguments.into_iter().take(room);
                match key {
                    "push" => self.heap.arrays[at].extend(new),
                    _ => {
                        self.heap.arrays[at].splice(0..0, new);
                    }
                }
                ProgramValue::new(ValueKind::Number(self.heap.arrays[at].len() as f64), place)
            }
            "concat" | "flat" => {
                let lists = match key {
                    "concat" => std::iter::once(this.clone()).chain(arguments).collect(),
                    _ => items,
                };
                let mut all = Vec::new();
                for list in lists {
                    match self.items(&list) {
                        Some(items) if !list.is_nothing() => all.extend(items),
                        _ => all.push(list),
                    }
                    if !self.take_steps(all.len(), place) {
                        break;
                    }
                }
                self.heap.array(all, place)
            }
            "join" => {
                let between = match self.text(&first) {
                    Some(text) => text,
                    None => ",".into(),
                };
                let mut parts = Vec::new();
                for (nth, item) in items.into_iter().enumerate() {
                    if nth > 0 {
                        parts.push(ProgramValue::string(between.clone(), place));
                    }
                    parts.push(item);
                }
                self.concat(parts, place)
            }
            "includes" | "indexOf" => {
                let mut is_known = !first.is_hole();
                let mut found = None;
                for (nth, item) in items.iter().enumerate() {
                    match self.equal(item, &first) {
                        Some(true) => {
                            found = Some(nth);
                            break;
                        }
                        Some(false) => {}
                        None => is_known = false,
                    }
                }
                match (found, key, is_known) {
                    (Some(_), "includes", _) => ProgramValue::new(ValueKind::Bool(true), place),
                    (Some(nth), _, _) => ProgramValue::new(ValueKind::Number(nth as f64), place),
                    (None, "includes", true) => ProgramValue::new(ValueKind::Bool(false), place),
                    (None, _, true) => ProgramValue::new(ValueKind::Number(-1.0), place),
                    _ => ProgramValue::unknown(place),
                }
            }
            "slice" => {
                let number = |value: Option<&ProgramValue>| match value.map(|value| &value.kind) {
                    Some(ValueKind::Number(number)) => Some(*number),
                    _ => None,
                };
                let place_of = |number: f64| {
                    if number < 0.0 {
                        items.len().saturating_sub(-number as usize)
                    } else {
                        (number as usize).min(items.len())
                    }
                };
                let start = number(arguments.first()).map_or(0, place_of);
                let end = number(arguments.get(1)).map_or(items.len(), place_of);
                let part = items.get(start..end).unwrap_or_default().to_vec();
                self.heap.array(part, place)
            }
            "reverse" => {
                let mut items = items;
                items.reverse();
                self.heap.array(items, place)
            }
            "sort" | "values" | "toSorted" => this,
            "at" => match (items.len(), &first.kind) {
                (length, ValueKind::Number(number)) => {
                    let index = if *number < 0.0 {
                        length as f64 + number
                    } else {
                        *number
                    };
                    let item = items.get(index as usize).cloned();
                    item.unwrap_or_else(|| ProgramValue::undefined(place))
                }
                _ => ProgramValue::unknown(place),
            },
            "keys" => {
                let keys = (0..items.len())
                    .map(|nth| ProgramValue::new(ValueKind::Number(nth as f64), place));
                let keys = keys.collect();
                self.heap.array(keys, place)
            }
            "entries" => {
                let mut pairs = Vec::new();
                for (nth, item) in items.into_iter().enumerate() {
                    let nth = ProgramValue::new(ValueKind::Number(nth as f64), place);
                    pairs.push(self.heap.array(vec![nth, item], place));
                }
                self.heap.array(pairs, place)
            }
            "has" => self.call_array(this, "includes", arguments, place),
            // Only a set has `add`, and holds each value once.
            "add" => {
                let is_there = items
                    .iter()
                    .any(|item| self.equal(item, &first) == Some(true));
                if !is_there {
                    self.call_array(this.clone(), "push", arguments, place);
                }
                this
            }
            _ => {
                let from = self.sources_within(&this);
                self.heap.with(ProgramValue::unknown(place), from)
            }
        }
    }

    /// Calls a function for each element of an array.
    pub(super) fn each(
        &mut self,
        this: &ProgramValue,
        key: &str,
        items: Vec<ProgramValue>,
        function: &ProgramValue,
        place: Place,
    ) -> ProgramValue {
        let mut results = Vec::new();
        let mut answer = Some(key == "every");
        for (nth, item) in items.into_iter().enumerate() {
            if self.is_over() {
                break;
            }
            let index = ProgramValue::new(ValueKind::Number(nth as f64), place);
            let given = vec![item.clone(), index, this.clone()];
            let value = self.call_value(function, given, None, place);
            match key {
                "map" => results.push(value),
                "flatMap" => match self.items(&value) {
                    Some(all) => results.extend(all),
                    None => results.push(value),
                },
                // Items that may pass are kept: their origin says that they are unknown.
                "filter" if value.truth() != Some(false) => results.push(item),
                "find" => match value.truth() {
                    Some(true) => return item,
                    Some(false) => {}
                    None => return self.heap.with(ProgramValue::unknown(place), item.from),
                },
                "some" | "every" => match (value.truth(), key) {
                    (Some(true), "some") => return ProgramValue::new(ValueKind::Bool(true), place),
                    (Some(false), "every") => {
                        return ProgramValue::new(ValueKind::Bool(false), place);
                    }
                    (None, _) => answer = None,
                    _ => {}
                },
                _ => {}
            }
        }
        match key {
            "map" | "flatMap" | "filter" => {
                let array = self.heap.array(results, place);
                self.heap.with(array, this.from)
            }
            "some" | "every" => {
                ProgramValue::new(answer.map_or(ValueKind::Hole(0), ValueKind::Bool), place)
            }
            _ => ProgramValue::undefined(place),
        }
    }

    pub(super) fn call_text(
        &mut self,
        text: &SmolStr,
        key: &str,
        arguments: &[ProgramValue],
        place: Place,
    ) -> ProgramValue {
        if let Some(ValueKind::Pattern(at)) = arguments.first().map(|first| &first.kind) {
            return self.call_text_with(text, key, *at, arguments.get(1), place);
        }
        let argument = |at: usize| arguments.get(at).and_then(ProgramValue::text);
        if !self.charge_text(text.len(), place) {
            return ProgramValue::unknown(place);
        }
        let kind = match (key, argument(0), argument(1)) {
            ("toString" | "valueOf", ..) => ValueKind::Text(text.clone()),
            ("toLowerCase", ..) => ValueKind::Text(text.to_lowercase().into()),
            ("toUpperCase", ..) => ValueKind::Text(text.to_uppercase().into()),
            ("trim", ..) => ValueKind::Text(text.trim().into()),
            ("startsWith", Some(other), _) => ValueKind::Bool(text.starts_with(other.as_str())),
            ("endsWith", Some(other), _) => ValueKind::Bool(text.ends_with(other.as_str())),
            ("includes", Some(other), _) => ValueKind::Bool(text.contains(other.as_str())),
            ("replace", Some(from), Some(to))
                if !to.contains('$') && text.len() + to.len() <= MAX_TEXT =>
            {
                ValueKind::Text(text.replacen(from.as_str(), to, 1).into())
            }
            // Replacing the empty text inserts between all characters.
            ("replaceAll", Some(from), Some(to))
                if !to.contains('$')
                    && !from.is_empty()
                    && text.len() + text.matches(from.as_str()).count() * to.len() <= MAX_TEXT =>
            {
                ValueKind::Text(text.replace(from.as_str(), to).into())
            }
            ("split", Some(between), _) if !between.is_empty() => {
                let parts = text
                    .split(between.as_str())
                    .take(2_000)
                    .map(|part| ProgramValue::string(part, place))
                    .collect();
                return self.heap.array(parts, place);
            }
            ("concat", ..) => {
                let mut parts = vec![ProgramValue::string(text.clone(), place)];
                parts.extend(arguments.iter().cloned());
                return self.concat(parts, place);
            }
            ("slice" | "substring", ..) => {
                let number = |at: usize| match arguments.get(at).map(|value| &value.kind) {
                    Some(ValueKind::Number(number)) if *number >= 0.0 => Some(*number as usize),
                    _ => None,
                };
                let Some(start) = number(0) else {
                    return ProgramValue::unknown(place);
                };
                let end = match arguments.get(1) {
                    Some(_) => match number(1) {
                        Some(end) => end,
                        None => return ProgramValue::unknown(place),
                    },
                    None => usize::MAX,
                };
                let part = text.chars().skip(start).take(end.saturating_sub(start));
                ValueKind::Text(part.collect::<String>().into())
            }
            _ => ValueKind::Hole(0),
        };
        match kind {
            ValueKind::Text(text) if text.len() > 64 * 1024 => ProgramValue::unknown(place),
            kind => ProgramValue::new(kind, place),
        }
    }
}

/// The elements of a set: each value once. Unknown values may differ, and stay.
pub fn distinct(items: Vec<ProgramValue>) -> Vec<ProgramValue> {
    let mut seen: HashSet<(&str, SmolStr)> = HashSet::default();
    let is_new = |item: &ProgramValue| identity(item).is_none_or(|own| seen.insert(own));
    let mut items = items;
    items.retain(is_new);
    items
}

fn identity(value: &ProgramValue) -> Option<(&'static str, SmolStr)> {
    let numbered = |at: usize| smol_str::format_smolstr!("{at}");
    Some(match &value.kind {
        ValueKind::Undefined => ("undefined", SmolStr::default()),
        ValueKind::Null => ("null", SmolStr::default()),
        ValueKind::Bool(value) => ("bool", numbered(usize::from(*value))),
        ValueKind::Number(value) => ("number", number(*value)),
        ValueKind::Text(text) => ("text", text.clone()),
        ValueKind::Array(at) => ("array", numbered(*at)),
        ValueKind::Object(at) => ("object", numbered(*at)),
        ValueKind::Instance(at) => ("instance", numbered(*at)),
        ValueKind::Resource(at) => ("resource", numbered(*at)),
        _ => return None,
    })
}
