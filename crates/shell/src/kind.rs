//! The words by which command lines call kinds: plurals, singulars and short names.

use base::text::plural;

/// A kind that every cluster has: plural, short names, kind.
const BUILT_IN: &[(&str, &[&str], &str)] = &[
    ("apiservices", &[], "APIService"),
    ("bindings", &[], "Binding"),
    (
        "certificatesigningrequests",
        &["csr"],
        "CertificateSigningRequest",
    ),
    ("clusterrolebindings", &[], "ClusterRoleBinding"),
    ("clusterroles", &[], "ClusterRole"),
    ("clustertrustbundles", &[], "ClusterTrustBundle"),
    ("componentstatuses", &["cs"], "ComponentStatus"),
    ("configmaps", &["cm"], "ConfigMap"),
    ("controllerrevisions", &[], "ControllerRevision"),
    ("cronjobs", &["cj"], "CronJob"),
    ("csidrivers", &[], "CSIDriver"),
    ("csinodes", &[], "CSINode"),
    ("csistoragecapacities", &[], "CSIStorageCapacity"),
    (
        "customresourcedefinitions",
        &["crd", "crds"],
        "CustomResourceDefinition",
    ),
    ("daemonsets", &["ds"], "DaemonSet"),
    ("deployments", &["deploy"], "Deployment"),
    ("deviceclasses", &[], "DeviceClass"),
    ("endpoints", &["ep"], "Endpoints"),
    ("endpointslices", &[], "EndpointSlice"),
    ("events", &["ev"], "Event"),
    ("flowschemas", &[], "FlowSchema"),
    (
        "horizontalpodautoscalers",
        &["hpa"],
        "HorizontalPodAutoscaler",
    ),
    ("ingressclasses", &[], "IngressClass"),
    ("ingresses", &["ing"], "Ingress"),
    ("ipaddresses", &["ip"], "IPAddress"),
    ("jobs", &[], "Job"),
    ("leases", &[], "Lease"),
    ("limitranges", &["limits"], "LimitRange"),
    ("mutatingadmissionpolicies", &[], "MutatingAdmissionPolicy"),
    (
        "mutatingadmissionpolicybindings",
        &[],
        "MutatingAdmissionPolicyBinding",
    ),
    (
        "mutatingwebhookconfigurations",
        &[],
        "MutatingWebhookConfiguration",
    ),
    ("namespaces", &["ns"], "Namespace"),
    ("networkpolicies", &["netpol"], "NetworkPolicy"),
    ("nodes", &["no"], "Node"),
    ("persistentvolumeclaims", &["pvc"], "PersistentVolumeClaim"),
    ("persistentvolumes", &["pv"], "PersistentVolume"),
    ("poddisruptionbudgets", &["pdb"], "PodDisruptionBudget"),
    ("pods", &["po"], "Pod"),
    ("podtemplates", &[], "PodTemplate"),
    ("priorityclasses", &["pc"], "PriorityClass"),
    (
        "prioritylevelconfigurations",
        &[],
        "PriorityLevelConfiguration",
    ),
    ("replicasets", &["rs"], "ReplicaSet"),
    ("replicationcontrollers", &["rc"], "ReplicationController"),
    ("resourceclaims", &[], "ResourceClaim"),
    ("resourceclaimtemplates", &[], "ResourceClaimTemplate"),
    ("resourcequotas", &["quota"], "ResourceQuota"),
    ("resourceslices", &[], "ResourceSlice"),
    ("rolebindings", &[], "RoleBinding"),
    ("roles", &[], "Role"),
    ("runtimeclasses", &[], "RuntimeClass"),
    ("secrets", &[], "Secret"),
    ("serviceaccounts", &["sa"], "ServiceAccount"),
    ("servicecidrs", &[], "ServiceCIDR"),
    ("services", &["svc"], "Service"),
    ("statefulsets", &["sts"], "StatefulSet"),
    ("storageclasses", &["sc"], "StorageClass"),
    (
        "validatingadmissionpolicies",
        &[],
        "ValidatingAdmissionPolicy",
    ),
    (
        "validatingadmissionpolicybindings",
        &[],
        "ValidatingAdmissionPolicyBinding",
    ),
    (
        "validatingwebhookconfigurations",
        &[],
        "ValidatingWebhookConfiguration",
    ),
    ("volumeattachments", &[], "VolumeAttachment"),
    ("volumeattributesclasses", &["vac"], "VolumeAttributesClass"),
];

/// Short names of extensions that most people know.
const SHORT: &[(&str, &str)] = &[
    ("hr", "HelmRelease"),
    ("ks", "Kustomization"),
    ("gitrepo", "GitRepository"),
    ("helmrepo", "HelmRepository"),
    ("ocirepo", "OCIRepository"),
    ("hc", "HelmChart"),
    ("es", "ExternalSecret"),
    ("ps", "PushSecret"),
    ("ss", "SecretStore"),
    ("css", "ClusterSecretStore"),
    ("ces", "ClusterExternalSecret"),
    ("cert", "Certificate"),
    ("certs", "Certificate"),
    ("cr", "CertificateRequest"),
    ("app", "Application"),
    ("apps", "Application"),
    ("appproj", "AppProject"),
    ("appset", "ApplicationSet"),
    ("gtw", "Gateway"),
    ("gc", "GatewayClass"),
    ("smon", "ServiceMonitor"),
    ("pmon", "PodMonitor"),
    ("promrule", "PrometheusRule"),
    ("prom", "Prometheus"),
    ("am", "Alertmanager"),
    ("vs", "VirtualService"),
    ("dr", "DestinationRule"),
    ("vpa", "VerticalPodAutoscaler"),
    ("so", "ScaledObject"),
    ("cpol", "ClusterPolicy"),
    ("pol", "Policy"),
];

