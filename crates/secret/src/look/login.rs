//! Credentials in addresses: passwords, and tokens in place of a user name.

use std::ops::Range;

use super::token::is_token;
use super::{Evidence, SecretSpan, is_open};

/// Adds the credentials in the addresses of a text.
pub fn find(text: &str, found: &mut Vec<SecretSpan>) {
    if !base::bytes::any(text.as_bytes(), |byte| byte == b'@') {
        return;
    }
    let mut signs = text.match_indices("://").map(|(at, _)| at).peekable();
    while let Some(at) = signs.next() {
        let start = at + 3;
        let scheme = scheme_before(text, at);
        // An address ends where the next one begins.
        let until = signs
            .peek()
            .map_or(text.len(), |next| *next - scheme_before(text, *next).len());
        let run = &text[start..until.max(start)];
        let run = &run[..address_end(run)];
        let is_web = matches!(scheme, "http" | "https");
        let Some(login) = login_in(run, is_web) else {
            continue;
        };
        add(text, start..start + login, found);
    }
    if base::bytes::any(text.as_bytes(), |byte| byte == b':') {
        super::words(text).for_each(|word| without_scheme(word.start, &text[word], found));
    }
}

/// Adds the credentials in percent-encoded addresses: `https%3A%2F%2Fapp%3Ahunter2%40db.example.com`.
pub fn in_escapes(text: &str, found: &mut Vec<SecretSpan>) {
    const SCHEME_END: &str = "%3a%2f%2f";
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>');
    let mut at = 0;
    while let Some(start) = find_ignoring_case(text, at, SCHEME_END) {
        let start = start + SCHEME_END.len();
        let length = text[start..].find(is_end).unwrap_or(text.len() - start);
        let run = start..start + length;
        base::steps::count(length);
        at = run.end;
        let Some(sign) = find_ignoring_case(&text[..run.end], start, "%40") else {
            continue;
        };
        let user = find_ignoring_case(&text[..sign], start, "%3a").map(|colon| colon + 3);
        let password = user.map_or(start..sign, |from| from..sign);
        // Without a password, the user name may be a token.
        let is_secret = match user {
            Some(_) => !is_open(&text[password.clone()]),
            None => is_key(&text[password.clone()]),
        };
        if is_secret {
            found.push(SecretSpan::certain(password));
        }
    }
}

fn find_ignoring_case(text: &str, from: usize, lower: &str) -> Option<usize> {
    let mut at = from;
    while let Some(length) = text[at..].find('%') {
        let start = at + length;
        let part = text.as_bytes().get(start..start + lower.len())?;
        if part.eq_ignore_ascii_case(lower.as_bytes()) {
            return Some(start);
        }
        at = start + 1;
    }
    None
}

/// The end of an address at the latest.
fn address_end(run: &str) -> usize {
    let mut previous = ' ';
    for (at, c) in run.char_indices() {
        // An escaped line break within quoted text.
        if previous == '\\' && matches!(c, 'n' | 'r' | 't') {
            return at - 1;
        }
        if c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>') {
            return at;
        }
        previous = c;
    }
    run.len()
}

fn scheme_before(text: &str, at: usize) -> &str {
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let length = text.as_bytes()[..at]
        .iter()
        .rev()
        .take(32)
        .take_while(is_part)
        .count();
    &text[at - length..at]
}

