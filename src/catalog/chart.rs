//! The charts of a component: its main chart and further ones.

use super::ComponentChart;
use super::component::Placement;
use crate::cluster::{ChartSources, ClusterIx, Clusters};
use crate::facts::ChartPart;
use base::index::IndexVec;

/// The chart that people know it by.
pub fn charted(
    part: &Placement,
    clusters: &Clusters,
    sources: &IndexVec<ClusterIx, ChartSources<'_>>,
) -> Option<ComponentChart> {
    let here = &clusters[part.cluster].units[part.release?];
    let chart = here.unit.release.as_ref()?.chart.as_ref()?;
    if let Some(core) = chart.main_part.and_then(|main| chart.parts.get(main)) {
        return Some(of_part(core));
    }
    let mut installed = sources[part.cluster].installed(chart)?;
    let charts = here.charts.as_ref();
    installed.read = charts.and_then(|charts| charts.charts.first()?.clone());
    // A range of versions says less than the version that it led to.
    if installed.version.as_deref().is_none_or(is_range)
        && let Some(metadata) = installed
            .read
            .as_ref()
            .and_then(|read| read.metadata.as_ref())
    {
        installed.version = Some(metadata.version.clone());
    }
    Some(installed)
}

/// Further charts: the wrapper of the main chart, its subcharts, and other installed charts.
pub fn more_charts(
    part: &Placement,
    clusters: &Clusters,
    sources: &IndexVec<ClusterIx, ChartSources<'_>>,
) -> Vec<ComponentChart> {
    let Some(unit) = part
        .release
        .map(|at| &clusters[part.cluster].units[at].unit)
    else {
        return Vec::new();
    };
    let sources = &sources[part.cluster];
    let own = unit.release.as_ref().and_then(|it| it.chart.as_ref());
    let wrapper = own.filter(|chart| chart.main_part.is_some());
    let parts = own.into_iter().flat_map(|chart| {
        let parts = chart.parts.iter().enumerate();
        parts.filter(|(at, _)| Some(*at) != chart.main_part)
    });
    let further = unit.more_releases.iter();
    let further = further.filter_map(|further| further.release.chart.as_ref());
    let mut charts: Vec<ComponentChart> = Vec::new();
    charts.extend(wrapper.and_then(|chart| sources.installed(chart)));
    charts.extend(parts.map(|(_, part)| of_part(part)));
    charts.extend(further.filter_map(|chart| sources.installed(chart)));
    charts
}

/// Whether what is stated as a version stands for several.
fn is_range(version: &str) -> bool {
    let is_wild = |part: &str| matches!(part, "x" | "X");
    version.contains(['*', '^', '~', '<', '>', '|', ' ', '=']) || version.split('.').any(is_wild)
}

fn of_part(part: &ChartPart) -> ComponentChart {
    ComponentChart {
        name: part.name.clone(),
        version: part.version.clone(),
        repository: part.repository.clone(),
        read: None,
    }
}
