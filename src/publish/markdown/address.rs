//! Addresses of pages in the export, and links between them. Uses only names without a special meaning to any
//! generator.

use std::collections::{BTreeMap, BTreeSet};

use super::{ExportedPage, PageNaming};
use crate::knowledge::route::{Route, resolved};
use markdown::portable::Anchors;

pub struct Addresses<'e> {
    /// By the page's place in the site.
    pages: BTreeMap<&'e str, PageAddress<'e>>,
    pictures: BTreeSet<&'e str>,
}

struct PageAddress<'e> {
    /// `components/redis.md`.
    file: Route,
    /// `components/redis`; empty for the first page.
    slug: String,
    anchors: &'e Anchors,
}

impl<'e> Addresses<'e> {
    pub fn new(entries: &'e [ExportedPage<'e>], pictures: &[&'e Route]) -> Addresses<'e> {
        let mut taken = BTreeSet::new();
        let pages = entries.iter().map(|entry| {
            let (file, slug) = named(entry.route, &mut taken);
            let page = PageAddress {
                file,
                slug,
                anchors: &entry.anchors,
            };
            (entry.route.as_str(), page)
        });
        Addresses {
            pages: pages.collect(),
            pictures: pictures.iter().map(|route| route.as_str()).collect(),
        }
    }

    pub fn files(&self) -> impl Iterator<Item = &Route> {
        self.pages.values().map(|page| &page.file)
    }

    /// The file of a page. The page must be one that the addresses were made for.
    pub fn file(&self, route: &Route) -> &str {
        self.pages[route.as_str()].file.as_str()
    }

    pub fn slug(&self, route: &Route) -> &str {
        &self.pages[route.as_str()].slug
    }

    /// The link from the page at `from` to the target of `href`; `None` if there is no target.
    pub fn follow(&self, from: &Route, href: &str, links: PageNaming) -> Option<String> {
        let is_outside = ["https://", "http://", "mailto:"]
            .iter()
            .any(|scheme| href.starts_with(scheme));
        if is_outside {
            return Some(href.to_owned());
        }
        let (path, fragment) = href.split_once('#').unwrap_or((href, ""));
        let target = resolved(from, path)?;
        let own = &self.pages[from.as_str()];
        if self.pictures.contains(target.as_str()) {
            // Some generators take a bare name for a package.
            let href = own.file.to(&Route::new(target));
            return Some(if href.starts_with("../") {
                href
            } else {
                format!("./{href}")
            });
        }
        let is_document = target == "service-catalog.json";
        if is_document && links == PageNaming::Files {
            return Some(own.file.to(&Route::new(target)));
        }
        let stem = target.strip_suffix(".md")?;
        let page = self.pages.get(format!("{stem}.html").as_str())?;
        let anchor = anchor(page.anchors, fragment).map(|anchor| format!("#{anchor}"));
        let anchor = anchor.unwrap_or_default();
        if std::ptr::eq(own, page) && !anchor.is_empty() {
            return Some(anchor);
        }
        let to = match links {
            PageNaming::Files => own.file.to(&page.file),
            PageNaming::Addresses => between(&own.slug, &page.slug),
        };
        Some(to + &anchor)
    }
}

/// The name of a page's file, and its address without an ending.
fn named(route: &Route, taken: &mut BTreeSet<String>) -> (Route, String) {
    let stem = route.as_str();
    let stem = stem.strip_suffix(".html").unwrap_or(stem);
    // A name that begins so is left out by Starlight.
    let mut names: Vec<&str> = stem
        .split('/')
        .map(|name| name.trim_start_matches(['_', '.']))
        .map(|name| if name.is_empty() { "page" } else { name })
        .collect();
    let last = names.pop().unwrap_or("page");
    // MkDocs and mdBook make the first page of a directory of it, and mdBook loses the links to it.
    let last = if last.eq_ignore_ascii_case("readme") {
        "about"
    } else {
        last
    };
    let directory: String = names.iter().map(|name| format!("{name}/")).collect();
    for number in 1usize.. {
        let name = match number {
            1 => last.to_owned(),
            _ => format!("{last}-{number}"),
        };
        let slug = match name.as_str() {
            "index" => directory.trim_end_matches('/').to_owned(),
            _ => format!("{directory}{name}"),
        };
        if taken.insert(slug.to_lowercase()) {
            return (Route::new(format!("{directory}{name}.md")), slug);
        }
    }
    unreachable!("numbers do not run out")
}

/// The anchor that a fragment of the site means: the site has ids with a word before the name, such as `layer-data`.
fn anchor<'a>(anchors: &'a Anchors, fragment: &str) -> Option<&'a str> {
    let small = fragment.to_lowercase();
    let bare = small.split_once('-').map(|(_, rest)| rest);
    let known = [Some(fragment), Some(&small), bare];
    let mut known = known.into_iter().flatten();
    known.find_map(|id| anchors.get(id).map(String::as_str))
}

/// From the page at one address to that at another, where every address is a directory.
fn between(from: &str, to: &str) -> String {
    let inside = |slug: &str| match slug {
        "" => Route::new("index"),
        slug => Route::new(format!("{slug}/index")),
    };
    let href = inside(from).to(&inside(to));
    match href.strip_suffix("index").unwrap_or(&href) {
        "" => "./".to_owned(),
        href => href.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_generators_give_a_meaning_are_changed_and_stay_apart() {
        let mut taken = BTreeSet::new();
        let mut name = |route: &str| named(&Route::new(route), &mut taken).0.to_string();
        assert_eq!(name("index.html"), "index.md");
        assert_eq!(name("pages.html"), "pages.md");
        assert_eq!(name("pages/index.html"), "pages/index-2.md");
        assert_eq!(name("pages/README.html"), "pages/about.md");
        assert_eq!(name("pages/about.html"), "pages/about-2.md");
        assert_eq!(name("pages/_drafts/_a.html"), "pages/drafts/a.md");
    }

    #[test]
    fn addresses_are_directories() {
        assert_eq!(between("components/a", "components/b"), "../b/");
        assert_eq!(between("components/a", ""), "../../");
        assert_eq!(between("", "components/a"), "components/a/");
        assert_eq!(between("a", "a"), "./");
    }
}
