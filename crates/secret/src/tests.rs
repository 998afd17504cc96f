//! What is redacted, and what stays.

use super::*;
use base::FileId;
use serde_json::json;
use yaml::{parse, to_json};

fn sealed(text: &str) -> serde_json::Value {
    let mut root = parse(text, FileId(0)).documents.remove(0).root;
    seal(&mut root);
    to_json(&root)
}

#[test]
fn values_of_a_secret_are_gone_and_its_keys_stay() {
    assert_eq!(
        sealed("kind: Secret\nmetadata: {name: db}\ndata: {user: YQ==}\nstringData: {port: 5}\n"),
        json!({"kind": "Secret", "metadata": {"name": "db"}, "data": {"user": MARKER}, "stringData": {"port": MARKER}})
    );
}

#[test]
fn keys_that_look_secret_lose_their_value_and_references_stay() {
    assert_eq!(
        sealed(
            "a: {adminPassword: x, DB_PASSWORD: 12345, apiKey: k, existingSecret: db, secretName: db, tokenTTL: 1h}\n"
        ),
        json!({"a": {"adminPassword": MARKER, "DB_PASSWORD": MARKER, "apiKey": MARKER, "existingSecret": "db", "secretName": "db", "tokenTTL": "1h"}})
    );
    assert_eq!(
        sealed(
            "a: {password: \"${PW}\", token: \"{{ .token }}\", secret: \"${PW:=hunter2}\", createSecret: true, password2: ''}\n"
        ),
        json!({"a": {"password": "${PW}", "token": "{{ .token }}", "secret": MARKER, "createSecret": true, "password2": ""}})
    );
    assert_eq!(
        sealed("env: [{name: DB_PASSWORD, value: x}, {name: HOST, value: h}]\n"),
        json!({"env": [{"name": "DB_PASSWORD", "value": MARKER}, {"name": "HOST", "value": "h"}]})
    );
    assert_eq!(
        sealed("config: {dbPassword: {default: x, description: d}, size: {default: 3}}\n"),
        json!({"config": {"dbPassword": {"default": MARKER, "description": "d"}, "size": {"default": 3}}})
    );
}

#[test]
fn a_text_under_a_name_is_secret_unless_it_names_an_object() {
    for (name, text) in [
        ("adminPassword", "hunter2"),
        ("client_secret", "correct-horse"),
        ("webhookSecret", "Hunter2"),
        ("api_token", "abcdef"),
    ] {
        assert!(is_secret_text(name, text), "{name}");
    }
    for (name, text) in [
        ("dbSecret", "db-credentials"),
        ("secretKey", "ADMIN_PASSWORD"),
        ("password", "${PASSWORD}"),
        ("existingSecret", "Hunter2"),
        ("tokenName", "Hunter2"),
    ] {
        assert!(!is_secret_text(name, text), "{name}");
    }
}

#[test]
fn a_secret_is_sealed_at_any_depth() {
    assert_eq!(
        sealed(
            "kind: HelmRelease\nspec: {values: {extraObjects: [{apiVersion: v1, kind: Secret, metadata: {name: a}, stringData: {a: hunter2}}]}}\n"
        ),
        json!({"kind": "HelmRelease", "spec": {"values": {"extraObjects": [
            {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "stringData": {"a": MARKER}}]}}})
    );
    let text = "apiVersion: v1\nkind: Secret\nstringData:\n  a: hunter2\n";
    let indented = text.replace('\n', "\n    ");
    assert_eq!(
        sealed(&format!("values:\n  extraDeploy:\n  - |\n    {indented}\n")),
        json!({"values": {"extraDeploy": [MARKER]}})
    );
    // Patches are read by themselves.
    assert_eq!(
        sealed(&format!("patches:\n- patch: |\n    {indented}\n")),
        json!({"patches": [{"patch": text}]})
    );
}

#[test]
fn everything_below_the_name_of_a_secret_is_sealed() {
    assert_eq!(
        sealed(
            "a: {password: [x], tokens: [x], passwords: {bob: x}, apiKeys: [x], credentials: {key: x}, secret: {a: x}, secrets: {SMTP: x}}\n"
        ),
        json!({"a": {"password": [MARKER], "tokens": [MARKER], "passwords": {"bob": MARKER}, "apiKeys": [MARKER],
            "credentials": {"key": MARKER}, "secret": {"a": MARKER}, "secrets": {"SMTP": MARKER}}})
    );
}

