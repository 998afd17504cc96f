//! Splits what templates write into manifests.

use std::ops::Range;

use crate::values::coalesce::Flavour;

/// The ranges of the manifests in a text, without white space around them, as Helm splits them: at lines that begin
/// with three dashes. Helm 4 leaves the white space at the end of the text, which a block there may keep.
pub fn split(text: &str, flavour: Flavour) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("---") {
            push(text, start..at, &mut ranges);
            start = at + 3;
        }
        at += line.len();
    }
    let count = ranges.len();
    push(text, start..text.len(), &mut ranges);
    if let (Flavour::Helm4, Some(last)) = (flavour, ranges.get_mut(count)) {
        last.end = text.len();
    }
    ranges
}

fn push(text: &str, range: Range<usize>, ranges: &mut Vec<Range<usize>>) {
    let part = &text[range.clone()];
    let trimmed = part.trim_start();
    let start = range.start + part.len() - trimmed.len();
    let end = start + trimmed.trim_end().len();
    if end > start {
        ranges.push(start..end);
    }
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
        let parts: Vec<&str> = split(text, Flavour::Helm3)
            .into_iter()
            .map(|range| &text[range])
            .collect();
        assert_eq!(parts, ["# c\na: 1", "# x\nb: 2\n ---\nc", "d"]);
        let end = |text, flavour| split(text, flavour).last().map(|range| range.end);
        assert_eq!(end("a: |+\n  b\n\n", Flavour::Helm3), Some(9));
        assert_eq!(end("a: |+\n  b\n\n", Flavour::Helm4), Some(11));
        assert_eq!(end("a\n---\n\n", Flavour::Helm4), Some(1));
    }
}
