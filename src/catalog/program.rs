//! Programs: what people run by hand, such as Terraform root modules and Pulumi projects, where no Kubernetes cluster has
//! their units.

use std::collections::{BTreeMap, BTreeSet};

use super::{Catalog, ClusterUnits, EnvironmentView, UnitView};
use crate::cluster::Role;
use crate::facts::UnitId;
use crate::input::repo::{Repo, RepoPath};

/// A program with the units of all its runs.
pub struct ProgramView<'a> {
    /// Its own, or its path if the names of some are alike.
    pub name: String,
    /// The directory of the program: of several with one name, the directory around them.
    pub root: RepoPath,
    /// Each with the environment of its run, if that has a name of its own.
    pub units: Vec<(&'a UnitView, Option<&'a str>)>,
}

impl Catalog {
    /// The environments that are Kubernetes clusters.
    pub fn cluster_environments(&self) -> &[EnvironmentView] {
        let all = self.environments.as_slice();
        let programs = all.iter().position(|one| one.is_program);
        &all[..programs.unwrap_or(all.len())]
    }

    /// The Kubernetes clusters.
    pub fn kubernetes(&self) -> impl Iterator<Item = &ClusterUnits> + Clone {
        let clusters = self.clusters.iter();
        clusters.filter(|cluster| cluster.role == Role::Kubernetes)
    }

    /// How many components are no programs.
    pub fn services(&self) -> usize {
        let components = self.components.iter();
        components.filter(|component| !component.is_program).count()
    }

    /// The number of programs that run for no cluster.
    pub fn program_count(&self) -> usize {
        let ids: BTreeSet<&UnitId> = self.runs().map(|run| &run.id).collect();
        ids.len()
    }

    /// The programs that run for no cluster, by root.
    pub fn programs<'a>(&'a self, repo: &Repo) -> Vec<ProgramView<'a>> {
        let mut programs: BTreeMap<&UnitId, ProgramView<'a>> = BTreeMap::new();
        for run in self.runs() {
            let directory = repo.path(run.place.file).parent();
            let directory = directory.unwrap_or_else(RepoPath::root);
            let program = programs.entry(&run.id).or_insert_with(|| ProgramView {
                name: run.id.name.to_string(),
                root: directory.clone(),
                units: Vec::new(),
            });
            program.root = common(&program.root, &directory);
        }
        let apart = self.clusters.iter();
        for cluster in apart.filter(|cluster| cluster.role == Role::Programs) {
            for unit in &cluster.units {
                let run = run_of(cluster, unit);
                if let Some(program) = programs.get_mut(&run.id) {
                    let is_named = cluster.name != program.name;
                    let environment = is_named.then_some(cluster.name.as_str());
                    program.units.push((unit, environment));
                }
            }
        }
        let mut programs: Vec<ProgramView<'a>> = programs.into_values().collect();
        for program in &mut programs {
            // A name that only keeps it apart from a cluster is no environment.
            let apart = [
                program.root.as_str(),
                &format!("{} (program)", program.name),
            ];
            for (_, environment) in &mut program.units {
                *environment = environment.filter(|name| !apart.contains(name));
            }
            program
                .units
                .sort_by(|(a, in_a), (b, in_b)| (&a.id, in_a).cmp(&(&b.id, in_b)));
        }
        programs.sort_by(|a, b| (&a.root, &a.name).cmp(&(&b.root, &b.name)));
        // Where people have to say which one they mean, they say where it is.
        let last: BTreeSet<&str> = programs.iter().map(|one| one.root.file_name()).collect();
        if last.len() < programs.len() {
            for program in programs
                .iter_mut()
                .filter(|one| !one.root.as_str().is_empty())
            {
                program.name = program.root.as_str().to_owned();
            }
        }
        programs
    }

    /// The units that stand for whole runs.
    fn runs(&self) -> impl Iterator<Item = &UnitView> {
        let apart = self.clusters.iter();
        let apart = apart.filter(|cluster| cluster.role == Role::Programs);
        let units = apart.flat_map(|cluster| &cluster.units);
        units.filter(|unit| unit.owner.is_none())
    }
}

/// The unit of the whole run that a unit is part of.
fn run_of<'a>(cluster: &'a ClusterUnits, unit: &'a UnitView) -> &'a UnitView {
    let mut at = unit;
    for _ in 0..64 {
        let owner = at.owner.as_ref().and_then(|owner| cluster.find(owner));
        match owner {
            Some(owner) => at = owner,
            None => break,
        }
    }
    at
}

/// The directory that both are in.
fn common(one: &RepoPath, other: &RepoPath) -> RepoPath {
    let mut at = one.clone();
    while at != *other && !other.is_below(&at) {
        match at.parent() {
            Some(parent) => at = parent,
            None => return RepoPath::root(),
        }
    }
    at
}
