//! Links to the host of the repo (GitHub, GitLab, Forgejo): a file at the commit, a line in it, the editor, the commit.
//! Forges write these addresses in a few ways; the host's name says which.

use std::fmt::Write;

use crate::input::config::Config;
use crate::input::repo::Repo;
use base::Place;
use base::uri;

/// Web address of the repo on its host, for links.
#[derive(Debug, Clone)]
pub struct RepoHost {
    /// The address of the repository, without a slash at its end.
    address: String,
    style: HostStyle,
    commit: Option<String>,
    branch: String,
    /// Path of the repo in its git repository: empty, or ending with `/`.
    prefix: String,
}

/// Digits that tell a commit from all others of a repository.
const SHORT_COMMIT: usize = 12;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HostStyle {
    GitHub,
    GitLab,
    Gitea,
    Bitbucket,
    Azure,
}

impl RepoHost {
    /// None when neither the configuration nor git knows an address.
    pub fn detect(repo: &Repo, config: &Config) -> Option<RepoHost> {
        let git = repo.git();
        let known = config.repository.as_deref();
        let address = known.or(git.and_then(|git| git.remote.as_deref()))?;
        let address = address.trim_end_matches('/').trim_end_matches(".git");
        if !address.starts_with("https://") && !address.starts_with("http://") {
            return None;
        }
        // With an address of its own, the directory that is read is that repository.
        let prefix = match known {
            Some(_) => "",
            None => git.map_or("", |git| git.prefix.as_str()),
        };
        Some(RepoHost {
            style: style(address),
            address: address.to_owned(),
            commit: git.map(|git| git.commit.clone()),
            branch: git
                .and_then(|git| git.branch.clone())
                .unwrap_or_else(|| "main".to_owned()),
            prefix: prefix.to_owned(),
        })
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    /// The common name of the repository, such as `acme/platform`.
    pub fn name(&self) -> &str {
        let path = self.address.split("://").nth(1).unwrap_or(&self.address);
        path.split_once('/').map_or(path, |(_, name)| name)
    }

    /// A line of a file, as it was when the catalogue was made.
    pub fn line(&self, repo: &Repo, place: Place) -> String {
        let mut href = self.file(repo.path(place.file).as_str());
        self.push_line(&mut href, place.line);
        href
    }

    /// Appends a line anchor to the address of a file; nothing if `line` is 0.
    pub fn push_line(&self, href: &mut String, line: u32) {
        if line == 0 {
            return;
        }
        href.push_str(match self.style {
            HostStyle::Bitbucket => "#lines-",
            HostStyle::Azure => "&line=",
            _ => "#L",
        });
        // Writing to a `String` cannot fail.
        let _ = write!(href, "{line}");
        if self.style == HostStyle::Azure {
            let end = line + 1;
            let _ = write!(href, "&lineEnd={end}&lineStartColumn=1&lineEndColumn=1");
        }
    }

    /// The version and the path, in the repo, of a file that an address of this host shows.
    pub fn inside<'u>(&self, url: &'u str) -> Option<(&'u str, &'u str)> {
        let ways: &[&str] = match self.style {
            HostStyle::GitHub => &["/blob/", "/tree/", "/raw/"],
            HostStyle::GitLab => &["/-/blob/", "/-/tree/", "/-/raw/", "/blob/", "/tree/"],
            HostStyle::Gitea => &["/src/branch/", "/src/commit/", "/src/tag/"],
            HostStyle::Bitbucket => &["/src/"],
            HostStyle::Azure => return None,
        };
        let rest = url.strip_prefix(self.address.as_str())?;
        let rest = ways.iter().find_map(|way| rest.strip_prefix(way))?;
        let (version, path) = rest.split_once('/')?;
        Some((version, path.strip_prefix(self.prefix.as_str())?))
    }

    /// Whether a version is the one that is read, as far as its name says.
    pub fn is_here(&self, version: &str) -> bool {
        matches!(version, "main" | "master" | "HEAD") || version == self.branch
    }

    pub fn file(&self, path: &str) -> String {
        self.at("blob", path)
    }

    /// The beginning of the address of every file, where the path follows at its end.
    pub fn files(&self) -> Option<String> {
        (self.style != HostStyle::Azure).then(|| self.file(""))
    }

    pub fn directory(&self, path: &str) -> String {
        self.at("tree", path)
    }

    /// The same on a branch, independent of the commit.
    pub fn directory_on(&self, branch: &str, path: &str) -> String {
        let branched = RepoHost {
            commit: None,
            branch: branch.to_owned(),
            ..self.clone()
        };
        branched.directory(path)
    }

