//! Addresses of services: Ingress, Gateway API routes, Traefik's IngressRoute, and what other controllers have instead.

mod controllers;
pub mod dns;
mod tunnel;

use smol_str::SmolStr;

use crate::facts::values;
use crate::facts::{
    Encryption, Listener, ObjectRef, Reference, Relation, Resource, Routing, Statement, Target,
    Through, UrlFact,
};
use base::Place;
use yaml::Node;

pub fn describe(resource: &Resource, statement: &mut Statement) {
    dns::describe(resource, statement);
    tunnel::describe(resource, statement);
    let id = &resource.id;
    // Operators make an Ingress of a template, under a kind of their own.
    if id.kind.ends_with("Ingress")
        && id.group.contains('.')
        && let Some(spec) = resource.node.at(&["template", "spec"])
    {
        statement.references.push(Reference {
            relation: Relation::Class,
            target: Target::Api {
                group: id.group.clone(),
                kind: id.kind.clone(),
            },
            place: resource.place,
        });
        return ingress(spec, &id.namespace, statement);
    }
    let Some(spec) = resource.node.get("spec") else {
        return;
    };
    match (id.group.as_str(), id.kind.as_str()) {
        ("networking.k8s.io" | "extensions", "Ingress") => ingress(spec, &id.namespace, statement),
        ("gateway.networking.k8s.io", "HTTPRoute" | "GRPCRoute" | "TLSRoute") => {
            route(spec, &id.namespace, statement)
        }
        ("gateway.networking.k8s.io", "Gateway") => gateway(spec, statement),
        ("", "Service") => service(spec, statement),
        ("traefik.io" | "traefik.containo.us", "IngressRoute") => {
            ingress_route(spec, &id.namespace, statement)
        }
        ("traefik.io" | "traefik.containo.us", "IngressRouteTCP") => {
            controllers::ingress_route_tcp(spec, &id.namespace, statement)
        }
        ("route.openshift.io", "Route") => controllers::route(spec, &id.namespace, statement),
        ("projectcontour.io", "HTTPProxy") => {
            controllers::http_proxy(spec, &id.namespace, statement)
        }
        ("networking.istio.io", "VirtualService") => {
            controllers::virtual_service(spec, &id.namespace, statement)
        }
        ("networking.istio.io", "Gateway") => controllers::gateway(spec, statement),
        _ => {}
    }
}

fn ingress(spec: &Node, namespace: &str, statement: &mut Statement) {
    let tls: Vec<&str> = spec
        .items_at("tls")
        .iter()
        .flat_map(|tls| tls.items_at("hosts"))
        .filter_map(Node::text)
        .collect();
    let secure_all = !spec.items_at("tls").is_empty() && tls.is_empty();
    for rule in spec.items_at("rules") {
        let paths = rule
            .at(&["http"])
            .map(|http| http.items_at("paths"))
            .unwrap_or_default();
        if let Some(host) = rule.get("host")
            && let Some(name) = host.text()
        {
            let secure = secure_all || tls.contains(&name);
            let mut any = false;
            for path in paths {
                any = true;
                let service = backend_of(path).and_then(Node::text);
                let backends = service.map(|name| service_called(name, namespace));
                let path = path.text_at(&["path"]).unwrap_or("/");
                let url = push_url(statement, secure, name, path, host.place);
                add_backends(url, backends);
            }
            if !any {
                let url = push_url(statement, secure, name, "/", host.place);
                let service = spec.text_at(&["defaultBackend", "service", "name"]);
                add_backends(url, service.map(|name| service_called(name, namespace)));
            }
        }
        for path in paths {
            push_backend(statement, namespace, backend_of(path));
        }
    }
    push_backend(
        statement,
        namespace,
        spec.at(&["defaultBackend", "service", "name"]),
    );
}

fn backend_of(path: &Node) -> Option<&Node> {
    path.at(&["backend", "service", "name"])
        .or_else(|| path.at(&["backend", "serviceName"]))
}

