//! What `catalog fetch` needs of a repo: the charts that its files name, without checks and pages.

use std::path::PathBuf;

use super::{ReadError, RepoConfig, Request, composed, configuration};
use crate::cluster::chart_request::{ChartReference, references};
use crate::input::config::Config;
use crate::input::repo::Repo;
use system::progress::{self, Stage};

/// A repo and the charts that its files name.
pub struct ChartReferences {
    pub repo: Repo,
    pub root: PathBuf,
    pub config: Config,
    /// By place.
    pub references: Vec<ChartReference>,
    /// Whether the repo holds any manifest.
    pub has_manifests: bool,
}

/// Reads a repo for the charts that its files name.
pub fn chart_references(request: &Request) -> Result<ChartReferences, ReadError> {
    progress::begin(Stage::Reading);
    let RepoConfig { config, root, .. } = configuration(request)?;
    let repo = Repo::open_with(&root, &config.ignore, request.git)?;
    let composed = composed(&repo, &config);
    let references = references(&composed.clusters, &composed.inventory, &repo);
    Ok(ChartReferences {
        has_manifests: !composed.inventory.manifests.is_empty(),
        references,
        repo,
        root,
        config,
    })
}
