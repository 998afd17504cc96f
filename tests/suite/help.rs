//! What the command line says of itself: help, completions, manual.

use std::fs;
use std::process::Command;

use catalog::cli::Cli;
use clap::{CommandFactory, Parser};

use crate::cli::{catalog, repo, stderr, stdout};

/// The names of all commands.
fn commands() -> Vec<String> {
    let whole = Cli::command();
    let names = whole.get_subcommands().map(|one| one.get_name().to_owned());
    names.collect()
}

/// What a command prints in a terminal of 80 columns.
fn help(arguments: &[&str]) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_catalog"));
    stdout(
        &program
            .args(arguments)
            .env("COLUMNS", "80")
            .output()
            .unwrap(),
    )
}

/// The command lines among the examples of a help text, without what a shell makes of them.
fn examples(text: &str) -> Vec<Vec<String>> {
    let lines = text.lines().map(str::trim_start);
    let from = lines.filter_map(|line| line.find("catalog ").map(|at| &line[at..]));
    let lines = from.filter(|line| !line.starts_with("catalog COMMAND"));
    lines
        .map(|line| {
            let words = line.split("   ").next().unwrap().split_whitespace();
            let words = words.take_while(|word| !matches!(*word, "|" | ">" | ">>" | "&&"));
            words
                .map(|word| word.trim_matches('\'').to_owned())
                .collect()
        })
        .collect()
}

#[test]
fn every_command_teaches_by_example_in_80_columns() {
    for name in commands() {
        let text = help(&[&name, "--help"]);
        let (_, shown) = text.split_once("\nExamples:\n").unwrap_or_else(|| {
            panic!("`catalog {name} --help` shows no example");
        });
        let own = format!("catalog {name}");
        assert!(shown.contains(&own), "no example of `{own}`");
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{name}: {line}");
        }
    }
}

#[test]
fn the_examples_in_help_are_command_lines_that_there_are() {
    for name in commands() {
        let text = help(&[&name, "--help"]);
        let shown = text.split_once("\nExamples:\n").unwrap().1;
        let own = format!("catalog {name}");
        for words in examples(shown) {
            let line = words.join(" ");
            if !line.starts_with(&own) {
                continue;
            }
            let parsed = Cli::try_parse_from(&words);
            assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
        }
    }
    let start = help(&["--help"]);
    let start = start.split_once("Start here").unwrap().1;
    let lines = start.lines().filter(|line| line.starts_with("  catalog "));
    let lines: Vec<String> = lines.map(|line| line.replacen("  ", "", 1)).collect();
    assert!(lines.len() > 3, "{start}");
    for line in lines {
        let words = line.split("  ").next().unwrap().split_whitespace();
        assert!(Cli::try_parse_from(words).is_ok(), "{line}");
    }
}

#[test]
fn without_a_command_the_help_says_where_to_start() {
    let here = repo(&[]);
    let output = catalog(&[], here.path());
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    assert!(text.contains("Start here") && text.contains("catalog build"));
    for name in commands() {
        assert!(text.contains(&format!("\n  {name}")), "{name}: {text}");
    }
}

#[test]
fn completions_are_made_for_every_shell_and_know_every_command() {
    let here = repo(&[]);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = catalog(&["completions", shell], here.path());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let script = stdout(&output);
        for name in commands() {
            assert!(script.contains(&name), "{shell}: {name}");
        }
        assert!(script.contains("write-baseline"), "{shell}");
        let asks_for_names = matches!(shell, "bash" | "fish" | "zsh");
        assert_eq!(script.contains(" __complete "), asks_for_names, "{shell}");
    }
    let output = catalog(&["completions", "tcsh"], here.path());
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let here = repo(&[]);
    let output = catalog(&["man", "--out", "share/man1"], here.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let page = |name: &str| fs::read_to_string(here.path().join("share/man1").join(name)).unwrap();
    for name in commands() {
        let text = page(&format!("catalog-{name}.1"));
        let title = format!("catalog\\-{name} \\- ");
        assert!(text.contains(&title), "{text}");
        assert!(text.contains(".SH EXAMPLES\n"), "{text}");
    }
    let whole = page("catalog.1");
    assert!(whole.contains("catalog\\-build(1)"), "{whole}");
    assert_eq!(stdout(&catalog(&["man"], here.path())), whole);
}
