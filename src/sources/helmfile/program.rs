//! Releases of a helmfile as units, for each of its environments. Files with template actions are read as far as these
//! only fill in texts: what stands between actions that branch or repeat may not be there.

use std::sync::Arc;

use smol_str::SmolStr;

use super::{GROUP, RELEASE, ROOT, extent, repository_of};
use crate::facts::{BootstrapExtent, FileFacts, Resource};
use crate::input::repo::RepoPath;
use crate::sources::{self, Program, ReadContext, Run};
use base::hash::HashSet;
use base::text::last_part;
use base::{FileId, Place};
use yaml::{Map, Node, Value};

/// More releases of one file, and more environments, are left out.
const MAX_RELEASES: usize = 1_000;
const MAX_ENVIRONMENTS: usize = 32;
/// Stands for the braces of an action in a text: YAML would take these for a map.
const OPEN: &str = "<<";

pub fn programs(context: &ReadContext<'_>) -> Vec<Program> {
    let repo = context.facts.repo;
    let templates = repo.files().filter_map(|file| {
        let path = repo.path(file);
        let name = path.file_name();
        let is_it = name.starts_with("helmfile") && name.ends_with(".yaml.gotmpl");
        let text = is_it.then(|| repo.read_text(file).ok())??;
        Some((file, templated(&text, file)))
    });
    let mut found: Vec<(FileId, Vec<Arc<Node>>)> = templates.collect();
    for (file, facts) in context.facts.all() {
        if !facts.bootstrapped.is_empty() {
            found.push((file, facts.other_documents.clone()));
        }
    }
    found.retain(|(file, _)| !is_aside(repo.path(*file)));
    if found.is_empty() {
        return Vec::new();
    }
    let reconciled = reconciled(context);
    let programs = found.iter().filter_map(|(file, documents)| {
        let helmfile = Helmfile {
            context,
            file: *file,
            documents,
        };
        helmfile.program(&reconciled)
    });
    programs.collect()
}

/// Whether a file is for tests or no longer in use.
fn is_aside(path: &RepoPath) -> bool {
    let mut parts = path.as_str().split('/');
    parts.any(|part| {
        matches!(
            part,
            "test" | "tests" | "e2e" | "testdata" | "example" | "examples" | "archive" | ".github"
        )
    })
}

/// The names of releases and charts that a reconciler installs. A helmfile only installs these first.
fn reconciled(context: &ReadContext<'_>) -> HashSet<SmolStr> {
    let mut names = HashSet::default();
    let resources = context
        .facts
        .all()
        .flat_map(|(_, facts): (_, &FileFacts)| &facts.resources);
    for unit in resources.filter_map(sources::unit) {
        for (release, _) in unit.releases() {
            names.insert(release.name.clone());
            let chart = release.chart.iter();
            for chart in chart {
                names.extend(
                    chart
                        .name
                        .as_ref()
                        .map(|name| last_part(&name.value).into()),
                );
                names.insert(chart.source.name.clone());
            }
        }
        names.insert(unit.id.name);
    }
    names
}

struct Helmfile<'c> {
    context: &'c ReadContext<'c>,
    file: FileId,
    documents: &'c [Arc<Node>],
}

