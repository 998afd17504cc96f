//! Where clusters begin, in layouts as people have them: nothing is configured in any of these.

use serde_json::Value;

use crate::cli::{export, repo};

pub type Files<'a> = [(&'a str, &'a str)];

/// The document of a repo of these files.
pub fn read(files: &Files<'_>) -> Value {
    export(repo(files).path())
}

fn roots(files: &Files<'_>) -> Vec<String> {
    roots_in(&read(files))
}

pub fn roots_in(document: &Value) -> Vec<String> {
    let clusters = document["clusters"].as_array().unwrap();
    let roots = clusters.iter().map(|cluster| &cluster["root"]);
    roots
        .map(|root| root.as_str().unwrap().to_owned())
        .collect()
}

/// The names of all units, cluster by cluster.
pub fn units(document: &Value) -> Vec<String> {
    let clusters = document["clusters"].as_array().unwrap().iter();
    let programs = document["programs"].as_array().unwrap().iter();
    let units = clusters
        .chain(programs)
        .flat_map(|cluster| cluster["units"].as_array().unwrap());
    units
        .map(|unit| unit["name"].as_str().unwrap().to_owned())
        .collect()
}

/// What readers and composition said.
pub fn rules(document: &Value) -> Vec<&str> {
    let findings = document["findings"].as_array().unwrap().iter();
    findings
        .map(|finding| finding["rule"].as_str().unwrap())
        .filter(|rule| !crate::check::is_of_check(rule))
        .collect()
}

/// A Kustomization of the source `fleet`; `more` continues its spec.
pub fn unit(name: &str, path: &str, more: &str) -> String {
    unit_of("GitRepository", "fleet", name, path, more)
}

fn unit_of(kind: &str, source: &str, name: &str, path: &str, more: &str) -> String {
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n\
         metadata: {{name: {name}, namespace: flux-system}}\n\
         spec:\n  path: {path}\n  sourceRef: {{kind: {kind}, name: {source}}}\n{more}---\n"
    )
}

pub fn git(name: &str, url: &str, branch: &str) -> String {
    format!(
        "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\n\
         metadata: {{name: {name}, namespace: flux-system}}\n\
         spec: {{url: \"{url}\", ref: {{branch: {branch}}}}}\n---\n"
    )
}

pub fn release(name: &str) -> String {
    format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n\
         metadata: {{name: {name}, namespace: {name}}}\n\
         spec: {{chart: {{spec: {{chart: {name}, sourceRef: {{kind: HelmRepository, name: x}}}}}}}}\n---\n"
    )
}

