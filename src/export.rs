//! `service-catalog.json`: the catalogue as a stable document, sorted so that it compares well.
//! Its types are the contract; the schema in docs/ is made from them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::diagnostic::{FileId, Finding, Place, Severity};
use crate::fact::{Gate, UnitId};
use crate::model::{Catalog, Component, Edge, UnitView};
use crate::repo::Repo;

/// The version of the document's form.
pub const SCHEMA: u32 = 1;

/// A service catalogue.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ServiceCatalog")]
pub struct Document {
    /// The version of this form; it changes when a reader must.
    pub schema: u32,
    /// The commit that was read; null when the repository has none.
    pub commit: Option<String>,
    /// The first 16 hex digits of a SHA-256 over this document, as compact JSON, without `commit` and `sha`: same facts, same sha.
    pub sha: String,
    #[serde(flatten)]
    pub facts: Facts,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Facts {
    /// By root.
    pub clusters: Vec<ClusterDoc>,
    /// By id.
    pub components: Vec<ComponentDoc>,
    /// Architecture decisions, by id.
    pub decisions: Vec<DecisionDoc>,
    /// Specs, by id.
    pub specs: Vec<SpecDoc>,
    /// By file, line and rule.
    pub findings: Vec<FindingDoc>,
}

/// A directory that a reconciler starts from, and the units that are reached from it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ClusterDoc {
    pub name: String,
    pub root: String,
    pub units: Vec<UnitDoc>,
}

/// What a reconciler applies as one.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UnitDoc {
    pub kind: String,
    pub namespace: String,
    pub name: String,
    pub file: String,
    pub line: u32,
    /// The directory that it builds, as its source knows it; null for a release.
    pub path: Option<String>,
    /// The unit that creates it, as `namespace/name`; `(root)` for what the entry point holds.
    pub owner: String,
    /// What it must see before it counts as ready: `none`, `wait` or `healthChecks`.
    pub gate: String,
    pub suspended: bool,
    /// How many objects it applies; null when that is not known, and for a release.
    pub resources: Option<usize>,
    pub chart: Option<String>,
    pub version: Option<String>,
    pub depends_on: Vec<UnitRefDoc>,
}

#[derive(Debug, Serialize, JsonSchema, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnitRefDoc {
    pub kind: String,
    pub namespace: String,
    pub name: String,
}

/// What a person owns and looks up.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ComponentDoc {
    pub id: String,
    pub title: String,
    /// What it is made by: HelmRelease, Kustomization, Deployment …
    pub kind: String,
    pub namespace: String,
    pub layer: Option<String>,
    /// `enabled`, `suspended` or `disabled`.
    pub status: String,
    pub owner: Option<String>,
    /// The directory of its manifests.
    pub source: Option<String>,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub chart: Option<ChartDoc>,
    /// The clusters that have it.
    pub environments: Vec<EnvironmentDoc>,
    /// What it needs.
    pub upstream: Vec<EdgeDoc>,
    /// What needs it.
    pub downstream: Vec<EdgeDoc>,
    pub settings: Vec<SettingDoc>,
    pub workloads: Vec<WorkloadDoc>,
    pub images: Vec<String>,
    pub urls: Vec<String>,
    pub ports: Vec<String>,
    pub volumes: Vec<VolumeDoc>,
    /// Ids of decisions that concern it.
    pub decisions: Vec<String>,
    /// Ids of specs that concern it.
    pub specs: Vec<String>,
    pub runbooks: Vec<RunbookDoc>,
    pub resources: Vec<ResourceDoc>,
}

/// A component as one cluster has it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EnvironmentDoc {
    pub name: String,
    /// `enabled` or `suspended`.
    pub status: String,
    /// The version of its chart there.
    pub version: Option<String>,
}

/// The version is that of the first environment.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChartDoc {
    pub name: String,
    pub version: Option<String>,
    pub repository: Option<String>,
}

/// A dependency, with the line that states it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EdgeDoc {
    pub id: String,
    pub reason: String,
    pub file: String,
    pub line: u32,
}

