//! What differs between environments, in few words: each value once, with those that have it.

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

/// The environments of a group, as they stand beside its value.
pub fn names(environments: &[&str]) -> String {
    match environments.len() {
        0..=MOST_NAMES => environments.join(", "),
        more => format!("in {more} environments"),
    }
}
