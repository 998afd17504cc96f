//! Which components an alert is about, by its expression: the job, namespace and workload that its labels name, and the
//! prefixes of its metrics. Rules often stand beside the monitoring stack rather than beside what they watch.

use std::collections::{BTreeMap, BTreeSet};

use super::Own;
use crate::catalog::{Catalog, ComponentIx};
use crate::knowledge::pages::{AlertPage, RenderedPages};
use crate::knowledge::plain::is_plain_word;
use base::FileId;
use base::index::IndexVec;
use claims::promql::Expression;

/// An alert that another component declares, by position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ForeignAlert {
    pub declared_by: ComponentIx,
    pub at: usize,
}

/// An expression about more components is about none of them.
const MOST_SUBJECTS: usize = 3;

/// The components that each alert is about.
#[derive(Debug, Default)]
pub struct AlertSubjects {
    /// By component and the position of its alert.
    subjects: IndexVec<ComponentIx, Vec<BTreeSet<ComponentIx>>>,
    /// Components that hold rules for others, and nothing that runs.
    collections: BTreeSet<ComponentIx>,
}

impl AlertSubjects {
    pub fn from_catalog(catalog: &Catalog) -> AlertSubjects {
        let has_alerts = catalog.components.iter().any(|one| !one.alerts.is_empty());
        if !has_alerts {
            return AlertSubjects::default();
        }
        let names = Names::from_catalog(catalog);
        let mut all = AlertSubjects::default();
        for (at, component) in catalog.components.iter_enumerated() {
            let alerts = component.alerts.iter();
            let subjects: Vec<BTreeSet<ComponentIx>> = alerts
                .map(|alert| names.subjects(&alert.expression, &alert.name))
                .collect();
            let mut others: BTreeSet<ComponentIx> = subjects.iter().flatten().copied().collect();
            others.remove(&at);
            let runs = !component.workloads.is_empty() || component.chart.is_some();
            if !subjects.is_empty() && (!runs || others.len() > 1) {
                all.collections.insert(at);
            }
            all.subjects.push(subjects);
        }
        all
    }

    /// The components that a page about an alert concerns: its subjects, else the component that declares it.
    pub fn concerned(&self, declared_by: ComponentIx, at: usize) -> Vec<ComponentIx> {
        let own = self
            .subjects
            .get(declared_by)
            .and_then(|alerts| alerts.get(at));
        let subjects: Vec<ComponentIx> = own.into_iter().flatten().copied().collect();
        if subjects.is_empty() && !self.collections.contains(&declared_by) {
            return vec![declared_by];
        }
        subjects
    }

    /// For each component, the alerts of others that are about it.
    pub fn by_subject(&self, components: usize) -> IndexVec<ComponentIx, Vec<ForeignAlert>> {
        let mut found = IndexVec::from_elem(Vec::new(), components);
        for (declared_by, alerts) in self.subjects.iter_enumerated() {
            for (at, subjects) in alerts.iter().enumerate() {
                for subject in subjects.iter().filter(|subject| **subject != declared_by) {
                    found[*subject].push(ForeignAlert { declared_by, at });
                }
            }
        }
        found
    }
}

/// The alerts of a component's page: its own, those of others that are about it, and those that lead to a runbook about
/// it.
pub fn listed(
    catalog: &Catalog,
    pages: &RenderedPages,
    own: &Own,
    component: ComponentIx,
) -> Vec<ForeignAlert> {
    let declared = (0..catalog.components[component].alerts.len()).map(|at| ForeignAlert {
        declared_by: component,
        at,
    });
    let mut listed: Vec<ForeignAlert> = declared.collect();
    listed.extend(&own.foreign_alerts);
    let runbooks: Vec<FileId> = pages.runbooks(component).map(|page| page.file).collect();
    if runbooks.is_empty() {
        return listed;
    }
    for (declared_by, other) in catalog.components.iter_enumerated() {
        for (at, alert) in other.alerts.iter().enumerate() {
            let is_answered = match pages.answer(alert) {
                Some(AlertPage::Document(page, _)) => {
                    runbooks.contains(&pages.documents[page].file)
                }
                _ => false,
            };
            let foreign = ForeignAlert { declared_by, at };
            if is_answered && !listed.contains(&foreign) {
                listed.push(foreign);
            }
        }
    }
    listed
}

