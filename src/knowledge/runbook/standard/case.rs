//! A component and its surroundings as a default runbook sees them: objects by subject, each with its names.

use smol_str::SmolStr;

use super::{RunbookCondition, pods};
use crate::catalog::{Catalog, Component, Setting, UnitView};
use crate::facts::{Claim, UnitId, Volume};
use crate::sources::{self, NameInTool};
use base::Place;

/// A component and the facts around it.
pub struct Case<'a> {
    pub component: &'a Component,
    /// The unit that applies it.
    pub unit: Option<&'a UnitView>,
    /// The directories of this repo that the unit builds, by cluster.
    pub paths: Vec<&'a str>,
    /// API groups for whose objects its webhook must answer.
    pub serves: Vec<&'a str>,
    /// Others, and the API groups that they bring and this one uses.
    pub needs: Vec<(&'a Component, &'a str)>,
    /// Other components that its own unit applies.
    pub beside: usize,
}

/// The names of one object, each under a placeholder.
pub type Placeholders = Vec<(&'static str, SmolStr)>;

/// The unit that applies a component: of a release, the one that creates it.
pub fn unit<'a>(catalog: &'a Catalog, component: &Component) -> Option<&'a UnitView> {
    let find = |id: &UnitId| {
        let mut clusters = catalog.clusters.iter();
        clusters.find_map(|cluster| cluster.find(id))
    };
    let own = find(component.unit.as_ref()?)?;
    let is_applied_by_owner = own.path.is_none() && !sources::answers_for_release(&own.id);
    let owner = own.owner.as_ref().filter(|_| is_applied_by_owner);
    owner.and_then(find).or(Some(own))
}

/// The directories of this repo that a unit builds, over all clusters: its source may know them by other paths, or be
/// elsewhere.
pub fn paths<'a>(catalog: &'a Catalog, unit: &UnitView) -> Vec<&'a str> {
    let paths = catalog.clusters.iter().filter_map(|cluster| {
        let directory = cluster.find(&unit.id)?.directory.as_ref()?;
        Some(directory.as_str()).filter(|path| !path.is_empty())
    });
    let mut paths: Vec<&str> = paths.collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

impl Case<'_> {
    pub(super) fn has(&self, subject: &RunbookCondition) -> bool {
        match subject {
            RunbookCondition::Unit(kind) => self.unit.is_some_and(|unit| unit.id.kind == *kind),
            RunbookCondition::Object { kind, group } => {
                let mut resources = self.component.resources.iter();
                resources.any(|resource| resource.id.is(group, kind))
            }
            RunbookCondition::ForeignKind => !self.needs.is_empty(),
            RunbookCondition::Webhook => !self.serves.is_empty(),
            RunbookCondition::MemoryLimit => !limits(self.component).is_empty(),
            RunbookCondition::Image => !self.component.images.is_empty(),
            RunbookCondition::Volume => self.claimed().next().is_some(),
            RunbookCondition::Workload => !pods::workloads(self.component).is_empty(),
            RunbookCondition::UnreadChart => {
                let charts = self.component.chart.iter();
                let mut charts = charts.chain(&self.component.more_charts);
                charts.any(|chart| chart.is_unread()) && pods::workloads(self.component).is_empty()
            }
            RunbookCondition::Route => !pods::routes(self.component).is_empty(),
        }
    }

    /// The objects that a runbook is about, in order, each once.
    pub(super) fn about(&self, subject: &RunbookCondition) -> Vec<Placeholders> {
        let mut all = match subject {
            RunbookCondition::Unit(kind) => {
                let unit = self.unit.filter(|unit| unit.id.kind == *kind);
                unit.map_or_else(Vec::new, |unit| self.built(unit))
            }
            RunbookCondition::Object { kind, group } => self.objects(kind, group),
            RunbookCondition::ForeignKind => self.foreign(),
            RunbookCondition::Webhook => {
                let groups = self.serves.iter();
                groups
                    .map(|group| vec![("group", SmolStr::from(*group))])
                    .collect()
            }
            RunbookCondition::MemoryLimit => limits(self.component),
            RunbookCondition::Image => {
                let images = self.component.images.iter();
                images.map(|image| vec![("image", image.clone())]).collect()
            }
            RunbookCondition::Volume => self.volumes(),
            RunbookCondition::Workload => pods::workloads(self.component),
            RunbookCondition::UnreadChart => self.objects("HelmRelease", "helm.toolkit.fluxcd.io"),
            RunbookCondition::Route => pods::routes(self.component),
        };
        all.dedup();
        all
    }

    /// A unit, once for each directory that it builds.
    fn built(&self, unit: &UnitView) -> Vec<Placeholders> {
        let names: Placeholders = vec![
            ("name", unit.id.name.clone()),
            ("namespace", unit.id.namespace.clone()),
        ];
        if self.paths.is_empty() {
            return vec![names];
        }
        let paths = self.paths.iter().map(|path| {
            let mut names = names.clone();
            names.push(("path", SmolStr::from(*path)));
            names
        });
        paths.collect()
    }

    fn objects(&self, kind: &str, group: &str) -> Vec<Placeholders> {
        let own = self.component.resources.iter();
        let own = own.filter(|resource| resource.id.is(group, kind));
        let names = own.map(|resource| {
            let mut names: Placeholders = vec![
                ("name", resource.id.name.clone()),
                ("namespace", resource.id.namespace.clone()),
            ];
            let details = resource.details.iter();
            names.extend(details.map(|detail| (detail.name, detail.value.clone())));
            names
        });
        names.collect()
    }

    fn foreign(&self) -> Vec<Placeholders> {
        let needs = self.needs.iter().map(|(provider, group)| {
            let mut names: Placeholders = vec![("group", SmolStr::from(*group))];
            let unit = provider.unit.as_ref();
            match unit.and_then(|unit| Some((unit, sources::name_in_tool(unit)?))) {
                Some((unit, NameInTool::Kind(kind))) => {
                    names.push(("provider.kind", kind.into()));
                    names.push(("provider.name", unit.name.clone()));
                    names.push(("provider.namespace", unit.namespace.clone()));
                }
                Some((_, NameInTool::Name(name))) => {
                    names.push(("provider.application", name.into()));
                }
                None => {}
            }
            names
        });
        needs.collect()
    }

    /// Volumes whose claims have a name that commands can use.
    fn claimed(&self) -> impl Iterator<Item = &Volume> {
        let volumes = self.component.volumes.iter();
        volumes.filter(|volume| !matches!(volume.claim, Claim::Unnamed | Claim::Existing))
    }

    fn volumes(&self) -> Vec<Placeholders> {
        let volumes = self.claimed().map(|volume| {
            let namespace = if volume.namespace.is_empty() {
                &self.component.namespace
            } else {
                &volume.namespace
            };
            let mut names: Placeholders = vec![
                ("volume", volume.name.clone()),
                ("namespace", namespace.clone()),
            ];
            names.push(match &volume.claim {
                Claim::Itself => ("claim", volume.name.clone()),
                Claim::Template(name) => ("statefulset", name.clone()),
                Claim::Operator(label) => ("claims", label.clone()),
                Claim::Existing | Claim::Unnamed => ("volume", volume.name.clone()),
            });
            // Environments may differ in size, so it is given only if there is at most one.
            let one = self.component.environments.len() < 2;
            let size = volume.size.as_ref().filter(|_| one);
            names.push((
                "size",
                size.map_or(" ".into(), |size| format!(": {size}").into()),
            ));
            names.extend(volume.class.clone().map(|class| ("class", class)));
            names
        });
        volumes.collect()
    }
}

