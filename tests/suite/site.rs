//! The site that `catalog build` writes, looked at as files: what stands where, that nothing slips through, that every
//! link leads somewhere, and that a good site is never lost.

mod markup;
mod matrix;
mod theme;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::cli::{catalog, platform, repo, stderr};
use crate::html::{ids, tags, words};

/// Every file of a site, by its path in it.
pub type Files = BTreeMap<String, Vec<u8>>;

pub fn build(repo: &Path) -> Files {
    let out = tempfile::tempdir().unwrap();
    let site = out.path().join("site");
    let output = catalog(
        &["build", repo.to_str().unwrap(), "--out", "site"],
        out.path(),
    );
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    files(&site)
}

pub fn files(root: &Path) -> Files {
    let mut files = Files::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap();
                files.insert(name.replace('\\', "/"), fs::read(&path).unwrap());
            }
        }
    }
    files
}

pub fn text<'f>(files: &'f Files, path: &str) -> &'f str {
    let bytes = files.get(path);
    let bytes = bytes.unwrap_or_else(|| panic!("no `{path}` in {:?}", files.keys()));
    std::str::from_utf8(bytes).unwrap()
}

pub fn pages(files: &Files) -> impl Iterator<Item = (&str, &str)> {
    let pages = files.iter().filter(|(path, _)| path.ends_with(".html"));
    pages.map(|(path, bytes)| (path.as_str(), std::str::from_utf8(bytes).unwrap()))
}

/// The example without its history, so that nothing in it depends on a commit.
fn example() -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    let content = Path::new(env!("CARGO_MANIFEST_DIR")).join("content");
    for (path, bytes) in files(&content) {
        let to = copy.path().join(path);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::write(to, bytes).unwrap();
    }
    copy
}

/// The sections of a page by their ids; the head of the page comes first, as `head`.
pub fn sections(page: &str) -> Vec<(String, String)> {
    let main = page.split("<main").nth(1).unwrap();
    let main = main.split("</main>").next().unwrap();
    let mut parts = main.split("\n<section id=\"");
    let head = parts.next().unwrap().split("<header").nth(1).unwrap();
    let mut sections = vec![("head".to_owned(), format!("<header{head}"))];
    sections.extend(parts.map(|part| {
        let (id, _) = part.split_once('"').unwrap();
        let end = part.rfind("</section>").unwrap() + "</section>".len();
        (id.to_owned(), format!("<section id=\"{}", &part[..end]))
    }));
    sections
}

