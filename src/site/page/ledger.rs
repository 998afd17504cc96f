//! The ledger: what differs from specs and records without a reason, and all specs with what became of them.

use serde::Serialize;

use super::frame::{PageHead, Toc};
use super::{PageContent, view};
use crate::catalog::ComponentIx;
use crate::knowledge::route::slug;
use crate::knowledge::{Spec, SpecForm};
use crate::site::view::knowledge::{
    ArtifactView, StateClass, StepView, Tallied, Tally, carried_out, progress, tallies, tally_line,
    write_state,
};
use crate::site::view::{Here, LinkView, Mention, Text};
use markdown::text::{escaped, link};

#[derive(Serialize)]
struct Ledger {
    files: Vec<Tally>,
    checks: Vec<Tally>,
    /// Whether git history was there to compare files with.
    is_compared: bool,
    /// What differs without a reason, specs of one kind together.
    attention: Vec<LedgerEntry>,
    rows: Vec<SpecRow>,
}

/// A spec with what needs attention.
#[derive(Serialize)]
struct LedgerEntry {
    id: String,
    title: String,
    href: Option<String>,
    decisions: Vec<LinkView>,
    record: Option<LinkView>,
    done: Option<String>,
    components: Vec<Mention>,
    artifacts: Vec<ArtifactView>,
    artifact_tally: Vec<Tally>,
    steps: Vec<StepView>,
    step_tally: Vec<Tally>,
}

const MOST_NAMED: usize = 12;

pub fn write(here: &Here<'_>) -> PageContent {
    let context = here.context;
    let mut page = PageHead::new(here, "ledger", "Ledger");
    page.description = Some(
        "Every spec, the decisions behind it, and whether its files and checks are still as recorded.".to_owned(),
    );
    let specs = &context.knowledge.specs;
    let mut order: Vec<usize> = (0..specs.len()).collect();
    // The newest first, in each form.
    order.sort_by_key(|at| (specs[*at].form, std::cmp::Reverse(*at)));
    let entries: Vec<LedgerEntry> = order.iter().map(|at| entry(here, *at)).collect();
    let sum = |tallied: Tallied, of: &dyn Fn(&LedgerEntry) -> Vec<StateClass>| {
        tallies(tallied, entries.iter().flat_map(of))
    };
    let files = sum(Tallied::Files, &|entry| {
        entry.artifacts.iter().map(|one| one.state).collect()
    });
    let checks = sum(Tallied::Checks, &|entry| {
        entry.steps.iter().map(|one| one.state).collect()
    });
    let is_compared = files.iter().all(|tally| tally.state != StateClass::Present);
    let rows = order.iter().map(|at| row(here, *at)).collect();
    let ledger = Ledger {
        files,
        checks,
        is_compared,
        attention: entries.into_iter().filter_map(attention).collect(),
        rows,
    };
    let mut markdown = Text::default();
    markdown.item(&format!("Files: {}", tally_line(&ledger.files)));
    markdown.item(&format!("Checks: {}", tally_line(&ledger.checks)));
    if !ledger.attention.is_empty() {
        markdown.heading(2, "Needs attention");
        page.toc.push(Toc::new(2, "attention", "Needs attention"));
    }
    for entry in &ledger.attention {
        markdown.heading(3, &entry.title);
        write_state(&mut markdown, &entry.artifacts, &entry.steps);
    }
    markdown.heading(2, "All specs");
    page.toc.push(Toc::new(2, "specs", "All specs"));
    write_rows(&mut markdown, &ledger.rows);
    PageContent {
        template: "pages/ledger.html",
        page,
        views: vec![view("ledger", &ledger)],
        markdown,
    }
}

/// Only the files and checks that differ without a reason.
fn attention(mut entry: LedgerEntry) -> Option<LedgerEntry> {
    let needs = |state: StateClass, accepted: bool| state.needs_attention() && !accepted;
    entry
        .artifacts
        .retain(|one| needs(one.state, one.is_accepted));
    entry.steps.retain(|one| needs(one.state, one.is_accepted));
    (!entry.artifacts.is_empty() || !entry.steps.is_empty()).then_some(entry)
}

