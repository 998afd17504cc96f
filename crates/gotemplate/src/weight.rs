//! Lists and maps that know their size. Values are shared, so a list doubled forty times is small in memory but endless
//! to walk: shared parts count each time.

use std::collections::BTreeMap;
use std::ops::Deref;

use smol_str::SmolStr;

use super::Value;

/// Size of a container besides its contents.
const CONTAINER: u64 = 4;

/// The size of a value: number of values and bytes, and depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Size {
    pub weight: u64,
    pub depth: u32,
}

impl Size {
    pub fn measure(value: &Value) -> Size {
        match value {
            Value::Text(text) => Size {
                weight: 1 + text.len() as u64,
                depth: 0,
            },
            Value::List(items) => items.size,
            Value::Map(map) => map.size,
            _ => Size {
                weight: 1,
                depth: 0,
            },
        }
    }

    fn add(&mut self, key: &str, inner: Size) {
        let weight = inner.weight.saturating_add(key.len() as u64);
        self.weight = self.weight.saturating_add(weight);
        self.depth = self.depth.max(inner.depth.saturating_add(1));
    }
}

/// A list or map with its size. After a change in place, the depth may be too high, but never too low.
#[derive(Debug, Clone, Default)]
pub struct WithSize<T> {
    inner: T,
    size: Size,
}

impl<T: PartialEq> PartialEq for WithSize<T> {
    fn eq(&self, other: &WithSize<T>) -> bool {
        self.inner == other.inner
    }
}

impl<T> Deref for WithSize<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl From<Vec<Value>> for WithSize<Vec<Value>> {
    fn from(inner: Vec<Value>) -> WithSize<Vec<Value>> {
        let mut size = Size {
            weight: CONTAINER,
            depth: 0,
        };
        for value in &inner {
            size.add("", Size::measure(value));
        }
        WithSize { inner, size }
    }
}

impl From<BTreeMap<SmolStr, Value>> for WithSize<BTreeMap<SmolStr, Value>> {
    fn from(inner: BTreeMap<SmolStr, Value>) -> WithSize<BTreeMap<SmolStr, Value>> {
        let mut size = Size {
            weight: CONTAINER,
            depth: 0,
        };
        for (key, value) in &inner {
            size.add(key, Size::measure(value));
        }
        WithSize { inner, size }
    }
}

impl WithSize<BTreeMap<SmolStr, Value>> {
    /// Changes the value of a key, or null if it has none.
    pub fn change(&mut self, key: &SmolStr, change: impl FnOnce(&mut Value)) {
        let weight = match self.inner.get(key) {
            Some(old) => Size::measure(old).weight.saturating_add(key.len() as u64),
            None => 0,
        };
        let value = self.inner.entry(key.clone()).or_default();
        change(value);
        let new = Size::measure(value);
        self.size.weight = self.size.weight.saturating_sub(weight);
        self.size.add(key, new);
    }
}
