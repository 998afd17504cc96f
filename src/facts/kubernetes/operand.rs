//! Applications that operators run for a custom resource: version, images, ports, storage and addresses, by common field
//! names and by the data in `operand.yaml`.

use std::sync::LazyLock;

use smol_str::SmolStr;

use super::workload;
use crate::facts::image::{is_plain, is_reference};
use crate::facts::values;
use crate::facts::{Claim, Located, Resource, ResourceId, RunVersion, Statement, UrlFact, Volume};
use base::FileId;
use base::hash::HashMap;
use yaml::{Node, Value};

/// Groups whose objects describe others, or what others may look like, and run nothing themselves.
const DESCRIPTIVE: &[&str] = &[
    "admissionregistration.k8s.io",
    "apiextensions.crossplane.io",
    "argoproj.io",
    "cert-manager.io",
    "external-secrets.io",
    "fluxcd.controlplane.io",
    "gateway.networking.k8s.io",
    "generators.external-secrets.io",
    "helm.toolkit.fluxcd.io",
    "image.toolkit.fluxcd.io",
    "kro.run",
    "kyverno.io",
    "networking.istio.io",
    "operators.coreos.com",
    "policies.kyverno.io",
    "projectcontour.io",
    "route.openshift.io",
    "source.toolkit.fluxcd.io",
    "templates.gatekeeper.sh",
    "constraints.gatekeeper.sh",
    "traefik.containo.us",
    "traefik.io",
];

/// Where one kind says what it runs.
#[derive(Debug, Default)]
struct Operand {
    version: Vec<SmolStr>,
    image: Vec<SmolStr>,
    storage: Vec<SmolStr>,
    ports: Vec<SmolStr>,
    hosts: Vec<SmolStr>,
    claims: Option<SmolStr>,
}

static TABLE: LazyLock<HashMap<SmolStr, Operand>> = LazyLock::new(|| {
    let parsed = yaml::parse(include_str!("operand.yaml"), FileId(0));
    let entries = parsed.documents.iter().flat_map(|it| it.root.items());
    entries
        .filter_map(|entry| {
            let list = |field: &str| {
                let one = entry.text_at(&[field]).into_iter();
                let many = entry.items_at(field).iter().filter_map(Node::text);
                one.chain(many).map(SmolStr::from).collect()
            };
            let operand = Operand {
                version: list("version"),
                image: list("image"),
                storage: list("storage"),
                ports: list("ports"),
                hosts: list("hosts"),
                claims: entry.text_at(&["claims"]).map(SmolStr::from),
            };
            Some((entry.text_at(&["kind"])?.into(), operand))
        })
        .collect()
});

pub fn describe(resource: &Resource, statement: &mut Statement) {
    let id = &resource.id;
    // Most objects are built in.
    if super::is_builtin(&id.group) || is_descriptive(id) || statement.unit.is_some() {
        return;
    }
    let Some(spec) = resource.node.get("spec") else {
        return;
    };
    let before = statement.runs.volumes.len();
    values::describe_fields(spec, &id.name, statement);
    let known = TABLE.get(format!("{}/{}", id.group, id.kind).as_str());
    if let Some(known) = known {
        known.describe(resource, statement);
    }
    // A plugin runs inside of something else.
    if !id.kind.contains("Plugin") {
        statement.runs.version = version(resource, known).map(Box::new);
    }
    let claim = known.and_then(|known| known.claims.as_ref());
    let claim = claim.map(|label| Claim::Operator(label.replace("{name}", &id.name).into()));
    for volume in &mut statement.runs.volumes[before..] {
        volume.namespace = id.namespace.clone();
        if let Some(claim) = &claim {
            volume.claim = claim.clone();
        }
    }
}

/// Policies and templates state what others run.
fn is_descriptive(id: &ResourceId) -> bool {
    let is_rollout = id.is("argoproj.io", "Rollout");
    let is_listed = DESCRIPTIVE.contains(&id.group.as_str()) && !is_rollout;
    is_listed || id.kind.contains("Policy") || id.kind.ends_with("Template")
}

impl Operand {
    fn describe(&self, resource: &Resource, statement: &mut Statement) {
        let node = &*resource.node;
        for path in &self.image {
            for image in at(node, path) {
                let text = image.text().filter(|text| is_reference(text));
                statement.runs.images.extend(text.map(|text| Located {
                    value: text.into(),
                    place: image.place,
                }));
            }
        }
        for storage in self.storage.iter().flat_map(|path| at(node, path)) {
            statement.runs.volumes.extend(volume(storage, &resource.id));
        }
        for port in self.ports.iter().flat_map(|path| at(node, path)) {
            let number = port.text().and_then(|text| text.parse::<u16>().ok());
            let port = number.map(|number| SmolStr::from(format!("{number}/TCP")));
            let ports = &mut statement.reached.ports;
            ports.extend(port.filter(|port| !ports.contains(port)));
        }
        for host in self.hosts.iter().flat_map(|path| at(node, path)) {
            let shown = host.text().and_then(values::shown_host);
            statement.reached.urls.extend(shown.map(|shown| UrlFact {
                url: format!("https://{shown}/"),
                place: host.place,
                backends: Vec::new(),
                through: Vec::new(),
            }));
        }
    }
}

