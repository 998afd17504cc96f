//! Text that looks secret by itself: tokens, password hashes, credentials in addresses, defaults of secret variables,
//! and values under the name of a secret. One file per kind of sign. Text in, byte ranges out.

pub(crate) mod assignment;
pub mod command;
pub(crate) mod encoded;
pub(crate) mod login;
pub(crate) mod token;

use std::borrow::Cow;
use std::ops::Range;

use super::harmless::is_reference;
use super::is_secret_name;
use base::MARKER;
use base::steps::{self, ScanProgress};

/// A part of a text that looks secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretSpan {
    /// Byte range in the text.
    pub range: Range<usize>,
    pub evidence: Evidence,
}

/// How certain it is that a part is a usable secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// It may be harmless: it is masked, but not reported.
    Doubtful,
    Certain,
}

impl SecretSpan {
    fn certain(range: Range<usize>) -> SecretSpan {
        SecretSpan {
            range,
            evidence: Evidence::Certain,
        }
    }
}

/// The parts of a text that look secret, sorted and without overlaps.
pub fn parts(text: &str) -> Vec<SecretSpan> {
    parts_below(text, encoded::MOST_LAYERS)
}

/// The same for a text in which base64 is decoded so many times.
fn parts_below(text: &str, layers: u8) -> Vec<SecretSpan> {
    if is_private_key(text) {
        return vec![SecretSpan::certain(0..text.len())];
    }
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    if base::bytes::any(bytes, |byte| matches!(byte, b':' | b'=')) {
        assignment::find(text, &mut found);
    }
    if base::bytes::any(bytes, |byte| byte == b'<') {
        assignment::in_elements(text, &mut found);
    }
    if base::bytes::any(bytes, |byte| byte == b'%') {
        assignment::in_escapes(text, &mut found);
        login::in_escapes(text, &mut found);
    }
    if base::bytes::any(bytes, |byte| byte == b' ') {
        assignment::in_directives(text, &mut found);
        command::find(text, &mut found);
    }
    by_themselves(text, layers, &mut found);
    in_order(found)
}

/// Like [`parts`], without those recognised by a name or command: for texts whose names are checked later.
pub(crate) fn unnamed_parts(text: &str) -> Vec<SecretSpan> {
    if is_private_key(text) {
        return vec![SecretSpan::certain(0..text.len())];
    }
    let mut found = Vec::new();
    by_themselves(text, encoded::MOST_LAYERS, &mut found);
    in_order(found)
}

fn by_themselves(text: &str, layers: u8, found: &mut Vec<SecretSpan>) {
    let bytes = text.as_bytes();
    if base::bytes::any(bytes, |byte| matches!(byte, b'$' | b'{')) {
        defaults(text, found);
        hashes(text, found);
    }
    login::find(text, found);
    if base::bytes::any(bytes, |byte| byte == b' ') {
        announced(text, found);
    }
    token::find(text, found);
    if layers > 0 {
        encoded::find(bytes, found, |text| {
            !parts_below(text, layers - 1).is_empty()
        });
    }
}

/// Whether a text looks random, as keys do.
pub(crate) fn is_random(text: &str) -> bool {
    let has = |test: fn(&u8) -> bool| text.bytes().filter(test).count();
    let is_of = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=_-".contains(&byte);
    let (digits, lower, upper) = (
        has(u8::is_ascii_digit),
        has(u8::is_ascii_lowercase),
        has(u8::is_ascii_uppercase),
    );
    let is_hex = text.len() >= 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    text.len() >= 20 && text.bytes().all(is_of) && digits >= 2 && lower >= 2 && upper >= 2
        || is_hex && digits < text.len()
}

/// A text that authors publish, with certain secrets masked: tokens of known formats, private keys, and credentials in
/// addresses.
pub fn published(text: &str) -> Cow<'_, str> {
    match with_marker(text, &published_parts(text, encoded::MOST_LAYERS), REDACTED) {
        Some(text) => Cow::Owned(text),
        None => Cow::Borrowed(text),
    }
}

fn published_parts(text: &str, layers: u8) -> Vec<SecretSpan> {
    let mut found = Vec::new();
    login::find(text, &mut found);
    assignment::in_queries(text, &mut found);
    // Guides show example addresses with made-up credentials.
    found.retain(|part| super::is_usable(&text[part.range.clone()]));
    token::find(text, &mut found);
    private_keys(text, &mut found);
    if layers > 0 {
        encoded::find(text.as_bytes(), &mut found, |text| {
            !published_parts(text, layers - 1).is_empty()
        });
    }
    in_order(found)
}

