//! The last step before anything leaves the program. Secrets are redacted where they are read; this step catches what a
//! reader missed. It knows nothing of where a text came from, so it masks only what is certain: access tokens, private
//! keys, and credentials in addresses.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;

use smol_str::SmolStr;

use super::look::{Evidence, SecretSpan, assignment, encoded, login, token};
use base::MARKER;
use base::steps::{self, ScanProgress};

/// A value of a setting that may be shown: neither its name nor its look is that of a secret.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShownSetting(SmolStr);

impl ShownSetting {
    /// The value of a setting, masked in part if a part of it looks secret; `None` if all of it is secret.
    pub fn new(name: &str, value: &SmolStr) -> Option<ShownSetting> {
        // `auth.passwords.0` is named like its list.
        let mut keys = name.rsplit('.');
        let key = keys.find(|key| !key.bytes().all(|byte| byte.is_ascii_digit()));
        match super::shown(key.unwrap_or(name), value) {
            None if value == MARKER => None,
            None => Some(ShownSetting(value.clone())),
            Some(masked) if masked == MARKER => None,
            Some(masked) => Some(ShownSetting(masked)),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::ops::Deref for ShownSetting {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// Bytes that may leave the program. There is no other way to make one than to have them looked through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleared(Vec<u8>);

impl Cleared {
    /// Masks every secret in a text. Bytes that are not UTF-8, such as a picture's, stay as they are.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Cleared {
        let bytes = bytes.into();
        match cleared(&bytes) {
            Cow::Owned(masked) => Cleared(masked),
            Cow::Borrowed(_) => Cleared(bytes),
        }
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A text with its secrets masked: for what is escaped or taken apart before it is written.
pub fn text(text: &str) -> Cow<'_, str> {
    match cleared(text.as_bytes()) {
        Cow::Owned(masked) => Cow::Owned(String::from_utf8_lossy(&masked).into_owned()),
        Cow::Borrowed(_) => Cow::Borrowed(text),
    }
}

/// A line for a terminal, with its secrets masked.
pub fn line(line: String) -> String {
    match text(&line) {
        Cow::Owned(masked) => masked,
        Cow::Borrowed(_) => line,
    }
}

fn cleared(bytes: &[u8]) -> Cow<'_, [u8]> {
    let found = found_in(bytes);
    if found.is_empty() || std::str::from_utf8(bytes).is_err() {
        return Cow::Borrowed(bytes);
    }
    Cow::Owned(masked(bytes, &found))
}

/// A writer that masks every secret on its way to another. Text is held back until no secret can straddle a write.
pub struct Outgoing<W: Write> {
    to: W,
    held: Vec<u8>,
    written: u64,
}

/// Text is passed on in pieces of this size.
const PIECE: usize = 64 * 1024;
/// No secret is longer, so that a piece may end this far into a text without a gap.
const LONGEST: usize = 16 * 1024;

impl<W: Write> Outgoing<W> {
    pub fn new(to: W) -> Outgoing<W> {
        Outgoing {
            to,
            held: Vec::new(),
            written: 0,
        }
    }

    /// Writes what is held back, and returns how many bytes were written in all.
    pub fn finish(mut self) -> io::Result<u64> {
        let end = self.held.len();
        self.pass_on(end)?;
        self.to.flush()?;
        Ok(self.written)
    }

    fn pass_on(&mut self, end: usize) -> io::Result<()> {
        let cleared = cleared(&self.held[..end]);
        self.to.write_all(&cleared)?;
        self.written += cleared.len() as u64;
        self.held.drain(..end);
        Ok(())
    }
}

impl<W: Write> Write for Outgoing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        if self.held.len() >= PIECE + LONGEST {
            let end = end_of_piece(&self.held);
            self.pass_on(end)?;
        }
        Ok(bytes.len())
    }

    /// Only [`Outgoing::finish`] writes all: what is held back may be the first half of a secret.
    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Where a text may be cut: at a blank or a quote near its end, and before a private key.
fn end_of_piece(text: &[u8]) -> usize {
    let start = text.len() - LONGEST;
    let key = find(&text[start..], KEY).map(|at| start + at);
    let until = key.unwrap_or(text.len());
    let is_break = |byte: &u8| matches!(byte, b'\n' | b' ' | b'"' | b'<' | b'\'');
    let cut = text[start..until].iter().rposition(is_break);
    cut.map_or(start, |at| start + at)
}

const REDACTED: &[u8] = b"REDACTED";
const KEY: &[u8] = b"PRIVATE KEY-----";

fn masked(bytes: &[u8], found: &[SecretSpan]) -> Vec<u8> {
    let mut shown = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for part in found {
        shown.extend_from_slice(&bytes[at..part.range.start]);
        shown.extend_from_slice(REDACTED);
        at = part.range.end;
    }
    shown.extend_from_slice(&bytes[at..]);
    shown
}

fn found_in(bytes: &[u8]) -> Vec<SecretSpan> {
    found_below(bytes, encoded::MOST_LAYERS)
}

/// The secrets in a text in which base64 is decoded so many times.
fn found_below(bytes: &[u8], layers: u8) -> Vec<SecretSpan> {
    let mut found = Vec::new();
    tokens(bytes, &mut found);
    addresses(bytes, &mut found);
    keys(bytes, &mut found);
    if layers > 0 {
        encoded::find(bytes, &mut found, |text| {
            !found_below(text.as_bytes(), layers - 1).is_empty()
        });
    }
    super::look::in_order(found)
}

/// Every token has a run of this many letters, digits and a few signs, so most texts need not be looked at closely.
const RUN: usize = token::SHORTEST;

fn tokens(bytes: &[u8], found: &mut Vec<SecretSpan>) {
    let mut at = RUN - 1;
    let mut seen = 0;
    let mut progress = ScanProgress::default();
    while at < bytes.len() {
        progress.turn(at);
        if !token::is_part(bytes[at]) {
            at += RUN;
            continue;
        }
        let before = bytes[seen..at].iter().rev();
        let start = at - before.take_while(|byte| token::is_part(**byte)).count();
        let rest = bytes[at..].iter();
        let end = at + rest.take_while(|byte| token::is_part(**byte)).count();
        steps::count(end - start);
        if end - start >= RUN {
            // A colon before the run belongs to some tokens.
            token::certain(bytes, start.saturating_sub(1)..end, found);
        }
        seen = end;
        at = end + RUN;
    }
}

/// Passwords in addresses, and values in their queries that are named like secrets.
fn addresses(bytes: &[u8], found: &mut Vec<SecretSpan>) {
    let mut at = 0;
    let mut run_end = 0;
    let mut progress = ScanProgress::default();
    while let Some(length) = base::bytes::either(b'@', b'?', &bytes[at..]) {
        progress.turn(at + length);
        let sign = at + length;
        let address = run_around(bytes, run_end, sign);
        // Each run is looked at once, however many signs it has.
        at = address.end;
        run_end = address.end;
        if find(&bytes[address.clone()], b"://").is_none() {
            continue;
        }
        let Ok(text) = std::str::from_utf8(&bytes[address.clone()]) else {
            continue;
        };
        let mut here = Vec::new();
        login::find(text, &mut here);
        assignment::in_queries(text, &mut here);
        here.retain(|part| super::is_usable(&text[part.range.clone()]));
        for part in here {
            let range = address.start + part.range.start..address.start + part.range.end;
            found.push(SecretSpan { range, ..part });
        }
    }
}

/// The text around a sign, up to blanks, quotes and brackets. No part of it is before `from`.
fn run_around(bytes: &[u8], from: usize, sign: usize) -> Range<usize> {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`<>\\".contains(byte);
    let start = bytes[from..sign].iter().rposition(is_end);
    let length = bytes[sign..].iter().position(is_end);
    let range =
        start.map_or(from, |at| from + at + 1)..length.map_or(bytes.len(), |length| sign + length);
    steps::count(range.len());
    range
}

/// The content of private keys, whose lines may be escaped.
fn keys(bytes: &[u8], found: &mut Vec<SecretSpan>) {
    let mut at = 0;
    while let Some(length) = find(&bytes[at..], KEY) {
        let start = at + length + KEY.len();
        let is_part = |byte: &u8| {
            byte.is_ascii_alphanumeric() || b"+/=\\:, ".contains(byte) || byte.is_ascii_whitespace()
        };
        let body = bytes[start..]
            .iter()
            .take(LONGEST)
            .take_while(|byte| is_part(byte));
        let end = start + body.count();
        let letters = bytes[start..end]
            .iter()
            .filter(|byte| byte.is_ascii_alphanumeric());
        if letters.count() >= 40 {
            found.push(SecretSpan {
                range: start..end,
                evidence: Evidence::Certain,
            });
        }
        at = end;
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    base::bytes::find(bytes, wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleared(text: &str) -> String {
        line(text.to_owned())
    }

    const TOKEN: &str = "ghp_a1B2c3D4e5F6a7B8c9D0a1B2c3D4e5F6a7B8";

    #[test]
    fn tokens_are_masked_wherever_they_stand() {
        for before in 0..40 {
            for (open, close) in [
                ("", ""),
                ("\"", "\""),
                (">", "<"),
                ("?t=", "&amp;b"),
                ("ü", "ü"),
            ] {
                let text = format!("{}{open}{TOKEN}{close} end", "a ".repeat(before));
                let shown = cleared(&text);
                assert!(!shown.contains("a1B2c3D4"), "{text}: {shown}");
                assert!(shown.ends_with(&format!("{close} end")), "{shown}");
            }
        }
        assert!(!cleared("1234567890:AAa1B2c3D4e5F6a7B8c9D0a1B2c3D4e5F6a7").contains("c3D4"));
    }

    #[test]
    fn credentials_in_addresses_and_private_keys_are_masked() {
        assert_eq!(
            cleared("<a href=\"https://bob:hunter2Q@git.example.com/a\">"),
            "<a href=\"https://bob:REDACTED@git.example.com/a\">"
        );
        assert_eq!(
            cleared("\"https://a.example.com/x?a=1&token=hunter2Q9z\""),
            "\"https://a.example.com/x?a=1&token=REDACTED\""
        );
        let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ\\n".repeat(4);
        let key = format!("a -----BEGIN PRIVATE KEY-----\\n{body}-----END PRIVATE KEY----- b");
        assert_eq!(
            cleared(&key),
            "a -----BEGIN PRIVATE KEY-----REDACTED-----END PRIVATE KEY----- b"
        );
    }

    #[test]
    fn ordinary_text_and_pictures_stay() {
        for text in [
            "https://github.com/a/b/blob/0123456789abcdef0123456789abcdef01234567/c.yaml?plain=1#L12",
            "mailto:a@example.com?subject=token",
            "postgres://user:password@db.example.com",
            "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
            "-----BEGIN PRIVATE KEY----- starts a key",
        ] {
            assert_eq!(cleared(text), text);
        }
        let picture = [b"\x89PNG\xff ", TOKEN.as_bytes()].concat();
        assert_eq!(Cleared::new(picture.clone()).as_bytes(), picture);
    }

    #[test]
    fn a_writer_masks_across_its_pieces() {
        for filler in [PIECE - 20, PIECE, PIECE + LONGEST - 20, PIECE + LONGEST + 3] {
            for step in [1usize, 7, 4096, 1 << 20] {
                let text = format!("{} {TOKEN} {}", "x".repeat(filler), "y ".repeat(PIECE));
                let mut to = Vec::new();
                let mut outgoing = Outgoing::new(&mut to);
                for piece in text.as_bytes().chunks(step) {
                    outgoing.write_all(piece).unwrap();
                }
                let written = outgoing.finish().unwrap();
                assert_eq!(written, to.len() as u64);
                assert_eq!(to, Cleared::new(text.as_bytes()).as_bytes());
                assert!(to.array_windows().any(|part| part == b"REDACTED"));
            }
        }
    }

    #[test]
    fn a_value_is_shown_unless_its_name_or_look_is_secret() {
        let shown = |name: &str, value: &str| {
            ShownSetting::new(name, &value.into()).map(|value| value.as_str().to_owned())
        };
        assert_eq!(shown("replicas", "3").as_deref(), Some("3"));
        assert_eq!(shown("auth.password", "hunter2Q"), None);
        assert_eq!(shown("auth.passwords.0", "hunter2Q"), None);
        assert_eq!(shown("a", TOKEN), None);
        let url = shown("url", "https://bob:hunter2Q@db.example.com/a");
        assert_eq!(
            url.as_deref(),
            Some("https://bob:<secret>@db.example.com/a")
        );
    }
}
