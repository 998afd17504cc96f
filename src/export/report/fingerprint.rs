//! Fingerprints for services that follow a finding from run to run. A finding keeps its fingerprint when its lines move.

use std::collections::BTreeMap;

use crate::checks::triage::fingerprint;
use crate::input::repo::Repo;
use base::Finding;

/// Gives each finding of a report a fingerprint of its own.
pub struct Fingerprints<'a> {
    repo: &'a Repo,
    /// How often each fingerprint was given.
    given: BTreeMap<String, usize>,
}

impl<'a> Fingerprints<'a> {
    pub fn new(repo: &'a Repo) -> Fingerprints<'a> {
        Fingerprints {
            repo,
            given: BTreeMap::new(),
        }
    }

    /// The fingerprint of the next finding. Identical findings are numbered, since services drop repeated fingerprints.
    pub fn next(&mut self, finding: &Finding) -> String {
        let fingerprint = fingerprint(self.repo, finding);
        let times = self.given.entry(fingerprint.clone()).or_default();
        *times += 1;
        format!("{fingerprint}:{times}")
    }
}
