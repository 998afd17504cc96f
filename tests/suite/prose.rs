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
    let twin = text(&site, "components/web.md");
    assert!(
        twin.contains("[the guide](../pages/docs/guide.md#setup)"),
        "{twin}"
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
fn a_diagram_of_an_author_is_drawn_and_a_broken_one_shows_its_source() {
    let repo = written(
        "# Web\n\n## Architecture\n\n```mermaid\nflowchart LR\n  A[Shop] --> B[Till]\n```\n\n```mermaid\nnonsense\n```\n",
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
        architecture.contains("class=\"diagram authored\""),
        "{architecture}"
    );
    assert!(architecture.contains("nonsense"));
    assert!(text(&site, "findings.html").contains("diagram-not-drawn"));
}
