//! Queries on the dependency graph: dependents at any distance, stop and start order, startup waves, and cycles. The
//! only importer of the graph library.

use std::borrow::Borrow;
use std::ops::Range;
use std::sync::OnceLock;

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rayon::prelude::*;

use super::{ComponentIx, Edge, EnvironmentSet};
use base::index::IndexVec;

/// Components and what they need, by index.
#[derive(Debug)]
pub struct Graph {
    needs: Lists,
    needed_by: Lists,
    /// Groups of components that need each other, what is needed before what needs it.
    groups: Vec<Vec<ComponentIx>>,
    group_of: IndexVec<ComponentIx, usize>,
    /// Number of dependents of each component at any distance, computed on first use.
    counts: OnceLock<IndexVec<ComponentIx, usize>>,
}

/// A list of components for each component, all in one piece: whole graphs are gone through for every page.
#[derive(Debug)]
struct Lists {
    /// Start of each list in `all`, followed by the end of the last one.
    starts: Vec<usize>,
    all: Vec<ComponentIx>,
    /// Environments of each entry of `all`; empty if all of them hold everywhere.
    within: Vec<EnvironmentSet>,
}

/// An edge between two components, with its environments.
type ComponentPair = (ComponentIx, ComponentIx, EnvironmentSet);

impl Lists {
    /// Builds the lists from edges. Edges between the same two components are merged.
    fn from_links(count: usize, mut links: Vec<ComponentPair>) -> Lists {
        links.sort_unstable();
        links.dedup_by(|again, first| {
            let is_same = (again.0, again.1) == (first.0, first.1);
            if is_same {
                first.2 = first.2.or(again.2);
            }
            is_same
        });
        let mut starts = vec![0; count + 1];
        for (at, ..) in &links {
            starts[at.index() + 1] += 1;
        }
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        let hold_everywhere = links.iter().all(|link| link.2 == EnvironmentSet::ALL);
        Lists {
            starts,
            all: links.iter().map(|link| link.1).collect(),
            within: if hold_everywhere {
                Vec::new()
            } else {
                links.iter().map(|link| link.2).collect()
            },
        }
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn range(&self, at: ComponentIx) -> Range<usize> {
        self.starts[at.index()]..self.starts[at.index() + 1]
    }

    fn get(&self, at: ComponentIx) -> &[ComponentIx] {
        &self.all[self.range(at)]
    }

    fn within(&self, at: ComponentIx) -> &[EnvironmentSet] {
        &self.within[self.range(at)]
    }

    fn indices(&self) -> impl Iterator<Item = ComponentIx> + use<> {
        (0..self.len()).map(ComponentIx::from_usize)
    }
}

/// Components at any distance from one, the nearest first.
#[derive(Debug)]
pub struct Reach {
    /// All of them, or the first ones.
    all: Vec<ComponentIx>,
    total: usize,
    /// End of each distance in `all`.
    ends: Vec<usize>,
    /// Environments in which each component is reached, by index; empty if all are reached everywhere.
    within: IndexVec<ComponentIx, EnvironmentSet>,
}

impl Reach {
    pub fn all(&self) -> &[ComponentIx] {
        &self.all
    }

    /// How many there are.
    pub fn total(&self) -> usize {
        self.total
    }

    /// Whether some are left out.
    pub fn is_cut(&self) -> bool {
        self.all.len() < self.total
    }

    /// Environments in which `component` is reached.
    pub fn within(&self, component: ComponentIx) -> EnvironmentSet {
        let within = self.within.get(component);
        within.copied().unwrap_or(EnvironmentSet::ALL)
    }

    /// Components by distance, nearest first. A level can be empty if a longer path exists only in another
    /// environment.
    pub fn levels(&self) -> impl Iterator<Item = &[ComponentIx]> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, end)| &self.all[start..*end])
    }

    /// Components at this distance or further away.
    pub fn at_least(&self, distance: usize) -> &[ComponentIx] {
        let start = match distance.checked_sub(2) {
            Some(before) => self.ends.get(before).copied().unwrap_or(self.all.len()),
            None => 0,
        };
        &self.all[start..]
    }
}

/// Along dependencies, or against them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeDirection {
    /// To what is needed.
    Upstream,
    /// To what needs it.
    Downstream,
}

