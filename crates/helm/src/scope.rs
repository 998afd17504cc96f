//! The data of templates: `.Values`, `.Chart`, `.Files` and the rest, for a chart and its subcharts.

use smol_str::{SmolStr, format_smolstr};

use crate::data::Data;
use crate::engine::Val;
use crate::engine::value::{Entries, GoList, ListKind, MapKind};
use crate::package::PackageFile;
use crate::render::ChartRelease;
use crate::values::dependencies::ChartInstance;

/// A template to run, and the values it sees.
pub struct Job {
    pub name: SmolStr,
    pub base: SmolStr,
    pub scope: usize,
}

/// The data that all templates of a release share.
pub struct Common {
    pub release: Val,
    pub capabilities: Val,
}

pub fn release_value(release: &ChartRelease) -> Val {
    Val::map(Entries::from([
        ("Name".into(), Val::Text(release.name.clone())),
        ("Namespace".into(), Val::Text(release.namespace.clone())),
        ("IsUpgrade".into(), Val::Bool(false)),
        ("IsInstall".into(), Val::Bool(true)),
        ("Revision".into(), Val::Int(1)),
        ("Service".into(), Val::text("Helm")),
    ]))
}

/// All templates of a release, and the values that those of each chart see.
#[derive(Default)]
pub struct Collected<'c> {
    pub files: Vec<CollectedFile<'c>>,
    pub scopes: Vec<Val>,
}

pub struct CollectedFile<'c> {
    pub job: Job,
    pub template: &'c crate::package::TemplateFile,
}

/// Whether a chart is the one that is released.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Top,
    Below,
}

/// Collects the templates of a chart and its subcharts; returns what its templates see.
pub fn collect<'c>(
    chart: &'c ChartInstance,
    path: &str,
    values: Val,
    place: Place,
    common: &Common,
    collected: &mut Collected<'c>,
) -> Val {
    let subcharts = Val::map(Entries::new());
    let scope = Val::map(Entries::from([
        ("Chart".into(), chart_value(chart, place)),
        ("Files".into(), files_value(&chart.package.files)),
        ("Release".into(), common.release.clone()),
        ("Capabilities".into(), common.capabilities.clone()),
        ("Values".into(), values.clone()),
        ("Subcharts".into(), subcharts.clone()),
    ]));
    let own = collected.scopes.len();
    collected.scopes.push(scope.clone());
    for sub in &chart.subcharts {
        let given = values
            .get(&sub.name)
            .filter(|given| given.as_map().is_some());
        let given = given.unwrap_or_else(|| Val::map(Entries::new()));
        let path = format!("{path}/charts/{}", sub.name);
        let inner = collect(sub, &path, given, Place::Below, common, collected);
        if let Val::Map(map) = &subcharts {
            map.entries.borrow_mut().insert(sub.name.clone(), inner);
        }
    }
    for template in &chart.package.templates {
        let last = template.path.rsplit('/').next().unwrap_or_default();
        if chart.package.is_library() && !last.starts_with('_') {
            continue;
        }
        collected.files.push(CollectedFile {
            job: Job {
                name: format_smolstr!("{path}/{}", template.path),
                base: format_smolstr!("{path}/templates"),
                scope: own,
            },
            template,
        });
    }
    scope
}

fn files_value(files: &[PackageFile]) -> Val {
    let entries = files
        .iter()
        .map(|file| (file.path.clone(), Val::Bytes(file.data.clone())));
    Val::of_kind(entries.collect(), MapKind::Files)
}

/// `.Chart`: the fields of Helm's struct.
fn chart_value(chart: &ChartInstance, place: Place) -> Val {
    let all = &chart.package.metadata.all;
    let text = |key: &str| Val::text(all.get(key).and_then(Data::as_str).unwrap_or_default());
    let value = |key: &str| {
        all.get(key)
            .map_or_else(|| Val::list(Vec::new()), Val::from_data)
    };
    let annotations = match all.get("annotations") {
        Some(Data::Map(map)) => map
            .iter()
            .map(|(key, value)| (key.clone(), Val::from_data(value)))
            .collect(),
        _ => Entries::new(),
    };
    let maintainers = match value("maintainers") {
        Val::List(list) => list
            .items
            .iter()
            .map(|one| renamed(one, "chart.Maintainer"))
            .collect(),
        _ => Vec::new(),
    };
    let dependencies = match value("dependencies") {
        Val::List(list) => list
            .items
            .iter()
            .map(|one| renamed(one, "chart.Dependency"))
            .collect(),
        _ => Vec::new(),
    };
    let entries = Entries::from([
        ("Name".into(), Val::Text(chart.name.clone())),
        ("Version".into(), text("version")),
        ("AppVersion".into(), text("appVersion")),
        ("APIVersion".into(), text("apiVersion")),
        ("Description".into(), text("description")),
        ("Home".into(), text("home")),
        ("Icon".into(), text("icon")),
        ("KubeVersion".into(), text("kubeVersion")),
        ("Type".into(), text("type")),
        ("Condition".into(), text("condition")),
        ("Tags".into(), text("tags")),
        ("Sources".into(), value("sources")),
        ("Keywords".into(), value("keywords")),
        ("Maintainers".into(), Val::list(maintainers)),
        ("Dependencies".into(), Val::list(dependencies)),
        (
            "Annotations".into(),
            Val::of_kind(annotations, MapKind::Texts),
        ),
        (
            "Deprecated".into(),
            Val::Bool(all.get("deprecated") == Some(&Data::Bool(true))),
        ),
        ("IsRoot".into(), Val::Bool(place == Place::Top)),
    ]);
    Val::of_kind(
        entries,
        MapKind::Struct("struct { chart.Metadata; IsRoot bool }"),
    )
}

/// A map as a struct: the names of its fields begin with a capital.
fn renamed(value: &Val, name: &'static str) -> Val {
    let mut entries = Entries::new();
    let fields: &[&str] = match name {
        "chart.Maintainer" => &["name", "email", "url"],
        _ => &["name", "version", "repository", "condition", "alias"],
    };
    for field in fields {
        let mut title: String = field[..1].to_uppercase();
        title.push_str(&field[1..]);
        let title = if *field == "url" {
            "URL"
        } else {
            title.as_str()
        };
        let inner = value.get(field).unwrap_or_else(|| Val::text(""));
        entries.insert(title.into(), inner);
    }
    Val::of_kind(entries, MapKind::Struct(name))
}

/// A list of API versions, which has the method `Has`.
pub fn versions(items: Vec<SmolStr>) -> Val {
    Val::List(std::rc::Rc::new(GoList {
        items: items.into_iter().map(Val::Text).collect(),
        kind: ListKind::Versions,
    }))
}
