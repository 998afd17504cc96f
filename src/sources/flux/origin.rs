//! Origins of files and charts: repositories, buckets, charts, and artifacts composed from other sources.

use smol_str::SmolStr;

use super::{located_at, source_ref};
use crate::facts::{
    Artifact, ArtifactCopy, ChartFile, ChartSource, Located, Resource, RevisionField, SourceRef,
    SourceRevision, Statement, UnitChart,
};
use base::Place;
use yaml::Node;

pub const GROUP: &str = "source.toolkit.fluxcd.io";
/// Kinds of declared sources.
const KINDS: &[&str] = &[
    "GitRepository",
    "OCIRepository",
    "Bucket",
    "HelmRepository",
    "HelmChart",
];
const EXTENSIONS: &str = "source.extensions.fluxcd.io";

pub fn describe(resource: &Resource, statement: &mut Statement) {
    let id = &resource.id;
    let Some(spec) = resource.node.get("spec") else {
        return;
    };
    if id.is(EXTENSIONS, "ArtifactGenerator") {
        statement.supplies.artifacts = artifacts(spec, &id.namespace);
        return;
    }
    if id.group != GROUP {
        return;
    }
    let source = match id.kind.as_str() {
        "HelmRepository" | "GitRepository" | "OCIRepository" => Some(ChartSource {
            url: spec.text_at(&["url"]).unwrap_or_default().into(),
            version: reference(spec),
            revision: revision(spec),
            is_fixed: ["tag", "digest", "commit"]
                .iter()
                .any(|key| spec.at(&["ref", key]).is_some()),
            ignore: ignore(spec),
            chart: None,
        }),
        "Bucket" => Some(ChartSource {
            url: bucket_url(spec),
            version: None,
            revision: None,
            is_fixed: false,
            ignore: ignore(spec),
            chart: None,
        }),
        "HelmChart" => Some(ChartSource {
            url: SmolStr::default(),
            version: None,
            revision: None,
            is_fixed: false,
            ignore: None,
            chart: Some(Box::new(named_chart(spec, &id.namespace, resource.place))),
        }),
        _ => None,
    };
    statement.supplies.source = source.map(Box::new);
}

/// The source that a unit names, unless it is one that a controller makes out of others.
pub fn taken(reference: Option<&Node>, namespace: &str) -> Vec<Located<SourceRef>> {
    let known =
        reference.filter(|node| KINDS.contains(&node.text_at(&["kind"]).unwrap_or_default()));
    let named = known.and_then(|node| {
        Some(Located {
            value: source_ref(Some(node), namespace),
            place: node.get("name")?.place,
        })
    });
    named.into_iter().collect()
}

/// A chart and where it comes from, as a release names it, or an object for it.
pub fn named_chart(spec: &Node, namespace: &str, place: Place) -> UnitChart {
    let source = source_ref(spec.get("sourceRef"), namespace);
    // The controller ignores the stated version for a chart from a GitRepository or Bucket.
    let is_in_files = matches!(source.kind.as_str(), "GitRepository" | "Bucket");
    UnitChart {
        name: located_at(spec, &["chart"]),
        version: located_at(spec, &["version"]),
        source,
        repository: None,
        parts: Vec::new(),
        main_part: None,
        file: is_in_files.then(ChartFile::default),
        place,
    }
}

/// Files that the source leaves out, which takes the place of what it leaves out by default.
fn ignore(spec: &Node) -> Option<SmolStr> {
    spec.text_at(&["ignore"]).map(SmolStr::from)
}

/// The most telling part of `spec.ref`.
fn reference(spec: &Node) -> Option<Located<SmolStr>> {
    ["semver", "tag", "digest", "commit", "name", "branch"]
        .iter()
        .find_map(|key| located_at(spec, &["ref", key]))
}

/// The revision that the controller takes: a digest or commit before a range, and that before a tag or branch.
fn revision(spec: &Node) -> Option<SourceRevision> {
    const FIELDS: &[(&str, RevisionField)] = &[
        ("commit", RevisionField::Commit),
        ("digest", RevisionField::Digest),
        ("name", RevisionField::Reference),
        ("semver", RevisionField::Range),
        ("tag", RevisionField::Tag),
        ("branch", RevisionField::Branch),
    ];
    let stated = FIELDS.iter().find_map(|(key, field)| {
        let value = spec.text_at(&["ref", key])?;
        (!value.is_empty()).then_some((*field, value))
    });
    stated.map(|(field, value)| SourceRevision {
        field,
        value: value.into(),
        is_filtered: field == RevisionField::Range && spec.at(&["ref", "semverFilter"]).is_some(),
    })
}

fn bucket_url(spec: &Node) -> SmolStr {
    let endpoint = spec.text_at(&["endpoint"]).unwrap_or_default();
    let bucket = spec.text_at(&["bucketName"]).unwrap_or_default();
    format!("{endpoint}/{bucket}").into()
}

/// `copy: from: "@repo/apps/**" to: "@artifact/"` puts `apps` of the source called `repo` at the root of the artifact.
fn artifacts(spec: &Node, namespace: &str) -> Vec<Artifact> {
    let source = |alias: &str| {
        let mut sources = spec.items_at("sources").iter();
        let named = sources.find(|source| source.text_at(&["alias"]) == Some(alias));
        source_ref(named, namespace)
    };
    let items = spec.items_at("artifacts").iter();
    let each = items.filter_map(|item| {
        let copies = item.items_at("copy").iter().filter_map(|copy| {
            let (alias, from) = directory(copy.text_at(&["from"])?)?;
            let (_, to) = directory(copy.text_at(&["to"])?)?;
            Some(ArtifactCopy {
                to,
                source: source(alias),
                from,
            })
        });
        Some(Artifact {
            name: item.text_at(&["name"])?.into(),
            namespace: namespace.into(),
            copies: copies.collect(),
        })
    });
    each.collect()
}

/// The alias and the directory of `@alias/path/**`.
fn directory(pattern: &str) -> Option<(&str, SmolStr)> {
    let (alias, path) = pattern.strip_prefix('@')?.split_once('/')?;
    let end = path.find(['*', '?', '[']).unwrap_or(path.len());
    Some((alias, path[..end].trim_end_matches('/').into()))
}
