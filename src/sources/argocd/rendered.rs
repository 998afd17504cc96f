//! Objects in the output of a chart template. Their places point into the template.

use std::sync::Arc;

use super::render::Wanted;
use crate::facts::Resource;
use crate::input::repo::RepoPath;
use base::{FileId, Place};
use helm::Written;
use yaml::Node;

/// The objects in what the template of a file wrote; else the line at fault, and why.
pub fn objects(
    written: Written,
    file: FileId,
    path: &RepoPath,
    wanted: Wanted,
) -> Result<Vec<Resource>, (u32, String)> {
    let written = separated(&written);
    let facts = super::super::read_text(&written.text, file, path);
    let line = |line: u32| {
        let at = (line as usize).saturating_sub(1);
        written.lines.get(at).copied().unwrap_or(1)
    };
    let mut findings = facts.findings.iter();
    let broken = findings.find(|one| one.effect.is_unparsed());
    if let Some(broken) = broken {
        let why = "its output is not YAML".to_owned();
        return Err((line(broken.place.line), why));
    }
    let resources = facts.resources.into_iter();
    let wanted = resources.filter(|one| match wanted {
        Wanted::Everything => !is_test(&one.node),
        Wanted::Applications => one.id.group == super::GROUP,
    });
    let moved = wanted.map(|mut resource| {
        let node = Arc::make_mut(&mut resource.node);
        relocate(node, &line);
        resource.place = node.place;
        resource
    });
    Ok(moved.collect())
}

/// Whether an object is only created by `helm test`, which Argo CD never runs.
fn is_test(node: &Node) -> bool {
    let hook = node.text_at(&["metadata", "annotations", super::HELM_HOOK]);
    hook.is_some_and(|hook| {
        hook.split(',')
            .all(|one| matches!(one.trim(), "test" | "test-success" | "test-failure"))
    })
}

/// The same text with every separator on a line of its own. Helm ends a document at three dashes that begin a line,
/// even if text follows them. YAML does not.
fn separated(written: &Written) -> Written {
    let mut apart = Written::default();
    let mut push = |text: &str, line: u32| {
        if !apart.lines.is_empty() {
            apart.text.push('\n');
        }
        apart.text.push_str(text);
        apart.lines.push(line);
    };
    let mut is_start = true;
    for (nth, text) in written.text.split('\n').enumerate() {
        let line = written.lines.get(nth).copied().unwrap_or(1);
        // White space before all else is none to Helm.
        let dashes = if is_start { text.trim_start() } else { text };
        is_start &= dashes.is_empty();
        match dashes.strip_prefix("---") {
            Some(rest) => {
                push("---", line);
                if !rest.trim().is_empty() {
                    push(rest.trim_start(), line);
                }
            }
            None => push(text, line),
        }
    }
    apart
}

/// Places in what a template wrote become places in the template.
fn relocate(node: &mut Node, line: &dyn Fn(u32) -> u32) {
    let moved = |place: Place| Place {
        line: line(place.line),
        ..place
    };
    node.place = moved(node.place);
    match &mut node.value {
        yaml::Value::Scalar(_) => {}
        yaml::Value::Seq(items) => items.iter_mut().for_each(|item| relocate(item, line)),
        yaml::Value::Map(map) => {
            for entry in &mut map.0 {
                entry.key_place = moved(entry.key_place);
                relocate(&mut entry.value, line);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_may_begin_beside_its_separator() {
        let app = |name: &str| {
            format!("kind: Application\nmetadata: {{name: {name}}}\ndata: |\n  ---\n  ---x\n")
        };
        let group = "apiVersion: argoproj.io/v1alpha1";
        let text = format!(
            "  ---{group}\n{}---{group}\n{}--- # a remark\n{group}\n{}---\n",
            app("a"),
            app("b"),
            app("c")
        );
        let lines = (1..=text.lines().count() as u32).collect();
        let path = RepoPath::new("templates/apps.yaml").unwrap();
        let found = objects(
            Written { text, lines },
            FileId(0),
            &path,
            Wanted::Applications,
        )
        .unwrap();
        let found = found
            .iter()
            .map(|one| (one.id.name.as_str(), one.place.line));
        assert_eq!(found.collect::<Vec<_>>(), [("a", 1), ("b", 7), ("c", 14)]);
    }

    #[test]
    fn a_text_without_dashes_stays_as_it_is() {
        let written = Written {
            text: "\n  a: 1\n  b: 2\n".to_owned(),
            lines: vec![1, 2, 3, 3],
        };
        let apart = separated(&written);
        assert_eq!((apart.text, apart.lines), (written.text, written.lines));
    }
}
