//! Summary of a run in one or two lines: counts of components, environments and findings.

use crate::catalog::Catalog;
use crate::export::report::Report;
use crate::site::context::SiteContext;
use crate::site::view::counted;
use base::{Finding, Severity};

/// What was read: the number of components, of the environments they run in, and of programs.
pub fn overview(catalog: &Catalog) -> String {
    let components = counted(catalog.services(), "component");
    let environments = catalog.cluster_environments().len();
    let programs = match catalog.program_count() {
        0 => String::new(),
        many => counted(many, "program"),
    };
    match (environments, programs.as_str()) {
        (environments, "") => format!("{components} in {}", counted(environments, "environment")),
        (0, programs) => format!("{components} in {programs}"),
        (environments, programs) => {
            let environments = counted(environments, "environment");
            format!("{components} in {environments} and {programs}")
        }
    }
}

/// Findings that are not printed, so that nobody takes silence for a clean repository.
pub struct Hidden {
    pub allowed: usize,
    pub known: usize,
    pub off: usize,
    pub below: usize,
    /// Files and directories rather than findings.
    pub ignored: usize,
}

/// The number of findings by severity, how many can be fixed, and how many are hidden.
pub fn tally(report: &Report<'_>, hidden: &Hidden) -> String {
    let findings = &report.findings;
    let mut parts = vec![
        counted(number(findings.iter().copied(), Severity::Error), "error"),
        counted(
            number(findings.iter().copied(), Severity::Warning),
            "warning",
        ),
        counted(number(findings.iter().copied(), Severity::Info), "info"),
    ];
    let fixable = findings
        .iter()
        .filter(|one| report.fixes.get(one).is_some());
    let fixable = fixable.count();
    if fixable > 0 {
        parts.push(format!("{fixable} fixable with --fix"));
    }
    let counts = [
        (hidden.allowed, "suppressed"),
        (hidden.known, "in the baseline"),
        (hidden.off, "disabled in catalog.toml"),
        (hidden.below, "below --severity"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    parts.extend(counts.map(|(count, what)| format!("{count} {what}")));
    if hidden.ignored > 0 {
        let paths = counted(hidden.ignored, "path");
        parts.push(format!(
            "{paths} skipped because of `ignore` in catalog.toml"
        ));
    }
    parts.join(", ")
}

/// What was read and found, in one line.
pub fn summary(context: &SiteContext<'_>) -> String {
    format!(
        "{}; {}, {}",
        overview(context.catalog),
        counted(number(context.findings, Severity::Error), "error"),
        counted(number(context.findings, Severity::Warning), "warning"),
    )
}

fn number<'f>(findings: impl IntoIterator<Item = &'f Finding>, severity: Severity) -> usize {
    let findings = findings.into_iter();
    findings
        .filter(|finding| finding.severity == severity)
        .count()
}
