//! Which units create which namespaces, and which objects block the creation of their own. If a whole unit is dry-run before
//! any of it is applied, the units that it creates can never create a namespace for it.

use std::collections::BTreeMap;
use std::iter;

use super::StartupOrder;
use crate::cluster::{Cluster, Destination, Object, UnitIx};
use crate::facts::{BootstrapExtent, Relation, Release, Statement, Target};
use crate::sources::inventory::Inventory;
use base::hash::{HashMap, HashSet};
use base::text::has_gap;

/// Namespaces that every cluster has; cluster-scoped objects have none.
const BUILT_IN: &[&str] = &[
    "",
    "default",
    "kube-system",
    "kube-public",
    "kube-node-lease",
];

/// How the names of namespaces begin that OpenShift and its operators create. Nobody else may create them.
const OF_OPENSHIFT: &str = "openshift-";

/// The namespaces that exist or will exist, and what creates them.
pub struct Namespaces<'a> {
    by_name: HashMap<&'a str, Comes>,
    /// Units that create namespaces with unknown names; None for the entry point.
    unclear: Vec<Option<UnitIx>>,
    /// Namespaced types that the cluster defines, by group and kind.
    types: HashSet<(&'a str, &'a str)>,
}

enum Comes {
    ByItself,
    /// Created by units.
    From(Vec<UnitIx>),
}

/// Objects of a unit in a namespace that cannot exist until the unit has been applied.
pub struct Trapped<'a> {
    pub unit: UnitIx,
    pub namespace: &'a str,
    pub objects: Vec<&'a Object>,
    /// The units that would create it: at least one.
    pub makers: Vec<UnitIx>,
}

impl<'a> Namespaces<'a> {
    pub(super) fn from_cluster(cluster: &'a Cluster, inventory: &'a Inventory) -> Namespaces<'a> {
        let mut namespaces = Namespaces {
            by_name: HashMap::default(),
            unclear: Vec::new(),
            types: HashSet::default(),
        };
        for (unit, object) in cluster.objects() {
            let statement = &object.statement;
            if statement.id.is("", "Namespace") {
                namespaces.add(&statement.id.name, unit);
            }
            for made in &statement.provides {
                match made {
                    Target::Object { kind, name, .. } if kind == "Namespace" => {
                        namespaces.add(name, None);
                    }
                    Target::Api { group, kind } if statement.namespaces.defines_namespaced => {
                        namespaces.types.insert((group, kind));
                    }
                    _ => {}
                }
            }
            let Some(declared) = &statement.unit else {
                continue;
            };
            for (release, _) in declared.releases() {
                if release.creates_namespace {
                    let maker = cluster.position_in(cluster.target_of(unit), &declared.id);
                    namespaces.add(&release.target_namespace, maker);
                }
            }
        }
        BUILT_IN.iter().for_each(|name| namespaces.add(name, None));
        // The units at the entry point, and releases installed before them, already have a namespace.
        let roots = cluster.units.iter_enumerated();
        let roots = roots.filter(|(index, unit)| unit.owner.is_none_or(|owner| owner == *index));
        roots.for_each(|(_, unit)| namespaces.add(&unit.unit.id.namespace, None));
        let first = inventory.bootstrapped.iter();
        let installed = first.filter(|first| first.extent == BootstrapExtent::Release);
        installed.for_each(|release| namespaces.add(&release.namespace, None));
        let by_hand = inventory.exists_first.namespaces.iter();
        by_hand.for_each(|name| namespaces.add(name, None));
        namespaces
    }

    fn add(&mut self, name: &'a str, maker: Option<UnitIx>) {
        if has_gap(name) {
            self.unclear.push(maker);
        }
        let makers = self.by_name.entry(name);
        let makers = makers.or_insert_with(|| Comes::From(Vec::new()));
        match (maker, &mut *makers) {
            (Some(maker), Comes::From(makers)) => makers.push(maker),
            (Some(_), Comes::ByItself) => {}
            (None, _) => *makers = Comes::ByItself,
        }
    }

    /// Whether a namespace exists or will exist.
    pub fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name) || name.starts_with(OF_OPENSHIFT)
    }

    /// Whether an object is known to be namespaced.
    fn holds(&self, object: &Object) -> bool {
        let id = &object.statement.id;
        if is_custom(&object.statement) {
            self.types.contains(&(id.group.as_str(), id.kind.as_str()))
        } else {
            is_namespaced(object)
        }
    }
}

