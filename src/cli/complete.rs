//! `catalog __complete INDEX WORD…`: prints the names of rules or components that the word at INDEX may be, for shells.
//! Prints nothing if the word is something else, or if the repository cannot be read in time.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use clap::{ArgAction, Command, CommandFactory};

use super::Cli;
use crate::checks;
use crate::pipeline::{self, GitUse, Request};

const NAME: &str = "__complete";
/// Whoever presses Tab does not wait longer.
const PATIENCE: Duration = Duration::from_secs(3);
/// No shell can show more names.
const MOST_NAMES: usize = 10_000;

/// The words behind `__complete`, if that is what the program was started with.
pub fn words(arguments: impl Iterator<Item = OsString>) -> Option<Vec<String>> {
    let mut arguments = arguments.skip(1);
    let is_it = arguments.next().is_some_and(|first| first == NAME);
    let lossy = |word: OsString| word.to_string_lossy().into_owned();
    is_it.then(|| arguments.map(lossy).collect())
}

/// Prints the names, one a line.
pub fn run(words: Vec<String>) {
    let (send, receive) = mpsc::channel();
    // The process ends with this thread, whatever the other one is doing.
    thread::spawn(move || send.send(names(&words)));
    let names = receive.recv_timeout(PATIENCE).unwrap_or_default();
    // A shell may expand what it is given, and names come from the repository.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@".contains(c);
    let is_safe = |name: &&String| name.chars().all(is_plain);
    let lines: Vec<&str> = names
        .iter()
        .filter(is_safe)
        .map(String::as_str)
        .take(MOST_NAMES)
        .collect();
    if !lines.is_empty() {
        use std::io::Write;
        // The shell may have gone away.
        let _ = writeln!(std::io::stdout(), "{}", lines.join("\n"));
    }
}

/// What a word stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WordKind {
    Rule,
    Component,
    Environment,
}

fn names(words: &[String]) -> Vec<String> {
    let Some((index, line)) = words.split_first() else {
        return Vec::new();
    };
    let index: usize = index.parse().unwrap_or(usize::MAX);
    let before = line.get(1..index.min(line.len())).unwrap_or_default();
    let typed = Typed::read(before);
    match typed.kind() {
        Some(WordKind::Rule) => {
            let rules = checks::rules().into_iter();
            rules.map(|rule| rule.name.to_owned()).collect()
        }
        Some(WordKind::Component) => {
            let names = pipeline::names(&typed.request);
            names.map_or_else(|_| Vec::new(), |names| names.components)
        }
        Some(WordKind::Environment) => {
            let names = pipeline::names(&typed.request);
            names.map_or_else(|_| Vec::new(), |names| names.environments)
        }
        None => Vec::new(),
    }
}

/// The command line before the word that is completed.
#[derive(Default)]
struct Typed {
    command: Option<String>,
    positionals: usize,
    /// The option that the next word is the value of.
    option: Option<String>,
    request: Request,
}

impl Typed {
    fn read(words: &[String]) -> Typed {
        let mut whole = Cli::command();
        whole.build();
        let mut typed = Typed::default();
        typed.request.git = GitUse::Skip;
        // bash makes a word of its own of the `=` in `--select=x`.
        for word in words.iter().filter(|word| *word != "=") {
            typed.add(word, &whole);
        }
        typed
    }

    fn add(&mut self, word: &str, whole: &Command) {
        if let Some(option) = self.option.take() {
            self.set(&option, word);
        } else if let Some(long) = word.strip_prefix("--") {
            match long.split_once('=') {
                Some((option, value)) => self.set(option, value),
                None if self.takes_value(whole, |arg| arg.get_long() == Some(long)) => {
                    self.option = Some(long.to_owned());
                }
                None => {}
            }
        } else if let Some(short) = word.strip_prefix('-').and_then(|rest| rest.chars().last()) {
            if self.takes_value(whole, |arg| arg.get_short() == Some(short)) {
                self.option = Some(short.to_string());
            }
        } else if self.command.is_none() {
            self.command = Some(word.to_owned());
        } else {
            self.positionals += 1;
        }
    }

    fn set(&mut self, option: &str, value: &str) {
        match option {
            "repo" => self.request.repo = Some(PathBuf::from(value)),
            "config" => self.request.config = Some(PathBuf::from(value)),
            _ => {}
        }
    }

    fn takes_value(&self, whole: &Command, is_it: impl Fn(&clap::Arg) -> bool) -> bool {
        let own = self.command.as_deref();
        let own = own.and_then(|name| whole.find_subcommand(name));
        let mut arguments = own.unwrap_or(whole).get_arguments();
        let option = arguments.find(|argument| is_it(argument));
        option
            .is_some_and(|option| matches!(option.get_action(), ArgAction::Set | ArgAction::Append))
    }

    /// What the next word is.
    fn kind(&self) -> Option<WordKind> {
        let command = self.command.as_deref()?;
        match (command, self.option.as_deref()) {
            ("check", Some("select" | "ignore")) => Some(WordKind::Rule),
            ("check", Some("component")) | ("rehearse", Some("without")) => {
                Some(WordKind::Component)
            }
            ("explain", None) if self.positionals == 0 => Some(WordKind::Rule),
            ("show", Some("environment")) => Some(WordKind::Environment),
            ("show", None) if self.positionals == 0 => Some(WordKind::Component),
            ("graph", None) if self.positionals < 2 => Some(WordKind::Component),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(line: &str) -> Option<WordKind> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        Typed::read(&words).kind()
    }

    #[test]
    fn the_position_of_a_word_says_what_it_stands_for() {
        assert_eq!(kind("check --select"), Some(WordKind::Rule));
        assert_eq!(kind("-v check --ignore ="), Some(WordKind::Rule));
        assert_eq!(
            kind("--repo ../fleet check --component"),
            Some(WordKind::Component)
        );
        assert_eq!(kind("rehearse -q --without"), Some(WordKind::Component));
        assert_eq!(kind("explain"), Some(WordKind::Rule));
        assert_eq!(kind("graph --format dot"), Some(WordKind::Component));
        assert_eq!(kind("show"), Some(WordKind::Component));
        assert_eq!(
            kind("show traefik --environment"),
            Some(WordKind::Environment)
        );
        assert_eq!(kind("show traefik"), None);
        assert_eq!(kind("explain weak-gate"), None);
        assert_eq!(kind("check --format"), None);
        assert_eq!(kind("graph --format"), None);
        assert_eq!(kind("-o"), None);
        assert_eq!(kind("nonsense"), None);
    }

    #[test]
    fn the_repository_on_the_line_is_the_one_that_is_read() {
        let words = ["--repo=../fleet", "graph"].map(str::to_owned);
        let typed = Typed::read(&words);
        assert_eq!(typed.request.repo, Some(PathBuf::from("../fleet")));
    }
}
