//! Turns the resources of a run into objects with their dependencies. Kubernetes objects stay unchanged; charts and
//! components become the reader's own kinds. Reads manifests that a program names.
mod chart;
mod group;
mod manifest;
mod wait;

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use crate::facts::UnitId;
use crate::input::repo::RepoPath;
use crate::sources::Facts;
use crate::sources::pulumi::project::PulumiProject;
use crate::sources::pulumi::{
    DEPENDS_ON, DOUBTFUL, FILE, GROUP, IMPLIED, RUN, STATED, TAKEN, UNCLEAR,
};
use base::hash::HashMap;
use base::{FileId, Place};
use pulumi::{ChartApi, Evaluation, ProgramValue, Reason, Resource, ResourceClass, State};
use yaml::{Map, Node, Value};

/// Components within each other.
const MAX_LEVELS: usize = 8;
/// Units that one object or unit names as those that it waits for.
const MAX_WAITS: usize = 64;

/// The objects of a run, those of components inside them.
pub fn objects(
    evaluation: &mut Evaluation<'_, '_>,
    project: &PulumiProject,
    facts: &Facts<'_>,
) -> Vec<Node> {
    let entry = evaluation.entry();
    let mut writer = ObjectWriter::new(evaluation, project, facts);
    writer.find_files(entry);
    writer.find_groups();
    writer.write(None)
}

/// Container of an object: the program itself, a component, or a workload of the program.
type Container = Option<usize>;

struct ObjectWriter<'w, 'r, 'p> {
    evaluation: &'w mut Evaluation<'r, 'p>,
    project: &'w PulumiProject,
    facts: &'w Facts<'w>,
    resources: Vec<Resource>,
    containers: Vec<Container>,
    units: HashMap<usize, UnitId>,
    /// The units that hang below each component.
    inside: HashMap<usize, Vec<usize>>,
    /// Grouped objects of the program, by their release or workload.
    groups: BTreeMap<usize, Vec<usize>>,
    group_ids: HashMap<usize, UnitId>,
    /// Files whose functions make something for others.
    shared: BTreeSet<FileId>,
}

impl<'w, 'r, 'p> ObjectWriter<'w, 'r, 'p> {
    fn new(
        evaluation: &'w mut Evaluation<'r, 'p>,
        project: &'w PulumiProject,
        facts: &'w Facts<'w>,
    ) -> Self {
        let resources = evaluation.resources().to_vec();
        let containers = containers(&resources);
        let shared = group::shared_files(&resources);
        let mut writer = ObjectWriter {
            evaluation,
            project,
            facts,
            resources,
            containers,
            units: HashMap::default(),
            inside: HashMap::default(),
            groups: BTreeMap::new(),
            group_ids: HashMap::default(),
            shared,
        };
        let mut taken = BTreeSet::new();
        for at in 0..writer.resources.len() {
            let Some(mut id) = writer.unit_id(at) else {
                continue;
            };
            let stem = id.name.clone();
            let mut count = 1;
            while !taken.insert(id.clone()) {
                count += 1;
                id.name = smol_str::format_smolstr!("{stem}-{count}");
            }
            writer.units.insert(at, id);
            let mut above = writer.resources[at].parent;
            for _ in 0..64 {
                let Some(parent) = above else {
                    break;
                };
                let inside = writer.inside.entry(parent).or_default();
                if inside.len() < MAX_WAITS {
                    inside.push(at);
                }
                above = writer.resources[parent].parent;
            }
        }
        writer
    }

    fn unit_id(&self, at: usize) -> Option<UnitId> {
        let made = &self.resources[at];
        let (kind, namespace, name) = match &made.class {
            ResourceClass::Chart(_) => ("Chart", self.namespace(made), self.release_name(made)),
            ResourceClass::Release => ("Release", self.namespace(made), self.release_name(made)),
            ResourceClass::Component => (
                "ComponentResource",
                self.project.name.clone(),
                made.name.clone(),
            ),
            ResourceClass::Directory(_) if self.built_directory(made).is_some() => {
                ("Directory", self.project.name.clone(), made.name.clone())
            }
            _ => return None,
        };
        let is_unknown = name.chars().all(|c| matches!(c, '…' | '-' | '.'));
        // A chart says more of a release than the end of its name.
        let is_cut = made.class.is_release() && name.starts_with('…');
        let name = if is_unknown || is_cut {
            self.stand_in(made, kind)
        } else {
            name
        };
        Some(UnitId {
            kind: kind.into(),
            namespace,
            name,
        })
    }

    fn namespace(&self, made: &Resource) -> SmolStr {
        let stated = self.evaluation.text_at(&made.arguments, &["namespace"]);
        stated.unwrap_or_default()
    }

