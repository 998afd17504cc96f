//! The law of the live preview: after any series of edits, what was made of the changed files alone is what a clean build
//! makes, byte for byte, and no file was read that did not change.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use catalog::page::Subject;
use catalog::pipeline::{self, Memory, Reading, Request, Workpiece};
use catalog::repo::Changed;
use catalog::site::Site;
use proptest::prelude::*;
use tempfile::TempDir;

use crate::diff::git;

/// A repo under edit, and the site of its last state.
struct Desk {
    dir: TempDir,
    memory: Memory,
    /// What edits are sketched on.
    base: Option<(Reading, Workpiece)>,
    site: Option<BTreeMap<String, Vec<u8>>>,
    /// Files read for the last state.
    reads: usize,
}

const START: &[(&str, &str)] = &[
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
    fn new() -> Desk {
        let dir = tempfile::tempdir().unwrap();
        let mut desk = Desk {
            dir,
            memory: Memory::default(),
            base: None,
            site: None,
            reads: 0,
        };
        for (path, text) in START {
            desk.put(path, text);
        }
        desk.rebuild(&[]);
        desk
    }

    fn path(&self, path: &str) -> PathBuf {
        // As the watcher names it.
        self.dir.path().canonicalize().unwrap().join(path)
    }

    fn request(&self) -> Request {
        Request {
            repo: Some(self.dir.path().to_path_buf()),
            config: None,
        }
    }

    fn put(&self, path: &str, text: &str) {
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

    fn changed(&self, paths: &[&str]) -> Changed {
        Changed {
            paths: paths.iter().map(|path| self.path(path)).collect(),
            is_unknown: false,
        }
    }

    /// A page as it is shown before all has been read again, told that these paths have changed. Without what changes with
    /// anything.
    fn sketch(&mut self, page: &str, changed: &[&str]) -> Option<String> {
        let (request, changed) = (self.request(), self.changed(changed));
        let (reading, workpiece) = self.base.as_mut()?;
        let base = reading.book();
        let site = Site::new(&base).ok()?;
        let mut pages = site.pages().iter();
        let (route, subject) = pages.find(|(route, _)| route.as_str() == page)?;
        let asked = match subject {
            Subject::Component(at) => BTreeSet::from([*at]),
            _ => BTreeSet::new(),
        };
        let sketch = workpiece.sketch(&request, &self.memory, &changed, &asked)?;
        if !sketch.errors.is_empty() {
            return None;
        }
        let mut catalog = reading.catalog.clone();
        for (at, component) in sketch.components {
            catalog.components[at] = Arc::new(component);
        }
        let book = base.sketched(&sketch.repo, &catalog, &sketch.edited)?;
        let page = site.render_of(&book, route, subject).unwrap();
        Some(without_marks(page.html.as_str(), &site))
    }

    /// The same page once all has been read.
    fn settled(&self, page: &str) -> String {
        let (reading, _) = self.base.as_ref().unwrap();
        let book = reading.book();
        without_marks(&self.page(page), &Site::new(&book).unwrap())
    }

    /// Makes the site of what is there now, told that these paths have changed.
    fn rebuild(&mut self, changed: &[&str]) {
        let changed = self.changed(changed);
        let request = self.request();
        let mut watched = BTreeSet::new();
        let watch = |directories: &[PathBuf]| {
            let new = directories
                .iter()
                .filter(|one| watched.insert((*one).clone()));
            let new: Vec<PathBuf> = new.cloned().collect();
            // What was watched before the edit is watched still: it is not news.
            match changed.paths.is_empty() {
                true => new,
                false => Vec::new(),
            }
        };
        match pipeline::read_again(&request, &self.memory, &changed, watch) {
            Ok(Some(read)) => {
                self.site = site(&read.reading);
                // Prose is read when pages are made.
                self.reads = read.reading.repo.reads();
                self.memory = read.memory;
                self.base = Some((read.reading, read.workpiece));
            }
            Ok(None) => self.reads = 0,
            Err(_) => {
                self.site = None;
                self.base = None;
            }
        }
    }

    /// Holds the last state to a clean build.
    fn compare(&self) {
        let clean = pipeline::read(&self.request()).ok();
        let clean = clean.and_then(|reading| site(&reading));
        let (Some(clean), Some(own)) = (&clean, &self.site) else {
            assert_eq!(clean.is_some(), self.site.is_some(), "one of them failed");
            return;
        };
        let names = |site: &BTreeMap<String, Vec<u8>>| site.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(own), names(clean));
        for (name, bytes) in own {
            let text = String::from_utf8_lossy(bytes);
            assert_eq!(text, String::from_utf8_lossy(&clean[name]), "{name}");
        }
    }

    fn edit(&mut self, path: &str, text: &str) -> usize {
        self.put(path, text);
        self.rebuild(&[path]);
        self.compare();
        self.reads
    }

    fn page(&self, name: &str) -> String {
        String::from_utf8(self.site.as_ref().unwrap()[name].clone()).unwrap()
    }
}

