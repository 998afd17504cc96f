//! Resolves a link in a Markdown file: to the page that shows its target, to a picture in the site, or to the repo
//! host.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::doc_site::{DocSites, InSite};
use super::home::Residence;
use super::{Area, PREFIX, PageHome, ReadFile};
use crate::catalog::{Catalog, ComponentIx};
use crate::input::picture;
use crate::input::repo::{Repo, RepoPath};
use crate::input::repo_host::RepoHost;
use crate::knowledge::route::{ComponentRoutes, Route};
use base::uri;
use base::{FileId, Finding, Place};
use markdown::{LinkTarget, id_on_page};

pub struct LinkResolver<'a> {
    repo: &'a Repo,
    components: &'a ComponentRoutes,
    repo_host: Option<&'a RepoHost>,
    pub homes: &'a BTreeMap<FileId, Residence>,
    area: &'a Area,
    sites: &'a DocSites,
    /// Directories that are one component's.
    directories: BTreeMap<&'a RepoPath, Option<ComponentIx>>,
}

impl<'a> LinkResolver<'a> {
    pub fn new(
        repo: &'a Repo,
        catalog: &'a Catalog,
        components: &'a ComponentRoutes,
        repo_host: Option<&'a RepoHost>,
        homes: &'a BTreeMap<FileId, Residence>,
        area: &'a Area,
        sites: &'a DocSites,
    ) -> LinkResolver<'a> {
        let mut directories: BTreeMap<&RepoPath, Option<ComponentIx>> = BTreeMap::new();
        for (index, component) in catalog.components.iter_enumerated() {
            if let Some(source) = &component.source {
                let shared = directories.contains_key(source);
                directories.insert(source, (!shared).then_some(index));
            }
        }
        LinkResolver {
            repo,
            components,
            repo_host,
            homes,
            area,
            sites,
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
        let directory = match self.found(file, path) {
            PathMeaning::File(found) => return self.file_target(from, found, fragment, images),
            PathMeaning::Directory(directory) => directory,
            PathMeaning::Unknown => return LinkTarget::Elsewhere,
            PathMeaning::Nothing => return LinkTarget::Broken,
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

    /// The address of a file: its page, its copy in the site, or the repo host.
    fn file_target(
        &self,
        from: &Route,
        found: FileId,
        fragment: Option<&str>,
        images: &RefCell<BTreeSet<FileId>>,
    ) -> LinkTarget {
        let path = self.repo.path(found);
        if let Some(home) = self.homes.get(&found) {
            let href = from.to(self.route(&home.home));
            return LinkTarget::Href(format!("{href}{}", anchor(&home.home, fragment)));
        }
        if is_image(path) {
            if !self.is_safe_image(found) {
                return LinkTarget::Elsewhere;
            }
            images.borrow_mut().insert(found);
            return LinkTarget::Href(from.to(&self.area.image(self.repo, found)));
        }
        let fragment = fragment.map_or(String::new(), |f| format!("#{f}"));
        match self.repo_host {
            Some(repo_host) => LinkTarget::Href(repo_host.file(path.as_str()) + &fragment),
            None => LinkTarget::Elsewhere,
        }
    }

    /// What a path means in a file: in the documentation site around the file, else in the repo.
    fn found(&self, file: FileId, written: &str) -> PathMeaning {
        if written.is_empty() {
            return if self.sites.has_labels(self.repo, file) {
                PathMeaning::Unknown
            } else {
                PathMeaning::Nothing
            };
        }
        if self.is_of_host(file, written) {
            return PathMeaning::Unknown;
        }
        let decoded = uri::decoded(written).unwrap_or(written.into());
        if self.is_beside_repo(file, &decoded) {
            return PathMeaning::Unknown;
        }
        let in_site = || self.sites.resolve(self.repo, file, &decoded);
        let in_repo = || {
            let path = self.path(file, written)?;
            let found = self.file(&path).map(PathMeaning::File);
            found.or_else(|| Some(PathMeaning::Directory(self.repo.resolve_dir(&path)?)))
        };
        // A path from the root is one of the site; any other is one of the repo first.
        let first = if written.starts_with('/') {
            None
        } else {
            in_repo()
        };
        first.unwrap_or_else(|| match in_site() {
            Some(InSite::File(found)) => PathMeaning::File(found),
            Some(InSite::Directory(directory)) => PathMeaning::Directory(directory),
            Some(InSite::Unknown { may_exist: true }) => in_repo().unwrap_or(PathMeaning::Unknown),
            Some(InSite::Unknown { may_exist: false }) => in_repo().unwrap_or(PathMeaning::Nothing),
            None => in_repo().unwrap_or_else(|| self.meaning_elsewhere(file, &decoded)),
        })
    }

    /// The meaning of a path from the root that is no path of the repo: a directory above the page may be the root, and an
    /// address without an ending in a directory that the repo does not have is one of some other site.
    fn meaning_elsewhere(&self, file: FileId, written: &str) -> PathMeaning {
        let Some(path) = written.strip_prefix('/') else {
            return PathMeaning::Nothing;
        };
        let path = path.trim_end_matches('/');
        let above = std::iter::successors(self.repo.path(file).parent(), RepoPath::parent);
        let mut found = above.filter_map(|root| {
            let path = root.join(path)?;
            let found = self.file(&path).map(PathMeaning::File);
            found.or_else(|| Some(PathMeaning::Directory(self.repo.resolve_dir(&path)?)))
        });
        if let Some(found) = found.next() {
            return found;
        }
        let (first, rest) = path.split_once('/').unwrap_or((path, ""));
        let is_here = RepoPath::new(first).is_some_and(|first| self.repo.is_dir(&first));
        let last = rest.rsplit('/').next().unwrap_or_default();
        if is_here || last.contains('.') || first.contains('.') {
            PathMeaning::Nothing
        } else {
            PathMeaning::Unknown
        }
    }

    /// Whether a path leads to a directory that people have beside the repo, such as `../other-repo` from a file at the
    /// root. If the repo has one of that path, it only climbs too far.
    fn is_beside_repo(&self, file: FileId, written: &str) -> bool {
        let mut depth = self.repo.path(file).as_str().matches('/').count();
        let mut rest = written;
        let climbed = loop {
            rest = rest.strip_prefix("./").unwrap_or(rest);
            match rest.strip_prefix("../") {
                Some(_) if depth == 0 => break true,
                Some(after) => rest = after,
                None => break false,
            }
            depth -= 1;
        };
        let inside = RepoPath::new(rest.trim_start_matches("../").trim_end_matches('/'));
        let is_here = |path: RepoPath| {
            self.repo.file(&path).is_some() || self.repo.resolve_dir(&path).is_some()
        };
        let is_directory = !rest.contains('.') || rest.ends_with('/');
        climbed && is_directory && !inside.is_some_and(is_here)
    }

    /// Whether a path leads to a page of the repo's host, as `../../issues` does from a file at the root: hosts show files
    /// two levels below the address of the repo.
    fn is_of_host(&self, file: FileId, written: &str) -> bool {
        const PAGES: [&str; 16] = [
            "issues",
            "pulls",
            "pull",
            "releases",
            "discussions",
            "wiki",
            "actions",
            "security",
            "projects",
            "labels",
            "milestones",
            "commits",
            "compare",
            "tags",
            "packages",
            "-",
        ];
        let directory = self.repo.path(file).parent();
        let depth = directory.map_or(0, |directory| {
            let parts = directory.as_str().split('/');
            parts.filter(|part| !part.is_empty()).count()
        });
        let mut rest = written.trim_start_matches("./");
        let mut up = 0;
        while let Some(below) = rest.strip_prefix("../") {
            (rest, up) = (below, up + 1);
        }
        up == depth + 2 && rest.split('/').next().is_some_and(|it| PAGES.contains(&it))
    }

    /// What a broken link misses: the file, or a heading of the page itself.
    pub fn lost_target(&self, file: FileId, target: &str) -> String {
        let (path, _) = split(target);
        let found = self.path(file, path);
        found.map_or_else(
            || format!("{} {path}", self.repo.path(file)),
            |path| path.to_string(),
        )
    }

    /// Links between pages whose anchor does not exist.
    pub fn dead_anchors(&self, pages: &[ReadFile<'_>]) -> Vec<Finding> {
        let by_file: BTreeMap<FileId, &ReadFile<'_>> =
            pages.iter().map(|page| (page.file, page)).collect();
        let mut findings = Vec::new();
        for page in pages {
            for link in &page.contents.links {
                let (path, Some(fragment)) = split(&link.target) else {
                    continue;
                };
                let is_inside = !path.is_empty() && !path.contains(':') && !path.starts_with("//");
                let found = is_inside.then(|| self.found(page.file, path));
                let Some(PathMeaning::File(found)) = found else {
                    continue;
                };
                let Some(target) = by_file.get(&found) else {
                    continue;
                };
                let prefix = target.residence.home.heading_prefix();
                let wanted = uri::decoded(fragment).unwrap_or(fragment.into());
                let known = [wanted.to_lowercase(), wanted.into_owned()];
                let mut known = known.iter().map(|id| id_on_page(prefix, id));
                let mut is_there = known.any(|id| target.contents.ids.contains(&id));
                if !is_there && self.sites.contains(self.repo, found) {
                    let wanted = letters(fragment);
                    let mut ids = target.contents.ids.iter();
                    is_there =
                        ids.any(|id| letters(id.strip_prefix(prefix).unwrap_or(id)) == wanted);
                }
                is_there = is_there || self.sites.has_labels(self.repo, found);
                if !is_there && !are_lines(fragment) {
                    let place = Place {
                        line: link.line,
                        ..Place::start_of(page.file)
                    };
                    let message = format!(
                        "the link `{}` is broken: `{}` has no such heading; correct or remove it",
                        link.target,
                        self.repo.path(target.file)
                    );
                    let cause = format!("{}#{fragment}", self.repo.path(target.file));
                    findings.push(Finding::warning("link-broken", place, message).cause(cause));
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

    fn route<'s>(&'s self, home: &'s PageHome) -> &'s Route {
        match home {
            PageHome::Component(component) => &self.components[*component],
            PageHome::Own(route) => route,
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
        if self.repo.withheld(file).is_some() {
            return false;
        }
        let path = self.repo.path(file);
        let is_drawing = |extension: &str| extension.eq_ignore_ascii_case("svg");
        if !path.extension().is_some_and(is_drawing) {
            return true;
        }
        let text = self.repo.read_text(file);
        text.is_ok_and(|text| picture::runs_nothing(path.as_str(), text.as_bytes()))
    }
}

/// What a path in a link means.
enum PathMeaning {
    File(FileId),
    Directory(RepoPath),
    /// An address that a generator may make.
    Unknown,
    Nothing,
}

/// Whether a fragment names lines, as repo hosts do: `L11` or `L11-L20`.
fn are_lines(fragment: &str) -> bool {
    let mut lines = fragment.split('-');
    lines.all(|line| {
        let number = line.strip_prefix('L').unwrap_or_default();
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// The letters and digits of an id, from the first letter on: generators differ in the rest.
fn letters(id: &str) -> String {
    let id = uri::decoded(id).unwrap_or(id.into());
    let letters = id.chars().filter(|c| c.is_alphanumeric());
    let letters = letters.skip_while(|c| c.is_numeric());
    letters.flat_map(char::to_lowercase).collect()
}

fn is_image(path: &RepoPath) -> bool {
    const IMAGES: [&str; 8] = ["png", "jpg", "jpeg", "gif", "webp", "svg", "avif", "ico"];
    let extension = path.extension().map(str::to_ascii_lowercase);
    extension.is_some_and(|extension| IMAGES.contains(&extension.as_str()))
}

pub fn anchor(home: &PageHome, fragment: Option<&str>) -> String {
    match (home, fragment) {
        (_, None) => String::new(),
        (PageHome::Component(_), Some(fragment)) => format!("#{PREFIX}{fragment}"),
        (PageHome::Own(_), Some(fragment)) => format!("#{}", id_on_page("", fragment)),
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
