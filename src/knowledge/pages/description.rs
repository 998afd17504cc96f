//! What files of the repo say that a component is: the first sentence of the README on its page, or of a document of its
//! name, a list in a README, or its chart.

use std::collections::BTreeMap;

use super::component_docs::is_purpose;
use super::home::{PageHome, Residence};
use super::listed;
use crate::catalog::{Catalog, Component, ComponentIx, DescribedBy, Description};
use crate::input::repo::{Repo, RepoPath};
use base::hash::HashMap;
use base::{FileId, Place};
use markdown::{Block, BlockKind};
use rayon::prelude::*;

/// A longer sentence describes more than what something is.
const LONGEST: usize = 240;
/// Fewer words say nothing.
const FEWEST_WORDS: usize = 4;

/// First words of sentences that are about the document, its reader or its author.
const POINTING: &[&str] = &[
    "after",
    "also",
    "as",
    "at",
    "because",
    "before",
    "by",
    "caution",
    "currently",
    "deprecated",
    "each",
    "every",
    "for",
    "from",
    "here",
    "how",
    "however",
    "i",
    "if",
    "important",
    "in",
    "it",
    "note",
    "once",
    "our",
    "please",
    "see",
    "since",
    "there",
    "these",
    "this",
    "to",
    "todo",
    "unless",
    "use",
    "warning",
    "we",
    "what",
    "when",
    "where",
    "while",
    "with",
    "without",
    "you",
    "your",
];
/// What `helm create` writes.
const UNTOUCHED: &str = "A Helm chart for Kubernetes";

/// How a document leads to the component that it may describe.
type LeadsTo = fn(&Residence) -> Option<ComponentIx>;

/// The description of each component that a file describes. READMEs come first, then other documents by path, then
/// charts.
pub fn descriptions(
    repo: &Repo,
    catalog: &Catalog,
    sources: &[(FileId, String)],
    homes: &BTreeMap<FileId, Residence>,
) -> BTreeMap<ComponentIx, Description> {
    let mut found = BTreeMap::new();
    let own = |residence: &Residence| match residence.home {
        PageHome::Component(at) => Some(at),
        PageHome::Own(_) => None,
    };
    let namesake = |residence: &Residence| residence.namesake;
    let ways: [LeadsTo; 2] = [own, namesake];
    for way in ways {
        for (file, text) in sources {
            let Some(component) = homes.get(file).and_then(way) else {
                continue;
            };
            if !found.contains_key(&component)
                && let Some(description) = described(*file, text)
            {
                found.insert(component, description);
            }
        }
    }
    // The README of a component lists what others do for it, not what they are.
    let is_overview = |(file, _): &&(FileId, String)| homes.get(file).and_then(own).is_none();
    let overviews = sources.iter().filter(is_overview);
    for (at, description) in listed::descriptions(repo, catalog, overviews) {
        found.entry(at).or_insert(description);
    }
    found.extend(by_charts(repo, catalog, &found));
    found
}

/// What charts of the repo say of components that nothing else describes. What several install says nothing about any of
/// them.
fn by_charts(
    repo: &Repo,
    catalog: &Catalog,
    known: &BTreeMap<ComponentIx, Description>,
) -> Vec<(ComponentIx, Description)> {
    let charts = Charts::read(repo);
    let each = catalog.components.iter_enumerated();
    let described = each.filter_map(|(at, component)| Some((at, charts.describe(component)?)));
    let described: Vec<(ComponentIx, &Description)> = described.collect();
    let mut installed: HashMap<Place, usize> = HashMap::default();
    for (_, description) in &described {
        *installed.entry(description.place).or_default() += 1;
    }
    let own = described.into_iter().filter(|(at, description)| {
        installed.get(&description.place) == Some(&1) && !known.contains_key(at)
    });
    own.map(|(at, description)| (at, description.clone()))
        .collect()
}

/// Charts of the repo that describe themselves.
struct Charts {
    by_directory: HashMap<RepoPath, Description>,
    by_version: HashMap<(String, String), Description>,
}

