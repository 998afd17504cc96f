//! Unordered maps and sets with a fast hasher. Its seed differs per run, so that a repository cannot choose names that
//! collide.

pub type HashMap<K, V> = foldhash::HashMap<K, V>;
pub type HashSet<T> = foldhash::HashSet<T>;
