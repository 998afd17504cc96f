//! Tests of `graph.rs`.

use super::*;
use crate::catalog::EnvironmentView;
use crate::cluster::ClusterIx;
use crate::facts::Relation;
use base::Place;

fn at(index: usize) -> ComponentIx {
    ComponentIx::from_usize(index)
}

fn numbers(components: &[ComponentIx]) -> Vec<usize> {
    components.iter().map(|at| at.index()).collect()
}

/// From and to, by index.
fn graph(count: usize, edges: &[(usize, usize)]) -> Graph {
    let edges = edges.iter();
    let edges: Vec<_> = edges
        .map(|(from, to)| (*from, *to, EnvironmentSet::ALL))
        .collect();
    graph_within(count, &edges)
}

fn graph_within(count: usize, edges: &[(usize, usize, EnvironmentSet)]) -> Graph {
    let edges: Vec<Edge> = edges
        .iter()
        .map(|(from, to, environments)| Edge {
            from: at(*from),
            to: at(*to),
            relation: Relation::Implied,
            place: Place::default(),
            environments: *environments,
        })
        .collect();
    Graph::new(count, edges.iter())
}

fn waves(graph: &Graph) -> Vec<Vec<usize>> {
    graph.waves().iter().map(|wave| numbers(wave)).collect()
}

/// Two environments, and both.
fn environments() -> [EnvironmentSet; 3] {
    let view = |name: &str| EnvironmentView {
        name: name.to_owned(),
        cluster: ClusterIx::FIRST,
        units: 0,
        is_program: false,
    };
    let all = [view("dev"), view("prod")];
    let [dev, prod] = ["dev", "prod"].map(|name| EnvironmentSet::named(&all, name));
    [dev, prod, dev.or(prod)]
}

#[test]
fn nothing_depends_on_another_through_one_that_does_so_elsewhere() {
    let [dev, prod, both] = environments();
    let graph = graph_within(4, &[(1, 0, dev), (2, 1, prod), (3, 1, both)]);
    assert_eq!(numbers(graph.dependents(at(0)).all()), [1, 3]);
    let found = graph.dependents(at(1));
    assert_eq!(numbers(found.all()), [2, 3]);
    assert_eq!([2, 3].map(|one| found.within(at(one))), [prod, both]);
    assert_eq!(graph.reach(at(2), EdgeDirection::Upstream, 9), [at(1)]);
}

#[test]
fn a_longer_way_may_lead_further_in_another_environment() {
    let [dev, prod, both] = environments();
    let edges = [(1, 0, dev), (2, 0, prod), (1, 2, prod), (3, 1, prod)];
    let graph = graph_within(5, &edges);
    let found = graph.dependents(at(0));
    assert_eq!(numbers(found.all()), [1, 2, 3]);
    let levels: Vec<Vec<usize>> = found.levels().map(numbers).collect();
    assert_eq!(levels, [vec![1, 2], vec![], vec![3]]);
    assert!(graph.dependents(at(4)).levels().next().is_none());
    // Two edges between the same components, one per environment, hold in both environments.
    let twice = graph_within(3, &[(1, 0, dev), (1, 0, prod), (2, 1, both)]);
    assert_eq!(numbers(twice.dependents(at(0)).all()), [1, 2]);
}

#[test]
fn dependents_are_found_at_any_distance() {
    let graph = graph(5, &[(1, 0), (2, 1), (3, 1), (4, 3), (1, 0)]);
    let found = graph.dependents(at(0));
    assert_eq!(numbers(found.all()), [1, 2, 3, 4]);
    assert_eq!(
        found.levels().map(numbers).collect::<Vec<_>>(),
        [vec![1], vec![2, 3], vec![4]]
    );
    let from = |distance| numbers(found.at_least(distance));
    assert_eq!(
        [1, 2, 3, 4].map(from),
        [vec![1, 2, 3, 4], vec![2, 3, 4], vec![4], vec![]]
    );
    assert!(graph.dependents(at(4)).all().is_empty());
}

#[test]
fn dependents_are_counted_without_being_gone_through() {
    // A long chain with a circle in it, and shortcuts over several words of bits.
    let mut edges: Vec<(usize, usize)> = (1..300).map(|at| (at, at - 1)).collect();
    edges.extend((0..290).step_by(7).map(|at| (at + 10, at)));
    edges.extend([(40, 45), (130, 128), (128, 130), (299, 299)]);
    let graph = graph(301, &edges);
    for component in (0..301).map(at) {
        let all = graph.dependents(component);
        let near = graph.nearest_dependents(component, 2, 5);
        assert_eq!(near.total(), all.all().len(), "{component:?}");
        assert!(all.all().starts_with(near.all()));
        assert_eq!(near.is_cut(), near.all().len() < all.all().len());
    }
}

#[test]
fn nothing_is_stopped_before_what_needs_it() {
    let graph = graph(4, &[(1, 0), (2, 1), (3, 0), (2, 3)]);
    let mut order = [0, 1, 2, 3].map(at);
    graph.sort_to_stop(&mut order);
    let position = |component| order.iter().position(|one| *one == at(component)).unwrap();
    assert!(position(2) < position(1) && position(2) < position(3));
    assert!(position(1) < position(0) && position(3) < position(0));
}

#[test]
fn waves_follow_the_longest_way() {
    let graph = graph(5, &[(1, 0), (2, 1), (2, 0), (3, 0)]);
    assert_eq!(waves(&graph), [vec![0, 4], vec![1, 3], vec![2]]);
}

#[test]
fn those_that_need_each_other_share_a_wave() {
    let graph = graph(4, &[(0, 1), (1, 0), (2, 1), (3, 3)]);
    assert_eq!(waves(&graph), [vec![0, 1, 3], vec![2]]);
}

#[test]
fn one_that_leads_to_itself_is_a_circle() {
    let found = cycles(4, vec![(0, 1), (1, 0), (2, 1), (3, 3)]);
    assert_eq!(found, [vec![0, 1], vec![3]]);
}
