//! The objects of a build as references see them, by the names that they had.

use smol_str::SmolStr;

use super::Referrer;
use crate::ResourceId;
use crate::item::{Item, effective_namespace};
use base::hash::{HashMap, HashSet};

/// An object as references see it.
pub struct Referent {
    pub id: ResourceId,
    /// The namespace that it has now; empty where its kind has none.
    pub namespace: SmolStr,
    pub previous: Vec<ResourceId>,
    pub prefixes: Vec<SmolStr>,
    pub suffixes: Vec<SmolStr>,
}

/// Kind, name and namespace.
type Place = (SmolStr, SmolStr, SmolStr);

/// The objects that were given names, by the names that they had.
pub struct Targets {
    all: Vec<Referent>,
    by_name: HashMap<SmolStr, Vec<usize>>,
    /// The same, apart by kind and by the namespace that each has now.
    by_place: HashMap<Place, Vec<usize>>,
    /// The namespaces that objects were read with, and those with the one that each has now.
    pub origins: HashSet<SmolStr>,
    pub moves: HashSet<(SmolStr, SmolStr)>,
}

fn distinct<'a>(all: impl Iterator<Item = &'a SmolStr>) -> Vec<&'a SmolStr> {
    let mut all: Vec<&SmolStr> = all.collect();
    all.sort_unstable();
    all.dedup();
    all
}

impl Targets {
    pub fn new(items: &[Item]) -> Targets {
        let renamed = items.iter().filter(|item| !item.previous.is_empty());
        let all: Vec<Referent> = renamed
            .map(|item| Referent {
                id: item.id.clone(),
                namespace: effective_namespace(&item.id).into(),
                previous: item.previous.clone(),
                prefixes: item.prefixes.clone(),
                suffixes: item.suffixes.clone(),
            })
            .collect();
        let mut by_name: HashMap<SmolStr, Vec<usize>> = HashMap::default();
        let mut by_place: HashMap<Place, Vec<usize>> = HashMap::default();
        for (index, target) in all.iter().enumerate() {
            let names = distinct(target.previous.iter().map(|id| &id.name));
            let kinds = distinct(target.previous.iter().map(|id| &id.kind));
            for name in names {
                by_name.entry(name.clone()).or_default().push(index);
                for kind in &kinds {
                    let place = ((*kind).clone(), name.clone(), target.namespace.clone());
                    by_place.entry(place).or_default().push(index);
                }
            }
        }
        let namespaced = items.iter().filter(|item| !item.is_cluster_scoped());
        let moves: HashSet<(SmolStr, SmolStr)> = namespaced
            .map(|item| {
                let namespace = |id| SmolStr::from(effective_namespace(id));
                (namespace(item.original()), namespace(&item.id))
            })
            .collect();
        Targets {
            all,
            by_name,
            by_place,
            origins: moves.iter().map(|(origin, _)| origin.clone()).collect(),
            moves,
        }
    }

    /// The objects of a kind that were called something and that a referrer may reach, in order.
    pub fn called(
        &self,
        kind: &SmolStr,
        name: &str,
        referrer: &Referrer,
    ) -> impl Iterator<Item = &Referent> {
        let mut indices: Vec<usize> = Vec::new();
        if referrer.namespace.is_empty() || kind.is_empty() {
            indices.extend(self.by_name.get(name).into_iter().flatten());
        } else {
            let own = referrer.namespace.as_str();
            let accounts = referrer.account_namespaces.iter().map(SmolStr::as_str);
            // What lives in no namespace is kept under an empty one.
            for namespace in accounts.chain([own, ""]) {
                let place = (kind.clone(), name.into(), namespace.into());
                indices.extend(self.by_place.get(&place).into_iter().flatten());
            }
            indices.sort_unstable();
            indices.dedup();
        }
        indices.into_iter().map(|index| &self.all[index])
    }
}
