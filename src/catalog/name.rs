//! Ids: the most telling name of each component, unique and the same in every build.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::component::{ComponentDraft, NamedComponent};
use super::{ComponentId, ComponentIx};
use crate::input::repo::RepoPath;
use base::hash::HashSet;
use base::index::IndexVec;
use base::text::last_part;

/// Words that say what kind of thing something is, not which one.
const GENERIC: &[&str] = &[
    "addons",
    "all",
    "app",
    "application",
    "applications",
    "apps",
    "base",
    "bases",
    "bootstrap",
    "cluster",
    "clusters",
    "config",
    "configs",
    "controllers",
    "core",
    "default",
    "deploy",
    "deployment",
    "dev",
    "environments",
    "helm",
    "infra",
    "infrastructure",
    "k8s",
    "ks",
    "kubernetes",
    "kustomization",
    "main",
    "manifests",
    "overlays",
    "platform",
    "prod",
    "production",
    "release",
    "resources",
    "service",
    "services",
    "setup",
    "staging",
    "system",
    "tenants",
    "workloads",
];

/// Names of whole layers. On their own they do not identify a component.
const LAYERS: &[&str] = &[
    "common",
    "components",
    "crds",
    "databases",
    "deployments",
    "misc",
    "networking",
    "operators",
    "releases",
    "security",
    "shared",
    "storage",
    "tools",
];

/// Whether a name consists of words that only say what kind of thing something is. A number may
/// well be a name.
pub fn is_generic(name: &str) -> bool {
    words(name).all(is_filler) && words(name).any(|word| !is_number(word))
}

/// Whether a name is that of a layer, rather than of what is in it.
pub fn is_layer(name: &str) -> bool {
    let is_word = |word: &str| is_filler(word) || LAYERS.contains(&word);
    words(name).all(is_word) && words(name).any(|word| !is_number(word))
}

/// Whether a unit's name is that of its release with such words around it.
pub fn adds_nothing(unit: &str, release: &str) -> bool {
    let Some(at) = unit
        .find(release)
        .filter(|_| unit != release && !release.is_empty())
    else {
        return false;
    };
    let (before, after) = (&unit[..at], &unit[at + release.len()..]);
    let apart = (before.is_empty() || before.ends_with('-'))
        && (after.is_empty() || after.starts_with('-'));
    apart && words(before).chain(words(after)).all(is_filler)
}

/// The parts of a path that may name what is in it, last first.
pub fn directory_names(directory: &RepoPath) -> Vec<SmolStr> {
    let parts = directory.as_str().rsplit('/');
    let telling = parts.filter(|part| !part.is_empty() && !is_number(part) && !part.contains('$'));
    telling.take(3).map(SmolStr::from).collect()
}

/// A name that says nothing by itself, with the last part of what it stands in.
pub fn within(scope: &str, name: &str) -> SmolStr {
    smol_str::format_smolstr!("{}-{name}", last_part(scope))
}

/// `RootModule` as `root-module`.
pub fn words_of(kind: &str) -> SmolStr {
    let mut words = String::with_capacity(kind.len() + 4);
    for letter in kind.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push('-');
        }
        words.extend(letter.to_lowercase());
    }
    words.into()
}

/// The words that names begin with alike, or else end with.
pub fn common(names: &[&str]) -> Option<SmolStr> {
    let split: Vec<Vec<&str>> = names.iter().map(|name| words(name).collect()).collect();
    let first = split.first()?;
    let from_start = |at: &usize| split.iter().all(|words| words.get(*at) == first.get(*at));
    let from_end = |at: &usize| {
        let nth = |words: &[&str]| words.iter().rev().nth(*at).map(|word| word.to_string());
        split.iter().all(|words| nth(words) == nth(first))
    };
    let start = (0..first.len()).take_while(from_start).count();
    let end = (0..first.len()).take_while(from_end).count();
    let name = match start {
        0 => first[first.len() - end..].join("-"),
        _ => first[..start].join("-"),
    };
    (!name.is_empty()).then(|| name.into())
}

/// The words of a name.
pub fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(['-', '_']).filter(|word| !word.is_empty())
}

