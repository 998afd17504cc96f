//! Access tokens: texts of a known format, anywhere. The formats are data, in `formats.txt`.

use std::ops::Range;
use std::sync::LazyLock;

use super::{Evidence, SecretSpan};
use base::steps::{self, Progress};

/// No token is shorter.
pub const SHORTEST: usize = 16;

/// The first bytes suffice to tell whether a token is random.
const LOOKED_AT: usize = 64;

/// Adds the tokens in a text.
pub fn find(text: &str, found: &mut Vec<SecretSpan>) {
    let bytes = text.as_bytes();
    if bytes.len() < SHORTEST {
        return;
    }
    let formats = &*FORMATS;
    let mut at = 0;
    let mut progress = Progress::default();
    while let Some(start) = bytes.get(at..at + 3) {
        progress.turn(at);
        let bucket = formats.starts[Formats::slot(start)];
        let hit = match bucket {
            0 => None,
            _ => formats
                .listed(bucket)
                .find_map(|format| format.at(bytes, at)),
        };
        match hit {
            Some(part) => {
                at = part.range.end.max(at + 1);
                found.push(part);
            }
            None => at += 1,
        }
    }
}

/// Adds the tokens of certain formats in a part of a text. Runs in linear time: a token is never looked at twice.
pub fn certain(bytes: &[u8], part: Range<usize>, found: &mut Vec<SecretSpan>) {
    let formats = &*FORMATS;
    let mut at = part.start;
    let mut progress = Progress::default();
    while at < part.end {
        progress.turn(at);
        let Some(start) = bytes.get(at..at + 3) else {
            return;
        };
        let hit = match formats.starts[Formats::slot(start)] {
            0 => None,
            bucket => formats
                .listed(bucket)
                .filter(|format| format.evidence == Evidence::Certain)
                .find_map(|format| format.at(bytes, at)),
        };
        match hit {
            Some(part) => {
                at = part.range.end.max(at + 1);
                found.push(part);
            }
            None => at += 1,
        }
    }
}

/// Whether a byte may be part of a token.
pub fn is_part(byte: u8) -> bool {
    CharacterClass::Base64.has(byte)
}

/// Whether a whole text is one token.
pub fn is_token(text: &str) -> bool {
    let mut found = Vec::new();
    find(text, &mut found);
    matches!(&found[..], [part] if part.range == (0..text.len()))
}

struct Format {
    prefix: &'static str,
    class: CharacterClass,
    least: usize,
    position: Position,
    /// Number of letters or digits of the token before its fixed part.
    before: usize,
    needs_digit: bool,
    keeps_prefix: bool,
    evidence: Evidence,
}

#[derive(PartialEq, Eq)]
enum Position {
    Anywhere,
    WordStart,
}

#[derive(Clone, Copy)]
enum CharacterClass {
    Alnum,
    Word,
    Dotted,
    Base64,
    Hex,
    Upper,
}

impl CharacterClass {
    fn has(self, byte: u8) -> bool {
        match self {
            CharacterClass::Alnum => byte.is_ascii_alphanumeric(),
            CharacterClass::Word => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            CharacterClass::Dotted => {
                byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
            }
            CharacterClass::Base64 => byte.is_ascii_alphanumeric() || b"_-.+/=~".contains(&byte),
            CharacterClass::Hex => byte.is_ascii_hexdigit(),
            CharacterClass::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        }
    }
}

impl Format {
    /// The token of this format whose fixed part starts at a byte.
    fn at(&self, bytes: &[u8], at: usize) -> Option<SecretSpan> {
        let prefix = self.prefix.as_bytes();
        let rest = bytes[at..].strip_prefix(prefix)?;
        let is_letter = |byte: &&u8| byte.is_ascii_alphanumeric();
        let before = &bytes[..at];
        if self.position == Position::WordStart && !starts_word(before) {
            return None;
        }
        // At most as many as a token has, so that a long text is not read again and again.
        let led = before.iter().rev().take(64).take_while(is_letter).count();
        if led < self.before {
            return None;
        }
        let body = || rest.iter().take_while(|byte| self.class.has(**byte));
        // At most as many as needed: in a long text, every part may begin like a token.
        let has = |test: fn(&u8) -> bool| body().take(LOOKED_AT).any(test);
        let is_random = || has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
        if body().take(self.least).count() < self.least || self.needs_digit && !is_random() {
            return None;
        }
        let length = body().count();
        steps::count(length);
        let body_start = at + prefix.len();
        let start = if self.keeps_prefix {
            body_start
        } else if self.before > 0 {
            at - led
        } else {
            at
        };
        Some(SecretSpan {
            range: start..body_start + length,
            evidence: self.evidence,
        })
    }
}

/// Whether a word starts after these bytes. The letters of an escape such as `%3D` or `\\n` are not part of one.
fn starts_word(before: &[u8]) -> bool {
    match before {
        [.., b'%', one, two] if one.is_ascii_hexdigit() && two.is_ascii_hexdigit() => true,
        [.., b'\\', _] => true,
        [.., last] => !last.is_ascii_alphanumeric(),
        [] => true,
    }
}

