//! Everything that pages may show, in one place: the catalogue with its graph, its findings by component, authored
//! pages, and the address of every page. Built once; pages only look things up. A fast update after an edit takes
//! everything else from the previous context.

mod api;
mod changes;
mod common_settings;
mod drawing;
mod file;
mod layer;
mod plan;
mod runbook_index;

use secret::outgoing::Outgoing;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use crate::catalog::{self, Catalog, Component, ComponentIx, Edge, EnvironmentIx, Graph};
use crate::checks::Origins;
use crate::checks::rehearse::Rehearsal;
use crate::checks::triage::Findings;
use crate::export::service_catalog;
use crate::input::config::Config;
use crate::input::repo::{LastChange, Repo};
use crate::input::repo_host::RepoHost;
use crate::knowledge::Knowledge;
use crate::knowledge::pages::{Guide, Pages, RenderedPages};
use crate::knowledge::route::Taken;
use crate::knowledge::runbook::RunbookIndex;
use crate::knowledge::runbook::standard::{Case, Standards};
use crate::pipeline::Reading;
pub use api::{Api, Elsewhere, defined_group};
use base::index::IndexVec;
use base::{FileId, Finding};
pub use changes::RecentChanges;
pub use common_settings::CommonSettings;
pub use drawing::{DrawnEdges, DrawnGraph};
use file::FileOwners;
pub use layer::{Layer, LayerIx};
pub use plan::{
    EnvironmentRoutes, KnowledgePages, MOST_SETTING_CELLS, Routes, Running, Sheet, is_shared,
    setting_cells,
};
use runbook_index::RunbookContext;
use system::progress::{self, Stage};

#[derive(Clone)]
pub struct SiteContext<'a> {
    pub config: &'a Config,
    pub repo: &'a Repo,
    pub catalog: &'a Catalog,
    pub knowledge: &'a Knowledge,
    pub pages: Arc<RenderedPages>,
    /// Simulated bootstrap of each cluster, if it was run.
    pub rehearsals: &'a [Rehearsal],
    /// Pages beside the repo that belong to its site.
    pub guide: Option<&'a Guide>,
    index: Arc<SiteIndex<'a>>,
}

/// Lookup tables that pages share, built from the whole catalogue.
pub struct SiteIndex<'a> {
    /// Findings that count, by place.
    pub findings: &'a [Finding],
    /// Positions in the findings, the gravest first, then by rule.
    pub by_severity: Vec<usize>,
    pub title: String,
    /// The whole document, written on first use of its sha.
    written: OnceLock<service_catalog::WrittenCatalog>,
    pub graph: Graph,
    /// What fails along with a component.
    pub outage: Graph,
    pub repo_host: Option<RepoHost>,
    /// Runbooks and alert answers of each component.
    pub runbooks: RunbookIndex,
    pub standards: Standards,
    around: RunbookContext<'a>,
    /// In the order in which they are shown.
    pub layers: IndexVec<LayerIx, Layer>,
    pub routes: Routes,
    /// Environments in the order in which they are compared: production first.
    pub compared: Vec<EnvironmentIx>,
    /// By environment.
    pub running: IndexVec<EnvironmentIx, Running>,
    /// By component.
    pub related: IndexVec<ComponentIx, Related<'a>>,
    /// Components as the navigation lists them, and where each is in that list.
    pub order: Vec<ComponentIx>,
    pub position: IndexVec<ComponentIx, usize>,
    pub finding_pages: Vec<Sheet>,
    pub knowledge_pages: KnowledgePages,
    /// Rules that found something, by name: each has a page.
    pub rules: Vec<&'static str>,
    /// The owner of each file, built on demand where the history is known.
    files: OnceLock<FileOwners>,
    changes: OnceLock<RecentChanges>,
    /// API groups that are defined or used here, other than those of every cluster.
    pub apis: BTreeMap<&'a str, Api<'a>>,
}

impl<'a> Deref for SiteContext<'a> {
    type Target = SiteIndex<'a>;

    fn deref(&self) -> &SiteIndex<'a> {
        &self.index
    }
}

/// Edges, findings and layer of one component.
pub struct Related<'a> {
    /// For one that is switched off, what its unit states.
    pub upstream: Vec<&'a Edge>,
    pub downstream: Vec<&'a Edge>,
    /// Positions in the findings, the gravest first.
    pub findings: Vec<usize>,
    pub layer: LayerIx,
}

