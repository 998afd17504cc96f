//! Themes of a repository's own.

use std::fs;
use std::path::Path;

use super::{build, pages, text, written};

#[test]
fn a_file_of_the_repos_own_theme_replaces_the_built_in_one() {
    let repo = written(
        "# Web\n",
        &[
            ("theme/sections/overview.html", "<p>own overview</p>"),
            ("theme/static/style.css", "body{color:red}"),
            ("theme/unrelated.txt", "x"),
        ],
    );
    let site = build(repo.path());
    assert!(text(&site, "components/web.html").contains("<p>own overview</p>"));
    let style = site
        .keys()
        .find(|path| path.starts_with("assets/style-"))
        .unwrap();
    assert!(text(&site, style).starts_with("body{color:red}"));
}

#[test]
fn components_of_the_repos_own_theme_are_used_wherever_the_program_writes_markup() {
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("theme/components.html");
    let components = fs::read_to_string(built_in)
        .unwrap()
        .replace("class=\"comp ", "class=\"own-component ")
        .replace("class=\"place\"", "class=\"own-place\"")
        .replace("class=\"status ", "class=\"own-status ")
        .replace("class=\"icon\"", "class=\"own-icon\"");
    let api = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: api, namespace: flux-system}\nspec:\n  path: ./apps/api\n  dependsOn: [{name: web}]\n  sourceRef: {kind: GitRepository, name: flux-system}\n";
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: api, namespace: api}\nspec: {template: {spec: {containers: [{name: api, image: 'api:1', env: [{name: DB_PASSWORD, value: hunter2}]}]}}}\n";
    let repo = written(
        "# Web\n",
        &[
            ("theme/components.html", &components),
            ("clusters/dev/api.yaml", api),
            ("apps/api/deployment.yaml", deployment),
        ],
    );
    let site = build(repo.path());
    let between = |page: &str, start: &str, end: &str| {
        let page = text(&site, page);
        let (_, part) = page.split_once(start).expect(start);
        part.split_once(end).expect(end).0.to_owned()
    };
    let (web, api) = ("components/web.html", "components/api.html");
    let dependencies = between(web, "id=\"dependencies\"", "</section>");
    let places = [
        (between(api, "<h1", "<section"), "own-component"),
        (between(web, "<h1", "<section"), "own-component"),
        (
            between(web, "id=\"blast-radius\"", "</section>"),
            "own-component",
        ),
        (dependencies, "own-place"),
        (between(web, "<h1", "<section"), "own-status"),
        (between(api, "class=\"secret\"", "</a>"), "own-icon"),
    ];
    for (part, own) in places {
        assert!(part.contains(own), "no `{own}` in {part}");
    }
    for (path, page) in pages(&site) {
        for replaced in ["comp ", "place\"", "status ", "icon\""] {
            let replaced = format!("class=\"{replaced}");
            assert!(!page.contains(&replaced), "`{replaced}` in {path}");
        }
    }
}
