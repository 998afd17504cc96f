//! Ways into a cluster: whether what is reached through them is encrypted, a gateway says and not the route.

use crate::cluster::{Cluster, Destination};
use crate::facts::{Encryption, Listener, Routing, Statement};
use base::hash::HashMap;

/// The gateways of a cluster, by the cluster that each is in, kind, namespace and name.
#[derive(Default)]
pub struct Gateways<'a>(HashMap<(Destination, &'a str, &'a str, &'a str), &'a [Listener]>);

impl<'a> Gateways<'a> {
    pub fn from_cluster(cluster: &'a Cluster) -> Gateways<'a> {
        let gateways = cluster.objects_with_charts().filter_map(|(unit, object)| {
            let statement = &object.statement;
            let Some(Routing::Gateway(listeners)) = statement.reached.routing.as_deref() else {
                return None;
            };
            let id = &statement.id;
            let key = (
                cluster.target_of(unit),
                id.kind.as_str(),
                id.namespace.as_str(),
                id.name.as_str(),
            );
            Some((key, listeners.as_slice()))
        });
        Gateways(gateways.collect())
    }

    /// An address of an object in a cluster. If its gateway is not known, the address stays as the object states it.
    pub fn address(&self, at: Destination, statement: &Statement, url: &str) -> String {
        let encryption = match statement.reached.routing.as_deref() {
            Some(Routing::Route(_)) => self.encryption(at, statement),
            _ => None,
        };
        let rest = url.split_once("://").map(|(_, rest)| rest);
        match (encryption, rest) {
            (Some(Encryption::Plain), Some(rest)) => format!("http://{rest}"),
            (Some(Encryption::Encrypted), Some(rest)) => format!("https://{rest}"),
            _ => url.to_owned(),
        }
    }

    /// Plain if no listener of the route is encrypted. None if one of its gateways is not known or has no matching
    /// listener.
    fn encryption(&self, at: Destination, statement: &Statement) -> Option<Encryption> {
        let Some(Routing::Route(parents)) = statement.reached.routing.as_deref() else {
            return None;
        };
        let mut found = None;
        for parent in parents {
            let (kind, namespace, name) = (&parent.kind, &parent.namespace, &parent.name);
            let key = (at, kind.as_str(), namespace.as_str(), name.as_str());
            let listeners = self.0.get(&key)?.iter();
            let mut taken = listeners
                .filter(|listener| parent.takes(listener))
                .peekable();
            taken.peek()?;
            if taken.any(|listener| listener.encryption == Encryption::Encrypted) {
                found = Some(Encryption::Encrypted)
            } else {
                found = found.or(Some(Encryption::Plain))
            }
        }
        found
    }
}