/// Limit on paths per route. Only the first ones get an address.
const MOST_PATHS: usize = 3;

fn route(spec: &Node, namespace: &str, statement: &mut Statement) {
    let parents = spec.items_at("parentRefs");
    let sections = parents
        .iter()
        .filter_map(|parent| parent.text_at(&["sectionName"]));
    let sections: Vec<&str> = sections.collect();
    // The Gateway may be in another repository. Then only the listener name tells that it serves plain HTTP.
    let plain = !sections.is_empty()
        && sections
            .iter()
            .all(|section| section.contains("http") && !section.contains("https"));
    let paths = paths(spec);
    for host in spec.items_at("hostnames") {
        if let Some(name) = host.text() {
            for path in &paths {
                let url = push_url(statement, !plain, name, path, host.place);
                add_backends(url, backends(spec, path, namespace));
            }
        }
    }
    for url in &mut statement.reached.urls {
        url.through = gateways(parents, Some(namespace));
    }
    let through = parents.iter().filter_map(|parent| {
        let text = |key: &str| parent.text_at(&[key]);
        Some(Through {
            kind: text("kind").unwrap_or("Gateway").into(),
            namespace: text("namespace").unwrap_or(namespace).into(),
            name: text("name")?.into(),
            listener: text("sectionName").map(Into::into),
            port: text("port").map(Into::into),
        })
    });
    statement.reached.routing = Some(Box::new(Routing::Route(through.collect())));
}

/// Gateways that a route names. If neither the reference nor the route has a namespace, the Gateway is omitted.
pub fn gateways(parents: &[Node], namespace: Option<&str>) -> Vec<ObjectRef> {
    let gateways = parents.iter().filter_map(|parent| {
        let text = |key: &str| parent.text_at(&[key]);
        Some(ObjectRef {
            kind: text("kind").unwrap_or("Gateway").into(),
            namespace: text("namespace").or(namespace)?.into(),
            name: text("name")?.into(),
        })
    });
    gateways.collect()
}

/// The services that a route leads to from a path; from the root, wherever any of its rules does.
fn backends(spec: &Node, path: &str, namespace: &str) -> Vec<ObjectRef> {
    let rules = spec.items_at("rules").iter().filter(|rule| {
        let mut matches = rule.items_at("matches").iter();
        path == "/" || matches.any(|one| one.text_at(&["path", "value"]) == Some(path))
    });
    let named = rules.flat_map(|rule| rule.items_at("backendRefs"));
    let services =
        named.filter(|backend| backend.text_at(&["kind"]).unwrap_or("Service") == "Service");
    let services = services.filter_map(|service| {
        let namespace = service.text_at(&["namespace"]).unwrap_or(namespace);
        Some(service_called(service.text_at(&["name"])?, namespace))
    });
    services.collect()
}

/// The paths that a route takes: the root where any rule takes all or says in another way which it takes.
fn paths(spec: &Node) -> Vec<&str> {
    let mut paths: Vec<&str> = Vec::new();
    for rule in spec.items_at("rules") {
        let matches = rule.items_at("matches");
        if matches.is_empty() {
            return vec!["/"];
        }
        for one in matches {
            let is_pattern = one.text_at(&["path", "type"]) == Some("RegularExpression");
            match one.text_at(&["path", "value"]) {
                Some(path) if path != "/" && !is_pattern => {
                    if !paths.contains(&path) {
                        paths.push(path);
                    }
                }
                _ => return vec!["/"],
            }
        }
    }
    if paths.is_empty() {
        paths.push("/");
    }
    paths.truncate(MOST_PATHS);
    paths
}

