//! Reads the repository for a command: prints what was read on request, and explains why nothing could be.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{anyhow, bail};

use super::options::{Options, Verbosity};
use super::progress;
use crate::catalog::{Catalog, EnvironmentScope};
use crate::checks;
use crate::cli::starter;
use crate::cluster::Role;
use crate::export::report::plain;
use crate::input::repo::{Repo, RepoError};
use crate::pipeline::{self, Checked, GitUse, ReadError, Reading};
use crate::site::view::{count, counted};
use base::text::nearest;
use base::{FileId, Finding};

/// Reads the repository for its site, with progress on a terminal.
pub fn read(options: &Options) -> anyhow::Result<Reading> {
    read_in(options, EnvironmentScope::All)
}

/// The same for some environments.
pub fn read_in(options: &Options, scope: EnvironmentScope<'_>) -> anyhow::Result<Reading> {
    let waiting = progress::show(options);
    let reading = pipeline::read_in(&options.request, scope);
    drop(waiting);
    let reading = reading.map_err(explained)?;
    describe(&reading, options);
    Ok(reading)
}

/// Reads a commit for its site, with progress on a terminal.
pub fn read_commit(options: &Options, commit: &str) -> anyhow::Result<Reading> {
    if options.request.git == GitUse::Skip {
        bail!("`--at` reads a commit from git; remove --no-git");
    }
    let waiting = progress::show(options);
    let reading = pipeline::read_commit(&options.request, commit);
    drop(waiting);
    let reading = reading.map_err(explained)?;
    describe(&reading, options);
    Ok(reading)
}

/// Reads the repository for its findings, with progress on a terminal.
pub fn check(options: &Options) -> anyhow::Result<Checked> {
    let waiting = progress::show(options);
    let checked = pipeline::check(&options.request);
    drop(waiting);
    let checked = checked.map_err(explained)?;
    describe(&checked, options);
    Ok(checked)
}

/// The error of a reading; for a directory that does not exist, with the name that was probably meant.
pub fn explained(error: ReadError) -> anyhow::Error {
    let ReadError::Repo(RepoError::Missing(path)) = &error else {
        return error.into();
    };
    match nearest_directory(path) {
        Some(name) => anyhow!(
            "`{}` does not exist; did you mean `{name}`?",
            path.display()
        ),
        None => error.into(),
    }
}

/// The directory beside a path that does not exist whose name is most like it.
fn nearest_directory(path: &Path) -> Option<String> {
    const MOST_ENTRIES: usize = 10_000;
    let name = path.file_name()?.to_str()?;
    let parent = path.parent().filter(|parent| *parent != Path::new(""));
    let entries = fs::read_dir(parent.unwrap_or(Path::new("."))).ok()?;
    let directories = entries
        .take(MOST_ENTRIES)
        .flatten()
        .filter(|entry| entry.path().is_dir());
    let names: Vec<String> = directories
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    let keys: Vec<&str> = names.iter().map(String::as_str).collect();
    let meant = path.with_file_name(nearest(name, &keys)?);
    Some(meant.to_string_lossy().into_owned())
}

/// An error if there is neither a manifest nor anything else to make a catalogue of. Decisions, specs and a configured
/// guide have pages of their own, so a repository that has only those is one. A README is not enough: every directory has
/// one, and the wrong directory must not pass for a clean repository.
pub fn require_content(checked: &Checked) -> anyhow::Result<()> {
    let knowledge = &checked.knowledge;
    let has_knowledge = !knowledge.decisions.is_empty() || !knowledge.specs.is_empty();
    if has_knowledge || checked.guide.is_some() {
        return Ok(());
    }
    require_manifests(&checked.catalog)
}

/// An error if no manifest was found.
pub fn require_manifests(catalog: &Catalog) -> anyhow::Result<()> {
    match starter::nothing(catalog) {
        Some(nothing) => Err(anyhow!(nothing)),
        None => Ok(()),
    }
}

/// Prints what was read and what was skipped, if the command is verbose.
fn describe(checked: &Checked, options: &Options) {
    if options.verbosity != Verbosity::Verbose {
        return;
    }
    let repo = &checked.repo;
    let root = pipeline::root(&options.request).unwrap_or_default();
    options.detail(format!("repository: {}", plain(&root.to_string_lossy())));
    let file = pipeline::configuration_file(&options.request);
    let file = file.ok().flatten().map(|file| file.display().to_string());
    options.detail(format!(
        "configuration: {}",
        plain(file.as_deref().unwrap_or("none"))
    ));
    options.detail(match repo.git() {
        Some(git) => {
            let branch = git.branch.as_deref().unwrap_or("no branch");
            let commit: String = git.commit.chars().take(12).collect();
            format!("git: {}, commit {commit}", plain(branch))
        }
        None => "git: not used".to_owned(),
    });
    options.detail(format!("read: {}", kinds(repo)));
    if repo.configured() > 0 {
        let paths = counted(repo.configured(), "path");
        let patterns = checked.config.ignore.join(", ");
        options.detail(format!(
            "skipped: {paths} because of `ignore` in catalog.toml ({})",
            plain(&patterns)
        ));
    }
    let rules = checks::rules().into_iter();
    let skipping: BTreeSet<&str> = rules
        .filter(|rule| rule.skips_input)
        .map(|rule| rule.name)
        .collect();
    let is_skip = |finding: &&Finding| skipping.contains(finding.rule);
    let mut skipped: Vec<&Finding> = checked.findings.all().filter(is_skip).collect();
    skipped.sort();
    for finding in skipped {
        let place = match finding.place.file {
            FileId::NONE => String::new(),
            file => format!("{}: ", plain(repo.path(file).as_str())),
        };
        options.detail(format!("skipped: {place}{}", plain(&finding.message)));
    }
    for cluster in checked.catalog.clusters.iter() {
        let root = match cluster.root.as_str() {
            "" => ".",
            root => root,
        };
        let what = match cluster.role {
            Role::Kubernetes => "cluster",
            Role::Programs => "programs",
        };
        options.detail(format!(
            "{what}: {} in {}, {}",
            plain(&cluster.name),
            plain(root),
            counted(cluster.units.len(), "unit")
        ));
    }
}

/// How many files were read, by kind.
fn kinds(repo: &Repo) -> String {
    let (mut yaml, mut markdown, mut other) = (0, 0, 0);
    for file in repo.files() {
        match repo.path(file).extension() {
            Some("yaml" | "yml") => yaml += 1,
            Some("md" | "markdown") => markdown += 1,
            _ => other += 1,
        }
    }
    format!(
        "{} ({} YAML, {} Markdown, {} other)",
        counted(repo.files().len(), "file"),
        count(yaml),
        count(markdown),
        count(other)
    )
}
