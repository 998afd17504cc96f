//! Plain-text secrets in programs, by the names of variables and by the look of texts. Visits all code, even if it is
//! never run. Returns places, never values.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::load::ENDINGS;
use super::parse::parse;
use super::syntax::*;
use super::thread::with_large_stack;
use base::{FileId, Files, Place, RepoPath};
use secret::PlainSecret;
use yaml::{Map, Node, Value};

/// Maximum number of files that are read.
const MAX_FILES: usize = 2_000;

/// The secrets found, once per place.
type FoundSecrets = BTreeMap<Place, PlainSecret>;

/// The secrets in the programs below some directories, sorted by place. Code that cannot be parsed is skipped.
pub fn plain_secrets(files: &dyn Files, directories: &[&RepoPath]) -> Vec<PlainSecret> {
    let below = directories.iter().flat_map(|root| files.below(root));
    let mut programs: Vec<FileId> = below
        .filter(|file| {
            let path = files.path(*file);
            let is_code = path.extension().is_some_and(|one| ENDINGS.contains(&one));
            is_code && !is_skipped(path.as_str())
        })
        .collect();
    programs.sort();
    programs.dedup();
    programs.truncate(MAX_FILES);
    let texts = programs.into_iter().filter_map(|file| {
        let text = files.read_text(file).ok()?;
        may_contain_secret(&text).then_some((file, text))
    });
    let texts: Vec<(FileId, String)> = texts.collect();
    if texts.is_empty() {
        return Vec::new();
    }
    let found = with_large_stack(|| {
        let mut found = FoundSecrets::new();
        for (file, text) in &texts {
            let name = files.path(*file).file_name();
            if let Ok(module) = parse(text, *file, name) {
                look(&module, &mut found);
            }
        }
        found
    });
    found.unwrap_or_default().into_values().collect()
}

/// Whether a file is third-party code, or a test with made-up values.
fn is_skipped(path: &str) -> bool {
    let is_other = |part: &str| {
        matches!(part, "node_modules" | "__tests__" | "test" | "tests")
            || part.ends_with(".d.ts")
            || part.contains(".test.")
            || part.contains(".spec.")
    };
    path.split('/').any(is_other)
}

/// A cheap test: most files mention nothing secret, and need not be parsed.
fn may_contain_secret(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let words = [
        "passw",
        "apikey",
        "api_key",
        "secret",
        "private",
        "stringdata",
        "://",
        "ghp_",
        "glpat-",
        "github_pat_",
        "xox",
        "akia",
        "sk_live_",
        "hvs.",
    ];
    words.iter().any(|word| lower.contains(word))
}

/// Nodes still to be visited.
#[derive(Default)]
struct Worklist<'m> {
    statements: Vec<&'m [Stmt]>,
    expressions: Vec<&'m Expr>,
}

fn look(module: &Module, found: &mut FoundSecrets) {
    let mut left = Worklist::default();
    left.statements.push(&module.body);
    loop {
        while let Some(expr) = left.expressions.pop() {
            tell(expr, found);
            left.inside(expr, found);
        }
        let Some(statements) = left.statements.pop() else {
            return;
        };
        for statement in statements {
            left.statement(statement, found);
        }
    }
}

/// Checks an expression by itself.
fn tell(expr: &Expr, found: &mut FoundSecrets) {
    match &expr.kind {
        ExprKind::Text(text) => whole(text, expr.place, found),
        ExprKind::Template(template) => {
            if let [text] = template.texts.as_slice() {
                whole(text, expr.place, found);
            }
        }
        ExprKind::Object(properties) => {
            let mut map = Map::default();
            for property in properties {
                let Property::Value {
                    key: Key::Text(key),
                    value,
                    ..
                } = property
                else {
                    continue;
                };
                match &value.kind {
                    ExprKind::Text(text) => {
                        map.push(key.clone(), Node::string(text.clone(), value.place));
                    }
                    ExprKind::Object(inner) if key == "stringData" => {
                        add(secret_of(inner, value.place), found);
                    }
                    // The name alone may decide what the other properties are.
                    _ => map.push(key.clone(), Node::map(value.place)),
                }
            }
            add(secret::exposed(tree(map, expr.place), None), found);
        }
        _ => {}
    }
}

/// Checks a text by itself, which may contain manifests.
fn whole(text: &SmolStr, place: Place, found: &mut FoundSecrets) {
    let node = Node::string(text.clone(), place);
    if text.contains("kind:") && text.contains('\n') {
        for mut document in yaml::parse_within(&node).documents {
            add(secret::seal(&mut document.root), found);
        }
        return;
    }
    let mut map = Map::default();
    map.push("value", node);
    add(secret::exposed(tree(map, place), None), found);
}

/// Checks the value of a name, or the expression that computes it.
fn named(name: &SmolStr, value: &Expr, found: &mut FoundSecrets) {
    let mut value = value;
    while let ExprKind::Logical { right, .. } = &value.kind {
        value = right;
    }
    if let ExprKind::Text(text) = &value.kind
        && secret::is_plain_password(name, text)
    {
        let one = PlainSecret {
            is_guessable: secret::is_guessable(text, &[name]),
            key: name.clone(),
            holder: None,
            place: value.place,
        };
        add(vec![one], found);
    }
}

fn add(all: Vec<PlainSecret>, found: &mut FoundSecrets) {
    for one in all {
        // The name of a value is more telling than its text alone.
        match found.get_mut(&one.place) {
            Some(known) if known.key == "value" => *known = one,
            Some(_) => {}
            None => {
                found.insert(one.place, one);
            }
        }
    }
}

