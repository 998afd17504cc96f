//! Secrets in base64, also when they are encoded more than once. The text of a run is looked through like any other.

use base::steps::{self, ScanProgress};

use super::{Evidence, SecretSpan};

/// Text that is encoded more often is not looked at.
pub const MOST_LAYERS: u8 = 3;

/// Shorter runs hold no token and hardly a login.
const SHORTEST: usize = 16;

/// Lines of wrapped base64 are at least this long.
const WRAPPED: usize = 60;

/// Adds the runs of base64 in whose text `is_secret` finds something.
pub fn find(bytes: &[u8], found: &mut Vec<SecretSpan>, is_secret: impl Fn(&str) -> bool) {
    let mut at = SHORTEST - 1;
    let mut seen = 0;
    let mut progress = ScanProgress::default();
    while at < bytes.len() {
        progress.turn(at);
        if !is_part(bytes[at]) {
            at += SHORTEST;
            continue;
        }
        let before = bytes[seen..at].iter().rev();
        let start = at - before.take_while(|byte| is_part(**byte)).count();
        let end = run_end(bytes, start);
        steps::count(end - start);
        if end - start >= SHORTEST
            && let Some(text) = decoded(&bytes[start..end])
            && (is_login(&text) || is_secret(&text))
        {
            let padding = bytes[end..].iter().take_while(|byte| **byte == b'=');
            found.push(SecretSpan {
                range: start..end + padding.count(),
                evidence: Evidence::Doubtful,
            });
        }
        seen = end;
        at = end + SHORTEST;
    }
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

/// The end of a run, with the lines it is wrapped into.
fn run_end(bytes: &[u8], start: usize) -> usize {
    let mut end = start;
    let mut line = end;
    loop {
        end += bytes[end..]
            .iter()
            .take_while(|byte| is_part(**byte))
            .count();
        let gap = bytes[end..].iter().take(MOST_BLANKS);
        let gap = gap.take_while(|byte| byte.is_ascii_whitespace()).count();
        let is_wrapped = end - line >= WRAPPED && bytes[end..end + gap].contains(&b'\n');
        if !is_wrapped || !bytes.get(end + gap).is_some_and(|byte| is_part(*byte)) {
            return end;
        }
        end += gap;
        line = end;
    }
}

/// Lines are indented by at most this many blanks.
const MOST_BLANKS: usize = 64;

/// The text that a run encodes; `None` if it is none. Most runs are words or hashes, and their first bytes tell.
fn decoded(run: &[u8]) -> Option<String> {
    let is_text = |bytes: &[u8]| {
        let is_odd = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
        !bytes.iter().any(is_odd)
    };
    let head = decode(&run[..SHORTEST.min(run.len())]);
    if !is_text(&head) || !head.is_ascii() {
        return None;
    }
    let text = String::from_utf8(decode(run)).ok()?;
    is_text(text.as_bytes()).then_some(text)
}

/// The bytes that a run encodes, in either alphabet.
fn decode(run: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(run.len() / 4 * 3 + 3);
    let mut bits = 0_u32;
    let mut count = 0;
    for byte in run {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => continue,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    bytes
}

/// Whether a text is a user name and a password, as registries and `Basic` headers have them.
fn is_login(text: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && !word.contains(char::is_whitespace);
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once(':').is_some_and(|(user, password)| {
        is_word(user)
            && is_word(password)
            && !password.starts_with("//")
            && !is_number(password)
            && crate::is_usable(password)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &str) -> Option<std::ops::Range<usize>> {
        let mut found = Vec::new();
        find(text.as_bytes(), &mut found, |_| true);
        found.first().map(|part| part.range.clone())
    }

    #[test]
    fn runs_of_text_are_found_and_others_are_not() {
        let encoded = yaml::encode_base64(b"a text that is long enough to be looked at");
        let text = format!("x: {encoded}, y");
        assert_eq!(first(&text), Some(3..3 + encoded.len()));
        let long = "a text of several lines, each of which is wrapped, ".repeat(8);
        let wrapped = yaml::encode_base64(long.as_bytes());
        assert!(wrapped.contains('\n'));
        let indented = format!("  {}", wrapped.trim_end().replace('\n', "\n  "));
        assert_eq!(first(&indented), Some(2..indented.len()));
        for text in [
            "0123456789abcdef0123456789abcdef01234567",
            "registry/example/com/platform/teams/shop/images",
            "a-name-that-is-long-enough-but-says-nothing",
            "AbstractSingletonProxyFactoryBeanImplementation",
        ] {
            assert_eq!(first(text), None, "{text}");
        }
    }

    #[test]
    fn logins_are_told_from_images_and_addresses() {
        assert!(is_login("bob:hunter2Q"));
        for text in ["web:8080", "https://a.example.com", "a: b", "user:${PW}"] {
            assert!(!is_login(text), "{text}");
        }
    }
}
