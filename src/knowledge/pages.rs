//! Authored Markdown: the files of the repo, each with the page that shows it. Reading them produces findings; the site
//! renders them afterwards. A README beside a component's manifests goes on that component's page. So does a page whose
//! front matter names a component. Every other file has a page of its own.

mod alert;
mod area;
mod component_docs;
mod description;
mod doc_site;
mod guide;
mod home;
mod incremental;
mod link;
mod listed;
mod plain;
mod review;

use crate::input::page::read_page;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::catalog::{Catalog, Component, ComponentIx, Description};
use crate::input::repo::{Repo, RepoPath};
use crate::input::repo_host::RepoHost;
use crate::knowledge::Knowledge;
use crate::knowledge::route::{self, ComponentRoutes, Route};
use crate::knowledge::runbook::authored::Subjects;
use base::{FileId, Finding, few};
use markdown::Html;
use markdown::highlight::Highlighter;
use markdown::{Contents, Context, Figures, Page};
use rayon::prelude::*;

pub use alert::AlertPage;
use alert::Answers;
use area::Area;
pub use component_docs::{ComponentDocs, DocSection, DocTopic};
use doc_site::DocSites;
pub use guide::Guide;
pub use home::PageHome;
use home::Residence;
use link::LinkResolver;
pub use plain::plain;
use review::Reviewer;

pub use markdown::PREFIX;

/// Authored pages with their markup, as the site shows them.
#[derive(Debug, Default, Clone)]
pub struct RenderedPages {
    /// By path.
    pub documents: Vec<Arc<AuthoredPage>>,
    /// The page that shows each file.
    homes: Arc<BTreeMap<FileId, Residence>>,
    /// Documents on each component's page, by position.
    by_component: BTreeMap<ComponentIx, Vec<usize>>,
    /// Documents that name each component, by position.
    about: BTreeMap<ComponentIx, Vec<usize>>,
    answers: Arc<Answers>,
    sites: Arc<DocSites>,
    descriptions: Arc<BTreeMap<ComponentIx, Description>>,
    /// Pictures that pages show, with their address in the site.
    pub images: BTreeMap<FileId, Route>,
}

/// One Markdown file.
#[derive(Debug)]
pub struct AuthoredPage {
    pub file: FileId,
    pub home: PageHome,
    pub page: Page,
    /// Components that it names: any page in its front matter, a runbook in other ways, too.
    pub about: Vec<ComponentIx>,
    /// Components and alerts that it names, if it is a runbook.
    pub runbook: Option<Subjects>,
}

impl RenderedPages {
    /// What a component is: what comes first of what documents and the manifests say.
    pub fn description<'a>(
        &'a self,
        at: ComponentIx,
        component: &'a Component,
    ) -> Option<&'a Description> {
        let written = self.descriptions.get(&at).into_iter();
        written
            .chain(&component.about.description)
            .min_by_key(|one| one.by)
    }

    /// The files that are about a component: those on its page, then those that name it.
    pub fn files_about(&self, component: ComponentIx) -> impl Iterator<Item = FileId> {
        let own = self.by_component.get(&component).into_iter().flatten();
        let own = own.map(|at| self.documents[*at].file);
        own.chain(self.about(component).filter_map(|document| {
            matches!(document.home, PageHome::Own(_)).then_some(document.file)
        }))
    }

    /// Pages that say that they are about a component, or bear its name; runbooks apart.
    pub fn about(&self, component: ComponentIx) -> impl Iterator<Item = &AuthoredPage> {
        self.naming(component)
            .filter(|document| document.runbook.is_none())
    }

    /// Runbooks with a page of their own that are about a component.
    pub fn runbooks(&self, component: ComponentIx) -> impl Iterator<Item = &AuthoredPage> {
        self.naming(component)
            .filter(|document| document.runbook.is_some())
    }

    /// The document for `file`.
    pub fn document(&self, file: FileId) -> Option<&AuthoredPage> {
        let documents = &self.documents;
        let at = documents.binary_search_by_key(&file, |document| document.file);
        at.ok().map(|at| &*documents[at])
    }

    /// Link from the page at `from` to a document, or to a heading in it.
    pub fn href(
        &self,
        from: &Route,
        document: &AuthoredPage,
        fragment: Option<&str>,
        components: &ComponentRoutes,
    ) -> String {
        let to = match &document.home {
            PageHome::Component(at) => &components[*at],
            PageHome::Own(route) => route,
        };
        let page = if from == to && fragment.is_some() {
            String::new()
        } else {
            from.to(to)
        };
        page + &link::anchor(&document.home, fragment)
    }

    fn naming(&self, component: ComponentIx) -> impl Iterator<Item = &AuthoredPage> {
        let positions = self.about.get(&component).into_iter().flatten();
        positions.map(|at| &*self.documents[*at])
    }
}