/// Every file of a site; none where it cannot be made.
fn site(reading: &Reading) -> Option<BTreeMap<String, Vec<u8>>> {
    let book = reading.book();
    let site = Site::new(&book).ok()?;
    let mut all = BTreeMap::new();
    for (route, subject) in site.pages() {
        let page = site.render(route, subject).ok()?;
        all.insert(route.as_str().to_owned(), page.html.as_str().into());
        all.insert(route.markdown().as_str().to_owned(), page.markdown.into());
    }
    for (route, bytes) in site.files() {
        all.insert(route.as_str().to_owned(), bytes.clone());
    }
    let mut document = Vec::new();
    site.book().write_document(&mut document).unwrap();
    all.insert("service-catalog.json".to_owned(), document);
    Some(all)
}

/// A page without the names that change with anything.
fn without_marks(page: &str, site: &Site<'_>) -> String {
    let marks = site.assets().search.iter().map(String::as_str);
    let marks = marks.chain([site.book().sha()]);
    marks.fold(page.to_owned(), |page, mark| page.replace(mark, ""))
}

#[test]
fn every_edit_gives_what_a_clean_build_gives_and_reads_what_changed() {
    let mut desk = Desk::new();
    desk.compare();
    let web = START[4].1;
    assert_eq!(
        desk.edit("apps/web/deployment.yaml", &web.replace("web:1", "web:2")),
        1
    );
    assert!(
        desk.page("components/web.html")
            .contains("example.com/web:2")
    );
    // The name of what is generated follows its content.
    let before = desk.page("service-catalog.json");
    assert_eq!(desk.edit("apps/web/settings.env", "LEVEL=debug\n"), 1);
    assert_ne!(desk.page("service-catalog.json"), before);
    assert_eq!(
        desk.edit(
            "clusters/dev/facts.yaml",
            &START[1].1.replace("web.example", "shop.example")
        ),
        1
    );
    assert!(
        desk.page("components/web.html")
            .contains("shop.example.com")
    );
    assert_eq!(
        desk.edit("apps/web/README.md", "# Web\n\nShows other things.\n"),
        1
    );
    assert_eq!(
        desk.edit(
            "docs/adr/0001-keep.md",
            "# 1. Keep less\n\nStatus: superseded\n"
        ),
        1
    );
    // The configuration is read before the repo is.
    assert_eq!(desk.edit("catalog.toml", "title = \"Bench\"\n"), 0);
    assert!(desk.page("index.html").contains("Bench"));
    desk.edit("theme/static/extra.css", "body { color: red }\n");
    desk.edit("theme/sections/overview.html", "<p>Ours.</p>\n");
    assert!(desk.page("components/web.html").contains("<p>Ours.</p>"));
}

#[test]
fn an_edit_is_sketched_as_reading_all_again_shows_it() {
    let mut desk = Desk::new();
    let (facts, web) = (START[1].1, START[4].1);
    let edits = [
        (
            "apps/web/deployment.yaml",
            web.replace("web:1", "web:2"),
            "components/web.html",
            "web:2",
        ),
        (
            "apps/web/settings.env",
            "LEVEL=debug\n".to_owned(),
            "components/web.html",
            "debug",
        ),
        (
            "clusters/dev/facts.yaml",
            facts.replace("web.example", "shop.example"),
            "components/web.html",
            "shop.example.com",
        ),
        (
            "apps/web/README.md",
            "# Web\n\nShows other things.\n\n## Purpose\n\nTo show.\n".to_owned(),
            "components/web.html",
            "other things",
        ),
        (
            "docs/guide.md",
            "# Guide\n\nRead on.\n".to_owned(),
            "pages/docs/guide.html",
            "Read on",
        ),
    ];
    desk.edit("docs/guide.md", "# Guide\n\nRead this.\n");
    for (path, text, page, shown) in edits {
        desk.put(path, &text);
        let sketch = desk.sketch(page, &[path]);
        let sketch = sketch.unwrap_or_else(|| panic!("{path} is not sketched"));
        assert!(sketch.contains(shown), "{path}: {shown}");
        desk.rebuild(&[path]);
        assert_same(&sketch, &desk.settled(page), path);
    }
}

