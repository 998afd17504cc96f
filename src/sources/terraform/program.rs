//! Programs: root modules, and the environments that each is run for, by values files next to it or by directory name.
//! Workspaces are kept with the state, so they are unknown here.

use std::collections::BTreeMap;

use smol_str::{SmolStr, format_smolstr};

use super::make;
use crate::facts::Resource;
use crate::input::repo::{Repo, RepoPath};
use crate::sources::{Program, ReadContext, Run};
use base::{Effect, FileId, Finding, Place};
use terraform::{Body, Module, Modules};

/// Directories that hold one directory or file for each environment.
const SHELVES: &[&str] = &[
    "environments",
    "environment",
    "envs",
    "env",
    "live",
    "tfvars",
    "vars",
    "var-files",
    "config",
    "configs",
    "stages",
];
/// Common names of environments.
const ENVIRONMENTS: &[&str] = &[
    "dev",
    "development",
    "test",
    "testing",
    "qa",
    "uat",
    "stage",
    "staging",
    "stg",
    "preprod",
    "pre-prod",
    "prod",
    "production",
    "prd",
    "nonprod",
    "non-prod",
    "sandbox",
    "demo",
];

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
    let mut values = Values::default();
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
    values: &mut Values,
) -> Program {
    let repo = context.facts.repo;
    let directory = root.directory.clone().unwrap_or_else(RepoPath::root);
    let mut program = Program {
        root: directory.clone(),
        runs: Vec::new(),
        findings: Vec::new(),
        files: root.files.clone(),
        starts: Default::default(),
    };
    for (environment, files) in runs(repo, modules, &directory) {
        let mut run = terraform::Run::new(modules, context.facts, root);
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
            program.runs.push(Run { environment, unit });
        }
    }
    program
}

/// Files of values that were read.
#[derive(Default)]
struct Values {
    read: BTreeMap<FileId, Option<Body>>,
    findings: Vec<Finding>,
}

impl Values {
    fn give(&mut self, repo: &Repo, file: FileId, run: &mut terraform::Run<'_>) {
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

/// The environments that a root module is run for, each with the files of values that it is given, later ones winning.
fn runs(repo: &Repo, modules: &Modules, root: &RepoPath) -> BTreeMap<Option<SmolStr>, Vec<FileId>> {
    let mut always: Vec<FileId> = Vec::new();
    let mut named: BTreeMap<Option<SmolStr>, Vec<FileId>> = BTreeMap::new();
    for file in &modules.values {
        let path = repo.path(*file);
        let Some(parent) = path.parent() else {
            continue;
        };
        let name = path.file_name();
        let name = name.strip_suffix(".json").unwrap_or(name);
        let stem = name.trim_end_matches(".tfvars");
        if parent == *root {
            match stem {
                // Terraform takes these by itself.
                "terraform" => always.insert(0, *file),
                _ if stem.ends_with(".auto") => always.push(*file),
                _ if is_environment(stem) => {
                    named.entry(Some(stem.into())).or_default().push(*file)
                }
                _ => {}
            }
        } else if let Some(environment) = shelved(root, &parent, stem) {
            named.entry(Some(environment)).or_default().push(*file);
        }
    }
    let of_directory = environment_of(root);
    if named.is_empty() {
        return BTreeMap::from([(of_directory, always)]);
    }
    for files in named.values_mut() {
        *files = always.iter().chain(files.iter()).copied().collect();
    }
    named
}

/// The environment of a file of values that stands on a shelf of a module: `env/prod.tfvars`, `env/prod/terraform.tfvars`.
fn shelved(root: &RepoPath, parent: &RepoPath, stem: &str) -> Option<SmolStr> {
    let below = match root.as_str() {
        "" => parent.as_str(),
        root => parent.as_str().strip_prefix(root)?.strip_prefix('/')?,
    };
    let parts: Vec<&str> = below.split('/').collect();
    match parts.as_slice() {
        [shelf] if SHELVES.contains(shelf) && is_environment(stem) => Some(stem.into()),
        [shelf, name] if SHELVES.contains(shelf) && is_environment(name) && is_used(stem) => {
            Some((*name).into())
        }
        [name] if ENVIRONMENTS.contains(name) && is_used(stem) => Some((*name).into()),
        _ => None,
    }
}

/// Whether a values file is for one environment, rather than shared or unused.
fn is_environment(name: &str) -> bool {
    let shared = [
        "terraform",
        "common",
        "global",
        "globals",
        "shared",
        "default",
        "defaults",
        "base",
        "main",
        "variables",
        "vars",
        "values",
        "local",
        "override",
        "versions",
    ];
    let lower = name.to_ascii_lowercase();
    !name.is_empty()
        && !shared.contains(&lower.as_str())
        && !lower.ends_with(".auto")
        && is_used(name)
}

/// Whether a file of values is one for variables, rather than one to copy or one for something else.
fn is_used(stem: &str) -> bool {
    let others = [
        "backend",
        "secret",
        "example",
        "sample",
        "template",
        "common",
        "credential",
    ];
    let lower = stem.to_ascii_lowercase();
    !others.iter().any(|part| lower.contains(part))
}

/// The environment that a directory states: a word for one, or what stands on a shelf of them.
fn environment_of(directory: &RepoPath) -> Option<SmolStr> {
    position(directory).map(|at| {
        directory
            .as_str()
            .split('/')
            .nth(at)
            .unwrap_or_default()
            .into()
    })
}

fn position(directory: &RepoPath) -> Option<usize> {
    let parts: Vec<&str> = directory.as_str().split('/').collect();
    let word = parts.iter().rposition(|part| ENVIRONMENTS.contains(part));
    let shelves = &SHELVES[..5];
    let shelf = parts.iter().position(|part| shelves.contains(part));
    let on_shelf = shelf.map(|at| at + 1).filter(|at| *at < parts.len());
    word.or(on_shelf)
}

/// Names of root modules: their directories without the environment, so that a module has one name everywhere. Names
/// are as long as needed to be unique.
fn names(roots: &[&Module]) -> Vec<SmolStr> {
    let paths: Vec<Vec<SmolStr>> = roots
        .iter()
        .map(|root| {
            let directory = root.directory.clone().unwrap_or_else(RepoPath::root);
            let at = position(&directory);
            let parts = directory.as_str().split('/').enumerate();
            let telling = parts.filter(|(nth, part)| {
                let is_shelf = SHELVES[..5].contains(part) && at.is_some();
                !part.is_empty() && Some(*nth) != at && !is_shelf
            });
            let mut telling: Vec<SmolStr> = telling.map(|(_, part)| part.into()).collect();
            if telling.is_empty() {
                telling.push("terraform".into());
            }
            telling
        })
        .collect();
    let name = |path: &[SmolStr], length: usize| {
        let start = path.len().saturating_sub(length);
        path[start..].join("-")
    };
    let named = paths.iter().map(|path| {
        let longest = path.len();
        let is_alone = |length: &usize| {
            let own = name(path, *length);
            let others = paths.iter().filter(|other| *other != path);
            others.into_iter().all(|other| name(other, *length) != own)
        };
        let length = (1..longest).find(is_alone).unwrap_or(longest);
        format_smolstr!("{}", name(path, length))
    });
    named.collect()
}