impl Related<'_> {
    /// The components that it needs itself, each once.
    pub fn needs(&self) -> Vec<ComponentIx> {
        let mut needs: Vec<ComponentIx> = self.upstream.iter().map(|edge| edge.to).collect();
        needs.sort_unstable();
        needs.dedup();
        needs
    }
}

/// Findings on one page. One with its lines of code weighs about 2 KB, and a page may weigh 2 MB.
const MOST_FINDINGS: usize = 600;

impl<'a> SiteContext<'a> {
    pub fn new(
        config: &'a Config,
        repo: &'a Repo,
        catalog: &'a Catalog,
        knowledge: &'a Knowledge,
        pages: &Pages,
        origins: &'a Origins,
        findings: &'a Findings,
    ) -> SiteContext<'a> {
        let findings = &*findings.open;
        let mut taken = Taken::default();
        let layers = layer::layers(config, catalog);
        let apis = api::apis(config, catalog, origins);
        let running = plan::running(catalog);
        let mut routes = plan::routes(catalog, &apis, &running, &mut taken);
        let repo_host = RepoHost::detect(repo, config);
        let (pages, around) = rayon::join(
            || pages.render(repo, catalog, &routes.components, repo_host.as_ref()),
            || RunbookContext::from_catalog(catalog),
        );
        routes.pages = taken.page("", "pages");
        let standards = runbook_index::standards(repo);
        let runbooks =
            runbook_index::runbook_index(config, repo, catalog, &pages, &standards, &around);
        let mut by_severity: Vec<usize> = (0..findings.len()).collect();
        by_severity.sort_by_key(|at| (findings[*at].severity, findings[*at].rule, *at));
        let (related, (graph, outage)) = rayon::join(
            || related(catalog, &layers, findings, &by_severity),
            || {
                let all = Graph::new(catalog.components.len(), catalog.edges.iter());
                (all, catalog.outage_graph())
            },
        );
        let finding_pages = if findings.is_empty() {
            Vec::new()
        } else {
            plan::sheets(findings.iter().map(|_| 1), MOST_FINDINGS, || {
                taken.page("", "findings")
            })
        };
        let knowledge_pages = plan::knowledge_pages(knowledge, &mut taken);
        let mut rules: Vec<&'static str> = findings.iter().map(|finding| finding.rule).collect();
        rules.sort_unstable();
        rules.dedup();
        let order: Vec<ComponentIx> = layers
            .iter()
            .flat_map(|layer| layer.components.iter().copied())
            .collect();
        let mut position = IndexVec::from_elem(0, order.len());
        order
            .iter()
            .enumerate()
            .for_each(|(at, component)| position[*component] = at);
        let index = SiteIndex {
            title: title(config, repo_host.as_ref(), repo),
            written: OnceLock::new(),
            graph,
            outage,
            repo_host,
            runbooks,
            standards,
            around,
            layers,
            routes,
            compared: plan::production_first(catalog),
            running,
            related,
            order,
            position,
            finding_pages,
            knowledge_pages,
            rules,
            files: OnceLock::new(),
            changes: OnceLock::new(),
            apis,
            findings,
            by_severity,
        };
        SiteContext {
            config,
            repo,
            catalog,
            knowledge,
            pages: Arc::new(pages),
            rehearsals: &[],
            guide: None,
            index: Arc::new(index),
        }
    }

    /// The context after an edit, with these components and the current text of edited pages. None if more than that
    /// may have changed.
    pub fn with_update<'b>(
        &'b self,
        repo: &'b Repo,
        catalog: &'b Catalog,
        edited: &BTreeSet<FileId>,
    ) -> Option<SiteContext<'b>> {
        if edited
            .iter()
            .any(|file| self.pages.images.contains_key(file))
        {
            return None;
        }
        let mut context = SiteContext {
            repo,
            catalog,
            ..self.clone()
        };
        let components = &self.routes.components;
        for file in edited {
            let is_knowledge = self.knowledge.document(*file).is_some();
            if !is_knowledge && self.pages.document(*file).is_some() {
                let repo_host = self.repo_host.as_ref();
                let pages = context
                    .pages
                    .with_edit(*file, repo, catalog, components, repo_host)?;
                context.pages = Arc::new(pages);
            }
        }
        Some(context)
    }

    /// The sha of the catalogue document: same facts, same sha.
    pub fn sha(&self) -> &str {
        self.written().sha()
    }

    /// The entries of components in `service-catalog.json`, as a document of their own.
    pub fn entries(&self, components: &[ComponentIx]) -> String {
        service_catalog::entries(self.whole(), components)
    }

    /// Writes `service-catalog.json`.
    pub fn write_document(&self, to: &mut Outgoing<impl Write>) -> io::Result<()> {
        self.written().write(to)
    }

    /// `service-catalog.json` as bytes.
    pub fn document(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut to = Outgoing::new(&mut bytes);
        // Memory takes whatever is written to it.
        let _ = self.write_document(&mut to).and_then(|()| to.finish());
        bytes
    }

    fn written(&self) -> &service_catalog::WrittenCatalog {
        self.written
            .get_or_init(|| service_catalog::written(self.whole()))
    }

    fn whole(&self) -> service_catalog::Whole<'_> {
        service_catalog::Whole {
            config: self.config,
            repo: self.repo,
            catalog: self.catalog,
            knowledge: self.knowledge,
            pages: &self.pages,
            runbooks: &self.runbooks,
            findings: self.findings,
        }
    }

    /// The last change of the files that a component has to itself, else of the one that declares it.
    pub fn last_change(&self, index: ComponentIx, component: &Component) -> Option<LastChange<'_>> {
        let history = self.repo.history()?;
        let own = history.newest_change(self.file_owners().own(index, component));
        own.or_else(|| history.last_change(component.place.file))
    }

    fn file_owners(&self) -> &FileOwners {
        self.files
            .get_or_init(|| FileOwners::from_catalog(self.catalog))
    }

    /// The paths of the files that a component has to itself.
    pub fn own_files(&self, index: ComponentIx, component: &Component) -> Vec<&str> {
        let files = self.file_owners().own(index, component);
        let paths = files.map(|file| self.repo.path(file).as_str());
        let mut paths: Vec<&str> = paths.collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// The components that recent commits changed.
    pub fn changes(&self) -> &RecentChanges {
        self.changes
            .get_or_init(|| RecentChanges::new(self.repo, self.catalog, self.file_owners()))
    }

    /// A component as default runbooks see it.
    pub fn case(&self, component: ComponentIx) -> Case<'a> {
        self.around.case(self.config, self.catalog, component)
    }
}

