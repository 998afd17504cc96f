//! A baseline: the findings that existed when somebody began to check, so that only new ones fail. Findings are matched
//! by rule, file and object (`identity`), not by line or by how many there are: an improvement never makes one new.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Selection;
use super::identity::{Identity, identities};
use crate::input::repo::Repo;
use base::Finding;

/// Known findings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// The version of this format.
    version: u32,
    /// Sorted, to keep diffs small.
    findings: Vec<AcceptedFinding>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AcceptedFinding {
    rule: String,
    /// None for a finding that concerns no single file.
    path: Option<String>,
    fingerprint: String,
    /// Number of equal findings.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    count: usize,
}

#[derive(Debug, Error)]
pub enum BaselineError {
    #[error("not a baseline file")]
    Form(#[from] serde_json::Error),
    #[error(
        "it has version {0}, but only version {VERSION} is supported; write it again with --write-baseline"
    )]
    Version(u32),
}

const VERSION: u32 = 2;

fn once() -> usize {
    1
}

fn is_once(count: &usize) -> bool {
    *count == 1
}

impl Baseline {
    pub fn from_findings<'a>(
        repo: &Repo,
        findings: impl IntoIterator<Item = &'a Finding>,
    ) -> Baseline {
        let mut counts: BTreeMap<Identity, usize> = BTreeMap::new();
        for finding in findings {
            for identity in identities(repo, finding) {
                *counts.entry(identity).or_default() += 1;
            }
        }
        let known = counts.into_iter().map(|(identity, count)| AcceptedFinding {
            rule: identity.rule,
            path: identity.path,
            fingerprint: identity.fingerprint,
            count,
        });
        Baseline {
            version: VERSION,
            findings: known.collect(),
        }
    }

    pub fn parse(text: &str) -> Result<Baseline, BaselineError> {
        let baseline: Baseline = serde_json::from_str(text)?;
        match baseline.version {
            VERSION => Ok(baseline),
            other => Err(BaselineError::Version(other)),
        }
    }

    pub fn to_text(&self) -> String {
        let text = serde_json::to_string_pretty(self).expect("names and numbers are JSON");
        text + "\n"
    }

    /// Removes known findings. Returns the rest, the number of known findings, and the number of selected ones that
    /// are gone.
    pub fn compare<'a>(
        &self,
        repo: &Repo,
        selection: &Selection,
        findings: Vec<&'a Finding>,
    ) -> (Vec<&'a Finding>, usize, usize) {
        let mut left = self.counts();
        let all = findings.len();
        let is_new = |finding: &&Finding| {
            let found = identities(repo, finding);
            let mut known = 0;
            for identity in &found {
                if let Some(count) = left.get_mut(identity).filter(|count| **count > 0) {
                    *count -= 1;
                    known += 1;
                }
            }
            known < found.len()
        };
        let new: Vec<&Finding> = findings.into_iter().filter(is_new).collect();
        let gone = left.iter().filter(|(known, _)| {
            selection
                .takes_known(repo, &known.rule, known.path.as_deref())
                .unwrap_or(false)
        });
        let gone = gone.map(|(_, count)| count).sum();
        let known = all - new.len();
        (new, known, gone)
    }

    /// The findings of which nothing is known here.
    pub fn unknown<'a>(&self, repo: &Repo, findings: &'a [Finding]) -> Vec<&'a Finding> {
        let mut left = self.counts();
        let is_unknown = |finding: &&Finding| {
            let mut known = 0;
            for identity in identities(repo, finding) {
                if let Some(count) = left.get_mut(&identity).filter(|count| **count > 0) {
                    *count -= 1;
                    known += 1;
                }
            }
            known == 0
        };
        findings.iter().filter(is_unknown).collect()
    }

    fn counts(&self) -> BTreeMap<Identity, usize> {
        let mut counts: BTreeMap<Identity, usize> = BTreeMap::new();
        for known in &self.findings {
            let identity = Identity {
                rule: known.rule.clone(),
                path: known.path.clone(),
                fingerprint: known.fingerprint.clone(),
            };
            *counts.entry(identity).or_default() += known.count;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{FileId, Place};

    fn repo() -> (tempfile::TempDir, Repo) {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("a.yaml"), "a: 1\n").unwrap();
        let repo = Repo::open(directory.path(), &[]).unwrap();
        (directory, repo)
    }

    fn finding(line: u32, message: &str) -> Finding {
        let place = Place {
            line,
            ..Place::start_of(FileId(0))
        };
        Finding::error("yaml-syntax", place, message)
    }

    #[test]
    fn a_finding_is_known_again_on_another_line() {
        let (_directory, repo) = repo();
        let before = [
            finding(1, "set at line 3"),
            finding(2, "twice"),
            finding(3, "twice"),
            finding(4, "gone"),
        ];
        let baseline = Baseline::from_findings(&repo, &before);
        let text = baseline.to_text();
        assert!(
            text.contains("\"count\": 2") && text.ends_with("}\n"),
            "{text}"
        );
        let baseline = Baseline::parse(&text).unwrap();
        let now = [
            finding(9, "set at line 12"),
            finding(10, "twice"),
            finding(11, "twice"),
            finding(12, "twice"),
            finding(13, "new"),
        ];
        let (new, known, gone) =
            baseline.compare(&repo, &Selection::default(), now.iter().collect());
        let new: Vec<u32> = new.iter().map(|finding| finding.place.line).collect();
        assert_eq!((new, known, gone), (vec![12, 13], 3, 1));
    }

    #[test]
    fn fewer_of_what_one_finding_names_are_no_new_finding() {
        let (_directory, repo) = repo();
        let covering = |names: &[&str]| {
            let message = format!("`{}` and {} more", names[0], names.len() - 1);
            let one = finding(1, &message);
            let place = one.place;
            let each = names.iter();
            each.fold(one, |finding, name| finding.covers(place, name))
        };
        let baseline = Baseline::from_findings(&repo, &[covering(&["a", "b", "c"])]);
        let compare = |now: &Finding| {
            let (new, known, gone) = baseline.compare(&repo, &Selection::default(), vec![now]);
            (new.len(), known, gone)
        };
        assert_eq!(compare(&covering(&["b", "c"])), (0, 1, 1));
        assert_eq!(compare(&covering(&["b", "c", "d"])), (1, 0, 1));
        let left = [covering(&["b", "d"])];
        assert!(baseline.unknown(&repo, &left).is_empty());
    }

    #[test]
    fn what_is_no_baseline_is_refused() {
        assert!(Baseline::parse("[]").is_err());
        assert!(Baseline::parse("{\"version\": 1, \"findings\": []}").is_err());
    }
}
