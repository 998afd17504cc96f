//! Declared inputs and outputs of components in the document.

use schemars::JsonSchema;
use serde::Serialize;

use super::Whole;
use crate::catalog::Component;

#[derive(Debug, Serialize, JsonSchema)]
pub struct InputDoc<'a> {
    pub name: &'a str,
    /// As written.
    #[serde(rename = "type")]
    pub kind: Option<&'a str>,
    pub description: Option<&'a str>,
    /// As JSON. Null if there is none, if it is secret, or if it is not known.
    pub default: Option<&'a str>,
    pub required: bool,
    pub secret: bool,
    pub file: &'a str,
    pub line: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct OutputDoc<'a> {
    pub name: &'a str,
    pub description: Option<&'a str>,
    pub secret: bool,
    pub file: &'a str,
    pub line: u32,
}

impl<'a> Whole<'a> {
    pub(super) fn inputs(&self, component: &'a Component) -> Vec<InputDoc<'a>> {
        let interface = component.interface.iter();
        let inputs = interface.flat_map(|interface| &interface.inputs);
        let inputs = inputs.map(|input| InputDoc {
            name: &input.name,
            kind: input.kind.as_deref(),
            description: input.description.as_deref(),
            default: input.default.as_deref(),
            required: input.is_required,
            secret: input.is_secret,
            file: self.file(input.place),
            line: input.place.line,
        });
        inputs.collect()
    }

    pub(super) fn outputs(&self, component: &'a Component) -> Vec<OutputDoc<'a>> {
        let interface = component.interface.iter();
        let outputs = interface.flat_map(|interface| &interface.outputs);
        let outputs = outputs.map(|output| OutputDoc {
            name: &output.name,
            description: output.description.as_deref(),
            secret: output.is_secret,
            file: self.file(output.place),
            line: output.place.line,
        });
        outputs.collect()
    }
}
