//! Changes to one file: the edits from all fixes, and the resulting text.

use std::fs;
use std::path::Path;

use super::FixError;
use crate::input::repo::{Repo, RepoPath};
use base::Edit;

/// A file while edits are collected.
#[derive(Debug, Clone)]
pub struct FileDraft {
    path: String,
    /// None if the file does not exist.
    before: Option<String>,
    /// Number of lines.
    lines: u32,
    fate: FileFate,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum FileFate {
    Stays,
    Edited(Vec<Splice>),
    Made(String),
    Goes,
}

/// New lines that replace others; `first` counts from 0.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Splice {
    pub first: usize,
    pub count: usize,
    pub text: String,
}

/// A file before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChanges {
    pub path: String,
    pub before: Option<String>,
    pub after: Option<String>,
    /// Differences in order, if the file exists before and after.
    pub splices: Vec<Splice>,
}

pub fn path_of(edit: &Edit) -> &str {
    match edit {
        Edit::Lines { path, .. } | Edit::Create { path, .. } | Edit::Remove { path } => path,
    }
}

impl FileDraft {
    pub fn open(repo: &Repo, path: &str) -> Result<FileDraft, FixError> {
        let real = RepoPath::new(path).filter(|real| {
            let is_plain = real.as_str() == path && !path.is_empty();
            is_plain && !path.contains(['\\', '\0']) && !path.split('/').any(|name| name == ".git")
        });
        let real = real.ok_or_else(|| FixError::Outside(path.to_owned()))?;
        if leads_through_link(repo.root(), path) {
            return Err(FixError::Link(path.to_owned()));
        }
        let unreadable = || FixError::Unreadable(path.to_owned());
        let before = match repo.file(&real) {
            Some(file) => {
                let bytes = repo.read(file).map_err(|_| unreadable())?;
                Some(String::from_utf8(bytes).map_err(|_| unreadable())?)
            }
            // A file that is ignored is there all the same.
            None if repo.root().join(path).symlink_metadata().is_ok() => {
                return Err(FixError::Exists(path.to_owned()));
            }
            None => None,
        };
        let lines = before.as_deref().map_or(0, |text| text.lines().count());
        Ok(FileDraft {
            path: path.to_owned(),
            before,
            lines: u32::try_from(lines).unwrap_or(u32::MAX),
            fate: FileFate::Stays,
        })
    }

    /// Takes one more edit; the same one again changes nothing.
    pub fn add(&mut self, edit: &Edit) -> Result<(), FixError> {
        let conflict = || Err(FixError::Conflict(self.path.clone()));
        match edit {
            Edit::Create { text, .. } => match &self.fate {
                FileFate::Made(other) if other == text => Ok(()),
                FileFate::Stays if self.before.is_none() => {
                    self.fate = FileFate::Made(text.clone());
                    Ok(())
                }
                FileFate::Stays => Err(FixError::Exists(self.path.clone())),
                _ => conflict(),
            },
            Edit::Remove { .. } => match &self.fate {
                FileFate::Goes => Ok(()),
                FileFate::Stays if self.before.is_some() => {
                    self.fate = FileFate::Goes;
                    Ok(())
                }
                FileFate::Stays => Err(FixError::Unreadable(self.path.clone())),
                _ => conflict(),
            },
            Edit::Lines {
                first, count, text, ..
            } => {
                if self.before.is_none() {
                    return Err(FixError::Unreadable(self.path.clone()));
                }
                let end = first.saturating_sub(1).saturating_add(*count);
                if *first == 0 || end > self.lines {
                    return Err(FixError::NoLine(self.path.clone(), end));
                }
                let splice = Splice {
                    first: *first as usize - 1,
                    count: *count as usize,
                    text: text.clone(),
                };
                match &mut self.fate {
                    FileFate::Stays => self.fate = FileFate::Edited(vec![splice]),
                    FileFate::Edited(others) if others.contains(&splice) => {}
                    FileFate::Edited(others)
                        if others.iter().any(|other| overlap(other, &splice)) =>
                    {
                        return conflict();
                    }
                    FileFate::Edited(others) => others.push(splice),
                    FileFate::Made(_) | FileFate::Goes => return conflict(),
                }
                Ok(())
            }
        }
    }

    /// The resulting change of the file; none if it stays the same.
    pub fn into_change(self) -> Option<FileChanges> {
        let mut splices = Vec::new();
        let after = match self.fate {
            FileFate::Stays => return None,
            FileFate::Goes => None,
            FileFate::Made(text) => Some(with_end(&text, "\n")),
            FileFate::Edited(edits) => {
                let before = self.before.as_deref().unwrap_or_default();
                splices = edits;
                splices.sort();
                Some(spliced(before, &mut splices))
            }
        };
        (after != self.before).then_some(FileChanges {
            path: self.path,
            before: self.before,
            after,
            splices,
        })
    }
}

/// Whether two edits touch the same lines. Two insertions at the same line conflict, because their order is
/// undefined.
fn overlap(a: &Splice, b: &Splice) -> bool {
    let (first, second) = if (a.first, a.count) <= (b.first, b.count) {
        (a, b)
    } else {
        (b, a)
    };
    match first.count {
        0 => first.first == second.first,
        _ => second.first < first.first + first.count,
    }
}

/// The text after all splices, applied from the bottom up with the file's own line endings. Updates the splices to
/// match.
fn spliced(before: &str, splices: &mut [Splice]) -> String {
    let end = if before.contains("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let mut lines: Vec<String> = before.split_inclusive('\n').map(str::to_owned).collect();
    for splice in splices.iter_mut().rev() {
        if !splice.text.is_empty() {
            splice.text = with_end(&splice.text.replace("\r\n", "\n"), "\n").replace('\n', end);
        }
        let is_open = lines.last().is_some_and(|last| !last.ends_with('\n'));
        if splice.first == lines.len() && is_open {
            // The last line needs a line ending before text can follow it.
            splice.first -= 1;
            splice.count = 1;
            splice.text = format!("{}{end}{}", lines[splice.first], splice.text);
        }
        if splice.first == 0 && before.starts_with('\u{feff}') {
            // A byte order mark stays at the very beginning.
            if splice.count == 0 {
                splice.count = 1;
                splice.text += lines[0].trim_start_matches('\u{feff}');
            }
            splice.text.insert(0, '\u{feff}');
        }
        let range = splice.first..(splice.first + splice.count).min(lines.len());
        let new = (!splice.text.is_empty()).then(|| splice.text.clone());
        lines.splice(range, new);
    }
    lines.concat()
}

fn with_end(text: &str, end: &str) -> String {
    if text.is_empty() || text.ends_with('\n') {
        text.to_owned()
    } else {
        format!("{text}{end}")
    }
}

/// Whether a directory on the way, or the file itself, is a link.
pub fn leads_through_link(root: &Path, path: &str) -> bool {
    let mut here = root.to_path_buf();
    path.split('/').any(|name| {
        here.push(name);
        fs::symlink_metadata(&here).is_ok_and(|metadata| metadata.is_symlink())
    })
}
