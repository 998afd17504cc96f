//! Terraform's functions, as far as files determine their result. An unsupported function, or one with unknown
//! arguments, returns an unknown value. Pure computation.

use smol_str::SmolStr;

use super::evaluate::elements;
use super::value::{HclData, HclMap, HclValue, MAX_ITEMS, MAX_TEXT};
use base::Place;
use base::hash::HashMap;

/// Limit on items visited to flatten a list.
const MAX_FLATTENED: usize = 8 * MAX_ITEMS;
/// Number of characters that cost as much as an item.
const LETTERS: usize = 16;

/// The result of a function; `None` if it is unknown.
pub fn call(name: &str, args: &[HclValue], place: Place) -> Option<HclValue> {
    match name {
        "try" | "one" | "nonsensitive" | "tostring" | "tobool" | "tonumber" | "toset"
        | "tolist" | "tomap" => {
            return converted(name, args, place);
        }
        "yamlencode" | "jsonencode" => return Some(HclValue::encoded(args.first()?, place)),
        "coalesce" => return coalesce(args),
        _ => {}
    }
    if args.iter().any(HclValue::is_unknown) {
        return None;
    }
    let text = |at: usize| args.get(at)?.as_text();
    let made = |made: String| (made.len() <= MAX_TEXT).then(|| HclValue::text(made, place));
    match name {
        "lower" => made(text(0)?.to_lowercase()),
        "upper" => made(text(0)?.to_uppercase()),
        "trimspace" => made(text(0)?.trim().to_owned()),
        "trim" => made(
            text(0)?
                .trim_matches(|c| text(1).is_some_and(|all| all.contains(c)))
                .to_owned(),
        ),
        "trimprefix" => {
            let (whole, start) = (text(0)?, text(1)?);
            made(
                whole
                    .strip_prefix(start.as_str())
                    .unwrap_or(&whole)
                    .to_owned(),
            )
        }
        "trimsuffix" => {
            let (whole, end) = (text(0)?, text(1)?);
            made(
                whole
                    .strip_suffix(end.as_str())
                    .unwrap_or(&whole)
                    .to_owned(),
            )
        }
        "replace" => {
            let pattern = text(1)?;
            // A pattern between slashes is a regular expression.
            let is_plain =
                !(pattern.len() > 1 && pattern.starts_with('/') && pattern.ends_with('/'));
            let replaced = is_plain.then(|| (text(0), text(2)));
            let (whole, with) = replaced?;
            let (whole, with) = (whole?, with?);
            let is_small = whole.len().saturating_mul(with.len().max(1)) <= MAX_TEXT * 16;
            is_small.then(|| made(whole.replace(pattern.as_str(), &with)))?
        }
        "substr" => {
            let (from, length) = (args.get(1)?.as_number()?, args.get(2)?.as_number()?);
            let is_forward = from >= 0.0 && length >= 0.0;
            let whole = text(0)?;
            let part = whole.chars().skip(from as usize).take(length as usize);
            is_forward.then(|| made(part.collect()))?
        }
        "startswith" => bool(text(0)?.starts_with(text(1)?.as_str()), place),
        "endswith" => bool(text(0)?.ends_with(text(1)?.as_str()), place),
        "strcontains" => bool(text(0)?.contains(text(1)?.as_str()), place),
        "title" => made(title(&text(0)?)),
        "basename" => made(text(0)?.rsplit('/').next().unwrap_or_default().to_owned()),
        "format" => made(format(args)?),
        "join" => {
            let (items, between) = (texts(args.get(1)?)?, text(0)?);
            let length: usize = items.iter().map(|item| item.len() + between.len()).sum();
            (length <= MAX_TEXT * 2).then(|| made(items.join(between.as_str())))?
        }
        "split" => {
            let (by, whole) = (text(0)?, text(1)?);
            let parts = whole.split(by.as_str()).take(MAX_ITEMS + 1);
            Some(HclValue::list(
                parts.map(|part| HclValue::text(part, place)).collect(),
                place,
            ))
        }
        "length" => length(args.first()?, place),
        "abs" => number(args.first()?.as_number()?.abs(), place),
        "ceil" => number(args.first()?.as_number()?.ceil(), place),
        "floor" => number(args.first()?.as_number()?.floor(), place),
        "max" => number(numbers(args)?.into_iter().reduce(f64::max)?, place),
        "min" => number(numbers(args)?.into_iter().reduce(f64::min)?, place),
        _ => collection(name, args, place),
    }
}

