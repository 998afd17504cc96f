//! An object during a build, with its previous identities, so that references and patches with an earlier name still
//! find it.

use std::num::NonZeroU32;
use std::sync::Arc;

use smol_str::SmolStr;

use super::schema;
use crate::{Resource, ResourceId, Sealed};
use base::Place;
use base::hash::HashMap;
use yaml::{Node, Scalar, Value};

/// An object during a build.
#[derive(Debug, Clone)]
pub struct BuildObject {
    pub id: ResourceId,
    pub node: Arc<Node>,
    pub place: Place,
    /// Identities before each change of name or namespace, oldest first.
    pub previous: Vec<ResourceId>,
    pub prefixes: Vec<SmolStr>,
    pub suffixes: Vec<SmolStr>,
    /// The `vars` that take their value from it.
    pub vars: Vec<SmolStr>,
    /// Number of values in this object that several fields share.
    pub shared: u32,
    pub generated: Option<Generated>,
    /// The comment above the group of entries that included it.
    pub heading: Option<SmolStr>,
}

/// What is known about a generated object besides its tree.
#[derive(Debug, Clone)]
pub struct Generated {
    pub hashed: bool,
    /// The values of entries that show a marker.
    pub sealed: HashMap<SmolStr, Sealed>,
    /// Whether some of the files it is made from could not be read, so that it may have further entries.
    pub is_partial: bool,
}

impl BuildObject {
    pub fn new(resource: &Resource) -> BuildObject {
        BuildObject {
            id: resource.id.clone(),
            node: resource.node.clone(),
            place: resource.place,
            previous: Vec::new(),
            prefixes: Vec::new(),
            suffixes: Vec::new(),
            vars: Vec::new(),
            shared: 0,
            generated: None,
            heading: None,
        }
    }

    /// The tree, copied first if it is shared.
    pub fn node_mut(&mut self) -> &mut Node {
        Arc::make_mut(&mut self.node)
    }

    /// Records the current identity, before a change.
    pub fn remember(&mut self) {
        if self.previous.last() != Some(&self.id) {
            self.previous.push(self.id.clone());
        }
    }

    /// Whether it has or had this name.
    pub fn is_called(&self, name: &str) -> bool {
        self.identities().any(|id| id.name == name)
    }

    /// Updates the identity from the tree, after a change.
    pub fn refresh(&mut self) {
        if let Some(id) = ResourceId::from_node(&self.node) {
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
        let metadata = self.node_mut().map_under("metadata");
        set_text(metadata, "namespace", namespace, place);
        self.id.namespace = namespace.into();
    }

    /// The identity it was read with.
    pub fn original(&self) -> &ResourceId {
        self.previous.first().unwrap_or(&self.id)
    }

    /// All identities, the current one last.
    pub fn identities(&self) -> impl Iterator<Item = &ResourceId> {
        self.previous.iter().chain([&self.id])
    }

    pub fn is_cluster_scoped(&self) -> bool {
        schema::is_cluster_scoped(&self.id)
    }

    /// A scalar to be written to several fields as one shared value.
    pub fn share(&mut self, text: &SmolStr) -> Scalar {
        self.shared += 1;
        Scalar {
            shared: NonZeroU32::new(self.shared),
            ..Scalar::written(text.clone())
        }
    }

    /// Makes shared values independent.
    pub fn part(&mut self) {
        fn walk(node: &mut Node) {
            match &mut node.value {
                Value::Scalar(scalar) => scalar.shared = None,
                Value::Seq(items) => items.iter_mut().for_each(walk),
                Value::Map(map) => map.0.iter_mut().for_each(|entry| walk(&mut entry.value)),
            }
        }
        if self.shared > 0 {
            walk(self.node_mut());
            self.shared = 0;
        }
    }

    pub fn into_resource(self) -> Resource {
        Resource {
            id: self.id,
            node: self.node,
            place: self.place,
        }
    }
}

/// The namespace of an identity: `default` if none is set, unless the kind is cluster-scoped.
pub fn effective_namespace(id: &ResourceId) -> &str {
    match id.namespace.as_str() {
        _ if schema::is_cluster_scoped(id) => "",
        "" => "default",
        namespace => namespace,
    }
}

fn set_text(map: &mut yaml::Map, key: &str, text: &str, place: Place) {
    match map.get_mut(key) {
        Some(node) => node.value = Node::string(text, place).value,
        None => map.push(key, Node::string(text, place)),
    }
}
