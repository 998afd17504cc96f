//! Programs that somebody runs to bring about units: a run for an environment belongs to the cluster of that name, and
//! any other is an environment of its own.

use std::collections::BTreeSet;

use super::super::build::Builder;
use super::super::cluster::Cluster;
use super::name;
use crate::diagnostic::Finding;
use crate::repo::RepoPath;
use crate::source::around::{self, Program};

/// Adds the runs of all programs to the clusters that they belong to, or as clusters of their own.
pub fn add(
    clusters: &mut Vec<Cluster>,
    builder: &Builder<'_>,
    own: &BTreeSet<String>,
) -> Vec<Finding> {
    let programs = around::programs(builder.around());
    let names = names(&programs);
    let mut findings = Vec::new();
    for (program, name) in programs.into_iter().zip(names) {
        for run in &program.runs {
            let name = run.environment.as_deref().unwrap_or(&name);
            let at = clusters.iter().position(|cluster| cluster.name == name);
            let at = at.unwrap_or_else(|| {
                clusters.push(Cluster::new(name, &program.root));
                clusters.len() - 1
            });
            clusters[at].run(builder, &run.unit, &program.files, own);
        }
        findings.extend(program.findings);
    }
    findings
}

/// What to call the environment of a run that nothing names.
fn names(programs: &[Program]) -> Vec<String> {
    let roots: Vec<&RepoPath> = programs.iter().map(|program| &program.root).collect();
    name::names(&roots)
}
