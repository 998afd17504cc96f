//! The facts of all files of a repo. Reads files through the repo, and keeps what readers found in them.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::inventory::Inventory;
use super::reader::{plain_secrets, read};
use super::{apply_command, kustomize, local_charts, placeholder};
use crate::facts::FileFacts;
use crate::input::config::Kind;
use crate::input::repo::{Repo, RepoPath};
use base::FileId;

/// Facts of all files of a repo. Manifests are read at once, other files on demand.
pub struct Facts<'a> {
    pub repo: &'a Repo,
    files: Vec<OnceLock<Arc<FileFacts>>>,
    /// What the configuration says of kinds of custom resources.
    pub kinds: Vec<Kind>,
}

/// The facts of a repo, apart from it.
#[derive(Default)]
pub struct Kept(Vec<OnceLock<Arc<FileFacts>>>);

impl Kept {
    /// Facts of a file, if it was read.
    pub fn get(&self, id: FileId) -> Option<&FileFacts> {
        let file = self.0.get(id.0 as usize)?;
        file.get().map(|facts| &**facts)
    }
}

impl<'a> Facts<'a> {
    pub fn read(repo: &'a Repo) -> Facts<'a> {
        Facts::read_files(repo, repo.files().map(|_| OnceLock::new()).collect())
    }

    /// The facts of a repo that was opened again: only what changed is read.
    pub fn read_incrementally(repo: &'a Repo, earlier: &Repo, kept: &Kept) -> Facts<'a> {
        let files = repo.files().map(|id| {
            let known = kept.0.get(id.0 as usize).and_then(OnceLock::get);
            // A file that was read only because of a reference counts only while a reference exists.
            let known = known.filter(|_| repo.has_kept(earlier, id) && is_manifest(repo, id));
            known.map_or_else(OnceLock::new, |known| OnceLock::from(known.clone()))
        });
        Facts::read_files(repo, files.collect())
    }

    /// The facts of a repo that has the same files, of which these were edited.
    pub fn read_edited(repo: &'a Repo, kept: &Kept, edited: &BTreeSet<FileId>) -> Facts<'a> {
        let mut files = kept.0.clone();
        for id in edited {
            if let Some(file) = files.get_mut(id.0 as usize) {
                *file = OnceLock::new();
            }
        }
        let mut facts = Facts {
            repo,
            files,
            kinds: Vec::new(),
        };
        for id in edited.iter().filter(|id| facts.is_manifest(**id)) {
            facts.file(*id);
        }
        facts.withhold();
        facts
    }

    /// The same, with what the configuration says of kinds of custom resources.
    pub fn with_kinds(mut self, kinds: &[Kind]) -> Facts<'a> {
        self.kinds = kinds.to_vec();
        self
    }

    /// Facts to keep when the repo is dropped.
    pub fn keep(self) -> Kept {
        Kept(self.files)
    }

    fn read_files(repo: &'a Repo, files: Vec<OnceLock<Arc<FileFacts>>>) -> Facts<'a> {
        let mut facts = Facts {
            repo,
            files,
            kinds: Vec::new(),
        };
        let all = (0..repo.files().len() as u32).into_par_iter().map(FileId);
        // Small chunks keep the threads evenly loaded.
        all.with_max_len(32).for_each(|id| {
            if facts.is_manifest(id) {
                facts.file(id);
            }
        });
        facts.withhold();
        facts
    }

    /// Seals the files that become Secrets, now that it is known which do.
    fn withhold(&mut self) {
        let withheld = kustomize::withheld(self);
        for index in 0..self.files.len() {
            let id = FileId(index as u32);
            let Some(known) = self.files[index].get() else {
                continue;
            };
            match (known.is_withheld, withheld.contains_key(&id)) {
                (false, true) => {
                    self.files[index] = OnceLock::from(Arc::new(kustomize::sealed(known)))
                }
                // The file became a Secret until the generator was edited.
                (true, false) => self.files[index] = OnceLock::from(Arc::new(read(self.repo, id))),
                _ => {}
            }
        }
        self.repo.withhold(withheld);
    }

    pub fn file(&self, id: FileId) -> &FileFacts {
        static NOTHING: FileFacts = FileFacts::EMPTY;
        match self.files.get(id.0 as usize) {
            Some(file) => file.get_or_init(|| Arc::new(read(self.repo, id))),
            None => &NOTHING,
        }
    }

    /// Facts of a file, if it was read.
    pub fn known(&self, id: FileId) -> Option<&FileFacts> {
        let file = self.files.get(id.0 as usize)?;
        file.get().map(|facts| &**facts)
    }

    /// Files that were read, and what they hold.
    pub fn all(&self) -> impl Iterator<Item = (FileId, &FileFacts)> {
        let files = self.repo.files();
        files.filter_map(|id| Some((id, self.known(id)?)))
    }

    /// The same, many at once.
    pub fn par_all(&self) -> impl ParallelIterator<Item = (FileId, &FileFacts)> {
        let files = self.files.par_iter().enumerate();
        files.filter_map(|(index, file)| Some((FileId(index as u32), &**file.get()?)))
    }

    /// Facts about files that remain once the trees are dropped.
    pub fn inventory(&self) -> Inventory {
        let mut inventory = Inventory::from_files(self.all());
        inventory.plain_secrets.extend(plain_secrets(self));
        inventory.charts = local_charts::local_charts(self.repo);
        inventory.generator_inputs = kustomize::generator_inputs(self);
        inventory.exists_first = apply_command::exists_first(self);
        inventory.created_by_scripts = placeholder::created_by_scripts(self.repo);
        inventory.templates = placeholder::templates(self.all());
        inventory
    }

    /// The kustomization of a directory.
    pub fn assembly_file(&self, directory: &RepoPath) -> Option<FileId> {
        let mut names = ::kustomize::FILE_NAMES.iter();
        names.find_map(|name| self.repo.file_in(directory, name))
    }

    /// Whether a file is read without anybody referring to it. A chart's templates are not YAML.
    pub fn is_manifest(&self, id: FileId) -> bool {
        is_manifest(self.repo, id)
    }
}

fn is_manifest(repo: &Repo, id: FileId) -> bool {
    let path = repo.path(id);
    if path.as_str().starts_with(".github/") {
        // Workflows and forms of the repo host.
        return false;
    }
    let named =
        matches!(path.extension(), Some("yaml" | "yml")) || ::kustomize::is_kustomization(path);
    named && !is_chart_template(repo, path)
}

fn is_chart_template(repo: &Repo, path: &RepoPath) -> bool {
    let Some(at) = path.as_str().rfind("templates/") else {
        return false;
    };
    let chart = RepoPath::new(&path.as_str()[..at]).and_then(|chart| chart.join("Chart.yaml"));
    chart.is_some_and(|chart| repo.file(&chart).is_some())
}