/// The version that a resource states, or that of its image.
fn version(resource: &Resource, known: Option<&Operand>) -> Option<RunVersion> {
    let node = &*resource.node;
    let stated = known.into_iter().flat_map(|known| &known.version);
    let stated = stated.flat_map(|path| at(node, path)).find_map(Node::text);
    if let Some(version) = stated.filter(|text| is_plain(text)) {
        return Some(RunVersion {
            application: resource.id.name.clone(),
            version: version.into(),
        });
    }
    let named = known.into_iter().flat_map(|known| &known.image);
    let mut images = named.flat_map(|path| at(node, path)).filter_map(Node::text);
    let common = ["image", "imageName", "baseImage"].map(|key| node.text_at(&["spec", key]));
    let image = images
        .next()
        .or_else(|| common.into_iter().flatten().next());
    if let Some(image) = image {
        return workload::run_version(image);
    }
    let pods = [
        &["spec", "template", "spec"][..],
        &["spec", "jobTargetRef", "template", "spec"],
        &["spec", "podTemplate", "spec"],
    ];
    let pod = pods.iter().find_map(|path| node.at(path))?;
    workload::main_version(pod, &resource.id.name)
}

/// A block with a size and a class, or each of a list of them.
fn volume(storage: &Node, id: &ResourceId) -> Option<Volume> {
    let text = |names: &[&str]| {
        let found = names.iter().find_map(|name| storage.text_at(&[name]));
        found.map(SmolStr::from)
    };
    let requested = || storage.text_at(&["resources", "requests", "storage"]);
    let size = text(&["size"]).or_else(|| Some(requested()?.into()))?;
    Some(Volume {
        name: id.name.clone(),
        namespace: id.namespace.clone(),
        claim: Claim::Unnamed,
        size: Some(size),
        class: text(&["storageClassName", "storageClass", "class"]),
        place: storage.place,
    })
}

/// The nodes at the end of a path, in every list on the way.
fn at<'n>(node: &'n Node, path: &str) -> Vec<&'n Node> {
    let mut found = vec![node];
    for key in path.split('.') {
        found = found
            .into_iter()
            .flat_map(items)
            .filter_map(|node| node.get(key))
            .collect();
    }
    found.into_iter().flat_map(items).collect()
}

fn items(node: &Node) -> &[Node] {
    match &node.value {
        Value::Seq(items) => items,
        _ => std::slice::from_ref(node),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(text: &str) -> Statement {
        let root = yaml::parse(text, FileId(0)).documents.remove(0).root;
        let mut statement = Statement::default();
        describe(&Resource::new(root).unwrap(), &mut statement);
        statement
    }

    #[test]
    fn every_entry_names_a_kind_of_a_group() {
        assert!(TABLE.len() > 30);
        for kind in TABLE.keys() {
            let (group, name) = kind.split_once('/').unwrap();
            assert!(group.contains('.') && !name.is_empty(), "{kind}");
        }
    }

    #[test]
    fn fields_with_common_names_count_for_any_kind() {
        let found = described(
            "apiVersion: brews.example.com/v1\nkind: Brewery\nmetadata: {name: ale, namespace: shop}\n\
             spec:\n  image: ghcr.io/acme/brewery:v2.1\n  storage: {size: 5Gi, storageClassName: fast}\n",
        );
        let version = found.runs.version.unwrap();
        assert_eq!(
            (&*version.application, &*version.version),
            ("brewery", "v2.1")
        );
        assert_eq!(found.runs.images[0].value, "ghcr.io/acme/brewery:v2.1");
        let volume = &found.runs.volumes[0];
        assert_eq!((&*volume.name, &*volume.namespace), ("ale", "shop"));
        assert_eq!(volume.claim, Claim::Unnamed);
    }

    #[test]
    fn a_known_kind_states_its_version_and_ports() {
        let found = described(
            "apiVersion: kafka.strimzi.io/v1\nkind: Kafka\nmetadata: {name: events, namespace: shop}\n\
             spec:\n  kafka:\n    version: 4.0.0\n    listeners: [{name: plain, port: 9092}, {name: tls, port: 9093}]\n",
        );
        assert_eq!(found.runs.version.unwrap().version, "4.0.0");
        assert_eq!(found.reached.ports, ["9092/TCP", "9093/TCP"]);
    }

    #[test]
    fn a_policy_runs_nothing() {
        let found = described(
            "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec: {image: a/b:1}\n",
        );
        assert!(found.runs.images.is_empty() && found.runs.version.is_none());
    }
}
