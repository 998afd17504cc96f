//! Modules: each directory with Terraform files is one. Reads those files, each once.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use smol_str::SmolStr;

use crate::syntax::{self, Attribute, Block, ExprKind};
use crate::terragrunt;
use base::{FileId, Files, Finding, Place, RepoPath};

/// The modules of a repo, by directory.
#[derive(Debug, Default)]
pub struct Modules {
    pub(crate) all: BTreeMap<RepoPath, Module>,
    pub findings: Vec<Finding>,
    /// The first Terragrunt file. Of these files, only the modules that they run are read.
    pub terragrunt: Option<FileId>,
    /// The modules that Terragrunt files run.
    run: BTreeSet<RepoPath>,
    /// Files with values of variables (`*.tfvars`).
    pub values: Vec<FileId>,
}

/// The blocks of one directory, by kind and name.
#[derive(Debug, Default)]
pub struct Module {
    pub directory: Option<RepoPath>,
    pub files: BTreeSet<FileId>,
    pub variables: BTreeMap<SmolStr, Block>,
    pub outputs: BTreeMap<SmolStr, Block>,
    pub(crate) locals: BTreeMap<SmolStr, Attribute>,
    /// By type and name.
    pub resources: BTreeMap<(SmolStr, SmolStr), Block>,
    pub(crate) data: BTreeMap<(SmolStr, SmolStr), Block>,
    pub calls: BTreeMap<SmolStr, Block>,
    /// `terraform` blocks, with required versions and the backend.
    pub terraform: Vec<Block>,
    /// Providers that it configures or requires.
    pub providers: BTreeSet<SmolStr>,
    /// Whether a file could not be read, so that blocks may be missing.
    pub is_partial: bool,
}

/// The location of a called module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModuleSource {
    Here(RepoPath),
    /// A directory of this repo that has no module.
    Nowhere(RepoPath),
    /// Outside the repo.
    Outside,
    /// A registry or another repository.
    Elsewhere,
    /// An expression, or nothing.
    Unsaid,
}

/// The kind of a Terraform file, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Configuration(Syntax),
    Values(Syntax),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    Native,
    Json,
}

impl Form {
    pub fn from_path(path: &RepoPath) -> Option<Form> {
        let name = path.file_name();
        let (name, syntax) = match path.extension()? {
            "tf" | "tofu" | "tfvars" => (name, Syntax::Native),
            "json" => (name.strip_suffix(".json")?, Syntax::Json),
            _ => return None,
        };
        let form = match name.rsplit_once('.')?.1 {
            "tf" | "tofu" => Form::Configuration(syntax),
            "tfvars" => Form::Values(syntax),
            _ => return None,
        };
        (!is_hidden(path)).then_some(form)
    }
}

/// Reads files in parallel.
pub fn read_all(
    tree: &dyn Files,
    files: Vec<FileId>,
) -> Vec<(FileId, Result<syntax::Body, Finding>)> {
    let read = files
        .into_par_iter()
        .map(|file| (file, read_file(tree, file)));
    read.collect()
}

/// Reads a file according to its name.
pub fn read_file(files: &dyn Files, file: FileId) -> Result<syntax::Body, Finding> {
    let text = files.read_text(file)?;
    match Form::from_path(files.path(file)) {
        Some(Form::Configuration(Syntax::Json)) => syntax::json::parse(&text, file),
        Some(Form::Values(Syntax::Json)) => syntax::json::parse_values(&text, file),
        _ => syntax::parse(&text, file),
    }
}

impl Modules {
    /// Reads all modules of a repo. Without any, only file names are read.
    pub fn read(files: &dyn Files) -> Modules {
        let mut modules = Modules::default();
        let mut sources: Vec<FileId> = Vec::new();
        let mut terragrunt: Vec<FileId> = Vec::new();
        for file in files.below(&RepoPath::root()) {
            let path = files.path(file);
            match Form::from_path(path) {
                Some(Form::Configuration(_)) => sources.push(file),
                Some(Form::Values(_)) => modules.values.push(file),
                None if terragrunt::is_file(path) && !is_hidden(path) => terragrunt.push(file),
                None => {}
            }
        }
        let read = read_all(files, sources);
        // Override files change blocks of the others, whatever the order of names.
        let (overrides, plain): (Vec<_>, Vec<_>) = read
            .into_iter()
            .partition(|(file, _)| is_override(files.path(*file)));
        for (file, body) in plain.into_iter().chain(overrides) {
            let is_override = is_override(files.path(file));
            let directory = files.path(file).parent().unwrap_or_else(RepoPath::root);
            let module = modules.all.entry(directory.clone()).or_default();
            module.directory = Some(directory);
            module.files.insert(file);
            match body {
                Ok(body) => body.blocks.into_iter().for_each(|block| {
                    if is_override {
                        module.change(block)
                    } else {
                        module.take(block)
                    }
                }),
                Err(finding) => {
                    module.is_partial = true;
                    modules.findings.push(finding);
                }
            }
        }
        modules.terragrunt = terragrunt.first().copied();
        modules.run = terragrunt::run(files, terragrunt, &modules.all);
        modules
    }

