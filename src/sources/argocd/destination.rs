//! Destinations of Applications: the cluster that Argo CD runs in, or another cluster by name or address.

use smol_str::SmolStr;

use crate::facts::{Reaches, Remote, Resource};
use base::text::has_gap;
use gotemplate::Value;
use yaml::Node;

/// The cluster that Argo CD runs in, by the names that it goes by.
const HERE: &[&str] = &["https://kubernetes.default.svc", "in-cluster", ""];
/// Common parameter names for a cluster name next to its address.
const NAMES: &[&str] = &["name", "cluster", "clusterName", "cluster_name"];
/// Parameters are rarely nested deeper than this.
const MAX_DEPTH: usize = 4;

/// The cluster that an Application goes to, if it is another.
pub fn remote(spec: &Node) -> Option<Remote> {
    let destination = spec.get("destination")?;
    let stated = |key: &str| destination.text_at(&[key]).unwrap_or_default();
    let (way, name, host) = match (stated("name"), stated("server")) {
        ("", server) => (plain(server), None, host(server)),
        (name, _) => (name, Some(name), None),
    };
    let is_plain = |text: &&str| !has_gap(text);
    (!is_here(way)).then(|| Remote {
        way: way.into(),
        name: name.filter(is_plain).map(SmolStr::from),
        host: host.filter(is_plain).map(SmolStr::from),
        reaches: Reaches::Cluster,
    })
}

/// Whether a name or an address is that of the cluster that Argo CD runs in.
pub fn is_here(cluster: &str) -> bool {
    HERE.contains(&cluster)
}

/// An address in the form used for comparison.
pub fn plain(server: &str) -> &str {
    server.trim_end_matches('/')
}

/// `prod.example.org` of `https://prod.example.org:6443`.
fn host(server: &str) -> Option<&str> {
    let (_, rest) = server.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let is_port = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let host = match host.rsplit_once(':') {
        Some((host, port)) if is_port(port) => host,
        _ => host,
    };
    (!host.is_empty()).then_some(host)
}

/// Cluster name for an Application that states an address, from the parameters next to that address.
pub fn called(params: &Value, application: &Resource) -> Option<SmolStr> {
    let destination = application.node.at(&["spec", "destination"])?;
    let server = destination.text_at(&["server"])?;
    let is_stated = |text: &&str| !is_here(plain(text));
    let server = Some(server).filter(is_stated)?;
    beside(params, server, 0)
}

/// The name in the map that has an address; a map in it may have it as well.
fn beside(params: &Value, server: &str, depth: usize) -> Option<SmolStr> {
    let Value::Map(map) = params else {
        return None;
    };
    let text = |value: &Value| match value {
        Value::Text(text) => Some(text.clone()),
        _ => None,
    };
    if map.values().filter_map(text).any(|text| text == server) {
        let mut names = NAMES.iter().filter_map(|name| text(map.get(*name)?));
        return names.find(|name| !name.is_empty() && *name != server);
    }
    let inner = map.values().filter(|_| depth < MAX_DEPTH);
    inner
        .into_iter()
        .find_map(|value| beside(value, server, depth + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::FileId;
    use yaml;

    fn node(text: &str) -> Node {
        let mut documents = yaml::parse(text, FileId(0)).documents;
        documents.remove(0).root
    }

    fn remote_of(text: &str) -> Option<(String, Option<SmolStr>, Option<SmolStr>)> {
        let remote = remote(&node(text))?;
        Some((remote.way.to_string(), remote.name, remote.host))
    }

    #[test]
    fn another_cluster_is_known_by_its_name_or_by_its_host() {
        assert_eq!(
            remote_of("destination: {name: prod}"),
            Some(("prod".into(), Some("prod".into()), None))
        );
        assert_eq!(
            remote_of("destination: {server: 'https://prod.example.org:6443/'}"),
            Some((
                "https://prod.example.org:6443".into(),
                None,
                Some("prod.example.org".into())
            ))
        );
        assert_eq!(
            remote_of("destination: {server: 'https://${HOST}'}"),
            Some(("https://${HOST}".into(), None, None))
        );
    }

    #[test]
    fn the_cluster_that_argo_cd_runs_in_is_no_other() {
        for text in [
            "destination: {name: in-cluster}",
            "destination: {server: 'https://kubernetes.default.svc/'}",
            "destination: {namespace: web}",
        ] {
            assert_eq!(remote_of(text), None, "{text}");
        }
    }

    #[test]
    fn a_set_names_a_cluster_beside_its_address() {
        let application = |server: &str| {
            let text = format!(
                "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: a}}\nspec: {{destination: {{server: '{server}'}}}}"
            );
            Resource::new(node(&text)).unwrap()
        };
        let params = |text: &str| Value::from_node(&node(text));
        let there = application("https://1.2.3.4");
        let listed = params("{cluster: staging, url: 'https://1.2.3.4'}");
        assert_eq!(called(&listed, &there).as_deref(), Some("staging"));
        let nested = params("{name: web, cluster: {name: prod, address: 'https://1.2.3.4'}}");
        assert_eq!(called(&nested, &there).as_deref(), Some("prod"));
        let unnamed = params("{name: web, spoke: {address: 'https://1.2.3.4'}}");
        assert_eq!(called(&unnamed, &there), None);
        let here = application("https://kubernetes.default.svc");
        let local = params("{name: in-cluster, server: 'https://kubernetes.default.svc'}");
        assert_eq!(called(&local, &here), None);
    }
}
