//! Facts that a built object states: its references, the objects it provides, its workloads.

use std::sync::Arc;

use smol_str::SmolStr;

use super::release::ChartSource;
use super::unit::{SourceRef, Unit, UnitId};
use super::{Located, Relation, Resource, ResourceId};
use base::Place;

/// Facts about one object: those that most objects have, and groups of those that only some kinds have.
#[derive(Debug, Clone, Default)]
pub struct Statement {
    pub id: ResourceId,
    pub place: Place,
    /// Shared with the cluster that has the unit.
    pub unit: Option<Arc<Unit>>,
    pub references: Vec<Reference>,
    /// Further objects that exist because of this one.
    pub provides: Vec<Target>,
    pub settings: Vec<SettingFact>,
    pub alerts: Vec<Alert>,
    /// Further facts worth showing, such as the store that a secret is read from.
    pub details: Vec<Detail>,
    pub labels: LabelFacts,
    pub runs: RunFacts,
    pub reached: ReachFacts,
    pub supplies: SupplyFacts,
    pub order: ObjectOrder,
    pub namespaces: NamespaceFacts,
    /// It says itself that several may apply it.
    pub is_shared: bool,
}

/// What labels and annotations name.
#[derive(Debug, Clone, Default)]
pub struct LabelFacts {
    pub layer: Option<Box<Located<SmolStr>>>,
    pub owner: Option<Box<Located<SmolStr>>>,
    pub description: Option<Box<Located<SmolStr>>>,
    pub more: Option<Box<MoreLabels>>,
}

/// Labels and annotations that few objects have.
#[derive(Debug, Clone, Default)]
pub struct MoreLabels {
    /// Where people ask: a channel or an address.
    pub contact: Option<Located<SmolStr>>,
    /// The repository with the source code.
    pub source_code: Option<Located<SmolStr>>,
}

/// What an object runs and stores.
#[derive(Debug, Clone, Default)]
pub struct RunFacts {
    /// Objects are many, and few run something.
    pub workload: Option<Box<Workload>>,
    /// Images that it names other than through a workload.
    pub images: Vec<Located<SmolStr>>,
    pub volumes: Vec<Volume>,
    /// Objects are many, and few run something.
    pub version: Option<Box<RunVersion>>,
}

/// The version of the application that an object runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunVersion {
    /// The name of its image, or of the object if that states the version itself.
    pub application: SmolStr,
    pub version: SmolStr,
}

/// How requests reach an object.
#[derive(Debug, Clone, Default)]
pub struct ReachFacts {
    pub urls: Vec<UrlFact>,
    /// Objects are many, and few let requests in.
    pub routing: Option<Box<Routing>>,
    pub ports: Vec<SmolStr>,
    /// Hosts that it has a certificate for.
    pub certified: Vec<SmolStr>,
}

/// What other units and objects take from an object.
#[derive(Debug, Clone, Default)]
pub struct SupplyFacts {
    /// For objects that files or charts come from.
    pub source: Option<Box<ChartSource>>,
    /// Directories of this repo under the names that other units know them by.
    pub artifacts: Vec<Artifact>,
    /// Keys and values that units may take variables from; a secret's values are not known.
    pub variables: Vec<Variable>,
    /// Whether there may be further variables, because a file could not be read.
    pub has_more_variables: bool,
    /// Host of the external service that a secret store reads from.
    pub reads_from: Option<&'static str>,
    /// The object itself, if it takes values from others that become known later.
    pub values_from: Option<Arc<Resource>>,
    /// For a CRD: the versions of its type that the API server serves, as `GROUP/VERSION/KIND`.
    pub api_versions: Vec<SmolStr>,
}

/// When an object is applied among those of its unit, and what it waits for.
#[derive(Debug, Clone, Default)]
pub struct ObjectOrder {
    /// Units that this object waits for itself, regardless of its unit's dependencies.
    pub awaits: Vec<Await>,
    /// When its unit applies it: after all objects with a lower number, once those are ready.
    pub sync_wave: i64,
    /// The reconciler, by its API group, that does not apply it.
    pub left_out_by: Option<&'static str>,
    /// Its unit is applied even while its type is not known.
    pub is_let_through: bool,
    /// Its type is looked for before anything of its run is applied.
    pub is_tried_first: bool,
    /// API groups whose objects are rejected while its webhook does not answer.
    pub guards: Vec<SmolStr>,
    /// Its program puts it in order among single objects, which units do not show.
    pub is_in_order: bool,
}

/// What an object says about namespaces.
#[derive(Debug, Clone, Default)]
pub struct NamespaceFacts {
    /// It defines a type whose objects live in namespaces.
    pub defines_namespaced: bool,
    /// It names namespaces that the chart that it installs may make.
    pub names_namespaces: bool,
}

/// An object waits for a unit.
#[derive(Debug, Clone)]
pub struct Await {
    pub on: UnitId,
    pub sees: Sees,
    pub relation: Relation,
    pub place: Place,
}

/// How far a unit must be for those that wait for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sees {
    /// The unit is ready according to its gate.
    Ready,
    /// All its workloads are ready, regardless of its gate.
    Running,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    pub name: SmolStr,
    /// None when the value is secret.
    pub value: Option<SmolStr>,
    pub place: Place,
    /// Each line of the value is one of the file's, from its place on.
    pub has_lines: bool,
}

/// A named bundle of files copied out of sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    pub name: SmolStr,
    pub namespace: SmolStr,
    pub copies: Vec<ArtifactCopy>,
}

