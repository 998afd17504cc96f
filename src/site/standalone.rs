//! Markdown pages outside of their site: in a terminal, or joined to one text. Links lead to the published site, if its
//! address is known.

use crate::knowledge::route::{Route, resolved};
use crate::site::context::SiteContext;
use crate::site::page::{self, PageSubject};
use crate::site::theme::{Theme, ThemeError};

/// Where links between pages lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageLinks {
    /// To the published site; if its address is unknown, they are left out.
    Published,
    /// To the published site, or else to the Markdown pages, from the root of the site.
    Root,
}

/// A page as Markdown.
pub fn page(
    context: &SiteContext<'_>,
    theme: &Theme,
    route: &Route,
    subject: &PageSubject,
    links: PageLinks,
) -> Result<String, ThemeError> {
    let written = page::markdown_page(context, theme, route, subject)?;
    Ok(relinked(context, route, &written.markdown, links))
}

fn relinked(context: &SiteContext<'_>, route: &Route, text: &str, links: PageLinks) -> String {
    let site = context.config.url.as_deref();
    markdown::relinked(text, &|href| {
        let is_outside = ["https://", "http://", "mailto:"]
            .iter()
            .any(|scheme| href.starts_with(scheme));
        if is_outside {
            return Some(href.to_owned());
        }
        let (path, fragment) = match href.find('#') {
            Some(at) => href.split_at(at),
            None => (href, ""),
        };
        let target = resolved(route, path)?;
        match (site, links) {
            (Some(site), _) => {
                let stem = target.strip_suffix(".md");
                let target = stem.map_or(target.clone(), |stem| format!("{stem}.html"));
                Some(format!("{site}{target}{fragment}"))
            }
            (None, PageLinks::Root) => Some(format!("{target}{fragment}")),
            (None, PageLinks::Published) => None,
        }
    })
}
