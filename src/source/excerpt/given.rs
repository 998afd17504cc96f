//! Files that generators of Secrets read: what they hold is secret, whatever they are called. Reads the kustomizations of the
//! repo.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::diagnostic::FileId;
use crate::hash::HashMap;
use crate::repo::Repo;
use crate::source::kustomize;
use crate::yaml::{self, Node};

/// The files that become Secrets.
#[derive(Debug, Default)]
pub struct Given(HashMap<FileId, Extent>);

/// How much of such a file is secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    Values,
    Whole,
}

impl Given {
    pub fn of(repo: &Repo) -> Given {
        let files = repo
            .files()
            .filter(|file| kustomize::is_kustomization(repo.path(*file)));
        let files: Vec<FileId> = files.collect();
        let found = files
            .into_par_iter()
            .flat_map_iter(|file| of_file(repo, file));
        let mut given = HashMap::default();
        for (file, extent) in found.collect::<Vec<_>>() {
            let known = given.entry(file).or_insert(extent);
            *known = extent.max(*known);
        }
        Given(given)
    }

    pub fn extent(&self, file: FileId) -> Option<Extent> {
        self.0.get(&file).copied()
    }
}

fn of_file(repo: &Repo, file: FileId) -> Vec<(FileId, Extent)> {
    let text = repo.read_text(file).unwrap_or_default();
    // Few generate Secrets, and reading YAML takes longest.
    if !text.contains("secretGenerator") {
        return Vec::new();
    }
    let Some(directory) = repo.path(file).parent() else {
        return Vec::new();
    };
    let at = |path: &str| repo.file(&directory.join(path)?);
    let mut found = Vec::new();
    for document in yaml::parse(&text, file).documents {
        for generator in document.root.items_at("secretGenerator") {
            let env = generator.get("env").into_iter();
            let envs = env.chain(generator.items_at("envs")).filter_map(Node::text);
            found.extend(envs.filter_map(|path| Some((at(path)?, Extent::Values))));
            let files = generator.items_at("files").iter().filter_map(Node::text);
            let paths = files.map(|entry| entry.split_once('=').map_or(entry, |(_, path)| path));
            found.extend(paths.filter_map(|path| Some((at(path)?, Extent::Whole))));
        }
    }
    found
}
