//! Joins findings of one rule that have one cause: the first is reported, and the others become its notes.

use super::identity;
use crate::checks::wording;
use base::hash::HashMap;
use base::{Finding, Place, Remedy, RemedyKind, Severity};

/// One finding per cause. Findings without a stated cause stay as they are.
pub fn by_cause(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort();
    let mut grouped: Vec<(Finding, Vec<Finding>)> = Vec::with_capacity(findings.len());
    let mut known: HashMap<(&'static str, Severity, String), usize> = HashMap::default();
    for finding in findings {
        let Some(cause) = finding.get_cause() else {
            grouped.push((finding, Vec::new()));
            continue;
        };
        let key = (finding.rule, finding.severity, cause.to_owned());
        match known.get(&key) {
            Some(at) if can_join(&grouped[*at].0, &finding) => grouped[*at].1.push(finding),
            Some(_) => grouped.push((finding, Vec::new())),
            None => {
                known.insert(key, grouped.len());
                grouped.push((finding, Vec::new()));
            }
        }
    }
    let joined = grouped.into_iter();
    joined.map(|(first, others)| join(first, others)).collect()
}

/// Whether one fix can stand for both.
fn can_join(first: &Finding, other: &Finding) -> bool {
    let gates = |finding: &Finding| {
        let kind = finding.remedy().map(|remedy| &remedy.kind);
        matches!(kind, None | Some(RemedyKind::AddGates(_)))
    };
    first.remedy() == other.remedy() || gates(first) && gates(other)
}

fn join(mut first: Finding, others: Vec<Finding>) -> Finding {
    if others.is_empty() {
        return first;
    }
    let mut concerned: Vec<String> = first.concerned().map(str::to_owned).collect();
    for other in &others {
        concerned.extend(other.concerned().map(str::to_owned));
    }
    concerned.sort();
    concerned.dedup();
    let own = (first.place, identity::of_message(&first));
    if first.covered().is_empty() {
        first = first.covers(own.0, own.1);
    }
    for other in &others {
        for (place, name) in other.covered() {
            first = first.covers(*place, name);
        }
        if other.covered().is_empty() {
            first = first.covers(other.place, identity::of_message(other));
        }
    }
    for other in wording::some(&others) {
        let known = first.notes().iter();
        let is_known = |(place, _): &(Place, String)| *place == other.place;
        if first.place != other.place && known.into_iter().any(is_known) {
            continue;
        }
        first = first.note(other.place, other.message.clone());
    }
    if let [_, _, ..] = concerned.as_slice() {
        first.component = None;
        first.set_concerned(concerned);
    }
    let remedy = all_gates(&first, &others).or_else(|| first.remedy().cloned());
    first.fix(remedy)
}

/// The gates that any of the findings asks for.
fn all_gates(first: &Finding, others: &[Finding]) -> Option<Remedy> {
    let mut gates: Vec<Place> = Vec::new();
    let mut title = None;
    for finding in std::iter::once(first).chain(others) {
        let remedy = finding.remedy()?;
        let RemedyKind::AddGates(places) = &remedy.kind else {
            return None;
        };
        title.get_or_insert_with(|| remedy.title.clone());
        gates.extend(places);
    }
    gates.sort();
    gates.dedup();
    Some(Remedy {
        title: title?,
        kind: RemedyKind::AddGates(gates),
    })
}
