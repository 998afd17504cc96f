//! What a build reads: the files of a tree, parsed and without secrets, whoever keeps them.

use std::collections::BTreeSet;
use std::sync::Arc;

use base::{FileId, Files, Finding, RepoPath};
use yaml::Node;

use crate::{Assembly, HelmChart, Resource};

pub trait Manifests: Sync {
    fn files(&self) -> &dyn Files;

    /// What a file holds.
    fn manifest(&self, file: FileId) -> Manifest<'_>;

    /// The kustomizations of all files.
    fn assemblies(&self) -> Vec<(FileId, &Assembly)>;

    /// The text of a file that may become a Secret: no word of it may go further.
    fn read_secret_text(&self, file: FileId) -> Result<String, Finding>;

    /// The objects of a chart that a kustomization has rendered; none where nobody knows them.
    fn inflate(&self, _chart: &HelmChart, _directory: &RepoPath) -> Option<Inflated> {
        None
    }
}

/// A file as a build sees it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Manifest<'a> {
    pub resources: &'a [Resource],
    pub assembly: Option<&'a Arc<Assembly>>,
    /// Documents that are no Kubernetes objects, such as patches without identity.
    pub documents: &'a [Arc<Node>],
}

/// What a chart that was rendered brings.
#[derive(Debug, Default)]
pub struct Inflated {
    pub resources: Vec<Resource>,
    pub findings: Vec<Finding>,
    /// Files that took part.
    pub files: BTreeSet<FileId>,
}
