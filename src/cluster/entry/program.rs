//! Programs that somebody runs to create units. A run for an environment belongs to the cluster of that name. Any
//! other run is an environment of its own.

use std::collections::BTreeSet;

use super::super::build::Builder;
use super::super::composition::Cluster;
use super::name;
use crate::input::repo::RepoPath;
use crate::sources::Program;
use base::{FileId, Finding};
use yaml::{Node, Value};

/// Adds the runs of all programs to the clusters that they belong to, or as clusters of their own.
pub fn add(
    clusters: &mut Vec<Cluster>,
    programs: Vec<Program>,
    builder: &Builder<'_>,
    own: &BTreeSet<String>,
) -> Vec<Finding> {
    let names = names(&programs);
    let mut findings = Vec::new();
    for (program, name) in programs.into_iter().zip(names) {
        for run in &program.runs {
            let name = run.environment.as_deref().unwrap_or(&name);
            let at = clusters.iter().position(|cluster| cluster.name == name);
            let at = at.unwrap_or_else(|| {
                clusters.push(Cluster::new(name, &program.root, own));
                clusters.len() - 1
            });
            clusters[at].run(builder, &run.unit, &program.files, own);
        }
        findings.extend(program.findings);
    }
    findings
}

/// The files with objects of runs. A program that merely reads a file does not apply its content.
pub fn files(programs: &[Program]) -> BTreeSet<FileId> {
    let runs = programs.iter().flat_map(|program| &program.runs);
    let mut left: Vec<&Node> = runs.map(|run| &*run.unit.node).collect();
    let mut files = BTreeSet::new();
    while let Some(node) = left.pop() {
        files.insert(node.place.file);
        match &node.value {
            Value::Scalar(_) => {}
            Value::Seq(items) => left.extend(items),
            Value::Map(map) => left.extend(map.0.iter().map(|entry| &entry.value)),
        }
    }
    files
}

/// Names for the environments of runs that nothing names.
fn names(programs: &[Program]) -> Vec<String> {
    let roots: Vec<&RepoPath> = programs.iter().map(|program| &program.root).collect();
    name::names(&roots)
}
