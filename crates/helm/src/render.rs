//! Renders a chart for a release: what `helm template --include-crds` yields.

use std::sync::{Arc, OnceLock};

use smol_str::{SmolStr, format_smolstr};
use yaml::Node;

use crate::capabilities::{AskedVersions, Capabilities};
use crate::data::Data;
use crate::document::{PrintedTemplate, documents};
use crate::engine::print::{NO_VALUE, no_values};
use crate::engine::trace::{Mark, Written};
use crate::engine::value::{Entries, MapKind};
use crate::engine::{Fail, FailKind, MissingKey, NamedTemplates, Run, Val};
use crate::manifest;
use crate::origin::{PrintedValue, ValuePaths};
use crate::package::Package;
use crate::schema;
use crate::scope::{Collected, Common, Place, collect, release_value};
use crate::values::coalesce::{Flavour, MergeRules, Nulls, Table, coalesce};
use crate::values::dependencies::{ChartInstance, process};

/// The stack of the thread that renders; templates nest on it.
const STACK: usize = 256 * 1024 * 1024;

/// Maximum length of a message.
const MAX_MESSAGE: usize = 20_000;

/// The release that a chart is rendered for.
#[derive(Debug, Clone)]
pub struct ChartRelease {
    pub name: SmolStr,
    pub namespace: SmolStr,
    pub flavour: Flavour,
}

/// The result of rendering a chart.
#[derive(Debug, Default)]
pub struct Rendered {
    /// Manifests in the order in which Helm installs them: CRDs, everything else, hooks.
    pub manifests: Vec<RenderedManifest>,
    /// Why Helm would fail. The manifests are those of the templates that worked.
    pub faults: Vec<ChartFault>,
    pub asked: AskedVersions,
}

/// A document that a template wrote.
#[derive(Debug, Clone)]
pub struct RenderedManifest {
    /// The path of the template, beginning with the name of the chart.
    pub template: SmolStr,
    /// The line of the template that wrote each line of the text.
    pub lines: Arc<[u32]>,
    pub text: SmolStr,
    pub root: Arc<Node>,
    pub role: Role,
    /// Where the text has values, in the order of the text.
    pub(crate) printed: Vec<PrintedValue>,
    /// The values of the chart and its subcharts, defaults included.
    pub(crate) values: Arc<Data>,
    pub(crate) starts: OnceLock<Vec<usize>>,
}

/// When a manifest is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Before everything else, and only when the release is installed.
    Crd,
    Resource,
    /// At some event only.
    Hook,
}

/// Why a chart cannot be rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChartFault {
    pub kind: FaultKind,
    /// Helm's message.
    pub message: String,
    /// The template, or else empty.
    pub template: SmolStr,
    /// The line of the template, if it is known.
    pub line: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The chart or its values are invalid.
    Chart,
    /// The values do not have the form that the schema of the chart demands.
    Schema,
    /// A subchart that `Chart.yaml` lists is not there.
    MissingSubchart,
    /// A template fails.
    Template,
    /// A template states with `fail` or `required` that values are wrong.
    Stated,
    /// A template writes something that is not YAML.
    Yaml,
    /// A limit of this engine.
    Limit,
}

impl ChartFault {
    fn new(kind: FaultKind, message: impl Into<String>) -> ChartFault {
        ChartFault {
            kind,
            message: message.into(),
            template: SmolStr::default(),
            line: None,
        }
    }
}

/// Renders a chart. Values are those of the release, merged already.
pub fn render(
    package: &Arc<Package>,
    values: &Data,
    release: &ChartRelease,
    capabilities: &Capabilities,
) -> Rendered {
    // Values at run time are not shared between threads, and templates may nest deeply.
    let finished = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let started = thread.spawn_scoped(scope, || {
            let mut printed = Printed::default();
            let filled = fill(&mut printed, package, values, release, capabilities);
            printed.template_faults.extend(filled.err());
            printed
        });
        started.map(|handle| handle.join())
    });
    let Ok(Ok(printed)) = finished else {
        let fault = ChartFault::new(FaultKind::Limit, "the chart cannot be rendered");
        return Rendered {
            faults: vec![fault],
            ..Rendered::default()
        };
    };
    // Manifests are parsed here: memory is freed faster by the thread that took it.
    let mut rendered = Rendered {
        manifests: Vec::new(),
        faults: printed.faults,
        asked: printed.asked,
    };
    for (path, package) in &printed.charts {
        crds(package, path, &mut rendered);
    }
    rendered.faults.extend(printed.template_faults);
    for output in &printed.outputs {
        let documents = documents(output, release.flavour, &printed.values);
        rendered.manifests.extend(documents.manifests);
        rendered.faults.extend(documents.faults);
    }
    rendered
        .manifests
        .sort_by_cached_key(|manifest| (manifest.role as u8, rank(manifest)));
    rendered
}

