//! Finds what was noted of the objects of a chart again, once kustomize has changed them and they are described.

use std::sync::Arc;

use smol_str::SmolStr;

use super::{ObjectDigest, TemplateLine};
use crate::cluster::unit::Objects;
use crate::facts::ResourceId;
use base::hash::HashMap;

/// Notes in objects which lines of templates wrote them, and what they hold.
pub fn mark(
    objects: &mut Objects,
    lines: Vec<(ResourceId, Arc<TemplateLine>)>,
    digests: Vec<(ResourceId, ObjectDigest)>,
) {
    let (lines, digests) = (Noted::new(lines), Noted::new(digests));
    for object in objects {
        let id = &object.statement.id;
        object.digest = digests.of_object(id).copied();
        object.template = lines.of_object(id).cloned();
    }
}

/// Notes about objects, by name. The namespace of an object may have been added since, or dropped.
struct Noted<T>(HashMap<(SmolStr, SmolStr, SmolStr), Vec<(SmolStr, T)>>);

impl<T> Noted<T> {
    fn new(notes: Vec<(ResourceId, T)>) -> Noted<T> {
        let mut by_name: HashMap<_, Vec<(SmolStr, T)>> = HashMap::default();
        for (id, note) in notes {
            let same = by_name.entry((id.group, id.kind, id.name)).or_default();
            same.push((id.namespace, note));
        }
        Noted(by_name)
    }

    /// The note of the object in this namespace, else of the first of that name.
    fn of_object(&self, id: &ResourceId) -> Option<&T> {
        let key = (id.group.clone(), id.kind.clone(), id.name.clone());
        let same = self.0.get(&key)?;
        let exact = same
            .iter()
            .find(|(namespace, _)| *namespace == id.namespace);
        exact.or_else(|| same.first()).map(|(_, note)| note)
    }
}
