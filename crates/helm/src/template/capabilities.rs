//! `.Capabilities`: what a cluster of today serves whatever is installed in it. What else it serves is not known.

use super::Value;

/// The Kubernetes and Helm that charts are rendered for.
const KUBERNETES: &str = "v1.34.0";
const HELM: &str = "v3.19.0";

/// API groups of Kubernetes with the versions that it serves. Others of these groups were removed.
const SERVED: &[(&str, &[&str])] = &[
    ("", &["v1"]),
    ("admissionregistration.k8s.io", &["v1"]),
    ("apiextensions.k8s.io", &["v1"]),
    ("apiregistration.k8s.io", &["v1"]),
    ("apps", &["v1"]),
    ("authentication.k8s.io", &["v1"]),
    ("authorization.k8s.io", &["v1"]),
    ("autoscaling", &["v1", "v2"]),
    ("batch", &["v1"]),
    ("certificates.k8s.io", &["v1"]),
    ("coordination.k8s.io", &["v1"]),
    ("discovery.k8s.io", &["v1"]),
    ("events.k8s.io", &["v1"]),
    ("extensions", &[]),
    ("flowcontrol.apiserver.k8s.io", &["v1"]),
    ("networking.k8s.io", &["v1"]),
    ("node.k8s.io", &["v1"]),
    ("policy", &["v1"]),
    ("rbac.authorization.k8s.io", &["v1"]),
    ("scheduling.k8s.io", &["v1"]),
    ("storage.k8s.io", &["v1"]),
];

/// `.Capabilities`, without the API versions: templates ask for these one by one.
pub fn capabilities() -> Value {
    let mut all = Value::default();
    for key in ["Version", "GitVersion"] {
        all.set(&["KubeVersion", key], Value::text(KUBERNETES));
    }
    let mut parts = KUBERNETES.trim_start_matches('v').split('.');
    for key in ["Major", "Minor"] {
        let part = parts.next().unwrap_or_default();
        all.set(&["KubeVersion", key], Value::text(part));
    }
    all.set(&["HelmVersion", "Version"], Value::text(HELM));
    all
}

/// Whether every cluster serves `group/version` or `group/version/Kind`. None if it depends on what is installed.
pub fn serves(asked: &str) -> Option<bool> {
    let mut parts = asked.split('/');
    let first = parts.next()?;
    let (group, version) = if is_version(first) {
        ("", first)
    } else {
        (first, parts.next()?)
    };
    let (_, versions) = SERVED.iter().find(|(known, _)| *known == group)?;
    let is_served = versions.contains(&version);
    // Alpha versions of these groups can be switched on.
    (is_served || !version.contains("alpha")).then_some(is_served)
}

fn is_version(text: &str) -> bool {
    let rest = text.strip_prefix('v');
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_every_cluster_serves_is_known() {
        for (asked, expected) in [
            ("v1", Some(true)),
            ("policy/v1", Some(true)),
            ("policy/v1beta1", Some(false)),
            ("extensions/v1beta1", Some(false)),
            ("networking.k8s.io/v1/Ingress", Some(true)),
            ("storage.k8s.io/v1alpha1", None),
            ("monitoring.coreos.com/v1", None),
            ("", None),
        ] {
            assert_eq!(serves(asked), expected, "{asked}");
        }
    }
}
