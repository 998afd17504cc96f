//! Patches: selects the objects each applies to, and applies it. The documents of patches have been read before.

use std::sync::Arc;

use super::effort::Effort;
use super::index::ObjectIndex;
use super::item::{BuildObject, effective_namespace};
use super::select::Matcher;
use super::{json_patch, merge};
use crate::{Patch, PatchList, ResourceId, Selector};
use base::hash::HashSet;
use base::{Finding, Place};
use yaml::{Node, Scalar, Value};

/// Number of name comparisons that cost as much as writing a value.
const COMPARED: usize = 32;

/// Applies one patch to the objects it selects.
pub fn apply(
    items: &mut Vec<BuildObject>,
    patch: &Patch,
    documents: &[Arc<Node>],
    effort: &mut Effort,
    findings: &mut Vec<Finding>,
) {
    let mut run = PatchRun {
        patch,
        deleted: HashSet::default(),
        effort,
        findings,
    };
    match documents {
        [] => run.fault(
            "patch-invalid",
            patch.place,
            "the patch is empty, so kustomize rejects it",
            "add content, or remove it",
        ),
        [one]
            if one
                .as_seq()
                .is_some_and(|operations| !operations.is_empty()) =>
        {
            run.json(items, one);
        }
        [one] if one.as_seq().is_some() => run.fault(
            "patch-invalid",
            patch.place,
            "the patch has no operations, so kustomize rejects it",
            "add some, or remove it",
        ),
        _ => run.strategic(items, documents),
    }
    if !run.deleted.is_empty() {
        let deleted = run.deleted;
        let mut index = 0;
        items.retain(|_| {
            index += 1;
            !deleted.contains(&(index - 1))
        });
    }
}

struct PatchRun<'a> {
    patch: &'a Patch,
    deleted: HashSet<usize>,
    effort: &'a mut Effort,
    findings: &'a mut Vec<Finding>,
}

impl PatchRun<'_> {
    fn fault(&mut self, rule: &'static str, place: Place, what: impl Into<String>, help: &str) {
        self.findings
            .push(Finding::error(rule, place, what).help(help));
    }

    /// Counts work that is about to be done; false, and a finding, if it exceeds the limit.
    fn charge(&mut self, values: usize) -> bool {
        let is_allowed = self.effort.write(values).is_ok();
        if !is_allowed {
            self.findings
                .extend(self.effort.take_finding(self.patch.place));
        }
        is_allowed
    }

    fn selected(&mut self, items: &[BuildObject], selector: &Selector) -> Vec<usize> {
        match Matcher::new(selector) {
            Ok(matcher) => {
                let each = if matcher.has_expressions() {
                    1
                } else {
                    COMPARED
                };
                if !self.charge(items.len() / each) {
                    return Vec::new();
                }
                (0..items.len())
                    .filter(|index| matcher.selects(&items[*index]))
                    .collect()
            }
            Err(message) => {
                self.fault(
                    "patch-invalid",
                    self.patch.place,
                    format!("kustomize rejects the target: {message}"),
                    "correct the target",
                );
                Vec::new()
            }
        }
    }

    fn json(&mut self, items: &mut [BuildObject], document: &Node) {
        let Some(target) = &self.patch.target else {
            let what = "this JSON patch has no `target`, so kustomize rejects it";
            let help = "add a `target` with the kind and name of the object";
            return self.fault("patch-without-target", self.patch.place, what, help);
        };
        for index in self.selected(items, target) {
            if self.effort.is_exceeded() {
                break;
            }
            // Each object is copied, and grows with every earlier patch.
            if !self.charge(items[index].node.size()) {
                break;
            }
            let item = &mut items[index];
            item.remember();
            item.part();
            let mut node = (*item.node).clone();
            // kustomize keeps the earlier identity in annotations meanwhile, so their parent is there for any path.
            let place = node.place;
            let metadata = node.map_under("metadata");
            metadata.get_or_insert("annotations", || Node::map(place));
            match json_patch::apply(&mut node, document.items(), self.effort) {
                Ok(()) => {
                    // Only now are the paths that the operations wrote to known.
                    secret::seal(&mut node);
                    item.node = Arc::new(node);
                    item.refresh();
                }
                Err(message) => self.failed(&items[index].id.clone(), &message),
            }
        }
    }

    fn strategic(&mut self, items: &mut [BuildObject], documents: &[Arc<Node>]) {
        let nameless = |document: &&Arc<Node>| {
            document.text_at(&["kind"]).is_none()
                || document.text_at(&["metadata", "name"]).is_none()
        };
        if let Some(document) = documents.iter().find(nameless) {
            let what = "this patch has no `kind` or no `metadata.name`, which kustomize requires even if \
                        there is a `target`";
            let help = "add the missing field, or write a list of JSON operations";
            return self.fault("patch-invalid", document.place, what, help);
        }
        let Some(target) = &self.patch.target else {
            // For a few documents, scanning all objects is cheaper than an index.
            let index = (documents.len() > 4).then(|| ObjectIndex::new(items));
            for document in documents {
                match self.patch.list {
                    PatchList::Patches => self.by_identity(items, index.as_ref(), document),
                    PatchList::StrategicMerge => {
                        self.by_identity(items, index.as_ref(), &with_texts(document));
                    }
                }
            }
            return;
        };
        if documents.len() > 1 {
            let what =
                "an entry with several patches cannot have a `target`, so kustomize rejects it";
            self.fault(
                "patch-invalid",
                self.patch.place,
                what,
                "write a separate entry for each patch",
            );
        }
        for document in documents {
            let document = with_texts(document);
            for index in self.selected(items, target) {
                self.merge(items, index, &document);
            }
        }
    }

    fn by_identity(
        &mut self,
        items: &mut [BuildObject],
        index: Option<&ObjectIndex>,
        document: &Node,
    ) {
        let id = identity(document);
        let fits = |item: &BuildObject| item.identities().any(|other| same_object(other, &id));
        if index.is_none() && !self.charge(items.len() / COMPARED) {
            return;
        }
        let mut found = match index {
            Some(index) => index.find(items, &id),
            None => (0..items.len()).filter(|at| fits(&items[*at])).collect(),
        };
        found.retain(|position| !self.deleted.contains(position));
        match found.as_slice() {
            [index] => self.merge(items, *index, document),
            [] => self.fault(
                "patch-without-object",
                document.place,
                format!("the patch is for {id}, which this kustomization does not include, so the kustomize \
                         build fails"),
                "include the object, or correct the patch's apiVersion, kind, name or namespace",
            ),
            _ => self.fault(
                "patch-ambiguous",
                document.place,
                format!("the patch is for {id}, which matches several objects (by current or previous \
                         name), so the kustomize build fails"),
                "give the patch a `target`",
            ),
        }
    }

    fn merge(&mut self, items: &mut [BuildObject], index: usize, document: &Node) {
        if !self.charge(document.size()) {
            return;
        }
        let item = &mut items[index];
        let before = item.id.clone();
        if self.patch.allow_name_change || self.patch.allow_kind_change {
            item.remember();
        }
        match merge::merge(item.node_mut(), document) {
            Ok(merge::Outcome::Deleted) => drop(self.deleted.insert(index)),
            Ok(merge::Outcome::Merged) => keep_identity(item, self.patch, &before),
            Err(message) => {
                keep_identity(item, self.patch, &before);
                self.failed(&before, &message);
            }
        }
    }

    fn failed(&mut self, id: &ResourceId, message: &str) {
        if self.effort.is_exceeded() {
            return self
                .findings
                .extend(self.effort.take_finding(self.patch.place));
        }
        let what = format!("kustomize cannot apply this patch to {id}: {message}");
        self.fault("patch-failed", self.patch.place, what, "correct the patch");
    }
}