    pub(crate) fn origin(&self, caller: &Module, call: &Block, files: &dyn Files) -> ModuleSource {
        let Some(source) = call.body.text("source") else {
            return ModuleSource::Unsaid;
        };
        if !source.starts_with("./")
            && !source.starts_with("../")
            && source != "."
            && source != ".."
        {
            return ModuleSource::Elsewhere;
        }
        let directory = caller.directory.clone().unwrap_or_else(RepoPath::root);
        let Some(target) = directory.join(source) else {
            return ModuleSource::Outside;
        };
        let real = files.resolve_dir(&target).unwrap_or(target);
        if self.all.contains_key(&real) {
            ModuleSource::Here(real)
        } else {
            ModuleSource::Nowhere(real)
        }
    }

    /// The module of this repo that a block calls.
    pub(crate) fn called(
        &self,
        caller: &Module,
        call: &Block,
        files: &dyn Files,
    ) -> Option<&Module> {
        match self.origin(caller, call, files) {
            ModuleSource::Here(directory) => self.all.get(&directory),
            _ => None,
        }
    }

    /// The root modules: those that no other module calls. Examples and tests are left out; so are collections of
    /// reusable modules and what Terragrunt files run, unless there is nothing else.
    pub fn roots(&self, files: &dyn Files) -> Vec<&Module> {
        let mut called: BTreeSet<RepoPath> = BTreeSet::new();
        for module in self.all.values().filter(|module| !module.is_shown()) {
            for call in module.calls.values() {
                if let ModuleSource::Here(directory) = self.origin(module, call, files)
                    && module.directory.as_ref() != Some(&directory)
                {
                    called.insert(directory);
                }
            }
        }
        let uncalled = self.all.iter().filter(|(directory, module)| {
            !called.contains(*directory) && !module.is_shown() && !module.is_empty()
        });
        let uncalled: Vec<&Module> = uncalled.map(|(_, module)| module).collect();
        let is_run = |module: &&&Module| {
            let directory = module.directory.as_ref();
            let by_terragrunt = directory.is_some_and(|at| self.run.contains(at));
            !by_terragrunt && !has_part(directory, &["modules"])
        };
        let roots: Vec<&Module> = uncalled.iter().filter(is_run).copied().collect();
        if roots.is_empty() { uncalled } else { roots }
    }
}

impl Module {
    fn take(&mut self, block: Block) {
        let labels = block.labels.clone();
        match (block.kind.as_str(), labels.as_slice()) {
            ("variable", [name]) => {
                self.variables.entry(name.clone()).or_insert(block);
            }
            ("output", [name]) => {
                self.outputs.entry(name.clone()).or_insert(block);
            }
            ("module", [name]) => {
                self.calls.entry(name.clone()).or_insert(block);
            }
            ("resource", [kind, name]) => {
                let key = (kind.clone(), name.clone());
                self.resources.entry(key).or_insert(block);
            }
            ("data", [kind, name]) => {
                self.data
                    .entry((kind.clone(), name.clone()))
                    .or_insert(block);
            }
            ("locals", _) => {
                for attribute in block.body.attributes {
                    let name = attribute.name.clone();
                    self.locals.entry(name).or_insert(attribute);
                }
            }
            ("provider", [name]) => {
                self.providers.insert(name.clone());
            }
            ("terraform", _) => {
                for required in block.body.blocks("required_providers") {
                    let named = required.body.attributes.iter();
                    self.providers
                        .extend(named.map(|provider| provider.name.clone()));
                }
                self.terraform.push(block);
            }
            _ => {}
        }
    }

    /// Applies a block of an override file.
    fn change(&mut self, block: Block) {
        if block.kind == "locals" {
            for attribute in block.body.attributes {
                self.locals.insert(attribute.name.clone(), attribute);
            }
            return;
        }
        let declared = match (block.kind.as_str(), block.labels.as_slice()) {
            ("variable", [name]) => self.variables.get_mut(name),
            ("output", [name]) => self.outputs.get_mut(name),
            ("module", [name]) => self.calls.get_mut(name),
            ("resource", [kind, name]) => self.resources.get_mut(&(kind.clone(), name.clone())),
            ("data", [kind, name]) => self.data.get_mut(&(kind.clone(), name.clone())),
            _ => None,
        };
        let Some(declared) = declared.map(|declared| &mut declared.body) else {
            return self.take(block);
        };
        for attribute in block.body.attributes {
            declared
                .attributes
                .retain(|other| other.name != attribute.name);
            declared.attributes.push(attribute);
        }
        let kinds: BTreeSet<&SmolStr> = block.body.blocks.iter().map(|one| &one.kind).collect();
        declared.blocks.retain(|other| !kinds.contains(&other.kind));
        declared.blocks.extend(block.body.blocks);
    }

