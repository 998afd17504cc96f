//! kustomize: directories that a `kustomization.yaml` puts together. The engine reads and builds them; here are the facts
//! that need other files.

mod exposed;
mod withheld;

use std::sync::Arc;

use super::{Facts, Reader, Source, SourceFile};
use crate::facts::{FileFacts, PlainSecret};

pub use withheld::{sealed, withheld};

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
