//! Tests of `needs.rs`.

use super::*;
use base::FileId;
use yaml::parse;

fn needs(text: &str) -> Vec<String> {
    let root = parse(text, FileId(0)).documents.remove(0).root;
    let resource = Resource::new(root).unwrap();
    let mut statement = Statement::default();
    describe(&resource, &mut statement);
    let shown = statement
        .references
        .iter()
        .map(|reference| match &reference.target {
            Target::Object {
                kind,
                namespace,
                name,
            } => format!("{kind} {namespace}/{name}"),
            Target::Host { service, namespace } => format!("host {service}.{namespace}"),
            Target::Api { group, kind } => format!("api {group}/{kind}"),
            Target::Address { host } => format!("address {host}"),
            Target::Outside { service, name } => format!("{service} {name}"),
            Target::Behind { store, name } => format!("{} {name}", store.name),
        });
    shown.collect()
}

#[test]
fn references_are_found_by_the_names_of_their_fields() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: n}\nspec:\n  containers:\n    - envFrom: [{secretRef: {name: s}}, {configMapRef: {name: c}}]\n  volumes: [{secret: {secretName: t}}, {persistentVolumeClaim: {claimName: p}}]\n";
    assert_eq!(
        needs(text),
        [
            "Secret n/s",
            "ConfigMap n/c",
            "Secret n/t",
            "PersistentVolumeClaim n/p"
        ]
    );
}

#[test]
fn services_are_found_inside_values() {
    let config = |value: &str| {
        needs(&format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a, namespace: n}}\ndata: {{key: '{value}'}}\n"
        ))
    };
    assert_eq!(
        config("http://db.shop.svc.cluster.local:80/x,cache.shop.svc"),
        ["host db.shop", "host cache.shop"]
    );
    assert_eq!(config("db-0.db.shop.svc:5432"), ["host db.shop"]);
    assert_eq!(
        config("postgres://user@db:5432/x redis.cache:6379"),
        ["host db.n", "host redis.cache"]
    );
    for nothing in [
        "x.svcs",
        ".svc",
        "https://a.example.com/x",
        "nginx:1.25",
        "12:30:45",
        "::1",
        "a:b",
    ] {
        assert!(
            config(nothing).is_empty(),
            "{nothing}: {:?}",
            config(nothing)
        );
    }
}

#[test]
fn what_is_switched_off_refers_to_nothing() {
    let release = |enabled: &str| {
        let text = format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: a, namespace: n}}\n\
             spec:\n  values:\n    \
             ingress: {{enabled: {enabled}, ingressClassName: nginx, tls: [{{secretName: t}}]}}\n    \
             persistence: {{data: {{enabled: {enabled}, existingClaim: p}}}}\n    \
             secret: {{enabled: {enabled}, name: s}}\n    \
             sidecars: [{{enabled: {enabled}, url: 'http://db.shop.svc'}}]\n"
        );
        needs(&text)
    };
    assert_eq!(release("false"), [""; 0]);
    for on in ["true", "'false'"] {
        let expected = [
            "IngressClass n/nginx",
            "Secret n/t",
            "PersistentVolumeClaim n/p",
        ];
        let found = release(on);
        assert_eq!(found[..3], expected, "{on}");
        assert_eq!(found[3..5], ["Secret n/s", "host db.shop"], "{on}");
    }
}

#[test]
fn values_name_the_class_of_an_ingress() {
    let needed = |values: &str| {
        needs(&format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: a, namespace: n}}\n\
             spec: {{values: {{{values}}}}}\n"
        ))
    };
    for values in [
        "ingress: {enabled: true, className: nginx}",
        "shop: {ingress: {ingressClass: nginx}}",
        "ingress: {main: {enabled: true, className: nginx}, old: {enabled: false, className: other}}",
    ] {
        assert_eq!(needed(values), ["IngressClass n/nginx"], "{values}");
    }
    assert_eq!(
        needed("ingress: {enabled: false, className: nginx}"),
        [""; 0]
    );
    assert_eq!(needed("logging: {className: nginx}"), [""; 0]);
}

#[test]
fn a_bare_name_counts_where_the_key_says_host() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: n}\nspec:\n  env: [{name: DB_HOST, value: db}, {name: MODE, value: db}]\n  dbHostname: other\n";
    assert_eq!(needs(text), ["host db.n", "host other.n"]);
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: n}\nspec:\n  env: [{name: WEB_ADDR, value: 'web:80'}, {name: RATIO, value: 'a:80'}]\n";
    assert_eq!(needs(text), ["host web.n"]);
}
