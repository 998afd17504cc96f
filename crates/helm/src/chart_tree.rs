//! A chart with its subcharts: those below `charts/` and `file://` dependencies. Reads files through `ChartSource`;
//! values are none of its business.

use std::iter;
use std::sync::Arc;

use base::hash::{HashMap, HashSet};
use base::{FileId, Files, RepoPath};
use smol_str::SmolStr;
use yaml::Node;

use crate::metadata::metadata;

/// Limits on charts and nesting; more are not followed.
const MAX_CHARTS: usize = 100;
const MAX_DEPTH: usize = 8;

/// Access to the files of charts. The caller implements it.
pub trait ChartSource: Sync {
    fn files(&self) -> &dyn Files;

    /// The YAML documents of a file, such as `Chart.yaml` or a values file.
    fn documents(&self, file: FileId) -> &[Arc<Node>];
}

/// A chart with its subcharts.
#[derive(Debug)]
pub struct ChartTree {
    /// The chart itself, then its subcharts, each after its parent.
    pub charts: Vec<Chart>,
    /// Whether a listed subchart is missing.
    pub is_missing: bool,
}

/// A chart of the tree.
#[derive(Debug)]
pub struct Chart {
    pub directory: RepoPath,
    pub metadata: Arc<Node>,
    /// Index of the parent chart; `None` for the chart itself.
    pub parent: Option<usize>,
}

impl ChartTree {
    /// The chart in a directory, with its subcharts.
    pub fn read(directory: &RepoPath, metadata: &Arc<Node>, source: &dyn ChartSource) -> ChartTree {
        let top = (directory.clone(), metadata.clone());
        let mut charts = vec![Chart::new(top, None)];
        let mut is_missing = false;
        let mut at = 0;
        while at < charts.len() {
            let parts = subcharts(&charts, at, source);
            is_missing |= parts.is_missing;
            let is_deep = ancestors(&charts, at).count() > MAX_DEPTH;
            let room = MAX_CHARTS.saturating_sub(charts.len());
            let followed = if is_deep { 0 } else { room };
            charts.extend(parts.here.into_iter().take(followed));
            at += 1;
        }
        ChartTree { charts, is_missing }
    }
}

type ChartFile = (RepoPath, Arc<Node>);

impl Chart {
    fn new((directory, metadata): ChartFile, parent: Option<usize>) -> Chart {
        Chart {
            directory,
            metadata,
            parent,
        }
    }
}

/// A chart and its ancestors, up to the top.
fn ancestors(charts: &[Chart], at: usize) -> impl Iterator<Item = &Chart> {
    let line = iter::successors(Some(at), move |at| charts[*at].parent);
    line.map(move |at| &charts[at])
}

#[derive(Default)]
struct Subcharts {
    here: Vec<Chart>,
    /// Whether a listed subchart is missing.
    is_missing: bool,
}

/// The subcharts of a chart: everything below `charts/`, and its dependencies.
fn subcharts(charts: &[Chart], at: usize, source: &dyn ChartSource) -> Subcharts {
    let chart = &charts[at];
    let inside = inside(&chart.directory, source);
    let listed = chart.metadata.items_at("dependencies");
    let names: HashSet<&str> = listed
        .iter()
        .filter_map(|stated| stated.text_at(&["name"]))
        .collect();
    let mut parts = Subcharts::default();
    let mut below: HashMap<&str, &ChartFile> = HashMap::default();
    for found in &inside.charts {
        match found.1.text_at(&["name"]) {
            Some(name) if names.contains(name) => drop(below.entry(name).or_insert(found)),
            _ => parts.here.push(Chart::new(found.clone(), Some(at))),
        }
    }
    for stated in listed {
        let Some(name) = stated.text_at(&["name"]) else {
            continue;
        };
        // Beyond the limit, nothing is followed.
        if parts.here.len() > MAX_CHARTS {
            break;
        }
        let is_called = |found: &ChartFile| found.1.text_at(&["name"]) == Some(name);
        let below = below.get(name).map(|found| ChartFile::clone(found));
        let linked = || {
            let path = chart.directory.join("charts")?.join(name)?;
            chart_at(&path, source).filter(is_called)
        };
        // `helm dependency build` copies `file://` dependencies for the chart at the top only; its subcharts have what
        // was packaged with them.
        let by_path = || {
            let is_put = at == 0 || inside.has_packed(name);
            let path = stated.text_at(&["repository"]).filter(|_| is_put)?;
            let path = chart.directory.join(path.strip_prefix("file://")?)?;
            chart_at(&path, source).filter(is_called)
        };
        match below.or_else(linked).or_else(by_path) {
            Some(found) => parts.here.push(Chart::new(found, Some(at))),
            None => parts.is_missing = true,
        }
    }
    let is_above =
        |part: &Chart| ancestors(charts, at).any(|above| above.directory == part.directory);
    parts.here.retain(|part| !is_above(part));
    parts
}

/// The chart in a directory.
fn chart_at(path: &RepoPath, source: &dyn ChartSource) -> Option<ChartFile> {
    let files = source.files();
    let directory = files.resolve_dir(path)?;
    let (_, metadata) = metadata(&directory, source)?;
    Some((directory, metadata))
}

/// The contents of `charts/`.
#[derive(Default)]
struct ChartsDirectory {
    charts: Vec<ChartFile>,
    /// Names of packaged charts.
    packed: Vec<SmolStr>,
}

impl ChartsDirectory {
    fn has_packed(&self, name: &str) -> bool {
        let mut packed = self.packed.iter();
        packed.any(|file| {
            let version = file
                .strip_prefix(name)
                .and_then(|rest| rest.strip_prefix('-'));
            version.is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()))
        })
    }
}

fn inside(directory: &RepoPath, source: &dyn ChartSource) -> ChartsDirectory {
    let files = source.files();
    let mut inside = ChartsDirectory::default();
    let home = directory.join("charts");
    let Some(home) = home.and_then(|home| files.resolve_dir(&home)) else {
        return inside;
    };
    for file in files.below(&home) {
        let path = files.path(file);
        let name = path.file_name();
        let is_chart = name == "Chart.yaml";
        let is_packed = path.extension() == Some("tgz");
        let Some(parent) = path.parent().filter(|_| is_chart || is_packed) else {
            continue;
        };
        if is_packed && parent == home {
            inside.packed.push(name.into());
        }
        // Helm ignores directories with these prefixes.
        let is_read = is_chart && !parent.file_name().starts_with(['_', '.']);
        if is_read && parent.parent().as_ref() == Some(&home) {
            inside.charts.extend(chart_at(&parent, source));
        }
    }
    inside
}
