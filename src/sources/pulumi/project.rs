//! Projects and their stacks, as `Pulumi.yaml` and `Pulumi.<stack>.yaml` state them. Reads these files and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use smol_str::SmolStr;

use crate::facts::{Input, MARKER};
use crate::input::repo::RepoPath;
use crate::sources::Facts;
use base::text::has_gap;
use base::{FileId, Place};
use yaml::{Entry, Node, Value};

/// More stacks than this are not environments.
const MAX_STACKS: usize = 64;

#[derive(Debug)]
pub struct PulumiProject {
    pub root: RepoPath,
    pub file: FileId,
    pub name: SmolStr,
    pub place: Place,
    pub runtime: SmolStr,
    pub runtime_place: Place,
    pub main: Option<SmolStr>,
    /// Content of `Pulumi.yaml`.
    pub node: Arc<Node>,
    /// At least one: a project that has none of its own is run all the same.
    pub stacks: Vec<Stack>,
}

#[derive(Debug)]
pub struct Stack {
    /// None where no file names one.
    pub name: Option<SmolStr>,
    pub file: Option<FileId>,
    pub node: Option<Arc<Node>>,
}

/// The projects of a repo, by directory.
pub fn projects(facts: &Facts<'_>) -> Vec<PulumiProject> {
    let repo = facts.repo;
    let files = repo.files().filter(|file| {
        let path = repo.path(*file);
        matches!(path.file_name(), "Pulumi.yaml" | "Pulumi.yml")
    });
    files.filter_map(|file| project(facts, file)).collect()
}

fn project(facts: &Facts<'_>, file: FileId) -> Option<PulumiProject> {
    let path = facts.repo.path(file);
    let root = path.parent()?;
    // Installed packages are third-party code.
    if path.as_str().split('/').any(|part| part == "node_modules") {
        return None;
    }
    let node = facts.file(file).other_documents.first()?.clone();
    let name = node.get("name").filter(|name| name.text().is_some())?;
    let runtime = node.get("runtime")?;
    let stated = runtime.text().or_else(|| runtime.text_at(&["name"]));
    let directory = node
        .text_at(&["stackConfigDir"])
        .and_then(|at| root.join(at));
    let directory = directory.unwrap_or_else(|| root.clone());
    let mut stacks: Vec<Stack> = facts
        .repo
        .below(&directory)
        .filter_map(|file| {
            let path = facts.repo.path(file);
            let name = path.file_name().strip_prefix("Pulumi.")?;
            let name = name
                .strip_suffix(".yaml")
                .or_else(|| name.strip_suffix(".yml"))?;
            let is_here = path.parent().as_ref() == Some(&directory);
            // A name that is a template is to be filled in.
            let is_name = !name.is_empty() && !has_gap(name);
            (is_here && is_name && !matches!(name, "example" | "template" | "sample")).then(|| {
                Stack {
                    name: Some(name.into()),
                    file: Some(file),
                    node: facts.file(file).other_documents.first().cloned(),
                }
            })
        })
        .take(MAX_STACKS)
        .collect();
    stacks.sort_by(|a, b| a.name.cmp(&b.name));
    if stacks.is_empty() {
        stacks.push(Stack {
            name: None,
            file: None,
            node: None,
        });
    }
    Some(PulumiProject {
        file,
        name: name.text()?.into(),
        place: name.place,
        runtime: stated.unwrap_or_default().into(),
        runtime_place: runtime.place,
        main: node.text_at(&["main"]).map(SmolStr::from),
        stacks,
        root,
        node,
    })
}

impl Stack {
    /// The values of all parameters by their full names, with the project's defaults.
    pub fn config(&self, project: &PulumiProject) -> BTreeMap<SmolStr, Node> {
        let own = self.node.as_ref().map(|node| node.entries_at("config"));
        let own = own.unwrap_or_default().iter();
        let own = own.map(|entry| (entry.key.clone(), &entry.value));
        let mut config = BTreeMap::new();
        for (key, value) in own.chain(defaults(project)) {
            config.entry(key).or_insert_with(|| value.clone());
        }
        config
    }

    /// The parameters of a stack as a tree, without the values of those that are secret, as the program reads them or by
    /// themselves.
    pub fn settings(&self, project: &PulumiProject, inputs: &[Input]) -> Node {
        let place = self.file.map_or(project.place, Place::start_of);
        let mut all: BTreeMap<SmolStr, Node> = BTreeMap::new();
        let own = self.node.as_ref().map(|node| node.entries_at("config"));
        let own = own.unwrap_or_default().iter();
        let own = own.map(|entry| (entry.key.clone(), &entry.value));
        for (key, value) in defaults(project).into_iter().chain(own) {
            let prefix = format!("{}:", project.name);
            let name = key.strip_prefix(&prefix).unwrap_or(&key);
            let mut value = value.clone();
            let mut read = inputs.iter().filter(|input| input.is_secret);
            if project.is_secret(&key) || read.any(|input| input.name == name) {
                value = Node::string(MARKER, value.place)
            } else {
                seal(name, &mut value)
            }
            all.insert(name.into(), value);
        }
        let mut node = Node::map(place);
        if let Some(map) = node.as_map_mut() {
            all.into_iter()
                .for_each(|(key, value)| map.push(key, value));
        }
        node
    }
}

impl PulumiProject {
    /// Whether a parameter, by its full name, is declared to be secret.
    pub fn is_secret(&self, key: &str) -> bool {
        self.secret_keys().contains(key)
    }

    /// The full names of parameters that are declared to be secret.
    pub fn secret_keys(&self) -> BTreeSet<SmolStr> {
        let is_secret =
            |entry: &&Entry| entry.value.get("secret").and_then(Node::as_bool) == Some(true);
        let entries = self.node.entries_at("config").iter();
        entries
            .filter(is_secret)
            .map(|entry| full_name(self, &entry.key))
            .collect()
    }
}

fn full_name(project: &PulumiProject, key: &SmolStr) -> SmolStr {
    if key.contains(':') {
        key.clone()
    } else {
        smol_str::format_smolstr!("{}:{key}", project.name)
    }
}

/// Configuration defaults for all stacks of a project, by full parameter name.
fn defaults(project: &PulumiProject) -> Vec<(SmolStr, &Node)> {
    let entries = project.node.entries_at("config").iter();
    let stated = entries.filter_map(|entry| {
        let key = full_name(project, &entry.key);
        let value = &entry.value;
        let value = match value.as_map() {
            // A parameter that is described, with or without a default.
            Some(map) if map.get("type").is_some() || map.get("default").is_some() => {
                map.get("default")?
            }
            Some(map) => map.get("value").unwrap_or(value),
            None => value,
        };
        (value.is_null())
            .then_some(())
            .is_none()
            .then_some((key, value))
    });
    stated.collect()
}

/// Takes the secrets out of a value: what is encrypted, and what has the name of one.
pub fn seal(key: &str, value: &mut Node) {
    let is_encrypted = value
        .as_map()
        .is_some_and(|map| map.get("secure").is_some());
    if is_encrypted || secret::is_secret_name(key) && value.as_map().is_none() {
        *value = Node::string(MARKER, value.place);
        return;
    }
    match &mut value.value {
        Value::Map(map) => {
            for entry in &mut map.0 {
                let key = entry.key.clone();
                seal(&key, &mut entry.value);
            }
        }
        Value::Seq(items) => items.iter_mut().for_each(|item| seal(key, item)),
        Value::Scalar(_) => {}
    }
}
