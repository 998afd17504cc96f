//! What to do when something is wrong: the runbooks of the prose, open to their symptoms.

use serde::Serialize;

use super::{About, Body};
use crate::prose::{Document, Part, is_runbook, plain};
use crate::render::Html;
use crate::render::markdown::Subsection;
use crate::render::theme::View;
use crate::view::text::{escaped, link};
use crate::view::{Place, Text};

#[derive(Serialize)]
struct Operations {
    /// What stands before the first runbook.
    content_html: Option<Html>,
    runbooks: Vec<Runbook>,
}

#[derive(Serialize)]
struct Runbook {
    id: String,
    title: String,
    severity: Option<&'static str>,
    generated: bool,
    summary: Option<String>,
    symptoms_html: Option<Html>,
    href: Option<String>,
    place: Option<Place>,
    parts: Vec<Step>,
}

#[derive(Serialize)]
struct Step {
    title: Option<String>,
    content_html: Option<Html>,
}

pub fn write(about: &About<'_>) -> Option<Body> {
    let parts: Vec<&Part<'_>> = about.story.of("operations").collect();
    let pages: Vec<&Document> = {
        let documents = about.here.book.prose.documents.iter();
        let own = documents.filter(|document| document.about.contains(&about.index));
        own.filter(|document| is_runbook(about.here.book.repo.path(document.file)))
            .collect()
    };
    if parts.is_empty() && pages.is_empty() {
        return None;
    }
    let mut markdown = Text::default();
    let mut runbooks = Vec::new();
    let mut leads = String::new();
    for part in &parts {
        markdown.prose(part.markdown);
        match part.section {
            Some(section) => {
                leads.push_str(&format!(
                    "<span id=\"{}\"></span>",
                    Html::escape(&section.id).as_str()
                ));
                leads.push_str(section.lead.as_str());
                runbooks.extend(
                    section
                        .subsections
                        .iter()
                        .map(|sub| written(about, part, sub)),
                );
            }
            None => leads.push_str(part.html.as_str()),
        }
    }
    for page in pages {
        let runbook = of_page(about, page);
        markdown.item(&link(&runbook.title, runbook.href.as_deref()));
        if let Some(summary) = &runbook.summary {
            markdown.paragraph(&escaped(summary));
        }
        runbooks.push(runbook);
    }
    Some(Body {
        headings: runbooks
            .iter()
            .map(|one| (one.id.clone(), one.title.clone()))
            .collect(),
        count: (!runbooks.is_empty()).then_some(runbooks.len()),
        view: View::of(&Operations {
            content_html: (!leads.trim().is_empty()).then(|| Html::trusted(leads)),
            runbooks,
        }),
        markdown,
    })
}

/// A heading in the prose with its commands.
fn written(about: &About<'_>, part: &Part<'_>, sub: &Subsection) -> Runbook {
    let (symptoms, rest) = symptoms(sub.html.as_str());
    let place = crate::diagnostic::Place {
        line: sub.line,
        ..part.place
    };
    Runbook {
        id: sub.id.clone(),
        title: sub.title.clone(),
        severity: None,
        generated: false,
        summary: symptoms.map(plain).map(|text| first_sentence(&text)),
        symptoms_html: symptoms.map(|html| Html::trusted(format!("<p>{html}</p>"))),
        href: None,
        place: Some(about.here.place(place)),
        parts: (!rest.trim().is_empty())
            .then(|| Step {
                title: None,
                content_html: Some(Html::trusted(rest.trim().to_owned())),
            })
            .into_iter()
            .collect(),
    }
}

/// A page of its own about this component.
fn of_page(about: &About<'_>, page: &Document) -> Runbook {
    let title = page.title(about.here.book.repo);
    let mut sections = page.page.sections.iter();
    let symptoms = sections.find(|section| section.title.to_lowercase().starts_with("symptom"));
    let lead = symptoms.map_or(&page.page.lead, |section| &section.html);
    let summary = plain(lead.as_str());
    Runbook {
        id: format!("runbook-{}", crate::route::slug(&title.to_lowercase())),
        title,
        severity: None,
        generated: false,
        summary: (!summary.is_empty()).then(|| first_sentence(&summary)),
        symptoms_html: None,
        href: page.route().map(|route| about.here.to(route)),
        place: Some(
            about
                .here
                .place(crate::diagnostic::Place::start_of(page.file)),
        ),
        parts: Vec::new(),
    }
}

/// The inside of a first paragraph that begins with the word, without it, and what follows.
fn symptoms(html: &str) -> (Option<&str>, &str) {
    let paragraph = html.trim_start().strip_prefix("<p><strong>");
    let split = paragraph.and_then(|inside| inside.split_once("</strong>"));
    let Some((word, rest)) = split else {
        return (None, html);
    };
    let is_meant = word
        .trim_end_matches(':')
        .trim()
        .to_lowercase()
        .starts_with("symptom");
    match rest.split_once("</p>").filter(|_| is_meant) {
        Some((text, rest)) => (Some(text.trim_start_matches([':', ' '])), rest),
        None => (None, html),
    }
}

fn first_sentence(text: &str) -> String {
    let end = text.find(". ").map_or(text.len(), |at| at + 1);
    let mut letters = text[..end].chars();
    let sentence: String = match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    };
    match sentence.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", &sentence[..end]),
        None => sentence,
    }
}
