//! Keeps the result of a walk in the user's cache directory. The cache only saves time: a missing, broken or unwritable
//! file is no error. Never writes into the repository being read, and follows no symbolic link below the cache directory.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use super::commits::Commits;
use super::encoding::{decode_answer, decode_commits, encode_answer, encode_commits};
use super::window::{Window, WindowEnd};
use super::{EarlierWindow, LastChanges, WalkLimits};
use crate::input::repo::git::Git;
use system::Directory;
use system::cache::{make_private, resolved, user_directory};

/// Identifies the format; files in any other format are ignored.
const FORMAT: &str = "catalog-history-1";
/// Larger files are neither written nor read.
const MAX_FILE_BYTES: usize = 32 * 1024 * 1024;
/// The limit for all files together. The oldest are removed first.
const MAX_TOTAL_BYTES: u64 = 256 * 1024 * 1024;
const MAX_FILES: usize = 64;
const EXTENSION: &str = ".history";
const TEMPORARY: &str = ".tmp";

/// The cache file for one directory of one repository.
#[derive(Debug)]
pub(super) struct Cache {
    directory: PathBuf,
    name: OsString,
}

/// The contents of a cache file: the answer for one commit and, read on demand, the commits of its window.
pub(super) struct Cached {
    pub answer: LastChanges,
    rest: BufReader<File>,
    commits: CacheSection,
}

impl Cache {
    /// None if there is no cache directory, or if it is inside the repository.
    pub fn of_user(git: &Git, root: &Path, limits: &WalkLimits) -> Option<Cache> {
        let caches = user_directory(|name| env::var_os(name))?;
        Cache::below(&caches, git, root, limits)
    }

    /// The same for a given cache directory.
    pub fn below(caches: &Path, git: &Git, root: &Path, limits: &WalkLimits) -> Option<Cache> {
        let depth = git.prefix.matches('/').count();
        let top = root.ancestors().nth(depth).unwrap_or(root);
        let store = Git::common_directory(root)?;
        let real = resolved(caches)?.join("history");
        if real.starts_with(top) || real.starts_with(&store) {
            return None;
        }
        Some(Cache::new(real, &store, &git.prefix, limits))
    }

    /// The file in `directory` for the path `prefix` in the repository whose git directory is `store`.
    pub fn new(directory: PathBuf, store: &Path, prefix: &str, limits: &WalkLimits) -> Cache {
        let mut key = Sha256::new();
        key.update(store.as_os_str().as_encoded_bytes());
        key.update(format!("\0{prefix}\0{}\0{}", limits.commits, limits.bytes));
        let name = format!("{:x}{EXTENSION}", key.finalize());
        Cache {
            directory,
            name: name.into(),
        }
    }

    /// None if the file is missing or unusable.
    pub fn read(&self) -> Option<Cached> {
        let directory = Directory::open(&self.directory).ok()?;
        let file = directory.file(&self.name).ok()?;
        if file.metadata().ok()?.len() > (MAX_FILE_BYTES + MAX_HEADER_BYTES) as u64 {
            return None;
        }
        let mut file = BufReader::new(file);
        let [answer, commits] = sections(&mut file)?;
        let answer = decode_answer(&answer.read(&mut file)?)?;
        Some(Cached {
            answer,
            rest: file,
            commits,
        })
    }

    /// Replaces the file. If that fails, the next walk takes longer.
    pub fn write(&self, answer: &LastChanges, commits: &Commits, window: &Window) {
        let floor = match window.end {
            WindowEnd::Limit { time } => time,
            WindowEnd::Root | WindowEnd::Missing => 0,
        };
        let answer = encode_answer(answer);
        let mut commits = encode_commits(commits, &window.commits, floor);
        if answer.len() > MAX_FILE_BYTES {
            return;
        }
        if answer.len() + commits.len() > MAX_FILE_BYTES {
            commits.clear();
        }
        // Not worth a message: everything works without a cache.
        let _ = self.replace(&answer, &commits);
    }

