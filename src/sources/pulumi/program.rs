//! Programs in TypeScript and JavaScript: followed for each stack without being run. Reads the files that they are made of,
//! on a thread with room for deep ones.

pub mod exposed;
mod guard;
mod load;
mod method;
mod object;
mod package;
mod parse;
mod resource;
mod run;
mod syntax;
#[cfg(test)]
mod tests;
mod value;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::project::{Project, Stack};
use crate::facts::{Input, Output};
use crate::sources::Facts;
use base::{FileId, Finding, Place};
use load::{Loader, Resolved};
use run::Run;
use value::Kind;
use yaml::Node;

/// Room for the parser and for what follows calls, both of which call themselves; only what is used is taken. Where a machine
/// does not give that much, a part of it goes with the same part of the depth.
const STACK_SIZE: usize = 512 * 1024 * 1024;
const SMALLEST_STACK: usize = STACK_SIZE / 4;

/// What a program makes, for each of its stacks.
#[derive(Debug, Default)]
pub struct Followed {
    pub runs: Vec<Outcome>,
    pub findings: Vec<Finding>,
    pub files: BTreeSet<FileId>,
}

#[derive(Debug, Default)]
pub struct Outcome {
    pub objects: Vec<Node>,
    pub inputs: Vec<Input>,
    pub outputs: Vec<Output>,
    /// Other projects whose results it takes.
    pub stacks: Vec<(SmolStr, Place)>,
}

/// Follows the program of a project for each of its stacks.
pub fn follow(project: &Project, facts: &Facts<'_>) -> Followed {
    with_room(|| follow_here(project, facts)).unwrap_or_else(|| {
        let message = format!(
            "the program of `{}` is skipped, because no thread with a stack of {} MiB could be started; \
             its resources are missing from the catalogue, and its code is not checked for secrets",
            project.name,
            SMALLEST_STACK >> 20
        );
        let finding = Finding::info("program-unfollowed", project.place, message)
            .help("raise the limits on memory and threads, for example with `ulimit -v` and `ulimit -u`, \
                   and run it again");
        Followed {
            findings: vec![finding],
            ..Followed::default()
        }
    })
}

thread_local! {
    /// How many times smaller than the whole the stack of this thread is.
    static DIVISOR: Cell<usize> = const { Cell::new(1) };
}

/// A limit on depth, as it is for the stack of this thread.
fn depth_here(most: usize) -> usize {
    most / DIVISOR.get()
}

/// Does something on a thread with room, or with half or a quarter of it; none where there is no such thread to be had.
fn with_room<T: Send>(work: impl Fn() -> T + Sync) -> Option<T> {
    let (work, mut size) = (&work, STACK_SIZE);
    while size >= SMALLEST_STACK {
        let done = std::thread::scope(|scope| {
            let run = move || {
                DIVISOR.set(STACK_SIZE / size);
                work()
            };
            let thread = builder(size)?.spawn_scoped(scope, run).ok()?;
            Some(thread.join().ok())
        });
        match done {
            Some(done) => return done,
            None => size /= 2,
        }
    }
    None
}

#[cfg(not(test))]
fn builder(stack: usize) -> Option<std::thread::Builder> {
    Some(std::thread::Builder::new().stack_size(stack))
}

/// None where a test has it that the machine does not give so much.
#[cfg(test)]
fn builder(stack: usize) -> Option<std::thread::Builder> {
    (stack <= tests::room::LARGEST.get()).then(|| std::thread::Builder::new().stack_size(stack))
}

fn follow_here(project: &Project, facts: &Facts<'_>) -> Followed {
    let mut loader = Loader::new(facts);
    let Some(entry) = entry(project, &loader) else {
        let message = format!(
            "the program of `{}` is missing: there is no `index.ts`, and no file named by `main`; its \
             resources are missing from the catalogue",
            project.name
        );
        let finding = Finding::info("program-unfollowed", project.place, message)
            .help("set `main` in Pulumi.yaml to the program's entry file");
        return Followed {
            findings: vec![finding],
            ..Followed::default()
        };
    };
    let mut said: BTreeMap<Place, Finding> = BTreeMap::new();
    let mut runs = Vec::new();
    for stack in &project.stacks {
        let mut run = Run::new(project, stack, &mut loader);
        runs.push(follow_stack(&mut run, stack, entry));
        for (place, finding) in run.said {
            said.entry(place).or_insert(finding);
        }
    }
    let mut findings = loader.findings;
    findings.extend(said.into_values());
    Followed {
        runs,
        findings,
        files: loader.files,
    }
}

/// The file that a program starts with.
fn entry(project: &Project, loader: &Loader<'_>) -> Option<FileId> {
    let directory = &project.root;
    if let Some(main) = project.main.as_deref() {
        let target = directory.join(main)?;
        let package = loader.package_main(&target);
        return loader
            .entry_of(directory, Some(main))
            .or_else(|| loader.entry_of(&target, package.as_deref()));
    }
    let main = loader.package_main(directory);
    loader.entry_of(directory, main.as_deref())
}

fn follow_stack(run: &mut Run<'_, '_>, stack: &Stack, entry: FileId) -> Outcome {
    let place = stack.file.map_or(Place::start_of(entry), Place::start_of);
    let module = run.load(Resolved::File(entry), place);
    let mut exports = run.exports(&module);
    // A program may export a function in the place of values, which Pulumi calls.
    let main = exports.iter().find(|(name, _)| name == "default");
    let main = main.filter(|(_, value)| matches!(value.kind, Kind::Function(_)));
    if let Some(main) = main.map(|(_, value)| value.clone()) {
        let given = run.call_value(&main, Vec::new(), None, main.place);
        if let Kind::Object(at) = given.kind {
            let given = run.heap.objects[at].iter();
            exports.extend(given.map(|entry| (entry.key.clone(), entry.value.clone())));
        }
    }
    let outputs = exports.iter().filter(|(name, value)| {
        let is_code = matches!(
            value.kind,
            Kind::Function(_) | Kind::Class(_) | Kind::Module(_)
        );
        name != "default" && !is_code
    });
    let outputs = outputs.map(|(name, value)| Output {
        name: name.clone(),
        description: None,
        is_secret: matches!(value.kind, Kind::Hole(at) if run.heap.holes[at].is_secret),
        place: value.place,
    });
    let mut outputs: Vec<Output> = outputs.collect();
    outputs.sort_by(|a, b| a.name.cmp(&b.name));
    outputs.dedup_by(|a, b| a.name == b.name);
    let objects = object::objects(run, entry);
    Outcome {
        objects,
        inputs: inputs(run),
        outputs,
        stacks: run.stacks.clone(),
    }
}

/// The parameters that a run reads, each once.
fn inputs(run: &Run<'_, '_>) -> Vec<Input> {
    let mut inputs: BTreeMap<SmolStr, Input> = BTreeMap::new();
    for read in &run.reads {
        let prefix = format!("{}:", run.project.name);
        let name = SmolStr::from(read.key.strip_prefix(&prefix).unwrap_or(&read.key));
        let input = inputs.entry(name.clone()).or_insert_with(|| Input {
            name,
            kind: Some(SmolStr::new_static(read.kind)),
            description: None,
            default: None,
            is_required: read.is_required,
            is_secret: read.is_secret,
            place: read.place,
        });
        input.is_secret |= read.is_secret;
        input.is_required |= read.is_required;
        if !input.is_secret && input.default.is_none() {
            input.default = read.default.clone();
        }
    }
    for input in inputs.values_mut().filter(|input| input.is_secret) {
        input.default = None;
    }
    inputs.into_values().collect()
}
