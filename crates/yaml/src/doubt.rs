//! Valid YAML that kustomize rejects in an object: keys that are not strings, numbers and characters without a JSON
//! form. Reported only for documents that are Kubernetes objects.

use super::{Scalar, ScalarKind};
use base::{Effect, Finding, Place};

/// Finding for a scalar that cannot be a key.
pub fn check_key(scalar: &Scalar, place: Place) -> Option<Finding> {
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
        .effect(Effect::Rejected)
    })
}

/// Finding for a scalar that cannot be a value.
pub fn check_value(scalar: &Scalar, place: Place) -> Option<Finding> {
    // Cheap tests first: almost every scalar passes both.
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
            .help("quote it, or use a finite number")
            .effect(Effect::Rejected),
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
        .help("remove the character")
        .effect(Effect::Rejected),
    )
}

/// Finding for a directive, such as `%YAML 1.1`, before the first document.
pub fn check_directive(text: &str, place: Place) -> Option<Finding> {
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
        .effect(Effect::Rejected)
    })
}

/// JSON writers leave these characters unescaped, and YAML parsers reject them.
fn is_refused(c: char) -> bool {
    matches!(c, '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}')
}
