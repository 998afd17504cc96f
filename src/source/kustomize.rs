//! kustomize's `kustomization.yaml`: what a directory includes and how it changes it. Also what
//! is only said in its comments: entries that are switched off, and headings over parts of a list.

mod comments;

use std::sync::Arc;

use smol_str::SmolStr;

use super::secret::is_secret_value;
use super::{Source, SourceFile};
use crate::diagnostic::{Finding, Place};
use crate::fact::{
    Assembly, AssemblyKind, Behavior, Entry, FieldOptions, FileFacts, Generator, GeneratorOptions,
    Image, LabelField, LabelReach, LabelSet, Listed, Literal, Located, MARKER, Patch, PatchBody,
    Replacement, ReplacementSource, ReplacementTarget, Replica, Sealed, Selector,
};
use crate::repo::RepoPath;
use crate::yaml::{Document, Node};

pub struct Kustomize;

/// The names by which kustomize finds the file, in its order.
pub const FILE_NAMES: &[&str] = &["kustomization.yaml", "kustomization.yml", "Kustomization"];

pub fn is_kustomization(path: &RepoPath) -> bool {
    FILE_NAMES.contains(&path.file_name())
}

impl Source for Kustomize {
    fn name(&self) -> &'static str {
        "kustomize"
    }

    fn read(&self, file: &mut SourceFile<'_>, facts: &mut FileFacts) {
        if !is_kustomization(file.path) {
            return;
        }
        let Some(position) = file.documents.iter().position(is_assembly) else {
            return;
        };
        let document = file.documents.remove(position);
        if let Some(extra) = file.documents.iter().find(|document| is_assembly(document)) {
            facts.findings.push(
                Finding::error(
                    "kustomization-twice",
                    extra.root.place,
                    "a second kustomization in one file: kustomize refuses it",
                )
                .help("move it into a directory of its own"),
            );
        }
        facts.assembly = Some(Arc::new(assembly(&document)));
    }
}

/// A Flux Kustomization may have the same file name; it is an object, not an assembly.
fn is_assembly(document: &Document) -> bool {
    let api = document.root.text_at(&["apiVersion"]);
    document.root.as_map().is_some()
        && api.is_none_or(|api| api.starts_with("kustomize.config.k8s.io/"))
}

fn assembly(document: &Document) -> Assembly {
    let root = &document.root;
    let mut assembly = Assembly {
        kind: match root.text_at(&["kind"]) {
            Some("Component") => AssemblyKind::Component,
            _ => AssemblyKind::Whole,
        },
        place: root.place,
        namespace: root.get("namespace").and_then(located),
        name_prefix: text(root, "namePrefix"),
        name_suffix: text(root, "nameSuffix"),
        annotations: entries(root, "commonAnnotations"),
        generator_options: generator_options(root.get("generatorOptions")),
        ..Assembly::default()
    };
    let headings = comments::headings(document);
    for key in ["resources", "bases"] {
        assembly.resources.extend(listed(root, key, &headings));
    }
    assembly.components = listed(root, "components", &headings);
    assembly.configurations = listed(root, "configurations", &headings);
    assembly.disabled = comments::disabled(document, &headings);
    for (key, kind) in [
        ("configMapGenerator", "ConfigMap"),
        ("secretGenerator", "Secret"),
    ] {
        for node in root.items_at(key) {
            assembly.generators.push(generator(node, kind));
        }
    }
    if root.get("commonLabels").is_some() {
        assembly.labels.push(LabelSet {
            pairs: entries(root, "commonLabels"),
            reach: LabelReach::Selectors,
            fields: Vec::new(),
        });
    }
    assembly
        .labels
        .extend(root.items_at("labels").iter().map(label_set));
    assembly.patches = patches(root, "patchesStrategicMerge");
    assembly.patches.extend(patches(root, "patches"));
    assembly.late_patches = patches(root, "patchesJson6902");
    assembly.images = images(root);
    assembly.replicas = root
        .items_at("replicas")
        .iter()
        .filter_map(replica)
        .collect();
    assembly.replacements = root
        .items_at("replacements")
        .iter()
        .map(replacement)
        .collect();
    assembly.findings = unsupported(root);
    assembly
}

/// What cannot be composed here is said, so that what is missing from a page has a reason.
fn unsupported(root: &Node) -> Vec<Finding> {
    const PARTS: &[(&str, &str)] = &[
        ("generators", "generator plugins"),
        ("transformers", "transformer plugins"),
        ("validators", "validator plugins"),
        ("helmCharts", "charts inflated by kustomize"),
        (
            "helmChartInflationGenerator",
            "charts inflated by kustomize",
        ),
        ("vars", "variables by `vars`"),
        ("crds", "reference fields from `crds`"),
        ("openapi", "a schema of its own"),
    ];
    PARTS
        .iter()
        .filter_map(|(key, what)| {
            let entry = root.entries().iter().find(|entry| entry.key == *key)?;
            let empty = entry.value.items().is_empty() && entry.value.entries().is_empty();
            (!empty).then(|| {
                Finding::warning(
                    "kustomize-unsupported",
                    entry.key_place,
                    format!(
                        "`{key}` ({what}) is not followed; what it adds or changes is missing here"
                    ),
                )
            })
        })
        .collect()
}

