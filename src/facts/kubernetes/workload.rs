//! Workloads: pods of any kind that creates them, with their images, ports and volumes.

use smol_str::{SmolStr, format_smolstr};

use crate::facts::image::{image_name, version};
use crate::facts::{
    Claim, Limits, Located, Probe, Resource, ResourceId, RunVersion, Statement, Volume, Workload,
};
use base::text::last_part;
use yaml::Node;

pub fn describe(resource: &Resource, statement: &mut Statement) {
    let node = &*resource.node;
    let id = &resource.id;
    match id.kind.as_str() {
        "Service" if id.group.is_empty() => {
            let ports = node
                .at(&["spec"])
                .map(|spec| spec.items_at("ports"))
                .unwrap_or_default();
            statement
                .reached
                .ports
                .extend(ports.iter().filter_map(|port| port_name(port, "port")));
            return;
        }
        "PersistentVolumeClaim" if id.group.is_empty() => {
            statement
                .runs
                .volumes
                .extend(volume(node, &id.name, id, Claim::Itself));
            return;
        }
        _ => {}
    }
    let Some(pod) = pod(resource) else {
        return;
    };
    let containers = || {
        pod.items_at("containers")
            .iter()
            .chain(pod.items_at("initContainers"))
    };
    // An init container that is restarted keeps running beside the others.
    let running = || {
        let sidecars = pod.items_at("initContainers").iter();
        let sidecars = sidecars.filter(|one| one.text_at(&["restartPolicy"]) == Some("Always"));
        pod.items_at("containers").iter().chain(sidecars)
    };
    let images = containers().filter_map(|container| {
        let image = container.get("image")?;
        Some(Located {
            value: SmolStr::from(image.text()?),
            place: image.place,
        })
    });
    // A volume can be an image, too.
    let mounted = pod.items_at("volumes").iter().filter_map(|volume| {
        let image = volume.at(&["image", "reference"])?;
        Some(Located {
            value: SmolStr::from(image.text()?),
            place: image.place,
        })
    });
    statement.runs.images.extend(mounted);
    statement.runs.workload = Some(Box::new(Workload {
        kind: id.kind.clone(),
        name: id.name.clone(),
        namespace: id.namespace.clone(),
        replicas: node.text_at(&["spec", "replicas"]).map(SmolStr::from),
        images: images.collect(),
        containers: containers()
            .filter_map(|container| container.text_at(&["name"]).map(SmolStr::from))
            .collect(),
        limits: containers().filter_map(limits).collect(),
        probes: running().flat_map(probes).collect(),
        labels: labels(resource),
    }));
    statement.runs.version = main_version(pod, &id.name).map(Box::new);
    let ports = running().flat_map(|container| container.items_at("ports"));
    statement
        .reached
        .ports
        .extend(ports.filter_map(|port| port_name(port, "containerPort")));
    let claims = node
        .at(&["spec"])
        .map(|spec| spec.items_at("volumeClaimTemplates"))
        .unwrap_or_default();
    let volumes = claims.iter().filter_map(|claim| {
        let name = claim.text_at(&["metadata", "name"])?;
        volume(claim, name, id, Claim::Template(id.name.clone()))
    });
    let mounted = pod.items_at("volumes").iter();
    let mounted = mounted.filter_map(|volume| mounted_volume(volume, id));
    statement.runs.volumes.extend(volumes.chain(mounted));
}

/// A volume of a pod that lasts: a claim that something else declares, or a share of files.
fn mounted_volume(volume: &Node, id: &ResourceId) -> Option<Volume> {
    let claim = volume.text_at(&["persistentVolumeClaim", "claimName"]);
    let share = volume.get("nfs").is_some().then_some("nfs");
    let name = match (claim, share) {
        (Some(claim), _) => claim,
        (None, Some(_)) => volume.text_at(&["name"])?,
        (None, None) => return None,
    };
    Some(Volume {
        name: name.into(),
        namespace: id.namespace.clone(),
        claim: if claim.is_some() {
            Claim::Existing
        } else {
            Claim::Unnamed
        },
        size: None,
        class: share.filter(|_| claim.is_none()).map(SmolStr::from),
        place: volume.place,
    })
}

