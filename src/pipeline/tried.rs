//! Tries fixes of ordering problems before anybody is offered them: reads the repo as it would be, simulates the bootstrap
//! of its clusters, and drops fixes after which more units never start or race.

use std::collections::BTreeMap;

use super::composed;
use crate::checks::fix::{self, Fixes};
use crate::checks::rehearse::{Cause, Rehearsal, rehearse};
use crate::checks::triage::Findings;
use crate::checks::wording;
use crate::input::config::Config;
use crate::input::repo::Repo;
use base::{Finding, Remedy};

/// How many sets of fixes are tried, as each takes as long as reading the repo. The rest is not offered.
const MAX_TRIALS: usize = 8;

/// Drops the fixes that make the start of a cluster worse. `before` is the bootstrap without them.
pub fn drop_worse(repo: &Repo, config: &Config, before: &[Rehearsal], findings: &mut Findings) {
    let allowed = findings.allowed.iter().map(|allowed| &allowed.finding);
    let shown = findings.open.iter().chain(allowed);
    let with_fix: Vec<&Finding> = shown.filter(|finding| is_of_order(finding)).collect();
    let tried = tried(repo, config, before, &with_fix);
    let allowed = findings.allowed.iter_mut();
    let allowed = allowed.map(|allowed| &mut allowed.finding);
    for finding in findings.open.iter_mut().chain(allowed) {
        let remedy = finding.remedy().filter(|remedy| remedy.kind.is_of_order());
        let Some(outcome) = remedy.and_then(|remedy| tried.get(remedy)) else {
            continue;
        };
        if let TrialOutcome::Worse(unit) = outcome
            && let Some(help) = finding.help.take()
        {
            finding.help = Some(format!(
                "{help}; in the rehearsal, this alone delays or stops {unit}, so change what that waits for first"
            ));
        }
        if *outcome != TrialOutcome::Good {
            finding.drop_fix();
        }
    }
}

fn is_of_order(finding: &Finding) -> bool {
    let remedy = finding.remedy();
    remedy.is_some_and(|remedy| remedy.kind.is_of_order())
}

/// What comes of a fix.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TrialOutcome {
    Good,
    /// This unit never starts or races, and did not before.
    Worse(String),
    Untried,
}

/// What comes of each remedy: all are good if they are together, else as many as are.
fn tried(
    repo: &Repo,
    config: &Config,
    before: &[Rehearsal],
    with_fix: &[&Finding],
) -> BTreeMap<Remedy, TrialOutcome> {
    let fixes = Fixes::work_out(repo, with_fix.iter().copied());
    let outcome = |findings: &[&Finding]| {
        let fixes: Vec<_> = findings.iter().filter_map(|one| fixes.get(one)).collect();
        let contents = fix::plan(repo, &fixes).contents();
        if contents.is_empty() {
            return TrialOutcome::Good;
        }
        // In a commit, nothing is fixed.
        let Some(changed) = repo.with_changes(&contents) else {
            return TrialOutcome::Good;
        };
        let composed = composed(&changed, config);
        let context = composed.check_context(&changed, config);
        let worse = worse(before, &rehearse(&context, &[]));
        worse.map_or(TrialOutcome::Good, TrialOutcome::Worse)
    };
    let mut different: Vec<&Finding> = Vec::new();
    for finding in with_fix {
        if different.iter().all(|one| one.remedy() != finding.remedy()) {
            different.push(finding);
        }
    }
    let all = outcome(&different);
    let is_one = different.len() < 2;
    let mut good: Vec<&Finding> = Vec::new();
    let each = different.into_iter().enumerate();
    let each = each.filter_map(|(nth, finding)| {
        let outcome = if all == TrialOutcome::Good || is_one {
            all.clone()
        } else if nth + 1 < MAX_TRIALS {
            good.push(finding);
            let outcome = outcome(&good);
            if outcome != TrialOutcome::Good {
                good.pop();
            }
            outcome
        } else {
            TrialOutcome::Untried
        };
        Some((finding.remedy()?.clone(), outcome))
    });
    each.collect()
}

/// A unit that never starts or races, and did not before.
fn worse(before: &[Rehearsal], after: &[Rehearsal]) -> Option<String> {
    before.iter().find_map(|before| {
        let mut same = after
            .iter()
            .filter(|after| (&after.cluster, &after.root) == (&before.cluster, &before.root));
        let Some(after) = same.next() else {
            return Some(format!("all of `{}`", before.cluster));
        };
        let (before, after) = (fates(before), fates(after));
        let lost = before.keys().find(|unit| !after.contains_key(*unit));
        let fate = |unit: &UnitName<'_>| before.get(unit).copied().unwrap_or(Fate::Starts);
        let mut after = after.iter();
        let worse = after.find(|(unit, now)| **now > fate(unit));
        let (kind, _, name) = lost.or(worse.map(|(unit, _)| unit))?;
        Some(format!("{} `{name}`", wording::in_words(kind)))
    })
}

/// A unit by kind, namespace and name.
type UnitName<'r> = (&'r str, &'r str, &'r str);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    Starts,
    Races,
    NeverStarts,
}

fn fates(rehearsal: &Rehearsal) -> BTreeMap<UnitName<'_>, Fate> {
    let started = rehearsal.waves.iter().flatten().map(|unit| {
        let name = (&*unit.kind, &*unit.namespace, &*unit.name);
        let fate = if unit.races.is_empty() {
            Fate::Starts
        } else {
            Fate::Races
        };
        (name, fate)
    });
    let stuck = rehearsal.stuck.iter().map(|unit| {
        let name = (&*unit.kind, &*unit.namespace, &*unit.name);
        let fate = if unit.cause == Cause::Wanted {
            Fate::Starts
        } else {
            Fate::NeverStarts
        };
        (name, fate)
    });
    started.chain(stuck).collect()
}
