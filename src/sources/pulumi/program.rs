//! Programs in TypeScript and JavaScript: the engine evaluates them for each stack, and their resources become objects.

mod object;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use smol_str::SmolStr;

use super::project::PulumiProject;
use crate::facts::{Input, Output};
use crate::sources::Facts;
use base::{FileId, Finding, Place};
use pulumi::{DataFiles, Evaluation};
use yaml::Node;

/// The resources of a program, for each of its stacks.
#[derive(Debug, Default)]
pub struct Followed {
    pub runs: Vec<StackObjects>,
    pub findings: Vec<Finding>,
    pub files: BTreeSet<FileId>,
}

#[derive(Debug, Default)]
pub struct StackObjects {
    pub objects: Vec<Node>,
    pub inputs: Vec<Input>,
    pub outputs: Vec<Output>,
    /// Other projects whose results it takes.
    pub stacks: Vec<(SmolStr, Place)>,
}

impl DataFiles for Facts<'_> {
    fn document(&self, file: FileId) -> Option<&Node> {
        self.file(file).other_documents.first().map(|node| &**node)
    }
}

/// Evaluates the program of a project for each of its stacks.
pub fn follow(project: &PulumiProject, facts: &Facts<'_>) -> Followed {
    let stacks = project.stacks.iter().map(|stack| pulumi::Stack {
        name: stack.name.clone(),
        file: stack.file,
        config: stack.config(project),
    });
    let engine_project = pulumi::Project {
        name: &project.name,
        place: project.place,
        root: &project.root,
        main: project.main.as_deref(),
        secret_keys: project.secret_keys(),
        stacks: stacks.collect(),
    };
    let evaluated = pulumi::evaluate(&engine_project, facts.repo, facts, |evaluation| {
        outcome(evaluation, project, facts)
    });
    Followed {
        runs: evaluated.stacks,
        findings: evaluated.findings,
        files: evaluated.files,
    }
}

fn outcome(
    evaluation: &mut Evaluation<'_, '_>,
    project: &PulumiProject,
    facts: &Facts<'_>,
) -> StackObjects {
    let objects = object::objects(evaluation, project, facts);
    let inputs = evaluation.parameters().into_iter().map(|one| Input {
        name: one.name,
        kind: Some(SmolStr::new_static(one.kind)),
        description: None,
        default: one.default,
        is_required: one.is_required,
        is_secret: one.is_secret,
        place: one.place,
    });
    let outputs = evaluation.outputs().iter().map(|one| Output {
        name: one.name.clone(),
        description: None,
        is_secret: one.is_secret,
        place: one.place,
    });
    let stacks = evaluation.stack_references().iter();
    StackObjects {
        objects,
        inputs: inputs.collect(),
        outputs: outputs.collect(),
        stacks: stacks.map(|one| (one.project.clone(), one.place)).collect(),
    }
}
