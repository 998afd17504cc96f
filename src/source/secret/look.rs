//! Texts that look secret by themselves, whatever they are called: tokens, hashes of passwords, what lets somebody in at an
//! address, and the default of a variable that is secret.

use std::ops::Range;

use super::{is_reference, is_secret_name};
use crate::fact::MARKER;

/// The parts of a text that look secret, in bytes and in order.
pub fn parts(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    if crate::bytes::any(bytes, |byte| byte == b'$') {
        defaults(text, &mut found);
    }
    // Only what is long can be a token or a key.
    if text.len() >= SHORTEST {
        if is_private_key(text) {
            found.clear();
            found.push(0..text.len());
            return found;
        }
        logins(text, &mut found);
        words(text, &mut found);
    }
    // Those that overlap become one.
    found.sort_by_key(|part| (part.start, part.end));
    found.dedup_by(|next, last| {
        let overlap = next.start < last.end;
        if overlap {
            last.end = last.end.max(next.end);
        }
        overlap
    });
    found
}

/// A text with a marker for each part that looks secret; none where there is no such part.
pub fn without(text: &str, parts: &[Range<usize>]) -> Option<String> {
    if parts.is_empty() {
        return None;
    }
    let mut shown = String::with_capacity(text.len());
    let mut at = 0;
    for part in parts {
        shown.push_str(&text[at..part.start]);
        shown.push_str(MARKER);
        at = part.end;
    }
    shown.push_str(&text[at..]);
    Some(shown)
}

/// Whether a part that looks secret may be harmless all the same, or of no use to others by itself.
pub fn is_doubtful(part: &str) -> bool {
    // So begin many harmless things, too: a template of JSON in base64, a name with a dot.
    let starts = ["eyJ", "s.", "sk-", "AIza"];
    starts.iter().any(|start| part.starts_with(start)) || is_hash(part)
}

/// No token is shorter.
const SHORTEST: usize = 16;

/// How well-known access tokens begin.
const TOKEN_PREFIXES: &[&str] = &[
    "ghp_",
    "gho_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "sk_live_",
    "rk_live_",
    "sk-",
    "hvs.",
    "s.",
    "dckr_pat_",
    "npm_",
    "eyJ",
    "AGE-SECRET-KEY-",
];

/// How hashes of passwords begin: those of crypt, and those of directories.
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

/// Looking for a space and counting dashes is cheaper than a search, and rules out nearly every text.
fn is_private_key(text: &str) -> bool {
    crate::bytes::any(text.as_bytes(), |byte| byte == b' ')
        && text.bytes().filter(|byte| *byte == b'-').count() >= 5
        && text.contains("PRIVATE KEY-----")
}

/// Tokens and hashes among the words of a text, and what follows the word that announces them.
fn words(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut announced = Announced::Nothing;
    let mut at = 0;
    while at < bytes.len() {
        if is_between(bytes[at]) {
            at += 1;
            continue;
        }
        let length = bytes[at..].iter().position(|byte| is_between(*byte));
        let end = length.map_or(bytes.len(), |length| at + length);
        let word = &text[at..end];
        let start = match announced {
            Announced::Bearer if is_credential(word) => Some(0),
            Announced::Basic if is_login(word) => Some(0),
            _ if word.len() < SHORTEST => None,
            _ => secret_in_word(word),
        };
        if let Some(start) = start {
            // Some hashes have commas in them.
            let is_end = |byte: &u8| is_between(*byte) && *byte != b',';
            let rest = bytes[end..]
                .iter()
                .position(is_end)
                .unwrap_or(bytes.len() - end);
            let is_hash = text[at + start..].starts_with('$');
            found.push(at + start..if is_hash { end + rest } else { end });
        }
        announced = match word {
            "Bearer" | "bearer" => Announced::Bearer,
            "Basic" | "basic" => Announced::Basic,
            _ => Announced::Nothing,
        };
        at = end;
    }
}

enum Announced {
    Nothing,
    Bearer,
    Basic,
}

/// What stands between words; all of it is ASCII, so that words end where characters do.
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

/// Where the secret starts that a word is, or that stands in it after a name.
fn secret_in_word(word: &str) -> Option<usize> {
    if is_token(word) || is_hash(word) {
        return Some(0);
    }
    let is_sign = |byte: u8| matches!(byte, b':' | b'=');
    if !crate::bytes::any(word.as_bytes(), is_sign) {
        return None;
    }
    let tail = word.bytes().rposition(is_sign).map(|at| at + 1);
    let name = word.bytes().position(is_sign).map(|at| at + 1);
    tail.filter(|at| is_token(&word[*at..]))
        .or(name.filter(|at| is_hash(&word[*at..])))
}

fn is_token(word: &str) -> bool {
    let start = word.as_bytes().first_chunk::<2>();
    TOKEN_PREFIXES.iter().any(|prefix| {
        // Saves a call for nearly every prefix.
        start == prefix.as_bytes().first_chunk()
            && word
                .strip_prefix(prefix)
                .is_some_and(|rest| rest.len() >= SHORTEST && rest.bytes().all(is_token_byte))
    })
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.+/=".contains(&byte)
}

fn is_hash(word: &str) -> bool {
    let is_of = |prefix: &&str| {
        let rest = word.strip_prefix(*prefix);
        rest.is_some_and(|rest| rest.len() >= 12 && !rest.contains(['{', '}']))
    };
    word.starts_with(['$', '{']) && HASH_PREFIXES.iter().any(is_of)
}

