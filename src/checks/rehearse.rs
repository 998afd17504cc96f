//! A start from nothing, simulated: which unit starts in which wave, what it waits for, where it races and what never
//! starts. Looks at the order that checks look at, and at nothing else.

mod diagram;
mod play;
mod text;

use serde::Serialize;

use crate::checks::CheckContext;
use crate::facts::UnitId;

pub use diagram::diagram;
pub use text::text;

/// How one cluster starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rehearsal {
    pub cluster: String,
    pub root: String,
    /// Units by the wave in which they are applied; each waits only for earlier ones.
    pub waves: Vec<Vec<StartedUnit>>,
    /// Units that never start, those that others wait for first.
    pub stuck: Vec<Stuck>,
    /// The units that the last one to be ready waits for, one after the other.
    pub critical_path: Vec<Link>,
    /// At most so many seconds are spent waiting, besides what applying and installing take.
    pub waiting: u64,
}

/// A unit that starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StartedUnit {
    pub kind: String,
    pub namespace: String,
    pub name: String,
    pub file: String,
    pub line: u32,
    /// The units that it waits for: dependencies, and the one that creates it.
    pub waits_for: Vec<Wait>,
    /// At most so many seconds of waiting have passed when it is applied.
    pub after: u64,
    /// What it may come too early for.
    pub races: Vec<Race>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Wait {
    pub name: String,
    pub why: Why,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// It states the dependency.
    DependsOn,
    /// The other creates it.
    CreatedBy,
    /// Its gate looks at the other.
    Gate,
    /// It failed until the other was there.
    Retry,
}

/// Objects that may be applied before what they need is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Race {
    /// What the API server says then.
    pub message: String,
    /// The unit that brings what they need.
    pub provider: String,
    /// After so many seconds, it is tried again; null when that is not stated.
    pub retry: Option<u64>,
    /// When it is tried again, for one that no clock makes run.
    #[serde(skip)]
    pub retry_advice: Option<&'static str>,
}

/// A unit that never starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stuck {
    pub kind: String,
    pub namespace: String,
    pub name: String,
    pub file: String,
    pub line: u32,
    pub reason: String,
    /// What the API server or the controller says.
    pub message: Option<String>,
    /// Whether it is so on purpose.
    pub cause: Cause,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// It fails by itself.
    Fails,
    /// It is suspended, or left out of this rehearsal.
    Wanted,
    /// It waits for one that never starts.
    Waits,
}

/// A step of the critical path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Link {
    pub name: String,
    /// What it waited for last.
    pub why: Option<Why>,
    /// At most so many seconds it waited for that.
    pub waited: u64,
}

/// Rehearses the start of every cluster, without some units.
pub fn rehearse(context: &CheckContext<'_>, without: &[UnitId]) -> Vec<Rehearsal> {
    let orders = context.orders.iter();
    orders
        .map(|order| play::play(context.repo, order, without))
        .collect()
}

impl Rehearsal {
    pub fn completes(&self) -> bool {
        self.never() == 0
    }

    /// How many units never start, other than those that are not meant to.
    pub fn never(&self) -> usize {
        let stuck = self.stuck.iter();
        stuck.filter(|stuck| stuck.cause != Cause::Wanted).count()
    }
}
