//! Functions such as `set` change maps in place. Values here are shared and immutable, so a changed map replaces the
//! old one wherever a variable refers to it.

use std::collections::BTreeMap;
use std::sync::Arc;

use smol_str::SmolStr;

use super::Value;
use super::weight::WithSize;
use base::budget::Budget;
use base::hash::HashMap;

type Map = Arc<WithSize<BTreeMap<SmolStr, Value>>>;

/// A map and its replacement. The old one is kept alive, so that its address stays unique.
pub struct Change {
    old: Map,
    new: Value,
}

/// Limit on values visited for all changes of a template.
const MAX_VISITED: u64 = 2_000_000;

/// The changes of a template, in order.
pub struct Changes {
    all: Vec<Change>,
    visited: Budget,
}

impl Default for Changes {
    fn default() -> Changes {
        Changes {
            all: Vec::new(),
            visited: Budget::new(MAX_VISITED),
        }
    }
}

impl Changes {
    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn note(&mut self, old: &Value, new: &Value) {
        if let Value::Map(old) = old {
            self.all.push(Change {
                old: old.clone(),
                new: new.clone(),
            });
        }
    }

    /// Applies the changes since `since` to values. Fails if the limit is reached.
    pub fn follow<'v>(
        &mut self,
        since: usize,
        values: impl Iterator<Item = &'v mut Value>,
    ) -> Result<(), LimitReached> {
        if since >= self.all.len() {
            return Ok(());
        }
        let mut values: Vec<&mut Value> = values.collect();
        for change in &self.all[since..] {
            let mut replacing = Replacer {
                change,
                known: HashMap::default(),
                visited: &mut self.visited,
            };
            for value in &mut values {
                if let Some(new) = replacing.replaced(value) {
                    **value = new;
                }
            }
            if self.visited.is_exceeded() {
                return Err(LimitReached);
            }
        }
        Ok(())
    }
}

/// The limit on visited values was reached.
pub struct LimitReached;

struct Replacer<'c> {
    change: &'c Change,
    /// Values visited so far and their replacements, by address.
    known: HashMap<*const (), Option<Value>>,
    visited: &'c mut Budget,
}

impl Replacer<'_> {
    /// The replacement of a value, if it contains a changed map.
    fn replaced(&mut self, value: &Value) -> Option<Value> {
        self.visited.charge(1).ok()?;
        match value {
            Value::Map(map) if Arc::ptr_eq(map, &self.change.old) => Some(self.change.new.clone()),
            Value::Map(map) => {
                let at = Arc::as_ptr(map).cast::<()>();
                if let Some(known) = self.known.get(&at) {
                    return known.clone();
                }
                let mut changed: Vec<(SmolStr, Value)> = Vec::new();
                for (key, inner) in map.iter() {
                    changed.extend(self.replaced(inner).map(|new| (key.clone(), new)));
                }
                let new = (!changed.is_empty()).then(|| {
                    let mut map: BTreeMap<_, _> = (***map).clone();
                    map.extend(changed);
                    Value::Map(Arc::new(map.into()))
                });
                self.known.insert(at, new.clone());
                new
            }
            Value::List(items) => {
                let at = Arc::as_ptr(items).cast::<()>();
                if let Some(known) = self.known.get(&at) {
                    return known.clone();
                }
                let mut changed: Vec<(usize, Value)> = Vec::new();
                for (nth, inner) in items.iter().enumerate() {
                    changed.extend(self.replaced(inner).map(|new| (nth, new)));
                }
                let new = (!changed.is_empty()).then(|| {
                    let mut items: Vec<Value> = (***items).clone();
                    for (nth, inner) in changed {
                        items[nth] = inner;
                    }
                    Value::List(Arc::new(items.into()))
                });
                self.known.insert(at, new.clone());
                new
            }
            _ => None,
        }
    }
}
