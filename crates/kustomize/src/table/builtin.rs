//! Built-in fields for labels, annotations, namespaces, images, replicas and variables. Data only.

use std::sync::LazyLock;

use crate::field::{Create, ObjectField};

pub static NAMES: LazyLock<Vec<ObjectField>> =
    LazyLock::new(|| vec![ObjectField::new("", "metadata/name", Create::Missing)]);

/// Fields that contain the namespace.
pub static NAMESPACES: LazyLock<Vec<ObjectField>> = LazyLock::new(|| {
    vec![
        ObjectField::new("", "metadata/namespace", Create::Missing),
        ObjectField::new("Namespace", "metadata/name", Create::Missing),
        ObjectField::new("APIService", "spec/service/namespace", Create::Missing)
            .in_group("apiregistration.k8s.io", ""),
        ObjectField::new(
            "CustomResourceDefinition",
            "spec/conversion/webhook/clientConfig/service/namespace",
            Create::Never,
        )
        .in_group("apiextensions.k8s.io", ""),
    ]
});

pub static METADATA_LABELS: LazyLock<Vec<ObjectField>> =
    LazyLock::new(|| vec![ObjectField::new("", "metadata/labels", Create::Missing)]);

/// Pod templates that get their owner's labels and annotations.
const TEMPLATES: &[(&str, &str, &str)] = &[
    ("", "ReplicationController", "spec/template"),
    ("", "Deployment", "spec/template"),
    ("", "ReplicaSet", "spec/template"),
    ("", "DaemonSet", "spec/template"),
    ("apps", "StatefulSet", "spec/template"),
    ("batch", "Job", "spec/template"),
    ("batch", "CronJob", "spec/jobTemplate"),
    ("batch", "CronJob", "spec/jobTemplate/spec/template"),
];

fn in_templates(field: &str) -> Vec<ObjectField> {
    TEMPLATES
        .iter()
        .map(|(group, kind, template)| {
            let path = format!("{template}/metadata/{field}");
            let version = match *kind {
                "ReplicationController" => "v1",
                _ => "",
            };
            ObjectField::new(kind, &path, Create::Missing).in_group(group, version)
        })
        .collect()
}

fn claim_templates() -> ObjectField {
    ObjectField::new(
        "StatefulSet",
        "spec/volumeClaimTemplates[]/metadata/labels",
        Create::Missing,
    )
    .in_group("apps", "")
}

/// Fields for labels that reach templates but not selectors.
pub static TEMPLATE_LABELS: LazyLock<Vec<ObjectField>> = LazyLock::new(|| {
    let mut fields = in_templates("labels");
    fields.push(claim_templates());
    fields
});

pub static ANNOTATIONS: LazyLock<Vec<ObjectField>> = LazyLock::new(|| {
    let mut fields = vec![ObjectField::new(
        "",
        "metadata/annotations",
        Create::Missing,
    )];
    fields.extend(in_templates("annotations"));
    fields
});

/// Fields for labels that reach everything, including selectors.
pub static LABELS: LazyLock<Vec<ObjectField>> = LazyLock::new(|| {
    const MADE: &[(&str, &str, &str, &str)] = &[
        ("", "v1", "Service", "spec/selector"),
        ("", "v1", "ReplicationController", "spec/selector"),
        ("", "", "Deployment", "spec/selector/matchLabels"),
        ("", "", "ReplicaSet", "spec/selector/matchLabels"),
        ("", "", "DaemonSet", "spec/selector/matchLabels"),
        ("apps", "", "StatefulSet", "spec/selector/matchLabels"),
    ];
    const CHANGED: &[(&str, &str, &str)] = &[
        ("batch", "Job", "spec/selector/matchLabels"),
        (
            "batch",
            "CronJob",
            "spec/jobTemplate/spec/selector/matchLabels",
        ),
        ("policy", "PodDisruptionBudget", "spec/selector/matchLabels"),
        (
            "networking.k8s.io",
            "NetworkPolicy",
            "spec/podSelector/matchLabels",
        ),
        (
            "networking.k8s.io",
            "NetworkPolicy",
            "spec/ingress/from/podSelector/matchLabels",
        ),
        (
            "networking.k8s.io",
            "NetworkPolicy",
            "spec/egress/to/podSelector/matchLabels",
        ),
    ];
    const IN_PODS: &[&str] = &[
        "affinity/podAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels",
        "affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels",
        "affinity/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels",
        "affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels",
        "topologySpreadConstraints/labelSelector/matchLabels",
    ];
    let mut fields = METADATA_LABELS.clone();
    fields.extend(TEMPLATE_LABELS.iter().cloned());
    fields.extend(MADE.iter().map(|(group, version, kind, path)| {
        ObjectField::new(kind, path, Create::Missing).in_group(group, version)
    }));
    fields.extend(CHANGED.iter().map(|(group, kind, path)| {
        ObjectField::new(kind, path, Create::Never).in_group(group, "")
    }));
    for kind in ["Deployment", "StatefulSet"] {
        fields.extend(IN_PODS.iter().map(|path| {
            ObjectField::new(kind, &format!("spec/template/spec/{path}"), Create::Never)
                .in_group("apps", "")
        }));
    }
    fields
});

