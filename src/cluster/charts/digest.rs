//! Digests of objects that charts yield, which tell whether two versions of a repo give the same. What changes with every
//! version of a chart, such as labels with its name, does not count.

use std::hash::{DefaultHasher, Hash, Hasher};

use yaml::{Node, Value};

/// What an object holds, as two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ObjectDigest {
    pub content: u64,
    /// Of the fields that the API server lets nobody change.
    pub fixed: u64,
}

impl ObjectDigest {
    pub fn from_node(node: &Node) -> ObjectDigest {
        let mut content = DefaultHasher::new();
        hash(node, "", &mut content);
        let mut fixed = DefaultHasher::new();
        let kind = node.text_at(&["kind"]).unwrap_or_default();
        for path in fixed_fields(kind) {
            if let Some(field) = node.at(path) {
                path.hash(&mut fixed);
                hash(field, "", &mut fixed);
            }
        }
        ObjectDigest {
            content: content.finish(),
            fixed: fixed.finish(),
        }
    }

    /// One digest for the same object in several environments.
    pub fn and(self, other: ObjectDigest) -> ObjectDigest {
        let both = |one: u64, other: u64| one.rotate_left(1).wrapping_add(other);
        ObjectDigest {
            content: both(self.content, other.content),
            fixed: both(self.fixed, other.fixed),
        }
    }
}

/// Fields that cannot be changed once an object exists: it has to be deleted and created again.
fn fixed_fields(kind: &str) -> &'static [&'static [&'static str]] {
    match kind {
        "DaemonSet" | "Deployment" | "ReplicaSet" => &[&["spec", "selector"]],
        "StatefulSet" => &[
            &["spec", "selector"],
            &["spec", "serviceName"],
            &["spec", "podManagementPolicy"],
            &["spec", "volumeClaimTemplates"],
        ],
        "Job" => &[&["spec", "selector"], &["spec", "template"]],
        "PersistentVolumeClaim" => &[
            &["spec", "accessModes"],
            &["spec", "storageClassName"],
            &["spec", "volumeMode"],
        ],
        "ClusterRoleBinding" | "RoleBinding" => &[&["roleRef"]],
        "StorageClass" => &[
            &["provisioner"],
            &["parameters"],
            &["reclaimPolicy"],
            &["volumeBindingMode"],
        ],
        _ => &[],
    }
}

fn hash(node: &Node, key: &str, into: &mut DefaultHasher) {
    match &node.value {
        Value::Scalar(scalar) => (
            1u8,
            scalar.text.as_str(),
            scalar.style == yaml::Style::Plain,
        )
            .hash(into),
        Value::Seq(items) => {
            (2u8, items.len()).hash(into);
            items.iter().for_each(|item| hash(item, "", into));
        }
        Value::Map(map) => {
            3u8.hash(into);
            let counts = |name: &str| match key {
                "labels" => name != "helm.sh/chart" && name != "app.kubernetes.io/version",
                "annotations" => !name.starts_with("checksum/"),
                _ => true,
            };
            for entry in map.0.iter().filter(|entry| counts(&entry.key)) {
                entry.key.as_str().hash(into);
                hash(&entry.value, &entry.key, into);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::FileId;

    fn digest(text: &str) -> ObjectDigest {
        let parsed = yaml::parse(text, FileId(0)).documents.remove(0);
        ObjectDigest::from_node(&parsed.root)
    }

    #[test]
    fn labels_of_the_chart_do_not_count_and_selectors_are_fixed() {
        let object = |label: &str, selector: &str, replicas: &str| {
            digest(&format!(
                "kind: Deployment\nmetadata: {{labels: {{helm.sh/chart: {label}}}}}\n\
                 spec: {{replicas: {replicas}, selector: {{a: {selector}}}}}\n"
            ))
        };
        let before = object("web-1", "b", "1");
        assert_eq!(before, object("web-2", "b", "1"));
        let scaled = object("web-1", "b", "2");
        assert!(before.content != scaled.content && before.fixed == scaled.fixed);
        assert!(before.fixed != object("web-1", "c", "1").fixed);
    }
}
