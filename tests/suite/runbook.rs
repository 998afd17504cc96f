//! What runbooks and prose get wrong: small repositories in `tests/cases/runbook`, each with the findings expected.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use base::FileId;
use catalog::knowledge::runbook::command::{self, RunbookScope};
use catalog::knowledge::runbook::inventory::Inventory;
use catalog::knowledge::runbook::standard::Filled;
use catalog::pipeline::{self, Reading, Request};

use crate::case;
use crate::site::files;

#[test]
fn every_case_gives_the_findings_that_it_says() {
    case::compare("runbook", "Findings", |case| {
        findings(case.lay_out().path())
    });
}

#[test]
fn every_rule_has_a_case_that_fires_and_one_that_stays_silent() {
    let cases = case::all("runbook");
    for rule in case::rules("Runbooks and alerts") {
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
    let reading = read(repo);
    let rules = case::rules("Runbooks and alerts");
    let own = reading
        .findings
        .open
        .iter()
        .filter(|finding| rules.iter().any(|rule| rule.name == finding.rule));
    let mut text = String::new();
    for finding in own {
        let path = reading.repo.path(finding.place.file);
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

#[test]
fn every_component_has_the_default_runbooks_that_its_case_says() {
    case::compare("defaults", "Runbooks", |case| {
        defaults(case.lay_out().path())
    });
}

/// Components with their default runbooks, as text.
fn defaults(repo: &Path) -> String {
    let reading = read(repo);
    let context = reading.context();
    let mut text = String::new();
    for (at, component) in reading.catalog.components.iter_enumerated() {
        let _ = writeln!(text, "{}", component.id.0);
        let listed = context.runbooks.for_component(at).runbooks.iter();
        for standard in listed.filter_map(|listed| context.standards.get(listed.standard?)) {
            let _ = writeln!(text, "\n  {}", standard.title);
            for part in standard.filled(&context.case(at)) {
                match part {
                    Filled::Heading(title) => {
                        let _ = writeln!(text, "    {title}:");
                    }
                    Filled::Paragraph(words) => {
                        let _ = writeln!(text, "    {words}");
                    }
                    Filled::Items(items) => items.iter().for_each(|item| {
                        let _ = writeln!(text, "    - {item}");
                    }),
                    Filled::Commands(steps) => {
                        for line in steps.iter().flat_map(|step| &step.commands) {
                            let _ = writeln!(text, "    $ {line}");
                        }
                    }
                }
            }
        }
    }
    text
}

#[test]
fn default_runbooks_have_the_names_of_the_component_and_commands_that_work() {
    let content = Path::new(env!("CARGO_MANIFEST_DIR")).join("content");
    let reading = read(&content);
    let context = reading.context();
    let inventory = Inventory::from_catalog(&reading.catalog);
    let mut shown: BTreeSet<&str> = BTreeSet::new();
    for (at, component) in reading.catalog.components.iter_enumerated() {
        let case = context.case(at);
        let listed = context.runbooks.for_component(at).runbooks.iter();
        for standard in listed.filter_map(|listed| context.standards.get(listed.standard?)) {
            let filled = standard.filled(&case);
            let commands: Vec<String> = filled
                .iter()
                .flat_map(|part| match part {
                    Filled::Commands(steps) => steps
                        .iter()
                        .flat_map(|step| step.commands.clone())
                        .collect(),
                    _ => Vec::new(),
                })
                .collect();
            let who = format!("{}: {}", component.id.0, standard.title);
            assert!(!commands.is_empty(), "{who}");
            let text = format!("```bash\n{}\n```\n", commands.join("\n"));
            assert!(!text.contains("{{"), "{who}: {text}");
            let blocks = markdown::blocks(&text).blocks;
            let lines: Vec<&str> = text.lines().collect();
            let faults = command::lint(FileId(0), &lines, &blocks, RunbookScope::Page, &inventory);
            assert!(faults.is_empty(), "{who}: {faults:?}\n{text}");
            shown.insert(&standard.name);
        }
    }
    assert!(shown.len() >= 7, "{shown:?}");
}

#[test]
fn an_authored_runbook_takes_the_place_of_the_default_for_its_symptom() {
    let content = Path::new(env!("CARGO_MANIFEST_DIR")).join("content");
    let reading = read(&content);
    let context = reading.context();
    let titles = |id: &str| -> Vec<String> {
        let all = &reading.catalog.components;
        let at = all.find_index(|component| component.id.0 == id).unwrap();
        let listed = context.runbooks.for_component(at).runbooks.iter();
        let generated = listed.filter(|listed| listed.written.is_none());
        generated.map(|listed| listed.title.clone()).collect()
    };
    let operator = titles("external-secrets-operator");
    for replaced in [
        "The HelmRelease is stuck",
        "The webhook is not responding",
        "Pods are OOMKilled",
    ] {
        assert!(
            !operator.iter().any(|title| title == replaced),
            "{operator:?}"
        );
    }
    assert!(
        operator
            .iter()
            .any(|title| title == "The Kustomization is not ready"),
        "{operator:?}"
    );
    let shop = titles("checkout-api");
    assert!(
        !shop
            .iter()
            .any(|title| title == "An ExternalSecret is not syncing"),
        "{shop:?}"
    );
}

fn read(repo: &Path) -> Reading {
    let request = Request {
        repo: Some(repo.to_owned()),
        config: None,
        ..Request::default()
    };
    pipeline::read(&request).unwrap()
}

#[test]
fn no_runbook_of_nonsense_takes_the_program_down() {
    let pieces = [
        "kubectl ",
        "get ",
        "<",
        "<<EOF\n",
        "$(",
        "`",
        "'",
        "\"",
        "\\\n",
        "| ",
        "&& ",
        "-n ",
        "a/b ",
        "\u{1f600}",
        "secret ",
        "-o yaml",
        "{{",
        "\r\n",
        "…",
        "--",
        "flux suspend ",
        "${",
        "))",
        "> ",
        "2>&1 ",
        "\t",
        "$ ",
    ];
    let mut state = 7u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    let catalog = catalog::catalog::Catalog::default();
    let inventory = Inventory::from_catalog(&catalog);
    let lint = |code: &str| {
        let text = format!("```bash\n{code}\n```\n");
        let lines: Vec<&str> = text.lines().collect();
        let blocks = markdown::blocks(&text).blocks;
        command::lint(FileId(0), &lines, &blocks, RunbookScope::Page, &inventory);
    };
    for _ in 0..2_000 {
        let length = random(24);
        let code: String = (0..length).map(|_| pieces[random(pieces.len())]).collect();
        lint(&code);
    }
    for piece in pieces {
        lint(&piece.repeat(200_000 / piece.len()));
    }
    lint(&"kubectl get helmrelese x -n y\n".repeat(20_000));
}

#[test]
fn the_operators_page_has_no_finding_until_kubectl_is_asked_to_suspend() {
    let copy = tempfile::tempdir().unwrap();
    for (path, bytes) in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("content")) {
        let to = copy.path().join(path);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::write(to, bytes).unwrap();
    }
    let page = "apps/foundation/external-secrets-operator/README.md";
    let of_page = || {
        let found = findings(copy.path());
        let own = found.lines().filter(|line| line.contains(page));
        own.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(of_page(), [""; 0]);
    let path = copy.path().join(page);
    let text = std::fs::read_to_string(&path).unwrap();
    let mut wrong = text.clone();
    for verb in ["suspend", "resume"] {
        let right = format!("flux -n external-secrets {verb} helmrelease");
        assert_eq!(text.matches(&right).count(), 1, "{right}");
        let kubectl = right.replacen("flux", "kubectl", 1);
        wrong = wrong.replace(&right, &kubectl);
    }
    std::fs::write(&path, wrong).unwrap();
    let found = of_page();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found
            .iter()
            .all(|line| line.starts_with("error command-unknown-verb ")),
        "{found:?}"
    );
}