/// The patches under a key, in the forms that kustomize and Flux share.
pub fn patches(root: &Node, key: &str) -> Vec<Patch> {
    root.items_at(key).iter().filter_map(patch).collect()
}

fn patch(node: &Node) -> Option<Patch> {
    if node.as_scalar().is_some() {
        return Some(Patch {
            body: scalar_patch(node)?,
            target: None,
            place: node.place,
            allow_name_change: false,
            allow_kind_change: false,
        });
    }
    let option = |key: &str| {
        node.at(&["options", key])
            .and_then(Node::as_bool)
            .unwrap_or(false)
    };
    let body = match (node.text_at(&["path"]), node.get("patch")) {
        (Some(path), _) => PatchBody::File(path.into()),
        (None, Some(patch)) => PatchBody::Inline(Arc::new(patch.clone())),
        (None, None) => return None,
    };
    Some(Patch {
        body,
        target: node.get("target").map(selector),
        place: node.place,
        allow_name_change: option("allowNameChange"),
        allow_kind_change: option("allowKindChange"),
    })
}

/// An entry of `patchesStrategicMerge` is a file name or, when it has the look of one, a patch.
fn scalar_patch(node: &Node) -> Option<PatchBody> {
    let text = node.text()?;
    Some(match text.contains('\n') || text.contains(": ") {
        true => PatchBody::Inline(Arc::new(node.clone())),
        false => PatchBody::File(text.into()),
    })
}

fn selector(node: &Node) -> Selector {
    Selector {
        group: text(node, "group"),
        version: text(node, "version"),
        kind: text(node, "kind"),
        namespace: text(node, "namespace"),
        name: text(node, "name"),
        labels: text(node, "labelSelector"),
        annotations: text(node, "annotationSelector"),
    }
}

pub fn images(root: &Node) -> Vec<Image> {
    let image = |node: &Node| Image {
        name: text(node, "name"),
        new_name: text(node, "newName"),
        new_tag: text(node, "newTag"),
        tag_suffix: text(node, "tagSuffix"),
        digest: text(node, "digest"),
        place: node.place,
    };
    root.items_at("images").iter().map(image).collect()
}

fn replica(node: &Node) -> Option<Replica> {
    Some(Replica {
        name: node.text_at(&["name"])?.into(),
        count: node.text_at(&["count"])?.into(),
        place: node.get("count")?.place,
    })
}

fn label_set(node: &Node) -> LabelSet {
    let flag = |key: &str| node.get(key).and_then(Node::as_bool).unwrap_or(false);
    LabelSet {
        pairs: entries(node, "pairs"),
        reach: match (flag("includeSelectors"), flag("includeTemplates")) {
            (true, _) => LabelReach::Selectors,
            (false, true) => LabelReach::Templates,
            (false, false) => LabelReach::Metadata,
        },
        fields: node
            .items_at("fields")
            .iter()
            .map(|field| LabelField {
                kind: text(field, "kind"),
                path: text(field, "path"),
                create: field.get("create").and_then(Node::as_bool).unwrap_or(false),
            })
            .collect(),
    }
}

fn generator(node: &Node, kind: &str) -> Generator {
    let scalars = |key: &str| -> Vec<(SmolStr, Place)> {
        let items = node.items_at(key).iter();
        items
            .filter_map(|item| Some((item.text()?.into(), item.place)))
            .collect()
    };
    let file = |(text, place): (SmolStr, _)| {
        let (key, value) = text.split_once('=').unwrap_or(("", &text));
        Entry {
            key: key.into(),
            value: value.into(),
            place,
        }
    };
    let mut envs = scalars("envs");
    envs.extend(
        node.get("env")
            .and_then(|env| Some((env.text()?.into(), env.place))),
    );
    let literals = scalars("literals").into_iter().filter_map(|(text, place)| {
        let (key, value) = text.split_once('=')?;
        Some(literal(kind, key, unquoted(value).as_bytes(), place))
    });
    Generator {
        kind: kind.into(),
        name: text(node, "name"),
        namespace: text(node, "namespace"),
        secret_type: text(node, "type"),
        behavior: match node.text_at(&["behavior"]) {
            Some("merge") => Behavior::Merge,
            Some("replace") => Behavior::Replace,
            _ => Behavior::Create,
        },
        literals: literals.collect(),
        files: scalars("files").into_iter().map(file).collect(),
        envs: envs
            .into_iter()
            .map(|(value, place)| Entry {
                key: SmolStr::default(),
                value,
                place,
            })
            .collect(),
        options: generator_options(node.get("options")),
        place: node.place,
    }
}

