//! Which component needs which: dependencies of units, what units create, and what objects refer to.

use std::collections::BTreeSet;

use super::way::Need;
use super::*;
use crate::cluster::Object;
use crate::facts::{EdgeKind, Reference};

/// What more components than these take their environment from is for all, and says nothing of one.
const MOST_USERS: usize = 8;

impl<'a> ClusterMap<'a> {
    /// Dependencies that units state. Between units of several components, they are one edge between groups.
    pub(super) fn stated(&self, groups: &mut Vec<GroupEdge>, add: &mut Add<'_>) {
        for (index, unit) in self.cluster.units.iter_enumerated() {
            let from = self.own_components(index);
            let depends_on = unit.unit.depends_on.iter();
            for dependency in depends_on.filter(|one| one.relation != Relation::Implied) {
                let Some(on) = self.cluster.position_in(unit.declared_in, &dependency.on) else {
                    continue;
                };
                let mut awaited = self.awaited_components(on);
                // Components of the same unit do not wait for each other.
                awaited.retain(|to| !from.contains(to));
                let pairs = awaited
                    .iter()
                    .flat_map(|to| from.iter().map(|from| (*from, *to)));
                let pairs: Vec<(ComponentIx, ComponentIx)> = pairs
                    .filter(|(from, to)| !self.is_rollout((*from, index), (*to, on)))
                    .collect();
                let wave = self.wave(on).filter(|_| dependency.relation.is_wave());
                if wave.is_some() || awaited.len() > 1 && pairs.len() > MOST_PAIRS {
                    let sets = from.iter().map(|member| self.set_of(*member, index));
                    groups.push(GroupEdge {
                        from: unit.unit.id.name.clone(),
                        to: wave.unwrap_or_else(|| dependency.on.name.clone()),
                        environments: EnvironmentSet::union(sets),
                        members: from.clone(),
                        awaited,
                        relation: dependency.relation,
                        place: dependency.place,
                    });
                    continue;
                }
                for (from, to) in pairs {
                    add(Edge {
                        from,
                        to,
                        relation: dependency.relation,
                        place: dependency.place,
                        environments: self.set_of(from, index),
                    });
                }
            }
        }
    }

    /// What the units that come in one turn with another are called together.
    fn wave(&self, on: UnitIx) -> Option<SmolStr> {
        let wave = self.cluster.units[on].unit.apply.sync_wave?;
        Some(format!("wave {}", wave.number).into())
    }

    /// The components that a unit which waits for another means: the one of the same name, if there is one.
    fn awaited_components(&self, on: UnitIx) -> Vec<ComponentIx> {
        let unit = &self.cluster.units[on].unit;
        if unit.is_component() {
            return self.own_components(on);
        }
        let all = &self.of_unit[on];
        let namesake = all.iter().find(|at| self.named[**at].id.0 == unit.id.name);
        namesake.map_or_else(|| all.clone(), |one| vec![*one])
    }

    /// The environment that a cluster is.
    pub(super) fn set(&self, target: Destination) -> EnvironmentSet {
        let set = self.sets.get(self.cluster.rank(target));
        set.copied().unwrap_or(EnvironmentSet::ALL)
    }

    /// The environments of `component`, as far as `unit` or one of its descendants creates it.
    pub(super) fn set_of(&self, component: ComponentIx, unit: UnitIx) -> EnvironmentSet {
        if let [only] = self.sets.as_slice() {
            return *only;
        }
        let parts = self.named[component].draft.parts.iter();
        let own = parts.filter(|part| part.cluster == self.index && self.is_within(part, unit));
        EnvironmentSet::union(own.map(|part| self.set(part.target)))
    }

    pub(super) fn is_within(&self, part: &Placement, unit: UnitIx) -> bool {
        let above = |at: &UnitIx| {
            let owner = self.cluster.units[*at].owner;
            owner.filter(|owner| owner != at)
        };
        let mut all = std::iter::successors(part.release.or(part.unit), above).take(64);
        part.subject == unit || all.any(|at| at == unit)
    }

    /// Whether one waits for another, each as a unit makes it, in the next environment only because that one has its turn
    /// first: where both are in one, nothing says that the one needs the other.
    pub(super) fn is_rollout(
        &self,
        (from, by): (ComponentIx, UnitIx),
        (to, on): (ComponentIx, UnitIx),
    ) -> bool {
        if self.sets.len() < 2 {
            return false;
        }
        let (here, there) = (self.set_of(from, by), self.set_of(to, on));
        let has = |component: ComponentIx, some: EnvironmentSet| {
            let parts = self.named[component].draft.parts.iter();
            let own = parts.filter(|part| part.cluster == self.index);
            let sets = own.map(|part| self.set(part.target));
            !EnvironmentSet::union(sets).and(some).is_empty()
        };
        here.and(there).is_empty() && (has(to, here) || has(from, there))
    }

