//! Completion in shells.

use std::fs;
use std::process::Command;

use super::run;
use crate::cli::{platform, stderr, stdout, unit};

#[test]
fn shells_are_offered_rules_and_components() {
    let directory = platform();
    let complete = |words: &[&str]| {
        let index = (words.len() - 1).to_string();
        let args = [&["__complete", &index], words].concat();
        let (code, text, error) = run(&args, directory.path());
        assert_eq!((code, error.as_str()), (0, ""), "{words:?}");
        text
    };
    assert!(complete(&["catalog", "check", "--select", ""]).contains("weak-gate\n"));
    assert!(complete(&["catalog", "explain", "we"]).contains("weak-gate\n"));
    for words in [
        &["catalog", "graph", ""][..],
        &["catalog", "check", "--component", "s"],
        &["catalog", "-q", "rehearse", "--without", ""],
    ] {
        assert_eq!(complete(words), "operator\nshop\nstore\n", "{words:?}");
    }
    for words in [
        &["catalog", ""][..],
        &["catalog", "check", "--format", ""],
        &["catalog", "--repo", "nowhere", "graph", ""],
        &["catalog"],
    ] {
        assert_eq!(complete(words), "", "{words:?}");
    }
    assert_eq!(run(&["__complete"], directory.path()).0, 0);
}

#[test]
fn the_script_for_bash_completes_names_and_all_else() {
    let directory = platform();
    let hostile = unit("'s$(touch pwned)'", "extra", "");
    fs::write(directory.path().join("clusters/dev/hostile.yaml"), hostile).unwrap();
    fs::create_dir(directory.path().join("extra")).unwrap();
    let object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra}\n";
    fs::write(directory.path().join("extra/all.yaml"), object).unwrap();
    let program = env!("CARGO_BIN_EXE_catalog");
    let complete = |words: &[&str]| {
        let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        let script = format!(
            "source <('{program}' completions bash)\nCOMP_WORDS=('{program}' {})\nCOMP_CWORD={}\n\
             _catalog_with_names '{program}' \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"\n\
             printf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
            quoted.join(" "),
            words.len()
        );
        let output = Command::new("bash")
            .args(["-c", &script])
            .current_dir(directory.path())
            .output()
            .unwrap();
        stdout(&output) + &stderr(&output)
    };
    let offered = complete(&["graph", "s"]);
    assert!(offered.contains("shop\nstore\n"), "{offered}");
    assert!(!offered.contains('$') && !directory.path().join("pwned").exists());
    assert_eq!(complete(&["explain", "weak-"]), "weak-gate\n");
    assert_eq!(complete(&["rehea"]), "rehearse\n");
    assert_eq!(complete(&["check", "--stat"]), "--statistics\n");
}
