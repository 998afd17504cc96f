//! Merges values files, as Helm does for the values of a release.

use base::hash::{HashMap, HashSet};
use yaml::{Node, Value};

/// Merges mappings and replaces everything else; null removes a field. The parser limits the depth.
pub fn merge_values(values: &mut Node, over: &Node) {
    let (Value::Map(map), Value::Map(others)) = (&mut values.value, &over.value) else {
        *values = over.clone();
        return;
    };
    let known = map.0.iter().enumerate();
    // Both may have very many fields, so look them up by hash.
    let mut known: HashMap<String, usize> = known
        .map(|(at, entry)| (entry.key.to_string(), at))
        .collect();
    let mut gone = HashSet::default();
    for entry in &others.0 {
        match known.get(entry.key.as_str()) {
            Some(_) if entry.value.is_null() => drop(gone.insert(entry.key.to_string())),
            Some(at) => {
                gone.remove(entry.key.as_str());
                map.0[*at].key_place = entry.key_place;
                merge_values(&mut map.0[*at].value, &entry.value);
            }
            None if entry.value.is_null() => {}
            None => {
                known.insert(entry.key.to_string(), map.0.len());
                map.0.push(entry.clone());
            }
        }
    }
    if !gone.is_empty() {
        map.0.retain(|entry| !gone.contains(entry.key.as_str()));
    }
}
