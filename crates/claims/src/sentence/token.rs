//! The words, names and code of a sentence.

use markdown::Text;

use super::SentenceToken;
use super::form::KINDS;

pub fn tokens(text: &Text) -> Vec<SentenceToken<'_>> {
    let mut tokens = Vec::new();
    let mut end = 0;
    for range in &joined(text) {
        plain(&text.plain[end..range.start], &mut tokens);
        tokens.push(SentenceToken::Code(text.plain[range.clone()].trim()));
        end = range.end;
    }
    plain(&text.plain[end..], &mut tokens);
    tokens
}

/// The code of a text. Many write a backtick in code as `\``, which ends the code: what they mean is put together again.
fn joined(text: &Text) -> Vec<std::ops::Range<usize>> {
    let is_odd = text
        .code
        .iter()
        .position(|range| text.plain[range.clone()].ends_with('\\'));
    let Some(at) = is_odd else {
        return text.code.clone();
    };
    let mut joined: Vec<_> = text.code[..at].to_vec();
    let start = text.code[at].start;
    let rest = &text.plain[start..];
    let Some(close) = rest.find(')').filter(|close| rest[..*close].ends_with('`')) else {
        return text.code.clone();
    };
    joined.push(start..start + close + 1);
    // From here on, code is what seemed to be between code.
    let after = &text.code[at + 1..];
    for (at, range) in after.iter().enumerate() {
        let gap = match after.get(at + 1) {
            Some(next) => range.end..next.start,
            None => range.end..text.plain.trim_end_matches('`').len().max(range.end),
        };
        joined.push(gap);
    }
    joined
}

fn plain<'t>(text: &'t str, tokens: &mut Vec<SentenceToken<'t>>) {
    let mut start = None;
    let ends = text.char_indices().chain([(text.len(), ' ')]);
    for (at, c) in ends {
        base::steps::count(1);
        let is_word =
            at < text.len() && (c.is_alphanumeric() || matches!(c, '-' | '\'' | '/' | '_'));
        match (is_word, start) {
            (true, None) => start = Some(at),
            (false, Some(first)) => {
                let word = &text[first..at];
                let capitals = word.chars().filter(|c| c.is_uppercase()).count();
                let is_kind = word.starts_with(char::is_uppercase)
                    && capitals > 1
                    && word.chars().any(char::is_lowercase)
                    && word.chars().all(char::is_alphanumeric);
                if is_kind || KINDS.contains(&word) {
                    tokens.push(SentenceToken::Name(word));
                } else if word.chars().any(char::is_alphanumeric) {
                    tokens.push(SentenceToken::Word(word.to_lowercase()));
                }
                start = None;
            }
            _ => {}
        }
        match c {
            '(' => tokens.push(SentenceToken::Open),
            ')' => tokens.push(SentenceToken::Close),
            ',' | ';' | ':' => tokens.push(SentenceToken::Comma),
            '\u{2014}' | '\u{2013}' => tokens.push(SentenceToken::Dash),
            _ => {}
        }
    }
}
