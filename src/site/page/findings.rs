//! All findings, by rule, the gravest first.

use std::ops::Range;

use serde::Serialize;

use super::frame::{PageHead, Toc};
use super::{PageContent, view};
use crate::checks;
use crate::knowledge::route::{Anchors, Route};
use crate::site::view::{
    Filter, FindingView, Here, Text, Whose, counted, inline_code, rule_route, severity,
};
use base::Severity;
use markdown::Html;
use markdown::text::escaped;

#[derive(Serialize)]
struct FindingsPage {
    stats: Vec<Tally>,
    filters: Vec<Filter>,
    groups: Vec<RuleGroup>,
}

#[derive(Serialize)]
struct Tally {
    severity: &'static str,
    value: usize,
}

#[derive(Serialize)]
struct RuleGroup {
    id: String,
    title: String,
    count: usize,
    about_html: Option<Html>,
    findings: Vec<FindingView>,
}

pub fn write(here: &Here<'_>, at: usize, range: Range<usize>) -> PageContent {
    let context = here.context;
    let routes: Vec<&Route> = context
        .finding_pages
        .iter()
        .map(|sheet| &sheet.route)
        .collect();
    let mut page = PageHead::new(here, "findings", "Findings").among(here, &routes, at);
    page.description = Some(match routes.len() {
        1 => "Problems found in the manifests and documentation, most severe first.".to_owned(),
        many => format!(
            "{}, page {} of {many}.",
            counted(context.findings.len(), "finding"),
            at + 1
        ),
    });
    let shown = context.by_severity[range]
        .iter()
        .map(|at| &context.findings[*at]);
    let shown: Vec<FindingView> = shown
        .map(|finding| here.finding(finding, Whose::Said))
        .collect();
    let filters = filters(&shown);
    let mut groups: Vec<RuleGroup> = Vec::new();
    let mut anchors = Anchors::default();
    for finding in shown {
        match groups
            .last_mut()
            .filter(|group| group.title == finding.rule)
        {
            Some(group) => group.findings.push(finding),
            None => groups.push(RuleGroup {
                // A rule may have findings of two severities.
                id: anchors.id("rule", finding.rule),
                title: finding.rule.to_owned(),
                count: context
                    .findings
                    .iter()
                    .filter(|one| one.rule == finding.rule)
                    .count(),
                about_html: about(here, finding.rule),
                findings: vec![finding],
            }),
        }
    }
    page.toc = groups
        .iter()
        .map(|group| Toc {
            count: Some(group.count),
            ..Toc::new(2, &group.id, &group.title)
        })
        .collect();
    let mut markdown = Text::default();
    for group in &groups {
        markdown.heading(2, &group.title);
        for finding in &group.findings {
            let place = finding
                .place
                .as_ref()
                .map_or("", |place| place.label.as_str());
            markdown.item(&format!(
                "**{}** {}: {}",
                finding.severity,
                escaped(place),
                escaped(&finding.message)
            ));
        }
    }
    let tally = |wanted: Severity| Tally {
        severity: severity(wanted),
        value: context
            .findings
            .iter()
            .filter(|one| one.severity == wanted)
            .count(),
    };
    let stats = [Severity::Error, Severity::Warning, Severity::Info].map(tally);
    let findings = FindingsPage {
        stats: stats.into_iter().filter(|tally| tally.value > 0).collect(),
        filters,
        groups,
    };
    PageContent {
        template: "pages/findings.html",
        page,
        views: vec![view("findings", &findings)],
        markdown,
    }
}

/// The summary of a rule, with a link to its page.
fn about(here: &Here<'_>, rule: &str) -> Option<Html> {
    let summary = inline_code(checks::rule(rule)?.summary);
    let href = Html::escape(&here.to(&rule_route(rule)));
    Some(Html::trusted(format!(
        "{} <a href=\"{}\">About this rule</a>",
        summary.as_str(),
        href.as_str()
    )))
}

fn filters(shown: &[FindingView]) -> Vec<Filter> {
    let severities = shown.iter().map(|finding| finding.severity.to_owned());
    let rules = shown.iter().map(|finding| finding.rule.to_owned());
    let components = shown.iter().flat_map(|finding| &finding.components);
    let filters = [
        Filter::count("severity", "Severity", severities),
        Filter::count("rule", "Rule", rules),
        Filter::count(
            "component",
            "Component",
            components.map(|one| one.title.clone()),
        ),
    ];
    filters.into_iter().flatten().collect()
}
