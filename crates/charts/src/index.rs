//! `index.yaml` of a chart repository: the versions of one chart. Indexes have up to tens of megabytes, so only the lines
//! of that chart are looked at, and only the entry that is chosen is parsed.

use std::collections::BTreeMap;

use serde::Deserialize;
use thiserror::Error;

use crate::range::{ChartVersion, VersionRange};
use base::FileId;
use yaml::Node;

/// The largest index, decompressed.
pub const MAX_INDEX_BYTES: u64 = 64 * 1024 * 1024;

/// A version of a chart in an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedVersion {
    pub version: String,
    /// As written: relative to the index, or whole.
    pub url: String,
    /// As written.
    pub digest: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum IndexError {
    #[error("its index.yaml is not the index of a chart repository")]
    Unreadable,
    #[error("it has no chart `{0}`")]
    UnknownChart(String),
    #[error("no version of it matches `{asked}`{}", nearest(.newest))]
    UnknownVersion {
        asked: String,
        /// The newest release that there is.
        newest: Option<String>,
    },
    #[error("the index states no URL for version {0}")]
    WithoutUrl(String),
}

fn nearest(newest: &Option<String>) -> String {
    let newest = newest.as_ref();
    newest.map_or_else(String::new, |newest| format!("; the newest is {newest}"))
}

/// The version of `chart` that `asked` means. An empty text means the newest release.
pub fn resolve(index: &str, chart: &str, asked: &str) -> Result<IndexedVersion, IndexError> {
    let index = index.strip_prefix('\u{feff}').unwrap_or(index);
    if index.trim_start().starts_with('{') {
        return resolve_json(index, chart, asked);
    }
    match entries(index, chart) {
        Some(items) if items.is_empty() => Err(IndexError::UnknownChart(chart.to_owned())),
        Some(items) => {
            let versions: Vec<String> = items.iter().map(|item| version_of(item)).collect();
            let at = choose(&versions, asked)?;
            let parsed = yaml::parse(items[at], FileId::NONE);
            let root = parsed.documents.first().map(|document| &document.root);
            let node = root.and_then(|root| root.items().first());
            entry(node.ok_or(IndexError::Unreadable)?)
        }
        None => resolve_whole(index, chart, asked),
    }
}

/// The position of the version that `asked` means. An exact match counts first, then the newest in the range.
pub fn choose<T: AsRef<str>>(versions: &[T], asked: &str) -> Result<usize, IndexError> {
    let exact = versions.iter().position(|one| one.as_ref() == asked);
    if let Some(exact) = exact.filter(|_| !asked.is_empty()) {
        return Ok(exact);
    }
    let newest_in = |range: &str| {
        let range = VersionRange::parse(range)?;
        let mut best: Option<(usize, ChartVersion)> = None;
        for (at, text) in versions.iter().enumerate() {
            let version = ChartVersion::parse(text.as_ref());
            let Some(version) = version.filter(|version| range.contains(version)) else {
                continue;
            };
            if best
                .as_ref()
                .is_none_or(|(_, best)| version.order(best).is_gt())
            {
                best = Some((at, version));
            }
        }
        best.map(|(at, _)| at)
    };
    let range = if asked.is_empty() { "*" } else { asked };
    newest_in(range).ok_or_else(|| IndexError::UnknownVersion {
        asked: range.to_owned(),
        newest: newest_in("*").map(|at| versions[at].as_ref().to_owned()),
    })
}

