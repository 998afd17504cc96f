//! The version to show: that of the chart, or of the image if the chart runs any image that its values name.

use smol_str::SmolStr;

use super::chart::charted;
use super::component::Named;
use super::unit::Sources;
use super::{Chart, ComponentId};
use crate::cluster::{ClusterIx, Clusters};
use crate::facts::{Release, Statement, Unit};
use crate::input::config::{Config, VersionFrom};
use crate::sources::charts::{self, Values};
use crate::sources::values::{Image, ImageRole, main_image};
use base::index::IndexVec;

/// Chart and version of one part of a component.
#[derive(Debug, Clone, Default)]
pub struct Version {
    pub chart: Option<SmolStr>,
    /// The one to show.
    pub shown: Option<SmolStr>,
}

/// The versions of a component's parts, each with the statement that declares its release. Where the image counts in one,
/// it counts in all: two versions of different things beside each other would be compared.
pub fn versions(
    config: &Config,
    named: &Named,
    declared: &[Option<&Statement>],
    clusters: &Clusters,
    sources: &IndexVec<ClusterIx, Sources<'_>>,
) -> Vec<Version> {
    let parts = named.draft.parts.iter().zip(declared);
    let both = parts.map(|(part, declared)| {
        let chart = charted(part, clusters, sources);
        let unit = part
            .release
            .map(|at| &*clusters[part.cluster].units[at].unit);
        let image = chart.as_ref().zip(unit).zip(*declared);
        let image = image.and_then(|((chart, unit), declared)| {
            of_image(config, &named.id, chart, unit, declared)
        });
        (chart.and_then(|chart| chart.version), image)
    });
    let both: Vec<(Option<SmolStr>, Option<SmolStr>)> = both.collect();
    let by_image = both.iter().any(|(_, image)| image.is_some());
    let versions = both.into_iter().map(|(chart, image)| Version {
        shown: if by_image { image } else { chart.clone() },
        chart,
    });
    versions.collect()
}

/// The tag of the image that is what a release is about, if that is certain.
fn of_image(
    config: &Config,
    id: &ComponentId,
    chart: &Chart,
    unit: &Unit,
    declared: &Statement,
) -> Option<SmolStr> {
    let release = unit.release.as_ref()?;
    let own = release.chart.as_ref();
    let core = own.and_then(|own| own.parts.get(own.main_part?));
    let prefix = core.map_or_else(String::new, |core| format!("{}.", core.values));
    let values = Values {
        statement: declared,
        prefix: &prefix,
    };
    let image = main_image(values, &release.name)?;
    let mut known = charts::find(config, &chart.name, chart.repository.as_deref()).peekable();
    let is_about = if known.peek().is_some() {
        known.any(|known| known.version_from == VersionFrom::Image)
    } else {
        is_named_like(id, release, chart, image)
    };
    is_about.then(|| image.tag.into())
}

/// Whether the image bears the name of what is installed, and the chart has nothing to do with it.
fn is_named_like(id: &ComponentId, release: &Release, chart: &Chart, image: Image<'_>) -> bool {
    let names = [id.0.as_str(), release.name.as_str()];
    let is_image = names
        .iter()
        .any(|name| name.eq_ignore_ascii_case(image.name));
    let is_of_chart = names.iter().any(|name| shares_a_word(name, &chart.name));
    image.role == ImageRole::Main && is_image && !is_of_chart
}

/// Words that say nothing about what is named.
const EMPTY: [&str; 4] = ["app", "application", "chart", "service"];

fn shares_a_word(one: &str, other: &str) -> bool {
    fn words(text: &str) -> impl Iterator<Item = &str> {
        text.split(|c: char| !c.is_ascii_alphanumeric())
    }
    let is_shared = |word: &str| {
        let is_telling = !EMPTY.iter().any(|empty| empty.eq_ignore_ascii_case(word));
        is_telling && words(other).any(|other| other.eq_ignore_ascii_case(word))
    };
    one.eq_ignore_ascii_case(other) || words(one).any(is_shared)
}
