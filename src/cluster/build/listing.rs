//! A directory without a kustomization: every manifest below it, and every directory that has a
//! kustomization of its own; or, where a unit asks for that, its files as they are.

use smol_str::SmolStr;

use super::Builder;
use crate::facts::{Assembly, FileFilter, Listing};
use crate::input::repo::{Patterns, RepoPath};
use base::glob::{self, Stars};
use base::{Effect, FileId, Place};
use kustomize::Listed;

/// Names what a source leaves out of what it fetches, directory by directory.
const IGNORE_FILE: &str = ".sourceignore";

impl Builder<'_> {
    /// Files used from a directory without a kustomization.
    pub(super) fn listing(
        &self,
        directory: &RepoPath,
        listing: &Listing,
        ignore: Option<&str>,
    ) -> Assembly {
        match listing {
            Listing::Tree => self.tree(directory, ignore),
            Listing::Files(filter) => self.files(directory, filter, |path| {
                path.parent().as_ref() == Some(directory)
            }),
            Listing::FilesBelow(filter) => self.files(directory, filter, |_| true),
            Listing::Chart => Assembly::default(),
        }
    }

    fn is_broken(&self, file: FileId) -> bool {
        let mut findings = self.facts.file(file).findings.iter();
        findings.any(|finding| finding.effect == Effect::InvalidSyntax)
    }

    /// Files as they are.
    fn files(
        &self,
        directory: &RepoPath,
        filter: &FileFilter,
        reaches: impl Fn(&RepoPath) -> bool,
    ) -> Assembly {
        let repo = self.facts.repo;
        let files = repo.below(directory).filter(|file| {
            let path = repo.path(*file);
            let local = relative(path, directory);
            let fits = |pattern: &SmolStr| glob::matches(pattern, &local, Stars::Any);
            let is_manifest = matches!(path.extension(), Some("yaml" | "yml" | "json"));
            is_manifest
                && reaches(path)
                && (filter.include.is_empty() || fits(&filter.include))
                && (filter.exclude.is_empty() || !fits(&filter.exclude))
                // A file without objects has nothing to apply, unless that is a mistake in it.
                && (!self.facts.file(*file).resources.is_empty() || self.is_broken(*file))
        });
        let resources = files.map(|file| Listed {
            path: relative(repo.path(file), directory),
            place: Place::start_of(file),
            heading: None,
        });
        Assembly {
            resources: resources.collect(),
            ..Assembly::default()
        }
    }

    /// Every manifest below `directory`, and every directory with a kustomization.
    fn tree(&self, directory: &RepoPath, ignore: Option<&str>) -> Assembly {
        let repo = self.facts.repo;
        let of_files = self
            .left_out
            .get_or_init(|| Patterns::of_files(repo, IGNORE_FILE));
        let stated = ignore.map(Patterns::of_text);
        let is_left_out = |path: &RepoPath| {
            let stated = stated.as_ref();
            let answer = stated.and_then(|patterns| patterns.leave_out(path));
            let answer = answer.or_else(|| of_files.leave_out(path));
            // Explicit ignore patterns replace the default ones.
            answer.unwrap_or_else(|| stated.is_none() && is_of_tools(path))
        };
        let mut resources: Vec<Listed> = Vec::new();
        let mut skip: Option<RepoPath> = None;
        for file in repo.below(directory) {
            let path = repo.path(file);
            if skip.as_ref().is_some_and(|skip| path.is_below(skip)) {
                continue;
            }
            let nested = self.nearest_assembly(path, directory, &is_left_out);
            let listed = match &nested {
                Some(nested) => nested,
                None if is_yaml(path) && !is_left_out(path) => path,
                None => continue,
            };
            resources.push(Listed {
                path: relative(listed, directory),
                place: Place::start_of(file),
                heading: None,
            });
            skip = nested;
        }
        Assembly {
            resources,
            ..Assembly::default()
        }
    }

    /// The topmost directory between `top` and a file that has a kustomization of its own.
    fn nearest_assembly(
        &self,
        file: &RepoPath,
        top: &RepoPath,
        is_left_out: &dyn Fn(&RepoPath) -> bool,
    ) -> Option<RepoPath> {
        let repo = self.facts.repo;
        let mut found = None;
        let mut directory = file.parent()?;
        while directory != *top && directory.is_below(top) {
            let assembly = self.facts.assembly_file(&directory);
            if assembly.is_some_and(|assembly| !is_left_out(repo.path(assembly))) {
                found = Some(directory.clone());
            }
            directory = directory.parent()?;
        }
        found
    }
}

/// Whether Flux applies a file when it lists a directory itself: YAML that is not a tool's own file.
pub fn is_applied(path: &RepoPath) -> bool {
    is_yaml(path) && !is_of_tools(path)
}

fn is_yaml(path: &RepoPath) -> bool {
    matches!(path.extension(), Some("yaml" | "yml"))
}

/// Whether a file belongs to a tool. Such files are ignored by default.
fn is_of_tools(path: &RepoPath) -> bool {
    const TOOL_FILES: &[&str] = &[
        ".sops.yaml",
        ".sops.yml",
        ".flux.yaml",
        ".goreleaser.yml",
        ".goreleaser.yaml",
        ".gitlab-ci.yml",
        ".travis.yml",
        "appveyor.yml",
        ".drone.yml",
        "cloudbuild.yaml",
        "codeship-services.yml",
        "codeship-steps.yml",
    ];
    let mut parts = path.as_str().split('/');
    TOOL_FILES.contains(&path.file_name())
        || parts.any(|part| matches!(part, ".git" | ".github" | ".circleci"))
}

fn relative(path: &RepoPath, directory: &RepoPath) -> SmolStr {
    let path = path.as_str();
    path.strip_prefix(directory.as_str())
        .unwrap_or(path)
        .trim_start_matches('/')
        .into()
}
