//! Paths that scripts of the repo create before somebody builds a kustomization there, such as a copy of a base.

use std::sync::{Arc, OnceLock};

use super::{Repo, RepoPath};
use base::{Effect, Finding, Place};

/// Larger scripts are not looked at.
const MAX_BYTES: usize = 256 * 1024;
/// Lines that are kept, in order of their scripts.
const MAX_LINES: usize = 10_000;

/// Lines of scripts that write something, found when the first path is missing.
#[derive(Debug, Clone, Default)]
pub(super) struct ScriptLines(Arc<OnceLock<Vec<ScriptLine>>>);

#[derive(Debug)]
struct ScriptLine {
    script: RepoPath,
    line: String,
}

impl ScriptLines {
    /// The script that writes a path or what it lies in, as far as nothing is there.
    pub(super) fn maker_of(&self, repo: &Repo, target: &RepoPath) -> Option<&RepoPath> {
        let makers = self.0.get_or_init(|| read(repo));
        if makers.is_empty() {
            return None;
        }
        let around = std::iter::successors(Some(target.clone()), RepoPath::parent);
        let missing = around.take_while(|path| !repo.is_dir(path));
        // One name alone may be that of anything.
        let missing: Vec<RepoPath> = missing.filter(|path| path.as_str().contains('/')).collect();
        let writes =
            |maker: &&ScriptLine| missing.iter().any(|path| names(&maker.line, path.as_str()));
        makers.iter().find(writes).map(|maker| &maker.script)
    }
}

/// Finding for a path that a script creates: whoever runs it has the file.
pub(super) fn made_by(script: &RepoPath, path: &str, target: &RepoPath, place: Place) -> Finding {
    let message = format!(
        "`{path}` is not committed: `{script}` creates `{target}`, so its contents are missing from the catalogue"
    );
    Finding::info("file-missing", place, message)
        .help("no action needed, if the script runs before the build")
        .effect(Effect::Unsupported)
        .cause(script.as_str())
}

fn read(repo: &Repo) -> Vec<ScriptLine> {
    let scripts = repo.files().filter(|file| is_script(repo.path(*file)));
    let lines = scripts.flat_map(|file| {
        let text = repo.read_text(file).unwrap_or_default();
        let text = if text.len() > MAX_BYTES {
            String::new()
        } else {
            text
        };
        let script = repo.path(file);
        let lines = text.lines().filter(|line| is_writing(line));
        let makers = lines.map(|line| ScriptLine {
            script: script.clone(),
            // Quotes may end in the middle of a path.
            line: line.replace(['"', '\''], ""),
        });
        makers.collect::<Vec<_>>()
    });
    lines.take(MAX_LINES).collect()
}

fn is_script(path: &RepoPath) -> bool {
    let name = path.file_name();
    matches!(path.extension(), Some("sh" | "bash" | "mk" | "just"))
        || matches!(name, "Makefile" | "GNUmakefile" | "justfile" | ".justfile")
        || name.to_ascii_lowercase().contains("taskfile")
}

/// Whether a line of a script runs a program that writes files where it is told to.
fn is_writing(line: &str) -> bool {
    let line = line.trim_start_matches(['-', '@', ' ', '\t']);
    let mut words = line.split_whitespace();
    !line.starts_with('#')
        && words.any(|word| {
            matches!(
                word,
                "cp" | "mv" | "ln" | "rsync" | "install" | "curl" | "wget" | "tee" | ">" | ">>"
            )
        })
}

/// Whether a line has a path as a word, or at the end of one that begins with a variable.
fn names(line: &str, path: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + path.len()..].chars().next();
        before.is_none_or(|c| !is_part(c)) && after.is_none_or(|c| !is_part(c))
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use base::{FileId, Files};

    use super::*;

    #[test]
    fn a_path_that_a_script_copies_something_to_is_not_missing() {
        let dir = tempfile::tempdir().unwrap();
        let files = [
            (
                "build.sh",
                "cp -R base \"${BUILD}\"/overlays/bases/all/base\necho overlays/bases/other/base\n",
            ),
            ("overlays/bases/all/kustomization.yaml", "resources: []\n"),
            ("overlays/bases/other/kustomization.yaml", "resources: []\n"),
        ];
        for (path, text) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let repo = Repo::open(dir.path(), &[]).unwrap();
        let severity = |path: &str| {
            let target = RepoPath::new(path).unwrap();
            let place = Place::start_of(FileId(0));
            Files::missing(&repo, path, &target, place).severity
        };
        assert_eq!(
            severity("overlays/bases/all/base/web.yaml"),
            base::Severity::Info
        );
        for path in [
            "overlays/bases/all/other.yaml",
            "overlays/bases/all/base2/web.yaml",
            "overlays/bases/other/base/web.yaml",
        ] {
            assert_eq!(severity(path), base::Severity::Error, "{path}");
        }
    }
}
