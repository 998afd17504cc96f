//! Settings: the variables that a component's objects use and the values that its chart is given,
//! each with its value in every environment and the place that set it.

use std::collections::BTreeMap;

use super::component::{Part, objects};
use super::{Setting, SettingValue};
use crate::compose::Cluster;

pub fn settings(parts: &[Part], clusters: &[Cluster]) -> Vec<Setting> {
    let mut settings: BTreeMap<String, Setting> = BTreeMap::new();
    for part in parts {
        let cluster = &clusters[part.cluster];
        let mut set = |name: &str, value: SettingValue| {
            let setting = settings.entry(name.to_owned()).or_insert_with(|| Setting {
                name: name.to_owned(),
                values: BTreeMap::new(),
                secret: false,
            });
            setting.secret |= value.value.is_none();
            setting.values.entry(cluster.name.clone()).or_insert(value);
        };
        let variables = part.unit.map(|unit| &cluster.units[unit].variables);
        for object in objects(part, clusters) {
            for name in &object.variables {
                if let Some(variable) = variables.and_then(|variables| variables.get(name)) {
                    let value = variable
                        .value
                        .clone()
                        .filter(|value| value != crate::fact::MARKER);
                    set(
                        name,
                        SettingValue {
                            value,
                            place: variable.place,
                        },
                    );
                }
            }
            for variable in &object.defaulted {
                let value = variable.value.clone();
                set(
                    &variable.name,
                    SettingValue {
                        value,
                        place: variable.place,
                    },
                );
            }
            for fact in &object.statement.settings {
                let value = fact.value.clone();
                set(
                    &fact.name,
                    SettingValue {
                        value,
                        place: fact.place,
                    },
                );
            }
        }
    }
    let mut settings: Vec<Setting> = settings.into_values().collect();
    for setting in &mut settings {
        // Secret in one environment, secret in all.
        if setting.secret {
            setting
                .values
                .values_mut()
                .for_each(|value| value.value = None);
        }
    }
    settings
}
