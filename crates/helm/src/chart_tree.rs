//! A chart with its subcharts: those below `charts/` and `file://` dependencies. Reads files through `ChartSource`;
//! values are none of its business.

use std::iter;
use std::sync::Arc;

use base::hash::{HashMap, HashSet};
use base::{FileId, Files, RepoPath};
use smol_str::{SmolStr, format_smolstr};
use yaml::Node;

use crate::metadata::metadata;

/// Limits on imported values, charts and nesting; more are not followed.
const MAX_IMPORTS: usize = 64;
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
    /// Whether subcharts were left out because of a limit.
    pub is_cut: bool,
    /// Whether a listed subchart is missing.
    pub is_missing: bool,
}

/// A chart of the tree.
#[derive(Debug)]
pub struct Chart {
    pub directory: RepoPath,
    pub metadata: Arc<Node>,
    /// Its name or alias, under which its values are.
    pub name: SmolStr,
    /// Index of the parent chart; `None` for the chart itself.
    pub parent: Option<usize>,
    /// Paths of values that enable it; the first that is set decides.
    pub conditions: Vec<SmolStr>,
    pub tags: Vec<SmolStr>,
    /// `import-values`: pairs of a path in its own values and one in its parent's.
    pub imports: Vec<(SmolStr, SmolStr)>,
}

impl ChartTree {
    /// The chart in a directory, with its subcharts.
    pub fn read(directory: &RepoPath, metadata: &Arc<Node>, source: &dyn ChartSource) -> ChartTree {
        let top = (directory.clone(), metadata.clone());
        let mut charts = vec![Chart::new(top, None, None)];
        let (mut is_cut, mut is_missing) = (false, false);
        let mut at = 0;
        while at < charts.len() {
            let parts = subcharts(&charts, at, source);
            is_missing |= parts.is_missing;
            let is_deep = ancestors(&charts, at).count() > MAX_DEPTH;
            for part in parts.here {
                if is_deep || charts.len() >= MAX_CHARTS {
                    is_cut = true;
                } else {
                    charts.push(part);
                }
            }
            at += 1;
        }
        ChartTree {
            charts,
            is_cut,
            is_missing,
        }
    }

    /// The names of a chart's subcharts.
    pub fn names_in(&self, at: usize) -> impl Iterator<Item = &SmolStr> {
        let parts = self
            .charts
            .iter()
            .filter(move |chart| chart.parent == Some(at));
        parts.map(|chart| &chart.name)
    }
}

type ChartFile = (RepoPath, Arc<Node>);

impl Chart {
    fn new(
        (directory, metadata): ChartFile,
        parent: Option<usize>,
        stated: Option<&Node>,
    ) -> Chart {
        let text = |key: &str| stated.and_then(|stated| stated.text_at(&[key]));
        let own = metadata.text_at(&["name"]).unwrap_or_default();
        let conditions = text("condition")
            .unwrap_or_default()
            .split(',')
            .map(str::trim)
            .filter(|path| !path.is_empty());
        let tags = stated
            .map(|stated| stated.items_at("tags"))
            .unwrap_or_default()
            .iter()
            .filter_map(Node::text);
        Chart {
            name: text("alias").unwrap_or(own).into(),
            parent,
            conditions: conditions.map(SmolStr::from).collect(),
            tags: tags.map(SmolStr::from).collect(),
            imports: stated.map(imports).unwrap_or_default(),
            directory,
            metadata,
        }
    }
}

/// Reads `import-values`: an exported name, or a pair of paths.
fn imports(stated: &Node) -> Vec<(SmolStr, SmolStr)> {
    let items = stated.items_at("import-values").iter();
    let each = items.filter_map(|item| match item.text() {
        Some(name) => Some((format_smolstr!("exports.{name}"), SmolStr::default())),
        None => {
            let text = |key: &str| item.text_at(&[key]).map(SmolStr::from);
            Some((text("child")?, text("parent")?))
        }
    });
    each.take(MAX_IMPORTS).collect()
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
            _ => parts.here.push(Chart::new(found.clone(), Some(at), None)),
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
            Some(found) => parts.here.push(Chart::new(found, Some(at), Some(stated))),
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
