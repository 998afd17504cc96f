//! An object on its way through a build: what it is now, and what it was called before, which is
//! how references and patches written against an earlier name still find it.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::diagnostic::Place;
use crate::fact::{Resource, ResourceId, Sealed};
use crate::yaml::Node;

#[derive(Debug, Clone)]
pub struct Item {
    pub id: ResourceId,
    pub node: Arc<Node>,
    pub place: Place,
    /// Identities it had before a change of name or namespace, oldest first.
    pub previous: Vec<ResourceId>,
    pub prefixes: Vec<SmolStr>,
    pub suffixes: Vec<SmolStr>,
    pub generated: Option<Generated>,
    /// The comment that heads the part of the list which included it.
    pub heading: Option<SmolStr>,
}

#[derive(Debug, Clone)]
pub struct Generated {
    pub hashed: bool,
    pub sealed: Vec<(SmolStr, Sealed)>,
}

impl Item {
    pub fn new(resource: &Resource) -> Item {
        Item {
            id: resource.id.clone(),
            node: resource.node.clone(),
            place: resource.place,
            previous: Vec::new(),
            prefixes: Vec::new(),
            suffixes: Vec::new(),
            generated: None,
            heading: None,
        }
    }

    /// The tree, copied first if anybody else holds it.
    pub fn node_mut(&mut self) -> &mut Node {
        Arc::make_mut(&mut self.node)
    }

    /// Remembers the present identity before it changes.
    pub fn remember(&mut self) {
        if self.previous.last() != Some(&self.id) {
            self.previous.push(self.id.clone());
        }
    }

    /// Takes the identity over from the tree, after something may have changed it.
    pub fn refresh(&mut self) {
        if let Some(id) = ResourceId::of(&self.node) {
            self.id = id;
        }
    }

    pub fn set_name(&mut self, name: &str) {
        self.remember();
        let place = self.place;
        let metadata = self.node_mut().map_under("metadata");
        set_text(metadata, "name", name, place);
        self.id.name = name.into();
    }

    pub fn set_namespace(&mut self, namespace: &str, place: Place) {
        if self.id.namespace == namespace {
            return;
        }
        self.remember();
        let metadata = self.node_mut().map_under("metadata");
        set_text(metadata, "namespace", namespace, place);
        self.id.namespace = namespace.into();
    }

    /// The identity that it was read with.
    pub fn original(&self) -> &ResourceId {
        self.previous.first().unwrap_or(&self.id)
    }

    /// All identities, the present one last.
    pub fn identities(&self) -> impl Iterator<Item = &ResourceId> {
        self.previous.iter().chain([&self.id])
    }

    pub fn is_cluster_scoped(&self) -> bool {
        is_cluster_scoped(&self.id)
    }

    pub fn into_resource(self) -> Resource {
        Resource {
            id: self.id,
            node: self.node,
            place: self.place,
        }
    }
}

fn set_text(map: &mut crate::yaml::Map, key: &str, text: &str, place: Place) {
    match map.get_mut(key) {
        Some(node) => node.value = Node::string(text, place).value,
        None => map.push(key, Node::string(text, place)),
    }
}

/// Kinds of Kubernetes itself that live in no namespace. A kind that is not known is namespaced.
pub fn is_cluster_scoped(id: &ResourceId) -> bool {
    let kinds: &[&str] = match id.group.as_str() {
        "" => &["Namespace", "Node", "PersistentVolume", "ComponentStatus"],
        "admissionregistration.k8s.io" => &[
            "MutatingWebhookConfiguration",
            "ValidatingWebhookConfiguration",
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
            "MutatingAdmissionPolicy",
            "MutatingAdmissionPolicyBinding",
        ],
        "apiextensions.k8s.io" => &["CustomResourceDefinition"],
        "apiregistration.k8s.io" => &["APIService"],
        "authentication.k8s.io" => &["TokenReview", "SelfSubjectReview"],
        "authorization.k8s.io" => &[
            "SelfSubjectAccessReview",
            "SelfSubjectRulesReview",
            "SubjectAccessReview",
        ],
        "certificates.k8s.io" => &["CertificateSigningRequest", "ClusterTrustBundle"],
        "flowcontrol.apiserver.k8s.io" => &["FlowSchema", "PriorityLevelConfiguration"],
        "internal.apiserver.k8s.io" => &["StorageVersion"],
        "networking.k8s.io" => &["IngressClass", "IPAddress", "ServiceCIDR", "ClusterCIDR"],
        "node.k8s.io" => &["RuntimeClass"],
        "policy" => &["PodSecurityPolicy"],
        "rbac.authorization.k8s.io" => &["ClusterRole", "ClusterRoleBinding"],
        "resource.k8s.io" => &["ResourceClass", "DeviceClass", "ResourceSlice"],
        "scheduling.k8s.io" => &["PriorityClass"],
        "storage.k8s.io" => &[
            "CSIDriver",
            "CSINode",
            "StorageClass",
            "VolumeAttachment",
            "VolumeAttributesClass",
        ],
        "storagemigration.k8s.io" => &["StorageVersionMigration"],
        _ => &[],
    };
    kinds.contains(&id.kind.as_str())
}
