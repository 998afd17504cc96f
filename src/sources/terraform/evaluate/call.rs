//! Calls of functions, and those of them that read files of the repo.

use super::{MAX_STEPS, Run, ScopeId};
use crate::input::repo::RepoPath;
use crate::sources;
use crate::sources::terraform::value::{Data, HERE, MAX_ITEMS, MAX_TEXT, Value};
use crate::sources::terraform::{function, syntax};
use base::glob::{self, Stars};
use base::{FileId, Place};
use yaml::Node;

/// Going through so many items or letters counts as a step.
const LOOKED: usize = 16;

impl Run<'_> {
    pub fn call(&mut self, scope: ScopeId, name: &str, args: Vec<Value>, place: Place) -> Value {
        // What a function makes of a collection may show what is in it, unless it hands on the elements.
        let is_shown = !function::hands_on(name);
        let is_secret = args
            .iter()
            .any(|arg| arg.is_secret || is_shown && arg.holds_secret);
        // What a function goes through counts as well, not only that it is called.
        let looked: usize = args.iter().map(function::weight).sum();
        self.steps = (self.steps + looked / LOOKED).min(MAX_STEPS);
        if self.is_exhausted() {
            return Value::unknown(place).with_secrecy(is_secret);
        }
        let value = match name {
            "templatefile" => self.template_file(scope, &args, place),
            "file" => match args.first().and_then(|path| self.file(path)) {
                Some(file) => Value::new(Data::File(file), Place::start_of(file)),
                None => Value::unknown(place),
            },
            "fileset" => self
                .file_set(&args, place)
                .unwrap_or_else(|| Value::unknown(place)),
            "yamldecode" | "jsondecode" => self.decoded(&args, place),
            "sensitive" => args
                .into_iter()
                .next()
                .unwrap_or_else(|| Value::unknown(place))
                .with_secrecy(true),
            _ => function::call(name, &args, place).unwrap_or_else(|| Value::unknown(place)),
        };
        value.with_secrecy(is_secret)
    }

    /// Where in the repo a path leads; paths are relative to where Terraform is run.
    pub fn resolve(&self, path: &Value) -> Option<RepoPath> {
        let text = path.as_text()?;
        match text.strip_prefix(HERE) {
            // The root of the repo has no name of its own.
            Some(path) => RepoPath::new(path.trim_start_matches('/')),
            None => {
                let root = self.module(self.root()).directory.as_ref()?;
                root.join(&text)
            }
        }
    }

    fn file(&mut self, path: &Value) -> Option<FileId> {
        let file = self.around.facts.repo.file(&self.resolve(path)?)?;
        self.files.insert(file);
        Some(file)
    }

    /// The files that a whole path with a pattern in it leads to.
    pub(super) fn files_at(&mut self, pattern: &Value) -> Option<Vec<FileId>> {
        if let Some(file) = self.file(pattern) {
            return Some(vec![file]);
        }
        let path = self.resolve(pattern)?;
        let repo = self.around.facts.repo;
        let (directory, _) = path.as_str().rsplit_once('/').unwrap_or_default();
        let directory = match directory.find('*') {
            Some(star) => directory[..star].rsplit_once('/').unwrap_or_default().0,
            None => directory,
        };
        let below = repo.below(&RepoPath::new(directory)?);
        let fits =
            |file: &FileId| glob::matches(path.as_str(), repo.path(*file).as_str(), Stars::Deep);
        let files: Vec<FileId> = below.filter(fits).take(MAX_ITEMS).collect();
        self.files.extend(&files);
        (!files.is_empty()).then_some(files)
    }

    /// The files of a directory that fit a pattern, by their paths in it.
    fn file_set(&self, args: &[Value], place: Place) -> Option<Value> {
        let (directory, pattern) = (self.resolve(args.first()?)?, args.get(1)?.as_text()?);
        let repo = self.around.facts.repo;
        let directory = repo.resolve_dir(&directory)?;
        let start = match directory.as_str() {
            "" => 0,
            path => path.len() + 1,
        };
        let below = repo.below(&directory);
        let paths = below.filter_map(|file| repo.path(file).as_str().get(start..));
        let fitting = paths.filter(|path| glob::matches(&pattern, path, Stars::Deep));
        let fitting = fitting.take(MAX_ITEMS + 1);
        Some(Value::list(
            fitting.map(|path| Value::text(path, place)).collect(),
            place,
        ))
    }

    fn template_file(&mut self, scope: ScopeId, args: &[Value], place: Place) -> Value {
        let file = args.first().and_then(|path| self.file(path));
        let text = file.and_then(|file| self.around.facts.repo.read_text(file).ok());
        let (Some(file), Some(text)) = (file, text.filter(|text| text.len() <= MAX_TEXT)) else {
            return Value::unknown(place);
        };
        let Some(parts) = syntax::parse_template(&text, file) else {
            return Value::unknown(place);
        };
        let vars = args.get(1).and_then(Value::table);
        let bindings = vars.map(|vars| vars.entries.clone()).unwrap_or_default();
        let start = Place::start_of(file);
        self.depth += 1;
        let value = self.template(scope, &bindings, &parts, start);
        self.depth -= 1;
        value
    }

    fn decoded(&mut self, args: &[Value], place: Place) -> Value {
        match args.first().map(|arg| &arg.data) {
            Some(Data::Encoded(inner)) => (**inner).clone(),
            Some(Data::File(file)) => {
                let facts = self.around.facts.of(*file);
                let documents = facts.resources.iter().map(|resource| &resource.node);
                let mut documents = documents.chain(&facts.other_documents);
                match (documents.next(), documents.next()) {
                    (Some(only), None) => Value::of(only),
                    _ => Value::unknown(place),
                }
            }
            Some(Data::Text(text)) if !text.contains(HERE) => {
                let place = args[0].place;
                let scalar = Node::string(text.clone(), place);
                let (documents, _) = sources::read_inline(&scalar);
                match documents.as_slice() {
                    [only] => Value::of(only),
                    _ => Value::unknown(place),
                }
            }
            _ => Value::unknown(place),
        }
    }
}
