//! Compares a page's statements about its component with the manifests: namespace, versions, images, ports, addresses,
//! replicas, limits and dependencies, in tables, lists and sentences. Only unambiguous statements count. A statement that matches any environment is right.

use smol_str::SmolStr;

use super::authored::Lookup;
use crate::catalog::{Catalog, Component, ComponentIx};
use base::hash::HashMap;
use base::{FileId, Finding, Place};
use claims::prose::{self, FactName};
use markdown::{Block, BlockKind, Text};
use version::{chart, chart_version, version};

mod value;
mod version;

/// A page that is about one component.
pub struct ComponentPage<'a> {
    pub file: FileId,
    pub lines: &'a [&'a str],
    pub blocks: &'a [Block],
    /// By position.
    pub component: ComponentIx,
}

/// The facts that pages are compared with.
pub struct Truth<'a> {
    pub catalog: &'a Catalog,
    pub lookup: &'a Lookup<'a>,
    /// Whether one component needs another, at any distance.
    pub needs: &'a (dyn Fn(ComponentIx, ComponentIx) -> bool + Sync),
}

/// Headings below which a statement is about the component as a whole.
const WHOLE: &[&str] = &[
    "overview",
    "about",
    "summary",
    "details",
    "at a glance",
    "properties",
    "facts",
    "general",
    "general information",
    "deployment",
    "information",
    "metadata",
    "access",
    "configuration",
    "endpoints",
    "exposure",
    "image",
    "installation",
    "networking",
    "network",
    "ports",
    "replicas",
    "resources",
    "scaling",
    "service",
    "setup",
    "url",
    "urls",
    "version",
];
const DEPENDENCIES: &[&str] = &[
    "dependencies",
    "depends on",
    "upstream dependencies",
    "upstream",
];

/// A longer list of dependencies is about something else.
const MOST_LISTED: usize = 100;

/// The section that a block belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DriftScope {
    Whole,
    Dependencies,
    Other,
}

/// A statement on a page, not yet compared.
struct PageStatement<'p> {
    label: String,
    value: &'p str,
    line: u32,
}

/// Findings for statements that contradict the manifests.
pub fn compare(page: &ComponentPage<'_>, truth: &Truth<'_>) -> Vec<Finding> {
    let component = &truth.catalog.components[page.component];
    let mut findings = Vec::new();
    let mut part = DriftScope::Whole;
    let mut listed = 0;
    for block in page.blocks {
        match &block.kind {
            BlockKind::Heading { level, text } => part = below(*level, &text.plain),
            BlockKind::Row {
                cells,
                is_head: false,
            } if part == DriftScope::Whole && cells.len() == 2 => {
                let statement = PageStatement {
                    label: cells[0].plain.trim().trim_end_matches(':').to_lowercase(),
                    value: cells[1].plain.trim(),
                    line: block.line,
                };
                findings.extend(differs(page, component, &statement));
            }
            BlockKind::Paragraph(text) | BlockKind::Item { text, .. }
                if part == DriftScope::Whole =>
            {
                for statement in labelled(text, block.line) {
                    findings.extend(differs(page, component, &statement));
                }
                findings.extend(stated(page, truth, text, block.line));
            }
            BlockKind::Item { text, .. }
                if part == DriftScope::Dependencies && block.depth == 1 && listed < MOST_LISTED =>
            {
                listed += 1;
                findings.extend(depends(page, truth, text, block.line));
            }
            _ => {}
        }
    }
    findings
}

fn below(level: u8, title: &str) -> DriftScope {
    let title = title.trim().to_lowercase();
    let title = title.trim_matches(|c: char| !c.is_alphanumeric());
    match level {
        1 => DriftScope::Whole,
        _ if DEPENDENCIES.contains(&title) => DriftScope::Dependencies,
        2 if WHOLE.contains(&title) => DriftScope::Whole,
        _ => DriftScope::Other,
    }
}

/// Labels that state a fact also where they are not bold.
const LABELS: &[&str] = &[
    "namespace",
    "chart version",
    "helm chart version",
    "app version",
    "image",
    "container image",
    "image tag",
    "port",
    "container port",
    "service port",
    "replicas",
    "memory limit",
    "memory request",
    "cpu limit",
    "cpu request",
    "url",
    "host",
    "hostname",
];

/// What requests and limits are called, with their keys.
const RESOURCES: &[(&str, &str, &str)] = &[
    ("memory limit", "limits.memory", "memory limit"),
    ("limits.memory", "limits.memory", "memory limit"),
    ("memory request", "requests.memory", "memory request"),
    ("requests.memory", "requests.memory", "memory request"),
    ("cpu limit", "limits.cpu", "CPU limit"),
    ("limits.cpu", "limits.cpu", "CPU limit"),
    ("cpu request", "requests.cpu", "CPU request"),
    ("requests.cpu", "requests.cpu", "CPU request"),
];

