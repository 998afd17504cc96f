//! Documentation sites inside the repo (Jekyll, MkDocs, Zensical, Docusaurus, Hugo, Sphinx): what a link that begins with `/`
//! means in their pages. Knows file names and front matter, and reads nothing.

use std::collections::BTreeMap;

use crate::input::repo::{Repo, RepoPath};
use base::FileId;
use base::hash::HashMap;

/// Files that a site has in its top directory, and whether all of its addresses can be known from its files.
const MARKERS: &[(&str, bool)] = &[
    ("_config.yml", true),
    ("_config.yaml", true),
    ("mkdocs.yml", true),
    ("mkdocs.yaml", true),
    ("zensical.toml", true),
    ("docusaurus.config.js", false),
    ("docusaurus.config.ts", false),
    ("docusaurus.config.mjs", false),
    ("docusaurus.config.cjs", false),
    ("hugo.toml", false),
    ("hugo.yaml", false),
    ("hugo.yml", false),
    ("hugo.json", false),
    ("config.toml", false),
    ("conf.py", false),
    ("myst.yml", false),
];

/// The configuration of Sphinx and of MyST. In their Markdown, `[text](#label)` may lead to a label of any page.
const WITH_LABELS: [&str; 2] = ["conf.py", "myst.yml"];

/// Directories of a site whose content is served from its root.
const BASES: [&str; 6] = ["", "docs", "static", "content", "src/pages", "public"];

/// Front matter that gives a page an address, or several. `redirect_from` and `aliases` add to the one that it has.
const ADDRESSES: [&str; 5] = ["permalink", "redirect_from", "slug", "url", "aliases"];

/// The sites of a repo, by their top directory.
#[derive(Debug, Default)]
pub struct DocSites {
    sites: BTreeMap<RepoPath, DocSite>,
}

#[derive(Debug, Default)]
struct DocSite {
    /// Whether a path that leads nowhere here leads nowhere at all.
    is_complete: bool,
    /// Pages by their address, without slashes around it.
    pages: HashMap<String, FileId>,
    /// Addresses that pages state for themselves.
    addresses: HashMap<FileId, String>,
    /// Posts by date and name: `2024/10/07/name`.
    posts: HashMap<String, FileId>,
}

/// What a path in a site means.
pub enum InSite {
    File(FileId),
    Directory(RepoPath),
    /// No file has this address. `may_exist` if the site can have addresses that its files do not show.
    Unknown {
        may_exist: bool,
    },
}

impl DocSites {
    /// The sites that Markdown files belong to.
    pub fn find(repo: &Repo, sources: &[(FileId, String)]) -> DocSites {
        let mut tops: HashMap<RepoPath, Option<RepoPath>> = HashMap::default();
        let mut found = DocSites::default();
        for (file, text) in sources {
            let path = repo.path(*file);
            let Some(directory) = path.parent() else {
                continue;
            };
            let Some(top) = top(repo, &directory, &mut tops) else {
                continue;
            };
            let site = found.sites.entry(top.clone()).or_insert_with(|| DocSite {
                is_complete: marker(repo, &top) == Some(true),
                ..DocSite::default()
            });
            site.add(inside(path, &top), *file, text);
        }
        found
    }

    /// The file or directory that a path means for a page of a site; none if the page is in no site.
    pub fn resolve(&self, repo: &Repo, file: FileId, written: &str) -> Option<InSite> {
        let above = std::iter::successors(repo.path(file).parent(), RepoPath::parent);
        let (top, site) = above
            .filter_map(|directory| self.sites.get_key_value(&directory))
            .next()?;
        let path = match written.strip_prefix('/') {
            Some(path) => path.to_owned(),
            None => {
                // Relative to the address that the page states for itself.
                let own = site.addresses.get(&file)?;
                joined(own, written)?
            }
        };
        Some(site.resolve(repo, top, &path))
    }

    /// Whether a file belongs to a site, whose generator has rules of its own for the ids of headings.
    pub fn contains(&self, repo: &Repo, file: FileId) -> bool {
        let mut above = std::iter::successors(repo.path(file).parent(), RepoPath::parent);
        above.any(|directory| self.sites.contains_key(&directory))
    }

    /// Whether a fragment in a link of a file may be a label of another page.
    pub fn has_labels(&self, repo: &Repo, file: FileId) -> bool {
        let above = std::iter::successors(repo.path(file).parent(), RepoPath::parent);
        let mut tops = above.filter(|directory| self.sites.contains_key(directory));
        let has = |top: &RepoPath| {
            let mut names = WITH_LABELS.iter();
            names.any(|name| repo.file_in(top, name).is_some())
        };
        tops.next().is_some_and(|top| has(&top))
    }
}

impl DocSite {
    fn add(&mut self, path: &str, file: FileId, text: &str) {
        let front = markdown::front_matter(text);
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        for key in ADDRESSES {
            let stated = front.fields.get(key);
            for address in stated.iter().flat_map(|all| all.split(", ")) {
                if key == "permalink" || address.starts_with('/') {
                    let address = normal(address);
                    self.addresses.entry(file).or_insert(address.clone());
                    self.pages.entry(address).or_insert(file);
                } else {
                    // A slug replaces the name of the file.
                    let address = normal(&format!("{}/{address}", served(directory)));
                    self.pages.entry(address).or_insert(file);
                }
            }
        }
        let replaces = |key: &str| front.fields.contains_key(key);
        if replaces("permalink") || replaces("slug") || replaces("url") {
            return;
        }
        let parts: Vec<&str> = stem.splitn(4, '-').collect();
        if let [year, month, day, name] = parts[..]
            && [year, month, day].iter().all(|part| is_number(part))
        {
            self.posts
                .insert(format!("{year}/{month}/{day}/{name}"), file);
        }
        let address = normal(&format!("{}/{}", served(directory), without_number(stem)));
        self.pages.entry(address).or_insert(file);
    }

