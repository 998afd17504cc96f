//! Tables of the fields that contain labels, annotations and names of other objects: kustomize's own, and those that
//! `configurations` files add.

mod builtin;
mod reference;

use smol_str::SmolStr;

use super::field::{Create, ObjectField, Segment};
use crate::ResourceId;
use base::{Finding, Place};
use yaml::Node;

pub use builtin::{
    ANNOTATIONS, IMAGES, LABELS, METADATA_LABELS, NAMES, NAMESPACES, REPLICAS, TEMPLATE_LABELS,
    VARIABLES,
};
pub use reference::REFERENCES;

/// Fields beyond the built-in ones, from `configurations` files.
#[derive(Debug, Clone, Default)]
pub struct Extra {
    pub references: Vec<Referral>,
    pub prefixes: Vec<ObjectField>,
    pub suffixes: Vec<ObjectField>,
    pub labels: Vec<ObjectField>,
    /// For `labels` only, whatever they include.
    pub plain_labels: Vec<ObjectField>,
    pub template_labels: Vec<ObjectField>,
    pub annotations: Vec<ObjectField>,
    pub namespaces: Vec<ObjectField>,
    pub images: Vec<ObjectField>,
    pub replicas: Vec<ObjectField>,
    pub variables: Vec<ObjectField>,
}

/// A kind, and the fields that name its objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Referral {
    pub group: SmolStr,
    pub version: SmolStr,
    pub kind: SmolStr,
    pub fields: Vec<ObjectField>,
}

impl Referral {
    pub fn is_to(&self, id: &ResourceId) -> bool {
        (self.kind.is_empty() || self.kind == id.kind)
            && (self.group.is_empty() || self.group == id.group)
            && (self.version.is_empty() || self.version == id.version)
    }
}

impl Extra {
    /// Adds the fields of a `configurations` file.
    pub fn read(&mut self, root: &Node, findings: &mut Vec<Finding>) {
        for entry in root.entries() {
            let (known, fields): (&[ObjectField], &mut Vec<ObjectField>) =
                match entry.key.to_ascii_lowercase().as_str() {
                    "nameprefix" => (&NAMES, &mut self.prefixes),
                    "namesuffix" => (&NAMES, &mut self.suffixes),
                    "namespace" => (&NAMESPACES, &mut self.namespaces),
                    "commonlabels" => (&LABELS, &mut self.labels),
                    "labels" => (&[], &mut self.plain_labels),
                    "templatelabels" => (&TEMPLATE_LABELS, &mut self.template_labels),
                    "commonannotations" => (&ANNOTATIONS, &mut self.annotations),
                    "varreference" => (&VARIABLES, &mut self.variables),
                    "images" => (&IMAGES, &mut self.images),
                    "replicas" => (&REPLICAS, &mut self.replicas),
                    "namereference" => {
                        for node in entry.value.items() {
                            let keys = &["group", "version", "kind", "fieldSpecs"];
                            findings.extend(unknown(node, keys));
                            for field in node.items_at("fieldSpecs") {
                                findings.extend(unknown(field, FIELD));
                            }
                            self.references.push(referral(node));
                        }
                        continue;
                    }
                    _ => {
                        findings.push(unknown_field(&entry.key, entry.key_place));
                        continue;
                    }
                };
            for node in entry.value.items() {
                findings.extend(unknown(node, FIELD));
                let field = ObjectField::read(node);
                let conflicts =
                    |other: &ObjectField| other.create != field.create && other.is_at(&field);
                if known.iter().chain(fields.iter()).any(conflicts) {
                    findings.push(conflict(node))
                } else {
                    fields.push(field)
                }
            }
        }
    }

    /// Adds the fields of an included directory, which may be included twice.
    pub fn extend(&mut self, other: &Extra) {
        merge(&mut self.references, &other.references);
        merge(&mut self.prefixes, &other.prefixes);
        merge(&mut self.suffixes, &other.suffixes);
        merge(&mut self.labels, &other.labels);
        merge(&mut self.plain_labels, &other.plain_labels);
        merge(&mut self.template_labels, &other.template_labels);
        merge(&mut self.annotations, &other.annotations);
        merge(&mut self.namespaces, &other.namespaces);
        merge(&mut self.images, &other.images);
        merge(&mut self.replicas, &other.replicas);
        merge(&mut self.variables, &other.variables);
    }
}

