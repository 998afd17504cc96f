//! Values under the name of a secret within a text: in YAML and JSON, in queries and connection strings, in scripts.
//! Each byte is read a few times at most, whatever the text.

use std::ops::Range;

use super::super::name::{ContainerSecrecy, container_secrecy};
use super::super::{is_secret_name, plain};
use super::{Evidence, SecretSpan, is_open};

/// Adds the values under names of secrets.
pub fn find(text: &str, found: &mut Vec<SecretSpan>) {
    signs(text, found, Name::is_secret);
}

/// Adds the secrets in queries of addresses only.
pub fn in_queries(text: &str, found: &mut Vec<SecretSpan>) {
    signs(text, found, |name, text| {
        name.is_of_query() && name.is_secret(text)
    });
}

fn signs(text: &str, found: &mut Vec<SecretSpan>, is_meant: fn(&Name, &str) -> bool) {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut line_end = 0;
    let mut progress = base::steps::ScanProgress::default();
    while let Some(length) = base::bytes::either(b'=', b':', &bytes[at..]) {
        progress.turn(at + length);
        let sign = at + length;
        at = sign + 1;
        // Most colons belong to addresses, images and times.
        let is_quoted = sign > 0 && matches!(bytes[sign - 1], b'"' | b'\'' | b' ');
        let is_inner = bytes[sign] == b':'
            && !is_quoted
            && !matches!(
                bytes.get(at),
                None | Some(b' ' | b'\t' | b'\n' | b'\r' | b'=')
            );
        if is_inner {
            continue;
        }
        let Some(name) = Name::before(text, sign) else {
            continue;
        };
        if !is_meant(&name, text) {
            continue;
        }
        // Search once per line: a long one may have many names.
        if line_end < at {
            line_end = super::line_end(text, at);
        }
        let Some(value) = value_after(text, &name, sign, line_end) else {
            continue;
        };
        at = at.max(value.end);
        add(name.text(text), text, value, found);
    }
}

fn add(name: &str, text: &str, value: Range<usize>, found: &mut Vec<SecretSpan>) {
    let inner = &text[value.clone()];
    if is_open(inner) || crate::harmless::is_harmless(name, inner) {
        return;
    }
    let evidence = if plain::is_password(name, inner) {
        Evidence::Certain
    } else {
        Evidence::Doubtful
    };
    found.push(SecretSpan {
        range: value,
        evidence,
    });
}

/// A name before an assignment.
struct Name {
    range: Range<usize>,
    is_quoted: bool,
    /// The byte before it, apart from blanks and quotes; `None` at the start of a line.
    before: Option<u8>,
}

/// Only the end of a longer name is read.
const LONGEST_NAME: usize = 64;

impl Name {
    fn before(text: &str, sign: usize) -> Option<Name> {
        let bytes = text.as_bytes();
        let mut end = sign;
        let mut blanks = 0;
        while end > 0 && matches!(bytes[end - 1], b' ' | b'\t') && blanks < 8 {
            end -= 1;
            blanks += 1;
        }
        // `config["password"] = …`
        if end > 1 && bytes[end - 1] == b']' && matches!(bytes[end - 2], b'"' | b'\'') {
            end -= 1;
        }
        let is_quoted = end > 0 && matches!(bytes[end - 1], b'"' | b'\'');
        if is_quoted {
            end -= 1;
            let escapes = bytes[..end].iter().rev().take(8);
            end -= escapes.take_while(|byte| **byte == b'\\').count();
        }
        let is_part =
            |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        let length = bytes[..end]
            .iter()
            .rev()
            .take(LONGEST_NAME)
            .take_while(is_part)
            .count();
        if length == 0 {
            return None;
        }
        let start = end - length;
        let before = bytes[..start]
            .iter()
            .rev()
            .take(LONGEST_NAME)
            .find(|byte| !matches!(byte, b' ' | b'\t' | b'"' | b'\'' | b'\\'));
        let range = start..end;
        let before = before.copied().filter(|byte| *byte != b'\n');
        Some(Name {
            range,
            is_quoted,
            before,
        })
    }

