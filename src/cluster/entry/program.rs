//! Programs that somebody runs to create units. A run for an environment belongs to the cluster of that name, and so does
//! a run that installs into a cluster which has the program's name. All other runs are in no Kubernetes cluster.

use std::collections::BTreeSet;

use super::super::build::Builder;
use super::super::composition::{Cluster, Role};
use crate::sources::{Program, Run};
use base::{FileId, Finding};
use yaml::{Node, Value};

/// Adds the runs of all programs to the clusters that they belong to, or apart from all clusters: those for one
/// environment together.
pub fn add(
    clusters: &mut Vec<Cluster>,
    programs: Vec<Program>,
    builder: &Builder<'_>,
    own: &BTreeSet<String>,
) -> Vec<Finding> {
    let kubernetes = clusters.len();
    let mut findings = Vec::new();
    for program in programs {
        for run in &program.runs {
            let name = name(&program, run, &clusters[..kubernetes]);
            let at = clusters.iter().position(|cluster| cluster.name == name);
            let at = at.unwrap_or_else(|| {
                let mut cluster = Cluster::new(&name, &program.root, own);
                cluster.role = Role::Programs;
                clusters.push(cluster);
                clusters.len() - 1
            });
            clusters[at].run(builder, &run.unit, &program.files, own);
        }
        findings.extend(program.findings);
    }
    findings
}

/// The name of the cluster or environment that a run is for; that of the program where nothing names one.
fn name(program: &Program, run: &Run, clusters: &[Cluster]) -> String {
    if let Some(environment) = &run.environment {
        return environment.to_string();
    }
    let is_taken = clusters.iter().any(|cluster| cluster.name == program.name);
    match program.root.as_str() {
        _ if run.installs || !is_taken => program.name.to_string(),
        // Environments are told apart by name.
        root if root != program.name && !root.is_empty() => root.to_owned(),
        _ => format!("{} (program)", program.name),
    }
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
