//! An index of objects by kind and by each current and previous name, because scanning all objects for each lookup is
//! slow.

use smol_str::SmolStr;

use super::item::BuildObject;
use super::patch::same_object;
use crate::ResourceId;
use base::hash::HashMap;

#[derive(Default)]
pub struct ObjectIndex {
    by_name: HashMap<(SmolStr, SmolStr), Vec<usize>>,
}

impl ObjectIndex {
    pub fn new(items: &[BuildObject]) -> ObjectIndex {
        let mut index = ObjectIndex::default();
        for (position, item) in items.iter().enumerate() {
            index.add(position, item);
        }
        index
    }

    pub fn add(&mut self, position: usize, item: &BuildObject) {
        for id in item.identities() {
            let key = (id.kind.clone(), id.name.clone());
            let positions = self.by_name.entry(key).or_default();
            if positions.last() != Some(&position) {
                positions.push(position);
            }
        }
    }

    /// The objects with an identity, in order.
    pub fn find(&self, items: &[BuildObject], id: &ResourceId) -> Vec<usize> {
        let positions = self.by_name.get(&(id.kind.clone(), id.name.clone()));
        let meant = |position: &&usize| {
            let mut identities = items[**position].identities();
            identities.any(|other| same_object(other, id))
        };
        let positions = positions.map(Vec::as_slice).unwrap_or_default();
        positions.iter().filter(meant).copied().collect()
    }
}
