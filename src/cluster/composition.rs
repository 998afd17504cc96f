//! Composes clusters. Starting at an entry point, every unit is built, then the units that it creates, and so on.
//! Each gets the namespace, patches and variables of its owner.

mod by_hand;
mod charts;
mod destination;
mod disabled;
mod growth;
mod hidden;
mod incremental;
mod wrapper;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;
use smol_str::SmolStr;

pub use self::by_hand::{ByHand, InstalledChart, Start, compose};
pub use self::destination::{Destination, NAMELESS, name_environments};
use self::destination::{Destinations, Positions};
pub use self::disabled::Off;
use self::growth::Growth;
pub use self::incremental::Unsure;
use super::build::Builder;
use super::charts::ChartObjects;
use super::source_index::{Declarations, SourceIndex, directory};
use super::unit::{self, Applied, Variables};
use super::values_from::resolve_values_from;
use crate::facts::{
    Build, Dependency, Listing, Located, Relation, Resource, SourceRef, Unit, UnitId,
};
use crate::input::repo::RepoPath;
use crate::sources;
use crate::sources::address::address;
use base::hash::{HashMap, HashSet};
use base::index::IndexVec;
use base::{FileId, Finding, Place, index_type};
use kustomize::BuildObject;

/// Maximum number of units of the previous wave that a unit names.
const MAX_AWAITED: usize = 64;

index_type! {
    /// Position of a unit in its cluster.
    pub struct UnitIx;
}

/// Where the units of a cluster run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// In Kubernetes.
    Kubernetes,
    /// On the machine of whoever runs these programs. It is no Kubernetes cluster.
    Programs,
}

#[derive(Debug)]
pub struct Cluster {
    pub name: String,
    /// The environment that it is, where what starts it says so.
    pub stated: Option<SmolStr>,
    pub role: Role,
    pub root: RepoPath,
    /// Objects of the entry point itself; empty if a unit applies them.
    pub loose: Applied,
    pub units: IndexVec<UnitIx, ClusterUnit>,
    /// Disabled components: commented-out entries and their content.
    pub disabled: Vec<Off>,
    /// Sources that commented-out entries would declare, with the entries.
    pub disabled_sources: Vec<Located<SourceRef>>,
    pub findings: Vec<Finding>,
    /// Display names of the clusters that its units apply to, its own first.
    pub environments: Vec<String>,
    targets: Destinations,
    positions: Positions,
    /// Sources and variables that its objects declare, starting at its root.
    known: SourceIndex,
    /// Whether `loose` is exactly the build of the entry point's directory.
    is_directory: bool,
    growth: Growth,
    /// API versions that CRDs among the objects of each destination bring.
    served: HashMap<Destination, BTreeSet<SmolStr>>,
    hidden: HashSet<Place>,
}

#[derive(Debug)]
pub struct ClusterUnit {
    pub unit: Arc<Unit>,
    /// The unit that creates this one; none when the entry point does.
    pub owner: Option<UnitIx>,
    /// The cluster that the object which declares it is in.
    pub declared_in: Destination,
    /// The cluster that its objects go to.
    pub target: Destination,
    /// Objects that it applies; none for a release, and if its files are not in this repo.
    pub applied: Option<Applied>,
    /// The directory in this repo that it builds.
    pub directory: Option<RepoPath>,
    /// Variables available to it.
    pub variables: Variables,
    pub heading: Option<SmolStr>,
    /// What its charts yield; none if it has none.
    pub charts: Option<ChartObjects>,
}

impl Cluster {
    /// One that nothing is in yet.
    pub fn new(name: &str, root: &RepoPath, own: &BTreeSet<String>) -> Cluster {
        Cluster {
            known: SourceIndex::new(root, own),
            is_directory: false,
            growth: Growth::default(),
            served: HashMap::default(),
            hidden: HashSet::default(),
            name: name.to_owned(),
            stated: None,
            role: Role::Kubernetes,
            root: root.clone(),
            loose: Applied::default(),
            units: IndexVec::new(),
            disabled: Vec::new(),
            disabled_sources: Vec::new(),
            findings: Vec::new(),
            environments: vec![name.to_owned()],
            targets: Destinations::default(),
            positions: Positions::default(),
        }
    }

