//! Operations: runbooks, shown by their symptoms, and the alerts that link to them.

use serde::Serialize;

use super::{About, SectionBody};
use crate::catalog::Component;
use crate::facts;
use crate::knowledge::pages::{AlertPage, AuthoredPage, DocSection, DocTopic, plain};
use crate::knowledge::route::Anchors;
use crate::knowledge::runbook::alert_subject;
use crate::knowledge::runbook::authored;
use crate::knowledge::runbook::standard::{Filled, Standard};
use crate::site::theme::View;
use crate::site::view::kube::{self, ContextView};
use crate::site::view::{LinkView, More, PlaceView, Text, commands, inline_code, shortened};
use markdown::Html;
use markdown::Subsection;
use markdown::text::{code, escaped, link};

#[derive(Serialize)]
struct Operations {
    /// Content before the first runbook.
    content_html: Option<Html>,
    runbooks: Vec<Runbook>,
    defaults: Vec<GeneratedRunbook>,
    /// kubectl contexts that the reader can choose.
    contexts: Vec<ContextView>,
    alerts: Vec<AlertRow>,
}

/// A runbook that was made from the manifests.
#[derive(Serialize)]
struct GeneratedRunbook {
    id: String,
    title: String,
    summary: Option<String>,
    parts_html: Html,
}

#[derive(Serialize)]
struct AlertRow {
    id: String,
    name: String,
    severity: Option<String>,
    summary: Option<String>,
    expression: String,
    runbook: Option<More>,
    /// The environments that have it, if not all of the component's.
    environments: Vec<String>,
    /// The component that declares it, if it is another.
    declared_by: Option<LinkView>,
    place: PlaceView,
}

#[derive(Serialize)]
struct Runbook {
    id: String,
    title: String,
    severity: Option<&'static str>,
    summary: Option<String>,
    symptoms_html: Option<Html>,
    href: Option<String>,
    place: Option<PlaceView>,
    parts: Vec<RunbookStep>,
}

#[derive(Serialize)]
struct RunbookStep {
    title: Option<String>,
    content_html: Option<Html>,
}

pub fn write(about: &About<'_>) -> Option<SectionBody> {
    let parts: Vec<&DocSection<'_>> = about.docs.about(DocTopic::Operations).collect();
    let pages: Vec<&AuthoredPage> = about.here.context.pages.runbooks(about.index).collect();
    let alerts = alerts(about);
    let own = &about
        .here
        .context
        .runbooks
        .for_component(about.index)
        .runbooks;
    if parts.is_empty() && own.is_empty() && alerts.is_empty() {
        return None;
    }
    let mut markdown = Text::default();
    let mut runbooks = Vec::new();
    let mut anchors = Anchors::default();
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
        let runbook = of_page(about, page, &mut anchors);
        let named = link(&runbook.title, runbook.href.as_deref());
        markdown.item(&match &runbook.summary {
            Some(summary) => format!("{named}: {}", escaped(summary)),
            None => named,
        });
        runbooks.push(runbook);
    }
    let mut headings: Vec<(String, String)> = runbooks
        .iter()
        .map(|one| (one.id.clone(), one.title.clone()))
        .collect();
    let standards = own.iter().filter_map(|listed| listed.standard);
    let standards = standards.filter_map(|at| about.here.context.standards.get(at));
    let case = about.here.context.case(about.index);
    let mut defaults = Vec::new();
    for standard in standards {
        let filled = standard.filled(&case);
        in_markdown(standard, &filled, &mut markdown);
        defaults.push(generated(standard, &filled));
    }
    if !defaults.is_empty() {
        headings.push(("defaults".to_owned(), "Generated runbooks".to_owned()));
    }
    if !alerts.is_empty() {
        headings.push(("alerts".to_owned(), "Alerts".to_owned()));
        markdown.heading(3, "Alerts");
        markdown.table(
            &["Alert", "Severity", "Fires when", "Runbook"],
            alerts.iter().map(|alert| {
                let runbook = alert.runbook.as_ref();
                let mut name = code(&alert.name);
                if !alert.environments.is_empty() {
                    name.push_str(&format!(" ({})", escaped(&alert.environments.join(", "))));
                }
                if let Some(by) = &alert.declared_by {
                    name.push_str(&format!(
                        ", declared by {}",
                        link(&by.title, by.href.as_deref())
                    ));
                }
                vec![
                    name,
                    escaped(alert.severity.as_deref().unwrap_or_default()),
                    escaped(alert.summary.as_deref().unwrap_or(&alert.expression)),
                    runbook.map_or_else(
                        || "none".to_owned(),
                        |more| link(&more.title, Some(&more.href)),
                    ),
                ]
            }),
        );
    }
    Some(SectionBody {
        headings,
        count: (!runbooks.is_empty()).then_some(runbooks.len()),
        view: View::serialize(&Operations {
            content_html: (!leads.trim().is_empty()).then(|| Html::trusted(leads)),
            runbooks,
            defaults,
            contexts: kube::contexts(&about.here, about.component),
            alerts,
        }),
        markdown,
    })
}

