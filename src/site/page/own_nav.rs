//! The navigation among pages that people wrote: the guide, decisions, specs and other documents. It stands in the place of
//! the components.

use serde::Serialize;

use super::PageSubject;
use crate::knowledge::DocumentRef;
use crate::knowledge::pages::AuthoredPage;
use crate::site::view::{Here, More, count};
use base::FileId;

/// Pages beside each other.
pub struct OwnPages {
    pub label: &'static str,
    pub groups: Vec<OwnGroup>,
}

#[derive(Serialize)]
pub struct OwnGroup {
    title: String,
    links: Vec<OwnLink>,
    /// The full list, if this is a part of it.
    more: Option<More>,
}

#[derive(Serialize)]
struct OwnLink {
    title: String,
    href: String,
    current: bool,
}

/// Pages that are listed on each of them; of more, those around the current one.
const MOST_LISTED: usize = 60;
const MOST_AROUND: usize = 24;

/// The pages that belong with a page; none if it belongs with the components.
pub fn own_pages(here: &Here<'_>, subject: &PageSubject) -> Option<OwnPages> {
    let context = here.context;
    let document = |at: usize| context.knowledge.document(context.pages.documents[at].file);
    match subject {
        PageSubject::Guide(_) => Some(guide(here)),
        PageSubject::Decisions(_) => Some(decisions(here)),
        PageSubject::Ledger => Some(specs(here)),
        PageSubject::AllWritten => Some(documents(here, None)),
        PageSubject::Written(at) => Some(match document(*at) {
            Some(DocumentRef::Decision(_)) => decisions(here),
            Some(_) => specs(here),
            None => documents(here, Some(*at)),
        }),
        _ => None,
    }
}

fn guide(here: &Here<'_>) -> OwnPages {
    let guide = here.context.guide.into_iter();
    let pages = guide.flat_map(|guide| {
        let documents = guide.documents().iter();
        documents.filter_map(|document| own_link(here, document, document.title(&guide.repo)))
    });
    OwnPages {
        label: "Guide",
        groups: vec![group(here, "Guide", pages.collect(), None)],
    }
}

fn decisions(here: &Here<'_>) -> OwnPages {
    let context = here.context;
    let decisions = context.knowledge.decisions.iter();
    let pages = decisions.map(|one| (one.file, format!("{} {}", one.id, one.title)));
    let all = context.knowledge_pages.decisions.first();
    let all = all.map(|sheet| here.to(&sheet.route));
    OwnPages {
        label: "Decisions",
        groups: vec![group(here, "Decisions", by_file(here, pages), all)],
    }
}

fn specs(here: &Here<'_>) -> OwnPages {
    let context = here.context;
    let specs = context.knowledge.specs.iter();
    let pages = specs.map(|one| (one.file, format!("{} {}", one.id, one.title)));
    let all = context.knowledge_pages.ledger.as_ref();
    let all = all.map(|route| here.to(route));
    OwnPages {
        label: "Specs",
        groups: vec![group(here, "Specs", by_file(here, pages), all)],
    }
}

/// Other documents by directory; if there are many, only the directory of the current one.
fn documents(here: &Here<'_>, current: Option<usize>) -> OwnPages {
    let context = here.context;
    let directory = |page: &AuthoredPage| {
        let parent = context.repo.path(page.file).parent();
        parent.map_or_else(String::new, |parent| parent.to_string())
    };
    let all = context.pages.documents.iter().map(|page| &**page);
    let all = all
        .filter(|page| page.route().is_some() && context.knowledge.document(page.file).is_none());
    let mut all: Vec<(String, &AuthoredPage)> = all.map(|page| (directory(page), page)).collect();
    let list = here.to(&context.routes.pages);
    if all.len() > MOST_LISTED {
        let own = current.map(|at| directory(&context.pages.documents[at]));
        all.retain(|(directory, _)| Some(directory) == own.as_ref());
    }
    all.sort_by(|(a, _), (b, _)| a.cmp(b));
    let groups = all.chunk_by(|(a, _), (b, _)| a == b).map(|pages| {
        let title = match pages[0].0.as_str() {
            "" => "Docs",
            directory => directory,
        };
        let links = pages.iter();
        let links = links.filter_map(|(_, page)| own_link(here, page, page.title(context.repo)));
        group(here, title, links.collect(), Some(list.clone()))
    });
    OwnPages {
        label: "Documents",
        groups: groups.collect(),
    }
}

fn by_file(here: &Here<'_>, pages: impl Iterator<Item = (FileId, String)>) -> Vec<OwnLink> {
    let links = pages.filter_map(|(file, title)| {
        let page = here.context.pages.document(file)?;
        own_link(here, page, title)
    });
    links.collect()
}

fn own_link(here: &Here<'_>, page: &AuthoredPage, title: String) -> Option<OwnLink> {
    let route = page.route()?;
    Some(OwnLink {
        title,
        href: here.to(route),
        current: route == here.route,
    })
}

/// All of the links, or those around the current page.
fn group(here: &Here<'_>, title: &str, links: Vec<OwnLink>, all: Option<String>) -> OwnGroup {
    let total = links.len();
    let is_long = total > MOST_LISTED;
    let current = links.iter().position(|link| link.current).unwrap_or(0);
    let most = if is_long { MOST_AROUND } else { total };
    let start = current.saturating_sub(most / 2).min(total - most);
    let all = all.unwrap_or_else(|| here.to(here.route));
    OwnGroup {
        title: title.to_owned(),
        links: links.into_iter().skip(start).take(most).collect(),
        more: is_long.then(|| More {
            title: format!("Show all {}", count(total)),
            href: all,
        }),
    }
}