impl AuthoredPage {
    /// The stated title, otherwise one derived from the file name.
    pub fn title(&self, repo: &Repo) -> String {
        let page = &self.page;
        let stated = page.front_matter.title.clone().or(page.title.clone());
        stated.unwrap_or_else(|| {
            let path = repo.path(self.file);
            let stem = path.file_name();
            let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
            crate::catalog::title(stem)
        })
    }

    /// The heading that has this id, as a link from elsewhere writes it.
    pub fn heading(&self, id: &str) -> Option<&str> {
        let is_it = |own: &str| own == id || own.strip_prefix(PREFIX) == Some(id);
        let sections = self.page.sections.iter();
        let headings = sections.flat_map(|section| {
            let below = section.subsections.iter();
            let below = below.map(|sub| (sub.id.as_str(), sub.title.as_str()));
            below.chain([(section.id.as_str(), section.title.as_str())])
        });
        let mut headings = headings.filter(|(own, _)| is_it(own));
        headings.next().map(|(_, title)| title)
    }

    /// Its own page, if it has one.
    pub fn route(&self) -> Option<&Route> {
        match &self.home {
            PageHome::Component(_) => None,
            PageHome::Own(route) => Some(route),
        }
    }
}

/// The Markdown files of a repo, the page that shows each, and their findings. Nothing is rendered yet.
#[derive(Debug, Default)]
pub struct Pages {
    /// By path.
    sources: Vec<(FileId, String)>,
    homes: Arc<BTreeMap<FileId, Residence>>,
    answers: Arc<Answers>,
    sites: Arc<DocSites>,
    descriptions: Arc<BTreeMap<ComponentIx, Description>>,
    area: Area,
    pub findings: Vec<Finding>,
}

/// Reads all authored pages of a repo.
pub fn read(
    repo: &Repo,
    catalog: &Catalog,
    knowledge: &Knowledge,
    repo_host: Option<&RepoHost>,
) -> Pages {
    read_area(repo, catalog, knowledge, repo_host, Area::default())
}

fn read_area(
    repo: &Repo,
    catalog: &Catalog,
    knowledge: &Knowledge,
    repo_host: Option<&RepoHost>,
    area: Area,
) -> Pages {
    let files = repo.below(&area.below);
    let files: Vec<FileId> = files.filter(|file| is_page(repo, *file)).collect();
    let texts: Vec<Result<String, Finding>> = files
        .par_iter()
        .map(|file| read_page(repo, *file))
        .collect();
    let mut sources = Vec::new();
    let mut findings = Vec::new();
    for (file, text) in files.into_iter().zip(texts) {
        match text {
            Ok(text) => sources.push((file, text)),
            Err(finding) => findings.push(finding),
        }
    }
    let mut answers = Answers::by_address(repo, catalog, repo_host, &mut findings);
    let mut homes = BTreeMap::new();
    let sites = DocSites::find(repo, &sources);
    if !sources.is_empty() {
        let reviewer = Reviewer::new(catalog);
        let lookup = reviewer.lookup();
        let (found, unknown) =
            home::homes(repo, catalog, knowledge, &sources, &answers, &area, lookup);
        homes = found;
        findings.extend(unknown);
        let components = route::components(catalog);
        let links = LinkResolver::new(repo, catalog, &components, repo_host, &homes, &area, &sites);
        let read: Vec<(Contents, Vec<Finding>)> = sources
            .par_iter()
            .map(|(file, text)| {
                let (contents, mut findings) = contents(*file, text, &links);
                findings.extend(reviewer.review(*file, text, &homes[file]));
                (contents, few(findings))
            })
            .collect();
        let mut written = Vec::new();
        for ((file, _), (contents, own)) in sources.iter().zip(read) {
            findings.extend(own);
            written.push(ReadFile {
                file: *file,
                residence: &homes[file],
                contents,
            });
        }
        answers.add_by_name(&written, lookup);
        findings.extend(links.dead_anchors(&written));
        let is_meant = |finding: &Finding| {
            finding.rule != "link-broken" || !is_copy_or_form(repo.path(finding.place.file))
        };
        findings.retain(is_meant);
    }
    findings.extend(answers.missing(catalog));
    let descriptions = description::descriptions(repo, catalog, &sources, &homes);
    Pages {
        sources,
        homes: Arc::new(homes),
        answers: Arc::new(answers),
        sites: Arc::new(sites),
        descriptions: Arc::new(descriptions),
        area,
        findings,
    }
}

/// A file that was read: its page and its contents.
struct ReadFile<'h> {
    file: FileId,
    residence: &'h Residence,
    contents: Contents,
}

