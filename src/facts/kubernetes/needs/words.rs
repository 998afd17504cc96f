//! What keys and addresses are about, by the words in them.

/// A word without what quotes and separates it.
pub fn bare(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ','))
}

/// Whether a key names the address of an identity provider.
pub fn names_a_login(key: &str) -> bool {
    // Every key with an address is asked.
    let lower = key.to_ascii_lowercase();
    [
        "oidc",
        "openid",
        "oauth",
        "issuer",
        "sso",
        "saml",
        "jwks",
        "auth_url",
        "authurl",
        "discovery",
    ]
    .iter()
    .any(|word| lower.contains(word))
}

/// Whether a variable says where its component finds the interface of another one, such as `BILLING_API_URL`. Most other
/// addresses are for browsers, or its own.
pub fn calls_an_address(key: &str) -> bool {
    let has = |words: &[&str]| key.split('_').any(|word| words.contains(&word));
    let is_variable = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    key.bytes().all(is_variable)
        && has(&["URL", "URI", "ENDPOINT", "HOST"])
        && has(&["API", "SERVICE", "ENDPOINT", "BACKEND"])
        && !has(&[
            "PUBLIC", "EXTERNAL", "TEMPLATE", "REDIRECT", "CALLBACK", "CLIENT",
        ])
}

/// The service that a variable holds a token for: `shop-api` of `SHOP_API_BEARER_TOKEN`.
pub fn called_with_token(variable: &str) -> Option<String> {
    const TOKENS: &[&str] = &["_BEARER_TOKEN", "_API_TOKEN", "_API_KEY", "_ACCESS_TOKEN"];
    let service = TOKENS.iter().find_map(|end| variable.strip_suffix(end))?;
    let is_plain = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    let is_name = !service.is_empty() && service.bytes().all(is_plain);
    is_name.then(|| service.to_ascii_lowercase().replace('_', "-"))
}

/// Whether an address is one at which users sign in, by paths that only identity providers have.
pub fn is_login_path(address: &str) -> bool {
    const PATHS: &[&str] = &[
        "/.well-known/openid-configuration",
        "/.well-known/oauth-authorization-server",
        "/oauth2/openid/",
        "/oauth2/authorize",
        "/oauth2/token",
        "/oauth/authorize",
        "/oauth/token",
        "/protocol/openid-connect",
        "/application/o/",
        "/api/oidc/",
    ];
    PATHS.iter().any(|path| address.contains(path)) && !is_way_back(address)
}

/// Whether an address is one that only programs ask, by paths to which they send logs, metrics and traces.
pub fn is_interface_path(address: &str) -> bool {
    const PATHS: &[&str] = &[
        "/api/v1/push",
        "/api/v1/write",
        "/api/prom/push",
        "/api/v1/import",
        "/insert/",
        "/v1/logs",
        "/v1/metrics",
        "/v1/traces",
    ];
    PATHS.iter().any(|path| address.contains(path))
}

/// Whether an address or its key is where an identity provider sends users back to.
pub fn is_way_back(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    ["callback", "redirect", "logout"]
        .iter()
        .any(|word| lower.contains(word))
}

/// Whether a key ends in a word for a host. Every key is asked, so the words go by their last letter.
pub fn names_a_host(key: &str) -> bool {
    let words: &[&str] = match key.as_bytes().last().map(u8::to_ascii_lowercase) {
        Some(b't') => &["host", "endpoint"],
        Some(b'e') => &["hostname"],
        Some(b'r') => &["server", "addr"],
        Some(b's') => &["address"],
        Some(b'l') => &["url"],
        Some(b'i') => &["uri"],
        _ => return false,
    };
    words.iter().any(|word| {
        let start = key.len().checked_sub(word.len());
        let end = start.and_then(|start| key.get(start..));
        end.is_some_and(|end| end.eq_ignore_ascii_case(word))
    })
}

pub fn is_between_hosts(c: char) -> bool {
    let quote = matches!(c, '"' | '\'' | '`');
    let bracket = matches!(c, '<' | '>' | '(' | ')' | '[' | ']' | '{' | '}');
    c.is_whitespace() || quote || bracket || matches!(c, ',' | ';' | '|' | '=')
}
