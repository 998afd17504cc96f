//! A site for one state of the repo. It lives in its own thread, renders pages on request, and ends with its last
//! handle.

use secret::outgoing::Cleared;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use serde::Serialize;
use tokio::sync::oneshot;

use super::follow::Made;
use super::trouble::{Unreadable, unreadable};
use crate::knowledge::route::Route;
use crate::pipeline::{FastUpdate, Reading};
use crate::site::context::SiteContext;
use crate::site::page::{PageSubject, Rendered};
use crate::site::{Site, SiteError, llms};
use base::hash::{HashMap, HashSet};
use base::{FileId, Finding, Severity};

/// The answer to a request for a file of the site.
#[derive(Debug, Clone)]
pub enum SiteFile {
    Found(Arc<ServedFile>),
    /// There is nothing at the address; the page that says so.
    Missing(Arc<ServedFile>),
    /// A template cannot be rendered.
    Broken(Arc<str>),
}

#[derive(Debug)]
pub struct ServedFile {
    pub media_type: &'static str,
    pub bytes: Cleared,
}

impl ServedFile {
    fn page(page: &Rendered) -> ServedFile {
        ServedFile {
            media_type: media_type(".html"),
            bytes: page.html.clone(),
        }
    }
}

/// A finding as the panel of an open page shows it.
#[derive(Debug, Clone, Serialize)]
pub struct Shown {
    severity: Severity,
    rule: &'static str,
    message: String,
    /// `apps/n8n.yaml:3`, if it is in a file.
    place: Option<String>,
    help: Option<String>,
}

/// Handle to a site. The site answers for as long as the handle exists.
pub struct SiteWorker {
    asks: Sender<Ask>,
    pub summary: SiteSummary,
}

/// Facts about a site that are known without rendering a page.
#[derive(Debug, Clone)]
pub struct SiteSummary {
    pub made: Made,
    /// The address of the style sheet.
    pub style: String,
    /// Texts in pages that change with every build. Pages that differ only in these count as equal.
    pub marks: Vec<String>,
    pub unreadable: Vec<Unreadable>,
    /// The subject of each page, by address.
    pub subjects: Arc<HashMap<String, PageSubject>>,
    /// Addresses of files that are not pages.
    pub files: Arc<HashSet<String>>,
}

/// Longest time that live reload waits for a page.
const LONGEST: Duration = Duration::from_secs(20);

enum Ask {
    Page(String, Reply<SiteFile>),
    Findings(String, oneshot::Sender<Vec<Shown>>),
    Update(Box<FastUpdate>, Vec<String>, Sender<Option<UpdatedPages>>),
}

/// The channel back to the asking task or thread, which may be gone by now.
enum Reply<T> {
    Task(oneshot::Sender<T>),
    Thread(Sender<T>),
}

impl<T> Reply<T> {
    fn send(self, answer: T) {
        match self {
            Reply::Task(reply) => drop(reply.send(answer)),
            Reply::Thread(reply) => drop(reply.send(answer)),
        }
    }
}

/// Updated pages, by address.
pub type UpdatedPages = BTreeMap<String, Arc<ServedFile>>;

/// Makes the site of a reading. Waits until it can answer.
pub fn start(reading: Reading) -> Result<SiteWorker, SiteError> {
    let (asks, asked) = mpsc::channel();
    let (ready, made) = mpsc::channel();
    let live = move || {
        let context = reading.context();
        match Site::new(&context) {
            Ok(site) => {
                // If the receiver is gone, no request will follow either.
                let _ = ready.send(Ok(summary(&site)));
                Shop::new(&site).answer(&asked);
            }
            Err(error) => drop(ready.send(Err(error))),
        }
    };
    let thread = thread::Builder::new().name("site".to_owned()).spawn(live);
    let lost = || SiteError::Thread;
    thread.map_err(|_| lost())?;
    let summary = made.recv().map_err(|_| lost())??;
    Ok(SiteWorker { asks, summary })
}

impl SiteWorker {
    /// The file at an address of the site.
    pub async fn file(&self, path: &str) -> Option<SiteFile> {
        let (reply, answer) = oneshot::channel();
        let ask = Ask::Page(path.to_owned(), Reply::Task(reply));
        self.asks.send(ask).ok()?;
        answer.await.ok()
    }

