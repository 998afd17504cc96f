//! Objects that take values from others of their cluster: they are described once more when all of it is known.

use std::cell::Cell;

use super::source_index::SourceIndex;
use super::unit::Applied;
use crate::sources;
use crate::sources::values_from::ConfigMapEntry;

/// The values that all objects of a cluster take may have this many bytes together.
const MAX_BYTES: usize = 64 << 20;

/// Describes again the objects that take values from others.
pub fn resolve_values_from<'a>(
    applied: impl IntoIterator<Item = &'a mut Applied>,
    known: &SourceIndex,
) {
    let left = Cell::new(MAX_BYTES);
    let lookup = |namespace: &str, name: &str, key: &str| {
        let found = known.entry(namespace, name, key);
        let ConfigMapEntry::Found(entry) = found else {
            return found;
        };
        let length = entry.value.as_ref().map_or(0, |value| value.len());
        match left.get().checked_sub(length) {
            Some(rest) => {
                left.set(rest);
                found
            }
            None => ConfigMapEntry::Unknown,
        }
    };
    let applied = applied.into_iter();
    for applied in applied.filter(|applied| applied.has_values_from) {
        for object in &mut applied.objects {
            if let Some(values_from) = object.statement.supplies.values_from.clone() {
                sources::describe_values_from(&values_from, &lookup, &mut object.statement);
            }
        }
    }
}
