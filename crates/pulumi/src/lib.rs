//! Static evaluation of Pulumi programs in TypeScript and JavaScript: the resources a program creates for each stack,
//! with their arguments and dependencies. Nothing is run; unknown values stay unknown. Files are read through
//! `base::Files`.

mod evaluation;
mod evaluator;
mod guard;
mod load;
mod method;
mod package;
mod parse;
mod project;
mod resource;
mod secrets;
mod syntax;
#[cfg(test)]
mod tests;
mod thread;
mod value;

use std::collections::{BTreeMap, BTreeSet};

use base::{FileId, Files, Finding, Place};

pub use evaluation::{Evaluation, Parameter, ProgramOutput, StackReference, is_path};
use load::Loader;
pub use package::{ChartApi, ResourceClass, YamlApi};
pub use project::{DataFiles, Project, Stack};
pub use resource::{Dependency, Reason, Resource};
pub use secrets::plain_secrets;
pub use value::{ProgramValue, State};

/// The results for all stacks of a project.
#[derive(Debug)]
pub struct Evaluated<T> {
    /// One result per stack, in their order; none if the program could not be evaluated at all.
    pub stacks: Vec<T>,
    /// What could not be evaluated, once per place.
    pub findings: Vec<Finding>,
    /// The files that the program consists of, and those that it reads.
    pub files: BTreeSet<FileId>,
}

impl<T> Evaluated<T> {
    fn failed(finding: Finding) -> Evaluated<T> {
        Evaluated {
            stacks: Vec::new(),
            findings: vec![finding],
            files: BTreeSet::new(),
        }
    }
}

/// Evaluates the program of a project for each of its stacks. `finish` returns the result for a stack; it is called on a
/// thread with a large stack, and values live no longer than the call.
pub fn evaluate<T: Send>(
    project: &Project<'_>,
    files: &dyn Files,
    data: &dyn DataFiles,
    finish: impl Fn(&mut Evaluation<'_, '_>) -> T + Sync,
) -> Evaluated<T> {
    let evaluated = thread::with_large_stack(|| evaluate_here(project, files, data, &finish));
    evaluated.unwrap_or_else(|| {
        let message = format!(
            "the program of `{}` is skipped, because no thread with a stack of {} MiB could be started; \
             its resources are missing from the catalogue, and its code is not checked for secrets",
            project.name,
            thread::SMALLEST_STACK >> 20
        );
        let finding = Finding::info("program-unfollowed", project.place, message)
            .help("raise the limits on memory and threads, for example with `ulimit -v` and `ulimit -u`, \
                   and run it again");
        Evaluated::failed(finding)
    })
}

fn evaluate_here<T>(
    project: &Project<'_>,
    files: &dyn Files,
    data: &dyn DataFiles,
    finish: impl Fn(&mut Evaluation<'_, '_>) -> T,
) -> Evaluated<T> {
    let mut loader = Loader::new(files, data);
    let Some(entry) = entry_file(project, &loader) else {
        let message = format!(
            "the program of `{}` is missing: there is no `index.ts`, and no file named by `main`; its \
             resources are missing from the catalogue",
            project.name
        );
        let finding = Finding::info("program-unfollowed", project.place, message)
            .help("set `main` in Pulumi.yaml to the program's entry file");
        return Evaluated::failed(finding);
    };
    let mut reported: BTreeMap<Place, Finding> = BTreeMap::new();
    let mut stacks = Vec::new();
    for stack in &project.stacks {
        let mut evaluation = Evaluation::new(project, stack, &mut loader, entry);
        stacks.push(finish(&mut evaluation));
        for (place, finding) in evaluation.into_findings() {
            reported.entry(place).or_insert(finding);
        }
    }
    let mut findings = loader.findings;
    findings.extend(reported.into_values());
    Evaluated {
        stacks,
        findings,
        files: loader.used,
    }
}

/// The file that a program starts with.
fn entry_file(project: &Project<'_>, loader: &Loader<'_>) -> Option<FileId> {
    let directory = project.root;
    if let Some(main) = project.main {
        let target = directory.join(main)?;
        let package = loader.package_main(&target);
        return loader
            .entry_of(directory, Some(main))
            .or_else(|| loader.entry_of(&target, package.as_deref()));
    }
    let main = loader.package_main(directory);
    loader.entry_of(directory, main.as_deref())
}
