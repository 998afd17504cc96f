//! Tests which parts of a line may be shown, and which never.

use proptest::prelude::*;

use super::*;

/// All lines as they may be shown; `~` for those that may not.
fn excerpt(name: &str, text: &str) -> Vec<String> {
    let excerpt = Excerpt::new(text, &RepoPath::new(name).unwrap());
    let lines = 1..=text.lines().count() as u32;
    let shown = lines.map(|line| excerpt.line(line).unwrap_or("~").to_owned());
    shown.collect()
}

#[test]
fn a_harmless_line_is_shown_as_it_is() {
    let text = "kind: Kustomization\r\nspec:\r\n  path: ./apps # é\r\n";
    assert_eq!(
        excerpt("a.yaml", text),
        ["kind: Kustomization", "spec:", "  path: ./apps # é"]
    );
}

#[test]
fn no_line_of_a_secret_or_an_encrypted_document_is_shown() {
    let text = "a: 1\n---\napiVersion: v1\nkind: \"Secret\"\ndata: {x: YQ==}\n---\n{\"kind\": \"Secret\", \"data\": {\"x\": \"YQ==\"}}\n---\nhost: ENC[AES256_GCM,data:x]\nsops: {mac: x}\n---\nkind: SecretStore\n";
    assert_eq!(
        excerpt("a.yaml", text),
        [
            "a: 1",
            "~",
            "~",
            "~",
            "~",
            "~",
            "~",
            "~",
            "~",
            "~",
            "---",
            "kind: SecretStore"
        ]
    );
}

#[test]
fn values_of_telling_keys_are_replaced_however_they_are_written() {
    assert_eq!(
        excerpt(
            "a.yaml",
            "password: hunter2\nother: {apiKey: \"abc def\", port: 1}\nadminPassword:\n  hunter2\nx: 1\n"
        ),
        [
            "password: <secret>",
            "other: {apiKey: <secret>",
            "adminPassword:",
            "  <secret>",
            "x: 1"
        ]
    );
    assert_eq!(
        excerpt(
            "a.yaml",
            "token: |\n  first\n  second\nclientSecret: \"one\n  two\"\nenv:\n- name: DB_PASSWORD\n  value: hunter2\n- name: HOST\n  value: h\n"
        ),
        [
            "token: |",
            "  <secret>",
            "~",
            "clientSecret: <secret>",
            "~",
            "env:",
            "- name: DB_PASSWORD",
            "  value: <secret>",
            "- name: HOST",
            "  value: h"
        ]
    );
}

#[test]
fn what_no_key_names_is_hidden_too() {
    assert_eq!(
        excerpt(
            "kustomization.yaml",
            "secretGenerator:\n- name: db\n  literals:\n  - user=admin\npatches:\n- patch: |\n    - op: replace\n      path: /data/password\n      value: hunter2\n  target: {kind: X}\n"
        ),
        [
            "secretGenerator:",
            "- name: db",
            "  literals:",
            "  - <secret>",
            "patches:",
            "- patch: |",
            "    <secret>",
            "~",
            "~",
            "  target: {kind: X}"
        ]
    );
    assert_eq!(
        excerpt(
            "a.yaml",
            "a: ghp_0123456789abcdefghij\nb: \"postgres://app:hunter2@db/x\"\n# password: hunter2\n"
        ),
        ["a: <secret>", "b: <secret>", "# password: <secret>"]
    );
    assert_eq!(
        excerpt("a.md", "Use `API_TOKEN=abc123` here\n"),
        ["Use `API_TOKEN=<secret>"]
    );
}

#[test]
fn a_broken_document_that_speaks_of_a_secret_is_not_shown() {
    assert_eq!(
        excerpt("a.yaml", "name: 'open\npassword:\n  hunter2\n"),
        ["~", "~", "~"]
    );
    assert_eq!(
        excerpt("a.yaml", "name: 'open\nport: 1\n"),
        ["name: 'open", "port: 1"]
    );
    assert_eq!(
        excerpt("a.yaml", "data:\n  token:\n   x\ndata:\n  b: 1\n"),
        ["~", "~", "~", "~", "~"]
    );
}

#[test]
fn no_value_of_an_env_file_is_shown() {
    assert_eq!(
        excerpt("a.env", "# note\nHOST=h # x\n\nB=\n#C=1\n"),
        ["# note", "HOST=…", "", "B=", "~"]
    );
    assert_eq!(
        excerpt(".env.prod", "KEY=\"-----BEGIN\nMIIEow+/abc==\nHOST=h\n"),
        ["~", "~", "~"]
    );
    assert_eq!(
        excerpt("tls.key", "-----BEGIN PRIVATE KEY-----\nabc\n"),
        ["~", "~"]
    );
}

#[test]
fn flags_and_headers_lose_their_values() {
    let text = "args: [\"--db-password\", \"hunter2\"]\nargs2:\n- --token\n- abcdef\n- --port\n- 80\nh: Bearer abc\n";
    assert_eq!(
        excerpt("a.yaml", text),
        [
            "args: [\"--db-password\", <secret>",
            "args2:",
            "- --token",
            "- <secret>",
            "- --port",
            "- 80",
            "h: Bearer <secret>"
        ]
    );
    assert_eq!(
        excerpt("a.md", "run --password hunter2\n"),
        ["run --password <secret>"]
    );
}

#[test]
fn an_endless_line_is_hidden_rather_than_searched() {
    let line = "password=x ".repeat(200_000);
    assert_eq!(excerpt("a.md", &line), ["~"]);
}

#[test]
fn a_place_is_found_again_behind_what_was_replaced() {
    let excerpt = Excerpt::new(
        "x: {pass: hunter2}\né: [postgres://a:b@c/d, wörld]\n",
        &RepoPath::new("a.yaml").unwrap(),
    );
    let quote = |line, column, len| {
        let place = Place {
            file: FileId(0),
            line,
            column,
            len,
        };
        let quote = excerpt.quote(place).unwrap();
        quote.text[quote.span].to_owned()
    };
    assert_eq!(quote(1, 1, 1), "x");
    assert_eq!(quote(1, 11, 7), "<secret>");
    assert_eq!(quote(1, 13, 2), "<secret>");
    assert_eq!(quote(2, 25, 5), "wörld");
    assert_eq!(quote(2, 900, 5), "");
    assert_eq!(
        excerpt.quote(Place {
            file: FileId(0),
            line: 9,
            column: 1,
            len: 1
        }),
        None
    );
}

proptest! {
    #[test]
    fn no_text_makes_it_fail(text in "([a-z:\\-|>{}\\[\\]\"'#= \n]|password|kind: Secret|é){0,60}", line in 0u32..9, column in 0u32..30, len in 0u32..30) {
        for name in ["a.yaml", "a.env", "a.md", "a.ts"] {
            let excerpt = Excerpt::new(&text, &RepoPath::new(name).unwrap());
            let quote = excerpt.quote(Place { file: FileId(0), line, column, len });
            if let Some(quote) = quote {
                prop_assert!(quote.text.get(quote.span).is_some());
            }
        }
    }
}
