//! Reading again what somebody edits: what did not change is taken from memory, and the result is what reading it anew
//! would give.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Composed, Found, ReadError, Reading, Request, Workpiece};
use super::{checked, configuration, configuration_files, guide, said, settle};
use crate::config::Config;
use crate::prose::Guide;
use crate::repo::{Changed, Repo};
use crate::source::{Facts, Kept};
use crate::{compose, model};

/// What stays from one reading to the next.
#[derive(Default, Clone)]
pub struct Memory {
    pub(super) last: Option<Arc<Last>>,
}

pub(super) struct Last {
    pub config: Config,
    /// The directory that was asked for.
    pub root: PathBuf,
    pub repo: Repo,
    pub facts: Kept,
    /// Where the guide is.
    pub guide: Option<PathBuf>,
}

/// A repo that was read and may be read again.
pub struct Read {
    pub reading: Reading,
    pub memory: Memory,
    pub workpiece: Workpiece,
}

/// Directories that appear while others are looked at, again and again, are not waited for.
const MOST_WALKS: usize = 8;

/// Reads what changed since the last time; nothing if that makes no difference. `watch` is given the directories to
/// report changes of, before any file of them is read; it says which it had not watched before.
pub fn read_again(
    request: &Request,
    memory: &Memory,
    changed: &Changed,
    mut watch: impl FnMut(&[PathBuf]) -> Vec<PathBuf>,
) -> Result<Option<Read>, ReadError> {
    let Found { config, root, .. } = match configuration(request) {
        Ok(found) => found,
        Err(error) => {
            // So that somebody sees when it is mended.
            watch(&around(request, Path::new(".")));
            return Err(error);
        }
    };
    let guide = guide(request, None)?;
    let guide_path = guide.as_ref().map(Guide::path);
    let is_in_guide = |path: &PathBuf| {
        guide_path
            .as_ref()
            .is_some_and(|guide| path.starts_with(guide))
    };
    let is_other_guide = |last: &Last| {
        last.guide != guide_path || changed.is_unknown || changed.paths.iter().any(is_in_guide)
    };
    let last = memory.last.as_deref();
    let last = last.filter(|last| last.root == root && last.config.ignore == config.ignore);
    let again = last.map(|last| last.repo.again(&config.ignore, changed));
    let (mut repo, walks) = match (again.transpose()?, last) {
        (Some(again), Some(known))
            if !again.differs && known.config == config && !is_other_guide(known) =>
        {
            return Ok(None);
        }
        (Some(again), Some(known)) => {
            // Most edits are of contents, and then all is watched that shall be.
            let is_watched = !again.is_moved && known.config == config && !is_other_guide(known);
            (again.repo, if is_watched { 0 } else { MOST_WALKS })
        }
        (Some(again), None) => (again.repo, MOST_WALKS),
        (None, _) => (Repo::open_to_watch(&root, &config.ignore)?, MOST_WALKS),
    };
    for _ in 0..walks {
        let mut directories = repo.directories();
        directories.extend(around(request, &root));
        directories.extend(guide.iter().flat_map(Guide::directories));
        let news = Changed {
            paths: watch(&directories).into_iter().collect(),
            // Of a repo that was opened for the first time, nothing is known that is worth keeping.
            is_unknown: last.is_none(),
        };
        if news.paths.is_empty() {
            break;
        }
        repo = repo.again(&config.ignore, &news)?.repo;
    }
    let facts = match last {
        Some(last) => Facts::read_again(&repo, &last.repo, &last.facts),
        None => Facts::read(&repo),
    };
    let (clusters, missing) = compose::clusters(&facts, &config);
    let said = said(&facts, missing);
    let inventory = facts.inventory();
    let modelled = model::model(&repo, &config, &clusters);
    let facts = facts.keep();
    let last = Last {
        config: config.clone(),
        root,
        repo: repo.clone(),
        facts,
        guide: guide_path,
    };
    let composed = Composed::new(modelled, clusters, inventory, said);
    let (mut reading, workpiece) = checked(config, repo, composed, guide);
    settle(&reading.repo, &reading.catalog, &mut reading.findings);
    Ok(Some(Read {
        reading,
        memory: Memory {
            last: Some(Arc::new(last)),
        },
        workpiece,
    }))
}

/// The directories of the files that a configuration is read from.
fn around(request: &Request, root: &Path) -> Vec<PathBuf> {
    let files = configuration_files(request, root).into_iter();
    let directories = files.filter_map(|file| match file.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Some(PathBuf::from(".")),
        parent => parent.map(Path::to_path_buf),
    });
    directories
        .filter_map(|directory| fs::canonicalize(directory).ok())
        .collect()
}
