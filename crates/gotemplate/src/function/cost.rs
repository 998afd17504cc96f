//! The cost of a call before it runs: values it visits, and an upper bound of its output.

use super::super::Value;

/// The cost of visiting all of some values.
pub fn weight(values: &[Value]) -> u64 {
    let weights = values.iter().map(|value| value.size().weight);
    weights.fold(0, u64::saturating_add)
}

/// The cost of functions over lists, maps and conditions. Those that only pass arguments on are free.
pub fn visit_cost(name: &str, arguments: &[Value]) -> u64 {
    match (name, arguments) {
        ("eq" | "ne" | "lt" | "le" | "gt" | "ge", [first, rest @ ..]) => {
            // A comparison ends with the smaller value.
            let first = first.size().weight;
            let pairs = rest.iter().map(|other| first.min(other.size().weight));
            pairs.fold(0, u64::saturating_add)
        }
        ("has", [item, list]) => compared(list, item),
        ("without", [list, unwanted @ ..]) => {
            let each = unwanted.iter().map(|item| compared(list, item));
            each.fold(0, u64::saturating_add)
        }
        ("uniq", [list]) => list.size().weight.saturating_mul(length(list)),
        ("pick" | "omit", [map, names @ ..]) => weight(names).saturating_mul(length(map)),
        ("dict", entries) => {
            let keys = entries.iter().step_by(2).map(|key| key.size().weight);
            keys.fold(0, u64::saturating_add)
        }
        ("dig", [path @ .., _, _]) => weight(path),
        (
            "sortAlpha" | "merge" | "mergeOverwrite" | "deepCopy" | "semverCompare" | "fromYaml"
            | "fromJson" | "fromYamlArray",
            all,
        ) => weight(all),
        _ => 0,
    }
}

/// Upper bound of the output, for functions whose output may far exceed their input; zero for others.
pub fn output_bound(name: &str, arguments: &[Value]) -> u64 {
    let weight = |value: &Value| value.size().weight;
    match (name, arguments) {
        ("repeat", [Value::Int(count @ 0..), text]) => weight(text).saturating_mul(*count as u64),
        ("replace", [Value::Text(from), to, Value::Text(text)]) => {
            let found = if from.is_empty() {
                text.len() + 1
            } else {
                text.matches(from.as_str()).count()
            };
            weight(to).saturating_mul(found as u64)
        }
        ("join", [separator, list]) => weight(separator).saturating_mul(length(list)),
        ("indent" | "nindent", [Value::Int(count @ 0..), Value::Text(text)]) => {
            let lines = 1 + text.matches('\n').count() as u64;
            lines.saturating_mul(*count as u64)
        }
        ("toYaml" | "toYamlPretty" | "toPrettyJson", [value]) => {
            let size = value.size();
            (size.weight / 4).saturating_mul(u64::from(size.depth))
        }
        ("concat", lists) => lists.iter().map(length).fold(0, u64::saturating_add),
        _ => 0,
    }
}

/// The cost of comparing each item of a list with a value.
fn compared(list: &Value, item: &Value) -> u64 {
    let each = item.size().weight.saturating_mul(length(list));
    each.min(list.size().weight)
}

fn length(value: &Value) -> u64 {
    match value {
        Value::List(items) => items.len() as u64,
        Value::Map(map) => map.len() as u64,
        _ => 1,
    }
}
