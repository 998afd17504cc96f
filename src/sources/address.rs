//! Addresses of repositories: the one form that all spellings come to, and which of them are those of this repo.

use std::collections::{BTreeMap, BTreeSet};

use super::describe::{Fetched, declared_sources};
use super::expand::install;
use super::{Facts, ReadContext};
use crate::facts::Resource;
use crate::input::repo::RepoPath;
use base::text::{has_gap, last_part};

/// The addresses that objects fetch directories from which are here: a fork or a copy has another address than the one
/// that is fetched, or none. Of several, the one that most are fetched from speaks, or the one that is known, and a mirror
/// goes by the same name. Where no object tells, those that charts make may.
pub fn guessed_addresses(context: &ReadContext<'_>, known: &BTreeSet<String>) -> Vec<String> {
    let facts = context.facts;
    let resources = facts.all().flat_map(|(_, found)| &found.resources);
    let mut counted = Counted::default();
    resources.for_each(|resource| counted.add(resource, facts));
    let tells = |counted: &Counted| counted.0.keys().any(|address| known.contains(address));
    if !tells(&counted) && counted.most().is_none() {
        let files = facts.repo.files().map(|file| facts.repo.path(file));
        let charts = files.filter(|path| path.file_name() == "Chart.yaml");
        for chart in charts.filter_map(RepoPath::parent) {
            let made = install(&chart, None, context).unwrap_or_default();
            let resources = made.resources.iter();
            resources.for_each(|resource| counted.add(resource, facts));
        }
    }
    let names: BTreeSet<&str> = if tells(&counted) {
        known.iter().map(|address| last_part(address)).collect()
    } else {
        counted.most().into_iter().map(last_part).collect()
    };
    let here = counted.mostly_here().map(|(address, _)| address);
    here.filter(|address| names.contains(last_part(address)) && !known.contains(*address))
        .cloned()
        .collect()
}

/// Whether an address is a placeholder for the user's own, such as `https://github.com/<your-org>/<your-repo>`.
pub fn is_placeholder(url: &str) -> bool {
    url.contains('<') && url.contains('>')
}

/// How many directories are fetched from each address, and how many of them are here.
#[derive(Default)]
struct Counted(BTreeMap<String, (usize, usize)>);

impl Counted {
    /// The addresses of which more is here than is not, with how much.
    fn mostly_here(&self) -> impl DoubleEndedIterator<Item = (&String, usize)> {
        let mostly = self.0.iter().filter(|(_, (here, all))| here * 2 > *all);
        mostly.map(|(address, (here, _))| (address, *here))
    }

    /// The one of them that most are fetched from.
    fn most(&self) -> Option<&str> {
        let most = self.mostly_here().rev().max_by_key(|(_, here)| *here);
        most.map(|(address, _)| address.as_str())
    }

    fn add(&mut self, resource: &Resource, facts: &Facts<'_>) {
        for Fetched { origin, path } in declared_sources(resource) {
            // A patch states a path without an address.
            if origin.url.is_empty() || has_gap(&origin.url) {
                continue;
            }
            let Some(path) = RepoPath::new(path.trim_start_matches('/')) else {
                continue;
            };
            // The root exists everywhere.
            if !path.as_str().is_empty() {
                let (here, all) = self.0.entry(address(&origin.url)).or_default();
                *here += usize::from(facts.repo.is_dir(&path));
                *all += 1;
            }
        }
    }
}

/// An address without scheme, login and ending: the same for the forms that a repository goes by.
pub fn address(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let rest = rest.trim_end_matches('/').trim_end_matches(".git");
    let (host, path) = rest.split_once(['/', ':']).unwrap_or((rest, ""));
    // A port belongs to the host, not to the path.
    let path = path
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start_matches('/');
    let path = if path.is_empty() {
        rest.split_once(['/', ':']).map_or("", |(_, path)| path)
    } else {
        path
    };
    format!("{}/{}", host.to_lowercase(), path.to_lowercase())
}
