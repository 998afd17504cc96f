//! Incremental reading of an edited repo. Unchanged parts come from memory, and the result equals a full read. A
//! manifest that has become unreadable keeps its last content, with a finding, so that pages do not flicker while
//! somebody types.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Composed, ReadError, Reading, RebuildState, RepoConfig, Request};
use super::{configuration, configuration_files, guide, reading_to_edit, said};
use crate::catalog::{self, EnvironmentScope};
use crate::cluster::{self, Trees};
use crate::input::config::Config;
use crate::input::repo::{Changed, Repo, RepoPath};
use crate::knowledge::pages::Guide;
use crate::sources::{Facts, Kept};
use base::{Effect, FileId, Finding};

/// State kept from one read to the next.
#[derive(Default, Clone)]
pub struct Memory {
    pub(super) last: Option<Arc<Last>>,
}

impl Memory {
    /// The directory that was read last: as requested, and its real path.
    pub fn root(&self) -> Option<(&Path, &Path)> {
        let last = self.last.as_deref()?;
        Some((&last.root, last.repo.root()))
    }
}

pub(super) struct Last {
    pub config: Config,
    /// The requested directory.
    pub root: PathBuf,
    pub repo: Repo,
    pub facts: Kept,
    /// Directory of the guide.
    pub guide: Option<PathBuf>,
}

/// A repo that was read and can be read again.
pub struct Read {
    pub reading: Reading,
    pub memory: Memory,
    pub rebuild_state: RebuildState,
}

/// Limit on repeated walks, in case directories keep appearing.
const MOST_WALKS: usize = 8;

/// Reads the changes since the last time; none if they make no difference. `watch` receives the directories to watch
/// before any of their files is read, and returns those that are new to it.
pub fn read_incrementally(
    request: &Request,
    memory: &Memory,
    changed: &Changed,
    mut watch: impl FnMut(&[PathBuf]) -> Vec<PathBuf>,
) -> Result<Option<Read>, ReadError> {
    let RepoConfig { config, root, .. } = match configuration(request) {
        Ok(found) => found,
        Err(error) => {
            // So that the preview notices when it is repaired.
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
    // A link in its path may lead elsewhere by now.
    let is_there = |last: &Last| fs::canonicalize(&root).is_ok_and(|real| real == last.repo.root());
    let before = memory.last.as_deref();
    let before = before.filter(|last| last.root == root && is_there(last));
    let last = before.filter(|last| last.config.ignore == config.ignore);
    let again = last.map(|last| last.repo.reopen(&config.ignore, changed));
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
        (None, _) => (
            Repo::open_to_watch(&root, &config.ignore, request.git)?,
            MOST_WALKS,
        ),
    };
    for _ in 0..walks {
        let mut directories = repo.directories();
        directories.extend(around(request, &root));
        directories.extend(guide.iter().flat_map(Guide::directories));
        let news = Changed {
            paths: watch(&directories).into_iter().collect(),
            // After the first open there is no earlier state worth keeping.
            is_unknown: last.is_none(),
        };
        if news.paths.is_empty() {
            break;
        }
        repo = repo.reopen(&config.ignore, &news)?.repo;
    }
    let facts = match last {
        Some(last) => Facts::read_incrementally(&repo, &last.repo, &last.facts),
        None => Facts::read(&repo),
    };
    let held = before.map_or_else(Held::default, |last| Held::unreadable(&facts, last));
    let kept = facts.keep();
    let repo = repo.holding(held.contents);
    let facts = Facts::read_edited(&repo, &kept, &held.files).with_kinds(&config.kinds);
    let (clusters, missing) = cluster::clusters(&facts, &config, Trees::Dropped);
    let mut said = said(&facts, missing);
    said.extend(held.findings);
    let inventory = facts.inventory();
    let modelled = catalog::model(&repo, &config, &clusters, EnvironmentScope::All);
    let facts = facts.keep();
    let last = Last {
        config: config.clone(),
        root,
        repo: repo.clone(),
        facts,
        guide: guide_path,
    };
    let composed = Composed::new(&repo, modelled, clusters, inventory, said);
    let (reading, rebuild_state) = reading_to_edit(config, repo, composed, guide);
    Ok(Some(Read {
        reading,
        memory: Memory {
            last: Some(Arc::new(last)),
        },
        rebuild_state,
    }))
}

/// Manifests that have become unreadable.
#[derive(Default)]
struct Held {
    files: BTreeSet<FileId>,
    /// Last readable content of each.
    contents: BTreeMap<RepoPath, Arc<[u8]>>,
    /// Findings about the current content of the files.
    findings: Vec<Finding>,
}

impl Held {
    fn unreadable(facts: &Facts<'_>, last: &Last) -> Held {
        let mut held = Held::default();
        for (file, read) in facts.all() {
            let mut wrong = read
                .findings
                .iter()
                .filter(|one| is_unreadable(one))
                .peekable();
            if wrong.peek().is_none() {
                continue;
            }
            let path = facts.repo.path(file);
            if let Some(content) = last_good(last, path) {
                held.files.insert(file);
                held.contents.insert(path.clone(), content);
                held.findings.extend(wrong.cloned());
            }
        }
        held
    }
}

/// The last content of a file that could be read.
fn last_good(last: &Last, path: &RepoPath) -> Option<Arc<[u8]>> {
    let file = last.repo.file(path)?;
    let was_wrong = last.facts.get(file)?.findings.iter().any(is_unreadable);
    let content = last.repo.content(file);
    content.filter(|_| !was_wrong)
}

/// Whether a finding says that a file cannot be read for what it is meant to say.
pub fn is_unreadable(finding: &Finding) -> bool {
    let is_skipped = matches!(
        finding.effect,
        Effect::InvalidSyntax | Effect::Unreadable | Effect::UnreadableFile
    );
    is_skipped && finding.place.file != FileId::NONE
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
