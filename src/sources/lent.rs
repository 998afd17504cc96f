//! What the objects of a cluster lend to others: entries of ConfigMaps. For readers whose objects take values from them.

use crate::facts::Variable;

/// Looks up an entry of a ConfigMap, by the namespace and the name of that and its own key.
pub type Lender<'l> = dyn Fn(&str, &str, &str) -> Lent<'l> + 'l;

/// What became of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lent<'l> {
    Entry(&'l Variable),
    /// The object is known, and has no such entry.
    Without,
    /// No file says what the object holds, if there is one.
    Unknown,
}
