//! Maps and sets without an order. They are asked very often, so that hashing is to be quick; a seed of its own for each
//! run keeps a repository from choosing names that collide.

pub type HashMap<K, V> = foldhash::HashMap<K, V>;
pub type HashSet<T> = foldhash::HashSet<T>;
