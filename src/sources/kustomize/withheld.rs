//! Files that generators put into Secrets. Everything in them is secret, under any name. Looks at facts that were read.

use std::sync::Arc;

use crate::facts::FileFacts;
use crate::input::repo::{RepoPath, Withheld};
use crate::sources::Facts;
use base::FileId;
use base::hash::HashMap;
use yaml::Node;

/// The files that become Secrets, and how much of each is secret.
pub fn withheld(facts: &Facts<'_>) -> HashMap<FileId, Withheld> {
    let mut withheld = HashMap::default();
    let mut add = |directory: &RepoPath, path: &str, extent: Withheld| {
        let file = directory.join(path).and_then(|path| facts.repo.file(&path));
        if let Some(file) = file {
            let known = withheld.entry(file).or_insert(extent);
            *known = extent.max(*known);
        }
    };
    for (file, found) in facts.all() {
        let generators = found
            .assembly
            .iter()
            .flat_map(|assembly| &assembly.generators);
        let mut generators = generators
            .filter(|generator| generator.kind == "Secret")
            .peekable();
        let mut plugins = found
            .resources
            .iter()
            .filter(|one| one.id.kind == "SecretGenerator")
            .peekable();
        if generators.peek().is_none() && plugins.peek().is_none() {
            continue;
        }
        let Some(directory) = facts.repo.path(file).parent() else {
            continue;
        };
        for generator in generators {
            generator
                .envs
                .iter()
                .for_each(|entry| add(&directory, &entry.value, Withheld::Values));
            generator
                .files
                .iter()
                .for_each(|entry| add(&directory, &entry.value, Withheld::Whole));
        }
        for plugin in plugins {
            let listed = |key: &str| plugin.node.items_at(key).iter().filter_map(Node::text);
            listed("envs").for_each(|path| add(&directory, path, Withheld::Values));
            for entry in listed("files") {
                let path = entry.split_once('=').map_or(entry, |(_, path)| path);
                add(&directory, path, Withheld::Whole);
            }
        }
    }
    withheld
}

/// Facts of a file that becomes a Secret, with its plain documents sealed. Objects in it are kept, since they are also
/// applied unencrypted.
pub fn sealed(facts: &FileFacts) -> FileFacts {
    let documents = facts.other_documents.iter().map(|document| {
        let mut document = Node::clone(document);
        secret::seal_whole(&mut document);
        Arc::new(document)
    });
    FileFacts {
        resources: facts.resources.clone(),
        assembly: facts.assembly.clone(),
        other_documents: documents.collect(),
        plain_secrets: facts.plain_secrets.clone(),
        findings: facts.findings.clone(),
        is_withheld: true,
        placeholder: facts.placeholder.clone(),
        ..FileFacts::default()
    }
}
