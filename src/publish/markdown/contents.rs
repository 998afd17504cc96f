//! `SUMMARY.md`: mdBook renders the pages that are listed in it, and no others. To the rest it is a page of contents.

use super::ExportedPage;
use super::address::Addresses;
use super::front::{self, Visibility};
use crate::site::context::{LayerIx, SiteContext};
use crate::site::page::PageSubject;
use markdown::portable::words;

pub fn write(
    context: &SiteContext<'_>,
    entries: &[ExportedPage<'_>],
    addresses: &Addresses<'_>,
) -> String {
    let mut listed: Vec<(ContentsGroup, usize)> = entries
        .iter()
        .map(|e| part(context, e.subject))
        .zip(0..)
        .collect();
    listed.sort_unstable();
    let mut text = front::matter("Contents", None, "summary", Visibility::Hidden);
    let mut last = None;
    for (part, at) in listed {
        let heading = part.heading(context);
        if last != Some(heading) {
            text.push_str(&format!("\n# {}\n\n", words(heading)));
            last = Some(heading);
        }
        let entry = &entries[at];
        let (title, file) = (words(&entry.title), addresses.file(entry.route));
        text.push_str(&format!("- [{title}]({file})\n"));
    }
    text
}

/// The group that lists a page, in the order of the list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ContentsGroup {
    Overview,
    /// With the place in it.
    Layer(LayerIx, usize),
    Environments,
    Apis,
    Knowledge,
    Pages,
    Guide,
    Findings,
}

fn part(context: &SiteContext<'_>, subject: &PageSubject) -> ContentsGroup {
    match subject {
        PageSubject::Index
        | PageSubject::Architecture
        | PageSubject::Changes
        | PageSubject::NotFound => ContentsGroup::Overview,
        PageSubject::Component(at) | PageSubject::ComponentSettings(at) => {
            ContentsGroup::Layer(context.related[*at].layer, context.position[*at])
        }
        PageSubject::Environments
        | PageSubject::Environment(_)
        | PageSubject::EnvironmentSettings { .. } => ContentsGroup::Environments,
        PageSubject::ApiGroups | PageSubject::ApiGroup(_) => ContentsGroup::Apis,
        PageSubject::Decisions(_) | PageSubject::Ledger => ContentsGroup::Knowledge,
        PageSubject::AllWritten | PageSubject::Written(_) => ContentsGroup::Pages,
        PageSubject::Guide(_) => ContentsGroup::Guide,
        PageSubject::Findings { .. } | PageSubject::Rule(_) => ContentsGroup::Findings,
    }
}

impl ContentsGroup {
    fn heading<'b>(self, context: &'b SiteContext<'_>) -> &'b str {
        match self {
            ContentsGroup::Overview => "Overview",
            ContentsGroup::Layer(layer, _) => &context.layers[layer].title,
            ContentsGroup::Environments => "Environments",
            ContentsGroup::Apis => "APIs",
            ContentsGroup::Knowledge => "Decisions and specs",
            ContentsGroup::Pages => "Pages",
            ContentsGroup::Guide => "Guide",
            ContentsGroup::Findings => "Findings",
        }
    }
}
