//! What becomes of Applications: each case in `tests/cases/application` is a small repository with the components, units
//! and findings that come of it.

use std::fmt::Write;

use serde_json::Value;

use crate::case;
use crate::cli::export;

#[test]
fn applications_become_what_they_are() {
    case::compare("application", "Catalogue", |case| {
        tell(&export(case.lay_out().path()))
    });
}

fn tell(document: &Value) -> String {
    let mut told = String::new();
    for component in list(&document["components"]) {
        tell_component(component, &mut told);
    }
    for cluster in list(&document["clusters"]) {
        for unit in list(&cluster["units"]) {
            write!(told, "{}: {}", text(&cluster["name"]), text(&unit["name"])).unwrap();
            let owner = text(&unit["owner"]);
            write!(told, " of {owner}, gate {}", text(&unit["gate"])).unwrap();
            if let Some(environment) = unit["environment"].as_str() {
                write!(told, ", to {environment}").unwrap();
            }
            for after in list(&unit["depends_on"]) {
                write!(told, ", after {}", text(&after["name"])).unwrap();
            }
            told.push('\n');
        }
    }
    for finding in list(&document["findings"]) {
        let (severity, rule) = (text(&finding["severity"]), text(&finding["rule"]));
        let (file, line) = (text(&finding["file"]), &finding["line"]);
        let message = text(&finding["message"]);
        writeln!(told, "{severity} {rule} {file}:{line} {message}").unwrap();
    }
    told
}

fn tell_component(component: &Value, told: &mut String) {
    write!(
        told,
        "{}: {}",
        text(&component["id"]),
        text(&component["kind"])
    )
    .unwrap();
    for (word, key) in [("in", "namespace"), ("layer", "layer"), ("at", "source")] {
        match text(&component[key]) {
            "" => {}
            value => write!(told, ", {word} {value}").unwrap(),
        }
    }
    if component["status"] != "enabled" {
        write!(told, ", {}", text(&component["status"])).unwrap();
    }
    told.push('\n');
    let more = list(&component["more_charts"]);
    for chart in component["chart"]
        .as_object()
        .into_iter()
        .map(|_| &component["chart"])
        .chain(more)
    {
        let (name, version) = (text(&chart["name"]), text(&chart["version"]));
        writeln!(told, "  chart {name} {version}").unwrap();
    }
    for environment in list(&component["environments"]) {
        let (name, version) = (text(&environment["name"]), text(&environment["version"]));
        writeln!(told, "  {}", format!("runs in {name} {version}").trim_end()).unwrap();
    }
    for key in ["owner", "contact", "source_code"] {
        match text(&component[key]) {
            "" => {}
            value => writeln!(told, "  {key} {value}").unwrap(),
        }
    }
    let applied = &component["applied_by"];
    if let (Some(command), Some(file)) = (applied["command"].as_str(), applied["file"].as_str()) {
        writeln!(told, "  applied with `{command}` of {file}").unwrap();
    } else if applied.is_object() {
        writeln!(told, "  applied, as inferred").unwrap();
    }
    for needed in list(&component["upstream"]) {
        let (id, reason) = (text(&needed["id"]), text(&needed["reason"]));
        writeln!(told, "  needs {id}: {reason}").unwrap();
    }
    for setting in list(&component["settings"]) {
        let values = setting["values"].as_object().unwrap().iter();
        let values = values.map(|(name, value)| format!("{name} {}", text(&value["value"])));
        let values: Vec<String> = values.collect();
        writeln!(told, "  {} = {}", text(&setting["name"]), values.join(", ")).unwrap();
    }
}

pub fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