fn identity(document: &Node) -> ResourceId {
    // A patch without apiVersion matches no object.
    let kind = document.text_at(&["kind"]).unwrap_or_default();
    let metadata = |key| {
        document
            .text_at(&["metadata", key])
            .unwrap_or_default()
            .into()
    };
    ResourceId::from_node(document).unwrap_or_else(|| ResourceId {
        kind: kind.into(),
        name: metadata("name"),
        namespace: metadata("namespace"),
        ..ResourceId::default()
    })
}

/// Labels and annotations of a patch with a target, or of a deprecated list, as strings: even nulls, which would
/// otherwise delete.
fn with_texts(document: &Arc<Node>) -> Arc<Node> {
    let parts = ["labels", "annotations"];
    let stated = |key: &&str| document.at(&["metadata", key]).is_some();
    if !parts.iter().any(stated) {
        return document.clone();
    }
    let mut document = (**document).clone();
    let metadata = document.map_under("metadata");
    for key in parts {
        let Some(node) = metadata.get_mut(key) else {
            continue;
        };
        if node.is_null() || node.as_map().is_some_and(|map| map.is_empty()) {
            metadata.remove(key);
            continue;
        }
        let entries = node.as_map_mut().map(|map| map.0.iter_mut());
        for entry in entries.into_iter().flatten() {
            let text = entry.value.as_scalar().map(|scalar| scalar.text.clone());
            entry.value.value = Value::Scalar(Scalar::written(text.unwrap_or_default()));
        }
    }
    Arc::new(document)
}

/// Restores name and kind, which only select the object unless an option lets a patch change them.
fn keep_identity(item: &mut BuildObject, patch: &Patch, before: &ResourceId) {
    let place = item.place;
    let Value::Map(root) = &mut item.node_mut().value else {
        return;
    };
    let api_version = if before.group.is_empty() {
        before.version.to_string()
    } else {
        format!("{}/{}", before.group, before.version)
    };
    keep(root, "apiVersion", &api_version, place);
    if !patch.allow_kind_change {
        keep(root, "kind", &before.kind, place);
    }
    let metadata = item.node_mut().map_under("metadata");
    if !patch.allow_name_change {
        keep(metadata, "name", &before.name, place);
    }
    if before.namespace.is_empty() {
        drop(metadata.remove("namespace"))
    } else {
        keep(metadata, "namespace", &before.namespace, place)
    }
    item.refresh();
}

fn keep(map: &mut yaml::Map, key: &str, text: &str, place: Place) {
    if map.get(key).and_then(Node::text) != Some(text) {
        map.set(key, Node::string(text, place));
    }
}

/// Whether two identities denote the same object; an empty namespace is `default`.
pub fn same_object(a: &ResourceId, b: &ResourceId) -> bool {
    a.kind == b.kind
        && a.group == b.group
        && a.version == b.version
        && a.name == b.name
        && effective_namespace(a) == effective_namespace(b)
}
