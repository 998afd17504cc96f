//! The scopes of a flow: the whole picture, and the inside of each group. An edge is laid out in the innermost scope
//! that contains both ends, and crosses the frames around them.

use super::super::flow::Arrow;
use super::super::{Direction, Flow, FlowAuthor};

/// Scope 0 is the whole picture, scope `g + 1` the inside of group `g`.
pub struct Tree {
    nodes: usize,
    /// By vertex, its scope.
    pub scope_of: Vec<usize>,
    /// By scope, its vertices in the order of their first node.
    pub members: Vec<Vec<usize>>,
    /// By scope.
    pub directions: Vec<Direction>,
    /// All scopes that are drawn, inner ones first.
    pub inside_out: Vec<usize>,
    depths: Vec<usize>,
}

/// Where an edge is laid out: between two members of a scope that are its ends or contain them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub scope: usize,
    pub from: usize,
    pub to: usize,
}

impl Tree {
    pub fn new(flow: &Flow, arrows: &[Arrow], direction: Direction) -> Tree {
        let nodes = flow.nodes.len();
        let parents = flow.parents();
        let node_scopes = flow.nodes.iter().map(|node| {
            let group = node.group.filter(|group| *group < flow.groups.len());
            group.map_or(0, |group| group + 1)
        });
        let group_scopes = parents.iter().map(|parent| parent.map_or(0, |at| at + 1));
        let mut tree = Tree {
            nodes,
            scope_of: node_scopes.chain(group_scopes).collect(),
            members: vec![Vec::new(); flow.groups.len() + 1],
            directions: vec![direction; flow.groups.len() + 1],
            inside_out: Vec::new(),
            depths: vec![0; flow.groups.len() + 1],
        };
        tree.fill(flow, arrows);
        tree.order();
        tree.direct(flow, arrows);
        tree
    }

    /// Assigns every vertex to its scope. Empty groups of a generated flow that no edge leads to are not drawn.
    fn fill(&mut self, flow: &Flow, arrows: &[Arrow]) {
        let mut is_placed = vec![false; self.scope_of.len()];
        let groups = self.nodes..self.scope_of.len();
        let ends: Vec<usize> = match flow.origin {
            FlowAuthor::Generated => arrows
                .iter()
                .flat_map(|arrow| [arrow.from, arrow.to])
                .collect(),
            FlowAuthor::Authored => groups.collect(),
        };
        for start in (0..self.nodes).chain(ends) {
            let mut vertex = start;
            while !std::mem::replace(&mut is_placed[vertex], true) {
                let scope = self.scope_of[vertex];
                self.members[scope].push(vertex);
                if scope == 0 {
                    break;
                }
                vertex = self.vertex_of(scope);
            }
        }
    }

    fn order(&mut self) {
        let mut outside_in = vec![0];
        let mut at = 0;
        while let Some(&scope) = outside_in.get(at) {
            at += 1;
            for &vertex in &self.members[scope] {
                if let Some(inner) = self.scope_within(vertex) {
                    self.depths[inner] = self.depths[scope] + 1;
                    outside_in.push(inner);
                }
            }
        }
        self.inside_out = outside_in.into_iter().rev().collect();
    }

    /// A group keeps its own direction if no edge crosses its frame.
    fn direct(&mut self, flow: &Flow, arrows: &[Arrow]) {
        let mut is_crossed = vec![false; self.members.len()];
        for arrow in arrows {
            if let Some(span) = self.span(arrow) {
                for (end, until) in [(arrow.from, span.from), (arrow.to, span.to)] {
                    for scope in self.crossed(end, until) {
                        is_crossed[scope] = true;
                    }
                }
            }
        }
        for &scope in self.inside_out.iter().rev().filter(|scope| **scope > 0) {
            let own = flow.groups[scope - 1].direction;
            let around = self.directions[self.scope_of[self.vertex_of(scope)]];
            self.directions[scope] = own.filter(|_| !is_crossed[scope]).unwrap_or(around);
        }
    }

    /// The span of an edge; `None` if one end contains the other, or both are the same.
    pub fn span(&self, arrow: &Arrow) -> Option<Span> {
        let (mut from, mut to) = (arrow.from, arrow.to);
        while self.scope_of[from] != self.scope_of[to] {
            let (a, b) = (self.scope_of[from], self.scope_of[to]);
            if self.depths[a] >= self.depths[b] {
                from = self.vertex_of(a);
            }
            if self.depths[b] >= self.depths[a] {
                to = self.vertex_of(b);
            }
        }
        let scope = self.scope_of[from];
        (from != to).then_some(Span { scope, from, to })
    }

    /// The scopes that a line leaves from a vertex up to one around it, innermost first.
    pub fn crossed(&self, vertex: usize, until: usize) -> impl Iterator<Item = usize> + '_ {
        let mut at = vertex;
        std::iter::from_fn(move || {
            let scope = (at != until).then(|| self.scope_of[at])?;
            at = self.vertex_of(scope);
            Some(scope)
        })
    }

    /// The group of a scope, as a vertex. The whole picture has none.
    pub fn vertex_of(&self, scope: usize) -> usize {
        self.nodes + scope - 1
    }

    /// The inside of a group; `None` for a node.
    pub fn scope_within(&self, vertex: usize) -> Option<usize> {
        (vertex >= self.nodes).then(|| vertex - self.nodes + 1)
    }

    pub fn depth(&self, scope: usize) -> usize {
        self.depths[scope]
    }
}
