//! What `--version` says of the program.

use std::path::Path;
use std::process::Command;

use crate::cli::{catalog, repo, stdout};
use crate::tidy::sources;

#[test]
fn the_version_names_the_commit_that_was_built_and_its_date() {
    let here = repo(&[]);
    let text = stdout(&catalog(&["--version"], here.path()));
    let version = text.strip_prefix("catalog ").unwrap().trim_end();
    let Some((version, commit)) = version.split_once(" (") else {
        // Built without git.
        assert_eq!(version, env!("CARGO_PKG_VERSION"));
        return;
    };
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    let commit = commit.strip_suffix(')').unwrap();
    let (id, date) = commit.split_once(' ').unwrap_or((commit, ""));
    let is_id = |id: &str| id.len() >= 7 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    assert!(is_id(id), "{text}");
    let mut git = Command::new("git");
    git.args(["log", "-1", "--format=%cs", id, "--"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")));
    let known = git.output().ok().filter(|output| output.status.success());
    if let Some(known) = known {
        assert_eq!(stdout(&known).trim_end(), date);
    }
}

#[test]
fn nothing_but_the_command_line_knows_the_commit() {
    for (path, text) in sources() {
        let knows = text.contains("CATALOG_VERSION") || text.contains("cli::VERSION");
        assert!(
            !knows || path == Path::new("src/cli/mod.rs"),
            "{} would make other bytes of the same repo with each commit",
            path.display()
        );
    }
}
