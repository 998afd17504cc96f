//! The way a secret takes: who declares it, who fetches it, through which store, and where it ends up.

use crate::catalog::{Component, ComponentIx, ComponentResource, Edge};
use crate::facts::Relation;
use crate::site::section::About;
use crate::site::view::Here;
use diagram::{Diagram, DiagramBody, Line, Message, Participant, Sequence, SequenceStep};

/// A request for a secret, and everybody who has a part in it, by component.
struct SecretRequest<'a> {
    asks: ComponentIx,
    request: &'a ComponentResource,
    /// The name of the Secret that the request asks for.
    secret: &'a str,
    operator: ComponentIx,
    store: Option<ComponentIx>,
}

pub fn draw(about: &About<'_>) -> Option<Diagram> {
    let here = &about.here;
    let own = ways(here, about.index).next();
    let way = own.or_else(|| {
        let downstream = here.related(about.index).downstream.iter();
        let mut others = downstream.flat_map(|edge| ways(here, edge.from));
        others.find(|way| way.operator == about.index || way.store == Some(about.index))
    })?;
    Some(sequence(about, &way))
}

/// The requests that a component makes: each names its store, and needs the type that the operator brings.
fn ways<'a>(
    here: &Here<'a>,
    asks: ComponentIx,
) -> impl Iterator<Item = SecretRequest<'a>> + use<'a> {
    let component: &'a Component = here.component(asks);
    let upstream: &'a [&'a Edge] = &here.related(asks).upstream;
    let stated = |relation: Relation| {
        let edges = upstream.iter().copied();
        edges.filter(move |edge| edge.relation == relation)
    };
    let stores: Vec<&Edge> = stated(Relation::SecretStore).collect();
    let operators: Vec<&Edge> = stated(Relation::CustomResource).collect();
    let requests = component.resources.iter();
    let requests = requests.filter(|resource| resource.id.kind == "ExternalSecret");
    // Some requests only say what could be fetched.
    let requests = requests.filter(|request| request.detail("creation-policy") != Some("None"));
    requests.filter_map(move |request| {
        let in_file = |edge: &&&Edge| edge.place.file == request.place.file;
        let operator = operators.iter().find(in_file).or(operators.first())?.to;
        let store = stores.iter().find(in_file).or(stores.first());
        Some(SecretRequest {
            asks,
            request,
            secret: request.detail("secret").unwrap_or(&request.id.name),
            operator,
            store: store.map(|edge| edge.to),
        })
    })
}

fn sequence(about: &About<'_>, way: &SecretRequest<'_>) -> Diagram {
    let here = &about.here;
    let is_own = way.asks == about.index;
    let component = |index: ComponentIx| Participant {
        href: (index != about.index).then(|| here.href(index)),
        ..Participant::new(here.component(index).title.as_str())
    };
    let mut participants = vec![component(way.asks)];
    let mut add = |participant: Participant| {
        participants.push(participant);
        participants.len() - 1
    };
    let asked = &way.request.id;
    let request = add(Participant::new(format!("{} {}", asked.kind, asked.name)));
    let operator = add(component(way.operator));
    let store = way
        .store
        .filter(|store| *store != way.operator)
        .map(|store| add(component(store)));
    let secret = add(Participant::new(format!("Secret {}", way.secret)));
    let mut steps = Vec::new();
    let mut say = |from: usize, to: usize, text: &str, line: Line| {
        steps.push(SequenceStep::Message(Message {
            line,
            ..Message::new(from, to, text)
        }));
    };
    say(0, request, "declares", Line::Solid);
    say(operator, request, "watches", Line::Solid);
    if let Some(store) = store {
        say(operator, store, "reads provider config", Line::Solid);
        say(store, operator, "provider address and auth", Line::Dashed);
    }
    let fills = match way.request.detail("creation-policy") {
        Some("Merge") => "merges keys into it",
        _ => "creates and updates",
    };
    say(operator, secret, fills, Line::Solid);
    say(0, secret, "reads", Line::Solid);
    Diagram {
        title: if is_own {
            format!("How {} gets its secrets", about.component.title)
        } else {
            format!("How a secret reaches {}", here.component(way.asks).title)
        },
        body: DiagramBody::Sequence(Sequence {
            participants,
            boxes: Vec::new(),
            steps,
        }),
    }
}
