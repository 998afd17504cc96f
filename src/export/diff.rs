//! Compares two versions of a repo, fact by fact: a line that only moved is no change. Takes what was read of both, and
//! returns a difference that is printed as text, Markdown or JSON.

mod component;
mod image;
mod line;
mod markdown;
mod object;
mod setting;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::catalog::{Catalog, Component, Edge, Status};
use crate::checks::triage::{Baseline, Selection, without_lines};
use crate::facts::Relation;
use crate::input::repo::Repo;
use crate::knowledge::Knowledge;
use base::{FileId, Finding, Place, Severity};
pub use component::{Changed, Field, FieldChange, FieldValue};
pub use image::ImageChange;
pub use markdown::markdown;
pub use object::ObjectChange;
pub use setting::SettingChange;
pub use text::text;

/// Version of the format of [`Difference`].
pub const SCHEMA: u32 = 1;

/// One of the two versions that are compared.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// As given on the command line, such as a branch.
    pub name: &'a str,
    /// None for the working tree.
    pub commit: Option<&'a str>,
    pub repo: &'a Repo,
    pub catalog: &'a Catalog,
    pub knowledge: &'a Knowledge,
    /// Findings that count, sorted by place.
    pub findings: &'a [Finding],
}

/// What changed between two versions of a repository.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Difference {
    /// The version of this format. It changes only when readers have to.
    pub schema: u32,
    pub base: Version,
    pub head: Version,
    /// Clusters, by name.
    pub clusters: NameChanges,
    pub components: Components,
    /// Dependencies between components. Includes those of components that were added or removed.
    pub edges: Edges,
    /// Decisions and specs, sorted by kind and id.
    pub documents: Vec<DocumentChange>,
    pub findings: Findings,
}

/// A version of the repository.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Version {
    /// As given on the command line, such as a branch.
    pub name: String,
    /// The full commit id; null for the working tree.
    pub commit: Option<String>,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct NameChanges {
    pub added: Vec<String>,
    pub removed: Vec<String>,
}

/// Each list is sorted by id.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Components {
    pub added: Vec<Brief>,
    pub removed: Vec<Brief>,
    /// The same unit under another id.
    pub renamed: Vec<Renamed>,
    /// Components that exist in both versions, renamed or not, and differ.
    pub changed: Vec<Changed>,
}

/// A component that exists in only one of the two versions.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Brief {
    pub id: String,
    pub title: String,
    /// The kind that creates it: HelmRelease, Kustomization, Deployment …
    pub kind: String,
    pub namespace: String,
    pub layer: Option<String>,
    /// `enabled`, `suspended` or `disabled`.
    #[serde(serialize_with = "status_name")]
    #[schemars(with = "String")]
    pub status: Status,
    /// The directory of its manifests.
    pub source: Option<String>,
    pub chart: Option<String>,
    /// Version of the chart.
    pub version: Option<String>,
    /// The clusters it runs in.
    pub environments: Vec<String>,
    pub images: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Renamed {
    pub from: String,
    pub to: String,
}

/// Each list is sorted by the two components, then by reason.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Edges {
    pub gained: Vec<EdgeChange>,
    pub lost: Vec<EdgeChange>,
}

/// A dependency, with the line that declares it in the version that has it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EdgeChange {
    /// The component that depends on the other.
    pub from: String,
    pub to: String,
    pub reason: String,
    pub file: Option<String>,
    pub line: Option<u32>,
}

/// Whether something was added, removed or changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    Added,
    Removed,
    Changed,
}

/// A decision or a spec.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct DocumentChange {
    /// `decision` or `spec`.
    pub kind: &'static str,
    pub id: String,
    pub title: String,
    pub change: Change,
    /// Its previous status, if it has one.
    pub before: Option<String>,
    pub after: Option<String>,
}

/// Each list is sorted by severity, then by place.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Findings {
    pub new: Vec<FindingChange>,
    pub fixed: Vec<FindingChange>,
}

/// A finding, at its place in the version that has it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FindingChange {
    pub rule: String,
    /// `error`, `warning` or `info`.
    pub severity: SeverityName,
    pub message: String,
    /// Null if it concerns no single file.
    pub file: Option<String>,
    pub line: Option<u32>,
    pub component: Option<String>,
    pub help: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SeverityName {
    Error,
    Warning,
    Info,
}

