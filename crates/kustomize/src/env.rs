//! `.env` files as kustomize's generators read them under `envs:`: line by line, without quoting or escapes. Text in,
//! variables and findings out. The text is UTF-8: kustomize rejects other files earlier.

use smol_str::SmolStr;

use base::hash::HashMap;
use base::{Few, FileId, Finding, Place, Severity};

/// One `name=value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    pub name: SmolStr,
    pub value: String,
    /// The place of the value. A byte order mark takes up no column.
    pub place: Place,
}

/// Reads the variables of a file for a `configMapGenerator`, and reports surprising lines.
pub fn read(text: &str, file: FileId) -> (Vec<Variable>, Vec<Finding>) {
    read_lines(text, file, Audience::Everyone)
}

/// Like [`read`], for a `secretGenerator`: no message shows a value, whatever its name.
pub fn read_secret(text: &str, file: FileId) -> (Vec<Variable>, Vec<Finding>) {
    read_lines(text, file, Audience::Nobody)
}

/// Who may see the values in messages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Audience {
    Everyone,
    Nobody,
}

/// kustomize silently stops at a line of this length.
const MAX_LINE: usize = 64 * 1024;
/// Maximum length of a key in Kubernetes.
const MAX_KEY: usize = 253;
/// Number of characters of a value or key that a message shows.
const MAX_SHOWN: usize = 60;

fn read_lines(text: &str, file: FileId, audience: Audience) -> (Vec<Variable>, Vec<Finding>) {
    let mut variables: Vec<Variable> = Vec::new();
    let mut findings = Few::default();
    let mut seen: HashMap<&str, u32> = HashMap::default();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (line, number) in text.split('\n').zip(1..) {
        if line.len() >= MAX_LINE {
            findings.take(overlong(Place {
                line: number,
                ..Place::start_of(file)
            }));
            break;
        }
        // One carriage return belongs to the line ending; a second one is part of the value.
        let line = line.strip_suffix('\r').unwrap_or(line);
        let entry = line.trim_start();
        if entry.is_empty() || entry.starts_with('#') {
            continue;
        }
        let (name, value) = match entry.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (entry, None),
        };
        let column = 1 + width(line) - width(entry);
        let key = Place {
            file,
            line: number,
            column,
            len: width(name),
        };
        let place = Place {
            column: column + width(name) + u32::from(value.is_some()),
            len: value.map_or(0, width),
            ..key
        };
        if name.is_empty() {
            findings.push("env-bad-line", Severity::Error, key, || {
                Finding::error(
                    "env-bad-line",
                    key,
                    "there is no name before the `=`, so kustomize skips the line",
                )
                .help("add a name, or remove the line")
            });
            continue;
        }
        if let Some(reason) = invalid_key_reason(name) {
            findings.push("env-bad-line", Severity::Error, key, || {
                bad_key(name, reason, key, audience)
            });
        }
        match value {
            None => findings.push("env-bad-line", Severity::Error, key, || missing_equals(key)),
            Some(value) => report_kept_syntax(name, value, place, audience, &mut findings),
        }
        if let Some(first) = seen.get(name) {
            findings.push("env-duplicate-key", Severity::Error, key, || {
                duplicate(name, key, audience, *first)
            });
        } else {
            seen.insert(name, number);
            variables.push(Variable {
                name: name.into(),
                value: value.unwrap_or_default().to_owned(),
                place,
            });
        }
    }
    (variables, findings.finish())
}

fn width(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}

fn overlong(place: Place) -> Finding {
    let message = format!(
        "the line is longer than {} bytes: kustomize stops here without an error and drops this line and \
         all that follow",
        MAX_LINE - 1
    );
    Finding::error("env-bad-line", place, message)
        .help("put the value into a file of its own, and list it under `files:`")
}

/// Finding for a line without `=`. The line is not shown: it may be part of a multi-line key or certificate.
fn missing_equals(place: Place) -> Finding {
    let message = "the line has no `=`: kustomize sets the variable to an empty value, and older releases \
                   take it from their own environment";
    Finding::error("env-bad-line", place, message).help(
        "write `NAME=value`; put a multi-line value into a file of its own, and list it under `files:`",
    )
}

fn bad_key(name: &str, reason: &str, place: Place, audience: Audience) -> Finding {
    let help = if name.starts_with("export ") {
        "remove `export`: kustomize does not read shell syntax"
    } else if name.ends_with(char::is_whitespace) {
        "remove the space before the `=`"
    } else {
        "start with a letter, and use only letters, digits, `_`, `-` and `.`"
    };
    let message = format!("the name of {} {reason}", subject(name, audience));
    Finding::error("env-bad-line", place, message).help(help)
}

fn duplicate(name: &str, place: Place, audience: Audience, line: u32) -> Finding {
    let message = format!(
        "{} is already set on line {line}, and kustomize rejects a generator with a duplicate key",
        subject(name, audience)
    );
    Finding::error("env-duplicate-key", place, message).help("remove one of the two lines")
}

/// Whether quotes keep a value from becoming a number or a boolean where it is put into a manifest.
fn must_stay_text(value: &str) -> bool {
    let inside = value.trim().trim_matches(['"', '\'']);
    let is_word = ["true", "false", "yes", "no", "on", "off", "null", "~"]
        .iter()
        .any(|word| inside.eq_ignore_ascii_case(word));
    is_word || !inside.is_empty() && inside.parse::<f64>().is_ok()
}

