//! Finds the CRDs and webhooks that custom resources need, and whether these certainly exist in time.

use super::*;
use crate::input::config::{Crds, Switch};
use crate::sources::charts;
use base::hash::HashSet;

impl<'a> StartupOrder<'a> {
    /// The needs, and the API groups whose order is not judged because what is not known may define them.
    pub(super) fn find_needs(&self, config: &Config) -> (Vec<Need<'a>>, BTreeSet<SmolStr>) {
        let mut by_type: HashMap<(&str, &str), Vec<ProviderIx>> = HashMap::default();
        let mut by_webhook: HashMap<&str, Vec<ProviderIx>> = HashMap::default();
        for (index, provider) in self.providers.iter_enumerated() {
            for (group, kind) in &provider.apis {
                by_type.entry((group, kind)).or_default().push(index);
            }
            for group in &provider.webhook {
                by_webhook.entry(group).or_default().push(index);
            }
        }
        let by_hand = self.installed_by_hand(config);
        let mut after = After::from_order(self);
        let mut blockers: HashMap<UnitIx, Before> = HashMap::default();
        let mut needs = Vec::new();
        for (unit, here) in self.cluster.units.iter_enumerated() {
            // What cannot be built never reaches the cluster: that is the finding.
            if self.build_fault(unit).is_some() {
                continue;
            }
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
                    let definitions: Vec<ProviderIx> = exact.chain(whole).copied().collect();
                    let webhooks = by_webhook.get(key.0).map(Vec::as_slice);
                    let tried = Tried {
                        unit,
                        api: key,
                        manner,
                        awaits: &awaits,
                    };
                    let mut stand = |what, providers: &[ProviderIx]| {
                        self.worst(tried, what, providers, &mut after, &mut blockers)
                    };
                    let is_there = by_hand.contains(&key) || by_hand.contains(&(key.0, ""));
                    let first = if is_there {
                        None
                    } else {
                        stand(What::Definition, &definitions)
                    };
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
        (needs, after.assumed)
    }

    /// The API types, by group and kind, whose CRDs come with charts that people install before any reconciler runs.
    fn installed_by_hand<'c>(&self, config: &'c Config) -> HashSet<(&'c str, &'c str)> {
        let installed = self.inventory.bootstrapped.iter();
        let known = installed.flat_map(|first| charts::find(config, &first.chart, None));
        let known =
            known.filter(|known| known.crds_default == Switch::On && known.crds != Crds::RunTime);
        let entries = known.flat_map(|known| &known.groups);
        let types = entries.map(|entry| {
            let (group, kind) = charts::group_and_kind(entry);
            (group, kind.unwrap_or_default())
        });
        types.collect()
    }

    /// Whether an API group belongs to the operator that installed the reconciler. A reconciler that applies its own entry
    /// point was installed differently.
    pub(super) fn is_first(&self, group: &str) -> bool {
        self.inventory.first_groups.contains(group) && !self.cluster.is_self_applied()
    }