impl Pages {
    /// Renders all of them. `components` are the pages of the components.
    pub fn render(
        &self,
        repo: &Repo,
        catalog: &Catalog,
        components: &ComponentRoutes,
        repo_host: Option<&RepoHost>,
    ) -> RenderedPages {
        let links = LinkResolver::new(
            repo,
            catalog,
            components,
            repo_host,
            &self.homes,
            &self.area,
            &self.sites,
        );
        let code = Highlighter::new();
        let rendered: Vec<(AuthoredPage, BTreeSet<FileId>)> = self
            .sources
            .par_iter()
            .map(|(file, text)| render(*file, text, &links, &code))
            .collect();
        let mut pages = RenderedPages {
            homes: self.homes.clone(),
            answers: self.answers.clone(),
            sites: self.sites.clone(),
            descriptions: self.descriptions.clone(),
            ..RenderedPages::default()
        };
        for (document, images) in rendered {
            if let PageHome::Component(component) = document.home {
                let own = pages.by_component.entry(component).or_default();
                own.push(pages.documents.len());
            }
            for component in &document.about {
                let naming = pages.about.entry(*component).or_default();
                naming.push(pages.documents.len());
            }
            pages.documents.push(Arc::new(document));
            let images = images.into_iter();
            let images = images.map(|file| (file, self.area.image(repo, file)));
            pages.images.extend(images);
        }
        pages
    }
}

/// A page with its markup, and the pictures that it shows.
fn render(
    file: FileId,
    text: &str,
    links: &LinkResolver<'_>,
    code: &Highlighter,
) -> (AuthoredPage, BTreeSet<FileId>) {
    let home = &links.homes[&file];
    let images = RefCell::new(BTreeSet::new());
    let drawn = Cell::new(0);
    let (page, _) = markdown::render(
        text,
        &Context {
            file,
            link: &|target| links.target(file, target, &images),
            markdown_href: &markdown_href,
            heading_prefix: home.home.heading_prefix(),
        },
        &Figures {
            code,
            mermaid: &|source| {
                drawn.set(drawn.get() + 1);
                picture(source, &format!("drawing-{}-{}", file.0, drawn.get()))
            },
        },
    );
    let document = AuthoredPage {
        file,
        home: home.home.clone(),
        page,
        about: home.about.clone(),
        runbook: home.runbook.clone(),
    };
    (document, images.into_inner())
}

/// The contents of a page, and its findings.
fn contents(file: FileId, text: &str, links: &LinkResolver<'_>) -> (Contents, Vec<Finding>) {
    let images = RefCell::default();
    let (contents, findings) = markdown::contents(
        text,
        &Context {
            file,
            link: &|target| links.target(file, target, &images),
            markdown_href: &markdown_href,
            heading_prefix: links.homes[&file].home.heading_prefix(),
        },
    );
    let findings = findings.into_iter().map(|finding| {
        let cause = finding
            .get_cause()
            .map(|target| links.lost_target(file, target));
        match cause {
            Some(cause) => finding.cause(cause),
            None => finding,
        }
    });
    (contents, findings.collect())
}

/// Whether a page came with the code of others, or is a form whose links its users fill in.
fn is_copy_or_form(path: &RepoPath) -> bool {
    let mut directories = path.as_str().split('/');
    let stem = path.file_name().split('.').next().unwrap_or_default();
    let stem = stem.to_ascii_lowercase();
    directories.any(|part| matches!(part, "upstream" | "third-party"))
        || stem.trim_start_matches(['_', '-']) == "template"
        || ["-template", "_template"]
            .iter()
            .any(|end| stem.ends_with(end))
}

/// A link as it is in the Markdown of a page: there, headings have the ids that their words give.
fn markdown_href(href: &str) -> String {
    if href.contains("://") {
        href.to_owned()
    } else {
        href.replacen(".html", ".md", 1)
            .replacen(&format!("#{PREFIX}"), "#", 1)
    }
}

/// Renders a diagram. `id` makes its element ids unique on the page.
fn picture(source: &str, id: &str) -> Result<Html, diagram::Error> {
    Ok(Html::trusted(diagram::parse(source)?.markup(id)))
}

/// Markdown, but for what tools keep in hidden directories of theirs.
fn is_page(repo: &Repo, file: FileId) -> bool {
    let path = repo.path(file);
    let is_markdown = path
        .extension()
        .is_some_and(|extension| matches!(extension, "md" | "markdown" | "MD"));
    // Default runbooks are templates, and shown where they are filled in.
    let is_template = path.as_str().starts_with("theme/runbooks/");
    let hidden = path.as_str().split('/').find(|name| name.starts_with('.'));
    // Others wrote the documents of their code, and it is not they who read them here.
    let is_foreign = |part: &str| matches!(part, "vendor" | "node_modules" | "third_party");
    is_markdown
        && !is_template
        && !path.as_str().split('/').any(is_foreign)
        && hidden.is_none_or(|name| matches!(name, ".sdd" | ".specify" | ".spec" | ".provenance"))
}
