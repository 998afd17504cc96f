//! How people operate units and fix their order, in the terms of the tool that reconciles them.

use super::SOURCES;
use crate::facts::{SyncPolicy, UnitId};
use yaml::Node;

/// Words and changes for the units of one tool; none for the units of others.
pub trait Operate: Sync {
    /// The command that suspends or resumes a unit; none if there is nothing to do.
    fn command(&self, _unit: &UnitId, _sync_policy: SyncPolicy, _verb: Verb) -> Option<String> {
        None
    }

    /// The kinds of units that people know by name, in the order in which a label lists them.
    fn unit_kinds(&self) -> &'static [&'static str] {
        &[]
    }

    /// How the command line of the tool names a unit.
    fn name_in_tool(&self, _unit: &UnitId) -> Option<NameInTool> {
        None
    }

    /// Whether a unit itself is what people look at when its release fails, not the unit that creates it.
    fn answers_for_release(&self, _unit: &UnitId) -> bool {
        false
    }

    /// The line that makes a unit wait until everything it applies is ready.
    fn gate_line(&self, _unit: &UnitId) -> Option<&'static str> {
        None
    }

    /// The change to a unit's file that adds that line.
    fn write_gate(&self, _document: &Node, _text: &str) -> Option<LineChange> {
        None
    }

    /// A new unit, written in the style of its neighbour.
    fn write_unit(&self, _beside: &Node, _text: &str, _new: &NewUnit<'_>) -> Option<String> {
        None
    }

    /// The seconds after which a unit checks again whether its dependencies are ready, by the defaults of its
    /// controller.
    fn requeue(&self, _unit: &UnitId) -> Option<u64> {
        None
    }

    /// When a unit that failed is tried again, if nothing retries it by itself.
    fn retry_advice(&self, _unit: &UnitId, _refusal: Refusal) -> Option<&'static str> {
        None
    }

    /// How to fix the order of a unit.
    fn advice(&self, _unit: &UnitId, _advice: Advice<'_>) -> Option<String> {
        None
    }
}

/// Tool-specific advice that an ordering fix asks for.
#[derive(Debug, Clone, Copy)]
pub enum Advice<'a> {
    /// How others can wait until this unit is ready.
    Gate,
    /// Why this unit, of that name, counts as ready too early.
    Weakness(&'a str),
    /// How it comes after the unit of that name.
    After(&'a str),
    /// How one of its objects comes after the workloads of the same unit.
    Within,
    /// How to handle a custom resource that blocks the unit of that name.
    Apart(&'a str),
}

/// Why the API server refuses an object that comes too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It does not know the kind yet.
    Kind,
    /// The webhook that admits it does not answer yet.
    Webhook,
}

/// Lines that take the place of others; where `count` is 0, they go before the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineChange {
    pub first: u32,
    pub count: u32,
    pub text: String,
}

/// A unit that is to be written.
pub struct NewUnit<'a> {
    pub name: &'a str,
    pub directory: &'a str,
    pub depends_on: &'a str,
}

/// Action that a person on call takes on a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Keep the reconciler from touching it.
    Suspend,
    Resume,
}

/// How a command line names a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameInTool {
    /// By this word for its kind, its name and its namespace: `flux get kustomization web -n apps`.
    Kind(String),
    /// By this name alone: `argocd app get web`.
    Name(String),
}

fn operators() -> impl Iterator<Item = &'static dyn Operate> {
    SOURCES.iter().filter_map(|source| source.operate)
}

/// The command that suspends or resumes a unit; none if there is nothing to do.
pub fn command(unit: &UnitId, sync_policy: SyncPolicy, verb: Verb) -> Option<String> {
    operators().find_map(|source| source.command(unit, sync_policy, verb))
}

/// The kinds of units that people know by name.
pub fn unit_kinds() -> impl Iterator<Item = &'static str> {
    operators().flat_map(|source| source.unit_kinds()).copied()
}

/// How the command line of its tool names a unit.
pub fn name_in_tool(unit: &UnitId) -> Option<NameInTool> {
    operators().find_map(|source| source.name_in_tool(unit))
}

/// Whether a unit itself is what people look at when its release fails, not the unit that creates it.
pub fn answers_for_release(unit: &UnitId) -> bool {
    operators().any(|source| source.answers_for_release(unit))
}

/// The line that makes a unit wait until everything it applies is ready.
pub fn gate(unit: &UnitId) -> Option<&'static str> {
    operators().find_map(|source| source.gate_line(unit))
}

/// The change to a unit's file that makes it wait until everything it applies is ready.
pub fn write_gate(document: &Node, text: &str) -> Option<LineChange> {
    operators().find_map(|source| source.write_gate(document, text))
}

/// A new unit, written in the style of its neighbour.
pub fn write_unit(beside: &Node, text: &str, new: &NewUnit<'_>) -> Option<String> {
    operators().find_map(|source| source.write_unit(beside, text, new))
}

/// The seconds after which a unit checks again whether its dependencies are ready.
pub fn requeue(unit: &UnitId) -> u64 {
    operators()
        .find_map(|source| source.requeue(unit))
        .unwrap_or(0)
}

/// When a unit that failed is tried again, if nothing retries it by itself.
pub fn retry_advice(unit: &UnitId, refusal: Refusal) -> Option<&'static str> {
    operators().find_map(|source| source.retry_advice(unit, refusal))
}

/// How to fix the order of a unit, in the terms of its tool.
pub fn advice(unit: &UnitId, advice: Advice<'_>) -> Option<String> {
    operators().find_map(|source| source.advice(unit, advice))
}
