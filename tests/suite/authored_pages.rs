//! What people write beside manifests, as the site shows it: its headings, links, pictures and diagrams.

use crate::cli::catalog;
use crate::site::{build, check_links, sections, text, written};

#[test]
fn headings_of_a_readme_land_in_the_sections_that_they_mean() {
    let repo = written(
        "# Web\n\nIt serves the shop to people.\n\n## Before\n\nfirst\n\n## Purpose\n\nTo sell.\n\n## Upgrades\n\nSlowly.\n\n## Troubleshooting\n\nLook.\n\n### It is down\n\n**Symptoms:** nothing answers.\n\n```bash\nkubectl get pods\n```\n",
        &[(
            "docs/more.md",
            "---\ncomponent: web\n---\n## Features\n\nIt is fast.\n",
        )],
    );
    let site = build(repo.path());
    let page = text(&site, "components/web.html");
    let order: Vec<String> = sections(page).into_iter().map(|(id, _)| id).collect();
    let position = |id: &str| {
        order
            .iter()
            .position(|one| one == id)
            .unwrap_or_else(|| panic!("{id}: {order:?}"))
    };
    assert!(position("section-about-before") < position("purpose"));
    assert!(position("purpose") < position("section-about-upgrades"));
    assert!(position("section-about-upgrades") < position("features"));
    assert!(position("features") < position("operations"));
    assert!(page.contains("<p class=\"lede\">It serves the shop to people.</p>"));
    let operations = &sections(page)[position("operations")].1;
    assert!(operations.contains("Nothing answers.") && operations.contains("kubectl"));
    // What is on a component's page has no page of its own.
    assert!(!site.contains_key("pages/docs/more.html"));
    assert!(text(&site, "components/web.md").contains("## Purpose\n\nTo sell."));
}

#[test]
fn links_between_files_of_the_repo_keep_working() {
    let repo = written(
        "# Web\n\nSee [the guide](../../docs/guide.md#setup), [itself](#purpose), [the manifest](deployment.yaml) and ![a](../../docs/a.png).\n\n## Purpose\n\nWords.\n",
        &[
            (
                "docs/guide.md",
                "# Guide\n\n[web](../apps/web/README.md#purpose) [dir](../apps/web/) [root](/docs/guide.md)\n\n## Setup\n\nx\n",
            ),
            ("docs/a.png", "not really a picture"),
            (
                "catalog.toml",
                "repository = \"https://github.com/acme/platform\"\n",
            ),
        ],
    );
    let site = build(repo.path());
    let page = text(&site, "components/web.html");
    assert!(page.contains("href=\"../pages/docs/guide.html#setup\""));
    assert!(page.contains("href=\"#about-purpose\""));
    assert!(page.contains("https://github.com/acme/platform/blob/main/apps/web/deployment.yaml"));
    assert!(page.contains("src=\"../files/docs/a.png\""));
    assert_eq!(site["files/docs/a.png"], b"not really a picture");
    let markdown = text(&site, "components/web.md");
    assert!(
        markdown.contains("[the guide](../pages/docs/guide.md#setup)"),
        "{markdown}"
    );
    assert!(text(&site, "pages/docs/guide.md").contains("[web](../../components/web.md#purpose)"));
    let guide = text(&site, "pages/docs/guide.html");
    assert!(guide.contains("href=\"../../components/web.html#about-purpose\""));
    assert!(guide.contains("href=\"../../components/web.html\""));
    check_links(&site);
}

#[test]
fn broken_links_and_anchors_are_findings() {
    let repo = written(
        "# Web\n\n[gone](nowhere.md) [no heading](#nothing) [other](../../docs/guide.md#nothing) [out](../../../x.md)\n",
        &[("docs/guide.md", "---\ncomponent: wbe\n---\n# Guide\n")],
    );
    let output = catalog(&["check", ".", "--format", "json"], repo.path());
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let rules: Vec<&str> = findings
        .iter()
        .map(|one| one["rule"].as_str().unwrap())
        .collect();
    assert_eq!(
        rules.iter().filter(|rule| **rule == "link-broken").count(),
        4,
        "{findings:#?}"
    );
    let unknown = findings
        .iter()
        .find(|one| one["rule"] == "unknown-component")
        .unwrap();
    assert_eq!(unknown["help"], "did you mean `web`?");
    let of_web = findings
        .iter()
        .find(|one| one["message"].as_str().unwrap().contains("nowhere.md"));
    assert_eq!(of_web.unwrap()["component"], "web");
}

