//! What waits for what in a module, among the blocks that the caller picks: blocks that name others, directly, through
//! locals and through resources that are not picked. Where two wait for each other in different parts of them, neither
//! is said to.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use crate::module::{self, Module};
use crate::syntax::{Block, Body};
use base::Place;
use base::hash::{HashMap, HashSet};

/// A block that others may wait for: a call of a module, or a resource by type and name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Address {
    Call(SmolStr),
    Resource(SmolStr, SmolStr),
}

/// A block waits for another.
#[derive(Debug, Clone)]
pub struct Wait {
    pub on: Address,
    pub reason: Reason,
    pub place: Place,
}

/// Why a block waits for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Its `depends_on` names it.
    DependsOn,
    /// One of its arguments refers to it.
    Reference,
}

/// Of a module with more such blocks nobody wants to know the order.
const MAX_BLOCKS: usize = 1000;

/// What each picked block of a module waits for.
pub fn waits(
    module: &Module,
    is_picked: &dyn Fn(&Address) -> bool,
) -> BTreeMap<Address, Vec<Wait>> {
    let calls = module.calls.iter();
    let calls = calls.map(|(name, block)| (Address::Call(name.clone()), block));
    let resources = module.resources.iter().map(|((kind, name), block)| {
        let address = Address::Resource(kind.clone(), name.clone());
        (address, block)
    });
    let mut picked: Vec<(Address, &Block)> = calls.chain(resources).collect();
    picked.retain(|(address, _)| is_picked(address));
    if picked.len() > MAX_BLOCKS {
        return BTreeMap::new();
    }
    let mut graph = Graph {
        module,
        known: HashMap::default(),
    };
    let mut waits: BTreeMap<Address, Vec<Wait>> = BTreeMap::new();
    for (address, block) in picked {
        let found = graph.waits_of(&address, block, is_picked);
        waits.insert(address, found);
    }
    without_circles(&mut waits);
    waits
}

/// What resources wait for that are not picked themselves, one after the other.
pub struct ResourceOrder<'m> {
    graph: Graph<'m>,
    is_few: bool,
}

impl<'m> ResourceOrder<'m> {
    /// The order of the resources of a module.
    pub fn new(module: &'m Module) -> ResourceOrder<'m> {
        ResourceOrder {
            graph: Graph {
                module,
                known: HashMap::default(),
            },
            is_few: module.resources.len() <= MAX_BLOCKS,
        }
    }

    /// The picked blocks that a resource waits for.
    pub fn waits_of(
        &mut self,
        (kind, label): (&SmolStr, &SmolStr),
        block: &Block,
        is_picked: &dyn Fn(&Address) -> bool,
    ) -> Vec<Wait> {
        let address = Address::Resource(kind.clone(), label.clone());
        if self.is_few {
            self.graph.waits_of(&address, block, is_picked)
        } else {
            Vec::new()
        }
    }
}

struct Graph<'m> {
    module: &'m Module,
    /// What blocks and locals name.
    known: HashMap<Node, Vec<Node>>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Node {
    Block(Address),
    Data(SmolStr, SmolStr),
    Local(SmolStr),
}

impl Graph<'_> {
    fn waits_of(
        &mut self,
        from: &Address,
        block: &Block,
        is_picked: &dyn Fn(&Address) -> bool,
    ) -> Vec<Wait> {
        let mut waits: Vec<Wait> = Vec::new();
        for attribute in &block.body.attributes {
            let reason = match attribute.name.as_str() {
                "depends_on" => Reason::DependsOn,
                "source" | "version" | "provider" | "providers" => continue,
                _ => Reason::Reference,
            };
            let mut named = Vec::new();
            module::names(&attribute.value, &mut named);
            let first = nodes(&named);
            self.reach(
                first,
                from,
                is_picked,
                reason,
                attribute.value.place,
                &mut waits,
            );
        }
        for inner in &block.body.blocks {
            let first = named_in(&inner.body);
            self.reach(
                first,
                from,
                is_picked,
                Reason::Reference,
                inner.place,
                &mut waits,
            );
        }
        waits
    }

