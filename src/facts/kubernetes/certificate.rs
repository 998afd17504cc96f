//! Certificates: the hosts that one is issued for are addresses of whoever it belongs to, if no route names any.

use crate::facts::{Resource, Statement};
use yaml::Node;

pub fn describe(resource: &Resource, statement: &mut Statement) {
    let id = &resource.id;
    let field = match (id.group.as_str(), id.kind.as_str()) {
        ("cert-manager.io", "Certificate") => "dnsNames",
        ("networking.gke.io", "ManagedCertificate") => "domains",
        _ => return,
    };
    let Some(spec) = resource.node.get("spec") else {
        return;
    };
    let hosts = spec.items_at(field).iter().filter_map(Node::text);
    let hosts: Vec<&str> = hosts.collect();
    // With a wildcard it is for a domain, and with a Service for calls within the cluster.
    if hosts.iter().all(|host| is_public(host)) {
        let hosts = hosts.into_iter().map(Into::into);
        statement.reached.certified.extend(hosts);
    }
}

fn is_public(host: &str) -> bool {
    let is_inner = [".svc", ".local", ".cluster", ".internal"]
        .iter()
        .any(|end| host.ends_with(end));
    host.contains('.') && !host.contains('*') && !is_inner
}
