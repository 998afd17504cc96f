//! The version matrix on the home page, and the pages of environments.

use super::{build, check_links, text};
use crate::cli::{repo, unit};

const ENVIRONMENTS: [&str; 6] = ["dev", "aat-00", "aat-01", "prod", "perf", "sbox"];

/// One component in each environment of the version that is given, and `web` in the same version everywhere.
fn versions(given: &[&str]) -> tempfile::TempDir {
    let mut files = Vec::new();
    for (environment, version) in ENVIRONMENTS.iter().zip(given) {
        let root = format!("clusters/{environment}");
        let root_unit = unit("flux-system", &format!("./{root}"), "");
        files.push((format!("{root}/flux-system/gotk-sync.yaml"), root_unit));
        for (name, version) in [("shop", *version), ("web", "9.9.9")] {
            if version == "none" {
                continue;
            }
            let path = format!("apps/{environment}/{name}");
            let applied = unit(name, &format!("./{path}"), "");
            files.push((format!("{root}/{name}.yaml"), applied));
            files.push((
                format!("{path}/deployment.yaml"),
                format!(
                    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}, namespace: {name}}}\nspec: {{template: {{spec: {{containers: [{{name: {name}, image: 'example.org/{name}:{version}'}}]}}}}}}\n"
                ),
            ));
        }
    }
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    repo(&files)
}

/// The text of an element without its tags.
fn bare(markup: &str) -> String {
    let parts = markup
        .split('<')
        .map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    parts.collect::<String>().trim().to_owned()
}

/// The cells of the row of a component, with the columns that each covers.
fn row(page: &str, name: &str) -> Vec<(String, usize)> {
    let page = page.split("id=\"components\"").nth(1).unwrap();
    let start = page.find(&format!("components/{name}.html\">")).unwrap();
    let start = page[start..].find("<td").map(|at| start + at).unwrap();
    let row = page[start..].split("</tr>").next().unwrap();
    let cells = row.split("<td").skip(1);
    cells
        .map(|cell| {
            let span = cell
                .split_once("colspan=\"")
                .and_then(|(_, rest)| rest.split('"').next());
            let span = span.map_or(1, |span| span.parse().unwrap());
            (bare(&format!("<{cell}")), span)
        })
        .collect()
}

fn heads(page: &str) -> Vec<String> {
    let table = page.split("id=\"components\"").nth(1).unwrap();
    let head = table.split("</thead>").next().unwrap();
    head.split("<th ")
        .skip(1)
        .map(|cell| bare(&format!("<{cell}")))
        .collect()
}

#[test]
fn environments_have_columns_production_first_and_equal_ones_share_one() {
    let site = build(versions(&["2", "3", "3", "1", "none", "2"]).path());
    let index = text(&site, "index.html");
    assert_eq!(
        heads(index)[..6],
        [
            "Component",
            "prod",
            "aat ×2",
            "dev, sbox",
            "perf",
            "Namespace"
        ]
    );
    let shop: Vec<String> = row(index, "shop")
        .into_iter()
        .map(|(text, _)| text)
        .collect();
    assert_eq!(shop[..4], ["1", "3", "2", ""]);
    assert!(index.contains("Versions differ (1)"));
    // The version that most have is not marked.
    assert_eq!(index.matches("<td class=\"differs\">").count(), 2);
    check_links(&site);
}

#[test]
fn with_many_columns_equal_cells_side_by_side_are_one() {
    let site = build(versions(&["2", "3", "4", "1", "5", "6"]).path());
    let web = row(text(&site, "index.html"), "web");
    assert_eq!(web[0], ("9.9.9".to_owned(), 6));
    let shop = row(text(&site, "index.html"), "shop");
    assert!(shop[..6].iter().all(|(_, span)| *span == 1), "{shop:?}");
}