    /// Adds the objects that a run of a program creates. `unit` declares the unit for the whole run.
    pub fn run(
        &mut self,
        builder: &Builder<'_>,
        unit: &Resource,
        files: &BTreeSet<FileId>,
        own: &BTreeSet<String>,
    ) {
        let started = unit::start(builder, unit, files);
        let mut known = SourceIndex::new(&self.root, own);
        known.take(Declarations::from_applied(&started));
        let first = self.units.next_index();
        for (unit, heading) in units_in(&started) {
            self.add(unit, None, heading);
        }
        self.loose.join(started);
        self.is_directory = false;
        self.settle(builder, &mut known, first);
    }

    /// Adds units that somebody applies with a command, which no object declares.
    pub fn apply_by_command(
        &mut self,
        builder: &Builder<'_>,
        units: Vec<Unit>,
        own: &BTreeSet<String>,
    ) {
        let mut known = SourceIndex::new(&self.root, own);
        let first = self.units.next_index();
        for unit in units {
            self.add(Arc::new(unit), None, None);
        }
        self.settle(builder, &mut known, first);
        (self.disabled, self.disabled_sources) = disabled::switched_off(builder, self);
    }

    /// Whether an address is that of this repo. If no address is known, any may be.
    pub fn is_own(&self, url: &str) -> bool {
        let own = self.known.own();
        own.is_empty() || own.contains(&address(url))
    }

    /// Whether a unit of the entry point applies the entry point.
    pub fn is_self_applied(&self) -> bool {
        let first = self.units.first();
        first.is_some_and(|unit| unit.owner == Some(UnitIx::FIRST))
    }

    /// Whether a reconciler applies the directory of the entry point, as opposed to people by hand.
    pub fn is_reconciled_directory(&self) -> bool {
        self.is_directory
    }

    /// Whether any unit builds a directory of this repo.
    pub fn builds_something(&self) -> bool {
        self.units.iter().any(|unit| unit.directory.is_some())
    }

    /// Whether a reconciler applies something of this repo, as opposed to units by hand that take all from elsewhere.
    pub fn reconciles_this_repo(&self) -> bool {
        self.is_directory || self.builds_something()
    }

    /// Whether a unit, other than one that applies the entry point, builds a directory.
    pub fn builds(&self, directory: &RepoPath) -> bool {
        self.built().any(|built| built == directory)
    }

    /// The directories that units build, other than one that applies the entry point.
    pub fn built(&self) -> impl Iterator<Item = &RepoPath> {
        let units = self.units.iter_enumerated();
        units.filter_map(|(index, unit)| {
            if unit.owner == Some(index) {
                None
            } else {
                unit.directory.as_ref()
            }
        })
    }

    /// Every file that takes part in this cluster, once for each unit that it takes part in.
    pub fn files(&self) -> impl Iterator<Item = FileId> {
        let units = self.units.iter();
        let applied = units.flat_map(|unit| unit.applied.iter().chain(unit.chart_objects()));
        let applied = applied.chain([&self.loose]);
        applied.flat_map(|applied| applied.files.iter().copied())
    }

    /// Every statement, with the unit that applies the object.
    pub fn objects(&self) -> impl Iterator<Item = (Option<UnitIx>, &unit::Object)> {
        let loose = self.loose.objects.iter().map(|object| (None, object));
        let units = self.units.iter_enumerated().flat_map(|(index, unit)| {
            let objects = unit.applied.iter().flat_map(|applied| &applied.objects);
            objects.map(move |object| (Some(index), object))
        });
        loose.chain(units)
    }
}

