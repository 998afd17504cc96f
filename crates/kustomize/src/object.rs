//! Kubernetes objects: identity, tree and place.

use std::fmt;
use std::sync::Arc;

use base::Place;
use smol_str::SmolStr;
use yaml::Node;

/// A value and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located<T> {
    pub value: T,
    pub place: Place,
}

/// The identity of a Kubernetes object. An unset namespace is empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ResourceId {
    pub group: SmolStr,
    pub version: SmolStr,
    pub kind: SmolStr,
    pub namespace: SmolStr,
    pub name: SmolStr,
}

impl ResourceId {
    /// The identity of an object; `None` if the node is not a Kubernetes object.
    pub fn from_node(node: &Node) -> Option<ResourceId> {
        let (group, version) = split_api_version(node.get("apiVersion")?.text()?);
        let kind = node.get("kind")?.text()?;
        let metadata = node.get("metadata");
        let field = |key: &str| {
            metadata
                .and_then(|metadata| metadata.get(key)?.text())
                .unwrap_or_default()
        };
        Some(ResourceId {
            group: group_name(group),
            version: version.into(),
            kind: kind.into(),
            namespace: field("namespace").into(),
            name: field("name").into(),
        })
    }

    pub fn is(&self, group: &str, kind: &str) -> bool {
        self.kind == kind && self.group == group
    }
}

impl fmt::Display for ResourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.namespace.is_empty() {
            write!(f, "{} {}", self.kind, self.name)
        } else {
            write!(f, "{} {}/{}", self.kind, self.namespace, self.name)
        }
    }
}

/// A group, without allocating for common long ones.
fn group_name(group: &str) -> SmolStr {
    const COMMON: &[&str] = &[
        "kustomize.toolkit.fluxcd.io",
        "source.toolkit.fluxcd.io",
        "notification.toolkit.fluxcd.io",
        "rbac.authorization.k8s.io",
        "gateway.networking.k8s.io",
        "admissionregistration.k8s.io",
    ];
    let common = COMMON.iter().find(|common| **common == group);
    common.map_or_else(|| group.into(), |common| SmolStr::new_static(common))
}

/// Splits `apps/v1` into group `apps` and version `v1`; `v1` alone is in the core group.
pub fn split_api_version(api_version: &str) -> (&str, &str) {
    api_version.rsplit_once('/').unwrap_or(("", api_version))
}

/// A Kubernetes object and its place. The tree is shared until it is changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    pub id: ResourceId,
    pub node: Arc<Node>,
    pub place: Place,
}

impl Resource {
    pub fn new(node: Node) -> Option<Resource> {
        Some(Resource {
            id: ResourceId::from_node(&node)?,
            place: node.place,
            node: Arc::new(node),
        })
    }
}
