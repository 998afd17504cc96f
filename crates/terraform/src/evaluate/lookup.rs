//! References: variables, locals, outputs of modules, and attributes of resources.

use smol_str::{SmolStr, format_smolstr};

use super::expression::bound;
use super::{Bindings, Instance, Instances, ModuleRun, ScopeId};
use crate::syntax::{Accessor, Block, Expr, ExprKind};
use crate::value::{HERE, HclData, HclValue};
use base::{Place, RepoPath};

impl<'m> ModuleRun<'m> {
    pub(crate) fn get(
        &mut self,
        scope: ScopeId,
        bindings: &Bindings,
        of: &Expr,
        steps: &[Accessor],
        place: Place,
    ) -> HclValue {
        let ExprKind::Name(name) = &of.kind else {
            let value = self.eval(scope, bindings, of);
            return self.walk(scope, bindings, value, steps, place);
        };
        if let Some(value) = bound(bindings, name) {
            let value = value.clone();
            return self.walk(scope, bindings, value, steps, place);
        }
        let first = match steps.first() {
            Some(Accessor::Name(first)) => first.as_str(),
            _ => return HclValue::unknown(place),
        };
        let rest = &steps[1..];
        let value = match (name.as_str(), first) {
            ("var", name) => self.variable(scope, name),
            ("local", name) => self.local(scope, name),
            ("path", which) => self.path(scope, which, place),
            ("module", name) => return self.of_module(scope, bindings, name, rest, place),
            ("terraform" | "each" | "count" | "self", _) => HclValue::unknown(place),
            ("data", kind) => {
                // The reference is incomplete: it names no data source.
                let Some((Accessor::Name(name), rest)) = rest.split_first() else {
                    return HclValue::unknown(place);
                };
                let key = (SmolStr::from(kind), name.clone());
                let block = self.module(scope).data.get(&key);
                return self.block_attribute(scope, bindings, block, rest, place);
            }
            (kind, name) => {
                let key = (SmolStr::from(kind), SmolStr::from(name));
                let block = self.module(scope).resources.get(&key);
                return self.block_attribute(scope, bindings, block, rest, place);
            }
        };
        self.walk(scope, bindings, value, rest, place)
    }

    /// The result of `try`: the first argument that does not fail. An unknown value may or may not fail; a missing
    /// attribute of a known map certainly does.
    pub(crate) fn eval_try(
        &mut self,
        scope: ScopeId,
        bindings: &Bindings,
        args: &[Expr],
        place: Place,
    ) -> HclValue {
        for arg in args {
            let value = self.eval(scope, bindings, arg);
            if !value.is_unknown() || !self.is_missing(scope, bindings, arg) {
                return value;
            }
        }
        HclValue::unknown(place)
    }

    fn is_missing(&mut self, scope: ScopeId, bindings: &Bindings, expr: &Expr) -> bool {
        let ExprKind::Get(of, steps) = &expr.kind else {
            return false;
        };
        let Some((Accessor::Name(last), before)) = steps.split_last() else {
            return false;
        };
        let whole = match before {
            [] => self.eval(scope, bindings, of),
            before => self.get(scope, bindings, of, before, expr.place),
        };
        let table = whole.table().filter(|_| !whole.is_secret);
        table.is_some_and(|table| table.entries.iter().all(|(name, _)| name != last))
    }

    fn path(&self, scope: ScopeId, which: &str, place: Place) -> HclValue {
        let module = match which {
            "module" => self.module(scope),
            "root" | "cwd" => self.module(self.root()),
            _ => return HclValue::unknown(place),
        };
        let directory = module.directory.as_ref().map(RepoPath::as_str);
        HclValue::text(format!("{HERE}{}", directory.unwrap_or_default()), place)
    }

