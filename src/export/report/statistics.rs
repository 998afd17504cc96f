//! How many findings each rule has, instead of the findings: as a table or as JSON.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use super::Report;
use crate::checks;
use base::Severity;

/// The findings of one rule at one severity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Statistic {
    pub rule: &'static str,
    pub severity: Severity,
    pub count: usize,
    /// How many of them `--fix` can fix.
    pub fixable: usize,
}

/// By severity, the most frequent rule first.
pub fn statistics(report: &Report<'_>) -> Vec<Statistic> {
    let mut counts: BTreeMap<(Severity, &'static str), (usize, usize)> = BTreeMap::new();
    for finding in &report.findings {
        let (count, fixable) = counts.entry((finding.severity, finding.rule)).or_default();
        *count += 1;
        *fixable += usize::from(report.fixes.get(finding).is_some());
    }
    let mut statistics: Vec<Statistic> = counts
        .into_iter()
        .map(|((severity, rule), (count, fixable))| Statistic {
            rule,
            severity,
            count,
            fixable,
        })
        .collect();
    statistics.sort_by_key(|one| (one.severity, usize::MAX - one.count, one.rule));
    statistics
}

/// One rule a line: count, severity, rule, how many can be fixed, and what the rule is about.
pub fn statistics_text(report: &Report<'_>) -> String {
    let statistics = statistics(report);
    let widest = |width: fn(&Statistic) -> usize| statistics.iter().map(width).max().unwrap_or(0);
    let count_width = widest(|one| one.count.to_string().len());
    let rule_width = widest(|one| one.rule.len());
    let fixable_width = widest(|one| fixable(one).len());
    let mut text = String::new();
    for one in &statistics {
        let summary = checks::rule(one.rule).map_or("", |rule| rule.summary);
        let line = format!(
            "{:>count_width$}  {:7}  {:rule_width$}  {:fixable_width$}  {summary}",
            one.count,
            one.severity.to_string(),
            one.rule,
            fixable(one),
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

fn fixable(one: &Statistic) -> String {
    match one.fixable {
        0 => String::new(),
        many => format!("[{many} fixable]"),
    }
}

#[derive(Serialize)]
struct Statistics {
    statistics: Vec<Statistic>,
}

/// `{ "statistics": [ … ] }`
pub fn statistics_json(report: &Report<'_>) -> String {
    let statistics = Statistics {
        statistics: statistics(report),
    };
    let text = serde_json::to_string_pretty(&statistics).expect("names and numbers are JSON");
    text + "\n"
}
