//! Decisions, specs and records: small repositories with what is found in them, and real ones with what they hold.

use std::path::Path;

use catalog::pipeline::{self, Request};
use serde_json::Value;

use crate::case::{self, Case};
use crate::cli::export;
use crate::entry::{release, unit};

const TOPIC: &str = "Decisions and specs";

/// What the rules of this part of the program find, one a line.
fn found(case: &Case) -> String {
    let directory = case.lay_out();
    let request = Request {
        repo: Some(directory.path().to_path_buf()),
        config: None,
        ..Request::default()
    };
    let reading = pipeline::read(&request).unwrap_or_else(|error| panic!("{}: {error}", case.name));
    let rules = case::rules(TOPIC);
    let mut lines = String::new();
    for finding in &reading.findings.open {
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
    case::compare("knowledge", "Findings", found);
}

#[test]
fn every_rule_has_a_case() {
    let cases = case::all("knowledge");
    let fires = |rule: &str| {
        let mut sections = cases.iter().flat_map(|case| &case.sections);
        sections.any(|section| section.block.contains(&format!(" {rule} ")))
    };
    // A case has no history.
    let shown = ["artifact-drifted"];
    let tests = include_str!("provenance.rs");
    for rule in shown {
        let asked = format!("findings(&document, \"{rule}\")");
        assert!(tests.contains(&asked), "no test shows {rule}");
    }
    let rules = case::rules(TOPIC);
    let silent: Vec<&str> = rules
        .iter()
        .map(|rule| rule.name)
        .filter(|rule| !fires(rule) && !shown.contains(rule))
        .collect();
    assert_eq!(silent, [""; 0], "no case shows these rules");
}

/// Decisions in forms that people use, each with the status that it must be read with.
#[test]
fn decisions_are_read_in_every_form() {
    let forms: &[(&str, &str, &str)] = &[
        (
            "0001-nygard.md",
            "ADR-0001 accepted 2026-01-02 Use it",
            "# 1. Use it\n\nDate: 2026-01-02\n\n## Status\n\nAccepted\n",
        ),
        (
            "0002-adr-tools.md",
            "ADR-0002 superseded 2026-01-02 Use it",
            "# 2. Use it\n\nDate: 2026-01-02\n\n## Status\n\nOpen\n\nSuperceded by [1. Use it](0001-nygard.md)\n",
        ),
        (
            "0003-madr-two.md",
            "ADR-0003 rejected 2026-01-02 Use it",
            "# Use it\n\n* Status: rejected\n* Deciders: us\n* Date: 2026-01-02\n",
        ),
        (
            "0004-madr-four.md",
            "ADR-0004 proposed 2026-01-02 Use it",
            "---\nstatus: \"proposed\"\ndate: 2026-01-02\ndecision-makers: [us]\n---\n\n# Use it\n",
        ),
        (
            "ADR005-joined.md",
            "ADR-005 accepted 2026-01-02 Use it",
            "# ADR005: Use it\n\n**Date:** 2026-01-02\n**Status: Accepted**\n",
        ),
        (
            "0006-table.md",
            "ADR-0006 deprecated 2026-01-02 Use it",
            "# ADR-0006 \u{2014} Use it\n\n## 1. Status\n\n| Field | Value |\n|---|---|\n| Status | Deprecated |\n| Date | 2026-01-02 |\n",
        ),
        (
            "0007-across.md",
            "ADR-0007 open 2026-01-02 Use it",
            "# Use it\n\n| Created | Status |\n|---|---|\n| 2026-01-02 | Open |\n",
        ),
        (
            "0008-head-of-table.md",
            "ADR-0008 accepted null Use it",
            "# Use it\n\n| Status | Accepted |\n|---|---|\n| Issue | 12 |\n",
        ),
        (
            "0009-title-in-front-matter.md",
            "ADR-0009 accepted 2026-01-02 Use it",
            "---\ntitle: \"ADR-0009: Use it\"\n---\n\n**Status:** Accepted (updated 2026-02-03)\n**Date:** 2026-01-02\n",
        ),
        (
            "0010-one-line.md",
            "ADR-0010 accepted 2026-01-02 Benutzen",
            "# ADR-0010: Benutzen\n\nDatum: 2026-01-02 · Status: akzeptiert · Erg\u{e4}nzt ADR-0001\n",
        ),
        (
            "0011-in-part.md",
            "ADR-0011 superseded in part null Use it",
            "# Use it\n\n- Status: Superseded by [0001](0001-nygard.md) in part\n",
        ),
        (
            "0012-unsaid.md",
            "ADR-0012 unknown null Use it",
            "# Use it\n\n## Context\n\nStatus: Accepted would be a line of a form.\n",
        ),
        (
            "0013-title-of-file.md",
            "ADR-0013 accepted null Title of file",
            "**Status:** accepted\n",
        ),
        (
            "2026-01-02-by-day.md",
            "2026-01-02-by-day accepted 2026-01-02 Use it",
            "# Use it\n\n- Status: accepted\n",
        ),
    ];
    let others: &[(&str, &str)] = &[
        (
            "docs/adr/0000-template.md",
            "# ADR-NNNN: Title\n\n**Status:** Proposed\n",
        ),
        (
            "docs/adr/adr-template-minimal.md",
            "# {short title}\n\n## Status\n\nAccepted\n",
        ),
        ("docs/adr/README.md", "# Decisions\n\nStatus: all\n"),
        (
            "docs/adr/how-we-decide.md",
            "# How we decide\n\nTogether.\n",
        ),
        (
            "docs/guide/0001-first-steps.md",
            "# 1. First steps\n\nStatus: Accepted\n",
        ),
    ];
    let paths: Vec<String> = forms
        .iter()
        .map(|(name, ..)| format!("docs/adr/{name}"))
        .collect();
    let texts = paths
        .iter()
        .zip(forms)
        .map(|(path, (_, _, text))| (path.as_str(), *text));
    let files: Vec<(&str, &str)> = texts.chain(others.iter().copied()).collect();
    let document = crate::entry::read(&files);
    let read: Vec<String> = document["decisions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let date = one["date"].as_str().unwrap_or("null");
            let word = |key: &str| one[key].as_str().unwrap().to_owned();
            format!("{} {} {date} {}", word("id"), word("status"), word("title"))
        })
        .collect();
    let expected: Vec<&str> = forms.iter().map(|(_, expected, _)| *expected).collect();
    assert_eq!(read, expected);
}

