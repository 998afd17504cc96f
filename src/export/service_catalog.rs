//! `service-catalog.json`: a stable document that compares well. Its types are the contract; docs/ has their schema.

mod about;
mod cluster;
mod environment;
mod finding;
mod interface;
mod knowledge;
mod program;
mod runbook;
mod setting;
mod stated;
mod volume;
mod written;

use std::borrow::Cow;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use crate::catalog::{Catalog, Component, ComponentChart, ComponentIx, Edge};
use crate::cluster::Coverage;
use crate::facts::Workload;
use crate::input::config::Config;
use crate::input::repo::{Repo, RepoPath};
use crate::knowledge::Knowledge;
use crate::knowledge::pages::RenderedPages;
use crate::knowledge::runbook::{Own, RunbookIndex};
pub use about::{AboutDoc, OwnershipDoc};
use base::index::IndexVec;
use base::{Finding, Place};
pub use cluster::{ClusterDoc, UnitDoc, UnitRefDoc};
pub use environment::{EnvironmentDoc, LinkDoc};
pub use finding::{FindingDoc, FixDoc, NoteDoc, SeverityDoc, finding_doc};
pub use interface::{InputDoc, OutputDoc};
pub use knowledge::{ArtifactDoc, DecisionDoc, SpecDoc, ValidationDoc};
pub use program::ProgramDoc;
pub use runbook::{AlertDoc, RunbookDoc};
pub use setting::{SettingDoc, SettingValueDoc};
pub use volume::VolumeDoc;
pub use written::{WrittenCatalog, entries};

/// The version of the document's form.
pub const SCHEMA: u32 = 1;

// Only its form, from which the schema is made: `WrittenCatalog` writes the same, an entry at a time.
/// A service catalogue.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ServiceCatalog")]
pub struct ServiceCatalog<'a> {
    /// The version of this format. It changes only when readers have to.
    pub schema: u32,
    /// The commit that was read. Null if the repository has none.
    pub commit: Option<&'a str>,
    /// The first 16 hex digits of a SHA-256 over this document as compact JSON, without `commit` and `sha`. The same
    /// facts give the same value.
    pub sha: String,
    #[serde(flatten)]
    pub facts: CatalogFacts<'a>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct CatalogFacts<'a> {
    /// Kubernetes clusters, sorted by root. A cluster that others are managed from comes before them.
    pub clusters: Vec<ClusterDoc<'a>>,
    /// Terraform root modules, Pulumi projects and helmfiles that run for no cluster, sorted by root.
    pub programs: Vec<ProgramDoc<'a>>,
    /// Sorted by id.
    pub components: Vec<ComponentDoc<'a>>,
    /// Architecture decisions, sorted by number.
    pub decisions: Vec<DecisionDoc<'a>>,
    /// Specs, sorted by number: `0003a` follows `0003`.
    pub specs: Vec<SpecDoc<'a>>,
    /// Sorted by file, line and rule.
    pub findings: Vec<FindingDoc<'a>>,
}

/// Something a person owns and looks up. It has a page.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ComponentDoc<'a> {
    pub id: &'a str,
    pub title: &'a str,
    /// The kind that creates it: HelmRelease, Kustomization, Deployment …
    pub kind: &'a str,
    pub namespace: &'a str,
    pub layer: Option<&'a str>,
    /// `enabled`, `suspended` or `disabled`.
    pub status: &'a str,
    #[serde(flatten)]
    pub about: AboutDoc<'a>,
    #[serde(flatten)]
    pub ownership: OwnershipDoc<'a>,
    #[serde(flatten)]
    pub stated: stated::StatedDoc<'a>,
    /// The directory of its manifests.
    pub source: Option<&'a str>,
    pub file: Option<&'a str>,
    pub line: Option<u32>,
    /// The version that people mean, in the first environment that has one: that of the application, or else of its chart.
    pub version: Option<&'a str>,
    /// `version` is that of the chart itself.
    pub chart: Option<ChartDoc<'a>>,
    /// Further charts it consists of or installs. Omitted if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more_charts: Vec<ChartDoc<'a>>,
    /// The clusters it runs in.
    pub environments: Vec<EnvironmentDoc<'a>>,
    /// Links that `[[link]]` in catalog.toml defines, filled in. Omitted if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkDoc<'a>>,
    /// The components it depends on.
    pub upstream: Vec<EdgeDoc<'a>>,
    /// The components that depend on it.
    pub downstream: Vec<EdgeDoc<'a>>,
    pub settings: Vec<SettingDoc<'a>>,
    /// Its inputs and outputs, by name, if its files declare them.
    pub inputs: Vec<InputDoc<'a>>,
    pub outputs: Vec<OutputDoc<'a>>,
    pub workloads: Vec<WorkloadDoc<'a>>,
    pub images: Vec<&'a str>,
    pub urls: Vec<&'a str>,
    pub ports: Vec<&'a str>,
    pub volumes: Vec<VolumeDoc<'a>>,
    /// Files of documentation that are about it: its README, and documents that name it or bear its name.
    pub documents: Vec<&'a str>,
    /// Ids of decisions that mention it.
    pub decisions: Vec<&'a str>,
    /// Ids of specs that mention it or changed its files.
    pub specs: Vec<&'a str>,
    /// Sorted by name.
    pub alerts: Vec<AlertDoc<'a>>,
    /// Runbooks, as shown on its page.
    pub runbooks: Vec<RunbookDoc<'a>>,
    pub resources: Vec<ResourceDoc<'a>>,
}

