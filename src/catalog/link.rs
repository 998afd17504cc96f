//! Links to dashboards, logs and consoles that the configuration defines, filled in for each environment.

use super::environment::is_production;
use super::layer::candidates;
use super::{Catalog, Component, Environment};
use crate::input::config::{Config, Link, Placeholder};

/// A link of a component, with the environments that it leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentLink<'c> {
    pub name: &'c str,
    pub url: String,
    /// Production first. Several if the address is the same in each.
    pub environments: Vec<&'c str>,
}

impl Catalog {
    /// The links of a component: in the order of the configuration, those of production first in each.
    pub fn links<'c>(
        &'c self,
        config: &'c Config,
        component: &'c Component,
    ) -> Vec<ComponentLink<'c>> {
        let mut links: Vec<ComponentLink<'c>> = Vec::new();
        let names = candidates(component);
        let is_about = |link: &&Link| {
            let kinds = &link.kinds;
            let is_kind = |kind: &String| kind.eq_ignore_ascii_case(&component.kind);
            let globs = &link.components;
            (kinds.is_empty() || kinds.iter().any(is_kind))
                && (globs.patterns().is_empty() || globs.any_match(&names))
        };
        let own: Vec<&Link> = config.links.iter().filter(is_about).collect();
        for environment in production_first(component) {
            let mut known: Vec<&str> = Vec::new();
            for link in &own {
                let globs = &link.environments;
                let is_here = globs.patterns().is_empty() || globs.any_match(&[&environment.name]);
                if !is_here || known.contains(&link.name.as_str()) {
                    continue;
                }
                let filled = link
                    .url
                    .filled(|name| self.value(name, component, environment));
                let Some(url) = filled else { continue };
                known.push(&link.name);
                let same =
                    |other: &&mut ComponentLink<'_>| other.name == link.name && other.url == url;
                match links.iter_mut().find(same) {
                    Some(other) => other.environments.push(&environment.name),
                    None => links.push(ComponentLink {
                        name: &link.name,
                        url,
                        environments: vec![&environment.name],
                    }),
                }
            }
        }
        let position = |name: &str| config.links.iter().position(|link| link.name == name);
        links.sort_by_key(|link| position(link.name));
        links
    }

    /// What a placeholder stands for in an environment; none if that is unknown.
    fn value<'c>(
        &'c self,
        placeholder: Placeholder,
        component: &'c Component,
        environment: &'c Environment,
    ) -> Option<&'c str> {
        let (_, unit) = &environment.unit;
        Some(match placeholder {
            Placeholder::Component => &component.id.0,
            Placeholder::Namespace => &environment.namespace,
            Placeholder::Environment => &environment.name,
            Placeholder::Cluster => {
                let mut all = self.environments.iter();
                let found = all.find(|one| one.name == environment.name)?;
                &self.clusters[found.cluster].name
            }
            Placeholder::Release => environment.release.as_deref()?,
            Placeholder::Unit => &unit.name,
            Placeholder::UnitNamespace => &unit.namespace,
            Placeholder::Kind => &component.kind,
            Placeholder::Version => environment.version.as_deref()?,
            Placeholder::Owner => component.owner.as_deref()?,
        })
    }
}

fn production_first(component: &Component) -> Vec<&Environment> {
    let mut environments: Vec<&Environment> = component.environments.iter().collect();
    environments.sort_by_key(|one| !is_production(&one.name));
    environments
}
