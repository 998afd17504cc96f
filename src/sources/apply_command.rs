//! Commands that apply manifests by hand, such as `kubectl apply -k overlays/prod`, as scripts, pipelines and documents state
//! them. A repository without a reconciler says there, if anywhere, what is deployed; in others, what they apply exists before
//! the unit that applies it later. Reads these files and nothing else.

use std::collections::BTreeSet;

use rayon::prelude::*;
use smol_str::SmolStr;

use super::Facts;
use super::kustomize::included;
use crate::input::repo::{Repo, RepoPath};
use base::{FileId, Place};
use shell::kubectl::{self, Apply, ApplyTarget, Namespace, Reads};

/// Larger files hold more than commands.
const MAX_BYTES: usize = 256 * 1024;
/// Files that are looked at, in order of their paths.
const MAX_FILES: usize = 4_000;
/// Directories that are looked into for what exists first.
const MAX_DIRECTORIES: usize = 500;

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
    /// A README.
    Guide,
    /// Another document that people read.
    Document,
}

/// The commands of a repo that say what is deployed, in the order of their files.
pub fn commands(repo: &Repo) -> Vec<ApplyCommand> {
    let files = repo.files().filter_map(|file| {
        let stated_in = stated_in(repo.path(file)).filter(|it| *it != StatedIn::Document)?;
        Some((file, stated_in))
    });
    let mut commands = Vec::new();
    for (file, stated_in) in files.take(MAX_FILES) {
        let stated_at = repo.path(file).parent().unwrap_or_else(RepoPath::root);
        let stated = stated(repo, file).into_iter().filter(|it| !it.is_filtered);
        commands.extend(stated.filter_map(|apply| {
            let is_here = |path: &RepoPath| repo.is_dir(path) || repo.file(path).is_some();
            let target = places(&apply, &stated_at).find(is_here)?;
            let place = Place {
                line: apply.line,
                ..Place::start_of(file)
            };
            Some(ApplyCommand {
                target,
                text: apply.text,
                place,
                stated_in,
                stated_at: stated_at.clone(),
                reads: apply.reads,
                namespace: apply.namespace,
                cluster: apply.cluster,
            })
        }));
    }
    commands
}

/// What exists before the first unit is applied.
#[derive(Debug, Default)]
pub struct ExistsFirst {
    /// The files in directories whose kustomization people apply by hand, and those that `flux bootstrap` applies.
    pub files: BTreeSet<FileId>,
    /// Namespaces that people create with commands.
    pub namespaces: BTreeSet<SmolStr>,
}

/// What scripts and documents say that people create first.
pub fn exists_first(facts: &Facts<'_>) -> ExistsFirst {
    let repo = facts.repo;
    let files = repo.files().filter(|file| {
        let path = repo.path(*file);
        stated_in(path).is_some() && !is_pipeline(path)
    });
    let files: Vec<FileId> = files.collect();
    let namespaces = files.par_iter().flat_map_iter(|file| {
        let created = commands_in(repo, *file, "kubectl", kubectl::created_namespaces);
        created.unwrap_or_default()
    });
    let namespaces: BTreeSet<SmolStr> = namespaces.collect();
    let stated = files.par_iter().flat_map_iter(|file| {
        let stated_at = repo.path(*file).parent().unwrap_or_else(RepoPath::root);
        let is_built = |it: &Apply| it.reads == Reads::Kustomization;
        let built = stated(repo, *file).into_iter().filter(is_built);
        built.map(move |apply| (stated_at.clone(), apply))
    });
    let stated: Vec<(RepoPath, Apply)> = stated.collect();
    let is_list = |directory: &RepoPath| facts.assembly_file(directory).is_some();
    let mut directories: BTreeSet<RepoPath> = BTreeSet::new();
    let mut ends: BTreeSet<&str> = BTreeSet::new();
    for (stated_at, apply) in &stated {
        if let ApplyTarget::End(end) = &apply.target {
            ends.insert(end);
        }
        let mut found = places(apply, stated_at).filter_map(|path| repo.resolve_dir(&path));
        let found = found.find(is_list);
        directories.extend(found.filter(|directory| !directory.as_str().is_empty()));
    }
    if !ends.is_empty() {
        directories.extend(ending(facts, &ends));
    }
    let each = directories.iter().take(MAX_DIRECTORIES);
    let bootstrapped = repo.files().filter(|file| {
        let name = repo.path(*file).file_name();
        matches!(name, "gotk-components.yaml" | "gotk-sync.yaml")
    });
    let files = each.flat_map(|directory| included(facts, directory));
    ExistsFirst {
        files: files.chain(bootstrapped).collect(),
        namespaces,
    }
}

