//! Charts in git repositories, by way of the `git` program. Hooks and submodules are not run, and no password is asked for.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::process::{self, ProcessLimits};
use super::{Download, FetchError, Wanted};
use crate::archive::{MAX_ARCHIVE_BYTES, MAX_FILES, pack};
use crate::index;
use crate::request::{AskedVersion, is_commit};

const QUICK: ProcessLimits = ProcessLimits {
    time: Duration::from_secs(60),
    output: 32 * 1024 * 1024,
};
const LONG: ProcessLimits = ProcessLimits {
    time: Duration::from_secs(600),
    output: 1024 * 1024,
};
const FILES: ProcessLimits = ProcessLimits {
    time: Duration::from_secs(120),
    output: MAX_ARCHIVE_BYTES + 16 * 1024 * 1024,
};
/// Reads the whole repository, its history excepted.
const DEPTH: &str = "--depth=1";

/// Downloads the chart in the directory `path` of the repository at `url`. `scratch` is an empty directory.
pub fn download(
    scratch: &Path,
    url: &str,
    path: &str,
    wanted: Wanted<'_>,
) -> Result<Download, FetchError> {
    let git = GitProgram { scratch, url };
    git.run(["init", "--quiet", "--bare", "."], b"", QUICK)?;
    let revision = match wanted {
        Wanted::Locked(locked) => locked.revision.clone().ok_or(FetchError::NoRevision)?,
        Wanted::Asked(asked) => git.revision(asked)?,
    };
    git.run(
        [
            "fetch",
            "--quiet",
            DEPTH,
            "--no-tags",
            "--no-recurse-submodules",
            "--end-of-options",
            url,
            &revision,
        ],
        b"",
        LONG,
    )?;
    let commit = git.text([
        "rev-parse",
        "--verify",
        "--end-of-options",
        "FETCH_HEAD^{commit}",
    ])?;
    let files = git.files(&commit, path)?;
    let name = match base::text::last_part(path) {
        "" => "chart",
        name => name,
    };
    let bytes = pack(name, &files)?;
    if bytes.len() as u64 > MAX_ARCHIVE_BYTES {
        return Err(FetchError::ArchiveTooLarge);
    }
    Ok(Download {
        bytes,
        revision: Some(commit),
        chart: None,
    })
}

/// The `git` program in a repository of its own.
struct GitProgram<'g> {
    scratch: &'g Path,
    url: &'g str,
}

impl GitProgram<'_> {
    fn run<I: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = I>,
        input: &[u8],
        limits: ProcessLimits,
    ) -> Result<Vec<u8>, FetchError> {
        let mut command = Command::new("git");
        // A repository around the current directory is none of its business.
        for name in [
            "GIT_DIR",
            "GIT_WORK_TREE",
            "GIT_INDEX_FILE",
            "GIT_OBJECT_DIRECTORY",
            "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        ] {
            command.env_remove(name);
        }
        command
            .current_dir(self.scratch)
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_ASKPASS", "")
            .env("SSH_ASKPASS", "")
            .env("LC_ALL", "C");
        if std::env::var_os("GIT_SSH_COMMAND").is_none() && std::env::var_os("GIT_SSH").is_none() {
            command.env("GIT_SSH_COMMAND", "ssh -oBatchMode=yes");
        }
        let scheme = self.url.split("://").next().unwrap_or_default();
        let settings = [
            "core.hooksPath=/dev/null".to_owned(),
            "core.fsmonitor=false".to_owned(),
            "gc.auto=0".to_owned(),
            "protocol.allow=never".to_owned(),
            format!("protocol.{scheme}.allow=always"),
            "http.followRedirects=initial".to_owned(),
            "http.lowSpeedLimit=1".to_owned(),
            "http.lowSpeedTime=30".to_owned(),
        ];
        for setting in &settings {
            command.args(["-c", setting]);
        }
        command.args(arguments);
        Ok(process::run(command, input, limits)?)
    }

    fn text<I: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = I>,
    ) -> Result<String, FetchError> {
        let output = self.run(arguments, b"", QUICK)?;
        Ok(String::from_utf8_lossy(&output).trim().to_owned())
    }

    /// The revision to fetch.
    fn revision(&self, asked: &AskedVersion) -> Result<String, FetchError> {
        Ok(match asked {
            AskedVersion::Branch(branch) => format!("refs/heads/{branch}"),
            AskedVersion::Tag(tag) => format!("refs/tags/{tag}"),
            AskedVersion::Commit(commit) => commit.clone(),
            AskedVersion::Revision(text) if text.is_empty() => "HEAD".to_owned(),
            AskedVersion::Revision(text) if is_commit(text) && text.len() >= 40 => text.clone(),
            AskedVersion::Revision(text) => text.clone(),
            AskedVersion::Version(range) => format!("refs/tags/{}", self.newest(range)?),
            AskedVersion::Digest(_) => {
                return Err(FetchError::Registry("git has no digests".to_owned()));
            }
        })
    }

    /// The tag of the newest version in a range.
    fn newest(&self, range: &str) -> Result<String, FetchError> {
        let listed = self.text([
            "ls-remote",
            "--quiet",
            "--tags",
            "--refs",
            "--end-of-options",
            self.url,
        ])?;
        let names = listed
            .lines()
            .filter_map(|line| line.split_once("refs/tags/"));
        let tags: Vec<&str> = names.map(|(_, name)| name).collect();
        Ok(tags[index::choose(&tags, range)?].to_owned())
    }

    /// The files below a directory of a commit.
    fn files(&self, commit: &str, path: &str) -> Result<BTreeMap<String, Vec<u8>>, FetchError> {
        let tree = format!("{commit}:{path}");
        let listed = self.run(
            ["ls-tree", "-r", "-z", "-l", "--end-of-options", &tree],
            b"",
            QUICK,
        )?;
        let mut names: Vec<(String, String)> = Vec::new();
        let (mut total, mut input) = (0, String::new());
        for line in listed
            .split(|byte| *byte == 0)
            .filter(|line| !line.is_empty())
        {
            let line = String::from_utf8_lossy(line);
            let Some((meta, name)) = line.split_once('\t') else {
                continue;
            };
            let fields: Vec<&str> = meta.split_whitespace().collect();
            let [mode, "blob", object, size] = fields[..] else {
                continue;
            };
            if mode == "120000" {
                return Err(crate::ArchiveError::Link(name.to_owned()).into());
            }
            total += size.parse::<u64>().unwrap_or(u64::MAX / 2);
            if total > MAX_ARCHIVE_BYTES || names.len() >= MAX_FILES {
                return Err(FetchError::ArchiveTooLarge);
            }
            input.push_str(object);
            input.push('\n');
            names.push((name.to_owned(), object.to_owned()));
        }
        let output = self.run(["cat-file", "--batch"], input.as_bytes(), FILES)?;
        let broken = || FetchError::Registry("git printed something else than files".to_owned());
        let mut files = BTreeMap::new();
        let mut rest = output.as_slice();
        for (name, object) in names {
            let end = rest
                .iter()
                .position(|byte| *byte == b'\n')
                .ok_or_else(broken)?;
            let head = String::from_utf8_lossy(&rest[..end]).into_owned();
            let size = head.strip_prefix(&format!("{object} blob "));
            let size: usize = size.and_then(|size| size.parse().ok()).ok_or_else(broken)?;
            let contents = rest.get(end + 1..end + 1 + size).ok_or_else(broken)?;
            files.insert(name, contents.to_vec());
            rest = rest.get(end + 2 + size..).ok_or_else(broken)?;
        }
        Ok(files)
    }
}
