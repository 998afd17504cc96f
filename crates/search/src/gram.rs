//! Three letters, and the terms that hold them: how the script finds a term by its middle, and one that was mistyped.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::posting::Term;
use crate::script::push_string;
use crate::{File, Keyed, TextField, file};

/// A file has whole grams, up to this unless one is larger.
const MAX_BYTES: usize = 12 * 1024;

/// A longer list keeps the terms of the greatest weight, and of those the shortest.
const MAX_TERMS: usize = 800;

/// Terms of fewer letters are typed as they are; longer ones are hashes and the like.
const LENGTHS: std::ops::RangeInclusive<usize> = 4..=32;

const LENGTH: usize = 3;

/// The beginning and the end of a term, as a gram has them.
const START: u8 = b'^';
const END: u8 = b'$';

/// The files of all grams in order, each with its first gram. `terms` are in order.
pub fn files(terms: &[Term]) -> Keyed {
    let named: Vec<&Term> = terms.iter().filter(|term| is_name(term)).collect();
    let mut by_gram: BTreeMap<[u8; LENGTH], Vec<&Term>> = BTreeMap::new();
    let mut bounded = Vec::new();
    for term in named {
        bounded.clear();
        bounded.push(START);
        bounded.extend_from_slice(term.text.as_bytes());
        bounded.push(END);
        for gram in bounded.array_windows::<LENGTH>() {
            let terms = by_gram.entry(*gram).or_default();
            // A term may hold a gram twice.
            if terms.last().is_none_or(|last| last.text != term.text) {
                terms.push(term);
            }
        }
    }
    let mut lists: Vec<([u8; LENGTH], Vec<&Term>)> = by_gram.into_iter().collect();
    lists.par_iter_mut().for_each(|(_, terms)| {
        if terms.len() > MAX_TERMS {
            terms.sort_unstable_by_key(|term| (Reverse(term.weight), term.text.len(), term.text));
            terms.truncate(MAX_TERMS);
            terms.sort_unstable_by_key(|term| term.text);
        }
    });
    let size = |terms: &[&Term]| 8 + terms.iter().map(|term| term.text.len() + 1).sum::<usize>();
    let mut parts: Vec<Vec<_>> = Vec::new();
    let mut filled = usize::MAX;
    for (gram, terms) in lists {
        let own = size(&terms);
        if filled.saturating_add(own) > MAX_BYTES {
            parts.push(Vec::new());
            filled = 0;
        }
        filled += own;
        if let Some(part) = parts.last_mut() {
            part.push((gram, terms));
        }
    }
    let files = parts.par_iter().enumerate();
    files.map(|(at, lists)| gram_file(at, lists)).collect()
}

/// Whether people look for it by a part, or mistype it: a word with more letters than digits that names something.
fn is_name(term: &Term) -> bool {
    let text = term.text;
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    text.is_ascii()
        && LENGTHS.contains(&text.len())
        && 2 * digits < text.len()
        && !text.contains('.')
        && term.weight > TextField::Text.weight()
}

fn gram_file(at: usize, lists: &[([u8; LENGTH], Vec<&Term>)]) -> (String, File) {
    let text = |gram: &[u8; LENGTH]| gram.iter().copied().map(char::from).collect::<String>();
    let mut script = b"catalogSearch.grams({".to_vec();
    for (at, (gram, terms)) in lists.iter().enumerate() {
        script.extend_from_slice(if at == 0 { b"\n" } else { b",\n" });
        push_string(&mut script, &text(gram));
        script.extend_from_slice(b":\"");
        for (at, term) in terms.iter().enumerate() {
            script.extend_from_slice(if at == 0 { b"" } else { b" " });
            script.extend_from_slice(term.text.as_bytes());
        }
        script.push(b'"');
    }
    script.extend_from_slice(b"});\n");
    let first = lists
        .first()
        .map_or_else(String::new, |(gram, _)| text(gram));
    (first, file(&format!("g-{at}"), script))
}
