//! What chart values commonly say: images, alerts, and the hosts under which something is reached.
//! Charts differ, so only forms that mean one thing are taken.

use smol_str::SmolStr;

use crate::fact::{Located, Statement, UrlFact};
use crate::source::kubernetes::alert;
use crate::yaml::{Node, Value};

pub fn describe(values: &Node, statement: &mut Statement) {
    walk(values, "", statement);
    alert::inside(values, &mut statement.alerts);
}

fn walk(node: &Node, key: &str, statement: &mut Statement) {
    match &node.value {
        Value::Scalar(_) => {}
        Value::Seq(items) => items.iter().for_each(|item| walk(item, key, statement)),
        Value::Map(map) => {
            if node.get("enabled").and_then(Node::as_bool) == Some(false) {
                return;
            }
            if ends_in_image(key) {
                statement.images.extend(image(node));
            }
            if is_route(key) {
                urls(node, &mut statement.urls);
            }
            for entry in &map.0 {
                walk(&entry.value, &entry.key, statement);
            }
        }
    }
}

/// `{repository: x, tag: y}`, with a registry and a digest where there are any.
fn image(node: &Node) -> Option<Located<SmolStr>> {
    let repository = node.get("repository")?;
    let mut name = String::new();
    if let Some(registry) = node.text_at(&["registry"]) {
        name = format!("{registry}/");
    }
    name += repository.text()?;
    let tag = node.text_at(&["tag"]);
    let digest = node.text_at(&["digest"]);
    match (tag, digest) {
        (None, None) => return None,
        (Some(tag), _) => name += &format!(":{tag}"),
        (None, Some(digest)) => name += &format!("@{digest}"),
    }
    (!name.contains("{{")).then(|| Located {
        value: name.into(),
        place: repository.place,
    })
}

fn ends_in_image(key: &str) -> bool {
    let start = key.len().checked_sub("image".len());
    let end = start.and_then(|start| key.get(start..));
    end.is_some_and(|end| end.eq_ignore_ascii_case("image"))
}

fn is_route(key: &str) -> bool {
    ["ingress", "route", "httproute", "ingressroute"]
        .iter()
        .any(|name| key.eq_ignore_ascii_case(name))
}

/// Hosts anywhere below a route, in the forms that charts use.
fn urls(route: &Node, urls: &mut Vec<UrlFact>) {
    let secure = has_tls(route);
    each_host(route, &mut |node| {
        let Some(host) = node.text() else {
            return;
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || ".-*".contains(c);
        if !host.contains('.') || !host.chars().all(plain) {
            return;
        }
        // A gateway route has no certificate of its own; it is the gateway that has.
        let scheme = match secure || route.get("hosts").is_none() && route.get("hostname").is_none()
        {
            true => "https",
            false => "http",
        };
        let url = format!("{scheme}://{host}/");
        if !urls.iter().any(|other| other.url == url) {
            urls.push(UrlFact {
                url,
                place: node.place,
            });
        }
    });
}

fn has_tls(node: &Node) -> bool {
    match &node.value {
        Value::Scalar(_) => false,
        Value::Seq(items) => items.iter().any(has_tls),
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

fn each_host<'a>(node: &'a Node, f: &mut dyn FnMut(&'a Node)) {
    match &node.value {
        Value::Scalar(_) => {}
        Value::Seq(items) => items.iter().for_each(|item| each_host(item, f)),
        Value::Map(map) => {
            if node.get("enabled").and_then(Node::as_bool) == Some(false) {
                return;
            }
            for entry in &map.0 {
                match (entry.key.as_str(), &entry.value.value) {
                    ("host" | "hostname", Value::Scalar(_)) => f(&entry.value),
                    ("hosts" | "hostnames", Value::Seq(items)) => {
                        let scalars = items.iter().filter(|item| item.as_scalar().is_some());
                        scalars.for_each(&mut *f);
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
    use crate::diagnostic::FileId;

    fn described(text: &str) -> (Vec<String>, Vec<String>) {
        let root = crate::yaml::parse(text, FileId(0)).documents.remove(0).root;
        let mut statement = Statement::default();
        describe(&root, &mut statement);
        let urls = statement.urls.into_iter().map(|url| url.url).collect();
        let images = statement.images.into_iter();
        (urls, images.map(|image| image.value.to_string()).collect())
    }

    #[test]
    fn hosts_are_found_in_the_forms_that_charts_use() {
        let (urls, _) = described(
            "ingress:\n  hosts: [{host: a.example.com, paths: []}]\n  tls: [{hosts: [a.example.com]}]\nroute:\n  app:\n    hostnames: ['b.example.com', '{{ .Release.Name }}.example.com']\nadmin:\n  ingress: {enabled: false, hosts: [c.example.com]}\n",
        );
        assert_eq!(urls, ["https://a.example.com/", "https://b.example.com/"]);
    }

    #[test]
    fn images_are_put_together() {
        let (_, images) = described(
            "image: {registry: ghcr.io, repository: a/b, tag: 1.2.3}\nsidecar:\n  image: {repository: c, digest: 'sha256:1'}\nother: {image: {tag: x}}\n",
        );
        assert_eq!(images, ["ghcr.io/a/b:1.2.3", "c@sha256:1"]);
    }
}
