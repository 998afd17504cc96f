//! Rows of documents, in files that are loaded for the best documents of a query.

use std::borrow::Cow;
use std::collections::BTreeSet;

use rayon::prelude::*;

use crate::script::{push_number, push_string};
use crate::{File, Row, RowValue, RowWeight, Searchable, TextField, file};

/// A file has whole documents, up to this unless one is larger.
const MAX_BYTES: usize = 12 * 1024;

/// A longer title or value is cut when it is shown. Prose is not: the script chooses the sentence that it shows.
const SHOWN_CHARACTERS: usize = 300;

impl RowWeight {
    /// What the title and the values of such a row are to its document.
    pub fn fields(self) -> (TextField, TextField) {
        match self {
            RowWeight::Fact => (TextField::Subject, TextField::Value),
            RowWeight::Prose => (TextField::Heading, TextField::Text),
        }
    }
}

/// The kinds of all rows, in order.
pub fn kinds(documents: &[Searchable]) -> Vec<&'static str> {
    let rows = documents.iter().flat_map(|document| &document.rows);
    let kinds: BTreeSet<&str> = rows.map(|row| row.kind).collect();
    kinds.into_iter().collect()
}

/// The files, each with the number of its first document.
pub fn files(documents: &[Searchable], kinds: &[&str]) -> Vec<(usize, File)> {
    let written = documents.par_iter().enumerate();
    let written: Vec<Vec<u8>> = written
        .map(|(number, document)| rows(number, document, kinds))
        .collect();
    let mut starts = Vec::new();
    let mut size = usize::MAX;
    for (number, rows) in written
        .iter()
        .enumerate()
        .filter(|(_, rows)| !rows.is_empty())
    {
        if size.saturating_add(rows.len()) > MAX_BYTES {
            starts.push(number);
            size = 0;
        }
        size += rows.len();
    }
    let ends = starts.iter().skip(1).copied().chain([written.len()]);
    let ranges: Vec<_> = starts.iter().copied().zip(ends).enumerate().collect();
    let files = ranges.into_par_iter().map(|(at, (start, end))| {
        let mut script = b"catalogSearch.rows(".to_vec();
        push_number(&mut script, at);
        script.extend_from_slice(b",{");
        let all = written[start..end].iter().filter(|rows| !rows.is_empty());
        for (at, rows) in all.enumerate() {
            script.extend_from_slice(if at == 0 { b"\n" } else { b",\n" });
            script.extend_from_slice(rows);
        }
        script.extend_from_slice(b"\n});\n");
        (start, file(&format!("r-{at}"), script))
    });
    files.collect()
}

/// `"number":[row,…]`; nothing without rows.
fn rows(number: usize, document: &Searchable, kinds: &[&str]) -> Vec<u8> {
    let mut script = Vec::new();
    for row in &document.rows {
        if script.is_empty() {
            script.push(b'"');
            push_number(&mut script, number);
            script.extend_from_slice(b"\":[");
        } else {
            script.push(b',');
        }
        push_row(&mut script, row, kinds);
    }
    if !script.is_empty() {
        script.push(b']');
    }
    script
}

/// `[kind,"title",value,"anchor"]`, where the value is a text, or pairs of a text and the environments that have it.
fn push_row(script: &mut Vec<u8>, row: &Row, kinds: &[&str]) {
    script.push(b'[');
    // All kinds are in the list.
    push_number(script, kinds.binary_search(&row.kind).unwrap_or_default());
    script.push(b',');
    push_string(script, &shown(&row.title, row.weight));
    script.push(b',');
    match &row.values[..] {
        [] => script.extend_from_slice(b"\"\""),
        [one] if one.environments.is_empty() => push_string(script, &shown(&one.text, row.weight)),
        values => {
            script.push(b'[');
            for (at, value) in values.iter().enumerate() {
                script.extend_from_slice(if at == 0 { b"" } else { b"," });
                push_value(script, value, row.weight);
            }
            script.push(b']');
        }
    }
    if let Some(anchor) = &row.anchor {
        script.push(b',');
        push_string(script, anchor);
    }
    script.push(b']');
}

fn push_value(script: &mut Vec<u8>, value: &RowValue, weight: RowWeight) {
    push_string(script, &shown(&value.text, weight));
    script.extend_from_slice(b",[");
    for (at, environment) in value.environments.iter().enumerate() {
        script.extend_from_slice(if at == 0 { b"" } else { b"," });
        push_number(script, *environment);
    }
    script.push(b']');
}

fn shown(text: &str, weight: RowWeight) -> Cow<'_, str> {
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) if weight == RowWeight::Fact => Cow::Owned(format!("{}…", &text[..end])),
        _ => Cow::Borrowed(text),
    }
}
