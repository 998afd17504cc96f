//! Pipelines for forges: pull requests are checked, and the default branch is published. Each asks for no more rights
//! than it uses, runs nothing of a fork's with any, and pins what it fetches.

use super::Starter;
use crate::repo::Repo;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forge {
    GitHub,
    GitLab,
    Forgejo,
}

/// Where the source of this program is, as its package says.
const SOURCE: &str = match env!("CARGO_PKG_REPOSITORY").len() {
    0 => "https://example.org/REPLACE-ME/catalog",
    _ => env!("CARGO_PKG_REPOSITORY"),
};

/// Whether the package says it; else whoever uses the pipeline has to.
pub const SOURCE_IS_KNOWN: bool = !env!("CARGO_PKG_REPOSITORY").is_empty();

const NOTE: &str =
    "set CATALOG_SOURCE in it: this build does not know where the source of catalog is published";

pub fn file(repo: &Repo, forge: Forge) -> Starter {
    let is_there = |path: &str| repo.root().join(path).symlink_metadata().is_ok();
    let (path, template, included) = match forge {
        Forge::GitHub => (
            ".github/workflows/catalog.yml",
            include_str!("pipeline/github.yml"),
            None,
        ),
        Forge::GitLab if is_there(".gitlab-ci.yml") => (
            ".gitlab/catalog.gitlab-ci.yml",
            include_str!("pipeline/gitlab.yml"),
            Some(
                "include it in .gitlab-ci.yml: `include: [{ local: .gitlab/catalog.gitlab-ci.yml }]`",
            ),
        ),
        Forge::GitLab => (".gitlab-ci.yml", include_str!("pipeline/gitlab.yml"), None),
        Forge::Forgejo => (
            ".forgejo/workflows/catalog.yml",
            include_str!("pipeline/forgejo.yml"),
            None,
        ),
    };
    let text = template
        .replace("@SOURCE@", SOURCE)
        .replace("@VERSION@", env!("CARGO_PKG_VERSION"));
    Starter {
        path: path.to_owned(),
        text,
        note: match SOURCE_IS_KNOWN {
            true => included,
            false => included.or(Some(NOTE)),
        },
    }
}
