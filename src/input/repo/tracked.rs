//! Files that git tracks. They are deployed even if a `.gitignore` matches them. Asks git for its index, and that of
//! each submodule that is checked out.

use std::fs;
use std::path::Path;

use super::git;
use super::walk::nowhere;
use base::Finding;

/// The index of a work tree, by paths from the directory that is read.
#[derive(Debug, Default)]
pub(super) struct Tracked {
    pub paths: Vec<String>,
    /// The first parts of paths that are not UTF-8, up to where they are not, as they are shown.
    pub odd: Vec<String>,
    /// Submodules that are not checked out.
    pub absent: Vec<String>,
}

/// None where git cannot tell.
pub(super) fn list(root: &Path) -> Option<Tracked> {
    let mut tracked = Tracked::default();
    let mut pending = vec![String::new()];
    while let Some(below) = pending.pop() {
        let directory = root.join(&below);
        let mut command = git::command(&directory);
        let output = git::finished(command.args(["ls-files", "-z", "--stage"])).ok()?;
        let listed = output.status.success().then_some(output.stdout)?;
        for line in listed.split(|byte| *byte == 0) {
            let Some(tab) = line.iter().position(|byte| *byte == b'\t') else {
                continue;
            };
            let (facts, name) = (&line[..tab], &line[tab + 1..]);
            let Ok(name) = std::str::from_utf8(name) else {
                tracked.odd.push(format!("{below}{}", odd_part(name)));
                continue;
            };
            let path = format!("{below}{name}");
            match facts.starts_with(b"160000 ") {
                false => tracked.paths.push(path),
                true if is_checked_out(root, &path) => pending.push(format!("{path}/")),
                true => tracked.absent.push(path),
            }
        }
    }
    Some(tracked)
}

/// Whether a submodule is there, and really at its place.
pub(super) fn is_checked_out(top: &Path, path: &str) -> bool {
    let inside = top.join(path);
    let is_real = fs::canonicalize(&inside).is_ok_and(|real| real == inside);
    is_real && inside.join(".git").symlink_metadata().is_ok()
}

/// The shortest prefix of a path that is not UTF-8, in printable form.
pub(super) fn odd_part(name: &[u8]) -> String {
    let ends = (0..=name.len()).filter(|end| name.get(*end).is_none_or(|byte| *byte == b'/'));
    let mut odd = ends
        .map(|end| &name[..end])
        .filter(|part| std::str::from_utf8(part).is_err());
    String::from_utf8_lossy(odd.next().unwrap_or(name)).into_owned()
}

pub(super) fn absent(path: &str) -> Finding {
    let message =
        format!("the submodule `{path}` is not checked out, so its manifests are not read");
    Finding::info("submodule-absent", nowhere(), message)
        .help("run `git submodule update --init`, or remove it")
}
