//! Evaluates variables, locals, outputs of modules and arguments of resources, each once. Steps, depth and sizes are
//! limited; beyond the limits, and where a provider decides, a value is unknown. Reads files through `Documents` only.

mod call;
mod dynamic;
mod expression;
mod kind;
mod lookup;

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use crate::document::Documents;
use crate::module::{Module, ModuleSource, Modules};
use crate::syntax::{Block, Body, ExprKind};
use crate::value::{HclData, HclValue, MAX_ITEMS};
use base::budget::Budget;
use base::hash::HashMap;
use base::{FileId, Place, RepoPath};

/// Maximum number of steps in a run.
const MAX_STEPS: u64 = 400_000;
/// Maximum nesting of expressions, including those of locals and modules.
const MAX_DEPTH: usize = 160;
/// Maximum nesting of modules.
pub const MAX_MODULES: usize = 12;
/// A block with more instances counts as one.
pub const MAX_INSTANCES: usize = 256;

/// A run of a root module, computed on demand.
pub struct ModuleRun<'m> {
    modules: &'m Modules,
    documents: &'m dyn Documents,
    /// Files that expressions refer to.
    named: BTreeSet<FileId>,
    scopes: Vec<ModuleScope<'m>>,
    steps: Budget,
    depth: usize,
}

/// A module as instantiated by one call.
struct ModuleScope<'m> {
    module: &'m Module,
    /// The call, and the scope it is in; `None` for the root.
    call: Option<(ScopeId, &'m Block, Bindings)>,
    /// Variables of the root that were set from outside.
    inputs: BTreeMap<SmolStr, HclValue>,
    /// Values by name; `None` while a value is being computed.
    known: HashMap<(NameTable, SmolStr), Option<HclValue>>,
    /// Modules it calls, by name and instance key.
    children: HashMap<(SmolStr, SmolStr), ScopeId>,
    depth: usize,
}

/// One instance of a module in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopeId(usize);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum NameTable {
    Variable,
    Local,
    Output,
}

/// Names that are bound locally: loop variables, `each` and `count`.
pub type Bindings = Vec<(SmolStr, HclValue)>;

/// One instance of a block.
#[derive(Debug, Clone, Default)]
pub struct Instance {
    /// Empty if the block has neither `count` nor `for_each`.
    pub key: SmolStr,
    pub bindings: Bindings,
}

/// The instances of a block.
#[derive(Debug)]
pub enum Instances {
    One,
    Many(Vec<Instance>),
    /// Their number is unknown or too large.
    Unknown,
}

