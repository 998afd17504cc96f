//! Which page shows a Markdown file.

use std::collections::BTreeMap;

use super::alert::Answers;
use super::{Area, PREFIX};
use crate::catalog::{Catalog, ComponentIx};
use crate::input::repo::{Repo, RepoPath};
use crate::knowledge::Knowledge;
use crate::knowledge::route::{Route, Taken};
use crate::knowledge::runbook::authored::{Lookup, Subjects, subjects};
use crate::knowledge::runbook::is_runbook;
use base::{FileId, Finding, Place};

/// The page that shows a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageHome {
    Component(ComponentIx),
    Own(Route),
}

impl PageHome {
    /// Begins the ids of its headings, since the page of a component has ids of its own.
    pub fn heading_prefix(&self) -> &'static str {
        match self {
            PageHome::Component(_) => PREFIX,
            PageHome::Own(_) => "",
        }
    }
}

/// A file's home, and the components it is about.
#[derive(Debug)]
pub struct Residence {
    pub home: PageHome,
    pub about: Vec<ComponentIx>,
    /// The component that has the name of the file.
    pub namesake: Option<ComponentIx>,
    /// For a runbook: the components and alerts that it names.
    pub runbook: Option<Subjects>,
}

/// A README this far above a component's manifests may still be about it.
const HIGHEST: usize = 2;

pub fn homes(
    repo: &Repo,
    catalog: &Catalog,
    knowledge: &Knowledge,
    sources: &[(FileId, String)],
    answers: &Answers,
    area: &Area,
    lookup: &Lookup<'_>,
) -> (BTreeMap<FileId, Residence>, Vec<Finding>) {
    let readmes = readmes(repo, catalog, sources);
    let mut taken = Taken::default();
    let mut homes = BTreeMap::new();
    let mut findings = Vec::new();
    for (file, text) in sources {
        let path = repo.path(*file);
        let named = markdown::front_matter(text).component;
        let mut about = Vec::new();
        for name in &named {
            match lookup.component(name) {
                Some(component) => about.push(component),
                None => findings.push(unknown(catalog, *file, name)),
            }
        }
        let named = about.len();
        let pointed_at = answers.about(*file);
        let is_runbook = is_runbook(path) || pointed_at.is_some() && !readmes.contains_key(file);
        let runbook = is_runbook.then(|| subjects(path, &markdown::blocks(text), lookup));
        about.extend(runbook.iter().flat_map(|runbook| &runbook.components));
        about.extend(pointed_at.into_iter().flatten());
        let namesake = (named == 0 && !is_runbook && knowledge.document(*file).is_none())
            .then(|| namesake(path, lookup))
            .flatten();
        about.extend(namesake);
        about.sort_unstable();
        about.dedup();
        let home = match (about.as_slice(), readmes.get(file)) {
            ([component], _) if !is_runbook && named > 0 && knowledge.document(*file).is_none() => {
                PageHome::Component(*component)
            }
            (_, Some(component)) if named == 0 => PageHome::Component(*component),
            _ => PageHome::Own(taken.mirror(area.pages, area.inside(stem(path.as_str())))),
        };
        let residence = Residence {
            home,
            about,
            namesake,
            runbook,
        };
        homes.insert(*file, residence);
    }
    (homes, findings)
}

/// READMEs beside the manifests of one component, or just above them with no other component below.
fn readmes(
    repo: &Repo,
    catalog: &Catalog,
    sources: &[(FileId, String)],
) -> BTreeMap<FileId, ComponentIx> {
    let roots: Vec<&RepoPath> = catalog.kubernetes().map(|c| &c.root).collect();
    let mut below: BTreeMap<RepoPath, Vec<(ComponentIx, usize)>> = BTreeMap::new();
    for (index, component) in catalog.components.iter_enumerated() {
        let mut directory = component.source.clone();
        for distance in 0.. {
            let Some(here) = directory.filter(|here| !here.as_str().is_empty()) else {
                break;
            };
            below
                .entry(here.clone())
                .or_default()
                .push((index, distance));
            directory = here.parent();
        }
    }
    // If several READMEs could belong to a component, the nearest one wins.
    let mut nearest: BTreeMap<ComponentIx, (usize, FileId)> = BTreeMap::new();
    for (file, _) in sources {
        let path = repo.path(*file);
        let Some(directory) = path.parent().filter(|_| is_readme(path)) else {
            continue;
        };
        if roots.contains(&&directory) {
            continue;
        }
        if let Some([(component, distance)]) = below.get(&directory).map(Vec::as_slice)
            && *distance <= HIGHEST
        {
            let best = nearest.entry(*component).or_insert((*distance, *file));
            *best = (*best).min((*distance, *file));
        }
    }
    nearest
        .into_iter()
        .map(|(at, (_, file))| (file, at))
        .collect()
}

/// The component that a file is called like; for a README, its directory.
fn namesake(path: &RepoPath, lookup: &Lookup<'_>) -> Option<ComponentIx> {
    let directory = path.parent()?;
    let name = if is_readme(path) {
        directory.file_name()
    } else {
        stem(path.file_name())
    };
    lookup.component(name)
}

fn is_readme(path: &RepoPath) -> bool {
    stem(path.as_str())
        .rsplit('/')
        .next()
        .is_some_and(|name| name.eq_ignore_ascii_case("readme"))
}

fn stem(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(stem, _)| stem)
}

fn unknown(catalog: &Catalog, file: FileId, name: &str) -> Finding {
    let ids: Vec<&str> = catalog.components.iter().map(|c| c.id.0.as_str()).collect();
    let help = match base::text::nearest(name, &ids) {
        Some(id) => format!("did you mean `{id}`?"),
        None => "use a component's id, as listed by `catalog export`".to_owned(),
    };
    let message = format!("the front matter names the component `{name}`, which does not exist");
    Finding::warning("unknown-component", Place::start_of(file), message).help(help)
}
