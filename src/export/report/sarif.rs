//! Findings as SARIF 2.1.0, for code scanning. Written as plain JSON; a test validates it against the schema.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Report;
use super::fingerprint::Fingerprints;
use crate::checks;
use crate::checks::fix;
use crate::checks::triage::SuppressedBy;
use crate::export::project;
use base::uri;
use base::{Edit, FileId, Finding, Fix, Place, Rule, Severity};

pub fn sarif(report: &Report<'_>) -> String {
    let allowed = report.allowed.iter().map(|allowed| &allowed.finding);
    let told: Vec<&Finding> = report.findings.iter().copied().chain(allowed).collect();
    let topics = checks::topics();
    let rules: Vec<(&Rule, &str)> = topics
        .iter()
        .flat_map(|topic| topic.rules.iter().map(|rule| (*rule, topic.title)))
        .filter(|(rule, _)| told.iter().any(|finding| finding.rule == rule.name))
        .collect();
    let mut writer = SarifWriter {
        report,
        positions: rules
            .iter()
            .enumerate()
            .map(|(at, (rule, _))| (rule.name, at))
            .collect(),
        fingerprints: Fingerprints::new(report.repo),
    };
    let mut results: Vec<Value> = Vec::new();
    for finding in &report.findings {
        results.push(writer.result(finding));
    }
    for allowed in report.allowed {
        let mut result = writer.result(&allowed.finding);
        let kind = match allowed.by {
            SuppressedBy::Comment => "inSource",
            SuppressedBy::Config => "external",
        };
        result["suppressions"] =
            json!([{ "kind": kind, "status": "accepted", "justification": allowed.reason }]);
        results.push(result);
    }
    let mut driver = json!({
        "name": "catalog",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules.iter().map(|(rule, topic)| writer.rule(rule, topic)).collect::<Vec<_>>(),
    });
    if let Some(address) = project::repository() {
        driver["informationUri"] = json!(address);
    }
    let log = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver },
            "originalUriBaseIds": { ROOT: { "description": { "text": "The root of the work tree." } } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    let text = serde_json::to_string_pretty(&log).expect("texts and numbers are JSON");
    text + "\n"
}

const ROOT: &str = "%SRCROOT%";

struct SarifWriter<'a> {
    report: &'a Report<'a>,
    /// The index of each rule in the list of rules.
    positions: BTreeMap<&'static str, usize>,
    fingerprints: Fingerprints<'a>,
}

impl SarifWriter<'_> {
    fn rule(&self, rule: &Rule, topic: &str) -> Value {
        let mut value = json!({
            "id": rule.name,
            "shortDescription": { "text": rule.summary },
            "help": { "text": rule.about, "markdown": rule.about },
            "defaultConfiguration": { "level": level(rule.severity) },
        });
        let own_site = self.report.address(rule.name);
        let in_repository = || Some(documentation(project::repository()?, rule.name));
        if let Some(address) = own_site.or_else(in_repository) {
            value["helpUri"] = json!(address);
        }
        value["properties"] = properties(rule, topic);
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
            "partialFingerprints": { "catalog/v1": self.fingerprints.next(finding) },
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
        if let Some(fix) = self.report.fixes.get(finding).and_then(|fix| self.fix(fix)) {
            result["fixes"] = json!([fix]);
        }
        result
    }

    fn physical(&self, place: Place) -> Value {
        let Some(path) = self.report.path(place.file) else {
            // Consumers require a location; this finding is about the repository as a whole.
            return json!({ "artifactLocation": { "uri": ".", "uriBaseId": ROOT } });
        };
        let mut region =
            json!({ "startLine": place.line.max(1), "startColumn": place.column.max(1) });
        if place.len > 0 {
            region["endColumn"] = json!(u64::from(place.column.max(1)) + u64::from(place.len));
        }
        json!({ "artifactLocation": artifact(&path), "region": region })
    }

    /// A fix that only changes lines. SARIF cannot create or delete files, and a secret must not be repeated.
    fn fix(&self, fix: &Fix) -> Option<Value> {
        let patch = fix::patch(self.report.repo, &[fix], self.report.prefix()).ok()?;
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
            let text = if text.is_empty() || text.ends_with('\n') {
                text.clone()
            } else {
                format!("{text}\n")
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

/// Tags to filter by and, for rules about security, the severity that code scanning shows.
fn properties(rule: &Rule, topic: &str) -> Value {
    let topic = topic.to_lowercase().replace(' ', "-");
    match &rule.security {
        Some(security) => json!({
            "tags": ["gitops", topic, "security", format!("external/cwe/cwe-{}", security.cwe)],
            "security-severity": format!("{:.1}", security.score),
        }),
        None => json!({ "tags": ["gitops", topic] }),
    }
}

/// The documentation of a rule in the published repository, as of this version.
fn documentation(repository: &str, rule: &str) -> String {
    format!("{repository}/blob/{}/docs/checks.md#{rule}", project::TAG)
}

fn artifact(path: &str) -> Value {
    json!({ "uri": uri::path(path), "uriBaseId": ROOT })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_about_security_has_a_score_and_a_weakness() {
        let secret = checks::rule("secret-in-git").unwrap();
        let expected = json!({
            "tags": ["gitops", "clusters-and-units", "security", "external/cwe/cwe-312"],
            "security-severity": "8.0",
        });
        assert_eq!(properties(secret, "Clusters and units"), expected);
        let gate = checks::rule("weak-gate").unwrap();
        assert!(properties(gate, "Hazards")["security-severity"].is_null());
        for rule in checks::topics().iter().flat_map(|topic| &topic.rules) {
            if let Some(security) = rule.security {
                assert!((0.1..=10.0).contains(&security.score), "{}", rule.name);
            }
        }
    }

    #[test]
    fn a_rule_is_documented_in_the_repository_at_this_version() {
        let address = documentation("https://github.com/acme/catalog", "weak-gate");
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(
            address,
            format!("https://github.com/acme/catalog/blob/v{version}/docs/checks.md#weak-gate")
        );
    }
}
