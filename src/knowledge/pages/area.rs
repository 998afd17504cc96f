//! The part of a tree whose Markdown is read, and where its pages and pictures stand in the site.

use crate::input::repo::{Repo, RepoPath};
use crate::knowledge::route::{Route, slug};
use base::FileId;

#[derive(Debug)]
pub struct Area {
    /// What is read: all below this directory.
    pub below: RepoPath,
    /// The directory of the site that its pages are in.
    pub pages: &'static str,
    /// That of its pictures.
    files: &'static str,
}

/// All of a repo.
impl Default for Area {
    fn default() -> Area {
        Area {
            below: RepoPath::root(),
            pages: "pages",
            files: "files",
        }
    }
}

impl Area {
    /// A guide that lies in this directory.
    pub fn guide(below: RepoPath) -> Area {
        Area {
            below,
            pages: "guide",
            files: "guide/files",
        }
    }

    /// A path without the directory that the area is.
    pub fn inside<'p>(&self, path: &'p str) -> &'p str {
        let rest = path.strip_prefix(self.below.as_str());
        rest.map_or(path, |rest| rest.trim_start_matches('/'))
    }

    /// Where a picture stands in the site.
    pub fn image(&self, repo: &Repo, file: FileId) -> Route {
        let names = self.inside(repo.path(file).as_str()).split('/').map(slug);
        let names: Vec<String> = names.collect();
        Route::new(format!("{}/{}", self.files, names.join("/")))
    }
}
