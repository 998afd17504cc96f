//! Functions over URLs.

use super::Parameter::{Dict, Text};
use super::{Function, at, text_at};
use crate::engine::value::{Entries, Val};
use crate::engine::{Fail, Run};

pub const FUNCTIONS: &[Function] = &[
    Function::fixed("urlParse", &[Text], parse),
    Function::fixed("urlJoin", &[Dict], join),
];

/// Go's `url.QueryEscape`.
pub fn escape_query(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                out.push(char::from(byte));
            }
            b' ' => out.push('+'),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// Go's escaping of paths and fragments: `?` has a meaning in a path, and some signs need none in a fragment.
fn escape(text: &str, allowed: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric()
            || b"-_.~$&+,/:;=@".contains(&byte)
            || allowed.contains(&byte)
        {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Go's `url.PathUnescape`.
fn unescape(text: &str) -> Result<String, Fail> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'%' {
            out.push(*byte);
            continue;
        }
        let digits = after
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let Some(code) = code.and_then(|digits| u8::from_str_radix(digits, 16).ok()) else {
            let shown = String::from_utf8_lossy(&after[..after.len().min(2)]).into_owned();
            return Err(Fail::new(format!(
                "unable to parse url: parse {text:?}: invalid URL escape \"%{shown}\""
            )));
        };
        out.push(code);
        rest = &after[2..];
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

fn parse(_: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let text = text_at(all, 0);
    let (rest, fragment) = text.split_once('#').unwrap_or((text, ""));
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
    };
    let (scheme, rest) = match rest.split_once(':').filter(|(scheme, _)| is_scheme(scheme)) {
        Some((scheme, rest)) => (scheme.to_lowercase(), rest),
        None => (String::new(), rest),
    };
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let mut host = "";
    let mut userinfo = "";
    let mut path = rest;
    let mut opaque = "";
    if let Some(after) = rest.strip_prefix("//") {
        let end = after.find('/').unwrap_or(after.len());
        let (authority, after) = after.split_at(end);
        path = after;
        (userinfo, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    } else if !scheme.is_empty() && !rest.starts_with('/') {
        (opaque, path) = (rest, "");
    }
    let hostname = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    let hostname = hostname.trim_start_matches('[').trim_end_matches(']');
    let (path, fragment) = (unescape(path)?, unescape(fragment)?);
    let entries = [
        ("scheme", scheme.as_str()),
        ("host", host),
        ("hostname", hostname),
        ("path", path.as_str()),
        ("query", query),
        ("opaque", opaque),
        ("fragment", fragment.as_str()),
        ("userinfo", userinfo),
    ];
    let entries = entries.map(|(key, value)| (key.into(), Val::text(value)));
    Ok(Val::map(Entries::from(entries)))
}

fn join(_: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let part = |key: &str| {
        let found = at(all, 0).get(key);
        found
            .and_then(|found| found.as_str().map(str::to_owned))
            .unwrap_or_default()
    };
    let mut out = part("scheme");
    if !out.is_empty() {
        out.push(':');
    }
    let (opaque, host, path, user) = (part("opaque"), part("host"), part("path"), part("userinfo"));
    if opaque.is_empty() {
        if !out.is_empty() || !host.is_empty() || !user.is_empty() {
            if !host.is_empty() || !path.is_empty() || !user.is_empty() {
                out.push_str("//");
            }
            if !user.is_empty() {
                out.push_str(&user);
                out.push('@');
            }
            out.push_str(&host);
        }
        if !path.is_empty() && !path.starts_with('/') && !host.is_empty() {
            out.push('/');
        }
        out.push_str(&if path == "*" {
            path
        } else {
            escape(&path, b"")
        });
    } else {
        out.push_str(&opaque);
    }
    let query = part("query");
    if !query.is_empty() {
        out.push('?');
        out.push_str(&query);
    }
    let fragment = part("fragment");
    if !fragment.is_empty() {
        out.push('#');
        out.push_str(&escape(&fragment, b"!()*?"));
    }
    Ok(Val::text(out))
}
