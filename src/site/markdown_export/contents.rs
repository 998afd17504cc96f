//! `SUMMARY.md`: mdBook renders the pages that are listed in it, and no others. To the rest it is a page of contents.

use super::ExportedPage;
use super::address::Addresses;
use super::front::{self, Listing};
use crate::site::context::{LayerIx, SiteContext};
use crate::site::page::Subject;
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
    let mut text = front::matter("Contents", None, "summary", Listing::Hidden);
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
    /// With the place in it: the layer's own pages first.
    Layer(LayerIx, Option<usize>),
    Environments,
    Apis,
    Knowledge,
    Pages,
    Guide,
    Findings,
}

fn part(context: &SiteContext<'_>, subject: &Subject) -> ContentsGroup {
    match subject {
        Subject::Index | Subject::Architecture | Subject::NotFound => ContentsGroup::Overview,
        Subject::Component(at) => {
            ContentsGroup::Layer(context.related[*at].layer, Some(context.position[*at]))
        }
        Subject::Layer { layer, .. } => ContentsGroup::Layer(*layer, None),
        Subject::Environments | Subject::Environment { .. } => ContentsGroup::Environments,
        Subject::ApiGroups | Subject::ApiGroup(_) => ContentsGroup::Apis,
        Subject::Decisions(_) | Subject::Specs(_) | Subject::Ledger(_) => ContentsGroup::Knowledge,
        Subject::AllWritten | Subject::Written(_) => ContentsGroup::Pages,
        Subject::Guide(_) => ContentsGroup::Guide,
        Subject::Findings { .. } | Subject::Rule(_) => ContentsGroup::Findings,
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
