//! The start-up order of a cluster: which unit provides which API types and webhooks, what is certainly ready before a
//! unit is applied, and whether each custom resource comes after what it needs. Computed once for all checks.

mod after;
mod awaited;
mod before;
mod gate;
mod namespace;
mod provider;

use crate::catalog::ClusterUnits;
use crate::cluster::{Cluster, ClusterUnit, Object};
use crate::facts::{Gate, Relation};
use crate::input::config::Config;
use crate::input::repo::Repo;
use crate::sources::inventory::Inventory;
use base::Place;
use base::hash::HashMap;

use after::After;
use awaited::Awaited;
pub use before::Before;
use gate::Defined;
pub use gate::checks;
use namespace::Namespaces;
pub use namespace::{Trapped, is_namespaced};
use provider::Means;
pub use provider::{Certainty, Provider};

pub struct StartupOrder<'a> {
    repo: &'a Repo,
    pub cluster: &'a Cluster,
    inventory: &'a Inventory,
    pub providers: Vec<Provider<'a>>,
    pub namespaces: Namespaces<'a>,
    /// Custom resources that may be applied before what they need, by unit.
    pub needs: Vec<Need<'a>>,
    /// The units that each unit creates.
    children: Vec<Vec<usize>>,
    /// The units that each unit depends on, with the index of the entry in its list.
    depends_on: Vec<Vec<(usize, usize)>>,
    /// Dependencies that are met as soon as the other unit exists.
    unseen: Vec<Vec<(usize, usize)>>,
    /// The units whose workloads it sees running, whatever their gate is.
    running: Vec<Vec<usize>>,
    /// The units that each unit's health gate covers.
    gated: Vec<Vec<usize>>,
    /// The units whose health gate covers a CRD.
    defined: Defined<'a>,
    /// For each unit, the program that somebody runs to create it, if any.
    run: Vec<Option<usize>>,
    /// Units whose content is not known, or only in part.
    unknown: Vec<usize>,
    names: HashMap<&'a str, usize>,
}

/// Custom resources of one unit that need the same provider, and why they may come too early.
pub struct Need<'a> {
    pub unit: usize,
    pub objects: Vec<&'a Object>,
    pub provider: usize,
    /// What they need from it.
    pub what: What,
    pub verdict: OrderingVerdict,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum What {
    /// The CRD of their kind.
    Definition,
    /// Their admission webhook, which is registered before it is serving.
    Webhook,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrderingVerdict {
    /// The provider cannot start until they have been applied.
    Deadlock(Certainty),
    /// They wait for the provider, but it reports ready too early.
    Weak(Weak),
    /// Nothing orders the two.
    Unordered,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weak {
    /// The dependency that orders the two.
    pub entry: DependencyEntry,
    /// The units that report ready too early, from the one that creates the provider upwards.
    pub ungated: Vec<usize>,
    pub certainty: Certainty,
}

/// A dependency: the unit that declares it (or whose object does), the unit it waits for, and the place of the entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DependencyEntry {
    pub unit: usize,
    pub on: usize,
    pub place: Place,
    pub by: By,
}

/// Who waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    Unit,
    /// Single objects of the unit.
    Objects,
}

/// What is needed, from which provider, and why it may be missing.
type Verdict = (What, usize, OrderingVerdict);

