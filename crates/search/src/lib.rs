//! The search index: scripts that the theme's script asks for as somebody types; `theme/VIEWS.md` has their format.
//! Pure: from documents to bytes. `theme/static/search.js` is the other half and splits what is typed in the same way.

use base::text::hex;

mod gram;
mod posting;
mod row;
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
    /// Whether the title is a name, or a sentence, whose words count as those of a heading.
    pub weight: RowWeight,
    /// From the root of the site.
    pub href: Cow<'a, str>,
    /// What it is, in a word that is shown beside the title.
    pub kind: &'static str,
    /// A line that tells it from others of its title; shown, and searched only where a field says the same.
    pub context: Cow<'a, str>,
    /// What it is found by, besides its title and its rows.
    pub fields: Vec<(TextField, Cow<'a, str>)>,
    /// Its parts, in the order in which equally good ones are shown.
    pub rows: Vec<Row<'a>>,
}

/// A part of a document that is a result of its own, such as a setting, or that shows why the document is one. A page
/// loads the rows of the best documents and compares them with the query itself, so the index need not list each.
#[derive(Debug, Clone)]
pub struct Row<'a> {
    /// What it is, in a word.
    pub kind: &'static str,
    pub weight: RowWeight,
    pub title: Cow<'a, str>,
    pub values: Vec<RowValue<'a>>,
    /// Where it is on the document's page, if the script cannot tell from its kind and title.
    pub anchor: Option<Cow<'a, str>>,
}

/// A value of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowValue<'a> {
    pub text: Cow<'a, str>,
    /// The environments that have it, by position; empty if all do.
    pub environments: Vec<usize>,
}

/// How much the words of a title or row say about the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowWeight {
    /// Names and values: words count as [`TextField::Subject`] and [`TextField::Value`].
    Fact,
    /// A heading and its text.
    Prose,
}

/// What a text is to its document, from the most telling to the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextField {
    /// Its name and namespace.
    Name,
    /// The name of something that belongs to it: a setting, an alert, an address.
    Subject,
    /// A kind of object that it holds.
    Kind,
    /// The value of a setting and the like.
    Value,
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

/// Phrases that rows of one kind and title are found by wherever they are: written once, since many documents have such a
/// row. The documents have their words in a field.
#[derive(Debug, Clone, Copy)]
pub struct Alias<'a> {
    pub title: &'a str,
    pub phrases: &'a [String],
}

/// Documents beyond this with one alias need no field for it: a list of the index does not keep them.
pub const MOST_ALIASED: usize = posting::MAX_POSTINGS;

/// The index of `documents`, which come in the order of their importance, and whose rows refer to `environments` by
/// position. Without documents there is nothing to search.
pub fn index(
    documents: &[Searchable],
    environments: &[&str],
    aliases: &[Alias],
) -> Option<SearchIndex> {
    if documents.is_empty() {
        return None;
    }
    let kinds = row::kinds(documents);
    let ((shown, rows), (shards, grams)) = rayon::join(
        || {
            rayon::join(
                || document_files(documents),
                || row::files(documents, &kinds),
            )
        },
        || term_files(documents),
    );
    let parts = Parts {
        environments,
        aliases,
        kinds: &kinds,
        documents: &shown,
        rows: &rows,
        shards: &shards,
        grams: &grams,
    };
    let entry = parts.entry_file();
    let address = entry.0.clone();
    let mut files = vec![entry];
    files.extend(shown);
    files.extend(rows.into_iter().map(|(_, file)| file));
    files.extend(shards.into_iter().map(|(_, file)| file));
    files.extend(grams.into_iter().map(|(_, file)| file));
    Some(SearchIndex {
        entry: address,
        files,
    })
}

/// Documents in a file. The best hits may be in as many files, so a file is small; every file is in the entry's list, so
/// it is not smaller.
const DOCUMENTS_PER_FILE: usize = 16;

/// A longer title or context is cut, so that no text makes the answer to a query heavy.
const SHOWN_CHARACTERS: usize = 200;

/// The weight of a title. All weights are single bits, so that the sum of a document's fields is their union.
const TITLE_WEIGHT: u8 = 64;

impl TextField {
    fn weight(self) -> u8 {
        match self {
            TextField::Name => 32,
            TextField::Subject => 16,
            TextField::Kind => 8,
            TextField::Value => 4,
            TextField::Heading => 2,
            TextField::Text => 1,
        }
    }

