//! The objects that clusters get, as trees: what `catalog render` prints.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{ReadError, RepoConfig, Request, composed_with, configuration};
use crate::catalog::{Catalog, ComponentParts, EnvironmentScope};
use crate::cluster::{
    Applied, Cluster, Clusters, Coverage, Object, Role, TemplateLine, Trees, UnitIx,
};
use crate::input::repo::Repo;
use base::Place;
use system::progress::{self, Stage};
use yaml::Node;

/// A repo whose objects can be printed.
pub struct RenderedRepo {
    pub repo: Repo,
    pub catalog: Catalog,
    clusters: Clusters,
    parts: ComponentParts,
}

/// An object that a cluster gets.
pub struct RenderedObject<'a> {
    pub environment: &'a str,
    /// Without any word of a secret.
    pub tree: &'a Arc<Node>,
    pub place: Place,
    pub template: Option<&'a TemplateLine>,
}

/// Reads a repo for its objects.
pub fn rendered(request: &Request) -> Result<RenderedRepo, ReadError> {
    progress::begin(Stage::Reading);
    let RepoConfig { config, root, .. } = configuration(request)?;
    let repo = Repo::open_with(&root, &config.ignore, request.git)?;
    let composed = composed_with(&repo, &config, EnvironmentScope::All, Trees::Kept);
    Ok(RenderedRepo {
        catalog: composed.catalog,
        clusters: composed.clusters,
        parts: composed.parts,
        repo,
    })
}

impl RenderedRepo {
    /// All objects, by cluster and in the order of the units that apply them.
    pub fn all(&self) -> Vec<RenderedObject<'_>> {
        let clusters = self.clusters.iter();
        let clusters = clusters.filter(|cluster| cluster.role == Role::Kubernetes);
        let objects = clusters.flat_map(|cluster| {
            let loose = printed(cluster, None, Some(&cluster.loose));
            let units = cluster.units.iter_enumerated();
            let units = units.flat_map(move |(index, unit)| {
                let own = printed(cluster, Some(index), unit.applied.as_ref());
                own.chain(printed(cluster, Some(index), unit.chart_objects()))
            });
            loose.chain(units)
        });
        objects.collect()
    }

    /// The objects of a component, each with the environment that it is in.
    pub fn of_component(&self, component: crate::catalog::ComponentIx) -> Vec<RenderedObject<'_>> {
        let objects = self.parts.objects(component, &self.clusters);
        let objects = objects.filter_map(|(cluster, target, object)| {
            seen(self.clusters[cluster].environment(target), object)
        });
        objects.collect()
    }

    /// Why charts of these environments are not printed, or not in full, each once.
    pub fn unread_charts(&self, environment: Option<&str>) -> BTreeSet<(String, String)> {
        let units = self.clusters.iter().flat_map(|cluster| {
            let is_meant =
                move |target| environment.is_none_or(|name| cluster.environment(target) == name);
            cluster
                .units
                .iter()
                .filter(move |unit| is_meant(unit.target))
        });
        let unread = units.flat_map(|unit| {
            let charts = unit
                .charts
                .iter()
                .flat_map(|charts| charts.charts.iter().flatten());
            charts.filter_map(|chart| match &chart.coverage {
                Coverage::Whole => None,
                Coverage::Part(why) | Coverage::Nothing(why) => {
                    Some((unit.unit.id.to_string(), why.to_string()))
                }
            })
        });
        unread.collect()
    }
}

/// The objects of a build, unless it fails: then none of them reaches the cluster.
fn printed<'a>(
    cluster: &'a Cluster,
    unit: Option<UnitIx>,
    applied: Option<&'a Applied>,
) -> impl Iterator<Item = RenderedObject<'a>> {
    let environment = cluster.environment(cluster.target_of(unit));
    let applied = applied.filter(|applied| applied.build_fault().is_none());
    let objects = applied.into_iter().flat_map(|applied| &applied.objects);
    objects.filter_map(move |object| seen(environment, object))
}

fn seen<'a>(environment: &'a str, object: &'a Object) -> Option<RenderedObject<'a>> {
    Some(RenderedObject {
        environment,
        tree: object.tree.as_ref()?,
        place: object.statement.place,
        template: object.template.as_deref(),
    })
}
