//! Turns Markdown into the parts of a page: title, lead and sections, with links resolved, code highlighted and raw
//! HTML sanitised. The only importer of the Markdown parser. Whatever the input, the output is balanced and has no
//! script.

mod blocks;
mod front;
pub mod highlight;
mod html;
mod id;
mod link;
mod math;
mod outline;
mod place;
pub mod portable;
mod raw;
mod relink;
mod source;
mod tag;
pub mod text;
mod write;

use std::collections::BTreeSet;
use std::ops::Range;

use pulldown_cmark::{Event, Options};

use base::{FileId, Finding, Place};
pub use blocks::{Block, BlockKind, Blocks, Text, blocks};
pub use front::FrontMatter;
use highlight::Highlighter;
pub use html::Html;
pub use id::{PREFIX, id_on_page};
use outline::{PageOutline, outline};
use place::LineStarts;
pub use relink::relinked;
use source::MarkdownSource;
use write::Writer;

/// Maximum size of a page; the rest is cut off, with a finding.
pub const MAX_BYTES: usize = 2 * 1024 * 1024;

/// A page in parts.
#[derive(Debug, Clone, Default)]
pub struct Page {
    pub front_matter: FrontMatter,
    /// The first heading, if it is of level 1; it is in no other part.
    pub title: Option<String>,
    /// Everything before the first heading other than the title.
    pub lead: Html,
    /// The source of the lead, without the title.
    pub lead_markdown: String,
    /// The sections in order. One ends at a heading of the same or a higher level.
    pub sections: Vec<Section>,
    /// Links and images as written, in order.
    pub links: Vec<Link>,
    pub mermaid: Vec<MermaidBlock>,
    /// The words of the page including code, for search.
    pub text: String,
    /// Number of words.
    pub words: usize,
    /// Every anchor of the page, as written in it.
    pub ids: BTreeSet<String>,
}

/// A section with its subsections.
#[derive(Debug, Clone)]
pub struct Section {
    pub level: u8,
    /// Unique in the page, including [`Context::heading_prefix`].
    pub id: String,
    /// Without markup.
    pub title: String,
    /// Includes the headings of its subsections, but not its own.
    pub html: Html,
    /// Everything before its first subsection.
    pub lead: Html,
    pub subsections: Vec<Subsection>,
    pub line: u32,
    /// The source of `html`.
    pub markdown: String,
}

/// A part of a section, below a heading of the next level.
#[derive(Debug, Clone)]
pub struct Subsection {
    pub id: String,
    pub title: String,
    pub html: Html,
    pub line: u32,
    pub markdown: String,
}

/// A link or an image as its author wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub target: String,
    pub line: u32,
}

/// A Mermaid diagram of an author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MermaidBlock {
    pub source: String,
    pub line: u32,
}

/// A page without its markup.
#[derive(Debug, Clone, Default)]
pub struct Contents {
    pub sections: Vec<Heading>,
    /// Links and images as written, in order.
    pub links: Vec<Link>,
    /// Every anchor of the page, as written in it.
    pub ids: BTreeSet<String>,
}

/// A heading and the text below it.
#[derive(Debug, Clone)]
pub struct Heading {
    pub id: String,
    pub title: String,
    pub markdown: String,
    pub subsections: Vec<Heading>,
}

/// The surroundings of a page.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub file: FileId,
    /// Resolves a link or image of this file. Not called for other sites or anchors of this page; an anchor that the
    /// page does not have is passed as `#name`.
    pub link: &'a dyn Fn(&str) -> LinkTarget,
    /// Converts a resolved link for the Markdown version of the page.
    pub markdown_href: &'a dyn Fn(&str) -> String,
    /// Prefix of every id, so that several documents fit on one page.
    pub heading_prefix: &'a str,
}

/// Renders code and diagrams.
#[derive(Clone, Copy)]
pub struct Figures<'a> {
    pub code: &'a Highlighter,
    /// Renders a Mermaid block; on an error, the page shows its source.
    pub mermaid: &'a dyn Fn(&str) -> Result<Html, diagram::Error>,
}

/// The target of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkTarget {
    Href(String),
    /// It exists, but not on the site: the link is shown as text.
    Elsewhere,
    /// It does not exist: the link is shown as text and reported.
    Broken,
    /// As it was written.
    Keep,
}

/// Renders a page. No input makes it fail.
pub fn render(text: &str, context: &Context<'_>, figures: &Figures<'_>) -> (Page, Vec<Finding>) {
    page(text, context, Some(figures))
}

/// The contents of a page, with the findings of [`render`], but without highlighting, drawing or sanitising anything.
pub fn contents(text: &str, context: &Context<'_>) -> (Contents, Vec<Finding>) {
    let (page, findings) = page(text, context, None);
    let subsection = |sub: Subsection| Heading {
        id: sub.id,
        title: sub.title,
        markdown: sub.markdown,
        subsections: Vec::new(),
    };
    let sections = page.sections.into_iter().map(|section| Heading {
        id: section.id,
        title: section.title,
        markdown: section.markdown,
        subsections: section.subsections.into_iter().map(subsection).collect(),
    });
    let contents = Contents {
        sections: sections.collect(),
        links: page.links,
        ids: page.ids,
    };
    (contents, findings)
}

