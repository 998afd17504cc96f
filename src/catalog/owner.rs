//! Owner of a component: from the configuration, else from a label or annotation on one of its objects.

use super::Component;
use super::component::Named;
use super::gather::{main_part, objects};
use super::layer::candidates;
use crate::cluster::Clusters;
use crate::input::config::Config;

pub fn assign(components: &mut [Component], named: &[Named], clusters: &Clusters, config: &Config) {
    for (component, named) in components.iter_mut().zip(named) {
        let names = candidates(component);
        let configured = config.owners.iter().find(|owner| owner.matches(&names));
        let labelled = || {
            let draft = &named.draft;
            let main = main_part(draft, clusters).into_iter();
            let parts = main.chain(&draft.parts);
            let mut objects = parts.flat_map(|part| objects(part, clusters));
            objects
                .find_map(|object| Some(object.statement.labels.owner.as_ref()?.value.to_string()))
        };
        component.owner = configured.map(|owner| owner.name.clone()).or_else(labelled);
    }
}
