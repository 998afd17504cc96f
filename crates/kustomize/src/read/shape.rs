//! Checks the fields of a kustomization and their types, as kustomize does when decoding it. Field names are
//! case-insensitive, and are normalised here.

use base::text::nearest;
use base::{Finding, Place};
use yaml::{Node, Scalar, ScalarKind, Value};

/// Normalises the case of field names, and reports fields and types that kustomize rejects.
pub fn check(root: &mut Node, findings: &mut Vec<Finding>) {
    Shape::Fields(KUSTOMIZATION).check(root, "kustomization.yaml", findings);
}

#[derive(Clone, Copy)]
enum Shape {
    Text,
    Flag,
    Number,
    /// Checked elsewhere.
    Any,
    TextMap,
    List(&'static Shape),
    Fields(&'static [(&'static str, Shape)]),
}

use Shape::{Any, Fields, Flag, List, Number, Text, TextMap};

const TEXTS: Shape = List(&Text);
const KUSTOMIZATION: &[(&str, Shape)] = &[
    ("apiVersion", Text),
    ("kind", Text),
    ("metadata", Any),
    ("openapi", TextMap),
    ("namePrefix", Text),
    ("nameSuffix", Text),
    ("namespace", Text),
    ("commonLabels", TextMap),
    ("labels", List(&Fields(LABEL))),
    ("commonAnnotations", TextMap),
    ("patchesStrategicMerge", TEXTS),
    ("patchesJson6902", List(&Fields(PATCH))),
    ("patches", List(&Fields(PATCH))),
    ("images", List(&Fields(IMAGE))),
    ("imageTags", List(&Fields(IMAGE))),
    ("replacements", List(&Fields(REPLACEMENT))),
    ("replicas", List(&Fields(REPLICA))),
    ("vars", List(&Fields(VAR))),
    ("sortOptions", Fields(SORT)),
    ("resources", TEXTS),
    ("components", TEXTS),
    ("crds", TEXTS),
    ("bases", TEXTS),
    ("configMapGenerator", List(&Fields(GENERATOR))),
    ("secretGenerator", List(&Fields(GENERATOR))),
    ("helmGlobals", Any),
    ("helmCharts", Any),
    ("helmChartInflationGenerator", Any),
    ("generatorOptions", Fields(OPTIONS)),
    ("configurations", TEXTS),
    ("generators", TEXTS),
    ("transformers", TEXTS),
    ("validators", TEXTS),
    ("buildMetadata", TEXTS),
];
const LABEL: &[(&str, Shape)] = &[
    ("pairs", TextMap),
    ("includeSelectors", Flag),
    ("includeTemplates", Flag),
    ("fields", List(&Fields(FIELD))),
];
const FIELD: &[(&str, Shape)] = &[
    ("group", Text),
    ("version", Text),
    ("kind", Text),
    ("path", Text),
    ("create", Flag),
];
const PATCH: &[(&str, Shape)] = &[
    ("path", Text),
    ("patch", Text),
    ("target", Fields(SELECTOR)),
    ("options", Any),
];
const SELECTOR: &[(&str, Shape)] = &[
    ("group", Text),
    ("version", Text),
    ("kind", Text),
    ("name", Text),
    ("namespace", Text),
    ("labelSelector", Text),
    ("annotationSelector", Text),
];
const IMAGE: &[(&str, Shape)] = &[
    ("name", Text),
    ("newName", Text),
    ("tagSuffix", Text),
    ("newTag", Text),
    ("digest", Text),
];
const REPLACEMENT: &[(&str, Shape)] = &[("path", Text), ("source", Any), ("targets", List(&Any))];
const REPLICA: &[(&str, Shape)] = &[("name", Text), ("count", Number)];
const VAR: &[(&str, Shape)] = &[
    ("name", Text),
    ("objref", Fields(OBJECT)),
    ("fieldref", Fields(&[("fieldpath", Text)])),
];
const OBJECT: &[(&str, Shape)] = &[
    ("group", Text),
    ("version", Text),
    ("kind", Text),
    ("apiVersion", Text),
    ("name", Text),
    ("namespace", Text),
];
const SORT: &[(&str, Shape)] = &[
    ("order", Text),
    (
        "legacySortOptions",
        Fields(&[("orderFirst", TEXTS), ("orderLast", TEXTS)]),
    ),
];
const GENERATOR: &[(&str, Shape)] = &[
    ("name", Text),
    ("namespace", Text),
    ("behavior", Text),
    ("files", TEXTS),
    ("literals", TEXTS),
    ("env", Text),
    ("envs", TEXTS),
    ("options", Fields(OPTIONS)),
    ("type", Text),
];
const OPTIONS: &[(&str, Shape)] = &[
    ("labels", TextMap),
    ("annotations", TextMap),
    ("disableNameSuffixHash", Flag),
    ("immutable", Flag),
];

impl Shape {
    fn check(&self, node: &mut Node, name: &str, findings: &mut Vec<Finding>) {
        if node.is_null() || matches!(self, Any) {
            return;
        }
        let place = node.place;
        let fits = match (&mut node.value, self) {
            (Value::Scalar(scalar), Text) => {
                matches!(scalar.kind(), ScalarKind::Str(_)) && scalar.word().is_none()
            }
            (Value::Scalar(scalar), Flag) => {
                if let Some(word) = scalar.word() {
                    *scalar = Scalar::plain(if word { "true" } else { "false" });
                }
                matches!(scalar.kind(), ScalarKind::Bool(_))
            }
            (Value::Scalar(scalar), Number) => matches!(scalar.kind(), ScalarKind::Int(_)),
            (Value::Seq(items), List(shape)) => {
                for item in items {
                    shape.check(item, name, findings);
                }
                true
            }
            (Value::Map(map), TextMap) => {
                for entry in &mut map.0 {
                    Text.check(&mut entry.value, &entry.key, findings);
                }
                true
            }
            (Value::Map(map), Fields(fields)) => {
                for entry in &mut map.0 {
                    let known = fields
                        .iter()
                        .find(|(field, _)| field.eq_ignore_ascii_case(&entry.key));
                    let Some((field, shape)) = known else {
                        findings.push(unknown(&entry.key, fields, name, entry.key_place));
                        continue;
                    };
                    if entry.key != *field {
                        entry.key = (*field).into();
                    }
                    shape.check(&mut entry.value, field, findings);
                }
                true
            }
            _ => false,
        };
        if !fits {
            findings.push(self.mistyped(name, place));
        }
    }

    fn mistyped(&self, name: &str, place: Place) -> Finding {
        let (what, help) = match self {
            Text => ("a string", "quote the value, or use a string"),
            Flag => ("`true` or `false`", "use one of the two, without quotes"),
            Number => ("a number", "write it without quotes"),
            List(_) => ("a list", "write each entry on its own line, after a dash"),
            TextMap | Fields(_) => ("a mapping", "write it as `key: value` pairs"),
            Any => ("anything", "leave it"),
        };
        Finding::error(
            "kustomization-wrong-type",
            place,
            format!("`{name}` must be {what}; kustomize rejects the file"),
        )
        .help(help)
    }
}

fn unknown(key: &str, fields: &[(&str, Shape)], name: &str, place: Place) -> Finding {
    let names: Vec<&str> = fields.iter().map(|(field, _)| *field).collect();
    let help = match nearest(key, &names) {
        Some(field) => format!("did you mean `{field}`?"),
        None => "remove it".to_owned(),
    };
    Finding::error(
        "kustomization-unknown-field",
        place,
        format!("`{key}` is not a field of `{name}`, so kustomize rejects the file"),
    )
    .help(help)
}
