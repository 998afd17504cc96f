//! Whether a value works as a credential: it is no placeholder, reference, path, setting or encrypted text. Text in, a
//! verdict out.

use super::harmless::is_reference;

/// How templates, configuration files and programs refer to a value that somebody else sets.
const ELSEWHERE: &[&str] = &[
    "${",
    "$(",
    "{{",
    "<",
    "os.environ",
    "process.env",
    "import.meta.env",
    "$__env{",
    "$__file{",
    "ENV[",
    "path={",
];

/// Whether a value works as a credential.
pub fn is_material(value: &str) -> bool {
    let value = value.trim();
    let is_short = value.chars().count() < 5;
    let is_one_sign = value.chars().all(|c| value.starts_with(c));
    let is_elsewhere = is_reference(value)
        || is_variable(value)
        || is_path(value)
        || is_call(value)
        || is_mail_address(value)
        || is_setting(value)
        || is_address(value)
        || is_open_url(value)
        || is_image(value)
        || value.starts_with("arn:")
        || ELSEWHERE.iter().any(|sign| value.contains(sign));
    let mut lines = value.lines();
    let is_comment = lines.all(|line| line.trim().is_empty() || line.trim().starts_with('#'));
    !(is_short
        || is_comment
        || is_one_sign
        || is_elsewhere
        || is_encrypted(value)
        || is_public_key(value)
        || is_placeholder(value))
}

/// Whether a text is only the name of a variable or entry that contains the secret: `DB_PASSWORD`, `$DB_PASSWORD`,
/// `{DB_PASSWORD}`, `%DB_PASSWORD%`, `$oidc:client.secret`, `env(DB_PASSWORD)`.
fn is_variable(value: &str) -> bool {
    let is_name = |text: &str, signs: &[u8]| {
        let is_part =
            |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || signs.contains(&byte);
        !text.is_empty() && !text.as_bytes()[0].is_ascii_digit() && text.bytes().all(is_part)
    };
    let between = |open: &str, close: &str| {
        let inner = value
            .strip_prefix(open)
            .and_then(|rest| rest.strip_suffix(close));
        inner.is_some_and(|inner| is_name(inner, b".-"))
    };
    let is_capital = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    value.contains('_') && value.bytes().all(is_capital)
        || value
            .strip_prefix('$')
            .is_some_and(|name| is_name(name, b".-:/"))
        || between("{", "}")
        || between("%", "%")
        || between("env(", ")")
}

/// Whether a text is computed where it is used: `strenv(API_KEY)`, or `!env_var API_KEY` in YAML.
fn is_call(value: &str) -> bool {
    let is_name = |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphabetic() || b"_.".contains(&byte))
    };
    let call = value.split_once('(');
    let tag = value.strip_prefix('!').and_then(|tag| tag.split_once(' '));
    call.is_some_and(|(name, rest)| is_name(name) && (rest.contains(')') || is_variable(rest)))
        || tag.is_some_and(|(name, _)| is_name(name))
}

/// Whether a text is the address of a person or a team.
fn is_mail_address(value: &str) -> bool {
    let is_part = |text: &str| {
        let is_sign = |byte: u8| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-_+".contains(&byte)
        };
        !text.is_empty() && text.bytes().all(is_sign)
    };
    value.split_once('@').is_some_and(|(name, domain)| {
        let ending = domain.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_word = ending.len() > 1 && ending.bytes().all(|byte| byte.is_ascii_lowercase());
        is_part(name) && is_part(domain) && is_word
    })
}

/// Whether a text is an IP address or a range of them, which may be public or not, but logs nobody in.
fn is_address(value: &str) -> bool {
    let (address, rest) = value.split_once(['/', ':']).unwrap_or((value, "0"));
    address.parse::<std::net::Ipv4Addr>().is_ok() && rest.bytes().all(|b| b.is_ascii_digit())
        || value.parse::<std::net::Ipv6Addr>().is_ok()
}

/// Whether a text is a URL of words: no login, no query, and nothing that could be the token of a webhook.
/// `s3:http://minio:9000/backups/radarr` counts, because backup tools write the kind of store in front.
fn is_open_url(value: &str) -> bool {
    let Some((scheme, rest)) = value.split_once("://") else {
        return false;
    };
    let is_scheme = scheme
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"+:-".contains(&byte));
    let is_word = |part: &str| {
        let is_sign = |byte: u8| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-_:".contains(&byte)
        };
        let digits = part.bytes().filter(u8::is_ascii_digit).count();
        part.bytes().all(is_sign) && part.len() < 64 && digits < 9
    };
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let is_hook = ["hook", "token", "secret", "key"]
        .iter()
        .any(|word| rest.contains(word));
    // The file system has no host: `filesystem:///repository`.
    let is_host = !host.is_empty() || path.len() > 1;
    is_scheme && !is_hook && is_host && is_word(host) && path.split('/').all(is_word)
}