/// Cost of visiting an argument, without nested values.
pub fn weight(value: &HclValue) -> usize {
    match &value.data {
        HclData::Text(text) => text.len() / LETTERS,
        HclData::List(items) => items.len(),
        HclData::Map(table) => table.entries.len(),
        _ => 0,
    }
}

/// Whether a function returns elements of its arguments unchanged, each with its own secrecy.
pub fn returns_elements(name: &str) -> bool {
    matches!(
        name,
        "merge"
            | "concat"
            | "lookup"
            | "element"
            | "values"
            | "flatten"
            | "distinct"
            | "toset"
            | "tolist"
            | "tomap"
            | "reverse"
            | "coalesce"
            | "coalescelist"
            | "compact"
            | "try"
            | "one"
            | "yamlencode"
            | "jsonencode"
            | "yamldecode"
            | "jsondecode"
    )
}

/// Functions of lists and maps.
fn collection(name: &str, args: &[HclValue], place: Place) -> Option<HclValue> {
    match name {
        "concat" => {
            let lists: Option<Vec<&[HclValue]>> = args.iter().map(HclValue::items).collect();
            let lists = lists?;
            let count: usize = lists.iter().map(|list| list.len()).sum();
            (count <= MAX_ITEMS).then(|| HclValue::list(lists.concat(), place))
        }
        "merge" => merge(args, place),
        "lookup" => {
            let (map, key) = (args.first()?, args.get(1)?.as_text()?);
            map.table()?;
            map.get(&key).or_else(|| args.get(2)).cloned()
        }
        "keys" => {
            let all = elements(args.first().filter(|map| map.table().is_some())?)?;
            let keys = all.into_iter().map(|(key, _)| HclValue::text(key, place));
            Some(HclValue::list(keys.collect(), place))
        }
        "values" => {
            let all = elements(args.first().filter(|map| map.table().is_some())?)?;
            Some(HclValue::list(
                all.into_iter().map(|(_, value)| value).collect(),
                place,
            ))
        }
        "element" => {
            let (items, at) = (args.first()?.items()?, args.get(1)?.as_number()?);
            let is_there = !items.is_empty() && at >= 0.0;
            is_there.then(|| items[at as usize % items.len()].clone())
        }
        "contains" => {
            let (items, wanted) = (args.first()?.items()?, args.get(1)?);
            let same: Option<Vec<bool>> = items.iter().map(|item| item.same(wanted)).collect();
            bool(same?.contains(&true), place)
        }
        "distinct" => distinct(args.first()?.items()?.to_vec(), place),
        "compact" => {
            let items = args.first()?.items()?.iter();
            let is_known = items
                .clone()
                .all(|item| item.is_null() || item.as_text().is_some());
            let full = items.filter(|item| item.as_text().is_some_and(|text| !text.is_empty()));
            is_known.then(|| HclValue::list(full.cloned().collect(), place))
        }
        "flatten" => {
            let mut flat = Vec::new();
            let mut left = MAX_FLATTENED;
            flatten(args.first()?, &mut flat, 0, &mut left)?;
            Some(HclValue::list(flat, place))
        }
        "reverse" => {
            let items = args.first()?.items()?.iter().rev();
            Some(HclValue::list(items.cloned().collect(), place))
        }
        "sort" => {
            let mut items = texts(args.first()?)?;
            items.sort();
            let items = items.into_iter().map(|item| HclValue::text(item, place));
            Some(HclValue::list(items.collect(), place))
        }
        "zipmap" => {
            let (keys, values) = (texts(args.first()?)?, args.get(1)?.items()?);
            let is_pairs = keys.len() == values.len();
            is_pairs.then(|| {
                HclValue::map(
                    keys.into_iter().zip(values.iter().cloned()).collect(),
                    place,
                )
            })
        }
        "coalescelist" => args
            .iter()
            .find(|list| list.items().is_some_and(|items| !items.is_empty()))
            .cloned(),
        _ => None,
    }
}

fn bool(value: bool, place: Place) -> Option<HclValue> {
    Some(HclValue::new(HclData::Bool(value), place))
}

fn number(value: f64, place: Place) -> Option<HclValue> {
    Some(HclValue::new(HclData::Number(value), place))
}