fn gateway(spec: &Node, statement: &mut Statement) {
    let listeners = spec.items_at("listeners").iter().filter_map(|listener| {
        let text = |key: &str| listener.text_at(&[key]).unwrap_or_default();
        Some(Listener {
            name: text("name").into(),
            port: text("port").into(),
            encryption: match text("protocol") {
                "HTTP" => Encryption::Plain,
                "HTTPS" | "TLS" => Encryption::Encrypted,
                _ => return None,
            },
        })
    });
    let listeners: Vec<Listener> = listeners.collect();
    listener_ports(&listeners, statement);
    statement.reached.routing = Some(Box::new(Routing::Gateway(listeners)));
}

/// The ports of a way into the cluster, each once: many listeners share one.
fn listener_ports(listeners: &[Listener], statement: &mut Statement) {
    for listener in listeners.iter().filter(|one| !one.port.is_empty()) {
        let port = SmolStr::from(format!("{}/TCP", listener.port));
        if !statement.reached.ports.contains(&port) {
            statement.reached.ports.push(port);
        }
    }
}

fn service(spec: &Node, statement: &mut Statement) {
    let labels = spec.entries_at("selector").iter();
    let labels = labels.filter_map(|label| Some((label.key.clone(), label.value.text()?.into())));
    statement.reached.routing = Some(Box::new(Routing::Service(labels.collect())));
}

fn ingress_route(spec: &Node, namespace: &str, statement: &mut Statement) {
    let entry_points: Vec<&str> = spec
        .items_at("entryPoints")
        .iter()
        .filter_map(Node::text)
        .collect();
    let secure = spec.get("tls").is_some() || entry_points.contains(&"websecure");
    for route in spec.items_at("routes") {
        if let Some(rule) = route.get("match") {
            let text = rule.text().unwrap_or_default();
            let path = quoted_after(text, "PathPrefix(")
                .into_iter()
                .next()
                .unwrap_or("/");
            let services = route.items_at("services").iter();
            let services = services
                .filter(|service| service.text_at(&["kind"]).unwrap_or("Service") == "Service");
            let services = services.filter_map(|service| {
                let namespace = service.text_at(&["namespace"]).unwrap_or(namespace);
                Some(service_called(service.text_at(&["name"])?, namespace))
            });
            let services: Vec<ObjectRef> = services.collect();
            for host in quoted_after(text, "Host(") {
                let url = push_url(statement, secure, host, path, rule.place);
                add_backends(url, services.iter().cloned());
            }
        }
        for service in route.items_at("services") {
            if service.text_at(&["kind"]).unwrap_or("Service") == "Service" {
                let namespace = service.text_at(&["namespace"]).unwrap_or(namespace);
                push_backend(statement, namespace, service.get("name"));
            }
        }
    }
}

/// The quoted arguments of every call in a rule such as ``Host(`a`, `b`)``.
fn quoted_after<'a>(text: &'a str, call: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(call) {
        rest = &rest[start + call.len()..];
        let end = rest.find(')').unwrap_or(rest.len());
        let arguments = rest[..end].split(',');
        found.extend(
            arguments
                .map(|argument| argument.trim().trim_matches(['`', '"', '\'']))
                .filter(|argument| !argument.is_empty()),
        );
        rest = &rest[end..];
    }
    found
}

/// The part of a path that people type: the directories before a pattern begins.
fn typed(path: &str) -> &str {
    if !path.starts_with('/') {
        return "/";
    }
    let Some(at) = path.find(['(', '*', '^', '$', '[']) else {
        return path;
    };
    let fixed = &path[..at];
    let fixed = match (path[at..].starts_with('('), fixed.rsplit_once('/')) {
        // `/portal/app(/|$)(.*)` begins its pattern behind a whole name.
        (true, _) => fixed.trim_end_matches('/'),
        (false, Some((before, _))) => before,
        (false, None) => "",
    };
    if fixed.is_empty() || fixed.contains('.') {
        "/"
    } else {
        fixed
    }
}

