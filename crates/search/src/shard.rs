//! Shards: terms by how they begin, each small enough to be loaded for a word.
//! One shard answers for a word: that with the longest key that the word begins with.

use std::borrow::Cow;
use std::cmp::Reverse;

use rayon::prelude::*;

use crate::posting::Term;
use crate::term::{MIN_UNITS, units};

/// A larger shard is divided.
pub const MAX_BYTES: usize = 24 * 1024;

/// What is loaded as one.
#[derive(Debug)]
pub struct Shard<'a> {
    /// How all its terms begin.
    pub key: &'a str,
    pub terms: Cow<'a, [Term<'a>]>,
}

/// Divides `terms`, which are in order, into shards of up to `max` bytes, in the order of their keys.
pub fn divide<'a>(terms: &'a [Term<'a>], max: usize) -> Vec<Shard<'a>> {
    if terms.is_empty() {
        return Vec::new();
    }
    divide_at("", terms, max)
}

/// Divides `terms`, which all begin with `key`.
fn divide_at<'a>(key: &'a str, terms: &'a [Term<'a>], max: usize) -> Vec<Shard<'a>> {
    let size = length(terms);
    let (true, [first, .., last]) = (size > max, terms) else {
        let terms = Cow::Borrowed(terms);
        return vec![Shard { key, terms }];
    };
    // Terms are parted where they first differ: with a longer beginning in common, a part would be all of them again.
    let common = common(first.text, last.text);
    let mut parts: Vec<&[Term]> = terms
        .chunk_by(|a, b| beyond(a.text, common) == beyond(b.text, common))
        .collect();
    // Words up to where they differ are answered here, with the best of all; but nobody types a word of one letter.
    let digest_size = match units(&first.text[..common]) {
        0..MIN_UNITS => 0,
        _ => max / 3,
    };
    // Only the largest parts become shards of their own, so that there are few. What is no more than the common
    // beginning stays: it is how the others begin, and a key of its own would hide them.
    parts.sort_by_key(|part| Reverse((part[0].text.len() > common, length(part))));
    let mut rest = size;
    let divided = parts.iter().take_while(|part| {
        let is_large = rest + digest_size > max && part[0].text.len() > common;
        rest -= if is_large { length(part) } else { 0 };
        is_large
    });
    let divided = divided.count();
    let mut kept = parts.split_off(divided).concat();
    kept.extend(digest(&parts, digest_size));
    kept.sort_unstable_by_key(|term| term.text);
    let mut shards = Vec::new();
    if !kept.is_empty() {
        let terms = Cow::Owned(kept);
        shards.push(Shard { key, terms });
    }
    parts.sort_by_key(|part| part[0].text);
    let parts = parts.par_iter();
    shards
        .par_extend(parts.flat_map_iter(|part| divide_at(beyond(part[0].text, common), part, max)));
    shards
}

/// Up to `max` bytes of the terms that a query for their beginning shows first: those of great weight of which it is a
/// great share.
fn digest<'a>(parts: &[&[Term<'a>]], max: usize) -> Vec<Term<'a>> {
    if max == 0 {
        return Vec::new();
    }
    let mut best = parts.concat();
    let rank = |a: &Term, b: &Term| b.rank.cmp(&a.rank).then(a.text.cmp(b.text));
    // More than this do not fit, since no entry is shorter, and sorting all would take long.
    let most = max / r#""ab":[0,1],"#.len();
    if best.len() > most {
        best.select_nth_unstable_by(most, rank);
        best.truncate(most);
    }
    best.sort_unstable_by(rank);
    let mut size = 0;
    let kept = best.iter().take_while(|term| {
        size += term.entry.len() + 1;
        size <= max
    });
    let kept = kept.count();
    best.truncate(kept);
    best
}

fn length(terms: &[Term]) -> usize {
    terms.iter().map(|term| term.entry.len() + 1).sum()
}

/// How many bytes of whole characters both begin with.
fn common(a: &str, b: &str) -> usize {
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b);
    same.map(|(a, _)| a.len_utf8()).sum()
}

/// What `text` begins with, up to the character after the first `common` bytes.
fn beyond(text: &str, common: usize) -> &str {
    let next = text[common..].chars().next();
    &text[..common + next.map_or(0, char::len_utf8)]
}
