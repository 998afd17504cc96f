//! The version to show: that of the chart, or of the image if the chart runs any image that its values name.

use smol_str::SmolStr;

use super::chart::charted;
use super::component::{NamedComponent, Placement};
use super::elsewhere::{self, Address};
use super::running::{self, Operands};
use super::{ComponentChart, ComponentId};
use crate::cluster::{ChartSources, ClusterIx, Clusters};
use crate::facts::values::ChartValues;
use crate::facts::values::{ImageRole, main_image};
use crate::facts::{Release, Statement, Unit};
use crate::input::config::{Config, VersionFrom};
use crate::sources::charts;
use base::index::IndexVec;

/// Chart and version of one part of a component.
#[derive(Debug, Clone, Default)]
pub struct PartVersion {
    pub chart: Option<SmolStr>,
    /// The one to show.
    pub shown: Option<SmolStr>,
}

/// What is known of the parts of a component: the statement that declares the release of each, and all of each.
#[derive(Clone, Copy)]
pub struct PartStatements<'s> {
    pub declared: &'s [Option<&'s Statement>],
    pub all: &'s [Vec<&'s Statement>],
}

/// The versions of a component's parts. Where the image counts in one, it counts in all: two versions of different things
/// beside each other would be compared.
pub fn versions(
    config: &Config,
    named: &NamedComponent,
    stated: PartStatements<'_>,
    clusters: &Clusters,
    sources: &IndexVec<ClusterIx, ChartSources<'_>>,
) -> Vec<PartVersion> {
    let statements = stated.declared.iter().zip(stated.all);
    let parts = named.draft.parts.iter().zip(statements);
    let found = parts.map(|(part, (declared, all))| {
        let chart = charted(part, clusters, sources);
        let units = &clusters[part.cluster].units;
        let unit = part.release.map(|at| &*units[at].unit);
        let Some(unit) = unit else {
            let names = [
                named.id.0.as_str(),
                units[part.subject].unit.id.name.as_str(),
            ];
            let run = running::version(&names, all, Operands::Count);
            let addresses = || elsewhere(part, clusters, &sources[part.cluster]);
            let applied = units[part.subject].applied.as_ref();
            let images = || applied.and_then(|it| elsewhere::tag(&names, &it.images_elsewhere));
            return PartVersions {
                run: run
                    .or_else(images)
                    .or_else(|| elsewhere::version(&names, &addresses())),
                ..PartVersions::default()
            };
        };
        let image = chart.as_ref().zip(*declared);
        let image =
            image.and_then(|(chart, declared)| of_image(config, &named.id, chart, unit, declared));
        let release = unit.release.as_deref();
        let names = release.map_or("", |release| release.name.as_str());
        let run = || running::version(&[named.id.0.as_str(), names], all, Operands::Ignored);
        let says_nothing =
            |chart: &ComponentChart| is_placeholder(chart, release) || is_generic(config, chart);
        let is_wrapper = part.is_remainder || chart.as_ref().is_some_and(says_nothing);
        // Nobody looks for the version of a chart that is beside what it installs, if that has one of its own.
        let is_built = part.release.is_some_and(|at| units[at].directory.is_some());
        let own = release.and_then(|release| release.chart.as_ref());
        let is_wrapped = own.is_some_and(|own| own.main_part.is_some());
        let is_beside = !is_wrapped
            && (is_built || chart.as_ref().is_some_and(|chart| is_here(chart, release)));
        let chart = chart.and_then(|chart| chart.version);
        let run = if image.is_some() { None } else { run() };
        PartVersions {
            is_wrapper: is_wrapper || is_beside && run.is_some(),
            run,
            image,
            chart,
        }
    });
    let found: Vec<PartVersions> = found.collect();
    let by_image = found.iter().any(|found| found.image.is_some());
    let versions = found.into_iter().map(|found| PartVersion {
        shown: if by_image {
            found.image.or(found.run)
        } else {
            // `*` takes whatever is newest.
            let chart = found.chart.clone();
            let chart = chart.filter(|version| !found.is_wrapper && version != "*");
            chart.or(found.run)
        },
        chart: found.chart,
    });
    versions.collect()
}

/// Where the unit of a part takes manifests from that are not in this repo.
fn elsewhere<'a>(
    part: &Placement,
    clusters: &'a Clusters,
    sources: &ChartSources<'a>,
) -> Vec<Address<'a>> {
    let unit = &clusters[part.cluster].units[part.subject];
    let bases = unit.applied.iter().flat_map(|it| &it.bases_elsewhere);
    let mut addresses: Vec<Address<'a>> = bases.map(|base| Address::from_base(base)).collect();
    let builds = unit.unit.builds().filter(|_| unit.directory.is_none());
    for build in builds {
        if let Some(origin) = &build.origin {
            addresses.push(Address::pinned(&origin.url, origin.revision.as_deref()));
        } else if let Some(source) = sources.named(&build.source) {
            let version = source.version.as_ref().map(|version| &*version.value);
            addresses.push(Address::pinned(&source.url, version));
        }
    }
    addresses
}

/// The versions of one part.
#[derive(Default)]
struct PartVersions {
    chart: Option<SmolStr>,
    /// The version of its chart says nothing: nobody counts it up, or it runs any image.
    is_wrapper: bool,
    /// Of the image that its values name.
    image: Option<SmolStr>,
    /// Of what its objects run.
    run: Option<SmolStr>,
}

/// Whether a chart among the files of the repo has the version that new charts begin with.
fn is_placeholder(chart: &ComponentChart, release: Option<&Release>) -> bool {
    let version = chart.version.as_deref().unwrap_or_default();
    is_here(chart, release)
        && ["0.0.0", "0.0.1", "0.1.0"].contains(&version.trim_start_matches('v'))
}

/// Whether a chart is among the files of the repo, and is not just a wrapper around another one.
fn is_here(chart: &ComponentChart, release: Option<&Release>) -> bool {
    let own = release.and_then(|release| release.chart.as_ref());
    chart.repository.is_none() || own.is_some_and(|own| own.file.is_some())
}

/// Whether a chart runs any image that values name, so that its own version says nothing of what runs.
fn is_generic(config: &Config, chart: &ComponentChart) -> bool {
    let mut known = charts::find(config, &chart.name, chart.repository.as_deref());
    known.any(|known| known.version_from == VersionFrom::Image)
}

/// The tag of the image that is what a release is about, if that is certain.
fn of_image(
    config: &Config,
    id: &ComponentId,
    chart: &ComponentChart,
    unit: &Unit,
    declared: &Statement,
) -> Option<SmolStr> {
    let release = unit.release.as_ref()?;
    let own = release.chart.as_ref();
    let core = own.and_then(|own| own.parts.get(own.main_part?));
    let prefix = core.map_or_else(String::new, |core| format!("{}.", core.values));
    let values = ChartValues {
        statement: declared,
        prefix: &prefix,
    };
    let names = [id.0.as_str(), &release.name, &chart.name];
    let image = main_image(values, &release.name, &names)?;
    let is_about = match image.role {
        ImageRole::Main | ImageRole::Named => true,
        // The chart may run more than values name.
        ImageRole::Only => chart.version.is_none() || is_generic(config, chart),
    };
    is_about.then(|| image.tag.into())
}
