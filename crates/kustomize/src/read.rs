//! Reads `kustomization.yaml` into an `Assembly`, with what its comments say: entries that are commented out, and
//! headings above groups of entries. Documents in, an `Assembly` and findings out.

mod chart;
mod comments;
mod generator;
mod patch;
mod plugin;
mod replacement;
mod shape;

use std::sync::Arc;

use smol_str::SmolStr;

use crate::{
    Assembly, AssemblyKind, FieldSpec, Generator, KeyValue, LabelReach, LabelSet, Listed, Located,
    PatchBody, Plugin, ResourceId, Var, split_api_version,
};
use base::RepoPath;
use base::{Effect, FileId, Finding, Place};
use yaml::{Document, Node};

pub use chart::inflated;
pub use generator::literal;
pub use patch::{images, patches, replica};
pub use plugin::steps;
pub use replacement::replacements_in;

/// Names of the file, in kustomize's order of preference.
pub const FILE_NAMES: &[&str] = &["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Whether a file name is that of a kustomization.
pub fn is_kustomization(path: &RepoPath) -> bool {
    FILE_NAMES.contains(&path.file_name())
}

/// Parts of a kustomization that are read before its secrets are redacted.
#[derive(Debug, Default)]
pub struct Early {
    generators: Vec<Generator>,
    findings: Vec<Finding>,
}

/// Normalises a kustomization, and reads its generators.
pub fn read_early(documents: &mut [Document]) -> Early {
    let mut early = Early::default();
    let Some(document) = documents.iter_mut().find(|document| is_assembly(document)) else {
        return early;
    };
    let root = &mut document.root;
    shape::check(root, &mut early.findings);
    for (key, kind) in [
        ("configMapGenerator", "ConfigMap"),
        ("secretGenerator", "Secret"),
    ] {
        for node in root.items_at(key) {
            let generator = generator::generator(node, kind, &mut early.findings);
            early.generators.push(generator);
        }
    }
    early
}

/// Takes the kustomization out of the documents of its file. An empty file is one too, which kustomize rejects.
pub fn read(
    file: FileId,
    documents: &mut Vec<Document>,
    early: Early,
) -> (Option<Assembly>, Option<Finding>) {
    let Some(position) = documents.iter().position(is_assembly) else {
        let place = Place::start_of(file);
        let nothing = documents.is_empty().then(|| Assembly {
            findings: vec![empty(place)],
            place,
            ..Assembly::default()
        });
        return (nothing, None);
    };
    let document = documents.remove(position);
    let second = documents.iter().find(|document| is_assembly(document));
    let second = second.map(|second| {
        Finding::error(
            "kustomization-twice",
            second.root.place,
            "this is the second kustomization in one file, so kustomize rejects the file",
        )
        .help("move it to a directory of its own")
    });
    (Some(assembly(&document, early)), second)
}

/// A Flux Kustomization may be in a file of the same name; it is an object.
fn is_assembly(document: &Document) -> bool {
    let api = document.root.text_at(&["apiVersion"]);
    document.root.as_map().is_some()
        && api.is_none_or(|api| api.starts_with("kustomize.config.k8s.io/"))
}

fn assembly(document: &Document, early: Early) -> Assembly {
    let root = &document.root;
    let headings = comments::headings(document);
    let listed = |key: &str| listed(root, key, &headings);
    let mut assembly = Assembly {
        kind: match root.text_at(&["kind"]) {
            Some("Component") => AssemblyKind::Component,
            _ => AssemblyKind::Whole,
        },
        place: root.place,
        resources: both(listed("resources"), listed("bases")),
        components: listed("components"),
        configurations: listed("configurations"),
        definitions: listed("crds"),
        charts: chart::charts(root),
        chart_fields: chart::fields(root),
        disabled: comments::disabled(document, &headings),
        generators: early.generators,
        generator_options: generator::generator_options(root.get("generatorOptions")),
        namespace: root.get("namespace").and_then(located),
        name_prefix: text(root, "namePrefix"),
        name_suffix: text(root, "nameSuffix"),
        labels: labels(root),
        annotations: entries(root, "commonAnnotations"),
        patches: both(
            patches(root, "patchesStrategicMerge"),
            patches(root, "patches"),
        ),
        late_patches: patches(root, "patchesJson6902"),
        images: images(root),
        replicas: root.read_at("replicas", patch::replica),
        replacements: root.read_at("replacements", |node| Some(replacement::replacement(node))),
        vars: root.read_at("vars", var),
        generator_plugins: root.read_at("generators", plugin_entry),
        transformer_plugins: root.read_at("transformers", plugin_entry),
        validator_plugins: root.read_at("validators", plugin_entry),
        findings: early.findings,
    };
    assembly.findings.extend(faults(root));
    assembly.findings.extend(unsupported(root));
    assembly
}

/// Concatenates two lists, one of which is usually empty.
pub fn both<T>(mut first: Vec<T>, second: Vec<T>) -> Vec<T> {
    if first.is_empty() {
        return second;
    }
    first.extend(second);
    first
}

/// Faults beyond the types of fields: an empty kustomization, a wrong kind or apiVersion, and invalid entries.
fn faults(root: &Node) -> Vec<Finding> {
    let mut faults = Vec::new();
    let stated = |key: &str| {
        root.get(key).is_some_and(|node| {
            !node.is_null() && node.as_scalar().is_none_or(|text| !text.text.is_empty())
        })
    };
    let mut fields = root.entries().iter().map(|entry| entry.key.as_str());
    if fields.all(|key| matches!(key, "apiVersion" | "kind") || !stated(key)) {
        faults.push(empty(root.place));
    }
    check_kind(root, &mut faults);
    check_entries(root, &mut faults);
    if let Some(order) = root.at(&["sortOptions", "order"])
        && !matches!(order.text(), Some("legacy" | "fifo"))
    {
        faults.push(
            Finding::error(
                "kustomization-sort-order",
                order.place,
                "the order of `sortOptions` must be `legacy` or `fifo`; kustomize rejects any other",
            )
            .help("use `fifo` to keep the listed order, or `legacy` to sort by kind"),
        );
    }
    check_patches(root, &mut faults);
    faults
}

/// Checks that `kind` and `apiVersion` belong together.
fn check_kind(root: &Node, faults: &mut Vec<Finding>) {
    let kind = root.text_at(&["kind"]).unwrap_or("Kustomization");
    let version = match kind {
        "Kustomization" => Some("kustomize.config.k8s.io/v1beta1"),
        "Component" => Some("kustomize.config.k8s.io/v1alpha1"),
        _ => None,
    };
    match (version, root.get("apiVersion")) {
        (Some(version), Some(api)) if api.text().is_some_and(|api| api != version) => faults.push(
            Finding::error(
                "kustomization-version",
                api.place,
                format!("the apiVersion of a {kind} must be `{version}`; kustomize rejects any other"),
            )
            .help("correct it"),
        ),
        (None, _) => faults.push(
            Finding::error(
                "kustomization-kind",
                root.get("kind").unwrap_or(root).place,
                format!("the kind is `{kind}`, but kustomize accepts only `Kustomization` and `Component`"),
            )
            .help("correct it, or leave out both `kind` and `apiVersion`"),
        ),
        _ => {}
    }
}

/// Checks `resources` and its like for empty entries.
fn check_entries(root: &Node, faults: &mut Vec<Finding>) {
    for key in ["resources", "components", "bases"] {
        let entries = root.items_at(key).iter();
        faults.extend(
            entries
                .filter(|entry| entry.text().is_none() && entry.as_scalar().is_some())
                .map(|entry| {
                    Finding::error(
                        "kustomization-empty-entry",
                        entry.place,
                        format!("an entry of `{key}` is empty, so kustomize rejects the file"),
                    )
                    .help("name a file or a directory, or remove the entry")
                }),
        );
    }
}

/// Checks that each patch has either `patch` or `path`.
fn check_patches(root: &Node, faults: &mut Vec<Finding>) {
    for key in ["patches", "patchesJson6902"] {
        for node in root.items_at(key) {
            let what = match (node.text_at(&["path"]), node.text_at(&["patch"])) {
                (None, None) => "has neither `patch` nor `path`",
                (Some(_), Some(_)) => "has both `patch` and `path`",
                _ => continue,
            };
            faults.push(
                Finding::error(
                    "patch-invalid",
                    node.place,
                    format!("an entry of `{key}` {what}, so kustomize rejects it"),
                )
                .help("set exactly one of the two"),
            );
        }
    }
}

fn empty(place: base::Place) -> Finding {
    Finding::error(
        "kustomization-empty",
        place,
        "this kustomization is empty, so kustomize rejects it",
    )
    .help("list files under `resources`; to include nothing, write `resources: []`")
}

/// Reports unsupported fields, so that missing objects have an explanation.
fn unsupported(root: &Node) -> Vec<Finding> {
    const PARTS: &[(&str, &str)] = &[
        ("openapi", "a custom schema"),
        ("buildMetadata", "build annotations"),
    ];
    PARTS
        .iter()
        .filter_map(|(key, what)| {
            let entry = root.entries().iter().find(|entry| entry.key == *key)?;
            let empty = entry.value.items().is_empty() && entry.value.entries().is_empty();
            let message = format!(
                "`{key}` ({what}) is not supported; what it adds or changes is missing from the catalogue"
            );
            (!empty).then(|| {
                Finding::info("kustomize-unsupported", entry.key_place, message)
                    .help("no action needed, unless you want it in the catalogue")
                    .effect(Effect::Unsupported)
            })
        })
        .collect()
}

/// `labels` come first, so that `commonLabels` win.
fn labels(root: &Node) -> Vec<LabelSet> {
    let mut sets: Vec<LabelSet> = root.items_at("labels").iter().map(label_set).collect();
    if root.get("commonLabels").is_some() {
        sets.push(LabelSet {
            pairs: entries(root, "commonLabels"),
            reach: LabelReach::Everything,
            fields: Vec::new(),
        });
    }
    sets
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
        fields: node.items_at("fields").iter().map(field_spec).collect(),
    }
}

