//! Which units provide which API types and webhooks: those that apply CRDs, and releases whose charts are known or in the
//! repository.

use smol_str::SmolStr;

use super::StartupOrder;
use crate::catalog::{self, ClusterUnits};
use crate::cluster::{Applied, ChartObjects, Cluster, ClusterUnit, Destination, UnitIx};
use crate::facts::values::ChartValues;
use crate::facts::{BootstrapExtent, Build, Listing, Release, Target};
use crate::input::config::{Config, Crds, Starts, Switch, WhenDown};
use crate::input::repo::{Repo, RepoPath};
use crate::sources::charts::{self, Brings};
use crate::sources::inventory::Inventory;
use crate::sources::local_charts::ChartPart;
use base::index::IndexVec;
use base::text::last_part;
use base::{Effect, Place, index_type};

index_type! {
    /// Position of a provider in the startup order.
    pub struct ProviderIx;
}

/// A unit, with the API types and webhooks that it provides.
pub struct Provider<'a> {
    pub unit: UnitIx,
    /// The cluster that it provides them to.
    pub target: Destination,
    pub means: Means,
    pub place: Place,
    pub certainty: Certainty,
    /// Group and kind; an empty kind means the whole group.
    pub apis: Vec<(SmolStr, SmolStr)>,
    /// Groups whose objects are rejected until its webhook is serving.
    pub webhook: Vec<&'a str>,
    /// Its CRDs are created by its workloads.
    pub at_run_time: bool,
    /// It exists before any unit is applied.
    pub is_first: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    /// The unit applies the CRD itself.
    Object,
    /// The unit installs a chart.
    Release,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    Sure,
    Likely,
}

impl Provider<'_> {
    pub fn is_release(&self) -> bool {
        self.means == Means::Release
    }

    /// A release that provides nothing yet.
    fn of_unit(unit: UnitIx, installed: &InstalledRelease<'_>) -> Self {
        Provider {
            unit,
            target: installed.target,
            means: Means::Release,
            place: installed.values.statement.place,
            certainty: Certainty::Sure,
            apis: Vec::new(),
            webhook: Vec::new(),
            at_run_time: false,
            is_first: false,
        }
    }

    fn if_any(self) -> Option<Self> {
        (!self.apis.is_empty() || !self.webhook.is_empty()).then_some(self)
    }
}

pub fn providers<'a>(
    repo: &Repo,
    config: &'a Config,
    cluster: &'a Cluster,
    units: &'a ClusterUnits,
    inventory: &Inventory,
) -> IndexVec<ProviderIx, Provider<'a>> {
    let mut providers = IndexVec::new();
    let fails = cluster.units.iter().map(|unit| {
        let mut applied = unit.applied.iter();
        applied.any(|applied| applied.build_fault().is_some())
    });
    let fails: IndexVec<UnitIx, bool> = fails.collect::<Vec<_>>().into();
    for (unit, object) in cluster.objects() {
        let statement = &object.statement;
        // What cannot be built never reaches the cluster.
        let is_lost = match unit {
            Some(unit) => fails[unit],
            None => cluster.loose.build_fault().is_some(),
        };
        if is_lost {
            continue;
        }
        // An operator that is subscribed to installs its types later; nothing says when.
        let is_later = statement.id.is("operators.coreos.com", "Subscription");
        let provided = statement.provides.iter().filter(|_| !is_later);
        let apis: Vec<(SmolStr, SmolStr)> = provided.filter_map(api).collect();
        if !apis.is_empty() {
            providers.push(Provider {
                // Objects of the entry point itself exist before any unit.
                unit: unit.unwrap_or(UnitIx::FIRST),
                target: cluster.target_of(unit),
                is_first: unit.is_none(),
                means: Means::Object,
                place: statement.place,
                certainty: Certainty::Sure,
                apis,
                webhook: Vec::new(),
                at_run_time: false,
            });
        }
        let declared = statement.unit.as_ref();
        let Some(declared) = declared.filter(|unit| unit.release.is_some()) else {
            continue;
        };
        let Some(unit) = cluster.position_in(cluster.target_of(unit), &declared.id) else {
            continue;
        };
        // If a unit is declared twice, the first declaration counts.
        if cluster.units[unit].unit.place != statement.place {
            continue;
        }
        let here = &cluster.units[unit];
        let mut builds = here.unit.builds();
        let is_chart = builds.any(|build| build.listing == Listing::Chart);
        let built = here.directory.as_ref().filter(|_| is_chart);
        for (nth, (release, prefix)) in declared.releases().enumerate() {
            let chart = match nth {
                0 => chart_of(units, here).map(|chart| (&chart.name, &chart.repository)),
                _ => release.chart.as_ref().and_then(|chart| {
                    let name = &chart.name.as_ref()?.value;
                    Some((name, &chart.repository))
                }),
            };
            let Some((name, repository)) = chart else {
                continue;
            };
            let installed = InstalledRelease {
                name,
                repository: repository.as_deref(),
                release,
                target: here.target,
                values: ChartValues { statement, prefix },
                built: built.filter(|_| nth == 0),
            };
            let yielded = here
                .charts
                .as_ref()
                .filter(|charts| nth == 0 && charts.is_whole());
            let tables = Tables {
                repo,
                config,
                inventory,
            };
            let provider = match yielded {
                Some(yielded) => of_objects(config, unit, &installed, yielded),
                None => of_release(&tables, unit, &installed),
            };
            let Some(mut provider) = provider else {
                continue;
            };
            match bootstrapped(inventory, &installed) {
                Some(BootstrapExtent::Release) => provider.is_first = true,
                Some(BootstrapExtent::Definitions) => {
                    providers.push(Provider {
                        apis: std::mem::take(&mut provider.apis),
                        webhook: Vec::new(),
                        is_first: true,
                        ..provider
                    });
                }
                None => {}
            }
            providers.push(provider);
        }
    }
    providers
}

