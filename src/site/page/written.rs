//! A Markdown file as a page of its own.

use std::fmt::Write;

use super::document::{self, DocumentHead};
use super::frame::{PageHead, Toc};
use super::{PageContent, view};
use crate::input::repo::{LastChange, Repo};
use crate::input::repo_host::RepoHost;
use crate::knowledge::DocumentRef;
use crate::knowledge::pages::{self, plain};
use crate::site::view::{Here, LinkView};
use base::{FileId, Place};
use markdown::Html;
use markdown::text::link;

/// Components that a page is about, beyond which it names none.
const MOST_NAMED: usize = 12;

/// A file of the repo.
pub fn write(here: &Here<'_>, at: usize) -> PageContent {
    let context = here.context;
    let document = &context.pages.documents[at];
    let kind = context.knowledge.document(document.file);
    let above = match kind {
        Some(DocumentRef::Decision(_)) => {
            let first = context.knowledge_pages.decisions.first();
            ("Decisions", first.map(|sheet| &sheet.route))
        }
        Some(_) => ("Ledger", context.knowledge_pages.ledger.as_ref()),
        None => ("Docs", None),
    };
    let above = match above {
        (title, Some(route)) => (title, here.to(route)),
        (_, None) => ("Docs", here.to(&context.routes.pages)),
    };
    let repo_host = context.repo_host.as_ref();
    content(here, document, context.repo, repo_host, Some(above), kind)
}

/// The day of the last commit that changed a file, and a link to it.
fn changed(repo: &Repo, repo_host: Option<&RepoHost>, file: FileId) -> Option<LinkView> {
    let last = repo.history()?.last_change(file)?;
    Some(match last {
        LastChange::In(change) => LinkView {
            title: change.date.get(..10).unwrap_or(&change.date).to_owned(),
            href: repo_host.map(|repo_host| repo_host.commit_page(&change.commit)),
        },
        LastChange::Before(day) => LinkView {
            title: format!("before {day}"),
            href: None,
        },
    })
}

/// A file of the guide.
pub fn guide(here: &Here<'_>, at: usize) -> PageContent {
    let guide = here
        .context
        .guide
        .expect("a page of the guide is listed only where there is one");
    let document = &guide.documents()[at];
    let first = guide.documents()[guide.first()].route();
    let above = first.filter(|first| *first != here.route);
    let above = above.map(|first| ("Guide", here.to(first)));
    content(
        here,
        document,
        &guide.repo,
        guide.repo_host.as_ref(),
        above,
        None,
    )
}

fn content(
    here: &Here<'_>,
    document: &pages::AuthoredPage,
    repo: &Repo,
    repo_host: Option<&RepoHost>,
    above: Option<(&str, String)>,
    kind: Option<DocumentRef>,
) -> PageContent {
    let context = here.context;
    let written = &document.page;
    let path = repo.path(document.file).as_str();
    let title = document.title(repo);
    // Two pages of one name cannot be told apart in a list of tabs.
    let title = if title == context.title {
        "About this repository".to_owned()
    } else {
        title
    };
    let mut page = PageHead::new(here, "page", title);
    if let Some((title, href)) = above {
        page = page.below(title, href);
    }
    let lead = plain(written.lead.as_str());
    page.description = (!lead.is_empty()).then(|| lead.chars().take(200).collect());
    if let Some(repo_host) = repo_host {
        page.edit_href = Some(repo_host.edit(path));
        page.source_href = Some(repo_host.line(
            repo,
            Place {
                line: 0,
                ..Place::start_of(document.file)
            },
        ));
    }
    page.changed = changed(repo, repo_host, document.file);
    let mut body = written.lead.as_str().to_owned();
    let head = kind.map(|kind| document::head(here, kind));
    let mut markdown = head.as_ref().map(DocumentHead::above).unwrap_or_default();
    markdown.prose(&written.lead_markdown);
    for section in &written.sections {
        let (id, title) = (Html::escape(&section.id), Html::escape(&section.title));
        let (id, title) = (id.as_str(), title.as_str());
        // The page has its own title, so its headings start at level 2.
        let level = section.level.clamp(2, 6);
        let _ = write!(
            body,
            "<h{level} id=\"{id}\">{title}<a class=\"anchor\" href=\"#{id}\" aria-label=\"Link to {title}\">#</a></h{level}>{}",
            section.html.as_str()
        );
        markdown.heading(usize::from(level), &section.title);
        markdown.prose(&section.markdown);
        page.toc.push(Toc::new(2, &section.id, &section.title));
        let below = section.subsections.iter();
        page.toc
            .extend(below.map(|sub| Toc::new(3, &sub.id, &sub.title)));
    }
    let mut views = vec![
        view("body_html", &Html::trusted(body)),
        view("show_title", &true),
    ];
    let template = match &head {
        Some(head) => {
            head.add_to(&mut page);
            markdown.append(&head.below());
            views.push(view("record", head));
            "pages/decision.html"
        }
        None => {
            let about = here.mentions(&document.about, MOST_NAMED).0;
            let links = about
                .iter()
                .map(|one| link(&one.title, one.href.as_deref()));
            let links: Vec<String> = links.collect();
            if !links.is_empty() {
                markdown.prose(&format!("About: {}", links.join(", ")));
            }
            views.push(view("about", &about));
            "pages/page.html"
        }
    };
    PageContent {
        template,
        page,
        views,
        markdown,
    }
}