/// The text that the templates of a release wrote.
#[derive(Default)]
struct Printed {
    /// Faults of the chart and its values.
    faults: Vec<ChartFault>,
    template_faults: Vec<ChartFault>,
    /// The charts that are installed, by their paths.
    charts: Vec<(String, Arc<Package>)>,
    outputs: Vec<PrintedTemplate<'static>>,
    values: Arc<Data>,
    asked: AskedVersions,
}

fn fill(
    printed: &mut Printed,
    package: &Arc<Package>,
    values: &Data,
    release: &ChartRelease,
    capabilities: &Capabilities,
) -> Result<(), ChartFault> {
    let invalid = |message: String| ChartFault::new(FaultKind::Chart, message);
    let mut chart = ChartInstance::new(package).map_err(invalid)?;
    let given = match values {
        Data::Map(map) => map.clone(),
        _ => Table::new(),
    };
    if package.is_library() {
        return Err(invalid("library charts are not installable".to_owned()));
    }
    let missing = chart.missing();
    if !missing.is_empty() {
        let message = format!(
            "found in Chart.yaml, but missing in charts/ directory: {}",
            missing.join(", ")
        );
        printed
            .faults
            .push(ChartFault::new(FaultKind::MissingSubchart, message));
    }
    process(&mut chart, &given, release.flavour).map_err(invalid)?;
    let rules = MergeRules {
        flavour: release.flavour,
        nulls: Nulls::Remove,
    };
    let values = coalesce(&chart, given, rules).map_err(invalid)?;
    printed.faults.extend(capabilities.check(&package.metadata));
    let values = Data::Map(values);
    let checked = schema::check(&chart, &values, release.flavour);
    if checked.is_cut_off {
        let message = "it takes too long to check the values with the schemas";
        printed
            .faults
            .push(ChartFault::new(FaultKind::Limit, message));
    }
    if !checked.text.is_empty() {
        let message = format!(
            "values don't meet the specifications of the schema(s) in the following chart(s):\n{}",
            checked.text
        );
        printed
            .faults
            .push(ChartFault::new(FaultKind::Schema, message));
    }
    add_charts(
        &chart,
        package.metadata.name.to_string(),
        &mut printed.charts,
    );
    printed.values = Arc::new(values);
    run_templates(&chart, release, capabilities, printed);
    Ok(())
}

/// A chart and its subcharts, by their paths.
fn add_charts(chart: &ChartInstance, path: String, charts: &mut Vec<(String, Arc<Package>)>) {
    charts.push((path.clone(), chart.package.clone()));
    for sub in &chart.subcharts {
        add_charts(sub, format!("{path}/charts/{}", sub.name), charts);
    }
}

fn rank(manifest: &RenderedManifest) -> (usize, SmolStr) {
    let kind = manifest.root.text_at(&["kind"]).unwrap_or_default();
    match manifest.role {
        Role::Crd => (0, SmolStr::default()),
        _ => (manifest::install_rank(kind), kind.into()),
    }
}

/// The files below `crds/` of a chart.
fn crds(package: &Package, path: &str, rendered: &mut Rendered) {
    let documents = package.crds();
    for manifest in &documents.manifests {
        rendered.manifests.push(RenderedManifest {
            template: format_smolstr!("{path}/{}", manifest.template),
            ..manifest.clone()
        });
    }
    for fault in &documents.faults {
        rendered.faults.push(ChartFault {
            template: format_smolstr!("{path}/{}", fault.template),
            ..fault.clone()
        });
    }
}