    fn text<'a>(&self, text: &'a str) -> &'a str {
        &text[self.range.clone()]
    }

    fn is_secret(&self, text: &str) -> bool {
        // `${DB_PASSWORD:=…}` has a value only if nothing sets the variable.
        if text[..self.range.start].ends_with("${") {
            return false;
        }
        let name = self.text(text);
        let in_query = ["sig", "signature", "x-amz-signature", "auth", "code", "key"];
        let headers = ["cookie", "set-cookie"];
        let is_among = |names: &[&str]| names.iter().any(|one| one.eq_ignore_ascii_case(name));
        is_secret_name(name) || self.is_of_query() && is_among(&in_query) || is_among(&headers)
    }

    fn is_of_query(&self) -> bool {
        matches!(self.before, Some(b'?' | b'&'))
    }
}

/// The value that belongs to a name.
fn value_after(text: &str, name: &Name, sign: usize, line_end: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let next = bytes.get(sign + 1).copied();
    let is_colon = bytes[sign] == b':';
    let is_far = matches!(next, None | Some(b' ' | b'\t' | b'\n' | b'\r'));
    let start = match next {
        // `==` and `=~` are comparisons.
        Some(b'=' | b'~') if !is_colon => return None,
        Some(b'>') if !is_colon => sign + 2,
        Some(b'=') if is_colon => sign + 2,
        // Images, paths and times have colons too.
        _ if is_colon && !is_far && !name.is_quoted => return None,
        _ => sign + 1,
    };
    let start = start.min(line_end);
    let blanks = text[start..line_end].bytes();
    let start = start
        + blanks
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count();
    let line = &text[start..line_end];
    if is_colon && line.is_empty() {
        return block_below(text, name, line_end, &BlockContent::Anything);
    }
    if is_colon && is_block_sign(line.trim_end()) {
        return block_below(text, name, line_end, &BlockContent::Text);
    }
    if let Some(inner) = quoted(line) {
        return Some(start + inner.start..start + inner.end);
    }
    if line.starts_with(['[', '{']) && !line.starts_with("{{") {
        // Otherwise the names inside decide.
        let is_certain = container_secrecy(name.text(text)) == ContainerSecrecy::Certain;
        return is_certain.then(|| start..start + closed(&text[start..]));
    }
    let length = if is_colon {
        after_colon(line, name)
    } else {
        after_equals(line, name, bytes.get(sign.wrapping_sub(1)) == Some(&b' '))
    };
    let value = line[..length].trim_end();
    Some(start..start + value.len())
}

/// Whether a line is the header of a YAML block scalar.
fn is_block_sign(line: &str) -> bool {
    let mut chars = line.chars();
    matches!(chars.next(), Some('|' | '>'))
        && chars.all(|c| matches!(c, '+' | '-') || c.is_ascii_digit())
}

/// The kind of content expected below a name.
#[derive(PartialEq, Eq)]
enum BlockContent {
    /// A text of several lines.
    Text,
    Anything,
}

/// The lines below a name that are indented deeper. In a mapping, the names inside decide.
fn block_below(
    text: &str,
    name: &Name,
    line_end: usize,
    below: &BlockContent,
) -> Option<Range<usize>> {
    let is_any = *below == BlockContent::Anything;
    if is_any && container_secrecy(name.text(text)) != ContainerSecrecy::Certain {
        return None;
    }
    let line_start = text[..name.range.start].rfind('\n').map_or(0, |at| at + 1);
    let depth = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let own = depth(&text[line_start..]);
    let first = (line_end + 1).min(text.len());
    let mut end = first;
    for line in text[first..].split_inclusive('\n') {
        let bare = line.trim();
        let is_item = is_any && bare.starts_with("- ");
        let is_deeper = depth(line) > own || is_item && depth(line) == own;
        if !bare.is_empty() && !is_deeper {
            break;
        }
        if is_any && end == first && is_entry(bare) {
            return None;
        }
        end += line.len();
    }
    // Keep the indentation and the end of the last line, so that the text around it still parses.
    let block = &text[first..end];
    let start = first + (block.len() - block.trim_start().len());
    let end = first + block.trim_end().len();
    (start < end).then_some(start..end)
}