struct Formats {
    formats: Vec<Format>,
    /// By the first three bytes of a text, five bits of each: the index in `lists` of formats that may begin so.
    starts: Vec<u16>,
    lists: Vec<Vec<usize>>,
}

static FORMATS: LazyLock<Formats> = LazyLock::new(|| {
    let lines = include_str!("formats.txt").lines();
    Formats::new(lines.filter_map(format).collect())
});

impl Formats {
    fn new(formats: Vec<Format>) -> Formats {
        let mut starts = vec![0; 1 << 15];
        let mut lists = vec![Vec::new()];
        for (index, format) in formats.iter().enumerate() {
            let mut first = *b"\0\0\0";
            let length = format.prefix.len().min(3);
            first[..length].copy_from_slice(&format.prefix.as_bytes()[..length]);
            // After a shorter prefix, any byte may follow.
            let lasts = if length < 3 {
                0..32
            } else {
                first[2]..first[2] + 1
            };
            for last in lasts {
                let slot = Formats::slot(&[first[0], first[1], last]);
                if starts[slot] == 0 {
                    starts[slot] = u16::try_from(lists.len()).expect("there are fewer beginnings");
                    lists.push(Vec::new());
                }
                lists[usize::from(starts[slot])].push(index);
            }
        }
        Formats {
            formats,
            starts,
            lists,
        }
    }

    fn slot(start: &[u8]) -> usize {
        let bits = |at: usize| usize::from(start[at] & 31);
        bits(0) << 10 | bits(1) << 5 | bits(2)
    }

    fn listed(&self, bucket: u16) -> impl Iterator<Item = &Format> {
        let list = self.lists[usize::from(bucket)].iter();
        list.map(|index| &self.formats[*index])
    }
}

/// Parses a line of the file; `None` if it is empty or a comment.
fn format(line: &'static str) -> Option<Format> {
    let mut words = line.split_whitespace();
    let prefix = words.next().filter(|prefix| *prefix != "#")?;
    let class = match words.next()? {
        "alnum" => CharacterClass::Alnum,
        "word" => CharacterClass::Word,
        "dotted" => CharacterClass::Dotted,
        "base64" => CharacterClass::Base64,
        "hex" => CharacterClass::Hex,
        "upper" => CharacterClass::Upper,
        _ => return None,
    };
    let mut format = Format {
        prefix,
        class,
        least: words.next()?.parse().ok()?,
        position: Position::Anywhere,
        before: 0,
        needs_digit: false,
        keeps_prefix: false,
        evidence: Evidence::Certain,
    };
    for word in words {
        match word {
            "start" => format.position = Position::WordStart,
            "random" => format.needs_digit = true,
            "doubtful" => format.evidence = Evidence::Doubtful,
            "open" => format.keeps_prefix = true,
            _ => format.before = word.strip_prefix("before=")?.parse().ok()?,
        }
    }
    Some(format)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_file_is_a_format() {
        let lines = include_str!("formats.txt").lines();
        let is_used = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
        for line in lines.filter(is_used) {
            assert!(format(line).is_some(), "{line}");
        }
    }

    #[test]
    fn every_format_is_found_between_any_signs() {
        let body = "a1B2c3D4e5F6a7B8c9D0".repeat(8);
        for format in &FORMATS.formats {
            let kept: String = body
                .chars()
                .filter(|c| format.class.has(*c as u8))
                .collect();
            let before = &"1234567890".repeat(6)[..format.before];
            let token = format!("{before}{}{kept}", format.prefix);
            for (open, close) in [
                ("", ""),
                ("?t=", "&b"),
                ("x:", ":y"),
                ("(", ")"),
                ("“", "”"),
                ("\\\"", "\\\""),
            ] {
                let text = format!("{open}{token}{close}");
                let mut found = Vec::new();
                find(&text, &mut found);
                let ends = open.len() + token.len();
                let hits = found.iter().filter(|part| part.range.end >= ends);
                assert_eq!(hits.count(), 1, "{text}");
            }
        }
    }

    #[test]
    fn ordinary_texts_hold_no_token() {
        for text in [
            "task-runner-with-a-long-name-2024-01-01",
            "sk-some-kebab-case-name-of-a-thing",
            "docs.example.com/s.html?page=12345678901234567890",
            "monkey-business-and-other-stories-of-the-day",
            "npm_config_registry_mirror_directory",
            "registry.example.com/dapi-server-image-name:1.2.3",
            "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
            "https://hooks.slack.com/services/${SLACK_PATH}",
            "AKIAVELLI-THE-PRINCE-OF-PERSIA",
            "kubernetes.io/service-account.name",
        ] {
            let mut found = Vec::new();
            find(text, &mut found);
            assert!(
                found.is_empty(),
                "{text}: {:?}",
                found
                    .iter()
                    .map(|part| &text[part.range.clone()])
                    .collect::<Vec<_>>()
            );
        }
    }
}
