//! Units as the catalogue shows them, cluster by cluster, with what they depend on resolved.

use smol_str::SmolStr;

use super::ComponentChart;
use crate::cluster::{Applied, ChartSources, Cluster, Destination, Role, UnitIx};
use crate::facts::{self, Gate, Relation, SyncPolicy, UnitId};
use crate::input::repo::RepoPath;
use base::index::IndexVec;
use base::text::last_part;
use base::{Effect, Place};

#[derive(Debug)]
pub struct ClusterUnits {
    pub name: String,
    pub role: Role,
    pub root: RepoPath,
    /// The names of other clusters that its units apply to.
    pub others: Vec<String>,
    /// By kind, namespace and name, then by the cluster that declares each.
    pub units: Vec<UnitView>,
}

impl ClusterUnits {
    pub fn find(&self, id: &UnitId) -> Option<&UnitView> {
        let at = self.units.partition_point(|unit| unit.id < *id);
        self.units.get(at).filter(|unit| unit.id == *id)
    }

    /// The unit declared in a cluster, if several share the same id.
    pub fn find_in(&self, declared_in: Destination, id: &UnitId) -> Option<&UnitView> {
        let key = (id, declared_in);
        let at = self
            .units
            .binary_search_by(|unit| (&unit.id, unit.declared_in).cmp(&key));
        Some(&self.units[at.ok()?])
    }
}

#[derive(Debug)]
pub struct UnitView {
    pub id: UnitId,
    pub place: Place,
    /// As its source knows it; none for a release.
    pub path: Option<SmolStr>,
    /// The directory of this repo that it builds, where its files are here.
    pub directory: Option<RepoPath>,
    pub owner: Option<UnitId>,
    /// The cluster that the object which declares it is in.
    pub declared_in: Destination,
    /// Display name of the cluster to which it applies its objects, if that is another one.
    pub environment: Option<String>,
    pub gate: Gate,
    pub suspended: bool,
    /// Actions that its reconciler takes automatically.
    pub sync_policy: SyncPolicy,
    /// A program creates it, so its namespace is not one of the cluster's.
    pub is_run: bool,
    /// How many objects it applies; none when that is not known.
    pub resources: Option<usize>,
    pub chart: Option<ComponentChart>,
    pub depends_on: Vec<UnitId>,
}

/// The explicit dependencies of a unit, in a vector without spare capacity because there are many units.
fn depends_on(unit: &facts::Unit) -> Vec<UnitId> {
    let stated = unit.depends_on.iter();
    let stated = stated.filter(|dependency| dependency.relation != Relation::Implied);
    let mut units = Vec::with_capacity(stated.clone().count());
    units.extend(stated.map(|dependency| dependency.on.clone()));
    units
}

pub fn units(cluster: &Cluster, sources: &ChartSources<'_>) -> ClusterUnits {
    let mut runs: IndexVec<UnitIx, bool> = IndexVec::new();
    runs.reserve(cluster.units.len());
    for (index, unit) in cluster.units.iter_enumerated() {
        let owner = unit.owner.filter(|owner| *owner < index);
        runs.push(unit.unit.is_program() || owner.is_some_and(|owner| runs[owner]));
    }
    let views = cluster
        .units
        .iter()
        .zip(runs)
        .map(|(unit, is_run)| UnitView {
            is_run,
            id: unit.unit.id.clone(),
            place: unit.unit.place,
            path: unit.unit.build.as_ref().map(|build| build.path.clone()),
            directory: unit.directory.clone(),
            owner: unit.owner.map(|owner| cluster.units[owner].unit.id.clone()),
            declared_in: unit.declared_in,
            environment: Some(cluster.environment(unit.target))
                .filter(|name| *name != cluster.name)
                .map(str::to_owned),
            gate: unit.unit.gate.clone(),
            suspended: unit.unit.suspended,
            sync_policy: unit.unit.reconcile.sync_policy,
            resources: unit.applied.as_ref().and_then(count),
            chart: unit
                .unit
                .release
                .as_ref()
                .and_then(|release| sources.chart(release.chart.as_ref()?)),
            depends_on: depends_on(&unit.unit),
        });
    let mut units: Vec<UnitView> = views.collect();
    units.sort_by(|a, b| (&a.id, a.declared_in).cmp(&(&b.id, b.declared_in)));
    ClusterUnits {
        name: cluster.name.clone(),
        role: cluster.role,
        root: cluster.root.clone(),
        others: cluster.other_clusters().to_vec(),
        units,
    }
}

/// How many objects are applied; not known where all of them are remote.
fn count(applied: &Applied) -> Option<usize> {
    let remote = applied
        .findings
        .iter()
        .any(|finding| finding.effect == Effect::Remote);
    let is_known = !remote && !applied.is_partial;
    (is_known || !applied.objects.is_empty()).then_some(applied.objects.len())
}

impl ChartSources<'_> {
    /// Name, version and repository of a chart, resolved through the objects in between. For a chart in this repo,
    /// its own file overrides the stated version.
    pub fn chart(&self, chart: &facts::UnitChart) -> Option<ComponentChart> {
        let stated = self.direct(self.stated(chart))?;
        let installed = self.installed(chart).and_then(|chart| chart.version);
        let version = installed.or(stated.version);
        Some(ComponentChart { version, ..stated })
    }

    /// The chart that is installed: one among files says itself what it is called and which version it is.
    pub fn installed(&self, chart: &facts::UnitChart) -> Option<ComponentChart> {
        let chart = self.stated(chart);
        let mut installed = self.direct(chart)?;
        if let Some(file) = &chart.file {
            let source = self.named(&chart.source);
            let is_here = source.is_none_or(|source| self.is_own(source));
            let file = Some(file).filter(|_| is_here);
            installed.version = file.and_then(|file| file.version.clone());
            if let Some(name) = file.and_then(|file| file.name.clone()) {
                installed.name = name;
            }
        }
        Some(installed)
    }

    fn direct(&self, chart: &facts::UnitChart) -> Option<ComponentChart> {
        let source = self.named(&chart.source);
        let url = source
            .map(|source| source.url.clone())
            .or_else(|| chart.repository.clone())
            .filter(|url| !url.is_empty());
        let named = chart.name.as_ref().map(|name| name.value.clone());
        let name = match (named, &url) {
            (Some(name), _) => name,
            // Without a name of its own, the chart is the last part of the source's address.
            (None, Some(url)) => last_part(url).into(),
            (None, None) => chart.source.name.clone(),
        };
        // A release that names no chart takes the version that its source is pinned to.
        let version = match (&chart.version, &chart.name) {
            (Some(version), _) => Some(version.value.clone()),
            (None, None) => source.and_then(|source| Some(source.version.as_ref()?.value.clone())),
            (None, Some(_)) => None,
        };
        Some(ComponentChart {
            name,
            version,
            repository: url,
            read: None,
        })
    }
}