/// What expressions may call components.
#[derive(Default)]
struct Names<'a> {
    /// Ids, services and monitors; none where two components have one.
    jobs: BTreeMap<&'a str, Option<ComponentIx>>,
    /// By namespace and name.
    workloads: BTreeMap<&'a str, Vec<(&'a str, ComponentIx)>>,
    /// Namespaces with the components in each.
    namespaces: BTreeMap<&'a str, BTreeSet<ComponentIx>>,
    /// Ids without punctuation, as metrics begin.
    prefixes: BTreeMap<String, Option<ComponentIx>>,
}

/// Labels with the name of a workload or of something that belongs to one.
const NAMING: &[&str] = &[
    "deployment",
    "statefulset",
    "daemonset",
    "cronjob",
    "job_name",
    "container",
    "pod",
    "horizontalpodautoscaler",
    "app",
    "app_kubernetes_io_name",
    "service",
    "release",
];
/// Beginnings of metrics that every workload has, or the cluster as a whole.
const COMMON: &[&str] = &[
    "node",
    "kube",
    "kubelet",
    "container",
    "process",
    "http",
    "go",
    "up",
    "apiserver",
    "probe",
    "alerts",
    "rest",
    "workqueue",
    "machine",
    "scrape",
    "grpc",
    "jvm",
    "python",
    "nodejs",
    "promhttp",
];
/// Beginnings of metrics that people define themselves, out of logs.
const COUNTED: &[&str] = &["loki_process_custom_", "promtail_custom_"];
/// Beginnings of metrics that differ from what the application is called.
const BEGINNINGS: &[(&str, &str)] = &[
    ("certmanager", "cert-manager"),
    ("cnpg", "cloudnative-pg"),
    ("externalsecret", "external-secrets"),
    ("externalsecrets", "external-secrets"),
    ("nginxingresscontroller", "ingress-nginx"),
    ("trivy", "trivy-operator"),
    ("ceph", "rook-ceph-cluster"),
    ("gotk", "flux-system"),
    ("sealedsecretscontroller", "sealed-secrets"),
    ("hubble", "cilium"),
];
/// Words of ids that metrics leave out.
const NEUTRAL: &[&str] = &[
    "-operator",
    "-controller",
    "-server",
    "-system",
    "-cluster",
    "-stack",
    "-exporter",
];

