//! Which workload of a component answers at an address, and which one names what it needs, as far as its objects say so.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use crate::facts::{ObjectRef, Reference, Relation, Routing, Statement, Target, UrlFact, Workload};
use base::Place;
use base::hash::HashMap;

/// Maximum number of workloads to wire, because no diagram has room for more.
pub const MOST_WIRED: usize = 12;

/// Addresses and references of a component, by the positions of the workloads that they belong to.
#[derive(Debug, Clone, Default)]
pub struct Wiring {
    /// By address without its scheme, which environments may not agree about.
    entrances: BTreeMap<String, Entrance>,
    /// By the line that names what is needed.
    speakers: BTreeMap<Place, BTreeSet<usize>>,
}

/// How an address is reached.
#[derive(Debug, Clone, Default)]
pub struct Entrance {
    /// Workloads that answer requests; empty if that is not known.
    pub workloads: BTreeSet<usize>,
    pub through: BTreeSet<ObjectRef>,
}

impl Wiring {
    pub fn entrance(&self, url: &str) -> Option<&Entrance> {
        self.entrances.get(without_scheme(url))
    }

    /// Workloads that name something at a line; none if that is not known.
    pub fn speakers(&self, place: Place) -> impl Iterator<Item = usize> {
        let found = self.speakers.get(&place).into_iter();
        found.flatten().copied()
    }

    /// Adds what the objects of one environment say about the workloads of a component.
    pub fn add(&mut self, workloads: &[Workload], statements: &[&Statement]) {
        // A single workload is the answer to everything.
        let is_open = workloads.len() > 1;
        let has_address = |statement: &&Statement| !statement.reached.urls.is_empty();
        if !is_open && !statements.iter().any(has_address) {
            return;
        }
        let some = if is_open {
            &workloads[..workloads.len().min(MOST_WIRED)]
        } else {
            &[]
        };
        let here = Here::index(some, statements);
        for statement in statements {
            for url in &statement.reached.urls {
                let entrance = self.entrances.entry(without_scheme(&url.url).to_owned());
                let entrance = entrance.or_default();
                entrance.through.extend(url.through.iter().cloned());
                entrance.workloads.extend(here.answering(url));
            }
            if is_open && !statement.references.is_empty() {
                self.add_speakers(&here, statement);
            }
        }
    }

    fn add_speakers(&mut self, here: &Here<'_>, statement: &Statement) {
        let own = statement.runs.workload.is_some();
        let users = if own {
            BTreeSet::new()
        } else {
            here.users(statement)
        };
        for reference in &statement.references {
            let speakers = if own {
                here.naming.get(&key(reference))
            } else {
                Some(&users)
            };
            if let Some(speakers) = speakers.filter(|speakers| !speakers.is_empty()) {
                let all = self.speakers.entry(reference.place).or_default();
                all.extend(speakers);
            }
        }
    }
}

type WireKey<'a> = (Relation, &'a Target);

fn key(reference: &Reference) -> WireKey<'_> {
    (reference.relation, &reference.target)
}

/// The workloads of one environment, and what leads to them.
struct Here<'a> {
    workloads: Vec<(usize, &'a Workload)>,
    /// Workloads by the objects that they name.
    naming: HashMap<WireKey<'a>, BTreeSet<usize>>,
    using: HashMap<&'a Target, BTreeSet<usize>>,
    services: HashMap<(&'a str, &'a str), &'a [(SmolStr, SmolStr)]>,
}

impl<'a> Here<'a> {
    fn index(workloads: &[Workload], statements: &[&'a Statement]) -> Here<'a> {
        let mut here = Here {
            workloads: Vec::new(),
            naming: HashMap::default(),
            using: HashMap::default(),
            services: HashMap::default(),
        };
        for statement in statements {
            if let Some(Routing::Service(labels)) = statement.reached.routing.as_deref() {
                let id = &statement.id;
                let key = (id.namespace.as_str(), id.name.as_str());
                here.services.insert(key, labels);
            }
            let Some(workload) = statement.runs.workload.as_deref() else {
                continue;
            };
            let is_it = |one: &Workload| one.kind == workload.kind && one.name == workload.name;
            let Some(at) = workloads.iter().position(is_it) else {
                continue;
            };
            here.workloads.push((at, workload));
            for reference in &statement.references {
                here.naming.entry(key(reference)).or_default().insert(at);
                let using = here.using.entry(&reference.target).or_default();
                using.insert(at);
            }
        }
        here
    }

    fn answering(&self, url: &UrlFact) -> BTreeSet<usize> {
        let backends = url.backends.iter();
        let answering = backends.flat_map(|service| self.behind(&service.namespace, &service.name));
        answering.collect()
    }

    /// The workloads whose pods a service hands requests to.
    fn behind(&self, namespace: &str, name: &str) -> impl Iterator<Item = usize> {
        let labels = self.services.get(&(namespace, name)).copied();
        // A Service without a selector gets its endpoints from elsewhere.
        let labels = labels.unwrap_or_default();
        let some = self.workloads.iter().filter(move |(_, workload)| {
            let has = |label| workload.labels.contains(label);
            !labels.is_empty() && workload.namespace == namespace && labels.iter().all(has)
        });
        some.map(|(at, _)| *at)
    }

    /// The workloads that an object is there for: that use it or what it makes, else that it leads to.
    fn users(&self, statement: &Statement) -> BTreeSet<usize> {
        let id = &statement.id;
        let itself = Target::object(&id.kind, &id.namespace, &id.name);
        let made = statement.provides.iter().chain([&itself]);
        let users = made.filter_map(|target| self.using.get(target));
        let users: BTreeSet<usize> = users.flatten().copied().collect();
        if !users.is_empty() {
            return users;
        }
        let backends = statement.references.iter();
        let backends = backends.filter(|reference| reference.relation == Relation::Backend);
        let behind = backends.filter_map(|reference| match &reference.target {
            Target::Object {
                namespace, name, ..
            } => Some(self.behind(namespace, name)),
            _ => None,
        });
        behind.flatten().collect()
    }
}

fn without_scheme(url: &str) -> &str {
    url.split_once("://").map_or(url, |(_, rest)| rest)
}