/// Whether a line is an entry of a mapping.
fn is_entry(line: &str) -> bool {
    let entry = line.trim_start_matches("- ").split_once(':');
    entry.is_some_and(|(key, rest)| {
        !key.contains(char::is_whitespace) && (rest.is_empty() || rest.starts_with(' '))
    })
}

/// The quoted text at the start of a line.
fn quoted(line: &str) -> Option<Range<usize>> {
    let mut quotes = ["\\\"", "\\'", "\"", "'"].into_iter();
    let quote = quotes.find(|quote| line.starts_with(quote))?;
    let start = quote.len();
    let bytes = line.as_bytes();
    let mut at = start;
    while at < bytes.len() {
        base::steps::count(1);
        if bytes[at..].starts_with(quote.as_bytes()) {
            return Some(start..at);
        }
        // Skip escaped characters.
        at += if bytes[at] == b'\\' && quote.len() == 1 {
            2
        } else {
            1
        };
    }
    Some(start..line.len())
}

/// Length of a list or mapping, up to its closing bracket.
fn closed(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

fn after_colon(line: &str, name: &Name) -> usize {
    match name.before {
        // In a flow mapping, or in quotes as a header.
        Some(b'{' | b',' | b'(') => line.find([',', '}', ')']).unwrap_or(line.len()),
        _ if name.is_quoted => line.find([',', '}', ' ']).unwrap_or(line.len()),
        None | Some(b'-' | b'#' | b'?') => line.find(" #").unwrap_or(line.len()),
        // In a sentence, a single word may be the value.
        Some(_) => {
            let length = line.find(char::is_whitespace).unwrap_or(line.len());
            let ends = |c: char| matches!(c, '"' | '\'' | '`' | ')' | '.' | ';');
            line[..length].find(ends).unwrap_or(length)
        }
    }
}

fn after_equals(line: &str, name: &Name, is_spaced: bool) -> usize {
    // `password = correct horse`
    if is_spaced && name.before.is_none() {
        return line.len();
    }
    let mut end = line.len();
    for (at, c) in line.char_indices() {
        let rest = &line[at + c.len_utf8()..];
        let is_end = match c {
            ';' | '&' | ',' => {
                rest.is_empty() || rest.starts_with(char::is_whitespace) || starts_pair(rest)
            }
            '#' if name.is_of_query() => true,
            '"' | '\'' | '`' | ')' | '}' | ']' | '<' | '>' => true,
            c => c.is_whitespace(),
        };
        if is_end {
            end = at;
            break;
        }
    }
    end
}

/// Whether another name with a value follows. Names in connection strings contain blanks.
fn starts_pair(rest: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ');
    let rest = &rest[..rest.floor_char_boundary(LONGEST_NAME)];
    let name = rest.find(|c| !is_part(c));
    name.is_some_and(|length| length > 0 && rest[length..].starts_with('='))
}

/// Adds the values of XML: `<password>hunter2</password>` and `<property name="password" value="hunter2"/>`.
pub fn in_elements(text: &str, found: &mut Vec<SecretSpan>) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let mut opened = None;
    for (at, _) in text.match_indices('<') {
        let rest = &text[at + 1..];
        if let Some(rest) = rest.strip_prefix('/') {
            let name = &rest[..rest
                .find(|c| !is_part(c))
                .unwrap_or(rest.len())
                .min(LONGEST_NAME)];
            // A tag that is not closed may end behind the next one: `<a</password>`.
            if let Some(opened) = opened.filter(|opened| *opened <= at && is_secret_name(name)) {
                add(name, text, opened..at, found);
            }
        }
        // If this element is complete, the next one to be closed starts behind it.
        opened = None;
        let window = &rest[..rest.floor_char_boundary(LONGEST_TAG)];
        let Some(length) = window.find('>') else {
            continue;
        };
        opened = Some(at + 1 + length + 1);
        let tag = &window[..length];
        let Some(start) = tag.find("value=").map(|start| start + "value=".len()) else {
            continue;
        };
        let mut names = tag.split(['"', '\'']).skip(1).step_by(2);
        let named = names.find(|name| is_secret_name(name));
        if let (Some(name), Some(inner)) = (named, quoted(&tag[start..])) {
            let from = at + 1 + start;
            add(name, text, from + inner.start..from + inner.end, found);
        }
    }
}