#[test]
fn a_sketch_has_values_that_a_release_takes_from_a_config_map() {
    let mut desk = Desk::new();
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: queue}\nspec:\n  interval: 1h\n  chart:\n    spec: {chart: queue, version: 1.0.0, sourceRef: {kind: HelmRepository, name: charts}}\n  valuesFrom: [{kind: ConfigMap, name: queue-values}]\n  values: {size: 1}\n";
    let files = [
        (
            "apps/kustomization.yaml",
            "resources:\n  - web\n  - store\n  - queue\n",
        ),
        (
            "apps/queue/kustomization.yaml",
            "namespace: queue\nresources:\n  - release.yaml\nconfigMapGenerator:\n  - name: queue-values\n    files: [values.yaml]\n    options: {disableNameSuffixHash: true}\n",
        ),
        ("apps/queue/values.yaml", "size: 2\nmood: calm\n"),
        ("apps/queue/release.yaml", release),
    ];
    for (path, text) in files {
        desk.put(path, text);
    }
    desk.rebuild(&files.map(|(path, _)| path));
    let page = "components/queue.html";
    assert!(desk.page(page).contains("calm"));
    let edits = [
        ("apps/queue/values.yaml", "mood: busy\n".to_owned(), "busy"),
        (
            "apps/queue/release.yaml",
            release.replace("size: 1", "size: 77"),
            "77",
        ),
    ];
    for (path, text, shown) in edits {
        desk.put(path, &text);
        let sketch = desk.sketch(page, &[path]);
        let sketch = sketch.unwrap_or_else(|| panic!("{path} is not sketched"));
        assert!(sketch.contains(shown) && sketch.contains("mood"), "{path}");
        desk.rebuild(&[path]);
        assert_same(&sketch, &desk.settled(page), path);
    }
}

#[test]
fn a_sketch_has_edges_as_they_were() {
    let mut desk = Desk::new();
    let (path, page) = ("apps/web/deployment.yaml", "components/web.html");
    let web = START[4].1;
    let more = web.replace("          image", "          args: [fast]\n          image");
    desk.put(path, &more);
    let sketch = desk.sketch(page, &[path]).unwrap();
    // The store is named in line 13, and below a new line once all has been read.
    assert!(sketch.contains("deployment.yaml:13</span></td>"));
    desk.rebuild(&[path]);
    let moved = sketch.replace(
        "deployment.yaml:13</span></td>",
        "deployment.yaml:14</span></td>",
    );
    assert_same(&moved, &desk.settled(page), path);
}

/// Says where two pages differ, rather than what both say.
fn assert_same(own: &str, clean: &str, what: &str) {
    let differing = own
        .lines()
        .zip(clean.lines())
        .find(|(own, clean)| own != clean);
    assert_eq!(differing, None, "{what}");
    assert_eq!(own.lines().count(), clean.lines().count(), "{what}");
}

#[test]
fn edits_are_sketched_one_on_the_other() {
    let mut desk = Desk::new();
    let (facts, web) = (START[1].1, START[4].1);
    let page = "components/web.html";
    let (manifest, variables) = ("apps/web/deployment.yaml", "clusters/dev/facts.yaml");
    desk.put(manifest, &web.replace("web:1", "web:2"));
    assert!(desk.sketch(page, &[manifest]).unwrap().contains("web:2"));
    desk.put(variables, &facts.replace("web.example", "shop.example"));
    let sketch = desk.sketch(page, &[manifest, variables]).unwrap();
    assert!(sketch.contains("web:2") && sketch.contains("shop.example.com"));
    // What is taken back is as it was.
    desk.put(manifest, web);
    let sketch = desk.sketch(page, &[manifest, variables]).unwrap();
    assert!(sketch.contains("web:1"));
    desk.rebuild(&[manifest, variables]);
    assert_same(&sketch, &desk.settled(page), manifest);
}

#[test]
fn what_changes_more_than_a_page_is_not_sketched() {
    let page = "components/web.html";
    for (path, text) in [
        ("apps/web/deployment.yaml", "a: ["),
        ("apps/web/deployment.yaml", ""),
        (
            "apps/web/service.yaml",
            "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n",
        ),
        ("apps/kustomization.yaml", "resources:\n  - web\n"),
        (
            "apps/web/README.md",
            "---\ncomponent: store\n---\n# Store\n",
        ),
        ("catalog.toml", "title = \"Other\"\n"),
        ("theme/sections/overview.html", "<p>Ours.</p>\n"),
    ] {
        let mut desk = Desk::new();
        desk.put(path, text);
        assert_eq!(desk.sketch(page, &[path]), None, "{path}: {text}");
    }
}

