//! Built-in fields that name other objects and follow their renaming. Data only.

use std::sync::LazyLock;

use super::Referral;
use crate::field::{Create, ObjectField};

/// Path of the pod spec in each kind.
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

/// Kinds whose pods may name service accounts, claims and priority classes.
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
    let in_pods = |pods: &[(&str, &str)], paths: &[&str]| -> Vec<ObjectField> {
        let each = pods.iter().flat_map(|(kind, pod)| {
            paths
                .iter()
                .map(move |path| ObjectField::new(kind, &format!("{pod}/{path}"), Create::Never))
        });
        each.collect()
    };
    let at = |fields: &[(&str, &str)]| -> Vec<ObjectField> {
        fields
            .iter()
            .map(|(kind, path)| {
                ObjectField::new(kind, path, Create::Never).in_group(group_of(kind), "")
            })
            .collect()
    };
    let referral =
        |group: &str, version: &str, kind: &str, fields: Vec<Vec<ObjectField>>| Referral {
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
            vec![
                ObjectField::new("Service", "spec/template/spec/containers/env/valueFrom/secretKeyRef/name", Create::Never)
                    .in_group("serving.knative.dev", "v1"),
            ],
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

/// The group that a kind with a common name must have.
fn group_of(kind: &str) -> &'static str {
    match kind {
        "RoleBinding" | "ClusterRoleBinding" => "rbac.authorization.k8s.io",
        "APIService" => "apiregistration.k8s.io",
        "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration" => {
            "admissionregistration.k8s.io"
        }
        _ => "",
    }
}
