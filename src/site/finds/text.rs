//! Prose as rows: a heading with its text, so that a result shows the sentence that it was found by.

use std::borrow::Cow;

use crate::knowledge::pages::plain;
use search::{Row, RowValue, RowWeight};

/// A page of more characters than this is found by its first ones.
const MOST_TEXT: usize = 10_000;

/// Characters of a runbook's text that it is known by.
const BEGINNING: usize = 300;

/// The rows of one page.
pub struct Rows<'a> {
    rows: Vec<Row<'a>>,
    /// Characters that it has room for.
    room: usize,
}

impl Default for Rows<'_> {
    fn default() -> Self {
        Rows {
            rows: Vec::new(),
            room: MOST_TEXT,
        }
    }
}

impl<'a> Rows<'a> {
    pub fn add(&mut self, title: &str, anchor: Option<&str>, html: &str) {
        let text: String = plain(html).chars().take(self.room).collect();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        self.room -= text.chars().count().min(self.room);
        if text.is_empty() && title.is_empty() {
            return;
        }
        self.rows.push(Row {
            kind: "text",
            weight: RowWeight::Prose,
            title: Cow::Owned(title.to_owned()),
            values: vec![everywhere(Cow::Owned(text))],
            anchor: anchor.map(|id| Cow::Owned(id.to_owned())),
        });
    }

    /// Its first words: the symptoms of a runbook.
    pub fn beginning(&self) -> String {
        let text = self.rows.first().and_then(|row| row.values.first());
        let text = text.map_or("", |value| &value.text);
        text.chars().take(BEGINNING).collect()
    }

    pub fn into_rows(self) -> Vec<Row<'a>> {
        self.rows
    }
}

/// A value that does not depend on the environment.
pub fn everywhere(text: Cow<'_, str>) -> RowValue<'_> {
    RowValue {
        text,
        environments: Vec::new(),
    }
}
