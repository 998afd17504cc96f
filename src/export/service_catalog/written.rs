//! The document as text. It is large, so each entry is serialized once, as compact JSON. The sha is computed from
//! these entries.

use std::io::{self, BufWriter, Write};

use rayon::prelude::*;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest, Sha256};

use super::{ComponentDoc, SCHEMA, Whole, finding_doc, knowledge};
use crate::catalog::ComponentIx;
use crate::checks::fix::Fixes;

pub struct WrittenCatalog {
    commit: Option<String>,
    sha: String,
    parts: SerializedLists,
}

/// The lists of [`Facts`], with each of their entries as JSON.
struct SerializedLists {
    clusters: Vec<Box<RawValue>>,
    programs: Vec<Box<RawValue>>,
    components: Vec<Box<RawValue>>,
    decisions: Vec<Box<RawValue>>,
    specs: Vec<Box<RawValue>>,
    findings: Vec<Box<RawValue>>,
}

/// The hashed part of the document: everything except its commit and sha.
#[derive(Serialize)]
struct HashedText<'a> {
    schema: u32,
    clusters: &'a [Box<RawValue>],
    programs: &'a [Box<RawValue>],
    components: &'a [Box<RawValue>],
    decisions: &'a [Box<RawValue>],
    specs: &'a [Box<RawValue>],
    findings: &'a [Box<RawValue>],
}

#[derive(Serialize)]
struct Entries<'a> {
    components: Vec<ComponentDoc<'a>>,
}

impl WrittenCatalog {
    /// Serializes each entry and drops its source at once, because there are thousands with hundreds of pieces each.
    pub(super) fn new(whole: Whole<'_>) -> WrittenCatalog {
        let Whole {
            repo,
            catalog,
            knowledge,
            ..
        } = whole;
        let findings = whole.findings.iter();
        let fixes = Fixes::work_out(repo, whole.findings);
        let parts = SerializedLists {
            clusters: each(whole.clusters()),
            programs: each(whole.programs()),
            components: whole.components(|component| raw(&component)),
            decisions: each(knowledge::decisions(repo, catalog, knowledge)),
            specs: each(knowledge::specs(repo, catalog, knowledge)),
            findings: each(findings.map(|finding| finding_doc(repo, finding, &fixes, ""))),
        };
        WrittenCatalog {
            commit: whole.commit().map(str::to_owned),
            sha: sha(&parts),
            parts,
        }
    }

    pub fn sha(&self) -> &str {
        &self.sha
    }

    /// Each entry in a line of its own, which is how people compare two of them, with a line break at the end.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let mut to = BufWriter::with_capacity(1 << 16, to);
        let commit = serde_json::to_string(&self.commit)?;
        writeln!(to, "{{\n  \"schema\": {SCHEMA},\n  \"commit\": {commit},")?;
        write!(to, "  \"sha\": \"{}\"", self.sha)?;
        let parts = &self.parts;
        let lists = [
            ("clusters", &parts.clusters),
            ("programs", &parts.programs),
            ("components", &parts.components),
            ("decisions", &parts.decisions),
            ("specs", &parts.specs),
            ("findings", &parts.findings),
        ];
        for (name, entries) in lists {
            write!(to, ",\n  \"{name}\": [")?;
            for (at, entry) in entries.iter().enumerate() {
                let comma = if at > 0 { "," } else { "" };
                write!(to, "{comma}\n    {}", entry.get())?;
            }
            to.write_all(if entries.is_empty() { b"]" } else { b"\n  ]" })?;
        }
        to.write_all(b"\n}\n")?;
        to.flush()
    }
}

/// `{ "components": [ … ] }` with the entries of some components.
pub fn entries(whole: Whole<'_>, some: &[ComponentIx]) -> String {
    let components = some.iter().map(|at| whole.entry(*at)).collect();
    let mut text = serde_json::to_string_pretty(&Entries { components })
        .expect("what is exported has only text as keys");
    text.push('\n');
    text
}

impl SerializedLists {
    fn text(&self) -> HashedText<'_> {
        HashedText {
            schema: SCHEMA,
            clusters: &self.clusters,
            programs: &self.programs,
            components: &self.components,
            decisions: &self.decisions,
            specs: &self.specs,
            findings: &self.findings,
        }
    }
}

/// Each of a few as JSON.
fn each<T: Serialize + Send + Sync>(docs: impl IntoIterator<Item = T>) -> Vec<Box<RawValue>> {
    let docs: Vec<T> = docs.into_iter().collect();
    docs.par_iter().map(raw).collect()
}

/// One entry as JSON.
fn raw(doc: &impl Serialize) -> Box<RawValue> {
    to_raw_value(doc).expect("what is exported has only text as keys")
}

fn sha(parts: &SerializedLists) -> String {
    // The writer of JSON hands over a few bytes at a time.
    let mut hasher = BufWriter::with_capacity(1 << 16, Hasher(Sha256::new()));
    serde_json::to_writer(&mut hasher, &parts.text()).expect("a hash takes every byte");
    let hasher = hasher.into_inner().expect("a hash takes every byte");
    base::text::hex(&hasher.0.finalize()[..8])
}

#[derive(Debug)]
struct Hasher(Sha256);

impl Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
