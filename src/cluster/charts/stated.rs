//! Objects of a release: those that its chart yields, and those that its values state as a whole. The latter are known even
//! if the chart is not.

use std::sync::Arc;

use smol_str::SmolStr;

use super::noted::mark;
use super::{ObjectDigest, TemplateLine};
use crate::cluster::build::Builder;
use crate::cluster::unit::{self, Applied};
use crate::facts::values::{stated_objects, states_objects};
use crate::facts::{Located, ObjectChanges, Release, Resource, ResourceId, UnitChart};
use crate::sources;
use base::Place;
use base::hash::HashSet;
use kustomize::{Assembly, BuildObject, Built};

/// Adds the objects that a release states in its values, which its chart installs as they are. That much is known of a
/// chart of which not all is.
pub fn add_stated(
    builder: &Builder<'_>,
    release: &Release,
    chart: &UnitChart,
    applied: &mut Applied,
) {
    let Some((first, others)) = release.values.split_first() else {
        return;
    };
    // Most releases state none.
    if !release.values.iter().any(|values| states_objects(values)) {
        return;
    }
    let mut values = (**first).clone();
    others
        .iter()
        .for_each(|over| helm::merge_values(&mut values, over));
    let mut resources = stated_objects(&values, release);
    let known: HashSet<(&str, &str)> = applied
        .objects
        .iter()
        .map(|object| (&*object.statement.id.kind, &*object.statement.id.name))
        .collect();
    // Units among them are those of whoever reads such values.
    resources.retain(|one| {
        let key = (one.id.kind.as_str(), one.id.name.as_str());
        !known.contains(&key) && sources::unit(one).is_none()
    });
    if resources.is_empty() {
        return;
    }
    let namespace = namespace_of(release);
    let objects = (resources.as_slice(), &namespace);
    // Post-renderers change all that the chart yields: what they find among a few of its objects says nothing.
    let described = describe(builder, &[], objects, chart.place, Vec::new());
    applied.join(described);
    applied.is_partial = true;
}

/// The namespace that a release goes to.
pub fn namespace_of(release: &Release) -> SmolStr {
    match release.target_namespace.as_str() {
        "" => "default".into(),
        _ => release.target_namespace.clone(),
    }
}

/// Objects of a release in its namespace, with the changes of its post-renderers.
pub fn describe(
    builder: &Builder<'_>,
    changes: &[ObjectChanges],
    (resources, namespace): (&[Resource], &SmolStr),
    place: Place,
    lines: Vec<(ResourceId, Arc<TemplateLine>)>,
) -> Applied {
    let mut items: Vec<BuildObject> = resources.iter().map(BuildObject::new).collect();
    let namespace = Located {
        value: namespace.clone(),
        place,
    };
    kustomize::default_namespace(&mut items, &namespace);
    let mut findings = Vec::new();
    for change in changes {
        let assembly = Assembly {
            patches: change.patches.clone(),
            images: change.images.clone(),
            ..Assembly::default()
        };
        let changed = builder.change_objects(items, &assembly);
        items = changed.items;
        findings.extend(changed.findings);
    }
    let digests = items
        .iter()
        .map(|item| (item.id.clone(), ObjectDigest::from_node(&item.node)));
    let digests = digests.collect();
    let built = Built {
        items,
        findings,
        ..Built::default()
    };
    let mut applied = unit::describe_built(builder, built);
    mark(&mut applied.objects, lines, digests);
    applied
}