fn compose_once(
    builder: &Builder<'_>,
    (name, root): (&str, &RepoPath),
    start: &Start<'_>,
    own: &BTreeSet<String>,
    ways: &BTreeSet<SmolStr>,
) -> Cluster {
    let mut cluster = Cluster::new(name, root, own);
    cluster.targets = Destinations::with_own(ways);
    cluster.is_directory = matches!(start, Start::Directory);
    let (loose, by_hand) = match start {
        Start::Directory => (
            unit::apply(builder, root, None, &Variables::default()),
            None,
        ),
        Start::ByHand(by_hand) => (Applied::default(), Some(by_hand.apply(builder))),
        Start::Both(by_hand) => (
            unit::apply(builder, root, None, &Variables::default()),
            Some(by_hand.apply(builder)),
        ),
        Start::Directories(directories) => {
            let mut all = Applied::default();
            for directory in *directories {
                all.join(by_hand::alone(builder, directory));
            }
            (all, None)
        }
    };
    let mut known = SourceIndex::new(root, own);
    known.take(Declarations::from_applied(&loose));
    let mut units = units_in(&loose);
    if matches!(start, Start::Directories(_)) {
        units.clear();
    }
    let units = units.into_iter().map(|(unit, _)| unit);
    match known.owner_of_root(units) {
        // The entry point applies itself: what it holds belongs to that unit, with its changes.
        Some(owner) => {
            known.learn_own(&owner);
            cluster.add(owner, None, None);
            cluster.units[UnitIx::FIRST].owner = Some(UnitIx::FIRST);
        }
        None => {
            let found = units_in(&loose);
            known.guess_own(builder.repo(), found.iter().map(|(unit, _)| &**unit));
            cluster.loose = loose;
            for (unit, heading) in found {
                cluster.add(unit, None, heading);
            }
        }
    }
    if let Some(by_hand) = by_hand {
        known.take(Declarations::from_applied(&by_hand));
        let mut by_hand = by_hand;
        for (unit, heading) in units_in(&by_hand) {
            let own = unit.apply.own_group;
            own.inspect(|group| by_hand.forget_types_of(group));
            cluster.add(unit, None, heading);
        }
        cluster.loose.join(by_hand);
    }
    cluster.settle(builder, &mut known, UnitIx::FIRST);
    resolve_values_from([&mut cluster.loose], &known);
    cluster.known = known;
    (cluster.disabled, cluster.disabled_sources) = disabled::switched_off(builder, &cluster);
    cluster
}

fn units_in(applied: &Applied) -> Vec<Declared> {
    let objects = applied.objects.iter();
    objects
        .filter_map(|object| Some((object.statement.unit.clone()?, object.heading.clone())))
        .collect()
}

#[derive(Default)]
struct BuiltUnit {
    applied: Option<Applied>,
    directory: Option<RepoPath>,
    variables: Variables,
    findings: Vec<Finding>,
    /// The units among what it applies, and what that says of sources and variables: found here, where many are built at
    /// once, and not when they come together.
    declared: Vec<Declared>,
    declarations: Declarations,
}

/// A unit, with the comment that heads the part of the list which included it.
type Declared = (Arc<Unit>, Option<SmolStr>);

fn build(builder: &Builder<'_>, unit: &Unit, known: &SourceIndex) -> BuiltUnit {
    let mut outcome = BuiltUnit {
        variables: known.variables_of(unit),
        ..BuiltUnit::default()
    };
    for build in unit.builds() {
        match directory(builder, unit, build, known) {
            Ok(directory) => {
                if build.listing != Listing::Chart {
                    let variables = &outcome.variables;
                    let sifted = known.ignore_of(build).map(|ignore| Build {
                        ignore: Some(ignore.clone()),
                        ..build.clone()
                    });
                    let build = sifted.as_ref().unwrap_or(build);
                    outcome.join(unit::apply(builder, &directory, Some(build), variables));
                }
                outcome.directory.get_or_insert(directory);
            }
            Err(finding) => outcome.findings.push(finding),
        }
    }
    if let Some(template) = &unit.template {
        outcome.join(unit::expand(builder, unit, template));
    }
    if let Some(applied) = &mut outcome.applied {
        applied.is_partial |= !outcome.findings.is_empty();
        if let Some(group) = unit.apply.own_group {
            applied.forget_types_of(group);
            applied.leave_out(group);
        }
        outcome.declared = units_in(applied);
        outcome.declarations = Declarations::from_applied(applied);
    }
    outcome
}

impl BuiltUnit {
    fn join(&mut self, applied: Applied) {
        match &mut self.applied {
            Some(before) => before.join(applied),
            None => self.applied = Some(applied),
        }
    }
}

