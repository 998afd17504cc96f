//! `OWNERS` files: who approves changes below their directory. Aliases are kept as they are: the name of a team says more
//! than those of its members.

use super::{MOST_NAMES, Owners, Repo, RepoPath};
use base::hash::HashMap;
use base::{FileId, Place};
use rayon::prelude::*;
use yaml::Node;

/// Approvers by directory.
#[derive(Debug, Default)]
pub struct Approvers(HashMap<RepoPath, Owners>);

impl Approvers {
    pub fn read(repo: &Repo) -> Approvers {
        let is_one = |file: &FileId| repo.path(*file).file_name() == "OWNERS";
        let files: Vec<FileId> = repo.files().filter(is_one).collect();
        let read = files.into_par_iter().filter_map(|file| {
            let text = repo.read_text(file).ok()?;
            Some((repo.path(file).parent()?, approvers(&text, file)?))
        });
        Approvers(read.collect::<Vec<_>>().into_iter().collect())
    }

    /// The approvers of a file and the directory that names them: the nearest one above.
    pub fn approvers_of(&self, file: &RepoPath) -> Option<(RepoPath, &Owners)> {
        if self.0.is_empty() {
            return None;
        }
        let mut directory = file.parent();
        while let Some(here) = directory {
            if let Some(owners) = self.0.get(&here) {
                return Some((here, owners));
            }
            directory = here.parent();
        }
        None
    }
}

/// The approvers that a file lists, for all files or under a filter that matches all.
fn approvers(text: &str, file: FileId) -> Option<Owners> {
    let documents = yaml::parse(text, file).documents;
    let root = &documents.first()?.root;
    let everything = root.get("filters").and_then(|filters| filters.get(".*"));
    [Some(root), everything]
        .into_iter()
        .flatten()
        .find_map(|node| owners(node.items_at("approvers")))
}

fn owners(items: &[Node]) -> Option<Owners> {
    let names = items.iter().filter_map(|item| {
        let name = item.text()?.trim().trim_start_matches('@');
        (!name.is_empty()).then(|| name.to_owned())
    });
    let names: Vec<String> = names.take(MOST_NAMES).collect();
    let place: Place = items.first()?.place;
    (!names.is_empty()).then_some(Owners { names, place })
}
