//! Findings as JUnit test results: one test case per rule and file, in the order of their first findings. Findings below
//! `--fail-on` are the output of a case that passes. Cases with nothing but suppressed findings come last.

use std::fmt::Write;

use super::Report;
use base::hash::HashMap;
use base::markup;
use base::{FileId, Finding};

pub fn junit(report: &Report<'_>) -> String {
    let mut cases = Cases::default();
    for finding in &report.findings {
        let told = cases.case_for(finding);
        if report.fails(finding) {
            told.failures.push(finding);
        } else {
            told.remarks.push(finding);
        }
    }
    for allowed in report.allowed {
        let told = cases.case_for(&allowed.finding);
        told.reason.get_or_insert(&allowed.reason);
    }
    let cases = cases.list;
    let failures = cases
        .iter()
        .filter(|told| !told.failures.is_empty())
        .count();
    let skipped = cases.iter().filter(|told| told.is_skipped()).count();
    // Some consumers treat an empty suite as a failure.
    let tests = cases.len().max(1);
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"0\"");
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(xml, "<testsuites name=\"catalog\" {counts}>");
    let _ = writeln!(
        xml,
        "  <testsuite name=\"catalog check\" {counts} skipped=\"{skipped}\">"
    );
    for told in &cases {
        write_case(&mut xml, report, told);
    }
    if cases.is_empty() {
        xml += "    <testcase classname=\"catalog\" name=\"no findings\"/>\n";
    }
    xml += "  </testsuite>\n</testsuites>\n";
    xml
}

/// Test cases in the order in which they were asked for.
#[derive(Default)]
struct Cases<'a> {
    list: Vec<Told<'a>>,
    /// The position of a case in the list.
    index: HashMap<(&'static str, FileId), usize>,
}

impl<'a> Cases<'a> {
    /// The case that a finding belongs to.
    fn case_for(&mut self, finding: &Finding) -> &mut Told<'a> {
        let (rule, file) = (finding.rule, finding.place.file);
        let at = *self.index.entry((rule, file)).or_insert_with(|| {
            self.list.push(Told {
                rule,
                file,
                failures: Vec::new(),
                remarks: Vec::new(),
                reason: None,
            });
            self.list.len() - 1
        });
        &mut self.list[at]
    }
}

/// Content of a test case.
struct Told<'a> {
    rule: &'static str,
    file: FileId,
    failures: Vec<&'a Finding>,
    remarks: Vec<&'a Finding>,
    /// The reason given for a suppressed finding.
    reason: Option<&'a String>,
}

impl Told<'_> {
    fn is_skipped(&self) -> bool {
        self.failures.is_empty() && self.remarks.is_empty()
    }
}

fn write_case(xml: &mut String, report: &Report<'_>, told: &Told<'_>) {
    let path = report.path(told.file);
    let head = format!(
        "<testcase classname=\"{}\" name=\"{}\"",
        markup::xml(told.rule),
        markup::xml(path.as_deref().unwrap_or("(repository)"))
    );
    let _ = writeln!(xml, "    {head}>");
    if let Some(reason) = told.reason.filter(|_| told.is_skipped()) {
        let _ = writeln!(xml, "      <skipped message=\"{}\"/>", markup::xml(reason));
    }
    if let Some(first) = told.failures.first() {
        let message = match told.failures.len() {
            1 => first.message.clone(),
            many => format!("{} (and {} more)", first.message, many - 1),
        };
        let _ = writeln!(
            xml,
            "      <failure type=\"{}\" message=\"{}\">{}</failure>",
            first.severity,
            markup::xml(&message),
            markup::xml(&lines(report, &told.failures))
        );
    }
    if !told.remarks.is_empty() {
        let remarks = lines(report, &told.remarks);
        let _ = writeln!(
            xml,
            "      <system-out>{}</system-out>",
            markup::xml(&remarks)
        );
    }
    xml.push_str("    </testcase>\n");
}

fn lines(report: &Report<'_>, findings: &[&Finding]) -> String {
    let mut text = String::new();
    for finding in findings {
        let place = finding.place;
        let at = match report.path(place.file) {
            None => String::new(),
            Some(path) => format!("{path}:{}:{}: ", place.line, place.column),
        };
        let _ = writeln!(text, "{at}{}: {}", finding.severity, finding.message);
        if let Some(help) = &finding.help {
            let _ = writeln!(text, "  help: {help}");
        }
    }
    text
}
