//! Findings in a component's files.

use serde::Serialize;

use super::{About, Body};
use crate::site::theme::View;
use crate::site::view::{Finding, Text, Whose, count};
use markdown::text::escaped;

#[derive(Serialize)]
struct Findings {
    findings: Vec<Finding>,
}

/// More than this are on the page of all findings.
const MOST: usize = 50;

pub fn write(about: &About<'_>) -> Option<Body> {
    let own = &about.here.related(about.index).findings;
    if own.is_empty() {
        return None;
    }
    let all = own.iter().map(|at| &about.here.context.findings[*at]);
    let shown = all
        .take(MOST)
        .map(|finding| about.here.finding(finding, Whose::Known));
    let findings: Vec<Finding> = shown.collect();
    let mut markdown = Text::default();
    for finding in &findings {
        markdown.item(&line(finding));
    }
    if own.len() > MOST {
        markdown.item(&format!("and {} more", count(own.len() - MOST)));
    }
    Some(Body {
        view: View::serialize(&Findings { findings }),
        markdown,
        headings: Vec::new(),
        count: Some(own.len()),
    })
}

/// A finding in one line of Markdown.
pub fn line(finding: &Finding) -> String {
    let place = finding
        .place
        .as_ref()
        .map_or("", |place| place.label.as_str());
    format!(
        "**{}** `{}` {}: {}",
        finding.severity,
        finding.rule,
        escaped(place),
        escaped(&finding.message)
    )
}