/// Reports quotes and comments that kustomize keeps in a value, unlike most readers of `.env` files.
fn report_kept_syntax(
    name: &str,
    value: &str,
    place: Place,
    audience: Audience,
    findings: &mut Few,
) {
    let subject = subject(name, audience);
    let may_show =
        audience == Audience::Everyone && !looks_secret(name) && !holds_credentials(value);
    let becomes = if may_show {
        format!(", which becomes `{}`", shown(value))
    } else {
        String::new()
    };
    let comment = comment_start(value).filter(|_| quoting(value) == Quoting::None);
    let bare = &value[..comment.unwrap_or(value.len())];
    let quotes = match quoting(bare) {
        Quoting::None => None,
        Quoting::Whole => Some((
            format!("kustomize keeps the quotes in the value of {subject}{becomes}"),
            "remove the quotes, unless the application expects them",
        )),
        Quoting::Open => Some((
            format!(
                "the value of {subject} starts with a quote that is not closed on the same line: kustomize \
                 keeps the quote, and ends the value with the line"
            ),
            "put a multi-line value into a file of its own, and list it under `files:`",
        )),
    };
    if let Some((message, help)) = quotes.filter(|_| !must_stay_text(bare)) {
        findings.take(Finding::warning("env-quoted-value", place, message).help(help));
    }
    if let Some(start) = comment {
        let place = Place {
            column: place.column + width(bare),
            len: width(&value[start..]),
            ..place
        };
        let message = format!("kustomize keeps the comment in the value of {subject}{becomes}");
        findings.take(
            Finding::warning("env-comment-in-value", place, message)
                .help("move the comment to a line of its own"),
        );
    }
}

/// The variable, as named in a message. An invalid key may be part of a multi-line value, and is not shown.
fn subject(name: &str, audience: Audience) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ');
    let is_key = invalid_key_reason(name).is_none();
    let is_harmless = audience == Audience::Everyone && name.chars().all(is_plain);
    if is_key || is_harmless {
        format!("`{}`", shown(name))
    } else {
        "the variable on this line".to_owned()
    }
}

/// Position of a `#` that follows white space.
fn comment_start(value: &str) -> Option<usize> {
    let mut hashes = value.match_indices('#').map(|(index, _)| index);
    hashes.find(|index| value[..*index].ends_with(char::is_whitespace))
}

#[derive(PartialEq, Eq)]
enum Quoting {
    None,
    Whole,
    /// It starts with a quote that is not closed.
    Open,
}

fn quoting(value: &str) -> Quoting {
    let value = value.trim();
    let Some(quote @ ('"' | '\'')) = value.chars().next() else {
        return Quoting::None;
    };
    match value[1..].replace("\\\"", "  ").find(quote) {
        None => Quoting::Open,
        Some(index) if index + 2 == value.len() => Quoting::Whole,
        Some(_) => Quoting::None,
    }
}

/// Why a ConfigMap or Secret cannot have this key; kustomize itself checks only the last case.
fn invalid_key_reason(name: &str) -> Option<&'static str> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if !name.bytes().all(is_allowed) {
        Some(
            "contains a character that is not allowed in a key: kustomize accepts it, but the API server \
             rejects the object",
        )
    } else if name == "." || name.starts_with("..") {
        Some("looks like a path: kustomize accepts it, but the API server rejects the object")
    } else if name.len() > MAX_KEY {
        Some("is too long for a key: kustomize accepts it, but the API server rejects the object")
    } else if is_not_string(name) {
        Some("is a number, a boolean or null in YAML, and kustomize rejects such a key")
    } else {
        None
    }
}

fn is_not_string(name: &str) -> bool {
    let is_number = name.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.');
    (is_number && name.replace('_', "").parse::<f64>().is_ok())
        || ["true", "false", "null"]
            .iter()
            .any(|word| name.eq_ignore_ascii_case(word))
}

/// Errs on the side of hiding: only messages depend on it.
fn looks_secret(name: &str) -> bool {
    const SIGNS: &[&str] = &[
        "auth", "cert", "cookie", "cred", "dsn", "hash", "hook", "jwt", "key", "license", "pass",
        "pin", "private", "psk", "pwd", "salt", "secret", "seed", "sign", "token",
    ];
    let name = name.to_ascii_lowercase();
    SIGNS.iter().any(|sign| name.contains(sign))
}

/// Whether a value is a URL with a user name, or a key.
fn holds_credentials(value: &str) -> bool {
    let after_scheme = value.split_once("://").map(|(_, rest)| rest);
    after_scheme.is_some_and(|rest| rest.contains('@')) || value.contains("-----BEGIN")
}

fn shown(text: &str) -> String {
    let mut shown: String = text
        .chars()
        .take(MAX_SHOWN)
        .flat_map(char::escape_debug)
        .collect();
    if text.chars().nth(MAX_SHOWN).is_some() {
        shown.push('…');
    }
    shown.replace("\\\"", "\"").replace("\\'", "'")
}

#[cfg(test)]
mod tests;
