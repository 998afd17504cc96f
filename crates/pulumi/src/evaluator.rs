//! Evaluates a program for one stack, as far as possible without running it. Unknown values are holes, both branches of
//! an undecided condition are evaluated, and everything is limited. Reads files through the loader.

mod call;
mod class;
mod expression;
mod name;
mod operator;
mod statement;

use std::collections::BTreeMap;
use std::sync::Arc;

use smol_str::SmolStr;

use super::evaluation::StackReference;
use super::load::{Loader, Resolved};
use super::project::{Project, Stack};
use super::resource::Resource;
use super::syntax::*;
use super::value::*;
use base::budget::Budget;
use base::{FileId, Finding, Place, RepoPath};

/// Maximum number of expressions and statements evaluated per stack.
const MAX_STEPS: u64 = 400_000;
/// Maximum nesting of function calls.
const MAX_CALLS: usize = 48;
/// Maximum nesting of expressions, across calls.
const MAX_DEPTH: usize = 1_500;
/// Maximum number of iterations of a loop.
const MAX_TURNS: usize = 10_000;
/// Maximum length of a text, in bytes.
pub(super) const MAX_TEXT: usize = 64 * 1024;
/// Maximum number of keys of an object, which are searched linearly.
const MAX_KEYS: usize = 2_000;

/// The state of an evaluation.
pub struct Evaluator<'r, 'p> {
    pub project: &'r Project<'r>,
    pub stack: &'r Stack,
    pub loader: &'r mut Loader<'p>,
    pub heap: Heap,
    pub resources: Vec<Resource>,
    pub reads: Vec<ReadParameter>,
    /// What could not be evaluated, once per place.
    pub reported: BTreeMap<Place, Finding>,
    /// Other stacks whose outputs it uses.
    pub stack_references: Vec<StackReference>,
    modules: Vec<LoadedModule>,
    frames: Vec<CallFrame>,
    steps: Budget,
    depth: usize,
    most_depth: usize,
    /// Number of undecided branches around the current statement.
    pub(crate) doubt: usize,
}

/// A parameter that the program reads.
#[derive(Debug, Clone)]
pub struct ReadParameter {
    pub key: SmolStr,
    pub kind: &'static str,
    pub default: Option<SmolStr>,
    pub is_required: bool,
    pub is_secret: bool,
    pub place: Place,
}

struct LoadedModule {
    file: FileId,
    scope: usize,
    exports: Vec<(SmolStr, Export)>,
    all_of: Vec<ProgramValue>,
}

#[derive(Clone)]
enum Export {
    /// A name of the file itself, looked up when it is used.
    Local(SmolStr),
    Value(ProgramValue),
    /// A name of another file.
    Of(ProgramValue, SmolStr),
    /// A name of the file that a function returns (lazy loading).
    Late(ProgramValue),
}

#[derive(Default)]
struct CallFrame {
    this: Option<ProgramValue>,
    home: Option<usize>,
    module: usize,
    /// Values returned in undecided branches.
    maybe: Vec<ProgramValue>,
    /// Whether it is the top level of a file, rather than a call.
    is_file: bool,
    /// The place of the call.
    called: Place,
}

enum Completion {
    Next,
    Return(ProgramValue),
    Break,
    Continue,
    /// Nothing after this is reached.
    Stop,
}

impl<'r, 'p> Evaluator<'r, 'p> {
    pub fn new(
        project: &'r Project<'r>,
        stack: &'r Stack,
        loader: &'r mut Loader<'p>,
    ) -> Evaluator<'r, 'p> {
        Evaluator {
            project,
            stack,
            loader,
            heap: Heap::default(),
            resources: Vec::new(),
            reads: Vec::new(),
            reported: BTreeMap::new(),
            stack_references: Vec::new(),
            modules: Vec::new(),
            frames: vec![CallFrame::default()],
            steps: Budget::new(MAX_STEPS),
            depth: 0,
            most_depth: super::thread::depth_here(MAX_DEPTH),
            doubt: 0,
        }
    }

    /// Reports what cannot be evaluated, once for each place.
    pub fn report(&mut self, place: Place, message: impl Into<String>) {
        self.reported
            .entry(place)
            .or_insert_with(|| Finding::info("program-unfollowed", place, message));
    }

    /// Counts a step; false once the limit is reached.
    fn step(&mut self, place: Place) -> bool {
        self.take_steps(1, place)
    }

    /// Counts several steps; false once the limit is reached.
    pub fn take_steps(&mut self, count: usize, place: Place) -> bool {
        let was_over = self.is_over();
        let is_over = self.steps.charge(count as u64).is_err();
        if is_over && !was_over {
            let message = format!(
                "evaluation stops here, after {MAX_STEPS} steps; resources created later are missing from \
                 the catalogue"
            );
            self.report(place, message);
        }
        !is_over
    }

