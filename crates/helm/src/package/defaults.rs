//! The places where the charts of a package set the defaults of values.

use std::borrow::Cow;

use base::FileId;
use smol_str::SmolStr;
use yaml::Node;

use super::Package;
use crate::origin::ValuePath;

/// Where `values.yaml` of a chart sets a default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultPlace {
    /// The directory of the chart in the package, such as `charts/operator`; empty for the package itself.
    pub chart: SmolStr,
    pub line: u32,
    pub column: u32,
}

const GLOBAL: &str = "global";

impl Package {
    /// The subchart that has a name or an alias.
    pub fn subchart(&self, name: &str) -> Option<&Package> {
        let mut listed = self.metadata.dependencies.iter();
        let aliased = listed.find(|listed| listed.alias == name);
        let own = aliased.map_or(name, |listed| listed.name.as_str());
        let mut contained = self.subcharts.iter();
        contained
            .find(|sub| sub.metadata.name == own)
            .map(|sub| &**sub)
    }

    /// The paths at which values can set what templates read at a path, the one that wins first. Globals of a
    /// subchart may also be set above it.
    pub fn paths_to(&self, path: &[SmolStr]) -> Vec<ValuePath> {
        let mut charts = 0;
        let mut package = Some(self);
        while let Some(inner) = package.zip(path.get(charts)) {
            let (chart, key) = inner;
            if key == GLOBAL {
                let above = (0..=charts).map(|kept| {
                    let kept = path[..kept].iter();
                    kept.chain(&path[charts..]).cloned().collect()
                });
                return above.collect();
            }
            package = chart.subchart(key);
            charts += 1;
        }
        vec![path.into()]
    }

    /// Where the defaults of the package or its subcharts set the value at a path.
    pub fn default_place(&self, path: &[SmolStr]) -> Option<DefaultPlace> {
        let mut paths = self.paths_to(path).into_iter();
        paths.find_map(|path| self.own_default(&path, ""))
    }

    fn own_default(&self, path: &[SmolStr], chart: &str) -> Option<DefaultPlace> {
        if let Some(place) = self
            .values_document()
            .and_then(|root| key_place(root, path))
        {
            return Some(DefaultPlace {
                chart: chart.into(),
                line: place.line,
                column: place.column,
            });
        }
        let (first, rest) = path.split_first().filter(|(_, rest)| !rest.is_empty())?;
        let separator = if chart.is_empty() { "" } else { "/" };
        let inner = format!("{chart}{separator}charts/{first}");
        self.subchart(first)?.own_default(rest, &inner)
    }

    /// `values.yaml`.
    pub(crate) fn values_text(&self) -> Option<Cow<'_, str>> {
        self.values_file.as_deref().map(String::from_utf8_lossy)
    }

    fn values_document(&self) -> Option<&Node> {
        let parse = || {
            let text = self.values_text()?;
            let first = yaml::parse(&text, FileId(0)).documents.into_iter().next();
            first.map(|document| document.root)
        };
        self.values_document.get_or_init(parse).as_ref()
    }
}

/// The place of the key or item at a path.
fn key_place(root: &Node, path: &[SmolStr]) -> Option<base::Place> {
    let mut node = root;
    let mut place = None;
    for step in path {
        match &node.value {
            yaml::Value::Map(map) => {
                let entry = map.0.iter().find(|entry| entry.key == *step)?;
                place = Some(entry.key_place);
                node = &entry.value;
            }
            yaml::Value::Seq(items) => {
                node = items.get(step.parse::<usize>().ok()?)?;
                place = Some(node.place);
            }
            yaml::Value::Scalar(_) => return None,
        }
    }
    place
}