/// Replaces a secret in Markdown, where [`MARKER`] would be an HTML element.
const REDACTED: &str = "REDACTED";

pub(crate) fn in_order(mut found: Vec<SecretSpan>) -> Vec<SecretSpan> {
    found.sort_by_key(|part| (part.range.start, part.range.end));
    // Join overlapping parts.
    found.dedup_by(|next, last| {
        let overlap = next.range.start < last.range.end;
        if overlap {
            last.range.end = last.range.end.max(next.range.end);
            last.evidence = last.evidence.max(next.evidence);
        }
        overlap
    });
    found.retain(|part| !part.range.is_empty());
    found
}

/// A text with each secret part replaced by a marker; `None` if there is none.
pub fn without(text: &str, parts: &[SecretSpan]) -> Option<String> {
    with_marker(text, parts, MARKER)
}

fn with_marker(text: &str, parts: &[SecretSpan], marker: &str) -> Option<String> {
    if parts.is_empty() {
        return None;
    }
    let mut shown = String::with_capacity(text.len());
    let mut at = 0;
    for part in parts {
        shown.push_str(&text[at..part.range.start]);
        shown.push_str(marker);
        at = part.range.end;
    }
    shown.push_str(&text[at..]);
    Some(shown)
}

/// Whether a value in a text is not secret: it is empty, a placeholder or a reference.
fn is_open(value: &str) -> bool {
    let value = value.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\'));
    // `$DB_PASSWORD` in a script, `$slack-token` in the settings of Argo CD. A password that begins with `$` has more
    // kinds of characters.
    let is_variable = |name: &str| {
        let is_of = |is_letter: fn(u8) -> bool| {
            name.bytes()
                .all(|byte| is_letter(byte) || b"_-.:".contains(&byte))
        };
        let is_capital = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
        !name.is_empty() && (is_of(is_capital) || is_of(|byte| byte.is_ascii_lowercase()))
    };
    let placeholder = value
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'));
    let is_placeholder = placeholder.is_some_and(|name| {
        let is_word = |byte: u8| byte.is_ascii_alphabetic() || b" _-.".contains(&byte);
        name.bytes().all(is_word)
    });
    value.is_empty()
        || is_reference(value)
        || is_placeholder
        || value.trim_start_matches('$').len() < value.len()
            && is_variable(value.trim_start_matches('$'))
        || value
            .strip_prefix('%')
            .is_some_and(|rest| matches!(rest, "s" | "v" | "q" | "d"))
        || value.chars().all(|c| c == '*')
        || value.chars().all(|c| c == '.')
}

/// The words of a text, without separators and quotes.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let is_blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'' | b'`');
    let mut at = 0;
    std::iter::from_fn(move || {
        at += bytes[at..].iter().position(|byte| !is_blank(*byte))?;
        let start = at;
        let length = bytes[start..].iter().position(|byte| is_blank(*byte));
        at = length.map_or(bytes.len(), |length| start + length);
        Some(start..at)
    })
}

/// The end of the line that contains a byte.
fn line_end(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    let length = base::bytes::either(b'\n', b'\n', rest);
    length.map_or(text.len(), |length| at + length)
}

/// Prefixes of password hashes, as used by crypt and LDAP directories.
const HASH_PREFIXES: &[&str] = &[
    "$2a$",
    "$2b$",
    "$2y$",
    "$1$",
    "$5$",
    "$6$",
    "$y$",
    "$7$",
    "$apr1$",
    "$argon2",
    "$pbkdf2",
    "$scrypt$",
    "{SHA}",
    "{SSHA}",
    "{SSHA256}",
    "{SSHA512}",
    "{PBKDF2}",
    "{CRYPT}",
];

/// Searching for a space and counting dashes is cheap, and rules out nearly every text.
fn is_private_key(text: &str) -> bool {
    base::bytes::any(text.as_bytes(), |byte| byte == b' ')
        && text.bytes().filter(|byte| *byte == b'-').count() >= 5
        && text.contains("PRIVATE KEY-----")
}

/// Adds private keys, each from its first line to its last.
fn private_keys(text: &str, found: &mut Vec<SecretSpan>) {
    const END: &str = "PRIVATE KEY-----";
    let mut at = 0;
    while let Some(length) = text[at..].find(END) {
        let start = at + length + END.len();
        let close = text[start..].find("-----END");
        let end = close.map_or(text.len(), |close| start + close);
        found.push(SecretSpan::certain(start..end));
        at = text[end..]
            .find(END)
            .map_or(text.len(), |length| end + length + END.len());
    }
}