/// Extensions that most people know, so that a word of one is never taken for a mistake in the word of another.
const KNOWN: &[&str] = &[
    "Alert",
    "AlertmanagerConfig",
    "AppProject",
    "Application",
    "ApplicationSet",
    "Backup",
    "Bucket",
    "Certificate",
    "CertificateRequest",
    "Challenge",
    "CiliumNetworkPolicy",
    "Cluster",
    "ClusterExternalSecret",
    "ClusterIssuer",
    "ClusterPolicy",
    "ClusterPushSecret",
    "ClusterSecretStore",
    "Database",
    "ExternalArtifact",
    "ExternalSecret",
    "FluxInstance",
    "FluxReport",
    "GRPCRoute",
    "Gateway",
    "GatewayClass",
    "GitRepository",
    "HTTPRoute",
    "HelmChart",
    "HelmRelease",
    "HelmRepository",
    "IPAddressPool",
    "ImagePolicy",
    "ImageRepository",
    "ImageUpdateAutomation",
    "IngressRoute",
    "Issuer",
    "Kustomization",
    "L2Advertisement",
    "Middleware",
    "OCIRepository",
    "ObjectStore",
    "Order",
    "PodMonitor",
    "Policy",
    "Pooler",
    "Prometheus",
    "PrometheusRule",
    "Provider",
    "PushSecret",
    "Receiver",
    "ReplicationDestination",
    "ReplicationSource",
    "ResourceSet",
    "Restore",
    "Schedule",
    "ScheduledBackup",
    "SealedSecret",
    "SecretStore",
    "ServiceMonitor",
    "TCPRoute",
    "TLSRoute",
    "VolumeSnapshot",
    "VolumeSnapshotClass",
    "VolumeSnapshotContent",
    "Workflow",
    "WorkflowTemplate",
    "CronWorkflow",
    "Rollout",
    "ScaledObject",
    "ScaledJob",
    "VerticalPodAutoscaler",
    "ReferenceGrant",
    "BackendTLSPolicy",
    "NodeMetrics",
    "PodMetrics",
    "Volume",
    "Engine",
    "Replica",
    "ArtifactGenerator",
];

/// The meaning of a resource word on a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meant {
    Kind(String),
    /// `all`, or several kinds at once.
    Several,
    Unknown,
}

/// The kind that a word calls; `others` are kinds that the manifests have.
pub fn meant<'a>(word: &str, others: impl Iterator<Item = &'a str>) -> Meant {
    let word = word.to_ascii_lowercase();
    if word == "all" || word.contains(',') {
        return Meant::Several;
    }
    // `helmreleases.helm.toolkit.fluxcd.io`, `deployments.v1.apps`
    let word = word.split('.').next().unwrap_or_default();
    let built_in = BUILT_IN.iter().find(|(plural, short, kind)| {
        *plural == word || short.contains(&word) || kind.to_ascii_lowercase() == word
    });
    if let Some((_, _, kind)) = built_in {
        return Meant::Kind((*kind).to_owned());
    }
    if let Some((_, kind)) = SHORT.iter().find(|(short, _)| *short == word) {
        return Meant::Kind((*kind).to_owned());
    }
    let mut all = KNOWN.iter().copied().chain(others);
    let found = all.find(|kind| is_called(kind, word));
    found.map_or(Meant::Unknown, |kind| Meant::Kind(kind.to_owned()))
}

/// All known words, as candidates for a spelling suggestion.
pub fn words<'a>(others: impl Iterator<Item = &'a str>) -> Vec<String> {
    let kinds = BUILT_IN.iter().map(|(_, _, kind)| *kind);
    let kinds = kinds.chain(KNOWN.iter().copied()).chain(others);
    let singular = kinds.map(str::to_ascii_lowercase);
    let mut words: Vec<String> = singular.flat_map(|word| [plural(&word), word]).collect();
    words.sort();
    words.dedup();
    words
}

pub fn is_called(kind: &str, word: &str) -> bool {
    let singular = kind.to_ascii_lowercase();
    singular == word || plural(&singular) == word || format!("{singular}s") == word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_go_by_many_words() {
        let kind = |word| meant(word, ["Middleware", "Widget"].into_iter());
        for word in [
            "deploy",
            "Deployment",
            "deployments",
            "deployments.apps",
            "deployments.v1.apps",
        ] {
            assert_eq!(kind(word), Meant::Kind("Deployment".to_owned()), "{word}");
        }
        assert_eq!(
            kind("gitrepositories"),
            Meant::Kind("GitRepository".to_owned())
        );
        assert_eq!(kind("gateways"), Meant::Kind("Gateway".to_owned()));
        assert_eq!(kind("widgets"), Meant::Kind("Widget".to_owned()));
        assert_eq!(kind("pods,svc"), Meant::Several);
        assert_eq!(kind("gizmos"), Meant::Unknown);
    }
}
