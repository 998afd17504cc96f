//! Volumes that charts and operators claim, in the forms that they have for them. Of claims that exist
//! already, their own manifests state the size.

use smol_str::SmolStr;

use super::template::Scope;
use crate::facts::{Claim, Volume};
use yaml::Node;

/// Words of a path that do not tell which volume it is.
const EMPTY: [&str; 5] = [
    "spec",
    "storage",
    "volumes",
    "volumeClaimTemplate",
    "persistentVolumeClaim",
];

/// The volume that a mapping at a path describes. `owner` names it if the path does not.
pub fn at(node: &Node, path: &[&str], owner: &str, scope: &Scope<'_>) -> Option<Volume> {
    let (key, parents) = path.split_last()?;
    let parent = parents.last().copied().unwrap_or_default();
    let (stated, is_child) = if ["volumeClaimTemplate", "volumeClaimTemplates"].contains(key) {
        (node.get("spec")?, false)
    } else if holds_volumes(parent) {
        (node, true)
    } else if describes_volume(key) {
        (node, false)
    } else {
        return None;
    };
    let text = |names: &[&str]| {
        let found = names.iter().find_map(|name| stated.text_at(&[name]));
        found.and_then(|text| Some(SmolStr::from(scope.resolved(text)?)))
    };
    let existing = ["existingClaim", "existingVolumeClaim"];
    if existing.iter().any(|key| is_stated(stated, key)) {
        return Some(Volume {
            name: text(&existing)?,
            namespace: scope.namespace(),
            claim: Claim::Existing,
            size: None,
            class: None,
            place: node.place,
        });
    }
    if is_child && stated.text_at(&["type"]) == Some("nfs") {
        return Some(Volume {
            name: (*key).into(),
            namespace: scope.namespace(),
            claim: Claim::Unnamed,
            size: None,
            class: Some("nfs".into()),
            place: node.place,
        });
    }
    if !is_claim(stated) {
        return None;
    }
    let requested = stated.text_at(&["resources", "requests", "storage"]);
    let size = text(&["size"]).or_else(|| requested.map(SmolStr::from));
    let size = size.filter(|size| is_quantity(size));
    let template = ["pvcTemplate", "persistentVolumeClaimTemplate"];
    let template = template.iter().find_map(|key| stated.get(key));
    let of_template = || template?.text_at(&["storageClassName"]).map(SmolStr::from);
    let class = text(&["storageClassName", "storageClass", "class"])
        .or_else(of_template)
        .filter(|class| class != "-");
    // A storage class alone says little outside of a block about persistence.
    let is_told = size.is_some() || class.is_some() && is_persistence(key);
    let own = node.text_at(&["metadata", "name"]);
    let name = own.map_or_else(|| name(path, is_child, owner), SmolStr::from);
    is_told.then(|| Volume {
        name,
        namespace: scope.namespace(),
        claim: Claim::Unnamed,
        size,
        class,
        place: node.place,
    })
}

fn is_stated(node: &Node, key: &str) -> bool {
    node.text_at(&[key]).is_some_and(|text| !text.is_empty())
}

/// The volume by its key if it is one of several, else by the path to it.
fn name(path: &[&str], is_child: bool, owner: &str) -> SmolStr {
    let telling: Vec<&str> = path
        .iter()
        .filter(|key| !EMPTY.contains(key))
        .copied()
        .collect();
    match (telling.last(), is_child) {
        (None, _) => owner.into(),
        (Some(last), true) => (*last).into(),
        (Some(_), false) => telling.join(".").into(),
    }
}

fn is_persistence(key: &str) -> bool {
    key == "persistence" || key.ends_with("Persistence")
}

/// Whether the entries of a mapping under this key may be volumes.
fn holds_volumes(key: &str) -> bool {
    is_persistence(key) || ["storage", "volumeClaims"].contains(&key)
}

fn describes_volume(key: &str) -> bool {
    is_persistence(key)
        || [
            "storage",
            "persistentVolume",
            "persistentVolumeClaim",
            "pvc",
            "volumeClaim",
        ]
        .contains(&key)
        || key.ends_with("Storage")
}

/// Whether a volume that states its type is a claim.
fn is_claim(node: &Node) -> bool {
    const CLAIMS: [&str; 5] = [
        "pvc",
        "persistentvolumeclaim",
        "persistent-claim",
        "dynamic",
        "statefulset",
    ];
    node.text_at(&["type"])
        .is_none_or(|kind| CLAIMS.iter().any(|claim| claim.eq_ignore_ascii_case(kind)))
}

/// `10Gi`, also as a variable decides it.
fn is_quantity(text: &str) -> bool {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_number = unit.len() < text.len()
        && [
            "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "k", "K", "M", "G", "T", "P", "E",
        ]
        .contains(&unit);
    is_number || text.starts_with("${") && text.contains('}')
}