/// The values of a Secret, all of which are secret unless clearly public.
fn secret_of(properties: &[Property], place: Place) -> Vec<PlainSecret> {
    let mut data = Map::default();
    for property in properties {
        if let Property::Value {
            key: Key::Text(key),
            value,
            ..
        } = property
            && let ExprKind::Text(text) = &value.kind
        {
            data.push(key.clone(), Node::string(text.clone(), value.place));
        }
    }
    let mut map = Map::default();
    map.push("apiVersion", Node::string("v1", place));
    map.push("kind", Node::string("Secret", place));
    map.push("stringData", tree(data, place));
    let mut all = secret::seal(&mut tree(map, place));
    all.iter_mut().for_each(|one| one.holder = None);
    all
}

fn tree(map: Map, place: Place) -> Node {
    Node {
        value: Value::Map(map),
        place,
    }
}

impl<'m> Worklist<'m> {
    fn statement(&mut self, statement: &'m Stmt, found: &mut FoundSecrets) {
        match statement {
            Stmt::Expr(expr) | Stmt::ExportDefault(expr) => self.expressions.push(expr),
            Stmt::Declare(all) => {
                for (pattern, value) in all {
                    if let (BindingPattern::Name(name), Some(value)) = (pattern, value) {
                        named(name, value, found);
                    }
                    self.expressions.extend(value);
                }
            }
            Stmt::Function(function) => self.function(function, found),
            Stmt::Class(class) => self.class(class, found),
            Stmt::Enum { members, .. } => {
                let values = members.iter().filter_map(|(_, value)| value.as_ref());
                self.expressions.extend(values);
            }
            Stmt::Return(value, _) => self.expressions.extend(value),
            Stmt::If { test, yes, no } => {
                self.expressions.push(test);
                self.statements.extend([yes.as_slice(), no]);
            }
            Stmt::For {
                start,
                test,
                next,
                body,
                ..
            } => {
                self.expressions.extend(test.iter().chain(next));
                self.statements.extend([start.as_slice(), body]);
            }
            Stmt::ForOf { over, body, .. } | Stmt::ForIn { over, body, .. } => {
                self.expressions.push(over);
                self.statements.push(body);
            }
            Stmt::While { test, body, .. } => {
                self.expressions.push(test);
                self.statements.push(body);
            }
            Stmt::Switch { on, cases } => {
                self.expressions.push(on);
                for (test, body) in cases {
                    self.expressions.extend(test);
                    self.statements.push(body);
                }
            }
            Stmt::Try { block, finally } => self.statements.extend([block.as_slice(), finally]),
            Stmt::Block(body) => self.statements.push(body),
            Stmt::Export(inner) => self.statements.push(std::slice::from_ref(inner)),
            _ => {}
        }
    }

    fn function(&mut self, function: &'m Function, found: &mut FoundSecrets) {
        for param in &function.params {
            if let (BindingPattern::Name(name), Some(value)) = (&param.pattern, &param.default) {
                named(name, value, found);
            }
            self.expressions.extend(&param.default);
        }
        match &function.body {
            FunctionBody::Block(body) => self.statements.push(body),
            FunctionBody::Value(value) => self.expressions.push(value),
        }
    }

    fn class(&mut self, class: &'m Class, found: &mut FoundSecrets) {
        for field in &class.fields {
            if let Some(value) = &field.value {
                named(&field.name, value, found);
                self.expressions.push(value);
            }
        }
        let methods = class.methods.iter().map(|method| &method.function);
        for function in methods.chain(&class.constructor) {
            self.function(function, found);
        }
    }

    /// Visits the parts of an expression.
    fn inside(&mut self, expr: &'m Expr, found: &mut FoundSecrets) {
        match &expr.kind {
            ExprKind::Template(template) => self.expressions.extend(&template.values),
            ExprKind::Tagged { template, .. } => self.expressions.extend(&template.values),
            ExprKind::Array(items) => self.items(items),
            ExprKind::Object(properties) => {
                let values = properties.iter().map(|property| match property {
                    Property::Value { value, .. } | Property::Spread(value) => value,
                });
                self.expressions.extend(values);
            }
            ExprKind::Member { object, .. } => self.expressions.push(object),
            ExprKind::Index { object, key } => self.expressions.extend([&**object, key]),
            ExprKind::Call { callee, arguments } => {
                self.expressions.push(callee);
                self.items(arguments);
            }
            ExprKind::New { arguments, .. } => self.items(arguments),
            ExprKind::Function(function) => self.function(function, found),
            ExprKind::Class(class) => self.class(class, found),
            ExprKind::Conditional { test, yes, no } => {
                self.expressions.extend([&**test, yes, no]);
            }
            ExprKind::Logical { left, right, .. } | ExprKind::Binary { left, right, .. } => {
                self.expressions.extend([&**left, right]);
            }
            ExprKind::Unary { operand, .. } => self.expressions.push(operand),
            ExprKind::Assign { target, value, .. } => {
                if let BindingPattern::Name(name) = &**target {
                    named(name, value, found);
                }
                self.expressions.push(value);
            }
            ExprKind::Await(inner) | ExprKind::Import(inner) => self.expressions.push(inner),
            ExprKind::Sequence(all) => self.expressions.extend(all),
            _ => {}
        }
    }

    fn items(&mut self, items: &'m [Element]) {
        let values = items.iter().filter_map(|item| match item {
            Element::One(value) | Element::Spread(value) => Some(value),
            Element::Gap => None,
        });
        self.expressions.extend(values);
    }
}