/// Reads a page. Without figures, it has no HTML.
fn page(text: &str, context: &Context<'_>, figures: Option<&Figures<'_>>) -> (Page, Vec<Finding>) {
    let mut findings = Vec::new();
    let text = within_limit(text, context.file, &mut findings);
    let (front_matter, start, broken) = front::split(text, context.file);
    findings.extend(broken);

    let source = MarkdownSource::new(text, start);
    let document = source.document();
    let events = &document.events;
    let outline = outline(events);
    let lines = LineStarts::new(text, context.file);
    let mut writer = Writer::new(text, &document, &outline, &lines, context, figures);

    let first = outline.sections.first().copied().unwrap_or(events.len());
    let title = outline
        .title
        .map(|index| (index, &outline.headings[&index]));
    if let Some((_, title)) = title {
        writer.words(&title.title);
    }
    let lead = match title {
        Some((index, heading)) => writer.part(&[0..index, heading.end + 1..first]),
        None => writer.part(std::slice::from_ref(&(0..first))),
    };
    let written = WrittenPage {
        text,
        events,
        outline: &outline,
        lines: &lines,
        heading_prefix: context.heading_prefix,
    };
    let lead_markdown = match title {
        Some((index, _)) => {
            let heading = &events[index].1;
            let above = writer.relinked(start..heading.start);
            let below = writer.relinked(heading.end..written.offset(first).max(heading.end));
            format!("{above}\n\n{below}")
        }
        None => writer.relinked(start..written.offset(first)),
    };
    let sections = outline.sections.iter().enumerate().map(|(number, &index)| {
        let next = outline.sections.get(number + 1).copied();
        written.section(&mut writer, index, next.unwrap_or(events.len()))
    });
    let mut page = Page {
        sections: sections.collect(),
        front_matter,
        title: title.map(|(_, heading)| heading.title.clone()),
        ids: outline
            .ids
            .iter()
            .map(|id| id_on_page(context.heading_prefix, id))
            .collect(),
        lead,
        lead_markdown: lead_markdown.trim().to_owned(),
        ..Page::default()
    };
    writer.finish(&mut page, &mut findings);
    findings.sort();
    (page, findings)
}

/// A page while its sections are written: the text, its events and its headings.
struct WrittenPage<'p> {
    text: &'p str,
    events: &'p [(Event<'p>, Range<usize>)],
    outline: &'p PageOutline,
    lines: &'p LineStarts<'p>,
    heading_prefix: &'p str,
}

impl WrittenPage<'_> {
    /// The offset of an event; the end of the text after the last one.
    fn offset(&self, index: usize) -> usize {
        self.events
            .get(index)
            .map_or(self.text.len(), |(_, bytes)| bytes.start)
    }

    /// The section from the heading at `index` up to `next`, with its subsections.
    fn section(&self, writer: &mut Writer<'_>, index: usize, next: usize) -> Section {
        let heading = &self.outline.headings[&index];
        let bytes = &self.events[index].1;
        writer.words(&heading.title);
        let below = self.outline.below(index, next);
        let lead_end = below.first().copied().unwrap_or(next);
        let lead = writer.part(std::slice::from_ref(&(heading.end + 1..lead_end)));
        let mut html = lead.clone();
        let subsections = below.iter().enumerate().map(|(number, &index)| {
            let next = below.get(number + 1).copied().unwrap_or(next);
            self.subsection(writer, index, next, &mut html)
        });
        let subsections = subsections.collect();
        Section {
            level: heading.level,
            id: id_on_page(self.heading_prefix, &heading.id),
            title: heading.title.clone(),
            html,
            lead,
            subsections,
            line: self.lines.line(bytes.start),
            markdown: writer.relinked(bytes.end..self.offset(next)),
        }
    }

    /// The subsection from the heading at `index` up to `next`; its HTML is appended to that of its section.
    fn subsection(
        &self,
        writer: &mut Writer<'_>,
        index: usize,
        next: usize,
        section_html: &mut Html,
    ) -> Subsection {
        let heading = &self.outline.headings[&index];
        let bytes = &self.events[index].1;
        let title = writer.part(std::slice::from_ref(&(index..heading.end + 1)));
        let body = writer.part(std::slice::from_ref(&(heading.end + 1..next)));
        section_html.0.push_str(&title.0);
        section_html.0.push_str(&body.0);
        Subsection {
            id: id_on_page(self.heading_prefix, &heading.id),
            title: heading.title.clone(),
            html: body,
            line: self.lines.line(bytes.start),
            markdown: writer.relinked(bytes.end..self.offset(next)),
        }
    }
}

/// The front matter of a page.
pub fn front_matter(text: &str) -> FrontMatter {
    front::split(text, FileId::NONE).0
}

fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_GFM
}

fn within_limit<'t>(text: &'t str, file: FileId, findings: &mut Vec<Finding>) -> &'t str {
    if text.len() <= MAX_BYTES {
        return text;
    }
    let message = format!(
        "the page is {} bytes long and is truncated after {MAX_BYTES}; split it",
        text.len()
    );
    findings.push(Finding::warning(
        "page-too-long",
        Place::start_of(file),
        message,
    ));
    cut(text, MAX_BYTES)
}

/// The first `most` bytes of a text, up to a character boundary.
fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

#[cfg(test)]
mod tests;