/// A chart that a unit installs.
struct InstalledRelease<'i> {
    name: &'i str,
    repository: Option<&'i str>,
    release: &'i Release,
    target: Destination,
    values: ChartValues<'i>,
    /// Its directory, if it is in the repository.
    built: Option<&'i RepoPath>,
}

/// How much of a release is there before the first unit. CRDs have no namespace, so those of a chart that is installed or
/// rendered under another name or into another namespace are there, too.
fn bootstrapped(
    inventory: &Inventory,
    installed: &InstalledRelease<'_>,
) -> Option<BootstrapExtent> {
    let release = installed.release;
    let extents = inventory.bootstrapped.iter().filter_map(|first| {
        let namespace = &first.namespace;
        let is_release = first.name == release.name
            && (namespace.is_empty() || *namespace == release.target_namespace);
        let is_chart = !first.chart.is_empty() && first.chart == last_part(installed.name);
        if is_release {
            Some(first.extent)
        } else {
            is_chart.then_some(BootstrapExtent::Definitions)
        }
    });
    extents.min()
}

/// What a release provides whose charts were rendered. What its operator makes once it runs is known from the tables only.
fn of_objects<'a>(
    config: &'a Config,
    unit: UnitIx,
    installed: &InstalledRelease<'_>,
    yielded: &'a ChartObjects,
) -> Option<Provider<'a>> {
    let mut provider = Provider::of_unit(unit, installed);
    let objects = yielded.applied.objects.iter();
    for statement in objects.map(|object| &object.statement) {
        provider
            .apis
            .extend(statement.provides.iter().filter_map(api));
        let guards = statement.order.guards.iter();
        provider.webhook.extend(guards.map(SmolStr::as_str));
    }
    for known in charts::find(config, installed.name, installed.repository) {
        provider.is_first |= known.starts == Starts::First;
        if known.crds == Crds::RunTime {
            provider.at_run_time = true;
            provider
                .apis
                .extend(known.groups.iter().map(|entry| api_entry(entry)));
            let is_refusing = known.webhook_down == WhenDown::Refuse;
            let groups = known.webhook.iter().filter(|_| is_refusing);
            provider.webhook.extend(groups.map(String::as_str));
        }
    }
    provider.apis.sort();
    provider.apis.dedup();
    provider.webhook.sort_unstable();
    provider.webhook.dedup();
    provider.if_any()
}

/// A type that an object defines.
fn api(target: &Target) -> Option<(SmolStr, SmolStr)> {
    match target {
        Target::Api { group, kind } => Some((group.clone(), kind.clone())),
        _ => None,
    }
}

