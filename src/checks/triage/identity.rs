//! By what a finding is known again in another version of the repo: its rule, its file, and the objects that it is about.
//! Lines and counts change when others do, so they are left out.

use sha2::{Digest, Sha256};

use crate::input::repo::Repo;
use base::{FileId, Finding, Place};

/// One thing that a finding is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    pub rule: String,
    /// None if it is in no file.
    pub path: Option<String>,
    pub fingerprint: String,
}

/// All things that a finding is about; the message stands for them if they are not named one by one.
pub fn identities(repo: &Repo, finding: &Finding) -> Vec<Identity> {
    let one = |place: Place, name: &str| Identity {
        rule: finding.rule.to_owned(),
        path: (place.file != FileId::NONE).then(|| repo.path(place.file).to_string()),
        fingerprint: hash(repo, finding.rule, place, name),
    };
    if finding.covered().is_empty() {
        return vec![one(finding.place, &of_message(finding))];
    }
    let covered = finding.covered().iter();
    let mut all: Vec<Identity> = covered.map(|(place, name)| one(*place, name)).collect();
    all.sort();
    all.dedup();
    all
}

/// 16 hex digits by which a finding is known again, on whichever line it stands.
pub fn fingerprint(repo: &Repo, finding: &Finding) -> String {
    hash(repo, finding.rule, finding.place, &of_message(finding))
}

fn hash(repo: &Repo, rule: &str, place: Place, name: &str) -> String {
    let mut hasher = Sha256::new();
    for part in [rule, repo.path(place.file).as_str(), name] {
        hasher.update(part);
        hasher.update([0]);
    }
    base::text::hex(&hasher.finalize()[..8])
}

/// The message without the lines, columns and counts in it.
pub fn of_message(finding: &Finding) -> String {
    without_numbers(&finding.message)
}

/// A message without the lines, columns and counts that it names.
pub fn without_numbers(message: &str) -> String {
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
        let is_count =
            (text.is_empty() || text.ends_with(' ')) && number[digits..].starts_with(' ');
        text += if is_count || is_line && !is_version {
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

    #[test]
    fn versions_stay_and_lines_and_counts_do_not() {
        assert_eq!(
            without_numbers("x at a.yaml:14 line 3, 5 more"),
            "x at a.yaml:N line N, N more"
        );
        assert_eq!(
            without_numbers("4 releases run image web:1.2.3 at line 7."),
            "N releases run image web:1.2.3 at line N."
        );
    }
}
