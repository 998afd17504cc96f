//! Values that may be hashed but never shown, and the hash that kustomize puts into names.

use std::fmt;

use base64::Engine;
use serde_json::{Map, Value as Json, json};
use sha2::{Digest, Sha256};
use smol_str::SmolStr;

/// Stands wherever a secret stood.
pub const MARKER: &str = "<secret>";

/// A secret value. There is no way to read it again, other than into a hash.
#[derive(Clone, PartialEq, Eq)]
pub struct Sealed(Vec<u8>);

impl Sealed {
    pub fn new(value: impl Into<Vec<u8>>) -> Sealed {
        Sealed(value.into())
    }
}

impl fmt::Debug for Sealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MARKER)
    }
}

/// What a generated object is made of, as far as its name depends on it.
pub struct Content<'a> {
    pub kind: &'a str,
    pub name: &'a str,
    pub secret_type: Option<&'a str>,
    pub data: Vec<(&'a str, &'a str)>,
    pub binary_data: Vec<(&'a str, &'a str)>,
    /// The values of those entries that show [`MARKER`].
    pub sealed: &'a [(SmolStr, Sealed)],
}

/// The suffix that kustomize appends to the name of a generated object.
pub fn name_hash(content: &Content<'_>) -> String {
    let secret = content.kind == "Secret";
    let sealed = |key: &str| content.sealed.iter().rev().find(|(k, _)| k == key);
    let value = |(key, text): (&str, &str)| -> (String, Json) {
        let value = match sealed(key) {
            Some((_, Sealed(bytes))) if text == MARKER && secret => encode_base64(bytes),
            Some((_, Sealed(bytes))) if text == MARKER => String::from_utf8_lossy(bytes).into(),
            _ => text.to_owned(),
        };
        (key.to_owned(), value.into())
    };
    let map = |entries: &[(&str, &str)]| entries.iter().copied().map(value).collect::<Map<_, _>>();
    let mut document = json!({
        "kind": content.kind, "name": content.name, "data": map(&content.data),
    });
    if !content.binary_data.is_empty() {
        document["binaryData"] = map(&content.binary_data).into();
    }
    if let Some(secret_type) = content.secret_type {
        document["type"] = secret_type.into();
    }
    short_hash(&go_json(&document))
}

pub fn encode_base64(bytes: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// Ten characters of a digest, changed so that they spell no words.
fn short_hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let spelled = hex.chars().take(10).map(|c| match c {
        '0' => 'g',
        '1' => 'h',
        '3' => 'k',
        'a' => 'm',
        'e' => 't',
        other => other,
    });
    spelled.collect()
}

/// JSON text as Go writes it: keys sorted, and `<`, `>`, `&` escaped.
fn go_json(value: &Json) -> String {
    value
        .to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}