#[test]
fn the_page_of_the_operator_is_as_it_was_section_by_section() {
    let site = build(example().path());
    let page = text(&site, "components/external-secrets-operator.html");
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/operator");
    let sections = sections(page);
    let order: Vec<&str> = sections.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(
        order,
        [
            "head",
            "overview",
            "dependencies",
            "blast-radius",
            "purpose",
            "features",
            "architecture",
            "configuration",
            "operations",
            "decisions",
            "related"
        ]
    );
    for (id, html) in &sections {
        let file = golden.join(format!("{id}.html"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::create_dir_all(&golden).unwrap();
            fs::write(&file, html).unwrap();
        }
        let expected = fs::read_to_string(&file).unwrap();
        let difference = expected.lines().zip(html.lines()).find(|(a, b)| a != b);
        assert_eq!(
            difference, None,
            "{id}: run once with UPDATE_GOLDEN=1 and read the difference"
        );
        assert_eq!(expected.lines().count(), html.lines().count(), "{id}");
    }
}

#[test]
fn the_page_of_the_operator_says_what_the_person_on_call_asks() {
    let site = build(example().path());
    let page = text(&site, "components/external-secrets-operator.html");
    let sections: BTreeMap<String, String> = sections(page).into_iter().collect();
    let said = |section: &str| words(&sections[section]);
    assert!(said("head").contains("enabled"));
    // Each fact is stated once: in the head or in the overview.
    for fact in ["external-secrets", "HelmRelease", "Foundation"] {
        assert!(said("head").contains(fact), "{fact}: {}", said("head"));
    }
    assert!(!said("overview").contains("HelmRelease") && !said("overview").contains("Foundation"));
    for fact in [
        "charts.external-secrets.io",
        "apps/foundation/external-secrets-operator/",
        "Platform",
    ] {
        assert!(
            said("overview").contains(fact),
            "{fact}: {}",
            said("overview")
        );
    }
    // A version is printed as it is written: no `v` is put before it.
    assert!(!page.contains("vv") && !said("overview").contains(" v0."));
    let needs = said("dependencies");
    for fact in ["LocalStack", "Flux dependsOn", "External Secrets Config"] {
        assert!(needs.contains(fact), "{fact}: {needs}");
    }
    assert!(
        said("blast-radius")
            .contains("flux suspend kustomization external-secrets-operator -n flux-system")
    );
    assert!(sections["architecture"].matches("<svg").count() >= 2);
    let settings = said("configuration");
    assert!(settings.contains("EXTERNAL_SECRETS_CHART_VERSION") && settings.contains("prod dev"));
    assert!(
        sections["operations"]
            .matches("class=\"box runbook\"")
            .count()
            >= 5
    );
    assert!(sections["operations"].contains("kubectl"));
    assert!(said("related").contains("base/environment.env"));
}

#[test]
fn a_column_in_which_all_are_the_same_is_left_out() {
    let has_owners = |repo: &Path| text(&build(repo), "index.html").contains(">Owner</th>");
    let repo = platform();
    assert!(!has_owners(repo.path()));
    let owner = "[[owner]]\nname = 'Web team'\nmatch = ['**']\n";
    fs::write(repo.path().join("catalog.toml"), owner).unwrap();
    assert!(!has_owners(repo.path()));
    let owner = "[[owner]]\nname = 'Web team'\nmatch = ['shop/**']\n";
    fs::write(repo.path().join("catalog.toml"), owner).unwrap();
    assert!(has_owners(repo.path()));
}

#[test]
fn the_blast_radius_tells_outages_from_lost_ingress_and_from_installs() {
    let site = build(example().path());
    let traefik = text(&site, "components/traefik.md");
    assert!(traefik.contains("5 components lose their ingress while Traefik is down."));
    assert!(traefik.contains("- Lose their ingress: [Catalogue API]"));
    assert!(traefik.contains("- Cannot be deployed or reinstalled: [Landing Pages]"));
    let postgres = text(&site, "components/postgres.md");
    assert!(postgres.contains("7 components break while Postgres is down."));
    assert!(postgres.contains("- Break at run time, via 1 hop: "));
    // Production is first in plans, too.
    let plans: Vec<&str> = postgres
        .lines()
        .filter(|line| line.contains(" order in "))
        .collect();
    assert_eq!(
        plans,
        [
            "### Suspend order in prod",
            "### Resume order in prod",
            "### Suspend order in dev",
            "### Resume order in dev"
        ]
    );
}

#[test]
fn two_builds_give_the_same_bytes() {
    let example = example();
    let (first, second) = (build(example.path()), build(example.path()));
    assert_eq!(
        first.keys().collect::<Vec<_>>(),
        second.keys().collect::<Vec<_>>()
    );
    for (path, bytes) in &first {
        assert!(second[path] == *bytes, "`{path}` differs");
    }
}

#[test]
fn every_link_and_anchor_of_the_example_leads_somewhere() {
    check_links(&build(example().path()));
    check_links(&build(platform().path()));
}

/// Links within the site, ids, and weights of all pages.
pub fn check_links(site: &Files) {
    let anchors: BTreeMap<&str, Vec<String>> =
        pages(site).map(|(path, page)| (path, ids(page))).collect();
    for (path, page) in pages(site) {
        let unique: BTreeSet<&String> = anchors[path].iter().collect();
        assert_eq!(unique.len(), anchors[path].len(), "{path} has an id twice");
        let most = if path.starts_with("components/") {
            300_000
        } else {
            2_000_000
        };
        assert!(page.len() < most, "{path} weighs {}", page.len());
        for tag in tags(page) {
            for name in ["href", "src"] {
                if let Some(target) = tag.attribute(name) {
                    check_link(site, &anchors, path, &target);
                }
            }
        }
    }
}

pub fn check_link(site: &Files, anchors: &BTreeMap<&str, Vec<String>>, from: &str, target: &str) {
    if target.starts_with("https://")
        || target.starts_with("http://")
        || target.starts_with("mailto:")
    {
        return;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let mut names: Vec<&str> = from.split('/').collect();
    names.pop();
    for name in path.split('/') {
        match name {
            ".." => assert!(names.pop().is_some(), "{from}: `{target}` leaves the site"),
            "" | "." => {}
            name => names.push(name),
        }
    }
    let path = if path.is_empty() {
        from.to_owned()
    } else {
        names.join("/")
    };
    assert!(site.contains_key(&path), "{from}: nothing is at `{target}`");
    // A hash with `=` is a state of the filters.
    if !anchor.is_empty() && !anchor.contains('=') {
        let known = anchors.get(path.as_str());
        let there = known.is_some_and(|ids| ids.iter().any(|id| id == anchor));
        assert!(there, "{from}: `{target}` has no such anchor");
    }
}

#[test]
fn no_page_asks_another_machine_or_runs_anything_but_its_own_script() {
    for (path, page) in pages(&build(example().path())) {
        check_policy(path, page);
    }
}

/// Nothing on the page runs or asks for anything but the two scripts and the style of the theme.
pub fn check_policy(path: &str, page: &str) {
    assert!(
        page.contains("default-src 'none'; style-src 'self'; script-src 'self'"),
        "{path}"
    );
    let mut scripts = 0;
    for tag in tags(page) {
        assert!(tag.attribute("style").is_none(), "{path}: {tag:?}");
        for (name, value) in tag.attributes() {
            assert!(!name.starts_with("on"), "{path}: {tag:?}");
            let value = value.trim_start().to_ascii_lowercase();
            assert!(
                !value.starts_with("javascript:") && !value.starts_with("data:text"),
                "{path}: {tag:?}"
            );
        }
        let loads = tag.attribute("src").or((tag.name == "link")
            .then(|| tag.attribute("href"))
            .flatten());
        if let Some(loads) = loads {
            assert!(
                !loads.contains("://") && !loads.starts_with("//"),
                "{path}: {tag:?}"
            );
        }
        assert!(
            !["iframe", "object", "embed", "style", "base", "form-action"]
                .contains(&tag.name.as_str()),
            "{path}: {tag:?}"
        );
        scripts += usize::from(tag.name == "script");
    }
    assert_eq!(scripts, 3, "{path}: only the three scripts of the theme");
}

#[test]
fn no_secret_is_on_any_page() {
    for (path, bytes) in build(platform().path()) {
        let text = String::from_utf8_lossy(&bytes);
        for secret in ["hunter2", "c3VwZXItc2VjcmV0", "super-secret"] {
            assert!(!text.contains(secret), "`{path}` holds `{secret}`");
        }
    }
}

/// A component with prose in all the ways that there are.
pub fn written(readme: &str, more: &[(&str, &str)]) -> TempDir {
    let unit = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: web, namespace: flux-system}\nspec:\n  path: ./apps/web\n  sourceRef: {kind: GitRepository, name: flux-system}\n";
    let flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: flux-system, namespace: flux-system}\nspec: {path: ./clusters/dev, sourceRef: {kind: GitRepository, name: flux-system}}\n";
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: web}\nspec: {template: {spec: {containers: [{name: web, image: 'web:1'}]}}}\n";
    let mut files = vec![
        ("clusters/dev/flux-system/gotk-sync.yaml", flux),
        ("clusters/dev/web.yaml", unit),
        ("apps/web/deployment.yaml", deployment),
        ("apps/web/README.md", readme),
    ];
    files.extend_from_slice(more);
    repo(&files)
}