    /// The path in the repo that a text denotes, relative to the project.
    pub fn repo_path(&self, text: &str) -> Option<RepoPath> {
        self.loader.repo_path(text, self.project.root)
    }

    pub fn is_over(&self) -> bool {
        self.steps.is_exceeded()
    }

    /// Stops the evaluation.
    pub fn stop(&mut self) {
        self.steps.exhaust();
    }

    /// Evaluates something that may or may not happen.
    pub fn undecided<T>(&mut self, follow: impl FnOnce(&mut Self) -> T) -> T {
        self.doubt += 1;
        let result = follow(self);
        self.doubt -= 1;
        result
    }

    /// The names that the file of an entry point exports, with their values.
    pub fn exports(&mut self, module: &ProgramValue) -> Vec<(SmolStr, ProgramValue)> {
        let ValueKind::Module(at) = module.kind else {
            return Vec::new();
        };
        let names: Vec<SmolStr> = self.modules[at]
            .exports
            .iter()
            .map(|(name, _)| name.clone())
            .collect();
        let all = names.into_iter().map(|name| {
            let value = self.exported(at, &name, 0);
            (
                name,
                value.unwrap_or_else(|| ProgramValue::unknown(module.place)),
            )
        });
        all.collect()
    }

    /// Evaluates a file, unless that was done.
    pub fn load(&mut self, resolved: Resolved, place: Place) -> ProgramValue {
        let file = match resolved {
            Resolved::File(file) => file,
            Resolved::Package(package) => return self.heap.package(package, place),
            Resolved::Data(file) => return self.load_data(file, place),
            Resolved::Unread(path) => {
                let message = format!(
                    "the import `{path}` is neither a program nor JSON; its value is not known here"
                );
                self.report(place, message);
                return ProgramValue::unknown(place);
            }
            Resolved::Missing(path) => {
                let message = format!(
                    "the import `{path}` is not in the repository; its value is not known here"
                );
                self.report(place, message);
                return ProgramValue::unknown(place);
            }
        };
        if let Some(at) = self.modules.iter().position(|one| one.file == file) {
            return ProgramValue::new(ValueKind::Module(at), place);
        }
        let Some(module) = self.loader.module(file) else {
            return ProgramValue::unknown(place);
        };
        if self.frames.len() > MAX_CALLS * 2 {
            self.report(place, "imports are nested too deeply; this one is skipped");
            return ProgramValue::unknown(place);
        }
        let scope = self.heap.scope(None, self.doubt);
        let at = self.modules.len();
        self.modules.push(LoadedModule {
            file,
            scope,
            exports: Vec::new(),
            all_of: Vec::new(),
        });
        self.frames.push(CallFrame {
            module: at,
            is_file: true,
            ..CallFrame::default()
        });
        self.declare_exports(at, &module.body);
        self.block(&module.body, scope);
        self.frames.pop();
        ProgramValue::new(ValueKind::Module(at), place)
    }

    /// Declares the exports of a file before it is evaluated, because files may import each other.
    fn declare_exports(&mut self, at: usize, body: &[Stmt]) {
        for statement in body {
            let Stmt::Export(inner) = statement else {
                continue;
            };
            let mut names = Vec::new();
            match &**inner {
                Stmt::Declare(all) => all.iter().for_each(|(it, _)| names_of(it, &mut names)),
                Stmt::Function(it) => names.push(it.name.clone()),
                Stmt::Class(it) => names.push(it.name.clone()),
                Stmt::Enum { name, .. } => names.push(name.clone()),
                _ => {}
            }
            let exports = names
                .into_iter()
                .map(|name| (name.clone(), Export::Local(name)));
            self.modules[at].exports.extend(exports);
        }
    }

    /// The file whose top level is being evaluated, through any number of calls.
    pub fn requesting_file(&self) -> FileId {
        let file = self.frames.iter().rev().find(|frame| frame.is_file);
        let module = file.and_then(|frame| self.modules.get(frame.module));
        module.map_or(FileId::NONE, |module| module.file)
    }

    /// The innermost call in a file other than that of `place`.
    pub fn called_from(&self, place: Place) -> Option<Place> {
        let mut calls = self
            .frames
            .iter()
            .rev()
            .take_while(|frame| !frame.is_file)
            .map(|frame| frame.called);
        calls.find(|called| *called != Place::default() && called.file != place.file)
    }

