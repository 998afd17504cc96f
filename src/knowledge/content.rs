//! The files that validation steps ask about, each read once.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::input::repo::Repo;
use base::FileId;
use base::hash::HashMap;
use claims::AskedFile;

/// Files that validation steps ask about, each read once. Once the limit is reached, the remaining steps get no answer;
/// earlier ones keep theirs.
pub struct AskedFiles<'r> {
    repo: &'r Repo,
    read: RefCell<HashMap<FileId, Option<Rc<AskedFile>>>>,
    /// Bytes that may yet be looked through.
    left: Cell<usize>,
}

/// A larger file is not looked into.
const MAX_BYTES: usize = 1024 * 1024;
/// More than this is not looked through in one reading of a repo.
const MAX_WORK: usize = 64 * 1024 * 1024;

impl<'r> AskedFiles<'r> {
    pub fn new(repo: &'r Repo) -> AskedFiles<'r> {
        AskedFiles {
            repo,
            read: RefCell::new(HashMap::default()),
            left: Cell::new(MAX_WORK),
        }
    }

    /// `None` for files that are not text or too large, or if the limit is reached.
    pub fn content(&self, file: FileId) -> Option<Rc<AskedFile>> {
        let mut read = self.read.borrow_mut();
        let content = read
            .entry(file)
            .or_insert_with(|| open(self.repo, file).map(Rc::new));
        let content = content.clone()?;
        self.left.set(self.left.get().checked_sub(content.len())?);
        Some(content)
    }
}

fn open(repo: &Repo, file: FileId) -> Option<AskedFile> {
    let text = repo.read_text(file).ok();
    let text = text.filter(|text| text.len() <= MAX_BYTES)?;
    Some(AskedFile::new(repo.path(file).as_str(), text))
}
