//! Findings in the shape of `service-catalog.json`, with paths from the root of the git work tree, and what could not be
//! seen.

use serde::Serialize;

use super::Report;
use crate::checks::unseen::Unseen;
use crate::export::service_catalog::{FindingDoc, finding_doc};

#[derive(Serialize)]
struct FindingsDoc<'a> {
    findings: Vec<FindingDoc<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unseen: Option<Unseen>,
}

pub fn json(report: &Report<'_>) -> String {
    let findings = report.findings.iter();
    let findings = FindingsDoc {
        findings: findings
            .map(|finding| finding_doc(report.repo, finding, &report.fixes, report.prefix()))
            .collect(),
        unseen: report.unseen,
    };
    let text = serde_json::to_string_pretty(&findings).expect("texts and numbers are JSON");
    text + "\n"
}
