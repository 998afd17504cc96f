//! Objects by kind and by every name that they have or had: where many are looked for, walking over
//! all objects for each would take too long.

use smol_str::SmolStr;

use super::item::Item;
use super::patch::same_object;
use crate::ResourceId;
use base::hash::HashMap;

#[derive(Default)]
pub struct Index {
    by_name: HashMap<(SmolStr, SmolStr), Vec<usize>>,
}

impl Index {
    pub fn new(items: &[Item]) -> Index {
        let mut index = Index::default();
        for (position, item) in items.iter().enumerate() {
            index.add(position, item);
        }
        index
    }

    pub fn add(&mut self, position: usize, item: &Item) {
        for id in item.identities() {
            let key = (id.kind.clone(), id.name.clone());
            let positions = self.by_name.entry(key).or_default();
            if positions.last() != Some(&position) {
                positions.push(position);
            }
        }
    }

    /// The objects that an identity means, in their order.
    pub fn find(&self, items: &[Item], id: &ResourceId) -> Vec<usize> {
        let positions = self.by_name.get(&(id.kind.clone(), id.name.clone()));
        let meant = |position: &&usize| {
            let mut identities = items[**position].identities();
            identities.any(|other| same_object(other, id))
        };
        let positions = positions.map(Vec::as_slice).unwrap_or_default();
        positions.iter().filter(meant).copied().collect()
    }
}