/// Compares two versions.
pub fn diff(base: Side<'_>, head: Side<'_>) -> Difference {
    let renamed = renamed(base.catalog, head.catalog);
    let new_ids: BTreeMap<&str, &str> = renamed
        .iter()
        .map(|renamed| (renamed.from.as_str(), renamed.to.as_str()))
        .collect();
    let components = components(base, head, &new_ids);
    Difference {
        schema: SCHEMA,
        base: version(base),
        head: version(head),
        clusters: clusters(base.catalog, head.catalog),
        edges: edges(base, head, &new_ids),
        documents: documents(base.knowledge, head.knowledge),
        findings: findings(base, head),
        components: Components {
            renamed,
            ..components
        },
    }
}

impl Difference {
    /// Whether the versions have the same facts and findings.
    pub fn is_empty(&self) -> bool {
        let components = &self.components;
        self.clusters.added.is_empty()
            && self.clusters.removed.is_empty()
            && components.added.is_empty()
            && components.removed.is_empty()
            && components.renamed.is_empty()
            && components.changed.is_empty()
            && self.edges.gained.is_empty()
            && self.edges.lost.is_empty()
            && self.documents.is_empty()
            && self.findings.new.is_empty()
            && self.findings.fixed.is_empty()
    }

    /// Whether any new finding is at least this severe.
    pub fn has_new(&self, least: Severity) -> bool {
        let least = SeverityName::from(least);
        self.findings.new.iter().any(|new| new.severity <= least)
    }

    pub fn to_json(&self) -> String {
        let text = serde_json::to_string_pretty(self).expect("names and numbers are JSON");
        text + "\n"
    }
}

/// The JSON Schema of [`Difference`], which docs/diff.schema.json holds.
pub fn schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(Difference).to_value();
    // Sorted, whatever order maps have in this build.
    schema.sort_all_objects();
    schema
}

impl From<Severity> for SeverityName {
    fn from(severity: Severity) -> SeverityName {
        match severity {
            Severity::Error => SeverityName::Error,
            Severity::Warning => SeverityName::Warning,
            Severity::Info => SeverityName::Info,
        }
    }
}

impl SeverityName {
    pub fn name(self) -> &'static str {
        match self {
            SeverityName::Error => "error",
            SeverityName::Warning => "warning",
            SeverityName::Info => "info",
        }
    }
}

impl Version {
    /// The name with the abbreviated commit id, or only the id if that was given.
    pub fn shown(&self) -> String {
        const SHORT: usize = 12;
        let short = |id: &str| id.get(..SHORT).unwrap_or(id).to_owned();
        match self.commit.as_deref() {
            None => self.name.clone(),
            Some(id) if id.starts_with(&self.name) => short(id),
            Some(id) => format!("{} ({})", self.name, short(id)),
        }
    }
}

fn version(side: Side<'_>) -> Version {
    Version {
        name: side.name.to_owned(),
        commit: side.commit.map(str::to_owned),
    }
}

fn clusters(base: &Catalog, head: &Catalog) -> NameChanges {
    let names = |catalog: &Catalog| -> BTreeSet<String> {
        let clusters = catalog.clusters.iter();
        clusters.map(|cluster| cluster.name.clone()).collect()
    };
    let (before, after) = (names(base), names(head));
    NameChanges {
        added: after.difference(&before).cloned().collect(),
        removed: before.difference(&after).cloned().collect(),
    }
}

/// Components that are the same unit under another id, which the other version does not have: the cluster keeps such a
/// unit. A component that is merely similar is removed and added in the cluster, and here.
fn renamed(base: &Catalog, head: &Catalog) -> Vec<Renamed> {
    let by_unit = |catalog: &Catalog, other: &Catalog| {
        let known: BTreeSet<String> = other.components.iter().map(|one| id(one)).collect();
        let mut units: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for component in &catalog.components {
            if let Some(unit) = &component.unit {
                let names = units.entry(unit.to_string()).or_default();
                names.push(id(component));
            }
        }
        let alone = units.into_iter().filter_map(|(unit, names)| match &*names {
            [name] if !known.contains(name) => Some((unit, name.clone())),
            _ => None,
        });
        alone.collect::<BTreeMap<String, String>>()
    };
    let (before, mut after) = (by_unit(base, head), by_unit(head, base));
    let pairs = before.into_iter().filter_map(|(unit, from)| {
        let to = after.remove(&unit)?;
        Some(Renamed { from, to })
    });
    let mut renamed: Vec<Renamed> = pairs.collect();
    renamed.sort_by(|a, b| a.to.cmp(&b.to));
    renamed
}

