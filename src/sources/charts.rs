//! Charts: what each brings to a cluster. The data is in `config/charts.toml` and in the team's own configuration.

use std::sync::LazyLock;

use crate::facts::Release;
use crate::facts::values::ChartValues;
use crate::input::config::{Chart, Config, Crds, Requests, Switch, known_charts};
use base::hash::HashMap;

/// Charts declared under this name and repository: those of the configuration, or else the built-in ones.
pub fn find<'c>(
    config: &'c Config,
    name: &str,
    repository: Option<&str>,
) -> impl Iterator<Item = &'c Chart> {
    let own: Vec<&Chart> = meant(config.charts.iter(), name, repository);
    let known = if own.is_empty() {
        meant(known(name).iter().copied(), name, repository)
    } else {
        Vec::new()
    };
    own.into_iter().chain(known)
}

fn meant<'c>(
    charts: impl Iterator<Item = &'c Chart>,
    name: &str,
    repository: Option<&str>,
) -> Vec<&'c Chart> {
    let fits = |chart: &&Chart| {
        let address = chart.repository.as_deref();
        chart.name == name
            && address.is_none_or(|part| repository.is_some_and(|address| address.contains(part)))
    };
    charts.filter(fits).collect()
}

fn known(name: &str) -> &'static [&'static Chart] {
    static BY_NAME: LazyLock<HashMap<&'static str, Vec<&'static Chart>>> = LazyLock::new(|| {
        let mut by_name: HashMap<&str, Vec<&Chart>> = HashMap::default();
        for chart in known_charts() {
            by_name.entry(&chart.name).or_default().push(chart);
        }
        by_name
    });
    BY_NAME.get(name).map_or(&[], Vec::as_slice)
}

/// Whether what runs under a name, that of its chart or of its image, only lets requests in to others.
pub fn is_proxy(config: &Config, name: &str) -> bool {
    find(config, name, None).any(|chart| chart.requests == Requests::Pass)
}

/// The group of an entry that may name one of its kinds only, and that kind.
pub fn group_and_kind(entry: &str) -> (&str, Option<&str>) {
    match entry.split_once('/') {
        Some((group, kind)) => (group, Some(kind)),
        None => (entry, None),
    }
}

/// Whether a release brings the definitions of its chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Brings {
    Surely,
    /// Values that are not here may switch them on or off.
    Perhaps,
    Not,
}

/// Whether a release of a chart brings its definitions, as its values have it.
pub fn brings(chart: &Chart, release: &Release, values: ChartValues<'_>) -> Brings {
    if chart.crds == Crds::Directory && release.skips_crds {
        return Brings::Not;
    }
    let names = chart.crds_value.iter();
    let stated: Vec<&str> = names.filter_map(|name| values.setting(name)).collect();
    let is_default = chart.crds_value.is_empty() || stated.is_empty() && !release.has_more_values;
    let switch = match stated.as_slice() {
        all if all.contains(&"true") => Some(Switch::On),
        all if all.contains(&"false") => Some(Switch::Off),
        _ => is_default.then_some(chart.crds_default),
    };
    match switch {
        Some(Switch::On) => Brings::Surely,
        Some(Switch::Off) => Brings::Not,
        None => Brings::Perhaps,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(config: &Config, name: &str, repository: Option<&str>) -> Vec<String> {
        let charts = find(config, name, repository);
        charts.flat_map(|chart| chart.groups.clone()).collect()
    }

    #[test]
    fn a_common_name_needs_its_repository() {
        let config = Config::default();
        assert_eq!(names(&config, "base", None).len(), 0);
        let istio = Some("https://istio-release.storage.googleapis.com/charts");
        assert_eq!(names(&config, "base", istio)[0], "networking.istio.io");
    }

    #[test]
    fn what_a_team_says_of_a_chart_counts() {
        let text = "[[chart]]\nname = \"metallb\"\ngroups = [\"metallb.example\"]\n";
        let config = crate::input::config::parse(text, "catalog.toml").unwrap();
        assert_eq!(names(&config, "metallb", None), ["metallb.example"]);
        assert_eq!(names(&config, "volsync", None), ["volsync.backube"]);
    }
}
