//! Who owns which paths, by the files that repo hosts and review bots read: `CODEOWNERS`, and `OWNERS` files as
//! Kubernetes has them. Reads these files and no others.

mod approvers;
mod code_owners;

use super::{Repo, RepoPath};
use approvers::Approvers;
use base::Place;
use code_owners::CodeOwners;

/// The files of a repo that say who owns what.
#[derive(Debug, Default)]
pub struct OwnerFiles {
    code_owners: Option<CodeOwners>,
    approvers: Approvers,
}

/// Teams and people, as a line names them: never empty, without the leading `@`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owners {
    pub names: Vec<String>,
    pub place: Place,
}

/// Where repo hosts look for `CODEOWNERS`, in this order: the first one counts.
const CODE_OWNERS: &[&str] = &[
    ".github/CODEOWNERS",
    "CODEOWNERS",
    "docs/CODEOWNERS",
    ".gitlab/CODEOWNERS",
];

/// Names of one line beyond this are left out.
const MOST_NAMES: usize = 32;

impl OwnerFiles {
    pub fn read(repo: &Repo) -> OwnerFiles {
        let mut paths = CODE_OWNERS.iter();
        let file = paths.find_map(|path| repo.file(&RepoPath::new(path)?));
        let code_owners = file.and_then(|file| {
            let text = repo.read_text(file).ok()?;
            Some(CodeOwners::parse(&text, file))
        });
        OwnerFiles {
            code_owners,
            approvers: Approvers::read(repo),
        }
    }

    /// The owners of a file. An `OWNERS` file near it says more than the line of a `CODEOWNERS` for the whole repo, and
    /// that says more than an `OWNERS` file at the root.
    pub fn owners_of(&self, file: &RepoPath) -> Option<Owners> {
        let near = self.approvers.approvers_of(file);
        match near {
            Some((directory, owners)) if !directory.as_str().is_empty() => Some(owners.clone()),
            root => {
                let line = self
                    .code_owners
                    .as_ref()
                    .and_then(|all| all.owners_of(file));
                line.or_else(|| root.map(|(_, owners)| owners.clone()))
            }
        }
    }
}
