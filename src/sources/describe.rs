//! Describes built objects: combines the statements of all sources that recognise an object.

use std::sync::Arc;

use smol_str::SmolStr;

use super::values_from::EntryLookup;
use super::{ReadContext, SOURCES, unit};
use crate::facts::{Origin, Resource, ResourceId, Statement, kubernetes};
use crate::input::config::Kind;
use base::Finding;

/// Adds to the statements of built objects.
pub trait Describe: Sync {
    /// Adds what a built object means to its statement.
    fn describe(&self, resource: &Resource, statement: &mut Statement);

    /// Describes an object again that takes values from ConfigMaps, now that those of its cluster are known.
    fn values_from(
        &self,
        _resource: &Resource,
        _entries: &EntryLookup<'_>,
        _statement: &mut Statement,
    ) {
    }

    /// Adds to a unit's statement what the files that it names say.
    fn resolve_files(
        &self,
        _resource: &Resource,
        _context: &ReadContext<'_>,
        _statement: &mut Statement,
    ) -> Vec<Finding> {
        Vec::new()
    }

    /// Addresses and paths that an object fetches files from, in this repo or elsewhere.
    fn declared_sources(&self, _resource: &Resource) -> Vec<Fetched> {
        Vec::new()
    }

    /// Whether objects of this kind only say how others are deployed.
    fn is_plumbing(&self, _kind: &str) -> bool {
        false
    }

    /// Whether objects of this API group make no pods in their namespace.
    fn makes_no_pods(&self, _group: &str) -> bool {
        false
    }

    /// Whether units take files or charts from this object.
    fn is_source(&self, _id: &ResourceId) -> bool {
        false
    }
}

/// A path at an address, as an object states that something is fetched from there.
#[derive(Debug, Clone)]
pub struct Fetched {
    pub origin: Origin,
    pub path: SmolStr,
}

fn describers() -> impl Iterator<Item = &'static dyn Describe> {
    SOURCES.iter().filter_map(|source| source.describe)
}

/// The statement of a built object: everything that sources know about it.
pub fn describe(resource: &Resource, kinds: &[Kind]) -> Statement {
    let mut statement = Statement {
        id: resource.id.clone(),
        place: resource.place,
        unit: unit(resource).map(Arc::new),
        ..Statement::default()
    };
    for source in describers() {
        source.describe(resource, &mut statement);
    }
    kubernetes::kind::describe(resource, kinds, &mut statement);
    // Statements stay until the catalogue is made; the room to grow need not.
    statement.settings.shrink_to_fit();
    statement.references.shrink_to_fit();
    statement
}

/// Describes an object again that takes values from ConfigMaps, now that those of its cluster are known.
pub fn describe_values_from(
    resource: &Resource,
    lookup: &EntryLookup<'_>,
    statement: &mut Statement,
) {
    for source in describers() {
        source.values_from(resource, lookup, statement);
    }
}

/// Adds to a unit's statement what the files that it names say.
pub fn resolve_files(
    resource: &Resource,
    context: &ReadContext<'_>,
    statement: &mut Statement,
) -> Vec<Finding> {
    describers()
        .flat_map(|source| source.resolve_files(resource, context, statement))
        .collect()
}

/// Addresses and paths that an object fetches files from.
pub(super) fn declared_sources(resource: &Resource) -> impl Iterator<Item = Fetched> {
    describers().flat_map(|source| source.declared_sources(resource))
}

/// Whether objects of a kind only say how others are deployed.
pub fn is_plumbing(kind: &str) -> bool {
    describers().any(|source| source.is_plumbing(kind))
}

/// Whether objects of an API group of some tool make no pods in their namespace.
pub fn makes_no_pods(group: &str) -> bool {
    describers().any(|source| source.makes_no_pods(group))
}

/// Whether units take files or charts from an object.
pub fn is_origin(id: &ResourceId) -> bool {
    describers().any(|source| source.is_source(id))
}