#[test]
fn a_row_says_which_options_of_each_filter_it_has() {
    let site = build(versions(&["2", "2", "2", "1", "none", "2"]).path());
    let index = text(&site, "index.html");
    let filters: Vec<&str> = index
        .split("<select name=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    assert_eq!(
        filters,
        ["environment", "namespace"],
        "others have one value"
    );
    // Options are in the order of the alphabet: aat-00, aat-01, dev, perf, prod, sbox.
    assert!(
        index.contains("data-f=\"0,1,2,4,5 0\""),
        "shop is not in perf"
    );
    assert!(
        index.contains("data-f=\"0,1,2,3,4,5 1\""),
        "web is everywhere"
    );
}

#[test]
fn an_environment_has_one_page_for_all_that_runs_there() {
    let site = build(versions(&["2", "3", "3", "1", "none", "2"]).path());
    let prod = text(&site, "environments/prod.html");
    assert!(prod.contains("shop.html") && prod.contains("web.html"));
    assert!(prod.contains("prod-settings.html"));
    let settings = text(&site, "environments/prod-settings.html");
    assert!(settings.contains("shop.html#configuration"));
    assert!(
        !settings.contains("web.html#configuration"),
        "web is the same everywhere"
    );
    let perf = text(&site, "environments/perf.html");
    let content = perf.split("<main").nth(1).unwrap();
    assert!(content.contains("web.html") && !content.contains("shop.html"));
}

#[test]
fn settings_that_several_components_have_from_one_line_are_listed_once() {
    let mut files = Vec::new();
    for environment in ["dev", "prod"] {
        let root = format!("clusters/{environment}");
        let root_unit = unit("flux-system", &format!("./{root}"), "");
        files.push((format!("{root}/flux-system/gotk-sync.yaml"), root_unit));
        let apps = unit("apps", &format!("./apps/{environment}"), "");
        files.push((format!("{root}/apps.yaml"), apps));
        let overlay = format!(
            "resources: [../base]\npatches:\n  - target: {{kind: HelmRelease}}\n    patch: |\n      - op: add\n        path: /spec/values/region\n        value: {environment}-region\n  - target: {{kind: HelmRelease, name: c1}}\n    patch: |\n      - op: add\n        path: /spec/values/size\n        value: {environment}-size\n"
        );
        files.push((format!("apps/{environment}/kustomization.yaml"), overlay));
    }
    let releases: String = (0..5)
        .map(|n| format!("---\napiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: c{n}, namespace: c{n}}}\nspec:\n  chart: {{spec: {{chart: c{n}, sourceRef: {{kind: HelmRepository, name: charts}}}}}}\n  values:\n    own: value\n"))
        .collect();
    files.push((
        "apps/base/kustomization.yaml".to_owned(),
        "resources: [releases.yaml]\n".to_owned(),
    ));
    files.push(("apps/base/releases.yaml".to_owned(), releases));
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let site = build(repo(&files).path());
    let settings = text(&site, "environments/prod-settings.html");
    assert_eq!(settings.matches(">region<").count(), 1);
    assert!(settings.contains("Several components"));
    assert!(settings.contains("<small>5 components</small>"));
    assert!(settings.contains("prod-region") && settings.contains("dev-region"));
    // What one component has for itself stays with it.
    assert!(settings.contains("c1.html#configuration") && settings.contains("prod-size"));
    assert!(!settings.contains("c2.html#configuration"));
    check_links(&site);
}

#[test]
fn five_hundred_components_are_on_one_home_page() {
    let units: String = (0..500)
        .map(|n| format!("---\n{}", unit(&format!("c{n}"), "./apps/web", "")))
        .collect();
    let site = build(super::written("# Web\n", &[("clusters/dev/all.yaml", &units)]).path());
    let index = text(&site, "index.html");
    assert_eq!(index.matches("<tr data-f=").count(), 501);
    assert_eq!(
        text(&site, "environments/dev.html")
            .matches("<tr><th scope=\"row\">")
            .count(),
        501
    );
}
