//! Context of an object: the files of the repo and the repo's own addresses. For readers whose objects refer to other
//! files.

use std::any::Any;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use super::Facts;
use super::address::{address, is_placeholder};
use crate::input::repo::RepoPath;
use base::FileId;
use yaml::Node;

pub struct ReadContext<'a> {
    pub facts: &'a Facts<'a>,
    /// Addresses of this repo.
    own: BTreeSet<String>,
    memos: Memos,
}

/// Results that readers derive from all files: an append-only list with one memo per type.
type Memos = OnceLock<Box<MemoEntry>>;

struct MemoEntry {
    memo: Box<dyn Any + Send + Sync>,
    next: Memos,
}

impl<'a> ReadContext<'a> {
    pub fn new(facts: &'a Facts<'a>) -> ReadContext<'a> {
        ReadContext {
            facts,
            own: BTreeSet::new(),
            memos: Memos::new(),
        }
    }

    /// Names the addresses that the repo goes by.
    pub fn set_own(&mut self, own: BTreeSet<String>) {
        self.own = own;
    }

    /// The memo of a reader: what it works out from all files once, however many objects ask. It starts empty.
    pub fn memo<T: Any + Send + Sync + Default>(&self) -> &T {
        let mut memos = &self.memos;
        loop {
            let entry = memos.get_or_init(|| {
                Box::new(MemoEntry {
                    memo: Box::new(T::default()),
                    next: Memos::new(),
                })
            });
            match entry.memo.downcast_ref() {
                Some(memo) => return memo,
                None => memos = &entry.next,
            }
        }
    }

    /// Whether an address is that of this repo. If that is unknown, a path that exists here counts as a match.
    pub fn is_own(&self, url: &str, path: &RepoPath) -> bool {
        if self.own.is_empty() || is_placeholder(url) {
            !path.as_str().is_empty() && self.has(path)
        } else {
            self.own.contains(&address(url))
        }
    }

    fn has(&self, path: &RepoPath) -> bool {
        self.facts.repo.is_dir(path) || self.facts.repo.file(path).is_some()
    }

    /// The documents of a file that are no objects, such as values; secrets are gone from them.
    pub fn documents(&self, file: FileId) -> &'a [Arc<Node>] {
        &self.facts.file(file).other_documents
    }
}

impl helm::ChartSource for ReadContext<'_> {
    fn files(&self) -> &dyn base::Files {
        self.facts.repo
    }

    fn documents(&self, file: FileId) -> &[Arc<Node>] {
        ReadContext::documents(self, file)
    }
}
