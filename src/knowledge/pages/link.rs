//! Resolves a link in a Markdown file: to the page that shows its target, to a picture in the site, or to the repo
//! host.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::home::Residence;
use super::{Area, Home, PREFIX, Written};
use crate::catalog::{Catalog, ComponentIx};
use crate::input::repo::{Repo, RepoPath};
use crate::input::repo_host::RepoHost;
use crate::knowledge::route::{ComponentRoutes, Route};
use base::uri;
use base::{FileId, Finding, Place};
use markdown::{LinkTarget, id_on_page};

pub struct Links<'a> {
    repo: &'a Repo,
    components: &'a ComponentRoutes,
    repo_host: Option<&'a RepoHost>,
    pub homes: &'a BTreeMap<FileId, Residence>,
    area: &'a Area,
    /// Directories that are one component's.
    directories: BTreeMap<&'a RepoPath, Option<ComponentIx>>,
}

impl<'a> Links<'a> {
    pub fn new(
        repo: &'a Repo,
        catalog: &'a Catalog,
        components: &'a ComponentRoutes,
        repo_host: Option<&'a RepoHost>,
        homes: &'a BTreeMap<FileId, Residence>,
        area: &'a Area,
    ) -> Links<'a> {
        let mut directories: BTreeMap<&RepoPath, Option<ComponentIx>> = BTreeMap::new();
        for (index, component) in catalog.components.iter_enumerated() {
            if let Some(source) = &component.source {
                let shared = directories.contains_key(source);
                directories.insert(source, (!shared).then_some(index));
            }
        }
        Links {
            repo,
            components,
            repo_host,
            homes,
            area,
            directories,
        }
    }

    /// Resolves `target` as written in `file`. Pictures are added to `images`, since the site must contain them.
    pub fn target(
        &self,
        file: FileId,
        target: &str,
        images: &RefCell<BTreeSet<FileId>>,
    ) -> LinkTarget {
        let from = self.route(&self.homes[&file].home);
        let (path, fragment) = split(target);
        let Some(path) = self.path(file, path) else {
            return LinkTarget::Broken;
        };
        if let Some(found) = self.file(&path) {
            if let Some(home) = self.homes.get(&found) {
                let href = from.to(self.route(&home.home));
                return LinkTarget::Href(format!("{href}{}", anchor(&home.home, fragment)));
            }
            if is_image(&path) {
                if !self.is_safe_image(found) {
                    return LinkTarget::Elsewhere;
                }
                images.borrow_mut().insert(found);
                return LinkTarget::Href(from.to(&self.area.image(self.repo, found)));
            }
            let fragment = fragment.map_or(String::new(), |f| format!("#{f}"));
            return match self.repo_host {
                Some(repo_host) => LinkTarget::Href(repo_host.file(path.as_str()) + &fragment),
                None => LinkTarget::Elsewhere,
            };
        }
        let Some(directory) = self.repo.resolve_dir(&path) else {
            return LinkTarget::Broken;
        };
        if let Some(Some(component)) = self.directories.get(&directory) {
            return LinkTarget::Href(from.to(&self.components[*component]));
        }
        let inside = ["README.md", "readme.md", "index.md"];
        let mut readmes = inside.iter();
        let readme = readmes.find_map(|name| self.homes.get(&self.repo.file_in(&directory, name)?));
        match (readme, self.repo_host) {
            (Some(readme), _) => LinkTarget::Href(from.to(self.route(&readme.home))),
            (None, Some(repo_host)) => LinkTarget::Href(repo_host.directory(directory.as_str())),
            (None, None) => LinkTarget::Elsewhere,
        }
    }

    /// Links between pages whose anchor does not exist.
    pub fn dead_anchors(&self, pages: &[Written<'_>]) -> Vec<Finding> {
        let by_file: BTreeMap<FileId, &Written<'_>> =
            pages.iter().map(|page| (page.file, page)).collect();
        let mut findings = Vec::new();
        for page in pages {
            for link in &page.contents.links {
                let (path, Some(fragment)) = split(&link.target) else {
                    continue;
                };
                let is_inside = !path.is_empty() && !path.contains(':') && !path.starts_with("//");
                let target = is_inside
                    .then(|| self.path(page.file, path))
                    .flatten()
                    .and_then(|path| by_file.get(&self.file(&path)?));
                let Some(target) = target else { continue };
                let prefix = target.residence.home.heading_prefix();
                let wanted = uri::decoded(fragment).unwrap_or(fragment.into());
                let known = [wanted.to_lowercase(), wanted.into_owned()];
                let mut known = known.iter().map(|id| id_on_page(prefix, id));
                let is_there = known.any(|id| target.contents.ids.contains(&id));
                if !is_there {
                    let place = Place {
                        line: link.line,
                        ..Place::start_of(page.file)
                    };
                    let message = format!(
                        "the link `{}` is broken: `{}` has no such heading; correct or remove it",
                        link.target,
                        self.repo.path(target.file)
                    );
                    findings.push(Finding::warning("link-broken", place, message));
                }
            }
        }
        findings
    }

    /// The file that a path means; the ending of a page may be left out, as some generators have it.
    fn file(&self, path: &RepoPath) -> Option<FileId> {
        let with_ending = || {
            let page = RepoPath::new(&format!("{path}.md"))?;
            self.repo.file(&page).filter(|_| !self.repo.is_dir(path))
        };
        self.repo.file(path).or_else(with_ending)
    }

    fn route<'s>(&'s self, home: &'s Home) -> &'s Route {
        match home {
            Home::Component(component) => &self.components[*component],
            Home::Own(route) => route,
        }
    }

    /// The path in the repo that a link's path means; one that begins with `/` starts at the root of the repo.
    fn path(&self, file: FileId, written: &str) -> Option<RepoPath> {
        let written = uri::decoded(written).unwrap_or(written.into());
        match written.strip_prefix('/') {
            Some(rest) => RepoPath::new(rest.trim_end_matches('/')),
            None if written.is_empty() => None,
            None => {
                let directory = self.repo.path(file).parent()?;
                directory.join(written.trim_end_matches('/'))
            }
        }
    }

    /// A picture that runs nothing when it is opened by itself, and becomes no Secret.
    fn is_safe_image(&self, file: FileId) -> bool {
        let path = self.repo.path(file);
        if self.repo.withheld(file).is_some() {
            return false;
        }
        if path.extension() != Some("svg") {
            return true;
        }
        let Ok(text) = self.repo.read_text(file) else {
            return false;
        };
        let text = text.to_ascii_lowercase();
        let runs = [
            "<script",
            "javascript:",
            "<foreignobject",
            "<iframe",
            "<!entity",
        ];
        let handler = has_handler(&text);
        !handler && !runs.iter().any(|bad| text.contains(bad))
    }
}

