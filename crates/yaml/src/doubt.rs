//! What YAML allows and kustomize refuses in an object: keys that are no text, numbers and
//! characters that have no JSON form. Said only of documents that are Kubernetes objects.

use super::{Scalar, ScalarKind};
use base::{Finding, Place};

/// What is wrong with a scalar as a key.
pub fn of_key(scalar: &Scalar, place: Place) -> Option<Finding> {
    let text = matches!(scalar.kind(), ScalarKind::Str(_)) && scalar.timestamp().is_none();
    (!text).then(|| {
        Finding::error(
            "yaml-key-not-text",
            place,
            format!(
                "the key `{}` is not a string, so kustomize rejects the document",
                scalar.text
            ),
        )
        .help(format!("quote it: `\"{}\"`", scalar.text))
    })
}

/// What is wrong with a scalar as a value.
pub fn of_value(scalar: &Scalar, place: Place) -> Option<Finding> {
    // Almost every scalar passes both of these at a glance.
    if scalar.text.starts_with(['.', '+', '-'])
        && let ScalarKind::Float(number) = scalar.kind()
        && !number.is_finite()
    {
        return Some(
            Finding::error(
                "yaml-not-json",
                place,
                format!(
                    "`{}` cannot be represented in JSON, so kustomize rejects it",
                    scalar.text
                ),
            )
            .help("quote it, or use a finite number"),
        );
    }
    if scalar.text.bytes().all(|byte| byte < 0x7f) {
        return None;
    }
    let control = scalar.text.chars().find(|c| is_refused(*c))?;
    Some(
        Finding::error(
            "yaml-control-character",
            place,
            format!(
                "the string contains the control character U+{:04X}, so kustomize rejects it",
                control as u32
            ),
        )
        .help("remove the character"),
    )
}

/// A directive, such as `%YAML 1.1`, stands before the first document.
pub fn of_start(text: &str, place: Place) -> Option<Finding> {
    let first = text
        .lines()
        .find(|line| !line.trim().is_empty() && !line.starts_with('#'))?;
    first.starts_with('%').then(|| {
        Finding::error(
            "yaml-directive",
            place,
            format!(
                "`{}` is a directive, so kustomize rejects the file",
                first.trim_end()
            ),
        )
        .help("remove the line")
    })
}

/// JSON leaves these characters as they are, and YAML does not take them back.
fn is_refused(c: char) -> bool {
    matches!(c, '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}')
}
