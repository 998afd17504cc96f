//! Phrases that several checks share. Every duration, list and error message is worded here.

use super::order::{Provider, StartupOrder};
use crate::cluster::UnitIx;
use crate::facts::ResourceId;
use crate::sources::{self, Refusal};
use base::text::counted;

/// Maximum number of notes that people read.
const MAX_NOTES: usize = 8;

/// The first few items of a list.
pub fn some<T>(all: &[T]) -> &[T] {
    &all[..all.len().min(MAX_NOTES)]
}

/// The API server's error for a kind that it does not know.
pub fn no_matches(id: &ResourceId) -> String {
    let version = if id.group.is_empty() {
        id.version.to_string()
    } else {
        format!("{}/{}", id.group, id.version)
    };
    format!(
        "`no matches for kind \"{}\" in version \"{version}\"`",
        id.kind
    )
}

/// The API server's error for a namespace that does not exist.
pub fn no_namespace(name: &str) -> String {
    format!("`namespaces \"{name}\" not found`")
}

/// A unit's kind and name, as in "Kustomization `web`".
pub fn kind_and_name(order: &StartupOrder<'_>, unit: UnitIx) -> String {
    format!("{} `{}`", kind_of(order, unit), order.name(unit))
}

/// The cause of findings about one unit: where it is declared.
pub fn place_of(order: &StartupOrder<'_>, unit: UnitIx) -> String {
    let place = order.unit(unit).unit.place;
    format!("{}:{}", place.file.0, place.line)
}

/// The number of some units and their kind, as in "2 more Kustomizations"; "2 more units" if they are of several kinds.
pub fn more_units(order: &StartupOrder<'_>, units: &[UnitIx]) -> String {
    counted(units.len(), &format!("more {}", common_kind(order, units)))
}

/// The kind that some units share, else "unit".
pub fn common_kind<'o>(order: &'o StartupOrder<'_>, units: &[UnitIx]) -> &'o str {
    common(units.iter().map(|unit| kind_of(order, *unit)))
}

fn common<'k>(mut kinds: impl Iterator<Item = &'k str>) -> &'k str {
    let first = kinds.next().unwrap_or("unit");
    if kinds.all(|kind| kind == first) {
        first
    } else {
        "unit"
    }
}

fn kind_of<'o>(order: &'o StartupOrder<'_>, unit: UnitIx) -> &'o str {
    in_words(&order.unit(unit).unit.id.kind)
}

/// A kind as people write it. Parts of Pulumi and Terraform programs have kinds that no manifest names.
pub fn in_words(kind: &str) -> &str {
    match kind {
        "ComponentResource" => "component",
        "Directory" => "directory",
        "File" => "file",
        "Module" => "Terraform module",
        "RootModule" => "Terraform root module",
        "Stack" => "Pulumi stack",
        manifest => manifest,
    }
}

/// The unit that others should depend on to come after a provider: the one that applies the release.
pub fn applied_by(order: &StartupOrder<'_>, provider: &Provider<'_>) -> UnitIx {
    let owner = order.unit(provider.unit).owner;
    owner
        .filter(|_| provider.is_release())
        .unwrap_or(provider.unit)
}

/// The advice that units should depend on another.
pub fn depend_on(order: &StartupOrder<'_>, units: &[UnitIx], on: UnitIx) -> String {
    let on = kind_and_name(order, on);
    match units {
        [one] => format!("make `{}` depend on {on}", order.name(*one)),
        _ => format!("make them depend on {on}"),
    }
}

/// When a unit that failed is retried, as in "retries after 10m".
pub fn retry(order: &StartupOrder<'_>, unit: UnitIx, refusal: Refusal) -> String {
    let unit = &order.unit(unit).unit;
    if let Some(when) = sources::retry_advice(&unit.id, refusal) {
        return when.to_owned();
    }
    let timing = unit.reconcile.timing;
    match timing.retry.or(timing.interval) {
        Some(seconds) => format!("after {}", duration(seconds)),
        None => "at its next interval".to_owned(),
    }
}

/// A duration as people write it in manifests: `10m`, `1h30m`, `45s`.
pub fn duration(seconds: u64) -> String {
    let parts = [
        (seconds / 3600, "h"),
        (seconds % 3600 / 60, "m"),
        (seconds % 60, "s"),
    ];
    let text: String = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, unit)| format!("{count}{unit}"))
        .collect();
    if text.is_empty() {
        "0s".to_owned()
    } else {
        text
    }
}

/// Names in backticks, with `and` before the last; more than a few are counted.
pub fn listed(names: &[String]) -> String {
    let quoted: Vec<String> = some(names).iter().map(|name| format!("`{name}`")).collect();
    match (quoted.as_slice(), names.len() - quoted.len()) {
        ([], _) => String::new(),
        (shown, more @ 1..) => format!("{} and {more} more", shown.join(", ")),
        ([one], _) => one.clone(),
        ([init @ .., last], _) => format!("{} and {last}", init.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_manifests_stay_as_they_are_and_parts_of_programs_are_written_as_words() {
        assert_eq!(in_words("Kustomization"), "Kustomization");
        assert_eq!(in_words("helm_release"), "helm_release");
        assert_eq!(in_words("RootModule"), "Terraform root module");
    }

    #[test]
    fn units_of_several_kinds_are_called_units() {
        assert_eq!(
            common(["HelmRelease", "HelmRelease"].into_iter()),
            "HelmRelease"
        );
        assert_eq!(common(["HelmRelease", "Kustomization"].into_iter()), "unit");
    }

    #[test]
    fn durations_and_lists_are_written_as_people_write_them() {
        assert_eq!(duration(600), "10m");
        assert_eq!(duration(5400), "1h30m");
        assert_eq!(duration(0), "0s");
        let names = |count: usize| (0..count).map(|nth| nth.to_string()).collect::<Vec<_>>();
        assert_eq!(listed(&names(1)), "`0`");
        assert_eq!(listed(&names(3)), "`0`, `1` and `2`");
        assert!(listed(&names(10)).ends_with("`7` and 2 more"));
    }
}
