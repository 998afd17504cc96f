//! Simulates a bootstrap: the wave in which each unit starts, its waits and races, and the units that never start.
//! Uses only the startup order that checks use.

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
    pub critical_path: Vec<CriticalStep>,
    /// Maximum number of seconds spent waiting, excluding the time to apply and install.
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
    /// Maximum number of seconds spent waiting before it is applied.
    pub after: u64,
    /// Races in which it may be applied too early.
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
    /// It declares the dependency.
    DependsOn,
    /// The other unit creates it.
    CreatedBy,
    /// Its health gate covers the other unit.
    Gate,
    /// It failed and retried until the other unit was there.
    Retry,
}

/// Objects that may be applied before their CRD or webhook is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Race {
    /// Error message of the API server in that case.
    pub message: String,
    /// The unit that provides the CRD or webhook.
    pub provider: String,
    /// Seconds until the next retry; null if not stated.
    pub retry: Option<u64>,
    /// Advice on retrying a unit that is not reconciled on a schedule.
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
    /// Error message of the API server or the controller.
    pub message: Option<String>,
    /// Whether it is stuck on purpose.
    pub cause: Cause,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// It fails on its own.
    Fails,
    /// It is suspended, or left out of this rehearsal.
    Wanted,
    /// It waits for a unit that never starts.
    Waits,
}

/// A step of the critical path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CriticalStep {
    pub name: String,
    /// The reason for its last wait.
    pub why: Option<Why>,
    /// Maximum number of seconds of that wait.
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
