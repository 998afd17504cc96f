//! Findings as SARIF 2.1.0, for code scanning. Written as plain JSON, and held to the schema by a test.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Report;
use crate::check;
use crate::diagnostic::{Edit, FileId, Finding, Fix, Place, Rule, Severity};
use crate::mend;
use crate::triage::{By, fingerprint};

pub fn sarif(report: &Report<'_>) -> String {
    let allowed = report.allowed.iter().map(|allowed| &allowed.finding);
    let told: Vec<&Finding> = report.findings.iter().copied().chain(allowed).collect();
    let rules = check::rules().into_iter();
    let rules: Vec<&Rule> = rules
        .filter(|rule| told.iter().any(|finding| finding.rule == rule.name))
        .collect();
    let mut writer = Writer {
        report,
        positions: rules
            .iter()
            .enumerate()
            .map(|(at, rule)| (rule.name, at))
            .collect(),
        seen: BTreeMap::new(),
    };
    let mut results: Vec<Value> = Vec::new();
    for finding in &report.findings {
        results.push(writer.result(finding));
    }
    for allowed in report.allowed {
        let mut result = writer.result(&allowed.finding);
        let kind = match allowed.by {
            By::Comment => "inSource",
            By::Config => "external",
        };
        result["suppressions"] =
            json!([{ "kind": kind, "status": "accepted", "justification": allowed.reason }]);
        results.push(result);
    }
    let log = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "catalog",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(|rule| writer.rule(rule)).collect::<Vec<_>>(),
            }},
            "originalUriBaseIds": { ROOT: { "description": { "text": "The root of the work tree." } } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    let text = serde_json::to_string_pretty(&log).expect("texts and numbers are JSON");
    text + "\n"
}

const ROOT: &str = "%SRCROOT%";

struct Writer<'a> {
    report: &'a Report<'a>,
    /// Where each rule stands in the list of them.
    positions: BTreeMap<&'static str, usize>,
    /// How often each fingerprint was given.
    seen: BTreeMap<String, usize>,
}

impl Writer<'_> {
    fn rule(&self, rule: &Rule) -> Value {
        let mut value = json!({
            "id": rule.name,
            "shortDescription": { "text": rule.summary },
            "help": { "text": rule.about, "markdown": rule.about },
            "defaultConfiguration": { "level": level(rule.severity) },
        });
        if let Some(address) = self.report.address(rule.name) {
            value["helpUri"] = json!(address);
        }
        value
    }

    fn result(&mut self, finding: &Finding) -> Value {
        let message = match &finding.help {
            Some(help) => format!("{}\nhelp: {help}", finding.message),
            None => finding.message.clone(),
        };
        let mut result = json!({
            "ruleId": finding.rule,
            "level": level(finding.severity),
            "message": { "text": message },
            "locations": [{ "physicalLocation": self.physical(finding.place) }],
            "partialFingerprints": { "catalog/v1": self.fingerprint(finding) },
        });
        if let Some(at) = self.positions.get(finding.rule) {
            result["ruleIndex"] = json!(at);
        }
        let notes = finding.notes().iter();
        let notes = notes.filter(|(place, _)| place.file != FileId::NONE);
        let notes: Vec<Value> = notes
            .enumerate()
            .map(|(at, (place, note))| {
                json!({ "id": at + 1, "physicalLocation": self.physical(*place), "message": { "text": note } })
            })
            .collect();
        if !notes.is_empty() {
            result["relatedLocations"] = json!(notes);
        }
        if let Some(fix) = finding.remedy().and_then(|fix| self.fix(fix)) {
            result["fixes"] = json!([fix]);
        }
        result
    }

    /// Findings that are alike are told apart by their number.
    fn fingerprint(&mut self, finding: &Finding) -> String {
        let fingerprint = fingerprint(self.report.repo, finding);
        let times = self.seen.entry(fingerprint.clone()).or_default();
        *times += 1;
        format!("{fingerprint}:{times}")
    }

    fn physical(&self, place: Place) -> Value {
        let Some(path) = self.report.path(place.file) else {
            // Those who read this want a place for everything; this is about the repository as a whole.
            return json!({ "artifactLocation": { "uri": ".", "uriBaseId": ROOT } });
        };
        let mut region =
            json!({ "startLine": place.line.max(1), "startColumn": place.column.max(1) });
        if place.len > 0 {
            region["endColumn"] = json!(u64::from(place.column.max(1)) + u64::from(place.len));
        }
        json!({ "artifactLocation": artifact(&path), "region": region })
    }

    /// A change of lines. There is no word for making or removing a file, and a secret must not be repeated.
    fn fix(&self, fix: &Fix) -> Option<Value> {
        let patch = mend::patch(self.report.repo, &[fix], self.report.prefix()).ok()?;
        if !patch.hidden.is_empty() {
            return None;
        }
        let prefix = self.report.prefix();
        let mut changes: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for edit in &fix.edits {
            let Edit::Lines {
                path,
                first,
                count,
                text,
            } = edit
            else {
                return None;
            };
            let region = json!({
                "startLine": (*first).max(1), "startColumn": 1,
                "endLine": first.saturating_add(*count).max(1), "endColumn": 1,
            });
            let text = match text.is_empty() || text.ends_with('\n') {
                true => text.clone(),
                false => format!("{text}\n"),
            };
            let replacement =
                json!({ "deletedRegion": region, "insertedContent": { "text": text } });
            changes
                .entry(format!("{prefix}{path}"))
                .or_default()
                .push(replacement);
        }
        let changes = changes.into_iter().map(|(path, replacements)| {
            json!({ "artifactLocation": artifact(&path), "replacements": replacements })
        });
        let changes: Vec<Value> = changes.collect();
        (!changes.is_empty())
            .then(|| json!({ "description": { "text": fix.title }, "artifactChanges": changes }))
    }
}

fn artifact(path: &str) -> Value {
    json!({ "uri": uri(path), "uriBaseId": ROOT })
}

/// A path as a relative reference: everything but plain letters is escaped.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(byte as char);
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}
