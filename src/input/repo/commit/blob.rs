//! Contents of git objects, read one at a time from `git` processes that are reused.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::{Mutex, OnceLock};

use super::super::{MAX_FILE_BYTES, git, read_regular};

/// The contents of one git repository.
#[derive(Debug)]
pub struct Store {
    directory: PathBuf,
    /// Idle processes: as many as were needed at once.
    idle: Mutex<Vec<BlobReader>>,
    /// Directory of Git LFS objects, if there is one.
    large: OnceLock<Option<PathBuf>>,
}

pub enum Blob {
    Bytes(Vec<u8>),
    TooLarge,
    Missing(String),
}

/// Start of a Git LFS pointer.
const POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";
/// Limit on the length of a pointer.
const LONGEST_POINTER: usize = 1024;

impl Store {
    pub fn new(directory: PathBuf) -> Store {
        Store {
            directory,
            idle: Mutex::default(),
            large: OnceLock::new(),
        }
    }

    /// The content with this id. For a Git LFS pointer, the content of the file, if this machine has it.
    pub fn read(&self, id: &str) -> Blob {
        let waiting = self.idle.lock().ok().and_then(|mut idle| idle.pop());
        let reader = waiting.map_or_else(|| BlobReader::start(&self.directory), Ok);
        let read = reader.and_then(|mut reader| {
            let blob = reader.ask(id)?;
            Ok((reader, blob))
        });
        // A process that failed is let go.
        match read {
            Ok((reader, blob)) => {
                if let Ok(mut idle) = self.idle.lock() {
                    idle.push(reader);
                }
                self.followed(blob)
            }
            Err(error) => Blob::Missing(format!("git cannot read it ({error})")),
        }
    }

    fn followed(&self, blob: Blob) -> Blob {
        let Blob::Bytes(bytes) = blob else {
            return blob;
        };
        let Some(path) = pointer(&bytes).and_then(|id| self.kept_apart(&id)) else {
            return Blob::Bytes(bytes);
        };
        let found = fs::symlink_metadata(&path).and_then(|found| read_regular(&path, found.len()));
        match found {
            Ok(large) if large.len() as u64 > MAX_FILE_BYTES => Blob::TooLarge,
            Ok(large) => Blob::Bytes(large),
            // A work tree also has the pointer if the file was not fetched.
            Err(_) => Blob::Bytes(bytes),
        }
    }

    fn kept_apart(&self, id: &str) -> Option<PathBuf> {
        let load = || {
            let mut command = git::command(&self.directory);
            command.args(["rev-parse", "--git-common-dir"]);
            let output = git::finished(&mut command).ok();
            let output = output.filter(|it| it.status.success())?;
            let path = String::from_utf8(output.stdout).ok()?;
            let path = path.strip_suffix('\n').unwrap_or(&path);
            Some(self.directory.join(path).join("lfs/objects"))
        };
        let objects = self.large.get_or_init(load).as_ref()?;
        Some(objects.join(&id[..2]).join(&id[2..4]).join(id))
    }
}

/// The id in a Git LFS pointer.
fn pointer(bytes: &[u8]) -> Option<String> {
    if bytes.len() > LONGEST_POINTER || !bytes.starts_with(POINTER) {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let id = text
        .lines()
        .find_map(|line| line.strip_prefix("oid sha256:"))?;
    let is_id = id.len() == 64 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then(|| id.to_owned())
}

/// A `git cat-file --batch`: an id in, its content out.
#[derive(Debug)]
struct BlobReader {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl BlobReader {
    fn start(directory: &Path) -> io::Result<BlobReader> {
        let mut child = git::command(directory)
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (to, from) = (child.stdin.take(), child.stdout.take());
        let from = from.ok_or_else(|| io::Error::other("it has no output"))?;
        Ok(BlobReader {
            child,
            to,
            from: BufReader::with_capacity(1 << 16, from),
        })
    }

    fn ask(&mut self, id: &str) -> io::Result<Blob> {
        let to = self
            .to
            .as_mut()
            .ok_or_else(|| io::Error::other("it is gone"))?;
        to.write_all(format!("{id}\n").as_bytes())?;
        to.flush()?;
        let mut head = String::new();
        self.from.by_ref().take(256).read_line(&mut head)?;
        // The id, the type, the size; or the id and why not.
        let mut words = head.split_whitespace().skip(1);
        let size = match (words.next(), words.next()) {
            (Some("blob"), Some(size)) => size.parse::<u64>().map_err(io::Error::other)?,
            (Some("missing"), _) => {
                return Ok(Blob::Missing(
                    "its content is missing from this clone".to_owned(),
                ));
            }
            _ => return Err(io::Error::other("it gave no content")),
        };
        // With the newline that ends it.
        let mut content = self.from.by_ref().take(size + 1);
        if size > MAX_FILE_BYTES {
            io::copy(&mut content, &mut io::sink())?;
            return Ok(Blob::TooLarge);
        }
        let mut bytes = Vec::with_capacity(size as usize + 1);
        content.read_to_end(&mut bytes)?;
        match bytes.pop() {
            Some(b'\n') if bytes.len() as u64 == size => Ok(Blob::Bytes(bytes)),
            _ => Err(io::Error::other("it ended early")),
        }
    }
}

impl Drop for BlobReader {
    fn drop(&mut self) {
        drop(self.to.take());
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