impl Graph {
    /// The graph of some edges; an edge stated several times counts once.
    pub fn new(count: usize, edges: impl Iterator<Item = impl Borrow<Edge>>) -> Graph {
        let links = edges.map(|edge| {
            let edge = edge.borrow();
            (edge.from, edge.to, edge.environments)
        });
        let links = links.filter(|(from, to, _)| from.index() < count && to.index() < count);
        let links: Vec<ComponentPair> = links.collect();
        let turned = links.iter().map(|link| (link.1, link.0, link.2)).collect();
        let (needs, needed_by) = (
            Lists::from_links(count, links),
            Lists::from_links(count, turned),
        );
        let pairs = needs.indices().flat_map(|from| {
            let pair = move |to: &ComponentIx| (from.index(), to.index());
            needs.get(from).iter().map(pair)
        });
        let groups: Vec<Vec<ComponentIx>> = groups(count, pairs)
            .map(|group| group.into_iter().map(ComponentIx::from_usize).collect())
            .collect();
        let mut group_of = IndexVec::from_elem(0, count);
        for (at, group) in groups.iter().enumerate() {
            group.iter().for_each(|member| group_of[*member] = at);
        }
        Graph {
            needs,
            needed_by,
            groups,
            group_of,
            counts: OnceLock::new(),
        }
    }

    /// Direct dependencies of a component.
    pub fn needs(&self, component: ComponentIx) -> &[ComponentIx] {
        self.needs.get(component)
    }

    /// Direct dependents of a component.
    pub fn needed_by(&self, component: ComponentIx) -> &[ComponentIx] {
        self.needed_by.get(component)
    }

    /// Components that need something or are needed.
    pub fn connected(&self) -> impl Iterator<Item = ComponentIx> {
        let is_connected =
            |at: &ComponentIx| !self.needs(*at).is_empty() || !self.needed_by(*at).is_empty();
        self.needs.indices().filter(is_connected)
    }

    /// Everything that a component needs, or that needs it, up to some distance, the nearest first.
    pub fn reach(
        &self,
        component: ComponentIx,
        way: EdgeDirection,
        depth: usize,
    ) -> Vec<ComponentIx> {
        let next = match way {
            EdgeDirection::Upstream => &self.needs,
            EdgeDirection::Downstream => &self.needed_by,
        };
        let found = spread(next, component);
        found.levels().take(depth).flatten().copied().collect()
    }

    /// Everything that depends on a component.
    pub fn dependents(&self, component: ComponentIx) -> Reach {
        spread(&self.needed_by, component)
    }

    /// The nearest dependents: all up to `distance`, and at least `least` if there are that many.
    pub fn nearest_dependents(
        &self,
        component: ComponentIx,
        distance: usize,
        least: usize,
    ) -> Reach {
        let lists = &self.needed_by;
        if !lists.within.is_empty() {
            return spread_within(lists, component);
        }
        let mut found = spread_everywhere(lists, component, distance, least);
        if found.is_cut() {
            found.total = self.counts()[component];
        }
        found
    }

    /// How many components need each at any distance.
    fn counts(&self) -> &IndexVec<ComponentIx, usize> {
        self.counts.get_or_init(|| {
            let blocks = (0..self.needs.len().div_ceil(64)).into_par_iter();
            let counts = blocks.map(|block| self.counts_among(block * 64));
            let none = || IndexVec::from_elem(0, self.needs.len());
            counts.reduce(none, |mut all, more| {
                all.iter_mut()
                    .zip(more)
                    .for_each(|(all, more)| *all += more);
                all
            })
        })
    }

    /// How many of the 64 components from `first` on need each: a bit for every one of them goes from what needs to what is
    /// needed, so that all are counted in one pass over the graph.
    fn counts_among(&self, first: usize) -> IndexVec<ComponentIx, usize> {
        let own = |component: ComponentIx| match component.index().wrapping_sub(first) {
            at @ 0..64 => 1 << at,
            _ => 0u64,
        };
        let mut reached = vec![0u64; self.groups.len()];
        let mut counts = IndexVec::from_elem(0, self.needs.len());
        for (at, group) in self.groups.iter().enumerate().rev() {
            // All that needs one of a group needs each of them.
            let mut whole = reached[at];
            if group.len() > 1 {
                group.iter().for_each(|member| whole |= own(*member));
            }
            for &member in group {
                counts[member] = (whole & !own(member)).count_ones() as usize;
                for need in self.needs.get(member) {
                    let below = self.group_of[*need];
                    if below != at {
                        reached[below] |= whole | own(member);
                    }
                }
            }
        }
        counts
    }

    /// Puts components in the order to stop them: nothing is stopped before what needs it. Starting them again is the
    /// reverse.
    pub fn sort_to_stop(&self, components: &mut [ComponentIx]) {
        components.sort_unstable_by_key(|at| (std::cmp::Reverse(self.group_of[*at]), *at));
    }

