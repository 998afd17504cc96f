//! Compares two versions of a repo, fact by fact: a line that only moved is no change. Takes what was read of both, and
//! returns a difference that is printed as text, Markdown or JSON.

mod compare;
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

use crate::catalog::{Catalog, Component, Status};
use crate::checks::triage::{Baseline, Selection, of_message};
use crate::facts::Relation;
use crate::input::repo::Repo;
use crate::knowledge::Knowledge;
use base::{FileId, Finding, Place, Severity};
use compare::{clusters, components, documents, edges, findings, renamed};
pub use component::{Changed, ComponentField, FieldChange, FieldValue};
pub use image::ImageChange;
pub use markdown::markdown;
pub use object::ObjectChange;
pub use setting::SettingChange;
pub use text::text;

/// Version of the format of [`Difference`].
pub const SCHEMA: u32 = 1;

/// One of the two versions that are compared.
#[derive(Clone, Copy)]
pub struct DiffSide<'a> {
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

impl Difference {
    /// Leaves out objects that few people want to know about.
    pub fn summarise_objects(&mut self) {
        let changed = self.components.changed.iter_mut();
        changed.for_each(Changed::summarise);
    }
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
pub fn diff(base: DiffSide<'_>, head: DiffSide<'_>) -> Difference {
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
    // Sorted, because the order of maps depends on the build.
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

fn version(side: DiffSide<'_>) -> Version {
    Version {
        name: side.name.to_owned(),
        commit: side.commit.map(str::to_owned),
    }
}

fn status_name<S: Serializer>(status: &Status, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(status.name())
}
