//! `catalog graph`, in all its formats.

use serde_json::Value;

use crate::cli::{catalog, platform, stderr, stdout};

fn graph(args: &[&str]) -> String {
    let repo = platform();
    let output = catalog(&[&["graph"], args].concat(), repo.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output)
}

fn ids(args: &[&str]) -> Vec<String> {
    let graph: Value =
        serde_json::from_str(&graph(&[args, &["--format", "json"]].concat())).unwrap();
    let nodes = graph["nodes"].as_array().unwrap().iter();
    nodes
        .map(|node| node["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn the_whole_graph_has_every_component_and_says_why_each_edge_is_there() {
    let all: Value = serde_json::from_str(&graph(&["--format", "json"])).unwrap();
    let edge = all["edges"]
        .as_array()
        .unwrap()
        .iter()
        .find(|edge| edge["from"] == "store" && edge["to"] == "operator")
        .unwrap();
    assert_eq!(edge["reason"], "Flux dependsOn");
    assert_eq!(edge["file"], "clusters/dev/store.yaml");
    assert!(ids(&[]).len() >= 3);
}

#[test]
fn one_component_is_shown_with_what_is_around_it_as_far_as_asked() {
    let upstream = ids(&["store", "--upstream"]);
    assert_eq!(upstream, ["operator", "store"]);
    let downstream = ids(&[".", "operator", "--downstream"]);
    assert!(downstream.contains(&"store".to_owned()) && downstream[0] == "operator");
    assert_eq!(ids(&["operator", "--depth", "0"]), ["operator"]);
}

#[test]
fn arrows_lead_to_what_depends_in_every_format_that_is_drawn() {
    let mermaid = graph(&["store", "--upstream"]);
    assert!(mermaid.starts_with("graph TD\n"), "{mermaid}");
    assert!(mermaid.contains("n0 --> n1"), "{mermaid}");
    let dot = graph(&["store", "--upstream", "--format", "dot"]);
    assert!(dot.contains("\"operator\" -> \"store\";"), "{dot}");
    let svg = graph(&["store", "--upstream", "--format", "svg"]);
    let picture = roxmltree::Document::parse(&svg).unwrap();
    assert!(picture.descendants().any(|node| node.has_tag_name("style")));
}

#[test]
fn a_component_that_is_not_there_is_named_with_the_nearest() {
    let repo = platform();
    let output = catalog(&["graph", "stoer"], repo.path());
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        stderr(&output),
        "error: there is no component `stoer`; did you mean `store`?\n"
    );
    let output = catalog(&["graph", "--upstream"], repo.path());
    assert_eq!(output.status.code(), Some(2));
}
