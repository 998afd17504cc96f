//! Which components an alert is about, by its expression: the job, namespace and workload that its labels name, and the
//! prefixes of its metrics. Rules often stand beside the monitoring stack rather than beside what they watch.

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::{Catalog, ComponentIx};
use base::index::IndexVec;

/// An alert that another component declares, by position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ForeignAlert {
    pub declared_by: ComponentIx,
    pub at: usize,
}

/// An expression about more components is about none of them.
const MOST_SUBJECTS: usize = 3;
/// A longer expression is not read to its end.
const LONGEST: usize = 20_000;

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
                .map(|alert| names.subjects(&alert.expression))
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

    fn subjects(&self, expression: &str) -> BTreeSet<ComponentIx> {
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
        found
    }

    /// The longest beginning of a metric that is the id of a component.
    fn by_metric(&self, metric: &str) -> Option<ComponentIx> {
        let lower = metric.to_lowercase();
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

/// The metrics of an expression, and the values that its labels must have.
#[derive(Debug, Default, PartialEq, Eq)]
struct Expression<'e> {
    metrics: Vec<&'e str>,
    labels: Vec<(&'e str, String)>,
}

impl<'e> Expression<'e> {
    fn read(text: &'e str) -> Expression<'e> {
        let end = (0..=text.len().min(LONGEST))
            .rev()
            .find(|at| text.is_char_boundary(*at));
        let text = &text[..end.unwrap_or(0)];
        let mut read = Expression::default();
        let mut rest = text;
        let mut depth = 0usize;
        while let Some(first) = rest.chars().next() {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
            match first {
                '{' => {
                    depth += 1;
                    rest = &rest[1..];
                }
                '}' => {
                    depth = depth.saturating_sub(1);
                    rest = &rest[1..];
                }
                '"' | '\'' | '`' => {
                    let (_, after) = quoted(rest);
                    rest = after;
                }
                c if c.is_ascii_alphabetic() || c == '_' => {
                    let length = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
                    let (name, after) = rest.split_at(length);
                    rest = after;
                    let next = after.trim_start();
                    if depth == 0 {
                        // A word before a parenthesis is a function, one without an underscore an operator or a label.
                        if name.contains('_') && !next.starts_with('(') {
                            read.metrics.push(name);
                        }
                        continue;
                    }
                    let value = next
                        .strip_prefix("=~")
                        .map(|value| (value, true))
                        .or_else(|| next.strip_prefix('=').map(|value| (value, false)));
                    if let Some((value, is_pattern)) = value {
                        let (value, after) = quoted(value.trim_start());
                        rest = after;
                        read.label(name, value, is_pattern);
                    }
                }
                c => rest = &rest[c.len_utf8()..],
            }
        }
        read
    }

    fn label(&mut self, name: &'e str, value: &str, is_pattern: bool) {
        if name == "__name__" || value.contains('$') {
            return;
        }
        if !is_pattern {
            return self.labels.push((name, value.to_owned()));
        }
        // `(a|b)-.*`, `.*loki.*`: only alternatives that are literal but for their ends.
        for one in value.trim_matches(['(', ')', '^', '$']).split('|') {
            let ends = [
                ".*",
                ".+",
                "(",
                ")",
                "-[0-9]+",
                "-[a-z0-9]+",
                "-\\\\d+",
                "\\\\d+",
            ];
            let mut literal = one;
            for _ in 0..4 {
                for end in ends {
                    literal = literal.strip_suffix(end).unwrap_or(literal);
                    literal = literal.strip_prefix(end).unwrap_or(literal);
                }
            }
            let literal = literal.trim_matches(['(', ')', '-']);
            let is_literal = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '/';
            if !literal.is_empty() && literal.chars().all(is_literal) {
                self.labels.push((name, literal.to_owned()));
            }
        }
    }

    fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        let labels = self.labels.iter();
        labels
            .filter(move |(own, _)| *own == name)
            .map(|(_, value)| value.as_str())
    }
}

/// A string at the start of a text, and what follows it.
fn quoted(text: &str) -> (&str, &str) {
    let Some(mark) = text
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\'' | '`'))
    else {
        return ("", text);
    };
    let inside = &text[1..];
    let mut escaped = false;
    for (at, c) in inside.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if mark != '`' => escaped = true,
            c if c == mark => return (&inside[..at], &inside[at + 1..]),
            _ => {}
        }
    }
    (inside, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_and_labels_are_told_apart_from_functions_and_strings() {
        let read = Expression::read(
            "sum by (job_label) (rate(longhorn_volume_size{job=\"longhorn/manager\", pod=~\"(web|api)-.*\", \
             x!=\"kube_y\"}[5m])) > on(node) group_left kube_node_labels{a='b'}",
        );
        assert_eq!(
            read.metrics,
            ["job_label", "longhorn_volume_size", "kube_node_labels"]
        );
        let labels: Vec<(&str, &str)> = read.labels.iter().map(|(a, b)| (*a, b.as_str())).collect();
        assert_eq!(
            labels,
            [
                ("job", "longhorn/manager"),
                ("pod", "web"),
                ("pod", "api"),
                ("a", "b")
            ]
        );
    }

    #[test]
    fn an_expression_that_breaks_off_is_read_to_its_end() {
        for text in [
            "{",
            "a_b{c=\"",
            "a_b{c=~'",
            "'\\",
            "\"\u{1f600}",
            "}}}}",
            "a_b{c=",
            "",
        ] {
            let _ = Expression::read(text);
        }
        let long = "a_b{c=\"d\"} + ".repeat(100_000);
        assert!(Expression::read(&long).metrics.len() < LONGEST);
    }
}