/// A heading with its commands.
fn written(about: &About<'_>, part: &DocSection<'_>, sub: &Subsection) -> Runbook {
    let (symptoms, rest) = symptoms(sub.html.as_str());
    let place = base::Place {
        line: sub.line,
        ..part.place
    };
    Runbook {
        id: sub.id.clone(),
        title: sub.title.clone(),
        severity: None,
        summary: symptoms.and_then(first_sentence),
        symptoms_html: symptoms.map(|html| Html::trusted(format!("<p>{html}</p>"))),
        href: None,
        place: Some(about.here.place(place)),
        parts: (!rest.trim().is_empty())
            .then(|| RunbookStep {
                title: None,
                content_html: Some(Html::trusted(rest.trim().to_owned())),
            })
            .into_iter()
            .collect(),
    }
}

/// A page of its own about this component.
fn of_page(about: &About<'_>, page: &AuthoredPage, anchors: &mut Anchors) -> Runbook {
    let title = page.title(about.here.context.repo);
    let sections = || {
        let sections = page.page.sections.iter();
        sections.filter_map(|section| {
            Some((
                authored::RunbookSection::from_heading(&section.title)?,
                section,
            ))
        })
    };
    let symptoms = sections().find(|(part, _)| *part == authored::RunbookSection::Symptoms);
    let lead = symptoms.map_or(&page.page.lead, |(_, section)| &section.html);
    let summary = first_sentence(first_words(lead.as_str()));
    let href = page.route().map(|route| about.here.to(route));
    // Meaning and impact take a line each; the steps are on the runbook's page.
    let told = [
        authored::RunbookSection::Meaning,
        authored::RunbookSection::Impact,
    ];
    let parts = sections().filter(|(part, _)| told.contains(part));
    let parts = parts.filter_map(|(part, section)| {
        let text = first_sentence(first_words(section.html.as_str()))?;
        Some(RunbookStep {
            title: Some(part.title().to_owned()),
            content_html: Some(Html::trusted(format!(
                "<p>{}</p>",
                Html::escape(&text).as_str()
            ))),
        })
    });
    let parts = parts.collect();
    Runbook {
        id: anchors.id("runbook", &title),
        title,
        severity: None,
        summary,
        symptoms_html: None,
        href,
        place: Some(about.here.place(base::Place::start_of(page.file))),
        parts,
    }
}

/// A default runbook with the component's names. Most pages have several, so the markup is written here, not in a
/// template.
fn generated(standard: &Standard, filled: &[Filled]) -> GeneratedRunbook {
    let mut parts_html = Html::default();
    let mut is_open = false;
    let mut label = standard.title.clone();
    for part in filled {
        if !is_open {
            parts_html.markup("\n<div class=\"part\">");
        }
        // A heading and the content after it form one part.
        is_open = matches!(part, Filled::Heading(_));
        match part {
            Filled::Heading(title) => {
                parts_html.markup("<h3>").text(title).markup("</h3>");
                label = format!("{}: {title}", standard.title);
                continue;
            }
            Filled::Paragraph(text) => {
                parts_html.markup("<div class=\"prose\"><p>");
                parts_html.html(&inline_code(text)).markup("</p></div>");
            }
            Filled::Items(items) => {
                parts_html.markup("<div class=\"prose\"><ul>");
                for item in items {
                    let item = inline_code(item);
                    parts_html.markup("<li>").html(&item).markup("</li>");
                }
                parts_html.markup("</ul></div>");
            }
            Filled::Commands(steps) => {
                let steps = steps.iter();
                let steps = steps.map(|step| (step.comment.as_deref(), &step.commands[..]));
                parts_html.html(&commands(&label, steps));
            }
        }
        parts_html.markup("</div>");
    }
    GeneratedRunbook {
        id: runbook_anchor(&standard.name),
        title: standard.title.clone(),
        summary: Some(standard.symptom.replace('`', "")).filter(|symptom| !symptom.is_empty()),
        parts_html,
    }
}

