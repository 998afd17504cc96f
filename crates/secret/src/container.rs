//! Lists and mappings under the name of a secret: separates the secrets in them from references and settings. Changes
//! the node it is given and touches nothing else.

use super::is_secret_name;
use super::name::{ContainerSecrecy, container_secrecy, letters};
use super::seal::Context;
use yaml::{Map, Node, ScalarKind, Value};

/// Seals the secrets in a list or mapping, by the key it is under.
pub fn seal(key: &str, node: &mut Node, context: &mut Context) {
    match container_secrecy(key) {
        ContainerSecrecy::Certain => {
            let outer = context.enter("");
            // A container or a job may be called like a secret: `gen-passwd: {image: …, command: …}`.
            let is_workload = ["image", "command", "containers"].map(|key| node.get(key).is_some());
            if is_workload.contains(&true) {
                context.enter_workload();
            }
            seal_whole(key, node, context);
            context.leave(outer);
        }
        // A list under such a key is a list of names.
        ContainerSecrecy::Doubtful => {
            if let Value::Map(map) = &mut node.value
                && !map.0.iter().any(|entry| describes_secret(&entry.key))
            {
                seal_entries(key, map, Depth::One, context);
            }
        }
        ContainerSecrecy::Anything => {}
    }
}

/// Seals a secret value, be it a text, a list or a mapping.
pub fn seal_whole(key: &str, node: &mut Node, context: &mut Context) {
    let place = node.place;
    match &mut node.value {
        Value::Scalar(scalar) => context.seal_named(key, scalar, place),
        Value::Seq(items) => items
            .iter_mut()
            .for_each(|item| seal_whole(key, item, context)),
        Value::Map(map) => seal_entries(key, map, Depth::Any, context),
    }
}

#[derive(Clone, Copy)]
enum Depth {
    One,
    Any,
}

fn seal_entries(key: &str, map: &mut Map, depth: Depth, context: &mut Context) {
    if is_schema(map) {
        return;
    }
    let refers = map.0.iter().any(|entry| is_reference(&entry.key));
    for entry in &mut map.0 {
        let name = letters(&entry.key);
        let is_key = refers && name.ends_with("key");
        if is_key || is_reference(&entry.key) || is_setting(&name) {
            continue;
        }
        let place = entry.value.place;
        match (&mut entry.value.value, depth) {
            // A number or a boolean beside other values is a setting.
            (Value::Scalar(scalar), _) if matches!(scalar.kind(), ScalarKind::Str(_)) => {
                context.seal_named(key, scalar, place);
            }
            (Value::Scalar(_), _) | (_, Depth::One) => {}
            (_, Depth::Any) => {
                let outer = context.enter(&entry.key);
                seal_whole(key, &mut entry.value, context);
                context.leave(outer);
            }
        }
    }
}

/// `{type: string, description: …}` declares a value but contains none.
fn is_schema(map: &Map) -> bool {
    let kind = map.get("type").and_then(Node::text);
    matches!(
        kind,
        Some("string" | "object" | "array" | "integer" | "number" | "boolean")
    )
}

/// Whether a mapping with this key describes secrets rather than containing them.
fn describes_secret(key: &str) -> bool {
    // `key` alone may be a secret.
    is_reference(key) || is_setting(&letters(key)) || is_secret_name(key)
}

/// Whether a key contains the name of an object, or a mapping that does.
fn is_reference(key: &str) -> bool {
    let name = letters(key);
    let endings = [
        "name", "ref", "refs", "secret", "secrets", "from", "selector",
    ];
    endings.iter().any(|ending| name.ends_with(ending))
        && container_secrecy(key) != ContainerSecrecy::Certain
}

/// Whether a key beside a secret says how it is generated, stored or used.
fn is_setting(name: &str) -> bool {
    const SETTINGS: &[&str] = &[
        "namespace",
        "kind",
        "apiversion",
        "apigroup",
        "group",
        "type",
        "algorithm",
        "encoding",
        "audience",
        "audiences",
        "path",
        "file",
        "files",
        "format",
        "description",
        "title",
        "provider",
        "store",
        "backend",
        "engine",
        "driver",
        "method",
        "mode",
        "issuer",
        "url",
        "uri",
        "host",
        "hostname",
        "endpoint",
        "region",
        "domain",
        "version",
        "image",
        "tag",
        "repository",
        "user",
        "email",
        "enabled",
        "create",
        "ttl",
        "expiry",
        "expires",
        "expiration",
        "lifetime",
        "duration",
        "interval",
        "period",
        "policy",
        "strategy",
        "property",
        "scope",
        "scopes",
        "labels",
        "annotations",
        "items",
        "template",
        "example",
    ];
    SETTINGS.iter().any(|setting| name.ends_with(setting))
}
