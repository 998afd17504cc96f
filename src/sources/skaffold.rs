//! Skaffold: builds images, and puts them into the manifests that it deploys. There, their names stand without a tag.

use super::{Reader, Source, SourceFile};
use crate::facts::FileFacts;

pub struct Skaffold;

pub const SOURCE: Source = Source::reading(&Skaffold);

impl Reader for Skaffold {
    fn name(&self) -> &'static str {
        "skaffold"
    }

    /// Only inspects the documents: a configuration is not applied, but references to it still work.
    fn read(&self, file: &mut SourceFile<'_>, facts: &mut FileFacts) {
        for document in &file.documents {
            let root = &document.root;
            let version = root.text_at(&["apiVersion"]).unwrap_or_default();
            if !version.starts_with("skaffold/") {
                continue;
            }
            let profiles = root.items_at("profiles").iter();
            for part in std::iter::once(root).chain(profiles) {
                let build = part.get("build");
                let artifacts = build.iter().flat_map(|build| build.items_at("artifacts"));
                let images = artifacts.filter_map(|artifact| artifact.text_at(&["image"]));
                facts.built_images.extend(images.map(Into::into));
            }
        }
    }
}