    /// The picked blocks that some names lead to. Each stands for all that is behind it.
    fn reach(
        &mut self,
        first: Vec<Node>,
        from: &Address,
        is_picked: &dyn Fn(&Address) -> bool,
        reason: Reason,
        place: Place,
        waits: &mut Vec<Wait>,
    ) {
        let mut seen: HashSet<Node> = HashSet::default();
        let mut next = first;
        while let Some(node) = next.pop() {
            if !seen.insert(node.clone()) {
                continue;
            }
            match &node {
                Node::Block(address) if is_picked(address) => {
                    let is_new = !waits.iter().any(|wait| wait.on == *address);
                    if is_new && address != from {
                        waits.push(Wait {
                            on: address.clone(),
                            reason,
                            place,
                        });
                    }
                }
                _ => next.extend(self.named(&node).iter().cloned()),
            }
        }
    }

    fn named(&mut self, node: &Node) -> &[Node] {
        let module = self.module;
        self.known
            .entry(node.clone())
            .or_insert_with(|| match node {
                Node::Local(name) => {
                    let mut named = Vec::new();
                    if let Some(local) = module.locals.get(name) {
                        module::names(&local.value, &mut named);
                    }
                    nodes(&named)
                }
                Node::Block(Address::Resource(kind, name)) => {
                    let block = module.resources.get(&(kind.clone(), name.clone()));
                    block.map(|block| named_in(&block.body)).unwrap_or_default()
                }
                Node::Data(kind, name) => {
                    let block = module.data.get(&(kind.clone(), name.clone()));
                    block.map(|block| named_in(&block.body)).unwrap_or_default()
                }
                Node::Block(Address::Call(_)) => Vec::new(),
            })
    }
}

fn named_in(body: &Body) -> Vec<Node> {
    let mut found = Vec::new();
    let mut bodies = vec![body];
    while let Some(body) = bodies.pop() {
        for attribute in &body.attributes {
            module::names(&attribute.value, &mut found);
        }
        bodies.extend(body.blocks.iter().map(|block| &block.body));
    }
    nodes(&found)
}

fn nodes(named: &[(&str, Vec<&str>)]) -> Vec<Node> {
    let nodes = named.iter().filter_map(|(first, rest)| {
        let second = rest.first().map(|name| SmolStr::from(*name))?;
        match (*first, rest.get(1)) {
            ("local", _) => Some(Node::Local(second)),
            ("module", _) => Some(Node::Block(Address::Call(second))),
            ("data", Some(third)) => Some(Node::Data(second, (*third).into())),
            ("var" | "path" | "each" | "count" | "self" | "terraform" | "data", _) => None,
            (kind, _) => Some(Node::Block(Address::Resource(kind.into(), second))),
        }
    });
    let all: BTreeSet<Node> = nodes.collect();
    all.into_iter().collect()
}

/// Leaves out whatever is part of a circle: parts of blocks may wait for each other where the whole cannot.
fn without_circles(waits: &mut BTreeMap<Address, Vec<Wait>>) {
    let reached = |from: &Address| {
        let mut seen: BTreeSet<Address> = BTreeSet::new();
        let mut next: Vec<Address> = vec![from.clone()];
        while let Some(at) = next.pop() {
            for wait in waits.get(&at).into_iter().flatten() {
                if seen.insert(wait.on.clone()) {
                    next.push(wait.on.clone());
                }
            }
        }
        seen
    };
    let circles: BTreeMap<Address, BTreeSet<Address>> = waits
        .keys()
        .map(|from| (from.clone(), reached(from)))
        .filter(|(from, reached)| reached.contains(from))
        .collect();
    for (from, own) in waits.iter_mut() {
        let Some(reached) = circles.get(from) else {
            continue;
        };
        own.retain(|wait| {
            let leads_back = circles
                .get(&wait.on)
                .is_some_and(|other| other.contains(from));
            !(reached.contains(&wait.on) && leads_back)
        });
    }
}