/// Lines that begin with a bold label, `**Namespace:** shop`, or with one that can mean nothing else.
fn labelled(text: &Text, line: u32) -> Vec<PageStatement<'_>> {
    let mut statements = Vec::new();
    let bold: HashMap<usize, usize> = text.strong.iter().map(|r| (r.start, r.end)).collect();
    let mut start = 0;
    for (number, own) in text.plain.split('\n').enumerate() {
        let end = bold.get(&start).copied();
        if let Some(end) = end.filter(|end| *end <= start + own.len()) {
            let label = &text.plain[start..end];
            let rest = &text.plain[end..start + own.len()];
            if label.ends_with(':') || rest.trim_start().starts_with(':') {
                statements.push(PageStatement {
                    label: label.trim_end_matches(':').trim().to_lowercase(),
                    value: rest.trim_start().trim_start_matches(':').trim(),
                    line: line + number as u32,
                });
            }
        } else if let Some((label, value)) = own.split_once(": ") {
            let label = label.trim().to_lowercase();
            if LABELS.contains(&label.as_str()) {
                statements.push(PageStatement {
                    label,
                    value: value.trim(),
                    line: line + number as u32,
                });
            }
        }
        start += own.len() + 1;
    }
    statements
}

fn differs(
    page: &ComponentPage<'_>,
    component: &Component,
    stated: &PageStatement<'_>,
) -> Option<Finding> {
    // A value of several is not one that could be wrong as a whole.
    let (what, truth) = match stated.label.as_str() {
        "namespace" => ("namespace", namespace(component, stated.value)?),
        "chart version" | "helm chart version" => {
            ("chart version", chart_version(component, stated.value)?)
        }
        "chart" | "helm chart" | "type" => ("chart version", chart(component, stated.value)?),
        "version" | "app version" => ("version", version(component, stated.value)?),
        "port" | "container port" | "service port" => ("port", port(component, stated.value)?),
        "image" | "container image" | "docker image" => {
            ("image tag", value::image(component, stated.value)?)
        }
        "image tag" | "tag" => ("image tag", version(component, stated.value)?),
        "url" | "host" | "hostname" | "address" | "domain" | "ingress" => {
            ("address", value::address(component, stated.value)?)
        }
        "replicas" | "replica count" => {
            let said = stated.value.split(' ').next().unwrap_or_default();
            ("number of replicas", value::replicas(component, said)?)
        }
        label if RESOURCES.iter().any(|(known, ..)| *known == label) => {
            let (_, key, what) = RESOURCES.iter().find(|(known, ..)| *known == label)?;
            (*what, value::resource(component, key, stated.value)?)
        }
        "storage" | "volume" | "volume size" | "disk" | "disk size" | "storage size" => (
            "size of the volume",
            value::storage(component, stated.value)?,
        ),
        _ => return None,
    };
    let said = stated.value;
    Some(finding(
        page,
        stated.line,
        said,
        &format!("the page says the {what} is `{said}`, but the manifests say {truth}"),
    ))
}

fn finding(page: &ComponentPage<'_>, line: u32, said: &str, message: &str) -> Finding {
    let text = page.lines.get(line.saturating_sub(1) as usize);
    let text = text.copied().unwrap_or_default();
    let before = text.find(said).map_or("", |at| &text[..at]);
    let place = Place {
        file: page.file,
        line,
        column: before.chars().count() as u32 + 1,
        len: said.chars().count() as u32,
    };
    Finding::warning("prose-drift", place, message).help(
        "correct the page, or remove the fact: the component's page shows it from the manifests",
    )
}

fn namespace(component: &Component, said: &str) -> Option<String> {
    let is_name = !said.is_empty()
        && said
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    let is_given = |own: &SmolStr| own == said;
    let mut resources = component.resources.iter().map(|resource| &resource.id);
    let agrees = is_given(&component.namespace)
        || component
            .unit
            .as_ref()
            .is_some_and(|unit| is_given(&unit.namespace))
        || component
            .workloads
            .iter()
            .any(|workload| is_given(&workload.namespace))
        || resources
            .any(|id| is_given(&id.namespace) || id.kind == "Namespace" && is_given(&id.name))
        || is_set(component, said);
    let known = !component.namespace.is_empty() && !component.namespace.contains('$');
    (is_name && known && !agrees).then(|| format!("`{}`", component.namespace))
}

/// Whether some setting has this value: then the manifests know of it.
fn is_set(component: &Component, said: &str) -> bool {
    let values = component
        .settings
        .iter()
        .flat_map(|setting| setting.values.iter());
    let mut values = values.filter_map(|(_, value)| value.value.as_deref());
    values.any(|value| value == said)
}

