//! Git facts of the snapshot as a whole: commit, branch, remote. Runs the `git` program, and only commands that run
//! nothing the repo or its configuration names.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Whether to read git facts. With `Skip`, the `git` program is not run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum GitUse {
    #[default]
    Read,
    Skip,
}

/// The git facts of a repo. There are none without a commit that has files of the repo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Git {
    /// The full id of the commit that is checked out.
    pub commit: String,
    /// The branch that is checked out; none when the commit is checked out by itself.
    pub branch: Option<String>,
    /// The web address of the remote `origin`, without credentials.
    pub remote: Option<String>,
    /// Path of the repo in its work tree: empty, or ending with `/`.
    pub prefix: String,
    pub(super) depth: Depth,
}

/// How much of the past was cloned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    Full,
    Shallow,
}

impl Git {
    pub(super) fn open(root: &Path) -> Option<Git> {
        // `HEAD:./` fails where a work tree merely surrounds the root and has no file in it. The prefix comes last
        // because it may contain anything, even a newline.
        let facts = output(command(root).args([
            "rev-parse",
            "--is-shallow-repository",
            "HEAD^{commit}",
            "HEAD:./",
            "--show-prefix",
        ]))?;
        let mut facts = facts.splitn(4, '\n');
        let depth = match facts.next()? {
            "true" => Depth::Shallow,
            _ => Depth::Full,
        };
        let commit = facts.next()?.to_string();
        let _tree = facts.next()?;
        let prefix = facts.next()?;
        if !is_id(&commit) {
            return None;
        }
        let branch = output(command(root).args(["symbolic-ref", "--quiet", "--short", "HEAD"]));
        let remote = output(command(root).args(["config", "--get", "remote.origin.url"]));
        Some(Git {
            commit,
            branch: branch.map(|name| line(&name).to_string()),
            remote: remote.and_then(|url| web_address(line(&url))),
            prefix: line(prefix).to_string(),
            depth,
        })
    }
}

impl Git {
    /// The directories whose files say what is checked out: those of the work tree's own `HEAD`, and of branches.
    pub(super) fn directories(root: &Path) -> Vec<PathBuf> {
        let own = directory(root, "--git-dir");
        let Some((own, common)) = own.zip(Git::common_directory(root)) else {
            return Vec::new();
        };
        let mut found = vec![common.clone(), own];
        let mut branches = vec![common.join("refs/heads")];
        while let Some(directory) = branches.pop().filter(|_| found.len() < MOST_DIRECTORIES) {
            let entries = fs::read_dir(&directory).into_iter().flatten().flatten();
            let below = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
            branches.extend(below.map(|entry| entry.path()));
            found.push(directory);
        }
        found.sort();
        found.dedup();
        found
    }

    /// The directory that all work trees of a repository share.
    pub(super) fn common_directory(root: &Path) -> Option<PathBuf> {
        directory(root, "--git-common-dir")
    }
}

/// The directory that an option of `git rev-parse` prints.
fn directory(root: &Path, option: &str) -> Option<PathBuf> {
    let path = output(command(root).args(["rev-parse", "--path-format=absolute", option]))?;
    Some(PathBuf::from(line(&path)))
}

/// Whether the directory or one above it has a `.git`, without running git.
pub(super) fn is_around(root: &Path) -> bool {
    root.ancestors()
        .any(|above| above.join(".git").symlink_metadata().is_ok())
}

/// Limit on directories of refs. Branch names with slashes are directories.
const MOST_DIRECTORIES: usize = 1_000;

/// A `git` that obeys neither the environment of a hook nor settings that would make it run, fetch or change anything.
pub(super) fn command(root: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(root)
        .args(["--no-pager", "--no-optional-locks", "--literal-pathspecs"])
        .args(["-c", "core.fsmonitor=false"])
        .args(["-c", "core.hooksPath=/dev/null"])
        .args(["-c", "log.showSignature=false"])
        // A mailmap is a file of the work tree, or any that the configuration names: it may be a pipe, or huge.
        .args(["-c", "log.mailmap=false"])
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        // In a partial clone, what is missing stays missing: a fetch could run a command of the repo's choice.
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", "none")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    // A hook is run with these set to the repository that it belongs to, which need not be the one to read.
    for variable in [
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_COMMON_DIR",
        "GIT_INDEX_FILE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_NAMESPACE",
        "GIT_PREFIX",
        "GIT_EXTERNAL_DIFF",
        "GIT_GLOB_PATHSPECS",
        "GIT_NOGLOB_PATHSPECS",
        "GIT_ICASE_PATHSPECS",
    ] {
        command.env_remove(variable);
    }
    command
}

/// A pipe in the place of a file of `.git` would have git wait for ever.
const LIMIT: Duration = Duration::from_secs(60);

/// Output of a command, within the time limit.
pub(super) fn finished(command: &mut Command) -> io::Result<Output> {
    within(LIMIT, command)
}

fn within(limit: Duration, command: &mut Command) -> io::Result<Output> {
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let watch = Watch::start(child, limit);
    // Git prints fewer errors than a pipe holds, so stderr can wait until stdout is drained.
    let stdout = drained(stdout)?;
    let stderr = drained(stderr)?;
    let status = watch.end()?;
    Ok(Output {
        status,
        stdout,
        stderr,
    })
}

