//! Ports of services and containers, in the forms that charts and operators have for them.

use smol_str::SmolStr;

use super::is_off;
use yaml::{Node, Value};

/// Limit on ports per object. A longer list is unreadable.
const MAX_PORTS: usize = 100;
/// Keys beside a service's other settings that state its port.
const SERVICE_PORTS: [&str; 5] = ["port", "httpPort", "httpsPort", "grpcPort", "servicePort"];
/// Keys anywhere that state the port of the application's container.
const CONTAINER_PORTS: [&str; 3] = ["containerPort", "applicationPort", "bindPort"];

pub fn is_service(key: &str) -> bool {
    ["service", "services"].contains(&key) || key.ends_with("Service")
}

/// The ports of `service: {port: 80}` and `service: {ports: {http: {port: 80}}}`.
pub fn of_service(service: &Node, ports: &mut Vec<SmolStr>) {
    // A service that has a namespace of its own is somebody else's.
    if service.get("namespace").is_some() {
        return;
    }
    for key in SERVICE_PORTS {
        if let Some(number) = service.get(key) {
            push(None, number, None, ports);
        }
    }
    if let Some(listed) = service.get("ports") {
        of_list(listed, ports);
    }
}

/// The ports that a mapping states for a container.
pub fn of_container(node: &Node, ports: &mut Vec<SmolStr>) {
    for key in CONTAINER_PORTS {
        if let Some(number) = node.get(key) {
            push(
                node.text_at(&["name"]),
                number,
                node.text_at(&["protocol"]),
                ports,
            );
        }
    }
    if let Some(listed) = node.get("containerPorts") {
        of_list(listed, ports);
    }
}

/// `{http: 80}`, `{http: {port: 80}}` or `[{name: http, port: 80}]`.
fn of_list(listed: &Node, ports: &mut Vec<SmolStr>) {
    let stated = |name: Option<&str>, node: &Node, ports: &mut Vec<SmolStr>| {
        let number = node.get("port").or_else(|| node.get("containerPort"));
        let protocol = node.text_at(&["protocol"]);
        match (&node.value, number) {
            (Value::Scalar(_), _) => push(name, node, None, ports),
            (Value::Map(_), Some(number)) if !is_off(node) => push(name, number, protocol, ports),
            _ => {}
        }
    };
    for entry in listed.entries() {
        stated(Some(&entry.key), &entry.value, ports);
    }
    for item in listed.items() {
        stated(item.text_at(&["name"]), item, ports);
    }
}

/// `http 8080/TCP`, if it is a number.
fn push(name: Option<&str>, number: &Node, protocol: Option<&str>, ports: &mut Vec<SmolStr>) {
    let Some(number) = number.text().and_then(|text| text.parse::<u16>().ok()) else {
        return;
    };
    // Charts also name the protocol on top of it there.
    let protocol = match protocol {
        Some(protocol) if protocol.eq_ignore_ascii_case("udp") => "UDP",
        Some(protocol) if protocol.eq_ignore_ascii_case("sctp") => "SCTP",
        _ => "TCP",
    };
    let port: SmolStr = match name {
        Some(name) => format!("{name} {number}/{protocol}").into(),
        None => format!("{number}/{protocol}").into(),
    };
    if number > 0 && ports.len() < MAX_PORTS && !ports.contains(&port) {
        ports.push(port);
    }
}