impl Reading {
    /// Everything that the pages of a repo may show.
    pub fn context(&self) -> SiteContext<'_> {
        progress::begin(Stage::Linking);
        let mut context = SiteContext::new(
            &self.config,
            &self.repo,
            &self.catalog,
            &self.knowledge,
            &self.pages,
            &self.origins,
            &self.findings,
        );
        context.rehearsals = &self.rehearsals;
        context.guide = self.guide.as_ref();
        context
    }
}

/// The configured title, otherwise the name of the repository, otherwise that of its directory.
fn title(config: &Config, repo_host: Option<&RepoHost>, repo: &Repo) -> String {
    if let Some(title) = &config.title {
        return title.clone();
    }
    let name = repo_host.map(|repo_host| base::text::last_part(repo_host.name()).to_owned());
    let directory = || {
        let root = repo.root().canonicalize().ok()?;
        Some(root.file_name()?.to_string_lossy().into_owned())
    };
    let name = name.filter(|name| !name.is_empty()).or_else(directory);
    name.map_or_else(
        || "Service catalogue".to_owned(),
        |name| catalog::title(&name),
    )
}

fn related<'a>(
    catalog: &'a Catalog,
    layers: &IndexVec<LayerIx, Layer>,
    findings: &[Finding],
    by_severity: &[usize],
) -> IndexVec<ComponentIx, Related<'a>> {
    let each = catalog.components.iter();
    let mut related: IndexVec<ComponentIx, Related<'a>> = each
        .map(|_| Related {
            upstream: Vec::new(),
            downstream: Vec::new(),
            findings: Vec::new(),
            layer: LayerIx::FIRST,
        })
        .collect();
    for edge in catalog.edges.iter() {
        related[edge.from].upstream.push(edge);
        related[edge.to].downstream.push(edge);
    }
    for edge in catalog.dormant.iter() {
        related[edge.from].upstream.push(edge);
    }
    for (position, layer) in layers.iter_enumerated() {
        for component in &layer.components {
            related[*component].layer = position;
        }
    }
    let ids: BTreeMap<&str, ComponentIx> = {
        let components = catalog.components.iter_enumerated();
        components
            .map(|(index, component)| (component.id.0.as_str(), index))
            .collect()
    };
    for position in by_severity {
        let concerned = findings[*position].concerned();
        for component in concerned.filter_map(|id| ids.get(id)) {
            related[*component].findings.push(*position);
        }
    }
    related
}