impl Helmfile<'_> {
    fn program(&self, reconciled: &HashSet<SmolStr>) -> Option<Program> {
        let is_for_crds = |root: &Arc<Node>| extent(root) == BootstrapExtent::Definitions;
        if self.documents.iter().any(is_for_crds) {
            return None;
        }
        let path = self.context.facts.repo.path(self.file);
        let root = path.parent().unwrap_or_else(RepoPath::root);
        let name = match root.file_name() {
            "" => SmolStr::from("helmfile"),
            name => name.into(),
        };
        let runs = self.environments().into_iter().filter_map(|environment| {
            let releases = self.releases(environment.as_deref(), reconciled);
            let unit = (!releases.is_empty()).then(|| self.whole(&name, releases))?;
            Some(Run {
                environment,
                installs: true,
                unit: Resource::new(unit)?,
            })
        });
        let runs: Vec<Run> = runs.collect();
        (!runs.is_empty()).then(|| Program {
            name,
            root,
            runs,
            findings: Vec::new(),
            files: [self.file].into(),
            starts: Default::default(),
        })
    }

    /// The environments that the file names; one without a name if there is only the default one.
    fn environments(&self) -> Vec<Option<SmolStr>> {
        let all = self
            .documents
            .iter()
            .flat_map(|root| root.entries_at("environments"));
        let named = all.filter(|entry| entry.key != "default");
        let named = named.map(|entry| Some(entry.key.clone()));
        let named: Vec<_> = named.take(MAX_ENVIRONMENTS).collect();
        if named.is_empty() { vec![None] } else { named }
    }

    fn releases(&self, environment: Option<&str>, reconciled: &HashSet<SmolStr>) -> Vec<Node> {
        let all = self
            .documents
            .iter()
            .flat_map(|root| root.items_at("releases"));
        let made = all.filter_map(|node| self.release(node, environment));
        made.filter(|(name, _)| !reconciled.contains(name))
            .map(|(_, node)| node)
            .take(MAX_RELEASES)
            .collect()
    }

    /// The object of a release; none if it is not certain that it is installed.
    fn release(&self, node: &Node, environment: Option<&str>) -> Option<(SmolStr, Node)> {
        let stated = |key: &str| {
            let value = node.get(key)?;
            value.text().is_some_and(is_plain).then_some(value)
        };
        let name = SmolStr::from(stated("name")?.text()?);
        let is_installed = match node.get("installed") {
            Some(installed) => installed.as_bool() == Some(true),
            None => true,
        };
        let is_wanted = node.get("condition").is_none_or(|condition| {
            let path = condition.text().unwrap_or_default();
            self.condition(path, environment) == Some(true)
        });
        if !is_installed || !is_wanted {
            return None;
        }
        let place = node.place;
        let mut spec = Map::default();
        spec.push("name", Node::string(name.clone(), place));
        if let Some(namespace) = stated("namespace") {
            spec.push("namespace", namespace.clone());
        }
        self.chart(stated("chart")?, stated("version"), &mut spec);
        let defaults = |key: &str| {
            let mut all = self.documents.iter();
            all.find_map(|root| root.at(&["helmDefaults", key])?.as_bool())
        };
        let is_set = |key: &str| {
            let own = node.get(key).and_then(Node::as_bool);
            own.or_else(|| defaults(key))
        };
        let mut mark = |key: &str, holds: bool| {
            if holds {
                spec.push(key, Node::plain("true", place));
            }
        };
        mark(
            "waits",
            is_set("wait") == Some(true) || is_set("atomic") == Some(true),
        );
        // As helmfile does it, unless it is told otherwise.
        mark("creates", is_set("createNamespace") != Some(false));
        let (values, has_more) = self.values(node);
        mark("moreValues", has_more);
        spec.push("values", Node::seq(values, place));
        let needs = node.items_at("needs").iter();
        let needs = needs
            .filter(|need| need.text().is_some_and(is_plain))
            .cloned();
        spec.push("needs", Node::seq(needs.collect(), place));
        let object = object(RELEASE, &name, spec, place);
        Some((name, object))
    }

    /// Whether a value of an environment is on, if its files say so.
    fn condition(&self, path: &str, environment: Option<&str>) -> Option<bool> {
        let path: Vec<&str> = path.split('.').collect();
        let environment = environment.unwrap_or("default");
        let mut found = None;
        for root in self.documents {
            let values = root.at(&["environments", environment]);
            let values = values.map(|it| it.items_at("values")).unwrap_or_default();
            for values in root.items_at("values").iter().chain(values) {
                let (documents, _) = self.documents_of(values);
                let mut stated = documents.iter().filter_map(|it| it.at(&path)?.as_bool());
                found = stated.next_back().or(found);
            }
        }
        found
    }

    fn chart(&self, chart: &Node, version: Option<&Node>, spec: &mut Map) {
        let text = chart.text().unwrap_or_default();
        if let Some(file) = self
            .beside(text)
            .and_then(|directory| self.context.facts.repo.file_in(&directory, "Chart.yaml"))
        {
            let metadata = self.context.documents(file).iter();
            for (key, to) in [("name", "chart"), ("version", "version")] {
                if let Some(node) = metadata.clone().find_map(|document| document.get(key)) {
                    spec.push(to, node.clone());
                }
            }
            return;
        }
        let mut roots = self.documents.iter();
        let repository = roots.find_map(|root| repository_of(text, root));
        spec.push("chart", Node::string(last_part(text), chart.place));
        if let Some(repository) = repository {
            let shown = secret::shown("", &repository).unwrap_or(repository);
            spec.push("repository", Node::string(shown, chart.place));
        }
        if let Some(version) = version {
            spec.push("version", version.clone());
        }
    }

    /// A path from the directory of the file.
    fn beside(&self, path: &str) -> Option<RepoPath> {
        let here = self.context.facts.repo.path(self.file).parent();
        let path = path.trim_start_matches("./");
        here.unwrap_or_else(RepoPath::root).join(path)
    }

    /// The values of a release, later ones over earlier ones, and whether there are more.
    fn values(&self, node: &Node) -> (Vec<Node>, bool) {
        let mut all = Vec::new();
        let keys = [
            "secrets",
            "inherit",
            "valuesTemplate",
            "strategicMergePatches",
            "jsonPatches",
        ];
        let mut has_more = keys.iter().any(|key| node.get(key).is_some());
        for values in node.items_at("values") {
            let (documents, is_partial) = self.documents_of(values);
            has_more |= is_partial || documents.iter().any(|it| !is_whole(it));
            all.extend(documents);
        }
        let mut single = Map::default();
        for set in node.items_at("set") {
            match (set.text_at(&["name"]), set.get("value")) {
                (Some(name), Some(value)) if is_whole(value) => put(&mut single, name, value),
                _ => has_more = true,
            }
        }
        if !single.is_empty() {
            let value = Value::Map(single);
            let place = node.place;
            all.push(Node { value, place });
        }
        (all, has_more)
    }

    /// What an item of a list of values says: a map, or a file. Whether it says more than can be read.
    fn documents_of(&self, values: &Node) -> (Vec<Node>, bool) {
        if values.as_map().is_some() {
            return (vec![values.clone()], false);
        }
        let path = values
            .text()
            .filter(|path| path.ends_with(".yaml") || path.ends_with(".yml"));
        let file = path.and_then(|path| {
            let path = self.beside(path)?;
            self.context.facts.repo.file(&path)
        });
        let Some(file) = file else {
            return (Vec::new(), true);
        };
        let documents = self.context.documents(file).iter();
        let maps = documents.filter(|it| it.as_map().is_some());
        (maps.map(|it| (**it).clone()).collect(), false)
    }

    /// The object of the whole file.
    fn whole(&self, name: &str, releases: Vec<Node>) -> Node {
        let place = Place::start_of(self.file);
        let mut spec = Map::default();
        spec.push("objects", Node::seq(releases, place));
        object(ROOT, name, spec, place)
    }
}

