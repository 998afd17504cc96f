//! What checks find: each case in `tests/cases/check` is a small repository with the findings expected of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use base::{Edit, FileId, Finding};
use catalog::checks::CHECKS;
use catalog::checks::fix::Fixes;
use catalog::pipeline::{self, Reading, Request};

use crate::case::{self, Case};

#[test]
fn checks_find_what_they_should_and_nothing_else() {
    case::compare("check", "Findings", |case| {
        tell(&read(case.lay_out().path()), &case.name)
    });
}

#[test]
fn every_rule_has_a_case_in_which_it_fires_and_one_in_which_it_is_silent() {
    let mut silent: BTreeSet<&str> = BTreeSet::new();
    let mut fires: BTreeSet<&str> = BTreeSet::new();
    let cases = case::all("check");
    for rule in CHECKS.iter().map(|check| check.rule().name) {
        for case in cases.iter().filter(|case| case.name.starts_with(rule)) {
            let found = expected(case);
            if found.contains(&format!(" {rule} ")) {
                fires.insert(rule)
            } else {
                silent.insert(rule)
            };
        }
    }
    for rule in CHECKS.iter().map(|check| check.rule().name) {
        assert!(fires.contains(rule), "{rule} fires in no case");
        assert!(silent.contains(rule), "{rule} is silent in no case");
    }
}

#[test]
fn every_rule_is_documented() {
    let mut names = BTreeSet::new();
    for check in CHECKS {
        let rule = check.rule();
        assert!(names.insert(rule.name), "{} is there twice", rule.name);
        assert!(rule.summary.ends_with('.'), "{}", rule.name);
        for part in ["## What it does", "## Why is this bad?", "## Example"] {
            assert!(rule.about.contains(part), "{} lacks {part}", rule.name);
        }
        let has_fix =
            rule.about.contains("## How to fix it") || rule.about.contains("## Use instead");
        assert!(has_fix, "{} does not say how to fix it", rule.name);
    }
}

#[test]
fn what_is_fixed_is_found_no_more() {
    let mut fixed = 0;
    for case in case::all("check") {
        let directory = case.lay_out();
        let before = read(directory.path());
        let fixes = Fixes::work_out(&before.repo, &before.findings.open);
        let mended: Vec<&Finding> = before
            .findings
            .open
            .iter()
            .filter(|finding| fixes.get(finding).is_some())
            .collect();
        if mended.is_empty() {
            continue;
        }
        fixed += mended.len();
        let rules: BTreeSet<&str> = mended.iter().map(|finding| finding.rule).collect();
        let edits: BTreeSet<Edit> = mended
            .iter()
            .flat_map(|finding| fixes.get(finding).unwrap().edits.clone())
            .collect();
        apply(directory.path(), &edits);
        let after = read(directory.path());
        let left = Fixes::work_out(&after.repo, &after.findings.open);
        let errors: Vec<String> = after
            .findings
            .open
            .iter()
            .filter(|finding| rules.contains(finding.rule) && left.get(finding).is_some())
            .map(|finding| finding.message.clone())
            .collect();
        assert_eq!(errors, [""; 0], "{}", case.name);
        assert_eq!(units(&before).difference(&units(&after)).count(), 0);
    }
    assert!(fixed > 3, "{fixed}");
}

fn units(reading: &Reading) -> BTreeSet<String> {
    let clusters = reading.catalog.clusters.iter();
    clusters
        .flat_map(|cluster| cluster.units.iter().map(|unit| unit.id.to_string()))
        .collect()
}

/// Whether it is a check that says this, rather than a reader.
pub fn is_of_check(rule: &str) -> bool {
    CHECKS.iter().any(|check| check.rule().name == rule)
}

pub fn read(path: &Path) -> Reading {
    let request = Request {
        repo: Some(path.to_path_buf()),
        config: None,
        ..Request::default()
    };
    pipeline::read(&request).unwrap()
}

/// Changes files as fixes say: from the last line to the first, so that numbers stay true.
pub fn apply(root: &Path, edits: &BTreeSet<Edit>) {
    let mut lines: BTreeMap<&str, Vec<(u32, u32, &str)>> = BTreeMap::new();
    for edit in edits {
        match edit {
            Edit::Lines {
                path,
                first,
                count,
                text,
            } => lines.entry(path).or_default().push((*first, *count, text)),
            Edit::Create { path, text } => {
                let path = root.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            Edit::Remove { path } => fs::remove_file(root.join(path)).unwrap(),
        }
    }
    for (path, mut changes) in lines {
        let text = fs::read_to_string(root.join(path)).unwrap();
        let mut all: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        changes.sort();
        for (first, count, text) in changes.into_iter().rev() {
            let start = first as usize - 1;
            let end = start + count as usize;
            all.splice(start..end, [text.to_owned()]);
        }
        fs::write(root.join(path), all.concat()).unwrap();
    }
}

fn expected(case: &Case) -> &str {
    let mut sections = case.sections.iter();
    let section = sections.find(|section| section.heading == "Findings");
    section.map_or("", |section| section.block.as_str())
}

/// What checks found, one finding after the other; readers have tests of their own.
/// The findings of checks, and those of the rule that the case is named after.
fn tell(reading: &Reading, case: &str) -> String {
    let mut text = String::new();
    let place = |place: base::Place| {
        if place.file == FileId::NONE {
            "-".to_owned()
        } else {
            format!("{}:{}", reading.repo.path(place.file), place.line)
        }
    };
    let fixes = Fixes::work_out(&reading.repo, &reading.findings.open);
    let findings = reading.findings.open.iter();
    for finding in
        findings.filter(|finding| is_of_check(finding.rule) || case.starts_with(finding.rule))
    {
        let _ = writeln!(
            text,
            "{} {} {} {}",
            finding.severity,
            finding.rule,
            place(finding.place),
            finding.message
        );
        for (at, note) in finding.notes() {
            let _ = writeln!(text, "  {} {note}", place(*at));
        }
        if let Some(help) = &finding.help {
            let _ = writeln!(text, "  help: {help}");
        }
        if let Some(fix) = fixes.get(finding) {
            let _ = writeln!(text, "  fix: {}", fix.title);
            for edit in &fix.edits {
                tell_edit(edit, &mut text);
            }
        }
    }
    text
}

fn tell_edit(edit: &Edit, text: &mut String) {
    let _ = match edit {
        Edit::Lines {
            path,
            first,
            count,
            text: with,
        } => writeln!(text, "    {path}:{first} {count} lines become {with:?}"),
        Edit::Create { path, text: with } => {
            let _ = writeln!(text, "    + {path}");
            for line in with.lines() {
                let _ = writeln!(text, "      {line}");
            }
            Ok(())
        }
        Edit::Remove { path } => writeln!(text, "    - {path}"),
    };
}
