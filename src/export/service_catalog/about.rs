//! Description, owner and documents of a component in service-catalog.json.

use schemars::JsonSchema;
use serde::Serialize;

use super::Whole;
use crate::catalog::{Component, ComponentIx};

/// Description, home page, source repository and icon of a component.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AboutDoc<'a> {
    /// One line: from the configuration, an annotation, the table of well-known applications, the first sentence of its
    /// README or of the document of its name, or its chart.
    pub description: Option<&'a str>,
    /// Its home page.
    pub home: Option<&'a str>,
    /// The web page of its source repository. Omitted if unknown, like the icon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<&'a str>,
    /// Its icon: a slug of Simple Icons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<&'a str>,
}

/// Who owns a component, and where that is written.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OwnershipDoc<'a> {
    /// Its owner; the first one if there are several.
    pub owner: Option<&'a str>,
    /// All owners. Omitted unless there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owners: Option<&'a [String]>,
    /// The file that names the owner, such as `CODEOWNERS`. Omitted if that is not in the repository, like the line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_file: Option<&'a str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_line: Option<u32>,
}

impl<'a> Whole<'a> {
    pub(super) fn about(&self, component: &'a Component, at: ComponentIx) -> AboutDoc<'a> {
        let description = self.pages.description(at, component);
        let about = &component.about;
        AboutDoc {
            description: description.map(|one| one.text.as_str()),
            home: about.home.as_deref(),
            code: about.code.as_deref(),
            icon: about.icon.as_deref(),
        }
    }

    pub(super) fn ownership(&self, component: &'a Component) -> OwnershipDoc<'a> {
        let owners = component.owners.as_slice();
        OwnershipDoc {
            owner: component.owner.as_deref(),
            owners: (owners.len() > 1).then_some(owners),
            owner_file: component.owner_place.map(|place| self.file(place)),
            owner_line: component.owner_place.map(|place| place.line),
        }
    }

    pub(super) fn documents(&self, at: ComponentIx) -> Vec<&'a str> {
        let files = self.pages.files_about(at);
        files.map(|file| self.repo.path(file).as_str()).collect()
    }
}
