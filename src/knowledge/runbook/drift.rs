//! Compares a page's statements about its component with the manifests: namespace, version, port and dependencies. Only
//! unambiguous statements count. A statement that matches any environment is right.

use smol_str::SmolStr;

use super::authored::Lookup;
use crate::catalog::{Catalog, Component, ComponentIx};
use base::hash::HashMap;
use base::text::last_part;
use base::{FileId, Finding, Place};
use markdown::{Block, BlockKind, Text};

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
                findings.extend(listens(page, component, text, block.line));
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

/// Lines that begin with a bold label: `**Namespace:** shop`.
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
        "port" => ("port", port(component, stated.value)?),
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

fn chart_version(component: &Component, said: &str) -> Option<String> {
    let said = number(said)?;
    let versions = versions(component);
    let agrees = versions.iter().any(|own| same(own, said));
    // A range says which versions are allowed, not which one it is.
    let exact = !versions.is_empty() && versions.iter().all(|own| number(own).is_some());
    (exact && !agrees && !is_set(component, said)).then(|| listed(&versions))
}

/// `external-secrets v0.10.7`, with or without words around it.
fn chart(component: &Component, said: &str) -> Option<String> {
    let name = component.chart.as_ref()?.name.as_str();
    let words = || said.split(|c: char| c.is_whitespace() || "(),:@".contains(c));
    if !words().any(|word| word == name) {
        return None;
    }
    let mut numbers = words().filter_map(number);
    let version = numbers.next().filter(|_| numbers.next().is_none())?;
    chart_version(component, version)
}

/// A version without a word of what: of the one image, or of the chart where it can hardly be another's.
fn version(component: &Component, said: &str) -> Option<String> {
    let said = number(said)?;
    let tags: Vec<&str> = component
        .images
        .iter()
        .filter_map(|image| tag(image))
        .collect();
    let charts = versions(component);
    let known = tags.iter().copied().chain(charts.iter().copied());
    if known.clone().any(|own| same(own, said)) || is_set(component, said) {
        return None;
    }
    match (charts.as_slice(), tags.as_slice()) {
        ([], []) => None,
        ([], tags) => {
            let exact = component.images.len() == tags.len()
                && tags.iter().all(|tag| number(tag).is_some());
            let mut names = component.images.iter().map(|image| name(image));
            let first = names.next();
            let is_one = names.all(|other| Some(other) == first);
            (exact && is_one).then(|| listed(tags))
        }
        (charts, _) => {
            // An application counts its versions differently from its chart; where both begin alike, it is the chart's.
            let parts = |text: &str| -> Vec<String> {
                text.trim_start_matches('v')
                    .split('.')
                    .map(str::to_owned)
                    .collect()
            };
            let alike = |own: &&str| {
                let (own, said) = (parts(own), parts(said));
                own.len() == said.len() && own.first() == said.first()
            };
            let exact = charts.iter().all(|own| number(own).is_some());
            (exact && charts.iter().all(alike)).then(|| format!("{} for the chart", listed(charts)))
        }
    }
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

/// `listens on port 8080`, of the component itself.
fn listens(
    page: &ComponentPage<'_>,
    component: &Component,
    text: &Text,
    line: u32,
) -> Option<Finding> {
    const SAID: &str = "listens on port ";
    let at = text.plain.find(SAID)?;
    let rest = &text.plain[at + SAID.len()..];
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let said = &rest[..end];
    let truth = port(component, said)?;
    let line = line + text.plain[..at].matches('\n').count() as u32;
    Some(finding(
        page,
        line,
        said,
        &format!("the page says it listens on port `{said}`, but the manifests say {truth}"),
    ))
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
    let name = first
        .or(linked)
        .or(strong)
        .map(|range| &text.plain[range.clone()])?;
    let name = name.trim_end_matches(':').trim();
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

/// The versions of its chart, each once.
fn versions(component: &Component) -> Vec<&str> {
    let all = component
        .environments
        .iter()
        .filter_map(|environment| environment.chart_version.as_deref());
    let chart = component
        .chart
        .as_ref()
        .and_then(|chart| chart.version.as_deref());
    let more = component.more_charts.iter();
    let more = more.filter_map(|chart| chart.version.as_deref());
    let mut versions: Vec<&str> = all.chain(chart).chain(more).collect();
    versions.sort_unstable();
    versions.dedup();
    versions
}

/// A version of numbers, if a text is one.
fn number(text: &str) -> Option<&str> {
    let text = text.trim().trim_matches('`');
    let digits = text.strip_prefix('v').unwrap_or(text);
    let is_version = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.contains('.')
        && digits
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || ".-+".contains(c))
        && !digits.contains(".x")
        && !digits.ends_with('.');
    is_version.then_some(text)
}

/// `v1.2.0` and `1.2.0` are one, and `1.2` is true of both.
fn same(own: &str, said: &str) -> bool {
    let (own, said) = (own.trim_start_matches('v'), said.trim_start_matches('v'));
    let rest = own.strip_prefix(said);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '+', '@']))
}

fn tag(image: &str) -> Option<&str> {
    let image = image.split('@').next().unwrap_or(image);
    last_part(image).split_once(':').map(|(_, tag)| tag)
}

fn name(image: &str) -> &str {
    let image = image.split('@').next().unwrap_or(image);
    tag(image).map_or(image, |tag| {
        image[..image.len() - tag.len()].trim_end_matches(':')
    })
}

fn listed(values: &[&str]) -> String {
    let quoted: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
    quoted.join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_agree_as_far_as_they_go() {
        assert!(
            same("0.10.7", "v0.10.7") && same("v1.2.3", "1.2") && same("1.2.3-alpine", "1.2.3")
        );
        assert!(!same("1.20.3", "1.2") && !same("1.2", "1.2.3"));
        assert_eq!(number("1.x"), None);
        assert_eq!(number("latest"), None);
        assert_eq!(number("~1.2"), None);
        assert_eq!(number("v1.2.3"), Some("v1.2.3"));
    }

    #[test]
    fn images_have_names_and_tags() {
        assert_eq!(tag("registry:5000/a/b:1.2@sha256:x"), Some("1.2"));
        assert_eq!(name("registry:5000/a/b:1.2"), "registry:5000/a/b");
        assert_eq!(tag("registry:5000/a/b"), None);
    }
}
