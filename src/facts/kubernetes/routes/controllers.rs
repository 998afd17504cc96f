//! Routes of controllers with kinds of their own: OpenShift, Istio, Contour, Traefik.

use super::{add_backends, push_backend, push_url, quoted_after, service_called};
use crate::facts::values;
use crate::facts::{Encryption, Listener, ObjectRef, Routing, Statement, Through};
use yaml::Node;

/// OpenShift. Without a host, the router makes one that no file states.
pub fn route(spec: &Node, namespace: &str, statement: &mut Statement) {
    let services = || {
        [spec.get("to")]
            .into_iter()
            .flatten()
            .chain(spec.items_at("alternateBackends"))
    };
    if let Some(host) = spec.get("host")
        && let Some(name) = host.text()
    {
        let path = spec.text_at(&["path"]).unwrap_or("/");
        let url = push_url(statement, spec.get("tls").is_some(), name, path, host.place);
        let backends = services().filter_map(|service| service.text_at(&["name"]));
        add_backends(url, backends.map(|name| service_called(name, namespace)));
    }
    for service in services() {
        push_backend(statement, namespace, service.get("name"));
    }
}

/// Contour.
pub fn http_proxy(spec: &Node, namespace: &str, statement: &mut Statement) {
    let services = || {
        let routes = spec.items_at("routes").iter();
        routes.flat_map(|route| route.items_at("services"))
    };
    if let Some(host) = spec.at(&["virtualhost", "fqdn"])
        && let Some(name) = host.text()
    {
        let secure = spec.at(&["virtualhost", "tls"]).is_some();
        let url = push_url(statement, secure, name, "/", host.place);
        let backends = services().filter_map(|service| service.text_at(&["name"]));
        add_backends(url, backends.map(|name| service_called(name, namespace)));
    }
    for service in services() {
        push_backend(statement, namespace, service.get("name"));
    }
}

/// Istio. What only applies inside of the mesh is no address.
pub fn virtual_service(spec: &Node, namespace: &str, statement: &mut Statement) {
    let gateways = spec.items_at("gateways").iter().filter_map(Node::text);
    let gateways = gateways.filter(|gateway| *gateway != "mesh");
    let through: Vec<Through> = gateways
        .map(|gateway| {
            let (namespace, name) = gateway.split_once('/').unwrap_or((namespace, gateway));
            Through {
                kind: "Gateway".into(),
                namespace: namespace.into(),
                name: name.into(),
                listener: None,
                port: None,
            }
        })
        .collect();
    if through.is_empty() {
        return;
    }
    let routes = ["http", "tls", "tcp"]
        .into_iter()
        .flat_map(|key| spec.items_at(key));
    let routes = routes.flat_map(|rule| rule.items_at("route"));
    let backends =
        routes.filter_map(|route| service(route.text_at(&["destination", "host"])?, namespace));
    let backends: Vec<ObjectRef> = backends.collect();
    for host in spec.items_at("hosts") {
        let Some(name) = host
            .text()
            .filter(|name| values::shown_host(name).is_some())
        else {
            continue;
        };
        let Some(url) = push_url(statement, true, name, "/", host.place) else {
            continue;
        };
        url.backends.extend(backends.iter().cloned());
        url.through = through
            .iter()
            .map(|one| ObjectRef {
                kind: one.kind.clone(),
                namespace: one.namespace.clone(),
                name: one.name.clone(),
            })
            .collect();
    }
    statement.reached.routing = Some(Box::new(Routing::Route(through)));
}

/// `web`, `web.shop` and `web.shop.svc.cluster.local`.
pub fn service(host: &str, namespace: &str) -> Option<ObjectRef> {
    let inside = host.split_once(".svc").map_or(host, |(inside, _)| inside);
    match inside.split_once('.') {
        None => Some(service_called(inside, namespace)),
        Some((name, namespace)) if !namespace.contains('.') => {
            Some(service_called(name, namespace))
        }
        Some(_) => None,
    }
}

/// Istio's own gateway.
pub fn gateway(spec: &Node, statement: &mut Statement) {
    let listeners = spec.items_at("servers").iter().filter_map(|server| {
        let text = |path: &[&str]| server.text_at(path).unwrap_or_default();
        Some(Listener {
            name: text(&["port", "name"]).into(),
            port: text(&["port", "number"]).into(),
            encryption: match text(&["port", "protocol"]) {
                "HTTP" => Encryption::Plain,
                "HTTPS" | "TLS" => Encryption::Encrypted,
                _ => return None,
            },
        })
    });
    let listeners: Vec<Listener> = listeners.collect();
    super::listener_ports(&listeners, statement);
    statement.reached.routing = Some(Box::new(Routing::Gateway(listeners)));
}

/// Traefik, for connections that are no requests.
pub fn ingress_route_tcp(spec: &Node, namespace: &str, statement: &mut Statement) {
    for route in spec.items_at("routes") {
        let services = || route.items_at("services").iter();
        if let Some(rule) = route.get("match") {
            let hosts = quoted_after(rule.text().unwrap_or_default(), "HostSNI(");
            for host in hosts.into_iter().filter(|host| *host != "*") {
                let url = push_url(statement, spec.get("tls").is_some(), host, "/", rule.place);
                let backends = services().filter_map(|service| service.text_at(&["name"]));
                add_backends(url, backends.map(|name| service_called(name, namespace)));
            }
        }
        for service in services() {
            push_backend(statement, namespace, service.get("name"));
        }
    }
}
