//! Reopens a repo after an edit. Only changes are read, and the result equals opening it anew. The walk is repeated if
//! files came or went. If only contents changed, the tree stays.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Git, GitUse, MAX_FILE_BYTES, Repo, RepoError, RepoPath};
use crate::input::chart_library::CHART_LOCK;
use base::FileId;

/// Possible changes since a repo was opened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changed {
    /// Absolute paths of files and directories, in the repo or around it.
    pub paths: BTreeSet<PathBuf>,
    /// The changes are unknown, so everything is read again.
    pub is_unknown: bool,
}

impl Changed {
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty() && !self.is_unknown
    }

    pub fn join(&mut self, other: Changed) {
        self.paths.extend(other.paths);
        self.is_unknown |= other.is_unknown;
    }
}

/// A repo that was opened again.
pub struct Reopened {
    pub repo: Repo,
    /// Whether anything that could make a difference has changed.
    pub differs: bool,
    /// Whether directories may be others, or be watched no longer, though they have the same names.
    pub is_moved: bool,
    /// Files whose content may be another.
    pub edited: BTreeSet<FileId>,
}

impl Repo {
    /// Opens a repo that will be opened again.
    pub fn open_to_watch(
        root: &Path,
        ignore: &[String],
        git_use: GitUse,
    ) -> Result<Repo, RepoError> {
        let mut repo = Repo::open_with(root, ignore, git_use)?;
        repo.kept = Some(Arc::default());
        Ok(repo)
    }

    /// Opens it again.
    pub fn reopen(&self, ignore: &[String], changed: &Changed) -> Result<Reopened, RepoError> {
        if changed.is_unknown {
            let repo = Repo::open_to_watch(&self.root, ignore, self.git_use)?;
            return Ok(Reopened {
                repo,
                differs: true,
                is_moved: true,
                edited: BTreeSet::new(),
            });
        }
        let kinds: Vec<PathChange> = changed.paths.iter().map(|path| self.kind(path)).collect();
        // Tracked files are part of the tree, even if a `.gitignore` hides them.
        let is_shape = |kind: &PathChange| {
            matches!(
                kind,
                PathChange::Shape | PathChange::Below(_) | PathChange::Git
            )
        };
        let has_new_shape = kinds.iter().any(is_shape);
        let walked = if has_new_shape {
            Some(Repo::open_with(&self.root, ignore, self.git_use)?)
        } else {
            None
        };
        let git = match &walked {
            Some(walked) => walked.git.clone(),
            None => self.git.clone(),
        };
        let tree = match walked {
            Some(walked) if walked.tree.is_like(&self.tree) => self.tree.clone(),
            Some(walked) => walked.tree,
            None => self.tree.clone(),
        };
        let is_same_tree = Arc::ptr_eq(&tree, &self.tree);
        let history = if is_same_tree && git == self.git {
            self.history.clone()
        } else {
            Arc::default()
        };
        let recent = if git == self.git {
            self.recent.clone()
        } else {
            Arc::default()
        };
        let log = if git == self.git {
            self.log.clone()
        } else {
            Arc::default()
        };
        let edited: BTreeSet<FileId> = kinds.iter().flat_map(|kind| self.edited(kind)).collect();
        // Changes to paths that are not read, such as the site of another build, make no difference.
        let differs = !is_same_tree || !edited.is_empty() || git != self.git;
        let lock = self.file_in(&RepoPath::root(), CHART_LOCK);
        let is_same_lock = is_same_tree && lock.is_none_or(|lock| !edited.contains(&lock));
        let charts = if is_same_lock {
            self.charts.clone()
        } else {
            Arc::default()
        };
        let mut repo = Repo {
            root: self.root.clone(),
            charts,
            tree,
            git,
            git_use: self.git_use,
            history,
            recent,
            log,
            kept: None,
            held: Arc::default(),
            commit: None,
            withheld: Arc::default(),
            hidden: Arc::default(),
            makers: Default::default(),
        };
        let rename = |file: FileId| match edited.contains(&file) {
            true => None,
            false if is_same_tree => Some(file),
            false => repo.tree.index.get(self.path(file)).copied(),
        };
        let kept = self.kept.as_ref().map(|kept| kept.renamed(rename));
        repo.kept = Some(Arc::new(kept.unwrap_or_default()));
        Ok(Reopened {
            repo,
            differs,
            is_moved: has_new_shape,
            edited,
        })
    }

