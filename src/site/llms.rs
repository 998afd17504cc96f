//! `llms.txt`, the contents of the catalogue for language models, and `llms-full.txt`, its pages as one text.

use rayon::prelude::*;

use crate::catalog::ComponentIx;
use crate::knowledge::route::Route;
use crate::site::context::SiteContext;
use crate::site::page::PageSubject;
use crate::site::standalone::{self, PageLinks};
use crate::site::theme::{Theme, ThemeError};
use crate::site::view::{Text, count, counted};
use markdown::text::{escaped, link};

pub const SHORT: &str = "llms.txt";
pub const FULL: &str = "llms-full.txt";

/// No model reads more than this at once.
const MOST_BYTES: usize = 4 * 1024 * 1024;
/// Pages that are rendered together.
const AT_ONCE: usize = 64;
const SEPARATOR: &str = "\n---\n\n";

/// The title, a summary, and a link to the Markdown of each page.
pub fn short(context: &SiteContext<'_>, pages: &[(Route, PageSubject)]) -> Vec<u8> {
    let mut text = Text::default();
    let components = counted(context.catalog.components.len(), "component");
    let environments = counted(context.catalog.environments.len(), "environment");
    text.paragraph(&format!(
        "> A service catalogue, generated from a GitOps repository: {components} in {environments}."
    ));
    text.paragraph(&format!(
        "[{FULL}]({0}{FULL}) has the pages as one text, [service-catalog.json]({0}service-catalog.json) the same facts for programs.",
        context.config.url.as_deref().unwrap_or_default()
    ));
    for layer in &context.layers {
        text.heading(2, &layer.title);
        for at in &layer.components {
            component(context, *at, &mut text);
        }
    }
    text.heading(2, "Further pages");
    for (route, subject) in pages {
        if let Some(title) = title(context, subject) {
            text.item(&link(&title, Some(&address(context, route))));
        }
    }
    text.titled(&context.title).into_string().into_bytes()
}

fn component(context: &SiteContext<'_>, at: ComponentIx, text: &mut Text) {
    let component = &context.catalog.components[at];
    let href = address(context, &context.routes.components[at]);
    let entry = link(&component.title, Some(&href));
    let description = context.pages.description(at, component);
    text.item(&match description {
        Some(description) => format!("{entry}: {}", escaped(&description.text)),
        None => entry,
    });
}

/// The Markdown of a page, from the root of the site.
fn address(context: &SiteContext<'_>, route: &Route) -> String {
    let site = context.config.url.as_deref().unwrap_or_default();
    format!("{site}{}", route.markdown())
}

/// The title of a page that is no component's; none for parts of lists.
fn title(context: &SiteContext<'_>, subject: &PageSubject) -> Option<String> {
    Some(match subject {
        PageSubject::Index => "All components and versions".to_owned(),
        PageSubject::Architecture => "Architecture".to_owned(),
        PageSubject::Changes => "Recent changes".to_owned(),
        PageSubject::Environment(at) => {
            format!("Environment {}", context.catalog.environments[*at].name)
        }
        PageSubject::Written(at) => context.pages.documents[*at].title(context.repo),
        PageSubject::Guide(at) => {
            let guide = context.guide?;
            guide.documents()[*at].title(&guide.repo)
        }
        PageSubject::Decisions(0) => "Decisions".to_owned(),
        PageSubject::Ledger => "Specs".to_owned(),
        PageSubject::Findings { page: 0, .. } => "Findings".to_owned(),
        _ => return None,
    })
}

/// The pages one after the other: components first, then what people wrote, then the rest. As many as fit.
pub fn full(
    context: &SiteContext<'_>,
    theme: &Theme,
    pages: &[(Route, PageSubject)],
) -> Result<String, ThemeError> {
    let mut ordered: Vec<&(Route, PageSubject)> = pages
        .iter()
        .filter(|(_, subject)| rank(subject).is_some())
        .collect();
    ordered.sort_by_key(|(_, subject)| rank(subject));
    let mut text = String::new();
    let mut written = 0;
    'all: for some in ordered.chunks(AT_ONCE) {
        let rendered = some.par_iter().map(|(route, subject)| {
            standalone::page(context, theme, route, subject, PageLinks::Root)
        });
        let rendered: Vec<String> = rendered.collect::<Result<_, _>>()?;
        for page in rendered {
            if text.len() + page.len() > MOST_BYTES {
                break 'all;
            }
            if written > 0 {
                text.push_str(SEPARATOR);
            }
            text.push_str(&page);
            written += 1;
        }
    }
    let left = ordered.len() - written;
    if left > 0 {
        let note = format!(
            "{SEPARATOR}{} of {} pages are left out; {SHORT} lists all of them.\n",
            count(left),
            count(ordered.len())
        );
        text.push_str(&note);
    }
    Ok(text)
}

/// The place of a page in the whole text; none for lists of what other pages say.
fn rank(subject: &PageSubject) -> Option<u8> {
    match subject {
        PageSubject::Component(_) => Some(0),
        PageSubject::Written(_) | PageSubject::Guide(_) => Some(1),
        PageSubject::Architecture | PageSubject::Environment(_) | PageSubject::Changes => Some(2),
        PageSubject::Findings { .. } => Some(3),
        _ => None,
    }
}
