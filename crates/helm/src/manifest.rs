//! Splits what templates write into manifests.

use std::ops::Range;

use crate::values::coalesce::Flavour;

/// The ranges of the manifests in a text as Helm splits them: at lines that begin with three dashes, and without white
/// space before them. Helm 3 removes it after them too. Helm 4 leaves it, and a block at the end of a manifest may keep it.
pub fn split(text: &str, flavour: Flavour) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("---") {
            ranges.extend(trimmed(text, start..at, flavour));
            start = at + 3;
        }
        at += line.len();
    }
    ranges.extend(trimmed(text, start..text.len(), flavour));
    ranges
}

/// The range without white space around it; `None` if nothing is left.
fn trimmed(text: &str, range: Range<usize>, flavour: Flavour) -> Option<Range<usize>> {
    let part = &text[range.clone()];
    let content = part.trim_start();
    let start = range.end - content.len();
    let end = match flavour {
        Flavour::Helm3 => start + content.trim_end().len(),
        Flavour::Helm4 => range.end,
    };
    (!content.is_empty()).then_some(start..end)
}

/// The order in which Helm installs kinds; others come last, by name.
const INSTALL_ORDER: &[&str] = &[
    "PriorityClass",
    "Namespace",
    "NetworkPolicy",
    "ResourceQuota",
    "LimitRange",
    "PodSecurityPolicy",
    "PodDisruptionBudget",
    "ServiceAccount",
    "Secret",
    "SecretList",
    "ConfigMap",
    "StorageClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleList",
    "ClusterRoleBinding",
    "ClusterRoleBindingList",
    "Role",
    "RoleList",
    "RoleBinding",
    "RoleBindingList",
    "Service",
    "DaemonSet",
    "Pod",
    "ReplicationController",
    "ReplicaSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "StatefulSet",
    "Job",
    "CronJob",
    "IngressClass",
    "Ingress",
    "APIService",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
];

/// The rank of a kind in the order of installation; unknown kinds share the last one.
pub fn install_rank(kind: &str) -> usize {
    let mut known = INSTALL_ORDER.iter();
    known
        .position(|known| *known == kind)
        .unwrap_or(INSTALL_ORDER.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_are_split_at_dashes() {
        let text = "\n# c\na: 1\n---\n\n--- # x\nb: 2\n ---\nc\n---d\n";
        let parts = |flavour| -> Vec<&str> {
            let ranges = split(text, flavour).into_iter();
            ranges.map(|range| &text[range]).collect()
        };
        assert_eq!(
            parts(Flavour::Helm3),
            ["# c\na: 1", "# x\nb: 2\n ---\nc", "d"]
        );
        assert_eq!(
            parts(Flavour::Helm4),
            ["# c\na: 1\n", "# x\nb: 2\n ---\nc\n", "d\n"]
        );
        let end = |text, flavour| split(text, flavour).last().map(|range| range.end);
        assert_eq!(end("a: |+\n  b\n\n", Flavour::Helm3), Some(9));
        assert_eq!(end("a: |+\n  b\n\n", Flavour::Helm4), Some(11));
        assert_eq!(end("a\n---\n\n", Flavour::Helm4), Some(2));
    }
}
