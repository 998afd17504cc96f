//! The `Manifests` trait: the input of a build, parsed and with secrets redacted. The caller implements it.

use std::collections::BTreeSet;
use std::sync::Arc;

use base::{FileId, Files, Finding, RepoPath};
use yaml::Node;

use crate::{Assembly, HelmChart, Resource};

/// The input of a build.
pub trait Manifests: Sync {
    fn files(&self) -> &dyn Files;

    /// The contents of a file.
    fn manifest(&self, file: FileId) -> Manifest<'_>;

    /// The kustomizations of all files.
    fn assemblies(&self) -> Vec<(FileId, &Assembly)>;

    /// The text of a file that may become a Secret. It must not be shown.
    fn read_secret_text(&self, file: FileId) -> Result<String, Finding>;

    /// The objects of a chart that a kustomization renders; `None` if they are unknown.
    fn inflate(&self, _chart: &HelmChart, _directory: &RepoPath) -> Option<Inflated> {
        None
    }
}

/// A file as a build sees it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Manifest<'a> {
    pub resources: &'a [Resource],
    pub assembly: Option<&'a Arc<Assembly>>,
    /// Documents that are not Kubernetes objects, such as patches without identity.
    pub documents: &'a [Arc<Node>],
}

/// The objects of a rendered chart.
#[derive(Debug, Default)]
pub struct Inflated {
    pub resources: Vec<Resource>,
    pub findings: Vec<Finding>,
    /// Files that were read.
    pub files: BTreeSet<FileId>,
}
