//! The input of an evaluation besides code: the project, its stacks with their configuration, and data files. Plain
//! data that the caller fills in.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use base::{FileId, Place, RepoPath};
use yaml::Node;

/// A project, as `Pulumi.yaml` declares it.
#[derive(Debug)]
pub struct Project<'p> {
    pub name: &'p SmolStr,
    pub place: Place,
    /// The directory of `Pulumi.yaml`.
    pub root: &'p RepoPath,
    /// The entry file or directory, if it is not the default.
    pub main: Option<&'p str>,
    /// Parameters that are declared secret, by their full names, such as `project:key`.
    pub secret_keys: BTreeSet<SmolStr>,
    pub stacks: Vec<Stack>,
}

/// A stack, as its file configures it.
#[derive(Debug)]
pub struct Stack {
    /// `None` if no file names one.
    pub name: Option<SmolStr>,
    pub file: Option<FileId>,
    /// Parameters by full name, including the defaults of the project.
    pub config: BTreeMap<SmolStr, Node>,
}

/// The data in files that a program imports or parses.
pub trait DataFiles: Sync {
    /// The first YAML or JSON document of a file that is not a Kubernetes object, with secrets redacted.
    fn document(&self, file: FileId) -> Option<&Node>;
}
