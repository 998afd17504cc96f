//! Requests for charts: what the units of all clusters install, as far as it is not in this repo.

use std::collections::BTreeSet;

use charts::{AskedVersion, ChartRequest};
use smol_str::SmolStr;

use super::{ChartSources, Cluster, Clusters};
use crate::facts::{ChartSource, NamedChart, RevisionField, UnitChart};
use crate::input::repo::Repo;
use crate::sources::inventory::Inventory;
pub use crate::sources::published_chart::ChartGap;
use crate::sources::published_chart::published;
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

/// Where a chart is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChartLocation {
    /// In this repo, by its `Chart.yaml`.
    Here(FileId),
    Published(ChartRequest),
}

/// All references to charts that are not in this repo, by place. Each chart is there once for each place.
pub fn references(clusters: &Clusters, inventory: &Inventory, repo: &Repo) -> Vec<ChartReference> {
    let mut found = BTreeSet::new();
    for cluster in clusters.iter() {
        let locator = ChartLocator::new(repo, cluster);
        let releases = cluster.units.iter().flat_map(|unit| unit.unit.releases());
        for chart in releases.filter_map(|(release, _)| release.chart.as_ref()) {
            match locator.locate(chart) {
                Some(Ok(ChartLocation::Here(file))) => {
                    let local = inventory.charts.get(&file);
                    let dependencies = local.into_iter().flat_map(|local| &local.dependencies);
                    found.extend(dependencies.filter_map(named));
                }
                Some(Ok(ChartLocation::Published(request))) => {
                    found.insert(locator.reference(chart, Ok(request)));
                }
                Some(Err(gap)) => {
                    found.insert(locator.reference(chart, Err(gap)));
                }
                None => {}
            }
        }
    }
    found.extend(inventory.named_charts.iter().filter_map(named));
    found.into_iter().collect()
}

/// Finds the charts of one cluster.
pub struct ChartLocator<'r> {
    repo: &'r Repo,
    sources: ChartSources<'r>,
}

impl<'r> ChartLocator<'r> {
    pub fn new(repo: &'r Repo, cluster: &'r Cluster) -> ChartLocator<'r> {
        ChartLocator {
            repo,
            sources: ChartSources::from_cluster(cluster),
        }
    }

    /// Where a chart is, or why that cannot be said. None if it is one of this repo that is missing, which a check
    /// reports.
    pub fn locate(&self, chart: &UnitChart) -> Option<Result<ChartLocation, ChartGap>> {
        let chart = self.sources.stated(chart);
        if let Some(file) = self.chart_file(chart) {
            return Some(Ok(ChartLocation::Here(file)));
        }
        let request = self.request(chart)?;
        Some(request.map(ChartLocation::Published))
    }

    fn reference(
        &self,
        chart: &UnitChart,
        request: Result<ChartRequest, ChartGap>,
    ) -> ChartReference {
        let chart = self.sources.stated(chart);
        let name = chart.name.as_ref().map(|name| name.value.clone());
        let version = chart.version.as_ref().map(|version| version.place);
        ChartReference {
            place: version.unwrap_or(chart.place),
            name: name.unwrap_or_else(|| chart.source.name.clone()),
            request,
        }
    }

    /// The `Chart.yaml` of a chart in this repo.
    fn chart_file(&self, chart: &UnitChart) -> Option<FileId> {
        let name = chart.name.as_ref()?;
        // It is called as its own file says.
        let stated_in = name.place.file;
        if stated_in != FileId::NONE && self.repo.path(stated_in).file_name() == "Chart.yaml" {
            return Some(stated_in);
        }
        chart.file.as_ref()?;
        let source = self.sources.named(&chart.source);
        let is_own = source.is_none_or(|source| self.sources.is_own(source));
        let directory = base::RepoPath::new(&name.value).filter(|_| is_own)?;
        self.repo.file_in(&directory, "Chart.yaml")
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