impl<'a> StartupOrder<'a> {
    pub fn compute(
        repo: &'a Repo,
        config: &'a Config,
        cluster: &'a Cluster,
        units: &'a ClusterUnits,
        inventory: &'a Inventory,
    ) -> StartupOrder<'a> {
        let mut order = StartupOrder {
            repo,
            cluster,
            inventory,
            providers: provider::providers(repo, config, cluster, units, inventory),
            namespaces: Namespaces::from_cluster(cluster, inventory),
            needs: Vec::new(),
            children: vec![Vec::new(); cluster.units.len()],
            depends_on: Vec::new(),
            unseen: Vec::new(),
            running: Vec::new(),
            gated: Vec::new(),
            defined: Defined::default(),
            run: Vec::new(),
            unknown: provider::unknown(config, cluster, units),
            names: HashMap::default(),
        };
        for (index, unit) in cluster.units.iter().enumerate() {
            if let Some(owner) = unit.owner.filter(|owner| *owner != index) {
                order.children[owner].push(index);
            }
            let depends_on = unit.unit.depends_on.iter().enumerate();
            let resolved = depends_on.filter_map(|(nth, dependency)| {
                Some((nth, cluster.position_in(unit.declared_in, &dependency.on)?))
            });
            // That a unit exists says nothing about whether its objects do.
            let (unseen, seen) =
                resolved.partition(|(_, on)| cluster.units[*on].unit.gate == Gate::Unseen);
            order.depends_on.push(seen);
            order.unseen.push(unseen);
            let running = unit.unit.observed_healthy.iter();
            let running = running
                .filter_map(|on| cluster.position_in(unit.declared_in, on))
                .collect();
            order.running.push(running);
            order.run.push(order.run_of(index));
            *order.names.entry(&unit.unit.id.name).or_default() += 1;
        }
        let units = 0..cluster.units.len();
        let installs = order.installs();
        order.gated = units.map(|unit| order.looked_at(unit, &installs)).collect();
        order.defined = order.defined();
        order.needs = order.find_needs(config);
        order
    }

    pub fn unit(&self, index: usize) -> &'a ClusterUnit {
        &self.cluster.units[index]
    }

    /// A unit's name, with its namespace if several others share the name.
    pub fn name(&self, index: usize) -> String {
        let id = &self.unit(index).unit.id;
        // A release and the unit that creates it usually share a name.
        match self.names.get(id.name.as_str()) {
            Some(3..) => id.qualified(),
            _ => id.name.to_string(),
        }
    }

    pub fn children(&self, index: usize) -> &[usize] {
        &self.children[index]
    }

    /// The units that a unit depends on, each with the index of its entry.
    pub fn depends_on(&self, index: usize) -> &[(usize, usize)] {
        &self.depends_on[index]
    }

    /// Whether something that a unit creates is applied only once the unit is ready.
    pub fn is_awaited_below(&self, unit: usize) -> bool {
        let mut after = After::from_order(self);
        let mut children = self.children[unit].iter();
        children.any(|child| after.follows_ready(self, *child, unit))
    }

    /// What has certainly happened when a unit is applied.
    pub fn before(&self, unit: usize) -> Before {
        Before::from_order(self, unit)
    }

    /// The place of a dependency's entry.
    pub fn entry(&self, entry: (usize, usize)) -> Place {
        self.unit(entry.0).unit.depends_on[entry.1].place
    }

    /// The units whose workloads a unit sees running before it is applied, whatever their gate is.
    pub fn running(&self, index: usize) -> &[usize] {
        &self.running[index]
    }

    fn stated(&self, (unit, nth): (usize, usize)) -> DependencyEntry {
        let dependency = &self.unit(unit).unit.depends_on[nth];
        let on = self
            .cluster
            .position_in(self.unit(unit).declared_in, &dependency.on);
        DependencyEntry {
            unit,
            // It was resolved before, so it is always found.
            on: on.unwrap_or(unit),
            place: dependency.place,
            by: By::Unit,
        }
    }

    /// Units whose content is not known, or only in part.
    pub fn unknown(&self) -> &[usize] {
        &self.unknown
    }

    /// The units that are ready when a unit is ready: those that its health gate covers.
    pub fn gated(&self, index: usize) -> &[usize] {
        &self.gated[index]
    }

    fn run_of(&self, index: usize) -> Option<usize> {
        let unit = self.unit(index);
        let inherited = unit.owner.filter(|owner| *owner < index);
        if unit.unit.is_program {
            Some(index)
        } else {
            inherited.and_then(|at| self.run[at])
        }
    }

    fn find_needs(&self, config: &Config) -> Vec<Need<'a>> {
        let mut by_type: HashMap<(&str, &str), Vec<usize>> = HashMap::default();
        let mut by_webhook: HashMap<&str, Vec<usize>> = HashMap::default();
        for (index, provider) in self.providers.iter().enumerate() {
            for (group, kind) in &provider.apis {
                by_type.entry((group, kind)).or_default().push(index);
            }
            for group in &provider.webhook {
                by_webhook.entry(group).or_default().push(index);
            }
        }
        let mut after = After::from_order(self);
        let mut blockers: HashMap<usize, Before> = HashMap::default();
        let mut needs = Vec::new();
        for (unit, here) in self.cluster.units.iter().enumerate() {
            // A list is enough: few units have more than two or three needs.
            let mut found: Vec<Need<'a>> = Vec::new();
            let mut known: HashMap<(&str, &str, Manner, Vec<Awaited>), Vec<Verdict>> =
                HashMap::default();
            for object in here.applied.iter().flat_map(|applied| &applied.objects) {
                let id = &object.statement.id;
                let mut references = object.statement.references.iter();
                let is_custom = references.any(|one| one.relation == Relation::CustomResource);
                if !is_custom {
                    continue;
                }
                let manner = Manner::from_unit(here, object);
                let key = (id.group.as_str(), id.kind.as_str());
                let awaits = self.awaited(here, object);
                let known = known.entry((key.0, key.1, manner, awaits.clone()));
                let standings = known.or_insert_with(|| {
                    if config.has_external_crds(key.0) || self.is_first(key.0) {
                        return Vec::new();
                    }
                    let exact = by_type.get(&key).into_iter().flatten();
                    let whole = by_type.get(&(key.0, "")).into_iter().flatten();
                    let definitions: Vec<usize> = exact.chain(whole).copied().collect();
                    let webhooks = by_webhook.get(key.0).map(Vec::as_slice);
                    let tried = Tried {
                        unit,
                        manner,
                        awaits: &awaits,
                    };
                    let mut stand = |what, providers: &[usize]| {
                        self.worst(tried, what, providers, &mut after, &mut blockers)
                    };
                    let first = stand(What::Definition, &definitions);
                    let second = match &first {
                        Some(_) => None,
                        None => stand(What::Webhook, webhooks.unwrap_or_default()),
                    };
                    first.into_iter().chain(second).collect()
                });
                for (what, provider, verdict) in standings.iter() {
                    let same = |need: &&mut Need<'_>| {
                        need.what == *what && need.provider == *provider && need.verdict == *verdict
                    };
                    match found.iter_mut().find(same) {
                        Some(need) => need.objects.push(object),
                        None => found.push(Need {
                            unit,
                            objects: vec![object],
                            provider: *provider,
                            what: *what,
                            verdict: verdict.clone(),
                        }),
                    }
                }
            }
            needs.extend(found);
        }
        needs
    }

    /// Whether an API group belongs to the operator that installed the reconciler. A reconciler that applies its own entry
    /// point was installed differently.
    fn is_first(&self, group: &str) -> bool {
        self.inventory.first_groups.contains(group) && !self.cluster.is_self_applied()
    }

    /// Why objects may come before what they need. None if they certainly come after one of the providers, or if a unit with
    /// unknown content may be one.
    fn worst(
        &self,
        tried: Tried<'_>,
        what: What,
        providers: &[usize],
        after: &mut After,
        blockers: &mut HashMap<usize, Before>,
    ) -> Option<Verdict> {
        let Tried { unit, manner, .. } = tried;
        let target = self.unit(unit).target;
        let here = |index: &&usize| self.providers[**index].target == target;
        let mut best: Option<(usize, OrderingVerdict)> = None;
        let mut here = providers.iter().filter(here).peekable();
        here.peek()?;
        let follows_unknown = |after: &mut After, unit: usize| {
            after.follows_unknown(self, unit) || self.unknown.contains(&unit)
        };
        if after.follows_unknown(self, unit)
            || tried
                .awaits
                .iter()
                .any(|awaited| follows_unknown(after, awaited.on))
        {
            return None;
        }
        for index in here {
            let provider = &self.providers[*index];
            // No file says in which order people run programs.
            let is_apart = self.run[provider.unit] != self.run[unit];
            if !is_apart && manner.is_tried_first && provider.means == Means::Release {
                let verdict = match what {
                    What::Definition => self.deadlock(unit, provider),
                    What::Webhook => return None,
                };
                best.get_or_insert((*index, verdict));
                continue;
            }
            if is_apart
                || provider.is_first
                || self.is_met(unit, manner, what, provider, after)
                || what == What::Definition && self.is_seen(unit, provider, after)
                || self.is_awaited(tried.awaits, what, provider, after)
            {
                return None;
            }
            if provider.unit == unit && self.is_rendered(unit) {
                let verdict = match (what, manner.is_let_through) {
                    (What::Definition, false) => self.deadlock(unit, provider),
                    _ => OrderingVerdict::Unordered,
                };
                best.get_or_insert((*index, verdict));
                continue;
            }
            if manner.is_in_order {
                // The order of single objects is not known here, but a unit that reports ready too early is.
                match self.weak(unit, provider, after) {
                    verdict @ OrderingVerdict::Weak(_) if !self.is_below(provider.unit, unit) => {
                        best.get_or_insert((*index, verdict));
                        continue;
                    }
                    _ => return None,
                }
            }
            let blocker = blockers
                .entry(provider.unit)
                .or_insert_with(|| Before::from_order(self, provider.unit));
            // An object that skips the dry run does not block the rest of its unit.
            let is_blocked =
                provider.unit != unit && blocker.has_started(unit) && !manner.is_let_through;
            // If the release starts later, its webhook is not registered yet when the objects are applied.
            if what == What::Webhook && is_blocked {
                return None;
            }
            let verdict = if is_blocked {
                self.deadlock(unit, provider)
            } else {
                self.weak_await(tried, provider, after)
                    .unwrap_or_else(|| self.weak(unit, provider, after))
            };
            let better = match (&verdict, &best) {
                (_, None) => true,
                (OrderingVerdict::Weak(_), Some((_, OrderingVerdict::Weak(_)))) => false,
                (OrderingVerdict::Weak(_), Some(_)) => true,
                (OrderingVerdict::Unordered, Some((_, OrderingVerdict::Deadlock(_)))) => true,
                _ => false,
            };
            if better {
                best = Some((*index, verdict));
            }
        }
        best.map(|(provider, verdict)| (what, provider, verdict))
    }

    /// Whether a unit is created by another, directly or indirectly.
    fn is_below(&self, unit: usize, other: usize) -> bool {
        let owner = |at: &usize| self.unit(*at).owner.filter(|owner| owner != at);
        let mut above = std::iter::successors(Some(unit), owner).take(64);
        above.any(|at| at == other)
    }

    /// Whether a unit renders its chart and applies the result itself.
    fn is_rendered(&self, unit: usize) -> bool {
        let release = self.unit(unit).unit.release.as_ref();
        release.is_some_and(|release| release.is_rendered)
    }

    fn is_met(
        &self,
        unit: usize,
        manner: Manner,
        what: What,
        provider: &Provider<'_>,
        after: &mut After,
    ) -> bool {
        match provider.means {
            // CRDs are applied first, and workloads are ready before the next sync wave.
            Means::Release if provider.unit == unit && self.is_rendered(unit) => {
                let needs_to_run = what == What::Webhook || provider.at_run_time;
                let is_tried_late = what == What::Webhook || manner.is_let_through;
                !needs_to_run || manner.is_late && is_tried_late
            }
            // CRDs are applied before the other objects of their unit.
            Means::Object => {
                provider.unit == unit || after.follows_applying(self, unit, provider.unit)
            }
            Means::Release => {
                let serves = self.unit(provider.unit).unit.gate == Gate::Wait;
                let needs_to_run = what == What::Webhook || provider.at_run_time;
                let is_ready = serves || !needs_to_run;
                is_ready && after.follows_ready(self, unit, provider.unit)
                    || after.follows_running(self, unit, provider.unit)
            }
        }
    }

    /// Whether a unit is applied only after a health gate has seen one CRD of the provider: a release installs all its CRDs
    /// together.
    fn is_seen(&self, unit: usize, provider: &Provider<'_>, after: &mut After) -> bool {
        let mut groups = provider.apis.iter().map(|(group, _)| group);
        groups.any(|group| after.follows_definition(self, unit, provider.target, group))
    }

    fn deadlock(&self, unit: usize, provider: &Provider<'_>) -> OrderingVerdict {
        let maybe = self.unknown.iter().any(|other| *other != unit);
        OrderingVerdict::Deadlock(if maybe {
            Certainty::Likely
        } else {
            provider.certainty
        })
    }

    /// `Weak` if a unit waits for the provider, or for a unit that creates it, but that reports ready too early.
    fn weak(&self, unit: usize, provider: &Provider<'_>, after: &mut After) -> OrderingVerdict {
        let mut chain = Vec::new();
        let mut above = self.unit(provider.unit).owner;
        let mut below = provider.unit;
        while let Some(at) = above {
            if !self.gated(at).contains(&below) {
                chain.push(at);
            }
            if after.follows_ready(self, unit, at)
                && let Some(entry) = self.before(unit).seen_ready_by(at)
            {
                let checks = |at: &usize| matches!(self.unit(*at).unit.gate, Gate::HealthChecks(_));
                return OrderingVerdict::Weak(Weak {
                    entry: self.stated(entry),
                    certainty: if chain.iter().any(checks) || chain.is_empty() {
                        Certainty::Likely
                    } else {
                        provider.certainty
                    },
                    ungated: chain,
                });
            }
            below = at;
            above = self.unit(at).owner.filter(|owner| *owner != at);
        }
        // A release that is ready, but does not wait for its workloads.
        if after.follows_ready(self, unit, provider.unit)
            && let Some(entry) = self.before(unit).seen_ready_by(provider.unit)
        {
            return OrderingVerdict::Weak(Weak {
                entry: self.stated(entry),
                ungated: vec![provider.unit],
                certainty: provider.certainty,
            });
        }
        self.weak_turn(unit, provider)
            .unwrap_or(OrderingVerdict::Unordered)
    }

    /// `Weak` if a unit, or one that creates it, is in a later sync wave than the provider, which only has to exist.
    fn weak_turn(&self, unit: usize, provider: &Provider<'_>) -> Option<OrderingVerdict> {
        let above = |unit: usize| {
            let owner = |at: &usize| self.unit(*at).owner.filter(|owner| owner != at);
            std::iter::successors(Some(unit), owner).take(64)
        };
        let wanted: Vec<usize> = above(provider.unit).collect();
        for here in above(unit) {
            let unit = &self.unit(here).unit;
            // Only the previous sync wave is listed; earlier waves come before as well.
            let sibling = self.unseen[here].first().and_then(|(nth, _)| {
                let stated = self.unseen[here].iter();
                if let Some((nth, on)) = stated.into_iter().find(|(_, on)| wanted.contains(on)) {
                    return Some((*nth, *on));
                }
                let owner = self.unit(here).owner;
                let mut siblings = wanted.iter().filter(|at| self.unit(**at).owner == owner);
                let before = siblings.find(|at| {
                    let sync_wave = |unit: &crate::facts::Unit| {
                        unit.sync_wave.map(|sync_wave| sync_wave.number)
                    };
                    sync_wave(&self.unit(**at).unit) < sync_wave(unit)
                })?;
                Some((*nth, *before))
            });
            if let Some((nth, before)) = sibling {
                return Some(OrderingVerdict::Weak(Weak {
                    entry: self.stated((here, nth)),
                    ungated: vec![before],
                    // The reconciler may be configured to check health, in a place that is not read here.
                    certainty: Certainty::Likely,
                }));
            }
        }
        None
    }
}

/// Objects of a unit that are applied in the same way and wait for the same units.
#[derive(Clone, Copy)]
struct Tried<'t> {
    unit: usize,
    manner: Manner,
    awaits: &'t [Awaited],
}

/// How an object is applied, as far as this differs within its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Manner {
    /// In a later sync wave than objects without one, such as those of a chart.
    is_late: bool,
    is_let_through: bool,
    is_tried_first: bool,
    is_in_order: bool,
}

impl Manner {
    fn from_unit(unit: &ClusterUnit, object: &Object) -> Manner {
        // Only reconcilers with sync waves obey these annotations.
        let has_waves = unit.unit.sync_wave.is_some();
        let skips_dry_run_on_missing = has_waves && object.statement.is_let_through;
        Manner {
            is_late: has_waves && object.statement.sync_wave > 0,
            is_let_through: skips_dry_run_on_missing || unit.unit.skips_dry_run_on_missing,
            is_tried_first: object.statement.is_tried_first,
            is_in_order: object.statement.is_in_order,
        }
    }
}