/// `version` is that of the first environment.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChartDoc<'a> {
    pub name: &'a str,
    pub version: Option<&'a str>,
    pub repository: Option<&'a str>,
    /// The version of the application, as the chart states it. Omitted if the chart was not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_version: Option<&'a str>,
    /// How much of what it installs is known. Omitted for charts that are read in another way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contents: Option<ContentsDoc<'a>>,
}

/// How much of what a chart installs is known.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ContentsDoc<'a> {
    /// `known`, `partly known` or `unknown`.
    pub state: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a str>,
}

/// A dependency, with the line that declares it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EdgeDoc<'a> {
    pub id: &'a str,
    /// `runs` (needed at run time), `deploys` (needed to install or reconcile) or `exposes` (reached through it).
    pub kind: &'a str,
    pub reason: &'a str,
    pub file: &'a str,
    pub line: u32,
    /// The environments it holds in, if not all that the component runs in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environments: Option<Vec<&'a str>>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct WorkloadDoc<'a> {
    pub kind: &'a str,
    pub namespace: &'a str,
    pub name: &'a str,
    /// As declared in the first environment that has it.
    pub replicas: Option<&'a str>,
    /// Those of its containers, in any environment.
    pub probes: Vec<ProbeDoc<'a>>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ProbeDoc<'a> {
    pub container: &'a str,
    /// `startup`, `readiness` or `liveness`.
    pub purpose: &'a str,
    /// `GET :8080/healthz`, `TCP :6379`, `gRPC :9000` or `exec pg_isready`.
    pub check: &'a str,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ResourceDoc<'a> {
    pub api_version: Cow<'a, str>,
    pub kind: &'a str,
    pub namespace: Option<&'a str>,
    pub name: &'a str,
    pub file: &'a str,
    pub line: u32,
    /// The chart and the template that yield it. Omitted for objects that are manifests themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<TemplateDoc<'a>>,
}

/// The line of a chart's template that wrote an object.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TemplateDoc<'a> {
    /// Name and version.
    pub chart: &'a str,
    /// Path of the template, beginning with the name of the chart.
    pub path: &'a str,
    pub line: u32,
}

/// Inputs of the document.
#[derive(Clone, Copy)]
pub struct Whole<'a> {
    pub config: &'a Config,
    pub repo: &'a Repo,
    pub catalog: &'a Catalog,
    pub knowledge: &'a Knowledge,
    pub pages: &'a RenderedPages,
    pub runbooks: &'a RunbookIndex,
    pub findings: &'a [Finding],
}

/// The document as text, serialized once for its sha and for all outputs.
pub fn written(whole: Whole<'_>) -> WrittenCatalog {
    WrittenCatalog::new(whole)
}

/// The schema of [`ServiceCatalog`], as published in docs/.
pub fn schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(ServiceCatalog).to_value();
    // Sorted, because the order of maps depends on the build.
    schema.sort_all_objects();
    schema
}

