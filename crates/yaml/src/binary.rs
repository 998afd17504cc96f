//! Base64: scalars tagged `!!binary`, and files that generators embed although they are not UTF-8.

use base64::Engine;
use smol_str::SmolStr;

use base::{Effect, Finding, Place};

/// The text of a scalar tagged `!!binary`.
pub fn decoded(text: &str, place: Place) -> Result<SmolStr, Finding> {
    let text: String = text.split_whitespace().collect();
    match base64::engine::general_purpose::STANDARD.decode(text) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into()),
        Err(_) => Err(Finding::error(
            "yaml-binary",
            place,
            "the value tagged `!!binary` is not valid base64; the document is skipped",
        )
        .effect(Effect::Unreadable)),
    }
}

/// Decodes base64 with line breaks in it, as kustomize writes long values.
pub fn decode_base64(text: &str) -> Option<Vec<u8>> {
    base64::engine::general_purpose::STANDARD.decode(text).ok()
}

/// Encodes base64 as kustomize writes it: a long value is broken into lines.
pub fn encode_base64(bytes: &[u8]) -> String {
    const LINE: usize = 70;
    let encoded = base64::engine::general_purpose::STANDARD.encode(bytes);
    if encoded.len() <= LINE {
        return encoded;
    }
    let mut lines = String::with_capacity(encoded.len() + encoded.len() / LINE + 1);
    let mut rest = encoded.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(LINE));
        lines.push_str(line);
        lines.push('\n');
        rest = after;
    }
    lines
}