#[test]
fn a_page_for_what_is_not_there_works_at_any_address() {
    let repo = written(
        "# Web\n",
        &[("catalog.toml", "url = \"https://catalog.acme.dev/x\"\n")],
    );
    let site = build(repo.path());
    let page = text(&site, "404.html");
    for tag in tags(page) {
        for name in ["href", "src"] {
            let relative =
                |target: &String| !target.starts_with("https://") && !target.starts_with('#');
            assert_eq!(tag.attribute(name).filter(relative), None, "{tag:?}");
        }
    }
    assert!(page.contains("https://catalog.acme.dev/x/components/web.html"));
    let map = text(&site, "sitemap.xml");
    assert!(map.contains("<loc>https://catalog.acme.dev/x/components/web.html</loc>"));
    assert!(text(&site, "index.html").contains("href=\"components/web.html\""));
}

#[test]
fn a_repo_without_components_has_a_site_too() {
    let empty = repo(&[
        (
            "catalog.toml",
            "[[cluster]]\nname = \"dev\"\nroot = \"dev\"\n",
        ),
        ("dev/kustomization.yaml", "resources: []\n"),
    ]);
    let site = build(empty.path());
    assert!(text(&site, "index.html").contains("0 components"));
    check_links(&site);
}

#[test]
fn a_large_catalogue_is_grouped_and_no_page_is_heavy() {
    let units: String = (0..650)
        .map(|n| {
            let depends = match n {
                0 => String::new(),
                _ => format!("  dependsOn: [{{name: c{}}}, {{name: c0}}]\n", n / 2),
            };
            format!("---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: c{n}, namespace: flux-system}}\nspec:\n  path: ./apps/web\n  sourceRef: {{kind: GitRepository, name: flux-system}}\n{depends}")
        })
        .collect();
    let repo = written("# Web\n", &[("clusters/dev/all.yaml", &units)]);
    let site = build(repo.path());
    check_links(&site);
    let index = text(&site, "index.html");
    assert_eq!(index.matches("<tr data-f=").count(), 651);
    let architecture = text(&site, "architecture.html");
    assert!(architecture.matches("class=\"d-node").count() < 100);
    let hub = text(&site, "components/c0.html");
    assert!(hub.contains("649") && hub.contains("more"));
}

