//! Runs `git log` and reads its output commit by commit. Paths and author names can have any content and length.

use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{ChildStdout, Command, Stdio};

use super::WalkLimits;
use super::commits::{BYTES_PER_FILE, CommitFacts, Commits, TextIx};
use crate::input::repo::git::{self, Git, Watch};

/// A walk of git that is under way.
pub(super) struct Log<'g> {
    watch: Watch,
    tokens: Tokens<BufReader<ChildStdout>>,
    prefix: &'g str,
    most_bytes: usize,
    is_at_end: bool,
}

/// How a walk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// Git printed all that it was asked for.
    Complete,
    /// It was stopped or failed before that.
    Early,
    /// It ran out of time: what it printed differs from run to run.
    Late,
}

impl<'g> Log<'g> {
    pub fn start(git: &'g Git, root: &Path, limits: &WalkLimits) -> Option<Log<'g>> {
        let mut child = command(root)
            .args(["log", HEADER, "--name-only", "-z", "-c", "--no-renames"])
            .args(["--no-ext-diff", "--no-color", "--encoding=UTF-8"])
            // Count commits that change nothing here as well. Otherwise git walks to the root for a directory that
            // rarely changes. The extra commit tells how old the commits beyond the window are.
            .args(["--sparse", &format!("--max-count={}", limits.commits + 1)])
            .args([&git.commit, "--", "."])
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let printed = child.stdout.take()?;
        Some(Log {
            watch: Watch::over(child),
            tokens: Tokens::new(BufReader::new(printed)),
            prefix: &git.prefix,
            most_bytes: limits.bytes,
            is_at_end: false,
        })
    }

    /// Reads the next commit into `commits` and returns its id; none at the end of the output.
    pub fn next(&mut self, commits: &mut Commits) -> Option<TextIx> {
        loop {
            let Some(token) = self.tokens.next() else {
                self.is_at_end = true;
                return None;
            };
            let Some((id, mut commit)) = header(token, commits) else {
                continue;
            };
            commit.files = self.files(commits);
            commits.add(id, commit);
            return Some(id);
        }
    }

    fn files(&mut self, commits: &mut Commits) -> Option<Vec<TextIx>> {
        let mut files = Vec::new();
        let mut bytes = 0;
        let mut is_first = true;
        while let Some(token) = self.tokens.next_unless(|token| token.starts_with(b"/")) {
            // Between header and names, git puts a newline, or an empty name after a merge.
            let separator: &[u8] = if is_first { b"\n" } else { b"" };
            is_first = false;
            let name = token.strip_prefix(separator).unwrap_or(token);
            let below = name.strip_prefix(self.prefix.as_bytes());
            let Some(path) = below.and_then(|name| std::str::from_utf8(name).ok()) else {
                continue;
            };
            if path.is_empty() {
                continue;
            }
            bytes += path.len() + BYTES_PER_FILE;
            if bytes <= self.most_bytes {
                files.push(commits.number(path));
            }
        }
        (bytes <= self.most_bytes).then_some(files)
    }

    /// Ends the walk, even if git has more to print.
    pub fn end(self) -> Ended {
        if !self.is_at_end {
            return if self.watch.stop() {
                Ended::Early
            } else {
                Ended::Late
            };
        }
        match self.watch.end() {
            Ok(status) if status.success() => Ended::Complete,
            Ok(_) => Ended::Early,
            Err(_) => Ended::Late,
        }
    }
}

/// The paths of all files of a commit below the directory that is read, sorted. None if git fails or takes too long.
pub(super) fn committed(git: &Git, root: &Path) -> Option<Vec<String>> {
    let mut command = command(root);
    command.args(["ls-tree", "-r", "-z", "--name-only", &git.commit]);
    let output = git::finished(&mut command).ok()?;
    let listing = output.status.success().then_some(output.stdout)?;
    let names = listing.split(|byte| *byte == 0);
    let paths = names.filter_map(|name| std::str::from_utf8(name).ok());
    let mut paths: Vec<String> = paths
        .filter(|path| !path.is_empty())
        .map(str::to_owned)
        .collect();
    paths.sort_unstable();
    Some(paths)
}

/// Git without replaced objects, grafts and settings, which make the same commit differ between clones.
fn command(root: &Path) -> Command {
    let mut command = git::command(root);
    command
        .args(["--no-replace-objects", "-c", "diff.relative=false"])
        .args(["-c", "log.showRoot=true", "-c", "log.follow=false"])
        .env("GIT_GRAFT_FILE", "/dev/null");
    command
}

/// Starts with a slash, which no path in the log does.
const HEADER: &str = "--format=tformat:/%H|%ct|%cs|%P|%an";

/// A commit without its files; none for a token that is no header.
fn header(token: &[u8], commits: &mut Commits) -> Option<(TextIx, CommitFacts)> {
    let text = String::from_utf8_lossy(token);
    let mut fields = text.strip_prefix('/')?.splitn(5, '|');
    let (id, time, date) = (fields.next()?, fields.next()?, fields.next()?);
    let (parents, author) = (fields.next()?, fields.next()?);
    let parents = parents.split_ascii_whitespace();
    let commit = CommitFacts {
        time: seconds(time),
        date: commits.number(date),
        author: commits.number(beginning(author)),
        parents: parents.map(|parent| commits.number(parent)).collect(),
        files: None,
    };
    Some((commits.number(id), commit))
}

/// The first characters of an author's name.
fn beginning(author: &str) -> &str {
    let end = author.char_indices().nth(MAX_AUTHOR_CHARS);
    end.map_or(author, |(end, _)| &author[..end])
}

const MAX_AUTHOR_CHARS: usize = 200;

/// A commit time as git sorts by it: 0 if it is not a number, the maximum if it is too large.
fn seconds(text: &str) -> u64 {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number {
        text.parse().unwrap_or(u64::MAX)
    } else {
        0
    }
}

/// Longer tokens are truncated; no file system allows such paths.
const MAX_TOKEN_BYTES: usize = 64 * 1024;

/// A stream of tokens, each terminated by a NUL byte.
struct Tokens<R> {
    from: R,
    token: Vec<u8>,
    is_pending: bool,
}

impl<R: BufRead> Tokens<R> {
    fn new(from: R) -> Tokens<R> {
        Tokens {
            from,
            token: Vec::new(),
            is_pending: false,
        }
    }

    fn next(&mut self) -> Option<&[u8]> {
        self.next_unless(|_| false)
    }

    /// The next token. A refused token stays for the next call.
    fn next_unless(&mut self, is_refused: impl Fn(&[u8]) -> bool) -> Option<&[u8]> {
        if !std::mem::take(&mut self.is_pending) {
            self.token.clear();
            if !self.read() {
                return None;
            }
        }
        if is_refused(&self.token) {
            self.is_pending = true;
            return None;
        }
        Some(&self.token)
    }

    /// Reads one token; false at the end of the stream.
    fn read(&mut self) -> bool {
        let mut has_any = false;
        loop {
            let available = match self.from.fill_buf() {
                Ok(bytes) if !bytes.is_empty() => bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                _ => return has_any,
            };
            has_any = true;
            let end = available.iter().position(|byte| *byte == 0);
            let part = &available[..end.unwrap_or(available.len())];
            let room = MAX_TOKEN_BYTES - self.token.len();
            self.token.extend_from_slice(&part[..part.len().min(room)]);
            let used = part.len() + usize::from(end.is_some());
            self.from.consume(used);
            if end.is_some() {
                return true;
            }
        }
    }
}
