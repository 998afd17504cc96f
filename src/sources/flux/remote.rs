//! Remote clusters: a kubeconfig leads to one, and the object that holds it is usually named after the cluster.

use smol_str::{SmolStr, format_smolstr};

use crate::facts::{Reaches, Remote};
use base::text::has_gap;
use yaml::Node;

/// Keys of a Secret that say nothing of the cluster.
const USUAL_KEYS: &[&str] = &["", "value", "value.yaml"];
/// Names that say no more than what is in it.
const SAYS_NOTHING: &[&str] = &[
    "",
    "cluster",
    "kubeconfig",
    "kube-config",
    "config",
    "value",
];

/// Namespaces that are not called like a cluster.
const OF_THE_HUB: &[&str] = &["", "default", "flux-system"];

/// The cluster that the kubeconfig of an object in `namespace` leads to.
pub fn remote(spec: &Node, namespace: &str) -> Option<Remote> {
    let config = spec.get("kubeConfig")?;
    let stated = |of: &str, key: &str| config.text_at(&[of, key]).unwrap_or_default();
    let (holder, name) = match stated("secretRef", "name") {
        "" => ("ConfigMap", stated("configMapRef", "name")),
        name => ("Secret", name),
    };
    let key = match stated("secretRef", "key") {
        key if USUAL_KEYS.contains(&key) => "",
        key => key,
    };
    let called = match key {
        "" => cluster(name),
        key => cluster(key.trim_end_matches(".yaml")),
    };
    // If each cluster has its own namespace, the kubeconfig Secrets may share one name. The namespace then names the
    // cluster.
    let called = called.or_else(|| {
        let is_telling = !has_gap(name) && !has_gap(key) && !OF_THE_HUB.contains(&namespace);
        is_telling.then_some(namespace)
    });
    Some(Remote {
        way: format_smolstr!("{holder} {namespace}/{name} {key}"),
        name: called.map(SmolStr::from),
        host: None,
        reaches: Reaches::Cluster,
    })
}

/// `prod` of `prod-kubeconfig`, which is how Cluster API calls it.
fn cluster(name: &str) -> Option<&str> {
    let without = |name| {
        let end = ["-kubeconfig", "-kube-config"].into_iter();
        let mut end = end.filter_map(|end| str::strip_suffix(name, end));
        let start = ["kubeconfig-", "kube-config-"].into_iter();
        let mut start = start.filter_map(|start| str::strip_prefix(name, start));
        end.next().or_else(|| start.next()).unwrap_or(name)
    };
    let is_telling = |name: &&str| !has_gap(name) && !SAYS_NOTHING.contains(name);
    Some(without(name)).filter(is_telling)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::FileId;
    use yaml;

    fn remote_of(text: &str) -> Remote {
        let documents = yaml::parse(text, FileId(0)).documents;
        remote(&documents[0].root, "fleet").unwrap()
    }

    #[test]
    fn a_cluster_is_called_like_what_holds_its_kubeconfig() {
        let name = |text: &str| remote_of(text).name;
        let named = |name: &str| format!("kubeConfig: {{secretRef: {{name: {name}}}}}");
        assert_eq!(name(&named("prod-kubeconfig")).as_deref(), Some("prod"));
        assert_eq!(name(&named("kubeconfig-prod")).as_deref(), Some("prod"));
        assert_eq!(name(&named("spoke-a")).as_deref(), Some("spoke-a"));
        assert_eq!(name(&named("kubeconfig")).as_deref(), Some("fleet"));
        assert_eq!(name(&named("'${CLUSTER}'")), None);
        let keyed = "kubeConfig: {secretRef: {name: clusters, key: prod.yaml}}";
        assert_eq!(name(keyed).as_deref(), Some("prod"));
        let mapped = "kubeConfig: {configMapRef: {name: prod}}";
        assert_eq!(name(mapped).as_deref(), Some("prod"));
    }

    #[test]
    fn a_cluster_whose_kubeconfig_says_nothing_is_called_like_its_namespace() {
        let text = "kubeConfig: {secretRef: {name: cluster-kubeconfig}}";
        let spec = yaml::parse(text, FileId(0)).documents.remove(0).root;
        let [staging, hub] = ["staging", "flux-system"].map(|namespace| remote(&spec, namespace));
        assert_eq!(staging.unwrap().name.as_deref(), Some("staging"));
        assert_eq!(hub.unwrap().name, None);
    }

    #[test]
    fn what_leads_there_tells_clusters_apart() {
        let usual = remote_of("kubeConfig: {secretRef: {name: clusters, key: value}}");
        let same = remote_of("kubeConfig: {secretRef: {name: clusters}}");
        let other = remote_of("kubeConfig: {secretRef: {name: clusters, key: prod}}");
        assert_eq!(usual.way, same.way);
        assert_ne!(usual.way, other.way);
    }
}