    /// Why objects may come before what they need. None if they certainly come after one of the providers, or if a unit with
    /// unknown content may be one.
    pub(super) fn worst(
        &self,
        tried: Tried<'_>,
        what: What,
        providers: &[ProviderIx],
        after: &mut After,
        blockers: &mut HashMap<UnitIx, Before>,
    ) -> Option<Verdict> {
        let Tried { unit, manner, .. } = tried;
        let target = self.unit(unit).target;
        let here = |index: &&ProviderIx| self.providers[**index].target == target;
        let mut best: Option<(ProviderIx, OrderingVerdict)> = None;
        let mut here = providers.iter().filter(here).peekable();
        here.peek()?;
        let follows_unknown = |after: &mut After, unit: UnitIx| {
            after.follows_unknown(self, unit, tried.api)
                || self.unknown.contains(&unit) && self.may_define(unit, tried.api.0, tried.api.1)
        };
        if after.follows_unknown(self, unit, tried.api)
            || tried
                .awaits
                .iter()
                .any(|awaited| follows_unknown(after, awaited.on))
        {
            after.assumed.insert(tried.api.0.into());
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
    pub(super) fn is_below(&self, unit: UnitIx, other: UnitIx) -> bool {
        let owner = |at: &UnitIx| self.unit(*at).owner.filter(|owner| owner != at);
        let mut above = std::iter::successors(Some(unit), owner).take(64);
        above.any(|at| at == other)
    }

    /// Whether a unit renders its chart and applies the result itself.
    pub(super) fn is_rendered(&self, unit: UnitIx) -> bool {
        let release = self.unit(unit).unit.release.as_ref();
        release.is_some_and(|release| release.is_rendered)
    }

    pub(super) fn is_met(
        &self,
        unit: UnitIx,
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
    pub(super) fn is_seen(&self, unit: UnitIx, provider: &Provider<'_>, after: &mut After) -> bool {
        let mut groups = provider.apis.iter().map(|(group, _)| group);
        groups.any(|group| after.follows_definition(self, unit, provider.target, group))
    }

    pub(super) fn deadlock(&self, unit: UnitIx, provider: &Provider<'_>) -> OrderingVerdict {
        let maybe = self.unknown.iter().any(|other| *other != unit);
        OrderingVerdict::Deadlock(if maybe {
            Certainty::Likely
        } else {
            provider.certainty
        })
    }

    /// `Weak` if a unit waits for the provider, or for a unit that creates it, but that reports ready too early.
    pub(super) fn weak(
        &self,
        unit: UnitIx,
        provider: &Provider<'_>,
        after: &mut After,
    ) -> OrderingVerdict {
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
                let checks =
                    |at: &UnitIx| matches!(self.unit(*at).unit.gate, Gate::HealthChecks(_));
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
    pub(super) fn weak_turn(
        &self,
        unit: UnitIx,
        provider: &Provider<'_>,
    ) -> Option<OrderingVerdict> {
        let above = |unit: UnitIx| {
            let owner = |at: &UnitIx| self.unit(*at).owner.filter(|owner| owner != at);
            std::iter::successors(Some(unit), owner).take(64)
        };
        let wanted: Vec<UnitIx> = above(provider.unit).collect();
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
                        unit.apply.sync_wave.map(|sync_wave| sync_wave.number)
                    };
                    sync_wave(&self.unit(**at).unit) < sync_wave(unit)
                })?;
                Some((*nth, *before))
            });
            if let Some((nth, before)) = sibling {
                return Some(OrderingVerdict::Weak(Weak {
                    entry: self.stated(DependencyOfUnit { unit: here, nth }),
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
pub(super) struct Tried<'t> {
    pub(super) unit: UnitIx,
    /// The API group and kind of the objects.
    pub(super) api: (&'t str, &'t str),
    pub(super) manner: Manner,
    pub(super) awaits: &'t [Awaited],
}

/// How an object is applied, as far as this differs within its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Manner {
    /// In a later sync wave than objects without one, such as those of a chart.
    pub(super) is_late: bool,
    pub(super) is_let_through: bool,
    pub(super) is_tried_first: bool,
    pub(super) is_in_order: bool,
}

impl Manner {
    fn from_unit(unit: &ClusterUnit, object: &Object) -> Manner {
        // Only reconcilers with sync waves obey these annotations.
        let has_waves = unit.unit.apply.sync_wave.is_some();
        let skips_dry_run_on_missing = has_waves && object.statement.order.is_let_through;
        Manner {
            is_late: has_waves && object.statement.order.sync_wave > 0,
            is_let_through: skips_dry_run_on_missing || unit.unit.apply.skips_dry_run_on_missing,
            is_tried_first: object.statement.order.is_tried_first,
            is_in_order: object.statement.order.is_in_order,
        }
    }
}
