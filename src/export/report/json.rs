//! Findings in the shape of `service-catalog.json`, with paths from the root of the git work tree.

use serde::Serialize;

use super::Report;
use crate::export::service_catalog::{FindingDoc, finding_doc};

#[derive(Serialize)]
struct FindingsDoc<'a> {
    findings: Vec<FindingDoc<'a>>,
}

pub fn json(report: &Report<'_>) -> String {
    let findings = report.findings.iter();
    let findings = FindingsDoc {
        findings: findings
            .map(|finding| finding_doc(report.repo, finding, &report.fixes, report.prefix()))
            .collect(),
    };
    let text = serde_json::to_string_pretty(&findings).expect("texts and numbers are JSON");
    text + "\n"
}