/// The texts of the versions of a chart, each a list of one item. None if the index is not written as Helm writes it.
fn entries<'t>(index: &'t str, chart: &str) -> Option<Vec<&'t str>> {
    let start = line_start(index, "entries:")?;
    let body = &index[start..];
    let mut keys: Option<usize> = None;
    let mut own: Option<(usize, usize)> = None;
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        let here = at;
        at += line.len();
        let text = line.trim_end();
        let indent = text.len() - text.trim_start().len();
        let inner = &text[indent..];
        if inner.is_empty() || inner.starts_with('#') {
            continue;
        }
        let is_item = inner.starts_with("- ") || inner == "-";
        let keys = *keys.get_or_insert(indent);
        if indent > keys || is_item && indent == keys {
            continue;
        }
        if let Some((from, _)) = own {
            own = Some((from, here));
            break;
        }
        // The next key of the index itself.
        if indent < keys || keys == 0 {
            break;
        }
        let name = inner.strip_suffix(':')?;
        if name.trim_matches(['"', '\'']) == chart {
            own = Some((at, body.len()));
        }
    }
    // All names were seen, and this one is not among them.
    let Some((from, to)) = own else {
        return Some(Vec::new());
    };
    items(&body[from..to])
}

/// The position after the first line that equals `line`.
fn line_start(text: &str, line: &str) -> Option<usize> {
    let mut at = 0;
    for one in text.split_inclusive('\n') {
        at += one.len();
        if one.trim_end() == line {
            return Some(at);
        }
    }
    None
}

