//! Settings of components in the document.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::Whole;
use crate::catalog::Component;

/// A parameter and its value in each environment.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SettingDoc<'a> {
    pub name: &'a str,
    #[serde(serialize_with = "by_name")]
    #[schemars(with = "BTreeMap<&'a str, SettingValueDoc<'a>>")]
    pub values: Vec<(&'a str, SettingValueDoc<'a>)>,
    /// Secrets have places but no values.
    pub secret: bool,
}

/// A list with names as a map: there are many of these, most with two entries.
fn by_name<S: Serializer, T: Serialize>(
    list: &[(&str, T)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(list.iter().map(|(name, value)| (name, value)))
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SettingValueDoc<'a> {
    pub value: Option<&'a str>,
    pub file: &'a str,
    pub line: u32,
}

impl<'a> Whole<'a> {
    pub(super) fn settings(&self, component: &'a Component) -> Vec<SettingDoc<'a>> {
        let settings = component.settings.iter().map(|setting| {
            let values = setting.values.iter().map(|(environment, value)| {
                let shown = SettingValueDoc {
                    value: value.value.as_deref(),
                    file: self.file(value.place),
                    line: value.place.line,
                };
                (environment, shown)
            });
            SettingDoc {
                name: setting.name.as_str(),
                values: values.collect(),
                secret: setting.secret,
            }
        });
        settings.collect()
    }
}
