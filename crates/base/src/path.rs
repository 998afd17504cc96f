//! Paths in the repo, written the same on every machine. Pure text: no file system is asked.

use std::borrow::Borrow;
use std::fmt;
use std::path::{Component, Path};

use smol_str::SmolStr;

/// A path relative to the root of the repo: separated by `/`, without `.` and `..`; the root is empty. Ordered by
/// bytes, so that everything below a directory is adjacent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(SmolStr);

/// The root of the repo.
pub static ROOT: RepoPath = RepoPath(SmolStr::new_static(""));

impl RepoPath {
    /// Normalises `text`; `None` if it is absolute or leaves the repo.
    pub fn new(text: &str) -> Option<RepoPath> {
        ROOT.join(text)
    }

    pub fn root() -> RepoPath {
        ROOT.clone()
    }

    /// Resolves `rel` in this directory; `None` if it is absolute or leaves the repo. `..` is resolved textually:
    /// resolve links first.
    pub fn join(&self, rel: &str) -> Option<RepoPath> {
        if rel.starts_with('/') {
            return None;
        }
        let mut path = String::with_capacity(self.0.len() + 1 + rel.len());
        path.push_str(&self.0);
        for part in rel.split('/') {
            match part {
                "" | "." => {}
                ".." if path.is_empty() => return None,
                ".." => path.truncate(path.rfind('/').unwrap_or(0)),
                name => {
                    if !path.is_empty() {
                        path.push('/');
                    }
                    path.push_str(name);
                }
            }
        }
        Some(RepoPath(SmolStr::from(path)))
    }

    /// The containing directory; `None` for the root.
    pub fn parent(&self) -> Option<RepoPath> {
        if self.0.is_empty() {
            return None;
        }
        let parent = self.0.rsplit_once('/').map_or("", |(parent, _)| parent);
        Some(RepoPath(SmolStr::from(parent)))
    }

    /// The last component; empty for the root.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or("")
    }

    /// The text after the last dot of the name, unless that dot comes first.
    pub fn extension(&self) -> Option<&str> {
        match self.file_name().rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => Some(extension),
            _ => None,
        }
    }

    /// Whether this is inside `dir`, at any depth. A path is not below itself.
    pub fn is_below(&self, dir: &RepoPath) -> bool {
        match self.0.strip_prefix(dir.as_str()) {
            Some(rest) if dir.0.is_empty() => !rest.is_empty(),
            Some(rest) => rest.starts_with('/'),
            None => false,
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Converts a file system path relative to the root; `None` if it is not UTF-8.
    pub fn from_relative(path: &Path) -> Option<RepoPath> {
        let mut parts = Vec::new();
        for component in path.components() {
            match component {
                Component::Normal(name) => parts.push(name.to_str()?),
                Component::CurDir => {}
                _ => return None,
            }
        }
        Some(RepoPath(SmolStr::from(parts.join("/"))))
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for RepoPath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// Sound because the derived order and hash are those of the string.
impl Borrow<str> for RepoPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RepoPath {
        RepoPath::new(text).unwrap()
    }

    #[test]
    fn different_spellings_of_a_path_are_equal() {
        for text in ["a/b", "./a/b", "a//b", "a/./b/", "a/c/../b", "x/../a/b"] {
            assert_eq!(path(text).as_str(), "a/b");
        }
        for text in ["", ".", "./", "a/.."] {
            assert_eq!(path(text), RepoPath::root());
        }
    }

    #[test]
    fn a_path_that_is_absolute_or_leaves_the_repo_is_none() {
        for text in ["/", "/a", "..", "../a", "a/../..", "./../a/b"] {
            assert_eq!(RepoPath::new(text), None, "{text}");
        }
        assert_eq!(path("a/b").join("../../.."), None);
        assert_eq!(path("a/b").join("/c"), None);
    }

    #[test]
    fn joining_and_taking_the_parent_undo_each_other() {
        let dir = path("apps/n8n");
        assert_eq!(dir.join("../base/ks.yaml"), Some(path("apps/base/ks.yaml")));
        assert_eq!(
            dir.join("ks.yaml").and_then(|file| file.parent()),
            Some(dir)
        );
        assert_eq!(path("a").parent(), Some(RepoPath::root()));
        assert_eq!(RepoPath::root().parent(), None);
    }

    #[test]
    fn names_and_extensions_are_those_of_the_last_part() {
        let parts = |text| {
            let path = path(text);
            let extension = path.extension().map(str::to_string);
            (path.file_name().to_string(), extension)
        };
        assert_eq!(
            parts("a.d/b.enc.yaml"),
            ("b.enc.yaml".into(), Some("yaml".into()))
        );
        assert_eq!(parts("a.d/.env"), (".env".into(), None));
        assert_eq!(parts("a.d/Makefile"), ("Makefile".into(), None));
        assert_eq!(parts(""), (String::new(), None));
    }

    #[test]
    fn below_means_inside_and_not_merely_a_common_beginning() {
        assert!(path("apps/n8n/ks.yaml").is_below(&path("apps")));
        assert!(!path("apps-old/ks.yaml").is_below(&path("apps")));
        assert!(!path("apps").is_below(&path("apps")));
        assert!(path("apps").is_below(&RepoPath::root()));
        assert!(!RepoPath::root().is_below(&RepoPath::root()));
    }
}
