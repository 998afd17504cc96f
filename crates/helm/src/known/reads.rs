//! The values that a template reads, as far as its text says so.

use std::sync::Arc;

use base::hash::{HashMap, HashSet};
use smol_str::SmolStr;

use super::keys::KnownKeys;
use crate::data::Data;
use crate::engine::ParsedTemplate;
use crate::engine::tree::{Branch, Node, Pipe, PipeCommand, SyntaxTree, TemplateOperand, Term};

/// The values that a file of templates reads.
#[derive(Debug, Default)]
pub struct FileReads {
    pub keys: KnownKeys,
    /// The parts of all constant texts: keys may be computed from them.
    pub words: HashSet<SmolStr>,
    /// The templates that it includes.
    pub includes: HashSet<SmolStr>,
    /// Whether it includes templates whose names are computed.
    pub includes_any: bool,
}

/// Functions that tell something about a map without reading what is in it.
const ABOUT: &[&str] = &[
    "and",
    "or",
    "not",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "empty",
    "len",
    "kindIs",
    "kindOf",
    "typeOf",
    "typeIs",
    "typeIsLike",
    "default",
    "coalesce",
    "all",
    "any",
];

/// The value that a variable or the dot stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Meaning {
    Values(Vec<SmolStr>),
    /// An item or a key of something.
    Item,
    Other,
}

/// The use of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UseKind {
    /// It is printed or compared.
    Shown,
    /// Something else may read everything in it.
    Passed,
}

pub fn file_reads(parsed: &ParsedTemplate) -> FileReads {
    let mut reads = FileReads::default();
    let defined = parsed.defined.values();
    for tree in std::iter::once(&parsed.main).chain(defined) {
        read_tree(&mut reads, tree);
    }
    reads
}

fn read_tree(reads: &mut FileReads, tree: &Arc<SyntaxTree>) {
    let mut reader = ReadCollector {
        reads,
        variables: HashMap::default(),
    };
    // Variables may be used before the text that sets them, in loops.
    for _ in 0..2 {
        reader.nodes(&tree.body, &Meaning::Other);
    }
}

/// Adds the values that a text with templates in it reads; all of it counts as passed on.
pub fn add_text(keys: &mut KnownKeys, text: &str) {
    if !text.contains("{{") {
        return;
    }
    for (at, word) in text.match_indices("Values") {
        let rest = &text[at + word.len()..];
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let path: Vec<SmolStr> = rest[..end]
            .split('.')
            .filter(|part| !part.is_empty())
            .map(SmolStr::new)
            .collect();
        keys.add(&path).is_open = true;
    }
}

/// The same for all texts in values.
pub fn add_texts(keys: &mut KnownKeys, values: &Data) {
    match values {
        Data::Text(text) => add_text(keys, text),
        Data::List(items) => items.iter().for_each(|item| add_texts(keys, item)),
        Data::Map(map) => map.values().for_each(|inner| add_texts(keys, inner)),
        _ => {}
    }
}

struct ReadCollector<'r> {
    reads: &'r mut FileReads,
    variables: HashMap<SmolStr, Vec<Meaning>>,
}

