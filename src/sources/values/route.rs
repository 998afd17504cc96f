//! Addresses in the values of a chart, in the forms that charts have for routes.

use super::is_off;
use crate::facts::UrlFact;
use crate::sources::kubernetes::routes::gateways;
use yaml::{Node, Value};

pub fn is_route(key: &str) -> bool {
    ["ingress", "route", "httproute", "ingressroute"]
        .iter()
        .any(|name| key.eq_ignore_ascii_case(name))
}

/// Hosts anywhere below a route, in the forms that charts use.
pub fn urls(route: &Node, urls: &mut Vec<UrlFact>) {
    let secure = has_tls(route);
    each_host(route, &mut |node, parents| {
        let Some(host) = node.text() else {
            return;
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || ".-*".contains(c);
        if !host.contains('.') || !host.chars().all(plain) {
            return;
        }
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
                    ("hosts" | "hostnames", Value::Seq(items)) => {
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
        urls(&root, &mut found);
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
