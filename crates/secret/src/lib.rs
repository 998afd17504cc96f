//! Recognises secrets, by the names of their keys and by the look of their values, and replaces them by a marker as
//! soon as they are read, so that no later stage can show them. Names of secrets and references to them are not secret
//! and stay.

pub mod address;
mod container;
mod guess;
mod harmless;
pub mod look;
mod material;
mod name;
pub mod outgoing;
mod plain;
mod seal;

use smol_str::SmolStr;

use base::{MARKER, Place};
use yaml::Scalar;

pub use guess::is_guessable;
pub use name::is_secret_name;
pub use seal::{exposed, is_sealed, lists_names, seal, seal_whole};

use seal::{Form, Sealing, TextRole, seal_by_value, seal_scalar};

/// The place of an unencrypted secret. The value itself is gone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlainSecret {
    /// The key of the value.
    pub key: SmolStr,
    /// The object that contains it, such as `Secret db`.
    pub holder: Option<SmolStr>,
    pub place: Place,
    /// Whether anybody may guess it: a default, a word, or the name of its user.
    pub is_guessable: bool,
}

/// Whether a text in a program is secret wherever it is used, judged by the name of its variable. Such variables also
/// hold names of objects and of keys in them.
pub fn is_secret_text(name: &str, text: &str) -> bool {
    if !is_secret_name(name) || shown(name, text).is_none() {
        return false;
    }
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let lower = letters.collect::<String>().to_ascii_lowercase();
    let is_of = |case: fn(&u8) -> bool| {
        let mut bytes = text.bytes();
        bytes.all(|b| case(&b) || b.is_ascii_digit() || matches!(b, b'-' | b'_' | b'.'))
    };
    let is_label = is_of(u8::is_ascii_lowercase) || is_of(u8::is_ascii_uppercase);
    let is_name = lower.ends_with("secret") && !lower.ends_with("clientsecret")
        || lower.ends_with("secretkey");
    !(is_label && is_name)
}

/// Whether a value works as a credential: it is no placeholder, reference or encrypted text.
pub fn is_usable(value: &str) -> bool {
    material::is_material(value)
}

/// Whether the value of `name` is a readable, usable password.
pub fn is_plain_password(name: &str, value: &str) -> bool {
    plain::is_password(name, value)
}

/// A value outside YAML, such as a line of an env file, with its secrets masked; `None` if it has none.
pub fn shown(key: &str, value: &str) -> Option<SmolStr> {
    // The value is a string, even if it looks like a number.
    let mut scalar = Scalar::string(value);
    let is_left = !is_secret_name(key) || seal_scalar(&mut scalar, key) == Sealing::Left;
    if is_left && name::may_hold_key(key) && look::is_random(value) {
        scalar = Scalar::string(MARKER);
    } else if is_left {
        seal_by_value(&mut scalar, Form::Plain, TextRole::Values);
    }
    (scalar.text != value).then_some(scalar.text)
}

#[cfg(test)]
mod tests;
