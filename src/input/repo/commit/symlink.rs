//! Symbolic links of a commit: where each leads, worked out from what they say rather than by following them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;

use super::blob::Blob;
use super::rule::Rules;
use super::{Commit, TreeEntryKind};
use crate::input::repo::RepoPath;
use crate::input::repo::link::{LinkIndex, broken, outside};
use base::Finding;

/// A path through more links than this is a circle, as systems have it.
const MOST_LINKS: usize = 40;
/// No path is longer.
const LONGEST: usize = 4096;

/// The error of a circle, which the standard library has no name for yet.
const ELOOP: i32 = if cfg!(target_os = "linux") { 40 } else { 62 };

/// Follows the links at these paths. Links that do not end inside the directory become findings, worded as in the walk.
pub fn follow(
    commit: &Commit,
    rules: &Rules,
    links: Vec<RepoPath>,
    findings: &mut Vec<Finding>,
) -> LinkIndex {
    let said = said(commit);
    let mut real = BTreeMap::new();
    let mut out = BTreeSet::new();
    for link in links {
        let whole = format!("{}{link}", commit.git.prefix);
        match resolve(commit, rules, &said, &whole) {
            Ok(SymlinkEnd::Inside(path)) => {
                let root = commit.git.prefix.trim_end_matches('/');
                let own = if path == root {
                    Some("")
                } else {
                    path.strip_prefix(commit.git.prefix.as_str())
                };
                match own.and_then(RepoPath::new) {
                    Some(path) => drop(real.insert(link, path)),
                    None => {
                        findings.push(outside(&link));
                        out.insert(link);
                    }
                }
            }
            Ok(SymlinkEnd::Outside) => {
                findings.push(outside(&link));
                out.insert(link);
            }
            Err(error) => findings.push(broken(&link, &error)),
        }
    }
    LinkIndex::new(real, out)
}

/// Target text of every link in the commit.
fn said(commit: &Commit) -> BTreeMap<&str, String> {
    let entries = commit.listing.entries.iter();
    let links = entries.filter(|(_, entry)| entry.kind == TreeEntryKind::Link);
    let said = links.filter_map(|(path, entry)| {
        let Blob::Bytes(bytes) = commit.stores[entry.store].read(&entry.id) else {
            return None;
        };
        let text = String::from_utf8(bytes).ok()?;
        (text.len() <= LONGEST).then_some((path.as_str(), text))
    });
    said.collect()
}

enum SymlinkEnd {
    /// A path from the root of the work tree.
    Inside(String),
    Outside,
}

fn resolve(
    commit: &Commit,
    rules: &Rules,
    said: &BTreeMap<&str, String>,
    link: &str,
) -> io::Result<SymlinkEnd> {
    let mut done = String::new();
    let mut todo: Vec<String> = parts(link);
    let mut links = 0;
    while let Some(part) = todo.pop() {
        if part == ".." {
            if done.is_empty() {
                return Ok(SymlinkEnd::Outside);
            }
            done.truncate(done.rfind('/').unwrap_or(0));
            continue;
        }
        let above = done.len();
        if !done.is_empty() {
            done.push('/');
        }
        done.push_str(&part);
        if let Some(text) = said.get(done.as_str()) {
            links += 1;
            if links > MOST_LINKS {
                return Err(io::Error::from_raw_os_error(ELOOP));
            }
            done.truncate(above);
            let text = if text.starts_with('/') {
                let top = commit.top.as_ref().and_then(|top| top.to_str());
                let inside = top.and_then(|top| text.strip_prefix(top));
                let Some(inside) = inside.filter(|rest| rest.is_empty() || rest.starts_with('/'))
                else {
                    // Whether anything is there, only this machine can tell.
                    return fs::metadata(text).map(|_| SymlinkEnd::Outside);
                };
                done.clear();
                inside
            } else {
                text.as_str()
            };
            todo.extend(parts(text));
            continue;
        }
        let is_file =
            commit.listing.entries.get(&done).map(|entry| entry.kind) == Some(TreeEntryKind::File);
        if is_file && !todo.is_empty() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        if !commit.listing.has(&done) && !rules.is_ignored_and_there(commit, &done) {
            return Err(io::ErrorKind::NotFound.into());
        }
    }
    Ok(SymlinkEnd::Inside(done))
}

/// The parts of a path, the first last.
fn parts(path: &str) -> Vec<String> {
    let parts = path.split('/').filter(|part| !matches!(*part, "" | "."));
    parts.rev().map(str::to_owned).collect()
}
