//! What is said about components: each case in `tests/cases/about` is a small repository with the layer, description,
//! owner and documents of each component.

use std::fmt::Write;

use serde_json::Value;

use crate::application::{list, text};
use crate::case;
use crate::cli::export;

#[test]
fn components_are_described_and_owned() {
    case::compare("about", "About", |case| {
        tell(&export(case.lay_out().path()))
    });
}

fn tell(document: &Value) -> String {
    let mut told = String::new();
    for component in list(&document["components"]) {
        write!(told, "{}", text(&component["id"])).unwrap();
        if let Some(layer) = component["layer"].as_str() {
            write!(told, ", layer {layer}").unwrap();
        }
        told.push('\n');
        for key in ["description", "home"] {
            if let Some(value) = component[key].as_str() {
                writeln!(told, "  {key}: {value}").unwrap();
            }
        }
        if let Some(owner) = component["owner"].as_str() {
            let others = list(&component["owners"]).iter().skip(1).map(text);
            let names: Vec<&str> = [owner].into_iter().chain(others).collect();
            let (file, line) = (text(&component["owner_file"]), &component["owner_line"]);
            writeln!(told, "  owned by {} at {file}:{line}", names.join(", ")).unwrap();
        }
        for document in list(&component["documents"]) {
            writeln!(told, "  document {}", text(document)).unwrap();
        }
    }
    told
}
