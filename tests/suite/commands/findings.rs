//! How findings are sorted, shortened and counted.

use std::fs;

use serde_json::Value;

use super::{run, troubled};

#[test]
fn findings_are_sorted_by_severity_and_then_by_file_in_every_format() {
    let directory = troubled();
    let (_, text, _) = run(&["check", "--format", "json"], directory.path());
    let report: Value = serde_json::from_str(&text).unwrap();
    let key = |finding: &Value| {
        let severities = ["error", "warning", "info"];
        let severity = finding["severity"].as_str().unwrap();
        let rank = severities.iter().position(|one| *one == severity).unwrap();
        let file = finding["file"].as_str().unwrap_or("~").to_owned();
        (rank, file, finding["line"].as_u64())
    };
    let keys: Vec<_> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(key)
        .collect();
    assert!(keys.is_sorted(), "{keys:?}");
    assert!(keys.iter().any(|key| key.0 == 0) && keys.iter().any(|key| key.0 == 1));
    let by_place: Vec<&String> = keys.iter().map(|key| &key.1).collect();
    assert!(!by_place.is_sorted(), "{by_place:?}");
    let (_, text, _) = run(&["check", "--format", "concise"], directory.path());
    let concise: Vec<String> = text
        .lines()
        .map(|line| line.split(':').next().unwrap().to_owned())
        .collect();
    let expected: Vec<String> = keys.iter().map(|key| key.1.replace('~', ".")).collect();
    assert_eq!(concise, expected);
    let (_, text, _) = run(&["check", "--format", "github"], directory.path());
    let levels: Vec<usize> = text
        .lines()
        .map(|line| {
            let levels = ["::error", "::warning", "::notice"];
            levels.iter().position(|one| line.starts_with(one)).unwrap()
        })
        .collect();
    assert!(levels.is_sorted(), "{text}");
}

#[test]
fn a_concise_report_has_one_line_for_each_finding() {
    let directory = troubled();
    let args = ["check", "--format", "concise", "--select", "yaml-syntax"];
    let (code, text, _) = run(&args, directory.path());
    assert_eq!(code, 1);
    let line = text.trim_end();
    assert!(
        line.starts_with("shop/broken.yaml:") && line.contains(": error[yaml-syntax] "),
        "{line}"
    );
    assert_eq!(text.lines().count(), 1);
}

#[test]
fn statistics_count_findings_by_rule_instead_of_printing_them() {
    let directory = troubled();
    let web = "# catalog: allow file-missing, because x\na: 'open\n";
    fs::write(directory.path().join("shop/broken.yaml"), web).unwrap();
    let (code, text, _) = run(&["check", "--statistics"], directory.path());
    assert_eq!(code, 1);
    assert!(
        text.lines()
            .next()
            .unwrap()
            .starts_with("1  error    yaml-syntax "),
        "{text}"
    );
    assert!(!text.contains("broken.yaml"), "{text}");
    let args = ["check", "--statistics", "--format", "json"];
    let (_, text, _) = run(&args, directory.path());
    let counts: Value = serde_json::from_str(&text).unwrap();
    let counts = counts["statistics"].as_array().unwrap();
    let unused = counts.iter().find(|one| one["rule"] == "allow-unused");
    let unused = unused.unwrap_or_else(|| panic!("{text}"));
    assert_eq!(
        (&unused["count"], &unused["fixable"]),
        (&1.into(), &1.into())
    );
    assert_eq!(unused["severity"], "info");
    let (code, _, error) = run(
        &["check", "--statistics", "--format", "sarif"],
        directory.path(),
    );
    assert_eq!(code, 2);
    assert!(error.contains("text, concise or json"), "{error}");
}

#[test]
fn findings_below_a_severity_are_neither_printed_nor_counted() {
    let directory = troubled();
    let args = ["check", "--severity", "error", "--format", "concise"];
    let (code, text, summary) = run(&args, directory.path());
    assert_eq!(code, 1);
    assert!(text.lines().all(|line| line.contains(": error[")), "{text}");
    assert!(summary.contains(" below --severity"), "{summary}");
    fs::remove_file(directory.path().join("shop/broken.yaml")).unwrap();
    let quiet = ["check", "--severity", "error", "--fail-on", "info"];
    let (code, text, _) = run(&quiet, directory.path());
    assert_eq!((code, text.as_str()), (0, ""));
    let loud = ["check", "--severity", "warning", "--fail-on", "info"];
    assert_eq!(run(&loud, directory.path()).0, 1);
}
