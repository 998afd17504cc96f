//! Values that are not secret although their key names a secret: references, switches, paths and counts. Text in, a
//! verdict out.

use yaml::Style;

use super::name;

/// Whether a value is not secret although its key names a secret: a switch, or a path or method under an ambiguous key.
pub fn is_harmless(key: &str, text: &str) -> bool {
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return text.is_empty() || is_count(key, Style::Plain);
    }
    matches!(text, "true" | "false" | "null" | "~")
        || name::strength(key) == name::Strength::Weak
            && (is_path(text) || is_auth_method(text) || text.contains("://"))
}

fn is_path(text: &str) -> bool {
    let mut endings = [".pem", ".key", ".crt", ".json", ".yaml", ".pub"].iter();
    text.starts_with(['/', '.', '~']) && text.contains('/')
        || endings.any(|ending| text.ends_with(ending))
}

/// Whether a text names an authentication method rather than a credential.
fn is_auth_method(text: &str) -> bool {
    const METHODS: &[&str] = &[
        "none",
        "basic",
        "plain",
        "login",
        "ldap",
        "oauth",
        "oauth2",
        "oidc",
        "saml",
        "jwt",
        "iam",
        "kerberos",
        "ntlm",
        "digest",
        "md5",
        "cram-md5",
        "scram-sha-256",
        "scram-sha-512",
        "trust",
        "token",
        "password",
        "anonymous",
        "internal",
        "external",
        "required",
        "optional",
        "on",
        "off",
        "yes",
        "no",
        "enabled",
        "disabled",
        "always",
        "never",
        "default",
    ];
    let lower = text.to_ascii_lowercase();
    METHODS.contains(&lower.as_str())
}

/// Whether a number under this key is a setting, such as a token limit or a lifetime.
pub fn is_count(key: &str, style: Style) -> bool {
    let key = key.to_ascii_lowercase();
    key.ends_with("tokens") || style == Style::Plain && !key.contains("pass")
}

/// Whether a text only names a value that is taken from elsewhere when it is used.
pub fn is_reference(text: &str) -> bool {
    let whole = |open: &str, close: &str| {
        text.strip_prefix(open)
            .and_then(|rest| rest.strip_suffix(close))
            .is_some_and(|inner| !inner.contains([':', '=', '"', '-']) || open == "{{")
    };
    whole("${", "}")
        || whole("$(", ")")
        || whole("{{", "}}")
        || ["op://", "vault:", "ref+", "arn:aws:secretsmanager:"]
            .iter()
            .any(|prefix| text.starts_with(prefix))
}
