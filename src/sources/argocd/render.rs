//! Renders charts in the repo for Applications. What cannot be rendered is reported, and the rest is kept.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use super::super::local_package::LocalPackages;
use super::super::rendered_chart::{ChartPlaces, is_installed, resources};
use super::super::{Expanded, ReadContext};
use super::chart_tree::Templates;
use crate::facts::Resource;
use base::{FileId, Finding, Place};
use helm::{Capabilities, ChartFault, ChartRelease, Data, FaultKind, Flavour};

/// Which objects of a chart are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    Everything,
    /// Only Applications: the chart is installed by hand.
    Applications,
}

/// A chart as it is installed.
pub struct Render<'r> {
    /// Release name that Helm uses.
    pub release: SmolStr,
    pub namespace: SmolStr,
    pub tree: &'r Templates,
    pub given: &'r Data,
    pub wanted: Wanted,
}

impl Render<'_> {
    pub fn all(&self, context: &ReadContext<'_>, expanded: &mut Expanded) {
        let tree = self.tree;
        if self.wanted == Wanted::Applications && !tree.makes_any() {
            return;
        }
        let repo = context.facts.repo;
        let top = tree.charts.first();
        let Some(file) = top.and_then(|top| repo.file_in(&top.directory, "Chart.yaml")) else {
            return;
        };
        expanded.files.extend(tree.files(repo));
        let local = match context.memo::<LocalPackages>().package(context, file) {
            Ok(local) => local,
            Err(why) => {
                expanded.is_partial = true;
                expanded.findings.push(unrendered(file, 1, &why));
                return;
            }
        };
        if self.wanted == Wanted::Everything {
            expanded.files.extend(&local.files);
        }
        let release = ChartRelease {
            name: self.release.clone(),
            namespace: self.namespace.clone(),
            flavour: Flavour::Helm4,
        };
        let capabilities = Capabilities::offline(Flavour::Helm4);
        let rendered = helm::render(&local.package, self.given, &release, &capabilities);
        let mut seen: BTreeSet<[SmolStr; 4]> = expanded.resources.iter().map(identity).collect();
        let mut nameless = Vec::new();
        for manifest in &rendered.manifests {
            if !is_installed(manifest, false) {
                continue;
            }
            let template = local.template(&manifest.template).unwrap_or(file);
            let places = ChartPlaces {
                template: &|line, column| Place {
                    column,
                    ..Place::start_of_line(template, line)
                },
                value: &|_| None,
                hidden: &|_, _, _| {},
            };
            for (resource, line) in resources(manifest, &places) {
                let is_application = resource.id.group == super::GROUP;
                if self.wanted == Wanted::Applications && !is_application {
                    continue;
                }
                if is_application && resource.id.name.is_empty() {
                    nameless.push((template, line));
                } else if seen.insert(identity(&resource)) {
                    expanded.resources.push(resource);
                }
            }
        }
        for (template, line) in nameless {
            expanded.is_partial = true;
            let why = "one of them has no name";
            expanded.findings.push(unfollowed(template, line, why));
        }
        let faults = rendered.faults.iter().filter(|fault| is_reported(fault));
        let place = |fault: &ChartFault| {
            let template = local.template(&fault.template).unwrap_or(file);
            (template, fault.line.unwrap_or(1))
        };
        let makes = |fault: &&ChartFault| {
            let mut making = tree.making.iter().flatten();
            making.any(|making| *making == place(fault).0)
        };
        let (making, others): (Vec<&ChartFault>, Vec<&ChartFault>) = faults.partition(makes);
        for fault in making {
            let (template, line) = place(fault);
            expanded.is_partial = true;
            let why = reason(fault);
            expanded.findings.push(unfollowed(template, line, why));
        }
        // One finding for a chart: its templates usually fail for the same reason.
        if let Some(fault) = others.first().filter(|_| self.wanted == Wanted::Everything) {
            let (template, line) = place(fault);
            let why = reason(fault);
            expanded.findings.push(unrendered(template, line, why));
        }
    }
}

fn identity(resource: &Resource) -> [SmolStr; 4] {
    let id = &resource.id;
    [&id.group, &id.kind, &id.namespace, &id.name].map(SmolStr::clone)
}

/// Whether a fault says that objects are missing. The version of Kubernetes is not known, and a subchart that is not here
/// is reported by what includes it.
fn is_reported(fault: &ChartFault) -> bool {
    !matches!(
        fault.kind,
        FaultKind::Chart | FaultKind::MissingSubchart | FaultKind::Schema
    )
}

/// The last part of Helm's message: what is wrong, without the templates that lead there.
fn reason(fault: &ChartFault) -> &str {
    let first = fault.message.lines().next().unwrap_or_default();
    first.rsplit(": ").next().unwrap_or(first)
}

fn unfollowed(file: FileId, line: u32, why: &str) -> Finding {
    let message =
        format!("the Applications from this template are missing from the catalogue: {why}");
    left_out(file, line, message)
}

fn unrendered(file: FileId, line: u32, why: &str) -> Finding {
    let message = format!("some objects of this chart are missing from the catalogue: {why}");
    left_out(file, line, message)
}

pub fn left_out(file: FileId, line: u32, message: String) -> Finding {
    Finding::info(
        "template-unfollowed",
        Place::start_of_line(file, line),
        message,
    )
    .help("no action needed: Argo CD still creates what is missing from the catalogue")
}
