//! Converts dependencies of units and objects in a run to trees and back.

use smol_str::SmolStr;

use super::tree::{self, Spec};
use crate::facts::{Await, Dependency, Relation, Sees, UnitId};
use base::hash::HashSet;
use terraform::{Reason, Wait};
use yaml::Node;

/// How the reader's own trees say that a block names another in `depends_on`.
const DEPENDS_ON: &str = "depends_on";
/// How they say that it uses an attribute of the other.
const REFERENCE: &str = "reference";

/// The units that the instance of a block with a key waits for, as trees.
pub fn depends_on(
    waits: &[Wait],
    key: &str,
    ids: &dyn Fn(&Wait, &str) -> Vec<UnitId>,
) -> Vec<Node> {
    let all = waits.iter().flat_map(|wait| {
        ids(wait, key).into_iter().map(move |id| {
            let reason = match wait.reason {
                Reason::DependsOn => DEPENDS_ON,
                Reason::Reference => REFERENCE,
            };
            let mut spec = Spec::default();
            spec.text("kind", id.kind, wait.place);
            spec.text("scope", id.namespace, wait.place);
            spec.text("unit", id.name, wait.place);
            spec.text("reason", reason, wait.place);
            tree::map(spec.0, wait.place)
        })
    });
    all.collect()
}

/// Removes dependencies on objects that were omitted.
pub fn forget_absent(objects: &mut [Node]) {
    let key = |node: &Node, kind: &str| {
        let unit = node.text_at(&["unit"]).unwrap_or_default();
        (SmolStr::from(kind), SmolStr::from(unit))
    };
    let made: HashSet<(SmolStr, SmolStr)> = objects
        .iter()
        .filter_map(|object| Some(key(object.get("spec")?, object.text_at(&["kind"])?)))
        .collect();
    for object in objects {
        let spec = object.get_mut("spec");
        let waits = spec.and_then(|spec| spec.get_mut("dependsOn")?.as_seq_mut());
        if let Some(waits) = waits {
            waits.retain(|wait| {
                let kind = wait.text_at(&["kind"]).unwrap_or_default();
                made.contains(&key(wait, kind))
            });
        }
    }
}

/// Dependency of a unit, from its tree.
pub fn dependency(node: &Node) -> Dependency {
    let text = |key: &str| SmolStr::from(node.text_at(&[key]).unwrap_or_default());
    let relation = if text("reason") == DEPENDS_ON {
        Relation::TerraformDependsOn
    } else {
        Relation::TerraformReference
    };
    Dependency {
        on: UnitId {
            kind: text("kind"),
            namespace: text("scope"),
            name: text("unit"),
        },
        relation,
        place: node.place,
    }
}

/// An object of a run waits for a unit as units do.
pub fn awaited(dependency: Dependency) -> Await {
    Await {
        on: dependency.on,
        sees: Sees::Ready,
        relation: dependency.relation,
        place: dependency.place,
    }
}
