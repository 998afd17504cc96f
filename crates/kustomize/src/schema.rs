//! kustomize's knowledge of built-in kinds: which are cluster-scoped, and which lists merge by key. It knows Kubernetes
//! 1.21; newer and custom kinds are namespaced and have no such lists. Data, and lookups in it.

use std::sync::LazyLock;

use crate::{ResourceId, split_api_version};
use base::hash::HashMap;
use yaml::Node;

/// The fields of a type that matter for merging.
#[derive(Debug)]
pub struct Schema {
    fields: &'static [(&'static str, Type)],
}

#[derive(Debug, Clone, Copy)]
pub enum Type {
    Map(&'static Schema),
    List(Merge, &'static Schema),
}

/// How a list merges with that of a patch. Unknown lists are replaced.
#[derive(Debug, Clone, Copy)]
pub enum Merge {
    /// Elements with equal values under these keys are merged.
    Keys(&'static [&'static str]),
    /// A set of strings: duplicates are dropped.
    Set,
}

impl Schema {
    pub fn field(&self, key: &str) -> Option<Type> {
        let mut fields = self.fields.iter();
        fields.find_map(|(name, kind)| (*name == key).then_some(*kind))
    }

    /// The schema of an object that states its kind.
    pub fn for_object(node: &Node) -> Option<&'static Schema> {
        Schema::of_kind(node.text_at(&["apiVersion"])?, node.text_at(&["kind"])?)
    }

    pub fn of_kind(api_version: &str, kind: &str) -> Option<&'static Schema> {
        let (group, version) = split_api_version(api_version);
        known(group, version, kind).map(|known| known.schema)
    }
}

/// Whether a kind is cluster-scoped. Unknown kinds are namespaced.
pub fn is_cluster_scoped(id: &ResourceId) -> bool {
    known(&id.group, &id.version, &id.kind).is_some_and(|known| known.scope == KindScope::Cluster)
}

struct KnownKind {
    group: &'static str,
    versions: &'static [&'static str],
    kind: &'static str,
    scope: KindScope,
    schema: &'static Schema,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum KindScope {
    Namespace,
    Cluster,
}

fn known(group: &str, version: &str, kind: &str) -> Option<&'static KnownKind> {
    static BY_KIND: LazyLock<HashMap<&str, Vec<&KnownKind>>> = LazyLock::new(|| {
        let mut by_kind: HashMap<&str, Vec<&KnownKind>> = HashMap::default();
        for known in KNOWN {
            by_kind.entry(known.kind).or_default().push(known);
        }
        by_kind
    });
    let mut candidates = BY_KIND.get(kind)?.iter().copied();
    candidates.find(|known| known.group == group && known.versions.contains(&version))
}

const fn row(
    group: &'static str,
    versions: &'static [&'static str],
    kind: &'static str,
    scope: KindScope,
    schema: &'static Schema,
) -> KnownKind {
    KnownKind {
        group,
        versions,
        kind,
        scope,
        schema,
    }
}

#[rustfmt::skip]
const KNOWN: &[KnownKind] = {
    use KindScope::{Cluster, Namespace};
    const V1: &[&str] = &["v1"];
    const BETA: &[&str] = &["v1beta1"];
    const BOTH: &[&str] = &["v1", "v1beta1"];
    const RBAC: &str = "rbac.authorization.k8s.io";
    &[
        row("", V1, "ComponentStatus", Cluster, &OBJECT),
        row("", V1, "ConfigMap", Namespace, &OBJECT),
        row("", V1, "Endpoints", Namespace, &OBJECT),
        row("", V1, "Event", Namespace, &OBJECT),
        row("", V1, "LimitRange", Namespace, &OBJECT),
        row("", V1, "Namespace", Cluster, &OBJECT),
        row("", V1, "Node", Cluster, &OBJECT),
        row("", V1, "PersistentVolume", Cluster, &OBJECT),
        row("", V1, "PersistentVolumeClaim", Namespace, &OBJECT),
        row("", V1, "Pod", Namespace, &POD),
        row("", V1, "PodTemplate", Namespace, &POD_TEMPLATE),
        row("", V1, "ReplicationController", Namespace, &WORKLOAD),
        row("", V1, "ResourceQuota", Namespace, &OBJECT),
        row("", V1, "Secret", Namespace, &OBJECT),
        row("", V1, "Service", Namespace, &SERVICE),
        row("", V1, "ServiceAccount", Namespace, &SERVICE_ACCOUNT),
        row("admissionregistration.k8s.io", BOTH, "MutatingWebhookConfiguration", Cluster, &WEBHOOKS),
        row("admissionregistration.k8s.io", BOTH, "ValidatingWebhookConfiguration", Cluster, &WEBHOOKS),
        row("apiextensions.k8s.io", BOTH, "CustomResourceDefinition", Cluster, &OBJECT),
        row("apiregistration.k8s.io", BOTH, "APIService", Cluster, &OBJECT),
        row("apps", V1, "ControllerRevision", Namespace, &OBJECT),
        row("apps", V1, "DaemonSet", Namespace, &WORKLOAD),
        row("apps", V1, "Deployment", Namespace, &WORKLOAD),
        row("apps", V1, "ReplicaSet", Namespace, &WORKLOAD),
        row("apps", V1, "StatefulSet", Namespace, &WORKLOAD),
        row("autoscaling", &["v1", "v2beta1", "v2beta2"], "HorizontalPodAutoscaler", Namespace, &OBJECT),
        row("batch", BOTH, "CronJob", Namespace, &CRON_JOB),
        row("batch", V1, "Job", Namespace, &WORKLOAD),
        row("certificates.k8s.io", BOTH, "CertificateSigningRequest", Cluster, &OBJECT),
        row("coordination.k8s.io", BOTH, "Lease", Namespace, &OBJECT),
        row("discovery.k8s.io", BOTH, "EndpointSlice", Namespace, &OBJECT),
        row("events.k8s.io", BOTH, "Event", Namespace, &OBJECT),
        row("extensions", BETA, "Ingress", Namespace, &OBJECT),
        row("flowcontrol.apiserver.k8s.io", BETA, "FlowSchema", Cluster, &OBJECT),
        row("flowcontrol.apiserver.k8s.io", BETA, "PriorityLevelConfiguration", Cluster, &OBJECT),
        row("networking.k8s.io", BOTH, "Ingress", Namespace, &OBJECT),
        row("networking.k8s.io", BOTH, "IngressClass", Cluster, &OBJECT),
        row("networking.k8s.io", V1, "NetworkPolicy", Namespace, &OBJECT),
        row("node.k8s.io", BOTH, "RuntimeClass", Cluster, &OBJECT),
        row("policy", BOTH, "PodDisruptionBudget", Namespace, &OBJECT),
        row("policy", BETA, "PodSecurityPolicy", Cluster, &OBJECT),
        row(RBAC, BOTH, "ClusterRole", Cluster, &OBJECT),
        row(RBAC, BOTH, "ClusterRoleBinding", Cluster, &OBJECT),
        row(RBAC, BOTH, "Role", Namespace, &OBJECT),
        row(RBAC, BOTH, "RoleBinding", Namespace, &OBJECT),
        row("scheduling.k8s.io", BOTH, "PriorityClass", Cluster, &OBJECT),
        row("storage.k8s.io", BOTH, "CSIDriver", Cluster, &OBJECT),
        row("storage.k8s.io", BOTH, "CSINode", Cluster, &OBJECT),
        row("storage.k8s.io", BETA, "CSIStorageCapacity", Namespace, &OBJECT),
        row("storage.k8s.io", BOTH, "StorageClass", Cluster, &OBJECT),
        row("storage.k8s.io", BOTH, "VolumeAttachment", Cluster, &OBJECT),
    ]
};