#[test]
fn what_refers_to_a_secret_or_says_how_it_is_made_stays() {
    for text in [
        "secretRef: {name: a, key: b}",
        "credentials: {secretName: a, key: b}",
        "auth: {existingSecret: a}",
        "password: {valueFrom: {secretKeyRef: {name: a, key: b}}}",
        "password: {secretKeyRef: {name: a, key: b}}",
        "apiToken: {secretName: a, key: b}",
        "token: {name: a, key: b}",
        "tokenSecretRef: {name: a, key: b}",
        "passwordSecret: {name: a, key: b}",
        "imagePullSecrets: [a, {name: b}]",
        "externalSecrets: {a: b}",
        "secretStoreRef: {name: a, kind: b}",
        "secret: {enabled: true, other: b}",
        "secret: {secretName: a, items: [{key: a, path: b}]}",
        "secrets: [a, b]",
        "secrets: {a: {name: b}}",
        "passwords: {minLength: 12, policy: strong}",
        "privateKey: {algorithm: ECDSA, size: 256, rotationPolicy: Always}",
        "token: {type: string, description: d, pattern: p}",
        "seed: {command: a}",
        "secretKeys: {adminPasswordKey: a, email: b}",
        "max_tokens: '4096'",
    ] {
        let text = format!("a: {{{text}}}\n");
        let root = parse(&text, FileId(0)).documents.remove(0).root;
        assert_eq!(sealed(&text), to_json(&root), "{text}");
    }
}

#[test]
fn the_path_of_an_operation_names_a_secret() {
    assert_eq!(
        sealed(
            "- {op: replace, path: /spec/values/adminPassword, value: x}\n- {op: add, path: /spec/values/tokens/-, value: x}\n- {op: add, path: /stringData/x, value: x}\n- {op: add, path: /spec/size, value: x}\n"
        ),
        json!([
            {"op": "replace", "path": "/spec/values/adminPassword", "value": MARKER},
            {"op": "add", "path": "/spec/values/tokens/-", "value": MARKER},
            {"op": "add", "path": "/stringData/x", "value": MARKER},
            {"op": "add", "path": "/spec/size", "value": "x"}
        ])
    );
}

#[test]
fn parameters_of_a_plugin_are_sealed_by_their_names() {
    assert_eq!(
        sealed(
            "plugin: {parameters: [{name: password, string: x}, {name: tokens, array: [x]}, {name: api-key, map: {a: x}}, {name: size, string: x}]}\n"
        ),
        json!({"plugin": {"parameters": [{"name": "password", "string": MARKER}, {"name": "tokens", "array": [MARKER]},
            {"name": "api-key", "map": {"a": MARKER}}, {"name": "size", "string": "x"}]}})
    );
}

#[test]
fn the_key_of_an_external_secret_is_a_name() {
    assert_eq!(
        sealed("data: [{secretKey: password, remoteRef: {key: app/db}}]\nb: {secretKey: wJalr}\n"),
        json!({"data": [{"secretKey": "password", "remoteRef": {"key": "app/db"}}], "b": {"secretKey": MARKER}})
    );
}

#[test]
fn values_that_look_secret_are_sealed_wherever_they_stand() {
    assert_eq!(
        sealed(
            "a: ghp_0123456789abcdefghij\nb: postgres://app:hunter2@db.svc:5432/x\nc: postgres://app:${PW}@db/x\nd: |\n  -----BEGIN RSA PRIVATE KEY-----\n  x\n"
        ),
        json!({"a": MARKER, "b": "postgres://app:<secret>@db.svc:5432/x", "c": "postgres://app:${PW}@db/x", "d": MARKER})
    );
}

#[test]
fn encrypted_values_of_a_sops_document_are_sealed() {
    assert_eq!(
        sealed(
            "host: ENC[AES256_GCM,data:abcdef,type:str]\nsops: {mac: 'ENC[AES256_GCM,data:xyz]'}\n"
        ),
        json!({"host": MARKER, "sops": {"mac": MARKER}})
    );
}

#[test]
fn a_secret_in_json_and_a_default_below_a_name_are_sealed() {
    let applied = r#"'{"apiVersion":"v1", "kind": "Secret", "data": {"a": "eHl6eHl6"}}'"#;
    assert_eq!(
        sealed(&format!(
            "note: {applied}\nother: '{{\"kind\": \"ConfigMap\", \"data\": {{}}}}'\n"
        )),
        json!({"note": MARKER, "other": "{\"kind\": \"ConfigMap\", \"data\": {}}"})
    );
    assert_eq!(
        sealed("params: [{name: password, default: hunter2Q}, {name: size, default: 3}]\n"),
        json!({"params": [{"name": "password", "default": MARKER}, {"name": "size", "default": 3}]})
    );
}

#[test]
fn a_variable_alone_stays_in_a_secret() {
    let root = "kind: Secret\nstringData: {a: \"${A}\", b: \"x${B}\", c: \"${C:=x}\"}\n";
    assert_eq!(
        sealed(root),
        json!({"kind": "Secret", "stringData": {"a": "${A}", "b": MARKER, "c": MARKER}})
    );
}
