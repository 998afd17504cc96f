//! What releases are given: each case in `tests/cases/release` is a small repository with the settings that come of it, and
//! the lines that state them.

use std::fmt::Write;

use serde_json::Value;

use crate::application::{list, text};
use crate::case;
use crate::cli::export;

#[test]
fn releases_are_given_what_they_name() {
    case::compare("release", "Settings", |case| {
        tell(&export(case.lay_out().path()))
    });
}

fn tell(document: &Value) -> String {
    let mut told = String::new();
    for component in list(&document["components"]) {
        for setting in list(&component["settings"]) {
            let (id, name) = (text(&component["id"]), text(&setting["name"]));
            for (environment, stated) in setting["values"].as_object().unwrap() {
                let value = if setting["secret"] == true {
                    "(secret)"
                } else {
                    text(&stated["value"])
                };
                let (file, line) = (text(&stated["file"]), &stated["line"]);
                writeln!(told, "{environment} {id} {name} = {value} at {file}:{line}").unwrap();
            }
        }
    }
    told
}