impl<'m> ModuleRun<'m> {
    /// Starts a run of a root module with the defaults of its variables.
    pub fn new(
        modules: &'m Modules,
        documents: &'m dyn Documents,
        root: &'m Module,
    ) -> ModuleRun<'m> {
        let root = ModuleScope {
            module: root,
            call: None,
            inputs: BTreeMap::new(),
            known: HashMap::default(),
            children: HashMap::default(),
            depth: 0,
        };
        ModuleRun {
            modules,
            documents,
            named: BTreeSet::new(),
            scopes: vec![root],
            steps: Budget::new(MAX_STEPS),
            depth: 0,
        }
    }

    /// Sets variables of the root, from a `.tfvars` file; later values win.
    pub fn give(&mut self, values: &Body) {
        for attribute in &values.attributes {
            let value = self.eval(self.root(), &Vec::new(), &attribute.value);
            self.scopes[0].inputs.insert(attribute.name.clone(), value);
        }
    }

    /// The root module.
    pub fn root(&self) -> ScopeId {
        ScopeId(0)
    }

    /// The module of a scope.
    pub fn module(&self, scope: ScopeId) -> &'m Module {
        self.scopes[scope.0].module
    }

    /// Whether the step limit was reached.
    pub fn is_exhausted(&self) -> bool {
        self.steps.is_exceeded()
    }

    /// The module that a call instantiates, if it is in this repo and does not contain itself.
    pub fn child(&mut self, scope: ScopeId, name: &str, instance: &Instance) -> Option<ScopeId> {
        let key = (SmolStr::from(name), instance.key.clone());
        if let Some(child) = self.scopes[scope.0].children.get(&key) {
            return Some(*child);
        }
        let here = &self.scopes[scope.0];
        let call = here.module.calls.get(name)?;
        let ModuleSource::Here(directory) = self.origin(scope, call) else {
            return None;
        };
        if here.depth >= MAX_MODULES || self.is_above(scope, &directory) {
            return None;
        }
        let child = ModuleScope {
            module: self.modules.all.get(&directory)?,
            call: Some((scope, call, instance.bindings.clone())),
            inputs: BTreeMap::new(),
            known: HashMap::default(),
            children: HashMap::default(),
            depth: here.depth + 1,
        };
        let id = ScopeId(self.scopes.len());
        self.scopes.push(child);
        self.scopes[scope.0].children.insert(key, id);
        Some(id)
    }

    /// The location of a called module.
    pub fn origin(&self, scope: ScopeId, call: &Block) -> ModuleSource {
        let caller = self.module(scope);
        self.modules.origin(caller, call, self.documents.files())
    }

    /// Whether a call leads to a resource of a kind, in the module that it calls or in modules that this one calls.
    pub fn leads_to(&self, scope: ScopeId, call: &Block, is_meant: &dyn Fn(&str) -> bool) -> bool {
        let files = self.documents.files();
        let mut next: Vec<&Module> = Vec::new();
        next.extend(self.modules.called(self.module(scope), call, files));
        let mut seen: BTreeSet<&RepoPath> = BTreeSet::new();
        while let Some(module) = next.pop() {
            if !module.directory.as_ref().is_some_and(|at| seen.insert(at)) {
                continue;
            }
            if module.resources.keys().any(|(kind, _)| is_meant(kind)) {
                return true;
            }
            let calls = module.calls.values();
            next.extend(calls.filter_map(|call| self.modules.called(module, call, files)));
        }
        false
    }

    /// Files that expressions refer to.
    pub fn named_files(&self) -> &BTreeSet<FileId> {
        &self.named
    }

    /// Whether a directory is that of a module or of one of its callers.
    pub fn is_above(&self, scope: ScopeId, directory: &RepoPath) -> bool {
        let mut at = Some(scope);
        while let Some(here) = at {
            let here = &self.scopes[here.0];
            if here.module.directory.as_ref() == Some(directory) {
                return true;
            }
            at = here.call.as_ref().map(|(above, _, _)| *above);
        }
        false
    }

    /// The value of a variable.
    pub fn variable(&mut self, scope: ScopeId, name: &str) -> HclValue {
        self.once(scope, NameTable::Variable, name, |run, place| {
            let module = run.module(scope);
            let Some(block) = module.variables.get(name) else {
                return HclValue::unknown(place);
            };
            let given = match &run.scopes[scope.0].call {
                None => run.scopes[scope.0].inputs.get(name).cloned(),
                Some((above, call, bindings)) => {
                    let (above, bindings) = (*above, bindings.clone());
                    let given = call.body.get(name);
                    given.map(|expr| run.eval(above, &bindings, expr))
                }
            };
            let is_nullable = !matches!(
                block.body.get("nullable").map(|expr| &expr.kind),
                Some(ExprKind::Bool(false))
            );
            let given = given.filter(|value| is_nullable || !value.is_null());
            let value = match (given, block.body.get("default")) {
                (Some(value), _) => value,
                (None, Some(default)) => run.eval(scope, &Vec::new(), default),
                // It is set when Terraform runs.
                (None, None) => HclValue::unknown(block.place),
            };
            let value = match block.body.get("type") {
                Some(kind) => run.as_kind(scope, value, kind),
                None => value,
            };
            value.with_secrecy(block.is_secret())
        })
    }

    /// The value of an output.
    pub(super) fn output(&mut self, scope: ScopeId, name: &str) -> HclValue {
        self.once(scope, NameTable::Output, name, |run, place| {
            let module = run.module(scope);
            let Some(block) = module.outputs.get(name) else {
                return HclValue::unknown(place);
            };
            let value = match block.body.get("value") {
                Some(value) => run.eval(scope, &Vec::new(), value),
                None => HclValue::unknown(block.place),
            };
            value.with_secrecy(block.is_secret())
        })
    }

    pub(super) fn local(&mut self, scope: ScopeId, name: &str) -> HclValue {
        self.once(scope, NameTable::Local, name, |run, place| {
            match run.module(scope).locals.get(name) {
                Some(local) => {
                    let value = run.eval(scope, &Vec::new(), &local.value);
                    let is_secret = match value.as_text() {
                        Some(text) => secret::is_secret_text(name, &text),
                        None => secret::is_secret_name(name),
                    };
                    value.with_secrecy(is_secret)
                }
                None => HclValue::unknown(place),
            }
        })
    }

    fn once(
        &mut self,
        scope: ScopeId,
        table: NameTable,
        name: &str,
        compute: impl FnOnce(&mut Self, Place) -> HclValue,
    ) -> HclValue {
        let key = (table, SmolStr::from(name));
        let place = self.module(scope).place();
        match self.scopes[scope.0].known.get(&key) {
            Some(Some(value)) => return value.clone(),
            // It depends on itself.
            Some(None) => return HclValue::unknown(place),
            None => {}
        }
        self.scopes[scope.0].known.insert(key.clone(), None);
        let value = compute(self, place);
        self.scopes[scope.0].known.insert(key, Some(value.clone()));
        value
    }

    /// The instances of a block, by its `count` or `for_each`.
    pub fn instances(&mut self, scope: ScopeId, block: &'m Block) -> Instances {
        if let Some(count) = block.body.get("count") {
            let count = self.eval(scope, &Vec::new(), count).as_number();
            let Some(count) = count.filter(|count| (0.0..=MAX_INSTANCES as f64).contains(count))
            else {
                return Instances::Unknown;
            };
            let instances = (0..count as usize).map(|index| Instance {
                key: index.to_string().into(),
                bindings: vec![("count".into(), count_of(index, block.place))],
            });
            return Instances::Many(instances.collect());
        }
        let Some(each) = block.body.get("for_each") else {
            return Instances::One;
        };
        let each = self.eval(scope, &Vec::new(), each);
        let is_open = |value: &&HclValue| !value.is_secret;
        let elements = Some(&each).filter(is_open).and_then(elements);
        let Some(elements) = elements.filter(|all| all.len() <= MAX_INSTANCES) else {
            return Instances::Unknown;
        };
        let mut instances = Vec::new();
        for (key, value) in elements {
            // The elements of a set are their own keys.
            let Some(key) = (match &each.data {
                HclData::List(_) if value.is_secret => None,
                HclData::List(_) => value.set_key(),
                _ => Some(key),
            }) else {
                return Instances::Unknown;
            };
            let binding = HclValue::map(
                vec![
                    ("key".into(), HclValue::text(key.clone(), value.place)),
                    ("value".into(), value.clone()),
                ],
                value.place,
            );
            instances.push(Instance {
                key,
                bindings: vec![("each".into(), binding)],
            });
        }
        instances.dedup_by(|a, b| a.key == b.key);
        Instances::Many(instances)
    }

    /// An attribute of a block, if it is set.
    pub fn attribute(
        &mut self,
        scope: ScopeId,
        bindings: &Bindings,
        body: &Body,
        name: &str,
    ) -> Option<HclValue> {
        let expr = body.get(name)?;
        Some(self.eval(scope, bindings, expr))
    }

    /// The values that a call gives to the variables of its module.
    pub fn arguments(
        &mut self,
        scope: ScopeId,
        bindings: &Bindings,
        call: &Block,
    ) -> Vec<(SmolStr, HclValue)> {
        let given = call
            .body
            .attributes
            .iter()
            .filter(|attribute| !is_meta(&attribute.name));
        given
            .map(|attribute| {
                let value = self.eval(scope, bindings, &attribute.value);
                let is_secret = secret::is_secret_name(&attribute.name);
                (attribute.name.clone(), value.with_secrecy(is_secret))
            })
            .collect()
    }

    /// A block as a map of its attributes, with nested blocks as lists of maps.
    pub fn map_of(
        &mut self,
        scope: ScopeId,
        bindings: &Bindings,
        body: &Body,
        place: Place,
    ) -> HclValue {
        if self.depth >= MAX_DEPTH {
            return HclValue::unknown(place);
        }
        self.depth += 1;
        let mut entries: Vec<(SmolStr, HclValue)> = Vec::new();
        for attribute in &body.attributes {
            let value = self.eval(scope, bindings, &attribute.value);
            entries.push((attribute.name.clone(), value));
        }
        for block in &body.blocks {
            let (kind, value) = match (block.kind.as_str(), block.labels.first()) {
                // One block per element of its expression.
                ("dynamic", Some(kind)) => (kind, HclValue::unknown(block.place)),
                _ => (
                    &block.kind,
                    self.map_of(scope, bindings, &block.body, block.place),
                ),
            };
            match entries.iter_mut().find(|(name, _)| name == kind) {
                Some((_, list)) => {
                    let mut items = list.items().unwrap_or_default().to_vec();
                    items.push(value);
                    *list = HclValue::list(items, list.place);
                }
                None => entries.push((kind.clone(), HclValue::list(vec![value], block.place))),
            }
        }
        self.depth -= 1;
        HclValue::map(entries, place)
    }
}

/// Whether an argument of a call is a meta-argument, which the module does not get.
fn is_meta(name: &str) -> bool {
    matches!(
        name,
        "source" | "version" | "count" | "for_each" | "depends_on" | "providers"
    )
}

fn count_of(index: usize, place: Place) -> HclValue {
    let index = HclValue::new(HclData::Number(index as f64), place);
    HclValue::map(vec![("index".into(), index)], place)
}

/// The elements of a collection; `None` unless all are known.
pub fn elements(value: &HclValue) -> Option<Vec<(SmolStr, HclValue)>> {
    match &value.data {
        HclData::List(items) => {
            let items = items.iter().cloned().enumerate();
            Some(
                items
                    .map(|(at, item)| (at.to_string().into(), item))
                    .collect(),
            )
        }
        HclData::Map(table) => {
            // Sorted by key, as Terraform iterates maps.
            let mut entries = table.entries.clone();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Some(entries)
        }
        _ => None,
    }
    .filter(|all| all.len() <= MAX_ITEMS)
}
