//! Which workload a topology draws an address or another component at.

use crate::cli::repo;
use crate::entry::unit;
use crate::site::{build, text};

fn workload(name: &str, host: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}, namespace: shop}}\n\
         spec:\n  template:\n    metadata: {{labels: {{app: {name}}}}}\n    \
         spec: {{containers: [{{name: c, image: \"{name}:1\", env: [{{name: DB_HOST, value: {host}}}]}}]}}\n---\n\
         apiVersion: v1\nkind: Service\nmetadata: {{name: {name}, namespace: shop}}\n\
         spec: {{selector: {{app: {name}}}, ports: [{{port: 80}}]}}\n---\n"
    )
}

fn route(name: &str, gateway: &str) -> String {
    format!(
        "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {{name: {name}, namespace: shop}}\n\
         spec:\n  hostnames: [{name}.example.com]\n  parentRefs: [{{name: {gateway}, namespace: edge}}]\n  \
         rules: [{{backendRefs: [{{name: {name}}}]}}]\n---\n"
    )
}

/// The topology of a component `shop` as Mermaid has it, beside a database and a gateway.
fn topology(objects: &str) -> String {
    let files = [
        (
            "fleet/a.yaml",
            unit("db", "./db", "") + &unit("edge", "./edge", "") + &unit("shop", "./shop", ""),
        ),
        ("db/d.yaml", workload("db", "none.example.com").replace("namespace: shop", "namespace: db")),
        (
            "edge/g.yaml",
            "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: public, namespace: edge}\n\
             spec: {listeners: [{name: https, port: 443, protocol: HTTPS}]}\n".into(),
        ),
        ("shop/all.yaml", objects.to_owned()),
    ];
    let repo = repo(&files.each_ref().map(|(path, text)| (*path, text.as_str())));
    let site = build(repo.path());
    let page = text(&site, "components/shop.md");
    let start = page
        .find("### Deployment topology")
        .unwrap_or_else(|| panic!("{page}"));
    page[start..].to_owned()
}

/// The arrows that do not say what a unit makes, each with the names of both ends.
fn arrows(objects: &str) -> Vec<String> {
    let picture = topology(objects);
    let lines = || picture.lines().map(str::trim);
    let name = |id: &str| {
        let of = lines().find_map(|line| line.strip_prefix(id)?.strip_prefix(['[', '(']));
        let of = of.unwrap_or_else(|| panic!("no {id} in {picture}"));
        let end = of
            .find("<br/>")
            .or_else(|| of[1..].find('"').map(|end| end + 1));
        of[1..end.unwrap()].to_owned()
    };
    let arrows = lines().filter_map(|line| {
        let (from, rest) = line.split_once(" -->|\"")?;
        let (label, to) = rest.split_once("\"| ")?;
        Some((name(from), label, name(to)))
    });
    let arrows = arrows.filter(|(_, label, _)| !["deploys", "creates"].contains(label));
    arrows
        .map(|(from, label, to)| format!("{from}: {label}: {to}"))
        .collect()
}

const NONE: &str = "none.example.com";

#[test]
fn addresses_and_others_are_drawn_at_the_workload_that_the_objects_name() {
    let web = workload("web", "db.db.svc") + &route("web", "public");
    assert_eq!(
        arrows(&(workload("admin", NONE) + &web)),
        [
            "web.example.com: routed through: public",
            "public: routes to: web",
            "web: calls its service: DB",
        ]
    );
}

#[test]
fn a_gateway_that_leads_to_several_workloads_says_which_address_each_is_for() {
    let admin = workload("admin", NONE) + &route("admin", "public");
    let web = workload("web", NONE) + &route("web", "public");
    assert_eq!(
        arrows(&(admin + &web)),
        [
            "admin.example.com: routed through: public",
            "public: admin.example.com: admin",
            "web.example.com: routed through: public",
            "public: web.example.com: web",
        ]
    );
}

#[test]
fn what_an_object_names_is_drawn_at_the_workload_that_uses_the_object() {
    let settings = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: shop}\n\
                    data: {url: 'http://db.db.svc'}\n";
    let web = workload("web", NONE).replace(
        "name: c,",
        "name: c, envFrom: [{configMapRef: {name: settings}}],",
    );
    assert_eq!(
        arrows(&(workload("admin", NONE) + &web + settings)),
        ["web: calls its service: DB"]
    );
    // Nobody says who uses it.
    assert_eq!(
        arrows(&(workload("admin", NONE) + &workload("web", NONE) + settings)),
        ["Kustomization: shop: calls its service: DB"]
    );
}

#[test]
fn where_nobody_says_what_answers_it_is_what_makes_all() {
    let ingress = |service: &str| {
        format!(
            "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{name: x, namespace: shop}}\nspec:\n  \
             rules: [{{host: shop.example.com, http: {{paths: [{{path: /, backend: {{service: {{name: {service}}}}}}}]}}}}]\n"
        )
    };
    let both = workload("admin", NONE) + &workload("web", NONE);
    assert_eq!(
        arrows(&(both.clone() + &ingress("web"))),
        ["shop.example.com: served by: web"]
    );
    assert_eq!(
        arrows(&(both + &ingress("elsewhere"))),
        ["shop.example.com: served by: Kustomization: shop"]
    );
    assert_eq!(
        arrows(&(workload("web", NONE) + &ingress("elsewhere"))),
        ["shop.example.com: served by: web"]
    );
}