/// Adds password hashes.
fn hashes(text: &str, found: &mut Vec<SecretSpan>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut progress = ScanProgress::default();
    while let Some(length) = base::bytes::either(b'$', b'{', &bytes[at..]) {
        progress.turn(at + length);
        let start = at + length;
        at = start + 1;
        let is_start = start == 0
            || is_between(bytes[start - 1])
            || matches!(bytes[start - 1], b':' | b'=' | b'\\');
        let rest = &text[start..];
        let Some(prefix) = HASH_PREFIXES
            .iter()
            .find(|prefix| rest.starts_with(**prefix))
        else {
            continue;
        };
        // Some hashes contain commas.
        let is_end =
            |byte: &u8| is_between(*byte) && *byte != b',' || matches!(byte, b'{' | b'}' | b'\\');
        let body = &rest.as_bytes()[prefix.len()..];
        let length = body.iter().position(is_end).unwrap_or(body.len());
        let end = start + prefix.len() + length;
        if is_start && length >= 12 {
            at = end;
            found.push(SecretSpan {
                range: start..end,
                evidence: Evidence::Doubtful,
            });
        }
    }
}

/// Whether a byte separates words. All separators are ASCII, so that words end at character boundaries.
fn is_between(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t'
            | b'\n'
            | b'\r'
            | b'"'
            | b'\''
            | b'`'
            | b','
            | b'('
            | b')'
            | b'['
            | b']'
            | b'<'
            | b'>'
    )
}

/// Adds credentials after a keyword: `Bearer`, `Basic`, and the name of the header itself.
fn announced(text: &str, found: &mut Vec<SecretSpan>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut scheme = Scheme::Nothing;
    let mut progress = ScanProgress::default();
    while at < bytes.len() {
        progress.turn(at);
        if is_between(bytes[at]) {
            at += 1;
            continue;
        }
        let length = bytes[at..].iter().position(|byte| is_between(*byte));
        let end = length.map_or(bytes.len(), |length| at + length);
        steps::count(end - at);
        let word = &text[at..end];
        let is_secret = match scheme {
            Scheme::Nothing => false,
            Scheme::Header => is_credential(word) && !word.ends_with(':'),
            Scheme::Bearer => is_credential(word),
            Scheme::Basic => is_login(word),
        };
        if is_secret && !is_open(word) {
            found.push(SecretSpan::certain(at..end));
        }
        let is_of_header = matches!(scheme, Scheme::Header);
        let name = word.trim_end_matches([':', '=']);
        scheme = match name.rsplit([':', '=']).next().unwrap_or(name) {
            "Basic" | "basic" | "Token" | "token" | "ApiKey" | "Digest" if is_of_header => {
                Scheme::Header
            }
            "Bearer" | "bearer" => Scheme::Bearer,
            "Basic" | "basic" => Scheme::Basic,
            "Authorization" | "authorization" | "Proxy-Authorization" => Scheme::Header,
            _ => Scheme::Nothing,
        };
        at = end;
    }
}

enum Scheme {
    Nothing,
    /// Any scheme may follow, or none.
    Header,
    Bearer,
    Basic,
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.+/=".contains(&byte)
}

/// Whether a word is a credential, not prose.
fn is_credential(word: &str) -> bool {
    word.len() >= 8
        && word.bytes().all(is_token_byte)
        && word.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether the text after `Basic` is a user name and a password.
fn is_login(word: &str) -> bool {
    word.len() >= 8
        && word.bytes().all(is_token_byte)
        && yaml::decode_base64(word).is_some_and(|bytes| bytes.contains(&b':'))
}

/// Adds defaults of secret variables: `${DB_PASSWORD:=hunter2}`.
fn defaults(text: &str, found: &mut Vec<SecretSpan>) {
    let mut at = 0;
    let mut progress = ScanProgress::default();
    while let Some(length) = text[at..].find("${") {
        progress.turn(at + length);
        let start = at + length + "${".len();
        at = start;
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let Some(length) = text[start..].find(|c| !is_part(c)) else {
            return;
        };
        let name = &text[start..start + length];
        let rest = &text[start + length..];
        let signs = [":=", ":-", ":+", ":?", "=", "-"];
        let Some(sign) = signs.iter().find(|sign| rest.starts_with(**sign)) else {
            continue;
        };
        if !is_secret_name(name) {
            continue;
        }
        let from = start + length + sign.len();
        let to = from + closing(&text[from..]);
        if !is_open(&text[from..to]) {
            found.push(SecretSpan::certain(from..to));
        }
        // Everything inside is covered, or refers to something else.
        at = to;
    }
}

/// Position of the brace that closes an expression.
fn closing(text: &str) -> usize {
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => return at,
            b'}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests;
