//! The frame of a decision, spec or record on its own page: its head, and its current state.

use serde::Serialize;

use super::frame::{PageHead, Toc};
use crate::catalog::ComponentIx;
use crate::knowledge::{DocumentRef, Record, SpecForm};
use crate::site::view::knowledge::{
    ArtifactView, StepView, Tallied, Tally, progress, status_class, tallies, tally_line,
    write_state,
};
use crate::site::view::{Chip, Here, LinkView, Mention, Text};
use markdown::text::{escaped, link};

#[derive(Serialize, Default)]
pub struct DocumentHead {
    /// The document type: a decision, a spec, a record.
    #[serde(rename = "type")]
    kind: &'static str,
    id: String,
    status: Option<String>,
    class: &'static str,
    date: Option<String>,
    chips: Vec<Chip>,
    relations: Vec<RelatedDocuments>,
    components: Vec<Mention>,
    artifacts: Vec<ArtifactView>,
    artifact_tally: Vec<Tally>,
    steps: Vec<StepView>,
    step_tally: Vec<Tally>,
}

/// Other documents, and what this one has to do with them.
#[derive(Serialize)]
struct RelatedDocuments {
    label: &'static str,
    links: Vec<LinkView>,
}

pub fn head(here: &Here<'_>, document: DocumentRef) -> DocumentHead {
    match document {
        DocumentRef::Decision(at) => decision(here, at),
        DocumentRef::Spec(at) => spec(here, at),
        DocumentRef::Record(at) => record(here, at),
    }
}

impl DocumentHead {
    /// Adds the headings of the head to the table of contents.
    pub fn add_to(&self, page: &mut PageHead) {
        let mut add = |has: bool, id: &str, title: &str| {
            if has {
                page.toc.push(Toc::new(2, id, title));
            }
        };
        add(!self.artifacts.is_empty(), "artifacts", "Files");
        add(!self.steps.is_empty(), "checks", "Checks");
    }

    /// Markdown above the text.
    pub fn above(&self) -> Text {
        let mut markdown = Text::default();
        let mut item = |label: &str, value: &str| {
            if !value.is_empty() {
                markdown.item(&format!("{label}: {value}"));
            }
        };
        item(self.kind, &escaped(&self.id));
        item(
            "Status",
            &escaped(self.status.as_deref().unwrap_or_default()),
        );
        item("Date", &escaped(self.date.as_deref().unwrap_or_default()));
        for relation in &self.relations {
            let links = relation
                .links
                .iter()
                .map(|one| link(&one.title, one.href.as_deref()));
            item(relation.label, &links.collect::<Vec<_>>().join(", "));
        }
        let components = self
            .components
            .iter()
            .map(|one| link(&one.title, one.href.as_deref()));
        item("Components", &components.collect::<Vec<_>>().join(", "));
        item("Files", &tally_line(&self.artifact_tally));
        item("Checks", &tally_line(&self.step_tally));
        markdown
    }

    /// Markdown below the text.
    pub fn below(&self) -> Text {
        let mut markdown = Text::default();
        if !self.artifacts.is_empty() {
            markdown.heading(2, "Files");
            write_state(&mut markdown, &self.artifacts, &[]);
        }
        if !self.steps.is_empty() {
            markdown.heading(2, "Checks");
            write_state(&mut markdown, &[], &self.steps);
        }
        markdown
    }
}

const MOST_NAMED: usize = 60;

fn decision(here: &Here<'_>, at: usize) -> DocumentHead {
    let knowledge = here.context.knowledge;
    let decision = &knowledge.decisions[at];
    let to = |references: &[crate::knowledge::Reference]| -> Vec<LinkView> {
        let known = references.iter().filter_map(|reference| reference.to);
        known.map(|to| titled(here, to)).collect()
    };
    // Another may say so of a part of it only.
    let by = match decision.successor() {
        Some(_) => "Superseded by",
        None => "Reportedly superseded by",
    };
    let components = decision.components();
    let specs = knowledge.ledger.specs_of(at);
    DocumentHead {
        kind: "Decision",
        id: decision.id.clone(),
        status: Some(decision.status.name().to_owned()),
        class: status_class(decision),
        date: decision.date.clone(),
        relations: related([
            (by, to(&decision.superseded_by)),
            ("Supersedes", to(&decision.supersedes)),
            (
                "Specs",
                specs.iter().map(|spec| spec_titled(here, *spec)).collect(),
            ),
        ]),
        components: here.mentions(&components, MOST_NAMED).0,
        ..DocumentHead::default()
    }
}

