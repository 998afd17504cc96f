//! A component in each environment: its version there, and where that is set; links to its dashboards.

use schemars::JsonSchema;
use serde::Serialize;

use super::Whole;
use crate::catalog::Component;

/// A component in one cluster.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EnvironmentDoc<'a> {
    pub name: &'a str,
    /// `enabled` or `suspended`.
    pub status: &'a str,
    /// The version that people mean: that of the image it runs or of the application an operator runs for it, or else of
    /// its chart.
    pub version: Option<&'a str>,
    /// The file that sets the version. Omitted if it is not known, like the line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version_file: Option<&'a str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version_line: Option<u32>,
}

/// A link to a dashboard, logs or the like.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LinkDoc<'a> {
    pub name: &'a str,
    pub url: String,
    /// The environments it is for, production first.
    pub environments: Vec<&'a str>,
}

impl<'a> Whole<'a> {
    pub(super) fn environments(&self, component: &'a Component) -> Vec<EnvironmentDoc<'a>> {
        let environments = component.environments.iter();
        let each = environments.map(|environment| EnvironmentDoc {
            name: environment.name.as_str(),
            status: environment.status.name(),
            version: environment.version.as_deref(),
            version_file: environment.version_place.map(|place| self.file(place)),
            version_line: environment.version_place.map(|place| place.line),
        });
        each.collect()
    }

    pub(super) fn links(&self, component: &'a Component) -> Vec<LinkDoc<'a>> {
        let links = self.catalog.links(self.config, component).into_iter();
        let each = links.map(|link| LinkDoc {
            name: link.name,
            url: link.url,
            environments: link.environments,
        });
        each.collect()
    }
}
