//! Requests for charts: what the units of all clusters install, as far as it is not in this repo.

use std::collections::BTreeSet;

use charts::{AskedVersion, ChartRequest, RequestError};
use smol_str::SmolStr;
use thiserror::Error;

use super::unit::Sources;
use crate::cluster::{Cluster, Clusters};
use crate::facts::{ChartSource, NamedChart, RevisionField, UnitChart};
use crate::input::repo::Repo;
use crate::sources::inventory::Inventory;
use base::{FileId, Place};

/// A chart that a file names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChartReference {
    pub place: Place,
    /// What it is called there.
    pub name: SmolStr,
    /// How to get it, or why that cannot be said.
    pub request: Result<ChartRequest, ChartGap>,
}

/// Why nothing can be requested.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Error)]
pub enum ChartGap {
    #[error("{0}")]
    Request(String),
    #[error("its source, {0}, is not declared here")]
    Undeclared(String),
    #[error("its source, {0}, cannot be fetched from")]
    Source(String),
    #[error("its repository is not stated as a URL")]
    NoRepository,
    #[error("its name is not known")]
    NoName,
    #[error("its source filters tags by a pattern, which is not supported")]
    Filtered,
}

impl From<RequestError> for ChartGap {
    fn from(error: RequestError) -> ChartGap {
        ChartGap::Request(error.to_string())
    }
}

/// All references to charts that are not in this repo, by place. Each chart is there once for each place.
pub fn references(clusters: &Clusters, inventory: &Inventory, repo: &Repo) -> Vec<ChartReference> {
    let mut found = BTreeSet::new();
    for cluster in clusters.iter() {
        let sources = Sources::from_cluster(cluster);
        let reader = ReferenceReader {
            cluster,
            sources: &sources,
            inventory,
            repo,
        };
        for unit in &cluster.units {
            let main = unit.unit.release.iter().map(|release| &**release);
            let further = unit
                .unit
                .more_releases
                .iter()
                .map(|further| &further.release);
            for chart in main
                .chain(further)
                .filter_map(|release| release.chart.as_ref())
            {
                reader.add(chart, &mut found);
            }
        }
    }
    found.extend(inventory.named_charts.iter().filter_map(named));
    found.into_iter().collect()
}

/// Reads the charts of one cluster.
struct ReferenceReader<'r> {
    cluster: &'r Cluster,
    sources: &'r Sources<'r>,
    inventory: &'r Inventory,
    repo: &'r Repo,
}

impl ReferenceReader<'_> {
    fn add(&self, chart: &UnitChart, found: &mut BTreeSet<ChartReference>) {
        let chart = self.sources.stated(chart);
        if let Some(file) = self.chart_file(chart) {
            let local = self.inventory.charts.get(&file);
            let dependencies = local.into_iter().flat_map(|local| &local.dependencies);
            found.extend(dependencies.filter_map(named));
            return;
        }
        let Some(request) = self.request(chart) else {
            return;
        };
        let name = chart.name.as_ref().map(|name| name.value.clone());
        let version = chart.version.as_ref().map(|version| version.place);
        found.insert(ChartReference {
            place: version.unwrap_or(chart.place),
            name: name.unwrap_or_else(|| chart.source.name.clone()),
            request,
        });
    }

    /// The `Chart.yaml` of a chart in this repo.
    fn chart_file(&self, chart: &UnitChart) -> Option<FileId> {
        let name = chart.name.as_ref()?;
        // It is called as its own file says.
        let stated_in = name.place.file;
        if stated_in != FileId::NONE && self.inventory.charts.contains_key(&stated_in) {
            return Some(stated_in);
        }
        chart.file.as_ref()?;
        let source = self.sources.named(&chart.source);
        let is_own = source.is_none_or(|source| self.cluster.is_own(&source.url));
        let directory = base::RepoPath::new(&name.value).filter(|_| is_own)?;
        let file = self.repo.file_in(&directory, "Chart.yaml")?;
        self.inventory.charts.contains_key(&file).then_some(file)
    }

    /// None if the chart is one of this repo that is missing, which a check reports.
    fn request(&self, chart: &UnitChart) -> Option<Result<ChartRequest, ChartGap>> {
        let reference = &chart.source;
        let described = || {
            format!(
                "{} {}/{}",
                reference.kind, reference.namespace, reference.name
            )
        };
        let version = chart.version.as_ref().map(|version| version.value.as_str());
        if reference.kind.is_empty() {
            let repository = chart.repository.as_deref();
            let name = chart.name.as_ref().map(|name| name.value.as_str());
            return Some(published(repository, name, version));
        }
        let source = self.sources.named(reference);
        if chart.file.is_some() && source.is_none() {
            return None;
        }
        let Some(source) = source else {
            return Some(Err(ChartGap::Undeclared(described())));
        };
        let name = chart.name.as_ref().map(|name| name.value.as_str());
        Some(match reference.kind.as_str() {
            "GitRepository" => in_git(source, name.unwrap_or_default()),
            "OCIRepository" => in_registry(source),
            "HelmRepository" => published(Some(&source.url), name, version),
            _ => Err(ChartGap::Source(described())),
        })
    }
}