    fn resolve(&self, repo: &Repo, top: &RepoPath, path: &str) -> InSite {
        let address = normal(path);
        if let Some(file) = self.pages.get(&address).or_else(|| self.post(&address)) {
            return InSite::File(*file);
        }
        let below = |base: &str| {
            let base = if base.is_empty() {
                Some(top.clone())
            } else {
                top.join(base)
            };
            base?.join(path.trim_matches('/'))
        };
        let paths: Vec<RepoPath> = BASES.iter().filter_map(|base| below(base)).collect();
        if let Some(file) = paths.iter().find_map(|path| file_at(repo, path)) {
            return InSite::File(file);
        }
        let mut directories = paths.iter().filter_map(|path| repo.resolve_dir(path));
        match directories.next() {
            Some(directory) => InSite::Directory(directory),
            None => InSite::Unknown {
                may_exist: !self.is_complete,
            },
        }
    }

    /// A post, whatever its address begins with.
    fn post(&self, address: &str) -> Option<&FileId> {
        let parts: Vec<&str> = address.split('/').collect();
        let last = parts.len().checked_sub(4)?;
        self.posts.get(&parts[last..].join("/"))
    }
}

/// The file at a path, as generators look for it.
fn file_at(repo: &Repo, path: &RepoPath) -> Option<FileId> {
    let stem = path.as_str().strip_suffix(".html").unwrap_or(path.as_str());
    let variants = [
        path.as_str().to_owned(),
        format!("{stem}.md"),
        format!("{stem}.mdx"),
        format!("{stem}.html"),
        format!("{stem}/index.md"),
        format!("{stem}/index.html"),
        format!("{stem}/README.md"),
        format!("{stem}/_index.md"),
    ];
    let mut variants = variants.iter();
    variants.find_map(|path| repo.file(&RepoPath::new(path)?))
}

/// The topmost directory of the site around a directory.
fn top(
    repo: &Repo,
    directory: &RepoPath,
    known: &mut HashMap<RepoPath, Option<RepoPath>>,
) -> Option<RepoPath> {
    let mut passed = Vec::new();
    let mut here = Some(directory.clone());
    let mut found = None;
    while let Some(at) = here {
        if let Some(top) = known.get(&at) {
            found = top.clone();
            break;
        }
        if marker(repo, &at).is_some() {
            found = Some(at.clone());
            passed.push(at);
            break;
        }
        here = at.parent();
        passed.push(at);
    }
    for at in passed {
        known.insert(at, found.clone());
    }
    found
}

/// Whether a directory is the top of a site, and if so, whether its files show all of its addresses.
fn marker(repo: &Repo, directory: &RepoPath) -> Option<bool> {
    let has_content = || {
        let content = directory.join("content");
        content.is_some_and(|content| repo.is_dir(&content))
    };
    let mut markers = MARKERS.iter();
    let (_, is_complete) = markers.find(|(name, _)| {
        repo.file_in(directory, name).is_some() && (*name != "config.toml" || has_content())
    })?;
    Some(*is_complete)
}

/// The part of a path below a directory.
fn inside<'p>(path: &'p RepoPath, top: &RepoPath) -> &'p str {
    let rest = path.as_str().strip_prefix(top.as_str());
    rest.unwrap_or(path.as_str()).trim_start_matches('/')
}

/// The address that the files of a directory have: without the directory for pages, and without the underscore of a
/// collection.
fn served(directory: &str) -> String {
    let parts = directory.split('/').map(|part| {
        let part = part.strip_prefix('_').unwrap_or(part);
        without_number(part)
    });
    let address = parts.collect::<Vec<&str>>().join("/");
    let bases = ["content/", "src/pages/", "pages/"];
    let base = bases.iter().find_map(|base| address.strip_prefix(base));
    base.unwrap_or(&address).to_owned()
}

/// A name without the number that Docusaurus orders it by.
fn without_number(name: &str) -> &str {
    match name.split_once('-') {
        Some((number, rest)) if number.len() < 4 && is_number(number) && !rest.is_empty() => rest,
        _ => name,
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// An address without what makes no difference: slashes around it, `index`, and the ending of a page.
fn normal(address: &str) -> String {
    let path = address.trim_matches('/');
    let path = [".html", ".md", ".mdx"]
        .iter()
        .find_map(|ending| path.strip_suffix(ending))
        .unwrap_or(path);
    let path = match path.strip_suffix("index") {
        Some(above) if above.is_empty() || above.ends_with('/') => above,
        _ => path,
    };
    path.trim_matches('/').to_owned()
}

/// A path relative to the address of a page, which is a directory.
fn joined(address: &str, written: &str) -> Option<String> {
    let mut parts: Vec<&str> = address.split('/').filter(|part| !part.is_empty()).collect();
    for part in written.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_the_same_in_all_its_forms() {
        for form in ["/docs/x/", "docs/x", "/docs/x.html", "/docs/x/index.html"] {
            assert_eq!(normal(form), "docs/x", "{form}");
        }
        assert_eq!(normal("/index.html"), "");
        assert_eq!(normal("/docs/reindex"), "docs/reindex");
    }

    #[test]
    fn a_collection_is_served_without_its_underscore() {
        assert_eq!(served("_docs/02-setup"), "docs/setup");
        assert_eq!(served("content/blog"), "blog");
        assert_eq!(without_number("2024-10-07-name"), "2024-10-07-name");
    }

    #[test]
    fn a_relative_path_stays_in_the_site() {
        assert_eq!(joined("docs/x", "../y/").as_deref(), Some("docs/y"));
        assert_eq!(joined("x", "../../y"), None);
    }
}
