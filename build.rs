//! Generates two things before the build: the version that `--version` prints, and the list of the theme's files.
//!
//! The version names the commit and its date, so that one commit gives one program. It comes from git, or from what
//! `cargo package` left; without either, the version stands alone.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=theme");
    // For those who build without the history, as in a container: `git log -1 --format='%h %cs'`.
    println!("cargo::rerun-if-env-changed=CATALOG_COMMIT");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let commit = env::var("CATALOG_COMMIT").ok();
    let commit = commit.filter(|commit| is_plain(commit));
    let commit = commit.or_else(|| packaged(&root)).or_else(|| git(&root));
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    match commit {
        Some(commit) => println!("cargo::rustc-env=CATALOG_VERSION={version} ({commit})"),
        None => println!("cargo::rustc-env=CATALOG_VERSION={version}"),
    }
    let list = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("theme.rs");
    let written = theme_files(&root.join("theme")).and_then(|table| fs::write(list, table));
    if let Err(error) = written {
        println!("cargo::error=the theme cannot be embedded: {error}");
    }
}

/// A Rust expression: the path of every file of the theme and its bytes, sorted. `VIEWS.md` documents the theme and is
/// not part of it.
fn theme_files(theme: &Path) -> io::Result<String> {
    let mut found = Vec::new();
    let mut directories = vec![theme.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                directories.push(entry.path());
            } else {
                found.push(entry.path());
            }
        }
    }
    let mut files: Vec<(String, PathBuf)> = found
        .into_iter()
        .filter_map(|file| {
            let name = file.strip_prefix(theme).ok()?.to_str()?.replace('\\', "/");
            Some((name, file))
        })
        .filter(|(name, _)| name != "VIEWS.md")
        .collect();
    files.sort();
    let mut table = String::from("&[\n");
    for (name, file) in files {
        let _ = writeln!(
            table,
            "    ({name:?}, include_bytes!({file:?}).as_slice()),"
        );
    }
    Ok(table + "]\n")
}

/// The commit in a package that cargo made; its date is not there.
fn packaged(root: &Path) -> Option<String> {
    let text = fs::read_to_string(root.join(".cargo_vcs_info.json")).ok()?;
    let (_, after) = text.split_once("\"sha1\"")?;
    let commit = after.split('"').nth(1)?.get(..7)?;
    is_plain(commit).then(|| commit.to_owned())
}

/// The commit of the work tree that this is the top of: a tree which merely surrounds it has commits of its own.
fn git(root: &Path) -> Option<String> {
    let places = ask(root, &["rev-parse", "--show-prefix", "--git-dir"])?;
    let (prefix, directory) = places.split_once('\n')?;
    if !prefix.is_empty() {
        return None;
    }
    watch(&root.join(directory.trim_end()));
    let commit = ask(root, &["log", "-1", "--abbrev=7", "--format=%h %cs"])?;
    let commit = commit.trim_end();
    is_plain(commit).then(|| commit.to_owned())
}

/// Names the files that change when another commit is checked out. A path that does not exist would make cargo build
/// again each time.
fn watch(directory: &Path) {
    let common = fs::read_to_string(directory.join("commondir")).ok();
    let common = common.map_or(directory.to_owned(), |path| directory.join(path.trim_end()));
    let head = directory.join("HEAD");
    let branch = fs::read_to_string(&head).ok();
    let branch = branch
        .as_deref()
        .and_then(|text| text.strip_prefix("ref: "));
    let mut files = vec![head.clone()];
    // Each move of HEAD is written here, wherever git keeps the branch itself.
    let log = directory.join("logs/HEAD");
    match branch {
        _ if log.is_file() => files.push(log),
        Some(branch) => {
            let loose = common.join(branch.trim_end());
            // A branch that is packed becomes a file with its next commit, which its directory shows.
            let parent = loose.parent().map(Path::to_owned);
            files.extend([loose, common.join("packed-refs"), common.join("reftable")]);
            files.extend(parent);
        }
        None => {}
    }
    for file in files.iter().filter(|file| file.exists()) {
        println!("cargo::rerun-if-changed={}", file.display());
    }
}

fn ask(root: &Path, arguments: &[&str]) -> Option<String> {
    let mut git = Command::new("git");
    let output = git.arg("-C").arg(root).args(arguments).output().ok()?;
    let text = output.status.success().then_some(output.stdout)?;
    String::from_utf8(text).ok()
}

/// What may stand in a version: a commit, and perhaps a date.
fn is_plain(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_hexdigit() || c == '-' || c == ' ';
    !text.trim().is_empty() && text.len() <= 60 && text.chars().all(is_part)
}