impl ReadCollector<'_> {
    fn nodes(&mut self, nodes: &[Node], dot: &Meaning) {
        for node in nodes {
            match node {
                Node::Text { .. } | Node::Break | Node::Continue => {}
                Node::Write(pipe) => self.pipe(pipe, dot, UseKind::Shown),
                Node::If(branch) => {
                    self.pipe(&branch.pipe, dot, UseKind::Shown);
                    self.bodies(branch, dot, dot);
                }
                Node::With(branch) => {
                    let meaning = self.meaning(&branch.pipe, dot);
                    self.pipe(&branch.pipe, dot, UseKind::Shown);
                    self.bodies(branch, &meaning, dot);
                }
                Node::Range(branch) => {
                    self.pipe(&branch.pipe, dot, UseKind::Passed);
                    for name in &branch.pipe.variables {
                        self.set(name, Meaning::Item);
                    }
                    self.bodies(branch, &Meaning::Item, dot);
                }
                Node::Template { name, argument, .. } => {
                    self.reads.includes.insert(name.clone());
                    if let Some(pipe) = argument {
                        self.pipe(pipe, dot, UseKind::Passed);
                    }
                }
            }
        }
    }

    fn bodies(&mut self, branch: &Branch, inner: &Meaning, outer: &Meaning) {
        self.nodes(&branch.body, inner);
        self.nodes(&branch.otherwise, outer);
    }

    fn set(&mut self, name: &SmolStr, meaning: Meaning) {
        let known = self.variables.entry(name.clone()).or_default();
        if !known.contains(&meaning) {
            known.push(meaning);
        }
    }

    fn pipe(&mut self, pipe: &Pipe, dot: &Meaning, used: UseKind) {
        if !pipe.variables.is_empty() && used == UseKind::Shown {
            // What is set to a variable counts where the variable is used.
            let meaning = self.meaning(pipe, dot);
            let is_known = matches!(meaning, Meaning::Values(_));
            for name in &pipe.variables {
                self.set(name, meaning.clone());
            }
            let used = if is_known { used } else { UseKind::Passed };
            return self.commands(pipe, dot, used);
        }
        self.commands(pipe, dot, used);
    }

    fn commands(&mut self, pipe: &Pipe, dot: &Meaning, used: UseKind) {
        let mut before: Option<Vec<SmolStr>> = None;
        for (nth, command) in pipe.commands.iter().enumerate() {
            let is_last = nth + 1 == pipe.commands.len();
            if let Some(path) = before.take() {
                self.piped(&path, command, used);
            }
            let first = nth == 0 && !is_last;
            let own = if first { UseKind::Shown } else { used };
            self.command(command, dot, own);
            if first {
                before = self.path_of_command(command, dot);
            }
        }
    }

    /// A value that is the last argument of the next command.
    fn piped(&mut self, path: &[SmolStr], command: &PipeCommand, used: UseKind) {
        let name = function_name(command);
        let is_about = name.is_some_and(|name| ABOUT.contains(&name) || name == "required");
        if !(is_about && used == UseKind::Shown) {
            self.reads.keys.add(path).is_open = true;
        }
    }

    fn command(&mut self, command: &PipeCommand, dot: &Meaning, used: UseKind) {
        let (first, arguments) = (&command.operands[0], &command.operands[1..]);
        let Term::Function(function) = &first.value else {
            self.operand(first, dot, used);
            for argument in arguments {
                self.operand(argument, dot, UseKind::Passed);
            }
            return;
        };
        match function.name {
            "index" | "get" | "hasKey" | "unset" | "set" | "pick" | "pluck" | "dig" => {
                self.lookup(function.name, arguments, dot, used);
            }
            "dict" => {
                for pair in arguments.chunks(2) {
                    let is_root = matches!(&pair[0].value, Term::Text(key) if key == "Values");
                    let used = if is_root {
                        UseKind::Shown
                    } else {
                        UseKind::Passed
                    };
                    pair.iter().for_each(|one| self.operand(one, dot, used));
                }
            }
            name => {
                if name == "include" {
                    match arguments.first().map(|name| &name.value) {
                        Some(Term::Text(name)) => drop(self.reads.includes.insert(name.clone())),
                        _ => self.reads.includes_any = true,
                    }
                }
                let is_about = ABOUT.contains(&name);
                let used = if is_about { used } else { UseKind::Passed };
                for argument in arguments {
                    self.operand(argument, dot, used);
                }
            }
        }
    }

    /// A function that reads keys of a map.
    fn lookup(&mut self, name: &str, arguments: &[TemplateOperand], dot: &Meaning, used: UseKind) {
        let (maps, keys): (Vec<_>, Vec<_>) = match (name, arguments) {
            ("pluck", [key, maps @ ..]) => (maps.iter().collect(), vec![key]),
            ("dig", [keys @ .., _, map]) => (vec![map], keys.iter().collect()),
            ("set", [map, key, ..]) => (vec![map], vec![key]),
            (_, [map, keys @ ..]) => (vec![map], keys.iter().collect()),
            _ => return,
        };
        for argument in arguments {
            let is_map = maps.iter().any(|map| std::ptr::eq(*map, argument));
            let used = if is_map {
                UseKind::Shown
            } else {
                UseKind::Passed
            };
            self.operand(argument, dot, used);
        }
        for map in maps {
            let Some(mut path) = self.path_of(map, dot) else {
                continue;
            };
            let is_each = matches!(name, "pick");
            let mut is_certain = true;
            for key in &keys {
                match self.key(key, dot) {
                    KeyKind::Constant(key) => {
                        path.push(key);
                        self.reads.keys.add(&path);
                        if is_each {
                            self.reads.keys.add(&path).is_open = true;
                            path.pop();
                        }
                    }
                    KeyKind::Item => {
                        self.reads.keys.add(&path).is_computed = true;
                        is_certain = false;
                        break;
                    }
                    KeyKind::Computed => {
                        self.reads.keys.add(&path).is_open = true;
                        is_certain = false;
                        break;
                    }
                }
            }
            let passes =
                used == UseKind::Passed && matches!(name, "index" | "get" | "dig" | "pluck");
            if is_certain && passes {
                self.reads.keys.add(&path).is_open = true;
            }
        }
    }

    fn key(&self, operand: &TemplateOperand, dot: &Meaning) -> KeyKind {
        match &operand.value {
            Term::Text(text) => KeyKind::Constant(text.clone()),
            Term::Int(number) => KeyKind::Constant(number.to_string().into()),
            Term::Dot if *dot == Meaning::Item => KeyKind::Item,
            Term::Variable(name, fields) if fields.is_empty() => {
                let known = self.variables.get(name);
                let are_items =
                    known.is_some_and(|all| all.iter().all(|one| *one == Meaning::Item));
                if are_items {
                    KeyKind::Item
                } else {
                    KeyKind::Computed
                }
            }
            _ => KeyKind::Computed,
        }
    }

    fn operand(&mut self, operand: &TemplateOperand, dot: &Meaning, used: UseKind) {
        match &operand.value {
            Term::Text(text) => {
                let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-')));
                self.reads.words.extend(words.map(SmolStr::new));
                self.reads.words.insert(text.clone());
            }
            Term::Dot | Term::Field(_) | Term::Variable(..) => {
                for path in self.paths(operand, dot) {
                    let node = self.reads.keys.add(&path);
                    if used == UseKind::Passed {
                        node.is_open = true;
                    }
                }
            }
            Term::Pipe(pipe) => self.pipe(pipe, dot, used),
            Term::Chain(inner, fields) => match self.path_of(inner, dot) {
                Some(mut path) => {
                    self.operand(inner, dot, UseKind::Shown);
                    path.extend(fields.iter().cloned());
                    let node = self.reads.keys.add(&path);
                    if used == UseKind::Passed {
                        node.is_open = true;
                    }
                }
                None => self.operand(inner, dot, UseKind::Passed),
            },
            Term::Function(_) | Term::Nil | Term::Bool(_) | Term::Int(_) | Term::Float(_) => {}
        }
    }

    /// The paths of values that an operand without arguments may be.
    fn paths(&self, operand: &TemplateOperand, dot: &Meaning) -> Vec<Vec<SmolStr>> {
        let joined = |meaning: &Meaning, fields: &[SmolStr]| match meaning {
            Meaning::Values(path) => Some(path.iter().chain(fields).cloned().collect()),
            _ => None,
        };
        match &operand.value {
            Term::Dot => joined(dot, &[]).into_iter().collect(),
            Term::Field(names) => {
                let own = rooted(names).or_else(|| joined(dot, names));
                own.into_iter().collect()
            }
            Term::Variable(name, names) => {
                let known = self.variables.get(name).into_iter().flatten();
                let known = known.filter_map(|meaning| joined(meaning, names));
                rooted(names).into_iter().chain(known).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The path of the value that an operand is, where it is one for certain.
    fn path_of(&self, operand: &TemplateOperand, dot: &Meaning) -> Option<Vec<SmolStr>> {
        match &operand.value {
            Term::Pipe(pipe) => match self.meaning(pipe, dot) {
                Meaning::Values(path) => Some(path),
                _ => None,
            },
            Term::Chain(inner, fields) => {
                let mut path = self.path_of(inner, dot)?;
                path.extend(fields.iter().cloned());
                Some(path)
            }
            _ => self.paths(operand, dot).into_iter().next(),
        }
    }

    fn meaning(&self, pipe: &Pipe, dot: &Meaning) -> Meaning {
        let Some((first, rest)) = pipe.commands.split_first() else {
            return Meaning::Other;
        };
        let keeps = |command: &PipeCommand| {
            let name = function_name(command);
            name.is_some_and(|name| matches!(name, "default" | "required"))
        };
        match self.path_of_command(first, dot) {
            Some(path) if rest.iter().all(keeps) => Meaning::Values(path),
            _ => Meaning::Other,
        }
    }

    fn path_of_command(&self, command: &PipeCommand, dot: &Meaning) -> Option<Vec<SmolStr>> {
        let (first, arguments) = command.operands.split_first()?;
        let Term::Function(function) = &first.value else {
            return self.path_of(first, dot).filter(|_| arguments.is_empty());
        };
        match (function.name, arguments) {
            ("index" | "get", [map, keys @ ..]) => {
                let mut path = self.path_of(map, dot)?;
                for key in keys {
                    let Term::Text(key) = &key.value else {
                        return None;
                    };
                    path.push(key.clone());
                }
                Some(path)
            }
            ("default" | "required", [_, value]) => self.path_of(value, dot),
            _ => None,
        }
    }
}

enum KeyKind {
    Constant(SmolStr),
    /// Some key or item of something.
    Item,
    Computed,
}

fn function_name(command: &PipeCommand) -> Option<&'static str> {
    match &command.operands.first()?.value {
        Term::Function(function) => Some(function.name),
        _ => None,
    }
}

/// The path of values that a chain of fields reads: what follows `Values`.
fn rooted(names: &[SmolStr]) -> Option<Vec<SmolStr>> {
    let at = names.iter().position(|name| name == "Values")?;
    let sub = at.checked_sub(1).and_then(|before| names.get(before));
    let is_sub = at >= 2 && names[at - 2] == "Subcharts";
    let prefix = sub.filter(|_| is_sub).cloned();
    let rest = names[at + 1..].iter().cloned();
    Some(prefix.into_iter().chain(rest).collect())
}