/// A reference by name and address. None for charts that need no repository.
fn named(chart: &NamedChart) -> Option<ChartReference> {
    let version = chart.version.as_deref();
    Some(ChartReference {
        place: chart.place,
        name: chart.name.clone(),
        request: published(chart.repository.as_deref(), Some(&chart.name), version),
    })
}

fn published(
    repository: Option<&str>,
    name: Option<&str>,
    version: Option<&str>,
) -> Result<ChartRequest, ChartGap> {
    let name = name
        .filter(|name| !name.is_empty())
        .ok_or(ChartGap::NoName)?;
    let repository = repository.filter(|text| !text.is_empty());
    let repository = repository.ok_or(ChartGap::NoRepository)?;
    let asked = AskedVersion::Version(version.unwrap_or_default().to_owned());
    if repository.contains("://") {
        return Ok(ChartRequest::published(repository, name, asked)?);
    }
    // A registry may be named without a scheme. Its first part then is a host, which the short name of a repository is not.
    let host = repository.split('/').next().unwrap_or_default();
    if host.contains(['.', ':']) || base::text::has_gap(repository) {
        return Ok(ChartRequest::published(
            &format!("oci://{repository}"),
            name,
            asked,
        )?);
    }
    Err(ChartGap::NoRepository)
}

fn in_registry(source: &ChartSource) -> Result<ChartRequest, ChartGap> {
    let asked = match &source.revision {
        Some(revision) if revision.is_filtered => return Err(ChartGap::Filtered),
        Some(revision) => match revision.field {
            RevisionField::Digest => AskedVersion::Digest(revision.value.to_string()),
            RevisionField::Range => AskedVersion::Version(revision.value.to_string()),
            _ => AskedVersion::Tag(revision.value.to_string()),
        },
        None => AskedVersion::Tag("latest".to_owned()),
    };
    Ok(ChartRequest::oci(&source.url, asked)?)
}

fn in_git(source: &ChartSource, path: &str) -> Result<ChartRequest, ChartGap> {
    let asked = match &source.revision {
        Some(revision) if revision.is_filtered => return Err(ChartGap::Filtered),
        Some(revision) => {
            let value = revision.value.to_string();
            match revision.field {
                RevisionField::Commit => AskedVersion::Commit(value),
                RevisionField::Range => AskedVersion::Version(value),
                RevisionField::Tag => AskedVersion::Tag(value),
                RevisionField::Branch => AskedVersion::Branch(value),
                RevisionField::Digest | RevisionField::Reference => AskedVersion::Revision(value),
            }
        }
        None => AskedVersion::Branch("master".to_owned()),
    };
    Ok(ChartRequest::git(&source.url, path, asked)?)
}