    /// Whether it is an example or a test.
    fn is_shown(&self) -> bool {
        is_shown(self.directory.as_ref())
    }

    fn is_empty(&self) -> bool {
        self.variables.is_empty()
            && self.outputs.is_empty()
            && self.resources.is_empty()
            && self.calls.is_empty()
    }

    /// The required providers and their version constraints; empty if any version will do.
    pub fn provider_versions(&self) -> BTreeMap<SmolStr, SmolStr> {
        let mut versions = BTreeMap::new();
        for block in &self.terraform {
            for required in block.body.blocks("required_providers") {
                for provider in &required.body.attributes {
                    versions.insert(provider.name.clone(), version_of(&provider.value));
                }
            }
        }
        versions
    }

    /// Its first line.
    pub fn place(&self) -> Place {
        let first = self.files.first().copied().unwrap_or(FileId::NONE);
        Place::start_of(first)
    }
}

/// The version constraint of a provider, in either form.
fn version_of(value: &syntax::Expr) -> SmolStr {
    match &value.kind {
        ExprKind::Text(version) => version.clone(),
        ExprKind::Object(entries) => {
            let stated = entries
                .iter()
                .find_map(|(key, value)| match (&key.kind, &value.kind) {
                    (ExprKind::Text(key), ExprKind::Text(version)) if key == "version" => {
                        Some(version)
                    }
                    _ => None,
                });
            stated.cloned().unwrap_or_default()
        }
        _ => SmolStr::default(),
    }
}

/// Whether a directory contains examples or tests.
pub fn is_shown(directory: Option<&RepoPath>) -> bool {
    let parts = [
        "examples", "example", "test", "tests", "fixtures", "testdata",
    ];
    has_part(directory, &parts)
}

fn has_part(directory: Option<&RepoPath>, parts: &[&str]) -> bool {
    let path = directory.map(RepoPath::as_str).unwrap_or_default();
    path.split('/').any(|part| parts.contains(&part))
}

fn is_override(path: &RepoPath) -> bool {
    let name = path.file_name();
    let name = name.strip_suffix(".json").unwrap_or(name);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    stem == "override" || stem.ends_with("_override")
}

/// Whether a path belongs to a tool's own data.
pub fn is_hidden(path: &RepoPath) -> bool {
    let is_own = |part: &str| {
        matches!(
            part,
            ".terraform" | ".terragrunt-cache" | ".external_modules"
        )
    };
    path.as_str().split('/').any(is_own)
}

/// Collects every name that an expression refers to, with the accessors after it.
pub fn names<'e>(expr: &'e syntax::Expr, found: &mut Vec<(&'e str, &'e [syntax::Accessor])>) {
    use syntax::{Accessor, TemplatePart};
    fn parts<'e>(all: &'e [TemplatePart], found: &mut Vec<(&'e str, &'e [Accessor])>) {
        for part in all {
            match part {
                TemplatePart::Text(_) => {}
                TemplatePart::Value(value) => names(value, found),
                TemplatePart::If(condition, yes, no) => {
                    names(condition, found);
                    parts(yes, found);
                    parts(no, found);
                }
                TemplatePart::For(_, collection, body) => {
                    names(collection, found);
                    parts(body, found);
                }
            }
        }
    }
    match &expr.kind {
        ExprKind::Null | ExprKind::Bool(_) | ExprKind::Number(_) | ExprKind::Text(_) => {}
        ExprKind::List(items) | ExprKind::Call(_, items) | ExprKind::CallWith(_, items) => {
            items.iter().for_each(|item| names(item, found));
        }
        ExprKind::Object(entries) => entries.iter().for_each(|(key, value)| {
            names(key, found);
            names(value, found);
        }),
        ExprKind::Template(all) => parts(all, found),
        ExprKind::Name(name) => found.push((name, &[])),
        ExprKind::Get(of, steps) => {
            if let ExprKind::Name(name) = &of.kind {
                found.push((name, steps));
            } else {
                names(of, found);
            }
            for step in steps {
                if let Accessor::Index(index) = step {
                    names(index, found);
                }
            }
        }
        ExprKind::If(all) => all.iter().for_each(|one| names(one, found)),
        ExprKind::Not(one) | ExprKind::Minus(one) => names(one, found),
        ExprKind::Binary(_, both) => both.iter().for_each(|one| names(one, found)),
        ExprKind::For(it) => {
            names(&it.collection, found);
            it.key.iter().for_each(|key| names(key, found));
            names(&it.value, found);
            it.condition.iter().for_each(|one| names(one, found));
        }
    }
}
