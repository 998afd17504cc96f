//! Findings as a Code Quality report, which GitLab shows in merge requests.
//! The format is a subset of Code Climate's: https://docs.gitlab.com/ci/testing/code_quality/

use serde::Serialize;

use super::Report;
use super::fingerprint::Fingerprints;
use base::Severity;

#[derive(Serialize)]
struct Issue<'a> {
    description: String,
    check_name: &'a str,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: LineRange,
}

#[derive(Serialize)]
struct LineRange {
    begin: u32,
}

pub fn gitlab(report: &Report<'_>) -> String {
    let mut fingerprints = Fingerprints::new(report.repo);
    let mut issues = Vec::with_capacity(report.findings.len());
    for finding in &report.findings {
        // GitLab requires a path. A finding about the repository as a whole gets its root.
        let path = report.path(finding.place.file);
        issues.push(Issue {
            description: match &finding.help {
                Some(help) => format!("{} (help: {help})", finding.message),
                None => finding.message.clone(),
            },
            check_name: finding.rule,
            fingerprint: fingerprints.next(finding),
            severity: severity(finding.severity),
            location: Location {
                path: path.unwrap_or_else(|| ".".to_owned()),
                lines: LineRange {
                    begin: finding.place.line.max(1),
                },
            },
        });
    }
    let text = serde_json::to_string_pretty(&issues).expect("texts and numbers are JSON");
    text + "\n"
}

/// GitLab also has `minor` and `blocker`.
fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "critical",
        Severity::Warning => "major",
        Severity::Info => "info",
    }
}
