//! Every rule is documented, and what is documented can be reported.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::cli::{catalog, repo, stderr, stdout};
use crate::tidy::sources;
use catalog::checks;

/// Names that stand where a finding is made: behind `Finding::…(`, or behind a helper that takes the name first.
fn reported() -> BTreeSet<String> {
    const BEFORE: &[&str] = &[
        "Finding::new(",
        "Finding::error(",
        "Finding::warning(",
        "Finding::info(",
        "fault(",
    ];
    let mut names = BTreeSet::new();
    for (path, text) in sources() {
        if path.components().any(|part| part.as_os_str() == "tests") {
            continue;
        }
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        for before in BEFORE {
            for after in code.split(before).skip(1) {
                let literal = after.trim_start().strip_prefix('"');
                let name = literal.and_then(|rest| rest.split('"').next());
                names.extend(name.filter(|name| is_name(name)).map(str::to_owned));
            }
        }
    }
    names
}

fn is_name(text: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty()
            && word
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    text.contains('-') && text.split('-').all(is_word)
}

#[test]
fn every_rule_that_is_reported_is_documented() {
    let documented: BTreeSet<String> = checks::rules()
        .iter()
        .map(|rule| rule.name.to_owned())
        .collect();
    let missing: Vec<String> = reported().difference(&documented).cloned().collect();
    assert!(
        missing.is_empty(),
        "write about these below src/checks: {missing:?}"
    );
}

#[test]
fn every_rule_that_is_documented_is_reported() {
    // Checks name their rule by its constant rather than again.
    let mut code = String::new();
    for (path, text) in sources() {
        if !path.starts_with("check/read") {
            code += text.split("#[cfg(test)]\nmod tests").next().unwrap();
        }
    }
    let unused: Vec<&str> = checks::rules()
        .iter()
        .map(|rule| rule.name)
        .filter(|name| !code.contains(&format!("\"{name}\"")))
        .collect();
    assert!(unused.is_empty(), "nothing reports {unused:?}");
}

#[test]
fn documentation_has_its_parts_and_every_name_is_taken_once() {
    let mut names = BTreeSet::new();
    for rule in checks::rules() {
        assert!(is_name(rule.name), "{}", rule.name);
        assert!(names.insert(rule.name), "{} is there twice", rule.name);
        assert!(
            rule.summary.ends_with('.'),
            "{}: {}",
            rule.name,
            rule.summary
        );
        assert!(rule.summary.len() < 120, "{}: {}", rule.name, rule.summary);
        let headings: Vec<String> = rule
            .about
            .lines()
            .filter(|line| line.starts_with("## "))
            .map(str::to_lowercase)
            .collect();
        for part in ["what it does", "why", "example", "fix|use instead"] {
            let is_there = |words: &str| headings.iter().any(|heading| heading.contains(words));
            let is_there = part.split('|').any(is_there);
            assert!(is_there, "{} says nothing under `{part}`", rule.name);
        }
        let fences = rule.about.matches("```").count();
        assert!(fences >= 2 && fences % 2 == 0, "{}: its code", rule.name);
    }
}

#[test]
fn the_guide_in_docs_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/checks.md");
    let guide = checks::guide();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &guide).unwrap();
    }
    let current = fs::read_to_string(&path).unwrap_or_default();
    assert!(current == guide, "run the tests once with UPDATE_GOLDEN=1");
}

#[test]
fn explain_prints_a_rule_or_lists_them_all() {
    let here = repo(&[]);
    let output = catalog(&["explain", "yaml-syntax"], here.path());
    assert_eq!(output.status.code(), Some(0));
    assert!(
        stdout(&output).starts_with("yaml-syntax (error)\n"),
        "{}",
        stdout(&output)
    );
    let list = stdout(&catalog(&["explain"], here.path()));
    for rule in checks::rules() {
        assert!(
            list.contains(rule.name) && list.contains(rule.summary),
            "{}",
            rule.name
        );
    }
    let output = catalog(&["explain", "yaml-sintax"], here.path());
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        stderr(&output),
        "error: there is no rule `yaml-sintax`; did you mean `yaml-syntax`?\n"
    );
}
