//! Findings for editors and `grep`: one line each, `path:line:column: severity[rule] message`.

use std::fmt::Write;

use super::Report;
use system::terminal::plain;

pub fn concise(report: &Report<'_>) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        let place = match report.path(finding.place.file) {
            Some(path) => {
                let (line, column) = (finding.place.line, finding.place.column);
                format!("{}:{line}:{column}", plain(&path))
            }
            // About the repository as a whole.
            None => ".".to_owned(),
        };
        let message = plain(&finding.message);
        let _ = writeln!(
            text,
            "{place}: {}[{}] {message}",
            finding.severity, finding.rule
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::fix::Fixes;
    use crate::input::config::Config;
    use crate::input::repo::Repo;
    use base::{FileId, Finding, Place};

    #[test]
    fn a_finding_is_one_line_whatever_its_message_contains() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("a.yaml"), "a: 1\n").unwrap();
        let repo = Repo::open(directory.path(), &[]).unwrap();
        let in_file = Finding::error("yaml-syntax", Place::start_of(FileId(0)), "bad\n\x1b[2J");
        let nowhere = Finding::info("file-binary", Place::start_of(FileId::NONE), "x");
        let report = Report {
            repo: &repo,
            config: &Config::default(),
            findings: vec![&in_file, &nowhere],
            fixes: Fixes::default(),
            allowed: &[],
            unseen: None,
            fail_on: None,
        };
        assert_eq!(
            concise(&report),
            "a.yaml:1:1: error[yaml-syntax] bad ␛[2J\n.: info[file-binary] x\n"
        );
    }
}
