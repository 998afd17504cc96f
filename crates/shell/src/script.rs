//! The commands of a file that holds them among other things: a script, a Makefile, a pipeline or a README. It is read line
//! by line, because a quote that is open in one line says nothing of the next, unless the file is a script alone.

use std::collections::BTreeMap;

use super::reader::{self, Expansion, ShellEvent};
use super::{Pipeline, Sense, Word};

/// A pipeline of a file, with the variables filled in that the file sets itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptStep {
    pub pipeline: Pipeline,
    /// The line that it starts on, from 1.
    pub line: u32,
    /// The directory that it is run in.
    pub directory: String,
}

/// The longest value that a variable keeps.
const MAX_VALUE: usize = 1_024;
/// The longest line that is put together from several.
const MAX_LINE: usize = 4 * MAX_VALUE;
/// Variables within variables, deeper than people write them.
const MAX_DEPTH: usize = 8;

/// The steps in a text that lies in `home`, a path from the root. `is_dir` tells whether there is a directory.
pub fn steps(text: &str, home: &str, is_dir: &dyn Fn(&str) -> bool) -> Vec<ScriptStep> {
    let mut script = Script {
        home,
        directory: home.to_owned(),
        values: BTreeMap::new(),
        is_dir,
        steps: Vec::new(),
    };
    let mut lines = text.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        let mut whole = line.trim().to_owned();
        // A list of words may have a line for each.
        while is_open_list(&whole) && whole.len() < MAX_LINE {
            let Some((next, _)) = lines.next() else { break };
            whole.push('\n');
            whole.push_str(next.trim());
        }
        while whole.ends_with('\\') && whole.len() < MAX_LINE {
            whole.pop();
            let Some((next, _)) = lines.next() else { break };
            whole.push_str(next.trim());
        }
        script.line(&whole, number);
    }
    script.steps
}

struct Script<'a> {
    home: &'a str,
    directory: String,
    /// What variables and lists hold; none if that is not known.
    values: BTreeMap<String, Option<Vec<Word>>>,
    is_dir: &'a dyn Fn(&str) -> bool,
    steps: Vec<ScriptStep>,
}