    /// A page has many of these, so each is put together in one piece.
    fn at(&self, what: &str, path: &str) -> String {
        let mut href = String::with_capacity(self.address.len() + path.len() + 64);
        href.push_str(&self.address);
        let (is_commit, version) = (self.commit.is_some(), self.version());
        if self.style == HostStyle::Azure {
            href.push_str("?path=/");
            self.push_path(&mut href, path);
            href.push_str(if is_commit {
                "&version=GC"
            } else {
                "&version=GB"
            });
            href.push_str(&uri::path(version));
            return href;
        }
        let way = match self.style {
            HostStyle::GitLab => ["/-/", what, "/"],
            HostStyle::Gitea if is_commit => ["/src/", "commit", "/"],
            HostStyle::Gitea => ["/src/", "branch", "/"],
            HostStyle::Bitbucket => ["/src/", "", ""],
            HostStyle::GitHub | HostStyle::Azure => ["/", what, "/"],
        };
        way.iter().for_each(|part| href.push_str(part));
        href.push_str(&uri::path(version));
        href.push('/');
        self.push_path(&mut href, path);
        href
    }

    /// Appends a path of the repo, with the repo's prefix in its git repository.
    fn push_path(&self, href: &mut String, path: &str) {
        href.push_str(&uri::path(&self.prefix));
        href.push_str(&uri::path(path));
    }

    /// Commit or branch that was read. Hosts accept an abbreviated commit, which keeps pages with many links small.
    fn version(&self) -> &str {
        match (&self.commit, self.style) {
            (Some(commit), HostStyle::Azure) => commit,
            (Some(commit), _) => commit.get(..SHORT_COMMIT).unwrap_or(commit),
            (None, _) => &self.branch,
        }
    }

    /// Address of the edit page of a file.
    pub fn edit(&self, path: &str) -> String {
        let address = &self.address;
        let path = format!("{}{path}", self.prefix);
        let (path, branch) = (uri::path(&path), uri::path(&self.branch));
        match self.style {
            HostStyle::GitHub => format!("{address}/edit/{branch}/{path}"),
            HostStyle::GitLab => format!("{address}/-/edit/{branch}/{path}"),
            HostStyle::Gitea => format!("{address}/_edit/{branch}/{path}"),
            HostStyle::Bitbucket => format!("{address}/src/{branch}/{path}?mode=edit"),
            HostStyle::Azure => format!("{address}?path=/{path}&version=GB{branch}"),
        }
    }

    pub fn commit(&self) -> Option<String> {
        Some(self.commit_page(self.commit.as_ref()?))
    }

    /// The page of any commit.
    pub fn commit_page(&self, commit: &str) -> String {
        let address = &self.address;
        match self.style {
            HostStyle::GitLab => format!("{address}/-/commit/{commit}"),
            HostStyle::Bitbucket => format!("{address}/commits/{commit}"),
            _ => format!("{address}/commit/{commit}"),
        }
    }
}

fn style(address: &str) -> HostStyle {
    let host = address.split("://").nth(1).unwrap_or_default();
    let host = host.split('/').next().unwrap_or_default();
    let has = |name: &str| host.contains(name);
    match () {
        () if has("gitlab") => HostStyle::GitLab,
        () if has("codeberg") || has("gitea") || has("forgejo") => HostStyle::Gitea,
        () if has("bitbucket") => HostStyle::Bitbucket,
        () if has("dev.azure.com") || has("visualstudio.com") => HostStyle::Azure,
        () => HostStyle::GitHub,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repo_host(address: &str) -> RepoHost {
        RepoHost {
            address: address.to_owned(),
            style: style(address),
            commit: Some("abc".to_owned()),
            branch: "main".to_owned(),
            prefix: String::new(),
        }
    }

    #[test]
    fn every_forge_has_its_way_to_a_file() {
        let file = |address| repo_host(address).file("a b/c#d.yaml");
        assert_eq!(
            file("https://github.com/o/r"),
            "https://github.com/o/r/blob/abc/a%20b/c%23d.yaml"
        );
        assert_eq!(
            file("https://gitlab.example.com/o/r"),
            "https://gitlab.example.com/o/r/-/blob/abc/a%20b/c%23d.yaml"
        );
        assert_eq!(
            file("https://codeberg.org/o/r"),
            "https://codeberg.org/o/r/src/commit/abc/a%20b/c%23d.yaml"
        );
        assert_eq!(
            file("https://bitbucket.org/o/r"),
            "https://bitbucket.org/o/r/src/abc/a%20b/c%23d.yaml"
        );
        assert_eq!(
            file("https://dev.azure.com/o/p/_git/r"),
            "https://dev.azure.com/o/p/_git/r?path=/a%20b/c%23d.yaml&version=GCabc"
        );
        assert_eq!(repo_host("https://github.com/o/r").name(), "o/r");
        let files = |address| repo_host(address).files();
        let start = files("https://github.com/o/r").expect("paths are at the end");
        assert!(
            file("https://github.com/o/r").starts_with(&start),
            "{start}"
        );
        assert_eq!(files("https://dev.azure.com/o/p/_git/r"), None);
    }
}
