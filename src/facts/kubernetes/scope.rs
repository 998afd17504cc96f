//! Which kinds live in no namespace. A namespace that such an object states, or that a directory or unit gives it, is
//! dropped by the API server, so that nothing may go by it.

use smol_str::{SmolStr, format_smolstr};

use crate::facts::Resource;
use yaml::Node;

/// Scope of a kind: namespaced or cluster-wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResourceScope {
    Namespace,
    Cluster,
}

/// The type that an object defines, by group and kind, and what objects of it belong to.
pub fn defined(resource: &Resource) -> Option<(&str, &str, ResourceScope)> {
    let is_definition = resource
        .id
        .is("apiextensions.k8s.io", "CustomResourceDefinition");
    let spec = resource.node.get("spec").filter(|_| is_definition)?;
    let scope = match spec.text_at(&["scope"])? {
        "Namespaced" => ResourceScope::Namespace,
        "Cluster" => ResourceScope::Cluster,
        _ => return None,
    };
    let (group, kind) = (spec.text_at(&["group"])?, spec.text_at(&["names", "kind"])?);
    Some((group, kind, scope))
}

/// The versions in which the API server serves the type that an object defines, as `GROUP/VERSION/KIND`.
pub fn served(resource: &Resource) -> Vec<SmolStr> {
    let Some((group, kind, _)) = defined(resource) else {
        return Vec::new();
    };
    let spec = resource.node.get("spec");
    let versions = spec.map(|spec| spec.items_at("versions"));
    let versions = versions.unwrap_or_default().iter();
    let served = versions.filter(|one| one.get("served").and_then(Node::as_bool) != Some(false));
    let names = served.filter_map(|version| version.text_at(&["name"]));
    names
        .map(|version| format_smolstr!("{group}/{version}/{kind}"))
        .collect()
}

/// Whether a kind is known to be cluster-scoped. A wrong entry makes references find the wrong object: be sure, or omit
/// it.
pub fn is_cluster_scoped(group: &str, kind: &str) -> bool {
    let at = KINDS.binary_search_by(|(own, _)| (*own).cmp(group));
    at.is_ok_and(|at| match KINDS[at].1 {
        ALL => true,
        kinds => kinds.contains(&kind),
    })
}

/// Every kind of a group.
const ALL: &[&str] = &["*"];

