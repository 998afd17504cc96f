//! Charts in charts at the doors: what they make belongs to the chart around them, and following them has an end.

use std::fmt::Write;

use serde_json::Value;

use crate::argocd::{application, catalogue};
use crate::entry::{roots_in, rules, units};

fn chart(name: &str, dependencies: &str) -> String {
    format!("apiVersion: v2\nname: {name}\nversion: 1.0.0\ndependencies: [{dependencies}]\n")
}

fn by_path(name: &str, path: &str) -> String {
    format!("{{name: {name}, version: 1.0.0, repository: 'file://{path}'}}")
}

/// Each name is that of the chart, and of an Application that it makes.
fn charts(made: &[(&str, &str)], more: &[(&str, &str)]) -> Value {
    let mut files: Vec<(String, String)> = Vec::new();
    for (directory, dependencies) in made {
        let name = directory.rsplit('/').next().unwrap();
        let app = application(&format!("{name}-{{{{ .Release.Name }}}}"), "apps/web");
        files.push((format!("{directory}/Chart.yaml"), chart(name, dependencies)));
        files.push((format!("{directory}/templates/app.yaml"), app));
    }
    let files = files.iter();
    let files = files.map(|(path, text)| (path.as_str(), text.as_str()));
    catalogue(&files.chain(more.iter().copied()).collect::<Vec<_>>())
}

fn sorted(document: &Value) -> Vec<String> {
    let mut units = units(document);
    units.sort();
    units
}

#[test]
fn charts_that_name_each_other_by_their_paths_end() {
    let root = application("root", "charts/a");
    let document = charts(
        &[
            ("charts/a", &by_path("b", "../b")),
            ("charts/b", &by_path("a", "../a")),
            ("charts/c", &by_path("c", ".")),
        ],
        &[("argocd/root.yaml", &root)],
    );
    assert_eq!(sorted(&document), ["a-root", "b-root", "c-c", "root"]);
}

#[test]
fn paths_out_of_the_repository_lead_to_nothing() {
    let root = application("root", "charts/a");
    for path in ["../../../etc", "/etc", "../..", "../nowhere", ""] {
        let document = charts(
            &[("charts/a", &by_path("b", path))],
            &[("argocd/root.yaml", &root)],
        );
        assert_eq!(sorted(&document), ["a-root", "root"], "{path}");
        assert!(rules(&document).is_empty(), "{path}");
    }
}

#[test]
fn what_a_part_names_by_a_path_comes_only_where_it_was_packed() {
    let root = application("root", "charts/a");
    let made = [
        ("charts/a", by_path("b", "../b")),
        ("charts/b", by_path("c", "../c")),
        ("charts/c", String::new()),
    ];
    let made = made.each_ref().map(|(path, parts)| (*path, parts.as_str()));
    let read = |more: &[(&str, &str)]| {
        let root = [("argocd/root.yaml", root.as_str())];
        sorted(&charts(&made, &[&root, more].concat()))
    };
    assert_eq!(read(&[]), ["a-root", "b-root", "root"]);
    let app = application("{{ .Chart.Name }}-{{ .Release.Name }}", "apps/web");
    let packed = [
        (
            "charts/b/charts/c/Chart.yaml",
            "apiVersion: v2\nname: c\nversion: 1.0.0\n",
        ),
        ("charts/b/charts/c/templates/app.yaml", app.as_str()),
    ];
    // Nothing installs the other one then.
    assert_eq!(read(&packed), ["a-root", "b-root", "c-c", "c-root", "root"]);
}

#[test]
fn a_chart_may_be_listed_a_thousand_times() {
    let root = application("root", "charts/a");
    let mut parts = String::new();
    for nth in 0..1000 {
        let part = "name: b, version: 1.0.0, repository: 'file://../b'";
        write!(parts, "{{{part}, alias: b{nth}}},").unwrap();
    }
    let app = application("{{ .Chart.Name }}", "apps/web");
    let document = charts(
        &[("charts/a", &parts)],
        &[
            ("argocd/root.yaml", &root),
            ("charts/b/Chart.yaml", &chart("b", "")),
            ("charts/b/templates/app.yaml", &app),
        ],
    );
    assert_eq!(units(&document).len(), 1002);
    assert!(rules(&document).is_empty());
}

#[test]
fn charts_deep_in_charts_are_cut_with_one_finding() {
    let mut made = vec![("charts/a".to_owned(), "")];
    for _ in 0..20 {
        let (last, _) = made.last().unwrap();
        made.push((format!("{last}/charts/a"), ""));
    }
    let made: Vec<(&str, &str)> = made.iter().map(|(path, _)| (path.as_str(), "")).collect();
    let document = charts(
        &made,
        &[("argocd/root.yaml", &application("root", "charts/a"))],
    );
    assert_eq!(roots_in(&document), ["argocd"]);
    assert_eq!(rules(&document), ["template-unfollowed"]);
}

#[test]
fn a_chart_in_one_that_is_installed_by_hand_is_no_cluster() {
    let document = charts(
        &[
            ("bootstrap", &by_path("c", "../shared/c")),
            ("bootstrap/charts/b", ""),
            ("shared/c", ""),
        ],
        &[],
    );
    assert_eq!(roots_in(&document), ["bootstrap"]);
    let made = ["b-bootstrap", "bootstrap-bootstrap", "c-bootstrap"];
    assert_eq!(sorted(&document), made);
}

#[test]
fn charts_that_are_installed_by_hand_may_share_one() {
    let shared = by_path("shared", "../../shared");
    let document = charts(
        &[
            ("clusters/one", &shared),
            ("clusters/two", &shared),
            ("shared", ""),
        ],
        &[],
    );
    assert_eq!(roots_in(&document), ["clusters/one", "clusters/two"]);
}

#[test]
fn a_helper_that_no_chart_here_has_is_one_finding() {
    let root = application("root", "charts/a");
    let template =
        "{{- range .Values.apps }}\n---\n{{ include \"lib.application\" . }}\n{{- end }}\n";
    let read = |dependencies: &str| {
        catalogue(&[
            ("argocd/root.yaml", &root),
            ("argocd/again.yaml", &application("again", "charts/a")),
            ("charts/a/Chart.yaml", &chart("a", dependencies)),
            ("charts/a/templates/apps.yaml", template),
        ])
    };
    let far = "{name: lib, version: 1.0.0, repository: 'https://charts.example.com'}";
    let document = read(far);
    assert_eq!(rules(&document), ["template-unfollowed"]);
    assert_eq!(
        document["findings"][0]["message"],
        "the objects from this template are missing from the catalogue: it includes `lib.application`, \
         which no chart in this repository defines"
    );
    assert!(rules(&read("")).is_empty());
}
