//! The README is true: its commands run as written, and print what it shows.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_yaml::Value;

use crate::ci::{fault, root};

/// A command of a `console` block, and the lines that it is shown to print.
#[derive(Debug)]
struct Step {
    command: String,
    shown: Vec<String>,
}

/// The code blocks of a Markdown text in this language, without the indentation of a list that they stand in.
pub fn blocks(text: &str, language: &str) -> Vec<Vec<String>> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, bool)> = None;
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        match (line.trim_start().strip_prefix("```"), open) {
            (Some(info), None) => {
                let is_it = info.trim() == language;
                if is_it {
                    blocks.push(Vec::new());
                }
                open = Some((indent, is_it));
            }
            (Some(_), Some(_)) => open = None,
            (None, Some((indent, true))) => {
                let block: &mut Vec<String> = blocks.last_mut().unwrap();
                block.push(line.get(indent..).unwrap_or("").to_owned());
            }
            _ => {}
        }
    }
    blocks
}

fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for block in blocks(text, "console") {
        assert!(block[0].starts_with("$ "), "{block:?}");
        for line in block {
            match line.strip_prefix("$ ") {
                Some(command) => steps.push(Step {
                    command: command.trim().to_owned(),
                    shown: Vec::new(),
                }),
                None => steps.last_mut().unwrap().shown.push(line),
            }
        }
    }
    steps
}

/// A copy of what the commands read, and a repository of the reader's own.
pub fn copy() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let own = directory.path().join("path/to/repo");
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    copy_tree(&root().join("content"), &own);
    copy_tree(&root().join("content"), &directory.path().join("content"));
    copy_tree(&root().join("docs"), &directory.path().join("docs"));
    fs::copy(
        root().join("catalog.toml"),
        directory.path().join("catalog.toml"),
    )
    .unwrap();
    commit_all(&own);
    commit_all(directory.path());
    directory
}

/// Makes a directory a git repository, as a clone is one.
fn commit_all(directory: &Path) {
    let author = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
    for arguments in [
        &["init", "-q"][..],
        &["add", "--all"],
        &["commit", "-q", "--no-verify", "-m", "x"],
    ] {
        let mut git = Command::new("git");
        git.current_dir(directory).args(author).args(arguments);
        git.env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env_remove("GIT_DIR")
            .env_remove("GIT_INDEX_FILE");
        let output = git.output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
    }
}

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => copy_tree(&from, &to),
            kind if kind.is_symlink() => {
                std::os::unix::fs::symlink(fs::read_link(&from).unwrap(), &to).unwrap();
            }
            _ => drop(fs::copy(&from, &to).unwrap()),
        }
    }
}

/// What a command prints on both streams, run in `here`; a form that is not known fails the test.
fn run(command: &str, here: &mut PathBuf, top: &Path) -> String {
    let arguments = match command {
        "./test" => {
            let mode = fs::metadata(root().join("test")).unwrap().permissions();
            assert!(mode.mode() & 0o111 != 0, "./test is not executable");
            return String::new();
        }
        "cargo install --locked --path ." => {
            assert!(root().join("Cargo.lock").is_file());
            return String::new();
        }
        "cd path/to/repo" => {
            *here = top.join("path/to/repo");
            return String::new();
        }
        _ => command
            .strip_prefix("catalog ")
            .or_else(|| command.strip_prefix("cargo run --release -- "))
            .unwrap_or_else(|| panic!("nobody knows how to run `{command}`")),
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " -./_".contains(c);
    assert!(arguments.chars().all(is_plain), "too much for: {command}");
    assert_eq!(fault(&format!("catalog {arguments}")), None);
    let mut program = Command::new(env!("CARGO_BIN_EXE_catalog"));
    program.args(arguments.split(' ')).current_dir(&here);
    let output = program.output().unwrap();
    let code = output.status.code().unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).unwrap();
    assert!(code < 2, "`{command}` ends with {code}: {text}");
    text
}

/// Whether `printed` is as shown, where `...` is anything, be it lines or a part of a line.
fn is_as_shown(shown: &[String], printed: &[&str]) -> bool {
    match shown {
        [] => printed.is_empty(),
        [first, rest @ ..] if first == "..." => {
            (0..=printed.len()).any(|skipped| is_as_shown(rest, &printed[skipped..]))
        }
        [first, rest @ ..] => printed
            .split_first()
            .is_some_and(|(line, after)| is_line(first, line) && is_as_shown(rest, after)),
    }
}

fn is_line(shown: &str, printed: &str) -> bool {
    let parts: Vec<&str> = shown.split("...").collect();
    let (first, last) = (parts[0], parts[parts.len() - 1]);
    if parts.len() == 1 {
        return shown.trim_end() == printed.trim_end();
    }
    let inside = printed.strip_prefix(first);
    let inside = inside.and_then(|rest| rest.strip_suffix(last));
    inside.is_some_and(|mut rest| {
        parts[1..parts.len() - 1].iter().all(|part| {
            let found = rest.find(part).map(|at| &rest[at + part.len()..]);
            rest = found.unwrap_or_default();
            found.is_some()
        })
    })
}