fn id(component: &Component) -> String {
    component.id.0.to_string()
}

fn components(base: Side<'_>, head: Side<'_>, new_ids: &BTreeMap<&str, &str>) -> Components {
    let current = |component: &Component| {
        let id = component.id.0.as_str();
        new_ids.get(id).copied().unwrap_or(id).to_owned()
    };
    let before: BTreeMap<String, &Component> = {
        let components = base.catalog.components.iter();
        components.map(|one| (current(one), &**one)).collect()
    };
    let after: BTreeMap<String, &Component> = {
        let components = head.catalog.components.iter();
        components.map(|one| (id(one), &**one)).collect()
    };
    let gates = [
        component::gates(base.catalog),
        component::gates(head.catalog),
    ];
    let only = |these: &BTreeMap<String, &Component>, others: &BTreeMap<String, &Component>| {
        let only = these.iter().filter(|(id, _)| !others.contains_key(*id));
        only.map(|(_, component)| brief(component)).collect()
    };
    let changed = after.iter().filter_map(|(id, now)| {
        let then = before.get(id)?;
        component::changed(then, now, &gates)
    });
    Components {
        added: only(&after, &before),
        removed: only(&before, &after),
        renamed: Vec::new(),
        changed: changed.collect(),
    }
}

fn status_name<S: Serializer>(status: &Status, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(status.name())
}

fn brief(component: &Component) -> Brief {
    let chart = component.chart.as_ref();
    let environments = component.environments.iter();
    Brief {
        id: id(component),
        title: component.title.clone(),
        kind: component.kind.to_string(),
        namespace: component.namespace.to_string(),
        layer: component.layer.clone(),
        status: component.status,
        source: component.source.as_ref().map(|path| path.to_string()),
        chart: chart.map(|chart| chart.name.to_string()),
        version: chart.and_then(|chart| Some(chart.version.as_ref()?.to_string())),
        environments: environments.map(|one| one.name.clone()).collect(),
        images: component.images.iter().map(|one| one.to_string()).collect(),
    }
}

type EdgeKey = (String, String, Relation);

fn edges(base: Side<'_>, head: Side<'_>, new_ids: &BTreeMap<&str, &str>) -> Edges {
    let none = BTreeMap::new();
    let (before, after) = (keyed(base.catalog, new_ids), keyed(head.catalog, &none));
    let only =
        |these: &BTreeMap<EdgeKey, &Edge>, others: &BTreeMap<EdgeKey, &Edge>, repo: &Repo| {
            let only = these.iter().filter(|(key, _)| !others.contains_key(*key));
            let changes = only.map(|((from, to, relation), edge)| {
                let (file, line) = place(repo, edge.place);
                EdgeChange {
                    from: from.clone(),
                    to: to.clone(),
                    reason: relation.reason().to_owned(),
                    file,
                    line,
                }
            });
            changes.collect()
        };
    Edges {
        gained: only(&after, &before, head.repo),
        lost: only(&before, &after, base.repo),
    }
}

/// Edges by components and reason: several lines may declare one dependency.
fn keyed<'a>(catalog: &'a Catalog, new_ids: &BTreeMap<&str, &str>) -> BTreeMap<EdgeKey, &'a Edge> {
    let name = |at: usize| {
        let id = catalog.components[at].id.0.as_str();
        new_ids.get(id).copied().unwrap_or(id).to_owned()
    };
    let mut edges = BTreeMap::new();
    for edge in catalog.edges.iter() {
        let key = (name(edge.from), name(edge.to), edge.relation);
        edges.entry(key).or_insert(edge);
    }
    edges
}

fn place(repo: &Repo, place: Place) -> (Option<String>, Option<u32>) {
    match place.file {
        FileId::NONE => (None, None),
        file => (Some(repo.path(file).to_string()), Some(place.line)),
    }
}

