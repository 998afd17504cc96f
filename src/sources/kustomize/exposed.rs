//! Secrets that can be read in files which generators take as they are: private keys, and passwords in files of settings.
//! Reads those files.

use rayon::iter::ParallelIterator;
use smol_str::{SmolStr, format_smolstr};

use crate::facts::{Generator, KeyValue, PlainSecret};
use crate::input::repo::RepoPath;
use crate::sources::Facts;
use base::{FileId, Files, Place};

pub fn plain_secrets(facts: &Facts<'_>) -> Vec<PlainSecret> {
    let assemblies = facts.par_all().filter_map(|(file, known)| {
        let generators = &known.assembly.as_ref()?.generators;
        Some((facts.repo.path(file).parent()?, generators))
    });
    let found = assemblies.flat_map_iter(|(directory, generators)| {
        let generators = generators.iter();
        generators.flat_map(move |generator| of_generator(facts, &directory, generator))
    });
    let mut found: Vec<PlainSecret> = found.collect();
    found.sort_by_key(|secret| secret.place);
    found.dedup_by_key(|secret| secret.place);
    found
}

fn of_generator(
    facts: &Facts<'_>,
    directory: &RepoPath,
    generator: &Generator,
) -> Vec<PlainSecret> {
    let holder = format_smolstr!("{} {}", generator.kind, generator.name);
    let files = generator.files.iter().filter_map(|entry| {
        let file = facts
            .repo
            .file_at(directory, &entry.value, entry.place)
            .ok()?;
        Some(of_file(facts, file, entry, &holder))
    });
    files.flatten().collect()
}

fn of_file(
    facts: &Facts<'_>,
    file: FileId,
    entry: &KeyValue,
    holder: &SmolStr,
) -> Vec<PlainSecret> {
    let text = facts.repo.read_secret_text(file).unwrap_or_default();
    let path = facts.repo.path(file);
    if has_private_key(&text) {
        let key = match entry.key.as_str() {
            "" => path.file_name().into(),
            _ => entry.key.clone(),
        };
        return vec![PlainSecret {
            key,
            holder: Some(holder.clone()),
            place: Place::start_of(file),
            is_guessable: false,
        }];
    }
    if !matches!(path.extension(), Some("yaml" | "yml" | "json")) {
        return Vec::new();
    }
    let documents = yaml::parse(&text, file).documents.into_iter();
    let roots = documents.map(|document| document.root);
    let open = roots.filter(|root| root.get("sops").is_none());
    let found = open.flat_map(|root| secret::exposed(root, Some(holder.clone())));
    // Secrets that the file itself reveals are already reported, so report only new ones.
    let known = if facts.is_manifest(file) {
        &facts.file(file).plain_secrets[..]
    } else {
        &[]
    };
    let is_new = |secret: &PlainSecret| known.iter().all(|other| other.place != secret.place);
    let is_written = |secret: &PlainSecret| !is_tagged(&text, secret.place);
    found.filter(is_new).filter(is_written).collect()
}

/// Whether a text has a private key that is not encrypted. Comments in values files show where one goes.
fn has_private_key(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_start);
    lines.any(|line| {
        let is_comment = line.starts_with('#') || line.starts_with("//");
        !is_comment && line.contains("PRIVATE KEY-----") && !line.contains("ENCRYPTED PRIVATE KEY")
    })
}

/// Whether the program that reads the file replaces the value on this line: `password: !secret db_password`.
fn is_tagged(text: &str, place: Place) -> bool {
    let line = text.lines().nth(place.line.saturating_sub(1) as usize);
    let value = line.and_then(|line| line.split_once(": "));
    value.is_some_and(|(_, value)| {
        let value = value.trim_start();
        value.starts_with('!') && !value.starts_with("!!")
    })
}
