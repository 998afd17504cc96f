//! The objects of a cluster that charts come from, such as HelmRepositories.

use super::Cluster;
use crate::facts::{ChartSource, SourceRef, UnitChart};
use base::hash::HashMap;

pub struct ChartSources<'a> {
    cluster: &'a Cluster,
    by_name: HashMap<SourceRef, &'a ChartSource>,
}

impl<'a> ChartSources<'a> {
    pub fn from_cluster(cluster: &'a Cluster) -> ChartSources<'a> {
        let objects = cluster.objects().map(|(_, object)| &object.statement);
        let sources = objects.filter_map(|statement| {
            let source = statement.supplies.source.as_deref()?;
            let id = &statement.id;
            let reference = SourceRef {
                kind: id.kind.clone(),
                namespace: id.namespace.clone(),
                name: id.name.clone(),
            };
            Some((reference, source))
        });
        ChartSources {
            cluster,
            by_name: sources.collect(),
        }
    }

    /// The source object that a reference means.
    pub fn named(&self, reference: &SourceRef) -> Option<&'a ChartSource> {
        self.by_name.get(reference).copied()
    }

    /// Follows a chart object (such as HelmChart) between the release and the repository.
    pub fn stated<'c>(&self, chart: &'c UnitChart) -> &'c UnitChart
    where
        'a: 'c,
    {
        let source = self.named(&chart.source);
        let inner = source.and_then(|source| source.chart.as_deref());
        inner.unwrap_or(chart)
    }

    /// Whether a source fetches from this repo. If no address is known, any may do so.
    pub fn is_own(&self, source: &ChartSource) -> bool {
        self.cluster.is_own(&source.url)
    }
}