fn entry(here: &Here<'_>, at: usize) -> LedgerEntry {
    let knowledge = here.context.knowledge;
    let spec = &knowledge.specs[at];
    let record = spec.record.map(|at| &knowledge.records[at]);
    let artifacts: Vec<ArtifactView> = record
        .iter()
        .flat_map(|record| {
            record
                .artifacts
                .iter()
                .map(move |artifact| here.artifact(artifact))
        })
        .collect();
    let steps: Vec<StepView> = spec.steps.iter().map(|step| here.step(step)).collect();
    let components: Vec<ComponentIx> = knowledge.concerned(at);
    LedgerEntry {
        id: format!("spec-{}", slug(&spec.id.replace('/', "-"))),
        title: title(spec),
        href: here.page_of(spec.file),
        decisions: spec
            .decisions
            .iter()
            .map(|(at, _)| here.decision_link(*at))
            .collect(),
        record: record.map(|record| LinkView {
            title: "record".to_owned(),
            href: here.page_of(record.file),
        }),
        done: record.and_then(carried_out).or_else(|| standing(spec)),
        components: here.mentions(&components, MOST_NAMED).0,
        artifact_tally: tallies(
            Tallied::Files,
            artifacts.iter().map(|artifact| artifact.state),
        ),
        step_tally: tallies(Tallied::Checks, steps.iter().map(|step| step.state)),
        artifacts,
        steps,
    }
}

/// The number and the title, as people say it.
pub fn title(spec: &Spec) -> String {
    match spec.form {
        SpecForm::Recorded => format!("Spec {}: {}", spec.id, spec.title),
        _ => spec.title.clone(),
    }
}

/// The status and progress of a spec without a record.
fn standing(spec: &Spec) -> Option<String> {
    match (&spec.status, progress(spec)) {
        (Some(status), Some(progress)) => Some(format!("{status}, {progress}")),
        (status, progress) => status.clone().or(progress),
    }
}

#[derive(Serialize)]
struct SpecRow {
    id: String,
    title: String,
    href: Option<String>,
    anchor: String,
    decisions: Vec<LinkView>,
    after: Vec<LinkView>,
    fixes: Vec<LinkView>,
    record: Option<LinkView>,
    done: Option<String>,
    artifacts: Vec<Tally>,
    validation: Vec<Tally>,
}

fn write_rows(markdown: &mut Text, rows: &[SpecRow]) {
    let links = |links: &[LinkView]| {
        let each = links
            .iter()
            .map(|one| link(&one.title, one.href.as_deref()));
        each.collect::<Vec<_>>().join(", ")
    };
    let rows = rows.iter().map(|row| {
        vec![
            format!(
                "{} {}",
                link(&row.id, row.href.as_deref()),
                escaped(&row.title)
            ),
            links(&row.decisions),
            row.record.as_ref().map_or("none".to_owned(), |record| {
                link(&record.title, record.href.as_deref())
            }),
            tally_line(&row.artifacts),
            tally_line(&row.validation),
        ]
    });
    markdown.table(&["Spec", "Decisions", "Record", "Files", "Checks"], rows);
}

fn row(here: &Here<'_>, at: usize) -> SpecRow {
    let entry = entry(here, at);
    let spec = &here.context.knowledge.specs[at];
    let record = spec.record.map(|at| &here.context.knowledge.records[at]);
    SpecRow {
        id: spec.id.clone(),
        title: spec.title.clone(),
        href: entry.href,
        anchor: entry.id,
        fixes: spec.fixes.iter().map(|at| here.spec_link(*at)).collect(),
        decisions: entry.decisions,
        after: spec.after.iter().map(|at| here.spec_link(*at)).collect(),
        record: entry.record.map(|link| LinkView {
            title: record
                .and_then(|record| record.executed.clone())
                .unwrap_or(link.title),
            ..link
        }),
        done: standing(spec),
        artifacts: entry.artifact_tally,
        validation: entry.step_tally,
    }
}