fn numbers(args: &[HclValue]) -> Option<Vec<f64>> {
    args.iter().map(HclValue::as_number).collect()
}

fn texts(list: &HclValue) -> Option<Vec<SmolStr>> {
    list.items()?.iter().map(HclValue::as_text).collect()
}

fn converted(name: &str, args: &[HclValue], place: Place) -> Option<HclValue> {
    let first = args.first()?;
    match name {
        // An unknown value may or may not fail.
        "try" => (!first.is_unknown()).then(|| first.clone()),
        "tostring" => Some(HclValue::text(first.as_text()?, first.place)),
        "tobool" => Some(HclValue::new(HclData::Bool(first.as_bool()?), first.place)),
        "tonumber" => Some(HclValue::new(
            HclData::Number(first.as_number()?),
            first.place,
        )),
        "toset" => distinct(first.items()?.to_vec(), place),
        "one" => match first.items()? {
            [] => Some(HclValue::new(HclData::Null, place)),
            [only] => Some(only.clone()),
            _ => None,
        },
        _ => Some(first.clone()),
    }
}

/// The first argument that is neither null nor empty.
fn coalesce(args: &[HclValue]) -> Option<HclValue> {
    for arg in args {
        match &arg.data {
            HclData::Unknown | HclData::Holed(_) => return None,
            HclData::Null => {}
            HclData::Text(text) if text.is_empty() => {}
            _ => return Some(arg.clone()),
        }
    }
    None
}

fn merge(args: &[HclValue], place: Place) -> Option<HclValue> {
    let mut table = HclMap::default();
    let mut positions: HashMap<&str, usize> = HashMap::default();
    for arg in args.iter().filter(|arg| !arg.is_null()) {
        let next = arg.table()?;
        for (key, value) in &next.entries {
            match positions.get(key.as_str()) {
                Some(at) => table.entries[*at].1 = value.clone(),
                None => {
                    positions.insert(key, table.entries.len());
                    table.entries.push((key.clone(), value.clone()));
                }
            }
        }
        if table.entries.len() > MAX_ITEMS {
            return None;
        }
    }
    Some(HclValue::from_table(table, place))
}

fn distinct(items: Vec<HclValue>, place: Place) -> Option<HclValue> {
    let mut kept: Vec<HclValue> = Vec::new();
    let mut seen = base::hash::HashSet::default();
    for item in items {
        // Elements other than strings are rare, and few.
        match item.set_key() {
            Some(text) => {
                if seen.insert(text) {
                    kept.push(item);
                }
            }
            None => return None,
        }
    }
    Some(HclValue::list(kept, place))
}

fn flatten(
    value: &HclValue,
    flat: &mut Vec<HclValue>,
    depth: usize,
    left: &mut usize,
) -> Option<()> {
    for item in value.items()? {
        // Even empty lists count: thousands may be nested.
        *left = left.checked_sub(1)?;
        match &item.data {
            HclData::List(_) if depth < 16 => flatten(item, flat, depth + 1, left)?,
            HclData::Unknown | HclData::Holed(_) => return None,
            _ => flat.push(item.clone()),
        }
        if flat.len() > MAX_ITEMS {
            return None;
        }
    }
    Some(())
}

fn length(value: &HclValue, place: Place) -> Option<HclValue> {
    let length = match &value.data {
        HclData::Text(text) => text.chars().count(),
        HclData::List(items) => items.len(),
        HclData::Map(table) => table.entries.len(),
        _ => return None,
    };
    number(length as f64, place)
}

/// Supports `%s`, `%d`, `%v` and `%%`.
fn format(args: &[HclValue]) -> Option<String> {
    let pattern = args.first()?.as_text()?;
    let mut rest = args[1..].iter();
    let mut made = String::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match (c, c == '%') {
            (_, false) => made.push(c),
            (_, true) => match chars.next()? {
                '%' => made.push('%'),
                's' | 'd' | 'v' => made.push_str(&rest.next()?.as_text()?),
                _ => return None,
            },
        }
        if made.len() > MAX_TEXT {
            return None;
        }
    }
    Some(made)
}

fn title(text: &str) -> String {
    let mut is_start = true;
    let letters = text.chars().map(|c| {
        let made = if is_start {
            c.to_uppercase().next().unwrap_or(c)
        } else {
            c
        };
        is_start = c.is_whitespace();
        made
    });
    letters.collect()
}
