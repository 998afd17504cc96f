//! Differences between environments in short form: each value once, with the environments that have it.

use crate::catalog::{Component, EnvironmentValue};

/// Names beyond this are counted rather than listed.
const MOST_NAMES: usize = 4;

/// Values with the environments that have each, in the order in which they come.
pub fn grouped<'a>(
    values: impl Iterator<Item = (&'a str, &'a str)>,
) -> Vec<(&'a str, Vec<&'a str>)> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for (environment, value) in values {
        match groups.iter_mut().find(|(known, _)| *known == value) {
            Some((_, names)) => names.push(environment),
            None => groups.push((value, vec![environment])),
        }
    }
    groups
}

/// The environments of a group, as text beside its value.
pub fn names(environments: &[&str]) -> String {
    match environments.len() {
        0..=MOST_NAMES => environments.join(", "),
        more => format!("in {more} environments"),
    }
}

/// Environments in few words: those that differ in a number only are counted, as in `aat ×2`.
pub fn in_short(environments: &[&str]) -> String {
    let mut stems: Vec<(&str, Vec<&str>)> = Vec::new();
    for name in environments {
        let stem = stem(name);
        match stems.iter_mut().find(|(known, _)| *known == stem) {
            Some((_, names)) => names.push(name),
            None => stems.push((stem, vec![name])),
        }
    }
    let told = stems.iter().map(|(stem, names)| match names.as_slice() {
        [one] => (*one).to_owned(),
        many if stem.is_empty() => many.join(", "),
        many => format!("{stem} ×{}", many.len()),
    });
    told.collect::<Vec<_>>().join(", ")
}

/// A name without the number at its end.
pub fn stem(name: &str) -> &str {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    stem.trim_end_matches(['-', '_'])
}

/// Values by environment, such as `× 1 (dev), × 3 (prod)`. Names are omitted if all environments agree. Environments
/// without a value are not named.
pub fn told(
    component: &Component,
    stated: &[EnvironmentValue],
    write: impl Fn(&str) -> String,
) -> Option<String> {
    let values = stated.iter();
    let values = values.filter_map(|one| Some((one.environment.as_str(), one.value.as_deref()?)));
    let groups = grouped(values);
    let told: Vec<String> = match groups.as_slice() {
        [(value, names)] if names.len() >= component.environments.len() => vec![write(value)],
        some => {
            let some = some.iter();
            let each = some.map(|(value, own)| format!("{} ({})", write(value), names(own)));
            each.collect()
        }
    };
    (!told.is_empty()).then(|| told.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environments_that_differ_in_a_number_are_counted() {
        assert_eq!(
            in_short(&["prod-00", "aat-00", "prod-01"]),
            "prod ×2, aat-00"
        );
        assert_eq!(in_short(&["dev", "test"]), "dev, test");
        assert_eq!(in_short(&["1", "2"]), "1, 2");
        assert_eq!(in_short(&[]), "");
    }
}