#[test]
fn what_breaks_is_mended_again() {
    let mut desk = Desk::new();
    let good = desk.page("components/web.html");
    for (path, broken) in [
        ("apps/web/deployment.yaml", "kind: ["),
        (
            "apps/web/kustomization.yaml",
            "resources:\n  - missing.yaml\n",
        ),
        ("clusters/dev/apps.yaml", "\u{1}"),
        ("theme/sections/overview.html", "{% if %}"),
        ("catalog.toml", "titel = 1\n"),
    ] {
        desk.edit(path, broken);
        match START.iter().find(|(name, _)| *name == path) {
            Some((_, text)) => drop(desk.edit(path, text)),
            None => {
                fs::remove_file(desk.path(path)).unwrap();
                desk.rebuild(&[path]);
                desk.compare();
            }
        }
        assert_eq!(
            desk.page("components/web.html"),
            good,
            "after {path} was mended"
        );
    }
}

#[test]
fn files_and_directories_come_move_and_go() {
    let mut desk = Desk::new();
    desk.edit(
        "apps/kustomization.yaml",
        "resources:\n  - web\n  - store\n  - more\n",
    );
    desk.put(
        "apps/more/kustomization.yaml",
        "namespace: more\nresources: [deployment.yaml]\n",
    );
    desk.put(
        "apps/more/deployment.yaml",
        &START[8].1.replace("store", "more"),
    );
    // A directory that came is one event, whatever is in it.
    desk.rebuild(&["apps/more"]);
    desk.compare();
    assert!(
        desk.site
            .as_ref()
            .unwrap()
            .contains_key("components/more.html")
    );
    fs::rename(desk.path("apps/more"), desk.path("apps/less")).unwrap();
    desk.rebuild(&["apps/more", "apps/less"]);
    desk.compare();
    desk.edit(
        "apps/kustomization.yaml",
        "resources:\n  - web\n  - store\n  - less\n",
    );
    // Another directory takes its name before anybody looks.
    fs::remove_dir_all(desk.path("apps/less")).unwrap();
    desk.put(
        "apps/less/kustomization.yaml",
        "namespace: less\nresources: [deployment.yaml]\n",
    );
    desk.put(
        "apps/less/deployment.yaml",
        &START[8].1.replace("store", "less"),
    );
    desk.rebuild(&["apps/less"]);
    desk.compare();
    // An editor writes beside the file, and renames.
    desk.put(
        "apps/web/.deployment.yaml.swp",
        &START[4].1.replace("web:1", "web:3"),
    );
    fs::rename(
        desk.path("apps/web/.deployment.yaml.swp"),
        desk.path("apps/web/deployment.yaml"),
    )
    .unwrap();
    desk.rebuild(&["apps/web/.deployment.yaml.swp", "apps/web/deployment.yaml"]);
    assert_eq!(desk.reads, 1);
    desk.compare();
    assert!(
        desk.page("components/web.html")
            .contains("example.com/web:3")
    );
    desk.edit(".gitignore", "less/\n");
    fs::remove_file(desk.path(".gitignore")).unwrap();
    desk.rebuild(&[".gitignore"]);
    desk.compare();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("store/README.md", desk.path("apps/linked.md")).unwrap();
        desk.rebuild(&["apps/linked.md"]);
        desk.compare();
        fs::remove_file(desk.path("apps/store/README.md")).unwrap();
        desk.rebuild(&["apps/store/README.md"]);
        desk.compare();
        fs::remove_file(desk.path("apps/linked.md")).unwrap();
        desk.rebuild(&["apps/linked.md"]);
        desk.compare();
    }
}

#[test]
fn a_file_that_nobody_refers_to_any_more_is_forgotten() {
    let mut desk = Desk::new();
    desk.put("apps/store", "resources: [\n");
    desk.rebuild(&["apps/store"]);
    desk.compare();
    desk.edit("clusters/dev/apps.yaml", "");
}

#[test]
fn a_commit_and_a_switch_of_branches_are_changes() {
    let mut desk = Desk::new();
    let root = desk.dir.path().to_path_buf();
    let git = |arguments: &[&str]| git(&root, arguments);
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "one"]);
    desk.rebuild(&[".git/HEAD", ".git/refs/heads/main"]);
    desk.compare();
    git(&["switch", "-qc", "other"]);
    desk.put("apps/web/README.md", "# Web\n\nOn another branch.\n");
    git(&["commit", "-qam", "two"]);
    desk.rebuild(&[".git/HEAD", ".git/refs/heads", "apps/web/README.md"]);
    desk.compare();
    git(&["switch", "-q", "main"]);
    desk.rebuild(&[".git/HEAD", "apps/web/README.md"]);
    desk.compare();
    assert!(desk.page("components/web.html").contains("Shows things"));
}

