//! A repo under edit, beside what a clean build makes of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use base::{FileId, Finding};
use catalog::checks::triage::triage;
use catalog::input::repo::{Changed, RepoPath};
use catalog::pipeline::{self, Memory, Reading, RebuildState, Request};
use catalog::site::Site;
use catalog::site::page::PageSubject;
use tempfile::TempDir;

/// A repo under edit, and the site of its last state.
pub struct Desk {
    pub dir: TempDir,
    pub memory: Memory,
    /// The state that fast updates start from.
    pub base: Option<(Reading, RebuildState)>,
    pub site: Option<BTreeMap<String, Vec<u8>>>,
    /// Files read for the last state.
    pub reads: usize,
    /// By path, what each manifest said when it could last be read.
    good: BTreeMap<String, String>,
    /// What no reading has yet, since the last could not be done: as whoever follows a repo keeps it.
    unread: Option<Changed>,
}

pub const START: &[(&str, &str)] = &[
    (
        "clusters/dev/apps.yaml",
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: apps\n  namespace: flux-system\nspec:\n  path: ./apps\n  prune: true\n  interval: 10m\n  sourceRef: {kind: GitRepository, name: flux-system}\n  postBuild:\n    substituteFrom:\n      - {kind: ConfigMap, name: facts}\n",
    ),
    (
        "clusters/dev/facts.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: facts, namespace: flux-system}\ndata: {HOST: web.example.com}\n",
    ),
    (
        "apps/kustomization.yaml",
        "resources:\n  - web\n  - store\n",
    ),
    (
        "apps/web/kustomization.yaml",
        "namespace: web\nresources:\n  - deployment.yaml\nconfigMapGenerator:\n  - name: settings\n    envs: [settings.env]\n",
    ),
    (
        "apps/web/deployment.yaml",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template:\n    spec:\n      containers:\n        - name: web\n          image: example.com/web:1\n          envFrom: [{configMapRef: {name: settings}}]\n          env:\n            - {name: HOST, value: \"${HOST}\"}\n            - {name: STORE, value: store.store.svc}\n",
    ),
    ("apps/web/settings.env", "LEVEL=info\n"),
    (
        "apps/web/README.md",
        "# Web\n\nShows things. See the [store](../store/README.md).\n",
    ),
    (
        "apps/store/kustomization.yaml",
        "namespace: store\nresources:\n  - deployment.yaml\n",
    ),
    (
        "apps/store/deployment.yaml",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: store}\nspec:\n  template:\n    spec:\n      containers:\n        - {name: store, image: \"example.com/store:1\"}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: store}\nspec: {ports: [{port: 80}]}\n",
    ),
    ("apps/store/README.md", "# Store\n\nKeeps things.\n"),
    (
        "docs/adr/0001-keep.md",
        "# 1. Keep things\n\nStatus: accepted\n\n## Decision\n\nWe keep them in `store`.\n",
    ),
    ("catalog.toml", "title = \"Desk\"\n"),
];

impl Desk {
    pub fn new() -> Desk {
        let dir = tempfile::tempdir().unwrap();
        let mut desk = Desk {
            dir,
            memory: Memory::default(),
            base: None,
            site: None,
            reads: 0,
            good: BTreeMap::new(),
            unread: None,
        };
        for (path, text) in START {
            desk.put(path, text);
        }
        desk.rebuild(&[]);
        desk
    }

    pub fn path(&self, path: &str) -> PathBuf {
        // As the watcher names it.
        self.dir.path().canonicalize().unwrap().join(path)
    }

    pub fn request(&self) -> Request {
        Request {
            repo: Some(self.dir.path().to_path_buf()),
            config: None,
            ..Request::default()
        }
    }

    pub fn put(&self, path: &str, text: &str) {
        let path = self.path(path);
        let parent = path.parent().unwrap();
        if parent.is_file() {
            fs::remove_file(parent).unwrap();
        }
        fs::create_dir_all(parent).unwrap();
        if path.is_dir() {
            fs::remove_dir_all(&path).unwrap();
        }
        fs::write(path, text).unwrap();
    }

    pub fn changed(&self, paths: &[&str]) -> Changed {
        Changed {
            paths: paths.iter().map(|path| self.path(path)).collect(),
            is_unknown: false,
        }
    }

    /// A page as it is shown before all has been read again, told that these paths have changed. Without what changes with
    /// anything.
    pub fn update(&mut self, page: &str, changed: &[&str]) -> Option<String> {
        let (request, changed) = (self.request(), self.changed(changed));
        let (reading, rebuild_state) = self.base.as_mut()?;
        let base = reading.context();
        let site = Site::new(&base).ok()?;
        let mut pages = site.pages().iter();
        let (route, subject) = pages.find(|(route, _)| route.as_str() == page)?;
        let asked = match subject {
            PageSubject::Component(at) => BTreeSet::from([*at]),
            _ => BTreeSet::new(),
        };
        let update = rebuild_state.update(&request, &self.memory, &changed, &asked)?;
        if !update.errors.is_empty() {
            return None;
        }
        let mut catalog = reading.catalog.clone();
        for (at, component) in update.components {
            catalog.components[at] = Arc::new(component);
        }
        let context = base.with_update(&update.repo, &catalog, &update.edited)?;
        let page = site.render_of(&context, route, subject).unwrap();
        Some(without_marks(
            std::str::from_utf8(page.html.as_bytes()).unwrap(),
            &site,
        ))
    }

    /// The same page once all has been read.
    pub fn settled(&self, page: &str) -> String {
        let (reading, _) = self.base.as_ref().unwrap();
        let context = reading.context();
        without_marks(&self.page(page), &Site::new(&context).unwrap())
    }

    /// Makes the site of what is there now, told that these paths have changed.
    pub fn rebuild(&mut self, changed: &[&str]) {
        let mut changed = self.changed(changed);
        if let Some(unread) = &self.unread {
            changed.join(unread.clone());
        }
        let request = self.request();
        let mut watched = BTreeSet::new();
        let watch = |directories: &[PathBuf]| {
            let new = directories
                .iter()
                .filter(|one| watched.insert((*one).clone()));
            let new: Vec<PathBuf> = new.cloned().collect();
            // What was watched before the edit is watched still: it is not news.
            if changed.paths.is_empty() {
                new
            } else {
                Vec::new()
            }
        };
        let read = pipeline::read_incrementally(&request, &self.memory, &changed, watch);
        self.unread = read.is_err().then_some(changed);
        match read {
            Ok(Some(read)) => {
                self.site = site(&read.reading);
                self.reads = read.reading.repo.reads();
                self.memory = read.memory;
                self.good = self.last_good(&read.reading);
                self.base = Some((read.reading, read.rebuild_state));
            }
            Ok(None) => self.reads = 0,
            Err(_) => self.base = None,
        }
    }

    /// What the manifests of a reading say, or said before they were broken.
    fn last_good(&self, reading: &Reading) -> BTreeMap<String, String> {
        let paths = reading.repo.files().map(|file| reading.repo.path(file));
        let manifests = paths.filter(|path| matches!(path.extension(), Some("yaml" | "yml")));
        let good = manifests.filter_map(|path| {
            let path = path.to_string();
            let text = fs::read_to_string(self.path(&path)).unwrap();
            if is_broken(&text) {
                self.good.get(&path).map(|good| (path, good.clone()))
            } else {
                Some((path, text))
            }
        });
        good.collect()
    }

    /// Holds the last state to a clean build. Manifests that were broken since they were read count as they were, with what
    /// a clean build finds wrong with them.
    pub fn compare(&self) {
        let clean = self.clean();
        let own = self.site.as_ref().filter(|_| self.unread.is_none());
        let (Some(clean), Some(own)) = (&clean, own) else {
            assert_eq!(clean.is_some(), own.is_some(), "one of them failed");
            return;
        };
        let names = |site: &BTreeMap<String, Vec<u8>>| site.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(own), names(clean));
        // What a page says comes from the document, which is easier to read.
        let first = ["service-catalog.json".to_owned()];
        for name in first.iter().chain(own.keys()) {
            let text = String::from_utf8_lossy(&own[name]);
            assert_eq!(text, String::from_utf8_lossy(&clean[name]), "{name}");
        }
    }

    fn clean(&self) -> Option<BTreeMap<String, Vec<u8>>> {
        let broken: Vec<(&String, &String)> = self
            .good
            .iter()
            .filter(|(path, _)| {
                fs::read_to_string(self.path(path)).is_ok_and(|text| is_broken(&text))
            })
            .collect();
        let reading = pipeline::read(&self.request()).ok()?;
        if broken.is_empty() || self.unread.is_some() {
            return site(&reading);
        }
        let mut texts = Vec::new();
        for (path, good) in &broken {
            texts.push(fs::read_to_string(self.path(path)).unwrap());
            fs::write(self.path(path), good).unwrap();
        }
        let mut reading = pipeline::read(&self.request()).unwrap();
        let composed = pipeline::composed(&reading.repo, &reading.config);
        let mut findings: Vec<Finding> = reading.findings.all().cloned().collect();
        for ((path, _), text) in broken.iter().zip(texts) {
            fs::write(self.path(path), &text).unwrap();
            let file = reading.repo.file(&RepoPath::new(path).unwrap()).unwrap();
            let wrong = yaml::parse(&text, file).findings.into_iter();
            let wrong = wrong.filter(pipeline::is_unreadable).collect();
            findings.extend(composed.weighed(&reading.repo, wrong));
        }
        let findings = triage(&reading.repo, &reading.config, &reading.catalog, findings);
        reading.findings = findings;
        site(&reading)
    }

    pub fn edit(&mut self, path: &str, text: &str) -> usize {
        self.put(path, text);
        self.rebuild(&[path]);
        self.compare();
        self.reads
    }

    pub fn page(&self, name: &str) -> String {
        String::from_utf8(self.site.as_ref().unwrap()[name].clone()).unwrap()
    }
}

fn is_broken(text: &str) -> bool {
    let parsed = yaml::parse(text, FileId(0));
    parsed.findings.iter().any(pipeline::is_unreadable)
}

/// Every file of a site; none where it cannot be made.
fn site(reading: &Reading) -> Option<BTreeMap<String, Vec<u8>>> {
    let context = reading.context();
    let site = Site::new(&context).ok()?;
    let mut all = BTreeMap::new();
    for (route, subject) in site.pages() {
        let page = site.render(route, subject).ok()?;
        all.insert(route.as_str().to_owned(), page.html.into_bytes());
        all.insert(
            route.markdown().as_str().to_owned(),
            page.markdown.into_bytes(),
        );
    }
    for (route, bytes) in site.files() {
        all.insert(route.as_str().to_owned(), bytes.as_bytes().to_vec());
    }
    all.insert("service-catalog.json".to_owned(), site.context().document());
    Some(all)
}

/// A page without the names that change with anything.
fn without_marks(page: &str, site: &Site<'_>) -> String {
    let marks = site.assets().search.iter().map(String::as_str);
    let marks = marks.chain([site.context().sha()]);
    marks.fold(page.to_owned(), |page, mark| page.replace(mark, ""))
}
