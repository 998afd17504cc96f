//! Dependencies of a resource, as the units that come before it. Touches nothing.

use super::*;

impl ObjectWriter<'_, '_, '_> {
    /// The units that come before a resource, as a list of the reader's own.
    pub(super) fn waits(&mut self, at: usize) -> Node {
        let place = self.resources[at].place;
        let mut found: BTreeMap<Stands, (State, Place, Means)> = BTreeMap::new();
        let mut seen: BTreeSet<(usize, State, bool)> = BTreeSet::new();
        let mut next: Vec<(usize, State, Place, Means)> = Vec::new();
        let mut from = Some(at);
        // A resource inherits the dependencies of its parents.
        for _ in 0..64 {
            let Some(here) = from else {
                break;
            };
            let waits = self.resources[here].dependencies.iter();
            next.extend(
                waits.map(|wait| (wait.resource, wait.state, wait.place, wait.reason.into())),
            );
            from = self.resources[here].parent.filter(|parent| *parent != here);
        }
        next.reverse();
        while let Some((on, sees, place, means)) = next.pop() {
            if !seen.insert((on, sees, means == Means::Implied)) || seen.len() > 512 {
                continue;
            }
            let made = &self.resources[on];
            let direct = self.stands_for(on, at);
            let is_part = !direct.is_empty();
            for unit in direct {
                let known = found.entry(unit).or_insert((sees, place, means));
                known.0 = known.0.max(sees);
                if known.2 == Means::Implied {
                    (known.1, known.2) = (place, means);
                }
            }
            // A unit states its own dependencies, so its dependents do not repeat them. Part of a unit may wait for
            // more. That order is only implied, because this line does not state it.
            if self.units.contains_key(&on) {
                continue;
            }
            let means = if is_part { Means::Implied } else { means };
            // A resource that waits until it is ready has seen its dependencies running.
            let beyond = if made.class.is_awaited() {
                State::Running
            } else {
                State::Created
            };
            let further = made.dependencies.iter();
            next.extend(further.map(|wait| (wait.resource, wait.state.max(beyond), place, means)));
        }
        let items = found
            .iter()
            .take(MAX_WAITS)
            .map(|(unit, (sees, place, means))| {
                let id = match unit {
                    Stands::Unit(at) => &self.units[at],
                    Stands::Group(lead) => &self.group_ids[lead],
                };
                let mut map = Map::default();
                map.push("kind", Node::string(id.kind.clone(), *place));
                map.push("namespace", Node::string(id.namespace.clone(), *place));
                map.push("name", Node::string(id.name.clone(), *place));
                map.push("running", flag(*sees == State::Running, *place));
                let means = match means {
                    Means::Stated => STATED,
                    Means::Taken => TAKEN,
                    Means::Implied => IMPLIED,
                };
                map.push("means", Node::string(means, *place));
                Node {
                    value: Value::Map(map),
                    place: *place,
                }
            });
        let mut items: Vec<Node> = items.collect();
        if self.is_unclear(at) {
            items.push(Node::string(UNCLEAR, place));
        }
        if self.chain(at).any(|at| self.resources[at].is_doubtful) {
            items.push(Node::string(DOUBTFUL, place));
        }
        Node::seq(items, place)
    }

    /// Whether it, or what it hangs below, waits for something that cannot be followed.
    fn is_unclear(&self, at: usize) -> bool {
        let mut all = self.chain(at);
        all.any(|at| self.resources[at].has_unknown_dependency)
    }

    /// A resource and what it hangs below.
    fn chain(&self, at: usize) -> impl Iterator<Item = usize> {
        let above = |at: &usize| self.resources[*at].parent.filter(|parent| parent < at);
        std::iter::successors(Some(at), above).take(64)
    }

    /// The units that represent a resource, as seen from another: itself, its content, or its container.
    fn stands_for(&self, on: usize, from: usize) -> Vec<Stands> {
        if on == from {
            return Vec::new();
        }
        let mut units = Vec::new();
        if self.units.contains_key(&on) {
            units.push(Stands::Unit(on));
            let inside = self.inside.get(&on).into_iter().flatten();
            let inside = inside.copied().filter(|at| *at != from);
            units.extend(inside.map(Stands::Unit));
        }
        // A part of another component is represented by that component. A part of the same component is not.
        let own = self.containers[from];
        let Some(container) = self.containers[on].filter(|container| Some(*container) != own)
        else {
            return units;
        };
        if self.group_ids.contains_key(&container) {
            units.push(Stands::Group(container));
        } else if container != from && !is_within(&self.resources, from, container) {
            units.push(Stands::Unit(container));
        }
        units
    }
}

/// Why a resource waits for a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Means {
    Stated,
    Taken,
    /// The dependency is part of a unit, and waits for more than that unit does.
    Implied,
}

impl From<Reason> for Means {
    fn from(reason: Reason) -> Means {
        match reason {
            Reason::DependsOn => Means::Stated,
            Reason::Output => Means::Taken,
        }
    }
}

/// A unit, by the resource that it is, or by the one that a group is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stands {
    Unit(usize),
    Group(usize),
}
