//! Addresses that lead to a component although another one declares them, such as those in a unit with all routes.

use super::{ClusterMap, ComponentIx};
use crate::catalog::part_objects::objects_in;
use crate::facts::Target;

/// An address that `to` answers at and `from` declares.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct AddressEdge {
    pub from: ComponentIx,
    pub to: ComponentIx,
    pub url: String,
}

impl ClusterMap<'_> {
    pub(super) fn answers(&self) -> Vec<AddressEdge> {
        let mut answers = Vec::new();
        for (from, part) in self.parts() {
            for (at, object) in objects_in(part, self.clusters) {
                for url in &object.statement.reached.urls {
                    let services = url.backends.iter().map(|service| {
                        Target::object(&service.kind, &service.namespace, &service.name)
                    });
                    let found = services.filter_map(|service| self.find((from, at), &service));
                    answers.extend(found.filter(|to| *to != from).map(|to| AddressEdge {
                        from,
                        to,
                        url: url.url.clone(),
                    }));
                }
            }
        }
        answers
    }
}