/// By group, so that a group is found quickly: every object is asked about.
#[rustfmt::skip]
const KINDS: &[(&str, &[&str])] = &[
    ("", &["ComponentStatus", "Namespace", "Node", "PersistentVolume"]),
    ("admissionregistration.k8s.io", &[
        "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "MutatingWebhookConfiguration",
        "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration",
    ]),
    ("apiextensions.crossplane.io", &[
        "CompositeResourceDefinition", "Composition", "CompositionRevision", "EnvironmentConfig",
    ]),
    ("apiextensions.k8s.io", &["CustomResourceDefinition"]),
    ("apiregistration.k8s.io", &["APIService"]),
    ("argoproj.io", &["ClusterAnalysisTemplate", "ClusterWorkflowTemplate"]),
    ("authentication.k8s.io", &["SelfSubjectReview", "TokenReview"]),
    ("authorization.k8s.io", &["SelfSubjectAccessReview", "SelfSubjectRulesReview", "SubjectAccessReview"]),
    ("aws.upbound.io", &["ProviderConfig"]),
    ("azure.upbound.io", &["ProviderConfig"]),
    ("capsule.clastix.io", &["CapsuleConfiguration", "GlobalTenantResource", "Tenant"]),
    ("cdi.kubevirt.io", &["CDI", "CDIConfig", "StorageProfile"]),
    ("cert-manager.io", &["ClusterIssuer"]),
    ("certificates.k8s.io", &["CertificateSigningRequest", "ClusterTrustBundle"]),
    ("cilium.io", &[
        "CiliumBGPAdvertisement", "CiliumBGPClusterConfig", "CiliumBGPNodeConfig",
        "CiliumBGPNodeConfigOverride", "CiliumBGPPeerConfig", "CiliumBGPPeeringPolicy", "CiliumCIDRGroup",
        "CiliumClusterwideEnvoyConfig", "CiliumClusterwideNetworkPolicy", "CiliumEgressGatewayPolicy",
        "CiliumExternalWorkload", "CiliumIdentity", "CiliumL2AnnouncementPolicy", "CiliumLoadBalancerIPPool",
        "CiliumNode", "CiliumPodIPPool", "TracingPolicy",
    ]),
    ("config.openshift.io", ALL),
    ("console.openshift.io", ALL),
    ("constraints.gatekeeper.sh", ALL),
    ("crd.k8s.amazonaws.com", &["ENIConfig"]),
    ("crd.projectcalico.org", &[
        "BGPConfiguration", "BGPFilter", "BGPPeer", "ClusterInformation", "FelixConfiguration",
        "GlobalNetworkPolicy", "GlobalNetworkSet", "HostEndpoint", "IPPool", "IPReservation",
        "KubeControllersConfiguration",
    ]),
    ("eks.amazonaws.com", &["NodeClass"]),
    ("elbv2.k8s.aws", &["IngressClassParams"]),
    ("eventing.keda.sh", &["ClusterCloudEventSource"]),
    ("extensions", &["PodSecurityPolicy"]),
    ("external-secrets.io", &["ClusterExternalSecret", "ClusterPushSecret", "ClusterSecretStore"]),
    ("flowcontrol.apiserver.k8s.io", &["FlowSchema", "PriorityLevelConfiguration"]),
    ("fluentbit.fluent.io", &[
        "ClusterFilter", "ClusterFluentBitConfig", "ClusterInput", "ClusterMultilineParser", "ClusterOutput",
        "ClusterParser",
    ]),
    ("gateway.networking.k8s.io", &["GatewayClass"]),
    ("gcp.upbound.io", &["ProviderConfig"]),
    ("generators.external-secrets.io", &["ClusterGenerator"]),
    ("groupsnapshot.storage.k8s.io", &["VolumeGroupSnapshotClass", "VolumeGroupSnapshotContent"]),
    ("helm.crossplane.io", &["ProviderConfig", "Release"]),
    ("instancetype.kubevirt.io", &["VirtualMachineClusterInstancetype", "VirtualMachineClusterPreference"]),
    ("karpenter.azure.com", &["AKSNodeClass"]),
    ("karpenter.k8s.aws", &["AWSNodeTemplate", "EC2NodeClass"]),
    ("karpenter.sh", &["NodeClaim", "NodeOverlay", "NodePool", "Provisioner"]),
    ("keda.sh", &["ClusterTriggerAuthentication"]),
    ("kro.run", &["ResourceGraphDefinition"]),
    ("kubernetes.crossplane.io", &["Object", "ProviderConfig"]),
    ("kueue.x-k8s.io", &[
        "AdmissionCheck", "ClusterQueue", "Cohort", "MultiKueueCluster", "MultiKueueConfig", "ResourceFlavor",
        "Topology", "WorkloadPriorityClass",
    ]),
    ("kyverno.io", &["ClusterCleanupPolicy", "ClusterPolicy", "GlobalContextEntry"]),
    ("machineconfiguration.openshift.io", &[
        "ContainerRuntimeConfig", "KubeletConfig", "MachineConfig", "MachineConfigPool",
    ]),
    ("mutations.gatekeeper.sh", &["Assign", "AssignImage", "AssignMetadata", "ModifySet"]),
    ("networking.k8s.io", &["ClusterCIDR", "IPAddress", "IngressClass", "ServiceCIDR"]),
    ("nfd.k8s-sigs.io", &["NodeFeatureRule"]),
    ("node.k8s.io", &["RuntimeClass"]),
    ("nvidia.com", &["ClusterPolicy", "NVIDIADriver"]),
    ("operator.tigera.io", &["APIServer", "Goldmane", "ImageSet", "Installation", "TigeraStatus", "Whisker"]),
    ("piraeus.io", &[
        "LinstorCluster", "LinstorNodeConnection", "LinstorSatellite", "LinstorSatelliteConfiguration",
    ]),
    ("pkg.crossplane.io", &[
        "Configuration", "ControllerConfig", "DeploymentRuntimeConfig", "Function", "ImageConfig", "Lock",
        "Provider",
    ]),
    ("policies.kyverno.io", &[
        "DeletingPolicy", "GeneratingPolicy", "ImageValidatingPolicy", "MutatingPolicy", "ValidatingPolicy",
    ]),
    ("policy", &["PodSecurityPolicy"]),
    ("policy.cert-manager.io", &["CertificateRequestPolicy"]),
    ("policy.networking.k8s.io", &[
        "AdminNetworkPolicy", "BaselineAdminNetworkPolicy", "ClusterNetworkPolicy",
    ]),
    ("postgresql.cnpg.io", &["ClusterImageCatalog"]),
    ("project.openshift.io", &["Project", "ProjectRequest"]),
    ("projectcalico.org", &[
        "BGPConfiguration", "BGPFilter", "BGPPeer", "ClusterInformation", "FelixConfiguration",
        "GlobalNetworkPolicy", "GlobalNetworkSet", "HostEndpoint", "IPPool", "IPReservation",
        "KubeControllersConfiguration", "Profile",
    ]),
    ("rbac.authorization.k8s.io", &["ClusterRole", "ClusterRoleBinding"]),
    ("rbacmanager.reactiveops.io", &["RBACDefinition"]),
    ("resource.k8s.io", &["DeviceClass", "DeviceTaintRule", "ResourceSlice"]),
    ("scheduling.k8s.io", &["PriorityClass"]),
    ("security.openshift.io", &["SecurityContextConstraints"]),
    ("snapshot.storage.k8s.io", &["VolumeSnapshotClass", "VolumeSnapshotContent"]),
    ("spire.spiffe.io", &["ClusterFederatedTrustDomain", "ClusterSPIFFEID", "ClusterStaticEntry"]),
    ("storage.k8s.io", &[
        "CSIDriver", "CSINode", "StorageClass", "VolumeAttachment", "VolumeAttributesClass",
    ]),
    ("storagemigration.k8s.io", &["StorageVersionMigration"]),
    ("tailscale.com", &["Connector", "DNSConfig", "ProxyClass", "ProxyGroup", "Recorder"]),
    ("tekton.dev", &["ClusterTask"]),
    ("templates.gatekeeper.sh", &["ConstraintTemplate"]),
    ("triggers.tekton.dev", &["ClusterInterceptor", "ClusterTriggerBinding"]),
    ("trust.cert-manager.io", &["Bundle", "ClusterBundle"]),
    ("user.openshift.io", &["Group", "Identity", "User"]),
];

/// Whether objects of a group are settings of a tool on somebody's machine, which no cluster serves.
pub fn is_local_tool(group: &str) -> bool {
    matches!(
        group,
        "skaffold" | "kind.x-k8s.io" | "ctlptl.dev" | "k3d.io" | "kubeadm.k8s.io"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_in_the_order_that_they_are_looked_for_in() {
        assert!(KINDS.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn kinds_of_the_whole_cluster_are_known_by_group_and_kind() {
        assert!(is_cluster_scoped(
            "external-secrets.io",
            "ClusterSecretStore"
        ));
        assert!(is_cluster_scoped(
            "constraints.gatekeeper.sh",
            "K8sRequiredLabels"
        ));
        assert!(is_cluster_scoped("", "Namespace"));
        assert!(!is_cluster_scoped("external-secrets.io", "SecretStore"));
        assert!(!is_cluster_scoped("postgresql.cnpg.io", "Cluster"));
        assert!(!is_cluster_scoped("example.com", "ClusterSecretStore"));
    }
}
