//! Components and units by the names that people type: component ids and titles, and names of units.
//! One lookup for every command, so that all of them accept the same names.

use std::collections::{BTreeMap, BTreeSet};

use thiserror::Error;

use super::{Catalog, Component, ComponentIx};
use crate::facts::UnitId;
use base::text::nearest;

/// A name that no component or unit has.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no component `{name}`; {}", self.help())]
pub struct UnknownName {
    pub name: String,
    /// The known name that is most like it.
    pub nearest: Option<String>,
}

impl UnknownName {
    fn help(&self) -> String {
        match &self.nearest {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "`catalog graph --format json` lists all components".to_owned(),
        }
    }
}

/// The name of an environment that a component is not in.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{component}` is not in the environment `{name}`; {}", self.help())]
pub struct UnknownEnvironment {
    pub component: String,
    pub name: String,
    /// The environments that it is in.
    pub known: Vec<String>,
}

impl UnknownEnvironment {
    pub fn new(component: &Component, name: &str) -> UnknownEnvironment {
        let known = component.environments.iter();
        UnknownEnvironment {
            component: component.title.clone(),
            name: name.to_owned(),
            known: known.map(|one| one.name.clone()).collect(),
        }
    }

    fn help(&self) -> String {
        let known: Vec<&str> = self.known.iter().map(String::as_str).collect();
        match (nearest(&self.name, &known), known.as_slice()) {
            (Some(meant), _) => format!("did you mean `{meant}`?"),
            (None, []) => "it runs in none".to_owned(),
            (None, known) => format!("it runs in {}", known.join(", ")),
        }
    }
}

/// Longer names are not compared with others, because that takes time and they are no typing mistakes.
const LONGEST_NAME: usize = 200;
/// Units that create units more levels deep than this are not followed.
const MOST_OWNERS: usize = 64;

impl Catalog {
    /// Positions of the components with a name. The name is, in this order, a component's id, its title, or the name
    /// of a unit. A unit means its own components, or those of the units that it creates.
    pub fn components_named(&self, name: &str) -> Result<Vec<ComponentIx>, UnknownName> {
        let found = self.component_at(name).map_or_else(
            || {
                let units: BTreeSet<&UnitId> = self.units_with_name(name).collect();
                self.components_of_units(&units)
            },
            |position| vec![position],
        );
        if found.is_empty() {
            return Err(self.unknown(name));
        }
        Ok(found)
    }

    /// The units with a name: that of a component with this id or title, or those with this name.
    pub fn units_named(&self, name: &str) -> Result<Vec<UnitId>, UnknownName> {
        let component = self.component_at(name).map(|at| &self.components[at]);
        if let Some(unit) = component.and_then(|component| component.unit.clone()) {
            return Ok(vec![unit]);
        }
        let units: BTreeSet<&UnitId> = self.units_with_name(name).collect();
        if units.is_empty() {
            return Err(self.unknown(name));
        }
        Ok(units.into_iter().cloned().collect())
    }

    /// The error for a name that nothing has, with the name that is most like it.
    pub fn unknown(&self, name: &str) -> UnknownName {
        let ids = self.components.iter().map(|one| one.id.0.as_str());
        let titles = self.components.iter().map(|one| one.title.as_str());
        let units = self.unit_ids().map(|unit| unit.name.as_str());
        let known: Vec<&str> = ids.chain(titles).chain(units).collect();
        let is_comparable = name.len() <= LONGEST_NAME;
        let nearest = is_comparable.then(|| nearest(name, &known)).flatten();
        UnknownName {
            name: name.to_owned(),
            nearest: nearest.map(str::to_owned),
        }
    }

    fn component_at(&self, name: &str) -> Option<ComponentIx> {
        let with = |is_it: &dyn Fn(&Component) -> bool| {
            self.components.find_index(|component| is_it(component))
        };
        with(&|one| one.id.0 == name)
            .or_else(|| with(&|one| one.title == name))
            .or_else(|| with(&|one| one.title.eq_ignore_ascii_case(name)))
    }

    fn unit_ids(&self) -> impl Iterator<Item = &UnitId> {
        let clusters = self.clusters.iter();
        clusters.flat_map(|cluster| cluster.units.iter().map(|unit| &unit.id))
    }

    /// By name, `namespace/name` or `kind/name`.
    fn units_with_name<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a UnitId> {
        self.unit_ids().filter(move |unit| {
            let kind = name.strip_suffix(unit.name.as_str());
            let kind = kind.and_then(|kind| kind.strip_suffix('/'));
            let is_kind = kind.is_some_and(|kind| kind.eq_ignore_ascii_case(&unit.kind));
            unit.name == name || is_kind || unit.qualified() == name
        })
    }

    /// Components of these units, else those of the units that they create.
    fn components_of_units(&self, units: &BTreeSet<&UnitId>) -> Vec<ComponentIx> {
        if units.is_empty() {
            return Vec::new();
        }
        let own = |component: &Component| {
            let mut resources = component.resources.iter().map(|resource| &resource.id);
            units_of(component).any(|unit| units.contains(unit))
                || resources.any(|id| {
                    let is_unit = |unit: &&&UnitId| {
                        unit.name == id.name
                            && unit.namespace == id.namespace
                            && unit.kind == id.kind
                    };
                    units.iter().any(|unit| is_unit(&unit))
                })
        };
        let direct = self.positions(own);
        if !direct.is_empty() {
            return direct;
        }
        let views = self.clusters.iter().flat_map(|cluster| &cluster.units);
        let owners: BTreeMap<&UnitId, &UnitId> = views
            .filter_map(|unit| Some((&unit.id, unit.owner.as_ref()?)))
            .collect();
        let above = |unit: &UnitId| {
            let chain = std::iter::successors(owners.get(unit), |owner| owners.get(**owner));
            chain.take(MOST_OWNERS).any(|owner| units.contains(owner))
        };
        self.positions(|component| units_of(component).any(above))
    }

    fn positions(&self, is_it: impl Fn(&Component) -> bool) -> Vec<ComponentIx> {
        let components = self.components.iter_enumerated();
        components
            .filter(|(_, component)| is_it(component))
            .map(|(position, _)| position)
            .collect()
    }
}

/// The unit to suspend, and the units that apply the component in each environment.
fn units_of(component: &Component) -> impl Iterator<Item = &UnitId> {
    let environments = component.environments.iter().map(|one| &one.unit.1);
    component.unit.iter().chain(environments)
}
