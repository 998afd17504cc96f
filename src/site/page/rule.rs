//! A page for each rule with findings here, so that a finding's link works wherever the site is read.

use std::fmt::Write;

use super::frame::{PageHead, Toc};
use super::{PageContent, view};
use crate::checks;
use crate::site::view::{Here, Text, counted, severity};
use base::FileId;
use markdown::Html;
use markdown::highlight::Highlighter;
use markdown::{Context, Figures, LinkTarget};

pub fn write(here: &Here<'_>, name: &str) -> PageContent {
    let context = here.context;
    let mut page = PageHead::new(here, "page", name);
    let (mut body, mut markdown) = (String::new(), Text::default());
    if let Some(sheet) = context.finding_pages.first() {
        page = page.below("Findings", here.to(&sheet.route));
    }
    let found = context
        .findings
        .iter()
        .filter(|one| one.rule == name)
        .count();
    let link = listed(here, name).map(|href| {
        let href = Html::escape(&href);
        format!(
            "<p><a href=\"{}\">{} in this repository</a></p>",
            href.as_str(),
            counted(found, "finding")
        )
    });
    if let Some(rule) = checks::rule(name) {
        page.description = Some(rule.summary.to_owned());
        let severity = severity(rule.severity);
        let summary = Html::escape(rule.summary);
        let _ = write!(body, "<p><b>{severity}</b>: {}</p>", summary.as_str());
        body += &link.unwrap_or_default();
        markdown.prose(&format!("**{severity}**: {}", rule.summary));
        let (written, _) = markdown::render(
            rule.about,
            &Context {
                file: FileId::NONE,
                link: &|_| LinkTarget::Elsewhere,
                markdown_href: &str::to_owned,
                heading_prefix: "",
            },
            &Figures {
                code: &Highlighter::new(),
                mermaid: &|_| Err(diagram::Error::Unknown),
            },
        );
        body += written.lead.as_str();
        markdown.prose(&written.lead_markdown);
        for section in &written.sections {
            let (id, title) = (Html::escape(&section.id), Html::escape(&section.title));
            let (id, title) = (id.as_str(), title.as_str());
            let _ = write!(
                body,
                "<h2 id=\"{id}\">{title}<a class=\"anchor\" href=\"#{id}\" aria-label=\"Link to {title}\">#</a></h2>{}",
                section.html.as_str()
            );
            markdown.heading(2, &section.title);
            markdown.prose(&section.markdown);
            page.toc.push(Toc::new(2, &section.id, &section.title));
        }
    }
    PageContent {
        template: "pages/page.html",
        page,
        views: vec![
            view("body_html", &Html::trusted(body)),
            view("show_title", &true),
        ],
        markdown,
    }
}

/// Link to the first, most severe finding of a rule in the list of findings.
fn listed(here: &Here<'_>, name: &str) -> Option<String> {
    let context = here.context;
    let mut gravest = context.by_severity.iter();
    let first = gravest.position(|at| context.findings[*at].rule == name)?;
    let mut sheets = context.finding_pages.iter();
    let sheet = sheets.find(|sheet| sheet.range.contains(&first))?;
    Some(format!("{}#rule-{name}", here.to(&sheet.route)))
}
