//! Origins of CRDs other than manifests: components whose charts install them, and releases that people install by
//! hand before bootstrapping.

use smol_str::SmolStr;

use super::CheckContext;
use crate::catalog::{ComponentIx, ComponentParts};
use crate::facts::Bootstrapped;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origins {
    /// In order, each once.
    pub installers: Vec<Installer>,
    pub bootstrapped: Vec<Bootstrapped>,
}

/// A component whose release installs CRDs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Installer {
    pub group: SmolStr,
    /// Empty for all kinds of the group.
    pub kind: SmolStr,
    pub component: ComponentIx,
}

pub fn origins(context: &CheckContext<'_>, parts: &ComponentParts) -> Origins {
    let releases = parts.releases();
    let mut installers = Vec::new();
    for (cluster, order) in context.orders.iter_enumerated() {
        for provider in &order.providers {
            // CRDs that a unit applies are already among its objects.
            let component = releases.get(&(cluster, provider.unit));
            let Some(component) = component.filter(|_| provider.is_release()) else {
                continue;
            };
            let apis = provider.apis.iter();
            installers.extend(apis.map(|(group, kind)| Installer {
                group: group.clone(),
                kind: kind.clone(),
                component: *component,
            }));
        }
    }
    installers.sort_unstable();
    installers.dedup();
    Origins {
        installers,
        bootstrapped: context.inventory.bootstrapped.clone(),
    }
}