/// Limits of memory as workloads state them, else as values of the chart do, by environment.
fn limits(component: &Component) -> Vec<Placeholders> {
    let mut stated: Vec<(String, Vec<&str>)> = Vec::new();
    let mut places: Vec<Place> = Vec::new();
    for workload in &component.workloads {
        for limits in &workload.limits {
            let Some(memory) = &limits.memory else {
                continue;
            };
            places.push(memory.place);
            let kind = workload.kind.to_ascii_lowercase();
            let what = format!("{kind}/{} {}", workload.name, limits.container);
            let what = what.trim_end().to_owned();
            match stated.iter_mut().find(|(own, _)| *own == what) {
                Some((_, values)) if !values.contains(&memory.value.as_str()) => {
                    values.push(&memory.value);
                }
                Some(_) => {}
                None => stated.push((what, vec![&memory.value])),
            }
        }
    }
    let stated = stated.into_iter();
    let mut all: Vec<Placeholders> = stated
        .map(|(what, values)| {
            vec![
                ("limited", what.into()),
                ("limit", values.join(" or ").into()),
            ]
        })
        .collect();
    // Settings that a workload states itself are already listed above.
    let told = |setting: &&Setting| {
        let mut values = setting.values.iter();
        values.any(|(_, value)| places.contains(&value.place))
    };
    let settings = component.settings.iter().filter(|setting| !setting.secret);
    for setting in settings.filter(|setting| !told(setting)) {
        if !setting.name.ends_with("limits.memory") {
            continue;
        }
        let values: Vec<(&str, &str)> = setting
            .values
            .iter()
            .filter_map(|(environment, value)| Some((environment, value.value.as_deref()?)))
            .collect();
        let Some((_, first)) = values.first() else {
            continue;
        };
        let said = if values.iter().all(|(_, value)| value == first) {
            (*first).to_owned()
        } else {
            let shown = values.iter().take(MOST_ENVIRONMENTS);
            let shown: Vec<String> = shown
                .map(|(environment, value)| format!("{value} in {environment}"))
                .collect();
            shown.join(", ")
        };
        all.push(vec![
            ("limited", setting.name.clone()),
            ("limit", said.into()),
        ]);
    }
    all
}

const MOST_ENVIRONMENTS: usize = 4;