/// The address, unless it is none; one that is known already comes back again.
fn push_url<'s>(
    statement: &'s mut Statement,
    secure: bool,
    host: &str,
    path: &str,
    place: Place,
) -> Option<&'s mut UrlFact> {
    let is_host = |c: char| c.is_ascii_alphanumeric() || ".-_*:".contains(c);
    if !host.chars().all(is_host) && values::shown_host(host).is_none() {
        return None;
    }
    let scheme = if secure { "https" } else { "http" };
    let path = typed(path);
    let url = format!("{scheme}://{host}{path}");
    let known = statement
        .reached
        .urls
        .iter()
        .position(|other| other.url == url);
    let at = known.unwrap_or(statement.reached.urls.len());
    if known.is_none() {
        statement.reached.urls.push(UrlFact {
            url,
            place,
            backends: Vec::new(),
            through: Vec::new(),
        });
    }
    statement.reached.urls.get_mut(at)
}

fn add_backends(url: Option<&mut UrlFact>, backends: impl IntoIterator<Item = ObjectRef>) {
    if let Some(url) = url {
        url.backends.extend(backends);
    }
}

fn service_called(name: &str, namespace: &str) -> ObjectRef {
    ObjectRef {
        kind: "Service".into(),
        namespace: namespace.into(),
        name: name.into(),
    }
}

fn push_backend(statement: &mut Statement, namespace: &str, service: Option<&Node>) {
    if let Some(service) = service
        && let Some(name) = service.text()
    {
        statement.references.push(Reference {
            relation: Relation::Backend,
            target: Target::object("Service", namespace, name),
            place: service.place,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::FileId;

    fn urls(text: &str) -> Vec<String> {
        let root = yaml::parse(text, FileId(0)).documents.remove(0).root;
        let resource = Resource::new(root).unwrap();
        let mut statement = Statement::default();
        describe(&resource, &mut statement);
        statement
            .reached
            .urls
            .into_iter()
            .map(|url| url.url)
            .collect()
    }

    #[test]
    fn an_ingress_is_secure_where_it_has_a_certificate() {
        let text = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: a}\nspec:\n  tls: [{hosts: [a.io]}]\n  rules:\n    - host: a.io\n      http: {paths: [{path: /x}]}\n    - host: b.io\n";
        assert_eq!(urls(text), ["https://a.io/x", "http://b.io/"]);
    }

    #[test]
    fn rules_of_traefik_name_hosts_and_paths() {
        let text = "apiVersion: traefik.io/v1alpha1\nkind: IngressRoute\nmetadata: {name: a}\nspec:\n  entryPoints: [websecure]\n  routes:\n    - match: Host(`a.io`) && PathPrefix(`/x`)\n";
        assert_eq!(urls(text), ["https://a.io/x"]);
    }
    #[test]
    fn a_route_that_takes_some_paths_is_reached_at_those() {
        let route = |rules: &str| {
            urls(&format!(
                "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {{name: a}}\n\
                 spec:\n  hostnames: [a.io]\n  rules: {rules}\n"
            ))
        };
        let prefix =
            |path: &str| format!("{{matches: [{{path: {{type: PathPrefix, value: {path}}}}}]}}");
        assert_eq!(
            route(&format!("[{}, {}]", prefix("/hook/"), prefix("/x"))),
            ["https://a.io/hook/", "https://a.io/x"]
        );
        assert_eq!(
            route(&format!("[{}, {}]", prefix("/hook/"), prefix("/"))),
            ["https://a.io/"]
        );
        let many: Vec<String> = (0..9).map(|number| prefix(&format!("/{number}"))).collect();
        assert_eq!(route(&format!("[{}]", many.join(", "))).len(), MOST_PATHS);
        for all in [
            "[]",
            "[{backendRefs: [{name: a}]}]",
            "[{matches: [{headers: [{name: x, value: y}]}]}]",
            "[{matches: [{path: {type: RegularExpression, value: /v1}}]}]",
        ] {
            assert_eq!(route(all), ["https://a.io/"], "{all}");
        }
    }
}
