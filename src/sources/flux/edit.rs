//! How to write units: a line that makes one wait, and a unit beside another. Works on the lines of the file, so that
//! comments and formatting stay.

use crate::sources::{LineChange, NewUnit};
use yaml::{Entry, Node, Value};

/// The change that makes a unit wait until all that it applies is ready.
pub fn gate(document: &Node, text: &str) -> Option<LineChange> {
    let lines: Vec<&str> = text.lines().collect();
    let entries = block(document, "spec", &lines)?;
    let first = entries.first()?;
    let indent = " ".repeat(first.key_place.column as usize - 1);
    if let Some(wait) = entries.iter().find(|entry| entry.key == "wait") {
        let line = *lines.get(wait.key_place.line as usize - 1)?;
        let is_off = wait.value.as_bool() == Some(false) && line.contains("false");
        return is_off.then(|| LineChange {
            first: wait.key_place.line,
            count: 1,
            text: format!("{}\n", line.replacen("false", "true", 1)),
        });
    }
    // Beside the other switch of this kind, else on top.
    let prune = entries.iter().find(|entry| entry.key == "prune");
    let line = match prune.filter(|prune| prune.value.place.line == prune.key_place.line) {
        Some(prune) => prune.key_place.line + 1,
        None => first.key_place.line,
    };
    Some(LineChange {
        first: line,
        count: 0,
        text: format!("{indent}wait: true\n"),
    })
}

/// Renders a new Kustomization in the style of `document` that applies another directory after it. None if `document`
/// has fields, such as patches, that may apply to only some of its objects.
pub fn beside(document: &Node, text: &str, new: &NewUnit<'_>) -> Option<String> {
    const NOT_COPIED: &[&str] = &["dependsOn", "wait", "path"];
    const UNCERTAIN: &[&str] = &[
        "patches",
        "patchesStrategicMerge",
        "patchesJson6902",
        "components",
        "images",
        "healthChecks",
        "healthCheckExprs",
        "namePrefix",
        "nameSuffix",
        "kubeConfig",
    ];
    let lines: Vec<&str> = text.lines().collect();
    let metadata = block(document, "metadata", &lines)?;
    let spec = block(document, "spec", &lines)?;
    if spec
        .iter()
        .any(|entry| UNCERTAIN.contains(&entry.key.as_str()))
    {
        return None;
    }
    let mut out = String::new();
    for entry in document.entries() {
        match entry.key.as_str() {
            "apiVersion" | "kind" => {
                out += &format!("{}: {}\n", entry.key, entry.value.text()?);
            }
            "metadata" => {
                out += "metadata:\n";
                for field in metadata {
                    match field.key.as_str() {
                        "name" => out += &format!("{}name: {}\n", indent(field), new.name),
                        _ => out += &verbatim(document, metadata, field, &lines),
                    }
                }
            }
            "spec" => {
                out += "spec:\n";
                let pad = indent(spec.first()?);
                out += &format!("{pad}dependsOn:\n{pad}  - name: {}\n", new.depends_on);
                for field in spec {
                    if field.key == "path" {
                        let dot = if field.value.text()?.starts_with("./") {
                            "./"
                        } else {
                            ""
                        };
                        out += &format!("{pad}path: {dot}{}\n", new.directory);
                    } else if !NOT_COPIED.contains(&field.key.as_str()) {
                        out += &verbatim(document, spec, field, &lines);
                    }
                }
            }
            _ => return None,
        }
    }
    Some(out)
}

/// The fields of a map that is written one field a line.
fn block<'n>(document: &'n Node, key: &str, lines: &[&str]) -> Option<&'n [Entry]> {
    let entry = document.entries().iter().find(|entry| entry.key == key)?;
    let Value::Map(map) = &entry.value.value else {
        return None;
    };
    let is_written_here = |field: &Entry| {
        let line = lines.get(field.key_place.line as usize - 1);
        let start = |line: &&str| {
            let line = line.trim_start().trim_start_matches(['"', '\'']);
            line.starts_with(field.key.as_str())
        };
        field.key_place.line > entry.key_place.line && line.is_some_and(start)
    };
    let column = map.0.first()?.key_place.column;
    let mut fields = map.0.iter();
    fields
        .all(|field| is_written_here(field) && field.key_place.column == column)
        .then_some(map.0.as_slice())
}

fn indent(field: &Entry) -> String {
    " ".repeat(field.key_place.column as usize - 1)
}

/// The lines of a field as they are written.
fn verbatim(document: &Node, fields: &[Entry], field: &Entry, lines: &[&str]) -> String {
    let first = field.key_place.line as usize - 1;
    let all = document.entries().iter().chain(fields);
    let next = all
        .map(|other| other.key_place.line as usize - 1)
        .filter(|line| *line > first)
        .min();
    let rest = &lines[first..next.unwrap_or(lines.len())];
    let end = rest.iter().skip(1).position(|line| line.starts_with("---"));
    let mut own = &rest[..end.map_or(rest.len(), |end| end + 1)];
    while let [init @ .., last] = own
        && (last.trim().is_empty() || last.trim_start().starts_with('#'))
    {
        own = init;
    }
    own.iter().map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::FileId;

    fn root(text: &str) -> Node {
        yaml::parse(text, FileId(0)).documents.remove(0).root
    }

    #[test]
    fn the_gate_goes_beside_prune_and_keeps_what_is_there() {
        let text = "kind: Kustomization\nspec:\n    interval: 10m # often\n    prune: true\n    path: ./a\n";
        let change = gate(&root(text), text).unwrap();
        assert_eq!((change.first, change.count), (5, 0));
        assert_eq!(change.text, "    wait: true\n");
        let off = "kind: Kustomization\nspec:\n  wait: false # for now\n";
        let change = gate(&root(off), off).unwrap();
        assert_eq!(change.text, "  wait: true # for now\n");
        let flow = "kind: Kustomization\nspec: {prune: true}\n";
        assert!(gate(&root(flow), flow).is_none());
    }

    #[test]
    fn a_unit_beside_another_takes_over_what_both_need() {
        let text = "# The operator.\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: eso\n  namespace: flux-system\nspec:\n  interval: 10m\n  dependsOn:\n    - name: base\n  path: ./eso\n  wait: true\n  sourceRef:\n    kind: GitRepository\n    name: flux-system # this one\n";
        let new = NewUnit {
            name: "eso-config",
            directory: "eso-config",
            depends_on: "eso",
        };
        let expected = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: eso-config\n  namespace: flux-system\nspec:\n  dependsOn:\n    - name: eso\n  interval: 10m\n  path: ./eso-config\n  sourceRef:\n    kind: GitRepository\n    name: flux-system # this one\n";
        assert_eq!(beside(&root(text), text, &new).unwrap(), expected);
        let patched = format!("{text}  patches: []\n");
        assert!(beside(&root(&patched), &patched, &new).is_none());
    }
}
