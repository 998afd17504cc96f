//! Directories that a build writes: finished sites, which have a marker, and those that are being written, which have a
//! name of their own. Anybody can make either, so that only what a site is made of is left out there: a manifest is read
//! wherever it lies.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::RepoPath;
use base::hash::HashSet;
use system::output::is_unfinished;

/// The file that says: this directory is a site that catalog wrote.
pub const SITE_MARKER: &str = ".catalog-site";

/// Documents that a build writes at the top of a site.
const DOCUMENTS: [&str; 2] = ["service-catalog.json", ".catalog-git.json"];

/// Whether a file of this name may be applied or run by something that deploys a repo. No page of a site is called so.
pub(super) fn is_deployable(path: &RepoPath) -> bool {
    let ending = path.extension();
    let by_ending = matches!(
        ending,
        Some("yaml" | "yml" | "json" | "jsonnet" | "libsonnet" | "tf" | "tofu" | "tfvars")
    );
    by_ending || kustomize::is_kustomization(path)
}

/// Whether a build may have written this document: JSON, and not a Kubernetes object.
fn is_written_document(bytes: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct KindOnly {
        kind: Option<IgnoredAny>,
    }
    let parsed = serde_json::from_slice::<KindOnly>(bytes);
    parsed.is_ok_and(|document| document.kind.is_none())
}

/// The generated directories of a tree.
pub(super) struct GeneratedDirectories(BTreeSet<RepoPath>);

impl GeneratedDirectories {
    /// Directories that are `marked`, have a marker among `files`, or are named like an unfinished build.
    pub fn new<'p>(
        mut marked: BTreeSet<RepoPath>,
        files: impl Iterator<Item = &'p RepoPath>,
        dirs: &HashSet<RepoPath>,
    ) -> GeneratedDirectories {
        let markers = files.filter(|file| file.as_str().ends_with(SITE_MARKER));
        let markers = markers.filter(|file| file.file_name() == SITE_MARKER);
        marked.extend(markers.filter_map(RepoPath::parent));
        let unfinished = dirs.iter();
        let unfinished = unfinished.filter(|dir| is_unfinished(dir.file_name().as_ref()));
        marked.extend(unfinished.cloned());
        // An explicitly requested root is always read.
        marked.remove(&RepoPath::root());
        GeneratedDirectories(marked)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn contains(&self, directory: &RepoPath) -> bool {
        self.0.contains(directory)
    }

    /// Whether a file is one that a build wrote. `read` reads one that may be a document.
    pub fn has(&self, file: &RepoPath, read: impl Fn(&RepoPath) -> Option<Vec<u8>>) -> bool {
        let Some(directory) = self.around(file) else {
            return false;
        };
        let is_document =
            file.parent().as_ref() == Some(directory) && DOCUMENTS.contains(&file.file_name());
        !is_deployable(file)
            || is_document && read(file).is_some_and(|bytes| is_written_document(&bytes))
    }

    /// Whether a link takes the place of something that a build writes: no other program goes by it.
    pub fn has_link(&self, link: &RepoPath) -> bool {
        !is_deployable(link) && self.around(link).is_some()
    }

    /// Forgets directories in which nothing is left but what a build wrote.
    pub fn tidy<'p>(
        &self,
        dirs: &mut HashSet<RepoPath>,
        files: impl Iterator<Item = &'p RepoPath>,
    ) {
        let mut needed: BTreeSet<&str> = BTreeSet::new();
        for file in files.filter(|file| self.around(file).is_some()) {
            let text = file.as_str();
            needed.extend(text.match_indices('/').map(|(at, _)| &text[..at]));
        }
        dirs.retain(|dir| {
            let is_generated = self.contains(dir) || self.around(dir).is_some();
            !is_generated || needed.contains(dir.as_str())
        });
    }

    /// The generated directory that something lies in.
    fn around(&self, path: &RepoPath) -> Option<&RepoPath> {
        if self.0.is_empty() {
            return None;
        }
        let text = path.as_str();
        let mut slashes = text.match_indices('/');
        slashes.find_map(|(at, _)| self.0.get(&text[..at]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_build_writes_is_left_out() {
        let path = |text: &str| RepoPath::new(text).unwrap();
        let marker = path("a/site/.catalog-site");
        let generated =
            GeneratedDirectories::new(BTreeSet::new(), [&marker].into_iter(), &HashSet::default());
        let has =
            |name: &str, text: &str| generated.has(&path(name), |_| Some(text.as_bytes().to_vec()));
        for name in [
            "index.html",
            "deep/er/page.md",
            "style.css",
            ".gitkeep",
            ".catalog-site",
        ] {
            assert!(has(&format!("a/site/{name}"), ""), "{name}");
        }
        for name in ["x.yaml", "deep/x.yml", "x.json", "main.tf", "Kustomization"] {
            assert!(!has(&format!("a/site/{name}"), "{}"), "{name}");
        }
        assert!(!has("a/index.html", "") && !has("a/sites/index.html", ""));
        let document = "a/site/service-catalog.json";
        assert!(has(
            document,
            "{\"schema\": 1, \"of\": {\"kind\": \"Secret\"}}"
        ));
        for text in ["{\"kind\": \"Secret\"}", "kind: Secret", "[]", ""] {
            assert!(!has(document, text), "{text}");
        }
        assert!(!has("a/site/deep/service-catalog.json", "{}"));
    }

    #[test]
    fn names_of_unfinished_sites_are_known() {
        for (name, is_one) in [
            (".book.catalog-4711", true),
            (".book.catalog-notes", false),
            (".book.catalog-", false),
            ("book.catalog-1", false),
            (".book.catalog-a.b", false),
        ] {
            assert_eq!(is_unfinished(std::ffi::OsStr::new(name)), is_one, "{name}");
        }
    }
}