impl<'a> Names<'a> {
    fn from_catalog(catalog: &'a Catalog) -> Names<'a> {
        let mut names = Names::default();
        for (at, component) in catalog.components.iter_enumerated() {
            let id = component.id.0.as_str();
            let chart = component.chart.as_ref().map(|chart| chart.name.as_str());
            let known = component.resources.iter().filter(|resource| {
                let kind = resource.id.kind.as_str();
                matches!(
                    kind,
                    "Service" | "ServiceMonitor" | "PodMonitor" | "VMServiceScrape" | "VMPodScrape"
                )
            });
            let known = known.map(|resource| resource.id.name.as_str());
            for name in known.chain([id]).chain(chart) {
                put(&mut names.jobs, name, at);
            }
            for workload in &component.workloads {
                let own = names.workloads.entry(&workload.name).or_default();
                own.push((&workload.namespace, at));
                if !matches!(workload.namespace.as_str(), "" | "default" | "kube-system") {
                    let own = names.namespaces.entry(&workload.namespace).or_default();
                    own.insert(at);
                }
            }
            let is_shared = matches!(component.namespace.as_str(), "" | "default" | "kube-system");
            if !is_shared && !component.is_program {
                let own = names.namespaces.entry(&component.namespace).or_default();
                own.insert(at);
            }
        }
        for (at, component) in catalog.components.iter_enumerated() {
            put(&mut names.prefixes, bare(&component.id.0), at);
        }
        for (at, component) in catalog.components.iter_enumerated() {
            let id = component.id.0.as_str();
            let short = NEUTRAL.iter().find_map(|end| id.strip_suffix(end));
            let begins = BEGINNINGS.iter().filter(|(_, name)| *name == id);
            for name in begins
                .map(|(begin, _)| (*begin).to_owned())
                .chain(short.map(bare))
            {
                names.prefixes.entry(name).or_insert(Some(at));
            }
        }
        names
    }

    fn subjects(&self, expression: &str, name: &str) -> BTreeSet<ComponentIx> {
        let read = Expression::read(expression);
        let mut found = BTreeSet::new();
        for metric in &read.metrics {
            found.extend(self.by_metric(metric));
        }
        let namespaces: BTreeSet<&str> = read
            .values("namespace")
            .chain(read.values("exported_namespace"))
            .collect();
        for label in NAMING {
            for name in read.values(label) {
                found.extend(self.workload(name, &namespaces));
            }
        }
        for job in read.values("job") {
            // `namespace/name`, as operators call the jobs of monitors.
            let job = job.rsplit('/').next().unwrap_or(job);
            found.extend(self.jobs.get(job).copied().flatten());
        }
        if found.is_empty() {
            for namespace in namespaces {
                let own = self.namespaces.get(namespace).into_iter().flatten();
                let mut own = own.copied();
                if let (Some(one), None) = (own.next(), own.next()) {
                    found.insert(one);
                }
            }
        }
        if found.len() > MOST_SUBJECTS {
            found.clear();
        }
        if found.is_empty() {
            found.extend(self.by_name(name));
        }
        found
    }

    /// The component whose id an alert's name begins with, where its expression tells nothing: `NextcloudOffline`.
    fn by_name(&self, name: &str) -> Option<ComponentIx> {
        let ends = name.char_indices().skip(1);
        let ends = ends.filter(|(_, c)| c.is_uppercase()).map(|(at, _)| at);
        let begins = ends.filter_map(|at| {
            let begin = name[..at].to_lowercase();
            let is_telling = begin.len() >= 5 && !is_plain_word(&begin);
            let known = self.prefixes.get(&begin).copied().flatten();
            known.filter(|_| is_telling && !COMMON.contains(&begin.as_str()))
        });
        begins.last()
    }

    /// The longest beginning of a metric that is the id of a component.
    fn by_metric(&self, metric: &str) -> Option<ComponentIx> {
        let lower = metric.to_lowercase();
        // What pipelines of logs count is about who wrote them.
        let counted = COUNTED.iter().find_map(|begin| lower.strip_prefix(begin));
        let lower = counted.unwrap_or(&lower);
        let mut parts = lower.split(['_', ':']).filter(|part| !part.is_empty());
        let first = parts.clone().next()?;
        if COMMON.contains(&first) {
            return None;
        }
        let mut begin = String::new();
        let mut found = None;
        // A metric that is a component's id as a whole says something else.
        let count = parts.clone().count();
        for part in parts.by_ref().take(count.saturating_sub(1).min(4)) {
            begin.push_str(part);
            let is_telling = begin.len() >= 4 || begin == "n8n";
            let known = self.prefixes.get(&begin).copied().flatten();
            found = known.filter(|_| is_telling).or(found);
        }
        found
    }

    /// The workload of a name, or the one whose pods begin with it.
    fn workload(&self, name: &str, namespaces: &BTreeSet<&str>) -> Option<ComponentIx> {
        let name = name.trim_end_matches('-');
        let all = self.workloads.get(name)?;
        let here = all
            .iter()
            .filter(|(namespace, _)| namespaces.is_empty() || namespaces.contains(namespace));
        let mut owners: Vec<ComponentIx> = here.map(|(_, component)| *component).collect();
        owners.dedup();
        match owners.as_slice() {
            [one] => Some(*one),
            _ => None,
        }
    }
}

fn put<K: Ord>(names: &mut BTreeMap<K, Option<ComponentIx>>, name: K, at: ComponentIx) {
    let known = names.entry(name).or_insert(Some(at));
    *known = known.filter(|known| *known == at);
}

fn bare(id: &str) -> String {
    let letters = id.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}
