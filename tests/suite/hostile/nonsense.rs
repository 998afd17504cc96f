//! Manifests and pages of pieces put together at random.

use crate::cli::repo;

/// Pieces that manifests are made of, and some that they should not be.
const PIECES: &[&str] = &[
    "a: 1\n",
    "- b\n",
    "  ",
    "\n",
    "---\n",
    "&x ",
    "*x",
    "<<: *x\n",
    "[",
    "]",
    "{",
    "}",
    "'",
    "\"",
    "|\n",
    ">-\n",
    "!t ",
    "? ",
    ": ",
    "#c\n",
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n",
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n",
    "resources:\n",
    "- app.yaml\n",
    "- ../app\n",
    "patches:\n",
    "- path: app.yaml\n",
    "- patch: |\n    - op: add\n      path: /a/0/-\n      value: 1\n  target: {kind: .*}\n",
    "namePrefix: p-\n",
    "namespace: n\n",
    "components: [.]\n",
    "configMapGenerator:\n- name: g\n  literals: [a=b]\n  behavior: merge\n",
    "replacements:\n- source: {kind: ConfigMap, fieldPath: data.[a=b].*}\n  targets: [{select: {kind: x}, fieldPaths: [a.b]}]\n",
    "images: [{name: '(', newTag: x}]\n",
    "labels: [{pairs: {a: b}, includeSelectors: true}]\n",
    "commonLabels: {a: b}\n",
    "${x:=${y}}",
    "$$",
    "\t",
    "\u{feff}",
    "é",
    "\r\n",
    "%YAML 1.2\n",
    "kind: List\nitems:\n",
    "spec: {postBuild: {substitute: {x: y}}, path: ./app}\n",
    "kind: Kustomization\napiVersion: kustomize.toolkit.fluxcd.io/v1\n",
    "replicas: [{name: a, count: x}]\n",
    "vars: [{name: V, objref: {kind: ConfigMap, name: a}}]\n",
    "$patch: delete\n",
    "secretGenerator: [{name: s, literals: [p=q]}]\n",
];

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 200, ..Default::default() })]

    #[test]
    fn no_repo_of_nonsense_makes_it_panic(
        kustomization in proptest::collection::vec(0..PIECES.len(), 0..24),
        app in proptest::collection::vec(0..PIECES.len(), 0..24),
    ) {
        let text = |pieces: &[usize]| pieces.iter().map(|piece| PIECES[*piece]).collect::<String>();
        let directory = repo(&[
            ("clusters/dev/flux-system/gotk-sync.yaml", "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: flux-system, namespace: flux-system}\nspec: {path: ./app, postBuild: {substitute: {x: y}}}\n"),
            ("app/kustomization.yaml", &text(&kustomization)),
            ("app/app.yaml", &text(&app)),
        ]);
        let request = catalog::pipeline::Request {
            repo: Some(directory.path().to_path_buf()),
            config: None,
            ..catalog::pipeline::Request::default()
        };
        catalog::pipeline::read(&request).unwrap();
    }
}

/// Pieces that make trouble when put together in Markdown.
const WORDS: &[&str] = &[
    "# a\n",
    "## Operations\n",
    "### b\n",
    "**Symptoms:** ",
    "text ",
    "\n",
    "\n\n",
    "```mermaid\n",
    "flowchart TD\n",
    "A-->B\n",
    "```\n",
    "[x](",
    "../app/README.md#b)",
    "app.yaml)",
    "<b>",
    "</b>",
    "<script>",
    "| a | b |\n|--|--|\n",
    "---\n",
    "component: app\n",
    "[^1]",
    "[^1]: ",
    "- [ ] ",
    "> [!NOTE]\n> ",
    "![](",
    "x.svg)",
    "\u{0}",
    "é",
    "&lt;",
    "<!--",
    "```yaml\na:",
    "```console\n$ ",
    "```ini\n[a]",
    "\u{a0}",
    "\u{2003}",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "\u{b}",
    "\u{c}",
    "\r",
];

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 40, ..Default::default() })]

    #[test]
    fn no_prose_of_nonsense_breaks_a_page(
        readme in proptest::collection::vec(0..WORDS.len(), 0..40),
        page in proptest::collection::vec(0..WORDS.len(), 0..40),
    ) {
        let text = |pieces: &[usize]| pieces.iter().map(|piece| WORDS[*piece]).collect::<String>();
        let directory = repo(&[
            ("clusters/dev/flux-system/gotk-sync.yaml", "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: flux-system, namespace: flux-system}\nspec: {path: ./clusters/dev}\n"),
            ("clusters/dev/app.yaml", "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: app, namespace: flux-system}\nspec: {path: ./app}\n"),
            ("app/app.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: app, namespace: app}\n"),
            ("app/README.md", &text(&readme)),
            ("docs/page.md", &text(&page)),
        ]);
        let request = catalog::pipeline::Request {
            repo: Some(directory.path().to_path_buf()),
            config: None,
            ..catalog::pipeline::Request::default()
        };
        let reading = catalog::pipeline::read(&request).unwrap();
        let context = reading.context();
        let site = catalog::site::Site::new(&context).unwrap();
        for (route, subject) in site.pages() {
            let page = site.render(route, subject).unwrap();
            let html = String::from_utf8(page.html.into_bytes()).unwrap();
            crate::site::check_policy(route.as_str(), &html);
        }
    }
}
