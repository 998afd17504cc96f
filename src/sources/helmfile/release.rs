//! Releases of a helmfile as units, for repositories in which nothing reconciles: each is an object of this reader's own
//! making, with the entry of the file as its specification.

use std::sync::Arc;

use smol_str::SmolStr;

use super::{named_chart, root_documents};
use crate::facts::values;
use crate::facts::{
    AppliedBy, ChartFile, Dependency, Gate, Located, Naming, Relation, Release, Resource,
    SourceRef, Statement, Unit, UnitChart, UnitId,
};
use crate::input::repo::RepoPath;
use crate::sources::ReadContext;
use base::{FileId, Place};
use yaml::{Map, Node, Value};

pub const GROUP: &str = "helmfile";
const KIND: &str = "Release";
/// Key of the address of a chart's repository.
const REPOSITORY: &str = "chartRepository";
/// Key that says that whoever installs the release waits until it is ready.
const WAITS: &str = "waits";
/// Limit on the releases of one file.
const MAX_RELEASES: usize = 1_000;

/// The releases of a file that are installed, as objects.
pub fn releases(file: FileId, context: &ReadContext<'_>) -> Vec<Resource> {
    let documents = root_documents(context.documents(file));
    let each = documents.flat_map(|root| {
        let defaults = root.get("helmDefaults");
        let releases = root.items_at("releases").iter();
        releases.filter_map(move |release| {
            let is_on = |key: &str| {
                let own = release.get(key).or_else(|| defaults?.get(key));
                own.and_then(Node::as_bool) == Some(true)
            };
            object(release, root, is_on("wait") || is_on("atomic"))
        })
    });
    each.take(MAX_RELEASES).collect()
}

fn object(release: &Node, root: &Node, waits: bool) -> Option<Resource> {
    let is_off = release.get("installed").and_then(Node::as_bool) == Some(false);
    let name = release.get("name").filter(|name| is_known(name))?;
    if is_off {
        return None;
    }
    let place = release.place;
    let mut metadata = Map::default();
    metadata.push("name", name.clone());
    if let Some(namespace) = release.get("namespace").filter(|it| is_known(it)) {
        metadata.push("namespace", namespace.clone());
    }
    let mut spec = release.clone();
    if let Some(map) = spec.as_map_mut() {
        if let Some(repository) = named_chart(release, root).and_then(|chart| chart.repository) {
            map.set(REPOSITORY, Node::string(repository, place));
        }
        map.set(
            WAITS,
            Node::plain(if waits { "true" } else { "false" }, place),
        );
    }
    let mut object = Map::default();
    object.push("apiVersion", Node::string(format!("{GROUP}/v1"), place));
    object.push("kind", Node::string(KIND, place));
    object.push(
        "metadata",
        Node {
            value: Value::Map(metadata),
            place,
        },
    );
    object.push("spec", spec);
    Resource::new(Node {
        value: Value::Map(object),
        place,
    })
}

/// Whether a value is a text that no template decides.
fn is_known(node: &Node) -> bool {
    let text = node.text();
    text.is_some_and(|text| !text.is_empty() && !text.contains("{{"))
}

fn spec(resource: &Resource) -> Option<&Node> {
    let is_own = resource.id.is(GROUP, KIND);
    is_own.then(|| resource.node.get("spec"))?
}

pub fn unit(resource: &Resource) -> Option<Unit> {
    let spec = spec(resource)?;
    let id = &resource.id;
    let mut unit = Unit::new(identity(&id.namespace, &id.name), resource.place);
    unit.apply.applied_by = AppliedBy::Command;
    unit.apply.own_group = Some(GROUP);
    unit.appearance.naming = Naming::Own;
    let needs = spec.items_at("needs").iter();
    unit.depends_on = needs
        .filter_map(|need| {
            let text = need.text().filter(|text| !text.contains("{{"))?;
            let mut parts = text.rsplit('/');
            let name = parts.next()?;
            let namespace = parts.next().unwrap_or(&id.namespace);
            Some(Dependency {
                on: identity(namespace, name),
                relation: Relation::HelmfileNeeds,
                place: need.place,
            })
        })
        .collect();
    if spec.get(WAITS).and_then(Node::as_bool) == Some(true) {
        unit.gate = Gate::Wait;
    }
    let has_files = |key: &str| !spec.items_at(key).is_empty();
    unit.release = Some(Box::new(Release {
        name: id.name.clone(),
        target_namespace: id.namespace.clone(),
        chart: chart(spec),
        creates_namespace: spec.get("createNamespace").and_then(Node::as_bool) != Some(false),
        has_more_values: has_files("secrets") || has_files("set"),
        ..Release::default()
    }));
    Some(unit)
}