impl Cluster {
    fn add(&mut self, unit: Arc<Unit>, owner: Option<UnitIx>, heading: Option<SmolStr>) {
        let declared_in = self.target_of(owner);
        if self.position_in(declared_in, &unit.id).is_some() || self.leads_back(&unit, owner) {
            return;
        }
        if self.is_endless(&unit, owner) {
            return;
        }
        self.positions
            .insert(declared_in, &unit.id, self.units.next_index());
        let target = self.targets.resolve(declared_in, unit.remote.as_ref());
        self.units.push(ClusterUnit {
            unit,
            owner,
            declared_in,
            target,
            applied: None,
            directory: None,
            variables: Variables::default(),
            heading,
            charts: None,
        });
    }

    /// Builds units from a position on, and those that they create, until there are no more.
    fn settle(&mut self, builder: &Builder<'_>, known: &mut SourceIndex, first: UnitIx) {
        let mut next = first.index();
        let mut waiting: Vec<UnitIx> = Vec::new();
        self.growth.allow(builder);
        loop {
            waiting.extend(self.units.indices().skip(next));
            next = self.units.len();
            let (ready, held): (Vec<UnitIx>, Vec<UnitIx>) = waiting
                .iter()
                .partition(|index| known.has_variables(&self.units[**index].unit));
            // When all wait for variables that nothing provides, they are built without.
            let batch = if ready.is_empty() {
                std::mem::take(&mut waiting)
            } else {
                waiting = held;
                ready
            };
            if batch.is_empty() {
                break;
            }
            let results: Vec<(UnitIx, BuiltUnit)> = batch
                .into_par_iter()
                .with_max_len(16)
                .map(|index| (index, build(builder, &self.units[index].unit, known)))
                .collect();
            // Reserved at once, because repeated reallocation costs more than the new entries.
            let more = results.iter().map(|(_, outcome)| outcome.declared.len());
            let more = more.sum();
            self.units.reserve(more);
            self.positions.reserve(more);
            known.reserve(results.iter().map(|(_, outcome)| &outcome.declarations));
            for (index, outcome) in results {
                self.integrate(index, outcome, known);
            }
        }
        self.report_growth();
        self.take_turns(first);
        let units = self.units.iter_mut().skip(first.index());
        resolve_values_from(units.filter_map(|unit| unit.applied.as_mut()), known);
    }

    /// Units that one owner creates in waves wait for those before them. Only the wave just before is named: it waited
    /// for the one before it.
    fn take_turns(&mut self, first: UnitIx) {
        let mut turns: BTreeMap<UnitIx, BTreeMap<i64, Vec<UnitIx>>> = BTreeMap::new();
        for (index, unit) in self.units.iter_enumerated().skip(first.index()) {
            let owner = unit.owner.filter(|owner| {
                let owner = &self.units[*owner].unit;
                owner.is_component() || owner.apply.orders_children
            });
            if let (Some(owner), Some(sync_wave)) = (owner, &unit.unit.apply.sync_wave) {
                let turns = turns.entry(owner).or_default();
                turns.entry(sync_wave.number).or_default().push(index);
            }
        }
        for turns in turns.into_values() {
            let turns: Vec<Vec<UnitIx>> = turns.into_values().collect();
            for pair in turns.windows(2) {
                let before: Vec<UnitId> = pair[0]
                    .iter()
                    .take(MAX_AWAITED)
                    .map(|index| self.units[*index].unit.id.clone())
                    .collect();
                for index in &pair[1] {
                    let unit = Arc::make_mut(&mut self.units[*index].unit);
                    let Some(sync_wave) = unit.apply.sync_wave else {
                        continue;
                    };
                    unit.depends_on.extend(before.iter().map(|on| Dependency {
                        on: on.clone(),
                        relation: sync_wave.relation,
                        place: sync_wave.place,
                    }));
                }
            }
        }
    }

    fn integrate(&mut self, index: UnitIx, outcome: BuiltUnit, known: &mut SourceIndex) {
        self.findings.extend(outcome.findings);
        known.take(outcome.declarations);
        let unit = &mut self.units[index];
        unit.applied = outcome.applied;
        unit.directory = outcome.directory;
        unit.variables = outcome.variables;
        for (unit, heading) in outcome.declared {
            self.add(unit, Some(index), heading);
        }
    }
}
