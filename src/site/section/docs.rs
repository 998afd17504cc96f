//! Authored documentation: purpose, features, and headings of its own.

use serde::Serialize;

use super::{About, SectionBody, WrittenSection};
use crate::knowledge::pages::{DocSection, DocTopic};
use crate::site::theme::View;
use crate::site::view::{PlaceView, Text};
use markdown::Html;

#[derive(Serialize)]
struct Prose {
    content_html: Html,
    source: Option<PlaceView>,
}

/// Everything about one topic.
pub fn write(about: &About<'_>, topic: DocTopic) -> Option<SectionBody> {
    let parts: Vec<&DocSection<'_>> = about.docs.about(topic).collect();
    body(about, &parts)
}

/// The author's own sections that follow a section of the page; those before any come first.
pub fn own(about: &About<'_>, after: Option<DocTopic>) -> Vec<WrittenSection> {
    let parts = about.docs.parts.iter();
    let own = parts.filter(|part| part.topic.is_none() && part.after == after);
    let written = own.filter_map(|part| {
        Some(WrittenSection {
            kind: "prose",
            id: format!("section-{}", part.id()),
            title: part.title.to_owned(),
            body: body(about, &[part])?,
        })
    });
    written.collect()
}

fn body(about: &About<'_>, parts: &[&DocSection<'_>]) -> Option<SectionBody> {
    let first = parts.first()?;
    let mut markdown = Text::default();
    parts.iter().for_each(|part| markdown.prose(part.markdown));
    Some(SectionBody {
        view: View::serialize(&Prose {
            content_html: joined(parts),
            source: Some(about.here.place(first.place)),
        }),
        markdown,
        headings: headings(parts),
        count: None,
    })
}

/// The markup of several parts, one after the other.
pub fn joined(parts: &[&DocSection<'_>]) -> Html {
    let all: Vec<&str> = parts.iter().map(|part| part.html.as_str()).collect();
    Html::trusted(all.join("\n"))
}

/// The subheadings of the parts.
pub fn headings(parts: &[&DocSection<'_>]) -> Vec<(String, String)> {
    let sections = parts.iter().filter_map(|part| part.section);
    let below = sections.flat_map(|section| &section.subsections);
    below
        .map(|sub| (sub.id.clone(), sub.title.clone()))
        .collect()
}