fn field_spec(node: &Node) -> FieldSpec {
    FieldSpec {
        group: text(node, "group"),
        version: text(node, "version"),
        kind: text(node, "kind"),
        path: text(node, "path"),
        create: node.get("create").and_then(Node::as_bool).unwrap_or(false),
    }
}

fn var(node: &Node) -> Option<Var> {
    let object = node.get("objref")?;
    let (group, version) = match object.text_at(&["apiVersion"]) {
        Some(api) => split_api_version(api),
        None => (
            object.text_at(&["group"]).unwrap_or_default(),
            object.text_at(&["version"]).unwrap_or_default(),
        ),
    };
    Some(Var {
        name: text(node, "name"),
        object: ResourceId {
            group: group.into(),
            version: version.into(),
            kind: text(object, "kind"),
            namespace: text(object, "namespace"),
            name: text(object, "name"),
        },
        field_path: match node.text_at(&["fieldref", "fieldpath"]) {
            Some(path) => path.into(),
            None => "metadata.name".into(),
        },
        place: node.place,
    })
}

/// A plugin entry: a path, or an inline object if it looks like one.
fn plugin_entry(node: &Node) -> Option<Plugin> {
    Some(Plugin {
        body: if node.text()?.contains(':') {
            PatchBody::Inline(Arc::new(node.clone()))
        } else {
            PatchBody::File(node.text()?.into())
        },
        place: node.place,
    })
}