/// The types that an entry of a table means.
fn api_entry(entry: &str) -> (SmolStr, SmolStr) {
    let (group, kind) = charts::group_and_kind(entry);
    (group.into(), kind.unwrap_or_default().into())
}

/// What is known of charts without rendering them.
struct Tables<'a, 'r> {
    repo: &'r Repo,
    config: &'a Config,
    inventory: &'r Inventory,
}

fn of_release<'a>(
    tables: &Tables<'a, '_>,
    unit: UnitIx,
    installed: &InstalledRelease<'_>,
) -> Option<Provider<'a>> {
    let Tables {
        repo,
        config,
        inventory,
    } = *tables;
    let (release, values) = (installed.release, installed.values);
    let mut provider = Provider::of_unit(unit, installed);
    for known in charts::find(config, installed.name, installed.repository) {
        provider.is_first |= known.starts == Starts::First;
        provider.at_run_time |= known.crds == Crds::RunTime;
        let brings = charts::brings(known, release, values);
        if brings != Brings::Not {
            if brings == Brings::Perhaps {
                provider.certainty = Certainty::Likely;
            }
            let groups = known.groups.iter();
            provider.apis.extend(groups.map(|entry| api_entry(entry)));
        }
        let webhook_is_off = known
            .webhook_value
            .as_deref()
            .is_some_and(|value| values.setting(value) == Some("false"));
        if known.webhook_down == WhenDown::Refuse && !webhook_is_off {
            let groups = known.webhook.iter();
            provider.webhook.extend(groups.map(String::as_str));
        }
    }
    for part in release.chart.iter().flat_map(|chart| &chart.parts) {
        let known = charts::find(config, &part.name, part.repository.as_deref());
        for known in known.filter(|known| known.crds_default == Switch::On) {
            provider.at_run_time |= known.crds == Crds::RunTime;
            provider.certainty = Certainty::Likely;
            let groups = known.groups.iter();
            provider.apis.extend(groups.map(|entry| api_entry(entry)));
        }
    }
    let named = inventory.chart_at(repo, installed.name);
    let chart = named.or_else(|| inventory.chart_in(repo, installed.built?));
    for defined in chart.iter().flat_map(|chart| &chart.definitions) {
        if defined.part == ChartPart::Templates || !release.skips_crds {
            let api = (defined.group.clone(), defined.kind.clone());
            provider.apis.push(api);
        }
    }
    provider.if_any()
}

/// The units that install the CRDs of custom resources in the charts of units, where there is no doubt about either.
pub fn charts_need(
    order: &StartupOrder<'_>,
    config: &Config,
    units: &ClusterUnits,
) -> IndexVec<UnitIx, Vec<UnitIx>> {
    let cluster = order.cluster;
    let mut needed = IndexVec::from_elem(Vec::new(), cluster.units.len());
    for (applied_by, object) in cluster.objects() {
        let statement = &object.statement;
        let Some(declared) = &statement.unit else {
            continue;
        };
        let Some(release) = &declared.release else {
            continue;
        };
        let Some(index) = cluster.position_in(cluster.target_of(applied_by), &declared.id) else {
            continue;
        };
        let unit = &cluster.units[index];
        let Some(chart) = chart_of(units, unit).filter(|_| !release.has_more_values) else {
            continue;
        };
        let values = ChartValues {
            statement,
            prefix: "",
        };
        for known in charts::find(config, &chart.name, chart.repository.as_deref()) {
            let mut switches = known.needs_value.iter();
            if switches.any(|value| values.setting(value).is_some()) {
                continue;
            }
            let sole = known
                .needs
                .iter()
                .filter_map(|entry| order.sole(unit, entry, config));
            needed[index].extend(sole.filter(|provider| *provider != index));
        }
    }
    needed
}

impl StartupOrder<'_> {
    /// The only known unit that provides an API group to the cluster of a unit.
    fn sole(&self, unit: &ClusterUnit, entry: &str, config: &Config) -> Option<UnitIx> {
        let (group, _) = charts::group_and_kind(entry);
        if config.has_external_crds(group) {
            return None;
        }
        let provides = |provider: &&Provider<'_>| {
            let mut apis = provider.apis.iter();
            provider.target == unit.target && apis.any(|(other, _)| other == group)
        };
        let mut providers = self.providers.iter().filter(provides);
        let first = providers.next()?;
        let is_sole = providers.next().is_none() && !first.is_first;
        (is_sole && first.certainty == Certainty::Sure).then_some(first.unit)
    }
}

