//! Symbolic links of the repo: where each leads, and what a path through them really is.
//! Looks at links once, when the repo is opened; after that, asks the file system nothing.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

use super::RepoPath;
use super::generated::is_deployable;
use super::walk::{nowhere, reason};
use base::hash::HashMap;
use base::{FileId, Finding};

/// From each link to the real path that it leads to, where nothing need have been indexed.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct LinkIndex {
    real: BTreeMap<RepoPath, RepoPath>,
    /// All of them, also those that are not followed.
    met: BTreeSet<RepoPath>,
    /// Links that lead out of the repo.
    outside: BTreeSet<RepoPath>,
}

impl LinkIndex {
    /// Follows the links at these paths, and reports those that do not end inside `root`.
    pub(super) fn follow(
        root: &Path,
        links: Vec<RepoPath>,
        findings: &mut Vec<Finding>,
    ) -> LinkIndex {
        let mut real = BTreeMap::new();
        let mut outside = BTreeSet::new();
        let met = links.iter().cloned().collect();
        for link in links {
            match target(root, &link) {
                Ok(path) => {
                    real.insert(link, path);
                }
                Err(Unfollowed::Broken(error)) => findings.push(broken(&link, &error)),
                Err(Unfollowed::Outside) => {
                    findings.push(self::outside(&link));
                    outside.insert(link);
                }
            }
        }
        LinkIndex { real, met, outside }
    }

    /// Links that were followed elsewhere.
    pub(super) fn new(
        real: BTreeMap<RepoPath, RepoPath>,
        outside: BTreeSet<RepoPath>,
    ) -> LinkIndex {
        let met = real.keys().cloned().collect();
        LinkIndex { real, met, outside }
    }

    /// Links that are called like manifests, and lead to files that are not. A file is read by its own name, and whoever
    /// deploys the repo by that of the link.
    pub(super) fn renamed(&self, files: &HashMap<RepoPath, FileId>) -> Vec<Finding> {
        let links = self.real.iter();
        let renamed = links.filter(|(link, real)| {
            is_deployable(link) && files.contains_key(*real) && !is_deployable(real)
        });
        let findings = renamed.map(|(link, real)| {
            let message =
                format!("the symbolic link `{link}` points to `{real}`, which is not read as a manifest");
            Finding::warning("link-renamed", nowhere(), message)
                .help("rename the target so that it is read as a manifest, or replace the link with a copy")
        });
        findings.collect()
    }

    /// Whether a path leads through a link that is not followed, as it leads out of the repo.
    pub(super) fn leads_out(&self, path: &RepoPath) -> bool {
        if self.outside.is_empty() {
            return false;
        }
        let path = self.resolve(path);
        let text = path.as_str();
        let slashes = text.match_indices('/').map(|(at, _)| at);
        let mut ends = slashes.chain([text.len()]);
        ends.any(|end| self.outside.contains(&text[..end]))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.real.is_empty()
    }

    /// Whether there is a link at this very path.
    pub(super) fn has(&self, path: &RepoPath) -> bool {
        self.met.contains(path)
    }

    /// The path with every link in it replaced. Ends, as each turn shortens what is yet to be looked at.
    pub(super) fn resolve<'p>(&self, path: &'p RepoPath) -> Cow<'p, RepoPath> {
        let mut path = Cow::Borrowed(path);
        let mut real_bytes = 0;
        while let Some((end, real)) = self.first_link(&path, real_bytes) {
            real_bytes = real.as_str().len();
            let rest = path.as_str()[end..].trim_start_matches('/');
            match real.join(rest) {
                Some(next) => path = Cow::Owned(next),
                None => break,
            }
        }
        path
    }

    /// The shortest link that `path` leads through and that ends behind `from`: its end, and its target.
    fn first_link(&self, path: &RepoPath, from: usize) -> Option<(usize, &RepoPath)> {
        if self.real.is_empty() {
            return None;
        }
        let text = path.as_str();
        let slashes = text.match_indices('/').map(|(at, _)| at);
        let mut ends = slashes.chain([text.len()]).filter(|end| *end > from);
        ends.find_map(|end| Some((end, self.real.get(&text[..end])?)))
    }
}

/// Why a link is not followed.
enum Unfollowed {
    Broken(io::Error),
    Outside,
}

/// Target of a link, if it is inside the tree.
fn target(root: &Path, link: &RepoPath) -> Result<RepoPath, Unfollowed> {
    let real = fs::canonicalize(root.join(link.as_str())).map_err(Unfollowed::Broken)?;
    let inside = real.strip_prefix(root).ok();
    inside
        .and_then(RepoPath::from_relative)
        .ok_or(Unfollowed::Outside)
}