fn documents(base: &Knowledge, head: &Knowledge) -> Vec<DocumentChange> {
    type Said = BTreeMap<(&'static str, String), (String, Option<String>)>;
    let said = |knowledge: &Knowledge| -> Said {
        let decisions = knowledge.decisions.iter().map(|one| {
            let status = Some(one.status.name().to_owned());
            (("decision", one.id.clone()), (one.title.clone(), status))
        });
        let specs = knowledge.specs.iter().map(|one| {
            let told = (one.title.clone(), one.status.clone());
            (("spec", one.id.clone()), told)
        });
        decisions.chain(specs).collect()
    };
    let (before, after) = (said(base), said(head));
    let keys: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let changes = keys.into_iter().filter_map(|key| {
        let (then, now) = (before.get(key), after.get(key));
        let change = match (then, now) {
            (None, _) => Change::Added,
            (_, None) => Change::Removed,
            (Some(then), Some(now)) if then.1 != now.1 => Change::Changed,
            _ => return None,
        };
        let status = |said: Option<&(String, Option<String>)>| said.and_then(|said| said.1.clone());
        Some(DocumentChange {
            kind: key.0,
            id: key.1.clone(),
            title: now.or(then).map(|said| said.0.clone()).unwrap_or_default(),
            change,
            before: status(then),
            after: status(now),
        })
    });
    changes.collect()
}

/// New and fixed findings. They are matched as in a baseline, regardless of the line.
fn findings(base: Side<'_>, head: Side<'_>) -> Findings {
    let (new, fixed) = without_moved(base, head, beyond(head, base), beyond(base, head));
    let changes = |repo: &Repo, findings: Vec<&Finding>| {
        let mut changes: Vec<FindingChange> = findings
            .into_iter()
            .map(|finding| change_of(repo, finding))
            .collect();
        // A stable sort keeps them sorted by place within a severity.
        changes.sort_by_key(|finding| finding.severity);
        changes
    };
    Findings {
        new: changes(head.repo, new),
        fixed: changes(base.repo, fixed),
    }
}

fn beyond<'a>(these: Side<'a>, others: Side<'_>) -> Vec<&'a Finding> {
    let known = Baseline::from_findings(others.repo, others.findings);
    let all = these.findings.iter().collect();
    known.compare(these.repo, &Selection::default(), all).0
}

/// Drops findings that moved with their file: another new file has the very same one.
fn without_moved<'a>(
    base: Side<'_>,
    head: Side<'_>,
    mut new: Vec<&'a Finding>,
    mut fixed: Vec<&'a Finding>,
) -> (Vec<&'a Finding>, Vec<&'a Finding>) {
    let is_only_in = |these: Side<'_>, others: Side<'_>, finding: &Finding| {
        let file = finding.place.file;
        file != FileId::NONE && others.repo.file(these.repo.path(file)).is_none()
    };
    let said = |finding: &Finding| {
        let message = without_lines(&finding.message);
        (finding.rule, finding.component.clone(), message)
    };
    let mut gone: BTreeMap<_, usize> = BTreeMap::new();
    for finding in &fixed {
        if is_only_in(base, head, finding) {
            *gone.entry(said(finding)).or_default() += 1;
        }
    }
    let mut moved: BTreeMap<_, usize> = BTreeMap::new();
    new.retain(|finding| {
        let key = said(finding);
        let left = gone.get_mut(&key).filter(|left| **left > 0);
        let Some(left) = left.filter(|_| is_only_in(head, base, finding)) else {
            return true;
        };
        *left -= 1;
        *moved.entry(key).or_default() += 1;
        false
    });
    fixed.retain(|finding| {
        let left = moved.get_mut(&said(finding)).filter(|left| **left > 0);
        let Some(left) = left.filter(|_| is_only_in(base, head, finding)) else {
            return true;
        };
        *left -= 1;
        false
    });
    (new, fixed)
}

fn change_of(repo: &Repo, finding: &Finding) -> FindingChange {
    let (file, line) = place(repo, finding.place);
    FindingChange {
        rule: finding.rule.to_owned(),
        severity: finding.severity.into(),
        message: finding.message.clone(),
        file,
        line,
        component: finding.component.clone(),
        help: finding.help.clone(),
    }
}