fn listed(root: &Node, key: &str, headings: &comments::Headings) -> Vec<Listed> {
    root.read_at(key, |item| {
        Some(Listed {
            path: item.text()?.into(),
            place: item.place,
            heading: headings.above(item.place.line),
        })
    })
}

/// The scalar entries of the mapping under a key.
pub fn entries(node: &Node, key: &str) -> Vec<KeyValue> {
    let entries = node.entries_at(key);
    let mut all = Vec::with_capacity(entries.len());
    all.extend(entries.iter().filter_map(|entry| {
        let scalar = entry.value.as_scalar()?;
        Some(KeyValue {
            key: entry.key.clone(),
            value: if scalar.is_null() {
                SmolStr::default()
            } else {
                scalar.text.clone()
            },
            place: entry.value.place,
        })
    }));
    all
}

/// The text of a node, with its place.
pub fn located(node: &Node) -> Option<Located<SmolStr>> {
    Some(Located {
        value: node.text()?.into(),
        place: node.place,
    })
}

/// The text of a field; empty if it is not set.
pub fn text(node: &Node, key: &str) -> SmolStr {
    node.get(key)
        .and_then(Node::text)
        .map(SmolStr::from)
        .unwrap_or_default()
}

/// Whether an entry of `resources` or `components` is remote.
pub fn is_remote(path: &str) -> bool {
    let host = path.split('/').next().unwrap_or_default();
    path.contains("://")
        || path.starts_with("git@")
        || path.contains("?ref=")
        || ["github.com", "gitlab.com", "bitbucket.org"].contains(&host)
        || path.contains(".git//")
        || path.contains("//") && host.contains('.') && !host.starts_with('.')
}

/// Whether kustomize downloads a file that is named like this.
pub fn is_address(path: &str) -> bool {
    path.starts_with("https://") || path.starts_with("http://")
}

/// Parses the YAML in a scalar, such as an inline patch, and redacts its secrets.
pub fn read_inline(scalar: &Node) -> (Vec<Node>, Vec<Finding>) {
    let parsed = yaml::parse_within(scalar);
    let roots = parsed.documents.into_iter().map(|document| {
        let mut root = document.root;
        secret::seal(&mut root);
        root
    });
    (roots.collect(), parsed.findings)
}