    /// The innermost call in `file`, if that is not the file of `place`.
    pub fn called_in(&self, file: FileId, place: Place) -> Option<Place> {
        let mut calls = self
            .frames
            .iter()
            .rev()
            .take_while(|frame| !frame.is_file)
            .map(|frame| frame.called);
        calls
            .find(|called| *called != Place::default() && called.file == file && file != place.file)
    }

    fn here(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.module)
    }

    /// The export of a file under a name.
    fn exported(&mut self, at: usize, name: &str, depth: usize) -> Option<ProgramValue> {
        if depth > 32 {
            return None;
        }
        let found = self.modules[at].exports.iter().rev();
        let found = found
            .into_iter()
            .find(|(key, _)| key == name)
            .map(|(_, it)| it.clone());
        match found {
            Some(Export::Local(local)) => {
                let scope = self.modules[at].scope;
                return self.heap.scopes[scope].names.get(&local).cloned();
            }
            Some(Export::Value(value)) => return Some(value),
            Some(Export::Late(load)) => {
                let module = self.call_value(&load, Vec::new(), None, load.place);
                return self.of_module(&module, name, depth + 1);
            }
            Some(Export::Of(module, name)) => return self.of_module(&module, &name, depth + 1),
            None => {}
        }
        let others = self.modules[at].all_of.clone();
        others
            .iter()
            .find_map(|module| self.of_module(module, name, depth + 1))
    }

    fn of_module(
        &mut self,
        module: &ProgramValue,
        name: &str,
        depth: usize,
    ) -> Option<ProgramValue> {
        match module.kind {
            ValueKind::Module(at) => self.exported(at, name, depth),
            ValueKind::Package(_) => Some(self.member(module, name, module.place)),
            _ => None,
        }
    }

    /// A member of a file of the repo.
    pub fn of_file(&mut self, module: &ProgramValue, name: &str, place: Place) -> ProgramValue {
        let found = self.of_module(module, name, 0);
        found.unwrap_or_else(|| match module.kind {
            // `import x from` a CommonJS file gives all of its exports.
            ValueKind::Module(at) if name != "default" => match self.exported(at, "default", 0) {
                Some(whole) if matches!(whole.kind, ValueKind::Object(_)) => {
                    self.member(&whole, name, place)
                }
                _ => ProgramValue::undefined(place),
            },
            _ => ProgramValue::undefined(place),
        })
    }

    fn import(&mut self, from: &str, place: Place) -> ProgramValue {
        let file = self.modules.get(self.here()).map(|module| module.file);
        let resolved = self.loader.resolve(from, file);
        self.load(resolved, place)
    }

    pub fn current_file(&self) -> Option<base::FileId> {
        self.modules.get(self.here()).map(|module| module.file)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Binding {
    New,
    Again,
}

/// Sets a key, in place if it exists.
pub fn set(entries: &mut Vec<ObjectEntry>, key: SmolStr, key_place: Place, value: ProgramValue) {
    if let Some(entry) = entries.iter_mut().find(|entry| entry.key == key) {
        entry.key_place = key_place;
        entry.value = value;
    } else if entries.len() <= MAX_KEYS {
        entries.push(ObjectEntry {
            key,
            key_place,
            value,
        });
    }
}

fn names_of(pattern: &BindingPattern, names: &mut Vec<SmolStr>) {
    match pattern {
        BindingPattern::Name(name) => names.push(name.clone()),
        BindingPattern::Default(inner, _) => names_of(inner, names),
        BindingPattern::Object { entries, rest } => {
            entries.iter().for_each(|(_, inner)| names_of(inner, names));
            rest.iter().for_each(|inner| names_of(inner, names));
        }
        BindingPattern::Array { items, rest } => {
            items
                .iter()
                .flatten()
                .for_each(|inner| names_of(inner, names));
            rest.iter().for_each(|inner| names_of(inner, names));
        }
        BindingPattern::Place(_) | BindingPattern::Other => {}
    }
}

/// The text of a literal.
fn plain(expression: &Expr) -> Option<SmolStr> {
    match &expression.kind {
        ExprKind::Text(text) => Some(text.clone()),
        ExprKind::Number(value) => Some(number(*value)),
        ExprKind::Bool(value) => Some(SmolStr::from(if *value { "true" } else { "false" })),
        _ => None,
    }
}

/// Whether an expression is `process.exit(…)`.
fn is_exit(expression: &Expr) -> bool {
    let ExprKind::Call { callee, .. } = &expression.kind else {
        return false;
    };
    let ExprKind::Member { object, key } = &callee.kind else {
        return false;
    };
    key == "exit" && matches!(&object.kind, ExprKind::Name(name) if name == "process")
}
