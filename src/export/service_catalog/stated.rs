//! What people state about a component in the document: where to ask, where its code is, how they apply it.

use schemars::JsonSchema;
use serde::Serialize;

use super::Whole;
use crate::catalog::{ByCommand, Component};

#[derive(Debug, Serialize, JsonSchema)]
pub struct StatedDoc<'a> {
    /// Where people ask about it, as a label or annotation states: a channel or an address. Omitted if none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact: Option<&'a str>,
    /// The repository with its source code, as a label or annotation states. Omitted if none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_code: Option<&'a str>,
    /// How somebody applies it. Omitted if a reconciler does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied_by: Option<AppliedByDoc<'a>>,
}

/// A command, with the line that states it. All are null if that it is applied is inferred from the layout.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AppliedByDoc<'a> {
    pub command: Option<&'a str>,
    pub file: Option<&'a str>,
    pub line: Option<u32>,
}

impl<'a> Whole<'a> {
    pub(super) fn stated(&self, component: &'a Component) -> StatedDoc<'a> {
        let applied_by = component.by_command.as_ref().map(|by| match by {
            ByCommand::Stated(command) => AppliedByDoc {
                command: Some(command.value.as_str()),
                file: Some(self.file(command.place)),
                line: Some(command.place.line),
            },
            ByCommand::Inferred => AppliedByDoc {
                command: None,
                file: None,
                line: None,
            },
        });
        StatedDoc {
            contact: component.contact.as_deref(),
            source_code: component.source_code.as_deref(),
            applied_by,
        }
    }
}
