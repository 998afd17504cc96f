//! The objects of the charts that units install. Charts in the repo are read from their directories, published ones from
//! where `catalog fetch` put them; the Helm engine renders both. Uses no network.

use std::sync::Arc;

use smol_str::{SmolStr, format_smolstr};

use super::build::Builder;
use super::chart_request::{ChartLocation, ChartLocator};
use super::unit::{self, Applied, Objects};
use crate::facts::{Located, MARKER, Release, Resource, ResourceId, Unit, UnitChart};
use crate::sources::local_package::{LocalPackage, LocalPackages};
use crate::sources::rendered_chart;
use base::hash::HashMap;
use base::{Effect, FileId, Finding, Place};
use helm::{Capabilities, ChartRelease, Data, FaultKind, Flavour, Package};
use kustomize::{Assembly, BuildObject, Built};
use yaml::Node;

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
        charts.any(|chart| chart.metadata.is_some()) && !self.applied.objects.is_empty()
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

/// Renders the charts of a unit. None if it has none.
pub fn render(
    builder: &Builder<'_>,
    locator: &ChartLocator<'_>,
    unit: &Unit,
) -> Option<ChartObjects> {
    let mut yielded = ChartObjects::default();
    for (release, _) in unit.releases() {
        let read = release.chart.as_ref().and_then(|chart| {
            let found = find(builder, locator, unit, chart)?;
            let package = match found {
                Ok(package) => package,
                Err(why) => {
                    return Some(ReadChart {
                        metadata: None,
                        coverage: Coverage::Nothing(why),
                    });
                }
            };
            let job = RenderJob {
                builder,
                unit,
                release,
                chart,
                package: &package,
            };
            Some(job.render(&mut yielded.applied))
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
}

impl RenderJob<'_> {
    fn render(&self, applied: &mut Applied) -> ReadChart {
        let package = self.package.package();
        let release = self.release;
        let namespace = match release.target_namespace.as_str() {
            "" => "default".into(),
            _ => release.target_namespace.clone(),
        };
        let rendered = helm::render(
            package,
            &self.values(),
            &ChartRelease {
                name: release.name.clone(),
                namespace: namespace.clone(),
                flavour: self.flavour(),
            },
            &Capabilities::offline(self.flavour()),
        );
        let metadata = Arc::new(metadata(package));
        let name = format_smolstr!("{} {}", metadata.name, metadata.version);
        let mut resources: Vec<Resource> = Vec::new();
        let mut lines = Vec::new();
        for manifest in &rendered.manifests {
            if !rendered_chart::is_installed(manifest, release.skips_crds) {
                continue;
            }
            for (resource, line) in
                rendered_chart::resources(manifest, |line| self.place(manifest, line))
            {
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
        let described = self.describe(&resources, &namespace, lines);
        applied.join(described);
        if let ChartPackage::Local(local) = self.package {
            applied.files.extend(&local.files);
        }
        let coverage = self.coverage(&rendered.faults);
        applied.is_partial |= coverage != Coverage::Whole;
        applied.findings.extend(self.findings(&rendered.faults));
        ReadChart {
            metadata: Some(metadata),
            coverage,
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
    fn place(&self, manifest: &helm::RenderedManifest, line: u32) -> Place {
        let file = self.file(&manifest.template);
        file.map_or(self.chart.place, |file| at_line(file, line))
    }

    /// The file of a template, if the chart is in the repo.
    fn file(&self, template: &str) -> Option<FileId> {
        match self.package {
            ChartPackage::Local(local) => local.template(template),
            ChartPackage::Published(_) => None,
        }
    }

    fn describe(
        &self,
        resources: &[Resource],
        namespace: &SmolStr,
        lines: Vec<(ResourceId, Arc<TemplateLine>)>,
    ) -> Applied {
        let mut items: Vec<BuildObject> = resources.iter().map(BuildObject::new).collect();
        let namespace = Located {
            value: namespace.clone(),
            place: self.chart.place,
        };
        kustomize::default_namespace(&mut items, &namespace);
        let mut findings = Vec::new();
        for change in &self.release.changes {
            let assembly = Assembly {
                patches: change.patches.clone(),
                images: change.images.clone(),
                ..Assembly::default()
            };
            let changed = self.builder.change_objects(items, &assembly);
            items = changed.items;
            findings.extend(changed.findings);
        }
        let built = Built {
            items,
            findings,
            ..Built::default()
        };
        let mut applied = unit::describe_built(self.builder, built);
        mark(&mut applied.objects, lines);
        applied
    }

    fn coverage(&self, faults: &[helm::ChartFault]) -> Coverage {
        let fault = faults.iter().find(|fault| !is_about_version(fault));
        if let Some(fault) = fault {
            return Coverage::Part(fault.message.as_str().into());
        }
        if self.release.has_more_values {
            return Coverage::Part("some of its values are not in the repository".into());
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
        let place = template.map_or(self.chart.place, |(file, line)| at_line(file, line));
        let name = &self.package.package().metadata.name;
        let message = format!(
            "the chart `{name}` cannot be rendered for the release `{}`: {}",
            self.release.name,
            telling.message.trim_end()
        );
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

fn at_line(file: FileId, line: u32) -> Place {
    Place {
        line: line.max(1),
        ..Place::start_of(file)
    }
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

/// Notes in objects which lines of templates wrote them.
fn mark(objects: &mut Objects, lines: Vec<(ResourceId, Arc<TemplateLine>)>) {
    let mut lines: HashMap<(_, _, _), Arc<TemplateLine>> = lines
        .into_iter()
        .map(|(id, line)| ((id.group, id.kind, id.name), line))
        .collect();
    for object in objects {
        let id = &object.statement.id;
        let key = (id.group.clone(), id.kind.clone(), id.name.clone());
        object.template = lines.remove(&key);
    }
}
