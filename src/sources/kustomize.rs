//! kustomize: directories that a `kustomization.yaml` puts together. The engine reads and builds them; here are the facts
//! that need other files.

mod exposed;
mod included;
mod withheld;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Facts, Reader, Source, SourceFile};
use crate::facts::{FileFacts, PlainSecret};
use base::FileId;

pub use included::{included, patch_files};
pub use withheld::{sealed, withheld};

/// Files that generators embed as text, whatever they are called.
pub fn generator_inputs(facts: &Facts<'_>) -> BTreeSet<FileId> {
    let mut inputs = BTreeSet::new();
    for (file, found) in facts.all() {
        let Some(assembly) = &found.assembly else {
            continue;
        };
        let Some(directory) = facts.repo.path(file).parent() else {
            continue;
        };
        let generators = assembly.generators.iter();
        let paths = generators.flat_map(|generator| generator.files.iter().chain(&generator.envs));
        let files = paths.filter_map(|entry| facts.repo.file(&directory.join(&entry.value)?));
        inputs.extend(files);
    }
    inputs
}

pub struct Kustomize;

pub const SOURCE: Source = Source::reading(&Kustomize);

impl Reader for Kustomize {
    fn name(&self) -> &'static str {
        "kustomize"
    }

    fn read(&self, file: &mut SourceFile<'_>, facts: &mut FileFacts) {
        if !kustomize::is_kustomization(file.path) {
            return;
        }
        let early = std::mem::take(&mut file.early);
        let (assembly, finding) = kustomize::read(file.id, &mut file.documents, early);
        facts.assembly = assembly.map(Arc::new);
        facts.findings.extend(finding);
    }

    fn plain_secrets(&self, facts: &Facts<'_>) -> Vec<PlainSecret> {
        exposed::plain_secrets(facts)
    }
}