/// Length of the credentials at the start of an address. People forget to escape passwords, so they may reach beyond
/// the first `/`, `?` or `#`.
fn login_in(run: &str, is_web: bool) -> Option<usize> {
    let end = run.find(['/', '?', '#']).unwrap_or(run.len());
    let host_end = |at: usize| {
        run[at..]
            .find(['/', '?', '#'])
            .map_or(run.len(), |length| at + length)
    };
    let strict = run[..end].rfind('@');
    // In a path or query, an `@` has no meaning.
    let query = run.find('?').unwrap_or(run.len());
    let last = match strict {
        Some(at) => run[at..query.max(at)].rfind('@').map(|more| at + more),
        None => run.rfind('@'),
    };
    match (strict, last) {
        (Some(at), Some(last)) if last > at => {
            let host = &run[at + 1..host_end(at + 1)];
            let is_host = host.contains(['.', ':']) || host == "localhost" || host.is_empty();
            Some(if is_web && is_host { at } else { last })
        }
        (Some(at), _) => Some(at),
        (None, Some(last)) => {
            let (user, rest) = run[..last].split_once(':')?;
            let port = rest.split(['/', '?', '#']).next().unwrap_or_default();
            let is_port = port.bytes().all(|byte| byte.is_ascii_digit());
            let is_user = !user.contains(['/', '?', '#']);
            (is_user && !(is_web && is_port)).then_some(last)
        }
        (None, None) => None,
    }
}

fn add(text: &str, login: Range<usize>, found: &mut Vec<SecretSpan>) {
    let start = login.start;
    let words = &text[login.clone()];
    match words.split_once(':') {
        Some((user, password)) => {
            if is_token(user) || password == "x-oauth-basic" && is_key(user) {
                found.push(SecretSpan::certain(start..start + user.len()));
            }
            if !is_open(password) {
                found.push(SecretSpan::certain(start + user.len() + 1..login.end));
            }
        }
        None if is_key(words) => found.push(SecretSpan::certain(login)),
        None => {}
    }
}

/// Whether the user name is itself a credential.
fn is_key(login: &str) -> bool {
    let is_long = login.len() >= 20 && login.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_long && login.bytes().any(|byte| byte.is_ascii_digit()) || is_token(login)
}

/// Adds passwords in addresses without a scheme: `app:hunter2@tcp(db:3306)/shop`, `app:hunter2@/shop`,
/// `jdbc:oracle:thin:app/hunter2@db:1521/shop` and `app:Hunter2Correct@db:5432`.
fn without_scheme(start: usize, word: &str, found: &mut Vec<SecretSpan>) {
    if !word.contains('@') || word.contains("://") {
        return;
    }
    if let Some(range) = before_host(word) {
        let range = start + range.start..start + range.end;
        return found.push(SecretSpan {
            range,
            evidence: Evidence::Doubtful,
        });
    }
    let mut signs = ["@tcp(", "@unix(", "@/"].iter();
    let socket = signs.find_map(|sign| word.rfind(sign));
    let (sign, until) = match (socket, word.find("jdbc:oracle:")) {
        (Some(at), _) => (':', Some(at)),
        (None, Some(_)) => ('/', word.rfind('@')),
        (None, None) => return,
    };
    let login = until.map_or("", |until| &word[..until]);
    if let Some((user, password)) = login.split_once(sign)
        && !is_open(password)
    {
        found.push(SecretSpan::certain(
            start + user.len() + 1..start + login.len(),
        ));
    }
}

/// The password in `user:password@host`. Members such as `user:ann@example.com` images with a digest and `mailto:` look alike, so
/// the password must have letters of both cases and digits.
fn before_host(word: &str) -> Option<Range<usize>> {
    let (login, host) = word.rsplit_once('@')?;
    let (user, password) = login.split_once(':')?;
    let is_name = |part: &str| {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
        !part.is_empty() && part.bytes().all(is_part)
    };
    let host_name = host.split([':', '/', '?']).next().unwrap_or(host);
    let has = |is_of: fn(&u8) -> bool| password.bytes().any(|byte| is_of(&byte));
    let is_mixed =
        has(u8::is_ascii_digit) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    let is_digest = matches!(host_name, "sha256" | "sha512") || user == "mailto";
    let is_login = is_name(user.trim_start_matches(['(', '[', '{'])) && is_name(host_name);
    (is_login && !is_digest && is_mixed && password.len() >= 10 && !is_open(password))
        .then(|| user.len() + 1..login.len())
}