#[test]
fn a_directory_that_applies_itself_is_a_cluster_whatever_its_files_are_called() {
    let sync = unit("sync", "./clusters/${ENV}/${NUMBER}", "");
    let patch = |number: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n\
             metadata: {{name: sync, namespace: flux-system}}\n\
             spec:\n  path: ./clusters/test/{number}\n\
             \x20 postBuild: {{substitute: {{ENV: test, NUMBER: \"{number}\"}}}}\n"
        )
    };
    let team = unit("shop", "./apps/shop/${ENV}/${NUMBER}", "");
    let document = read(&[
        ("apps/sync/base/sync.yaml", &sync),
        ("apps/sync/00/sync.yaml", &patch("00")),
        ("apps/sync/01/sync.yaml", &patch("01")),
        ("apps/shop/sync.yaml", &team),
        (
            "clusters/test/base/kustomization.yaml",
            "resources: [../../../apps/sync/base/sync.yaml, ../../../apps/shop/sync.yaml]\n",
        ),
        (
            "clusters/test/00/kustomization.yaml",
            "resources: [../base]\npatches: [{path: ../../../apps/sync/00/sync.yaml}]\n",
        ),
        (
            "clusters/test/01/kustomization.yaml",
            "resources: [../base]\npatches: [{path: ../../../apps/sync/01/sync.yaml}]\n",
        ),
        ("apps/shop/test/00/release.yaml", &release("shop")),
        ("apps/shop/test/01/release.yaml", &release("shop")),
    ]);
    assert_eq!(
        roots_in(&document),
        ["clusters/test/00", "clusters/test/01"]
    );
    assert_eq!(
        units(&document),
        ["shop", "shop", "sync", "shop", "shop", "sync"]
    );
    assert_eq!(document["clusters"][0]["name"], "test-00");
}

#[test]
fn a_bootstrap_directory_below_what_it_applies_is_not_the_cluster() {
    let document = read(&[
        ("home/flux/apps.yaml", &unit("apps", "./home/apps", "")),
        (
            "home/flux/config/kustomization.yaml",
            "resources: [sync.yaml, flux.yaml]\n",
        ),
        (
            "home/flux/config/sync.yaml",
            &(git("fleet", "https://git.example.com/fleet", "main")
                + &unit("sync", "./home/flux", "")),
        ),
        (
            "home/flux/config/flux.yaml",
            &unit_of("OCIRepository", "manifests", "flux", "./", ""),
        ),
        ("home/apps/shop.yaml", &release("shop")),
    ]);
    assert_eq!(roots_in(&document), ["home/flux"]);
    assert_eq!(units(&document), ["shop", "apps", "flux", "sync"]);
    assert_eq!(rules(&document), ["source-elsewhere"]);
}

#[test]
fn an_application_that_applies_its_own_unit_is_part_of_its_cluster() {
    let found = roots(&[
        ("fleet/apps.yaml", &unit("apps", "./apps", "")),
        ("apps/kustomization.yaml", "resources: [shop/unit.yaml]\n"),
        ("apps/shop/unit.yaml", &unit("shop", "./apps/shop", "")),
        ("apps/shop/release.yaml", &release("shop")),
    ]);
    assert_eq!(found, ["fleet"]);
}

#[test]
fn a_cluster_may_be_called_test_beside_others_and_archive_never() {
    let apps = unit("apps", "./apps", "");
    let found = roots(&[
        ("clusters/main/apps.yaml", &apps),
        ("clusters/test/apps.yaml", &apps),
        ("clusters/archive/apps.yaml", &apps),
        ("tests/apps.yaml", &apps),
        ("apps/shop.yaml", &release("shop")),
    ]);
    assert_eq!(found, ["clusters/main", "clusters/test"]);
}

#[test]
fn clusters_of_one_fleet_are_found_though_they_share_all_they_apply() {
    let apps = unit("apps", "./apps", "");
    let sync = unit("sync", "./stages/dev/eu", "");
    let found = roots(&[
        ("stages/dev/eu/sync.yaml", &sync),
        ("stages/dev/eu/apps.yaml", &apps),
        ("stages/prod/eu/apps.yaml", &apps),
        ("apps/shop.yaml", &release("shop")),
    ]);
    assert_eq!(found, ["stages/dev/eu", "stages/prod/eu"]);
}

#[test]
fn the_parts_of_a_cluster_are_one_cluster_and_regions_are_not() {
    let shop = release("shop");
    let parts = roots(&[
        ("clusters/a/infra/infra.yaml", &unit("infra", "./infra", "")),
        ("clusters/a/apps/apps.yaml", &unit("apps", "./apps", "")),
        ("infra/dns.yaml", &release("dns")),
        ("apps/shop.yaml", &shop),
    ]);
    assert_eq!(parts, ["clusters/a"]);
    let regions = roots(&[
        ("clusters/eu/dev/apps.yaml", &unit("apps", "./apps", "")),
        ("clusters/eu/prod/apps.yaml", &unit("apps", "./apps", "")),
        ("apps/shop.yaml", &shop),
    ]);
    assert_eq!(regions, ["clusters/eu/dev", "clusters/eu/prod"]);
}

#[test]
fn the_values_of_the_chart_that_installs_flux_say_where_a_cluster_begins() {
    let values = "instance:\n  sync: {kind: GitRepository, url: https://git.example.com/fleet, path: entry/one}\n";
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: flux-instance}\n\
                   spec:\n  values:\n    instance: {sync: {path: entry/two}}\n";
    let found = roots(&[
        ("apps/flux/values.yaml", values),
        ("apps/flux/release.yaml", release),
        ("entry/one/apps.yaml", &unit("apps", "./apps", "")),
        ("entry/two/apps.yaml", &unit("apps", "./apps", "")),
        ("other/apps.yaml", &unit("apps", "./apps", "")),
    ]);
    assert_eq!(found, ["entry/one", "entry/two"]);
}

#[test]
fn paths_in_an_artifact_may_begin_below_the_root_of_the_repo() {
    let instance = "apiVersion: fluxcd.controlplane.io/v1\nkind: FluxInstance\nmetadata: {name: flux}\n\
                    spec: {sync: {kind: OCIRepository, url: \"oci://r.example.com/x\", path: clusters/a}}\n";
    let document = read(&[
        ("kube/clusters/a/instance.yaml", instance),
        (
            "kube/clusters/a/apps.yaml",
            &unit_of("OCIRepository", "fleet", "apps", "./apps", ""),
        ),
        ("kube/apps/shop.yaml", &release("shop")),
    ]);
    assert_eq!(roots_in(&document), ["kube/clusters/a"]);
    assert_eq!(units(&document), ["shop", "apps"]);
    assert!(rules(&document).is_empty());
}

#[test]
fn the_root_of_another_source_is_not_the_root_of_this_repo() {
    let oci = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\n\
               metadata: {name: policies, namespace: flux-system}\n\
               spec: {url: \"oci://r.example.com/policies\"}\n---\n";
    let document = read(&[
        ("clusters/a/apps.yaml", &unit("apps", "./apps", "")),
        (
            "clusters/a/policies.yaml",
            &(oci.to_owned() + &unit_of("OCIRepository", "policies", "policies", "./", "")),
        ),
        ("apps/shop.yaml", &release("shop")),
    ]);
    assert_eq!(roots_in(&document), ["clusters/a"]);
    assert_eq!(units(&document), ["shop", "apps", "policies"]);
    assert_eq!(rules(&document), ["source-elsewhere"]);
}

#[test]
fn another_branch_of_this_repo_is_elsewhere() {
    let url = "https://git.example.com/fleet";
    let sync = git("fleet", url, "main") + &unit("sync", "./clusters/a", "");
    let tenant =
        git("tenant", url, "tenant") + &unit_of("GitRepository", "tenant", "tenant", "./shop", "");
    let document = read(&[
        ("clusters/a/flux-system/gotk-sync.yaml", &sync),
        ("clusters/a/tenant.yaml", &tenant),
    ]);
    assert_eq!(rules(&document), ["source-elsewhere"]);
    let message = document["findings"][0]["message"].as_str().unwrap();
    assert!(message.contains("`tenant` of"), "{message}");
}

#[test]
fn a_clone_from_another_address_reads_as_the_original() {
    let files = [
        (
            "clusters/a/apps.yaml",
            git("fleet", "https://git.example.com/team/fleet", "main")
                + &git("other", "https://git.example.com/team/other", "main")
                + &unit("apps", "./apps", "")
                + &unit("infra", "./infra", "")
                + &unit_of("GitRepository", "other", "other", "./apps", ""),
        ),
        ("apps/shop.yaml", release("shop")),
        ("infra/dns.yaml", release("dns")),
        (
            "catalog.toml",
            "repository = \"https://elsewhere.example.com/fork/fleet\"\n".to_owned(),
        ),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (*a, b.as_str())).collect();
    let document = read(&files);
    assert_eq!(units(&document), ["dns", "shop", "apps", "infra", "other"]);
    assert_eq!(rules(&document), ["source-elsewhere"]);
}

#[test]
fn a_path_of_a_source_that_nothing_declares_is_not_said_to_be_missing_here() {
    let sync = git("fleet", "https://git.example.com/fleet", "main");
    let sync = sync + &unit("sync", "./clusters/a", "");
    let lost = unit_of("GitRepository", "flet", "shop", "./shop", "");
    let document = read(&[
        ("clusters/a/flux-system/gotk-sync.yaml", &sync),
        ("clusters/a/shop.yaml", &lost),
        ("clusters/a/gone.yaml", &unit("gone", "./gone", "")),
    ]);
    let mut rules = rules(&document);
    rules.sort_unstable();
    assert_eq!(rules, ["path-missing", "source-elsewhere"]);
    let findings = document["findings"].as_array().unwrap();
    let missing = findings.iter().find(|one| one["rule"] == "path-missing");
    let message = missing.unwrap()["message"].as_str().unwrap();
    assert!(message.contains("flux-system/gone"), "{message}");
}

#[test]
fn a_path_of_the_source_that_bootstrapping_made_is_said_to_be_missing() {
    let document = read(&[
        ("clusters/a/apps.yaml", &unit("apps", "./apps", "")),
        ("clusters/a/gone.yaml", &unit("gone", "./gone", "")),
        (
            "clusters/a/other.yaml",
            &git("other", "https://git.example.com/other", "main"),
        ),
        ("apps/shop.yaml", &release("shop")),
    ]);
    assert_eq!(rules(&document), ["path-missing"]);
}

#[test]
fn a_path_that_is_all_of_a_map_is_said_to_come_from_a_template() {
    let unit = unit("apps", "\"map[path:apps/shop]\"", "");
    let document = read(&[
        ("clusters/a/apps.yaml", &unit),
        (
            "catalog.toml",
            "[[cluster]]\nname = \"a\"\nroot = \"clusters/a\"\n",
        ),
    ]);
    assert_eq!(rules(&document), ["path-missing"]);
    let help = document["findings"][0]["help"].as_str().unwrap();
    assert!(help.contains("the template rendered a whole map"), "{help}");
}

#[test]
fn where_units_are_declared_outside_the_topmost_directories_are_taken() {
    let found = roots(&[
        ("apps/base/release.yaml", &release("shop")),
        (
            "apps/base/kustomization.yaml",
            "resources: [release.yaml]\n",
        ),
        (
            "apps/dev/kustomization.yaml",
            "resources: [../base]\npatches: [{path: values.yaml}]\n",
        ),
        ("apps/dev/values.yaml", &release("shop")),
        ("apps/prod/kustomization.yaml", "resources: [../base]\n"),
    ]);
    assert_eq!(found, ["apps/dev", "apps/prod"]);
}

#[test]
fn what_a_remote_base_may_bring_is_not_said_to_be_missing() {
    let kustomization = |base: &str| {
        format!(
            "resources:\n  - {base}\npatches:\n  - path: patch.yaml\nreplicas:\n  - {{name: web, count: 2}}\n\
             configMapGenerator:\n  - {{name: settings, behavior: merge, literals: [a=b]}}\n"
        )
    };
    let patch =
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {paused: true}\n";
    let sync = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: app, namespace: flux-system}\n\
                spec:\n  path: ./app\n  sourceRef: {kind: GitRepository, name: flux-system}\n";
    let found = |base: &str| {
        let document = read(&[
            ("clusters/dev/app.yaml", sync),
            ("app/kustomization.yaml", &kustomization(base)),
            ("app/patch.yaml", patch),
            (
                "app/namespace.yaml",
                "apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n",
            ),
        ]);
        rules(&document)
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let remote = found("https://github.com/example/web//deploy?ref=v1");
    assert_eq!(remote, ["remote-base"]);
    let local = found("namespace.yaml");
    for rule in [
        "generator-without-object",
        "patch-without-object",
        "replicas-without-object",
    ] {
        assert!(local.iter().any(|found| found == rule), "{rule}: {local:?}");
    }
}

#[test]
fn prose_beside_manifests_is_not_read_as_manifests() {
    let sync = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: flux-system}\n\
                spec:\n  path: ./apps\n  sourceRef: {kind: GitRepository, name: flux-system}\n";
    let document = read(&[
        ("clusters/dev/apps.yaml", sync),
        (
            "apps/README.md",
            "# Apps\n\nThis: is not [ YAML.\n- at\n all: {\n",
        ),
        (
            "apps/web.yaml",
            "apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n",
        ),
    ]);
    assert!(
        !rules(&document).contains(&"yaml-syntax"),
        "{:?}",
        rules(&document)
    );
}

#[test]
fn a_unit_that_fetches_from_elsewhere_does_not_hide_other_clusters() {
    let elsewhere = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\n\
         metadata: {name: ui, namespace: flux-system}\n\
         spec: {url: 'oci://ghcr.io/example/ui', ref: {tag: 1.0.0}}\n---\n"
        .to_owned()
        + &unit_of("OCIRepository", "ui", "ui", "./", "");
    let fleet = [
        ("base/kustomization.yaml", "resources: [r.yaml]\n"),
        ("base/r.yaml", &release("web")),
        (
            "clusters/a/kustomization.yaml",
            "resources: [../../base, ui.yaml]\n",
        ),
        ("clusters/a/ui.yaml", &elsewhere),
        ("clusters/b/kustomization.yaml", "resources: [../../base]\n"),
        // No cluster includes it.
        ("spare/r.yaml", &release("spare")),
    ];
    let document = read(&fleet);
    assert_eq!(roots_in(&document), ["clusters/a", "clusters/b"]);
    assert_eq!(units(&document), ["web", "ui", "web"]);
}

#[test]
fn many_clusters_of_releases_alone_are_one_each() {
    let base = release("web");
    let names: Vec<String> = (1..=16)
        .map(|at| format!("clusters/c{at:02}/kustomization.yaml"))
        .collect();
    let mut files = vec![
        ("base/kustomization.yaml", "resources: [r.yaml]\n"),
        ("base/r.yaml", base.as_str()),
    ];
    let each = names.iter().map(|name| name.as_str());
    files.extend(each.map(|name| (name, "resources: [../../base]\n")));
    assert_eq!(roots(&files).len(), 16);
}