    /// The same, for a thread that may wait, though not for ever: a page that hangs must not keep others from coming.
    pub fn file_now(&self, path: &str) -> Option<SiteFile> {
        let (reply, answer) = mpsc::channel();
        let ask = Ask::Page(path.to_owned(), Reply::Thread(reply));
        self.asks.send(ask).ok()?;
        answer.recv_timeout(LONGEST).ok()
    }

    /// Pages after a fast update, for a thread that may wait. None if the update does not cover everything they show.
    pub fn update_pages(&self, update: FastUpdate, pages: Vec<String>) -> Option<UpdatedPages> {
        let (reply, answer) = mpsc::channel();
        let ask = Ask::Update(Box::new(update), pages, reply);
        self.asks.send(ask).ok()?;
        answer.recv_timeout(LONGEST).ok()?
    }

    /// Findings that concern the page at an address.
    pub async fn findings(&self, path: &str) -> Vec<Shown> {
        let (reply, answer) = oneshot::channel();
        match self.asks.send(Ask::Findings(path.to_owned(), reply)) {
            Ok(()) => answer.await.unwrap_or_default(),
            Err(_) => Vec::new(),
        }
    }
}

/// Most rendered pages that are cached.
const MOST_KEPT: usize = 200;
const DOCUMENT: &str = "service-catalog.json";

struct Shop<'a> {
    site: &'a Site<'a>,
    /// Pages and their Markdown versions.
    by_path: HashMap<String, (usize, PageForm)>,
    kept: HashMap<usize, (Arc<ServedFile>, Arc<ServedFile>)>,
    document: Option<Arc<ServedFile>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PageForm {
    Html,
    Markdown,
}

impl<'a> Shop<'a> {
    fn new(site: &'a Site<'a>) -> Shop<'a> {
        let pages = site.pages().iter().enumerate();
        let both = pages.flat_map(|(at, (route, _))| {
            let markdown_page = (
                route.markdown().as_str().to_owned(),
                (at, PageForm::Markdown),
            );
            [
                (route.as_str().to_owned(), (at, PageForm::Html)),
                markdown_page,
            ]
        });
        Shop {
            site,
            by_path: both.collect(),
            kept: HashMap::default(),
            document: None,
        }
    }

    fn answer(&mut self, asked: &Receiver<Ask>) {
        for ask in asked {
            // The asking task or thread may be gone by now.
            match ask {
                Ask::Page(path, reply) => {
                    let answer = outlived(|| self.file(&path));
                    reply.send(answer.unwrap_or_else(|| SiteFile::Broken(BROKEN.into())));
                }
                Ask::Findings(path, reply) => {
                    let findings = outlived(|| self.findings(&path));
                    drop(reply.send(findings.unwrap_or_default()));
                }
                Ask::Update(update, pages, reply) => {
                    let updated = outlived(|| self.update_pages(*update, pages));
                    drop(reply.send(updated.flatten()));
                }
            }
        }
    }

    fn file(&mut self, path: &str) -> SiteFile {
        if let Some((at, form)) = self.by_path.get(path).copied() {
            return self.page(at, form).unwrap_or_else(|broken| broken);
        }
        if path == DOCUMENT {
            return SiteFile::Found(self.document());
        }
        if path == llms::FULL
            && let Ok(bytes) = self.site.llms_full()
        {
            return SiteFile::Found(Arc::new(ServedFile {
                media_type: media_type(path),
                bytes: bytes.clone(),
            }));
        }
        if let Some(bytes) = self.site.files().get(&Route::new(path)) {
            return SiteFile::Found(Arc::new(ServedFile {
                media_type: media_type(path),
                bytes: bytes.clone(),
            }));
        }
        let pages = self.site.pages();
        let not_found = pages
            .iter()
            .rposition(|(_, subject)| *subject == PageSubject::NotFound);
        match not_found.map(|at| self.page(at, PageForm::Html)) {
            Some(Ok(SiteFile::Found(page))) => SiteFile::Missing(page),
            Some(Ok(other) | Err(other)) => other,
            None => SiteFile::Broken("the site has no 404 page".into()),
        }
    }

    fn page(&mut self, at: usize, form: PageForm) -> Result<SiteFile, SiteFile> {
        if !self.kept.contains_key(&at) {
            let (route, subject) = &self.site.pages()[at];
            let page = self.site.render(route, subject);
            let page = page.map_err(|error| SiteFile::Broken(error.to_string().into()))?;
            if self.kept.len() >= MOST_KEPT {
                self.kept.clear();
            }
            let html = ServedFile::page(&page);
            let markdown = ServedFile {
                media_type: media_type(".md"),
                bytes: page.markdown,
            };
            self.kept.insert(at, (Arc::new(html), Arc::new(markdown)));
        }
        let (html, markdown) = &self.kept[&at];
        Ok(SiteFile::Found(match form {
            PageForm::Html => html.clone(),
            PageForm::Markdown => markdown.clone(),
        }))
    }

    fn update_pages(&self, update: FastUpdate, pages: Vec<String>) -> Option<UpdatedPages> {
        let base = self.site.context();
        let mut catalog = base.catalog.clone();
        for (at, component) in update.components {
            *catalog.components.get_mut(at)? = Arc::new(component);
        }
        let context = base.with_update(&update.repo, &catalog, &update.edited)?;
        let mut updated_pages = UpdatedPages::new();
        for page in pages {
            let (at, _) = self.by_path.get(&page).copied()?;
            let (route, subject) = &self.site.pages()[at];
            let rendered = self.site.render_of(&context, route, subject).ok()?;
            updated_pages.insert(page, Arc::new(ServedFile::page(&rendered)));
        }
        Some(updated_pages)
    }

    fn document(&mut self) -> Arc<ServedFile> {
        let site = self.site;
        let made = self.document.get_or_insert_with(|| {
            Arc::new(ServedFile {
                media_type: media_type(DOCUMENT),
                bytes: Cleared::new(site.context().document()),
            })
        });
        made.clone()
    }

    fn findings(&self, path: &str) -> Vec<Shown> {
        let context = self.site.context();
        let Some((at, _)) = self.by_path.get(path) else {
            return Vec::new();
        };
        let shown = |finding: &Finding| shown(context, finding);
        match &self.site.pages()[*at].1 {
            PageSubject::Component(component) => {
                let positions = context.related[*component].findings.iter();
                positions.map(|at| shown(&context.findings[*at])).collect()
            }
            PageSubject::Written(document) => {
                let file = context.pages.documents[*document].file;
                let findings = context.findings.iter();
                let inside = findings.filter(|finding| finding.place.file == file);
                inside.map(shown).collect()
            }
            _ => Vec::new(),
        }
    }
}

