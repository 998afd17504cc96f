//! Default runbooks as files, and what they become.

use super::*;
use crate::site::theme;

fn standards() -> Standards {
    Standards::new(theme::runbooks())
}

#[test]
fn every_file_of_the_theme_is_a_runbook() {
    let files: Vec<(String, String)> = theme::runbooks().collect();
    assert!(files.len() >= 13);
    assert_eq!(standards().0.len(), files.len());
    for standard in &standards().0 {
        assert!(
            !standard.symptom.is_empty(),
            "{}: no symptom",
            standard.name
        );
        assert!(
            !standard.replaced_by.is_empty(),
            "{}: nothing replaces it",
            standard.name
        );
    }
}

#[test]
fn the_commands_of_every_default_runbook_pass_the_lint() {
    let catalog = crate::catalog::Catalog::default();
    let inventory = crate::knowledge::runbook::inventory::Inventory::from_catalog(&catalog);
    for (name, text) in theme::runbooks() {
        // A placeholder is as good as a name here.
        let text = text.replace("{{ provider.kind }}", "kustomization");
        let text = text.replace("{{ unit.kind }}", "kustomization");
        let text = text.replace("{{ hold.kind }}", "kustomization");
        let text = text.replace("{{ workload }}", "deployment/web");
        let text = text.replace("{{ route }}", "ingress/web");
        let text = text.replace("selector }}", "selector }}=web");
        let text = text.replace("{{ ", "").replace(" }}", "");
        let blocks = blocks(&text).blocks;
        let findings = crate::knowledge::runbook::command::lint(
            base::FileId(0),
            &text.lines().collect::<Vec<_>>(),
            &blocks,
            crate::knowledge::runbook::command::RunbookScope::Page,
            &inventory,
        );
        assert!(findings.is_empty(), "{name}: {findings:?}");
    }
}

#[test]
fn a_file_of_ones_own_replaces_or_removes_a_default() {
    let own = |text: &str| {
        let own = ("oomkilled".to_owned(), text.to_owned());
        Standards::new(theme::runbooks().chain([own]))
    };
    let count = standards().0.len();
    let changed = own("---\ntitle: Mine\nfor: image\n---\n");
    assert_eq!(changed.0.len(), count);
    assert!(changed.0.iter().any(|standard| standard.title == "Mine"));
    assert_eq!(own("").0.len(), count - 1);
}

#[test]
fn a_default_runbook_diagnoses_before_it_changes_anything() {
    let changes = [
        "reconcile",
        "sync",
        "annotate",
        "patch",
        "delete",
        "undo",
        "suspend",
        "resume",
        "restart",
    ];
    for (name, text) in theme::runbooks() {
        let (diagnose, fix) = text.split_once("\n## Fix\n").unwrap_or((&text, ""));
        assert!(diagnose.contains("\n## Diagnose\n"), "{name}");
        let is_change = |line: &&str| {
            let mut words = line.split(' ');
            !line.starts_with('#') && words.any(|word| changes.contains(&word))
        };
        let commands = |part: &str| -> Vec<String> {
            let blocks = part.split("```bash\n").skip(1);
            let code = blocks.filter_map(|block| block.split("```").next());
            code.flat_map(str::lines)
                .filter(is_change)
                .map(str::to_owned)
                .collect()
        };
        assert_eq!(commands(diagnose), [""; 0], "{name}");
        assert!(fix.is_empty() || !fix.contains("## Diagnose"), "{name}");
    }
}

#[test]
fn a_heading_with_nothing_below_it_is_left_out() {
    let heading = |title: &str| Filled::Heading(title.to_owned());
    let text = Filled::Paragraph("Raise the limit.".to_owned());
    let mut parts = vec![
        heading("Impact"),
        heading("Diagnose"),
        text.clone(),
        heading("Fix"),
    ];
    remove_empty_headings(&mut parts);
    assert_eq!(parts, [heading("Diagnose"), text]);
}

#[test]
fn the_title_of_a_default_runbook_replaces_it() {
    for standard in &standards().0 {
        let title = words(&standard.title);
        assert!(standard.is_replaced_by(&title), "{}", standard.title);
    }
}

#[test]
fn words_of_a_title_say_what_it_replaces() {
    let all = standards();
    let replaced = |title: &str| -> Vec<&str> {
        let title = words(title);
        let own = all
            .0
            .iter()
            .filter(|standard| standard.is_replaced_by(&title));
        own.map(|standard| standard.name.as_str()).collect()
    };
    assert_eq!(
        replaced("The operator is killed: out of memory"),
        ["oomkilled"]
    );
    assert_eq!(
        replaced("The release hangs in install or upgrade"),
        ["helmrelease-stuck"]
    );
    assert_eq!(
        replaced("An ExternalSecret is not syncing"),
        ["externalsecret-not-syncing"]
    );
    assert_eq!(
        replaced("Manifests are refused: failed calling webhook"),
        ["webhook-not-serving"]
    );
    assert_eq!(
        replaced("A rotated password has not arrived"),
        [] as [&str; 0]
    );
}
