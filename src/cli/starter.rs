//! Files to start with: a summary of what was detected, a commented `catalog.toml`, and a pipeline for the repo host.
//! Existing files are never changed. New files are created by `fix`, inside the repository only.

mod pipeline;
mod settings;
mod survey;

use crate::checks::fix::{FixError, WriteError, plan};
use crate::input::repo::Repo;
use crate::site::context::SiteContext;
use base::{Edit, Fix};
pub use pipeline::RepoHost;
pub use settings::settings;
pub use survey::{no_manifests, nothing, survey};

/// A file to begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Starter {
    /// In the repo.
    pub path: String,
    pub text: String,
    /// What to do with it, where that is not plain.
    pub note: Option<&'static str>,
}

/// What became of a file.
#[derive(Debug)]
pub enum WriteResult {
    Written,
    /// Why it was left alone.
    Left(String),
}

/// The configuration and, if asked for, a pipeline with its baseline.
pub fn files(context: &SiteContext<'_>, repo_host: Option<RepoHost>) -> Vec<Starter> {
    let mut files = vec![Starter {
        path: "catalog.toml".to_owned(),
        text: settings(context),
        note: None,
    }];
    if let Some(repo_host) = repo_host {
        files.extend(pipeline::files(context, repo_host));
    }
    files
}

/// Makes a file, unless something of its name is there.
pub fn write(repo: &Repo, starter: &Starter) -> Result<WriteResult, WriteError> {
    let git = repo.git();
    if let Some(prefix) = git.map(|git| git.prefix.as_str()).filter(|p| !p.is_empty())
        && starter.path != "catalog.toml"
    {
        let prefix = prefix.trim_end_matches('/');
        return Ok(WriteResult::Left(format!(
            "it must be at the root of the git repository, and this is `{prefix}`; print it with --dry-run and add it there"
        )));
    }
    let fix = Fix {
        title: String::new(),
        edits: vec![Edit::Create {
            path: starter.path.clone(),
            text: starter.text.clone(),
        }],
    };
    let plan = plan(repo, &[&fix]);
    if let Some((_, reason)) = plan.left.first() {
        return Ok(WriteResult::Left(match reason {
            FixError::Exists(_) => "it already exists".to_owned(),
            FixError::Link(_) => "its path contains a symbolic link".to_owned(),
            other => other.to_string(),
        }));
    }
    plan.write(repo)?;
    Ok(WriteResult::Written)
}
