//! Hosts that a tunnel of Cloudflare leads to services of the cluster, as the file `config.yaml` of `cloudflared` lists them.

use base::{FileId, Place};
use yaml::Node;

use super::{add_backends, controllers, push_url};
use crate::facts::{Reference, Relation, Resource, Routing, Statement, Target};

pub fn describe(resource: &Resource, statement: &mut Statement) {
    if !resource.id.is("", "ConfigMap") {
        return;
    }
    let data = resource.node.get("data");
    for entry in data.into_iter().flat_map(Node::entries) {
        let text = entry.value.text().unwrap_or_default();
        if ["ingress:", "hostname:", "service:"]
            .iter()
            .all(|key| text.contains(key))
        {
            routes(text, entry.value.place, statement);
        }
    }
}

fn routes(text: &str, place: Place, statement: &mut Statement) {
    let parsed = yaml::parse(text, FileId::NONE);
    let Some(document) = parsed.documents.first() else {
        return;
    };
    for rule in document.root.items_at("ingress") {
        let service = rule.get("service");
        let (Some(host), Some(service)) = (rule.text_at(&["hostname"]), service) else {
            continue;
        };
        let address = service.text().unwrap_or_default();
        let Some((_, after)) = address.split_once("://") else {
            continue;
        };
        let authority = after.split('/').next().unwrap_or_default();
        let name = authority.split(':').next().unwrap_or_default();
        let Some(backend) = controllers::service(name, "") else {
            continue;
        };
        // Without a namespace, the name is one that the network of the tunnel knows.
        if backend.namespace.is_empty() {
            continue;
        }
        let place = Place {
            line: place.line + service.place.line - 1,
            ..place
        };
        let path = rule.text_at(&["path"]).unwrap_or_default();
        let url = push_url(statement, true, host, path, place);
        add_backends(url, [backend.clone()]);
        // The way in is no call of its own.
        let call = Target::Host {
            service: backend.name.clone(),
            namespace: backend.namespace.clone(),
        };
        statement.references.retain(|one| one.target != call);
        statement.references.push(Reference {
            relation: Relation::Backend,
            target: Target::object("Service", &backend.namespace, &backend.name),
            place,
        });
        statement.reached.routing = Some(Box::new(Routing::Tunnel));
    }
}
