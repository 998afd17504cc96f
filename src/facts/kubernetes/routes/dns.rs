//! Names in the DNS that external-dns gives to load balancers and gateways.

use crate::facts::values;
use crate::facts::{Resource, Statement, UrlFact};
use yaml::Node;

/// The annotation that names them.
pub const HOSTNAME: &str = "external-dns.alpha.kubernetes.io/hostname";

pub fn describe(resource: &Resource, statement: &mut Statement) {
    let id = &resource.id;
    let own = resource.node.at(&["metadata", "annotations"]);
    let passed_on = resource.node.at(&["spec", "infrastructure", "annotations"]);
    let annotations = match (id.group.as_str(), id.kind.as_str()) {
        ("", "Service") => [own, None],
        ("gateway.networking.k8s.io", "Gateway") => [own, passed_on],
        _ => return,
    };
    let ports = resource.node.get("spec").map(|spec| spec.items_at("ports"));
    let has = |number: &str| {
        let mut ports = ports.unwrap_or_default().iter();
        ports.any(|port| port.text_at(&["port"]) == Some(number))
    };
    let scheme = match id.kind.as_str() {
        "Service" if has("443") => "https",
        "Service" if has("80") => "http",
        "Service" => "tcp",
        _ => "https",
    };
    for annotation in annotations.into_iter().flatten() {
        if let Some(names) = annotation.get(HOSTNAME) {
            statement.reached.urls.extend(urls(names, scheme));
        }
    }
}

/// The addresses that the value of the annotation names.
pub fn urls<'n>(names: &'n Node, scheme: &'n str) -> impl Iterator<Item = UrlFact> + 'n {
    let texts = names.text().unwrap_or_default().split(',');
    texts.filter_map(move |name| {
        let host = values::shown_host(name.trim())?;
        Some(UrlFact {
            url: format!("{scheme}://{host}/"),
            place: names.place,
            backends: Vec::new(),
            through: Vec::new(),
        })
    })
}
