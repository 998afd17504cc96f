//! The objects that clusters get, as trees: what `catalog render` prints.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{ReadError, RepoConfig, Request, composed_with, configuration};
use crate::catalog::{Catalog, ComponentIx, ComponentParts, EnvironmentScope};
use crate::cluster::{
    Applied, Cluster, ClusterIx, Clusters, Coverage, Object, TemplateLine, Trees, UnitIx,
};
use crate::input::repo::Repo;
use base::{MARKER, Place};
use secret::outgoing::ShownSetting;
use smol_str::SmolStr;
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
    pub tree: Arc<Node>,
    pub place: Place,
    pub template: Option<&'a TemplateLine>,
}

/// Reads a repo for its objects.
pub fn rendered(request: &Request) -> Result<RenderedRepo, ReadError> {
    progress::begin(Stage::Reading);
    let RepoConfig { config, root, .. } = configuration(request)?;
    let repo = Repo::open_with(&root, &config.ignore, request.git)?;
    let composed = composed_with(&repo, &config, Trees::Kept, EnvironmentScope::All);
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
        let variables = &self.secret_variables();
        let mut objects = Vec::new();
        for cluster in self.clusters.iter() {
            let here = (cluster, variables);
            objects.extend(printed(here, None, Some(&cluster.loose)));
            for (index, unit) in cluster.units.iter_enumerated() {
                objects.extend(printed(here, Some(index), unit.applied.as_ref()));
                objects.extend(printed(here, Some(index), unit.chart_objects()));
            }
        }
        objects
    }

    /// Variables that are put into values of secrets. Where they are set, nothing else says that they are secret.
    fn secret_variables(&self) -> BTreeSet<&str> {
        let objects = self.clusters.iter().flat_map(Cluster::objects_with_charts);
        let names = objects.flat_map(|(_, object)| &object.secret);
        names.map(SmolStr::as_str).collect()
    }

    /// The objects of a component, each with the environment that it is in.
    pub fn of_component(&self, component: ComponentIx) -> Vec<RenderedObject<'_>> {
        let variables = self.secret_variables();
        let objects = self.parts.applied_objects(component, &self.clusters);
        let objects = objects.filter_map(|(cluster, target, object)| {
            let id = &object.statement.id;
            if made_groups(&self.clusters[cluster]).contains(id.group.as_str()) {
                return None;
            }
            let environment = self.clusters[cluster].environment(target);
            seen(environment, object, &variables)
        });
        objects.collect()
    }

    /// Why charts are not printed, or not in full, each once: those of some components, or of all units.
    pub fn unread_charts(
        &self,
        components: Option<&[ComponentIx]>,
        environment: Option<&str>,
    ) -> BTreeSet<(String, String)> {
        let units: BTreeSet<(ClusterIx, UnitIx)> = match components {
            Some(components) => {
                let components = components.iter();
                components.flat_map(|it| self.parts.units(*it)).collect()
            }
            None => {
                let clusters = self.clusters.iter_enumerated();
                let units = clusters.flat_map(|(at, cluster)| {
                    let units = cluster.units.iter_enumerated();
                    units.map(move |(unit, _)| (at, unit))
                });
                units.collect()
            }
        };
        let unread = units.into_iter().flat_map(|(at, unit)| {
            let cluster = &self.clusters[at];
            let unit = &cluster.units[unit];
            let here = cluster.environment(unit.target);
            let is_meant = environment.is_none_or(|name| here == name);
            let charts = is_meant.then_some(unit);
            let charts = charts.into_iter().flat_map(|unit| &unit.charts);
            let charts = charts.flat_map(|charts| charts.charts.iter().flatten());
            charts.filter_map(move |chart| match &chart.coverage {
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
    (cluster, variables): (&'a Cluster, &BTreeSet<&str>),
    unit: Option<UnitIx>,
    applied: Option<&'a Applied>,
) -> Vec<RenderedObject<'a>> {
    let environment = cluster.environment(cluster.target_of(unit));
    let applied = applied.filter(|applied| applied.build_fault().is_none());
    let objects = applied.into_iter().flat_map(|applied| &applied.objects);
    let made = made_groups(cluster);
    let objects = objects.filter(|object| !made.contains(object.statement.id.group.as_str()));
    let objects = objects.filter_map(|object| seen(environment, object, variables));
    objects.collect()
}

/// API groups of objects that stand for what programs are made of, and for releases of a helmfile. No cluster gets these.
fn made_groups(cluster: &Cluster) -> BTreeSet<&'static str> {
    let units = cluster.units.iter();
    let by_people =
        units.filter(|unit| unit.unit.is_program() || unit.unit.is_applied_by_command());
    by_people
        .filter_map(|unit| unit.unit.apply.own_group)
        .collect()
}

/// The tree of an object without secrets, wherever their values come from: `variables` are those that are put into secrets.
fn shown(object: &Object, variables: &BTreeSet<&str>) -> Option<Arc<Node>> {
    let mut tree = object.tree.clone()?;
    let root = Arc::make_mut(&mut tree);
    hide_known(root, variables);
    let unit = object.statement.unit.as_ref();
    if unit.is_some_and(|unit| unit.template.is_some()) {
        hide_parameters(root);
    }
    Some(tree)
}

/// Hides variables that are secret where they are used, and arguments that follow the name of a secret.
fn hide_known(node: &mut Node, variables: &BTreeSet<&str>) {
    match &mut node.value {
        yaml::Value::Scalar(_) => {}
        yaml::Value::Seq(items) => {
            let mut flag: Option<SmolStr> = None;
            for item in items {
                hide_known(item, variables);
                let Some(scalar) = item.as_scalar_mut() else {
                    flag = None;
                    continue;
                };
                let is_secret = flag
                    .take()
                    .is_some_and(|name| ShownSetting::new(&name, &scalar.text).is_none());
                let name = scalar
                    .text
                    .strip_prefix('-')
                    .map(|it| it.trim_start_matches('-'));
                let assigned = name.and_then(|name| name.split_once('='));
                let hidden = assigned.and_then(|(name, value)| {
                    let is_secret = ShownSetting::new(name, &value.into()).is_none();
                    let end = scalar.text.len() - value.len();
                    is_secret.then(|| format!("{}{MARKER}", &scalar.text[..end]))
                });
                flag = name.filter(|_| assigned.is_none()).map(SmolStr::from);
                if is_secret {
                    scalar.text = MARKER.into();
                } else if let Some(hidden) = hidden {
                    scalar.text = hidden.into();
                }
            }
        }
        yaml::Value::Map(map) => {
            for entry in &mut map.0 {
                match entry.value.as_scalar_mut() {
                    Some(scalar) if variables.contains(entry.key.as_str()) => {
                        scalar.text = MARKER.into();
                    }
                    _ => hide_known(&mut entry.value, variables),
                }
            }
        }
    }
}

/// A parameter of a generator may go by any name, and become a secret only where a template puts it, so that of those only
/// the usual ones are shown.
fn hide_parameters(root: &mut Node) {
    if let yaml::Value::Map(map) = &mut root.value {
        let spec = map.0.iter_mut().find(|entry| entry.key == "spec");
        if let Some(yaml::Value::Map(spec)) = spec.map(|spec| &mut spec.value.value) {
            let parameters = spec.0.iter_mut();
            let parameters =
                parameters.filter(|entry| matches!(entry.key.as_str(), "generators" | "inputs"));
            parameters.for_each(|entry| hide(&mut entry.value, true));
        }
    }
}

/// Fields of generators whose values name things.
const TELLING: [&str; 22] = [
    "apiVersion",
    "cluster",
    "directories",
    "env",
    "environment",
    "exclude",
    "files",
    "kind",
    "matchLabels",
    "name",
    "namespace",
    "path",
    "project",
    "region",
    "repoURL",
    "requeueAfterSeconds",
    "revision",
    "server",
    "stage",
    "tenant",
    "url",
    "version",
];

fn hide(node: &mut Node, is_hidden: bool) {
    match &mut node.value {
        yaml::Value::Scalar(scalar) => {
            if is_hidden && !scalar.is_null() {
                scalar.text = MARKER.into();
            }
        }
        yaml::Value::Seq(items) => items.iter_mut().for_each(|item| hide(item, is_hidden)),
        yaml::Value::Map(map) => {
            for entry in &mut map.0 {
                let is_telling = TELLING.contains(&entry.key.as_str());
                hide(&mut entry.value, !is_telling);
            }
        }
    }
}

fn seen<'a>(
    environment: &'a str,
    object: &'a Object,
    variables: &BTreeSet<&str>,
) -> Option<RenderedObject<'a>> {
    Some(RenderedObject {
        environment,
        tree: shown(object, variables)?,
        place: object.statement.place,
        template: object.template.as_deref(),
    })
}
