//! The findings of a repo, from all stages: merged, attributed to components, sorted out and in order. `catalog.toml` and
//! comments say which of them count. Reads the files that have findings, for comments in them, and nothing else.

mod allow;
mod baseline;
mod group;
mod identity;
mod select;

use crate::catalog::{self, Catalog};
use crate::checks;
use crate::input::config::{Config, RuleLevel, RuleName};
use crate::input::repo::Repo;
use base::{FileId, Finding, Place, few};
pub use baseline::{Baseline, BaselineError};
pub use identity::{fingerprint, of_message};
pub use select::Selection;

/// Findings, sorted into open, suppressed and disabled ones.
#[derive(Debug, Default)]
pub struct Findings {
    /// Open findings, by place.
    pub open: Vec<Finding>,
    /// Suppressed findings, by place.
    pub allowed: Vec<Allowed>,
    /// Findings of rules that `catalog.toml` disables.
    pub off: Vec<Finding>,
}

impl Findings {
    /// All findings, whether open or not.
    pub fn all(&self) -> impl Iterator<Item = &Finding> {
        let allowed = self.allowed.iter().map(|allowed| &allowed.finding);
        self.open.iter().chain(allowed).chain(&self.off)
    }
}

/// A suppressed finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowed {
    pub finding: Finding,
    pub reason: String,
    pub by: SuppressedBy,
}

/// The place that suppresses a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuppressedBy {
    /// A comment next to it.
    Comment,
    /// `catalog.toml`.
    Config,
}

/// Triages the findings of all stages, in any order, by the rules of the repo itself.
pub fn triage(
    repo: &Repo,
    config: &Config,
    catalog: &Catalog,
    mut reported: Vec<Finding>,
) -> Findings {
    reported.sort();
    reported.dedup();
    let mut findings = bounded(few(reported));
    catalog::blame(repo, catalog, &mut findings);
    let choice = Choice { config };
    let (open, off): (Vec<Finding>, Vec<Finding>) = findings
        .into_iter()
        .partition(|finding| choice.can_fire(finding.rule));
    let open = open.into_iter();
    let mut open: Vec<Finding> = open.filter_map(|finding| choice.weighed(finding)).collect();
    let mut allowed = Vec::new();
    open.retain(|finding| {
        let entry = choice.allowing(repo, finding);
        allowed.extend(entry.map(|because| Allowed {
            finding: finding.clone(),
            reason: because.to_owned(),
            by: SuppressedBy::Config,
        }));
        entry.is_none()
    });
    let mut comments = allow::Comments::read(repo, &open);
    open.retain(|finding| {
        let reason = comments.reason(finding);
        allowed.extend(reason.map(|reason| Allowed {
            finding: finding.clone(),
            reason: reason.to_owned(),
            by: SuppressedBy::Comment,
        }));
        reason.is_none()
    });
    let mut open = group::by_cause(open);
    let remarks = comments.remarks(|rule| choice.can_fire(rule));
    let remarks = remarks.into_iter();
    open.extend(remarks.filter_map(|finding| choice.weighed(finding)));
    // Unknown rules are reported regardless of the selection, because a misspelt name may select nothing at all.
    open.extend(unknown_rules(repo, config));
    open.sort();
    allowed.sort_by(|a, b| a.finding.cmp(&b.finding));
    Findings { open, allowed, off }
}

/// Findings beyond this number are dropped.
const MAX_FINDINGS: usize = 500_000;

fn bounded(mut findings: Vec<Finding>) -> Vec<Finding> {
    if findings.len() > MAX_FINDINGS {
        let rest = findings.len() - MAX_FINDINGS;
        findings.truncate(MAX_FINDINGS);
        let place = Place::start_of(FileId::NONE);
        let message = format!("{rest} more findings are not shown");
        findings.push(
            Finding::error("build-too-large", place, message)
                .help("fix or suppress some of the findings above, and run it again"),
        );
    }
    findings
}

/// Settings for findings in `catalog.toml`.
struct Choice<'a> {
    config: &'a Config,
}

impl<'a> Choice<'a> {
    /// The finding with its configured severity; none if its rule is disabled or not selected.
    fn weighed(&self, mut finding: Finding) -> Option<Finding> {
        if !self.is_selected(finding.rule) {
            return None;
        }
        match self.level(finding.rule) {
            Some(RuleLevel::Off) => return None,
            Some(RuleLevel::As(severity)) => finding.severity = severity,
            None => {}
        }
        Some(finding)
    }

    fn can_fire(&self, rule: &str) -> bool {
        self.is_selected(rule) && self.level(rule) != Some(RuleLevel::Off)
    }

    fn is_selected(&self, rule: &str) -> bool {
        let check = &self.config.check;
        let any = |names: &[RuleName]| names.iter().any(|name| name.matches(rule));
        (check.select.is_empty() || any(&check.select)) && !any(&check.ignore)
    }

    /// The configured level of a rule. A full name beats a prefix, and a longer prefix beats a shorter one.
    fn level(&self, rule: &str) -> Option<RuleLevel> {
        let fitting = self.config.check.severity.iter();
        let fitting = fitting.filter(|severity| severity.rule.matches(rule));
        let closest = fitting.max_by_key(|severity| {
            let pattern = &severity.rule.pattern;
            (!pattern.ends_with('*'), pattern.len())
        });
        closest.map(|severity| severity.level)
    }

    /// The reason for which `catalog.toml` suppresses a finding, if it does.
    fn allowing(&self, repo: &Repo, finding: &Finding) -> Option<&'a str> {
        let mut entries = self.config.check.allow.iter();
        let path = (finding.place.file != FileId::NONE).then(|| repo.path(finding.place.file));
        let entry = entries.find(|entry| {
            let rule = entry.rule.as_ref();
            let is_rule = rule.is_none_or(|rule| rule.matches(finding.rule));
            let is_there = entry.path.patterns().is_empty()
                || path.is_some_and(|path| entry.path.any_match(&[path.as_str()]));
            // A finding that also concerns other components is not suppressed.
            let is_its = entry.component.patterns().is_empty()
                || finding.concerned().next().is_some()
                    && finding
                        .concerned()
                        .all(|id| entry.component.any_match(&[id]));
            is_rule && is_there && is_its
        })?;
        Some(&entry.because)
    }
}

/// Names in `catalog.toml` that no rule has. A mistake there lets findings through, or keeps them from being seen.
fn unknown_rules(repo: &Repo, config: &Config) -> Vec<Finding> {
    let check = &config.check;
    if check == &crate::input::config::Check::default() {
        return Vec::new();
    }
    let severities = check.severity.iter().map(|severity| &severity.rule);
    let allowed = check.allow.iter().filter_map(|allow| allow.rule.as_ref());
    let names = check.select.iter().chain(&check.ignore);
    let names = names.chain(severities).chain(allowed);
    let rules = checks::rules();
    let unknown = names.filter(|name| !rules.iter().any(|rule| name.matches(rule.name)));
    let finding = |name: &RuleName| {
        let message = format!("there is no rule `{}`", name.pattern);
        let finding = Finding::error("unknown-rule", name.place, message);
        repo.place_in_config(config, finding.help(meant(&name.pattern)))
    };
    unknown.map(finding).collect()
}

/// Advice for a rule name that does not exist.
pub fn meant(name: &str) -> String {
    match checks::nearest_rule(name.trim_end_matches('*')) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => "`catalog explain` lists all rules".to_owned(),
    }
}