    fn release_name(&self, made: &Resource) -> SmolStr {
        let stated = self.evaluation.text_at(&made.arguments, &["name"]);
        stated.unwrap_or_else(|| made.name.clone())
    }

    /// Substitute for a name that only a run determines: the chart name, or else the project's path. The path keeps two
    /// projects from appearing to share the object.
    fn stand_in(&self, made: &Resource, kind: &str) -> SmolStr {
        let chart = self.evaluation.text_at(&made.arguments, &["chart"]);
        let chart = chart.and_then(|chart| chart.rsplit('/').next().map(SmolStr::from));
        chart.filter(|chart| !chart.is_empty()).unwrap_or_else(|| {
            let project = self.project;
            let place = match project.root.as_str() {
                "" => project.name.to_string(),
                root => root.replace('/', "-"),
            };
            smol_str::format_smolstr!("{place}-{}", kind.to_ascii_lowercase())
        })
    }

    /// Place to show for a resource: the call site, if a function creates it for many files.
    fn place(&self, at: usize) -> Place {
        let made = &self.resources[at];
        let called = made
            .called_at
            .filter(|_| self.shared.contains(&made.place.file));
        called.unwrap_or(made.place)
    }

    /// The objects of one container.
    fn write(&mut self, container: Container) -> Vec<Node> {
        let mut nodes = Vec::new();
        for at in 0..self.resources.len() {
            let here = self.containers[at];
            let is_group = self.groups.contains_key(&at) && container != Some(at);
            match (is_group, here == container) {
                (true, _) if container.is_none() => nodes.push(self.group(at)),
                (false, true) => nodes.extend(self.object(at)),
                _ => {}
            }
        }
        nodes
    }

    fn object(&mut self, at: usize) -> Vec<Node> {
        let made = self.resources[at].clone();
        match &made.class {
            ResourceClass::Object { api_version, kind } => {
                let node = self.kubernetes(at, api_version.clone(), kind.clone());
                vec![node]
            }
            ResourceClass::CustomResource => {
                let stated = |key: &str| {
                    let value = self.evaluation.get(&made.arguments, key);
                    value.and_then(|value| self.evaluation.partial_text(value))
                };
                match (stated("apiVersion"), stated("kind")) {
                    (Some(api_version), Some(kind)) => {
                        vec![self.kubernetes(at, api_version, kind)]
                    }
                    _ => {
                        self.evaluation.report(
                            made.place,
                            format!(
                                "the type of `{}` cannot be determined; it is missing from the catalogue",
                                made.name
                            ),
                        );
                        Vec::new()
                    }
                }
            }
            ResourceClass::Chart(form) => vec![self.chart(at, Some(*form))],
            ResourceClass::Release => vec![self.chart(at, None)],
            ResourceClass::Component => vec![self.component(at)],
            ResourceClass::ConfigFile(_) => self.manifests(at, &["file"]),
            ResourceClass::ConfigGroup(_) => self.manifests(at, &["files"]),
            ResourceClass::Directory(_) => self.directory(at),
            ResourceClass::Other { kind } => vec![self.other(at, kind)],
            ResourceClass::Provider
            | ResourceClass::Existing { .. }
            | ResourceClass::StackReference => Vec::new(),
        }
    }

    fn kubernetes(&mut self, at: usize, api_version: SmolStr, kind: SmolStr) -> Node {
        let made = self.resources[at].clone();
        let place = self.place(at);
        let mut node = self
            .evaluation
            .to_yaml(&made.arguments)
            .unwrap_or_else(|| Node::map(place));
        node.place = place;
        if node.as_map().is_none() {
            node = Node::map(place);
        }
        if let Some(map) = node.as_map_mut() {
            for (key, value) in [("kind", kind), ("apiVersion", api_version)] {
                let place = map.remove(key).map_or(made.place, |node| node.place);
                map.0.insert(0, entry(key, Node::string(value, place)));
            }
            if map.get("metadata").is_none() {
                let mut metadata = Node::map(made.place);
                if let Some(inner) = metadata.as_map_mut() {
                    inner.push("name", Node::string(made.name.clone(), made.place));
                }
                map.push("metadata", metadata);
            }
        }
        secret::seal(&mut node);
        let waits = self.waits(at);
        if let Some(map) = node.as_map_mut() {
            map.push(RUN, waits);
        }
        node
    }

    /// An object of the reader's own.
    fn made_up(&self, kind: &str, id: &UnitId, place: Place) -> Node {
        let mut metadata = Map::default();
        metadata.push("name", Node::string(id.name.clone(), place));
        // Only what is installed has a namespace in the cluster.
        if matches!(kind, "Chart" | "Release") {
            metadata.push("namespace", Node::string(id.namespace.clone(), place));
        }
        let mut map = Map::default();
        map.push("apiVersion", Node::string(format!("{GROUP}/v1"), place));
        map.push("kind", Node::string(kind, place));
        map.push(
            "metadata",
            Node {
                value: Value::Map(metadata),
                place,
            },
        );
        Node {
            value: Value::Map(map),
            place,
        }
    }