fn spec(here: &Here<'_>, at: usize) -> DocumentHead {
    let knowledge = here.context.knowledge;
    let spec = &knowledge.specs[at];
    let own = spec.record.map(|at| &knowledge.records[at]);
    let artifacts = match own {
        Some(_) => artifacts(here, own),
        None => spec
            .artifacts
            .iter()
            .map(|one| here.artifact(one))
            .collect(),
    };
    let steps: Vec<StepView> = spec.steps.iter().map(|step| here.step(step)).collect();
    let record = own.map(|record| LinkView {
        title: record
            .executed
            .clone()
            .map_or("record".to_owned(), |day| format!("record of {day}")),
        href: here.page_of(record.file),
    });
    let followers =
        (0..knowledge.specs.len()).filter(|other| knowledge.specs[*other].after.contains(&at));
    let fixed_by =
        (0..knowledge.specs.len()).filter(|other| knowledge.specs[*other].fixes.contains(&at));
    let parts = spec.parts.iter().filter_map(|file| {
        let href = here.page_of(*file)?;
        let name = here.context.repo.path(*file).file_name();
        Some(LinkView {
            title: name.trim_end_matches(".md").to_owned(),
            href: Some(href),
        })
    });
    let mut chips = Vec::new();
    if let Some(text) = progress(spec) {
        chips.push(Chip {
            label: "tasks",
            text,
            href: None,
        });
    }
    let counts = [
        (spec.counts.requirements, "requirements"),
        (spec.counts.scenarios, "scenarios"),
        (spec.counts.questions, "open questions"),
    ];
    for (count, label) in counts.into_iter().filter(|(count, _)| *count > 0) {
        chips.push(Chip {
            label,
            text: count.to_string(),
            href: None,
        });
    }
    let is_open = own.is_none() && spec.form == SpecForm::Recorded;
    DocumentHead {
        kind: "Spec",
        id: spec.id.clone(),
        status: if is_open {
            Some("no record".to_owned())
        } else {
            spec.status.clone()
        },
        class: "other",
        date: spec.date.clone(),
        chips,
        relations: related([
            (
                "Decisions",
                spec.decisions
                    .iter()
                    .map(|(at, _)| titled(here, *at))
                    .collect(),
            ),
            (
                "Follows",
                spec.after.iter().map(|at| spec_titled(here, *at)).collect(),
            ),
            (
                "Followed by",
                followers.map(|at| spec_titled(here, at)).collect(),
            ),
            (
                "Fixes",
                spec.fixes.iter().map(|at| spec_titled(here, *at)).collect(),
            ),
            (
                "Fixed by",
                fixed_by.map(|at| spec_titled(here, at)).collect(),
            ),
            (
                match spec.form {
                    SpecForm::OpenSpec => "Changed by",
                    _ => "Changes",
                },
                spec.related
                    .iter()
                    .map(|at| spec_titled(here, *at))
                    .collect(),
            ),
            ("Implemented", record.into_iter().collect()),
            ("Parts", parts.collect()),
        ]),
        components: here.mentions(&knowledge.concerned(at), MOST_NAMED).0,
        artifact_tally: tallies(
            Tallied::Files,
            artifacts.iter().map(|artifact| artifact.state),
        ),
        step_tally: tallies(Tallied::Checks, steps.iter().map(|step| step.state)),
        artifacts,
        steps,
    }
}

fn record(here: &Here<'_>, at: usize) -> DocumentHead {
    let knowledge = here.context.knowledge;
    let record = &knowledge.records[at];
    let artifacts = artifacts(here, Some(record));
    let components: Vec<ComponentIx> = record
        .mentions
        .iter()
        .map(|mention| mention.component)
        .collect();
    let mut chips = Vec::new();
    let mut chip = |label: &'static str, text: String| {
        chips.push(Chip {
            label,
            text,
            href: None,
        });
    };
    if let Some(agent) = &record.agent {
        chip("by", agent.clone());
    }
    if !record.choices.is_empty() {
        chip("decisions made", record.choices.len().to_string());
    }
    match record.deviations.len() {
        0 => {}
        more => chip("deviations", more.to_string()),
    }
    let spec = record.spec.map(|spec| spec_titled(here, spec));
    DocumentHead {
        kind: "Record",
        id: match record.spec {
            Some(spec) => format!("for spec {}", knowledge.specs[spec].id),
            None => "without a spec".to_owned(),
        },
        class: "other",
        date: record.executed.clone(),
        chips,
        relations: related([("Spec", spec.into_iter().collect())]),
        components: here.mentions(&components, MOST_NAMED).0,
        artifact_tally: tallies(
            Tallied::Files,
            artifacts.iter().map(|artifact| artifact.state),
        ),
        artifacts,
        ..DocumentHead::default()
    }
}

fn artifacts(here: &Here<'_>, record: Option<&Record>) -> Vec<ArtifactView> {
    let each = record.iter().flat_map(|record| {
        record
            .artifacts
            .iter()
            .map(move |artifact| (record, artifact))
    });
    each.map(|(_, artifact)| here.artifact(artifact)).collect()
}

fn related<const N: usize>(relations: [(&'static str, Vec<LinkView>); N]) -> Vec<RelatedDocuments> {
    let known = relations.into_iter().filter(|(_, links)| !links.is_empty());
    known
        .map(|(label, links)| RelatedDocuments { label, links })
        .collect()
}

fn titled(here: &Here<'_>, decision: usize) -> LinkView {
    let link = here.decision_link(decision);
    let title = &here.context.knowledge.decisions[decision].title;
    LinkView {
        title: format!("{}: {title}", link.title),
        ..link
    }
}

fn spec_titled(here: &Here<'_>, spec: usize) -> LinkView {
    LinkView {
        title: super::ledger::title(&here.context.knowledge.specs[spec]),
        ..here.spec_link(spec)
    }
}
