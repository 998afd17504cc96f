//! Pulumi: a project is a program that is run once per stack. Its charts, releases and components are units, and so is
//! the run itself. Reads projects, stacks and, if this build has the parser, programs.

mod exposed;
#[cfg(feature = "pulumi")]
mod program;
#[cfg_attr(not(feature = "pulumi"), allow(dead_code))]
mod project;
mod unit;

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::{
    Advice, Describe, Expand, Expanded, Facts, Operate, Program, ReadContext, Reader, Refusal, Run,
    Source,
};
use crate::facts::{Input, Output, PlainSecret, Resource, Statement, Unit, UnitId};
use base::{Finding, Place};
use project::{PulumiProject, Stack};
use yaml::{Map, Node, Value};

pub struct Pulumi;

pub const SOURCE: Source = Source {
    reader: &Pulumi,
    describe: Some(&Pulumi),
    expand: Some(&Pulumi),
    operate: Some(&Pulumi),
};

/// The group of the reader's own objects. It has no dot, so that no type of a cluster can have it: Pulumi's operator has a Stack, too.
pub const GROUP: &str = "pulumi";
/// Kind of a group of resources in one program file. Terraform uses another kind, and units are told apart by kind.
pub const FILE: &str = "File";
/// Key under which a Kubernetes object lists its dependencies. No manifest uses this key.
pub const RUN: &str = "pulumi.com/run";
/// Marker for a dependency that could not be followed.
pub const UNCLEAR: &str = "unclear";
/// Marker for an object that a condition which is not known decides about.
pub const DOUBTFUL: &str = "doubtful";
pub const DEPENDS_ON: &str = "dependsOn";
/// Reasons for a dependency, as the reader's own objects state them.
pub const STATED: &str = "dependsOn";
pub const TAKEN: &str = "output";
pub const IMPLIED: &str = "implied";
const STACK: &str = "stack";

impl Reader for Pulumi {
    fn name(&self) -> &'static str {
        "pulumi"
    }

    fn unit(&self, resource: &Resource) -> Option<Unit> {
        (resource.id.group == GROUP).then(|| unit::unit(resource))?
    }

    fn plain_secrets(&self, facts: &Facts<'_>) -> Vec<PlainSecret> {
        exposed::plain_secrets(facts)
    }
}

impl Describe for Pulumi {
    fn describe(&self, resource: &Resource, statement: &mut Statement) {
        unit::describe(resource, statement);
    }
}

impl Expand for Pulumi {
    fn expand(&self, template: &Resource, _around: &ReadContext<'_>) -> Option<Expanded> {
        if template.id.group != GROUP {
            return None;
        }
        let spec = template.node.get("spec")?;
        let objects = spec.items_at("objects").iter();
        Some(Expanded {
            resources: objects.cloned().filter_map(Resource::new).collect(),
            ..Expanded::default()
        })
    }

    fn programs(&self, context: &ReadContext<'_>) -> Vec<Program> {
        let projects = project::projects(context.facts);
        let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
        for project in &projects {
            *counted.entry(&project.name).or_default() += 1;
        }
        let named = |project: &PulumiProject| match counted[project.name.as_str()] {
            1 => project.name.clone(),
            // Projects with the same name are told apart by their directories.
            _ => project.root.as_str().into(),
        };
        let names: RunNames = projects
            .iter()
            .flat_map(|project| {
                let stacks = project.stacks.iter().filter_map(|stack| stack.name.clone());
                stacks.map(|stack| ((project.name.clone(), stack), named(project)))
            })
            .collect();
        let programs = projects.iter().map(|project| {
            let name = named(project);
            program_of(project, &name, &names, context)
        });
        programs.collect()
    }
}

impl Operate for Pulumi {
    fn retry_advice(&self, unit: &UnitId, refusal: Refusal) -> Option<&'static str> {
        unit::is_ours(unit).then_some(match refusal {
            // Its provider for Kubernetes asks again for a kind that is not there, and for nothing else.
            Refusal::Kind => "a few times during the run, and then on the next `pulumi up`",
            Refusal::Webhook => "on the next `pulumi up`",
        })
    }

    fn advice(&self, unit: &UnitId, advice: Advice<'_>) -> Option<String> {
        unit::advice(unit, advice)
    }
}

/// Names of runs, by project and stack.
type RunNames = BTreeMap<(SmolStr, SmolStr), SmolStr>;

/// Facts about one run, in any program language.
#[derive(Default)]
struct PulumiRun {
    objects: Vec<Node>,
    inputs: Vec<Input>,
    outputs: Vec<Output>,
    stacks: Vec<(SmolStr, Place)>,
}

fn program_of(
    project: &PulumiProject,
    name: &SmolStr,
    names: &RunNames,
    context: &ReadContext<'_>,
) -> Program {
    let mut files: BTreeSet<_> = project
        .stacks
        .iter()
        .filter_map(|stack| stack.file)
        .collect();
    files.insert(project.file);
    let (known, findings) = match project.runtime.as_str() {
        "nodejs" | "bun" => followed(project, context, &mut files),
        other => {
            let what = match other {
                "" => "the project sets no `runtime`".to_owned(),
                other => format!("`{other}` programs are not supported"),
            };
            let message = format!(
                "{what}: the catalogue shows `{}` and its stacks, but not the resources it creates",
                project.name
            );
            let finding = Finding::info("program-unread", project.runtime_place, message);
            (Vec::new(), vec![finding])
        }
    };
    let mut known = known.into_iter();
    let runs = project.stacks.iter().map(|stack| {
        let known = known.next().unwrap_or_default();
        Run {
            environment: stack.name.clone(),
            installs: known.objects.iter().any(is_installed),
            unit: run_object(project, stack, name, names, known),
        }
    });
    Program {
        name: name.clone(),
        root: project.root.clone(),
        runs: runs.collect(),
        findings,
        files,
        starts: BTreeSet::new(),
    }
}