    fn other(&mut self, at: usize, kind: &str) -> Node {
        let made = self.resources[at].clone();
        let id = UnitId {
            kind: kind.into(),
            namespace: SmolStr::default(),
            name: made.name,
        };
        let mut node = self.made_up(kind, &id, self.place(at));
        let waits = self.waits(at);
        if let Some(map) = node.as_map_mut() {
            map.push(RUN, waits);
        }
        node
    }

    fn component(&mut self, at: usize) -> Node {
        // A helper in another file may create components for many callers. People look for a component at the call
        // site.
        let made = &self.resources[at];
        let place = made.called_at.unwrap_or(made.place);
        let id = self.units[&at].clone();
        let objects = self.write(Some(at));
        let releases = (0..self.resources.len()).filter(|other| {
            self.containers[*other] == Some(at) && self.resources[*other].class.is_release()
        });
        let releases = releases.count();
        let is_unit = |node: &Node| {
            node.get("spec")
                .is_some_and(|spec| spec.get(DEPENDS_ON).is_some())
        };
        let has_own = objects.iter().any(|node| {
            node.text_at(&["apiVersion"]) != Some(&format!("{GROUP}/v1")) || !is_unit(node)
        });
        // With one release it is that release; with none or several, it is known by its own name.
        let is_whole = releases != 1 && has_own;
        self.unit_node("ComponentResource", &id, place, at, |spec| {
            spec.push("whole", flag(is_whole, place));
            spec.push("objects", Node::seq(objects, place));
        })
    }

    fn group(&mut self, lead: usize) -> Node {
        let place = self.place(lead);
        let id = self.group_ids[&lead].clone();
        let members = self.groups[&lead].clone();
        let objects = members.iter().flat_map(|at| self.object(*at)).collect();
        let kind = id.kind.clone();
        let (form, is_whole) = match kind.as_str() {
            FILE => (FILE, false),
            _ => ("Workload", true),
        };
        self.unit_node(form, &id, place, lead, |spec| {
            spec.push("whole", flag(is_whole, place));
            spec.push("kind", Node::string(kind, place));
            spec.push("objects", Node::seq(objects, place));
        })
    }

    fn unit_node(
        &mut self,
        kind: &str,
        id: &UnitId,
        place: Place,
        at: usize,
        fill: impl FnOnce(&mut Map),
    ) -> Node {
        let mut spec = Map::default();
        // A group by name or by file has no dependencies of its own. Its members wait individually.
        let waits = match kind {
            "Workload" | FILE => Node::seq(Vec::new(), place),
            _ => self.waits(at),
        };
        spec.push(DEPENDS_ON, waits);
        spec.push("scope", Node::string(id.namespace.clone(), place));
        let home = self.facts.repo.path(place.file).parent();
        if let Some(home) = home {
            spec.push("home", Node::string(home.as_str(), place));
        }
        fill(&mut spec);
        let mut node = self.made_up(kind, id, place);
        if let Some(map) = node.as_map_mut() {
            let spec = Node {
                value: Value::Map(spec),
                place,
            };
            map.push("spec", spec);
        }
        node
    }
}

fn entry(key: &str, value: Node) -> yaml::Entry {
    yaml::Entry {
        key: key.into(),
        key_place: value.place,
        value,
    }
}

pub fn flag(value: bool, place: Place) -> Node {
    let text = if value { "true" } else { "false" };
    Node::plain(text, place)
}

/// The component that each resource hangs below.
fn containers(made: &[Resource]) -> Vec<Container> {
    let mut containers: Vec<Container> = Vec::with_capacity(made.len());
    let mut depths: Vec<usize> = Vec::with_capacity(made.len());
    for one in made {
        // A parent was made before its children.
        let above = one.parent.filter(|parent| *parent < containers.len());
        let mut container = above.and_then(|parent| {
            if made[parent].class == ResourceClass::Component {
                Some(parent)
            } else {
                containers[parent]
            }
        });
        // Components nested too deeply are shown in the one above them.
        if container.is_some_and(|at| depths[at] >= MAX_LEVELS) {
            container = container.and_then(|at| containers[at]);
        }
        depths.push(container.map_or(0, |at| depths[at] + 1));
        containers.push(container);
    }
    containers
}

/// Whether a resource hangs below another, at any distance.
fn is_within(made: &[Resource], at: usize, other: usize) -> bool {
    let mut here = made[at].parent;
    for _ in 0..64 {
        match here {
            Some(parent) if parent == other => return true,
            Some(parent) => here = made[parent].parent.filter(|above| *above != parent),
            None => return false,
        }
    }
    false
}
