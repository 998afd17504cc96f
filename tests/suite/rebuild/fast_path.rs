//! Pages as they are shown before all has been read again.

use super::desk::{Desk, START};

#[test]
fn a_fast_update_shows_what_a_full_read_shows() {
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
        let update = desk.update(page, &[path]);
        let update = update.unwrap_or_else(|| panic!("{path} takes no fast path"));
        assert!(update.contains(shown), "{path}: {shown}");
        desk.rebuild(&[path]);
        assert_same(&update, &desk.settled(page), path);
    }
}

#[test]
fn a_fast_update_has_values_that_a_release_takes_from_a_config_map() {
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
        let update = desk.update(page, &[path]);
        let update = update.unwrap_or_else(|| panic!("{path} takes no fast path"));
        assert!(update.contains(shown) && update.contains("mood"), "{path}");
        desk.rebuild(&[path]);
        assert_same(&update, &desk.settled(page), path);
    }
}

#[test]
fn a_fast_update_keeps_edges() {
    let mut desk = Desk::new();
    let (path, page) = ("apps/web/deployment.yaml", "components/web.html");
    let web = START[4].1;
    let more = web.replace("          image", "          args: [fast]\n          image");
    desk.put(path, &more);
    let update = desk.update(page, &[path]).unwrap();
    // The store is named in line 13, and below a new line once all has been read.
    assert!(update.contains("deployment.yaml:13</span></td>"));
    desk.rebuild(&[path]);
    let moved = update.replace(
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
fn fast_updates_build_on_each_other() {
    let mut desk = Desk::new();
    let (facts, web) = (START[1].1, START[4].1);
    let page = "components/web.html";
    let (manifest, variables) = ("apps/web/deployment.yaml", "clusters/dev/facts.yaml");
    desk.put(manifest, &web.replace("web:1", "web:2"));
    assert!(desk.update(page, &[manifest]).unwrap().contains("web:2"));
    desk.put(variables, &facts.replace("web.example", "shop.example"));
    let update = desk.update(page, &[manifest, variables]).unwrap();
    assert!(update.contains("web:2") && update.contains("shop.example.com"));
    // What is taken back is as it was.
    desk.put(manifest, web);
    let update = desk.update(page, &[manifest, variables]).unwrap();
    assert!(update.contains("web:1"));
    desk.rebuild(&[manifest, variables]);
    assert_same(&update, &desk.settled(page), manifest);
}

#[test]
fn an_edit_that_reaches_further_takes_no_fast_path() {
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
        assert_eq!(desk.update(page, &[path]), None, "{path}: {text}");
    }
}
