//! Layers as they are shown: in their order, with titles.

use std::collections::BTreeMap;

use crate::catalog::{self, Catalog, ComponentIx};
use crate::input::config::Config;
use crate::knowledge::route::Anchors;
use base::index::IndexVec;
use base::index_type;

index_type! {
    /// Position of a layer, as they are shown.
    pub struct LayerIx;
}

/// Components that belong together, under one heading.
pub struct Layer {
    /// Its anchor in the index.
    pub id: String,
    pub title: String,
    /// By title.
    pub components: Vec<ComponentIx>,
}

/// Configured layers in their order, then others by name, then components without a layer, then programs.
pub fn layers(config: &Config, catalog: &Catalog) -> IndexVec<LayerIx, Layer> {
    let mut by_name: BTreeMap<Option<&str>, Vec<ComponentIx>> = BTreeMap::new();
    for (index, component) in catalog.components.iter_enumerated() {
        by_name
            .entry(component.layer.as_deref())
            .or_default()
            .push(index);
    }
    let loose = by_name.remove(&None);
    let mut layers = Vec::new();
    let configured = config.layers.iter().map(|layer| Some(layer.name.as_str()));
    let configured: Vec<Option<&str>> = configured.collect();
    for name in &configured {
        if let Some(components) = by_name.remove(name) {
            layers.push((name.unwrap_or_default().to_owned(), components));
        }
    }
    let programs = by_name.remove(&Some(catalog::PROGRAMS));
    let others = by_name.into_iter().map(|(name, components)| {
        let name = name.unwrap_or_default();
        let is_plain = !name.chars().any(|c| c.is_uppercase() || c == ' ');
        let title = if is_plain {
            catalog::title(name)
        } else {
            name.to_owned()
        };
        (title, components)
    });
    layers.extend(others);
    if let Some(components) = loose {
        let title = if layers.is_empty() {
            "Components"
        } else {
            "Other"
        };
        layers.push((title.to_owned(), components));
    }
    layers.extend(programs.map(|programs| (catalog::PROGRAMS.to_owned(), programs)));
    let mut anchors = Anchors::default();
    let sorted = layers.into_iter().map(|(title, mut components)| {
        components.sort_by_key(|index| {
            let component = &catalog.components[*index];
            (component.title.to_lowercase(), &component.id)
        });
        Layer {
            id: anchors.id("layer", &title),
            title,
            components,
        }
    });
    sorted.collect()
}
