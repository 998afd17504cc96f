//! Lists that merge by key. The order of the result, and the treatment of elements without a key, are kustomize's.

use smol_str::SmolStr;

use super::{DIRECTIVE, Directive, Merger};
use crate::schema::{Merge, Schema, Type};
use base::hash::{HashMap, HashSet};
use yaml::Node;

/// Longer lists are not completed: comparing all pairs would take too long.
const MAX_COMPLETED: usize = 256;

/// The directive of an element that has nothing else, which applies to the list.
pub fn directive(items: &[Node]) -> Result<Option<Directive>, String> {
    match items.iter().find(|item| item.get(DIRECTIVE).is_some()) {
        Some(item) if item.entries().len() == 1 => super::directive(item),
        _ => Ok(None),
    }
}

pub fn without_directives(items: &[Node]) -> Vec<Node> {
    let only_directive = |item: &&Node| item.entries().len() != 1 || item.get(DIRECTIVE).is_none();
    items.iter().filter(only_directive).cloned().collect()
}

impl Merger {
    pub(super) fn list(
        &mut self,
        target: Vec<Node>,
        patch: &[Node],
        merge: Merge,
        schema: &'static Schema,
    ) -> Result<Vec<Node>, String> {
        match merge {
            Merge::Set => Ok(merge_sets(target, patch)),
            Merge::Keys(keys) => self.by_keys(target, patch, keys, schema),
        }
    }

    fn by_keys(
        &mut self,
        target: Vec<Node>,
        patch: &[Node],
        keys: &'static [&'static str],
        schema: &'static Schema,
    ) -> Result<Vec<Node>, String> {
        let mut names = unique(
            patch
                .iter()
                .chain(&target)
                .map(|item| ElementKey::from_node(item, keys)),
        );
        if keys.len() > 1 && names.len() <= MAX_COMPLETED {
            complete(&mut names);
        }
        let by_second = names.iter().any(|name| !name.second.is_empty());
        let mut new: Vec<(ElementKey, Option<Node>)> = Vec::new();
        let mut slots: Vec<Option<Node>> = target.into_iter().map(Some).collect();
        let mut index = NamePositions::new(slots.iter().flatten(), keys);
        let patch_index = NamePositions::new(patch.iter(), keys);
        let mut deleted: HashSet<ElementKey> = HashSet::default();
        for name in unique(names.into_iter()) {
            if name.is_empty() {
                // An element without a key removes all that have one from the target.
                for slot in &mut slots {
                    slot.take_if(|item| item.get(keys[0]).is_some());
                }
                index = NamePositions::default();
                continue;
            }
            let found = index.find(&name);
            let change = patch_index.find(&name).map(|at| &patch[at]);
            let replaces = match change {
                Some(change) => super::directive(change)? == Some(Directive::Replace),
                None => false,
            };
            if found.is_some() && replaces {
                // kustomize computes the replacement, and then merges the old element over it.
                new.push((name, None));
                continue;
            }
            let old = found.and_then(|at| slots[at].take());
            let known = Some(Type::Map(schema));
            let value = self.value(old, change, known)?;
            match (value.filter(|value| !is_empty_map(value)), found) {
                (None, _) => drop(deleted.insert(name)),
                (Some(value), Some(at)) => {
                    slots[at] = Some(value);
                    new.push((name, None));
                }
                (Some(value), None) => new.push((name, Some(value))),
            }
        }
        let is_deleted = |item: &Node| {
            let name = ElementKey::from_node(item, keys);
            deleted.contains(&name) || deleted.contains(&name.without_second())
        };
        let old = slots
            .into_iter()
            .flatten()
            .filter(|item| deleted.is_empty() || !is_deleted(item))
            .collect();
        Ok(if by_second {
            two_keys(new, old, keys)
        } else {
            one_key(new, old, keys)
        })
    }
}

/// Merges by one key, in the order of the patch; elements of the target move to the position of their counterpart.
fn one_key(new: Vec<(ElementKey, Option<Node>)>, old: Vec<Node>, keys: &[&str]) -> Vec<Node> {
    let mut result: Vec<Option<Node>> = Vec::with_capacity(new.len());
    let mut places: HashMap<SmolStr, usize> = HashMap::default();
    for (name, node) in new {
        places.insert(name.first, result.len());
        result.push(node);
    }
    for node in old {
        let name = ElementKey::from_node(&node, keys);
        if name.first.is_empty() {
            // An element without a key replaces all before it.
            result.clear();
            places.clear();
            result.push(Some(node));
            continue;
        }
        match places.get(&name.first) {
            Some(&at) => result[at] = Some(node),
            None => {
                places.insert(name.first, result.len());
                result.push(Some(node));
            }
        }
    }
    result.into_iter().flatten().collect()
}