const BROKEN: &str = "this page failed to render; please report this, with your last change";

/// The result of `work`, or `None` if it panics, so that other pages are still served. The site stores each value in
/// one step, so a panic leaves nothing half done.
fn outlived<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

fn shown(context: &SiteContext<'_>, finding: &Finding) -> Shown {
    let place = finding.place;
    Shown {
        severity: finding.severity,
        rule: finding.rule,
        message: finding.message.clone(),
        place: (place.file != FileId::NONE)
            .then(|| format!("{}:{}", context.repo.path(place.file), place.line)),
        help: finding.help.clone(),
    }
}

fn summary(site: &Site<'_>) -> SiteSummary {
    let context = site.context();
    let assets = site.assets();
    let search = assets.search.iter().cloned();
    let pages = site.pages().iter();
    let subjects = pages.map(|(route, subject)| (route.as_str().to_owned(), subject.clone()));
    let files = site.files().keys().map(|route| route.as_str().to_owned());
    SiteSummary {
        made: Made::from_site(site),
        style: assets.style.as_str().to_owned(),
        marks: search
            .chain([assets.style.as_str().to_owned(), context.sha().to_owned()])
            .collect(),
        unreadable: unreadable(context.repo, context.config, context.findings.iter()),
        subjects: Arc::new(subjects.collect()),
        files: Arc::new(files.collect()),
    }
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "md" => "text/markdown; charset=utf-8",
        "xml" => "application/xml",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "ico" => "image/x-icon",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_panics_costs_an_answer_and_no_more() {
        assert_eq!(outlived(|| 1), Some(1));
        assert_eq!(
            outlived(|| -> u32 { panic!("a page that cannot be made") }),
            None
        );
        assert_eq!(outlived(|| 2), Some(2));
    }
}
