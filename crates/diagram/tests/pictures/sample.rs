//! Diagrams as the pages have them, and some that are harder to draw.

use catalog_diagram::{
    Diagram, DiagramBody, Direction, Flow, FlowAuthor, FlowEdge, FlowNode, Group, Layout, Line,
    Message, NodeClass, Participant, Sequence, SequenceStep,
};

pub fn node(label: &str, class: NodeClass) -> FlowNode {
    FlowNode::new(label, class)
}

pub fn page(label: &str) -> FlowNode {
    FlowNode {
        href: Some(format!("../{label}/")),
        ..node(label, NodeClass::Component)
    }
}

pub fn edge(from: usize, to: usize, label: &str) -> FlowEdge {
    FlowEdge {
        label: (!label.is_empty()).then(|| label.to_owned()),
        ..FlowEdge::new(from, to)
    }
}

pub fn flow(title: &str, nodes: Vec<FlowNode>, edges: Vec<FlowEdge>, layout: Layout) -> Diagram {
    let groups = Vec::new();
    Diagram {
        title: title.to_owned(),
        body: DiagramBody::Flow(Flow {
            nodes,
            groups,
            edges,
            layout,
            origin: FlowAuthor::Generated,
        }),
    }
}

pub const DOWN: Layout = Layout::Layered(Direction::Down);

/// An operator with what it runs, in three namespaces.
pub fn topology(direction: Direction) -> Diagram {
    let within = |group, mut node: FlowNode| {
        node.group = Some(group);
        node
    };
    let nodes = vec![
        within(0, node("HelmRelease: secrets-manager", NodeClass::Current)),
        within(
            0,
            node(
                "HelmRepository: charts.external-secrets.io",
                NodeClass::Source,
            ),
        ),
        within(1, node("ESO Controller", NodeClass::Workload)),
        within(1, node("ESO Webhook", NodeClass::Workload)),
        within(1, node("Secret: localstack-credentials", NodeClass::Secret)),
        within(
            1,
            node(
                "ClusterSecretStore: localstack-secretstore",
                NodeClass::Store,
            ),
        ),
        within(2, page("LocalStack :4566")),
    ];
    let groups = [
        "flux-system namespace",
        "secrets-manager namespace",
        "localstack namespace",
    ];
    let groups = groups.map(Group::new);
    let edges = vec![
        edge(0, 1, "chart source"),
        edge(5, 4, "auth secretRef"),
        edge(2, 6, "AWS SM API :4566"),
        edge(5, 6, "provider endpoint"),
        edge(0, 2, "deploys"),
        edge(0, 3, "deploys"),
    ];
    Diagram {
        title: "Deployment topology of External Secrets Operator".to_owned(),
        body: DiagramBody::Flow(Flow {
            nodes,
            groups: groups.to_vec(),
            edges,
            layout: Layout::Layered(direction),
            origin: FlowAuthor::Generated,
        }),
    }
}

pub fn reconciliation() -> Diagram {
    let participants = [
        "Downstream Service",
        "ExternalSecret CR",
        "ESO Controller",
        "ClusterSecretStore",
        "LocalStack :4566",
        "Kubernetes Secret",
    ];
    let participants = participants.map(|label| Participant {
        href: (label == "LocalStack :4566").then(|| "../localstack/".to_owned()),
        ..Participant::new(label)
    });
    let message = |from, to, text: &str, line| {
        SequenceStep::Message(Message {
            line,
            ..Message::new(from, to, text)
        })
    };
    let steps = vec![
        message(0, 1, "declares needed secret path", Line::Solid),
        message(2, 1, "watches (reconcile interval 5m)", Line::Solid),
        message(2, 3, "resolve provider config", Line::Solid),
        message(2, 4, "GetSecretValue (AWS SM API)", Line::Solid),
        message(4, 2, "secret payload", Line::Dashed),
        message(2, 2, "compare with the last version", Line::Solid),
        message(2, 5, "create/update Secret", Line::Solid),
        message(0, 5, "mount via envFrom/volume", Line::Solid),
    ];
    Diagram {
        title: "Secret reconciliation flow".to_owned(),
        body: DiagramBody::Sequence(Sequence {
            participants: participants.to_vec(),
            boxes: Vec::new(),
            steps,
        }),
    }
}

