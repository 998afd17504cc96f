//! Which fields carry labels, annotations, names of other objects: the tables that kustomize
//! comes with, and what `configurations` files add to them.

use std::sync::LazyLock;

use super::field::{Create, Field, split_path};
use crate::fact::ResourceId;
use crate::yaml::Node;

/// Fields beyond the built-in ones, from `configurations` files.
#[derive(Debug, Clone, Default)]
pub struct Extra {
    pub references: Vec<Referral>,
    pub labels: Vec<Field>,
    pub annotations: Vec<Field>,
    pub namespaces: Vec<Field>,
    pub images: Vec<Field>,
    pub replicas: Vec<Field>,
}

/// Objects of one kind, and the fields that name them.
#[derive(Debug, Clone)]
pub struct Referral {
    pub group: String,
    pub version: String,
    pub kind: String,
    pub fields: Vec<Field>,
}

impl Referral {
    pub fn is_to(&self, id: &ResourceId) -> bool {
        self.kind == id.kind
            && (self.group.is_empty() || self.group == id.group)
            && (self.version.is_empty() || self.version == id.version)
    }
}

impl Extra {
    /// Adds what a `configurations` file states.
    pub fn read(&mut self, root: &Node) {
        let fields = |key: &str| root.items_at(key).iter().map(field).collect::<Vec<_>>();
        self.labels.extend(fields("commonLabels"));
        self.annotations.extend(fields("commonAnnotations"));
        self.namespaces.extend(fields("namespace"));
        self.images.extend(fields("images"));
        self.replicas.extend(fields("replicas"));
        let referrals = root.items_at("nameReference").iter().map(|node| Referral {
            group: text(node, "group"),
            version: text(node, "version"),
            kind: text(node, "kind"),
            fields: node.items_at("fieldSpecs").iter().map(field).collect(),
        });
        self.references.extend(referrals);
    }

    pub fn extend(&mut self, other: &Extra) {
        self.references.extend(other.references.iter().cloned());
        self.labels.extend(other.labels.iter().cloned());
        self.annotations.extend(other.annotations.iter().cloned());
        self.namespaces.extend(other.namespaces.iter().cloned());
        self.images.extend(other.images.iter().cloned());
        self.replicas.extend(other.replicas.iter().cloned());
    }
}

fn field(node: &Node) -> Field {
    Field {
        group: text(node, "group"),
        version: text(node, "version"),
        kind: text(node, "kind"),
        path: split_path(&text(node, "path")),
        create: match node.get("create").and_then(Node::as_bool) {
            Some(true) => Create::Missing,
            _ => Create::Never,
        },
    }
}

fn text(node: &Node, key: &str) -> String {
    node.text_at(&[key]).unwrap_or_default().to_owned()
}

/// Where each kind keeps its pod.
const PODS: &[(&str, &str)] = &[
    ("Pod", "spec"),
    ("PodTemplate", "template/spec"),
    ("Deployment", "spec/template/spec"),
    ("ReplicaSet", "spec/template/spec"),
    ("DaemonSet", "spec/template/spec"),
    ("StatefulSet", "spec/template/spec"),
    ("Job", "spec/template/spec"),
    ("CronJob", "spec/jobTemplate/spec/template/spec"),
];

/// The kinds whose pods may name accounts, claims and priorities.
const PODS_WITH_ACCOUNTS: &[(&str, &str)] = &[
    ("Pod", "spec"),
    ("StatefulSet", "spec/template/spec"),
    ("Deployment", "spec/template/spec"),
    ("ReplicationController", "spec/template/spec"),
    ("CronJob", "spec/jobTemplate/spec/template/spec"),
    ("Job", "spec/template/spec"),
    ("DaemonSet", "spec/template/spec"),
];

