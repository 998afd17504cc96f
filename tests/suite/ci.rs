//! What others run in CI: the action, the template and the image are not behind the command line that they use.

use std::fs;
use std::path::{Path, PathBuf};

use catalog::cmd::Cli;
use clap::Parser;
use serde_yaml::Value;

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn yaml(path: &str) -> Value {
    let text = fs::read_to_string(root().join(path)).unwrap();
    serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
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
            "${more[@]}" => None,
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

/// The lines of a script that run the program.
fn runs(script: &str) -> Vec<&str> {
    let lines = script.lines().map(str::trim);
    lines.filter(|line| line.starts_with("catalog ")).collect()
}

fn scripts_of_action() -> Vec<String> {
    let action = yaml("action.yml");
    let steps = action["runs"]["steps"].as_sequence().unwrap();
    let scripts = steps.iter().filter_map(|step| step["run"].as_str());
    scripts.map(str::to_owned).collect()
}

fn scripts_of_template() -> Vec<String> {
    let template = yaml("ci/gitlab.yml");
    let jobs = template.as_mapping().unwrap().iter();
    let lines = jobs.filter_map(|(_, job)| job["script"].as_sequence());
    let lines = lines
        .flatten()
        .map(|line| line.as_str().unwrap().to_owned());
    lines.collect()
}

#[test]
fn every_command_line_in_the_action_and_the_template_is_one() {
    for (name, scripts) in [
        ("action.yml", scripts_of_action()),
        ("ci/gitlab.yml", scripts_of_template()),
    ] {
        let lines: Vec<&str> = scripts.iter().flat_map(|script| runs(script)).collect();
        assert!(lines.len() >= 4, "{name}: {lines:?}");
        let faults: Vec<String> = lines.iter().filter_map(|line| fault(line)).collect();
        assert!(faults.is_empty(), "{name}: {}", faults.join("\n"));
    }
}

/// Why a command line lets the `catalog.toml` of a pull request say what is read.
pub fn trusts_the_configuration(line: &str) -> Option<String> {
    use catalog::cmd::Command;
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
    let documented = fs::read_to_string(root().join("docs/ci.md")).unwrap();
    for (name, scripts) in [
        ("action.yml", scripts_of_action()),
        ("ci/gitlab.yml", scripts_of_template()),
        ("docs/ci.md", vec![documented.replace("- run: ", "")]),
    ] {
        let lines = scripts.iter().flat_map(|script| runs(script));
        let faults: Vec<String> = lines.filter_map(trusts_the_configuration).collect();
        assert!(faults.is_empty(), "{name}: {}", faults.join("\n"));
    }
}

#[test]
fn no_expression_is_put_into_a_script() {
    for script in scripts_of_action() {
        assert!(!script.contains("${{"), "{script}");
        let is_quoted = |line: &&str| !line.split('"').step_by(2).any(|out| out.contains('$'));
        for line in runs(&script) {
            assert!(is_quoted(&line), "a variable is not quoted: {line}");
        }
    }
}

#[test]
fn every_input_of_the_action_is_used_and_every_one_that_is_used_is_there() {
    let text = fs::read_to_string(root().join("action.yml")).unwrap();
    let action = yaml("action.yml");
    let inputs = action["inputs"].as_mapping().unwrap();
    for (name, input) in inputs {
        let name = name.as_str().unwrap();
        assert!(input["description"].is_string(), "{name}");
        assert!(text.contains(&format!("inputs.{name}")), "{name}");
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

#[test]
fn the_image_is_built_with_the_rust_that_the_manifest_asks_for() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let rust = manifest.split("rust-version = \"").nth(1).unwrap();
    let rust = rust.split('"').next().unwrap();
    let image = fs::read_to_string(root().join("Containerfile")).unwrap();
    assert!(image.contains(&format!("/rust:{rust}-")), "{rust}");
    for line in image.lines().filter(|line| line.starts_with("FROM ")) {
        assert!(line.contains(':') && !line.contains("latest"), "{line}");
    }
    // What is copied is what the build may see.
    let ignored = fs::read_to_string(root().join(".dockerignore")).unwrap();
    let copies = image.lines().filter_map(|line| line.strip_prefix("COPY "));
    for copied in copies.filter(|line| !line.starts_with("--from")) {
        let words: Vec<&str> = copied.split(' ').collect();
        for path in &words[..words.len() - 1] {
            assert!(ignored.contains(&format!("!{path}\n")), "{path}");
            assert!(root().join(path).exists(), "{path}");
        }
    }
}