/// Directories with a kustomization whose paths end in one of these.
fn ending(facts: &Facts<'_>, ends: &BTreeSet<&str>) -> Vec<RepoPath> {
    let lists = facts.all().filter(|(_, found)| found.assembly.is_some());
    let lists = lists.filter_map(|(file, _)| facts.repo.path(file).parent());
    let is_meant = |directory: &RepoPath| {
        let path = directory.as_str();
        let parts = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
        std::iter::once(path)
            .chain(parts)
            .any(|end| ends.contains(end))
    };
    lists.filter(is_meant).collect()
}

/// What the commands in a file apply.
fn stated(repo: &Repo, file: FileId) -> Vec<Apply> {
    let found = commands_in(repo, file, "kubectl", kubectl::applies);
    found
        .or_else(|| commands_in(repo, file, "oc apply", kubectl::applies))
        .unwrap_or_default()
}

/// What a reader of commands finds in a file; none if the file is too large, or has no such word.
fn commands_in<T>(
    repo: &Repo,
    file: FileId,
    word: &str,
    read: impl Fn(&str, &str, &dyn Fn(&str) -> bool) -> Vec<T>,
) -> Option<Vec<T>> {
    let text = repo.read_text(file).ok()?;
    if text.len() > MAX_BYTES || !text.contains(word) {
        return None;
    }
    let home = repo.path(file).parent().unwrap_or_else(RepoPath::root);
    let is_dir = |path: &str| RepoPath::new(path).is_some_and(|path| repo.is_dir(&path));
    Some(read(&text, home.as_str(), &is_dir))
}

/// The paths that a target may mean: from the directory that the command is run in, from that of its file, or from one above.
fn places(apply: &Apply, stated_at: &RepoPath) -> impl Iterator<Item = RepoPath> {
    let (from_root, relative) = match &apply.target {
        ApplyTarget::End(_) => (None, None),
        ApplyTarget::Path(path) => match path.strip_prefix('/') {
            Some(path) => (RepoPath::new(path), None),
            None => (None, Some(path)),
        },
    };
    let above = std::iter::successors(Some(stated_at.clone()), RepoPath::parent);
    let from = RepoPath::new(&apply.directory).into_iter().chain(above);
    let relative = relative.into_iter().flat_map(move |path| {
        let from = from.clone();
        from.filter_map(move |from| from.join(path))
    });
    from_root.into_iter().chain(relative)
}

/// The kind of evidence that a file is, if it may state commands.
fn stated_in(path: &RepoPath) -> Option<StatedIn> {
    let name = path.file_name().to_ascii_lowercase();
    match path.extension() {
        Some("sh" | "bash") => Some(StatedIn::Script),
        Some("mk" | "just") => Some(StatedIn::Tasks),
        Some("yml" | "yaml") if is_pipeline(path) || is_taskfile(path, &name) => {
            Some(StatedIn::Tasks)
        }
        Some("md") if name.starts_with("readme") => Some(StatedIn::Guide),
        Some("md") => Some(StatedIn::Document),
        _ if matches!(
            name.as_str(),
            "makefile" | "gnumakefile" | "justfile" | ".justfile" | "jenkinsfile"
        ) =>
        {
            Some(StatedIn::Tasks)
        }
        _ => None,
    }
}

fn is_taskfile(path: &RepoPath, name: &str) -> bool {
    name.contains("taskfile") || path.as_str().contains("taskfiles/")
}

/// Whether a pipeline runs what a file states, rather than people.
fn is_pipeline(path: &RepoPath) -> bool {
    let name = path.file_name().to_ascii_lowercase();
    let stem = name
        .rsplit_once('.')
        .map_or(name.as_str(), |(stem, _)| stem);
    path.as_str().starts_with(".github/workflows/")
        || matches!(
            stem,
            "jenkinsfile"
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
