//! Volumes of a component: one entry for each size and class that environments give one.

use schemars::JsonSchema;
use serde::Serialize;

use crate::catalog::{Component, EnvironmentValue};

/// A volume. If environments give it different sizes or classes, each has an entry of its own.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VolumeDoc<'a> {
    pub name: &'a str,
    pub size: Option<&'a str>,
    pub class: Option<&'a str>,
    /// The environments that have it so, if not all that have the volume.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environments: Option<Vec<&'a str>>,
}

pub fn volumes(component: &Component) -> Vec<VolumeDoc<'_>> {
    let stated = &component.per_environment;
    let mut all = Vec::with_capacity(component.volumes.len());
    for (at, volume) in component.volumes.iter().enumerate() {
        let sizes = stated.sizes.get(at).map_or(&[][..], Vec::as_slice);
        let classes = stated.classes.get(at).map_or(&[][..], Vec::as_slice);
        let mut forms: Vec<VolumeDoc<'_>> = Vec::new();
        for size in sizes {
            let environment = size.environment.as_str();
            let size = size.value.as_deref();
            let class = value_in(classes, environment);
            let known = forms
                .iter_mut()
                .find(|form| (form.size, form.class) == (size, class));
            match known.and_then(|known| known.environments.as_mut()) {
                Some(environments) => environments.push(environment),
                None => forms.push(VolumeDoc {
                    name: volume.name.as_str(),
                    size,
                    class,
                    environments: Some(vec![environment]),
                }),
            }
        }
        if let [only] = forms.as_mut_slice() {
            only.environments = None;
        }
        all.append(&mut forms);
    }
    all
}

fn value_in<'s>(stated: &'s [EnvironmentValue], environment: &str) -> Option<&'s str> {
    let found = stated.iter().find(|one| one.environment == environment)?;
    found.value.as_deref()
}