    /// Components by the wave in which they can start: each needs only what is in earlier ones, but
    /// for those that need each other, which share a wave.
    pub fn waves(&self) -> Vec<Vec<ComponentIx>> {
        let mut wave_of_group = vec![0; self.groups.len()];
        let mut waves: Vec<Vec<ComponentIx>> = Vec::new();
        for (at, group) in self.groups.iter().enumerate() {
            let needed = group.iter().flat_map(|member| self.needs.get(*member));
            let outside = needed
                .map(|need| self.group_of[*need])
                .filter(|group| *group != at);
            let wave = outside
                .map(|group| wave_of_group[group] + 1)
                .max()
                .unwrap_or(0);
            wave_of_group[at] = wave;
            waves.resize_with(waves.len().max(wave + 1), Vec::new);
            waves[wave].extend(group);
        }
        waves.iter_mut().for_each(|wave| wave.sort_unstable());
        waves
    }
}

/// Everything that lists lead to from a component in any one environment: what one needs in this and another in that
/// leads nowhere.
fn spread(lists: &Lists, component: ComponentIx) -> Reach {
    if lists.within.is_empty() {
        spread_everywhere(lists, component, usize::MAX, usize::MAX)
    } else {
        spread_within(lists, component)
    }
}

fn spread_within(lists: &Lists, component: ComponentIx) -> Reach {
    let mut seen = IndexVec::from_elem(EnvironmentSet::NONE, lists.len());
    seen[component] = EnvironmentSet::ALL;
    let (mut all, mut ends) = (Vec::new(), Vec::new());
    // Components reached in the last round, with the environments in which they are new.
    let mut level = vec![(component, EnvironmentSet::ALL)];
    while !level.is_empty() {
        let mut next = Vec::new();
        for (here, reached) in level {
            for (&other, within) in lists.get(here).iter().zip(lists.within(here)) {
                let new = reached.and(*within).without(seen[other]);
                if new.is_empty() {
                    continue;
                }
                if seen[other].is_empty() {
                    all.push(other);
                }
                seen[other] = seen[other].or(new);
                next.push((other, new));
            }
        }
        level = next;
        ends.push(all.len());
    }
    // Beyond the last that was found, the same was only reached in further environments.
    let levels = ends.iter().take_while(|end| **end < all.len()).count();
    ends.truncate(levels + usize::from(!all.is_empty()));
    Reach {
        total: all.len(),
        all,
        ends,
        within: seen,
    }
}

/// Ends at a distance where so many are found; then the total is that of those, and one more.
fn spread_everywhere(
    lists: &Lists,
    component: ComponentIx,
    distance: usize,
    least: usize,
) -> Reach {
    let mut seen = IndexVec::from_elem(false, lists.len());
    seen[component] = true;
    // Room for all others, and for one that is written and not kept: whether one was seen before cannot be foreseen, and
    // most of the time would go into wrong guesses.
    let mut all = vec![ComponentIx::FIRST; lists.len() + 1];
    let mut count = 0;
    let mut ends = Vec::new();
    let mut visit = |here: ComponentIx, all: &mut [ComponentIx]| {
        for &other in lists.get(here) {
            all[count] = other;
            count += usize::from(!seen[other]);
            seen[other] = true;
        }
        count
    };
    let mut end = visit(component, &mut all);
    let mut start = 0;
    while start < end {
        ends.push(end);
        if ends.len() >= distance && end >= least {
            break;
        }
        // The components found in this round are visited in the next one.
        let level = start..end;
        start = end;
        for at in level {
            end = visit(all[at], &mut all);
        }
    }
    all.truncate(end);
    Reach {
        total: end + usize::from(start < end),
        all,
        ends,
        within: IndexVec::new(),
    }
}

/// Nodes that lead to each other in a circle, in a graph of `count` nodes.
pub fn cycles(count: usize, mut edges: Vec<(usize, usize)>) -> Vec<Vec<usize>> {
    edges.sort_unstable();
    edges.dedup();
    let is_circle = |group: &Vec<usize>| {
        let itself = (group[0], group[0]);
        group.len() > 1 || edges.binary_search(&itself).is_ok()
    };
    groups(count, edges.iter().copied())
        .filter(is_circle)
        .collect()
}

/// Groups of nodes that lead to each other. What is pointed to comes first.
fn groups(
    count: usize,
    edges: impl Iterator<Item = (usize, usize)>,
) -> impl Iterator<Item = Vec<usize>> {
    let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(count, edges.size_hint().0);
    for _ in 0..count {
        graph.add_node(());
    }
    for (from, to) in edges {
        graph.add_edge(NodeIndex::new(from), NodeIndex::new(to), ());
    }
    tarjan_scc(&graph).into_iter().map(|group| {
        let mut members: Vec<usize> = group.into_iter().map(NodeIndex::index).collect();
        members.sort_unstable();
        members
    })
}

#[cfg(test)]
mod tests;
