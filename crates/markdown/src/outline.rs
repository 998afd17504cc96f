//! The outline of a page, computed before any of it is written: headings and their ids, footnotes, and sections.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use pulldown_cmark::{Event, Tag, TagEnd};

use super::raw;

pub type Events<'a> = [(Event<'a>, Range<usize>)];

/// The outline of a page.
#[derive(Default)]
pub struct PageOutline {
    /// By the index of the opening event.
    pub headings: BTreeMap<usize, OutlineHeading>,
    /// The heading that became the title of the page.
    pub title: Option<usize>,
    /// The headings that begin a section.
    pub sections: Vec<usize>,
    /// The headings at the top level of the document.
    tops: Vec<usize>,
    /// The events of each footnote definition, without the opening and closing ones.
    pub footnotes: BTreeMap<String, Range<usize>>,
    /// The ids of headings and of raw HTML.
    pub ids: BTreeSet<String>,
}

pub struct OutlineHeading {
    pub level: u8,
    /// Without the prefix of the page.
    pub id: String,
    /// Its text, without markup.
    pub title: String,
    /// The index of the closing event.
    pub end: usize,
}

impl PageOutline {
    /// The headings that divide the section from `start` to `end`.
    pub fn below(&self, start: usize, end: usize) -> Vec<usize> {
        let mut level = u8::MAX;
        let first = self.tops.partition_point(|top| *top <= start);
        let inside = self.tops[first..].iter().take_while(|top| **top < end);
        let dividing = inside.filter(|top| {
            let own = self.headings[top].level;
            let divides = own <= level;
            level = level.min(own);
            divides
        });
        dividing.copied().collect()
    }
}

pub fn outline(events: &Events<'_>) -> PageOutline {
    let mut outline = PageOutline::default();
    let mut taken = BTreeMap::new();
    let folded = folded(events, &mut outline.ids);
    // Number of open containers, and the footnote among them.
    let mut depth = 0usize;
    let mut footnote: Option<(String, usize, usize)> = None;
    let mut section_level = None;
    for (index, (event, _)) in events.iter().enumerate() {
        match event {
            Event::Start(Tag::Heading { level, id, .. }) => {
                let level = *level as u8;
                let (title, end) = heading_text(events, index);
                let slug = slug(id.as_deref().unwrap_or(&title));
                let heading = OutlineHeading {
                    level,
                    id: unique(slug, &mut taken),
                    title,
                    end,
                };
                if depth == 0 && !is_folded(&folded, index) {
                    outline.tops.push(index);
                    let is_first = outline.title.is_none() && outline.sections.is_empty();
                    if level == 1 && is_first {
                        outline.title = Some(index);
                    } else if section_level.is_none_or(|current| level <= current) {
                        outline.sections.push(index);
                        section_level = Some(level);
                    }
                }
                outline.ids.insert(heading.id.clone());
                outline.headings.insert(index, heading);
                depth += 1;
            }
            Event::Start(tag) => {
                if let Tag::FootnoteDefinition(name) = tag
                    && footnote.is_none()
                {
                    footnote = Some((name.to_string(), index + 1, depth));
                }
                depth += 1;
            }
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                if let Some((name, start, _)) = footnote.take_if(|(_, _, at)| *at == depth) {
                    outline.footnotes.entry(name).or_insert(start..index);
                }
            }
            _ => {}
        }
    }
    outline
}

/// The text of the heading that event `start` opens, and the index of its closing event.
fn heading_text(events: &Events<'_>, start: usize) -> (String, usize) {
    let mut title = String::new();
    for (index, (event, _)) in events.iter().enumerate().skip(start + 1) {
        match event {
            Event::Text(text) | Event::Code(text) => title.push_str(text),
            Event::SoftBreak | Event::HardBreak => title.push(' '),
            Event::End(TagEnd::Heading(_)) => return (title.trim().to_owned(), index),
            _ => {}
        }
    }
    (title, events.len().saturating_sub(1))
}

/// The events of each `<details>`: a heading inside must not split it.
fn folded(events: &Events<'_>, ids: &mut BTreeSet<String>) -> Vec<Range<usize>> {
    let mut open = Vec::new();
    let mut folded: Vec<Range<usize>> = Vec::new();
    let mut bytes = 0;
    for (index, (event, _)) in events.iter().enumerate() {
        let (Event::Html(html) | Event::InlineHtml(html)) = event else {
            continue;
        };
        bytes += html.len();
        if bytes <= raw::MAX_BYTES {
            raw::ids(html, ids);
        }
        let html = html.to_ascii_lowercase();
        for _ in html.matches("<details") {
            open.push(index);
        }
        for _ in html.matches("</details") {
            if let Some(start) = open.pop()
                && open.is_empty()
            {
                folded.push(start..index);
            }
        }
    }
    folded
}

fn is_folded(folded: &[Range<usize>], index: usize) -> bool {
    let at = folded.partition_point(|range| range.end <= index);
    folded.get(at).is_some_and(|range| range.contains(&index))
}

/// An id as GitHub and other hosts generate it, so that links which work there work here.
pub fn slug(text: &str) -> String {
    let mut slug = String::with_capacity(text.len());
    for c in text.trim().chars().flat_map(char::to_lowercase) {
        match c {
            ' ' => slug.push('-'),
            '-' | '_' => slug.push(c),
            c if c.is_alphanumeric() => slug.push(c),
            _ => {}
        }
    }
    if slug.is_empty() {
        slug.push_str("section");
    }
    slug
}

/// `taken` counts how many headings wanted each id.
fn unique(slug: String, taken: &mut BTreeMap<String, u32>) -> String {
    let mut id = slug.clone();
    while let Some(count) = taken.get(&id).copied() {
        let count = count.max(taken.get(&slug).copied().unwrap_or(0));
        taken.insert(slug.clone(), count + 1);
        id = format!("{slug}-{count}");
    }
    taken.insert(id.clone(), 1);
    id
}
