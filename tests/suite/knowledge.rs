//! Decisions, specs and records: small repositories with what is found in them, and real ones with what they hold.

use std::fs;
use std::path::Path;

use catalog::pipeline::{self, Request};
use serde_json::Value;

use crate::case::{self, Case};
use crate::cli::export;

const TOPIC: &str = "Decisions and specs";

/// What the rules of this part of the program find, one a line.
fn found(case: &Case) -> String {
    let directory = case.lay_out();
    let request = Request {
        repo: Some(directory.path().to_path_buf()),
        config: None,
    };
    let reading = pipeline::read(&request).unwrap_or_else(|error| panic!("{}: {error}", case.name));
    let rules = case::rules(TOPIC);
    let mut lines = String::new();
    for finding in &reading.findings {
        if !rules.iter().any(|rule| rule.name == finding.rule) {
            continue;
        }
        let place = match reading.repo.path(finding.place.file).as_str() {
            "" => "-".to_owned(),
            path => format!("{path}:{}", finding.place.line),
        };
        let (severity, rule, message) = (finding.severity, finding.rule, &finding.message);
        lines += &format!("{severity} {rule} {place} {message}\n");
    }
    lines
}

#[test]
fn cases_give_the_findings_that_they_say() {
    let mut wrong = Vec::new();
    let mut fired = Vec::new();
    let rules = case::rules(TOPIC);
    for case in case::all("knowledge") {
        let [expected] = case.sections.as_slice() else {
            panic!("{}: one section, `Findings`", case.name);
        };
        let found = found(&case);
        fired.extend(
            rules
                .iter()
                .map(|rule| rule.name)
                .filter(|rule| found.contains(rule)),
        );
        if found == expected.block {
            continue;
        }
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/knowledge");
            let path = path.join(format!("{}.md", case.name));
            let text = fs::read_to_string(&path).unwrap();
            let (before, _) = text.split_once("## Findings").unwrap();
            fs::write(
                &path,
                format!("{before}## Findings\n\n```text\n{found}```\n"),
            )
            .unwrap();
        } else {
            wrong.push(format!("{}:\n{found}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let silent: Vec<&str> = rules
        .iter()
        .map(|rule| rule.name)
        .filter(|rule| !fired.contains(rule))
        .collect();
    assert_eq!(silent, [""; 0], "no case shows these rules");
}

/// A spec's artifacts and steps, counted by state.
fn states(spec: &Value, key: &str) -> String {
    let all = spec[key].as_array().unwrap();
    let states = ["holds", "changed", "gone", "broken", "undecided"];
    let counts = states.map(|state| all.iter().filter(|one| one["state"] == state).count());
    let shown = states.iter().zip(counts).filter(|(_, count)| *count > 0);
    let shown: Vec<String> = shown
        .map(|(state, count)| format!("{count} {state}"))
        .collect();
    shown.join(" ")
}

/// A real repository, where there is a corpus: its decisions with their status, its specs with their records, and what
/// became of every artifact. Its Terraform is not in the corpus, so those files are gone.
#[test]
fn a_real_ledger_is_read_in_full() {
    let Some(corpus) = std::env::var_os("CATALOG_CORPUS") else {
        return;
    };
    let path = Path::new(&corpus).join("kevin-ryan-platform");
    if !path.is_dir() {
        return;
    }
    let document = export(&path);
    let decisions: Vec<String> = document["decisions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            format!(
                "{} {}",
                one["id"].as_str().unwrap(),
                one["status"].as_str().unwrap()
            )
        })
        .collect();
    let expected: Vec<String> = (1..=19)
        .map(|number| match number {
            7 => "ADR-007 superseded".to_owned(),
            _ => format!("ADR-{number:03} accepted"),
        })
        .collect();
    assert_eq!(decisions, expected);
    let specs: Vec<String> = document["specs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|spec| {
            let record = spec["record"].as_str().expect("every spec has a record");
            let id = spec["id"].as_str().unwrap();
            assert!(record.contains(&format!("/spec-{id}-")), "{id}: {record}");
            format!(
                "{id}: {} | {}",
                states(spec, "artifacts"),
                states(spec, "validation")
            )
        })
        .collect();
    assert_eq!(
        specs,
        [
            "0000: 3 holds | 3 holds 7 undecided",
            "0001: 5 holds 14 gone | 3 holds 3 broken 16 undecided",
            "0002: 2 holds 6 gone | 2 holds 1 broken 12 undecided",
            "0003: 6 holds 2 changed | 4 holds 1 broken 6 undecided",
            "0003a: 5 holds 1 changed | 7 holds 3 undecided",
            "0004: 8 holds 1 changed 1 gone | 5 holds 1 broken 10 undecided",
            "0005: 11 holds 1 changed 1 gone | 4 holds 2 broken 9 undecided",
            "0006: 4 holds 1 changed | 3 holds 9 undecided",
            "0007: 5 holds | 2 holds 13 undecided",
        ]
    );
}
