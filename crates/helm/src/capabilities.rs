//! `.Capabilities`: what Helm assumes of a cluster that it does not ask.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use crate::engine::Val;
use crate::engine::value::{Entries, MapKind};
use crate::functions::version::meets;
use crate::package::Metadata;
use crate::render::{ChartFault, FaultKind};
use crate::scope::versions;
use crate::values::coalesce::Flavour;

/// The cluster as a chart sees it.
#[derive(Debug, Clone)]
pub struct Capabilities {
    /// With a leading `v`.
    pub kube_version: SmolStr,
    /// Group versions, and kinds in them.
    pub api_versions: Vec<SmolStr>,
    pub helm_version: SmolStr,
}

/// Maximum number and length of API versions that are noted.
const MAX_ASKED: usize = 200;
const MAX_LENGTH: usize = 300;

/// The API versions of the cluster that templates asked for. What a chart yields may depend on them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AskedVersions {
    /// Those that `.Capabilities.APIVersions.Has` did not find, as written: `monitoring.coreos.com/v1/ServiceMonitor`.
    pub missing: BTreeSet<SmolStr>,
    /// Whether a template read the list in another way, such as with `range`.
    pub reads_list: bool,
}

impl AskedVersions {
    pub(crate) fn add(&mut self, version: &str) {
        if self.missing.len() < MAX_ASKED && version.len() <= MAX_LENGTH {
            self.missing.insert(version.into());
        }
    }
}

/// The API versions that Helm 3.17 assumes without a cluster.
const API_VERSIONS: &[&str] = &[
    "v1",
    "admissionregistration.k8s.io/v1",
    "admissionregistration.k8s.io/v1alpha1",
    "admissionregistration.k8s.io/v1beta1",
    "internal.apiserver.k8s.io/v1alpha1",
    "apps/v1",
    "apps/v1beta1",
    "apps/v1beta2",
    "authentication.k8s.io/v1",
    "authentication.k8s.io/v1alpha1",
    "authentication.k8s.io/v1beta1",
    "authorization.k8s.io/v1",
    "authorization.k8s.io/v1beta1",
    "autoscaling/v1",
    "autoscaling/v2",
    "autoscaling/v2beta1",
    "autoscaling/v2beta2",
    "batch/v1",
    "batch/v1beta1",
    "certificates.k8s.io/v1",
    "certificates.k8s.io/v1beta1",
    "certificates.k8s.io/v1alpha1",
    "coordination.k8s.io/v1alpha2",
    "coordination.k8s.io/v1beta1",
    "coordination.k8s.io/v1",
    "discovery.k8s.io/v1",
    "discovery.k8s.io/v1beta1",
    "events.k8s.io/v1",
    "events.k8s.io/v1beta1",
    "extensions/v1beta1",
    "flowcontrol.apiserver.k8s.io/v1",
    "flowcontrol.apiserver.k8s.io/v1beta1",
    "flowcontrol.apiserver.k8s.io/v1beta2",
    "flowcontrol.apiserver.k8s.io/v1beta3",
    "networking.k8s.io/v1",
    "networking.k8s.io/v1alpha1",
    "networking.k8s.io/v1beta1",
    "node.k8s.io/v1",
    "node.k8s.io/v1alpha1",
    "node.k8s.io/v1beta1",
    "policy/v1",
    "policy/v1beta1",
    "rbac.authorization.k8s.io/v1",
    "rbac.authorization.k8s.io/v1beta1",
    "rbac.authorization.k8s.io/v1alpha1",
    "resource.k8s.io/v1beta1",
    "resource.k8s.io/v1alpha3",
    "scheduling.k8s.io/v1alpha1",
    "scheduling.k8s.io/v1beta1",
    "scheduling.k8s.io/v1",
    "storage.k8s.io/v1beta1",
    "storage.k8s.io/v1",
    "storage.k8s.io/v1alpha1",
    "storagemigration.k8s.io/v1alpha1",
    "apiextensions.k8s.io/v1beta1",
    "apiextensions.k8s.io/v1",
];

/// API versions that Helm 4 adds and removes.
const ADDED_BY_HELM_4: &[&str] = &[
    "lifecycle.k8s.io/v1alpha1",
    "resource.k8s.io/v1",
    "resource.k8s.io/v1beta2",
    "scheduling.k8s.io/v1alpha3",
    "storagemigration.k8s.io/v1",
    "storagemigration.k8s.io/v1beta1",
];
const REMOVED_BY_HELM_4: &[&str] = &[
    "autoscaling/v2beta1",
    "autoscaling/v2beta2",
    "networking.k8s.io/v1alpha1",
    "scheduling.k8s.io/v1alpha1",
    "storagemigration.k8s.io/v1alpha1",
];

impl Capabilities {
    /// The cluster that `helm template` assumes.
    pub fn offline(flavour: Flavour) -> Capabilities {
        let known = API_VERSIONS.iter().map(|version| SmolStr::from(*version));
        match flavour {
            Flavour::Helm3 => Capabilities {
                kube_version: "v1.32.0".into(),
                api_versions: known.collect(),
                helm_version: "v3.17.3".into(),
            },
            Flavour::Helm4 => {
                let kept = known.filter(|version| !REMOVED_BY_HELM_4.contains(&version.as_str()));
                let added = ADDED_BY_HELM_4
                    .iter()
                    .map(|version| SmolStr::from(*version));
                Capabilities {
                    kube_version: "v1.37.0".into(),
                    api_versions: kept.chain(added).collect(),
                    helm_version: "v4.3".into(),
                }
            }
        }
    }

    /// A fault if the chart does not support the version of Kubernetes.
    pub(crate) fn check(&self, metadata: &Metadata) -> Option<ChartFault> {
        let wanted = &metadata.kube_version;
        if wanted.is_empty() || meets(wanted, &self.kube_version) == Some(true) {
            return None;
        }
        Some(ChartFault {
            kind: FaultKind::Chart,
            message: format!(
                "chart requires kubeVersion: {wanted} which is incompatible with Kubernetes {}",
                self.kube_version
            ),
            template: SmolStr::default(),
            line: None,
        })
    }

    pub(crate) fn value(&self) -> Val {
        let version = self.kube_version.as_str();
        let mut numbers = version.trim_start_matches('v').split('.');
        let mut number = || Val::text(numbers.next().unwrap_or_default());
        let kube_version = Entries::from([
            ("Major".into(), number()),
            ("Minor".into(), number()),
            ("Version".into(), Val::text(version)),
        ]);
        let helm_version = Entries::from([
            ("Version".into(), Val::Text(self.helm_version.clone())),
            ("GitCommit".into(), Val::text("")),
            ("GitTreeState".into(), Val::text("clean")),
            ("GoVersion".into(), Val::text("")),
        ]);
        Val::of_kind(
            Entries::from([
                (
                    "KubeVersion".into(),
                    Val::of_kind(kube_version, MapKind::Struct("chartutil.KubeVersion")),
                ),
                ("APIVersions".into(), versions(self.api_versions.clone())),
                (
                    "HelmVersion".into(),
                    Val::of_kind(helm_version, MapKind::Struct("version.BuildInfo")),
                ),
            ]),
            MapKind::Struct("*chartutil.Capabilities"),
        )
    }
}