fn chart_of<'a>(
    units: &'a ClusterUnits,
    unit: &ClusterUnit,
) -> Option<&'a catalog::ComponentChart> {
    units
        .find_in(unit.declared_in, &unit.unit.id)?
        .chart
        .as_ref()
}

/// Units whose content is not known: all or some of their files are elsewhere.
pub fn unknown(config: &Config, cluster: &Cluster, units: &ClusterUnits) -> Vec<UnitIx> {
    let all = cluster.units.iter_enumerated();
    let unknown = all.filter(|(_, unit)| {
        let is_chart = |build: &Build| build.listing == Listing::Chart;
        let elsewhere = unit.unit.builds().any(|build| !is_chart(build)) && unit.applied.is_none();
        let in_part = unit.applied.iter().any(Applied::is_in_part);
        // An unknown chart of CRDs may install any CRD.
        let definitions = chart_of(units, unit).is_some_and(|chart| {
            let repository = chart.repository.as_deref();
            chart.name.contains("crd")
                && charts::find(config, &chart.name, repository)
                    .next()
                    .is_none()
        });
        elsewhere || in_part || definitions
    });
    unknown.map(|(index, _)| index).collect()
}

impl StartupOrder<'_> {
    /// Whether what is not known of a unit may define a type. A single file from elsewhere is a release of one project: it
    /// defines what its address is about. A base may hold anything.
    pub fn may_define(&self, index: UnitIx, group: &str, kind: &str) -> bool {
        let unit = self.unit(index);
        let Some(applied) = unit.applied.as_ref().filter(|applied| !applied.is_partial) else {
            return true;
        };
        let mut findings = applied.findings.iter();
        let is_otherwise = findings.any(|finding| finding.effect == Effect::Unsupported);
        let bases = &applied.bases_elsewhere;
        is_otherwise
            || bases.is_empty()
            || !bases
                .iter()
                .all(|base| is_file_about_others(base, group, kind))
    }
}

/// Whether an address is that of a file, and neither a word of an API group nor a kind is in it.
fn is_file_about_others(address: &str, group: &str, kind: &str) -> bool {
    let path = address.split('?').next().unwrap_or_default();
    let is_file = path.ends_with(".yaml") || path.ends_with(".yml");
    let name = last_part(path).to_ascii_lowercase();
    let address = address.to_ascii_lowercase();
    let mut words = group.split(['.', '-']).filter(|word| word.len() > 2);
    let is_about = words.any(|word| !COMMON.contains(&word) && address.contains(word))
        || kind.len() > 4 && name.contains(&kind.to_ascii_lowercase());
    is_file && !is_about
}

/// Parts of API groups that say nothing about what is in them.
const COMMON: &[&str] = &[
    "api", "app", "apps", "cloud", "com", "dev", "io", "k8s", "net", "org", "x-k8s",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_defines_what_its_address_is_about() {
        let file = "https://github.com/cert-manager/cert-manager/releases/download/v1/cert-manager.crds.yaml";
        assert!(is_file_about_others(file, "metallb.io", "IPAddressPool"));
        assert!(!is_file_about_others(file, "cert-manager.io", "Issuer"));
        let base = "https://github.com/acme/platform//base?ref=v1";
        assert!(!is_file_about_others(base, "metallb.io", "IPAddressPool"));
        let gateway = "https://github.com/kubernetes-sigs/gateway-api/releases/download/v1/standard-install.yaml";
        let routes = ("gateway.networking.k8s.io", "HTTPRoute");
        assert!(!is_file_about_others(gateway, routes.0, routes.1));
        assert!(is_file_about_others(
            gateway,
            "postgresql.cnpg.io",
            "Cluster"
        ));
        let one = "https://raw.example.com/charts/crds/crd-podmonitors.yaml";
        assert!(!is_file_about_others(
            one,
            "monitoring.coreos.com",
            "PodMonitor"
        ));
        assert!(is_file_about_others(one, "monitoring.coreos.com", "Probe"));
    }
}
