//! The formats that other programs read: SARIF, JUnit and the commands of GitHub.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use super::{check, troubled};
use crate::cli::repo;

#[test]
fn sarif_follows_its_schema() {
    let mut schema: Value =
        serde_json::from_str(include_str!("../../schema/sarif-2.1.0.json")).unwrap();
    // An expression of the schema that only a lenient engine takes, for a property that is not written here.
    for part in ["run", "toolComponent"] {
        let language = &mut schema["definitions"][part]["properties"]["language"];
        language.as_object_mut().unwrap().remove("pattern");
    }
    let validator = jsonschema::validator_for(&schema).unwrap();
    let directory = troubled();
    let comment = "# catalog: allow link-broken, because x\n";
    let web = directory.path().join("apps/kustomization.yaml");
    fs::write(
        &web,
        format!("{comment}{}", fs::read_to_string(&web).unwrap()),
    )
    .unwrap();
    fs::write(
        directory.path().join("catalog.toml"),
        "url = \"https://catalog.example.com\"\n",
    )
    .unwrap();
    let (code, text, _) = check(directory.path(), &["--format", "sarif"]);
    assert_eq!(code, 1);
    let sarif: Value = serde_json::from_str(&text).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&sarif)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let run = &sarif["runs"][0];
    let results = run["results"].as_array().unwrap();
    let of = |rule: &str| {
        results
            .iter()
            .find(|result| result["ruleId"] == rule)
            .unwrap()
    };
    let missing = of("file-missing");
    let place = &missing["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "apps/kustomization.yaml");
    assert_eq!(place["artifactLocation"]["uriBaseId"], "%SRCROOT%");
    assert_eq!(place["region"]["startLine"], 4);
    let rule = &run["tool"]["driver"]["rules"][missing["ruleIndex"].as_u64().unwrap() as usize];
    assert_eq!(rule["id"], "file-missing");
    assert_eq!(
        rule["helpUri"],
        "https://catalog.example.com/checks/file-missing.html"
    );
    let allowed = of("remote-base");
    assert_eq!(allowed["suppressions"][0]["kind"], "inSource");
    assert_eq!(allowed["suppressions"][0]["justification"], "it is pinned");
    assert_eq!(of("yaml-template")["level"], "note");
    assert!(of("allow-unused")["fixes"][0]["artifactChanges"].is_array());
    // Lines that move do not make another finding of it.
    let kustomization = directory.path().join("apps/kustomization.yaml");
    let moved = format!("# a\n# b\n{}", fs::read_to_string(&kustomization).unwrap());
    fs::write(&kustomization, moved).unwrap();
    let (_, text, _) = check(directory.path(), &["--format", "sarif"]);
    let again: Value = serde_json::from_str(&text).unwrap();
    let again = again["runs"][0]["results"].as_array().unwrap().iter();
    let again = again
        .clone()
        .find(|result| result["ruleId"] == "file-missing")
        .unwrap();
    assert_eq!(again["partialFingerprints"], missing["partialFingerprints"]);
    assert_ne!(again["locations"], missing["locations"]);
}

/// Elements of the common JUnit schema: attributes that must be there, that may be, and elements inside.
type Element = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    &'static [&'static str],
);
const JUNIT: &[Element] = &[
    (
        "testsuites",
        &[],
        &["name", "time", "tests", "failures", "disabled", "errors"],
        &["testsuite"],
    ),
    (
        "testsuite",
        &["name", "tests"],
        &[
            "failures",
            "errors",
            "time",
            "disabled",
            "skipped",
            "timestamp",
            "hostname",
            "id",
            "package",
        ],
        &["properties", "testcase", "system-out", "system-err"],
    ),
    (
        "testcase",
        &["name"],
        &["classname", "assertions", "time", "status"],
        &["skipped", "error", "failure", "system-out", "system-err"],
    ),
    ("failure", &[], &["type", "message"], &[]),
    ("skipped", &[], &["message"], &[]),
    ("system-out", &[], &[], &[]),
];