fn in_markdown(standard: &Standard, filled: &[Filled], markdown: &mut Text) {
    markdown.heading(3, &standard.title);
    markdown.prose(&standard.symptom);
    for part in filled {
        match part {
            Filled::Heading(title) => markdown.heading(4, title),
            Filled::Paragraph(text) => markdown.prose(text),
            Filled::Items(items) => items.iter().for_each(|item| markdown.item(item)),
            Filled::Commands(steps) => {
                let steps = steps.iter().map(|step| {
                    let comment = step.comment.iter().map(|comment| format!("# {comment}"));
                    let lines: Vec<String> = comment.chain(step.commands.iter().cloned()).collect();
                    lines.join("\n")
                });
                markdown.code("bash", &steps.collect::<Vec<_>>().join("\n\n"));
            }
        }
    }
}

/// The first paragraph or entry, of what may be long.
fn first_words(html: &str) -> &str {
    let ends = ["</p>", "</li>"].iter().filter_map(|end| html.find(end));
    ends.min().map_or(html, |end| &html[..end])
}

/// Its own alerts, those of others that are about it, and those that lead to a runbook about it.
fn alerts(about: &About<'_>) -> Vec<AlertRow> {
    let catalog = about.here.context.catalog;
    let context = about.here.context;
    let own = context.runbooks.for_component(about.index);
    let listed = alert_subject::listed(catalog, &context.pages, own, about.index);
    let mut anchors = Anchors::default();
    let rows = listed.into_iter().map(|listed| {
        let component = &catalog.components[listed.declared_by];
        let alert = &component.alerts[listed.at];
        let environments = component.per_environment.alerts.get(listed.at);
        let environments = environments.filter(|own| own.len() < component.environments.len());
        let declared_by = (listed.declared_by != about.index).then(|| LinkView {
            title: component.title.clone(),
            href: Some(
                about
                    .here
                    .to(&about.here.context.routes.components[listed.declared_by]),
            ),
        });
        AlertRow {
            id: anchors.id("alert", &alert.name),
            name: alert.name.to_string(),
            severity: alert.severity.as_ref().map(|word| word.to_string()),
            summary: alert.summary.as_ref().map(|text| text.to_string()),
            expression: match &alert.lasting {
                Some(lasting) => {
                    format!("{} (for {lasting})", shortened(&alert.expression, LONGEST))
                }
                None => shortened(&alert.expression, LONGEST).into_owned(),
            },
            runbook: answer(about, alert),
            environments: environments
                .into_iter()
                .flatten()
                .map(|name| name.to_string())
                .collect(),
            declared_by,
            place: about.here.place(alert.place),
        }
    });
    rows.collect()
}

/// The ids of the rows of its own alerts, in order.
pub fn alert_anchors(component: &Component) -> Vec<String> {
    let mut anchors = Anchors::default();
    let alerts = component.alerts.iter();
    alerts
        .map(|alert| anchors.id("alert", &alert.name))
        .collect()
}

/// The id of a generated runbook, by the name of its file.
pub fn runbook_anchor(name: &str) -> String {
    Anchors::default().id("default", name)
}

/// A longer expression is cut.
const LONGEST: usize = 200;

fn answer(about: &About<'_>, alert: &facts::Alert) -> Option<More> {
    let (here, context) = (&about.here, about.here.context);
    Some(match context.pages.answer(alert)? {
        AlertPage::Document(at, fragment) => {
            let document = &context.pages.documents[at];
            let heading = fragment.and_then(|id| document.heading(id));
            More {
                title: heading.map_or_else(|| document.title(context.repo), str::to_owned),
                href: context.pages.href(
                    here.route,
                    document,
                    fragment,
                    &context.routes.components,
                ),
            }
        }
        AlertPage::Elsewhere(address) => More {
            title: address
                .trim_end_matches('/')
                .rsplit(['/', '#'])
                .next()
                .unwrap_or(address)
                .to_owned(),
            href: address.to_owned(),
        },
    })
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

/// In plain words, with a capital unless it begins with what must be written as it is.
fn first_sentence(html: &str) -> Option<String> {
    let text = plain(html);
    let end = text.find(". ").map_or(text.len(), |at| at + 1);
    let mut letters = text[..end].chars();
    let is_code = begins_with_code(html);
    let sentence: String = match letters.next() {
        Some(first) if !is_code => first.to_uppercase().chain(letters).collect(),
        _ => text[..end].to_owned(),
    };
    match sentence.char_indices().nth(200) {
        Some((end, _)) => Some(format!("{}…", &sentence[..end])),
        None => Some(sentence).filter(|sentence| !sentence.is_empty()),
    }
}

fn begins_with_code(html: &str) -> bool {
    let mut rest = html.trim_start();
    while rest.starts_with('<') && !rest.starts_with("<code") {
        let Some((_, after)) = rest.split_once('>') else {
            return false;
        };
        rest = after.trim_start();
    }
    rest.starts_with("<code")
}
