//! Which files a component has to itself, and which it shares with others.

use crate::catalog::{Catalog, Component, ComponentIx};
use base::FileId;
use base::hash::HashMap;

/// The owner of each file.
pub struct FileOwners(HashMap<FileId, FileOwner>);

/// A component that declares things in a file takes precedence over those with objects or values there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileOwner {
    Declares(ComponentIx),
    Uses(ComponentIx),
    Several,
}

impl FileOwners {
    pub fn from_catalog(catalog: &Catalog) -> FileOwners {
        let mut owners: HashMap<FileId, FileOwner> = HashMap::default();
        for (index, component) in catalog.components.iter_enumerated() {
            owners
                .entry(component.place.file)
                .and_modify(|owner| *owner = FileOwner::Several)
                .or_insert(FileOwner::Declares(index));
        }
        for (index, component) in catalog.components.iter_enumerated() {
            for file in used(component) {
                let owner = owners.entry(file).or_insert(FileOwner::Uses(index));
                if matches!(owner, FileOwner::Uses(other) if *other != index) {
                    *owner = FileOwner::Several;
                }
            }
        }
        owners.remove(&FileId::NONE);
        FileOwners(owners)
    }

    /// The component that has a file to itself.
    pub fn owner(&self, file: FileId) -> Option<ComponentIx> {
        match self.0.get(&file)? {
            FileOwner::Declares(owner) | FileOwner::Uses(owner) => Some(*owner),
            FileOwner::Several => None,
        }
    }

    /// The files that a component has to itself; one may be named again and again.
    pub fn own<'a>(
        &'a self,
        index: ComponentIx,
        component: &'a Component,
    ) -> impl Iterator<Item = FileId> + 'a {
        let all = std::iter::once(component.place.file).chain(used(component));
        all.filter(move |file| match self.0.get(file) {
            Some(FileOwner::Declares(owner) | FileOwner::Uses(owner)) => *owner == index,
            Some(FileOwner::Several) | None => false,
        })
    }
}

/// The files of its objects and of its values.
fn used(component: &Component) -> impl Iterator<Item = FileId> {
    let objects = component.resources.iter();
    let settings = component.settings.iter();
    let values = settings.flat_map(|setting| setting.values.iter());
    objects
        .map(|resource| resource.place.file)
        .chain(values.map(|(_, value)| value.place.file))
}
