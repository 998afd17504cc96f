//! From text to the terms that it is found by, as `words` in `theme/static/search.js` has them.
//! The only importer of Unicode's decompositions.

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// Which terms a word gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// `externalSecret` is one.
    Whole,
    /// `externalSecret` is three: itself, `external` and `secret`.
    WithParts,
}

/// Lengths are in units of UTF-16, as the script counts them.
pub const MIN_UNITS: usize = 2;

/// The rest of a longer word is not searched.
pub const MAX_UNITS: usize = 64;

/// Reads texts, and keeps the room that it needs for that.
#[derive(Default)]
pub struct TermReader {
    /// What was read of a word that is not plain ASCII.
    word: String,
    term: String,
}

impl TermReader {
    /// Hands each term of `text` to `found`, as often as it is there.
    pub fn read(&mut self, text: &str, words: Words, found: &mut impl FnMut(&str)) {
        let TermReader { word, term } = self;
        word.clear();
        let mut rest = text;
        // Where the last number with dots ends, as the length of what follows it.
        let mut numbered = usize::MAX;
        // The same for hosts.
        let mut hosted = usize::MAX;
        while !rest.is_empty() {
            if word.is_empty()
                && rest.len() <= numbered
                && let Some(number) = dotted_number(rest)
            {
                numbered = rest.len() - usize::from(rest.starts_with(['v', 'V'])) - number.len();
                found(&number[..number.len().min(MAX_UNITS)]);
            }
            if words == Words::WithParts
                && word.is_empty()
                && rest.len() <= hosted
                && let Some(host) = host(rest)
            {
                hosted = rest.len() - host.len();
                found(host);
            }
            let bytes = rest.as_bytes().iter();
            let plain = bytes.take_while(|b| b.is_ascii_alphanumeric()).count();
            base::steps::count(plain + 1);
            let (run, after) = rest.split_at(plain);
            let mut characters = after.chars();
            let next = characters.next().unwrap_or(' ');
            rest = characters.as_str();
            if next.is_ascii() {
                // Most words are whole here, and need not be put together.
                if word.is_empty() {
                    give(run, words, term, found);
                } else {
                    append(word, run);
                    give(word, words, term, found);
                    word.clear();
                }
                continue;
            }
            append(word, run);
            // Marks are left out, so their order among each other, which takes more than one character, is moot.
            decompose_compatible(next, |c| {
                if is_letter_or_digit(c) {
                    append(word, c.encode_utf8(&mut [0; 4]));
                } else if !is_combining_mark(c) {
                    give(word, words, term, found);
                    word.clear();
                }
            });
        }
        give(word, words, term, found);
    }
}

/// The version or address that `text` begins with: digits in at least two groups, such as the `1.2.3` of `v1.2.3-rc.1`.
fn dotted_number(text: &str) -> Option<&str> {
    let number = text.strip_prefix(['v', 'V']).unwrap_or(text);
    let bytes = number.as_bytes();
    let digits = |from: usize| {
        let digits = bytes[from..].iter();
        digits.take_while(|byte| byte.is_ascii_digit()).count()
    };
    let mut end = digits(0);
    let first = end;
    while end > 0 && bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    (end > first).then(|| &number[..end])
}

/// The host that `text` begins with: three or more words with dots between them, in lower case. It is a term as a whole,
/// since its words are in the hosts of many others.
fn host(text: &str) -> Option<&str> {
    let is_part = |byte: &u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.')
    };
    let length = text
        .bytes()
        .take(MAX_UNITS + 1)
        .take_while(|byte| is_part(byte))
        .count();
    let host = text[..length].trim_end_matches(['.', '-']);
    let goes_on = text[length..].starts_with(|c: char| is_letter_or_digit(c) || c == '_');
    let mut labels = host.rsplit('.');
    // The end of a version is a number.
    let ends_in_word = labels.next()?.starts_with(|c: char| c.is_ascii_lowercase());
    let has_labels = labels.clone().count() > 1 && labels.all(|label| !label.is_empty());
    let is_host = ends_in_word && has_labels && !goes_on && length <= MAX_UNITS;
    is_host.then_some(host)
}

/// Appends what a term has room for.
fn append(word: &mut String, run: &str) {
    // A unit is three bytes at most, so there is always room for one more where there could be.
    if word.len() < 3 * MAX_UNITS {
        word.push_str(&run[..run.len().min(MAX_UNITS)]);
    }
}

/// The length of `text` as the script counts it.
pub fn units(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.chars().map(char::len_utf16).sum()
    }
}

fn give(word: &str, words: Words, term: &mut String, found: &mut impl FnMut(&str)) {
    let word = cut(word);
    let mut give = |word: &str| {
        if has_length(word) {
            lower(word, term);
            found(term);
        }
    };
    give(word);
    if words == Words::Whole {
        return;
    }
    let mut rest = word;
    while let Some(end) = first_part(rest) {
        give(&rest[..end]);
        rest = &rest[end..];
    }
    if rest.len() < word.len() {
        give(rest);
    }
}

/// The part of a word that is searched.
fn cut(word: &str) -> &str {
    // There are no more units than bytes.
    if word.len() <= MAX_UNITS {
        return word;
    }
    let mut units = 0;
    let fits = |c: &char| {
        units += c.len_utf16();
        units <= MAX_UNITS
    };
    let length = word.chars().take_while(fits).map(char::len_utf8).sum();
    &word[..length]
}

/// Whether `word` is long enough for a term.
fn has_length(word: &str) -> bool {
    // Four bytes are two units at least.
    word.len() >= 4 || units(word) >= MIN_UNITS
}

/// Where the first part of several ends: before a capital that follows something else, and before the last of several
/// capitals when that one begins a word. `HTTPRoute` is `HTTP` and `Route`.
fn first_part(word: &str) -> Option<usize> {
    let mut characters = word.char_indices().peekable();
    let (_, mut before) = characters.next()?;
    while let Some((at, c)) = characters.next() {
        if c.is_uppercase() {
            let begins = |next: &(usize, char)| next.1.is_lowercase();
            if !before.is_uppercase() || characters.peek().is_some_and(begins) {
                return Some(at);
            }
        }
        before = c;
    }
    None
}

fn lower(word: &str, term: &mut String) {
    term.clear();
    if word.is_ascii() {
        term.push_str(word);
        term.make_ascii_lowercase();
        return;
    }
    // A sigma is written in another way at the end of a word, and the beginning of a longer one must still find it.
    let plain = |c| if c == 'ς' { 'σ' } else { c };
    term.extend(word.chars().flat_map(char::to_lowercase).map(plain));
}

fn is_letter_or_digit(c: char) -> bool {
    // Some marks count as alphabetic, and so do letters in black discs and squares, which are symbols and decompose into
    // nothing.
    c.is_alphanumeric() && !is_combining_mark(c) && !matches!(c, '\u{1f150}'..='\u{1f189}')
}