/// A component with so many before it and so many after it.
pub fn neighbourhood(before: usize, after: usize, labels: &[&str]) -> Diagram {
    let names = [
        "localstack",
        "cert-manager",
        "external-secrets-config",
        "crossplane-config",
        "n8n",
        "postgres-cluster",
        "kube-prometheus-stack",
        "ingress-nginx",
        "grafana",
        "keycloak",
        "loki",
        "argo-workflows-controller",
        "vault",
        "backstage-developer-portal",
    ];
    let mut nodes = vec![FlowNode {
        detail: Some("external-secrets 0.10.7".to_owned()),
        ..node("External Secrets Operator", NodeClass::Current)
    }];
    let mut edges = Vec::new();
    for at in 0..before + after {
        let again = at / names.len();
        let name = names[at % names.len()];
        let name = if again == 0 {
            name.to_owned()
        } else {
            format!("{name}-{again}")
        };
        nodes.push(page(&name));
        let label = labels
            .get(at % labels.len().max(1))
            .copied()
            .unwrap_or_default();
        edges.push(if at < before {
            edge(at + 1, 0, label)
        } else {
            edge(0, at + 1, label)
        });
    }
    if let Some(last) = nodes.last_mut().filter(|_| after > 3) {
        last.class = NodeClass::Disabled;
        edges.last_mut().unwrap().line = Line::Dashed;
    }
    flow(
        "Neighbours",
        nodes,
        edges,
        Layout::Neighbourhood { centre: 0 },
    )
}

/// Components in layers, each with up to three links to the layer above.
pub fn platform(layers: usize, each: usize, grouped: bool, direction: Direction) -> Diagram {
    let names = [
        "foundation",
        "data services",
        "platform",
        "applications",
        "edge",
    ];
    let mut nodes = Vec::new();
    let mut edges = Vec::new();
    let mut seed = 7usize;
    let mut random = |below: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    for layer in 0..layers {
        for at in 0..each {
            let mut new = page(&format!(
                "{}-{at}",
                names[layer % 5].split(' ').next().unwrap()
            ));
            new.group = grouped.then_some(layer);
            nodes.push(new);
            for _ in 0..if layer == 0 { 0 } else { 1 + random(2) } {
                let above = (layer - 1 - random(layer.min(2))) * each + random(each);
                edges.push(edge(above, layer * each + at, ""));
            }
        }
    }
    let groups = (0..layers).map(|layer| Group::new(names[layer % 5]));
    let groups = groups.collect();
    let layout = Layout::Layered(direction);
    Diagram {
        title: format!("{} components", layers * each),
        body: DiagramBody::Flow(Flow {
            nodes,
            groups,
            edges,
            layout,
            origin: FlowAuthor::Generated,
        }),
    }
}

pub fn cycle() -> Diagram {
    let nodes = ["gateway", "auth", "users", "audit"].map(page).to_vec();
    let edges = vec![
        edge(0, 1, "token"),
        edge(1, 2, "lookup"),
        edge(2, 0, "callback"),
        edge(2, 3, ""),
        edge(3, 3, "rotates"),
        edge(0, 1, "session"),
        edge(1, 0, ""),
    ];
    flow("A cycle", nodes, edges, DOWN)
}

pub fn samples() -> Vec<(&'static str, Diagram)> {
    vec![
        ("topology", topology(Direction::Down)),
        ("topology-right", topology(Direction::Right)),
        ("sequence", reconciliation()),
        ("neighbours", neighbourhood(1, 2, &["dependsOn"])),
        (
            "neighbours-wrapped",
            neighbourhood(3, 14, &["dependsOn", "uses CRD"]),
        ),
        ("neighbours-three-columns", neighbourhood(2, 33, &[])),
        ("neighbours-many", neighbourhood(30, 200, &[])),
        ("platform", platform(5, 8, false, Direction::Down)),
        ("platform-layers", platform(5, 8, true, Direction::Down)),
        ("platform-right", platform(4, 5, true, Direction::Right)),
        ("cycle", cycle()),
        (
            "one",
            flow(
                "One",
                vec![page("n8n")],
                vec![],
                Layout::Neighbourhood { centre: 0 },
            ),
        ),
    ]
}
