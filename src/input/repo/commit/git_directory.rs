//! The git repository around a directory, asked through the `git` program.

use super::*;

/// The git repository around a directory.
pub(super) struct GitDirectory {
    pub(super) root: PathBuf,
    pub(super) top: Option<PathBuf>,
    pub(super) prefix: String,
    pub(super) depth: Depth,
}

impl GitDirectory {
    pub(super) fn open(directory: &Path) -> Result<GitDirectory, CommitError> {
        let unreadable = |source| CommitError::Directory {
            path: directory.to_path_buf(),
            source,
        };
        let root = fs::canonicalize(directory).map_err(unreadable)?;
        fs::read_dir(&root).map_err(unreadable)?;
        let mut command = git::command(&root);
        command
            .args(["rev-parse", "--is-shallow-repository"])
            .args(["--is-inside-work-tree", "--show-prefix"])
            .stderr(Stdio::piped());
        let output = match git::finished(&mut command) {
            Ok(output) => output,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(CommitError::NoGit);
            }
            Err(source) => return Err(unreadable(source)),
        };
        if !output.status.success() {
            return Err(CommitError::NotGit {
                path: directory.to_path_buf(),
                why: reason(&output),
            });
        }
        let facts = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut facts = facts.splitn(3, '\n');
        let depth = match facts.next() {
            Some("true") => Depth::Shallow,
            _ => Depth::Full,
        };
        let has_work_tree = facts.next() == Some("true");
        let prefix = facts.next().unwrap_or_default();
        let prefix = prefix.strip_suffix('\n').unwrap_or(prefix).to_owned();
        let depth_of_prefix = prefix.matches('/').count();
        let top = root.ancestors().nth(depth_of_prefix).map(Path::to_path_buf);
        Ok(GitDirectory {
            top: top.filter(|_| has_work_tree),
            root,
            prefix,
            depth,
        })
    }

    /// The full id of a commit.
    pub(super) fn resolve(&self, name: &str) -> Result<String, CommitError> {
        if name.starts_with('-') {
            return Err(CommitError::Option(name.to_owned()));
        }
        self.id(name).ok_or_else(|| {
            let remote = format!("origin/{name}");
            let next = match (name.contains(".."), self.depth) {
                (true, _) => {
                    "pass the two commits as separate arguments; for `...`, add --merge-base"
                        .to_owned()
                }
                _ if self.id(&remote).is_some() => format!("did you mean `{remote}`?"),
                (_, Depth::Shallow) => DEEPEN.to_owned(),
                (_, Depth::Full) => {
                    "`git branch --all` lists branches, and `git fetch` gets those of a remote"
                        .to_owned()
                }
            };
            CommitError::Unknown {
                name: name.to_owned(),
                next,
            }
        })
    }

    pub(super) fn id(&self, name: &str) -> Option<String> {
        let output = run(git::command(&self.root)
            .args(["rev-parse", "--verify", "--quiet", "--end-of-options"])
            .arg(format!("{name}^{{commit}}")))?;
        let id = String::from_utf8(output.stdout).ok()?.trim().to_owned();
        git::is_id(&id).then_some(id)
    }

    pub(super) fn facts(&self, commit: String) -> Git {
        // Branch and remote are those of the clone: they do not change with the commit that is looked at.
        let here = Git::open(&self.root);
        Git {
            commit,
            branch: here.as_ref().and_then(|git| git.branch.clone()),
            remote: here.and_then(|git| git.remote),
            prefix: self.prefix.clone(),
            depth: self.depth,
        }
    }
}

/// All files of a commit; else why git cannot tell.
pub(super) fn list(directory: &Path, commit: &str) -> Result<Vec<u8>, String> {
    let mut command = git::command(directory);
    command
        .args(["ls-tree", "-r", "-z", "--full-tree", commit])
        .stderr(Stdio::piped());
    let output = git::finished(&mut command).map_err(|error| error.to_string())?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(reason(&output).trim_start_matches(": ").to_owned())
    }
}

pub(super) fn run(command: &mut std::process::Command) -> Option<Output> {
    git::finished(command).ok()
}

/// Git's error message, unless it only says that there is no repository.
pub(super) fn reason(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let first = text.lines().find_map(|line| line.strip_prefix("fatal: "));
    match first {
        Some(why) if !why.starts_with("not a git repository") => format!(": {why}"),
        _ => String::new(),
    }
}