#[test]
fn a_diagram_of_an_author_is_drawn_and_one_that_is_broken_or_of_another_kind_shows_its_source() {
    let repo = written(
        "# Web\n\n## Architecture\n\n```mermaid\nflowchart LR\n  A[Shop] --> B[Till]\n```\n\n```mermaid\nnonsense\n```\n\n```mermaid\npie\n  \"read\" : 80\n```\n",
        &[],
    );
    let site = build(repo.path());
    let page = text(&site, "components/web.html");
    let architecture = sections(page)
        .into_iter()
        .find(|(id, _)| id == "architecture")
        .unwrap()
        .1;
    assert!(
        architecture.contains("class=\"diagram d-flow\"") && architecture.contains(">Till<"),
        "{architecture}"
    );
    assert_eq!(architecture.matches("<svg").count(), 1);
    assert!(architecture.contains("nonsense") && architecture.contains("read"));
    let findings = text(&site, "findings.html");
    assert!(findings.contains("diagram-not-drawn"));
    assert!(findings.contains("diagram-kind-unsupported"));
}

/// The ids that a text of the theme gives or looks for, as far as they are written out.
fn ids_of(theme: &str) -> Vec<String> {
    let marks = ["id=\"", "getElementById(\"", "id: \"", "for=\"", "href=\"#"];
    let all = marks.iter().flat_map(|mark| theme.split(mark).skip(1));
    let ids = all.map(|rest| rest.split('"').next().unwrap_or_default().to_owned());
    ids.filter(|id| !id.is_empty() && !id.contains("{{"))
        .collect()
}

/// The ids of a page, in order.
fn ids_in(page: &str) -> Vec<&str> {
    let all = page.split(" id=\"").skip(1);
    all.map(|rest| rest.split('"').next().unwrap()).collect()
}

#[test]
fn no_heading_and_no_raw_html_takes_an_id_of_the_theme() {
    let root = crate::ci::root();
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    // What stands around prose that has a page of its own.
    let around = [
        "base.html",
        "nav/top.html",
        "pages/page.html",
        "pages/decision.html",
    ];
    let mut theme: Vec<String> = around.map(|path| read(&format!("theme/{path}"))).to_vec();
    let scripts = [
        "theme/static/script.js",
        "theme/static/search.js",
        "src/preview/live.js",
    ];
    theme.extend(scripts.map(read));
    let mut reserved: Vec<String> = theme.iter().flat_map(|text| ids_of(text)).collect();
    // The first two are in a shadow tree, where nothing else is found; the last has a number behind it.
    reserved.retain(|id| id != "title" && id != "why" && id != "hit-");
    reserved.extend(["hit-0", "hit-31", "h-components"].map(str::to_owned));
    reserved.sort();
    reserved.dedup();
    assert!(reserved.iter().any(|id| id == "nav-open"), "{reserved:?}");
    assert!(reserved.iter().any(|id| id == "hits"), "{reserved:?}");
    let mut headings = "# Headings\n\nweb\n\n".to_owned();
    let mut raw = "# Raw\n\nweb\n\n".to_owned();
    let mut links = String::new();
    for id in &reserved {
        headings += &format!("## {id}\n\nx\n\n## X {{#about-{id}}}\n\nx\n\n");
        raw += &format!("<a id=\"{id}\"></a> <p id='{id}'>x</p>\n\n<a name=\"{id}\">y</a>\n\n");
        links += &format!("[x](#{id})\n\n[y](decisions/0001-a.md#{id})\n\n");
    }
    let own = format!("{headings}\n{links}");
    let site = crate::site::build(
        written(
            "# Web\n",
            &[
                ("docs/headings.md", own.as_str()),
                ("docs/raw.md", raw.as_str()),
                ("docs/decisions/0001-a.md", headings.as_str()),
                ("docs/decisions/0002-b.md", raw.as_str()),
            ],
        )
        .path(),
    );
    let mut seen = 0;
    for (path, page) in crate::site::pages(&site) {
        let is_ours = ["headings", "raw", "0001", "0002"]
            .iter()
            .any(|one| path.contains(one));
        if !is_ours {
            continue;
        }
        seen += 1;
        for id in &reserved {
            let count = ids_in(page).iter().filter(|found| *found == id).count();
            assert!(count <= 1, "{path}: {id} is there {count} times");
            assert!(!page.contains(&format!("name=\"{id}\"")), "{path}: {id}");
            // Whoever looks it up gets what the theme means.
            let at = page.find(&format!(" id=\"{id}\""));
            let prose = page.find("class=\"prose\"").unwrap();
            let is_below = ["artifacts", "checks", "components"].contains(&id.as_str())
                || id.starts_with("h-");
            assert!(at.is_none_or(|at| at < prose || is_below), "{path}: {id}");
        }
    }
    assert_eq!(seen, 4);
    let page = text(&site, "pages/docs/headings.html");
    let unique: std::collections::BTreeSet<&str> = ids_in(page).into_iter().collect();
    assert_eq!(unique.len(), ids_in(page).len(), "every id is there once");
    // Links to such headings lead to them.
    for link in page.split("href=\"#").skip(1) {
        let id = link.split('"').next().unwrap();
        assert!(unique.contains(id), "#{id} leads nowhere");
    }
    let findings = text(&site, "findings.html");
    assert!(!findings.contains("link-broken"), "every link is right");
}
