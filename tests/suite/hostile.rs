//! Hostile input is normal input: each costs one clear finding, and nothing else is lost.

mod growth;

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::cli::{catalog, export, platform, repo, stderr, stdout};

/// The findings on a platform to which a file was added; everything else must still be there.
fn findings_with(path: &str, content: &[u8]) -> Vec<Value> {
    let directory = platform();
    let full = directory.path().join(path);
    fs::create_dir_all(full.parent().unwrap()).unwrap();
    fs::write(full, content).unwrap();
    findings_of(&directory)
}

fn findings_of(directory: &TempDir) -> Vec<Value> {
    let document = export(directory.path());
    assert_eq!(
        document["components"].as_array().unwrap().len(),
        3,
        "a component was lost"
    );
    let findings = document["findings"].as_array().unwrap().iter();
    let of_readers =
        findings.filter(|finding| !crate::check::is_of_check(finding["rule"].as_str().unwrap()));
    of_readers.cloned().collect()
}

fn only(findings: &[Value], rule: &str) {
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert_eq!(findings[0]["rule"], rule, "{findings:#?}");
}

#[test]
fn an_empty_cluster_is_an_empty_catalogue() {
    let directory = repo(&[
        (
            "catalog.toml",
            "[[cluster]]\nname = \"dev\"\nroot = \"dev\"\n",
        ),
        ("dev/kustomization.yaml", "resources: []\n"),
    ]);
    let document = export(directory.path());
    assert_eq!(document["components"], Value::Array(Vec::new()));
    assert_eq!(document["findings"], Value::Array(Vec::new()));
    assert_eq!(catalog(&["check"], directory.path()).status.code(), Some(0));
}

#[test]
fn a_directory_without_git_has_no_commit() {
    assert_eq!(export(platform().path())["commit"], Value::Null);
}

/// Commits all that a directory holds, where there is a git to do it.
fn committed(root: &Path) -> bool {
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]);
        let output = command.args(args).current_dir(root).output();
        output.is_ok_and(|output| output.status.success())
    };
    if !git(&["init", "-q"]) {
        return false;
    }
    assert!(git(&["add", "-A"]) && git(&["commit", "-qm", "all"]));
    true
}

#[test]
fn a_git_repository_has_its_commit() {
    let directory = platform();
    if !committed(directory.path()) {
        return;
    }
    assert_eq!(
        export(directory.path())["commit"].as_str().unwrap().len(),
        40
    );
}

#[test]
fn a_binary_file_is_named_and_left_out() {
    only(
        &findings_with("shop/logo.yaml", b"\x89PNG\0\0\0"),
        "file-binary",
    );
    assert!(findings_with("shop/logo.png", b"\x89PNG\0\0\0").is_empty());
}

#[test]
fn a_manifest_of_two_megabytes_is_read() {
    let mut text = String::from(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: big, namespace: shop}\ndata:\n",
    );
    while text.len() < 2_000_000 {
        text += &format!("  key-{}: some value that stands here\n", text.len());
    }
    assert!(findings_with("shop/big.yaml", text.as_bytes()).is_empty());
}

#[test]
fn a_file_over_the_limit_is_named_and_left_out() {
    let text = "# nothing\n".repeat(900_000);
    only(
        &findings_with("shop/huge.yaml", text.as_bytes()),
        "file-too-large",
    );
}

#[test]
fn invalid_utf8_is_named_with_its_place() {
    let findings = findings_with("shop/latin.yaml", b"a: 1\nname: caf\xe9\n");
    only(&findings, "file-not-utf8");
    assert_eq!(findings[0]["line"], 2);
}

#[test]
fn an_unclosed_quote_costs_its_document_only() {
    let text = b"apiVersion: v1\nkind: Namespace\nmetadata: {name: kept}\n---\nname: \"open\n";
    only(&findings_with("shop/quote.yaml", text), "yaml-syntax");
}

#[test]
fn a_billion_laughs_are_not_laughed() {
    let mut text = String::from("a0: &a0 [lol]\n");
    for i in 1..40 {
        text += &format!(
            "a{i}: &a{i} [{}]\n",
            vec![format!("*a{}", i - 1); 10].join(", ")
        );
    }
    only(
        &findings_with("other/bomb.yaml", text.as_bytes()),
        "yaml-expansion",
    );
}

#[test]
fn deep_nesting_does_not_overflow() {
    for text in [
        "[".repeat(10_000),
        "- ".repeat(10_000),
        "{a: ".repeat(10_000),
    ] {
        only(
            &findings_with("other/deep.yaml", text.as_bytes()),
            "yaml-too-deep",
        );
    }
}

#[test]
fn a_kustomization_that_includes_itself_ends() {
    let directory = platform();
    let shop = directory.path().join("shop/kustomization.yaml");
    fs::write(shop, "resources: [app.yaml, ../shop]\n").unwrap();
    only(&findings_of(&directory), "kustomization-cycle");
}

