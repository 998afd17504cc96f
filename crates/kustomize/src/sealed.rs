//! Secret values that can be hashed but not shown, and the name hash of generated objects.

use std::fmt;

use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
use smol_str::SmolStr;

use base::MARKER;
use base::hash::HashMap;
use yaml::encode_base64;

/// A secret value that can only be read into a hash.
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

/// The content of a generated object, as far as its name depends on it.
pub struct Content<'a> {
    pub kind: &'a str,
    pub secret_type: &'a str,
    pub data: Option<Json>,
    pub binary_data: Option<Json>,
    /// The values of entries that show [`MARKER`].
    pub sealed: &'a HashMap<SmolStr, Sealed>,
}

/// The hash that kustomize appends to the name of a generated object.
pub fn name_hash(content: Content<'_>) -> String {
    let secret = content.kind == "Secret";
    let unsealed = |data: Json| match data {
        Json::Object(entries) => Json::Object(
            entries
                .into_iter()
                .map(|(key, value)| match content.value(&key, &value) {
                    Some(value) => (key, value.into()),
                    None => (key, value),
                })
                .collect(),
        ),
        other => other,
    };
    // kustomize reads the name from the wrong field, so it is always empty; missing data is an empty string.
    let mut document = json!({"kind": content.kind, "name": "", "data": ""});
    if let Some(data) = content.data.clone() {
        document["data"] = unsealed(data);
    }
    if secret {
        document["type"] = content.secret_type.into()
    } else {
        if let Some(binary @ Json::Object(_)) = content.binary_data.clone() {
            document["binaryData"] = binary;
        }
    }
    // In Go's order, whatever order maps have in this build.
    document.sort_all_objects();
    short_hash(&go_json(&document))
}

impl Content<'_> {
    /// The real value of an entry that shows the marker.
    fn value(&self, key: &str, shown: &Json) -> Option<String> {
        if !shown.as_str()?.contains(MARKER) {
            return None;
        }
        let Sealed(bytes) = self.sealed.get(key)?;
        Some(if self.kind == "Secret" {
            encode_base64(bytes)
        } else {
            String::from_utf8_lossy(bytes).into()
        })
    }
}

/// A name without its hash, which differs per environment.
pub fn without_hash(name: &str) -> &str {
    let is_digit = |byte: u8| b"2456789bcdfghkmt".contains(&byte);
    match name.rsplit_once('-') {
        Some((name, hash)) if hash.len() == 10 && hash.bytes().all(is_digit) => name,
        _ => name,
    }
}

/// The first ten characters of a digest, with some replaced so that they spell no words.
fn short_hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let hex = base::text::hex(&digest);
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
