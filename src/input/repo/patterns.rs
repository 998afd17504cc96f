//! Patterns in the syntax of `.gitignore`, as files of another name or a text hold them.

use ignore::Match;
use ignore::gitignore::Gitignore;

use super::commit::{matcher, virtual_path};
use super::{Repo, RepoPath};

/// Patterns by the directory that they are for, the deepest first.
#[derive(Debug, Default)]
pub struct Patterns(Vec<(RepoPath, Gitignore)>);

impl Patterns {
    /// Patterns of all files with this name, each for its own directory.
    pub fn of_files(repo: &Repo, name: &str) -> Patterns {
        let files = repo
            .files()
            .filter(|file| repo.path(*file).file_name() == name);
        let mut all: Vec<(RepoPath, Gitignore)> = files
            .filter_map(|file| {
                let directory = repo.path(file).parent()?;
                let text = repo.read_text(file).ok()?;
                let matcher = matcher(directory.as_str(), text.as_bytes());
                Some((directory, matcher))
            })
            .collect();
        all.sort_by_key(|(directory, _)| std::cmp::Reverse(directory.as_str().len()));
        Patterns(all)
    }

    /// Patterns of a text, for the whole repo.
    pub fn of_text(text: &str) -> Patterns {
        Patterns(vec![(RepoPath::root(), matcher("", text.as_bytes()))])
    }

    /// Whether a file is left out; none where no pattern speaks of it. A deeper file has the last word.
    pub fn leave_out(&self, file: &RepoPath) -> Option<bool> {
        let near = self
            .0
            .iter()
            .filter(|(directory, _)| file.is_below(directory));
        let mut answers = near.map(|(_, matcher)| {
            matcher.matched_path_or_any_parents(virtual_path(file.as_str()), false)
        });
        answers.find_map(|answer| match answer {
            Match::None => None,
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_excluded_may_be_taken_in_again() {
        let patterns = Patterns::of_text("# all but one\n/*\n!/deploy\n*.tmp.yaml\n");
        let leave_out = |path: &str| patterns.leave_out(&RepoPath::new(path).unwrap());
        assert_eq!(leave_out("old/a.yaml"), Some(true));
        assert_eq!(leave_out("deploy/web/a.yaml"), Some(false));
        assert_eq!(leave_out("deploy/a.tmp.yaml"), Some(true));
        assert_eq!(Patterns::default().leave_out(&RepoPath::root()), None);
    }
}