/// A key and value of a generated object; the value is sealed where it is secret.
pub fn literal(kind: &str, key: &str, value: &[u8], place: Place) -> Literal {
    let text = String::from_utf8_lossy(value);
    let secret = kind == "Secret" || is_secret_value(key, &text);
    Literal {
        key: key.into(),
        value: if secret { MARKER.into() } else { text.into() },
        sealed: secret.then(|| Sealed::new(value)),
        place,
    }
}

fn unquoted(value: &str) -> &str {
    ['"', '\'']
        .iter()
        .find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(value)
}

fn generator_options(node: Option<&Node>) -> GeneratorOptions {
    let Some(node) = node else {
        return GeneratorOptions::default();
    };
    GeneratorOptions {
        labels: entries(node, "labels"),
        annotations: entries(node, "annotations"),
        disable_hash: node.get("disableNameSuffixHash").and_then(Node::as_bool),
        immutable: node.get("immutable").and_then(Node::as_bool),
    }
}

/// Replacements stated in place; a file of them is read by whoever follows it.
pub fn replacement(node: &Node) -> Replacement {
    let options = |node: Option<&Node>| {
        node.map_or_else(FieldOptions::default, |node| FieldOptions {
            delimiter: node
                .get("delimiter")
                .and_then(Node::as_scalar)
                .map(|scalar| scalar.text.clone())
                .unwrap_or_default(),
            index: node
                .text_at(&["index"])
                .and_then(|text| text.parse().ok())
                .unwrap_or(0),
            create: node.get("create").and_then(Node::as_bool).unwrap_or(false),
        })
    };
    let source = node.get("source").map(|source| ReplacementSource {
        selector: selector(source),
        field_path: text(source, "fieldPath"),
        value: None,
        options: options(source.get("options")),
    });
    let value = node.get("sourceValue").and_then(Node::as_scalar);
    let source = source.or_else(|| {
        value.map(|value| ReplacementSource {
            selector: Selector::default(),
            field_path: SmolStr::default(),
            value: Some(value.text.clone()),
            options: FieldOptions::default(),
        })
    });
    let targets = node
        .items_at("targets")
        .iter()
        .map(|target| ReplacementTarget {
            select: target.get("select").map(selector).unwrap_or_default(),
            reject: target.items_at("reject").iter().map(selector).collect(),
            field_paths: target
                .items_at("fieldPaths")
                .iter()
                .filter_map(|path| path.text().map(SmolStr::from))
                .collect(),
            options: options(target.get("options")),
            place: target.place,
        });
    Replacement {
        file: node.text_at(&["path"]).map(SmolStr::from),
        source,
        targets: targets.collect(),
        place: node.place,
    }
}

fn listed(root: &Node, key: &str, headings: &comments::Headings) -> Vec<Listed> {
    let items = root.items_at(key).iter();
    items
        .filter_map(|item| {
            Some(Listed {
                path: item.text()?.into(),
                place: item.place,
                heading: headings.above(item.place.line),
            })
        })
        .collect()
}

/// The scalar entries of the mapping under a key.
pub fn entries(node: &Node, key: &str) -> Vec<Entry> {
    let entries = node.entries_at(key).iter();
    entries
        .filter_map(|entry| {
            Some(Entry {
                key: entry.key.clone(),
                value: entry.value.as_scalar()?.text.clone(),
                place: entry.value.place,
            })
        })
        .collect()
}

pub fn located(node: &Node) -> Option<Located<SmolStr>> {
    Some(Located {
        value: node.text()?.into(),
        place: node.place,
    })
}

pub fn text(node: &Node, key: &str) -> SmolStr {
    node.get(key)
        .and_then(Node::text)
        .map(SmolStr::from)
        .unwrap_or_default()
}

/// Whether an entry of `resources` or `components` names something outside the repo.
pub fn is_remote(path: &str) -> bool {
    let host = path.split('/').next().unwrap_or_default();
    path.contains("://")
        || path.starts_with("git@")
        || path.contains("?ref=")
        || ["github.com", "gitlab.com", "bitbucket.org"].contains(&host)
        || path.contains(".git//")
        || path.contains("//") && host.contains('.') && !host.starts_with('.')
}

/// The documents of a replacements file, which may hold one or a list.
pub fn replacements_in(documents: &[Arc<Node>]) -> Vec<Replacement> {
    let each = documents.iter().flat_map(|root| match root.as_seq() {
        Some(items) => items.iter().map(replacement).collect::<Vec<_>>(),
        None => vec![replacement(root)],
    });
    each.collect()
}
