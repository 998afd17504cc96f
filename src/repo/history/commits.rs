//! Commits, as far as the last change of a file needs them. What is kept of a commit depends on its id and on the
//! directory that is read, never on the commit that is checked out: it holds in every later walk.

use std::sync::Arc;

use crate::hash::HashMap;

/// A text by its number in [`Commits`]: the id of a commit, a path, an author or a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Text(pub u32);

/// What git said about one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Commit {
    /// When it was committed, in seconds since 1970: the order in which git walks.
    pub time: u64,
    /// The same as `yyyy-mm-dd`, in the time zone of the committer.
    pub date: Text,
    pub author: Text,
    /// The parents that git follows for the directory that is read.
    pub parents: Vec<Text>,
    /// The files below that directory that it changed; none where they are too many to keep.
    pub files: Option<Vec<Text>>,
}

/// Commits by id. Texts are kept once, because most files and authors come again and again.
#[derive(Debug, Default)]
pub(super) struct Commits {
    texts: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, Text>,
    by_id: HashMap<Text, Commit>,
}

impl Commits {
    /// The number of a text, which is kept from now on.
    pub fn number(&mut self, text: &str) -> Text {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = Text(self.texts.len() as u32);
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.numbers.insert(text, number);
        number
    }

    /// The number of a text, if it is kept.
    pub fn find(&self, text: &str) -> Option<Text> {
        self.numbers.get(text).copied()
    }

    /// A kept text; empty for a number that none has.
    pub fn text(&self, number: Text) -> &str {
        self.texts
            .get(number.0 as usize)
            .map_or("", |text| text.as_ref())
    }

    /// How many texts are kept.
    pub fn text_count(&self) -> usize {
        self.texts.len()
    }

    pub fn get(&self, id: Text) -> Option<&Commit> {
        self.by_id.get(&id)
    }

    /// Keeps a commit; one that is known says the same.
    pub fn add(&mut self, id: Text, commit: Commit) {
        self.by_id.entry(id).or_insert(commit);
    }

    /// Forgets all commits but these.
    pub fn keep_only(&mut self, ids: &[Text]) {
        let mut kept = HashMap::default();
        for id in ids {
            if let Some(commit) = self.by_id.remove(id) {
                kept.insert(*id, commit);
            }
        }
        self.by_id = kept;
    }

    /// What the files of a commit take in memory, roughly.
    pub fn bytes(&self, files: &[Text]) -> usize {
        files
            .iter()
            .map(|file| self.text(*file).len() + BYTES_PER_FILE)
            .sum()
    }
}

/// What a path takes besides its text.
pub(super) const BYTES_PER_FILE: usize = 32;
