//! Mappings as they come out of the parser: merge keys resolved, repeated keys reported.

use smol_str::SmolStr;

use super::{Entry, Map, Node, Value};
use base::hash::{HashMap, HashSet};
use base::{Effect, Few, Finding, Severity};

/// Stands for `<<` until the mapping ends. No YAML text produces this key.
pub const MERGE: SmolStr = SmolStr::new_static("\u{0}<<");

const RULE: &str = "yaml-duplicate-key";

/// Resolves merge keys and drops duplicate keys; the last one wins.
pub fn resolve(entries: Vec<Entry>, findings: &mut Few) -> Map {
    let merges = entries.iter().any(|entry| entry.key == MERGE);
    if !merges && distinct(&entries) {
        return Map(entries);
    }
    let mut map = Map(Vec::with_capacity(entries.len()));
    let mut seen: HashMap<SmolStr, usize> = HashMap::default();
    let mut merged: Vec<Node> = Vec::new();
    for entry in entries {
        if entry.key == MERGE {
            match entry.value.value {
                Value::Seq(items) => merged.extend(items),
                _ => merged.push(entry.value),
            }
            continue;
        }
        if let Some(&index) = seen.get(&entry.key) {
            let first: &Entry = &map.0[index];
            findings.push(RULE, Severity::Error, entry.key_place, || {
                let message = format!(
                    "the key `{}` is already set on line {}",
                    entry.key, first.key_place.line
                );
                // Several repeated keys of one mapping often come from two documents without a separator.
                let start = map.0.first().map_or(first.key_place, |one| one.key_place);
                Finding::error(RULE, entry.key_place, message)
                    .cause(format_args!("{}:{}", start.file.0, start.line))
                    .help("remove one of the two")
                    .effect(Effect::DuplicateKey)
            });
            map.0[index] = entry;
        } else {
            seen.insert(entry.key.clone(), map.0.len());
            map.0.push(entry);
        }
    }
    for node in merged {
        if let Value::Map(other) = node.value {
            for entry in other.0 {
                if !seen.contains_key(&entry.key) {
                    seen.insert(entry.key.clone(), map.0.len());
                    map.0.push(entry);
                }
            }
        }
    }
    map
}

/// Whether no key is repeated.
pub fn distinct(entries: &[Entry]) -> bool {
    // Most mappings are small, and comparing keys is faster than hashing them.
    if entries.len() <= 8 {
        return entries
            .iter()
            .enumerate()
            .all(|(i, entry)| entries[..i].iter().all(|other| other.key != entry.key));
    }
    let mut seen = HashSet::with_capacity_and_hasher(entries.len(), Default::default());
    entries.iter().all(|entry| seen.insert(entry.key.as_str()))
}