impl<'a> StartupOrder<'a> {
    /// Objects that block the creation of their namespace, by unit. Leaves out namespaces that something else may create.
    pub fn trapped(&self) -> Vec<Trapped<'a>> {
        let mut trapped = self.caught();
        if trapped.is_empty() {
            return trapped;
        }
        let doubts = Doubts::from_order(self, &trapped);
        trapped.retain(|one| doubts.allow(self, one));
        // Fixing a unit also fixes the units that it creates.
        let all: HashSet<(UnitIx, &str)> = trapped
            .iter()
            .map(|one| (one.unit, one.namespace))
            .collect();
        trapped.retain(|one| {
            let mut above = self.above(one.unit, &doubts.doubled);
            !above.any(|unit| all.contains(&(unit, one.namespace)))
        });
        trapped
    }

    /// Objects whose namespace is only created by units that their own unit creates.
    fn caught(&self) -> Vec<Trapped<'a>> {
        let none = HashSet::default();
        let mut later: BTreeMap<UnitIx, HashMap<&'a str, &[UnitIx]>> = BTreeMap::new();
        for (name, comes) in &self.namespaces.by_name {
            let Comes::From(makers) = comes else {
                continue;
            };
            if has_gap(name) {
                continue;
            }
            for unit in self.above_all(makers, &none) {
                let is_tried = self.unit(unit).unit.apply.dry_runs_whole && self.is_steady(unit);
                if is_tried && !self.has_seen(unit, name) {
                    later.entry(unit).or_default().insert(*name, makers);
                }
            }
        }
        let mut caught = Vec::new();
        for (unit, later) in later {
            let mut by_name: BTreeMap<&str, Trapped<'a>> = BTreeMap::new();
            let applied = self.unit(unit).applied.iter();
            for object in applied.flat_map(|applied| &applied.objects) {
                let statement = &object.statement;
                let Some((namespace, makers)) =
                    later.get_key_value(statement.id.namespace.as_str())
                else {
                    continue;
                };
                // Shared objects may be applied by another unit.
                if statement.is_shared || !self.namespaces.holds(object) {
                    continue;
                }
                let one = by_name.entry(namespace).or_insert_with(|| Trapped {
                    unit,
                    namespace,
                    objects: Vec::new(),
                    makers: makers.to_vec(),
                });
                one.objects.push(object);
            }
            caught.extend(by_name.into_values());
        }
        caught
    }

    /// Whether a namespace exists when a unit is applied: the unit or its source is in it, or the same is true of a unit
    /// that creates it.
    fn has_seen(&self, unit: UnitIx, namespace: &str) -> bool {
        let owner = |at: &UnitIx| self.unit(*at).owner.filter(|owner| owner < at);
        iter::successors(Some(unit), owner).any(|at| {
            let unit = &self.unit(at).unit;
            let mut sources = unit.builds().map(|build| &build.source.namespace);
            unit.id.namespace == namespace || sources.any(|source| source == namespace)
        })
    }

    /// Whether a unit is applied to this cluster as soon as it exists.
    fn is_steady(&self, unit: UnitIx) -> bool {
        let here = &self.unit(unit).unit;
        !here.suspended
            && !here.may_be_applied_by_hand()
            && self.unit(unit).target == Destination::HERE
    }

    /// The unit that creates a unit, the one that creates that one, and so on, as long as this is certain.
    fn above(&self, unit: UnitIx, doubled: &HashSet<UnitIx>) -> impl Iterator<Item = UnitIx> {
        // An owner has a lower index than its units, so this ends.
        let owner = |unit: UnitIx| {
            let is_sure = self.is_steady(unit) && !doubled.contains(&unit);
            let owner = self.unit(unit).owner;
            owner.filter(|owner| is_sure && *owner < unit)
        };
        iter::successors(owner(unit), move |unit| owner(*unit))
    }

    /// The units that all of these are created by, directly or indirectly.
    fn above_all(&self, units: &[UnitIx], doubled: &HashSet<UnitIx>) -> Vec<UnitIx> {
        let Some((first, others)) = units.split_first() else {
            return Vec::new();
        };
        let mut common: Vec<UnitIx> = self.above(*first, doubled).collect();
        for other in others {
            if common.is_empty() {
                break;
            }
            let above: Vec<UnitIx> = self.above(*other, doubled).collect();
            common.retain(|unit| above.contains(unit));
        }
        common
    }
}

