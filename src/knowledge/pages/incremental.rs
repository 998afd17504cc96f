//! Re-reads one document after an edit. All other documents stay unchanged. So do facts that need all documents: which
//! page answers an alert, and which anchors are dead.

use crate::input::page::read_page;
use std::sync::Arc;

use super::link::LinkResolver;
use super::{Area, RenderedPages, render};
use crate::catalog::Catalog;
use crate::input::repo::Repo;
use crate::input::repo_host::RepoHost;
use crate::knowledge::route::ComponentRoutes;
use crate::knowledge::runbook::authored::{Lookup, subjects};
use base::FileId;
use markdown::highlight::Highlighter;

impl RenderedPages {
    /// The same pages with the current content of a file. None if other documents may have changed too.
    pub fn with_edit(
        &self,
        file: FileId,
        repo: &Repo,
        catalog: &Catalog,
        components: &ComponentRoutes,
        repo_host: Option<&RepoHost>,
    ) -> Option<RenderedPages> {
        let at = self
            .documents
            .binary_search_by_key(&file, |document| document.file)
            .ok()?;
        let before = &self.documents[at];
        let text = read_page(repo, file).ok()?;
        if markdown::front_matter(&text) != before.page.front_matter {
            return None;
        }
        if let Some(runbook) = &before.runbook {
            let blocks = markdown::blocks(&text);
            let named = subjects(repo.path(file), &blocks, &Lookup::from_catalog(catalog));
            if named != *runbook {
                return None;
            }
        }
        let area = Area::default();
        let links = LinkResolver::new(
            repo,
            catalog,
            components,
            repo_host,
            &self.homes,
            &area,
            &self.sites,
        );
        let (document, images) = render(file, &text, &links, &Highlighter::new());
        let has_all = images.iter().all(|image| self.images.contains_key(image));
        has_all.then(|| {
            let mut pages = self.clone();
            pages.documents[at] = Arc::new(document);
            pages
        })
    }
}
