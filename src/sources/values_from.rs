//! Entries of ConfigMaps that objects take values from, such as `valuesFrom` of a HelmRelease.

use crate::facts::Variable;

/// Looks up an entry of a ConfigMap, by the namespace and the name of that and its own key.
pub type EntryLookup<'l> = dyn Fn(&str, &str, &str) -> ConfigMapEntry<'l> + 'l;

/// The result of a lookup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigMapEntry<'l> {
    Found(&'l Variable),
    /// The object is known, and has no such entry.
    Missing,
    /// No file says what the object holds, if there is one.
    Unknown,
}
