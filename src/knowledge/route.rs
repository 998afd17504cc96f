//! Addresses of pages in the site, and relative links between them. Addresses use only characters that every file
//! system and server keeps unchanged.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::catalog::{Catalog, ComponentIx};
use base::hash::{HashMap, HashSet};
use base::index::IndexVec;

/// The address of a page or a file, from the root of the site: `components/valkey.html`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Route {
    path: String,
    /// Length of the directory part, stored because every link between pages needs it.
    directory: usize,
}

impl Serialize for Route {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.path)
    }
}

impl Route {
    /// `path` is one that this program makes: of safe characters, and below the root.
    pub fn new(path: impl Into<String>) -> Route {
        let path = path.into();
        let directory = path.rfind('/').map_or(0, |at| at + 1);
        Route { path, directory }
    }

    pub fn as_str(&self) -> &str {
        &self.path
    }

    /// Relative link from this page to `to`.
    pub fn to(&self, to: &Route) -> String {
        let (own, other) = (self.directory(), to.directory());
        if own == other {
            return to.path[other.len()..].to_owned();
        }
        let shared = shared(own, other);
        let up = own[shared..].matches('/').count();
        let mut href = "../".repeat(up);
        href.push_str(&to.path[shared..]);
        href
    }

    /// From here to the root: empty, or `../` for every directory.
    pub fn base(&self) -> String {
        "../".repeat(self.directory().matches('/').count())
    }

    /// The same page as Markdown.
    pub fn markdown(&self) -> Route {
        let stem = self.path.strip_suffix(".html").unwrap_or(&self.path);
        Route::new(format!("{stem}.md"))
    }

    /// Empty, or names that each end in a slash.
    pub fn directory(&self) -> &str {
        &self.path[..self.directory]
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)
    }
}

/// The pages of the components, by position.
/// The pages of components.
pub type ComponentRoutes = IndexVec<ComponentIx, Route>;

pub fn components(catalog: &Catalog) -> ComponentRoutes {
    let mut taken = Taken::default();
    let components = catalog.components.iter();
    components
        .map(|component| taken.page("components", &component.id.0))
        .collect()
}

/// Length of the common prefix of two directories, in whole names.
fn shared(a: &str, b: &str) -> usize {
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    a[..same].rfind('/').map_or(0, |at| at + 1)
}

/// Hands out addresses, each once; also where case does not count.
#[derive(Debug, Default)]
pub struct Taken(Numbers);

impl Taken {
    /// `directory/name.html`, or with a number where that is taken. The directory may be empty.
    pub fn page(&mut self, directory: &str, name: &str) -> Route {
        let name = slug(name);
        let separator = if directory.is_empty() { "" } else { "/" };
        let stem = format!("{directory}{separator}{name}");
        Route::new(self.0.free(&stem, ".html"))
    }

    /// A page of the repo's own path, such as `docs/setup/first day`, below `directory`.
    pub fn mirror(&mut self, directory: &str, path: &str) -> Route {
        let mut names: Vec<String> = path.split('/').map(slug).collect();
        let name = names.pop().unwrap_or_default();
        names.insert(0, directory.to_owned());
        self.page(&names.join("/"), &name)
    }
}

/// Hands out the ids of one page, each once.
#[derive(Debug, Default)]
pub struct Anchors(Numbers);

impl Anchors {
    /// `prefix-name`, or with a number where that is taken.
    pub fn id(&mut self, prefix: &str, name: &str) -> String {
        let name = slug(&name.to_lowercase());
        self.0.free(&format!("{prefix}-{name}"), "")
    }
}

/// Names that were handed out, in lower case, and the number that each of them can have next: many may want the same.
#[derive(Debug, Default)]
struct Numbers {
    taken: HashSet<String>,
    next: HashMap<String, usize>,
}