#[test]
fn junit_follows_its_schema() {
    let directory = troubled();
    let clean = repo(&[]);
    for (directory, tests, failures) in [(&directory, 6, 2), (&clean, 1, 0)] {
        let (_, xml, _) = check(directory.path(), &["--format", "junit"]);
        let document = roxmltree::Document::parse(&xml).unwrap();
        assert_eq!(document.root_element().tag_name().name(), "testsuites");
        for node in document.descendants().filter(roxmltree::Node::is_element) {
            let name = node.tag_name().name();
            let known = JUNIT.iter().find(|(element, ..)| *element == name);
            let (_, must, may, inside) = known.unwrap_or_else(|| panic!("{name}"));
            let names: Vec<&str> = node
                .attributes()
                .map(|attribute| attribute.name())
                .collect();
            assert!(
                must.iter().all(|one| names.contains(one)),
                "{name}: {names:?}"
            );
            assert!(
                names
                    .iter()
                    .all(|one| must.contains(one) || may.contains(one)),
                "{name}: {names:?}"
            );
            for child in node.children().filter(roxmltree::Node::is_element) {
                assert!(
                    inside.contains(&child.tag_name().name()),
                    "{name}: {child:?}"
                );
            }
        }
        let suite = document
            .descendants()
            .find(|node| node.has_tag_name("testsuite"))
            .unwrap();
        let count = |name: &str| {
            document
                .descendants()
                .filter(|node| node.has_tag_name(name))
                .count()
        };
        assert_eq!(suite.attribute("tests"), Some(tests.to_string().as_str()));
        assert_eq!(count("testcase"), tests);
        assert_eq!(count("failure"), failures);
        assert_eq!(
            suite.attribute("failures"),
            Some(failures.to_string().as_str())
        );
    }
    let (_, xml, _) = check(
        directory.path(),
        &["--format", "junit", "--deny", "warnings"],
    );
    assert_eq!(xml.matches("<failure ").count(), 4);
}

#[test]
fn junit_has_the_most_severe_findings_first() {
    let directory = troubled();
    let (_, xml, _) = check(directory.path(), &["--format", "junit"]);
    let document = roxmltree::Document::parse(&xml).unwrap();
    let cases: Vec<String> = document
        .descendants()
        .filter(|node| node.has_tag_name("testcase"))
        .filter(|node| !node.children().any(|child| child.has_tag_name("skipped")))
        .map(|node| {
            let value = |name| node.attribute(name).unwrap();
            format!("{} {}", value("classname"), value("name"))
        })
        .collect();
    let (_, json, _) = check(directory.path(), &["--format", "json"]);
    let report: Value = serde_json::from_str(&json).unwrap();
    let mut expected: Vec<String> = Vec::new();
    for finding in report["findings"].as_array().unwrap() {
        let text = |name: &str| finding[name].as_str().unwrap_or("(repository)");
        let case = format!("{} {}", text("rule"), text("file"));
        if !expected.contains(&case) {
            expected.push(case);
        }
    }
    assert_eq!(cases, expected);
    assert!(cases[0].starts_with("file-missing "), "{cases:?}");
    let skipped = xml.find("<skipped").unwrap();
    assert!(xml.rfind("<system-out>").unwrap() < skipped, "{xml}");
}

#[test]
fn github_gets_commands_with_their_places() {
    let (_, text, _) = check(troubled().path(), &["--format", "github"]);
    let lines: BTreeMap<&str, &str> = text
        .lines()
        .filter_map(|line| line.split_once(' '))
        .collect();
    assert!(lines["::error"].starts_with("file=apps/"), "{text}");
    assert!(
        text.contains("::error file=apps/kustomization.yaml,line=3,endLine=3,col=5,endColumn=17,title=file-missing::"),
        "{text}"
    );
    assert!(
        text.contains("::notice file=apps/template.yaml") && text.contains("::warning "),
        "{text}"
    );
    assert_eq!(text.lines().count(), 5);
}
