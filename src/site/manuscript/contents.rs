//! `SUMMARY.md`: mdBook renders the pages that are listed in it, and no others. To the rest it is a page of contents.

use super::Entry;
use super::address::Addresses;
use super::front::{self, Listing};
use crate::site::context::SiteContext;
use crate::site::page::Subject;
use markdown::portable::words;

pub fn write(book: &SiteContext<'_>, entries: &[Entry<'_>], addresses: &Addresses<'_>) -> String {
    let mut listed: Vec<(Part, usize)> = entries
        .iter()
        .map(|e| part(book, e.subject))
        .zip(0..)
        .collect();
    listed.sort_unstable();
    let mut text = front::matter("Contents", None, "summary", Listing::Hidden);
    let mut last = None;
    for (part, at) in listed {
        let heading = part.heading(book);
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

/// Where a page is listed, in the order of the list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Overview,
    /// With the place in it: the layer's own pages first.
    Layer(usize, Option<usize>),
    Environments,
    Apis,
    Knowledge,
    Pages,
    Guide,
    Findings,
}

fn part(book: &SiteContext<'_>, subject: &Subject) -> Part {
    match subject {
        Subject::Index | Subject::Architecture | Subject::NotFound => Part::Overview,
        Subject::Component(at) => Part::Layer(book.related[*at].layer, Some(book.position[*at])),
        Subject::Layer { layer, .. } => Part::Layer(*layer, None),
        Subject::Environments | Subject::Environment { .. } => Part::Environments,
        Subject::ApiGroups | Subject::ApiGroup(_) => Part::Apis,
        Subject::Decisions(_) | Subject::Specs(_) | Subject::Ledger(_) => Part::Knowledge,
        Subject::AllWritten | Subject::Written(_) => Part::Pages,
        Subject::Guide(_) => Part::Guide,
        Subject::Findings { .. } | Subject::Rule(_) => Part::Findings,
    }
}

impl Part {
    fn heading<'b>(self, book: &'b SiteContext<'_>) -> &'b str {
        match self {
            Part::Overview => "Overview",
            Part::Layer(layer, _) => &book.layers[layer].title,
            Part::Environments => "Environments",
            Part::Apis => "APIs",
            Part::Knowledge => "Decisions and specs",
            Part::Pages => "Pages",
            Part::Guide => "Guide",
            Part::Findings => "Findings",
        }
    }
}
