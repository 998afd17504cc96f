//! What pages say of the manifests: names, addresses and dependencies as a cluster has them.

use std::path::Path;

use serde_json::Value;

use crate::application::{list, text as string};
use crate::cli::{export, repo};
use crate::entry::{read, unit};
use crate::html::words;
use crate::site::{Files, build, text};

/// An operator, and a component that asks it for a Secret.
fn asking(target: &str) -> tempfile::TempDir {
    let operator = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n\
                    metadata: {name: external-secrets, namespace: secrets}\n\
                    spec: {chart: {spec: {chart: external-secrets, sourceRef: {kind: HelmRepository, name: x}}}}\n";
    let request = format!(
        "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {{name: web, namespace: web}}\n\
         spec:\n  secretStoreRef: {{kind: ClusterSecretStore, name: vault}}\n{target}"
    );
    repo(&[
        (
            "fleet/a.yaml",
            &(unit("operator", "./operator", "") + &unit("web", "./web", "")),
        ),
        ("operator/release.yaml", operator),
        ("web/secret.yaml", &request),
    ])
}

/// The page of the component that asks, as Markdown.
fn page_of_web(target: &str) -> String {
    let site = build(asking(target).path());
    text(&site, "components/web.md").to_owned()
}

#[test]
fn the_way_of_a_secret_ends_at_the_name_that_its_target_has() {
    let named = page_of_web("  target: {name: web-credentials}\n");
    assert!(named.contains("Secret web-credentials"), "{named}");
    assert!(named.contains("ExternalSecret web"), "{named}");
    assert!(named.contains("creates and updates"), "{named}");

    let merged = page_of_web("  target: {name: shared, creationPolicy: Merge}\n");
    assert!(merged.contains("Secret shared"), "{merged}");
    assert!(merged.contains("merges keys into it"), "{merged}");

    let unnamed = page_of_web("  target: {creationPolicy: Owner}\n");
    assert!(unnamed.contains("as Secret web\n"), "{unnamed}");

    let nothing = page_of_web("  target: {name: shared, creationPolicy: None}\n");
    assert!(!nothing.contains("Secret shared"), "{nothing}");
}

fn component<'d>(document: &'d Value, id: &str) -> &'d Value {
    let mut components = list(&document["components"]).iter();
    components.find(|component| component["id"] == id).unwrap()
}

/// What a component needs, and why.
fn needs(document: &Value, id: &str) -> Vec<String> {
    let upstream = list(&component(document, id)["upstream"]).iter();
    let each = upstream.map(|edge| format!("{}: {}", string(&edge["id"]), string(&edge["reason"])));
    each.collect()
}

/// The objects of a component as commands ask for them.
fn objects(document: &Value, id: &str) -> Vec<String> {
    let resources = list(&component(document, id)["resources"]).iter();
    let each = resources.map(|one| {
        let (kind, name) = (string(&one["kind"]), string(&one["name"]));
        format!("{kind} {}/{name}", string(&one["namespace"]))
    });
    each.collect()
}

const IN_A_NAMESPACE: &str = "namespace: given\nresources: [all.yaml]\n";

#[test]
fn what_is_of_the_whole_cluster_is_in_no_namespace_whatever_it_is_given() {
    let stores = "apiVersion: external-secrets.io/v1\nkind: ClusterSecretStore\nmetadata: {name: vault}\n---\n\
                  apiVersion: cert-manager.io/v1\nkind: ClusterIssuer\nmetadata: {name: ca}\n---\n\
                  apiVersion: cilium.io/v2\nkind: CiliumLoadBalancerIPPool\nmetadata: {name: pool}\n---\n\
                  apiVersion: external-secrets.io/v1\nkind: SecretStore\nmetadata: {name: near}\n";
    let web = "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: web, namespace: web}\n\
               spec: {secretStoreRef: {kind: ClusterSecretStore, name: vault}}\n---\n\
               apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\n\
               metadata: {name: web, namespace: web, annotations: {cert-manager.io/cluster-issuer: ca}}\n";
    let near = "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: b, namespace: web}\n\
                spec: {secretStoreRef: {name: near}}\n";
    let document = read(&[
        (
            "fleet/a.yaml",
            &(unit("stores", "./stores", "  targetNamespace: given\n")
                + &unit("web", "./web", "")
                + &unit("far", "./far", "")),
        ),
        ("stores/all.yaml", stores),
        ("web/all.yaml", web),
        ("far/all.yaml", near),
    ]);
    assert_eq!(
        needs(&document, "web"),
        [
            "stores: gets certificates from its issuer",
            "stores: uses its secret store"
        ]
    );
    assert!(needs(&document, "far").is_empty());
    assert_eq!(
        objects(&document, "stores"),
        [
            "ClusterIssuer /ca",
            "CiliumLoadBalancerIPPool /pool",
            "ClusterSecretStore /vault",
            "SecretStore given/near"
        ]
    );
}