#[test]
fn two_kustomizations_that_include_each_other_end() {
    let directory = platform();
    let shop = directory.path().join("shop/kustomization.yaml");
    fs::write(shop, "resources: [app.yaml, ../other]\n").unwrap();
    fs::create_dir(directory.path().join("other")).unwrap();
    fs::write(
        directory.path().join("other/kustomization.yaml"),
        "resources: [../shop]\n",
    )
    .unwrap();
    only(&findings_of(&directory), "kustomization-cycle");
}

#[test]
fn a_path_that_leaves_the_repo_is_refused() {
    let directory = platform();
    let shop = directory.path().join("shop/kustomization.yaml");
    fs::write(shop, "resources: [app.yaml, ../../../etc/passwd]\n").unwrap();
    only(&findings_of(&directory), "path-outside");
}

#[cfg(unix)]
#[test]
fn a_link_that_leaves_the_repo_is_not_followed() {
    let directory = platform();
    let outside = tempfile::tempdir().unwrap();
    fs::write(
        outside.path().join("secret.yaml"),
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: stolen}\n",
    )
    .unwrap();
    std::os::unix::fs::symlink(
        outside.path().join("secret.yaml"),
        directory.path().join("shop/link.yaml"),
    )
    .unwrap();
    only(&findings_of(&directory), "link-outside");
    assert!(!stdout(&catalog(&["export"], directory.path())).contains("stolen"));
}

#[cfg(unix)]
#[test]
fn a_link_that_is_listed_and_leaves_the_repo_is_told_once() {
    let directory = platform();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("a.yaml"), "a: 1\n").unwrap();
    for (from, to) in [("shop/link.yaml", "a.yaml"), ("shop/linked", "")] {
        let to = outside.path().join(to);
        std::os::unix::fs::symlink(to, directory.path().join(from)).unwrap();
    }
    fs::write(
        directory.path().join("shop/kustomization.yaml"),
        "resources: [app.yaml, link.yaml, linked/a.yaml]\n",
    )
    .unwrap();
    let findings = findings_of(&directory);
    let rules: Vec<&str> = findings
        .iter()
        .filter_map(|finding| finding["rule"].as_str())
        .collect();
    assert_eq!(rules, ["link-outside", "link-outside"], "{findings:#?}");
}

#[cfg(unix)]
#[test]
fn a_configuration_is_no_link_out_of_the_repo() {
    let directory = platform();
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret");
    fs::write(&secret, "root:hunter2\n").unwrap();
    let file = directory.path().join("catalog.toml");
    std::os::unix::fs::symlink(&secret, &file).unwrap();
    let output = catalog(&["check"], directory.path());
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(said.contains("points outside its directory"), "{said}");
    assert!(!said.contains("hunter2") && !stdout(&output).contains("hunter2"));

    fs::remove_file(&file).unwrap();
    fs::write(directory.path().join("shop/own.toml"), "title = \"Own\"\n").unwrap();
    std::os::unix::fs::symlink("shop/own.toml", &file).unwrap();
    export(directory.path());
}

#[cfg(unix)]
#[test]
fn a_configuration_is_a_regular_file() {
    let directory = platform();
    let file = directory.path().join("catalog.toml");
    let refused = || {
        let output = catalog(&["check"], directory.path());
        assert_eq!(output.status.code(), Some(2));
        let said = stderr(&output);
        assert!(said.contains("it is not a regular file"), "{said}");
    };
    fs::create_dir(&file).unwrap();
    refused();
    fs::remove_dir(&file).unwrap();
    let made = Command::new("mkfifo").arg(&file).status();
    if made.is_ok_and(|status| status.success()) {
        refused();
    }
}

