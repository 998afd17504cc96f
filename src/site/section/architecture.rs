//! Diagrams from the manifests: what runs where, where it comes from, and the path of a secret. Authored text follows.

mod secrets;
mod topology;

use serde::Serialize;

use super::{About, SectionBody, docs};
use crate::knowledge::pages::{DocSection, DocTopic};
use crate::site::theme::View;
use crate::site::view::{DiagramView, PlaceView, Text};
use markdown::Html;

#[derive(Serialize)]
struct Architecture {
    diagrams: Vec<DiagramView>,
    content_html: Option<Html>,
    source: Option<PlaceView>,
}

pub fn write(about: &About<'_>) -> Option<SectionBody> {
    let parts: Vec<&DocSection<'_>> = about.docs.about(DocTopic::Architecture).collect();
    // An authored diagram of this kind is more informative than a generated one.
    let has = |kinds: &[&str]| {
        let sources = parts
            .iter()
            .flat_map(|part| part.markdown.split("```mermaid").skip(1));
        let mut first = sources.filter_map(|source| source.split_whitespace().next());
        first.any(|word| kinds.contains(&word))
    };
    let topology = if has(&["flowchart", "graph"]) {
        None
    } else {
        topology::draw(about)
    };
    let secrets = if has(&["sequenceDiagram"]) {
        None
    } else {
        secrets::draw(about)
    };
    let drawn = [("topology", topology), ("secret-flow", secrets)];
    let drawn = drawn
        .into_iter()
        .filter_map(|(id, diagram)| Some(about.here.diagram(id, None, &diagram?)));
    let diagrams: Vec<DiagramView> = drawn.collect();
    if diagrams.is_empty() && parts.is_empty() {
        return None;
    }
    let mut markdown = Text::default();
    for diagram in &diagrams {
        markdown.heading(3, &diagram.title);
        markdown.code("mermaid", &diagram.source);
    }
    parts.iter().for_each(|part| markdown.prose(part.markdown));
    let mut headings: Vec<(String, String)> = diagrams
        .iter()
        .map(|d| (d.id.clone(), d.title.clone()))
        .collect();
    headings.extend(docs::headings(&parts));
    Some(SectionBody {
        view: View::serialize(&Architecture {
            diagrams,
            content_html: (!parts.is_empty()).then(|| docs::joined(&parts)),
            source: parts.first().map(|part| about.here.place(part.place)),
        }),
        markdown,
        headings,
        count: None,
    })
}