impl Charts {
    fn read(repo: &Repo) -> Charts {
        let is_chart = |file: &FileId| repo.path(*file).file_name() == "Chart.yaml";
        let files: Vec<FileId> = repo.files().filter(is_chart).collect();
        let read = files.into_par_iter().filter_map(|file| {
            let text = repo.read_text(file).ok()?;
            let documents = yaml::parse(&text, file).documents;
            let root = &documents.first()?.root;
            let description = root.get("description")?;
            let text = description
                .text()?
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            let text = text.trim_end_matches('.');
            let key = |name: &str| Some(root.text_at(&[name])?.to_owned());
            let says = !text.is_empty() && text != UNTOUCHED && text.len() <= LONGEST;
            says.then(|| {
                let described = Description {
                    text: text.to_owned(),
                    by: DescribedBy::Chart,
                    place: description.place,
                };
                (
                    repo.path(file).parent(),
                    key("name"),
                    key("version"),
                    described,
                )
            })
        });
        let mut charts = Charts {
            by_directory: HashMap::default(),
            by_version: HashMap::default(),
        };
        for (directory, name, version, description) in read.collect::<Vec<_>>() {
            if let (Some(name), Some(version)) = (name, version) {
                charts
                    .by_version
                    .insert((name, version), description.clone());
            }
            if let Some(directory) = directory {
                charts.by_directory.insert(directory, description);
            }
        }
        charts
    }

    /// The chart in its directory, else the one in the repo that it installs.
    fn describe(&self, component: &Component) -> Option<&Description> {
        let here = component.source.as_ref();
        let here = here.and_then(|source| self.by_directory.get(source));
        let installed = || {
            let chart = component.chart.as_ref()?;
            let version = chart.version.as_ref()?.to_string();
            self.by_version.get(&(chart.name.to_string(), version))
        };
        here.or_else(installed)
    }
}

/// The first sentence below the title, or below a heading such as *Overview* that follows it.
fn described(file: FileId, text: &str) -> Option<Description> {
    let blocks = markdown::blocks(text).blocks;
    let mut blocks = blocks.iter().skip_while(|block| is_title(block));
    let block = blocks.next()?;
    let BlockKind::Paragraph(text) = &block.kind else {
        return None;
    };
    let sentence = first_sentence(&text.plain)?;
    (block.depth == 0).then(|| Description {
        text: sentence,
        by: DescribedBy::Document,
        place: Place {
            line: block.line,
            ..Place::start_of(file)
        },
    })
}

fn is_title(block: &Block) -> bool {
    match &block.kind {
        BlockKind::Heading { level: 1, .. } => true,
        BlockKind::Heading { text, .. } => is_purpose(&text.plain),
        _ => false,
    }
}

/// A sentence that is complete, as one line. One that leads to a list or to code is not.
pub(super) fn first_sentence(text: &str) -> Option<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = text
        .match_indices(". ")
        .map(|(at, _)| at)
        // `e.g. this` goes on.
        .find(|at| {
            text[at + 2..].starts_with(|c: char| !c.is_lowercase()) && !is_short(&text[..*at])
        });
    let sentence = match end {
        Some(end) => &text[..end],
        None => text.trim_end_matches('.'),
    };
    let words = sentence.split(' ').count();
    let first = sentence.split(|c: char| !c.is_alphanumeric()).next();
    let first = first.unwrap_or_default().to_lowercase();
    let is_pointing = POINTING.contains(&first.as_str());
    let is_complete = !sentence.ends_with(':') && words >= FEWEST_WORDS && !is_pointing;
    (is_complete && sentence.len() <= LONGEST).then(|| sentence.to_owned())
}

/// Whether what precedes a full stop is an abbreviation, such as `vs` or `e.g`.
fn is_short(text: &str) -> bool {
    let word = text.rsplit(' ').next().unwrap_or_default();
    word.len() < 3 || word.contains('.') && word.len() < 5
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(markdown: &str) -> Option<String> {
        described(FileId(0), markdown).map(|one| one.text)
    }

    #[test]
    fn the_first_sentence_below_the_title_describes() {
        let cases = [
            (
                "# Shop\n\nSells things to\npeople, e.g. shoes. It is new.\n",
                Some("Sells things to people, e.g. shoes"),
            ),
            (
                "# Shop\n\n## Overview\n[Shop](https://x.io) sells things to people.\n",
                Some("Shop sells things to people"),
            ),
            ("# Shop\n\n## Setup\nRun this command at first.\n", None),
            ("# Shop\n\nTo install it, run this:\n\n```\nx\n```\n", None),
            ("# Shop\n\n- One of many things.\n", None),
            ("# Shop\n\nThis directory holds the shop.\n", None),
            ("# Shop\n\nWork in progress\n", None),
            ("# Shop\n\nBy default, the shop is closed.\n", None),
        ];
        for (markdown, expected) in cases {
            assert_eq!(text(markdown).as_deref(), expected, "{markdown}");
        }
    }
}
