//! The search index: scripts that the theme's script asks for as somebody types; `theme/VIEWS.md` has their format.
//! Pure: from documents to bytes. `theme/static/script.js` is the other half and splits what is typed in the same way.

use base::text::hex;

mod posting;
mod script;
mod shard;
mod term;
#[cfg(test)]
mod tests;
mod vocabulary;

use std::borrow::Cow;

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use script::{push_number, push_string};
use shard::Shard;

/// What has an address and can be found.
#[derive(Debug, Clone)]
pub struct Searchable<'a> {
    pub title: Cow<'a, str>,
    /// From the root of the site.
    pub href: Cow<'a, str>,
    /// What it is, in a word that is shown beside the title.
    pub kind: &'static str,
    /// A line that tells it from others of its title; shown, and searched only where a field says the same.
    pub context: Cow<'a, str>,
    /// What it is found by, besides its title.
    pub fields: Vec<(TextField, Cow<'a, str>)>,
}

/// What a text is to its document, from the most telling to the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextField {
    /// Its name and namespace.
    Name,
    /// A kind of object that it holds.
    Kind,
    /// The name of a setting.
    Setting,
    Heading,
    Text,
}

/// The files of the index by their addresses from the root of the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchIndex {
    /// The address of the file that is asked for first.
    pub entry: String,
    pub files: Vec<(String, Vec<u8>)>,
}

/// The index of `documents`, which come in the order of their importance. Without documents there is nothing to search.
pub fn index(documents: &[Searchable]) -> Option<SearchIndex> {
    if documents.is_empty() {
        return None;
    }
    let (shown, shards) = rayon::join(|| document_files(documents), || shard_files(documents));
    let entry = entry_file(&shown, &shards);
    let address = entry.0.clone();
    let mut files = vec![entry];
    files.extend(shown);
    files.extend(shards.into_iter().map(|(_, file)| file));
    Some(SearchIndex {
        entry: address,
        files,
    })
}

/// Documents in a file. Twelve hits are shown, which may be in as many files, so a file is small; every file is in the
/// entry's list, so it is not smaller.
const DOCUMENTS_PER_FILE: usize = 32;

/// A longer title or context is cut, so that no text makes the answer to a query heavy.
const SHOWN_CHARACTERS: usize = 200;

/// The weight of a title. All weights are single bits, so that the sum of a document's fields is their union.
const TITLE_WEIGHT: u8 = 32;

impl TextField {
    fn weight(self) -> u8 {
        match self {
            TextField::Name => 16,
            TextField::Kind => 8,
            TextField::Setting => 4,
            TextField::Heading => 2,
            TextField::Text => 1,
        }
    }

    /// Names are written in one word where a person thinks of several.
    fn words(self) -> term::Words {
        match self {
            TextField::Name | TextField::Kind | TextField::Setting => term::Words::WithParts,
            TextField::Heading | TextField::Text => term::Words::Whole,
        }
    }
}

type File = (String, Vec<u8>);

fn entry_file(shown: &[File], shards: &[(String, File)]) -> File {
    let mut script = Vec::with_capacity(40 * (shown.len() + shards.len()) + 128);
    script.extend_from_slice(b"catalogSearch.index({\"size\":");
    push_number(&mut script, DOCUMENTS_PER_FILE);
    script.extend_from_slice(b",\n\"documents\":[");
    for (at, (address, _)) in shown.iter().enumerate() {
        script.extend_from_slice(if at == 0 { b"" } else { b"," });
        push_string(&mut script, address);
    }
    script.extend_from_slice(b"],\n\"shards\":{");
    for (at, (key, (address, _))) in shards.iter().enumerate() {
        script.extend_from_slice(if at == 0 { b"" } else { b"," });
        push_string(&mut script, key);
        script.push(b':');
        push_string(&mut script, address);
    }
    script.extend_from_slice(b"}});\n");
    file("index", script)
}

fn document_files(documents: &[Searchable]) -> Vec<File> {
    let chunks = documents.par_chunks(DOCUMENTS_PER_FILE).enumerate();
    let files = chunks.map(|(number, documents)| {
        let mut script = Vec::with_capacity(160 * documents.len() + 64);
        script.extend_from_slice(b"catalogSearch.documents(");
        push_number(&mut script, number);
        script.extend_from_slice(b",[");
        for (at, document) in documents.iter().enumerate() {
            script.extend_from_slice(if at == 0 { b"\n[" } else { b",\n[" });
            push_string(&mut script, &shown(&document.title));
            script.push(b',');
            push_string(&mut script, &document.href);
            script.push(b',');
            push_string(&mut script, document.kind);
            script.push(b',');
            push_string(&mut script, &shown(&document.context));
            script.push(b']');
        }
        script.extend_from_slice(b"\n]);\n");
        file(&format!("d-{number}"), script)
    });
    files.collect()
}

/// The shards with their keys, in the order of the keys.
fn shard_files(documents: &[Searchable]) -> Vec<(String, File)> {
    let gathered = posting::gather(documents);
    let blocks = posting::blocks(&gathered);
    let terms: Vec<_> = blocks.iter().flat_map(posting::TermBlock::terms).collect();
    let shards = shard::divide(&terms, shard::MAX_BYTES);
    let files = shards.par_iter().map(|Shard { key, terms }| {
        let length: usize = terms.iter().map(|term| term.entry.len() + 1).sum();
        let mut script = Vec::with_capacity(length + key.len() + 32);
        script.extend_from_slice(b"catalogSearch.shard(");
        push_string(&mut script, key);
        script.extend_from_slice(b",{");
        for (at, term) in terms.iter().enumerate() {
            script.extend_from_slice(if at == 0 { b"" } else { b"," });
            script.extend_from_slice(term.entry);
        }
        script.extend_from_slice(b"});\n");
        ((*key).to_owned(), file(&stem(key), script))
    });
    files.collect()
}

/// A script by an address that changes with its content.
fn file(stem: &str, script: Vec<u8>) -> File {
    let hash = hex(&Sha256::digest(&script)[..4]);
    (format!("search/{stem}-{hash}.js"), script)
}

/// The name of a shard's file. A key in ASCII is lower-case letters and digits, which every file system takes, and has no
/// dash; anything else is told apart by its bytes, or by their hash where those are many.
fn stem(key: &str) -> Cow<'_, str> {
    match key {
        "" => Cow::Borrowed("s-all"),
        "index" => Cow::Borrowed("s-index"),
        _ if key.is_ascii() && key.len() <= 16 => Cow::Borrowed(key),
        _ if key.len() <= 8 => Cow::Owned(format!("u-{}", hex(key.as_bytes()))),
        _ => Cow::Owned(format!("u-{}", hex(&Sha256::digest(key)[..9]))),
    }
}

fn shown(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}