    /// Units that objects wait for by themselves.
    pub(super) fn awaited(&self, add: &mut Add<'_>) {
        for (from, part) in self.parts() {
            for (at, object) in objects_in(part, self.clusters) {
                let awaits = object.statement.order.awaits.iter();
                for awaited in awaits.filter(|one| one.relation != Relation::Implied) {
                    let Some(on) = self.cluster.position_in(at, &awaited.on) else {
                        continue;
                    };
                    for to in self.own_components(on) {
                        add(Edge {
                            from,
                            to,
                            relation: awaited.relation,
                            place: awaited.place,
                            environments: self.set(part.target),
                        });
                    }
                }
            }
        }
    }

    /// Whether a component is made by what applies the entry point: all come after it.
    pub(super) fn is_of_root(&self, component: ComponentIx) -> bool {
        let parts = self.named[component].draft.parts.iter();
        let mut here = parts.filter(|part| part.cluster == self.index);
        here.any(|part| part.unit.is_some_and(|unit| self.is_root(unit)))
    }

    /// The components that a unit makes itself: not those of the units that it creates.
    pub(super) fn own_components(&self, unit: UnitIx) -> Vec<ComponentIx> {
        let unit = self.cluster.wrapped_release(unit).unwrap_or(unit);
        let parts = self.of_unit[unit].iter().copied();
        // A unit that is a component under its own name counts as one, whatever else it contains.
        let is_whole = self.cluster.units[unit].unit.is_component();
        let is_own = |part: &Placement| {
            if is_whole {
                part.subject == unit
            } else {
                part.unit == Some(unit) || part.release == Some(unit)
            }
        };
        parts
            .filter(|component| {
                let parts = self.named[*component].draft.parts.iter();
                parts.filter(|part| part.cluster == self.index).any(is_own)
            })
            .collect()
    }

    /// Adds the edges for references between objects.
    pub(super) fn referred(&self, waits: &HashSet<(ComponentIx, ComponentIx)>, add: &mut Add<'_>) {
        let variables = self.variable_sources();
        let users = self.config_users();
        for (component, part) in self.parts() {
            let mut add = |(from, to, relation, place): Need| {
                add(Edge {
                    from,
                    to,
                    relation,
                    place,
                    environments: self.set(part.target),
                });
            };
            for (at, object) in objects_in(part, self.clusters) {
                let id = &object.statement.id;
                // The components that use these variables have the edges themselves.
                if variables.contains(&(id.kind.as_str(), id.namespace.as_str(), id.name.as_str()))
                {
                    continue;
                }
                for need in self.ways(component, at, &object.statement) {
                    add(need);
                }
                let of_config = (at, id.namespace.as_str(), id.name.as_str());
                let users = users.get(&of_config).filter(|_| id.is("", "ConfigMap"));
                let is_for_others = users.is_some_and(|users| !users.contains(&component));
                for need in users
                    .iter()
                    .flat_map(|it| self.configured(component, it, at, object))
                {
                    add(need);
                }
                // Rendered objects of a chart are more certain than what its values suggest.
                let is_known = part.release.is_some_and(|release| {
                    self.is_declared(release, &object.statement) && self.yields_all(release)
                });
                let references = object.statement.references.iter();
                let references = references.filter(|one| one.relation != Relation::Backend);
                for reference in
                    references.filter(|one| !is_known || one.relation.kind() == EdgeKind::Deploys)
                {
                    let find = |at: Destination| match &reference.target {
                        Target::Api { group, kind } => {
                            let found = self.bringer(component, (at, group, kind), waits);
                            let stated = Some(reference.relation);
                            let is_open = |it: &Relation| {
                                matches!(it, Relation::CustomResource | Relation::Controller)
                            };
                            let stated = stated.filter(|it| !is_open(it));
                            found.map(|(to, why)| (to, stated.unwrap_or(why)))
                        }
                        target => {
                            let found = self.find((component, at), target);
                            let found = found.or_else(|| {
                                let is_middle = stands_for_another(reference.relation);
                                is_middle.then(|| self.behind((component, at), target))?
                            });
                            found.map(|to| (to, self.precisely(at, reference)))
                        }
                    };
                    let is_declaration = object.statement.unit.is_some();
                    let found = match &reference.target {
                        Target::Host { .. } | Target::Behind { .. } | Target::Address { .. }
                            if is_declaration =>
                        {
                            find(part.target)
                        }
                        // What its values have made there.
                        Target::Api { .. }
                            if is_declaration && reference.relation == Relation::Controller =>
                        {
                            find(part.target)
                        }
                        // References of a unit's declaration mostly mean the cluster to which the unit applies its
                        // objects.
                        Target::Object { .. } if is_declaration && at != part.target => {
                            find(part.target).or_else(|| find(at))
                        }
                        _ => find(at),
                    };
                    let is_for_others = is_for_others && reference.relation == Relation::Service;
                    if let Some((to, relation)) = found.filter(|_| !is_for_others) {
                        add((component, to, relation, reference.place));
                        // The operator of a store that belongs to nobody is who calls it.
                        if relation == Relation::SecretStore
                            && let Some((at, store)) = self.ownerless(at, &reference.target)
                            && let Some(operator) = self.operator(at, store)
                        {
                            add((operator, to, Relation::Service, reference.place));
                        }
                    }
                }
            }
            let chart = part.release.and_then(|release| {
                let unit = &self.cluster.units[release];
                Some((
                    unit.declared_in,
                    unit.unit.release.as_ref()?.chart.as_ref()?,
                ))
            });
            if let Some((at, chart)) = chart {
                let source = &chart.source;
                let to = self.object(at, &source.kind, &source.namespace, &source.name);
                if let Some(to) = to.filter(|to| !self.is_of_root(*to)) {
                    add((component, to, Relation::ChartSource, chart.place));
                }
            }
        }
    }

