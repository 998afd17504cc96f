//! Texts as they are shown.

use super::*;

fn shown(text: &str) -> String {
    without(text, &parts(text)).unwrap_or_else(|| text.to_owned())
}

#[test]
fn a_token_is_found_wherever_it_stands_in_a_text() {
    for (text, expected) in [
        ("ghp_0123456789abcdefghij", "<secret>"),
        ("token ghp_0123456789abcdefghij", "token <secret>"),
        ("a=1 t=ghp_0123456789abcdefghij b", "a=1 t=<secret> b"),
        ("Bearer abcdef0123456789", "Bearer <secret>"),
        (
            "Authorization: Basic dXNlcjpodW50ZXIy",
            "Authorization: Basic <secret>",
        ),
        (
            "https://ghp_0123456789abcdefghij@github.com/a/b",
            "https://<secret>@github.com/a/b",
        ),
        (
            "https://0123456789abcdefghij:x@github.com/a/b",
            "https://0123456789abcdefghij:<secret>@github.com/a/b",
        ),
        (
            "amqp://a:b@c/, amqp://d:e@f/",
            "amqp://a:<secret>@c/, amqp://d:<secret>@f/",
        ),
    ] {
        assert_eq!(shown(text), expected);
        assert_eq!(shown(expected), expected, "sealing twice changes nothing");
    }
    for text in [
        "Bearer authentication is not supported",
        "Basic understanding of Kubernetes",
        "https://git@github.com/org/repository",
        "https://organisation@dev.azure.com/a/b",
        "a sentence with https://example.com/@user in it",
        "postgres://app:${PW}@db/x",
    ] {
        assert_eq!(shown(text), text);
    }
}

#[test]
fn hashes_of_passwords_are_found() {
    let bcrypt = "$2y$10$abcdefghijklmnopqrstuvABCDEFGHIJKLMNOPQRSTUV0123456789a";
    assert_eq!(shown(bcrypt), "<secret>");
    assert_eq!(
        shown(&format!("admin:{bcrypt}\nbob:{bcrypt}\n")),
        "admin:<secret>\nbob:<secret>\n"
    );
    assert_eq!(
        shown("bob:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g="),
        "bob:<secret>"
    );
    assert_eq!(
        shown("$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub"),
        "<secret>"
    );
}

#[test]
fn the_default_of_a_secret_variable_is_found() {
    for (text, expected) in [
        ("${PW_TOKEN:=x}", "${PW_TOKEN:=<secret>}"),
        (
            "a ${DB_PASSWORD:-hunter2} b",
            "a ${DB_PASSWORD:-<secret>} b",
        ),
        ("${DB_PASSWORD:=a{b}c}", "${DB_PASSWORD:=<secret>}"),
        ("${DB_PASSWORD:=${OTHER}}", "${DB_PASSWORD:=${OTHER}}"),
        ("${DB_HOST:=db.svc}", "${DB_HOST:=db.svc}"),
        ("${DB_PASSWORD}", "${DB_PASSWORD}"),
    ] {
        assert_eq!(shown(text), expected);
    }
}

#[test]
fn names_and_commands_within_a_text_tell_what_is_secret() {
    for (text, expected) in [
        (
            "host=db password=hunter2 port=5",
            "host=db password=<secret> port=5",
        ),
        (
            "a: b\npassword: x y # why\nc: d\n",
            "a: b\npassword: <secret> # why\nc: d\n",
        ),
        (
            "{\"password\": \"x\", \"port\": 5}",
            "{\"password\": \"<secret>\", \"port\": 5}",
        ),
        (
            "key: |\n  a\npassword: |\n    x\n    y\nport: 5\n",
            "key: |\n  a\npassword: |\n    <secret>\nport: 5\n",
        ),
        (
            "tokens:\n- x\n- y\nport: 5\n",
            "tokens:\n<secret>\nport: 5\n",
        ),
        ("https://h/?token=x1&b=2", "https://h/?token=<secret>&b=2"),
        (
            "Server=h;Password=x;y;Encrypt=True",
            "Server=h;Password=<secret>;Encrypt=True",
        ),
        ("curl -u app:x1 https://h", "curl -u app:<secret> https://h"),
        (
            "run --password x1 --port 5",
            "run --password <secret> --port 5",
        ),
        ("mysql -uroot -px1 -h db", "mysql -uroot -p<secret> -h db"),
        (
            "postgres://app:a/b#c@db:5432/x",
            "postgres://app:<secret>@db:5432/x",
        ),
        ("app:x@tcp(db:3306)/shop", "app:<secret>@tcp(db:3306)/shop"),
        ("<password>x</password>", "<password><secret></password>"),
        (
            "ALTER USER a WITH PASSWORD 'x';",
            "ALTER USER a WITH PASSWORD '<secret>';",
        ),
    ] {
        assert_eq!(shown(text), expected);
        assert_eq!(shown(expected), expected, "sealing twice changes nothing");
    }
    for text in [
        "https://host:8080/@user/x",
        "https://host/a/@scope/pkg@1.2.3",
        "image: ghcr.io/a/csi-secret:1.2.3",
        "arn:aws:secretsmanager:eu-west-1:123456789012:secret:shop",
        "password: ${PASSWORD}",
        "password: {{ .Values.password }}",
        "token: $slack-token",
        "--password-file=/etc/password",
        "--token-ttl 5m",
        "password: <your password>",
        "kube_secret_info{secret=~\"shop.*\"}",
        "if password == other",
        "volumes: [{name: tls, secret: {secretName: tls}}]",
        "The token is rotated every day",
    ] {
        assert_eq!(shown(text), text);
    }
}