/// The version of what a pod is about: that of its only image, or of the container that is called like its owner.
pub fn main_version(pod: &Node, owner: &str) -> Option<RunVersion> {
    let containers = pod.items_at("containers").iter();
    let containers: Vec<(&str, &str)> = containers
        .filter_map(|container| {
            let name = container.text_at(&["name"]).unwrap_or_default();
            Some((name, container.text_at(&["image"])?))
        })
        .collect();
    let (_, first) = containers.first()?;
    if containers.iter().all(|(_, image)| image == first) {
        return run_version(first);
    }
    let is_image = |image: &str| {
        let rest = image_name(image).and_then(|image| owner.strip_prefix(image.name));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let by_name = containers.iter().filter(|(name, _)| *name == owner);
    let by_image = containers.iter().filter(|(_, image)| is_image(image));
    let common = containers
        .iter()
        .filter(|(name, _)| ["main", "app"].contains(name));
    // A controller and its sidecars: most are called like what they do, and the main one like the whole.
    let mut found = by_image.chain(by_name).chain(common);
    run_version(found.next()?.1)
}

/// The version of an image that states it.
pub fn run_version(image: &str) -> Option<RunVersion> {
    let image = image_name(image)?;
    let tag = image.tag.filter(|tag| !is_phrase(tag))?;
    Some(RunVersion {
        application: image.name.into(),
        version: version(tag).into(),
    })
}

/// Whether a tag is several words and no number: it says what an image is for, or which branch it is from.
fn is_phrase(tag: &str) -> bool {
    let words = tag.split(['-', '_']).count();
    words > 2 && !tag.bytes().any(|byte| byte.is_ascii_digit())
}

/// The pod that a kind makes.
pub fn pod(resource: &Resource) -> Option<&Node> {
    template(resource)?.get("spec")
}

/// A pod with its metadata.
fn template(resource: &Resource) -> Option<&Node> {
    let node = &*resource.node;
    match (resource.id.group.as_str(), resource.id.kind.as_str()) {
        ("", "Pod") => Some(node),
        ("apps", "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet")
        | ("batch", "Job")
        | ("", "ReplicationController") => node.at(&["spec", "template"]),
        ("batch", "CronJob") => node.at(&["spec", "jobTemplate", "spec", "template"]),
        // Controllers of others make pods of the same form: Rollouts, serverless services, workers.
        (group, _) if group.contains('.') => {
            let template = node.at(&["spec", "template"])?;
            let containers = template.get("spec")?.items_at("containers").iter();
            let mut images = containers.filter_map(|container| container.text_at(&["image"]));
            images.next().map(|_| template)
        }
        _ => None,
    }
}

fn labels(resource: &Resource) -> Vec<(SmolStr, SmolStr)> {
    let metadata = template(resource).and_then(|template| template.get("metadata"));
    let labels = metadata.map_or(&[][..], |metadata| metadata.entries_at("labels"));
    let pairs = labels
        .iter()
        .filter_map(|label| Some((label.key.clone(), label.value.text()?.into())));
    pairs.collect()
}

fn limits(container: &Node) -> Option<Limits> {
    let limits = container.at(&["resources", "limits"])?;
    let memory = limits.get("memory").and_then(|memory| {
        Some(Located {
            value: memory.text()?.into(),
            place: memory.place,
        })
    });
    let cpu = limits.text_at(&["cpu"]).map(SmolStr::from);
    (memory.is_some() || cpu.is_some()).then(|| Limits {
        container: container.text_at(&["name"]).unwrap_or_default().into(),
        memory,
        cpu,
    })
}

/// The probes of a container, in the order in which they begin.
fn probes(container: &Node) -> impl Iterator<Item = Probe> {
    let purposes = ["startup", "readiness", "liveness"].into_iter();
    purposes.filter_map(|purpose| {
        Some(Probe {
            container: container.text_at(&["name"]).unwrap_or_default().into(),
            purpose,
            check: probe_check(container.get(&format!("{purpose}Probe"))?, container)?,
        })
    })
}

/// The question of a probe. Arguments of a command may be anything, so only its name is shown.
fn probe_check(probe: &Node, container: &Node) -> Option<SmolStr> {
    if let Some(get) = probe.get("httpGet") {
        let port = probed_port(get, container)?;
        let path = get.text_at(&["path"]).unwrap_or("/");
        let slash = if path.starts_with('/') { "" } else { "/" };
        return Some(format_smolstr!("GET :{port}{slash}{path}"));
    }
    if let Some(socket) = probe.get("tcpSocket") {
        return Some(format_smolstr!("TCP :{}", probed_port(socket, container)?));
    }
    if let Some(call) = probe.get("grpc") {
        return Some(format_smolstr!("gRPC :{}", probed_port(call, container)?));
    }
    let command = probe.get("exec")?.items_at("command").first()?.text()?;
    let program = command.split_whitespace().next()?;
    Some(format_smolstr!("exec {}", last_part(program)))
}

/// The number of a port that a probe may call by the name that its container gives it.
fn probed_port<'n>(target: &'n Node, container: &'n Node) -> Option<&'n str> {
    let stated = target.text_at(&["port"])?;
    let mut ports = container.items_at("ports").iter();
    let named = ports.find(|port| port.text_at(&["name"]) == Some(stated));
    let number = named.and_then(|port| port.text_at(&["containerPort"]));
    Some(number.unwrap_or(stated))
}

/// `http 8080/TCP`, as far as it is stated.
fn port_name(port: &Node, key: &str) -> Option<SmolStr> {
    let number = port.text_at(&[key])?;
    let protocol = port.text_at(&["protocol"]).unwrap_or("TCP");
    Some(match port.text_at(&["name"]) {
        Some(name) => format!("{name} {number}/{protocol}").into(),
        None => format!("{number}/{protocol}").into(),
    })
}

fn volume(node: &Node, name: &str, id: &ResourceId, claim: Claim) -> Option<Volume> {
    let spec = node.get("spec")?;
    Some(Volume {
        name: name.into(),
        namespace: id.namespace.clone(),
        claim,
        size: spec
            .text_at(&["resources", "requests", "storage"])
            .map(SmolStr::from),
        class: spec.text_at(&["storageClassName"]).map(SmolStr::from),
        place: node.place,
    })
}
