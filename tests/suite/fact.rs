//! What is said of a component: each case in `tests/cases/fact` is a small repository with versions, images, ports,
//! volumes and addresses.

use std::fmt::Write;

use serde_json::Value;

use crate::application::{list, text};
use crate::case;
use crate::cli::export;

#[test]
fn components_have_the_facts_that_people_look_up() {
    case::compare("fact", "Facts", |case| {
        let document = export(case.lay_out().path());
        let mut told = String::new();
        list(&document["components"])
            .iter()
            .for_each(|component| tell(component, &mut told));
        told
    });
}

pub fn tell(component: &Value, told: &mut String) {
    let (id, version) = (text(&component["id"]), text(&component["version"]));
    let chart = &component["chart"];
    let (name, own) = (text(&chart["name"]), text(&chart["version"]));
    let chart = match name {
        "" => String::new(),
        _ => format!(", chart {name} {own}"),
    };
    writeln!(told, "{id}: version {version}{chart}").unwrap();
    for (word, key) in [("image", "images"), ("port", "ports"), ("address", "urls")] {
        for value in list(&component[key]) {
            writeln!(told, "  {word} {}", text(value)).unwrap();
        }
    }
    for volume in list(&component["volumes"]) {
        let part = |key: &str| match text(&volume[key]) {
            "" => "-".to_owned(),
            value => value.to_owned(),
        };
        let (name, size, class) = (part("name"), part("size"), part("class"));
        write!(told, "  volume {name} {size} {class}").unwrap();
        let environments = list(&volume["environments"]).iter().map(text);
        for environment in environments {
            write!(told, " in {environment}").unwrap();
        }
        told.push('\n');
    }
}