    /// Names are written in one word where a person thinks of several.
    fn words(self) -> term::Words {
        match self {
            TextField::Name | TextField::Subject | TextField::Kind | TextField::Value => {
                term::Words::WithParts
            }
            TextField::Heading | TextField::Text => term::Words::Whole,
        }
    }
}

type File = (String, Vec<u8>);

/// What the entry lists: each file, with what it is found by.
struct Parts<'p> {
    environments: &'p [&'p str],
    aliases: &'p [Alias<'p>],
    kinds: &'p [&'static str],
    documents: &'p [File],
    /// With the number of the first document of each.
    rows: &'p [(usize, File)],
    /// With the key of each.
    shards: &'p [(String, File)],
    /// With the first gram of each.
    grams: &'p [(String, File)],
}

impl Parts<'_> {
    fn entry_file(&self) -> File {
        let files = self.documents.len() + self.rows.len() + self.shards.len() + self.grams.len();
        let mut script = Vec::with_capacity(40 * files + 256);
        script.extend_from_slice(b"catalogSearch.index({\"size\":");
        push_number(&mut script, DOCUMENTS_PER_FILE);
        let texts = |script: &mut Vec<u8>, name: &str, texts: &[&str]| {
            script.extend_from_slice(name.as_bytes());
            push_list(script, texts.iter(), |script, text| {
                push_string(script, text)
            });
        };
        texts(&mut script, ",\n\"environments\":[", self.environments);
        texts(&mut script, ",\n\"kinds\":[", self.kinds);
        script.extend_from_slice(b",\n\"aliases\":{");
        for (at, alias) in self.aliases.iter().enumerate() {
            script.extend_from_slice(if at == 0 { b"" } else { b"," });
            push_string(&mut script, alias.title);
            script.extend_from_slice(b":[");
            push_list(&mut script, alias.phrases.iter(), |script, phrase| {
                push_string(script, phrase);
            });
        }
        script.extend_from_slice(b"},\n\"documents\":[");
        push_list(
            &mut script,
            self.documents.iter(),
            |script, (address, _)| {
                push_string(script, address);
            },
        );
        script.extend_from_slice(b",\n\"rows\":[");
        push_list(&mut script, self.rows.iter(), |script, (first, file)| {
            push_number(script, *first);
            script.push(b',');
            push_string(script, &file.0);
        });
        script.extend_from_slice(b",\n\"grams\":[");
        push_list(&mut script, self.grams.iter(), |script, (first, file)| {
            push_string(script, first);
            script.push(b',');
            push_string(script, &file.0);
        });
        script.extend_from_slice(b",\n\"shards\":{");
        for (at, (key, (address, _))) in self.shards.iter().enumerate() {
            script.extend_from_slice(if at == 0 { b"" } else { b"," });
            push_string(&mut script, key);
            script.push(b':');
            push_string(&mut script, address);
        }
        script.extend_from_slice(b"}});\n");
        file("index", script)
    }
}

/// Appends the entries of a list that was begun, with commas, and ends it.
fn push_list<T>(
    script: &mut Vec<u8>,
    entries: impl Iterator<Item = T>,
    push: impl Fn(&mut Vec<u8>, T),
) {
    for (at, entry) in entries.enumerate() {
        script.extend_from_slice(if at == 0 { b"" } else { b"," });
        push(script, entry);
    }
    script.push(b']');
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

type Keyed = Vec<(String, File)>;

/// The shards with their keys, in the order of the keys, and the files of grams with the first gram of each.
fn term_files(documents: &[Searchable]) -> (Keyed, Keyed) {
    let gathered = posting::gather(documents);
    let blocks = posting::blocks(&gathered);
    let terms: Vec<_> = blocks.iter().flat_map(posting::TermBlock::terms).collect();
    rayon::join(|| shard_files(&terms), || gram::files(&terms))
}

fn shard_files(terms: &[posting::Term]) -> Keyed {
    let shards = shard::divide(terms, shard::MAX_BYTES);
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
        _ if key.bytes().all(|byte| byte.is_ascii_alphanumeric()) && key.len() <= 16 => {
            Cow::Borrowed(key)
        }
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
