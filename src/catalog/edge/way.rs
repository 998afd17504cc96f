//! How requests come in: whom a route leads to, and what stands in front of it.

use super::{ClusterMap, ComponentIx};
use crate::cluster::Destination;
use crate::facts::{ObjectRef, Relation, Routing, Statement, Target};
use base::Place;

/// One component needs another one, for a reason.
pub type Need = (ComponentIx, ComponentIx, Relation, Place);

impl ClusterMap<'_> {
    /// What follows from a route of a component that leads to services of others.
    pub(super) fn ways(
        &self,
        component: ComponentIx,
        at: Destination,
        statement: &Statement,
    ) -> Vec<Need> {
        let mut backends: Vec<(ComponentIx, Place)> = self
            .backends(statement)
            .filter_map(|(service, place)| Some((self.find((component, at), &service)?, place)))
            .collect();
        backends.sort_unstable();
        backends.dedup_by_key(|(to, _)| *to);
        if backends.iter().all(|(to, _)| *to == component) {
            return Vec::new();
        }
        if statement.reached.routing.as_deref() == Some(&Routing::Tunnel) {
            let others = backends.into_iter().filter(|(to, _)| *to != component);
            return others
                .map(|(to, place)| (to, component, Relation::Proxy, place))
                .collect();
        }
        let gateways = self.gateways(component, at, statement);
        let is_gateway = gateways.iter().any(|(gateway, _)| *gateway == component);
        let is_own = self.running.contains(&component) && !is_gateway;
        let mut needs = Vec::new();
        for (to, place) in backends.into_iter().filter(|(to, _)| *to != component) {
            if is_own {
                let relation = if self.proxies.contains(&to) {
                    Relation::Proxy
                } else {
                    Relation::Backend
                };
                needs.push((component, to, relation, place));
            } else {
                // A route that stands by itself is for the one that it leads to.
                let through = gateways.iter();
                needs.extend(through.map(|(gateway, relation)| (to, *gateway, *relation, place)));
            }
        }
        needs
    }

    fn backends<'s>(&self, statement: &'s Statement) -> impl Iterator<Item = (Target, Place)> + 's {
        let stated = statement.references.iter();
        let stated = stated.filter(|reference| reference.relation == Relation::Backend);
        let stated = stated.map(|reference| (reference.target.clone(), reference.place));
        let behind = statement.reached.urls.iter().flat_map(|url| {
            let service = |one: &ObjectRef| Target::object(&one.kind, &one.namespace, &one.name);
            let each = url.backends.iter();
            each.map(move |one| (service(one), url.place))
        });
        stated.chain(behind)
    }

    fn gateways(
        &self,
        component: ComponentIx,
        at: Destination,
        statement: &Statement,
    ) -> Vec<(ComponentIx, Relation)> {
        let each = statement.references.iter();
        let each = each.filter(|one| matches!(one.relation, Relation::Gateway | Relation::Class));
        let mut found: Vec<(ComponentIx, Relation)> = each
            .filter_map(|one| {
                let to = self.find((component, at), &one.target);
                let to = to.or_else(|| self.behind((component, at), &one.target));
                Some((to?, one.relation))
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The component that answers for an object which belongs to none: the controller of its class, the service that it
    /// reads from, or the operator of its kind.
    pub(super) fn behind(
        &self,
        (from, at): (ComponentIx, Destination),
        target: &Target,
    ) -> Option<ComponentIx> {
        let (_, statement) = self.ownerless(at, target)?;
        let first = |relation: Relation| {
            let mut references = statement.references.iter();
            let one = references.find(|one| one.relation == relation)?;
            self.find((from, at), &one.target)
        };
        first(Relation::Class)
            .or_else(|| first(Relation::Service))
            .or_else(|| first(Relation::Driver))
            .or_else(|| self.operator(at, statement))
    }

    /// The component that runs the operator of a custom resource, where that is certain.
    pub(super) fn operator(&self, at: Destination, statement: &Statement) -> Option<ComponentIx> {
        let id = &statement.id;
        self.apis.only((at, id.group.as_str(), id.kind.as_str()))
    }

    /// An object that no component has, by what refers to it.
    pub(super) fn ownerless(
        &self,
        at: Destination,
        target: &Target,
    ) -> Option<(Destination, &Statement)> {
        let Target::Object {
            kind,
            namespace,
            name,
        } = target
        else {
            return None;
        };
        let get = |namespace: &str| {
            let key = (at, kind.as_str(), namespace, name.as_str());
            self.ownerless.get(&key).map(|statement| (at, *statement))
        };
        get(namespace).or_else(|| get(""))
    }
}
