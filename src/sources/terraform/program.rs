//! Programs: root modules, and the environments that each is run for, by values files next to it or by directory name.
//! Workspaces are kept with the state, so they are unknown here.

mod environment;

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::make;
use crate::facts::Resource;
use crate::input::repo::{Repo, RepoPath};
use crate::sources::{Program, ReadContext, Run};
use base::hash::HashMap;
use base::{Effect, FileId, Finding, Place};
use environment::{is_shelf, position, runs};
use terraform::{Body, Module, Modules};

pub fn programs(context: &ReadContext<'_>) -> Vec<Program> {
    let repo = context.facts.repo;
    let modules = Modules::read(repo);
    let mut findings = modules.findings.clone();
    findings.extend(modules.terragrunt.map(|file| {
        Finding::info(
            "terraform-terragrunt",
            Place::start_of(file),
            "Terragrunt files are not read; what they generate is missing from the catalogue",
        )
        .help("no action needed: the modules they call are shown if they are in this repository")
    }));
    let roots = modules.roots(repo);
    let names = names(&roots);
    let mut values = ValueFiles::default();
    let mut programs: Vec<Program> = Vec::new();
    for (root, name) in roots.into_iter().zip(names) {
        let program = program(context, &modules, root, &name, &mut values);
        programs.push(program);
    }
    findings.append(&mut values.findings);
    findings.iter_mut().for_each(suggest_ignoring);
    match programs.first_mut() {
        Some(first) => first.findings.append(&mut findings),
        None if findings.is_empty() => {}
        None => programs.push(Program {
            name: SmolStr::default(),
            root: RepoPath::root(),
            runs: Vec::new(),
            findings,
            files: Default::default(),
            starts: Default::default(),
        }),
    }
    programs
}

/// Adds what the engine cannot know to the help for files that are too large.
fn suggest_ignoring(finding: &mut Finding) {
    if finding.effect == Effect::TooLarge {
        finding.help = Some("split it, or add it to `ignore` in catalog.toml".to_owned());
    }
}

fn program(
    context: &ReadContext<'_>,
    modules: &Modules,
    root: &Module,
    name: &str,
    values: &mut ValueFiles,
) -> Program {
    let repo = context.facts.repo;
    let directory = root.directory.clone().unwrap_or_else(RepoPath::root);
    let mut program = Program {
        name: name.into(),
        root: directory.clone(),
        runs: Vec::new(),
        findings: Vec::new(),
        files: root.files.clone(),
        starts: Default::default(),
    };
    for (environment, files) in runs(repo, modules, &directory) {
        let mut run = terraform::ModuleRun::new(modules, context.facts, root);
        for file in &files {
            values.give(repo, *file, &mut run);
        }
        let made = make::make(&mut run, context, name);
        program.files.extend(files);
        program.files.extend(made.files);
        program.starts.extend(made.starts);
        for finding in made.findings {
            if !program.findings.contains(&finding) {
                program.findings.push(finding);
            }
        }
        if let Some(unit) = Resource::new(made.unit) {
            let installs = made.installs;
            program.runs.push(Run {
                environment,
                installs,
                unit,
            });
        }
    }
    program
}

/// Files of values that were read.
#[derive(Default)]
struct ValueFiles {
    read: BTreeMap<FileId, Option<Body>>,
    findings: Vec<Finding>,
}

impl ValueFiles {
    fn give(&mut self, repo: &Repo, file: FileId, run: &mut terraform::ModuleRun<'_>) {
        let findings = &mut self.findings;
        let body =
            self.read
                .entry(file)
                .or_insert_with(|| match terraform::read_file(repo, file) {
                    Ok(body) => Some(body),
                    Err(finding) => {
                        findings.push(finding);
                        None
                    }
                });
        if let Some(body) = body {
            run.give(body);
        }
    }
}

/// Names of root modules: their directories without the environment, so that a module has one name everywhere. A name
/// has as many of the directories above as make it unique.
fn names(roots: &[&Module]) -> Vec<SmolStr> {
    let paths: Vec<Vec<SmolStr>> = roots.iter().map(|root| telling(root)).collect();
    let distinct: BTreeSet<&Vec<SmolStr>> = paths.iter().collect();
    let longest = distinct.iter().map(|path| path.len()).max().unwrap_or(0);
    let name = |path: &[SmolStr], length: usize| {
        let start = path.len().saturating_sub(length);
        path[start..].join("-")
    };
    let mut known: HashMap<&Vec<SmolStr>, SmolStr> = HashMap::default();
    for length in 1..=longest {
        let mut counted: HashMap<String, usize> = HashMap::default();
        for path in &distinct {
            *counted.entry(name(path, length)).or_default() += 1;
        }
        for path in &distinct {
            let own = name(path, length);
            if !known.contains_key(path) && (counted[&own] == 1 || length >= path.len()) {
                known.insert(path, own.into());
            }
        }
    }
    paths.iter().map(|path| known[path].clone()).collect()
}

/// The parts of a root module's path that say which one it is, whatever its environment.
fn telling(root: &Module) -> Vec<SmolStr> {
    let directory = root.directory.clone().unwrap_or_else(RepoPath::root);
    let at = position(&directory);
    let parts = directory.as_str().split('/').enumerate();
    let telling = parts.filter(|(nth, part)| {
        let is_shelf = is_shelf(part) && at.is_some();
        !part.is_empty() && Some(*nth) != at && !is_shelf
    });
    let mut telling: Vec<SmolStr> = telling.map(|(_, part)| part.into()).collect();
    if telling.is_empty() {
        telling.push("terraform".into());
    }
    telling
}