const fn by(keys: &'static [&'static str], schema: &'static Schema) -> Type {
    Type::List(Merge::Keys(keys), schema)
}

static NOTHING: Schema = Schema { fields: &[] };
static META: Schema = Schema {
    fields: &[
        ("finalizers", Type::List(Merge::Set, &NOTHING)),
        ("ownerReferences", by(&["uid"], &NOTHING)),
    ],
};
static STATUS: Schema = Schema {
    fields: &[("conditions", by(&["type"], &NOTHING))],
};
static OBJECT: Schema = Schema {
    fields: &[("metadata", Type::Map(&META))],
};
static CONTAINER: Schema = Schema {
    fields: &[
        ("env", by(&["name"], &NOTHING)),
        ("ports", by(&["containerPort", "protocol"], &NOTHING)),
        ("volumeMounts", by(&["mountPath"], &NOTHING)),
        ("volumeDevices", by(&["devicePath"], &NOTHING)),
    ],
};
static EPHEMERAL_CONTAINER: Schema = Schema {
    fields: &[
        ("env", by(&["name"], &NOTHING)),
        ("volumeMounts", by(&["mountPath"], &NOTHING)),
        ("volumeDevices", by(&["devicePath"], &NOTHING)),
    ],
};
static POD_SPEC: Schema = Schema {
    fields: &[
        ("containers", by(&["name"], &CONTAINER)),
        ("initContainers", by(&["name"], &CONTAINER)),
        ("ephemeralContainers", by(&["name"], &EPHEMERAL_CONTAINER)),
        ("volumes", by(&["name"], &NOTHING)),
        ("imagePullSecrets", by(&["name"], &NOTHING)),
        ("hostAliases", by(&["ip"], &NOTHING)),
        (
            "topologySpreadConstraints",
            by(&["topologyKey", "whenUnsatisfiable"], &NOTHING),
        ),
    ],
};
static POD: Schema = Schema {
    fields: &[
        ("metadata", Type::Map(&META)),
        ("spec", Type::Map(&POD_SPEC)),
        ("status", Type::Map(&STATUS)),
    ],
};
static POD_TEMPLATE: Schema = Schema {
    fields: &[
        ("metadata", Type::Map(&META)),
        ("template", Type::Map(&POD)),
    ],
};
static TEMPLATED: Schema = Schema {
    fields: &[("template", Type::Map(&POD))],
};
static WORKLOAD: Schema = Schema {
    fields: &[
        ("metadata", Type::Map(&META)),
        ("spec", Type::Map(&TEMPLATED)),
        ("status", Type::Map(&STATUS)),
    ],
};
static CRON_JOB_SPEC: Schema = Schema {
    fields: &[("jobTemplate", Type::Map(&WORKLOAD))],
};
static CRON_JOB: Schema = Schema {
    fields: &[
        ("metadata", Type::Map(&META)),
        ("spec", Type::Map(&CRON_JOB_SPEC)),
    ],
};
static SERVICE_SPEC: Schema = Schema {
    fields: &[("ports", by(&["port", "protocol"], &NOTHING))],
};
static SERVICE: Schema = Schema {
    fields: &[
        ("metadata", Type::Map(&META)),
        ("spec", Type::Map(&SERVICE_SPEC)),
        ("status", Type::Map(&STATUS)),
    ],
};
static SERVICE_ACCOUNT: Schema = Schema {
    fields: &[
        ("metadata", Type::Map(&META)),
        ("secrets", by(&["name"], &NOTHING)),
    ],
};
static WEBHOOKS: Schema = Schema {
    fields: &[
        ("metadata", Type::Map(&META)),
        ("webhooks", by(&["name"], &NOTHING)),
    ],
};