fn is_filler(word: &str) -> bool {
    GENERIC.contains(&word) || is_number(word)
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Gives every draft an id: the first of its names that says which one it is; where two would
/// have the same, a program gives way to what it makes, and else both are told apart by their namespace, then by their directory.
pub fn named(drafts: Vec<ComponentDraft>) -> IndexVec<ComponentIx, NamedComponent> {
    let wanted = |draft: &ComponentDraft| {
        let mut names = draft.names.iter();
        let telling = names.find(|name| !is_generic(name) && !name.is_empty());
        let name = telling.or_else(|| draft.names.first()).cloned();
        slug(&name.unwrap_or_default())
    };
    let mut ids: Vec<String> = drafts.iter().map(wanted).collect();
    for same in repeated(&ids) {
        let is_shared = same.iter().any(|index| drafts[*index].apart.is_none());
        for index in same.into_iter().filter(|_| is_shared) {
            if let Some(apart) = &drafts[index].apart {
                ids[index] = slug(apart);
            }
        }
    }
    type Longer = fn(&ComponentDraft) -> Option<SmolStr>;
    let longer: [Longer; 3] = [
        |draft| draft.scope.rsplit('/').next().map(SmolStr::from),
        |draft| Some(draft.source.as_ref()?.parent()?.file_name().into()),
        |draft| Some(draft.source.as_ref()?.as_str().replace('/', "-").into()),
    ];
    for more in longer {
        for same in repeated(&ids) {
            let parts: Vec<String> = same
                .iter()
                .map(|index| more(&drafts[*index]).filter(|part| !part.is_empty()))
                .map(|part| part.map_or_else(String::new, |part| slug(&part)))
                .collect();
            // A part that all of them have tells nothing apart.
            if parts.iter().all(|part| *part == parts[0]) {
                continue;
            }
            let known = foremost(&drafts, &same);
            for (index, part) in same.into_iter().zip(parts) {
                if !part.is_empty() && part != ids[index] && Some(index) != known {
                    ids[index] = format!("{part}-{}", ids[index]);
                }
            }
        }
    }
    number(&mut ids, |same| foremost(&drafts, same));
    let mut named: Vec<NamedComponent> = ids
        .into_iter()
        .zip(drafts)
        .map(|(id, draft)| NamedComponent {
            id: ComponentId(id.into()),
            draft,
        })
        .collect();
    named.sort_by(|a, b| a.id.cmp(&b.id));
    named.into()
}

/// The draft that people mean by a name that several have: the one that is in far more environments than any other.
fn foremost(drafts: &[ComponentDraft], same: &[usize]) -> Option<usize> {
    let most = same
        .iter()
        .copied()
        .max_by_key(|index| drafts[*index].parts.len())?;
    let is_far_less = |other: &usize| {
        *other == most || drafts[*other].parts.len() * FAR_MORE <= drafts[most].parts.len()
    };
    same.iter().all(is_far_less).then_some(most)
}

/// So many times as many environments make one of several namesakes the one that people mean.
const FAR_MORE: usize = 3;

/// Numbers ids that are otherwise equal, in the order of their keys. The one that people mean keeps the id, else the first.
fn number(ids: &mut [String], meant: impl Fn(&[usize]) -> Option<usize>) {
    let mut taken: HashSet<String> = ids.iter().cloned().collect();
    for same in repeated(ids) {
        let keeps = meant(&same).unwrap_or(same[0]);
        for index in same.into_iter().filter(|index| *index != keeps) {
            let numbered = (2..).map(|number| format!("{}-{number}", ids[index]));
            if let Some(id) = numbered.into_iter().find(|id| !taken.contains(id)) {
                taken.insert(id.clone());
                ids[index] = id;
            }
        }
    }
}

/// Groups of positions that have one id.
fn repeated(ids: &[String]) -> Vec<Vec<usize>> {
    let mut positions: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, id) in ids.iter().enumerate() {
        positions.entry(id).or_default().push(index);
    }
    let groups = positions.into_values();
    groups.filter(|group| group.len() > 1).collect()
}

/// A name as part of an address: lower case, digits and dashes.
fn slug(name: &str) -> String {
    let mut slug = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            c if c.is_ascii_alphanumeric() => slug.push(c.to_ascii_lowercase()),
            c if c.is_alphanumeric() => slug.extend(c.to_lowercase()),
            _ if slug.ends_with('-') || slug.is_empty() => {}
            _ => slug.push('-'),
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    if slug.is_empty() {
        "unnamed".to_owned()
    } else {
        slug
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_generic_words_says_nothing_and_a_number_may_be_a_name() {
        for name in ["app", "infra-controllers", "cluster-apps", "01-core"] {
            assert!(is_generic(name), "{name}");
        }
        for name in ["2048", "cert-manager", "app-template", "team-a"] {
            assert!(!is_generic(name), "{name}");
        }
    }

    #[test]
    fn the_name_of_a_layer_is_not_that_of_what_is_in_it() {
        for name in ["deployments", "infra-operators", "apps", "02-storage"] {
            assert!(is_layer(name), "{name}");
        }
        for name in ["longhorn-storage", "cert-manager-crds", "2048"] {
            assert!(!is_layer(name), "{name}");
        }
    }

    #[test]
    fn a_number_that_is_taken_is_not_given_again() {
        let mut ids = ["a", "a", "a-2", "b"].map(str::to_owned);
        number(&mut ids, |_| None);
        assert_eq!(ids, ["a", "a-3", "a-2", "b"]);
    }

    #[test]
    fn the_one_that_people_mean_keeps_its_id() {
        let mut ids = ["a", "a", "b"].map(str::to_owned);
        number(&mut ids, |same| same.last().copied());
        assert_eq!(ids, ["a-2", "a", "b"]);
    }

    #[test]
    fn generic_words_around_a_release_add_nothing() {
        assert!(adds_nothing("1-core-cert-manager-app", "cert-manager"));
        assert!(adds_nothing("plex-app", "plex"));
        assert!(!adds_nothing("rook-ceph-operator", "rook-ceph"));
        assert!(!adds_nothing("plexapp", "plex"));
        assert!(!adds_nothing("plex", "plex"));
    }

    #[test]
    fn a_kind_is_made_of_words() {
        assert_eq!(words_of("Stack"), "stack");
        assert_eq!(words_of("RootModule"), "root-module");
    }

    #[test]
    fn what_names_have_in_common_is_a_name() {
        assert_eq!(common(&["web-c01", "web-c02"]).as_deref(), Some("web"));
        assert_eq!(common(&["a-web", "b-web"]).as_deref(), Some("web"));
        assert_eq!(common(&["one", "two"]), None);
    }
}
