//! What counts as a component, what it is called and what it needs, in layouts as people have them.

use serde_json::Value;
use tempfile::TempDir;

use crate::cli::{export, repo};
use crate::entry::{git, read, release, unit};

fn ids(document: &Value) -> Vec<&str> {
    let components = document["components"].as_array().unwrap().iter();
    components
        .map(|component| component["id"].as_str().unwrap())
        .collect()
}

fn component<'d>(document: &'d Value, id: &str) -> &'d Value {
    let mut components = document["components"].as_array().unwrap().iter();
    components
        .find(|component| component["id"] == id)
        .unwrap_or_else(|| panic!("no {id} in {:?}", ids(document)))
}

/// What a component needs, and why.
fn needs(document: &Value, id: &str) -> Vec<String> {
    let upstream = component(document, id)["upstream"].as_array().unwrap();
    let each = upstream.iter().map(|edge| {
        let (id, reason) = (edge["id"].as_str(), edge["reason"].as_str());
        format!("{}: {}", id.unwrap(), reason.unwrap())
    });
    each.collect()
}

fn environments(document: &Value, id: &str) -> usize {
    let environments = &component(document, id)["environments"];
    environments.as_array().unwrap().len()
}

fn deployment(name: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}, namespace: {name}}}\n\
         spec: {{template: {{spec: {{containers: [{{name: c, image: \"{name}:1\"}}]}}}}}}\n---\n"
    )
}

#[test]
fn a_unit_that_says_nothing_is_called_by_its_release() {
    let document = read(&[
        (
            "fleet/a.yaml",
            &(unit("infra-controllers", "./infra/controllers", "")
                + &unit("1-core-dns-app", "./dns", "")
                + &unit("queue-operator", "./queue", "")),
        ),
        ("infra/controllers/r.yaml", &release("cert-manager")),
        ("dns/r.yaml", &release("dns")),
        ("queue/r.yaml", &release("queue")),
    ]);
    assert_eq!(ids(&document), ["cert-manager", "dns", "queue-operator"]);
}

#[test]
fn a_layer_does_not_lend_its_name_to_the_only_release_in_it() {
    let document = read(&[
        (
            "fleet/a.yaml",
            &(unit("deployments", "./deployments", "")
                + &unit("observability", "./observability", "")
                + &unit("login", "./login", "")
                + &unit("storage", "./storage", "")),
        ),
        ("deployments/hub/release.yaml", &release("hub--prod")),
        ("observability/loki/release.yaml", &release("loki")),
        ("login/server/release.yaml", &release("keycloak")),
        ("storage/store.yaml", &deployment("minio")),
    ]);
    assert_eq!(ids(&document), ["hub-prod", "login", "loki", "minio"]);
    assert_eq!(
        component(&document, "hub-prod")["source"],
        "deployments/hub"
    );
}

#[test]
fn a_chart_among_files_says_itself_which_version_it_is() {
    let release = |name: &str, chart: &str, source: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n\
             metadata: {{name: {name}, namespace: flux-system}}\n\
             spec: {{chart: {{spec: {{chart: {chart}, version: 9.9.9, \
             sourceRef: {{kind: GitRepository, name: {source}}}}}}}}}\n---\n"
        )
    };
    let elsewhere = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\n\
                     metadata: {name: other, namespace: flux-system}\n\
                     spec: {url: \"https://example.com/other\"}\n";
    let document = read(&[
        ("fleet/sync.yaml", &unit("flux-system", "./fleet", "")),
        ("fleet/source.yaml", &elsewhere.replace("other", "fleet")),
        (
            "fleet/releases.yaml",
            &(release("op", "./charts/op", "fleet")
                + &release("gone", "./charts/gone", "fleet")
                + &release("far", "./charts/op", "other")
                + elsewhere),
        ),
        (
            "charts/op/Chart.yaml",
            "apiVersion: v2\nname: operator\nversion: 0.3.1\n",
        ),
    ]);
    let chart = |id: &str| {
        let chart = &component(&document, id)["chart"];
        (chart["name"].as_str(), chart["version"].as_str())
    };
    assert_eq!(chart("op"), (Some("operator"), Some("0.3.1")));
    assert_eq!(chart("gone"), (Some("./charts/gone"), None));
    assert_eq!(chart("far"), (Some("./charts/op"), None));
    // A unit has the same version where the file is here, else the one that is stated.
    let units = document["clusters"][0]["units"].as_array().unwrap();
    let version = |name: &str| {
        let mut units = units.iter();
        let unit = units.find(|unit| unit["name"] == name && unit["kind"] == "HelmRelease");
        unit.unwrap()["version"].as_str()
    };
    let versions = [version("op"), version("gone"), version("far")];
    assert_eq!(versions, [Some("0.3.1"), Some("9.9.9"), Some("9.9.9")]);
}

#[test]
fn a_release_is_named_after_its_target_namespace() {
    let release = |name: &str, spec: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n\
             metadata: {{name: {name}, namespace: flux-system}}\n\
             spec: {{targetNamespace: shop, {spec} chart: {{spec: {{chart: {name}, version: 1.0.0, \
             sourceRef: {{kind: HelmRepository, name: charts}}}}}}}}\n---\n"
        )
    };
    let caller = |name: &str, host: &str| {
        deployment(name).replace(
            "image: ",
            &format!("env: [{{name: URL, value: 'http://{host}'}}], image: "),
        )
    };
    let callers = [
        ("one", "shop-db.shop.svc:5432"),
        ("two", "db.shop.svc:5432"),
        ("three", "queue.shop.svc:5672"),
        ("four", "cache.shop.svc:6379"),
    ];
    let mut files = vec![
        (
            "fleet/sync.yaml".to_owned(),
            unit("flux-system", "./fleet", ""),
        ),
        (
            "fleet/releases.yaml".to_owned(),
            release("db", "")
                + &release("queue", "releaseName: queue,")
                + &release("cache", "values: {fullnameOverride: cache},"),
        ),
    ];
    for (name, host) in callers {
        files.push((format!("fleet/{name}/app.yaml"), caller(name, host)));
    }
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let document = read(&files);
    assert_eq!(needs(&document, "one"), ["db: calls its service"]);
    assert!(needs(&document, "two").is_empty());
    assert_eq!(needs(&document, "three"), ["queue: calls its service"]);
    assert_eq!(needs(&document, "four"), ["cache: calls its service"]);
}

#[test]
fn a_unit_that_says_nothing_is_called_by_what_it_runs_not_by_its_cluster() {
    let document = read(&[
        ("clusters/blue/a.yaml", &unit("apps", "./overlays/blue", "")),
        (
            "clusters/green/a.yaml",
            &unit("apps", "./overlays/green", ""),
        ),
        ("overlays/blue/web.yaml", &deployment("web")),
        ("overlays/green/web.yaml", &deployment("web")),
    ]);
    assert_eq!(ids(&document), ["web"]);
    assert_eq!(environments(&document, "web"), 2);
}

#[test]
fn a_fleet_that_names_things_after_clusters_has_them_once() {
    let document = read(&[
        ("clusters/a/apps.yaml", &unit("apps", "./overlays/a", "")),
        ("clusters/b/apps.yaml", &unit("apps", "./overlays/b", "")),
        (
            "overlays/a/kustomization.yaml",
            "resources: [../../base]\nnamePrefix: a-\n",
        ),
        (
            "overlays/b/kustomization.yaml",
            "resources: [../../base]\nnamePrefix: b-\n",
        ),
        (
            "base/kustomization.yaml",
            "resources: [web.yaml, api.yaml]\n",
        ),
        ("base/web.yaml", &release("web")),
        ("base/api.yaml", &release("api")),
    ]);
    assert_eq!(ids(&document), ["api", "web"]);
    assert_eq!(environments(&document, "web"), 2);
}

#[test]
fn a_cluster_that_manages_others_has_one_of_each_for_each() {
    let spoke = |name: &str| {
        let kustomization = |unit: &str, more: &str| {
            format!(
                "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n\
                 metadata: {{name: {unit}, namespace: {name}}}\n\
                 spec:\n  path: ./{unit}\n  targetNamespace: {name}\n\
                 \x20 sourceRef: {{kind: GitRepository, name: fleet}}\n{more}---\n"
            )
        };
        kustomization("infra", "") + &kustomization("issuers", "  dependsOn: [{name: infra}]\n")
    };
    let issuer =
        "apiVersion: cert-manager.io/v1\nkind: Issuer\nmetadata: {name: issuer}\nspec: {}\n";
    let document = read(&[
        ("hub/east.yaml", &spoke("east")),
        ("hub/west.yaml", &spoke("west")),
        (
            "infra/releases.yaml",
            &(release("cert-manager") + &release("dns")),
        ),
        ("issuers/issuer.yaml", issuer),
    ]);
    assert_eq!(
        ids(&document),
        [
            "east-cert-manager",
            "east-dns",
            "east-issuers",
            "west-cert-manager",
            "west-dns",
            "west-issuers"
        ]
    );
    let needs = needs(&document, "west-issuers");
    assert!(
        needs.iter().all(|need| need.starts_with("west-")),
        "{needs:?}"
    );
    assert_eq!(needs.len(), 3);
}

#[test]
fn a_release_in_the_entry_point_is_a_component_of_its_own() {
    let document = read(&[
        ("fleet/sync.yaml", &unit("sync", "./fleet", "")),
        ("fleet/data/redis.yaml", &release("redis")),
        ("fleet/web/web.yaml", &deployment("web")),
    ]);
    assert_eq!(ids(&document), ["redis", "web"]);
}

#[test]
fn what_runs_beside_releases_and_serves_none_is_a_component() {
    let document = read(&[
        ("fleet/apps.yaml", &unit("apps", "./apps", "")),
        ("apps/api/release.yaml", &release("api")),
        ("apps/api/exporter.yaml", &deployment("exporter")),
        ("apps/web/release.yaml", &release("web")),
        ("apps/site/site.yaml", &deployment("site")),
    ]);
    assert_eq!(ids(&document), ["api", "site", "web"]);
    let resources = component(&document, "api")["resources"].as_array().unwrap();
    assert_eq!(resources.len(), 2, "the exporter stands with the api alone");
}

#[test]
fn what_runs_beside_one_release_and_stands_elsewhere_is_a_component_of_its_own() {
    let document = read(&[
        ("fleet/system.yaml", &unit("system", "./system", "")),
        ("system/dns/release.yaml", &release("dns")),
        ("system/dns/exporter/exporter.yaml", &deployment("exporter")),
        ("system/auth/proxy.yaml", &deployment("proxy")),
    ]);
    assert_eq!(ids(&document), ["auth", "dns"]);
    let resources = component(&document, "dns")["resources"].as_array().unwrap();
    assert_eq!(resources.len(), 2, "the exporter stands below the release");
}

#[test]
fn a_base_and_its_overlays_are_one_place() {
    let overlay = "resources: [../../base, proxy.yaml]\n";
    let document = read(&[
        ("fleet/shop.yaml", &unit("shop", "./shop/overlays/prod", "")),
        (
            "shop/base/kustomization.yaml",
            "resources: [release.yaml]\n",
        ),
        ("shop/base/release.yaml", &release("store")),
        ("shop/overlays/prod/kustomization.yaml", overlay),
        ("shop/overlays/prod/proxy.yaml", &deployment("proxy")),
    ]);
    assert_eq!(ids(&document), ["shop"]);
}

#[test]
fn a_source_that_several_releases_use_makes_none_of_them_need_another() {
    let source = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {name: x, namespace: apps}\n\
                  spec: {url: \"https://charts.example.com\"}\n---\n";
    let document = read(&[
        (
            "fleet/apps.yaml",
            &unit("apps", "./apps", "  targetNamespace: apps\n"),
        ),
        (
            "apps/all.yaml",
            &(source.to_owned() + &release("api") + &release("web")),
        ),
    ]);
    assert_eq!(ids(&document), ["api", "web"]);
    assert!(needs(&document, "api").is_empty() && needs(&document, "web").is_empty());
    let repository = &component(&document, "web")["chart"]["repository"];
    assert_eq!(repository, "https://charts.example.com");
}

#[test]
fn what_one_cluster_goes_without_is_not_off() {
    let listing = |comment: &str| {
        format!("resources:\n  - ../../units/api.yaml\n  {comment}- ../../units/web.yaml\n")
    };
    let document = read(&[
        ("clusters/a/kustomization.yaml", &listing("")),
        ("clusters/b/kustomization.yaml", &listing("# ")),
        ("units/api.yaml", &unit("api", "./api", "")),
        ("units/web.yaml", &unit("web", "./web", "")),
        ("api/release.yaml", &release("api")),
        (
            "web/releases.yaml",
            &(release("web") + &release("web-cache")),
        ),
    ]);
    assert_eq!(ids(&document), ["api", "web", "web-cache"]);
    assert_eq!(component(&document, "web")["status"], "enabled");
    assert_eq!(environments(&document, "web"), 1);
}

#[test]
fn releases_of_one_unit_do_not_wait_for_each_other() {
    let document = read(&[
        ("fleet/apps.yaml", &unit("apps", "./apps", "")),
        (
            "apps/late.yaml",
            &unit("late", "./late", "  dependsOn: [{name: apps}]\n"),
        ),
        ("apps/api.yaml", &release("api")),
        ("late/two.yaml", &(release("one") + &release("two"))),
    ]);
    assert_eq!(needs(&document, "one"), ["api: Flux dependsOn"]);
}

#[test]
fn a_config_map_of_variables_calls_nobody() {
    let variables = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: vars, namespace: flux-system}\ndata: {STORE_URL: \"http://store.store.svc.cluster.local\"}\n";
    let substitute = "  postBuild: {substituteFrom: [{kind: ConfigMap, name: vars}]}\n";
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: store, namespace: store}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: store, namespace: store}\n";
    let client = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: shop, namespace: shop}\nspec: {template: {spec: {containers: [{name: shop, image: shop, env: [{name: STORE, value: \"${STORE_URL}\"}]}]}}}\n";
    let document = read(&[
        ("fleet/vars.yaml", &unit("vars", "./vars", "")),
        ("fleet/store.yaml", &unit("store", "./store", "")),
        ("fleet/shop.yaml", &unit("shop", "./shop", substitute)),
        ("vars/vars.yaml", variables),
        ("store/store.yaml", service),
        ("shop/shop.yaml", client),
    ]);
    assert!(needs(&document, "vars").is_empty());
    assert_eq!(needs(&document, "shop"), ["store: calls its service"]);
}

/// Two clusters with the same units, of which one waits for `local` in `dev` alone.
fn two_environments() -> TempDir {
    let own = |name: &str| unit(name, &format!("./clusters/{name}"), "");
    let sync = |name: &str| git("fleet", "https://git.example.com/fleet", "main") + &own(name);
    let apps = unit("base", "./apps/base", "")
        + &unit("web", "./apps/web", "  dependsOn: [{name: base}]\n");
    let dev = "resources: [flux-system, ../../units, local.yaml]\npatches:\n\
         - target: {kind: Kustomization, name: base}\n  \
           patch: '[{op: add, path: /spec/dependsOn, value: [{name: local}]}]'\n\
         - target: {kind: Kustomization, name: web}\n  \
           patch: '[{op: add, path: /spec/suspend, value: true}]'\n";
    let files = [
        ("clusters/dev/flux-system/gotk-sync.yaml", sync("dev")),
        (
            "clusters/dev/flux-system/kustomization.yaml",
            "resources: [gotk-sync.yaml]\n".into(),
        ),
        ("clusters/dev/kustomization.yaml", dev.into()),
        ("clusters/dev/local.yaml", unit("local", "./apps/local", "")),
        ("clusters/prod/flux-system/gotk-sync.yaml", sync("prod")),
        (
            "clusters/prod/flux-system/kustomization.yaml",
            "resources: [gotk-sync.yaml]\n".into(),
        ),
        (
            "clusters/prod/kustomization.yaml",
            "resources: [flux-system, ../../units, shop.yaml]\n".into(),
        ),
        (
            "clusters/prod/shop.yaml",
            unit("shop", "./apps/shop", "  dependsOn: [{name: web}]\n"),
        ),
        (
            "units/kustomization.yaml",
            "resources: [apps.yaml]\n".into(),
        ),
        ("units/apps.yaml", apps),
        ("apps/base/d.yaml", deployment("base")),
        ("apps/web/d.yaml", deployment("web")),
        ("apps/local/d.yaml", deployment("local")),
        ("apps/shop/d.yaml", deployment("shop")),
    ];
    repo(&files.each_ref().map(|(path, text)| (*path, text.as_str())))
}

#[test]
fn a_dependency_says_in_which_environments_it_holds_unless_in_all() {
    let document = export(two_environments().path());
    let upstream = |id: &str| &component(&document, id)["upstream"][0];
    assert_eq!(upstream("base")["id"], "local");
    assert_eq!(upstream("base")["environments"], serde_json::json!(["dev"]));
    assert_eq!(upstream("web")["environments"], Value::Null);
    // It is nowhere else itself.
    let local = &component(&document, "local")["downstream"][0];
    assert_eq!(local["environments"], Value::Null);
    let web = &component(&document, "web")["downstream"][0];
    assert_eq!(web["environments"], serde_json::json!(["prod"]));
}

#[test]
fn what_depends_on_a_component_does_so_within_one_environment() {
    let site = crate::site::build(two_environments().path());
    // The shop is in prod alone, where nothing needs what is in dev alone.
    let local = crate::site::text(&site, "components/local.md");
    assert!(
        local.contains("2 components cannot be deployed or reinstalled while Local is down."),
        "{local}"
    );
    assert!(
        local.contains("Cannot be deployed or reinstalled: "),
        "{local}"
    );
    assert!(!local.contains("shop"), "{local}");
    let base = crate::site::text(&site, "components/base.md");
    assert!(base.contains("Flux dependsOn (dev only)"), "{base}");
    assert!(base.contains("[Shop](shop.md) (prod only)"), "{base}");
    // What git keeps suspended in one environment is resumed in the other only.
    let of = |title: &str| {
        let (_, after) = base
            .split_once(title)
            .unwrap_or_else(|| panic!("no {title}: {base}"));
        after.split("```").nth(1).unwrap().to_owned()
    };
    assert!(!of("### Resume order in dev").contains("resume kustomization web"));
    assert!(of("### Resume order in prod").contains("resume kustomization web"));
}

#[test]
fn what_a_hub_orders_for_another_cluster_is_an_edge_there() {
    let remote = "  kubeConfig: {secretRef: {name: cluster-kubeconfig}}\n";
    let sync = git("fleet", "https://git.example.com/fleet", "main") + &unit("hub", "./hub", "");
    let apps = unit("apps", "./apps", "  dependsOn: [{name: configs}]\n");
    let there = release("web").replace(
        "spec: {",
        "spec: {kubeConfig: {secretRef: {name: cluster-kubeconfig}}, ",
    );
    let document = read(&[
        ("hub/gotk-sync.yaml", &sync),
        (
            "hub/units.yaml",
            &(unit("configs", "./configs", remote) + &apps),
        ),
        ("configs/d.yaml", &deployment("configs")),
        (
            "apps/r.yaml",
            &there.replace("namespace: web", "namespace: flux-system"),
        ),
    ]);
    assert_eq!(needs(&document, "web"), ["configs: Flux dependsOn"]);
}
