//! Overrides that a unit sets on top of the kustomization that it builds.

use crate::facts::{Assembly, Build};
use kustomize::Listed;

/// A unit's own settings act as if they stood in the kustomization that it builds.
pub fn with_unit(assembly: &Assembly, unit: &Build) -> Assembly {
    let mut assembly = assembly.clone();
    if let Some(namespace) = &unit.target_namespace {
        assembly.namespace = Some(namespace.clone());
    }
    if !unit.name_prefix.is_empty() {
        assembly.name_prefix = unit.name_prefix.clone();
    }
    if !unit.name_suffix.is_empty() {
        assembly.name_suffix = unit.name_suffix.clone();
    }
    assembly.patches.extend(unit.patches.iter().cloned());
    assembly
        .late_patches
        .extend(unit.late_patches.iter().cloned());
    for image in &unit.images {
        assembly.images.retain(|other| other.name != image.name);
        assembly.images.push(image.clone());
    }
    for replica in &unit.replicas {
        assembly.replicas.retain(|other| other.name != replica.name);
        assembly.replicas.push(replica.clone());
    }
    assembly.labels.extend(unit.labels.iter().cloned());
    for entry in &unit.annotations {
        assembly.annotations.retain(|other| other.key != entry.key);
        assembly.annotations.push(entry.clone());
    }
    let components = unit.components.iter().map(|component| Listed {
        path: component.value.clone(),
        place: component.place,
        heading: None,
    });
    assembly.components.extend(components);
    assembly
}