pub static REFERENCES: LazyLock<Vec<Referral>> = LazyLock::new(|| {
    let in_pods = |pods: &[(&str, &str)], paths: &[&str]| -> Vec<Field> {
        let each = pods.iter().flat_map(|(kind, pod)| {
            paths
                .iter()
                .map(move |path| Field::new(kind, &format!("{pod}/{path}"), Create::Never))
        });
        each.collect()
    };
    let at = |fields: &[(&str, &str)]| -> Vec<Field> {
        fields
            .iter()
            .map(|(kind, path)| Field::new(kind, path, Create::Never))
            .collect()
    };
    let referral = |group: &str, version: &str, kind: &str, fields: Vec<Vec<Field>>| Referral {
        group: group.into(),
        version: version.into(),
        kind: kind.into(),
        fields: fields.concat(),
    };
    let scaled = at(&[("HorizontalPodAutoscaler", "spec/scaleTargetRef/name")]);
    let mut table: Vec<Referral> = [
        "Deployment",
        "ReplicationController",
        "ReplicaSet",
        "StatefulSet",
    ]
    .iter()
    .map(|kind| referral("", "", kind, vec![scaled.clone()]))
    .collect();
    table.extend([
        referral("", "v1", "ConfigMap", vec![
            in_pods(PODS, &[
                "volumes/configMap/name",
                "containers/env/valueFrom/configMapKeyRef/name",
                "initContainers/env/valueFrom/configMapKeyRef/name",
                "containers/envFrom/configMapRef/name",
                "initContainers/envFrom/configMapRef/name",
                "volumes/projected/sources/configMap/name",
            ]),
            at(&[
                ("Node", "spec/configSource/configMap"),
                ("Role", "rules/resourceNames"),
                ("ClusterRole", "rules/resourceNames"),
                ("Ingress", r"metadata/annotations/nginx.ingress.kubernetes.io\/fastcgi-params-configmap"),
            ]),
        ]),
        referral("", "v1", "Secret", vec![
            in_pods(PODS, &[
                "volumes/secret/secretName",
                "containers/env/valueFrom/secretKeyRef/name",
                "initContainers/env/valueFrom/secretKeyRef/name",
                "containers/envFrom/secretRef/name",
                "initContainers/envFrom/secretRef/name",
                "imagePullSecrets/name",
                "volumes/projected/sources/secret/name",
            ]),
            at(&[
                ("Ingress", "spec/tls/secretName"),
                ("Ingress", r"metadata/annotations/ingress.kubernetes.io\/auth-secret"),
                ("Ingress", r"metadata/annotations/nginx.ingress.kubernetes.io\/auth-secret"),
                ("Ingress", r"metadata/annotations/nginx.ingress.kubernetes.io\/auth-tls-secret"),
                ("ServiceAccount", "imagePullSecrets/name"),
                ("StorageClass", "parameters/secretName"),
                ("StorageClass", "parameters/adminSecretName"),
                ("StorageClass", "parameters/userSecretName"),
                ("StorageClass", "parameters/secretRef"),
                ("Role", "rules/resourceNames"),
                ("ClusterRole", "rules/resourceNames"),
                ("PersistentVolume", "spec/azureFile/secretName"),
            ]),
        ]),
        referral("", "v1", "Service", vec![at(&[
            ("StatefulSet", "spec/serviceName"),
            ("Ingress", "spec/rules/http/paths/backend/serviceName"),
            ("Ingress", "spec/backend/serviceName"),
            ("Ingress", "spec/rules/http/paths/backend/service/name"),
            ("Ingress", "spec/defaultBackend/service/name"),
            ("APIService", "spec/service/name"),
            ("ValidatingWebhookConfiguration", "webhooks/clientConfig/service"),
            ("MutatingWebhookConfiguration", "webhooks/clientConfig/service"),
        ])]),
        referral("rbac.authorization.k8s.io", "", "Role", vec![at(&[("RoleBinding", "roleRef/name")])]),
        referral("rbac.authorization.k8s.io", "", "ClusterRole", vec![at(&[
            ("RoleBinding", "roleRef/name"),
            ("ClusterRoleBinding", "roleRef/name"),
        ])]),
        referral("", "v1", "ServiceAccount", vec![
            at(&[("RoleBinding", "subjects"), ("ClusterRoleBinding", "subjects")]),
            in_pods(PODS_WITH_ACCOUNTS, &["serviceAccountName"]),
        ]),
        referral("", "v1", "PersistentVolumeClaim", vec![in_pods(
            PODS_WITH_ACCOUNTS,
            &["volumes/persistentVolumeClaim/claimName"],
        )]),
        referral("", "v1", "PersistentVolume", vec![at(&[
            ("PersistentVolumeClaim", "spec/volumeName"),
            ("ClusterRole", "rules/resourceNames"),
        ])]),
        referral("storage.k8s.io", "v1", "StorageClass", vec![at(&[
            ("PersistentVolume", "spec/storageClassName"),
            ("PersistentVolumeClaim", "spec/storageClassName"),
            ("StatefulSet", "spec/volumeClaimTemplates/spec/storageClassName"),
        ])]),
        referral("scheduling.k8s.io", "v1", "PriorityClass", vec![in_pods(
            PODS_WITH_ACCOUNTS,
            &["priorityClassName"],
        )]),
    ]);
    table
});