fn identity(namespace: &str, name: &str) -> UnitId {
    UnitId {
        kind: KIND.into(),
        namespace: namespace.into(),
        name: name.into(),
    }
}

/// The chart that a release names; the path of one beside the helmfile is resolved once files are known.
fn chart(spec: &Node) -> Option<UnitChart> {
    let node = spec.get("chart").filter(|it| is_known(it))?;
    let text = node.text()?;
    let is_directory = text.starts_with(['.', '/']);
    let repository = spec.text_at(&[REPOSITORY]).map(SmolStr::from);
    let name = if is_directory {
        text
    } else {
        base::text::last_part(text)
    };
    let located = |value: &str, place: Place| Located {
        value: SmolStr::from(value),
        place,
    };
    let version = spec.get("version").filter(|it| is_known(it));
    Some(UnitChart {
        name: Some(located(name, node.place)),
        version: version.and_then(|it| Some(located(it.text()?, it.place))),
        source: SourceRef::default(),
        repository,
        parts: Vec::new(),
        main_part: None,
        file: is_directory.then(ChartFile::default),
        place: node.place,
    })
}

/// Adds what the files that a release names say: its values, and its chart if that is here.
pub fn resolve_files(resource: &Resource, context: &ReadContext<'_>, statement: &mut Statement) {
    let Some(spec) = spec(resource) else {
        return;
    };
    let repo = context.facts.repo;
    let home = repo.path(resource.place.file).parent();
    let home = home.unwrap_or_else(RepoPath::root);
    let mut documents: Vec<Arc<Node>> = Vec::new();
    let mut is_partial = false;
    for entry in spec.items_at("values") {
        if entry.as_map().is_some() {
            documents.push(Arc::new(entry.clone()));
            continue;
        }
        let path = entry.text().filter(|path| !path.contains(['{', '*']));
        let path = path.filter(|path| matches!(path.rsplit_once('.'), Some((_, "yaml" | "yml"))));
        let file = path.and_then(|path| repo.file(&home.join(path)?));
        match file {
            Some(file) => documents.extend(context.documents(file).iter().cloned()),
            None => is_partial = true,
        }
    }
    let Some(unit) = statement.unit.as_mut().map(Arc::make_mut) else {
        return;
    };
    if let Some(release) = unit.release.as_mut() {
        release.has_more_values |= is_partial;
        release.values.clone_from(&documents);
        if let Some(chart) = release.chart.as_mut().filter(|chart| chart.file.is_some())
            && let Some(name) = chart.name.as_mut()
            && let Some(directory) = home.join(&name.value)
        {
            name.value = directory.as_str().into();
            let found = chart_file(&directory, context);
            chart.version = found.version.clone().map(|value| Located {
                value,
                place: chart.place,
            });
            chart.file = Some(found);
        }
    }
    values::describe_over(documents.iter().map(|document| &**document), statement);
}

fn chart_file(directory: &RepoPath, context: &ReadContext<'_>) -> ChartFile {
    let file = context.facts.repo.file_in(directory, "Chart.yaml");
    let documents = file.map(|file| context.documents(file)).unwrap_or_default();
    let text = |key: &str| documents.first()?.text_at(&[key]).map(SmolStr::from);
    ChartFile {
        name: text("name"),
        version: text("version"),
    }
}

/// Leaves of an object of this reader only what its values say: nothing else in it refers to anything.
pub fn describe(resource: &Resource, statement: &mut Statement) {
    if spec(resource).is_some() {
        statement.references.clear();
        statement.settings.clear();
    }
}