fn drained(from: Option<impl Read>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.map(|mut from| from.read_to_end(&mut bytes))
        .transpose()?;
    Ok(bytes)
}

/// Kills a child that takes too long, so that reading its output ends.
pub(super) struct Watch {
    child: Arc<Mutex<Child>>,
    is_late: Arc<AtomicBool>,
    done: Sender<()>,
}

impl Watch {
    /// For a child that may take as long as any.
    pub(super) fn over(child: Child) -> Watch {
        Watch::start(child, LIMIT)
    }

    fn start(child: Child, limit: Duration) -> Watch {
        let child = Arc::new(Mutex::new(child));
        let is_late = Arc::new(AtomicBool::new(false));
        let (done, waits) = mpsc::channel::<()>();
        let watched = (child.clone(), is_late.clone());
        thread::spawn(move || {
            if waits.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                watched.1.store(true, Ordering::Relaxed);
                locked(&watched.0).kill().ok();
            }
        });
        Watch {
            child,
            is_late,
            done,
        }
    }

    /// Ends it now, whether or not it has more to say; whether it was in time.
    pub(super) fn stop(self) -> bool {
        locked(&self.child).kill().ok();
        self.end().is_ok()
    }

    /// Waits for its end; an error if it took too long.
    pub(super) fn end(self) -> io::Result<ExitStatus> {
        drop(self.done);
        let status = locked(&self.child).wait()?;
        if self.is_late.load(Ordering::Relaxed) {
            Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "git takes too long",
            ))
        } else {
            Ok(status)
        }
    }
}

fn locked(child: &Mutex<Child>) -> MutexGuard<'_, Child> {
    // A thread that panics leaves the child as it was.
    child.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Stdout of a command, if it succeeds and prints UTF-8.
fn output(command: &mut Command) -> Option<String> {
    let output = finished(command).ok()?;
    let text = output.status.success().then_some(output.stdout)?;
    String::from_utf8(text).ok()
}

/// Whether a text is the full id of a commit.
pub(super) fn is_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

fn line(text: &str) -> &str {
    text.strip_suffix('\n').unwrap_or(text)
}

/// Web address of the repository at `url`. None for a local path, or if the address is unknown.
pub(super) fn web_address(url: &str) -> Option<String> {
    let (scheme, authority, path) = match url.split_once("://") {
        Some((scheme, rest)) => {
            let (authority, path) = rest.split_once('/')?;
            (scheme, authority, path)
        }
        // As `git` has it: a colon before any slash separates host and path.
        None => {
            let (authority, path) = url.split_once(':')?;
            // One letter is a drive, and a second colon names a program that git would run.
            if authority.contains('/') || authority.len() < 2 || path.starts_with(':') {
                return None;
            }
            ("ssh", authority, path)
        }
    };
    let host = authority.rsplit('@').next()?;
    let (scheme, host) = match scheme {
        "http" | "https" => (scheme, host),
        // The port is that of another protocol.
        "ssh" | "git" | "git+ssh" | "ssh+git" => ("https", host.split(':').next()?),
        _ => return None,
    };
    // A query may hold a token.
    let path = path.split(['?', '#']).next()?.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let path = path.trim_end_matches('/');
    let host_is_plain = host
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b".-:".contains(&b));
    let path_is_plain =
        !path.contains(|c: char| c.is_whitespace() || c.is_control() || "\"'<>\\`".contains(c));
    let is_plain = host_is_plain && path_is_plain && !host.is_empty() && !path.is_empty();
    is_plain.then(|| format!("{scheme}://{host}/{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn what_takes_too_long_is_ended() {
        let start = std::time::Instant::now();
        let late = within(
            Duration::from_millis(50),
            Command::new("sleep").arg("60").stderr(Stdio::piped()),
        );
        assert_eq!(late.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(start.elapsed().as_secs() < 30);
        let said = within(LIMIT, Command::new("echo").arg("a")).unwrap();
        assert_eq!(said.stdout, b"a\n");
    }

    #[test]
    fn every_form_of_a_remote_becomes_a_web_address() {
        for url in [
            "git@example.org:a/b.git",
            "git@example.org:/a/b.git",
            "example.org:a/b",
            "ssh://git@example.org/a/b",
            "ssh://git@example.org:2222/a/b.git",
            "git+ssh://git@example.org/a/b.git/",
            "git://example.org/a/b.git",
            "https://example.org/a/b",
            "https://example.org/a/b.git/",
            "https://user:pass%40word@example.org/a/b.git",
            "https://user@corp:token@example.org/a/b.git?private_token=x#y",
        ] {
            assert_eq!(
                web_address(url).as_deref(),
                Some("https://example.org/a/b"),
                "{url}"
            );
        }
        assert_eq!(
            web_address("http://git.example.org:3000/a/b").as_deref(),
            Some("http://git.example.org:3000/a/b")
        );
    }

    #[test]
    fn what_has_no_web_address_has_none() {
        for url in [
            "",
            "/srv/git/a.git",
            "../a",
            "./a:b",
            "file:///srv/git/a.git",
            "C:\\git\\a",
            "https://example.org",
            "https://example.org/",
            "git@example.org:",
            "ext::sh -c evil",
            "ext::/srv/program",
            "https://exa\"mple.org/a",
            "https://example.org/a\"onclick=\"b",
        ] {
            assert_eq!(web_address(url), None, "{url}");
        }
    }
}