#[test]
fn every_command_of_the_readme_runs_and_prints_what_it_shows() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let top = copy();
    let mut here = top.path().to_owned();
    let steps = steps(&text);
    assert!(steps.len() >= 8, "{steps:?}");
    for step in steps {
        // Each block but the one that changes the directory starts at the top.
        if step.command.contains(" content") || step.command.starts_with("cargo") {
            here = top.path().to_owned();
        }
        let printed = run(&step.command, &mut here, top.path());
        if step.shown.is_empty() {
            continue;
        }
        let lines: Vec<&str> = printed.lines().collect();
        assert!(
            is_as_shown(&step.shown, &lines),
            "`{}` is shown to print\n{}\nand prints\n{printed}",
            step.command,
            step.shown.join("\n")
        );
    }
    assert!(top.path().join("book/index.html").is_file());
    assert!(top.path().join("path/to/repo/book/index.html").is_file());
}

#[test]
fn ellipses_stand_for_any_lines_or_a_part_of_one() {
    let shown = |lines: &[&str]| {
        lines
            .iter()
            .map(|line| line.to_string())
            .collect::<Vec<_>>()
    };
    assert!(is_as_shown(
        &shown(&["a", "...", "c ... e"]),
        &["a", "b", "b", "c d e"]
    ));
    assert!(is_as_shown(&shown(&["..."]), &[]));
    assert!(!is_as_shown(&shown(&["a"]), &["a", "b"]));
    assert!(!is_as_shown(&shown(&["a", "...", "c"]), &["b", "c"]));
    assert!(!is_line("... pages in ... here", "77 pages in there"));
}

#[test]
#[should_panic(expected = "nobody knows how to run")]
fn a_command_of_another_form_is_not_passed_over() {
    run("helm install x", &mut PathBuf::new(), Path::new("."));
}

#[test]
fn every_file_that_the_readme_names_is_there() {
    for name in ["README.md", "CONTRIBUTING.md"] {
        let text = fs::read_to_string(root().join(name)).unwrap();
        let links = text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next());
        let pictures = ["src=\"", "srcset=\""].into_iter().flat_map(|attribute| {
            let found = text.split(attribute).skip(1);
            found.filter_map(|rest| rest.split('"').next())
        });
        let inside = links.chain(pictures).filter(|link| !link.contains("://"));
        for link in inside.filter(|link| !link.starts_with('#')) {
            let path = link.split('#').next().unwrap();
            assert!(root().join(path).exists(), "{name}: {link}");
        }
    }
}

/// The pages of the guide, by name.
fn pages() -> Vec<(String, String)> {
    let entries = fs::read_dir(root().join("docs")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut pages: Vec<(String, String)> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).unwrap())
        })
        .collect();
    pages.push((
        "README.md".to_owned(),
        fs::read_to_string(root().join("README.md")).unwrap(),
    ));
    pages.sort();
    pages
}

#[test]
fn the_guide_to_the_configuration_is_current() {
    let path = root().join("docs/configuration.md");
    let guide = catalog::input::config::guide();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &guide).unwrap();
    }
    let current = fs::read_to_string(&path).unwrap_or_default();
    assert!(current == guide, "run the tests once with UPDATE_GOLDEN=1");
    for undescribed in ["|  |", "\n\n\n"] {
        assert!(!guide.contains(undescribed), "a key says nothing of itself");
    }
}

#[test]
fn every_configuration_that_the_guide_shows_is_one() {
    let mut shown = 0;
    // Rules show what is wrong, too.
    let pages = pages().into_iter().filter(|(name, _)| name != "checks.md");
    for (name, text) in pages {
        for block in blocks(&text, "toml") {
            let text = block.join("\n");
            let read = catalog::input::config::parse(&text, &name);
            assert!(read.is_ok(), "{}\n{text}", read.unwrap_err());
            shown += 1;
        }
    }
    assert!(shown > 15, "{shown}");
}

#[test]
fn every_command_line_that_the_guide_shows_is_one() {
    let mut shown = 0;
    for (name, text) in pages() {
        for line in blocks(&text, "sh").into_iter().flatten() {
            if line.starts_with("catalog ") {
                assert_eq!(fault(&line), None, "{name}: {line}");
                shown += 1;
            }
        }
    }
    assert!(shown > 15, "{shown}");
}

#[test]
fn workflows_that_the_guide_shows_use_inputs_that_the_action_has() {
    let action = fs::read_to_string(root().join("action.yml")).unwrap();
    let action: Value = serde_yaml::from_str(&action).unwrap();
    let inputs = action["inputs"].as_mapping().unwrap();
    let mut used = 0;
    for (name, text) in pages() {
        for block in blocks(&text, "yaml") {
            let text = block.join("\n");
            if !text.contains("/catalog@") {
                continue;
            }
            let workflow: Value = serde_yaml::from_str(&text).unwrap();
            let jobs = workflow["jobs"].as_mapping().unwrap().iter();
            let steps = jobs.filter_map(|(_, job)| job["steps"].as_sequence());
            for step in steps.flatten() {
                let is_ours = step["uses"]
                    .as_str()
                    .is_some_and(|uses| uses.contains("/catalog@"));
                let given = step["with"].as_mapping().filter(|_| is_ours);
                for (input, _) in given.into_iter().flatten() {
                    assert!(inputs.contains_key(input), "{name}: {input:?}");
                    used += 1;
                }
            }
        }
    }
    assert!(used > 4, "{used}");
}