/// With time that grows with the square of the length, each of these takes minutes.
#[test]
fn no_text_takes_long() {
    for unit in [
        "${DB_PASSWORD:=",
        "${DB_PASSWORD:=${A",
        "password=",
        "password=x ",
        "password: ",
        "password: [",
        "password=\"",
        "\\\"password\\\":\\\"",
        "</password",
        "<a value=",
        "a:b@tcp(",
        "jdbc:oracle:a/b@",
        "://a:b@",
        "://",
        "sk-",
        "SG.",
        "eyJ",
        "ghp_",
        "hooks.slack.com/services/",
        "$2a$",
        "{SHA}",
        "Bearer ",
        "curl -u ",
        "--password ",
        "password%3D",
        "a;",
        "password=;a",
        "=:",
        "\u{a0}password=",
        "-----BEGIN PRIVATE KEY",
        "machine login password ",
        "tokens:\n- ",
    ] {
        let text = unit.repeat(100_000 / unit.len());
        let work = base::steps::counted(|| drop((parts(&text), published(&text))));
        assert!(work < 100 * text.len() as u64, "{unit:?} took {work} steps");
    }
}

#[test]
fn what_authors_publish_keeps_its_examples() {
    let text = "Use `postgres://user:password@host/db`, or `curl -u admin:changeme`.";
    assert_eq!(published(text), text);
    assert_eq!(
        published("Use ghp_0123456789abcdefghij or https://h/?token=x1y2z3"),
        "Use REDACTED or https://h/?token=REDACTED"
    );
}

#[test]
fn base64_is_looked_through_twice() {
    let encode = |text: &str| yaml::encode_base64(text.as_bytes()).replace('\n', "");
    let once = encode("ghp_0123456789abcdefghij");
    let twice = encode(&format!("token: {once}"));
    for hidden in [&once, &twice, &encode("bob:hunter2Q")] {
        assert_eq!(shown(&format!("a {hidden} b")), "a <secret> b");
    }
    assert_eq!(published(&format!("`{once}`")), "`REDACTED`");
    let open = encode("just some words that nobody hides");
    assert_eq!(shown(&open), open);
}

#[test]
fn logins_without_a_scheme_and_in_escapes_are_found() {
    for (text, expected) in [
        (
            "app:Hunter2Correct@db.example.com:5432",
            "app:<secret>@db.example.com:5432",
        ),
        (
            "https%3A%2F%2Fapp%3Ahunter2%40db.example.com",
            "https%3A%2F%2Fapp%3A<secret>%40db.example.com",
        ),
        ("set $api_key \"hunter2Q\";", "set $api_key \"<secret>\";"),
    ] {
        assert_eq!(shown(text), expected);
    }
    for text in [
        "registry.example.com/app:1.2.3@sha256:0123456789ABCDEFabcdef0123456789",
        "serviceAccount:runner-1@project.iam.gserviceaccount.com",
        "user:ann@example.com",
        "mailto:Ann1234567890@example.com",
        "git@github.com:org/Repository123.git",
        "https%3A%2F%2Fexample.com%2Fa",
    ] {
        assert_eq!(shown(text), text);
    }
}
