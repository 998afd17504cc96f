//! A tree of the keys that values may have.

use std::collections::BTreeMap;

use serde_json::Value as Schema;
use smol_str::SmolStr;

use crate::data::Data;

/// Limits on nesting and on the keys of a tree.
const MAX_DEPTH: usize = 60;

/// The known keys below a key.
#[derive(Debug, Clone, Default)]
pub struct KnownKeys {
    pub children: BTreeMap<SmolStr, KnownKeys>,
    /// Templates or the schema take any key.
    pub is_open: bool,
    /// The default is empty.
    pub is_unset: bool,
    /// Templates compute keys.
    pub is_computed: bool,
}

impl KnownKeys {
    /// Whether any key may stand here.
    pub fn takes_all(&self) -> bool {
        self.is_open || self.is_unset || self.children.is_empty()
    }

    pub fn add(&mut self, path: &[SmolStr]) -> &mut KnownKeys {
        let path = &path[..path.len().min(MAX_DEPTH)];
        path.iter().fold(self, |node, key| {
            node.children.entry(key.clone()).or_default()
        })
    }

    /// Adds what another tree knows.
    pub fn merge(&mut self, other: &KnownKeys) {
        self.is_open |= other.is_open;
        self.is_unset |= other.is_unset;
        self.is_computed |= other.is_computed;
        for (key, below) in &other.children {
            self.children.entry(key.clone()).or_default().merge(below);
        }
    }

    /// Adds the keys of defaults. Whoever leaves a default empty means that others fill it.
    pub fn add_defaults(&mut self, values: &Data, depth: usize) {
        match values {
            Data::Map(map) if !map.is_empty() && depth < MAX_DEPTH => {
                for (key, inner) in map {
                    let below = self.children.entry(key.clone()).or_default();
                    below.add_defaults(inner, depth + 1);
                }
            }
            _ => self.is_unset = true,
        }
    }

    /// Adds the properties of a JSON schema.
    pub fn add_schema(&mut self, root: &Schema, schema: &Schema, depth: usize) {
        let Schema::Object(map) = schema else {
            self.is_open = true;
            return;
        };
        if depth > MAX_DEPTH {
            self.is_open = true;
            return;
        }
        if let Some(target) = map.get("$ref").and_then(Schema::as_str) {
            match target.strip_prefix('#').and_then(|path| root.pointer(path)) {
                // References may lead around; what is nested deeper than anybody writes is not followed.
                Some(target) if depth < 12 => self.add_schema(root, target, depth + 1),
                _ => self.is_open = true,
            }
        }
        let is_free = |extra: Option<&Schema>| !matches!(extra, None | Some(Schema::Bool(false)));
        self.is_open |= is_free(map.get("additionalProperties"))
            || is_free(map.get("patternProperties"))
            || is_free(map.get("unevaluatedProperties"));
        if let Some(Schema::Object(properties)) = map.get("properties") {
            for (key, inner) in properties {
                let below = self.children.entry(key.into()).or_default();
                below.add_schema(root, inner, depth + 1);
            }
        }
        for word in ["allOf", "anyOf", "oneOf"] {
            if let Some(Schema::Array(choices)) = map.get(word) {
                for choice in choices {
                    self.add_schema(root, choice, depth + 1);
                }
            }
        }
        for word in ["if", "then", "else"] {
            if let Some(choice) = map.get(word) {
                self.add_schema(root, choice, depth + 1);
            }
        }
    }
}