    /// One instance of a block, and the remaining accessors.
    fn chosen<'s>(
        &mut self,
        scope: ScopeId,
        bindings: &Bindings,
        block: &'m Block,
        steps: &'s [Accessor],
    ) -> Option<(Instance, &'s [Accessor])> {
        match (self.instances(scope, block), steps.first()) {
            (Instances::One, _) => Some((Instance::default(), steps)),
            (Instances::Many(all), Some(Accessor::Index(index))) => {
                let key = self.eval(scope, bindings, index).as_text()?;
                let found = all.into_iter().find(|instance| instance.key == key)?;
                Some((found, &steps[1..]))
            }
            _ => None,
        }
    }

    fn of_module(
        &mut self,
        scope: ScopeId,
        bindings: &Bindings,
        name: &str,
        steps: &[Accessor],
        place: Place,
    ) -> HclValue {
        let Some(call) = self.module(scope).calls.get(name) else {
            return HclValue::unknown(place);
        };
        let Some((instance, rest)) = self.chosen(scope, bindings, call, steps) else {
            return HclValue::unknown(place);
        };
        let Some(Accessor::Name(output)) = rest.first() else {
            return HclValue::unknown(place);
        };
        let Some(child) = self.child(scope, name, &instance) else {
            return HclValue::unknown(place);
        };
        let value = self.output(child, output);
        self.walk(scope, bindings, value, &rest[1..], place)
    }

    /// An attribute that a block sets; attributes that a provider computes are unknown.
    fn block_attribute(
        &mut self,
        scope: ScopeId,
        bindings: &Bindings,
        block: Option<&'m Block>,
        steps: &[Accessor],
        place: Place,
    ) -> HclValue {
        let Some(block) = block else {
            return HclValue::unknown(place);
        };
        let Some((instance, rest)) = self.chosen(scope, bindings, block, steps) else {
            return HclValue::unknown(place);
        };
        let Some(Accessor::Name(attribute)) = rest.first() else {
            return HclValue::unknown(place);
        };
        if let Some(stated) = block.body.get(attribute) {
            let value = self.eval(scope, &instance.bindings, stated);
            let is_secret = is_of_secret(block, &value, rest);
            let value = value.with_secrecy(is_secret);
            return self.walk(scope, bindings, value, &rest[1..], place);
        }
        let kind = block
            .labels
            .first()
            .map(SmolStr::as_str)
            .unwrap_or_default();
        if let Some(found) = self.documents(scope, &instance, block, attribute, place) {
            return self.walk(scope, bindings, found, &rest[1..], place);
        }
        // The id of a namespace is its name.
        if attribute == "id" && kind.starts_with("kubernetes_namespace") {
            let metadata = block.body.blocks("metadata").next();
            let name = metadata.and_then(|metadata| metadata.body.get("name"));
            return match name {
                Some(name) => self.eval(scope, &instance.bindings, name),
                None => HclValue::unknown(place),
            };
        }
        let blocks: Vec<&Block> = block.body.blocks(attribute).collect();
        if blocks.is_empty() {
            return HclValue::unknown(place);
        }
        let maps = blocks
            .iter()
            .map(|inner| self.map_of(scope, &instance.bindings, &inner.body, inner.place));
        let maps = HclValue::list(maps.collect(), place);
        self.walk(scope, bindings, maps, &rest[1..], place)
    }

    /// Data sources that split manifests: one text per object.
    fn documents(
        &mut self,
        scope: ScopeId,
        instance: &Instance,
        block: &'m Block,
        attribute: &str,
        place: Place,
    ) -> Option<HclValue> {
        let kind = block.labels.first()?;
        if block.kind != "data" || block.body.get("vars").is_some() {
            return None;
        }
        let files = match kind.as_str() {
            "kubectl_path_documents" => {
                let pattern = block.body.get("pattern")?;
                let pattern = self.eval(scope, &instance.bindings, pattern);
                self.files_at(&pattern)?
            }
            "kubectl_file_documents" => {
                let content = block.body.get("content")?;
                match self.eval(scope, &instance.bindings, content).data {
                    HclData::File(file) => vec![file],
                    _ => return None,
                }
            }
            _ => return None,
        };
        let mut parts = Vec::new();
        for file in files {
            let path = self.documents.files().path(file);
            let objects = self.documents.objects(file).into_iter().enumerate();
            let found = objects.map(|(nth, object)| {
                let key = format_smolstr!("{path}/{nth}");
                (key, HclValue::new(HclData::Part(file, nth), object.place))
            });
            parts.extend(found);
        }
        match attribute {
            "documents" => {
                let parts = parts.into_iter().map(|(_, part)| part);
                Some(HclValue::list(parts.collect(), place))
            }
            "manifests" => Some(HclValue::map(parts, place)),
            _ => None,
        }
    }

    pub(super) fn walk(
        &mut self,
        scope: ScopeId,
        bindings: &Bindings,
        mut value: HclValue,
        steps: &[Accessor],
        place: Place,
    ) -> HclValue {
        for (at, step) in steps.iter().enumerate() {
            let mut is_secret = value.is_secret;
            let next = match step {
                Accessor::Name(name) => value.get(name).cloned(),
                Accessor::Index(index) => {
                    let index = self.eval(scope, bindings, index);
                    is_secret |= index.is_secret;
                    match (&value.data, index.as_number()) {
                        (HclData::List(items), Some(nth)) if nth >= 0.0 => {
                            items.get(nth as usize).cloned()
                        }
                        _ => index.as_text().and_then(|key| value.get(&key).cloned()),
                    }
                }
                Accessor::Each => {
                    let Some(items) = value.items().map(<[HclValue]>::to_vec) else {
                        return HclValue::unknown(place).with_secrecy(is_secret);
                    };
                    let rest = &steps[at + 1..];
                    let walked = items
                        .into_iter()
                        .map(|item| self.walk(scope, bindings, item, rest, place));
                    return HclValue::list(walked.collect(), place).with_secrecy(is_secret);
                }
            };
            value = next
                .unwrap_or_else(|| HclValue::unknown(place))
                .with_secrecy(is_secret);
        }
        value
    }
}

/// Whether an attribute of a resource is the content of a Secret, or has the name of one.
fn is_of_secret(block: &Block, value: &HclValue, steps: &[Accessor]) -> bool {
    let kind = block.labels.first().map_or("", SmolStr::as_str);
    let mut names = steps.iter().filter_map(|step| match step {
        Accessor::Name(name) => Some(name.as_str()),
        _ => None,
    });
    let is_named = match (names.clone().next(), value.as_text()) {
        (Some(name), Some(text)) => secret::is_secret_text(name, &text),
        _ => false,
    };
    let is_secret = kind.starts_with("kubernetes_secret")
        || value.table().is_some_and(|table| {
            let mut entries = table.entries.iter();
            entries.any(|(key, value)| {
                key == "kind" && value.as_text().is_some_and(|kind| kind == "Secret")
            })
        });
    let is_data =
        |name: &str| name.starts_with("data") || name.contains("Data") || name.contains("_data");
    is_named || is_secret && names.any(is_data)
}