const FIELD: &[&str] = &["group", "version", "kind", "path", "create"];

/// Entries of a mapping that kustomize does not know.
fn unknown<'a>(node: &'a Node, known: &'a [&str]) -> impl Iterator<Item = Finding> + use<'a> {
    let entries = node.entries().iter();
    entries
        .filter(|entry| !known.iter().any(|key| key.eq_ignore_ascii_case(&entry.key)))
        .map(|entry| unknown_field(&entry.key, entry.key_place))
}

fn unknown_field(key: &str, place: Place) -> Finding {
    Finding::error(
        "configuration-unknown-field",
        place,
        format!(
            "`{key}` is not a field of a transformer configuration, so kustomize rejects the file"
        ),
    )
    .help("correct the name; fields are, for example, `nameReference` and `commonLabels`")
}

fn conflict(node: &Node) -> Finding {
    Finding::error(
        "configuration-conflict",
        node.place,
        "this field is already configured with a different `create`, so the kustomize build fails",
    )
    .help("remove the entry, or give it the same `create`")
}

fn merge<T: Clone + PartialEq>(into: &mut Vec<T>, from: &[T]) {
    for one in from {
        if !into.contains(one) {
            into.push(one.clone());
        }
    }
}

fn referral(node: &Node) -> Referral {
    let text = |key: &str| node.text_at(&[key]).unwrap_or_default().into();
    Referral {
        group: text("group"),
        version: text("version"),
        kind: text("kind"),
        fields: node
            .items_at("fieldSpecs")
            .iter()
            .map(ObjectField::read)
            .collect(),
    }
}

/// Adds the fields that the definitions in a `crds` file mark as references.
pub fn read_definitions(root: &Node, extra: &mut Extra) {
    for entry in root.entries() {
        let properties = entry.value.at(&["Schema", "properties"]);
        let is_object = |key| properties.is_some_and(|properties| properties.get(key).is_some());
        if ["kind", "apiVersion", "metadata"]
            .into_iter()
            .all(is_object)
        {
            let kind = entry.key.rsplit('.').next().unwrap_or_default();
            definition(root, &entry.key, kind, &mut Vec::new(), extra);
        }
    }
}

fn definition(root: &Node, name: &str, kind: &str, path: &mut Vec<SmolStr>, extra: &mut Extra) {
    const MAX_DEPTH: usize = 20;
    let Some(properties) = root.at(&[name, "Schema", "properties"]) else {
        return;
    };
    for entry in properties.entries() {
        let mark = |mark: &str| {
            let scalar = entry.value.get(mark)?.as_scalar()?;
            Some(scalar.text.clone())
        };
        path.push(entry.key.clone());
        let field = |path: &[SmolStr]| ObjectField {
            path: path
                .iter()
                .map(|key| Segment {
                    key: key.clone(),
                    is_list: false,
                })
                .collect(),
            ..ObjectField::new(kind, "", Create::Never)
        };
        if mark("x-kubernetes-annotation").is_some() {
            extra.annotations.push(field(path));
        }
        if mark("x-kubernetes-label-selector").is_some() {
            extra.labels.push(field(path));
        }
        if mark("x-kubernetes-identity").is_some() {
            extra.prefixes.push(field(path));
        }
        if let (Some(version), Some(referred)) = (
            mark("x-kubernetes-object-ref-api-version"),
            mark("x-kubernetes-object-ref-kind"),
        ) {
            let key = mark("x-kubernetes-object-ref-name-key").unwrap_or("name".into());
            path.push(key);
            extra.references.push(Referral {
                group: SmolStr::default(),
                version,
                kind: referred,
                fields: vec![field(path)],
            });
            path.pop();
        }
        if let Some(reference) = mark("$ref")
            && path.len() < MAX_DEPTH
        {
            definition(root, &reference, kind, path, extra);
        }
        path.pop();
    }
}
