//! The objects of a build as targets of references, by their previous names.

use smol_str::SmolStr;

use super::Referrer;
use crate::ResourceId;
use crate::item::{BuildObject, effective_namespace};
use base::hash::{HashMap, HashSet};

/// An object as the target of a reference.
pub struct Referent {
    pub id: ResourceId,
    /// Its current namespace; empty for cluster-scoped kinds.
    pub namespace: SmolStr,
    pub previous: Vec<ResourceId>,
    pub prefixes: Vec<SmolStr>,
    pub suffixes: Vec<SmolStr>,
}

/// Kind, name and namespace.
type TargetKey = (SmolStr, SmolStr, SmolStr);

/// The renamed objects, by their previous names.
pub struct Targets {
    all: Vec<Referent>,
    by_name: HashMap<SmolStr, Vec<usize>>,
    /// The same, by kind and current namespace.
    by_place: HashMap<TargetKey, Vec<usize>>,
    /// The original namespaces of objects; and those with the current one of each.
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
    pub fn new(items: &[BuildObject]) -> Targets {
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
        let mut by_place: HashMap<TargetKey, Vec<usize>> = HashMap::default();
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

    /// The objects of a kind with a previous name, in reach of a referrer, in order.
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
            // Cluster-scoped objects are under an empty namespace.
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
