//! Findings in a component's files.

use serde::Serialize;

use super::{About, SectionBody};
use crate::site::theme::View;
use crate::site::view::{FindingView, Text, Whose, count};
use markdown::text::escaped;

#[derive(Serialize)]
struct FindingsSection {
    findings: Vec<FindingView>,
}

/// More than this are on the page of all findings.
const MOST: usize = 50;

pub fn write(about: &About<'_>) -> Option<SectionBody> {
    let own = &about.here.related(about.index).findings;
    if own.is_empty() {
        return None;
    }
    let all = own.iter().map(|at| &about.here.context.findings[*at]);
    let shown = all
        .take(MOST)
        .map(|finding| about.here.finding(finding, Whose::Known));
    let findings: Vec<FindingView> = shown.collect();
    let mut markdown = Text::default();
    for finding in &findings {
        markdown.item(&line(finding));
    }
    if own.len() > MOST {
        markdown.item(&format!("and {} more", count(own.len() - MOST)));
    }
    Some(SectionBody {
        view: View::serialize(&FindingsSection { findings }),
        markdown,
        headings: Vec::new(),
        count: Some(own.len()),
    })
}

/// A finding in one line of Markdown.
pub fn line(finding: &FindingView) -> String {
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