#[test]
fn names_in_any_script_give_ids_that_are_there_once() {
    let page = "# Text\n";
    let repo = written(
        "# Web\n",
        &[
            ("docs/a/b/one.md", page),
            ("docs/a-b/two.md", page),
            ("文書/三.md", page),
            ("手順/四.md", page),
            (
                "docs/runbooks/遅い.md",
                "---\ncomponent: web\n---\n# 遅い\n\nText.\n",
            ),
            (
                "docs/runbooks/停止.md",
                "---\ncomponent: web\n---\n# 停止\n\nText.\n",
            ),
            (
                "catalog.toml",
                "[[layer]]\nname = \"基盤\"\nmatch = [\"apps/web\"]\n\n[[layer]]\nname = \"監視\"\nmatch = [\"apps/api\"]\n",
            ),
            (
                "apps/api/deployment.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: api, namespace: shop}\n",
            ),
            (
                "clusters/dev/api.yaml",
                "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: api, namespace: flux-system}\nspec:\n  path: ./apps/api\n  sourceRef: {kind: GitRepository, name: flux-system}\n",
            ),
        ],
    );
    let site = build(repo.path());
    assert!(text(&site, "index.html").contains("監視"));
    let page = text(&site, "components/web.html");
    assert!(page.contains("id=\"runbook-page\"") && page.contains("id=\"runbook-page-2\""));
    check_links(&site);
}