fn items(list: &str) -> Option<Vec<&str>> {
    let mut starts = Vec::new();
    let mut own = None;
    let mut at = 0;
    for line in list.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        let is_item = line[indent..].starts_with("- ") || line[indent..].trim_end() == "-";
        if is_item && *own.get_or_insert(indent) == indent {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([list.len()]);
    let items: Vec<&str> = starts
        .iter()
        .zip(ends)
        .map(|(from, to)| &list[*from..to])
        .collect();
    (!items.is_empty()).then_some(items)
}

/// The version of an item, without parsing all of it where that can be avoided.
fn version_of(item: &str) -> String {
    let edge = item.len() - item.trim_start().len();
    let inner = item[edge..]
        .strip_prefix('-')
        .map(|rest| rest.len() - rest.trim_start_matches(' ').len());
    let column = edge + 1 + inner.unwrap_or(1);
    let stated = item.lines().enumerate().find_map(|(number, line)| {
        let key = line.get(column..)?;
        let before = line[..column].trim_start();
        let is_key = before.is_empty() || number == 0 && before.trim_end() == "-";
        key.strip_prefix("version:").filter(|_| is_key)
    });
    let plain = stated.map(|text| text.trim().trim_matches(['"', '\'']));
    match plain.filter(|text| ChartVersion::parse(text).is_some()) {
        Some(version) => version.to_owned(),
        None => {
            let parsed = yaml::parse(item, FileId::NONE);
            let root = parsed.documents.first().map(|document| &document.root);
            let node = root.and_then(|root| root.items().first());
            let text = node.and_then(|node| node.text_at(&["version"]));
            text.unwrap_or_default().to_owned()
        }
    }
}

fn entry(node: &Node) -> Result<IndexedVersion, IndexError> {
    let version = node.text_at(&["version"]).unwrap_or_default().to_owned();
    let url = node.items_at("urls").first().and_then(Node::text);
    let url = url.filter(|url| !url.is_empty());
    Ok(IndexedVersion {
        url: url
            .ok_or_else(|| IndexError::WithoutUrl(version.clone()))?
            .to_owned(),
        digest: node
            .text_at(&["digest"])
            .filter(|text| !text.is_empty())
            .map(str::to_owned),
        version,
    })
}

fn resolve_whole(index: &str, chart: &str, asked: &str) -> Result<IndexedVersion, IndexError> {
    let parsed = yaml::parse(index, FileId::NONE);
    let root = parsed.documents.first().map(|document| &document.root);
    let entries = root.and_then(|root| root.get("entries"));
    let entries = entries.ok_or(IndexError::Unreadable)?;
    let items = entries.items_at(chart);
    if items.is_empty() {
        return Err(IndexError::UnknownChart(chart.to_owned()));
    }
    let version = |node: &Node| node.text_at(&["version"]).unwrap_or_default().to_owned();
    let versions: Vec<String> = items.iter().map(version).collect();
    entry(&items[choose(&versions, asked)?])
}

#[derive(Deserialize)]
struct JsonIndex {
    #[serde(default)]
    entries: BTreeMap<String, Vec<JsonEntry>>,
}

#[derive(Deserialize)]
struct JsonEntry {
    #[serde(default)]
    version: String,
    #[serde(default)]
    urls: Vec<String>,
    #[serde(default)]
    digest: Option<String>,
}

fn resolve_json(index: &str, chart: &str, asked: &str) -> Result<IndexedVersion, IndexError> {
    let mut parsed: JsonIndex = serde_json::from_str(index).map_err(|_| IndexError::Unreadable)?;
    let entries = parsed.entries.remove(chart);
    let mut entries = entries.ok_or_else(|| IndexError::UnknownChart(chart.to_owned()))?;
    let versions: Vec<&str> = entries.iter().map(|entry| entry.version.as_str()).collect();
    let at = choose(&versions, asked)?;
    let JsonEntry {
        version,
        urls,
        digest,
    } = entries.swap_remove(at);
    let url = urls.into_iter().next();
    Ok(IndexedVersion {
        url: url.ok_or_else(|| IndexError::WithoutUrl(version.clone()))?,
        digest: digest.filter(|digest| !digest.is_empty()),
        version,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELM: &str = "\
apiVersion: v1
entries:
  api:
  - name: api
    version: 9.0.0
    urls: [api-9.0.0.tgz]
  web:
  - annotations:
      note: |
        version: 7.7.7
      version: 6.6.6
    apiVersion: v2
    digest: abc
    name: web
    urls:
    - https://cdn.example.com/web-1.10.0.tgz
    - other
    version: 1.10.0
  - version: \"1.9.0\"
    urls:
      - web-1.9.0.tgz
  - apiVersion: v1
    version: 2.0.0-rc.1
    urls: [web-2.tgz]
  - version: nightly
    urls: [nightly.tgz]
  zoo:
  - version: 3.0.0
generated: \"2024-01-01T00:00:00Z\"
";

    fn version(index: &str, chart: &str, asked: &str) -> String {
        match resolve(index, chart, asked) {
            Ok(found) => format!("{} {}", found.version, found.url),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_version_or_range_leads_to_an_entry() {
        let web = |asked| version(HELM, "web", asked);
        assert_eq!(web(""), "1.10.0 https://cdn.example.com/web-1.10.0.tgz");
        assert_eq!(web("1.9.x"), "1.9.0 web-1.9.0.tgz");
        assert_eq!(web("v1.9.0"), "1.9.0 web-1.9.0.tgz");
        assert_eq!(web(">=1.0.0-0"), "2.0.0-rc.1 web-2.tgz");
        assert_eq!(web("nightly"), "nightly nightly.tgz");
        assert_eq!(
            web("3.x"),
            "no version of it matches `3.x`; the newest is 1.10.0"
        );
        assert_eq!(version(HELM, "api", "*"), "9.0.0 api-9.0.0.tgz");
        assert_eq!(
            version(HELM, "zoo", ""),
            "the index states no URL for version 3.0.0"
        );
        assert_eq!(
            version(HELM, "generated", ""),
            "it has no chart `generated`"
        );
        assert_eq!(
            version("<html>", "web", ""),
            "its index.yaml is not the index of a chart repository"
        );
    }

    #[test]
    fn every_way_to_write_an_index_gives_the_same() {
        let flow =
            "{\"entries\": {\"web\": [{\"version\": \"1.9.0\", \"urls\": [\"web-1.9.0.tgz\"]}]}}";
        let yaml = "entries: {web: [{version: 1.9.0, urls: [web-1.9.0.tgz]}]}\n";
        let last = "generated: x\nentries:\n    \"web\":\n        - urls:\n            - web-1.9.0.tgz\n          version: 1.9.0\n";
        let first = "entries:\n  web:\n  -\n    version: 1.9.0\n    urls: [web-1.9.0.tgz]\n";
        let windows = HELM.replace('\n', "\r\n");
        for index in [flow, yaml, last, first, &windows] {
            assert_eq!(
                version(index, "web", "1.9"),
                "1.9.0 web-1.9.0.tgz",
                "{index}"
            );
        }
    }
}
