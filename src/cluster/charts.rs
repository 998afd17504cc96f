//! The objects of the charts that units install. Charts in the repo are read from their directories, published ones from
//! where `catalog fetch` put them; the Helm engine renders both. Uses no network.

mod digest;
mod noted;
mod stated;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use smol_str::{SmolStr, format_smolstr};

pub use self::digest::ObjectDigest;
use self::stated::{add_stated, describe, namespace_of};
use super::build::Builder;
use super::chart_request::{ChartLocation, ChartLocator};
use super::unit::Applied;
use crate::facts::{CrdsOnUpgrade, MARKER, Release, Resource, Unit, UnitChart};
use crate::sources::local_package::{LocalPackage, LocalPackages};
use crate::sources::rendered_chart::{self, ChartPlaces};
use base::{Effect, FileId, Finding, Place};
use helm::{Capabilities, ChartRelease, Data, FaultKind, Flavour, Package, ValuePath};
use yaml::Node;

/// Maximum number of unknown values that are reported for a release.
const MOST_UNKNOWN: usize = 20;

/// What the charts of a unit yield.
#[derive(Debug, Default)]
pub struct ChartObjects {
    pub applied: Applied,
    /// For each release of the unit, in their order; none if it names no chart.
    pub charts: Vec<Option<ReadChart>>,
}

/// What is known of a chart that a unit installs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadChart {
    /// What it says of itself; none if it was not read.
    pub metadata: Option<Arc<ChartMetadata>>,
    pub coverage: Coverage,
    /// API versions that its templates asked for, and that clusters do not have by themselves.
    pub asked: BTreeSet<SmolStr>,
}

/// What a chart says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChartMetadata {
    pub name: SmolStr,
    pub version: SmolStr,
    pub app_version: Option<SmolStr>,
    pub description: Option<SmolStr>,
    pub home: Option<SmolStr>,
    pub icon: Option<SmolStr>,
    pub sources: Vec<SmolStr>,
}

/// How much of what a chart yields is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Coverage {
    Whole,
    /// Not all of it, for this reason.
    Part(SmolStr),
    /// Nothing, for this reason.
    Nothing(SmolStr),
}

/// The line of a chart's template that wrote an object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TemplateLine {
    /// The name and the version of the chart.
    pub chart: SmolStr,
    /// The path of the template, beginning with the name of the chart.
    pub template: SmolStr,
    pub line: u32,
    /// The template, if the chart is in the repo.
    pub file: Option<FileId>,
}

impl ChartObjects {
    /// Whether a chart was rendered, be it in part.
    pub fn is_rendered(&self) -> bool {
        let mut charts = self.charts.iter().flatten();
        let mut objects = self.applied.objects.iter();
        charts.any(|chart| chart.metadata.is_some())
            && objects.any(|object| object.template.is_some())
    }

    /// Whether all that its charts yield is among its objects.
    pub fn is_whole(&self) -> bool {
        let mut charts = self.charts.iter().flatten().peekable();
        charts.peek().is_some() && charts.all(|chart| chart.coverage == Coverage::Whole)
    }
}

/// A chart that was read.
enum ChartPackage {
    Local(Arc<LocalPackage>),
    Published(Arc<Package>),
}

impl ChartPackage {
    fn package(&self) -> &Arc<Package> {
        match self {
            ChartPackage::Local(local) => &local.package,
            ChartPackage::Published(package) => package,
        }
    }
}

/// Renders the charts of a unit, for a cluster with these API versions besides those that every cluster has. None if it
/// has none.
pub fn render(
    builder: &Builder<'_>,
    locator: &ChartLocator<'_>,
    unit: &Unit,
    served: Option<&BTreeSet<SmolStr>>,
) -> Option<ChartObjects> {
    let mut yielded = ChartObjects::default();
    for (release, _) in unit.releases() {
        let read = release.chart.as_ref().and_then(|chart| {
            let found = find(builder, locator, unit, chart)?;
            let package = match found {
                Ok(package) => package,
                Err(why) => {
                    add_stated(builder, release, chart, &mut yielded.applied);
                    return Some(ReadChart {
                        metadata: None,
                        coverage: Coverage::Nothing(why),
                        asked: BTreeSet::new(),
                    });
                }
            };
            let job = RenderJob {
                builder,
                unit,
                release,
                chart,
                package: &package,
                served,
            };
            let read = job.render(&mut yielded.applied);
            if read.coverage != Coverage::Whole {
                add_stated(builder, release, chart, &mut yielded.applied);
            }
            Some(read)
        });
        yielded.charts.push(read);
    }
    let has_some = yielded.charts.iter().any(Option::is_some);
    has_some.then_some(yielded)
}