    fn replace(&self, answer: &[u8], commits: &[u8]) -> io::Result<()> {
        make_private(&self.directory)?;
        let directory = Directory::open(&self.directory)?;
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let temporary = OsString::from(format!(".{}-{number}{TEMPORARY}", process::id()));
        let file = directory.create(&temporary)?;
        let written =
            fill(file, answer, commits).and_then(|()| directory.rename(&temporary, &self.name));
        if written.is_err() {
            let _ = directory.remove_file(&temporary);
        }
        tidy(&directory, &self.name);
        written
    }
}

fn fill(mut file: File, answer: &[u8], commits: &[u8]) -> io::Result<()> {
    restrict(&file)?;
    let header = [CacheSection::parse(answer), CacheSection::parse(commits)]
        .map(|section| section.to_text());
    writeln!(file, "{FORMAT} {}", header.join(" "))?;
    file.write_all(answer)?;
    file.write_all(commits)
}

/// Counts the files that this process writes, to give each a unique name.
static WRITTEN: AtomicUsize = AtomicUsize::new(0);

impl Cached {
    /// The commits of the walk that gave the answer.
    pub fn commits(mut self) -> Option<EarlierWindow> {
        decode_commits(&self.commits.read(&mut self.rest)?)
    }
}

/// A part of the file, with its length and a digest to detect damage.
struct CacheSection {
    bytes: usize,
    digest: String,
}

const MAX_HEADER_BYTES: usize = 512;

/// The sections listed in the first line.
fn sections(file: &mut impl BufRead) -> Option<[CacheSection; 2]> {
    let mut line = String::new();
    let mut limited = file.take(MAX_HEADER_BYTES as u64);
    limited.read_line(&mut line).ok()?;
    let mut fields = line.strip_suffix('\n')?.split(' ');
    fields.next().filter(|format| *format == FORMAT)?;
    let mut section = || {
        let bytes = fields.next()?.parse().ok()?;
        let digest = fields.next()?.to_owned();
        (bytes <= MAX_FILE_BYTES).then_some(CacheSection { bytes, digest })
    };
    Some([section()?, section()?])
}

impl CacheSection {
    fn parse(content: &[u8]) -> CacheSection {
        CacheSection {
            bytes: content.len(),
            digest: digest(content),
        }
    }

    fn to_text(&self) -> String {
        format!("{} {}", self.bytes, self.digest)
    }

    /// Its content; none if it is damaged.
    fn read(&self, from: &mut impl Read) -> Option<Vec<u8>> {
        let mut content = Vec::new();
        from.take(self.bytes as u64)
            .read_to_end(&mut content)
            .ok()?;
        (content.len() == self.bytes && digest(&content) == self.digest).then_some(content)
    }
}

fn digest(content: &[u8]) -> String {
    format!("{:x}", Sha256::digest(content))
}

/// Removes the oldest files beyond the limits, and temporary files left by killed processes.
fn tidy(directory: &Directory, own: &OsStr) {
    let mut found = Vec::new();
    for name in directory.names().unwrap_or_default() {
        let Some(text) = name.to_str() else {
            continue;
        };
        let is_temporary = text.starts_with('.') && text.ends_with(TEMPORARY);
        let Ok(metadata) = directory.file(&name).and_then(|file| file.metadata()) else {
            continue;
        };
        let written = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        if is_temporary && written.elapsed().is_ok_and(|age| age.as_secs() > 60 * 60) {
            let _ = directory.remove_file(&name);
        } else if text.ends_with(EXTENSION) && name != own {
            found.push((written, metadata.len(), name));
        }
    }
    found.sort();
    let mut bytes = MAX_FILE_BYTES as u64;
    for (place, (_, length, name)) in found.iter().rev().enumerate() {
        bytes += length;
        if place + 1 >= MAX_FILES || bytes > MAX_TOTAL_BYTES {
            let _ = directory.remove_file(name);
        }
    }
}

/// Makes a file readable by its owner only.
fn restrict(file: &File) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.set_permissions(fs::Permissions::from_mode(0o600))?;
    }
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}
