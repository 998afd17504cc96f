//! Files that make up a component, and pages that mention it.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{About, SectionBody};
use crate::catalog::ComponentResource;
use crate::site::theme::View;
use crate::site::view::{Text, counted};
use base::FileId;
use markdown::text::{escaped, link};

#[derive(Serialize)]
struct Related {
    groups: Vec<RelatedGroup>,
}

#[derive(Serialize)]
struct RelatedGroup {
    title: &'static str,
    items: Vec<RelatedItem>,
    /// How many of them are shown at once.
    shown: usize,
}

#[derive(Serialize)]
struct RelatedItem {
    title: String,
    href: Option<String>,
    note: Option<String>,
}

impl RelatedGroup {
    fn new(title: &'static str, items: Vec<RelatedItem>) -> RelatedGroup {
        RelatedGroup {
            title,
            // A fold for one item saves nothing.
            shown: if items.len() > MOST_SHOWN + 1 {
                MOST_SHOWN
            } else {
                items.len()
            },
            items,
        }
    }
}

const OF_CHART: &str = "Objects of the chart";

/// Items beyond this are folded.
const MOST_SHOWN: usize = 30;
/// Files beyond this are counted rather than listed.
const MOST: usize = 500;

pub fn write(about: &About<'_>) -> Option<SectionBody> {
    let groups = [
        RelatedGroup::new("Manifests", manifests(about)),
        RelatedGroup::new(OF_CHART, of_chart(about)),
        RelatedGroup::new("Value sources", values(about)),
        RelatedGroup::new("Pages", pages(about)),
        RelatedGroup::new("API groups", apis(about)),
    ];
    let groups: Vec<RelatedGroup> = groups
        .into_iter()
        .filter(|group| !group.items.is_empty())
        .collect();
    if groups.is_empty() {
        return None;
    }
    let mut markdown = Text::default();
    for group in &groups {
        markdown.heading(3, group.title);
        for item in &group.items {
            let title = link(&item.title, item.href.as_deref());
            let is_list = group.title == OF_CHART;
            let names = item.note.as_ref().filter(|_| is_list);
            let names = names.map(|names| format!(": {}", escaped(names)));
            markdown.item(&format!("{title}{}", names.unwrap_or_default()));
        }
    }
    Some(SectionBody {
        view: View::serialize(&Related { groups }),
        markdown,
        headings: Vec::new(),
        count: None,
    })
}

/// The files that declare it and its objects, with the kinds in each.
fn manifests(about: &About<'_>) -> Vec<RelatedItem> {
    let mut kinds: BTreeMap<FileId, Vec<&str>> = BTreeMap::new();
    let place = about.component.place;
    if place.file != FileId::NONE && place.line > 0 {
        kinds.entry(place.file).or_default();
    }
    let declared = about.component.resources.iter();
    for resource in declared.filter(|one| !is_elsewhere(one)) {
        let kinds = kinds.entry(resource.place.file).or_default();
        if !kinds.contains(&resource.id.kind.as_str()) {
            kinds.push(&resource.id.kind);
        }
    }
    files(
        about,
        kinds
            .into_iter()
            .map(|(file, kinds)| {
                let note = match kinds.len() {
                    0 => None,
                    1..=4 => Some(kinds.join(", ")),
                    more => Some(counted(more, "kind")),
                };
                (file, note)
            })
            .collect(),
    )
}

/// Whether a published chart yields an object, so that no file here declares it.
fn is_elsewhere(resource: &ComponentResource) -> bool {
    let template = resource.template.as_ref();
    template.is_some_and(|line| line.file.is_none())
}

/// The objects that charts yield, by kind.
fn of_chart(about: &About<'_>) -> Vec<RelatedItem> {
    let mut kinds: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for resource in &about.component.resources {
        if resource.template.is_some() {
            let names = kinds.entry(&resource.id.kind).or_default();
            names.insert(&resource.id.name);
        }
    }
    let items = kinds.into_iter().map(|(kind, names)| RelatedItem {
        title: kind.to_owned(),
        href: None,
        note: Some(names.into_iter().collect::<Vec<_>>().join(", ")),
    });
    items.collect()
}

/// Files that set values and declare nothing.
fn values(about: &About<'_>) -> Vec<RelatedItem> {
    let declared = about.component.resources.iter().map(|r| r.place.file);
    let declared: BTreeSet<FileId> = declared.collect();
    let mut counts: BTreeMap<FileId, usize> = BTreeMap::new();
    for setting in &about.component.settings {
        for (_, value) in setting.values.iter() {
            *counts.entry(value.place.file).or_default() += 1;
        }
    }
    counts.retain(|file, _| !declared.contains(file) && *file != FileId::NONE);
    files(
        about,
        counts
            .into_iter()
            .map(|(file, n)| (file, Some(counted(n, "value"))))
            .collect(),
    )
}

fn files(about: &About<'_>, files: Vec<(FileId, Option<String>)>) -> Vec<RelatedItem> {
    let context = about.here.context;
    let left = files.len().saturating_sub(MOST);
    let shown = files
        .into_iter()
        .filter(|(file, _)| *file != FileId::NONE)
        .take(MOST);
    let mut items: Vec<RelatedItem> = shown
        .map(|(file, note)| {
            let path = context.repo.path(file).as_str();
            RelatedItem {
                title: path.to_owned(),
                href: context
                    .repo_host
                    .as_ref()
                    .map(|repo_host| repo_host.file(path)),
                note,
            }
        })
        .collect();
    if left > 0 {
        items.push(RelatedItem {
            title: format!("and {}", counted(left, "more file")),
            href: None,
            note: None,
        });
    }
    items
}

fn pages(about: &About<'_>) -> Vec<RelatedItem> {
    let context = about.here.context;
    let own = context.pages.about(about.index);
    let pages = own.filter_map(|document| {
        Some(RelatedItem {
            title: document.title(context.repo),
            href: Some(about.here.to(document.route()?)),
            note: None,
        })
    });
    pages.collect()
}

fn apis(about: &About<'_>) -> Vec<RelatedItem> {
    let context = about.here.context;
    let own = context.apis.iter().filter_map(|(group, api)| {
        let installs = api.installed_by.binary_search(&about.index).is_ok();
        let uses = api.used_by.binary_search(&about.index).is_ok();
        // An API group that most components use is not characteristic of this one.
        let is_common = 2 * api.used_by.len() > context.catalog.components.len();
        let note = match (installs, uses && !is_common) {
            (true, true) => "installs and uses",
            (true, false) => "installs",
            (false, true) => "uses",
            (false, false) => return None,
        };
        Some(RelatedItem {
            title: (*group).to_owned(),
            href: Some(about.here.to(&context.routes.api[*group])),
            note: Some(note.to_owned()),
        })
    });
    own.collect()
}