/// Containers of pods and templates. Lists of containers elsewhere are found by name.
pub static IMAGES: LazyLock<Vec<ObjectField>> = LazyLock::new(|| {
    let mut fields = Vec::new();
    for pod in ["spec", "spec/template/spec"] {
        for list in ["containers", "initContainers"] {
            fields.push(ObjectField::new(
                "",
                &format!("{pod}/{list}[]/image"),
                Create::Never,
            ));
        }
    }
    fields
});

pub static REPLICAS: LazyLock<Vec<ObjectField>> = LazyLock::new(|| {
    [
        "Deployment",
        "ReplicationController",
        "ReplicaSet",
        "StatefulSet",
    ]
    .iter()
    .map(|kind| ObjectField::new(kind, "spec/replicas", Create::Missing))
    .collect()
});

/// Fields in which `$(NAME)` is replaced by a variable.
pub static VARIABLES: LazyLock<Vec<ObjectField>> = LazyLock::new(|| {
    const PODS: &[(&str, &str)] = &[
        ("CronJob", "spec/jobTemplate/spec/template/spec"),
        ("DaemonSet", "spec/template/spec"),
        ("Deployment", "spec/template/spec"),
        ("Job", "spec/template/spec"),
        ("Pod", "spec"),
        ("ReplicaSet", "spec/template/spec"),
        ("StatefulSet", "spec/template/spec"),
    ];
    const IN_CONTAINERS: &[&str] = &["args", "command", "env/value", "volumeMounts/mountPath"];
    const OTHERS: &[(&str, &str)] = &[
        (
            "CronJob",
            "spec/jobTemplate/spec/template/volumes/nfs/server",
        ),
        ("DaemonSet", "spec/template/spec/volumes/nfs/server"),
        ("Deployment", "spec/template/spec/volumes/nfs/server"),
        ("Deployment", "spec/template/metadata/annotations"),
        ("Ingress", "spec/rules/host"),
        ("Ingress", "spec/tls/hosts"),
        ("Ingress", "spec/tls/secretName"),
        ("Job", "spec/template/spec/volumes/nfs/server"),
        ("Pod", "spec/volumes/nfs/server"),
        ("ReplicaSet", "spec/template/spec/volumes/nfs/server"),
        ("Service", "spec/ports/port"),
        ("Service", "spec/ports/targetPort"),
        ("StatefulSet", "spec/volumeClaimTemplates/spec/nfs/server"),
        ("PersistentVolume", "spec/nfs/server"),
        ("", "metadata/labels"),
        ("", "metadata/annotations"),
    ];
    let mut fields = Vec::new();
    for (kind, pod) in PODS {
        for list in ["containers", "initContainers"] {
            fields.extend(IN_CONTAINERS.iter().map(|field| {
                ObjectField::new(kind, &format!("{pod}/{list}/{field}"), Create::Never)
            }));
        }
    }
    fields.extend(
        OTHERS
            .iter()
            .map(|(kind, path)| ObjectField::new(kind, path, Create::Never)),
    );
    fields
});