#[test]
fn what_makes_no_difference_makes_no_site() {
    let desk = Desk::new();
    let request = desk.request();
    let paths = ["apps/.web.swp", "nothing/at/all"];
    let changed = Changed {
        paths: paths.iter().map(|path| desk.path(path)).collect(),
        is_unknown: false,
    };
    let again = pipeline::read_again(&request, &desk.memory, &changed, |_| Vec::new());
    assert!(again.unwrap().is_none());
    desk.compare();
}

/// What may be done to a repo: a text put at a path, a path removed, a path moved.
#[derive(Debug, Clone)]
enum Edit {
    Put(usize, usize),
    Remove(usize),
    Move(usize, usize),
}

const PATHS: &[&str] = &[
    "clusters/dev/apps.yaml",
    "clusters/dev/facts.yaml",
    "apps/kustomization.yaml",
    "apps/web/kustomization.yaml",
    "apps/web/deployment.yaml",
    "apps/web/settings.env",
    "apps/web/README.md",
    "apps/store/kustomization.yaml",
    "apps/store/deployment.yaml",
    "apps/store/README.md",
    "docs/adr/0001-keep.md",
    "catalog.toml",
    "apps/web",
    "apps/store",
    "apps/new/kustomization.yaml",
    "clusters/prod/apps.yaml",
    "theme/sections/overview.html",
    "theme/static/style.css",
    ".gitignore",
    "README.md",
];

const TEXTS: &[&str] = &[
    "",
    "resources:\n  - web\n  - ../store\n",
    "a: [",
    "# Heading\n\nWords about [web](apps/web/README.md).\n",
    "LEVEL=warn # loud\nHOST=other\n",
    "title = \"Other\"\nignore = [\"docs/\"]\n",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: facts, namespace: flux-system}\ndata: {HOST: b}\n",
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{name: c, image: \"a:${HOST}\"}]}}}\n",
];

fn edits() -> impl Strategy<Value = Vec<Vec<Edit>>> {
    let path = 0..PATHS.len();
    // Most texts are those that the repo began with, so that it keeps being one.
    let text = 0..TEXTS.len() * 2;
    let edit = prop_oneof![
        6 => (path.clone(), text).prop_map(|(path, text)| Edit::Put(path, text)),
        2 => path.clone().prop_map(Edit::Remove),
        1 => (path.clone(), path).prop_map(|(from, to)| Edit::Move(from, to)),
    ];
    prop::collection::vec(prop::collection::vec(edit, 1..4), 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_series_of_edits_gives_what_a_clean_build_gives(series in edits()) {
        let mut desk = Desk::new();
        for batch in series {
            let mut changed = BTreeSet::new();
            for edit in batch {
                changed.extend(apply(&desk, &edit));
            }
            let changed: Vec<&str> = changed.into_iter().collect();
            for page in ["components/web.html", "components/store.html"] {
                let _ = desk.sketch(page, &changed);
            }
            desk.rebuild(&changed);
            desk.compare();
        }
    }
}

/// Does it, and says what a watcher would report.
fn apply(desk: &Desk, edit: &Edit) -> Vec<&'static str> {
    match *edit {
        Edit::Put(path, text) => {
            let own = START.iter().find(|(name, _)| *name == PATHS[path]);
            let text = TEXTS.get(text).copied().or(own.map(|(_, text)| *text));
            let above = PATHS[path].rsplit_once('/').map_or("", |(above, _)| above);
            let was_there = desk.path(above).is_dir();
            desk.put(PATHS[path], text.unwrap_or_default());
            match was_there {
                true => vec![PATHS[path]],
                false => vec![PATHS[path], top(PATHS[path]), above],
            }
        }
        Edit::Remove(path) => {
            let at = desk.path(PATHS[path]);
            match at.is_dir() {
                true => fs::remove_dir_all(at).unwrap(),
                false => drop(fs::remove_file(at)),
            }
            vec![PATHS[path]]
        }
        Edit::Move(from, to) => {
            let (old, new) = (desk.path(PATHS[from]), desk.path(PATHS[to]));
            let moved =
                new.parent().is_some_and(|parent| parent.is_dir()) && fs::rename(old, new).is_ok();
            match moved {
                true => vec![PATHS[from], PATHS[to]],
                false => Vec::new(),
            }
        }
    }
}

/// The first directory of a path, which is the one that comes when none of it was there.
fn top(path: &'static str) -> &'static str {
    path.split_once('/').map_or(path, |(top, _)| top)
}
