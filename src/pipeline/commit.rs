//! Reads commits instead of files, without a checkout.

use super::{
    Checked, ReadError, Reading, Request, check, composed, configuration, only_checked, reading,
};
use crate::input::config::{self, Config, Origin};
use crate::input::repo::{Commit, Repo};
use system::progress::{self, Stage};

/// Reads a commit, which `name` stands for, without a checkout. Its configuration is the one that it has itself.
pub fn check_commit(request: &Request, name: &str) -> Result<Checked, ReadError> {
    let (config, repo) = commit(request, name)?;
    let composed = composed(&repo, &config);
    Ok(only_checked(config, repo, composed, None))
}

/// The same for its site.
pub fn read_commit(request: &Request, name: &str) -> Result<Reading, ReadError> {
    progress::begin(Stage::Reading);
    let (config, repo) = commit(request, name)?;
    let composed = composed(&repo, &config);
    Ok(reading(config, repo, composed, None))
}

fn commit(request: &Request, name: &str) -> Result<(Config, Repo), ReadError> {
    let found = configuration(request)?;
    let commit = Commit::find(&found.root, name)?;
    let around = found.file.as_deref();
    let own = || {
        let beside = commit.text_in("catalog.toml");
        let beside = beside.map(|text| (text, Origin::Repo("catalog.toml".to_owned())));
        beside.or_else(|| Some((commit.text_at(around?)?, Origin::Elsewhere)))
    };
    let config = match request.config {
        Some(_) => found.config,
        None => match own() {
            Some((text, origin)) => Config {
                origin,
                ..config::parse(&text, &format!("catalog.toml of {name}"))?
            },
            None => Config::default(),
        },
    };
    let repo = Repo::of_commit(commit, &config.ignore);
    Ok((config, repo))
}

/// Reads files as they are, where commits are compared with them.
pub fn check_work_tree(request: &Request) -> Result<Checked, ReadError> {
    let root = configuration(request)?.root;
    if Commit::has_work_tree(&root)? {
        check(request)
    } else {
        Err(ReadError::Bare(root))
    }
}

/// The last commit that both have.
pub fn merge_base(request: &Request, base: &str, head: &str) -> Result<String, ReadError> {
    let root = configuration(request)?.root;
    Ok(Commit::merge_base(&root, base, head)?)
}