fn object(kind: &str, name: &str, spec: Map, place: Place) -> Node {
    let map = |map: Map| Node {
        value: Value::Map(map),
        place,
    };
    let mut metadata = Map::default();
    metadata.push("name", Node::string(name, place));
    let mut root = Map::default();
    root.push("apiVersion", Node::string(format!("{GROUP}/v1"), place));
    root.push("kind", Node::string(kind, place));
    root.push("metadata", map(metadata));
    root.push("spec", map(spec));
    map(root)
}

/// Sets a value at a path such as `a.b`. Lists and escaped dots are left to Helm: such a path is one key.
fn put(map: &mut Map, path: &str, value: &Node) {
    match path.split_once('.') {
        Some((key, rest)) if !path.contains(['\\', '[']) => {
            let inner = map.get_or_insert(key, || Node::map(value.place));
            if inner.as_map().is_none() {
                *inner = Node::map(value.place);
            }
            if let Some(inner) = inner.as_map_mut() {
                put(inner, rest, value);
            }
        }
        _ => map.set(path, value.clone()),
    }
}

/// Whether a text has no action in it.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && !text.contains("{{") && !text.contains(OPEN)
}

/// Whether no text of a tree has an action in it.
fn is_whole(node: &Node) -> bool {
    match &node.value {
        Value::Scalar(scalar) => scalar.text.is_empty() || is_plain(&scalar.text),
        Value::Seq(items) => items.iter().all(is_whole),
        Value::Map(map) => map.0.iter().all(|entry| is_whole(&entry.value)),
    }
}

/// The documents of a file with actions. Lines that only branch or repeat, and those between them, are taken out; the
/// others keep their positions.
fn templated(text: &str, file: FileId) -> Vec<Arc<Node>> {
    let mut plain = String::with_capacity(text.len());
    let mut depth = 0usize;
    for line in text.split_inclusive('\n') {
        let opens = ["if", "range", "with", "define", "block"];
        let words = line.split("{{").skip(1).map(|rest| {
            let rest = rest.trim_start_matches('-').trim_start();
            rest.split(|c: char| !c.is_ascii_alphanumeric())
                .next()
                .unwrap_or_default()
        });
        let before = depth;
        for word in words {
            if opens.contains(&word) {
                depth += 1;
            } else if word == "end" {
                depth = depth.saturating_sub(1);
            }
        }
        let is_action = line.trim_start().starts_with("{{");
        if before > 0 || depth > 0 || is_action {
            plain.push('\n');
        } else {
            plain.push_str(&line.replace("{{", OPEN).replace("}}", ">>"));
        }
    }
    let documents = yaml::parse(&plain, file).documents.into_iter();
    let sealed = documents.map(|mut document| {
        secret::seal(&mut document.root);
        Arc::new(document.root)
    });
    sealed.collect()
}
