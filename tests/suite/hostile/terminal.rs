//! Names that a terminal would take for commands.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::committed;
use crate::cli::{catalog, platform, stderr, stdout};

#[test]
fn no_name_reaches_a_terminal_as_a_command() {
    let directory = platform();
    let text = "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: \"a\\e[31mRED\", namespace: flux-system}
spec:
  path: ./none
  dependsOn: [{name: \"b\\e[31m\"}]
  sourceRef: {kind: GitRepository, name: flux-system}
";
    fs::write(directory.path().join("clusters/dev/red.yaml"), text).unwrap();
    for args in [
        &["rehearse"][..],
        &["rehearse", "--format", "mermaid"],
        &["rehearse", "--without", "a\u{1b}[31mREDD"],
        &["check"],
        &["check", "--format", "github"],
        &["graph"],
        &["graph", "--format", "dot"],
        &["graph", "a\u{1b}[31mREDD"],
        &["init", "--dry-run"],
        &["explain", "a\u{1b}[31m"],
    ] {
        let output = catalog(args, directory.path());
        let said = stdout(&output) + &stderr(&output);
        assert!(!said.contains('\u{1b}'), "{args:?}: {said}");
    }
}

/// What a command shows on a terminal, with what it says besides.
#[cfg(unix)]
fn on_a_terminal(args: &[&str], directory: &Path) -> Option<String> {
    let quoted: Vec<String> = args.iter().map(|one| format!("'{one}'")).collect();
    let line = format!("{} {}", env!("CARGO_BIN_EXE_catalog"), quoted.join(" "));
    let output = Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .current_dir(directory)
        .env("NO_COLOR", "1")
        .env("CI", "1")
        .output();
    Some(String::from_utf8_lossy(&output.ok()?.stdout).into_owned())
}

#[cfg(unix)]
#[test]
fn no_format_commands_a_terminal() {
    let directory = platform();
    let root = directory.path();
    if !committed(root) {
        return;
    }
    // One that JSON spells out itself, one that it does not, and one that reorders what is read.
    let name = "a\\e[31mRED\\u009b31m\\u202e";
    let text = format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: \"{name}\", namespace: flux-system}}\nspec:\n  path: ./none\n  dependsOn: [{{name: \"b{name}\"}}]\n  sourceRef: {{kind: GitRepository, name: flux-system}}\n"
    );
    fs::write(root.join("clusters/dev/red.yaml"), text).unwrap();
    let raw = "a: 1 # \u{1b}[31m\u{9b}31m\u{202e}\na: 2\n";
    fs::write(root.join("shop/raw.yaml"), raw).unwrap();
    fs::write(root.join("shop/\u{1b}[31m.yaml"), "a: 'open\n").unwrap();
    let is_obeyed = |c: char| matches!(c, '\u{1b}' | '\u{9b}' | '\u{202e}');
    let output = catalog(&["diff", "HEAD", "--format", "markdown"], root);
    assert!(!stdout(&output).contains(is_obeyed), "{}", stdout(&output));
    for args in [
        &["diff", "HEAD"][..],
        &["diff", "HEAD", "--format", "markdown"],
        &["diff", "HEAD", "--format", "json"],
        &["check"],
        &["check", "--diff"],
        &["check", "--format", "json"],
        &["check", "--format", "sarif"],
        &["check", "--format", "junit"],
        &["export"],
        &["export", "--format", "backstage"],
        &["graph", "--format", "json"],
        &["graph", "--format", "svg"],
        &["rehearse", "--format", "json"],
        &["rehearse", "--format", "mermaid"],
        &["build", "--out", "a\u{1b}[31m"],
        &["build", "--out", "a\u{1b}[31m", "--check"],
    ] {
        let Some(said) = on_a_terminal(args, root) else {
            return;
        };
        assert!(!said.contains(is_obeyed), "{args:?}: {said:?}");
    }
}