impl Numbers {
    /// `stem` and `end`, with a number between them where that is taken.
    fn free(&mut self, stem: &str, end: &str) -> String {
        let key = stem.to_lowercase();
        let first = self.next.get(&key).copied().unwrap_or(1);
        for number in first.. {
            let name = match number {
                1 => format!("{stem}{end}"),
                _ => format!("{stem}-{number}{end}"),
            };
            if self.taken.insert(name.to_lowercase()) {
                self.next.insert(key, number + 1);
                return name;
            }
        }
        unreachable!("numbers do not run out")
    }
}

/// A name as a part of an address: letters, digits, `-`, `_` and `.`, never only dots.
pub fn slug(name: &str) -> String {
    // The name of a file may hold a token, which its form would hide from the last look at an output.
    let name = &*secret::look::published(name);
    let mut slug = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '.' => slug.push(c),
            _ if slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    let trimmed = slug.trim_matches(['-', '.']);
    match trimmed {
        "" => "page".to_owned(),
        _ => trimmed.chars().take(120).collect(),
    }
}

/// Resolves a relative path from the root; `None` if it leaves the root.
pub fn resolved(from: &Route, path: &str) -> Option<String> {
    if path.is_empty() {
        return Some(from.as_str().replacen(".html", ".md", 1));
    }
    let mut names: Vec<&str> = from.directory().split_terminator('/').collect();
    for name in path.split('/') {
        match name {
            "" => return None,
            "." => {}
            ".." => {
                names.pop()?;
            }
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_many_want_are_numbered() {
        let mut taken = Taken::default();
        let mut page = |name: &str| taken.page("a", name).as_str().to_owned();
        assert_eq!(page("b"), "a/b.html");
        assert_eq!(page("b-3"), "a/b-3.html");
        assert_eq!(page("B"), "a/B-2.html");
        assert_eq!(page("b"), "a/b-4.html");
        assert_eq!(page("b-3"), "a/b-3-2.html");
        let last = (0..20_000).map(|_| page("c")).last();
        assert_eq!(last.as_deref(), Some("a/c-20000.html"));
    }

    #[test]
    fn links_are_relative_from_any_depth() {
        let route = |path: &str| Route::new(path);
        let from = route("components/a.html");
        assert_eq!(from.to(&route("components/b.html")), "b.html");
        assert_eq!(from.to(&route("components/a.html")), "a.html");
        assert_eq!(from.to(&route("index.html")), "../index.html");
        assert_eq!(from.to(&route("components/sub/b.html")), "sub/b.html");
        assert_eq!(route("index.html").to(&from), "components/a.html");
        assert_eq!(
            route("pages/docs/a.html").to(&route("pages/doc/b.html")),
            "../doc/b.html"
        );
        assert_eq!(route("pages/docs/a.html").base(), "../../");
    }

    #[test]
    fn an_id_is_given_once_in_any_script() {
        let mut anchors = Anchors::default();
        assert_eq!(anchors.id("layer", "Data Stores"), "layer-data-stores");
        assert_eq!(anchors.id("layer", "data/stores"), "layer-data-stores-2");
        assert_eq!(anchors.id("layer", "基盤"), "layer-page");
        assert_eq!(anchors.id("layer", "監視"), "layer-page-2");
    }

    #[test]
    fn an_address_is_given_once_also_where_case_does_not_count() {
        let mut taken = Taken::default();
        assert_eq!(
            taken.page("pages", "Read me").as_str(),
            "pages/Read-me.html"
        );
        assert_eq!(
            taken.page("pages", "read/me").as_str(),
            "pages/read-me-2.html"
        );
        assert_eq!(taken.page("", "..").as_str(), "page.html");
        let odd = taken.mirror("pages", "docs/../x?<y>/Ünï");
        assert_eq!(odd.as_str(), "pages/docs/page/x-y/n.html");
    }

    #[test]
    fn a_path_that_leaves_the_pages_leads_nowhere() {
        let from = Route::new("components/a.html");
        assert_eq!(resolved(&from, "../x.md").as_deref(), Some("x.md"));
        assert_eq!(resolved(&from, "../../x.md"), None);
        assert_eq!(resolved(&from, "/etc/passwd"), None);
    }
}