/// Whether what follows `Bearer` is a token, not prose.
fn is_credential(word: &str) -> bool {
    word.len() >= SHORTEST
        && word.bytes().all(is_token_byte)
        && word.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether what follows `Basic` is a name and a password.
fn is_login(word: &str) -> bool {
    word.len() >= 8
        && word.bytes().all(is_token_byte)
        && crate::yaml::decode_base64(word).is_some_and(|bytes| bytes.contains(&b':'))
}

/// Passwords in addresses, and tokens that stand where the name of a user does.
fn logins(text: &str, found: &mut Vec<Range<usize>>) {
    if !crate::bytes::any(text.as_bytes(), |byte| byte == b'@') {
        return;
    }
    for (at, sign) in text.match_indices("://") {
        let start = at + sign.len();
        let length = text[start..].find(['/', '?', '#', ' ', '\n', '"', '\'']);
        let end = length.map_or(text.len(), |length| start + length);
        let Some((login, _)) = text[start..end].rsplit_once('@') else {
            continue;
        };
        let part = match login.split_once(':') {
            Some((user, password)) => {
                let is_open = password.is_empty() || is_reference(password) || password == MARKER;
                // `https://TOKEN:x-oauth-basic@host`
                if is_token(user) {
                    found.push(start..start + user.len());
                }
                (!is_open).then_some(start + user.len() + 1..start + login.len())
            }
            None => is_key(login).then_some(start..start + login.len()),
        };
        found.extend(part);
    }
}

/// Whether what stands in the place of a user is what lets somebody in.
fn is_key(login: &str) -> bool {
    let is_long = login.len() >= 20 && login.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_token(login) || is_long && login.bytes().any(|byte| byte.is_ascii_digit())
}

/// `${DB_PASSWORD:=hunter2}`: what stands in where nothing sets a secret variable.
fn defaults(text: &str, found: &mut Vec<Range<usize>>) {
    for (at, sign) in text.match_indices("${") {
        let start = at + sign.len();
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let Some(length) = text[start..].find(|c| !is_part(c)) else {
            continue;
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
        let default = text[from..to].trim_matches(['"', '\'']);
        let is_open = default.is_empty() || is_reference(default) || default == MARKER;
        found.extend((!is_open).then_some(from..to));
    }
}

/// Where the brace is that closes an expression.
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
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        without(text, &parts(text)).unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn a_token_is_found_wherever_it_stands_in_a_text() {
        for (text, expected) in [
            ("ghp_0123456789abcdefghij", "<secret>"),
            ("token ghp_0123456789abcdefghij", "token <secret>"),
            ("a=1 t=ghp_0123456789abcdefghij b", "a=1 t=<secret> b"),
            ("Bearer abcdef0123456789", "Bearer <secret>"),
            (
                "Authorization: Basic dXNlcjpodW50ZXIy",
                "Authorization: Basic <secret>",
            ),
            (
                "https://ghp_0123456789abcdefghij@github.com/a/b",
                "https://<secret>@github.com/a/b",
            ),
            (
                "https://0123456789abcdefghij:x@github.com/a/b",
                "https://0123456789abcdefghij:<secret>@github.com/a/b",
            ),
            (
                "amqp://a:b@c/, amqp://d:e@f/",
                "amqp://a:<secret>@c/, amqp://d:<secret>@f/",
            ),
        ] {
            assert_eq!(shown(text), expected);
            assert_eq!(shown(expected), expected, "sealing twice changes nothing");
        }
        for text in [
            "Bearer authentication is not supported",
            "Basic understanding of Kubernetes",
            "https://git@github.com/org/repository",
            "https://organisation@dev.azure.com/a/b",
            "a sentence with https://example.com/@user in it",
            "postgres://app:${PW}@db/x",
        ] {
            assert_eq!(shown(text), text);
        }
    }

    #[test]
    fn hashes_of_passwords_are_found() {
        let bcrypt = "$2y$10$abcdefghijklmnopqrstuvABCDEFGHIJKLMNOPQRSTUV0123456789a";
        assert_eq!(shown(bcrypt), "<secret>");
        assert_eq!(
            shown(&format!("admin:{bcrypt}\nbob:{bcrypt}\n")),
            "admin:<secret>\nbob:<secret>\n"
        );
        assert_eq!(
            shown("bob:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g="),
            "bob:<secret>"
        );
        assert_eq!(
            shown("$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub"),
            "<secret>"
        );
    }

    #[test]
    fn the_default_of_a_secret_variable_is_found() {
        for (text, expected) in [
            ("${PW_TOKEN:=x}", "${PW_TOKEN:=<secret>}"),
            (
                "a ${DB_PASSWORD:-hunter2} b",
                "a ${DB_PASSWORD:-<secret>} b",
            ),
            ("${DB_PASSWORD:=a{b}c}", "${DB_PASSWORD:=<secret>}"),
            ("${DB_PASSWORD:=${OTHER}}", "${DB_PASSWORD:=${OTHER}}"),
            ("${DB_HOST:=db.svc}", "${DB_HOST:=db.svc}"),
            ("${DB_PASSWORD}", "${DB_PASSWORD}"),
        ] {
            assert_eq!(shown(text), expected);
        }
    }
}
