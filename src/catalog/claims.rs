//! Volume claims of a cluster, for what mounts one that something else declares.

use crate::cluster::Cluster;
use crate::facts::{Claim, Volume};
use base::hash::HashMap;

/// Claims by namespace and name; none where two differ.
pub struct Claims<'a>(HashMap<(&'a str, &'a str), Option<&'a Volume>>);

impl<'a> Claims<'a> {
    pub fn from_cluster(cluster: &'a Cluster) -> Claims<'a> {
        let objects = cluster.objects_with_charts();
        let volumes = objects.flat_map(|(_, object)| &object.statement.runs.volumes);
        let mut claims: HashMap<(&str, &str), Option<&Volume>> = HashMap::default();
        for volume in volumes.filter(|volume| volume.claim == Claim::Itself) {
            let known = claims
                .entry((&volume.namespace, &volume.name))
                .or_insert(Some(volume));
            let is_same =
                |other: &&Volume| (&other.size, &other.class) == (&volume.size, &volume.class);
            *known = known.filter(is_same);
        }
        Claims(claims)
    }

    /// A volume with the size and class of the claim that it mounts.
    pub fn stated(&self, volume: &'a Volume) -> &'a Volume {
        let key = (volume.namespace.as_str(), volume.name.as_str());
        let known = self.0.get(&key).copied().flatten();
        known
            .filter(|_| volume.claim == Claim::Existing)
            .unwrap_or(volume)
    }
}
