//! The ledger: from decision to spec to record to files to commit, with what holds today; and a list of all specs.

use serde::Serialize;

use super::frame::{PageHead, Toc};
use super::{PageContent, view};
use crate::catalog::ComponentIx;
use crate::knowledge::route::{Route, slug};
use crate::knowledge::{Spec, SpecForm};
use crate::site::view::knowledge::{
    ArtifactView, StepView, Tallied, Tally, carried_out, progress, tallies, tally_line, write_state,
};
use crate::site::view::{Here, LinkView, Mention, Text};
use markdown::text::{escaped, link};

#[derive(Serialize)]
struct Ledger {
    list: LinkView,
    specs: Vec<LedgerEntry>,
}

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

pub fn write(here: &Here<'_>, at: usize) -> PageContent {
    let context = here.context;
    let routes: Vec<&Route> = context
        .knowledge_pages
        .ledger
        .iter()
        .map(|sheet| &sheet.route)
        .collect();
    let mut page = PageHead::new(here, "ledger", "Ledger").among(here, &routes, at);
    page.description = Some(match routes.len() {
        1 => "Each decision, the specs that implement it, the record of the work, and the current state of its files and checks.".to_owned(),
        many => format!(
            "Decisions, specs, records and the current state of their files, page {} of {many}.",
            at + 1
        ),
    });
    let specs = context.knowledge_pages.ledger[at].range.clone();
    let ledger = Ledger {
        list: LinkView {
            title: "All specs".to_owned(),
            href: context
                .knowledge_pages
                .specs
                .first()
                .map(|sheet| here.to(&sheet.route)),
        },
        specs: specs.map(|spec| entry(here, spec)).collect(),
    };
    let mut markdown = Text::default();
    for entry in &ledger.specs {
        markdown.heading(2, &entry.title);
        let mut chain: Vec<String> = entry
            .decisions
            .iter()
            .map(|one| link(&one.title, one.href.as_deref()))
            .collect();
        chain.push(link("spec", entry.href.as_deref()));
        chain.extend(
            entry
                .record
                .iter()
                .map(|one| link(&one.title, one.href.as_deref())),
        );
        markdown.paragraph(&chain.join(" → "));
        if let Some(done) = &entry.done {
            markdown.paragraph(&escaped(done));
        }
        write_state(&mut markdown, &entry.artifacts, &entry.steps);
        page.toc.push(Toc::new(2, &entry.id, &entry.title));
    }
    PageContent {
        template: "pages/ledger.html",
        page,
        views: vec![view("ledger", &ledger)],
        markdown,
    }
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
                .map(move |artifact| here.artifact(record, artifact))
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
struct Specs {
    ledger: LinkView,
    rows: Vec<SpecRow>,
}

#[derive(Serialize)]
struct SpecRow {
    id: String,
    title: String,
    href: Option<String>,
    ledger: String,
    decisions: Vec<LinkView>,
    after: Vec<LinkView>,
    record: Option<LinkView>,
    done: Option<String>,
    artifacts: Vec<Tally>,
    validation: Vec<Tally>,
}

pub fn specs(here: &Here<'_>, at: usize) -> PageContent {
    let context = here.context;
    let pages = &context.knowledge_pages;
    let rows = pages.specs[at].range.clone().map(|spec| {
        let mut sheets = pages.ledger.iter();
        let sheet = sheets.find(|sheet| sheet.range.contains(&spec));
        let ledger = sheet.map(|sheet| here.to(&sheet.route));
        row(here, spec, ledger.unwrap_or_default())
    });
    let first = pages.ledger.first().map(|sheet| here.to(&sheet.route));
    let specs = Specs {
        ledger: LinkView {
            title: "Ledger".to_owned(),
            href: first,
        },
        rows: rows.collect(),
    };
    let routes: Vec<&Route> = pages.specs.iter().map(|sheet| &sheet.route).collect();
    let mut page = PageHead::new(here, "specs", "Specs").among(here, &routes, at);
    page.description = Some("Specs and their status.".to_owned());
    let mut markdown = Text::default();
    let rows = specs.rows.iter().map(|row| {
        vec![
            format!(
                "{} {}",
                link(&row.id, row.href.as_deref()),
                escaped(&row.title)
            ),
            row.decisions
                .iter()
                .map(|one| link(&one.title, one.href.as_deref()))
                .collect::<Vec<_>>()
                .join(", "),
            row.record.as_ref().map_or("none".to_owned(), |record| {
                link(&record.title, record.href.as_deref())
            }),
            tally_line(&row.artifacts),
            tally_line(&row.validation),
        ]
    });
    markdown.table(&["Spec", "Decisions", "Record", "Files", "Checks"], rows);
    PageContent {
        template: "pages/specs.html",
        page,
        views: vec![view("specs", &specs)],
        markdown,
    }
}

fn row(here: &Here<'_>, at: usize, ledger: String) -> SpecRow {
    let entry = entry(here, at);
    let spec = &here.context.knowledge.specs[at];
    let record = spec.record.map(|at| &here.context.knowledge.records[at]);
    SpecRow {
        id: spec.id.clone(),
        title: spec.title.clone(),
        href: entry.href,
        ledger: format!("{ledger}#{}", entry.id),
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