    /// Whom the users of a ConfigMap call: what it names, if that is one component, or if nobody else uses it. Of several
    /// names nobody knows who uses which.
    fn configured(
        &self,
        holder: ComponentIx,
        users: &BTreeSet<ComponentIx>,
        at: Destination,
        config: &Object,
    ) -> Vec<Need> {
        let calls = config.statement.references.iter();
        let calls = calls.filter(|one| one.relation == Relation::Service);
        let called = calls.filter_map(|one| {
            let to = self.find((holder, at), &one.target)?;
            Some((to, one.place))
        });
        let called: Vec<(ComponentIx, Place)> = called.collect();
        let names: BTreeSet<ComponentIx> = called.iter().map(|(to, _)| *to).collect();
        let is_clear = users.len() == 1 || names.len() == 1 && users.len() <= MOST_USERS;
        let others = users.iter().filter(|user| **user != holder && is_clear);
        let needs = others.flat_map(|user| {
            let each = called.iter();
            each.map(|(to, place)| (*user, *to, Relation::Service, *place))
        });
        needs.collect()
    }

    /// Who takes all that is in a ConfigMap, by cluster, namespace and name.
    fn config_users(&self) -> HashMap<(Destination, &'a str, &'a str), BTreeSet<ComponentIx>> {
        let mut users: HashMap<_, BTreeSet<ComponentIx>> = HashMap::default();
        for (component, part) in self.parts() {
            for (at, object) in objects_in(part, self.clusters) {
                let references = object.statement.references.iter();
                for reference in references.filter(|one| one.relation == Relation::ConfigMap) {
                    if let Target::Object {
                        namespace, name, ..
                    } = &reference.target
                    {
                        let key = (at, namespace.as_str(), name.as_str());
                        users.entry(key).or_default().insert(component);
                    }
                }
            }
        }
        users
    }

    /// Why a reference is needed: a Secret that comes with something that runs is there to sign in to it.
    fn precisely(&self, at: Destination, reference: &Reference) -> Relation {
        match (&reference.relation, &reference.target) {
            (
                Relation::Secret,
                Target::Object {
                    namespace, name, ..
                },
            ) if self
                .credentials
                .contains(&(at, namespace.as_str(), name.as_str())) =>
            {
                Relation::Credentials
            }
            (Relation::ConfigMapKey, _) => Relation::ConfigMap,
            (relation, _) => *relation,
        }
    }

    /// Objects that units take variables or values from.
    pub(super) fn variable_sources(&self) -> HashSet<(&'a str, &'a str, &'a str)> {
        let values = self.cluster.objects().flat_map(|(_, object)| {
            let references = object.statement.references.iter();
            references.filter(|one| one.relation == Relation::Values)
        });
        let values = values.filter_map(|reference| match &reference.target {
            Target::Object {
                kind,
                namespace,
                name,
            } => Some((kind.as_str(), namespace.as_str(), name.as_str())),
            _ => None,
        });
        let builds = self.cluster.units.iter().filter_map(|here| {
            let substitution = here.unit.build.as_ref()?.substitution.as_ref()?;
            Some((here.unit.id.namespace.as_str(), substitution))
        });
        let sources = builds.flat_map(|(namespace, substitution)| {
            let from = substitution.from.iter();
            from.map(move |source| (source.kind.as_str(), namespace, source.name.as_str()))
        });
        sources.chain(values).collect()
    }
}

/// Whether who names an object for this reason means the one who answers for it.
fn stands_for_another(relation: Relation) -> bool {
    matches!(
        relation,
        Relation::Gateway
            | Relation::Class
            | Relation::Issuer
            | Relation::SecretStore
            | Relation::StorageClass
    )
}
