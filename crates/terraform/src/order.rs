//! Dependencies between selected blocks of a module: direct references, and those through locals and unselected
//! resources. Cyclic ones are dropped, because only parts of such blocks depend on each other.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use crate::module::{self, Module};
use crate::syntax::{Accessor, Block, Body, ExprKind};
use base::Place;
use base::hash::{HashMap, HashSet};

/// A block that others may depend on: a module call, or a resource by type and name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BlockAddress {
    Call(SmolStr),
    Resource(SmolStr, SmolStr),
}

/// A dependency on another block.
#[derive(Debug, Clone)]
pub struct Wait {
    pub on: BlockAddress,
    pub reason: Reason,
    /// Whether it depends only on the instance with its own key (`module.x[each.key]`).
    pub is_same_key: bool,
    pub place: Place,
}

/// Why a block depends on another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Its `depends_on` names it.
    DependsOn,
    /// One of its arguments refers to it.
    Reference,
}

/// No order is computed for modules with more blocks.
const MAX_BLOCKS: usize = 1000;

/// The dependencies of each selected block.
pub fn waits(
    module: &Module,
    is_picked: &dyn Fn(&BlockAddress) -> bool,
) -> BTreeMap<BlockAddress, Vec<Wait>> {
    let calls = module
        .calls
        .iter()
        .map(|(name, block)| (BlockAddress::Call(name.clone()), block));
    let resources = module.resources.iter().map(|((kind, name), block)| {
        let address = BlockAddress::Resource(kind.clone(), name.clone());
        (address, block)
    });
    let mut picked: Vec<(BlockAddress, &Block)> = calls.chain(resources).collect();
    picked.retain(|(address, _)| is_picked(address));
    if picked.len() > MAX_BLOCKS {
        return BTreeMap::new();
    }
    let mut graph = BlockGraph {
        module,
        known: HashMap::default(),
    };
    let mut waits: BTreeMap<BlockAddress, Vec<Wait>> = BTreeMap::new();
    for (address, block) in picked {
        let found = graph.waits_of(&address, block, is_picked);
        waits.insert(address, found);
    }
    drop_cycles(&mut waits);
    waits
}

/// Dependencies of resources that are not selected, computed on demand.
pub struct ResourceOrder<'m> {
    graph: BlockGraph<'m>,
    is_few: bool,
}

impl<'m> ResourceOrder<'m> {
    /// The order of the resources of a module.
    pub fn new(module: &'m Module) -> ResourceOrder<'m> {
        ResourceOrder {
            graph: BlockGraph {
                module,
                known: HashMap::default(),
            },
            is_few: module.resources.len() <= MAX_BLOCKS,
        }
    }

    /// The selected blocks that a resource depends on.
    pub fn waits_of(
        &mut self,
        (kind, label): (&SmolStr, &SmolStr),
        block: &Block,
        is_picked: &dyn Fn(&BlockAddress) -> bool,
    ) -> Vec<Wait> {
        let address = BlockAddress::Resource(kind.clone(), label.clone());
        if self.is_few {
            self.graph.waits_of(&address, block, is_picked)
        } else {
            Vec::new()
        }
    }
}

struct BlockGraph<'m> {
    module: &'m Module,
    /// Names in blocks and locals.
    known: HashMap<BlockNode, Vec<BlockNode>>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum BlockNode {
    Block(BlockAddress),
    Data(SmolStr, SmolStr),
    Local(SmolStr),
}

impl BlockGraph<'_> {
    fn waits_of(
        &mut self,
        from: &BlockAddress,
        block: &Block,
        is_picked: &dyn Fn(&BlockAddress) -> bool,
    ) -> Vec<Wait> {
        let mut waits: Vec<Wait> = Vec::new();
        let mut keyed = Keyed::default();
        for attribute in &block.body.attributes {
            let reason = match attribute.name.as_str() {
                "depends_on" => Reason::DependsOn,
                "source" | "version" | "provider" | "providers" => continue,
                _ => Reason::Reference,
            };
            let mut named = Vec::new();
            module::names(&attribute.value, &mut named);
            let first = nodes(&named);
            keyed.note(&named);
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
            let named = names_in(&inner.body);
            keyed.note(&named);
            let first = nodes(&named);
            self.reach(
                first,
                from,
                is_picked,
                Reason::Reference,
                inner.place,
                &mut waits,
            );
        }
        if block.body.get("for_each").is_some() {
            let indirect = self.indirect(from, block, is_picked);
            for wait in &mut waits {
                wait.is_same_key = keyed.is_same(&wait.on) && !indirect.contains(&wait.on);
            }
        }
        waits
    }

    /// The selected blocks that a block leads to through others, which may be about any key.
    fn indirect(
        &mut self,
        from: &BlockAddress,
        block: &Block,
        is_picked: &dyn Fn(&BlockAddress) -> bool,
    ) -> BTreeSet<BlockAddress> {
        let mut first = nodes(&names_in(&block.body));
        first.retain(|node| !matches!(node, BlockNode::Block(address) if is_picked(address)));
        let mut waits = Vec::new();
        let place = block.place;
        self.reach(first, from, is_picked, Reason::Reference, place, &mut waits);
        waits.into_iter().map(|wait| wait.on).collect()
    }