/// The chart of a release, or why it is not known. None if another stage reads or reports it.
fn find(
    builder: &Builder<'_>,
    locator: &ChartLocator<'_>,
    unit: &Unit,
    chart: &UnitChart,
) -> Option<Result<ChartPackage, SmolStr>> {
    let location = match locator.locate(chart)? {
        Ok(location) => location,
        Err(gap) => return Some(Err(format_smolstr!("{gap}"))),
    };
    Some(match location {
        // Its unit expands it.
        ChartLocation::Here(_) if unit.template.is_some() => return None,
        ChartLocation::Here(file) => {
            let package = builder
                .context()
                .memo::<LocalPackages>()
                .package(builder.context(), file);
            package.map(ChartPackage::Local)
        }
        ChartLocation::Published(request) => {
            let package = builder.repo().charts().package(&request);
            let package = package.map(ChartPackage::Published);
            package.map_err(|error| format_smolstr!("{error}"))
        }
    })
}

/// Rendering one release.
struct RenderJob<'r> {
    builder: &'r Builder<'r>,
    unit: &'r Unit,
    release: &'r Release,
    chart: &'r UnitChart,
    package: &'r ChartPackage,
    served: Option<&'r BTreeSet<SmolStr>>,
}

impl RenderJob<'_> {
    fn render(&self, applied: &mut Applied) -> ReadChart {
        let package = self.package.package();
        let release = self.release;
        let namespace = namespace_of(release);
        let values = self.values();
        let mut capabilities = Capabilities::offline(self.flavour());
        let served = self.served.into_iter().flatten();
        capabilities.api_versions.extend(served.cloned());
        let rendered = helm::render(
            package,
            &values,
            &ChartRelease {
                name: release.name.clone(),
                namespace: namespace.clone(),
                flavour: self.flavour(),
            },
            &capabilities,
        );
        let metadata = Arc::new(metadata(package));
        let name = format_smolstr!("{} {}", metadata.name, metadata.version);
        let mut resources: Vec<Resource> = Vec::new();
        let mut lines = Vec::new();
        let mut has_crds = false;
        let hidden = RefCell::new(Vec::new());
        for manifest in &rendered.manifests {
            if !rendered_chart::is_installed(manifest, release.skips_crds) {
                continue;
            }
            has_crds |= manifest.role == helm::Role::Crd;
            let places = ChartPlaces {
                template: &|line, column| self.place(manifest, line, column),
                value: &|values| self.value_place(values),
                hidden: &|values, before, after| {
                    let places = values
                        .iter()
                        .filter_map(|it| self.hidden(it, before, after));
                    hidden.borrow_mut().extend(places);
                },
            };
            for (resource, line) in rendered_chart::resources(manifest, &places) {
                lines.push((
                    resource.id.clone(),
                    Arc::new(TemplateLine {
                        chart: name.clone(),
                        template: manifest.template.clone(),
                        line,
                        file: self.file(&manifest.template),
                    }),
                ));
                resources.push(resource);
            }
        }
        let mut described = describe(
            self.builder,
            &release.changes,
            (&resources, &namespace),
            self.chart.place,
            lines,
        );
        described.hidden = hidden.into_inner();
        applied.join(described);
        if let ChartPackage::Local(local) = self.package {
            applied.files.extend(&local.files);
        }
        let coverage = self.coverage(&rendered.faults);
        applied.is_partial |= coverage != Coverage::Whole;
        applied.findings.extend(self.findings(&rendered.faults));
        applied.findings.extend(self.unknown_values(&values));
        applied
            .findings
            .extend(self.kept_crds().filter(|_| has_crds));
        ReadChart {
            metadata: Some(metadata),
            coverage,
            asked: rendered.asked.missing,
        }
    }

    /// All values that the release is given, later ones over earlier ones.
    fn values(&self) -> Data {
        let mut merged = Data::map();
        for values in &self.release.values {
            merged.merge(&Data::from_node(values));
        }
        merged
    }

    /// The library of Helm that the reconciler uses.
    fn flavour(&self) -> Flavour {
        if self.unit.is_program() {
            Flavour::Helm3
        } else {
            Flavour::Helm4
        }
    }

    /// Where a line of a template is; for a chart that is not in the repo, where the chart is named.
    fn place(&self, manifest: &helm::RenderedManifest, line: u32, column: u32) -> Place {
        let file = self.file(&manifest.template);
        let there = |file| Place {
            column,
            ..Place::start_of_line(file, line)
        };
        file.map_or(self.chart.place, there)
    }

    /// Where the release states the last of some values: the tag of an image comes after its name.
    fn value_place(&self, values: &[ValuePath]) -> Option<Place> {
        let mut stated = values.iter().rev();
        stated.find_map(|path| self.stated_at(path))
    }

    /// Where the release states a value, if that is in a file.
    fn stated_at(&self, path: &[SmolStr]) -> Option<Place> {
        self.stated(path).map(|node| node.place)
    }

    fn stated(&self, path: &[SmolStr]) -> Option<&Node> {
        let keys: Vec<&str> = path.iter().map(SmolStr::as_str).collect();
        let mut documents = self.release.values.iter().rev();
        let found = documents.find_map(|document| found_at(document, &keys));
        found.filter(|node| node.place.file != FileId::NONE)
    }

    /// Where the release states a value that a chart writes where it is hidden: it was in the text, and is no longer.
    fn hidden(&self, path: &[SmolStr], before: &str, after: &str) -> Option<Place> {
        let node = self.stated(path)?;
        let value = node.text()?;
        let is_hidden = before.contains(value) && !after.contains(value);
        (is_hidden && secret::is_usable(value)).then_some(node.place)
    }

    /// Values that nothing in the chart reads.
    fn unknown_values(&self, values: &Data) -> Vec<Finding> {
        let package = self.package.package();
        let name = &package.metadata.name;
        let unknown = package.unknown_values(values).into_iter();
        let findings = unknown.filter_map(|unknown| {
            let place = self.stated_at(&unknown.path)?;
            let path = unknown.path.join(".");
            let message =
                format!("the chart `{name}` has no value `{path}`: setting it has no effect");
            let help = match &unknown.nearest {
                Some(nearest) => format!("did you mean `{}`?", nearest.join(".")),
                None => "remove it, or correct its name".to_owned(),
            };
            Some(Finding::warning("values-unknown", place, message).help(help))
        });
        findings.take(MOST_UNKNOWN).collect()
    }

    /// The CRDs in `crds/` stay as they were first installed.
    fn kept_crds(&self) -> impl Iterator<Item = Finding> {
        let is_kept = self.release.crds_on_upgrade == CrdsOnUpgrade::Kept;
        let name = &self.package.package().metadata.name;
        let message = format!(
            "upgrades of the chart `{name}` leave CRDs that exist as they are: they stay at the version that was \
             installed first"
        );
        let finding = Finding::info("chart-crds-not-upgraded", self.chart.place, message)
            .help("set `upgrade.crds: CreateReplace`, if nothing else upgrades them");
        is_kept.then_some(finding).into_iter()
    }

    /// The file of a template, if the chart is in the repo.
    fn file(&self, template: &str) -> Option<FileId> {
        match self.package {
            ChartPackage::Local(local) => local.template(template),
            ChartPackage::Published(_) => None,
        }
    }

    fn coverage(&self, faults: &[helm::ChartFault]) -> Coverage {
        let fault = faults.iter().find(|fault| !is_about_version(fault));
        if let Some(fault) = fault {
            return Coverage::Part(fault.message.as_str().into());
        }
        if self.release.has_more_values {
            return Coverage::Part("some of its values are not in the repository".into());
        }
        if let Some(variable) = self.release.values.iter().find_map(|it| unset_value(it)) {
            let why = format_smolstr!("one of its values is `{variable}`, which no file sets");
            return Coverage::Part(why);
        }
        Coverage::Whole
    }

    /// What Helm would say, if it is certain that it would.
    fn findings(&self, faults: &[helm::ChartFault]) -> Option<Finding> {
        let is_known = !self.release.has_more_values
            && !self.release.values.iter().any(|values| is_open(values));
        let telling = faults.iter().find(|fault| {
            matches!(
                fault.kind,
                FaultKind::Template | FaultKind::Yaml | FaultKind::Schema | FaultKind::Limit
            )
        })?;
        let template = self.file(&telling.template).zip(telling.line);
        let place = template.map_or(self.chart.place, |(file, line)| {
            Place::start_of_line(file, line)
        });
        let name = &self.package.package().metadata.name;
        let release = &self.release.name;
        let said = telling.message.trim_end();
        let message = match said.split_once('\n') {
            // The first line only says that something is wrong.
            Some((_, what)) if telling.kind == FaultKind::Schema => format!(
                "the schema of the chart `{name}` rejects the values of the release `{release}`: {}",
                what.trim()
            ),
            _ => {
                format!("the chart `{name}` cannot be rendered for the release `{release}`: {said}")
            }
        };
        let is_limit = telling.kind == FaultKind::Limit;
        let finding = match (telling.kind, is_known && !is_limit) {
            (FaultKind::Schema, true) => Finding::error("values-schema", place, message)
                .help("correct the values that the schema of the chart rejects"),
            (_, true) => Finding::error("chart-render-failed", place, message)
                .help("correct the values or the template; Helm fails in the same way"),
            (_, false) => Finding::info("chart-render-failed", place, message)
                .help("no action needed if values that are not in the repository prevent this"),
        };
        Some(finding.effect(Effect::Unsupported))
    }
}

