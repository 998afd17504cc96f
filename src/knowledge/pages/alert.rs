//! Which page says what to do about an alert: the one that it points to, else the runbook that names it.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::{PREFIX, PageHome, ReadFile, RenderedPages, component_docs};
use crate::catalog::{Catalog, ComponentIx};
use crate::facts::{Alert, Located};
use crate::input::repo::{Repo, RepoPath};
use crate::input::repo_host::RepoHost;
use crate::knowledge::runbook::alert_subject::AlertSubjects;
use crate::knowledge::runbook::authored::Lookup;
use base::text::has_gap;
use base::{FileId, Finding};

/// The pages that say what to do about alerts.
#[derive(Debug, Default)]
pub struct Answers {
    /// The files that alerts point to, by what the alert says.
    by_address: BTreeMap<SmolStr, (FileId, Option<String>)>,
    /// By file, the components whose alerts do.
    about: BTreeMap<FileId, Vec<ComponentIx>>,
    /// By alert, the document that names it, and the heading in it.
    by_name: BTreeMap<SmolStr, (usize, Option<String>)>,
}

/// The documentation for handling an alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlertPage<'p> {
    /// A document, by position, and the heading in it.
    Document(usize, Option<&'p str>),
    /// An address outside of the repo.
    Elsewhere(&'p str),
}

impl Answers {
    /// Files that alerts link to. Reports links to missing files.
    pub fn by_address(
        repo: &Repo,
        catalog: &Catalog,
        repo_host: Option<&RepoHost>,
        findings: &mut Vec<Finding>,
    ) -> Answers {
        let mut answers = Answers::default();
        let subjects = AlertSubjects::from_catalog(catalog);
        for (at, component) in catalog.components.iter_enumerated() {
            for (position, alert) in component.alerts.iter().enumerate() {
                let Some(address) = &alert.runbook else {
                    continue;
                };
                match target(repo, repo_host, address) {
                    Leads::To(file, fragment) => {
                        answers
                            .by_address
                            .insert(address.value.clone(), (file, fragment));
                        let about = answers.about.entry(file).or_default();
                        about.extend(subjects.concerned(at, position));
                    }
                    Leads::Nowhere(path) => findings.push(missing(alert, address, &path)),
                    Leads::Outside => {}
                }
            }
        }
        answers
    }

    /// The components whose alerts point to a file.
    pub fn about(&self, file: FileId) -> Option<&[ComponentIx]> {
        self.about.get(&file).map(Vec::as_slice)
    }
}

impl RenderedPages {
    pub fn answer<'p>(&'p self, alert: &'p Alert) -> Option<AlertPage<'p>> {
        let by_address = || {
            let address = &alert.runbook.as_ref()?.value;
            let known = self.answers.by_address.get(address);
            let document = known.and_then(|(file, fragment)| {
                let at = self.by_file(*file)?;
                Some(AlertPage::Document(at, fragment.as_deref()))
            });
            let is_link = address.starts_with("https://") || address.starts_with("http://");
            document.or_else(|| is_link.then_some(AlertPage::Elsewhere(address)))
        };
        let by_name = || {
            let (at, id) = self.answers.by_name.get(&alert.name)?;
            Some(AlertPage::Document(*at, id.as_deref()))
        };
        by_address().or_else(by_name)
    }

    fn by_file(&self, file: FileId) -> Option<usize> {
        let found = self
            .documents
            .binary_search_by_key(&file, |document| document.file);
        found.ok()
    }
}

impl Answers {
    /// Adds what answers an alert by name: runbooks that are about it, sections of a README that name it, runbooks that
    /// mention it.
    pub fn add_by_name(&mut self, pages: &[ReadFile<'_>], lookup: &Lookup<'_>) {
        let by_name = &mut self.by_name;
        let mut add = |name: SmolStr, at: usize, id: Option<String>| {
            by_name.entry(name).or_insert((at, id));
        };
        let runbooks = || {
            let all = pages.iter().enumerate();
            all.filter_map(|(at, page)| Some((at, page.residence.runbook.as_ref()?)))
        };
        for (at, runbook) in runbooks() {
            runbook
                .alerts
                .iter()
                .for_each(|name| add(name.clone(), at, None));
        }
        // The docs of the alert's own component take precedence over those of other components.
        let mut of_others = Vec::new();
        for (at, page) in pages.iter().enumerate() {
            let PageHome::Component(component) = page.residence.home else {
                continue;
            };
            let sections = page.contents.sections.iter();
            let sections = sections.filter(|section| component_docs::is_operations(&section.title));
            for sub in sections.flat_map(|section| &section.subsections) {
                let text = format!("{} {}", sub.title, sub.markdown);
                for name in lookup.alerts_in(&text) {
                    let id = sub.id.strip_prefix(PREFIX).unwrap_or(&sub.id).to_owned();
                    if lookup.has_alert(component, &name) {
                        add(name, at, Some(id))
                    } else {
                        of_others.push((name, at, id))
                    }
                }
            }
        }
        for (name, at, id) in of_others {
            add(name, at, Some(id));
        }
        for (at, runbook) in runbooks() {
            runbook
                .mentions
                .iter()
                .for_each(|name| add(name.clone(), at, None));
        }
    }

    /// Alerts without a runbook: one finding per file.
    pub fn missing(&self, catalog: &Catalog) -> Vec<Finding> {
        let mut findings = Vec::new();
        for component in &catalog.components {
            let mut silent: BTreeMap<FileId, Vec<&Alert>> = BTreeMap::new();
            for alert in &component.alerts {
                if alert.runbook.is_none() && !self.by_name.contains_key(&alert.name) {
                    silent.entry(alert.place.file).or_default().push(alert);
                }
            }
            for alerts in silent.values() {
                let mut finding = without_runbook(alerts);
                finding.component = Some(component.id.0.to_string());
                findings.push(finding);
            }
        }
        findings
    }
}

const MOST_NAMED: usize = 6;

fn without_runbook(alerts: &[&Alert]) -> Finding {
    let mut names: Vec<String> = alerts
        .iter()
        .map(|alert| format!("`{}`", alert.name))
        .collect();
    // A warning and a critical alert often share a name.
    names.sort();
    names.dedup();
    let left = names.len().saturating_sub(MOST_NAMED);
    names.truncate(MOST_NAMED);
    if left > 0 {
        names.push(format!("{left} more"));
    }
    let message = match names.as_slice() {
        [one] => format!("the alert {one} has no runbook"),
        [all @ .., last] => format!("the alerts {} and {last} have no runbook", all.join(", ")),
        [] => "alerts have no runbook".to_owned(),
    };
    let first = alerts.iter().map(|alert| alert.place).min();
    let mut finding = Finding::info("alert-without-runbook", first.unwrap_or_default(), message).help(
        "set `runbook_url` in the alert's annotations, or add a page named after the alert to `docs/runbooks/`",
    );
    for alert in alerts {
        finding = finding.covers(alert.place, &alert.name);
    }
    finding
}

enum Leads {
    To(FileId, Option<String>),
    /// Into this repo, where there is nothing.
    Nowhere(String),
    Outside,
}

fn target(repo: &Repo, repo_host: Option<&RepoHost>, address: &Located<SmolStr>) -> Leads {
    let (page, fragment) = match address.value.split_once('#') {
        Some((page, fragment)) => (page, Some(fragment.to_owned())),
        None => (address.value.as_str(), None),
    };
    let page = page.split('?').next().unwrap_or(page);
    // A template placeholder is filled in when the rule fires, so the target is unknown.
    if has_gap(page) {
        return Leads::Outside;
    }
    let found = |path: &str| RepoPath::new(path).and_then(|path| repo.file(&path));
    if page.contains("://") {
        let Some((version, path)) = repo_host.and_then(|repo_host| repo_host.inside(page)) else {
            return Leads::Outside;
        };
        return match found(path) {
            Some(file) => Leads::To(file, fragment),
            // Another branch may have it; a directory is a page of the host.
            None if !repo_host.is_some_and(|repo_host| repo_host.is_here(version)) => {
                Leads::Outside
            }
            None if RepoPath::new(path).is_some_and(|path| repo.is_dir(&path)) => Leads::Outside,
            None => Leads::Nowhere(path.to_owned()),
        };
    }
    let beside = || {
        let directory = repo.path(address.place.file).parent()?;
        repo.file(&directory.join(page)?)
    };
    match found(page.trim_start_matches("./").trim_start_matches('/')).or_else(beside) {
        Some(file) => Leads::To(file, fragment),
        None if page.ends_with(".md") => Leads::Nowhere(page.to_owned()),
        None => Leads::Outside,
    }
}

fn missing(alert: &Alert, address: &Located<SmolStr>, path: &str) -> Finding {
    let message = format!(
        "the alert `{}` links to the runbook `{path}`, which does not exist",
        alert.name
    );
    Finding::warning("runbook-missing", address.place, message)
        .help("write the page, or point `runbook_url` to an existing one")
}