impl<'a> Whole<'a> {
    fn commit(&self) -> Option<&'a str> {
        self.repo.git().map(|git| git.commit.as_str())
    }

    fn file(&self, place: Place) -> &'a str {
        self.repo.path(place.file).as_str()
    }

    /// Applies `make` to the entry of each component.
    fn components<T: Send>(&self, make: impl Fn(ComponentDoc<'a>) -> T + Sync) -> Vec<T> {
        let count = self.catalog.components.len();
        let mut upstream: IndexVec<ComponentIx, Vec<&Edge>> =
            IndexVec::from_elem(Vec::new(), count);
        let mut downstream = upstream.clone();
        for edge in self.catalog.edges.iter() {
            upstream[edge.from].push(edge);
            downstream[edge.to].push(edge);
        }
        let components = self
            .catalog
            .components
            .par_iter()
            .enumerate()
            .zip(upstream.par_iter().zip(downstream.as_slice()))
            .with_max_len(64);
        components
            .map(|((at, component), (upstream, downstream))| {
                let at = ComponentIx::from_usize(at);
                let own = self.component(
                    at,
                    component,
                    self.runbooks.for_component(at),
                    upstream,
                    downstream,
                );
                make(self.with_knowledge(own, at))
            })
            .collect()
    }

    /// The entry of one component.
    fn entry(&self, at: ComponentIx) -> ComponentDoc<'a> {
        let edges = || self.catalog.edges.iter();
        let upstream: Vec<&Edge> = edges().filter(|edge| edge.from == at).collect();
        let downstream: Vec<&Edge> = edges().filter(|edge| edge.to == at).collect();
        let own = self.runbooks.for_component(at);
        let component = &self.catalog.components[at];
        self.with_knowledge(
            self.component(at, component, own, &upstream, &downstream),
            at,
        )
    }

    /// A component with the decisions and specs that name it.
    fn with_knowledge(&self, component: ComponentDoc<'a>, at: ComponentIx) -> ComponentDoc<'a> {
        let knowledge = self.knowledge;
        let Some(concern) = knowledge.ledger.concerns.get(at) else {
            return component;
        };
        let decisions = concern.decisions.iter();
        let decisions = decisions.filter(|(_, mention)| mention.is_decided());
        let specs = concern.specs.iter();
        ComponentDoc {
            decisions: decisions
                .map(|(at, _)| knowledge.decisions[*at].id.as_str())
                .collect(),
            specs: specs
                .map(|(at, ..)| knowledge.specs[*at].id.as_str())
                .collect(),
            ..component
        }
    }

    fn component(
        &self,
        at: ComponentIx,
        component: &'a Component,
        own: &'a Own,
        upstream: &[&'a Edge],
        downstream: &[&'a Edge],
    ) -> ComponentDoc<'a> {
        let edge = |edge: &'a Edge, other: ComponentIx| EdgeDoc {
            id: self.catalog.components[other].id.0.as_str(),
            kind: edge.relation.kind().name(),
            reason: edge.relation.reason(),
            file: self.file(edge.place),
            line: edge.place.line,
            environments: self.catalog.only_in(edge.environments, component),
        };
        let somewhere = component.place.line > 0;
        ComponentDoc {
            id: component.id.0.as_str(),
            title: component.title.as_str(),
            kind: component.kind.as_str(),
            namespace: component.namespace.as_str(),
            layer: component.layer.as_deref(),
            status: component.status.name(),
            about: self.about(component, at),
            ownership: self.ownership(component),
            stated: self.stated(component),
            source: component.source.as_ref().map(RepoPath::as_str),
            file: somewhere.then(|| self.file(component.place)),
            line: somewhere.then_some(component.place.line),
            version: component.version(),
            chart: component.chart.as_ref().map(chart_doc),
            more_charts: component.more_charts.iter().map(chart_doc).collect(),
            environments: self.environments(component),
            links: self.links(component),
            upstream: upstream.iter().map(|one| edge(one, one.to)).collect(),
            downstream: downstream.iter().map(|one| edge(one, one.from)).collect(),
            settings: self.settings(component),
            inputs: self.inputs(component),
            outputs: self.outputs(component),
            workloads: component
                .workloads
                .iter()
                .map(|workload| WorkloadDoc {
                    kind: workload.kind.as_str(),
                    namespace: workload.namespace.as_str(),
                    name: workload.name.as_str(),
                    replicas: workload.replicas.as_deref(),
                    probes: probes(workload),
                })
                .collect(),
            images: component
                .images
                .iter()
                .map(|image| image.as_str())
                .collect(),
            urls: component.urls.iter().map(String::as_str).collect(),
            ports: component.ports.iter().map(|port| port.as_str()).collect(),
            volumes: volume::volumes(component),
            documents: self.documents(at),
            decisions: Vec::new(),
            specs: Vec::new(),
            alerts: runbook::alerts(self.repo, component, own),
            runbooks: runbook::runbooks(self.repo, own),
            resources: self.resources(component),
        }
    }

    fn resources(&self, component: &'a Component) -> Vec<ResourceDoc<'a>> {
        let resources = component.resources.iter().map(|resource| {
            let id = &resource.id;
            ResourceDoc {
                api_version: if id.group.is_empty() {
                    id.version.as_str().into()
                } else {
                    format!("{}/{}", id.group, id.version).into()
                },
                kind: id.kind.as_str(),
                namespace: (!id.namespace.is_empty()).then(|| id.namespace.as_str()),
                name: id.name.as_str(),
                file: self.file(resource.place),
                line: resource.place.line,
                template: resource.template.as_ref().map(|template| TemplateDoc {
                    chart: template.chart.as_str(),
                    path: template.template.as_str(),
                    line: template.line,
                }),
            }
        });
        resources.collect()
    }
}

fn probes(workload: &Workload) -> Vec<ProbeDoc<'_>> {
    let probes = workload.probes.iter().map(|probe| ProbeDoc {
        container: probe.container.as_str(),
        purpose: probe.purpose,
        check: probe.check.as_str(),
    });
    probes.collect()
}

fn chart_doc(chart: &ComponentChart) -> ChartDoc<'_> {
    ChartDoc {
        name: chart.name.as_str(),
        version: chart.version.as_deref(),
        repository: chart.repository.as_deref(),
        app_version: chart
            .read
            .as_ref()
            .and_then(|read| read.metadata.as_ref()?.app_version.as_deref()),
        contents: chart.read.as_ref().map(|read| match &read.coverage {
            Coverage::Whole => ContentsDoc {
                state: "known",
                reason: None,
            },
            Coverage::Part(reason) => ContentsDoc {
                state: "partly known",
                reason: Some(reason),
            },
            Coverage::Nothing(reason) => ContentsDoc {
                state: "unknown",
                reason: Some(reason),
            },
        }),
    }
}
