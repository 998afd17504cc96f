//! Which component of a cluster is meant: by kind and name, by API type, by host, by class, by what it makes outside.

use super::{ClusterMap, ComponentIx, Services};
use crate::cluster::Destination;
use crate::facts::{Relation, Target};
use crate::sources::charts::Brings;
use base::hash::HashSet;

/// Above this many controllers per class, don't guess.
const MOST_SERVERS: usize = 16;

impl ClusterMap<'_> {
    fn scope(&self, component: ComponentIx) -> &str {
        &self.named[component].draft.scope
    }

    /// The component that installs the CRD for a type, and how `from` relates to it.
    pub(super) fn bringer(
        &self,
        from: ComponentIx,
        api: (Destination, &str, &str),
        waits: &HashSet<(ComponentIx, ComponentIx)>,
    ) -> Option<(ComponentIx, Relation)> {
        let found = self.apis.find(api, |other| {
            // If one cluster manages others, each of them has its own provider in its own namespace.
            let is_near = self.scope(other) == self.scope(from);
            // Prefer the provider that `from` waits for.
            (!is_near, !waits.contains(&(from, other)))
        });
        found.map(|(to, brings)| match brings {
            // The CRD comes from elsewhere. This component only runs the controller.
            Brings::Not => (to, Relation::Controller),
            Brings::Surely | Brings::Perhaps => (to, Relation::CustomResource),
        })
    }

    pub(super) fn find(
        &self,
        (from, at): (ComponentIx, Destination),
        target: &Target,
    ) -> Option<ComponentIx> {
        match target {
            Target::Object {
                kind,
                namespace,
                name,
            } => {
                if let Some(named) = self.aliases.get(&(at, kind, namespace, name)) {
                    return self.named(at, named);
                }
                let found = self
                    .object(at, kind, namespace, name)
                    .or_else(|| self.object(at, kind, "", name));
                // Who only states a class does not serve it.
                let states = found.filter(|it| !self.running.contains(it));
                let serves =
                    states.filter(|_| matches!(kind.as_str(), "IngressClass" | "GatewayClass"));
                let found = serves.and_then(|_| self.server(from, at, name)).or(found);
                found.or_else(|| match kind.as_str() {
                    "Service" => self.by_release(at, namespace, name),
                    "IngressClass" | "GatewayClass" | "StorageClass" | "CSIDriver"
                    | "DeviceClass" => self.server(from, at, name),
                    _ => None,
                })
            }
            Target::Api { .. } => None,
            Target::Host { service, namespace } => {
                let key = (at, "Service", namespace.as_str(), service.as_str());
                self.named(at, self.aliases.get(&key).copied().unwrap_or(target))
            }
            Target::Address { host } => self.addresses.get(&(at, host.as_str())).copied(),
            Target::Outside { service, name } => self.creator(service, name),
            Target::Behind { store, name } => {
                let key = (
                    at,
                    store.kind.as_str(),
                    store.namespace.as_str(),
                    store.name.as_str(),
                );
                self.creator(self.stores.get(&key)?, name)
            }
        }
    }

    /// The component that has a service. What a Service names in its place is no such name again.
    fn named(&self, at: Destination, target: &Target) -> Option<ComponentIx> {
        let Target::Host { service, namespace } = target else {
            return None;
        };
        let found = self.object(at, "Service", namespace, service);
        found.or_else(|| self.by_release(at, namespace, service))
    }

    /// The component that creates an external resource: the one in this cluster, else the only one overall.
    fn creator(&self, service: &str, name: &str) -> Option<ComponentIx> {
        let makers = self.outside.get(&(service, name))?;
        let mut here = makers.iter().filter(|(cluster, _)| *cluster == self.index);
        if let Some((_, component)) = here.next() {
            return Some(*component);
        }
        let first = makers.first()?.1;
        let is_only = makers.iter().all(|(_, component)| *component == first);
        is_only.then_some(first)
    }

    /// The controller that serves a class. If there are several, the one that shares a distinctive word with the name
    /// of `from`: `ingress-prod` serves `web-prod`. None if that is ambiguous.
    fn server(&self, from: ComponentIx, at: Destination, class: &str) -> Option<ComponentIx> {
        let servers = self.classes.get(&(at, class))?;
        let servers = Some(servers).filter(|all| all.len() <= MOST_SERVERS)?;
        if let [only] = servers.as_slice() {
            return Some(*only);
        }
        let words = |component: ComponentIx| -> HashSet<&str> {
            let name = self.named[component].id.0.as_str();
            name.split('-').collect()
        };
        let asks = words(from);
        let is_shared = |word: &str| servers.iter().all(|one| words(*one).contains(word));
        let is_near = |one: &&ComponentIx| {
            let mut common = words(**one).into_iter().filter(|word| asks.contains(word));
            common.any(|word| !is_shared(word))
        };
        let mut near = servers.iter().filter(is_near);
        match (near.next(), near.next()) {
            (Some(one), None) => Some(*one),
            _ => None,
        }
    }

    pub(super) fn object(
        &self,
        at: Destination,
        kind: &str,
        namespace: &str,
        name: &str,
    ) -> Option<ComponentIx> {
        self.objects.get(&(at, kind, namespace, name)).copied()
    }

    /// Charts name their services after the release: the longest name that fits is meant. A chart whose templates are
    /// known has the services that they make, and no others.
    fn by_release(&self, at: Destination, namespace: &str, service: &str) -> Option<ComponentIx> {
        if let Some(same) = self.releases.get(&(at, namespace, service)) {
            return Some(same.component);
        }
        let mut shorter = service.rmatch_indices('-').map(|(at, _)| &service[..at]);
        let found = shorter.find_map(|name| self.releases.get(&(at, namespace, name)))?;
        (found.services == Services::Unknown).then_some(found.component)
    }
}