/// Longer tags are skipped.
const LONGEST_TAG: usize = 1024;

/// Adds values that follow a name after blanks only: configuration lines, SQL, `.netrc` and Redis `AUTH`.
pub fn in_directives(text: &str, found: &mut Vec<SecretSpan>) {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        in_line(text, at..at + line.len(), found);
        at += line.len();
    }
}

fn in_line(text: &str, line: Range<usize>, found: &mut Vec<SecretSpan>) {
    let start = line.start;
    let line = &text[line];
    let mut first = 0..0;
    let mut last = 0..0;
    let mut count = 0;
    for word in super::words(line) {
        let (name, value) = (&line[last.clone()], &line[word.clone()]);
        let range = start + word.start..start + word.end;
        let gap = &line[last.end..word.start];
        let is_quoted = count > 0 && gap.starts_with([' ', '\t']) && gap.ends_with(['"', '\'']);
        let is_secret = is_quoted && {
            let is_sql = name.eq_ignore_ascii_case("by") && has_word(line, "identified");
            let is_label = line.trim_end().ends_with('{');
            // `set $api_key "…"` in the configuration of nginx.
            let is_set = &line[first.clone()] == "set" && name.starts_with('$');
            is_sql
                || is_set && is_secret_name(&name[1..])
                || !is_label
                    && is_name(name)
                    && container_secrecy(name) == ContainerSecrecy::Certain
        };
        if is_secret || name == "password" && has_word(line, "login") {
            add("password", text, range, found);
        } else if value.starts_with('>') && &line[first.clone()] == "user" {
            add("password", text, range.start + 1..range.end, found);
        }
        if count == 0 {
            first = word.clone();
        }
        count += 1;
        last = word;
    }
    let has_digit = || line[last.clone()].bytes().any(|byte| byte.is_ascii_digit());
    if count == 2
        && is_name(&line[first.clone()])
        && is_secret_name(&line[first.clone()])
        && has_digit()
    {
        // `proxy_pass http://web:8000` and `fastcgi_pass 127.0.0.1:9000` name a server.
        let value = &line[last.clone()];
        let port = value
            .trim_end_matches(';')
            .rsplit_once(':')
            .map(|(_, port)| port);
        let is_port = port
            .is_some_and(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()));
        let is_passed = line[first.clone()].ends_with("_pass");
        let is_server = value.contains("://") && !value.contains('@')
            || is_passed && (is_port || value.starts_with("unix:"));
        let name = if is_server { &line[first] } else { "password" };
        add(name, text, start + last.start..start + last.end, found);
    }
}

fn is_name(word: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    word.bytes().all(is_part)
}

fn has_word(line: &str, word: &str) -> bool {
    super::words(line)
        .take(MOST_WORDS)
        .any(|range| line[range].eq_ignore_ascii_case(word))
}

/// Lines with more words are prose, or not lines at all.
const MOST_WORDS: usize = 24;

/// Adds percent-encoded pairs, as an address within an address: `password%3Dhunter2%26…`.
pub fn in_escapes(text: &str, found: &mut Vec<SecretSpan>) {
    for sign in ["%3D", "%3d"] {
        for (at, _) in text.match_indices(sign) {
            let Some(name) = Name::before(text, at).filter(|name| is_secret_name(name.text(text)))
            else {
                continue;
            };
            let start = at + sign.len();
            let is_end = |c: char| c.is_whitespace() || matches!(c, '%' | '&' | '"' | '\'' | '#');
            let length = text[start..].find(is_end).unwrap_or(text.len() - start);
            add(name.text(text), text, start..start + length, found);
        }
    }
}