fn port(component: &Component, said: &str) -> Option<String> {
    let said = said.split(['/', ' ']).next().unwrap_or_default();
    let is_port = said.parse::<u16>().is_ok();
    // Ports opened by a chart are not in the manifests.
    let ports: Vec<&str> = component
        .ports
        .iter()
        .filter_map(|port| opened(port))
        .collect();
    let is_known =
        component.chart.is_none() && !component.workloads.is_empty() && !ports.is_empty();
    (is_port && is_known && !ports.contains(&said) && !is_set(component, said))
        .then(|| listed(&ports))
}

/// The number of `http 8080/TCP`.
fn opened(port: &str) -> Option<&str> {
    let number = port.rsplit(' ').next()?.split('/').next()?;
    number.parse::<u16>().ok().map(|_| number)
}

/// Facts in sentences about the component itself.
fn stated(page: &ComponentPage<'_>, truth: &Truth<'_>, text: &Text, line: u32) -> Vec<Finding> {
    let component = &truth.catalog.components[page.component];
    let names = [component.title.as_str(), component.id.0.as_str()];
    let facts = prose::facts(text, &names).into_iter();
    let findings = facts.filter_map(|fact| {
        let line = line + text.plain[..fact.at].matches('\n').count() as u32;
        let said = fact.value;
        let (what, own) = match fact.what {
            FactName::Namespace => ("it runs in the namespace", namespace(component, said)?),
            FactName::Port => ("it listens on port", port(component, said)?),
            FactName::Version => ("the version is", version(component, said)?),
            FactName::ChartVersion => ("the chart version is", chart_version(component, said)?),
            FactName::Image => ("the image is", value::image(component, said)?),
            FactName::Address => ("it is available at", value::address(component, said)?),
            FactName::Replicas => (
                "the number of replicas is",
                value::replicas(component, said)?,
            ),
            FactName::MemoryLimit => (
                "the memory limit is",
                value::resource(component, "limits.memory", said)?,
            ),
            FactName::MemoryRequest => (
                "the memory request is",
                value::resource(component, "requests.memory", said)?,
            ),
            FactName::CpuLimit => (
                "the CPU limit is",
                value::resource(component, "limits.cpu", said)?,
            ),
            FactName::CpuRequest => (
                "the CPU request is",
                value::resource(component, "requests.cpu", said)?,
            ),
            FactName::Storage => (
                "the size of the volume is",
                value::storage(component, said)?,
            ),
            FactName::DependsOn => return dependency(page, truth, said, line),
        };
        let message = format!("the page says {what} `{said}`, but the manifests say {own}");
        Some(finding(page, line, said, &message))
    });
    findings.collect()
}

/// An entry of a list of dependencies that names a component which the manifests do not show it to need.
fn depends(page: &ComponentPage<'_>, truth: &Truth<'_>, text: &Text, line: u32) -> Option<Finding> {
    let first = text.code.iter().find(|range| range.start == 0);
    let linked = text
        .links
        .iter()
        .map(|(range, _)| range)
        .find(|range| range.start == 0);
    let strong = text.strong.iter().find(|range| range.start == 0);
    // `- Redis (cache)`, `- Redis: sessions`
    let bare = || {
        let end = text
            .plain
            .find(['(', ':', '\u{2014}', '\u{2013}', '\n', ',']);
        let words = text.plain[..end.unwrap_or(text.plain.len())].trim();
        (words.split(' ').count() <= 3).then_some(words)
    };
    let marked = first.or(linked).or(strong);
    let name = marked
        .map(|range| &text.plain[range.clone()])
        .or_else(bare)?;
    let name = name.trim_end_matches(':').trim();
    dependency(page, truth, name, line)
}

/// A component that the page says to need, and the manifests do not.
fn dependency(
    page: &ComponentPage<'_>,
    truth: &Truth<'_>,
    name: &str,
    line: u32,
) -> Option<Finding> {
    let other = truth
        .lookup
        .component(name)
        .filter(|other| *other != page.component)?;
    if (truth.needs)(page.component, other) {
        return None;
    }
    let (own, id) = (
        &truth.catalog.components[page.component],
        &truth.catalog.components[other].id.0,
    );
    let is_reversed = (truth.needs)(other, page.component);
    let message = if is_reversed {
        format!("the page says it depends on `{id}`, but in the manifests `{id}` depends on it")
    } else {
        format!(
            "the page says it depends on `{id}`, but nothing in the manifests of `{}` does",
            own.id.0
        )
    };
    let finding = finding(page, line, name, &message);
    Some(if is_reversed {
        finding
    } else {
        Finding::info("prose-drift", finding.place, message)
            .help("correct the page, or declare the dependency in the manifests (for example with `dependsOn`) so that they start in order")
    })
}

fn listed(values: &[&str]) -> String {
    let quoted: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
    quoted.join(" and ")
}