/// Merges by two keys: new elements first, then those of the target in order.
fn two_keys(new: Vec<(ElementKey, Option<Node>)>, old: Vec<Node>, keys: &[&str]) -> Vec<Node> {
    let mut whole: HashSet<ElementKey> = HashSet::default();
    let mut bare: HashSet<SmolStr> = HashSet::default();
    let mut kept: Vec<Node> = Vec::with_capacity(old.len());
    // From the end, because a later element replaces an earlier one with the same keys.
    for node in old.into_iter().rev() {
        let name = ElementKey::from_node(&node, keys);
        if bare.contains(&name.first) || whole.contains(&name) {
            continue;
        }
        if name.second.is_empty() {
            bare.insert(name.first);
        } else {
            whole.insert(name);
        }
        kept.push(node);
    }
    kept.reverse();
    let mut result: Vec<Node> = new
        .into_iter()
        .filter_map(|(_, node)| node)
        .filter(|node| {
            let name = ElementKey::from_node(node, keys);
            !bare.contains(&name.first) && !whole.contains(&name)
        })
        .collect();
    result.append(&mut kept);
    result
}

fn merge_sets(target: Vec<Node>, patch: &[Node]) -> Vec<Node> {
    let mut seen = HashSet::default();
    let text = |node: &Node| {
        let scalar = node.as_scalar();
        scalar.map(|scalar| scalar.text.clone()).unwrap_or_default()
    };
    let all = patch.iter().cloned().chain(target);
    all.filter(|node| seen.insert(text(node))).collect()
}

/// The values of an element's keys; empty for missing ones.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ElementKey {
    first: SmolStr,
    second: SmolStr,
}

impl ElementKey {
    fn from_node(node: &Node, keys: &[&str]) -> ElementKey {
        let value = |key: Option<&&str>| {
            let scalar = key.and_then(|key| node.get(key)?.as_scalar());
            scalar
                .filter(|scalar| !scalar.is_null())
                .map(|scalar| scalar.text.clone())
                .unwrap_or_default()
        };
        ElementKey {
            first: value(keys.first()),
            second: value(keys.get(1)),
        }
    }

    fn is_empty(&self) -> bool {
        self.first.is_empty() && self.second.is_empty()
    }

    fn without_second(&self) -> ElementKey {
        ElementKey {
            first: self.first.clone(),
            second: SmolStr::default(),
        }
    }
}

fn unique(names: impl Iterator<Item = ElementKey>) -> Vec<ElementKey> {
    let mut seen = HashSet::default();
    names.filter(|name| seen.insert(name.clone())).collect()
}

/// Fills in missing parts of a name from another that otherwise agrees.
fn complete(names: &mut [ElementKey]) {
    for i in 0..names.len() {
        let one = names[i].clone();
        for j in 0..names.len() {
            if let Some(whole) = together(&one, &names[j]) {
                names[i] = whole.clone();
                names[j] = whole;
            }
        }
    }
}

fn together(a: &ElementKey, b: &ElementKey) -> Option<ElementKey> {
    let either = |a: &SmolStr, b: &SmolStr| match (a == b, a.is_empty(), b.is_empty()) {
        (true, ..) | (_, false, true) => Some(a.clone()),
        (_, true, false) => Some(b.clone()),
        _ => None,
    };
    if a.first != b.first && a.second != b.second {
        return None;
    }
    Some(ElementKey {
        first: either(&a.first, &b.first)?,
        second: either(&a.second, &b.second)?,
    })
}

/// Position of the first element of each name in a list.
#[derive(Default)]
struct NamePositions {
    whole: HashMap<ElementKey, usize>,
    first: HashMap<SmolStr, usize>,
    second: HashMap<SmolStr, usize>,
}

impl NamePositions {
    fn new<'a>(items: impl Iterator<Item = &'a Node>, keys: &[&str]) -> NamePositions {
        let mut index = NamePositions::default();
        for (at, item) in items.enumerate() {
            let name = ElementKey::from_node(item, keys);
            index.first.entry(name.first.clone()).or_insert(at);
            index.second.entry(name.second.clone()).or_insert(at);
            index.whole.entry(name).or_insert(at);
        }
        index
    }

    fn find(&self, name: &ElementKey) -> Option<usize> {
        match (name.first.is_empty(), name.second.is_empty()) {
            (true, true) => None,
            (false, true) => self.first.get(&name.first).copied(),
            (true, false) => self.second.get(&name.second).copied(),
            (false, false) => self.whole.get(name).copied(),
        }
    }
}

fn is_empty_map(node: &Node) -> bool {
    node.as_map().is_some_and(|map| map.is_empty())
}