    /// The selected blocks that names lead to. Each stands for all behind it.
    fn reach(
        &mut self,
        first: Vec<BlockNode>,
        from: &BlockAddress,
        is_picked: &dyn Fn(&BlockAddress) -> bool,
        reason: Reason,
        place: Place,
        waits: &mut Vec<Wait>,
    ) {
        let mut seen: HashSet<BlockNode> = HashSet::default();
        let mut next = first;
        while let Some(node) = next.pop() {
            if !seen.insert(node.clone()) {
                continue;
            }
            match &node {
                BlockNode::Block(address) if is_picked(address) => {
                    let is_new = !waits.iter().any(|wait| wait.on == *address);
                    if is_new && address != from {
                        waits.push(Wait {
                            on: address.clone(),
                            reason,
                            is_same_key: false,
                            place,
                        });
                    }
                }
                _ => next.extend(self.named(&node).iter().cloned()),
            }
        }
    }

    fn named(&mut self, node: &BlockNode) -> &[BlockNode] {
        let module = self.module;
        self.known
            .entry(node.clone())
            .or_insert_with(|| match node {
                BlockNode::Local(name) => {
                    let mut named = Vec::new();
                    if let Some(local) = module.locals.get(name) {
                        module::names(&local.value, &mut named);
                    }
                    nodes(&named)
                }
                BlockNode::Block(BlockAddress::Resource(kind, name)) => {
                    let block = module.resources.get(&(kind.clone(), name.clone()));
                    block.map(|block| named_in(&block.body)).unwrap_or_default()
                }
                BlockNode::Data(kind, name) => {
                    let block = module.data.get(&(kind.clone(), name.clone()));
                    block.map(|block| named_in(&block.body)).unwrap_or_default()
                }
                // Only calls that are not selected are looked through.
                BlockNode::Block(BlockAddress::Call(name)) => {
                    let block = module.calls.get(name);
                    block.map(|block| named_in(&block.body)).unwrap_or_default()
                }
            })
    }
}

/// Which blocks are named with the key of the block that names them, and which in another way.
#[derive(Default)]
struct Keyed {
    same: HashSet<BlockNode>,
    other: HashSet<BlockNode>,
}

impl Keyed {
    fn note(&mut self, named: &[Named<'_>]) {
        for one in named {
            let Some(node) = node(one) else {
                continue;
            };
            let labels = match &node {
                BlockNode::Block(_) | BlockNode::Local(_) => 1,
                BlockNode::Data(..) => 2,
            };
            if is_own_key(one.1.get(labels)) {
                self.same.insert(node);
            } else {
                self.other.insert(node);
            }
        }
    }

    fn is_same(&self, address: &BlockAddress) -> bool {
        let node = BlockNode::Block(address.clone());
        self.same.contains(&node) && !self.other.contains(&node)
    }
}

/// Whether an accessor is `[each.key]`.
fn is_own_key(accessor: Option<&Accessor>) -> bool {
    let Some(Accessor::Index(index)) = accessor else {
        return false;
    };
    let ExprKind::Get(of, steps) = &index.kind else {
        return false;
    };
    let is_each = matches!(&of.kind, ExprKind::Name(name) if name == "each");
    is_each && matches!(steps.as_slice(), [Accessor::Name(name)] if name == "key")
}

fn named_in(body: &Body) -> Vec<BlockNode> {
    nodes(&names_in(body))
}

/// The first name of a reference, and the accessors after it.
type Named<'e> = (&'e str, &'e [Accessor]);

fn names_in(body: &Body) -> Vec<Named<'_>> {
    let mut found = Vec::new();
    let mut bodies = vec![body];
    while let Some(body) = bodies.pop() {
        for attribute in &body.attributes {
            module::names(&attribute.value, &mut found);
        }
        bodies.extend(body.blocks.iter().map(|block| &block.body));
    }
    found
}

fn nodes(named: &[Named<'_>]) -> Vec<BlockNode> {
    let all: BTreeSet<BlockNode> = named.iter().filter_map(node).collect();
    all.into_iter().collect()
}

fn node((first, rest): &Named<'_>) -> Option<BlockNode> {
    let name = |at: usize| match rest.get(at) {
        Some(Accessor::Name(name)) => Some(name.clone()),
        _ => None,
    };
    let second = name(0)?;
    match (*first, name(1)) {
        ("local", _) => Some(BlockNode::Local(second)),
        ("module", _) => Some(BlockNode::Block(BlockAddress::Call(second))),
        ("data", Some(third)) => Some(BlockNode::Data(second, third)),
        ("var" | "path" | "each" | "count" | "self" | "terraform" | "data", _) => None,
        (kind, _) => Some(BlockNode::Block(BlockAddress::Resource(
            kind.into(),
            second,
        ))),
    }
}

/// Drops cyclic dependencies: parts of blocks may depend on each other while the whole blocks cannot.
fn drop_cycles(waits: &mut BTreeMap<BlockAddress, Vec<Wait>>) {
    let reached = |from: &BlockAddress| {
        let mut seen: BTreeSet<BlockAddress> = BTreeSet::new();
        let mut next: Vec<BlockAddress> = vec![from.clone()];
        while let Some(at) = next.pop() {
            for wait in waits.get(&at).into_iter().flatten() {
                if seen.insert(wait.on.clone()) {
                    next.push(wait.on.clone());
                }
            }
        }
        seen
    };
    let circles: BTreeMap<BlockAddress, BTreeSet<BlockAddress>> = waits
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
