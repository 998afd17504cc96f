//! What runbooks and prose get wrong: small repositories in `tests/cases/runbook`, each with the findings expected.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use catalog::pipeline::{self, Request};
use catalog::runbook::RULES;

use crate::case;

#[test]
fn every_case_gives_the_findings_that_it_says() {
    let mut wrong = String::new();
    for case in case::all("runbook") {
        let directory = case.lay_out();
        let found = findings(directory.path());
        let expected = case.sections.iter().find(|one| one.heading == "Findings");
        let expected = &expected
            .unwrap_or_else(|| panic!("{}: no findings", case.name))
            .block;
        if found == *expected {
            continue;
        }
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            let path = Path::new(env!("CARGO_MANIFEST_DIR"));
            let path = path.join(format!("tests/cases/runbook/{}.md", case.name));
            let text = fs::read_to_string(&path).unwrap();
            let (before, _) = text.split_once("## Findings").unwrap();
            fs::write(
                &path,
                format!("{before}## Findings\n\n```text\n{found}```\n"),
            )
            .unwrap();
            continue;
        }
        let _ = writeln!(
            wrong,
            "{}: {}\nexpected:\n{expected}found:\n{found}",
            case.name, case.title
        );
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_rule_has_a_case_that_fires_and_one_that_stays_silent() {
    let cases = case::all("runbook");
    for rule in RULES {
        let about = |case: &&case::Case| case.title.contains(&format!("`{}`", rule.name));
        let fires = |case: &case::Case| {
            let sections = case.sections.iter().filter(|one| one.heading == "Findings");
            let mut lines = sections.flat_map(|one| one.block.lines());
            lines.any(|line| line.split(' ').nth(1) == Some(rule.name))
        };
        let own: Vec<&case::Case> = cases.iter().filter(about).collect();
        assert!(
            own.iter().any(|case| fires(case)),
            "{}: no case fires",
            rule.name
        );
        assert!(
            own.iter().any(|case| !fires(case)),
            "{}: no case is silent",
            rule.name
        );
    }
}

/// A line each: severity, rule, place, message, and what would be right.
fn findings(repo: &Path) -> String {
    let request = Request {
        repo: Some(repo.to_owned()),
        config: None,
    };
    let reading = pipeline::read(&request).unwrap();
    let book = reading.book();
    let own = book
        .findings
        .iter()
        .filter(|finding| RULES.iter().any(|rule| rule.name == finding.rule));
    let mut text = String::new();
    for finding in own {
        let path = book.repo.path(finding.place.file);
        let _ = write!(
            text,
            "{} {} {path}:{}:{} {}",
            finding.severity,
            finding.rule,
            finding.place.line,
            finding.place.column,
            finding.message
        );
        if let Some(help) = &finding.help {
            let _ = write!(text, "; {help}");
        }
        text.push('\n');
    }
    text
}
