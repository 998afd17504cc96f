//! Findings that several clusters have in common. Touches nothing.

use super::wording;
use crate::diagnostic::Finding;

/// Of what stands in one place, as many kinds of findings as are compared.
const MAX_BESIDE: usize = 16;

/// What is found in several clusters is told once, with all the places that it is about. An object that has another name or namespace
/// in each stands in one place all the same.
pub fn merged(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort();
    let mut merged: Vec<Told> = Vec::with_capacity(findings.len());
    for finding in findings {
        let beside = merged.iter_mut().rev().take(MAX_BESIDE);
        let mut beside = beside.take_while(|told| told.first.place == finding.place);
        match beside.find(|told| is_same(&told.first, &finding)) {
            Some(told) => told.add(&finding),
            None => merged.push(Told {
                first: finding,
                others: Vec::new(),
            }),
        }
    }
    merged.into_iter().map(Told::finish).collect()
}

/// A finding, and further objects that it is true of.
struct Told {
    first: Finding,
    others: Vec<String>,
}

impl Told {
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
            finding.message = format!("{}; the same holds for {others}", finding.message);
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

/// What a finding says of its object, in two parts around it; the place of the first is enough, since messages name it once.
fn without_subject(finding: &Finding) -> Option<(&str, &str)> {
    finding.message.split_once(finding.subject()?)
}