/// Whether some attribute begins with `on`, as handlers do.
fn has_handler(text: &str) -> bool {
    text.match_indices("on").any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let name_end = text[at..].find(|c: char| !c.is_ascii_alphabetic());
        let after = name_end.map(|end| text[at + end..].trim_start());
        before.is_some_and(|c| c.is_whitespace() || matches!(c, '"' | '\'' | '/'))
            && after.is_some_and(|after| after.starts_with('='))
    })
}

fn is_image(path: &RepoPath) -> bool {
    const IMAGES: [&str; 8] = ["png", "jpg", "jpeg", "gif", "webp", "svg", "avif", "ico"];
    let extension = path.extension().map(str::to_ascii_lowercase);
    extension.is_some_and(|extension| IMAGES.contains(&extension.as_str()))
}

pub fn anchor(home: &Home, fragment: Option<&str>) -> String {
    match (home, fragment) {
        (_, None) => String::new(),
        (Home::Component(_), Some(fragment)) => format!("#{PREFIX}{fragment}"),
        (Home::Own(_), Some(fragment)) => format!("#{}", id_on_page("", fragment)),
    }
}

/// A link's path and its fragment; what would be asked of a server is left out.
fn split(target: &str) -> (&str, Option<&str>) {
    let (path, fragment) = match target.split_once('#') {
        Some((path, fragment)) => (path, Some(fragment).filter(|f| !f.is_empty())),
        None => (target, None),
    };
    (path.split('?').next().unwrap_or(path), fragment)
}