/// A parameter and its value in each environment.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SettingDoc {
    pub name: String,
    pub values: BTreeMap<String, SettingValueDoc>,
    /// A secret has places, never values.
    pub secret: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SettingValueDoc {
    pub value: Option<String>,
    pub file: String,
    pub line: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct WorkloadDoc {
    pub kind: String,
    pub namespace: String,
    pub name: String,
    pub replicas: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct VolumeDoc {
    pub name: String,
    pub size: Option<String>,
    pub class: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ResourceDoc {
    pub api_version: String,
    pub kind: String,
    pub namespace: Option<String>,
    pub name: String,
    pub file: String,
    pub line: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct RunbookDoc {
    pub title: String,
    pub file: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct DecisionDoc {
    pub id: String,
    pub title: String,
    pub status: String,
    pub date: Option<String>,
    pub file: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SpecDoc {
    pub id: String,
    pub title: String,
    pub file: String,
    pub record: Option<String>,
    pub artifacts: Vec<ArtifactDoc>,
    pub validation: Vec<ValidationDoc>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ArtifactDoc {
    pub file: String,
    pub claimed: String,
    pub state: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ValidationDoc {
    pub text: String,
    pub state: String,
}

/// What a check or a reader reports.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FindingDoc {
    pub rule: String,
    pub severity: SeverityDoc,
    pub message: String,
    /// Null for what concerns no single file.
    pub file: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
    pub component: Option<String>,
    pub help: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SeverityDoc {
    Error,
    Warning,
    Info,
}

/// The catalogue as a document.
pub fn document(repo: &Repo, catalog: &Catalog, findings: &[Finding]) -> Document {
    let show = Show { repo, catalog };
    let facts = Facts {
        clusters: catalog
            .clusters
            .iter()
            .map(|cluster| ClusterDoc {
                name: cluster.name.clone(),
                root: shown_path(cluster.root.as_str()),
                units: cluster.units.iter().map(|unit| show.unit(unit)).collect(),
            })
            .collect(),
        components: show.components(),
        decisions: Vec::new(),
        specs: Vec::new(),
        findings: findings
            .iter()
            .map(|finding| finding_doc(repo, finding))
            .collect(),
    };
    Document {
        schema: SCHEMA,
        commit: repo.git().map(|git| git.commit.clone()),
        sha: sha(&facts),
        facts,
    }
}

/// The schema of [`Document`], as it stands in docs/.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Document).to_value()
}

pub fn finding_doc(repo: &Repo, finding: &Finding) -> FindingDoc {
    let somewhere = finding.place.file != FileId::NONE;
    FindingDoc {
        rule: finding.rule.to_owned(),
        severity: match finding.severity {
            Severity::Error => SeverityDoc::Error,
            Severity::Warning => SeverityDoc::Warning,
            Severity::Info => SeverityDoc::Info,
        },
        message: finding.message.clone(),
        file: somewhere.then(|| repo.path(finding.place.file).to_string()),
        line: somewhere.then_some(finding.place.line),
        column: somewhere.then_some(finding.place.column),
        component: finding.component.clone(),
        help: finding.help.clone(),
    }
}

fn sha(facts: &Facts) -> String {
    #[derive(Serialize)]
    struct Hashed<'a> {
        schema: u32,
        #[serde(flatten)]
        facts: &'a Facts,
    }
    let mut hasher = Hasher(Sha256::new());
    let hashed = Hashed {
        schema: SCHEMA,
        facts,
    };
    serde_json::to_writer(&mut hasher, &hashed).expect("a hash takes every byte");
    let digest = hasher.0.finalize();
    digest
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

struct Hasher(Sha256);

impl std::io::Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

struct Show<'a> {
    repo: &'a Repo,
    catalog: &'a Catalog,
}

impl Show<'_> {
    fn file(&self, place: Place) -> String {
        self.repo.path(place.file).to_string()
    }

    fn unit(&self, unit: &UnitView) -> UnitDoc {
        UnitDoc {
            kind: unit.id.kind.to_string(),
            namespace: unit.id.namespace.to_string(),
            name: unit.id.name.to_string(),
            file: self.file(unit.place),
            line: unit.place.line,
            path: unit.path.as_ref().map(|path| shown_path(path)),
            owner: unit
                .owner
                .as_ref()
                .map_or_else(|| "(root)".to_owned(), UnitId::qualified),
            gate: match unit.gate {
                Gate::None => "none",
                Gate::Wait => "wait",
                Gate::HealthChecks(_) => "healthChecks",
            }
            .to_owned(),
            suspended: unit.suspended,
            resources: unit.resources,
            chart: unit.chart.as_ref().map(|chart| chart.name.to_string()),
            version: unit
                .chart
                .as_ref()
                .and_then(|chart| Some(chart.version.as_ref()?.to_string())),
            depends_on: unit.depends_on.iter().map(unit_ref).collect(),
        }
    }

    fn components(&self) -> Vec<ComponentDoc> {
        let count = self.catalog.components.len();
        let (mut upstream, mut downstream) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for edge in &self.catalog.edges {
            upstream[edge.from].push(edge);
            downstream[edge.to].push(edge);
        }
        let components = self
            .catalog
            .components
            .iter()
            .zip(upstream.iter().zip(&downstream));
        components
            .map(|(component, (upstream, downstream))| {
                self.component(component, upstream, downstream)
            })
            .collect()
    }

    fn component(
        &self,
        component: &Component,
        upstream: &[&Edge],
        downstream: &[&Edge],
    ) -> ComponentDoc {
        let edge = |edge: &Edge, other: usize| EdgeDoc {
            id: self.catalog.components[other].id.0.to_string(),
            reason: edge.reason.to_owned(),
            file: self.file(edge.place),
            line: edge.place.line,
        };
        let somewhere = component.place.line > 0;
        ComponentDoc {
            id: component.id.0.to_string(),
            title: component.title.clone(),
            kind: component.kind.to_string(),
            namespace: component.namespace.to_string(),
            layer: component.layer.clone(),
            status: component.status.name().to_owned(),
            owner: component.owner.clone(),
            source: component.source.as_ref().map(|source| source.to_string()),
            file: somewhere.then(|| self.file(component.place)),
            line: somewhere.then_some(component.place.line),
            chart: component.chart.as_ref().map(|chart| ChartDoc {
                name: chart.name.to_string(),
                version: chart.version.as_ref().map(|version| version.to_string()),
                repository: chart.repository.as_ref().map(|url| url.to_string()),
            }),
            environments: component
                .environments
                .iter()
                .map(|environment| EnvironmentDoc {
                    name: environment.name.clone(),
                    status: environment.status.name().to_owned(),
                    version: environment
                        .version
                        .as_ref()
                        .map(|version| version.to_string()),
                })
                .collect(),
            upstream: upstream.iter().map(|one| edge(one, one.to)).collect(),
            downstream: downstream.iter().map(|one| edge(one, one.from)).collect(),
            settings: self.settings(component),
            workloads: component
                .workloads
                .iter()
                .map(|workload| WorkloadDoc {
                    kind: workload.kind.to_string(),
                    namespace: workload.namespace.to_string(),
                    name: workload.name.to_string(),
                    replicas: workload
                        .replicas
                        .as_ref()
                        .map(|replicas| replicas.to_string()),
                })
                .collect(),
            images: component
                .images
                .iter()
                .map(|image| image.to_string())
                .collect(),
            urls: component.urls.clone(),
            ports: component
                .ports
                .iter()
                .map(|port| port.to_string())
                .collect(),
            volumes: component
                .volumes
                .iter()
                .map(|volume| VolumeDoc {
                    name: volume.name.to_string(),
                    size: volume.size.as_ref().map(|size| size.to_string()),
                    class: volume.class.as_ref().map(|class| class.to_string()),
                })
                .collect(),
            decisions: Vec::new(),
            specs: Vec::new(),
            runbooks: Vec::new(),
            resources: self.resources(component),
        }
    }

    fn settings(&self, component: &Component) -> Vec<SettingDoc> {
        let settings = component.settings.iter().map(|setting| {
            let values = setting.values.iter().map(|(environment, value)| {
                let shown = SettingValueDoc {
                    value: value.value.as_ref().map(|value| value.to_string()),
                    file: self.file(value.place),
                    line: value.place.line,
                };
                (environment.to_owned(), shown)
            });
            SettingDoc {
                name: setting.name.to_string(),
                values: values.collect(),
                secret: setting.secret,
            }
        });
        settings.collect()
    }

    fn resources(&self, component: &Component) -> Vec<ResourceDoc> {
        let resources = component.resources.iter().map(|resource| {
            let id = &resource.id;
            ResourceDoc {
                api_version: match id.group.is_empty() {
                    true => id.version.to_string(),
                    false => format!("{}/{}", id.group, id.version),
                },
                kind: id.kind.to_string(),
                namespace: (!id.namespace.is_empty()).then(|| id.namespace.to_string()),
                name: id.name.to_string(),
                file: self.file(resource.place),
                line: resource.place.line,
            }
        });
        resources.collect()
    }
}

/// The root of a repo is `.`, as people write it.
fn shown_path(path: &str) -> String {
    match path {
        "" => ".".to_owned(),
        path => path.to_owned(),
    }
}

fn unit_ref(id: &UnitId) -> UnitRefDoc {
    UnitRefDoc {
        kind: id.kind.to_string(),
        namespace: id.namespace.to_string(),
        name: id.name.to_string(),
    }
}
