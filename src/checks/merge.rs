//! Merges findings that several clusters have in common.

use super::wording;
use base::Finding;

/// How many findings at the same place a new one is compared with.
const MAX_BESIDE: usize = 16;

/// Reports a finding of several clusters once, with the places of all of them. One object may have a different name or
/// namespace in each cluster; its place is the same.
pub fn merged(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort();
    let mut merged: Vec<Reported> = Vec::with_capacity(findings.len());
    for finding in findings {
        let beside = merged.iter_mut().rev().take(MAX_BESIDE);
        let mut beside = beside.take_while(|reported| reported.first.place == finding.place);
        match beside.find(|reported| is_same(&reported.first, &finding)) {
            Some(reported) => reported.add(&finding),
            None => merged.push(Reported {
                first: finding,
                others: Vec::new(),
            }),
        }
    }
    merged.into_iter().map(Reported::finish).collect()
}

/// A finding, and further objects that it applies to.
struct Reported {
    first: Finding,
    others: Vec<String>,
}

impl Reported {
    fn add(&mut self, finding: &Finding) {
        for (place, note) in finding.notes() {
            if !self.first.notes().iter().any(|(other, _)| other == place) {
                self.first = self.first.clone().note(*place, note.clone());
            }
        }
        let subject = finding.subject().unwrap_or_default();
        let is_known = finding.message == self.first.message;
        if !is_known && !self.others.iter().any(|other| other == subject) {
            self.others.push(subject.to_owned());
        }
    }

    fn finish(self) -> Finding {
        let mut finding = self.first;
        if !self.others.is_empty() {
            let others = wording::listed(&self.others);
            finding.message = format!("{}; the same applies to {others}", finding.message);
        }
        finding
    }
}

fn is_same(one: &Finding, other: &Finding) -> bool {
    one.rule == other.rule
        && one.place == other.place
        && one.severity == other.severity
        && (one.message == other.message
            || without_subject(one).is_some_and(|said| Some(said) == without_subject(other)))
}

/// The message before and after the object that it is about. Messages name that object only once.
fn without_subject(finding: &Finding) -> Option<(&str, &str)> {
    finding.message.split_once(finding.subject()?)
}