#[test]
fn a_definition_in_the_repo_says_what_is_of_the_whole_cluster() {
    let definition = |kind: &str, scope: &str| {
        format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
             metadata: {{name: {kind}.example.com}}\n\
             spec: {{group: example.com, scope: {scope}, names: {{kind: {kind}}}}}\n---\n"
        )
    };
    let object = |kind: &str| {
        format!("apiVersion: example.com/v1\nkind: {kind}\nmetadata: {{name: one}}\n---\n")
    };
    let document = read(&[
        (
            "fleet/a.yaml",
            &(unit("types", "./types", "") + &unit("web", "./web", "")),
        ),
        (
            "types/all.yaml",
            &(definition("Wide", "Cluster") + &definition("Narrow", "Namespaced")),
        ),
        ("web/kustomization.yaml", IN_A_NAMESPACE),
        ("web/all.yaml", &(object("Wide") + &object("Narrow"))),
    ]);
    assert_eq!(objects(&document, "web"), ["Narrow given/one", "Wide /one"]);
}

/// The addresses of a component that is reached through a gateway.
fn urls(gateway: &str, parent: &str) -> Vec<String> {
    let route = format!(
        "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {{name: web, namespace: web}}\n\
         spec:\n  hostnames: [web.example.com]\n  parentRefs: [{{namespace: edge, {parent}}}]\n"
    );
    let document = read(&[
        (
            "fleet/a.yaml",
            &(unit("edge", "./edge", "") + &unit("web", "./web", "")),
        ),
        ("edge/gateway.yaml", gateway),
        ("web/route.yaml", &route),
    ]);
    let urls = list(&component(&document, "web")["urls"]).iter();
    urls.map(|url| string(url).to_owned()).collect()
}

#[test]
fn a_gateway_says_whether_what_is_behind_it_is_encrypted() {
    let gateway = |listeners: &str| {
        format!(
            "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {{name: front, namespace: edge}}\n\
             spec: {{gatewayClassName: x, listeners: [{listeners}]}}\n"
        )
    };
    let web = "{name: web, port: 80, protocol: HTTP}";
    let both = format!("{web}, {{name: tls-http, port: 443, protocol: HTTPS}}");
    let (plain, encrypted) = (["http://web.example.com/"], ["https://web.example.com/"]);
    assert_eq!(urls(&gateway(web), "name: front"), plain);
    assert_eq!(urls(&gateway(&both), "name: front"), encrypted);
    assert_eq!(
        urls(&gateway(&both), "name: front, sectionName: web"),
        plain
    );
    assert_eq!(urls(&gateway(&both), "name: front, port: 80"), plain);
    let named = "name: front, sectionName: tls-http";
    assert_eq!(urls(&gateway(&both), named), encrypted);
    // Of a gateway that is elsewhere, nobody knows.
    assert_eq!(urls(&gateway(web), "name: other"), encrypted);
    assert_eq!(
        urls(&gateway(web), "name: front, sectionName: gone"),
        encrypted
    );
    let elsewhere = "name: other, sectionName: http";
    assert_eq!(urls(&gateway(&both), elsewhere), plain);
}

