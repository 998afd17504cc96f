//! Commands to suspend and resume components. A unit's owner may revert the suspension. Such owners are suspended first
//! and resumed last.

use std::collections::BTreeSet;

use crate::catalog::{Catalog, ClusterUnits, Component, Environment, UnitView};
use crate::sources::{self, Verb};
use base::text::plural;

/// Commands, each with the name of its component unless the command itself contains it.
pub type Commands<'a> = Vec<(Option<&'a str>, String)>;

#[derive(Debug, Default)]
pub struct Steps<'a> {
    pub suspend: Commands<'a>,
    pub resume: Commands<'a>,
    /// Units that are here only because they would put others back.
    owners: Vec<&'a UnitView>,
    /// Components that cannot be suspended, each with the unit that would revert it.
    kept: Vec<(&'a str, &'a UnitView)>,
}

impl<'a> Steps<'a> {
    /// For components in the order in which they may stop, each as the environment has it that is meant.
    pub fn plan(catalog: &'a Catalog, running: &[(&'a Component, &'a Environment)]) -> Steps<'a> {
        let mut steps = Steps::default();
        let mut own = Vec::new();
        for (component, environment) in running {
            let Some((cluster, unit)) = unit(catalog, environment) else {
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
                    steps.suspend.extend(first.map(|command| (None, command)));
                }
            }
            steps.suspend.push((named(component, &suspend), suspend));
            own.push((Some(*component), unit));
        }
        let is_owner = |unit: &UnitView| steps.owners.iter().any(|owner| owner.id == unit.id);
        let own = own.into_iter().rev().filter(|(_, unit)| !is_owner(unit));
        let owners = steps.owners.iter().rev();
        let resume = own.chain(owners.map(|owner| (None, *owner)));
        let resume = resume.filter_map(|(component, unit)| {
            let command = command(unit, Verb::Resume)?;
            Some((component.and_then(|it| named(it, &command)), command))
        });
        steps.resume = resume.collect();
        // Several components may be of one unit.
        once(&mut steps.suspend);
        once(&mut steps.resume);
        steps
    }

    /// Notes about suspending and about resuming.
    pub fn notes(&self) -> (String, String) {
        let mut suspend = "Dependents are suspended first.".to_owned();
        let mut resume = "Dependencies are resumed first.".to_owned();
        if !self.owners.is_empty() {
            suspend.push_str(" Controllers that would re-apply them go before them.");
            resume.push_str(&format!(" Parent {} resume last.", self.owner_kinds()));
        }
        let mut told = BTreeSet::new();
        for (_, owner) in &self.kept {
            if told.insert(&owner.id) {
                let kept = self.kept.iter().filter(|(_, by)| by.id == owner.id);
                let names: Vec<&str> = kept.map(|(name, _)| *name).collect();
                suspend.push_str(&format!(
                    " Not listed: {}. {} would revert the change immediately.",
                    names.join(", "),
                    owner.id
                ));
            }
        }
        (suspend, resume)
    }

    /// The kinds of the owners, in the plural: `Kustomizations`, `Applications and Kustomizations`.
    fn owner_kinds(&self) -> String {
        let kinds: BTreeSet<&str> = self.owners.iter().map(|it| it.id.kind.as_str()).collect();
        let plurals: Vec<String> = kinds.iter().map(|kind| plural(kind)).collect();
        plurals.join(" and ")
    }
}

/// The title of a component, unless a command has its name.
fn named<'a>(component: &'a Component, command: &str) -> Option<&'a str> {
    let is_said = command.split(' ').any(|word| word == component.id.0);
    (!is_said).then_some(component.title.as_str())
}

/// The unit that brings a component to an environment, in the cluster that leads there.
fn unit<'a>(
    catalog: &'a Catalog,
    environment: &Environment,
) -> Option<(&'a ClusterUnits, &'a UnitView)> {
    let (declared_in, id) = &environment.unit;
    let mut known = catalog.environments.iter();
    let leads = known.find(|known| known.name == environment.name);
    let leads = leads.map(|known| &catalog.clusters[known.cluster]);
    let mut clusters = leads.into_iter().chain(catalog.clusters.iter());
    clusters.find_map(|cluster| Some((cluster, cluster.find_in(*declared_in, id)?)))
}

/// Units that would revert the suspension of `unit`, directly or through another owner; the outermost first.
fn owners<'a>(cluster: &'a ClusterUnits, unit: &'a UnitView) -> Vec<&'a UnitView> {
    let mut owners: Vec<&UnitView> = Vec::new();
    let mut at = unit;
    while at.sync_policy.is_stated {
        let owner = at.owner.as_ref().and_then(|owner| cluster.find(owner));
        let owner = owner.filter(|owner| owner.sync_policy.reverts && !owner.suspended);
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
    sources::command(&unit.id, unit.sync_policy, verb)
}

/// Each command where it comes first.
fn once(commands: &mut Commands<'_>) {
    let mut seen = BTreeSet::new();
    commands.retain(|(_, command)| seen.insert(command.clone()));
}