#[test]
fn thousands_of_mistakes_in_a_configuration_are_counted() {
    let directory = platform();
    let text: String = (0..60_000).map(|at| format!("key{at} = 1\n")).collect();
    fs::write(directory.path().join("catalog.toml"), text).unwrap();
    let output = catalog(&["check"], directory.path());
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(said.contains("59,950 more errors in this file"), "{said}");
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_costs_one_finding() {
    use std::os::unix::fs::PermissionsExt;
    let directory = platform();
    let path = directory.path().join("shop/locked.yaml");
    fs::write(&path, "a: 1\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    // Who may read everything cannot be refused.
    if fs::read(&path).is_err() {
        only(&findings_of(&directory), "file-unreadable");
    }
}

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

#[cfg(unix)]
#[test]
fn a_mailmap_is_not_read() {
    let directory = platform();
    if !committed(directory.path()) {
        return;
    }
    let made = Command::new("mkfifo")
        .arg(directory.path().join(".mailmap"))
        .status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let start = std::time::Instant::now();
    let out = directory.path().join("site");
    let output = catalog(&["build", "--out", out.to_str().unwrap()], directory.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(start.elapsed().as_secs() < 50);
}

#[test]
fn a_bad_substitution_is_a_finding() {
    let directory = platform();
    let app = directory.path().join("shop/extra.yaml");
    fs::write(app, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: shop}\ndata: {a: '${bad'}\n").unwrap();
    only(&findings_of(&directory), "substitution-invalid");
}

/// Pieces that manifests are made of, and some that they should not be.
const PIECES: &[&str] = &[
    "a: 1\n",
    "- b\n",
    "  ",
    "\n",
    "---\n",
    "&x ",
    "*x",
    "<<: *x\n",
    "[",
    "]",
    "{",
    "}",
    "'",
    "\"",
    "|\n",
    ">-\n",
    "!t ",
    "? ",
    ": ",
    "#c\n",
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n",
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n",
    "resources:\n",
    "- app.yaml\n",
    "- ../app\n",
    "patches:\n",
    "- path: app.yaml\n",
    "- patch: |\n    - op: add\n      path: /a/0/-\n      value: 1\n  target: {kind: .*}\n",
    "namePrefix: p-\n",
    "namespace: n\n",
    "components: [.]\n",
    "configMapGenerator:\n- name: g\n  literals: [a=b]\n  behavior: merge\n",
    "replacements:\n- source: {kind: ConfigMap, fieldPath: data.[a=b].*}\n  targets: [{select: {kind: x}, fieldPaths: [a.b]}]\n",
    "images: [{name: '(', newTag: x}]\n",
    "labels: [{pairs: {a: b}, includeSelectors: true}]\n",
    "commonLabels: {a: b}\n",
    "${x:=${y}}",
    "$$",
    "\t",
    "\u{feff}",
    "é",
    "\r\n",
    "%YAML 1.2\n",
    "kind: List\nitems:\n",
    "spec: {postBuild: {substitute: {x: y}}, path: ./app}\n",
    "kind: Kustomization\napiVersion: kustomize.toolkit.fluxcd.io/v1\n",
    "replicas: [{name: a, count: x}]\n",
    "vars: [{name: V, objref: {kind: ConfigMap, name: a}}]\n",
    "$patch: delete\n",
    "secretGenerator: [{name: s, literals: [p=q]}]\n",
];

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 200, ..Default::default() })]

    #[test]
    fn no_repo_of_nonsense_makes_it_panic(
        kustomization in proptest::collection::vec(0..PIECES.len(), 0..24),
        app in proptest::collection::vec(0..PIECES.len(), 0..24),
    ) {
        let text = |pieces: &[usize]| pieces.iter().map(|piece| PIECES[*piece]).collect::<String>();
        let directory = repo(&[
            ("clusters/dev/flux-system/gotk-sync.yaml", "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: flux-system, namespace: flux-system}\nspec: {path: ./app, postBuild: {substitute: {x: y}}}\n"),
            ("app/kustomization.yaml", &text(&kustomization)),
            ("app/app.yaml", &text(&app)),
        ]);
        let request = catalog::pipeline::Request {
            repo: Some(directory.path().to_path_buf()),
            config: None,
            ..catalog::pipeline::Request::default()
        };
        catalog::pipeline::read(&request).unwrap();
    }
}

/// Pieces that make trouble when put together in Markdown.
const WORDS: &[&str] = &[
    "# a\n",
    "## Operations\n",
    "### b\n",
    "**Symptoms:** ",
    "text ",
    "\n",
    "\n\n",
    "```mermaid\n",
    "flowchart TD\n",
    "A-->B\n",
    "```\n",
    "[x](",
    "../app/README.md#b)",
    "app.yaml)",
    "<b>",
    "</b>",
    "<script>",
    "| a | b |\n|--|--|\n",
    "---\n",
    "component: app\n",
    "[^1]",
    "[^1]: ",
    "- [ ] ",
    "> [!NOTE]\n> ",
    "![](",
    "x.svg)",
    "\u{0}",
    "é",
    "&lt;",
    "<!--",
    "```yaml\na:",
    "```console\n$ ",
    "```ini\n[a]",
    "\u{a0}",
    "\u{2003}",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "\u{b}",
    "\u{c}",
    "\r",
];

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 40, ..Default::default() })]

    #[test]
    fn no_prose_of_nonsense_breaks_a_page(
        readme in proptest::collection::vec(0..WORDS.len(), 0..40),
        page in proptest::collection::vec(0..WORDS.len(), 0..40),
    ) {
        let text = |pieces: &[usize]| pieces.iter().map(|piece| WORDS[*piece]).collect::<String>();
        let directory = repo(&[
            ("clusters/dev/flux-system/gotk-sync.yaml", "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: flux-system, namespace: flux-system}\nspec: {path: ./clusters/dev}\n"),
            ("clusters/dev/app.yaml", "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: app, namespace: flux-system}\nspec: {path: ./app}\n"),
            ("app/app.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: app, namespace: app}\n"),
            ("app/README.md", &text(&readme)),
            ("docs/page.md", &text(&page)),
        ]);
        let request = catalog::pipeline::Request {
            repo: Some(directory.path().to_path_buf()),
            config: None,
            ..catalog::pipeline::Request::default()
        };
        let reading = catalog::pipeline::read(&request).unwrap();
        let context = reading.context();
        let site = catalog::site::Site::new(&context).unwrap();
        for (route, subject) in site.pages() {
            let page = site.render(route, subject).unwrap();
            let html = String::from_utf8(page.html).unwrap();
            crate::site::check_policy(route.as_str(), &html);
        }
    }
}