/// Whether a text is the name of an image in a registry.
fn is_image(value: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"/.:_-%()".contains(&byte);
    let host = value.split_once('/').map(|(host, _)| host);
    value.bytes().all(is_sign)
        && host.is_some_and(|host| host.contains('.') && !host.contains(':'))
        && value.rsplit('/').next().is_some_and(|it| it.contains(':'))
}

/// Whether a text is a list of words, a number with its unit or a switch: `gravatar,initials`, `minutes=30`,
/// `INSTALL_LOCK=true`, `ALLOWED_HOST_LIST="*"`.
fn is_setting(value: &str) -> bool {
    let is_word = |text: &str| {
        let is_sign = |byte: u8| byte.is_ascii_lowercase() || b"-_ ".contains(&byte);
        !text.trim().is_empty() && text.bytes().all(is_sign)
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_switch = |text: &str| matches!(text.trim_matches(['"', '\'']), "true" | "false" | "*");
    let is_name = |text: &str| {
        let mut bytes = text.bytes();
        bytes.all(|byte| byte.is_ascii_alphabetic() || b"-_ ".contains(&byte))
    };
    let amount = value.split_once('=');
    value.contains(',') && value.split(',').all(is_word)
        || amount.is_some_and(|(unit, number)| {
            is_word(unit) && is_number(number) || is_name(unit) && is_switch(number.trim())
        })
}

/// Whether a text is the path of a file.
fn is_path(value: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
    let rest = value.trim_start_matches(['.', '~']);
    let parts = rest.split('/').skip(1);
    rest.starts_with('/')
        && value.bytes().all(is_part)
        && parts.clone().count() > 1
        && parts.clone().all(|it| it.len() < 40)
}

fn is_encrypted(value: &str) -> bool {
    // Hashes of passwords, as htpasswd and configuration files of identity providers have them.
    let hashes = [
        "$2a$", "$2b$", "$2y$", "$argon2", "$pbkdf2", "$scrypt", "$apr1$", "$5$", "$6$", "{SHA}",
        "{SSHA}",
    ];
    let first = value.split_once(':').map_or(value, |(_, hash)| hash);
    value.starts_with("ENC[")
        || value.starts_with("$ANSIBLE_VAULT")
        || value.contains("BEGIN PGP MESSAGE")
        || value.contains("BEGIN AGE ENCRYPTED")
        || hashes
            .iter()
            .any(|hash| value.starts_with(hash) || first.starts_with(hash))
}

fn is_public_key(value: &str) -> bool {
    let is_ssh = [
        "ssh-rsa ",
        "ssh-ed25519 ",
        "ecdsa-sha2-",
        "sk-ssh-",
        "sk-ecdsa-",
    ]
    .iter()
    .any(|start| value.starts_with(start));
    let is_public = value.contains("BEGIN CERTIFICATE") || value.contains("BEGIN PUBLIC KEY");
    // Keys that programs send from browsers.
    let is_published = ["phc_", "pk_live_", "pk_test_"]
        .iter()
        .any(|start| value.starts_with(start));
    is_ssh || is_published || is_public && !value.contains("PRIVATE KEY")
}

fn is_placeholder(value: &str) -> bool {
    const WORDS: &[&str] = &[
        "change",
        "placeholder",
        "replace",
        "example",
        "dummy",
        "todo",
        "your",
        "xxx",
        "redacted",
        "insert",
        "fake",
        "here",
        "sample",
        "not-a",
        "notreal",
        "not-real",
        "not-needed",
        "not-required",
        "not-used",
        "no-key",
        "test-only",
        "localhost",
        "override",
        "fixme",
        "supersecret",
        "super-secret",
    ];
    let lower = value.to_ascii_lowercase();
    let is_word = matches!(
        lower.as_str(),
        "password"
            | "secret"
            | "admin"
            | "token"
            | "true"
            | "false"
            | "unused"
            | "value"
            | "default"
            | "internal"
            | "string"
            | "foobar"
            | "guest"
    );
    is_word || WORDS.iter().any(|word| lower.contains(word))
}
