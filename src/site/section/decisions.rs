//! Decisions that name a component, and the specs that shaped it, with the state of their files.

use serde::Serialize;

use super::{About, SectionBody};
use crate::knowledge::{Decision, Mention, Record};
use crate::site::theme::View;
use crate::site::view::knowledge::{
    ArtifactView, StateClass, Tallied, Tally, named, status, status_class, tallies, tally_line,
};
use crate::site::view::{LinkView, More, PlaceView, Text};
use markdown::text::{code, escaped, link};

#[derive(Serialize)]
struct DecisionsSection {
    decisions: Vec<DecisionRow>,
    more: Option<More>,
    /// Decisions that name it in passing.
    mentioned: Vec<LinkView>,
    specs: Vec<SpecRow>,
}

#[derive(Serialize)]
struct DecisionRow {
    id: String,
    title: String,
    href: Option<String>,
    status: String,
    class: &'static str,
    date: Option<String>,
    superseded_by: Option<LinkView>,
    reason: &'static str,
    place: PlaceView,
}

#[derive(Serialize)]
struct SpecRow {
    id: String,
    title: String,
    href: Option<String>,
    record: Option<LinkView>,
    artifacts: Vec<Tally>,
    validation: Vec<Tally>,
    /// Artifacts of this component that are not as they were left.
    changed: Vec<ArtifactView>,
}

/// More are on the page of all decisions.
const MOST: usize = 12;
/// Decisions that name it in passing; more say little.
const MOST_MENTIONED: usize = 10;
/// More artifacts are on the spec's own page.
const MOST_ARTIFACTS: usize = 4;

pub fn write(about: &About<'_>) -> Option<SectionBody> {
    let here = about.here;
    let concern = here.context.knowledge.ledger.concerns.get(about.index)?;
    if concern.decisions.is_empty() && concern.specs.is_empty() {
        return None;
    }
    let (mut shown, passing): (Vec<_>, Vec<_>) = concern
        .decisions
        .iter()
        .copied()
        .partition(|(_, mention)| mention.is_decided());
    let all = shown.len();
    if all > MOST {
        // Keeps the strongest mentions, then restores their order.
        shown.sort_by_key(|(at, mention)| (mention.role, mention.by, *at));
        shown.truncate(MOST);
        shown.sort_by_key(|(at, _)| *at);
    }
    let left = all - shown.len();
    let decisions: Vec<DecisionRow> = shown
        .iter()
        .map(|(at, mention)| decision(about, *at, mention))
        .collect();
    let specs = concern.specs.iter();
    let specs: Vec<SpecRow> = specs.map(|(at, ..)| spec(about, *at)).collect();
    let pages = &here.context.knowledge_pages.decisions;
    let view = DecisionsSection {
        more: pages
            .first()
            .and_then(|sheet| here.more(left, here.to(&sheet.route))),
        decisions,
        mentioned: passing
            .iter()
            .take(MOST_MENTIONED)
            .map(|(at, _)| here.decision_link(*at))
            .collect(),
        specs,
    };
    Some(SectionBody {
        markdown: markdown(&view),
        headings: if view.specs.is_empty() || view.decisions.is_empty() {
            Vec::new()
        } else {
            vec![("specs".to_owned(), "Specs".to_owned())]
        },
        count: Some(all + view.specs.len()),
        view: View::serialize(&view),
    })
}

fn decision(about: &About<'_>, at: usize, mention: &Mention) -> DecisionRow {
    let here = about.here;
    let decision: &Decision = &here.context.knowledge.decisions[at];
    let by = decision.successor();
    DecisionRow {
        id: decision.id.clone(),
        title: decision.title.clone(),
        href: here.page_of(decision.file),
        status: decision.status.name().to_owned(),
        class: status_class(decision),
        date: decision.date.clone(),
        superseded_by: by.map(|by| here.decision_link(by)),
        reason: mention.reason(),
        place: here.line(decision.file, mention.line),
    }
}

fn spec(about: &About<'_>, at: usize) -> SpecRow {
    let here = about.here;
    let knowledge = here.context.knowledge;
    let spec = &knowledge.specs[at];
    let record: Option<&Record> = spec.record.map(|at| &knowledge.records[at]);
    let own: Vec<ArtifactView> = record
        .iter()
        .flat_map(|record| {
            record
                .artifacts
                .iter()
                .map(move |artifact| (record, artifact))
        })
        .filter(|(_, artifact)| artifact.owners.contains(&about.index))
        .map(|(_, artifact)| here.artifact(artifact))
        .collect();
    let changed = own
        .iter()
        .filter(|artifact| artifact.state != StateClass::Holds);
    SpecRow {
        id: spec.id.clone(),
        title: spec.title.clone(),
        href: here.page_of(spec.file),
        record: record.map(|record| LinkView {
            title: record
                .executed
                .clone()
                .unwrap_or_else(|| "record".to_owned()),
            href: here.page_of(record.file),
        }),
        artifacts: tallies(Tallied::Files, own.iter().map(|artifact| artifact.state)),
        validation: tallies(
            Tallied::Checks,
            spec.steps.iter().map(|step| StateClass::from(&step.state)),
        ),
        changed: changed.take(MOST_ARTIFACTS).cloned().collect(),
    }
}

fn markdown(view: &DecisionsSection) -> Text {
    let mut markdown = Text::default();
    if !view.decisions.is_empty() {
        let rows = view.decisions.iter().map(|row| {
            vec![
                named(&row.id, row.href.as_deref(), &row.title),
                status(&row.status, row.superseded_by.as_ref()),
                escaped(row.date.as_deref().unwrap_or_default()),
                format!(
                    "{}, {}",
                    row.reason,
                    link(&row.place.label, row.place.href.as_deref())
                ),
            ]
        });
        markdown.table(&["Decision", "Status", "Date", "Relevance"], rows);
    }
    if let Some(more) = &view.more {
        markdown.paragraph(&link(&more.title, Some(&more.href)));
    }
    if !view.specs.is_empty() {
        if !view.decisions.is_empty() {
            markdown.heading(3, "Specs");
        }
        let rows = view.specs.iter().map(|row| {
            let record = row.record.as_ref();
            vec![
                format!(
                    "{} {}",
                    link(&row.id, row.href.as_deref()),
                    escaped(&row.title)
                ),
                record.map_or("none".to_owned(), |record| {
                    link(&record.title, record.href.as_deref())
                }),
                tally_line(&row.artifacts),
                tally_line(&row.validation),
            ]
        });
        markdown.table(&["Spec", "Record", "Files", "Checks"], rows);
        for artifact in view.specs.iter().flat_map(|row| &row.changed) {
            let by = artifact.by.as_ref();
            let by = by.map(|by| format!(" by {}", link(&by.title, by.href.as_deref())));
            markdown.item(&format!(
                "{}: {}{}",
                code(&artifact.path),
                artifact.label,
                by.unwrap_or_default()
            ));
        }
    }
    markdown
}
