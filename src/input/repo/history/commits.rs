//! The facts about commits that are needed to find the last change of a file. They depend on the commit and on the
//! directory being read, never on the commit that is checked out, so later walks can reuse them.

use std::sync::Arc;

use base::hash::HashMap;

/// A text by its number in [`Commits`]: the id of a commit, a path, an author or a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct TextIx(pub u32);

/// The facts about one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommitFacts {
    /// The commit time in seconds since 1970. Git walks in this order.
    pub time: u64,
    /// The commit date as `yyyy-mm-dd`, in the time zone of the committer.
    pub date: TextIx,
    pub author: TextIx,
    /// The parents that git follows for the directory being read.
    pub parents: Vec<TextIx>,
    /// The files that it changed below that directory; none if they exceed the limit.
    pub files: Option<Vec<TextIx>>,
}

/// Commits by id. Each text is stored once, because most paths and authors occur many times.
#[derive(Debug, Default)]
pub(super) struct Commits {
    texts: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, TextIx>,
    by_id: HashMap<TextIx, CommitFacts>,
}

impl Commits {
    /// The number of a text, which is stored if it is new.
    pub fn number(&mut self, text: &str) -> TextIx {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = TextIx(self.texts.len() as u32);
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.numbers.insert(text, number);
        number
    }

    /// The number of a stored text.
    pub fn find(&self, text: &str) -> Option<TextIx> {
        self.numbers.get(text).copied()
    }

    /// The text with this number; empty for an unknown number.
    pub fn text(&self, number: TextIx) -> &str {
        self.texts
            .get(number.0 as usize)
            .map_or("", |text| text.as_ref())
    }

    /// The number of stored texts.
    pub fn text_count(&self) -> usize {
        self.texts.len()
    }

    pub fn get(&self, id: TextIx) -> Option<&CommitFacts> {
        self.by_id.get(&id)
    }

    /// Adds a commit, unless it is already there.
    pub fn add(&mut self, id: TextIx, commit: CommitFacts) {
        self.by_id.entry(id).or_insert(commit);
    }

    /// Removes all other commits.
    pub fn keep_only(&mut self, ids: &[TextIx]) {
        let mut kept = HashMap::default();
        for id in ids {
            if let Some(commit) = self.by_id.remove(id) {
                kept.insert(*id, commit);
            }
        }
        self.by_id = kept;
    }

    /// Roughly the memory that a list of files takes.
    pub fn bytes(&self, files: &[TextIx]) -> usize {
        files
            .iter()
            .map(|file| self.text(*file).len() + BYTES_PER_FILE)
            .sum()
    }
}

/// The memory that a path takes in addition to its text.
pub(super) const BYTES_PER_FILE: usize = 32;