#[test]
fn what_is_switched_off_says_what_it_would_need_and_affects_nobody() {
    let platform = repo(&[
        (
            "fleet/kustomization.yaml",
            "namespace: flux-system\nresources:\n  - redis.yaml\n  # - shop.yaml\n  # - plain.yaml\n",
        ),
        ("fleet/redis.yaml", &unit("redis", "./redis", "")),
        (
            "fleet/shop.yaml",
            &unit(
                "shop",
                "./shop",
                "  dependsOn: [{name: redis}, {name: plain}]\n",
            ),
        ),
        ("fleet/plain.yaml", &unit("plain", "./plain", "")),
        ("redis/all.yaml", &deployment("redis")),
        ("shop/all.yaml", &deployment("shop")),
        ("plain/all.yaml", &deployment("plain")),
    ]);
    let site = build(platform.path());
    let head = |id: &str| {
        let page = text(&site, &format!("components/{id}.html"));
        let facts = page.split("<dl class=\"facts\">").nth(1).unwrap();
        words(facts.split("</dl>").next().unwrap())
    };
    assert!(
        head("shop").contains("Depends on 2 Plain disabled Redis"),
        "{}",
        head("shop")
    );
    let shop = text(&site, "components/shop.md");
    assert!(shop.contains("fleet/shop.yaml:7"), "{shop}");
    let unknown = "Depends on unknown while disabled";
    assert!(head("plain").contains(unknown), "{}", head("plain"));
    assert!(
        head("redis").contains("Dependents none found"),
        "{}",
        head("redis")
    );
    let document = export(platform.path());
    assert!(list(&component(&document, "redis")["downstream"]).is_empty());
    assert!(
        list(&document["findings"]).is_empty(),
        "{}",
        document["findings"]
    );
}

fn deployment(name: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}, namespace: default}}\n\
         spec: {{template: {{spec: {{containers: [{{name: c, image: \"{name}:1\"}}]}}}}}}\n"
    )
}

/// The worked example.
fn example() -> Files {
    build(&Path::new(env!("CARGO_MANIFEST_DIR")).join("content"))
}

#[test]
fn files_and_checks_of_a_spec_have_words_of_their_own_for_their_states() {
    let site = example();
    let ledger = text(&site, "ledger.md");
    let postgres = ledger
        .lines()
        .find(|line| line.contains("[0003]("))
        .unwrap();
    // A checkout without history cannot tell whether a file that is there changed.
    let files = [" unchanged | ", " present | "];
    assert!(
        files.iter().any(|words| postgres.contains(words)),
        "{postgres}"
    );
    let checks = "| 1 ended by a later spec, 6 passing |";
    assert!(postgres.ends_with(checks), "{postgres}");
    let page = words(text(&site, "ledger.html"));
    assert!(page.contains("1 ended by a later spec 6 passing"), "{page}");
    // The example keeps its records: nothing in it needs attention.
    assert!(!ledger.contains("Needs attention"), "{ledger}");
    let spec = text(&site, "pages/sdd/specification/spec-0005-localstack.md");
    assert!(spec.contains("**manual**"), "{spec}");
    assert!(spec.contains("**passing**"), "{spec}");
    assert!(!spec.contains("**holds**"), "{spec}");
}

#[test]
fn a_page_says_which_kinds_its_units_are_and_what_its_lists_hold() {
    let site = example();
    let prod = words(text(&site, "environments/prod.html"));
    let units = "units (Kustomizations, HelmReleases, Applications and others)";
    assert!(prod.contains(units), "{prod}");
    let dev = words(text(&site, "environments/dev.html"));
    let units = "units (Kustomizations, HelmReleases and others)";
    assert!(dev.contains(units), "{dev}");
    for (page, noun) in [("apis.html", "API groups"), ("pages.html", "pages")] {
        let filter = format!("data-filter=\"{noun}\"");
        assert!(text(&site, page).contains(&filter), "{page}: {filter}");
    }
}

#[test]
fn a_generated_runbook_shows_diagnosis_and_fix_apart() {
    let site = example();
    let page = text(&site, "components/redis.html");
    let runbooks = page.split("id=\"defaults\"").nth(1).unwrap();
    let runbook = runbooks.split("</details>").next().unwrap();
    let fix = runbook.split("<h3>Fix</h3>").nth(1).unwrap();
    let diagnose = runbook.split("<h3>Diagnose</h3>").nth(1).unwrap();
    let diagnose = diagnose.split("<h3>").next().unwrap();
    assert!(!diagnose.contains("reconcile"), "{diagnose}");
    assert!(fix.contains("reconcile kustomization redis"), "{fix}");
    // Each has its own list of commands, so that copying one does not copy the other.
    assert_eq!(runbook.matches("class=\"cmds\"").count(), 2, "{runbook}");
}
