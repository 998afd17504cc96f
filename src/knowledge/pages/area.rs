//! The part of a tree whose Markdown is read, and the addresses of its pages and pictures in the site.

use crate::input::repo::{Repo, RepoPath};
use crate::knowledge::route::{Route, slug};
use base::FileId;

#[derive(Debug)]
pub struct Area {
    /// Directory whose files are read, at any depth.
    pub below: RepoPath,
    /// The directory of the site that its pages are in.
    pub pages: &'static str,
    /// The directory of the site for its pictures.
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

    /// Address of a picture in the site.
    pub fn image(&self, repo: &Repo, file: FileId) -> Route {
        let names = self.inside(repo.path(file).as_str()).split('/').map(slug);
        let names: Vec<String> = names.collect();
        Route::new(format!("{}/{}", self.files, names.join("/")))
    }
}