pub(super) fn broken(link: &RepoPath, error: &io::Error) -> Finding {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "its target does not exist".to_string(),
        _ => format!("it cannot be followed ({})", reason(error)),
    };
    let message = format!("the symbolic link `{link}` is broken: {why}");
    Finding::info("link-broken", nowhere(), message)
        .help("point it to a file or directory in the repository, or remove it")
}

pub(super) fn outside(link: &RepoPath) -> Finding {
    let message =
        format!("the symbolic link `{link}` points outside the repository and is not followed");
    Finding::warning("link-outside", nowhere(), message)
        .help("replace it with a copy, or point it to a file or directory in the repository")
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::super::fixture::{open, path, paths, tree};
    use super::*;

    #[test]
    fn a_link_leads_to_the_one_real_file() {
        let dir = tree(&[".sdd/specs/0001.md", ".sdd/specs/deep/a.md", "x/y"]);
        let root = dir.path();
        fs::create_dir(root.join("docs")).unwrap();
        symlink("../.sdd/specs", root.join("docs/specs")).unwrap();
        symlink("docs/specs/0001.md", root.join("first.md")).unwrap();
        symlink("first.md", root.join("second.md")).unwrap();
        symlink("../../../x", root.join(".sdd/specs/deep/x")).unwrap();
        symlink(root, root.join("x/top")).unwrap();
        let repo = open(&dir);
        assert_eq!(
            paths(&repo),
            [".sdd/specs/0001.md", ".sdd/specs/deep/a.md", "x/y"]
        );
        let real = |text: &str| {
            let file = repo.file(&path(text));
            file.map(|id| repo.path(id).as_str())
        };
        assert_eq!(real("docs/specs/0001.md"), Some(".sdd/specs/0001.md"));
        assert_eq!(real("second.md"), Some(".sdd/specs/0001.md"));
        assert_eq!(real("docs/specs/deep/x/y"), Some("x/y"));
        assert_eq!(real("x/top/x/top/docs/specs/deep/x/y"), Some("x/y"));
        assert_eq!(real("second.md/y"), None);
        assert_eq!(real("docs/specs/none.md"), None);
        assert_eq!(
            repo.resolve_dir(&path("docs/specs")),
            Some(path(".sdd/specs"))
        );
        assert_eq!(repo.resolve_dir(&path("x/top")), Some(RepoPath::root()));
        assert_eq!(repo.resolve_dir(&path("first.md")), None);
        assert_eq!(repo.below(&path("docs/specs")).len(), 2);
        assert!(repo.findings().is_empty());
    }

    #[test]
    fn a_link_to_what_is_not_read_resolves_to_nothing() {
        let dir = tree(&["secret.env", ".git/config"]);
        fs::write(dir.path().join(".gitignore"), "secret.env\n").unwrap();
        symlink("secret.env", dir.path().join("a")).unwrap();
        symlink(".git", dir.path().join("b")).unwrap();
        let repo = open(&dir);
        assert_eq!(repo.file(&path("a")), None);
        assert_eq!(repo.file(&path("b/config")), None);
        assert!(!repo.is_dir(&path("b")));
    }

    #[test]
    fn a_link_that_makes_a_manifest_of_another_file_is_told() {
        let dir = tree(&["notes.txt", "a.yaml", "sub/x"]);
        let root = dir.path();
        symlink("notes.txt", root.join("app.yaml")).unwrap();
        symlink("a.yaml", root.join("b.yml")).unwrap();
        symlink("sub", root.join("sub.yaml")).unwrap();
        symlink("notes.txt", root.join("notes.md")).unwrap();
        let repo = open(&dir);
        let told: Vec<&str> = repo
            .findings()
            .iter()
            .map(|one| one.message.as_str())
            .collect();
        assert_eq!(
            told,
            ["the symbolic link `app.yaml` points to `notes.txt`, which is not read as a manifest"]
        );
    }

    #[test]
    fn links_that_lead_out_or_nowhere_are_reported_and_not_followed() {
        let outside = tree(&["secret"]);
        let dir = tree(&["a"]);
        let root = dir.path();
        symlink(outside.path().join("secret"), root.join("out")).unwrap();
        symlink(outside.path(), root.join("outdir")).unwrap();
        symlink("gone", root.join("dangling")).unwrap();
        symlink("loop2", root.join("loop1")).unwrap();
        symlink("loop1", root.join("loop2")).unwrap();
        let repo = open(&dir);
        assert_eq!(paths(&repo), ["a"]);
        assert_eq!(repo.file(&path("out")), None);
        assert_eq!(repo.file(&path("outdir/secret")), None);
        let found: Vec<&str> = repo.findings().iter().map(|finding| finding.rule).collect();
        assert_eq!(
            found,
            [
                "link-outside",
                "link-outside",
                "link-broken",
                "link-broken",
                "link-broken"
            ]
        );
        assert!(repo.findings()[2].message.contains("`dangling`"));
        let told = format!("{:?}", repo.findings());
        assert!(!told.contains(&outside.path().display().to_string()));
    }
}
