//! Splits what templates write into manifests.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use base::{FileId, Severity};
use smol_str::SmolStr;
use yaml::{Node, Style, Value};

use crate::data::{Data, resolve};
use crate::format::read;
use crate::manifest;
use crate::origin::{self, PrintedValue};
use crate::package::Package;
use crate::render::{ChartFault, FaultKind, RenderedManifest, Role};
use crate::values::coalesce::Flavour;

/// The output of a template.
pub struct PrintedTemplate<'t> {
    pub template: SmolStr,
    pub text: Cow<'t, str>,
    /// The line of the template that wrote each line.
    pub lines: Vec<u32>,
    /// Where the text has values, in its order.
    pub printed: Vec<PrintedValue>,
    /// When it is applied, if that is known.
    pub role: Option<Role>,
}

/// The manifests in a text, and what is wrong with it.
#[derive(Debug, Default)]
pub struct Documents {
    pub manifests: Vec<RenderedManifest>,
    pub faults: Vec<ChartFault>,
}

impl Package {
    /// The manifests below `crds/`, which no values change.
    pub(crate) fn crds(&self) -> &Documents {
        self.crds.get_or_init(|| {
            let mut all = Documents::default();
            for file in &self.files {
                let lower = file.path.to_lowercase();
                let is_manifest = [".yaml", ".yml", ".json"]
                    .iter()
                    .any(|end| lower.ends_with(end));
                if !file.path.starts_with("crds/") || !is_manifest {
                    continue;
                }
                let text = file.text();
                let output = PrintedTemplate {
                    template: file.path.clone(),
                    lines: (1..).take(text.lines().count() + 1).collect(),
                    text,
                    printed: Vec::new(),
                    role: Some(Role::Crd),
                };
                let found = documents(&output, Flavour::Helm3, &Arc::default());
                all.manifests.extend(found.manifests);
                all.faults.extend(found.faults);
            }
            all
        })
    }
}

/// Splits a text into manifests, and parses them.
pub fn documents(output: &PrintedTemplate<'_>, flavour: Flavour, values: &Arc<Data>) -> Documents {
    let mut documents = Documents::default();
    let (mut counted, mut before) = (0, 0);
    for range in manifest::split(&output.text, flavour) {
        before += breaks(&output.text[counted..range.start]);
        // Helm adds a line break, which belongs to a block at the end.
        let text = format!("{}\n", &output.text[range.clone()]);
        let first = before.min(output.lines.len());
        before += breaks(&text) - 1;
        counted = range.end;
        let end = (before + 1).min(output.lines.len());
        let lines = output.lines.get(first..end).unwrap_or_default().to_vec();
        let mut parsed = yaml::parse(&text, FileId(0));
        let failed = |problem: String, line: u32| ChartFault {
            kind: FaultKind::Yaml,
            message: format!("YAML parse error on {}: {problem}", output.template),
            template: output.template.clone(),
            line: lines.get((line as usize).saturating_sub(1)).copied(),
        };
        if parsed.documents.is_empty() {
            let mut findings = parsed.findings.iter();
            let broken = findings.find(|finding| finding.severity == Severity::Error);
            documents.faults.extend(broken.map(|finding| {
                let problem = format!("error converting YAML to JSON: {}", read::problem(finding));
                failed(problem, finding.place.line)
            }));
            continue;
        }
        let root = parsed.documents.swap_remove(0).root;
        if let Some(kind) = other_than_map(&root)
            && output.role.is_none()
        {
            let problem = format!(
                "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {kind} into Go \
                 value of type releaseutil.SimpleHead"
            );
            documents.faults.push(failed(problem, root.place.line));
            continue;
        }
        let Some(role) = output.role.or_else(|| role_of(&root)) else {
            continue;
        };
        documents.manifests.push(RenderedManifest {
            template: output.template.clone(),
            lines: lines.into(),
            text: text.into(),
            root: Arc::new(root),
            role,
            printed: origin::within(&output.printed, range),
            values: values.clone(),
            starts: OnceLock::new(),
        });
    }
    documents
}

/// The number of line breaks, counted in chunks so small that a byte holds the count: that is several times as fast.
fn breaks(text: &str) -> usize {
    let chunks = text.as_bytes().chunks(usize::from(u8::MAX));
    let counts = chunks.map(|chunk| {
        chunk
            .iter()
            .map(|byte| u8::from(*byte == b'\n'))
            .sum::<u8>()
    });
    counts.map(usize::from).sum()
}

/// Go's name for the type of a document that is no map.
fn other_than_map(root: &Node) -> Option<&'static str> {
    match &root.value {
        Value::Map(_) => None,
        Value::Seq(_) => Some("array"),
        Value::Scalar(scalar) if scalar.style == Style::Plain => match resolve(&scalar.text) {
            Some(Data::Null) => None,
            Some(Data::Bool(_)) => Some("bool"),
            Some(Data::Int(_) | Data::Float(_)) => Some("number"),
            _ => Some("string"),
        },
        Value::Scalar(_) => Some("string"),
    }
}

/// When a manifest is applied, by its annotations. `None` if Helm leaves it out.
fn role_of(root: &Node) -> Option<Role> {
    let annotations = root.at(&["metadata", "annotations"]);
    match annotations.and_then(|all| all.text_at(&["helm.sh/hook"])) {
        Some(events) if !are_events(events) => None,
        Some(_) => Some(Role::Hook),
        None => Some(Role::Resource),
    }
}

/// Whether all events of a hook are known; Helm leaves a hook with others out.
fn are_events(text: &str) -> bool {
    const EVENTS: &[&str] = &[
        "pre-install",
        "post-install",
        "pre-delete",
        "post-delete",
        "pre-upgrade",
        "post-upgrade",
        "pre-rollback",
        "post-rollback",
        "test",
        "test-success",
    ];
    let mut events = text.split(',');
    events.all(|event| EVENTS.contains(&event.trim().to_lowercase().as_str()))
}
