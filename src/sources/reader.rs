//! Readers: files to facts. The first trait of a source, and the only one that it must have.

use std::sync::Arc;

use super::{Facts, SOURCES, placeholder};
use crate::facts::{EntryPoint, FileFacts, PlainSecret, Resource, SourceRef, Unit, UnitId};
use crate::input::repo::{Repo, RepoPath};
use base::FileId;
use yaml::Document;

/// Turns files of one tool into facts. It never fails on user input: anything unreadable becomes a finding.
pub trait Reader: Sync {
    /// The name of the tool.
    fn name(&self) -> &'static str;

    /// Takes the documents of this tool out of a file.
    fn read(&self, _file: &mut SourceFile<'_>, _facts: &mut FileFacts) {}

    /// The unit that an object declares.
    fn unit(&self, _resource: &Resource) -> Option<Unit> {
        None
    }

    /// The directory that a reconciler starts from, if this file shows it.
    fn entry_point(&self, _path: &RepoPath, _facts: &FileFacts) -> Option<EntryPoint> {
        None
    }

    /// The API group of the objects that install the reconciler itself, if this file has one. Its types exist before
    /// anything is applied.
    fn preinstalled_group(&self, _facts: &FileFacts) -> Option<&'static str> {
        None
    }

    /// Whether bootstrapping creates this unit, so that no file need declare it.
    fn is_bootstrap(&self, _unit: &UnitId) -> bool {
        false
    }

    /// Whether bootstrapping creates this source, for the files that a cluster starts with.
    fn is_bootstrap_source(&self, _source: &SourceRef) -> bool {
        false
    }

    /// Secrets in plain text in files that are not manifests.
    fn plain_secrets(&self, _facts: &Facts<'_>) -> Vec<PlainSecret> {
        Vec::new()
    }
}

/// A file as readers see it: secrets are gone from its documents.
pub struct SourceFile<'a> {
    pub id: FileId,
    pub path: &'a RepoPath,
    pub documents: Vec<Document>,
    /// Facts that the kustomize reader needs before secrets are removed. Secrets in it are sealed.
    pub early: ::kustomize::Early,
}

fn readers() -> impl Iterator<Item = &'static dyn Reader> {
    SOURCES.iter().map(|source| source.reader)
}

/// Reads one file into facts.
pub(super) fn read(repo: &Repo, id: FileId) -> FileFacts {
    match repo.read_text(id) {
        Ok(text) => read_text(&text, id, repo.path(id)),
        Err(finding) => FileFacts {
            findings: vec![finding],
            ..FileFacts::default()
        },
    }
}

/// Reads the text of a file into facts.
pub fn read_text(text: &str, id: FileId, path: &RepoPath) -> FileFacts {
    let mut parsed = yaml::parse(text, id);
    let early = if ::kustomize::is_kustomization(path) {
        ::kustomize::read_early(&mut parsed.documents)
    } else {
        ::kustomize::Early::default()
    };
    let placeholder = placeholder::first(path, id, text, &parsed.documents);
    let mut plain_secrets = Vec::new();
    for document in &mut parsed.documents {
        plain_secrets.extend(secret::seal(&mut document.root));
    }
    let mut facts = FileFacts {
        findings: parsed.findings,
        plain_secrets,
        placeholder,
        ..FileFacts::default()
    };
    let mut file = SourceFile {
        id,
        path,
        documents: parsed.documents,
        early,
    };
    for reader in readers() {
        reader.read(&mut file, &mut facts);
    }
    let rest = file.documents.into_iter();
    facts
        .other_documents
        .extend(rest.map(|document| Arc::new(document.root)));
    facts
}

/// The unit that an object declares, by the first reader that knows it.
pub fn unit(resource: &Resource) -> Option<Unit> {
    readers().find_map(|reader| reader.unit(resource))
}

/// The directory that a reconciler starts from, if this file shows one.
pub fn entry_point(path: &RepoPath, facts: &FileFacts) -> Option<EntryPoint> {
    readers().find_map(|reader| reader.entry_point(path, facts))
}

/// The API groups of objects in a file that install a reconciler itself.
pub fn preinstalled_groups(facts: &FileFacts) -> impl Iterator<Item = &'static str> {
    readers().filter_map(|reader| reader.preinstalled_group(facts))
}

/// Whether bootstrapping creates a unit, so that no file need declare it.
pub fn is_bootstrap(unit: &UnitId) -> bool {
    readers().any(|reader| reader.is_bootstrap(unit))
}

/// Whether bootstrapping creates a source, for the files that a cluster starts with.
pub fn is_bootstrap_source(source: &SourceRef) -> bool {
    readers().any(|reader| reader.is_bootstrap_source(source))
}

/// Secrets in plain text in files that are not manifests.
pub(super) fn plain_secrets(facts: &Facts<'_>) -> impl Iterator<Item = PlainSecret> {
    readers().flat_map(|reader| reader.plain_secrets(facts))
}
