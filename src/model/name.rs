//! Ids: the most telling name of each component, unique and the same in every build.

use std::collections::HashMap;

use smol_str::SmolStr;

use super::ComponentId;
use super::component::{Draft, Named};

/// Names that say what kind of thing something is, not which one.
const GENERIC: &[&str] = &[
    "app",
    "apps",
    "application",
    "applications",
    "base",
    "main",
    "release",
    "deploy",
    "deployment",
    "services",
    "service",
    "infrastructure",
    "infra",
    "cluster",
    "config",
    "configs",
    "controllers",
    "workloads",
    "platform",
    "core",
    "system",
    "all",
    "ks",
    "production",
    "staging",
    "prod",
    "dev",
    "cluster-apps",
    "addons",
    "tenants",
    "helm",
    "kustomization",
];

/// Whether a name only says what kind of thing something is.
pub fn is_generic(name: &str) -> bool {
    GENERIC.contains(&name)
}

/// Gives every draft an id: the first of its names that says which one it is; where two would
/// have the same, both are told apart by their namespace, then by their directory.
pub fn named(drafts: Vec<Draft>) -> Vec<Named> {
    let wanted = |draft: &Draft| {
        let telling = draft
            .names
            .iter()
            .find(|name| !GENERIC.contains(&name.as_str()) && !name.is_empty());
        let name = telling
            .or_else(|| draft.names.first())
            .cloned()
            .unwrap_or_default();
        slug(&name)
    };
    let mut ids: Vec<String> = drafts.iter().map(wanted).collect();
    type Longer = fn(&Draft) -> Option<SmolStr>;
    let longer: [Longer; 3] = [
        |draft| draft.names.last().cloned(),
        |draft| Some(draft.source.as_ref()?.parent()?.file_name().into()),
        |draft| Some(draft.source.as_ref()?.as_str().replace('/', "-").into()),
    ];
    for more in longer {
        for index in repeated(&ids) {
            if let Some(part) = more(&drafts[index])
                .map(|part| slug(&part))
                .filter(|part| !part.is_empty() && *part != ids[index])
            {
                ids[index] = format!("{part}-{}", ids[index]);
            }
        }
    }
    // Nothing tells them apart but their order, which is that of their keys.
    let mut seen: HashMap<String, usize> = HashMap::new();
    for id in &mut ids {
        let count = seen.entry(id.clone()).or_insert(0);
        *count += 1;
        if *count > 1 {
            *id = format!("{id}-{count}");
        }
    }
    let mut named: Vec<Named> = ids
        .into_iter()
        .zip(drafts)
        .map(|(id, draft)| Named {
            id: ComponentId(id.into()),
            draft,
        })
        .collect();
    named.sort_by(|a, b| a.id.cmp(&b.id));
    named
}

fn repeated(ids: &[String]) -> Vec<usize> {
    let mut count: HashMap<&str, usize> = HashMap::new();
    for id in ids {
        *count.entry(id).or_default() += 1;
    }
    (0..ids.len())
        .filter(|index| count[ids[*index].as_str()] > 1)
        .collect()
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
    match slug.is_empty() {
        true => "unnamed".to_owned(),
        false => slug,
    }
}
