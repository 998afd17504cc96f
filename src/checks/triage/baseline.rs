//! A baseline: the findings that existed when somebody began to check, so that only new ones fail. Findings are matched
//! by rule, file and message, not by line.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::Selection;
use crate::input::repo::Repo;
use base::{FileId, Finding};

/// Known findings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// The version of this format.
    version: u32,
    /// Sorted, to keep diffs small.
    findings: Vec<Known>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
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

const VERSION: u32 = 1;

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
        let mut counts: BTreeMap<(String, Option<String>, String), usize> = BTreeMap::new();
        for finding in findings {
            *counts.entry(key(repo, finding)).or_default() += 1;
        }
        let known = counts
            .into_iter()
            .map(|((rule, path, fingerprint), count)| Known {
                rule,
                path,
                fingerprint,
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
        let mut left: BTreeMap<(String, Option<String>, String), usize> = BTreeMap::new();
        for known in &self.findings {
            let key = (
                known.rule.clone(),
                known.path.clone(),
                known.fingerprint.clone(),
            );
            *left.entry(key).or_default() += known.count;
        }
        let all = findings.len();
        let is_new = |finding: &&Finding| match left.get_mut(&key(repo, finding)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        };
        let new: Vec<&Finding> = findings.into_iter().filter(is_new).collect();
        let gone = left.iter().filter(|((rule, path, _), _)| {
            selection
                .takes_known(repo, rule, path.as_deref())
                .unwrap_or(false)
        });
        let gone = gone.map(|(_, count)| count).sum();
        let known = all - new.len();
        (new, known, gone)
    }
}

fn key(repo: &Repo, finding: &Finding) -> (String, Option<String>, String) {
    let somewhere = finding.place.file != FileId::NONE;
    let path = somewhere.then(|| repo.path(finding.place.file).to_string());
    (finding.rule.to_owned(), path, fingerprint(repo, finding))
}

/// 16 hex digits by which a finding is known again, on whichever line it stands.
pub fn fingerprint(repo: &Repo, finding: &Finding) -> String {
    let mut hasher = Sha256::new();
    for part in [
        finding.rule,
        repo.path(finding.place.file).as_str(),
        &without_lines(&finding.message),
    ] {
        hasher.update(part);
        hasher.update([0]);
    }
    base::text::hex(&hasher.finalize()[..8])
}

/// A message without the lines and columns that it names.
pub fn without_lines(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(at);
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        text += before;
        let is_line = ["line ", "lines ", "column ", ":"]
            .iter()
            .any(|word| before.ends_with(word));
        // The version of an image stands behind a colon too, and has dots in it.
        let is_version = number[digits..].starts_with('.')
            && number
                .as_bytes()
                .get(digits + 1)
                .is_some_and(u8::is_ascii_alphanumeric);
        text += if is_line && !is_version {
            "N"
        } else {
            &number[..digits]
        };
        rest = &number[digits..];
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Place;

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
    fn versions_and_counts_stay_in_a_fingerprint_and_lines_do_not() {
        assert_eq!(
            without_lines("x at a.yaml:14 line 3, 5 more"),
            "x at a.yaml:N line N, 5 more"
        );
        assert_eq!(
            without_lines("image web:1.2.3 at line 7."),
            "image web:1.2.3 at line N."
        );
    }

    #[test]
    fn what_is_no_baseline_is_refused() {
        assert!(Baseline::parse("[]").is_err());
        assert!(Baseline::parse("{\"version\": 2, \"findings\": []}").is_err());
    }
}
