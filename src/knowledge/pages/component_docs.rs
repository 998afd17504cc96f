//! The documentation of one component, by the section of its page that it belongs in.

use super::{AuthoredPage, PREFIX, RenderedPages, plain};
use crate::catalog::ComponentIx;
use base::{FileId, Place};
use markdown::Html;
use markdown::Section;

/// Authored documentation for a component's page.
#[derive(Debug, Default)]
pub struct ComponentDocs<'p> {
    /// One paragraph, without the element around it.
    pub summary: Option<Html>,
    /// The same as it was written.
    pub summary_markdown: Option<&'p str>,
    pub parts: Vec<DocSection<'p>>,
}

/// The topic of a part of the documentation. Each topic has a section on the component's page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocTopic {
    Purpose,
    Features,
    Architecture,
    Configuration,
    Operations,
}

/// A heading with the text below it.
#[derive(Debug)]
pub struct DocSection<'p> {
    /// The section of the page that it belongs in; none for what has a place of its own.
    pub topic: Option<DocTopic>,
    /// For what has a place of its own: the section that it follows.
    pub after: Option<DocTopic>,
    pub title: &'p str,
    pub section: Option<&'p Section>,
    /// With an anchor where its heading was.
    pub html: Html,
    pub markdown: &'p str,
    pub place: Place,
}

/// Headings as people write them, and the topics that they mean.
const HEADINGS: &[(DocTopic, &[&str])] = &[
    (
        DocTopic::Purpose,
        &[
            "purpose",
            "why",
            "about",
            "overview",
            "introduction",
            "summary",
            "description",
            "what it is",
            "what it does",
        ],
    ),
    (
        DocTopic::Features,
        &["features", "capabilities", "what it provides"],
    ),
    (
        DocTopic::Architecture,
        &["architecture", "design", "topology", "how it works"],
    ),
    (
        DocTopic::Configuration,
        &["configuration", "settings", "parameters"],
    ),
    (DocTopic::Operations, crate::knowledge::runbook::HEADINGS),
];

impl RenderedPages {
    /// Authored documentation of a component, README first.
    pub fn component_docs(&self, component: ComponentIx) -> ComponentDocs<'_> {
        let mut docs = ComponentDocs::default();
        for document in self.by_component.get(&component).into_iter().flatten() {
            docs.add(&self.documents[*document]);
        }
        docs
    }
}

impl<'p> ComponentDocs<'p> {
    fn add(&mut self, document: &'p AuthoredPage) {
        let page = &document.page;
        let (first, rest) = first_paragraph(page.lead.as_str());
        let (mut lead, mut markdown) = (page.lead.as_str(), page.lead_markdown.as_str());
        if let (None, Some(first)) = (&self.summary, first) {
            self.summary = Some(Html::trusted(first.to_owned()));
            lead = rest;
            (self.summary_markdown, markdown) = first_block(markdown);
        }
        if !lead.trim().is_empty() {
            self.parts.push(DocSection {
                topic: Some(DocTopic::Purpose),
                after: None,
                title: "Purpose",
                section: None,
                html: Html::trusted(lead.trim().to_owned()),
                markdown,
                place: Place::start_of(document.file),
            });
        }
        let mut after = None;
        for section in &page.sections {
            let topic = topic_of(&section.title);
            self.parts
                .push(DocSection::read(section, topic, after, document.file));
            after = topic.or(after);
        }
    }

    /// The parts about one topic.
    pub fn about(&self, topic: DocTopic) -> impl Iterator<Item = &DocSection<'p>> {
        self.parts
            .iter()
            .filter(move |part| part.topic == Some(topic))
    }
}

impl<'p> DocSection<'p> {
    fn read(
        section: &'p Section,
        topic: Option<DocTopic>,
        after: Option<DocTopic>,
        file: FileId,
    ) -> DocSection<'p> {
        let id = Html::escape(&section.id);
        let html = format!(
            "<span id=\"{}\"></span>{}",
            id.as_str(),
            section.html.as_str()
        );
        DocSection {
            topic,
            after,
            title: &section.title,
            section: Some(section),
            html: Html::trusted(html),
            markdown: &section.markdown,
            place: Place {
                line: section.line,
                ..Place::start_of(file)
            },
        }
    }

    /// The id of a section of its own.
    pub fn id(&self) -> &str {
        (self.section.map_or(PREFIX, |section| section.id.as_str())) as _
    }
}

/// Whether the section with this title contains runbooks.
pub fn is_operations(title: &str) -> bool {
    topic_of(title) == Some(DocTopic::Operations)
}

/// Whether the section with this title says what something is.
pub fn is_purpose(title: &str) -> bool {
    topic_of(title) == Some(DocTopic::Purpose)
}

fn topic_of(title: &str) -> Option<DocTopic> {
    let title = title.trim().to_lowercase();
    let title = title.trim_matches(|c: char| !c.is_alphanumeric());
    let known = HEADINGS.iter().find(|(_, names)| names.contains(&title));
    known.map(|(topic, _)| *topic)
}

/// The inside of the first paragraph that has words, and what follows it. Badges are passed over.
fn first_paragraph(html: &str) -> (Option<&str>, &str) {
    let mut rest = html.trim_start();
    while let Some(inside) = rest.strip_prefix("<p>") {
        let Some((paragraph, after)) = inside.split_once("</p>") else {
            break;
        };
        if plain(paragraph).split_whitespace().count() > 2 {
            return (Some(paragraph), after);
        }
        rest = after.trim_start();
    }
    (None, html)
}

/// The first block of words, and what follows it; badges are passed over here, too.
fn first_block(markdown: &str) -> (Option<&str>, &str) {
    let mut rest = markdown.trim_start();
    while !rest.is_empty() {
        let (block, after) = rest.split_once("\n\n").unwrap_or((rest, ""));
        if block.split_whitespace().count() > 2 && !block.starts_with("[![") {
            return (Some(block.trim()), after.trim());
        }
        rest = after.trim_start();
    }
    (None, markdown)
}
