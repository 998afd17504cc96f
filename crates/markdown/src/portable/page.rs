//! The lines of a Markdown page while it is written. Lists are indented by four columns and blocks separated by empty
//! lines, as all parsers require.

#[derive(Default)]
pub struct Page {
    text: String,
    containers: Vec<Container>,
    table: Option<usize>,
    last: Option<Tightness>,
}

/// Whether a block is an item of a list without empty lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tightness {
    Tight,
    Loose,
}

enum Container {
    /// Whether it has a line already.
    Quote {
        begun: Begun,
    },
    List {
        next: Option<u64>,
    },
    /// Its marker, until its first line is written.
    Item {
        marker: Option<String>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Begun {
    Yes,
    No,
}

/// Deeper blocks are written at this depth: they are unreadable, and every level costs columns in every line.
const MAX_DEPTH: usize = 12;
/// Python-Markdown requires four columns per level of a list.
const INDENT: &str = "    ";

impl Page {
    pub fn into_string(self) -> String {
        self.text
    }

    pub fn is_in_table(&self) -> bool {
        self.table.is_some()
    }

    /// Writes a block of one or more lines.
    pub fn block(&mut self, block: &str, tightness: Tightness) {
        let is_entry = matches!(self.containers.last(), Some(Container::Item { .. }));
        let tightness = if is_entry {
            tightness
        } else {
            Tightness::Loose
        };
        let both_tight = self.last == Some(Tightness::Tight) && tightness == Tightness::Tight;
        if !self.text.is_empty() && !both_tight {
            let gap = self.prefix(Upto::Begun);
            self.text.push_str(gap.trim_end());
            self.text.push('\n');
        }
        for line in block.lines() {
            let prefix = self.prefix(Upto::All);
            self.text.push_str(if line.is_empty() {
                prefix.trim_end()
            } else {
                &prefix
            });
            self.text.push_str(line);
            self.text.push('\n');
        }
        self.last = Some(tightness);
    }

    pub fn quote(&mut self) {
        self.containers.push(Container::Quote { begun: Begun::No });
    }

    pub fn list(&mut self, first: Option<u64>) {
        self.containers.push(Container::List { next: first });
    }

    pub fn item(&mut self) {
        let marker = match self.containers.last_mut() {
            Some(Container::List { next: Some(number) }) => {
                let marker = format!("{:<4}", format!("{number}."));
                *number = number.saturating_add(1);
                // A longer number has the one space it needs.
                if marker.ends_with(' ') {
                    marker
                } else {
                    marker + " "
                }
            }
            _ => "-   ".to_owned(),
        };
        self.containers.push(Container::Item {
            marker: Some(marker),
        });
    }

    /// Writes the marker of an empty item.
    pub fn close_item(&mut self) {
        if let Some(Container::Item { marker: Some(_) }) = self.containers.last() {
            self.block("&#8203;", Tightness::Tight);
        }
        self.close();
    }

    pub fn close(&mut self) {
        self.containers.pop();
    }

    pub fn table(&mut self) {
        self.table = Some(self.text.len());
    }

    pub fn close_table(&mut self, rows: &[Vec<String>]) {
        self.table = None;
        let Some(head) = rows.first() else { return };
        let mut lines = Vec::with_capacity(rows.len() + 1);
        for (at, row) in rows.iter().enumerate() {
            lines.push(format!("| {} |", row.join(" | ")));
            if at == 0 {
                lines.push(format!("|{}", " --- |".repeat(head.len())));
            }
        }
        self.block(&lines.join("\n"), Tightness::Loose);
    }

    /// The prefix of a line.
    fn prefix(&mut self, upto: Upto) -> String {
        let mut prefix = String::new();
        let mut depth = 0;
        for container in &mut self.containers {
            let columns = match container {
                Container::Quote { begun: Begun::No } if upto == Upto::Begun => break,
                Container::Quote { begun } => {
                    *begun = Begun::Yes;
                    "> ".to_owned()
                }
                Container::List { .. } => continue,
                Container::Item { marker: Some(_) } if upto == Upto::Begun => break,
                Container::Item { marker } => marker.take().unwrap_or_else(|| INDENT.to_owned()),
            };
            depth += 1;
            if depth <= MAX_DEPTH {
                prefix.push_str(&columns);
            }
        }
        prefix
    }
}

/// Which containers are part of the prefix.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Upto {
    /// Those that have a line already.
    Begun,
    All,
}
