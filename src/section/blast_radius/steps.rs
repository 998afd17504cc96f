//! What to type to suspend and resume components. What applies a unit may put back that it is suspended: then that is
//! suspended before it, and resumed after it.

use std::collections::BTreeSet;

use crate::model::{Catalog, ClusterUnits, Component, UnitView};
use crate::source::{self, Verb};

/// Commands with the names of what they are about.
#[derive(Debug, Default)]
pub struct Steps<'a> {
    pub suspend: Vec<(&'a str, String)>,
    pub resume: Vec<(&'a str, String)>,
    /// Units that are here only because they would put others back.
    owners: Vec<&'a UnitView>,
    /// What nobody can suspend, and the unit that puts it back.
    kept: Vec<(&'a str, &'a UnitView)>,
}

impl<'a> Steps<'a> {
    /// For components in the order in which they may stop.
    pub fn of(catalog: &'a Catalog, components: &[&'a Component]) -> Steps<'a> {
        let mut steps = Steps::default();
        let mut own = Vec::new();
        for component in components {
            let Some((cluster, unit)) = unit(catalog, component) else {
                continue;
            };
            let Some(suspend) = command(unit, Verb::Suspend) else {
                continue;
            };
            let owners = owners(cluster, unit);
            let unable = owners
                .iter()
                .find(|it| command(it, Verb::Suspend).is_none());
            if let Some(owner) = unable {
                steps.kept.push((&component.title, owner));
                continue;
            }
            for owner in owners {
                if !steps.owners.iter().any(|known| known.id == owner.id) {
                    steps.owners.push(owner);
                    let first = command(owner, Verb::Suspend);
                    steps
                        .suspend
                        .extend(first.map(|it| (owner.id.name.as_str(), it)));
                }
            }
            steps.suspend.push((&component.title, suspend));
            own.push((component.title.as_str(), unit));
        }
        let is_owner = |unit: &UnitView| steps.owners.iter().any(|owner| owner.id == unit.id);
        let own = own.into_iter().rev().filter(|(_, unit)| !is_owner(unit));
        let owners = steps.owners.iter().rev();
        let owners = owners.map(|owner| (owner.id.name.as_str(), *owner));
        let resume = own.chain(owners);
        steps.resume = resume
            .filter_map(|(name, unit)| Some((name, command(unit, Verb::Resume)?)))
            .collect();
        // Several components may be of one unit.
        once(&mut steps.suspend);
        once(&mut steps.resume);
        steps
    }

    /// What to know about suspending, and about resuming.
    pub fn notes(&self) -> (String, String) {
        let mut suspend = "Nothing is suspended before what needs it.".to_owned();
        let mut resume = "Nothing is resumed before what it needs.".to_owned();
        if !self.owners.is_empty() {
            suspend.push_str(" What would undo it comes first.");
            resume.push_str(" What applies them comes last.");
        }
        let mut told = BTreeSet::new();
        for (_, owner) in &self.kept {
            if told.insert(&owner.id) {
                let kept = self.kept.iter().filter(|(_, by)| by.id == owner.id);
                let names: Vec<&str> = kept.map(|(name, _)| *name).collect();
                suspend.push_str(&format!(
                    " Not here: {}, since {} would undo it at once.",
                    names.join(", "),
                    owner.id
                ));
            }
        }
        (suspend, resume)
    }
}

/// The unit of a component, in the first cluster where it is kept up by itself.
fn unit<'a>(
    catalog: &'a Catalog,
    component: &Component,
) -> Option<(&'a ClusterUnits, &'a UnitView)> {
    let id = component.unit.as_ref()?;
    let found = catalog.clusters.iter();
    let found = found.filter_map(|cluster| Some((cluster, cluster.find(id)?)));
    found.min_by_key(|(_, unit)| !unit.upkeep.applies)
}

/// What would put back that a unit is suspended, and what would put that back, the last one first.
fn owners<'a>(cluster: &'a ClusterUnits, unit: &'a UnitView) -> Vec<&'a UnitView> {
    let mut owners: Vec<&UnitView> = Vec::new();
    let mut at = unit;
    while at.upkeep.is_stated {
        let owner = at.owner.as_ref().and_then(|owner| cluster.find(owner));
        let owner = owner.filter(|owner| owner.upkeep.reverts && !owner.suspended);
        // A unit may apply itself.
        let is_known = |owner: &UnitView| {
            owner.id == unit.id || owners.iter().any(|known| known.id == owner.id)
        };
        let Some(owner) = owner.filter(|owner| !is_known(owner)) else {
            break;
        };
        owners.push(owner);
        at = owner;
    }
    owners.reverse();
    owners
}

fn command(unit: &UnitView, verb: Verb) -> Option<String> {
    source::command(&unit.id, unit.upkeep, verb)
}

/// Each command where it comes first.
fn once(commands: &mut Vec<(&str, String)>) {
    let mut seen = BTreeSet::new();
    commands.retain(|(_, command)| seen.insert(command.clone()));
}
