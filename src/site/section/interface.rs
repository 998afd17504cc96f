//! Inputs and outputs of a component, as its files declare them. Values of secrets are omitted.

use serde::Serialize;

use super::{About, SectionBody};
use crate::facts::{Input, Output};
use crate::site::theme::View;
use crate::site::view::{More, PlaceView, Text, count, shortened};
use markdown::text::{code, escaped};

#[derive(Serialize)]
struct Tables {
    inputs: Vec<InputRow>,
    inputs_more: Option<More>,
    outputs: Vec<OutputRow>,
    outputs_more: Option<More>,
    has_secrets: bool,
}

#[derive(Serialize)]
struct InputRow {
    name: String,
    description: Option<String>,
    kind: Option<String>,
    default: Option<String>,
    required: bool,
    secret: bool,
    place: PlaceView,
}

#[derive(Serialize)]
struct OutputRow {
    name: String,
    description: Option<String>,
    secret: bool,
    place: PlaceView,
}

/// Most rows in a table; the document has all of them.
const MOST: usize = 120;
/// A longer type or default is cut: the place has all of it.
const LONGEST: usize = 200;

pub fn write(about: &About<'_>) -> Option<SectionBody> {
    let interface = about.component.interface.as_deref()?;
    let total = interface.inputs.len() + interface.outputs.len();
    if total == 0 {
        return None;
    }
    // Required inputs come first.
    let (required, optional): (Vec<&Input>, Vec<&Input>) =
        interface.inputs.iter().partition(|input| input.is_required);
    let inputs: Vec<InputRow> = required
        .into_iter()
        .chain(optional)
        .take(MOST)
        .map(|input| input_row(about, input))
        .collect();
    let outputs: Vec<OutputRow> = interface
        .outputs
        .iter()
        .take(MOST)
        .map(|output| output_row(about, output))
        .collect();
    let view = Tables {
        inputs_more: more(about, inputs.len(), interface.inputs.len(), "inputs"),
        outputs_more: more(about, outputs.len(), interface.outputs.len(), "outputs"),
        has_secrets: inputs.iter().any(|row| row.secret) || outputs.iter().any(|row| row.secret),
        inputs,
        outputs,
    };
    let mut headings = Vec::new();
    let mut markdown = Text::default();
    if !view.inputs.is_empty() {
        headings.push(("inputs".to_owned(), "Inputs".to_owned()));
        markdown.heading(3, "Inputs");
        let columns = ["Input", "Description", "Type", "Default"];
        markdown.table(&columns, view.inputs.iter().map(input_cells));
    }
    if !view.outputs.is_empty() {
        headings.push(("outputs".to_owned(), "Outputs".to_owned()));
        markdown.heading(3, "Outputs");
        markdown.table(
            &["Output", "Description"],
            view.outputs.iter().map(output_cells),
        );
    }
    Some(SectionBody {
        view: View::serialize(&view),
        markdown,
        headings,
        count: Some(total),
    })
}

fn cut(text: &str) -> String {
    shortened(text, LONGEST).into_owned()
}

fn input_row(about: &About<'_>, input: &Input) -> InputRow {
    InputRow {
        name: input.name.to_string(),
        description: input.description.as_ref().map(|text| text.to_string()),
        kind: input.kind.as_deref().map(cut),
        default: input.default.as_deref().map(cut),
        required: input.is_required,
        secret: input.is_secret,
        place: about.here.place(input.place),
    }
}

fn output_row(about: &About<'_>, output: &Output) -> OutputRow {
    OutputRow {
        name: output.name.to_string(),
        description: output.description.as_ref().map(|text| text.to_string()),
        secret: output.is_secret,
        place: about.here.place(output.place),
    }
}

fn more(about: &About<'_>, shown: usize, all: usize, what: &str) -> Option<More> {
    (shown < all).then(|| More {
        title: format!(
            "Showing {} of {} {what}. The full list is in service-catalog.json",
            count(shown),
            count(all)
        ),
        href: about.here.catalog_href(),
    })
}

fn input_cells(row: &InputRow) -> Vec<String> {
    let default = match (&row.default, row.required, row.secret) {
        (_, true, true) => "required, secret".to_owned(),
        (_, true, false) => "required".to_owned(),
        (_, false, true) => "(secret)".to_owned(),
        (Some(default), ..) => code(default),
        (None, ..) => "(unknown)".to_owned(),
    };
    vec![
        code(&row.name),
        row.description.as_deref().map(escaped).unwrap_or_default(),
        row.kind.as_deref().map(code).unwrap_or_default(),
        default,
    ]
}

fn output_cells(row: &OutputRow) -> Vec<String> {
    let description = row.description.as_deref().map(escaped).unwrap_or_default();
    let secret = match (row.secret, description.is_empty()) {
        (true, true) => "(secret)",
        (true, false) => " (secret)",
        (false, _) => "",
    };
    vec![code(&row.name), format!("{description}{secret}")]
}
