//! A guide: Markdown beside the repo rather than in it, shown in the same site under its own address. It is read from
//! its own tree, so its paths and source links match those in git.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::OnceLock;

use super::area::Area;
use super::{AuthoredPage, RenderedPages, read_area};
use crate::catalog::Catalog;
use crate::input::config::Config;
use crate::input::repo::{GitUse, Record, Repo, RepoError, RepoPath};
use crate::input::repo_host::RepoHost;
use crate::knowledge::Knowledge;
use crate::knowledge::route::ComponentRoutes;

#[derive(Debug)]
pub struct Guide {
    pub repo: Repo,
    pub repo_host: Option<RepoHost>,
    directory: RepoPath,
    /// Rendered on demand: only the site shows it.
    pages: OnceLock<RenderedPages>,
}

impl Guide {
    /// The guide in a directory of the tree at `root`, or none where there is no such directory. Nothing outside that
    /// tree is read. Where there is a record of what git said at another time, that counts.
    pub fn open(
        root: &Path,
        directory: &RepoPath,
        config: &Config,
        git: GitUse,
        record: Option<&Record>,
    ) -> Result<Option<Guide>, RepoError> {
        let repo = Repo::open_with(root, &config.ignore, git)?;
        let repo = match record {
            Some(record) => repo.as_recorded(record),
            None => repo,
        };
        let Some(directory) = repo.resolve_dir(directory) else {
            return Ok(None);
        };
        Ok(Some(Guide {
            repo_host: RepoHost::detect(&repo, config),
            repo,
            directory,
            pages: OnceLock::new(),
        }))
    }

    /// The directories that it is in, on this machine.
    pub fn directories(&self) -> Vec<PathBuf> {
        let own = self.path();
        let all = self.repo.directories().into_iter();
        all.filter(|directory| directory.starts_with(&own))
            .collect()
    }

    /// The directory of the guide on this machine.
    pub fn path(&self) -> PathBuf {
        self.repo.root().join(self.directory.as_str())
    }

    /// The pages of the guide. The catalogue is empty, since a guide is about no component.
    pub fn pages(&self) -> &RenderedPages {
        self.pages.get_or_init(|| {
            let (catalog, repo_host) = (Catalog::default(), self.repo_host.as_ref());
            let area = Area::guide(self.directory.clone());
            let pages = read_area(&self.repo, &catalog, &Knowledge::default(), repo_host, area);
            pages.render(&self.repo, &catalog, &ComponentRoutes::new(), repo_host)
        })
    }

    /// Its pages, by path.
    pub fn documents(&self) -> &[Arc<AuthoredPage>] {
        &self.pages().documents
    }

    /// The page to begin with, by position: its README, else its first.
    pub fn first(&self) -> usize {
        let directory = &self.directory;
        let readme = self.repo.file_in(directory, "README.md");
        let mut documents = self.documents().iter();
        documents
            .position(|document| Some(document.file) == readme)
            .unwrap_or(0)
    }
}
