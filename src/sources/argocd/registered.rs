//! Clusters that Secrets of the repo register with Argo CD: their names, addresses, and the labels that generators
//! select by.

use smol_str::SmolStr;

use super::super::ReadContext;
use super::destination;
use super::memo::Memo;
use crate::facts::{Remote, Resource};
use base::FileId;
use base::hash::HashMap;
use gotemplate::{Value, normal};
use secret::address;
use yaml::Node;

#[derive(Debug)]
pub struct Registered {
    pub file: FileId,
    name: SmolStr,
    server: SmolStr,
    pub labels: Value,
    annotations: Value,
}

impl Registered {
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Parameters that a cluster generator produces for it.
    pub fn parameters(&self) -> Value {
        let mut set = Value::default();
        set.set(&["name"], Value::Text(self.name.clone()));
        set.set(&["nameNormalized"], Value::text(normal(&self.name)));
        set.set(&["server"], Value::Text(self.server.clone()));
        set.set(&["metadata", "labels"], self.labels.clone());
        set.set(&["metadata", "annotations"], self.annotations.clone());
        set
    }

    /// Whether it is the one that Argo CD runs in.
    pub fn is_here(&self) -> bool {
        destination::is_here(&self.server)
    }
}

/// Clusters that files here register. If several are the cluster that Argo CD runs in, there are several Argo CDs, and
/// it is unknown which one manages which cluster.
pub fn registered_clusters<'a>(context: &'a ReadContext<'_>) -> &'a [Registered] {
    Memo::get(context).registered.get_or_init(|| read(context))
}

fn read(context: &ReadContext<'_>) -> Vec<Registered> {
    let resources = context.facts.all().flat_map(|(_, found)| &found.resources);
    let all = resources.filter_map(|one| registered(one).or_else(|| registered_by_template(one)));
    // Several may stand for what is no cluster that anything else could reach.
    let mut all: Vec<Registered> = all.filter(|one| !is_loopback(&one.server)).collect();
    let mut named: HashMap<SmolStr, usize> = HashMap::default();
    for one in &all {
        *named.entry(one.name.clone()).or_default() += 1;
    }
    let is_only = |count: usize| count < 2;
    if !is_only(all.iter().filter(|one| one.is_here()).count()) {
        return Vec::new();
    }
    all.retain(|one| is_only(named[&one.name]));
    all
}

/// Whether an address only means something on the machine that uses it.
fn is_loopback(server: &str) -> bool {
    let host = base::uri::host(server);
    host == "localhost" || host.starts_with("127.")
}

fn registered(resource: &Resource) -> Option<Registered> {
    let node = &*resource.node;
    if !resource.id.is("", "Secret") || !address::is_of_cluster(node) {
        return None;
    }
    Some(Registered {
        file: resource.place.file,
        name: address::stated(node, "name")?.into(),
        server: destination::plain(&address::stated(node, "server")?).into(),
        labels: of_metadata(node, "labels"),
        annotations: of_metadata(node, "annotations"),
    })
}

/// The cluster that a Secret will register once an operator makes it from a template.
fn registered_by_template(resource: &Resource) -> Option<Registered> {
    if resource.id.kind != "ExternalSecret" {
        return None;
    }
    let template = resource.node.at(&["spec", "target", "template"])?;
    if !address::is_template_of_cluster(template) {
        return None;
    }
    Some(Registered {
        file: resource.place.file,
        name: address::stated_in_template(template, "name")?.into(),
        server: destination::plain(&address::stated_in_template(template, "server")?).into(),
        labels: of_metadata(template, "labels"),
        annotations: of_metadata(template, "annotations"),
    })
}

fn of_metadata(node: &Node, key: &str) -> Value {
    let stated = node.at(&["metadata", key]).map(Value::from_node);
    let is_map = |value: &Value| matches!(value, Value::Map(_));
    stated
        .filter(is_map)
        .unwrap_or_else(|| Value::map(std::iter::empty()))
}

/// The cluster that an Application goes to, by what it is registered as: a name and an address may be the same one, and a
/// name may be that of the cluster that Argo CD runs in.
pub fn remote(spec: &Node, context: &ReadContext<'_>) -> Option<Remote> {
    let mut remote = destination::remote(spec)?;
    let known = registered_clusters(context)
        .iter()
        .find(|one| match &remote.name {
            Some(name) => one.name == *name,
            None => one.server == remote.way,
        });
    if let Some(known) = known {
        if known.is_here() {
            return None;
        }
        remote.way = known.server.clone();
        remote.name = Some(known.name.clone());
    }
    Some(remote)
}