/// Components that documents name, by path, object and title, and those that they do not.
#[test]
fn documents_name_components_by_path_object_and_title() {
    let files = [
        ("fleet/a.yaml", unit("message-queue", "./queue", "") + &unit("home", "./home", "") + &unit("keycloak", "./auth/keycloak/base", "")),
        ("queue/r.yaml", release("rabbitmq")),
        ("home/r.yaml", release("homer")),
        ("auth/keycloak/base/r.yaml", release("keycloak")),
        ("docs/adr/0001-path.md", "# 1. By path\n\n## Status\n\nAccepted\n\n## Context\n\nSee `queue/r.yaml`.\n".to_owned()),
        ("docs/adr/0002-above.md", "# 2. By the directory above\n\nStatus: accepted\n\nAll of `auth/keycloak/` moves.\n".to_owned()),
        ("docs/adr/0003-title.md", "# 3. By title\n\nStatus: accepted\n\nThe Message Queue keeps what\nKeycloak forgets. Home is where the heart is, and a message queue may be any.\n".to_owned()),
        ("docs/adr/0004-object.md", "# 4. By object\n\nStatus: accepted\n\nThe HelmRelease `rabbitmq` and `keycloak`, not `home`.\n".to_owned()),
        ("docs/adr/0005-front.md", "---\nstatus: accepted\ncomponents: [home]\n---\n\n# By front matter\n".to_owned()),
        ("docs/adr/0006-code.md", "# 6. In code only\n\nStatus: accepted\n\n```yaml\npath: queue/r.yaml\n```\n".to_owned()),
    ];
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (*path, text.as_str()))
        .collect();
    let document = crate::entry::read(&files);
    let named: Vec<String> = document["components"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{}: {}", one["id"].as_str().unwrap(), one["decisions"]))
        .collect();
    assert_eq!(
        named,
        [
            "home: [\"ADR-0005\"]",
            "keycloak: [\"ADR-0002\",\"ADR-0003\",\"ADR-0004\"]",
            "message-queue: [\"ADR-0001\",\"ADR-0003\",\"ADR-0004\"]",
        ]
    );
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