/// The node at a path in which items of lists are numbered from zero.
fn found_at<'n>(document: &'n Node, path: &[&str]) -> Option<&'n Node> {
    path.iter()
        .try_fold(document, |node, step| match &node.value {
            yaml::Value::Seq(items) => items.get(step.parse::<usize>().ok()?),
            _ => node.get(step),
        })
}

/// Whether a fault is only about the version of Kubernetes, which no file states.
fn is_about_version(fault: &helm::ChartFault) -> bool {
    fault.kind == FaultKind::Chart && fault.message.contains("kubeVersion")
}

/// Whether a value is hidden, or has a variable that no file sets.
fn is_open(node: &Node) -> bool {
    match &node.value {
        yaml::Value::Scalar(scalar) => scalar.text.contains(MARKER) || scalar.text.contains("${"),
        yaml::Value::Seq(items) => items.iter().any(is_open),
        yaml::Value::Map(map) => map.0.iter().any(|entry| is_open(&entry.value)),
    }
}

/// A value that is a variable as a whole. What is only part of a text changes the text, and not which objects there are.
fn unset_value(node: &Node) -> Option<&str> {
    match &node.value {
        yaml::Value::Scalar(scalar) => {
            let text = scalar.text.as_str();
            let name = text.strip_prefix("${")?.strip_suffix('}')?;
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            (!name.is_empty() && name.chars().all(is_word)).then_some(text)
        }
        yaml::Value::Seq(items) => items.iter().find_map(unset_value),
        yaml::Value::Map(map) => map.0.iter().find_map(|entry| unset_value(&entry.value)),
    }
}

fn metadata(package: &Package) -> ChartMetadata {
    let all = &package.metadata.all;
    let text = |key: &str| {
        let text = all.get(key).and_then(Data::as_str)?.trim();
        (!text.is_empty()).then(|| SmolStr::from(text))
    };
    let sources = match all.get("sources") {
        Some(Data::List(items)) => items.iter().filter_map(Data::as_str).collect(),
        _ => Vec::new(),
    };
    let app_version = &package.metadata.app_version;
    ChartMetadata {
        name: package.metadata.name.clone(),
        version: package.metadata.version.clone(),
        app_version: (!app_version.is_empty()).then(|| app_version.clone()),
        description: text("description"),
        home: text("home"),
        icon: text("icon"),
        sources: sources.into_iter().map(SmolStr::from).collect(),
    }
}
