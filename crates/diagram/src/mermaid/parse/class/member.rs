//! The lines in a class: annotations, attributes and methods.

use super::super::text;
use crate::FlowNode;

/// Adds a line to a class.
pub(super) fn add(node: &mut FlowNode, line: &str) {
    if line.is_empty() {
        return;
    }
    let annotation = line
        .strip_prefix("<<")
        .and_then(|inner| inner.strip_suffix(">>"));
    if let Some(annotation) = annotation {
        annotate(node, annotation);
        return;
    }
    let is_method = line.contains('(');
    let shown = if is_method {
        method(line)
    } else {
        line.trim_end_matches(['$', '*']).to_owned()
    };
    if node.compartments.is_empty() {
        node.compartments = vec![Vec::new(), Vec::new()];
    }
    let compartment = usize::from(is_method);
    if let Some(lines) = node.compartments.get_mut(compartment) {
        lines.push(text::label(&text::with_generics(&shown)).replace('\n', " "));
    }
}

/// Adds `«interface»` to a class.
pub(super) fn annotate(node: &mut FlowNode, annotation: &str) {
    let shown = format!("«{}»", text::label(annotation));
    node.detail = Some(match node.detail.take() {
        Some(known) => format!("{known} {shown}"),
        None => shown,
    });
}

/// A method with ` : ` before what it returns, and without the mark for abstract or static.
fn method(line: &str) -> String {
    let Some(end) = line.rfind(')') else {
        return line.to_owned();
    };
    let (signature, rest) = line.split_at(end + 1);
    let returned = rest
        .trim()
        .trim_start_matches(['$', '*', ':', ' '])
        .trim_end_matches(['$', '*'])
        .trim();
    if returned.is_empty() {
        signature.to_owned()
    } else {
        format!("{signature} : {returned}")
    }
}