fn run_templates(
    chart: &ChartInstance,
    release: &ChartRelease,
    capabilities: &Capabilities,
    printed: &mut Printed,
) {
    let mut collected = Collected::default();
    let top = Val::values(&printed.values);
    let common = Common {
        release: release_value(release),
        capabilities: capabilities.value(),
    };
    let path = chart.package.metadata.name.clone();
    collect(
        chart,
        &path,
        top.clone(),
        Place::Top,
        &common,
        &mut collected,
    );
    // Deeper files come first, so that the templates of a chart win over those of its subcharts.
    collected.files.sort_by(|a, b| {
        let depth = |name: &str| name.matches('/').count();
        let by_depth = depth(&b.job.name).cmp(&depth(&a.job.name));
        by_depth.then_with(|| b.job.name.cmp(&a.job.name))
    });
    let mut templates = NamedTemplates::default();
    for file in &collected.files {
        match file.template.parsed() {
            Ok(parsed) => templates.add(&file.job.name, parsed),
            Err(error) => {
                let message = format!(
                    "parse error at ({}:{}): {}",
                    file.job.name, error.line, error.message
                );
                printed.template_faults.push(ChartFault {
                    kind: FaultKind::Template,
                    message,
                    template: file.job.name.clone(),
                    line: Some(error.line),
                });
            }
        }
    }
    let mut run = Run::new(templates, MissingKey::Zero);
    let paths = ValuePaths::new(&top);
    let mut outputs: Vec<(PrintedTemplate<'static>, Vec<Mark>)> = Vec::new();
    for file in &collected.files {
        let job = &file.job;
        let last = job.name.rsplit('/').next().unwrap_or_default();
        if last.starts_with('_') || file.template.parsed().is_err() {
            continue;
        }
        let scope = &collected.scopes[job.scope];
        if let Val::Map(map) = scope {
            let about = Entries::from([
                ("Name".into(), Val::Text(job.name.clone())),
                ("BasePath".into(), Val::Text(job.base.clone())),
            ]);
            let about = Val::of_kind(about, MapKind::Values);
            map.entries.borrow_mut().insert("Template".into(), about);
        }
        run.trace.marks.clear();
        run.state.begin(job.name.clone());
        match run.execute(&job.name, scope) {
            // Nobody applies the notes, but Helm fails if they do.
            Ok(_) if last.ends_with("NOTES.txt") => {}
            Ok(text) => {
                let mut marks = std::mem::take(&mut run.trace.marks);
                let lines = lines(&text, &marks);
                let text = without_no_value(text, &mut marks);
                let output = PrintedTemplate {
                    template: job.name.clone(),
                    text: text.into(),
                    lines,
                    printed: Vec::new(),
                    role: None,
                };
                outputs.push((output, marks));
            }
            Err(fail) => {
                run.reset_depth();
                let is_limit = fail.kind == FailKind::Limit;
                printed
                    .template_faults
                    .push(template_fault(&job.name, fail));
                if is_limit {
                    break;
                }
            }
        }
    }
    for scope in &collected.scopes {
        if let Val::Map(map) = scope {
            // Scopes contain each other.
            map.entries.borrow_mut().clear();
        }
    }
    printed.asked = std::mem::take(&mut run.asked);
    outputs.sort_by(|(a, _), (b, _)| a.template.cmp(&b.template));
    let paths = paths.without(run.changed());
    for (mut output, marks) in outputs {
        output.printed = paths.printed(&output.text, &marks);
        printed.outputs.push(output);
    }
}

/// Removes what Go writes for null, as Helm does.
fn without_no_value(text: String, marks: &mut [Mark]) -> String {
    let gone: Vec<usize> = no_values(&text).collect();
    if gone.is_empty() {
        return text;
    }
    let moved = |offset: usize| offset - gone.partition_point(|at| *at < offset) * NO_VALUE.len();
    for mark in marks {
        mark.end = moved(mark.end.max(mark.offset));
        mark.offset = moved(mark.offset).min(mark.end);
    }
    text.replace(NO_VALUE, "")
}

/// Helm's form of an error, and the line in the template that failed.
fn template_fault(template: &SmolStr, fail: Fail) -> ChartFault {
    let location = fail.message.strip_prefix("template: ");
    let location = location.and_then(|rest| rest.split(": ").next());
    let location = location.unwrap_or_default().to_owned();
    let line = location.strip_prefix(template.as_str());
    let line = line.and_then(|rest| rest.split(':').nth(1)?.parse().ok());
    let (kind, message) = match fail.kind {
        FailKind::Error => (FaultKind::Template, fail.message),
        FailKind::Limit => (FaultKind::Limit, fail.message),
        FailKind::Stated => {
            let text = fail.stated.unwrap_or(fail.message);
            (
                FaultKind::Stated,
                format!("execution error at ({location}): {text}"),
            )
        }
    };
    ChartFault {
        kind,
        message: shortened(message),
        template: template.clone(),
        line,
    }
}

/// A message with its middle cut out where it is longer than anybody reads: templates can print megabytes into it.
fn shortened(message: String) -> String {
    if message.len() <= MAX_MESSAGE {
        return message;
    }
    let half = MAX_MESSAGE / 2;
    let start = message.floor_char_boundary(half);
    let end = message.ceil_char_boundary(message.len() - half);
    format!("{} … {}", &message[..start], &message[end..])
}

/// The line of the template that wrote the start of each line of its output.
fn lines(text: &str, marks: &[Mark]) -> Vec<u32> {
    let mut lines = Vec::new();
    let mut marks = marks.iter().peekable();
    let mut current = 1;
    let mut source = Written::Value;
    let mut counted = 0;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        while let Some(mark) = marks.next_if(|mark| mark.offset <= start) {
            current = mark.line;
            source = mark.source;
            counted = mark.offset;
        }
        if source == Written::Text {
            current += text[counted..start].matches('\n').count() as u32;
            counted = start;
        }
        lines.push(current);
        start += line.len();
    }
    lines
}
