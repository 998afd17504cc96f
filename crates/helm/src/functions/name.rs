//! Functions over names and paths.

use super::Function;
use super::Parameter::Text;
use super::text_at;
use crate::engine::Val;
use base::slash;

pub const FUNCTIONS: &[Function] = &[
    Function::text("snakecase", |text| lower_case(text, '_').into()),
    Function::text("kebabcase", |text| lower_case(text, '-').into()),
    Function::text("camelcase", |text| pascal_case(text).into()),
    Function::text("base", |path| slash::last(path).into()),
    Function::text("osBase", |path| slash::last(path).into()),
    Function::text("dir", |path| slash::directory(path).into()),
    Function::text("osDir", |path| slash::directory(path).into()),
    Function::text("clean", |path| slash::clean(path).into()),
    Function::text("osClean", |path| slash::clean(path).into()),
    Function::text("ext", |path| extension(path).into()),
    Function::text("osExt", |path| extension(path).into()),
    Function::fixed("isAbs", &[Text], |_, all| {
        Ok(Val::Bool(text_at(all, 0).starts_with('/')))
    }),
    Function::fixed("osIsAbs", &[Text], |_, all| {
        Ok(Val::Bool(text_at(all, 0).starts_with('/')))
    }),
];

fn extension(path: &str) -> &str {
    let last = path.rsplit('/').next().unwrap_or(path);
    last.rfind('.').map_or("", |at| &last[at..])
}

fn is_connector(c: char) -> bool {
    c == '-' || c == '_' || c.is_whitespace()
}

/// `SomeWords` for `some_words`.
fn pascal_case(text: &str) -> String {
    let leading: String = text.chars().take_while(|c| is_connector(*c)).collect();
    let mut out = leading.clone();
    let mut rest = text.chars().skip(leading.chars().count());
    let Some(first) = rest.next() else {
        return out;
    };
    let mut is_upper_word = first.is_uppercase();
    let mut last = upper(first);
    for next in rest {
        let before = last;
        last = next;
        if is_connector(last) && is_connector(before) {
            out.push(before);
            continue;
        }
        if is_connector(before) {
            is_upper_word = last.is_uppercase();
            last = upper(last);
        } else {
            if is_upper_word {
                if last.is_uppercase() {
                    last = last.to_lowercase().next().unwrap_or(last);
                } else {
                    is_upper_word = false;
                }
            }
            out.push(before);
        }
    }
    out.push(last);
    out
}

fn upper(c: char) -> char {
    c.to_uppercase().next().unwrap_or(c)
}

/// The kinds of words that names are made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    None,
    Number,
    Upper,
    Letters,
    Connector,
    Punctuation,
    Other,
}

/// `some_words` or `some-words` for `SomeWords`.
fn lower_case(text: &str, connector: char) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut rest = characters.as_slice();
    let mut out = String::new();
    let (mut kind, mut word) = next_word(&mut rest);
    while !rest.is_empty() {
        if kind != Word::Connector {
            put(&mut out, kind, word, connector);
        }
        let (previous, last) = (kind, word);
        (kind, word) = next_word(&mut rest);
        match previous {
            Word::Number => {
                while matches!(kind, Word::Letters | Word::Number) {
                    put(&mut out, kind, word, connector);
                    (kind, word) = next_word(&mut rest);
                }
                if !matches!(kind, Word::None | Word::Punctuation | Word::Connector) {
                    out.push(connector);
                }
            }
            Word::Connector => put(&mut out, previous, last, connector),
            Word::Punctuation => {}
            _ if kind != Word::Number => {
                if !matches!(kind, Word::Connector | Word::Punctuation) {
                    out.push(connector);
                }
            }
            _ if rest.is_empty() => {}
            _ => {
                let last = word;
                (kind, word) = next_word(&mut rest);
                if kind != Word::Letters {
                    put(&mut out, Word::Number, last, connector);
                    if !matches!(kind, Word::Connector | Word::Punctuation) {
                        out.push(connector);
                    }
                    continue;
                }
                out.push(connector);
                put(&mut out, Word::Number, last, connector);
                while matches!(kind, Word::Letters | Word::Number) {
                    put(&mut out, kind, word, connector);
                    (kind, word) = next_word(&mut rest);
                }
                if !matches!(kind, Word::None | Word::Connector | Word::Punctuation) {
                    out.push(connector);
                }
            }
        }
    }
    put(&mut out, kind, word, connector);
    out
}

fn put(out: &mut String, kind: Word, word: &[char], connector: char) {
    match kind {
        Word::Upper | Word::Letters => {
            out.extend(word.iter().flat_map(|c| c.to_lowercase()));
        }
        Word::Connector => out.extend(word.iter().map(|_| connector)),
        _ => out.extend(word),
    }
}

fn kind_of(c: char) -> Word {
    if is_connector(c) {
        Word::Connector
    } else if c.is_uppercase() {
        Word::Upper
    } else if c.is_numeric() {
        Word::Number
    } else if c.is_alphabetic() {
        Word::Letters
    } else if c.is_ascii_punctuation() {
        Word::Punctuation
    } else {
        Word::Other
    }
}

fn next_word<'c>(rest: &mut &'c [char]) -> (Word, &'c [char]) {
    let all = *rest;
    let Some(first) = all.first() else {
        return (Word::None, &[]);
    };
    let kind = kind_of(*first);
    let run = |wanted: Word, from: usize| {
        let same = all[from..].iter().take_while(|c| kind_of(**c) == wanted);
        from + same.count()
    };
    let (kind, end) = match kind {
        Word::Upper => {
            let uppers = run(Word::Upper, 0);
            let goes_on = all
                .get(uppers)
                .is_some_and(|c| kind_of(*c) == Word::Letters);
            if uppers == 1 && goes_on {
                (Word::Upper, run(Word::Letters, 1))
            } else if uppers > 1 && goes_on {
                // The last capital begins the next word.
                (Word::Upper, uppers - 1)
            } else {
                (Word::Upper, uppers)
            }
        }
        kind => (kind, run(kind, 0)),
    };
    *rest = &all[end..];
    (kind, &all[..end])
}
