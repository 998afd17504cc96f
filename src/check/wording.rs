//! Phrases that several checks share.

use super::order::Order;
use crate::fact::ResourceId;
use crate::source::{self, Refusal};

/// More notes than this are not read.
const MAX_NOTES: usize = 8;

/// As many as somebody reads.
pub fn some<T>(all: &[T]) -> &[T] {
    &all[..all.len().min(MAX_NOTES)]
}

/// What the API server says of a kind that it does not know.
pub fn no_matches(id: &ResourceId) -> String {
    let version = match id.group.is_empty() {
        true => id.version.to_string(),
        false => format!("{}/{}", id.group, id.version),
    };
    format!(
        "`no matches for kind \"{}\" in version \"{version}\"`",
        id.kind
    )
}

/// What the API server says of a namespace that does not exist.
pub fn no_namespace(name: &str) -> String {
    format!("`namespaces \"{name}\" not found`")
}

/// When a unit that failed is tried again.
pub fn again(order: &Order<'_>, unit: usize, refusal: Refusal) -> String {
    let unit = &order.unit(unit).unit;
    if let Some(when) = source::tried_again(&unit.id, refusal) {
        return when.to_owned();
    }
    let pace = unit.pace;
    match pace.retry.or(pace.interval) {
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

/// `1 unit`, `2 units`.
pub fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
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