impl Script<'_> {
    fn line(&mut self, line: &str, number: u32) {
        if line.starts_with("```") {
            // Each block of a document is run from the start.
            self.directory = self.home.to_owned();
            return;
        }
        if line.starts_with('#') {
            return;
        }
        if let Some((name, list)) = list(line) {
            let words = self.words(list, 0);
            self.values.insert(name.to_owned(), Some(words));
            return;
        }
        if let Some((name, value)) = assignment(line) {
            let value = self.value(value, 0).filter(|it| it.len() <= MAX_VALUE);
            let words = value.map(|text| vec![literal(text)]);
            self.values.insert(name.to_owned(), words);
            return;
        }
        let events = reader::events(command(line), &|expansion| self.expanded(expansion, 0));
        let mut outside = Vec::new();
        for event in events {
            match event {
                ShellEvent::Enter => outside.push(self.directory.clone()),
                ShellEvent::Leave => self.directory = outside.pop().unwrap_or_default(),
                ShellEvent::Pipeline(pipeline) => self.step(pipeline, number),
            }
        }
    }

    fn step(&mut self, pipeline: Pipeline, line: u32) {
        let words = pipeline.commands.first().map(|it| it.words.as_slice());
        match words.unwrap_or_default() {
            [first, to, ..] if matches!(first.text.as_str(), "cd" | "pushd") => self.enter(to),
            [first, ..] if first.text == "popd" => self.directory = self.home.to_owned(),
            _ => self.steps.push(ScriptStep {
                pipeline,
                line,
                directory: self.directory.clone(),
            }),
        }
    }

    fn enter(&mut self, to: &Word) {
        if to.sense == Sense::Open {
            return;
        }
        let path = joined(&self.directory, &to.text);
        if path.len() <= MAX_VALUE && (self.is_dir)(&path) {
            self.directory = path;
        }
    }

    fn words(&self, text: &str, depth: usize) -> Vec<Word> {
        reader::words(text, &|expansion| self.expanded(expansion, depth))
    }

    /// The text of a single word, if all of it is known.
    fn value(&self, text: &str, depth: usize) -> Option<String> {
        let mut words = self.words(text, depth).into_iter();
        match (words.next(), words.next()) {
            (None, _) => Some(String::new()),
            (Some(word), None) if word.sense == Sense::Plain => Some(word.text),
            _ => None,
        }
    }

    fn expanded(&self, expansion: Expansion<'_>, depth: usize) -> Option<Vec<Word>> {
        if depth > MAX_DEPTH {
            return None;
        }
        match expansion {
            Expansion::Variable(inner) => self.variable(inner, depth),
            // A Makefile's variable.
            Expansion::Commands(name) if is_name(name) => self.variable(name, depth),
            Expansion::Commands(commands) => {
                let text = self.output(commands.trim(), depth)?;
                Some(vec![literal(text)])
            }
        }
    }

    fn variable(&self, inner: &str, depth: usize) -> Option<Vec<Word>> {
        let inner = inner.strip_suffix("[@]").unwrap_or(inner);
        let (name, default) = match inner.split_once(":-").or(inner.split_once(":=")) {
            Some((name, default)) => (name, Some(default)),
            None => (inner, None),
        };
        match (self.values.get(name), default) {
            (Some(Some(known)), _) => Some(known.clone()),
            (_, Some(default)) => Some(vec![literal(self.value(default, depth + 1)?)]),
            _ if matches!(name, "SCRIPT_DIR" | "CURDIR" | "PWD") => {
                Some(vec![literal(format!("/{}", self.home))])
            }
            _ => None,
        }
    }

    /// What commands print that scripts find their own place with.
    fn output(&self, commands: &str, depth: usize) -> Option<String> {
        if let Some(path) = commands.strip_prefix("basename ") {
            let path = self.value(path, depth + 1)?;
            let path = path.trim_end_matches('/');
            return Some(path.rsplit('/').next().unwrap_or(path).to_owned());
        }
        if commands.contains("show-toplevel") {
            return Some("/".to_owned());
        }
        // `$(cd "$(dirname "$0")" && pwd)`, in any of the ways people write it.
        let is_own = commands.contains("BASH_SOURCE") || commands.contains("$0");
        let up = commands.contains("/..") || commands.contains("cd ..");
        let is_home = commands.contains("dirname") && is_own && !up;
        is_home.then(|| format!("/{}", self.home))
    }
}

fn literal(text: String) -> Word {
    Word {
        text,
        sense: Sense::Plain,
    }
}

/// A line without what lists, prompts, pipelines and Makefiles put before a command.
fn command(line: &str) -> &str {
    let mut line = line;
    while let Some(rest) = ["- ", "> ", "$ ", "run: ", "sudo "]
        .iter()
        .find_map(|before| line.strip_prefix(before))
    {
        line = rest.trim_start();
    }
    line.strip_prefix('@').unwrap_or(line)
}

/// `NAME=value` with the words before it that scripts and Makefiles use.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let mut line = line;
    for word in ["export ", "local ", "readonly ", "declare "] {
        line = line.strip_prefix(word).unwrap_or(line).trim_start();
    }
    let (name, value) = line.split_once('=')?;
    let name = name.trim_end_matches([':', '?']).trim_end();
    // `NAME=value command` sets the variable for one command only.
    let value = value.trim();
    let is_one = value.starts_with(['"', '\'', '$']) || !value.contains(' ');
    (is_name(name) && is_one).then_some((name, value))
}

fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !name.is_empty() && name.bytes().all(is_part)
}

/// `NAME=(word word)`.
fn list(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("local ").unwrap_or(line).trim_start();
    let (name, rest) = line.split_once("=(")?;
    let words = rest.strip_suffix(')')?;
    is_name(name).then_some((name, words))
}

/// Whether a line begins a list and does not end it.
fn is_open_list(line: &str) -> bool {
    let name = line.strip_prefix("local ").unwrap_or(line).split_once("=(");
    name.is_some_and(|(name, rest)| !name.contains([' ', '$', '"']) && !rest.contains(')'))
}

/// A path from a directory, with `.` and `..` left for whoever resolves it.
fn joined(directory: &str, path: &str) -> String {
    match path.strip_prefix('/') {
        Some(from_root) => from_root.to_owned(),
        None if directory.is_empty() => path.trim_start_matches("./").to_owned(),
        None => format!("{directory}/{}", path.trim_start_matches("./")),
    }
}

#[cfg(test)]
mod tests;
