//! Addresses in the values of a chart, in the forms that charts have for routes.

use super::is_off;
use super::template::Scope;
use crate::facts::UrlFact;
use crate::facts::kubernetes::routes::gateways;
use std::borrow::Cow;
use yaml::{Entry, Node, Value};

pub fn is_route(key: &str) -> bool {
    const ROUTES: [&str; 8] = [
        "ingress",
        "ingresses",
        "route",
        "routes",
        "httproute",
        "httproutes",
        "ingressroute",
        "virtualservice",
    ];
    ROUTES.iter().any(|name| key.eq_ignore_ascii_case(name)) || key.ends_with("Ingress")
}

/// A host as it can be shown: one that people reach from outside. Variables that nothing resolves stay as they are.
pub fn shown_host<'t>(text: &'t str, scope: &Scope<'_>) -> Option<Cow<'t, str>> {
    let host = scope.resolved(text)?;
    let mut rest = &*host;
    let mut plain = String::new();
    while let Some((before, after)) = rest.split_once("${") {
        let (variable, behind) = after.split_once('}')?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if variable.is_empty() || !variable.chars().all(is_name) {
            return None;
        }
        plain.push_str(before);
        // It stands for one label or several.
        plain.push_str("x.x");
        rest = behind;
    }
    plain.push_str(rest);
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || ".-*".contains(c);
    let is_inside = plain.ends_with(".svc") || plain.ends_with(".cluster.local");
    let has_gap = plain.split('.').any(str::is_empty);
    let is_host = plain.contains('.') && plain.chars().all(is_allowed) && !is_inside && !has_gap;
    is_host.then_some(host)
}

/// The address under a key that names nothing else: `ingressHost: shop.example.org`.
pub fn host_of_entry(entry: &Entry, scope: &Scope<'_>) -> Option<UrlFact> {
    let is_host = ["ingressHost", "ingressHostname", "routeHost"].contains(&entry.key.as_str());
    let host = is_host.then(|| entry.value.text()).flatten()?;
    Some(UrlFact {
        url: format!("https://{}/", shown_host(host, scope)?),
        place: entry.value.place,
        backends: Vec::new(),
        through: Vec::new(),
    })
}

/// Hosts anywhere below a route, in the forms that charts use.
pub fn urls(route: &Node, scope: &Scope<'_>, urls: &mut Vec<UrlFact>) {
    let secure = has_tls(route);
    each_host(route, &mut |node, parents| {
        let Some(host) = node.text().and_then(|text| shown_host(text, scope)) else {
            return;
        };
        // A gateway route has no certificate of its own; it is the gateway that has.
        let scheme = if secure || route.get("hosts").is_none() && route.get("hostname").is_none() {
            "https"
        } else {
            "http"
        };
        let url = format!("{scheme}://{host}/");
        if !urls.iter().any(|other| other.url == url) {
            urls.push(UrlFact {
                url,
                place: node.place,
                backends: Vec::new(),
                through: gateways(parents, None),
            });
        }
    });
}

fn has_tls(node: &Node) -> bool {
    match &node.value {
        Value::Scalar(_) => false,
        Value::Seq(items) => items.iter().any(has_tls),
        Value::Map(_) if is_off(node) => false,
        Value::Map(map) => map.0.iter().any(|entry| {
            let stated = match &entry.value.value {
                Value::Scalar(_) => entry.value.as_bool() == Some(true),
                Value::Seq(items) => !items.is_empty(),
                Value::Map(map) => !map.is_empty(),
            };
            entry.key == "tls" && stated || has_tls(&entry.value)
        }),
    }
}

/// Each host, with the gateways that are named beside it.
fn each_host<'a>(node: &'a Node, f: &mut dyn FnMut(&'a Node, &'a [Node])) {
    match &node.value {
        Value::Scalar(_) => {}
        Value::Seq(items) => items.iter().for_each(|item| each_host(item, f)),
        Value::Map(map) => {
            if is_off(node) {
                return;
            }
            let parents = node.items_at("parentRefs");
            for entry in &map.0 {
                match (entry.key.as_str(), &entry.value.value) {
                    ("host" | "hostname", Value::Scalar(_)) => f(&entry.value, parents),
                    ("host", Value::Map(_)) => {
                        if let Some(name) = entry.value.get("name") {
                            f(name, parents);
                        }
                    }
                    ("hosts" | "hostnames" | "hostnamesOverride", Value::Seq(items)) => {
                        let scalars = items.iter().filter(|item| item.as_scalar().is_some());
                        scalars.for_each(|item| f(item, parents));
                        each_host(&entry.value, f);
                    }
                    ("tls", _) => {}
                    _ => each_host(&entry.value, f),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::FileId;
    use yaml::parse;

    #[test]
    fn an_address_comes_in_through_the_gateways_that_are_named_beside_it() {
        let text = "app:\n  hostnames: [a.example.com]\n  parentRefs: [{name: public, namespace: edge}, {name: near}]\n\
                    off: {enabled: false, hostnames: [c.example.com]}\nother: {hostnames: [b.example.com]}\n";
        let root = parse(text, FileId(0)).documents.remove(0).root;
        let mut found = Vec::new();
        urls(&root, &Scope::default(), &mut found);
        let shown = found.iter().map(|url| {
            let through = url.through.iter();
            let through =
                through.map(|one| format!(" {} {}/{}", one.kind, one.namespace, one.name));
            format!("{}{}", url.url, through.collect::<String>())
        });
        // The second gateway is in the namespace of the route, which values do not say.
        assert_eq!(
            shown.collect::<Vec<_>>(),
            [
                "https://a.example.com/ Gateway edge/public",
                "https://b.example.com/"
            ]
        );
    }
}
