//! Which documents hold a term, and with what weight.
//! Documents are read in parallel; what comes out does not depend on how they were shared out.

use std::cmp::Reverse;

use rayon::prelude::*;

use crate::script::{push_number, push_string};
use crate::term::{TermReader, Words, units};
use crate::vocabulary::Vocabulary;
use crate::{RowWeight, Searchable, TITLE_WEIGHT, TextField};

/// A longer list keeps the documents of the greatest weight: nobody reads on, and one common word would fill a shard. The
/// script knows this number: a list of so many does not rule out the documents that are not in it.
pub const MAX_POSTINGS: usize = 200;

#[derive(Debug, Clone, Copy)]
struct Posting {
    document: u32,
    weight: u8,
}

/// The terms of some documents.
pub struct Gathered {
    vocabulary: Vocabulary,
    /// By term, and then by document.
    postings: Vec<Posting>,
    /// Where the postings of each term end.
    ends: Vec<u32>,
}

/// A term as it stands in a shard.
#[derive(Debug, Clone, Copy)]
pub struct Term<'a> {
    pub text: &'a str,
    /// `"term":[document,weight,…]`.
    pub entry: &'a [u8],
    /// The greatest of its weights.
    pub weight: u8,
    /// That by its length: what the beginning of a word scores with it.
    pub rank: u32,
}

/// Some of all terms, in order, and their entries in one piece.
pub struct TermBlock<'a> {
    script: Vec<u8>,
    /// Each with where its entry ends and with its greatest weight.
    terms: Vec<(&'a str, usize, u8)>,
}

impl TermBlock<'_> {
    pub fn terms(&self) -> impl Iterator<Item = Term<'_>> {
        let mut start = 0;
        self.terms.iter().map(move |&(text, end, weight)| {
            let entry = &self.script[start..end];
            start = end;
            Term {
                text,
                entry,
                weight,
                rank: (u32::from(weight) << 16) / units(text) as u32,
            }
        })
    }
}

/// Reads all documents.
pub fn gather(documents: &[Searchable]) -> Vec<Gathered> {
    // Every part has its own table of terms, so there are as few parts as keep the cores busy to the end.
    let parts = 4 * rayon::current_num_threads();
    let size = documents.len().div_ceil(parts).max(16);
    let parts = documents.par_chunks(size).enumerate();
    parts
        .map(|(at, documents)| gather_part(at * size, documents))
        .collect()
}

fn gather_part(first: usize, documents: &[Searchable]) -> Gathered {
    let mut reader = TermReader::default();
    let mut vocabulary = Vocabulary::default();
    // For each term, where it was met last, and in how many documents.
    let mut latest: Vec<(u32, u32)> = Vec::new();
    let mut met: Vec<(u32, Posting)> = Vec::with_capacity(64 * documents.len());
    for (document, at) in documents.iter().zip(first..) {
        let at = at as u32;
        let mut read = |text: &str, words, weight| {
            reader.read(text, words, &mut |term| {
                let id = vocabulary.id(term);
                if id == latest.len() {
                    latest.push((u32::MAX, 0));
                }
                let (latest, count) = &mut latest[id];
                if let Some((_, posting)) = met.get_mut(*latest as usize)
                    && posting.document == at
                {
                    posting.weight |= weight;
                    return;
                }
                *latest = met.len() as u32;
                *count += 1;
                let document = at;
                met.push((id as u32, Posting { document, weight }));
            });
        };
        match document.weight {
            RowWeight::Fact => read(&document.title, Words::WithParts, TITLE_WEIGHT),
            RowWeight::Prose => {
                let heading = TextField::Heading;
                read(&document.title, heading.words(), heading.weight());
            }
        }
        for (field, text) in &document.fields {
            read(text, field.words(), field.weight());
        }
        for row in &document.rows {
            let (title, value) = row.weight.fields();
            read(&row.title, title.words(), title.weight());
            for one in &row.values {
                read(&one.text, value.words(), value.weight());
            }
        }
    }
    // Puts each posting where those of its term go, in the order in which they were met, which is that of documents.
    let mut next = 0;
    let starts = latest.iter().map(|(_, count)| {
        next += count;
        next - count
    });
    let mut ends: Vec<u32> = starts.collect();
    let nothing = Posting {
        document: 0,
        weight: 0,
    };
    let mut postings = vec![nothing; met.len()];
    for (id, posting) in met {
        let end = &mut ends[id as usize];
        postings[*end as usize] = posting;
        *end += 1;
    }
    Gathered {
        vocabulary,
        postings,
        ends,
    }
}

impl Gathered {
    fn postings(&self, id: usize) -> &[Posting] {
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.postings[start as usize..self.ends[id] as usize]
    }
}

/// All terms in order, with their lists.
pub fn blocks(gathered: &[Gathered]) -> Vec<TermBlock<'_>> {
    let mut met: Vec<Met> =
        Vec::with_capacity(gathered.iter().map(|part| part.vocabulary.len()).sum());
    for (part, gathered) in gathered.iter().enumerate() {
        let terms = gathered.vocabulary.terms().enumerate();
        met.extend(terms.map(|(id, term)| Met {
            beginning: beginning(term),
            term,
            part: part as u32,
            id: id as u32,
        }));
    }
    met.par_sort_unstable();
    let same: Vec<&[Met]> = met.chunk_by(|a, b| a.term == b.term).collect();
    let blocks = same
        .par_chunks(1024)
        .map(|terms| write_block(terms, gathered));
    blocks.collect()
}

/// Where a term was met. The order is that of terms, and then of documents.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Met<'a> {
    /// Decides most comparisons without a look at the text.
    beginning: u64,
    term: &'a str,
    part: u32,
    id: u32,
}

/// The first bytes, in an order that agrees with that of texts: no term holds a zero.
fn beginning(term: &str) -> u64 {
    let mut bytes = [0; 8];
    let length = term.len().min(8);
    bytes[..length].copy_from_slice(&term.as_bytes()[..length]);
    u64::from_be_bytes(bytes)
}

fn write_block<'a>(terms: &[&[Met<'a>]], gathered: &[Gathered]) -> TermBlock<'a> {
    let mut block = TermBlock {
        script: Vec::with_capacity(64 * terms.len()),
        terms: Vec::with_capacity(terms.len()),
    };
    let mut list: Vec<Posting> = Vec::new();
    for met in terms {
        list.clear();
        for at in *met {
            list.extend_from_slice(gathered[at.part as usize].postings(at.id as usize));
        }
        if list.len() > MAX_POSTINGS {
            let rank = |posting: &Posting| (Reverse(posting.weight), posting.document);
            list.select_nth_unstable_by_key(MAX_POSTINGS, rank);
            list.truncate(MAX_POSTINGS);
            list.sort_unstable_by_key(|posting| posting.document);
        }
        let term = met[0].term;
        let script = &mut block.script;
        push_string(script, term);
        script.extend_from_slice(b":[");
        let mut best = 0;
        for (at, posting) in list.iter().enumerate() {
            script.extend_from_slice(if at == 0 { b"" } else { b"," });
            push_number(script, posting.document as usize);
            script.push(b',');
            push_number(script, usize::from(posting.weight));
            best = best.max(posting.weight);
        }
        script.push(b']');
        block.terms.push((term, block.script.len(), best));
    }
    block
}
