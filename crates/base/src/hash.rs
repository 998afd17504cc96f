//! Unordered maps and sets with a fast hasher. Its seed differs per run, so that a repository cannot choose names that
//! collide.

/// A hash map with the fast hasher.
pub type HashMap<K, V> = foldhash::HashMap<K, V>;
/// A hash set with the fast hasher.
pub type HashSet<T> = foldhash::HashSet<T>;