/// Anything else that may create the namespaces of trapped objects.
struct Doubts<'a> {
    /// Units that several others declare, so that their owner is uncertain.
    doubled: HashSet<UnitIx>,
    /// Units that may create a namespace; None for the entry point.
    makers: HashMap<&'a str, Vec<Option<UnitIx>>>,
    /// The units that create all units which may create any namespace; None if there are no such units.
    above: Option<Vec<UnitIx>>,
}

impl<'a> Doubts<'a> {
    fn from_order(order: &StartupOrder<'a>, trapped: &[Trapped<'a>]) -> Doubts<'a> {
        let cluster = order.cluster;
        let mut doubts = Doubts {
            doubled: HashSet::default(),
            makers: HashMap::default(),
            above: None,
        };
        let mut any: Vec<Option<UnitIx>> = Vec::new();
        let names: HashSet<&'a str> = trapped.iter().map(|one| one.namespace).collect();
        for (applying, object) in cluster.objects() {
            let statement = &object.statement;
            let id = &statement.id;
            // Some controllers create a namespace with the name of their object.
            if let Some(name) = names.get(id.name.as_str())
                && id.namespace != *name
                && statement.unit.is_none()
                && is_custom(statement)
            {
                doubts.makers.entry(name).or_default().push(applying);
            }
            let declared = statement.unit.as_ref();
            let declared_in = cluster.target_of(applying);
            let Some(unit) = declared.and_then(|unit| cluster.position_in(declared_in, &unit.id))
            else {
                continue;
            };
            if cluster.units[unit].owner != applying {
                doubts.doubled.insert(unit);
            }
            // A chart may create namespaces named in its values or in its templates.
            let mut releases = declared.into_iter().flat_map(|unit| unit.releases());
            if statement.namespaces.names_namespaces
                || releases.any(|(release, _)| has_namespaces(order, release))
            {
                any.push(Some(unit));
            }
        }
        let unknown = order.unknown.iter().copied().map(Some);
        let unclear = order.namespaces.unclear.iter().copied();
        let loose = cluster.loose.is_in_part().then_some(None);
        any.extend(unknown.chain(unclear).chain(loose));
        if !any.is_empty() {
            let units: Option<Vec<UnitIx>> = any.into_iter().collect();
            let above = units.map(|units| order.above_all(&units, &doubts.doubled));
            doubts.above = Some(above.unwrap_or_default());
        }
        doubts
    }

    /// Whether everything that may create the namespace is created by the trapped unit.
    fn allow(&self, order: &StartupOrder<'a>, trapped: &Trapped<'a>) -> bool {
        let unit = trapped.unit;
        let is_above = |other: UnitIx| order.above(other, &self.doubled).any(|at| at == unit);
        let mut makers = trapped.makers.iter();
        let mut others = self.makers.get(trapped.namespace).into_iter().flatten();
        let above = self.above.as_ref();
        makers.all(|maker| is_above(*maker))
            && others.all(|other| other.is_some_and(is_above))
            && above.is_none_or(|above| above.contains(&unit))
    }
}

/// Whether the chart of a release is in the repository and has a Namespace.
fn has_namespaces(order: &StartupOrder<'_>, release: &Release) -> bool {
    let name = release.chart.as_ref().and_then(|chart| chart.name.as_ref());
    let chart = name.and_then(|name| order.inventory.chart_at(order.repo, &name.value));
    chart.is_some_and(|chart| chart.has_namespaces)
}

fn is_custom(statement: &Statement) -> bool {
    let mut references = statement.references.iter();
    references.any(|reference| reference.relation == Relation::CustomResource)
}

/// Whether an object is of a built-in kind. Cluster-scoped objects have no namespace anyway.
pub fn is_namespaced(object: &Object) -> bool {
    !is_custom(&object.statement)
}
