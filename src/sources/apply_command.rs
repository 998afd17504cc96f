//! Commands that apply manifests, such as `kubectl apply -k overlays/prod`, as scripts, pipelines and READMEs state them. A
//! repository without a reconciler says there, if anywhere, what is deployed. Reads these files and nothing else.

mod script;

use smol_str::SmolStr;

use crate::input::repo::{Repo, RepoPath};
use base::{FileId, Place};

/// Larger files hold more than commands.
const MAX_BYTES: usize = 256 * 1024;
/// Files that are looked at, in order of their paths.
const MAX_FILES: usize = 4_000;

/// A command that applies files of this repo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApplyCommand {
    /// As written, without what belongs to other commands of its line.
    pub text: SmolStr,
    pub place: Place,
    pub stated_in: StatedIn,
    /// The directory of the file that states it.
    pub stated_at: RepoPath,
    /// The directory or file that it applies.
    pub target: RepoPath,
    pub reads: Reads,
    pub namespace: Namespace,
    /// The cluster that it names as its context.
    pub cluster: Option<SmolStr>,
}

/// The kind of file that states a command, from the strongest evidence to the weakest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StatedIn {
    /// A script that people or pipelines run.
    Script,
    /// A collection of commands: a Makefile, a Taskfile, a pipeline.
    Tasks,
    /// A document that people read.
    Guide,
}

/// What a command reads of its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// The output of the target's kustomization.
    Kustomization,
    /// A file, or the files directly in a directory.
    Files,
    /// The files in a directory and below it.
    FilesBelow,
}

/// The namespace of objects that state none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Namespace {
    /// The command names none.
    Default,
    Named(SmolStr),
    /// It depends on a variable that is not known here.
    Unknown,
}

/// All such commands of a repo, in the order of their files.
pub fn commands(repo: &Repo) -> Vec<ApplyCommand> {
    let files = repo.files().filter_map(|file| {
        let path = repo.path(file);
        Some((file, path, stated_in(path)?))
    });
    let mut commands = Vec::new();
    for (file, path, stated_in) in files.take(MAX_FILES) {
        let Ok(text) = repo.read_text(file) else {
            continue;
        };
        if text.len() <= MAX_BYTES && (text.contains("kubectl") || text.contains("oc apply")) {
            commands.extend(in_file(repo, file, path, &text, stated_in));
        }
    }
    commands
}

fn in_file(
    repo: &Repo,
    file: FileId,
    path: &RepoPath,
    text: &str,
    stated_in: StatedIn,
) -> Vec<ApplyCommand> {
    let stated_at = path.parent().unwrap_or_else(RepoPath::root);
    let is_dir = |path: &str| RepoPath::new(path).is_some_and(|path| repo.is_dir(&path));
    let stated = script::stated(text, stated_at.as_str(), &is_dir);
    let resolved = stated.into_iter().filter_map(|stated| {
        let places = [stated.directory.as_str(), stated_at.as_str(), ""];
        let mut targets = places.iter().filter_map(|place| {
            let joined = match stated.target.strip_prefix('/') {
                Some(from_root) => RepoPath::new(from_root),
                None => RepoPath::new(place)?.join(&stated.target),
            };
            let target = joined?;
            let is_here = repo.is_dir(&target) || repo.file(&target).is_some();
            is_here.then_some(target)
        });
        let place = Place {
            line: stated.line,
            ..Place::start_of(file)
        };
        Some(ApplyCommand {
            target: targets.next()?,
            text: stated.text,
            place,
            stated_in,
            stated_at: stated_at.clone(),
            reads: stated.reads,
            namespace: stated.namespace,
            cluster: stated.cluster,
        })
    });
    resolved.collect()
}

/// The kind of evidence that a file is, if it may state commands.
fn stated_in(path: &RepoPath) -> Option<StatedIn> {
    let name = path.file_name();
    let lower = name.to_ascii_lowercase();
    let in_workflows = path.as_str().starts_with(".github/workflows/");
    match path.extension() {
        Some("sh" | "bash") => Some(StatedIn::Script),
        Some("mk" | "just") => Some(StatedIn::Tasks),
        Some("yml" | "yaml") if in_workflows || is_pipeline(&lower) => Some(StatedIn::Tasks),
        Some("md") if lower.starts_with("readme") => Some(StatedIn::Guide),
        _ if matches!(
            lower.as_str(),
            "makefile" | "gnumakefile" | "justfile" | ".justfile" | "jenkinsfile"
        ) =>
        {
            Some(StatedIn::Tasks)
        }
        _ => None,
    }
}

fn is_pipeline(name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    matches!(
        stem,
        "taskfile"
            | ".gitlab-ci"
            | "cloudbuild"
            | "azure-pipelines"
            | "bitbucket-pipelines"
            | ".drone"
            | "buildspec"
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_path_counts_from_the_directory_of_the_script_else_from_the_root() {
        let dir = tempfile::tempdir().unwrap();
        let files = [
            (
                "shop/deploy.sh",
                "kubectl apply -f .\nkubectl apply -f tools/one.yaml\n",
            ),
            ("shop/one.yaml", "kind: ConfigMap"),
            ("tools/one.yaml", "kind: ConfigMap"),
            ("README.md", "kubectl apply -k missing/\n"),
        ];
        for (path, text) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let commands = commands(&Repo::open(dir.path(), &[]).unwrap());
        let targets: Vec<&str> = commands.iter().map(|one| one.target.as_str()).collect();
        assert_eq!(targets, ["shop", "tools/one.yaml"]);
        assert_eq!(commands[0].place.line, 1);
    }
}