/// The pod templates that carry their owner's labels and annotations.
const TEMPLATES: &[(&str, &str)] = &[
    ("ReplicationController", "spec/template"),
    ("Deployment", "spec/template"),
    ("ReplicaSet", "spec/template"),
    ("DaemonSet", "spec/template"),
    ("StatefulSet", "spec/template"),
    ("Job", "spec/template"),
    ("CronJob", "spec/jobTemplate"),
    ("CronJob", "spec/jobTemplate/spec/template"),
];

fn in_templates(field: &str) -> Vec<Field> {
    TEMPLATES
        .iter()
        .map(|(kind, template)| {
            Field::new(
                kind,
                &format!("{template}/metadata/{field}"),
                Create::Missing,
            )
        })
        .collect()
}

pub static TEMPLATE_LABELS: LazyLock<Vec<Field>> = LazyLock::new(|| in_templates("labels"));
pub static TEMPLATE_ANNOTATIONS: LazyLock<Vec<Field>> =
    LazyLock::new(|| in_templates("annotations"));

/// Fields by which objects select pods.
pub static SELECTORS: LazyLock<Vec<Field>> = LazyLock::new(|| {
    const MADE: &[(&str, &str)] = &[
        ("Service", "spec/selector"),
        ("ReplicationController", "spec/selector"),
        ("Deployment", "spec/selector/matchLabels"),
        ("ReplicaSet", "spec/selector/matchLabels"),
        ("DaemonSet", "spec/selector/matchLabels"),
        ("StatefulSet", "spec/selector/matchLabels"),
        ("StatefulSet", "spec/volumeClaimTemplates/metadata/labels"),
    ];
    const CHANGED: &[(&str, &str)] = &[
        ("Job", "spec/selector/matchLabels"),
        ("CronJob", "spec/jobTemplate/spec/selector/matchLabels"),
        ("PodDisruptionBudget", "spec/selector/matchLabels"),
        ("NetworkPolicy", "spec/podSelector/matchLabels"),
        ("NetworkPolicy", "spec/ingress/from/podSelector/matchLabels"),
        ("NetworkPolicy", "spec/egress/to/podSelector/matchLabels"),
    ];
    let affinity = ["podAffinity", "podAntiAffinity"].iter().flat_map(|affinity| {
        [
            format!("affinity/{affinity}/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels"),
            format!("affinity/{affinity}/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels"),
        ]
    });
    let in_pods: Vec<String> = affinity
        .chain(["topologySpreadConstraints/labelSelector/matchLabels".to_owned()])
        .collect();
    let with = |fields: &[(&str, &str)], create| -> Vec<Field> {
        fields
            .iter()
            .map(|(kind, path)| Field::new(kind, path, create))
            .collect()
    };
    let mut fields = with(MADE, Create::Missing);
    fields.extend(with(CHANGED, Create::Never));
    for kind in ["Deployment", "StatefulSet"] {
        let paths = in_pods
            .iter()
            .map(|path| format!("spec/template/spec/{path}"));
        fields.extend(paths.map(|path| Field::new(kind, &path, Create::Never)));
    }
    for field in &mut fields {
        field.group = match field.kind.as_str() {
            "StatefulSet" => "apps",
            "Job" | "CronJob" => "batch",
            "PodDisruptionBudget" => "policy",
            "NetworkPolicy" => "networking.k8s.io",
            "Deployment" if field.create == Create::Never => "apps",
            _ => "",
        }
        .into();
        if matches!(field.kind.as_str(), "Service" | "ReplicationController") {
            field.version = "v1".into();
        }
    }
    fields
});

/// Fields, other than `metadata.namespace`, that hold the namespace that is being set.
pub static NAMESPACES: LazyLock<Vec<Field>> = LazyLock::new(|| {
    vec![
        Field::new("Namespace", "metadata/name", Create::Missing),
        Field::new(
            "ValidatingWebhookConfiguration",
            "webhooks/clientConfig/service/namespace",
            Create::Never,
        ),
        Field::new(
            "MutatingWebhookConfiguration",
            "webhooks/clientConfig/service/namespace",
            Create::Never,
        ),
        Field::new("APIService", "spec/service/namespace", Create::Missing),
        Field::new(
            "CustomResourceDefinition",
            "spec/conversion/webhook/clientConfig/service/namespace",
            Create::Never,
        ),
    ]
});
