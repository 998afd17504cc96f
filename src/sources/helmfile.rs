//! Helmfile: releases that people install by hand before a reconciler runs, so that their CRDs and webhooks exist first. Where
//! nothing reconciles, they are all that is deployed.

mod release;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Describe, ReadContext, Reader, Source, SourceFile};
use crate::facts::{
    BootstrapExtent, Bootstrapped, FileFacts, NamedChart, Resource, Statement, Unit,
};
use crate::input::repo::RepoPath;
use base::text::last_part;
use base::{FileId, Finding};
use yaml::Node;

pub struct Helmfile;

pub const SOURCE: Source = Source {
    describe: Some(&Helmfile),
    ..Source::reading(&Helmfile)
};

/// A helmfile: the objects of its releases, and the helmfiles that it includes.
pub struct ReleaseFile {
    pub file: FileId,
    pub releases: Vec<Resource>,
    pub includes: BTreeSet<RepoPath>,
}

/// The helmfiles of a repo that install something, or include others.
pub fn files(context: &ReadContext<'_>) -> Vec<ReleaseFile> {
    let facts = context.facts;
    let each = facts.all().filter_map(|(file, _)| {
        let path = facts.repo.path(file);
        let mut documents = root_documents(context.documents(file)).peekable();
        documents.peek()?;
        let home = path.parent().unwrap_or_else(RepoPath::root);
        let included = documents.flat_map(|root| root.items_at("helmfiles"));
        let included = included.filter_map(|one| {
            let path = one.text().or_else(|| one.text_at(&["path"]))?;
            home.join(path)
        });
        Some(ReleaseFile {
            file,
            includes: included.collect(),
            releases: release::releases(file, context),
        })
    });
    each.collect()
}

/// Documents that look like those of a helmfile: releases that name charts, or other helmfiles.
fn root_documents(documents: &[Arc<Node>]) -> impl Iterator<Item = &Node> {
    let documents = documents.iter().map(|document| &**document);
    documents.filter(|root| {
        let mut releases = root.items_at("releases").iter();
        let is_foreign = root.get("kind").is_some() || root.get("apiVersion").is_some();
        let installs = releases.any(|one| one.get("name").is_some() && one.get("chart").is_some());
        !is_foreign && (installs || !root.items_at("helmfiles").is_empty())
    })
}

impl Describe for Helmfile {
    fn describe(&self, resource: &Resource, statement: &mut Statement) {
        release::describe(resource, statement);
    }

    fn resolve_files(
        &self,
        resource: &Resource,
        context: &ReadContext<'_>,
        statement: &mut Statement,
    ) -> Vec<Finding> {
        release::resolve_files(resource, context, statement);
        Vec::new()
    }
}

impl Reader for Helmfile {
    fn name(&self) -> &'static str {
        "helmfile"
    }

    fn unit(&self, resource: &Resource) -> Option<Unit> {
        release::unit(resource)
    }

    /// Only inspects the documents, so that references to them still work.
    fn read(&self, file: &mut SourceFile<'_>, facts: &mut FileFacts) {
        for document in &file.documents {
            let root = &document.root;
            if root.get("kind").is_some() || root.get("apiVersion").is_some() {
                continue;
            }
            let extent = extent(root);
            let releases = root.items_at("releases").iter();
            facts
                .bootstrapped
                .extend(releases.clone().filter_map(|node| release(node, extent)));
            facts
                .named_charts
                .extend(releases.filter_map(|node| named_chart(node, root)));
        }
    }
}

/// `--include-crds` is an argument of `helm template`: such a file is rendered for the CRDs of its charts.
fn extent(root: &Node) -> BootstrapExtent {
    let defaults = root.get("helmDefaults");
    let mut arguments = defaults.iter().flat_map(|node| node.items_at("args"));
    if arguments.any(|argument| argument.text() == Some("--include-crds")) {
        BootstrapExtent::Definitions
    } else {
        BootstrapExtent::Release
    }
}

fn release(node: &Node, extent: BootstrapExtent) -> Option<Bootstrapped> {
    let is_off = node.get("installed").and_then(Node::as_bool) == Some(false);
    let name = node.text_at(&["name"]).filter(|_| !is_off)?;
    Some(Bootstrapped {
        namespace: node.text_at(&["namespace"]).unwrap_or_default().into(),
        name: name.into(),
        chart: last_part(node.text_at(&["chart"]).unwrap_or_default()).into(),
        extent,
        place: node.place,
    })
}

/// The chart of a release, with the repository that its first part names: `bitnami/redis`, or an address. None if it is a
/// directory.
fn named_chart(node: &Node, root: &Node) -> Option<NamedChart> {
    let chart = node.get("chart")?;
    let text = chart.text()?;
    if text.starts_with(['.', '/']) || node.get("installed").and_then(Node::as_bool) == Some(false)
    {
        return None;
    }
    let (repository, name) = text.rsplit_once('/')?;
    let repository = if repository.contains("://") {
        Some(repository.into())
    } else {
        let mut declared = root.items_at("repositories").iter();
        let own = declared.find(|one| one.text_at(&["name"]) == Some(repository));
        own.and_then(|own| {
            let url = own.text_at(&["url"])?;
            let is_registry = own.get("oci").and_then(Node::as_bool) == Some(true);
            let scheme = if is_registry && !url.contains("://") {
                "oci://"
            } else {
                ""
            };
            Some(format!("{scheme}{url}").into())
        })
    };
    Some(NamedChart {
        name: name.into(),
        version: node.text_at(&["version"]).map(Into::into),
        repository,
        place: chart.place,
    })
}
