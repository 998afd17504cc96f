//! The worked example in `content/`, told component by component, against what it should say.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::cli::export;

#[test]
fn the_example_is_read_as_it_is_meant() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let told = tell(&export(&root.join("content")));
    let golden = root.join("tests/golden/example.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&golden, &told).unwrap();
    }
    let expected = fs::read_to_string(&golden).unwrap();
    let difference = expected
        .lines()
        .zip(told.lines())
        .find(|(want, got)| want != got);
    assert_eq!(
        difference, None,
        "run the tests once with UPDATE_GOLDEN=1 and read the difference"
    );
    assert_eq!(expected.lines().count(), told.lines().count());
}

fn tell(document: &Value) -> String {
    let mut text = String::new();
    for component in document["components"].as_array().unwrap() {
        let field = |key: &str| component[key].as_str().unwrap_or("-").to_owned();
        let _ = writeln!(
            text,
            "{}: {} ({}) in {}; {}; {}; {}; {}",
            field("id"),
            field("title"),
            field("kind"),
            field("namespace"),
            field("layer"),
            field("owner"),
            field("status"),
            field("source"),
        );
        for environment in component["environments"].as_array().unwrap() {
            let version = environment["version"].as_str().unwrap_or("-");
            let _ = writeln!(
                text,
                "  {} {} {version}",
                environment["name"], environment["status"]
            );
        }
        for edge in component["upstream"].as_array().unwrap() {
            let place = format!("{}:{}", edge["file"].as_str().unwrap(), edge["line"]);
            let _ = writeln!(text, "  {} {} ({place})", edge["reason"], edge["id"]);
        }
        for url in component["urls"].as_array().unwrap() {
            let _ = writeln!(text, "  {url}");
        }
        for setting in component["settings"].as_array().unwrap() {
            let values = setting["values"].as_object().unwrap().iter();
            let values: Vec<String> = values
                .map(|(name, value)| format!("{name} {}", value["value"]))
                .collect();
            let _ = writeln!(
                text,
                "  {} = {}",
                setting["name"].as_str().unwrap(),
                values.join(", ")
            );
        }
    }
    for finding in document["findings"].as_array().unwrap() {
        let _ = writeln!(
            text,
            "{} {} {}:{}",
            finding["severity"], finding["rule"], finding["file"], finding["line"]
        );
    }
    text
}
