//! Files that run in CI: workflows, the action, the GitLab template, hooks, scripts and the image. They parse, pin what they
//! download, and use only commands and files that exist.

mod install;
mod output;
mod pull_request;
mod release;
mod steps;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use catalog::cli::Cli;
use clap::Parser;
use serde_yaml::Value;

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn yaml(path: &str) -> Value {
    serde_yaml::from_str(&read(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

const WORKFLOWS: [&str; 2] = [".github/workflows/ci.yml", ".github/workflows/release.yml"];

const TEMPLATES: [&str; 2] = [
    "src/cli/starter/pipeline/github.yml",
    "src/cli/starter/pipeline/forgejo.yml",
];

/// Every shell script of the project, by path.
fn shell_scripts() -> Vec<String> {
    let entries = fs::read_dir(root().join("ci")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let scripts = names.filter(|name| !name.contains('.') || name.ends_with(".sh"));
    let mut scripts: Vec<String> = scripts.map(|name| format!("ci/{name}")).collect();
    scripts.extend(["install.sh".to_owned(), "test".to_owned()]);
    scripts.sort();
    scripts
}

/// Runs a script of the project with these variables, and without those of the CI that runs the test.
fn run_script(path: &str, args: &[&str], directory: &Path, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new("sh");
    command
        .arg(root().join(path))
        .args(args)
        .current_dir(directory);
    for (name, _) in std::env::vars_os() {
        let name_text = name.to_string_lossy();
        if ["CATALOG_", "CI_", "GITHUB_", "GIT_", "PR_", "ACTION_"]
            .iter()
            .any(|prefix| name_text.starts_with(prefix))
        {
            command.env_remove(&name);
        }
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null");
    command.envs(variables.iter().copied());
    command.output().unwrap()
}

/// The words of a shell line up to what the shell takes for itself, with something in the place of each variable.
pub fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for word in line.split_whitespace() {
        if word == "#" || word.starts_with(['|', '>', '&', ';', '<']) {
            break;
        }
        let plain = word.trim_matches(['"', '\'']);
        words.extend(match plain {
            "${more[@]}" | "$@" => None,
            "$FAIL_ON" | "$CATALOG_FAIL_ON" => Some("warning".to_owned()),
            "$FORMAT" => Some("github".to_owned()),
            other => Some(other.replace('$', "")),
        });
    }
    words
}

/// Why a command line that begins with `catalog` is none.
pub fn fault(line: &str) -> Option<String> {
    let words = words(line);
    let error = Cli::try_parse_from(&words).err()?;
    // What prints help or the version is no mistake.
    error.use_stderr().then(|| format!("{line}: {error}"))
}

/// The lines of a script that run the program, by whatever path.
fn runs(script: &str) -> Vec<String> {
    let lines = script.lines().filter_map(|line| {
        let (program, arguments) = line.trim().split_once(' ')?;
        let program = program.trim_matches('"');
        let is_program = program == "catalog" || program.ends_with("/catalog");
        is_program.then(|| format!("catalog {arguments}"))
    });
    lines.collect()
}

/// All values of a key, anywhere in a document.
fn values_of<'v>(value: &'v Value, key: &str, found: &mut Vec<&'v Value>) {
    match value {
        Value::Mapping(map) => {
            found.extend(map.get(key));
            map.values().for_each(|inner| values_of(inner, key, found));
        }
        Value::Sequence(list) => list.iter().for_each(|inner| values_of(inner, key, found)),
        _ => {}
    }
}

/// The scripts in a workflow or an action.
fn scripts_of_steps(path: &str) -> Vec<String> {
    let document = yaml(path);
    let mut found = Vec::new();
    values_of(&document, "run", &mut found);
    let scripts = found.into_iter().filter_map(Value::as_str);
    scripts.map(str::to_owned).collect()
}

fn scripts_of_template() -> Vec<String> {
    let template = yaml("ci/gitlab.yml");
    let mut found = Vec::new();
    for key in ["script", "before_script"] {
        values_of(&template, key, &mut found);
    }
    let lines = found
        .into_iter()
        .flat_map(|list| list.as_sequence().unwrap());
    lines
        .map(|line| line.as_str().unwrap().to_owned())
        .collect()
}

fn hooks() -> Vec<String> {
    let hooks = yaml(".pre-commit-hooks.yaml");
    let hooks = hooks.as_sequence().unwrap().iter();
    let lines = hooks.map(|hook| {
        for key in ["id", "name", "description", "language", "files"] {
            assert!(hook[key].is_string(), "{key}: {hook:?}");
        }
        assert_eq!(hook["pass_filenames"].as_bool(), Some(false));
        let args = hook["args"].as_sequence().unwrap().iter();
        let args: Vec<&str> = args.filter_map(Value::as_str).collect();
        format!("{} {}", hook["entry"].as_str().unwrap(), args.join(" "))
    });
    lines.collect()
}

/// Each file that runs the program, its scripts, and how many runs it has at least.
fn users_of_the_program() -> Vec<(&'static str, Vec<String>, usize)> {
    vec![
        ("action.yml", scripts_of_steps("action.yml"), 3),
        ("ci/gitlab.yml", scripts_of_template(), 3),
        (WORKFLOWS[0], scripts_of_steps(WORKFLOWS[0]), 2),
        (WORKFLOWS[1], scripts_of_steps(WORKFLOWS[1]), 3),
        (".pre-commit-hooks.yaml", hooks(), 2),
    ]
}

#[test]
fn every_catalog_command_in_ci_files_exists() {
    for (name, scripts, least) in users_of_the_program() {
        let lines: Vec<String> = scripts.iter().flat_map(|script| runs(script)).collect();
        assert!(lines.len() >= least, "{name}: {lines:?}");
        let faults: Vec<String> = lines.iter().filter_map(|line| fault(line)).collect();
        assert!(faults.is_empty(), "{name}: {}", faults.join("\n"));
    }
}

/// Why a command line lets the `catalog.toml` of a pull request say what is read.
pub fn trusts_the_configuration(line: &str) -> Option<String> {
    use catalog::cli::Command;
    let cli = Cli::try_parse_from(words(line)).ok()?;
    let positional = match cli.command {
        Command::Build(args) => args.repo.repo,
        Command::Check(args) => args.repo.repo,
        Command::Export(args) => args.repo.repo,
        Command::Diff(_) => None,
        _ => return None,
    };
    let request = cli.global.repo.or(positional);
    request
        .is_none()
        .then(|| format!("{line}: `repo` of catalog.toml decides what is read"))
}

#[test]
fn a_pull_request_does_not_say_which_repository_is_read() {
    let documented = read("docs/ci.md").replace("- run: ", "");
    let mut users = users_of_the_program();
    users.push(("docs/ci.md", vec![documented], 1));
    for (name, scripts, _) in users {
        let lines = scripts.iter().flat_map(|script| runs(script));
        let faults: Vec<String> = lines
            .filter_map(|line| trusts_the_configuration(&line))
            .collect();
        assert!(faults.is_empty(), "{name}: {}", faults.join("\n"));
    }
}

#[test]
fn no_expression_is_put_into_a_script() {
    for path in ["action.yml", WORKFLOWS[0], WORKFLOWS[1]] {
        for script in scripts_of_steps(path) {
            assert!(!script.contains("${{"), "{path}: {script}");
            let is_quoted = |line: &str| !line.split('"').step_by(2).any(|out| out.contains('$'));
            for line in runs(&script) {
                // What follows `||` belongs to the shell.
                let line = line.split(" ||").next().unwrap();
                assert!(is_quoted(line), "a variable is not quoted: {line}");
            }
        }
    }
}

#[test]
fn every_action_is_pinned_by_commit_and_everywhere_by_the_same() {
    let mut pins: BTreeMap<String, (String, &str)> = BTreeMap::new();
    let files = ["action.yml", "src/cli/starter/pipeline.rs"];
    let files = files.into_iter().chain(WORKFLOWS).chain(TEMPLATES);
    for path in files {
        let text = read(path);
        for line in text.lines().filter_map(|line| line.split("uses: ").nth(1)) {
            if line.starts_with("./") || line.starts_with("@ACTION@") || !line.contains('/') {
                continue;
            }
            if path.ends_with("pipeline.rs") && !line.starts_with("actions/") {
                continue;
            }
            let (action, pin) = line.split_once('@').unwrap();
            let (commit, tag) = pin.split_once(" # ").unwrap_or((pin, ""));
            let is_commit = commit.len() == 40 && commit.bytes().all(|b| b.is_ascii_hexdigit());
            assert!(is_commit, "{path}: {line}");
            let numbers = tag.strip_prefix('v').unwrap_or_default().split('.');
            let is_version = numbers.clone().count() == 3
                && numbers.clone().all(|number| number.parse::<u32>().is_ok());
            assert!(is_version, "{path}: the comment names no version: {line}");
            let first = pins
                .entry(action.to_owned())
                .or_insert_with(|| (pin.to_owned(), path));
            assert_eq!(first.0, pin, "{action} in {path} and in {}", first.1);
        }
    }
    assert!(pins.len() >= 9, "{pins:?}");
}

#[test]
fn jobs_have_few_permissions_and_a_time_limit() {
    for path in WORKFLOWS {
        let workflow = yaml(path);
        assert_eq!(workflow["permissions"]["contents"], "read", "{path}");
        assert_eq!(workflow["permissions"].as_mapping().unwrap().len(), 1);
        for (name, job) in workflow["jobs"].as_mapping().unwrap() {
            assert!(job["timeout-minutes"].is_number(), "{path}: {name:?}");
        }
        let text = read(path);
        assert!(!text.contains("pull_request_target"), "{path}");
        assert!(!text.contains("secrets."), "{path}");
        let checkouts = text.matches("actions/checkout@").count();
        let kept = text.matches("persist-credentials: false").count();
        assert_eq!(checkouts, kept, "{path} leaves credentials in a checkout");
    }
}

#[test]
fn every_file_that_ci_runs_exists_and_every_script_is_run() {
    let mut text = String::new();
    for path in [
        "action.yml",
        "ci/gitlab.yml",
        "RELEASING.md",
        "Containerfile",
    ] {
        text += &read(path);
    }
    for path in WORKFLOWS.into_iter().chain(TEMPLATES) {
        text += &read(path);
    }
    let text = text
        .replace("/usr/local/share/catalog/", "ci/")
        .replace("/opt/catalog/", "");
    let mut named: Vec<String> = Vec::new();
    for rest in text.split("ci/").skip(1) {
        let name: String = rest
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || "-.".contains(*c))
            .collect();
        let name = name.trim_end_matches('.');
        if name.ends_with(".sh") {
            named.push(format!("ci/{name}"));
        }
    }
    for path in &named {
        assert!(root().join(path).is_file(), "{path}");
    }
    let all = text + &read("ci/action-install.sh") + &read("ci/release-check.sh");
    for path in shell_scripts() {
        let name = path.rsplit('/').next().unwrap();
        assert!(all.contains(name), "nothing runs {path}");
    }
}

#[test]
fn scripts_are_correct_shell() {
    use std::os::unix::fs::PermissionsExt;
    let scripts = shell_scripts();
    assert!(scripts.len() >= 10, "{scripts:?}");
    for path in &scripts {
        let shell = if read(path).starts_with("#!/usr/bin/env bash") {
            "bash"
        } else {
            assert!(read(path).starts_with("#!/bin/sh\n"), "{path}");
            "sh"
        };
        let mut command = Command::new(shell);
        let output = command.arg("-n").arg(root().join(path)).output().unwrap();
        assert!(output.status.success(), "{path}: {output:?}");
        let mode = fs::metadata(root().join(path))
            .unwrap()
            .permissions()
            .mode();
        assert!(mode & 0o111 != 0, "{path} is not executable");
    }
    // The workflow of this project always has it; a developer may not.
    let linted = Command::new("shellcheck")
        .args(&scripts)
        .current_dir(root())
        .output();
    if let Ok(output) = linted {
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{text}");
    }
}

#[test]
fn every_input_of_the_action_is_used_documented_and_declared() {
    let text = read("action.yml");
    let guide = read("docs/ci.md");
    let action = yaml("action.yml");
    let inputs = action["inputs"].as_mapping().unwrap();
    for (name, input) in inputs {
        let name = name.as_str().unwrap();
        assert!(input["description"].is_string(), "{name}");
        assert!(text.contains(&format!("inputs.{name}")), "{name}");
        assert!(guide.contains(&format!("| `{name}` |")), "{name}");
    }
    for used in text.split("inputs.").skip(1) {
        let name: String = used
            .chars()
            .take_while(|c| c.is_ascii_lowercase() || *c == '-')
            .collect();
        assert!(inputs.contains_key(name.as_str()), "{name}");
    }
    for step in action["runs"]["steps"].as_sequence().unwrap() {
        let is_script = step["run"].is_string();
        assert_eq!(is_script, step["shell"].is_string(), "{step:?}");
        assert_ne!(is_script, step["uses"].is_string(), "{step:?}");
    }
}

/// A value of `[package]` in Cargo.toml.
fn package(key: &str) -> String {
    let manifest = read("Cargo.toml");
    let value = manifest.split(&format!("\n{key} = \"")).nth(1).unwrap();
    value.split('"').next().unwrap().to_owned()
}

#[test]
fn the_image_is_built_with_the_rust_that_the_manifest_asks_for() {
    let rust = package("rust-version");
    let image = read("Containerfile");
    assert!(image.contains(&format!("/rust:{rust}-")), "{rust}");
    assert!(read(WORKFLOWS[0]).contains(&format!("rust-version: \"{rust}\"")));
    assert!(read("src/cli/starter/pipeline/forgejo.yml").contains(&format!("rust:{rust}-")));
    for line in image.lines().filter(|line| line.starts_with("FROM ")) {
        let is_stage = line.starts_with("FROM base");
        let is_pinned = line.contains(':') && !line.contains("latest");
        assert!(is_stage || is_pinned, "{line}");
    }
    // What is copied is what the build may see.
    let ignored = read(".dockerignore");
    let copies = image.lines().filter_map(|line| line.strip_prefix("COPY "));
    for copied in copies.filter(|line| !line.starts_with("--from")) {
        let words: Vec<&str> = copied.split(' ').collect();
        for path in &words[..words.len() - 1] {
            assert!(ignored.contains(&format!("!{path}\n")), "{path}");
            // The binary is put there by the release workflow.
            assert!(
                *path == "dist/catalog" || root().join(path).exists(),
                "{path}"
            );
        }
    }
}