    /// Whether all that changed is what files say: the same files are where they were.
    pub fn has_same_files(&self, changed: &Changed) -> bool {
        let is_content = |path| {
            matches!(
                self.kind(path),
                PathChange::Nothing | PathChange::Content(_)
            )
        };
        !changed.is_unknown && changed.paths.iter().all(|path| is_content(path))
    }

    /// How many files were read from disk since it was opened, if anybody counts.
    pub fn reads(&self) -> usize {
        self.kept.as_ref().map_or(0, |kept| kept.reads())
    }

    /// Whether a file is the one that another snapshot has by this id, with the same content.
    pub fn has_kept(&self, earlier: &Repo, file: FileId) -> bool {
        match (earlier.content(file), self.content(file)) {
            (Some(old), Some(new)) => {
                Arc::ptr_eq(&old, &new) && self.path(file) == earlier.path(file)
            }
            _ => false,
        }
    }

    /// Content of a file, if it is in memory.
    pub fn content(&self, file: FileId) -> Option<Arc<[u8]>> {
        let held = self.held.get(self.path(file)).cloned();
        held.or_else(|| self.kept.as_ref()?.get(file))
    }

    /// The same repo, in which these files count as they were earlier.
    pub fn holding(self, held: BTreeMap<RepoPath, Arc<[u8]>>) -> Repo {
        let held = Arc::new(held);
        Repo { held, ..self }
    }

    /// Whether any file counts as it was earlier.
    pub fn is_holding(&self) -> bool {
        !self.held.is_empty()
    }

    /// The same repo, in which all files say what they say.
    pub fn as_it_is(&self) -> Repo {
        self.clone().holding(BTreeMap::new())
    }

    /// The directories to watch, the root first: all that are part of the snapshot, and those around it whose files have
    /// a say in what it is.
    pub fn directories(&self) -> Vec<PathBuf> {
        let mut inside: Vec<&RepoPath> = self.tree.dirs.iter().collect();
        inside.sort();
        let mut all = vec![self.root.clone()];
        let below = inside.iter().filter(|path| !path.as_str().is_empty());
        all.extend(below.map(|path| self.root.join(path.as_str())));
        let above = self.root.ancestors().skip(1);
        let depth = self
            .git
            .as_ref()
            .map_or(0, |git| git.prefix.matches('/').count());
        all.extend(above.take(depth).map(Path::to_path_buf));
        if self.git.is_some() {
            all.extend(Git::directories(&self.root));
        }
        all
    }

    fn kind(&self, path: &Path) -> PathChange {
        let Ok(inside) = path.strip_prefix(&self.root) else {
            return if path.file_name().is_some_and(|name| name == ".gitignore") {
                PathChange::Shape
            } else {
                PathChange::Git
            };
        };
        if inside.components().any(|part| part.as_os_str() == ".git") {
            return PathChange::Git;
        }
        if path.file_name().is_some_and(|name| name == ".gitignore") {
            return PathChange::Shape;
        }
        let found = fs::symlink_metadata(path).ok();
        let known = RepoPath::from_relative(inside);
        let file = known.as_ref().and_then(|path| self.tree.index.get(path));
        let file = file.filter(|file| self.tree.files[file.0 as usize].bytes <= MAX_FILE_BYTES);
        match (file, found) {
            (Some(file), Some(found)) if found.is_file() => PathChange::Content(*file),
            // Came and went, as the temporary files of editors do.
            (None, None) if known.as_ref().is_some_and(|path| !self.is_known(path)) => {
                PathChange::Nothing
            }
            _ => known.map_or(PathChange::Shape, PathChange::Below),
        }
    }

    /// Files whose content a change puts in doubt.
    fn edited(&self, kind: &PathChange) -> Vec<FileId> {
        match kind {
            PathChange::Content(file) => vec![*file],
            PathChange::Below(path) => {
                let file = self.tree.index.get(path).copied();
                self.below(path).chain(file).collect()
            }
            PathChange::Nothing | PathChange::Shape | PathChange::Git => Vec::new(),
        }
    }

    /// Whether the snapshot has anything by this very name, if only a link.
    fn is_known(&self, path: &RepoPath) -> bool {
        let tree = &self.tree;
        tree.dirs.contains(path) || tree.links.has(path) || tree.ignored.contains(path)
    }
}

/// Meaning of a changed path.
#[derive(Debug, PartialEq, Eq)]
enum PathChange {
    Nothing,
    /// A file that is in the tree as before, and says something else.
    Content(FileId),
    /// Which files there are may have changed.
    Shape,
    /// The same, and what is at this path and below it may be other files of the same names: nobody watches a directory
    /// between its coming and our noticing.
    Below(RepoPath),
    /// Git facts may have changed.
    Git,
}