#[cfg(feature = "pulumi")]
fn followed(
    project: &PulumiProject,
    context: &ReadContext<'_>,
    files: &mut BTreeSet<base::FileId>,
) -> (Vec<PulumiRun>, Vec<Finding>) {
    let followed = program::follow(project, context.facts);
    files.extend(followed.files);
    let known = followed.runs.into_iter().map(|run| PulumiRun {
        objects: run.objects,
        inputs: run.inputs,
        outputs: run.outputs,
        stacks: run.stacks,
    });
    (known.collect(), followed.findings)
}

#[cfg(not(feature = "pulumi"))]
fn followed(
    project: &PulumiProject,
    _around: &ReadContext<'_>,
    _files: &mut BTreeSet<base::FileId>,
) -> (Vec<PulumiRun>, Vec<Finding>) {
    let message = format!(
        "this build of catalog cannot read programs: the catalogue shows `{}` and its stacks, but not the \
         resources it creates",
        project.name
    );
    let finding = Finding::info("program-unread", project.place, message)
        .help("use a build with the feature `pulumi`");
    (Vec::new(), vec![finding])
}

/// Whether an object reaches a Kubernetes cluster: a chart, or an object that is not of this reader's own making.
fn is_installed(object: &Node) -> bool {
    let is_own = object.text_at(&["apiVersion"]) == Some(&format!("{GROUP}/v1"));
    !is_own || matches!(object.text_at(&["kind"]), Some("Chart" | "Release"))
}

/// The object of a whole run.
fn run_object(
    project: &PulumiProject,
    stack: &Stack,
    name: &SmolStr,
    names: &RunNames,
    known: PulumiRun,
) -> Resource {
    let place = project.place;
    let mut spec = Map::default();
    // Which stack of another project is meant is known where both have one of that name; any other is in another environment.
    let others = known.stacks.iter().filter_map(|(other, place)| {
        let key = (other.clone(), stack.name.clone()?);
        let id = UnitId {
            kind: "Stack".into(),
            namespace: SmolStr::default(),
            name: names.get(&key)?.clone(),
        };
        (id.name != *name).then(|| unit::dependency(&id, STACK, *place))
    });
    spec.push(DEPENDS_ON, Node::seq(others.collect(), place));
    spec.push("settings", stack.settings(project, &known.inputs));
    spec.push("home", Node::string(project.root.as_str(), place));
    spec.push("inputs", unit::inputs(&known.inputs, place));
    spec.push("outputs", unit::outputs(&known.outputs, place));
    spec.push("objects", Node::seq(known.objects, place));
    let mut metadata = Map::default();
    metadata.push("name", Node::string(name.clone(), place));
    let map = |map: Map| Node {
        value: Value::Map(map),
        place,
    };
    let mut node = Map::default();
    node.push("apiVersion", Node::string(format!("{GROUP}/v1"), place));
    node.push("kind", Node::string("Stack", place));
    node.push("metadata", map(metadata));
    node.push("spec", map(spec));
    Resource::new(map(node)).expect("it was given a type and a name just above")
}

#[cfg(all(test, feature = "pulumi"))]
mod tests {
    use super::*;
    use crate::input::repo::Repo;

    #[test]
    fn a_project_waits_for_another_only_where_both_are_run() {
        let directory = tempfile::tempdir().unwrap();
        let shop = "import * as pulumi from \"@pulumi/pulumi\";\nnew pulumi.StackReference(`acme/base/${pulumi.getStack()}`);\n";
        let files = [
            ("base/Pulumi.yaml", "name: base\nruntime: nodejs\n"),
            ("base/Pulumi.prod.yaml", "config: {}\n"),
            ("base/index.ts", "export const a = 1;\n"),
            ("shop/Pulumi.yaml", "name: shop\nruntime: nodejs\n"),
            ("shop/Pulumi.prod.yaml", "config: {}\n"),
            ("shop/Pulumi.test.yaml", "config: {}\n"),
            ("shop/index.ts", shop),
        ];
        for (path, text) in files {
            let path = directory.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let repo = Repo::open(directory.path(), &[]).unwrap();
        let facts = Facts::read(&repo);
        let programs = Pulumi.programs(&ReadContext::new(&facts));
        let shop = programs.iter().find(|one| one.root.as_str() == "shop");
        let waits = shop.unwrap().runs.iter().map(|run| {
            let spec = run.unit.node.get("spec").unwrap();
            let waits = spec.items_at(DEPENDS_ON).iter();
            let names: Vec<&str> = waits.filter_map(|wait| wait.text_at(&["name"])).collect();
            (run.environment.as_deref().unwrap(), names)
        });
        let waits: Vec<(&str, Vec<&str>)> = waits.collect();
        assert_eq!(waits, [("prod", vec!["base"]), ("test", vec![])]);
    }
}