/// A directory inside an artifact, and the directory of a source that it is a copy of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactCopy {
    pub to: SmolStr,
    pub source: SourceRef,
    pub from: SmolStr,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reference {
    pub relation: Relation,
    pub target: Target,
    pub place: Place,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// An object; the group is left out because references in manifests mostly do.
    Object {
        kind: SmolStr,
        namespace: SmolStr,
        name: SmolStr,
    },
    /// An API type: its CRD must exist.
    Api { group: SmolStr, kind: SmolStr },
    /// A public host, as routes and ingresses state it.
    Address { host: SmolStr },
    /// A host name inside the cluster.
    Host {
        service: SmolStr,
        namespace: SmolStr,
    },
    /// An external resource, by the host of its service and its name there.
    Outside { service: SmolStr, name: SmolStr },
    /// The same where a store knows the service.
    Behind {
        /// Apart, since few references are of this kind and all have the room of the largest.
        store: Box<StoreRef>,
        name: SmolStr,
    },
}

/// An object through which others read from outside.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StoreRef {
    pub kind: SmolStr,
    pub namespace: SmolStr,
    pub name: SmolStr,
}

impl Target {
    pub fn outside(service: &str, name: &str) -> Target {
        Target::Outside {
            service: service.into(),
            name: name.into(),
        }
    }

    pub fn object(kind: &str, namespace: &str, name: &str) -> Target {
        Target::Object {
            kind: kind.into(),
            namespace: namespace.into(),
            name: name.into(),
        }
    }
}

/// Something that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workload {
    pub kind: SmolStr,
    pub name: SmolStr,
    pub namespace: SmolStr,
    pub replicas: Option<SmolStr>,
    pub images: Vec<Located<SmolStr>>,
    /// The names of its containers, init containers included.
    pub containers: Vec<SmolStr>,
    /// Containers that have limits, and what they are.
    pub limits: Vec<Limits>,
    /// The probes of its containers.
    pub probes: Vec<Probe>,
    /// The labels of its pods.
    pub labels: Vec<(SmolStr, SmolStr)>,
}

/// As much as a container may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    pub container: SmolStr,
    pub memory: Option<Located<SmolStr>>,
    pub cpu: Option<SmolStr>,
}

/// A question that the kubelet asks a container again and again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    pub container: SmolStr,
    /// `startup`, `readiness` or `liveness`.
    pub purpose: &'static str,
    /// `GET :8080/healthz`, `TCP :6379`, `gRPC :9000` or `exec pg_isready`.
    pub check: SmolStr,
}

/// An alerting rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alert {
    pub name: SmolStr,
    pub expression: SmolStr,
    /// How long the condition must hold.
    pub lasting: Option<SmolStr>,
    pub severity: Option<SmolStr>,
    /// One-line description.
    pub summary: Option<SmolStr>,
    /// Address of the runbook, as written.
    pub runbook: Option<Located<SmolStr>>,
    pub place: Place,
}

/// A field of an object under the name that people know it by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Detail {
    pub name: &'static str,
    pub value: SmolStr,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlFact {
    pub url: String,
    pub place: Place,
    /// The services that answer there, as far as they are named.
    pub backends: Vec<ObjectRef>,
    /// Gateways or ingress controllers that requests pass through, if named.
    pub through: Vec<ObjectRef>,
}

/// An object that another one names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectRef {
    pub kind: SmolStr,
    pub namespace: SmolStr,
    pub name: SmolStr,
}

/// The part that an object has in how requests come in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Routing {
    /// It lets them in.
    Gateway(Vec<Listener>),
    /// Its addresses are reached through others, and whether they are encrypted those say.
    Route(Vec<Through>),
    /// It leads hosts from outside to services.
    Tunnel,
    /// It hands them to the pods that have all of these labels.
    Service(Vec<(SmolStr, SmolStr)>),
}

/// A way into a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listener {
    pub name: SmolStr,
    pub port: SmolStr,
    pub encryption: Encryption,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    Plain,
    Encrypted,
}

/// The parent of a route: a whole object or one of its listeners.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Through {
    pub kind: SmolStr,
    pub namespace: SmolStr,
    pub name: SmolStr,
    pub listener: Option<SmolStr>,
    pub port: Option<SmolStr>,
}

impl Through {
    pub fn takes(&self, listener: &Listener) -> bool {
        let fits = |wanted: &Option<SmolStr>, has: &SmolStr| {
            wanted.as_ref().is_none_or(|wanted| wanted == has)
        };
        fits(&self.listener, &listener.name) && fits(&self.port, &listener.port)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Volume {
    /// Name in the manifest that requests it.
    pub name: SmolStr,
    pub namespace: SmolStr,
    pub claim: Claim,
    pub size: Option<SmolStr>,
    pub class: Option<SmolStr>,
    pub place: Place,
}

/// How a volume is claimed, which says what its claims are called and how they grow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// By an object of the volume's name.
    Itself,
    /// By a template of the StatefulSet of this name, once for each of its pods. It cannot be given another size.
    Template(SmolStr),
    /// By an operator, which makes claims with this label and lets them grow.
    Operator(SmolStr),
    /// By an object of the volume's name that something else declares.
    Existing,
    /// By a chart or an operator, under a name that no file states; or not at all, as a share of files.
    Unnamed,
}

/// A parameter of a component in one environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingFact {
    pub name: SmolStr,
    /// None when it is secret.
    pub value: Option<SmolStr>,
    pub place: Place,
}
