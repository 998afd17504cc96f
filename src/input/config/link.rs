//! `[[link]]`: buttons to dashboards, logs and consoles, as URL templates. Only addresses that are safe to put into a page
//! come out of one: the values are encoded, and one that does not fit makes no address at all.

use std::ops::Range;

use schemars::JsonSchema;

use super::Globs;
use super::mistake::Mistakes;
use super::read::{globs, is_unfit};
use super::section::{TomlSection, TomlText, texts};
use base::text::nearest;
use base::uri;

/// A link on the pages of components, such as a dashboard or the logs.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Link {
    /// The text of the button. If several links of one name apply to a component in an environment, the first counts.
    #[schemars(example = &"Dashboard")]
    pub name: String,
    /// The address. `{component}`, `{namespace}`, `{environment}`, `{cluster}`, `{release}`, `{unit}`, `{unit_namespace}`,
    /// `{kind}`, `{version}` and `{owner}` are filled in for each environment, percent-encoded. Where a value is unknown,
    /// the link is omitted. The scheme is `https` or `http`. Write `%7B` for a literal brace.
    #[schemars(
        with = "String",
        example = &"https://grafana.acme.example/d/apps?var-cluster={cluster}&var-namespace={namespace}"
    )]
    pub url: UrlTemplate,
    /// Only for these components: globs, as for a layer. Defaults to all.
    #[schemars(default, rename = "match", with = "Vec<String>", example = ["apps/"])]
    pub components: Globs,
    /// Only for components of these kinds, such as `HelmRelease`. Defaults to all.
    #[schemars(default, example = ["HelmRelease", "Deployment"])]
    pub kinds: Vec<String>,
    /// Only for these environments: globs. Defaults to all.
    #[schemars(default, with = "Vec<String>", example = ["prod*"])]
    pub environments: Globs,
}

/// An address with placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlTemplate {
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// In the host, where a value is a part of a name and nothing else.
    Host(Placeholder),
    Value(Placeholder),
}

/// What a template can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placeholder {
    Component,
    Namespace,
    Environment,
    Cluster,
    Release,
    Unit,
    UnitNamespace,
    Kind,
    Version,
    Owner,
}

pub(super) const LINK_KEYS: &[&str] = &["name", "url", "match", "kinds", "environments"];

const PLACEHOLDERS: &[(&str, Placeholder)] = &[
    ("component", Placeholder::Component),
    ("namespace", Placeholder::Namespace),
    ("environment", Placeholder::Environment),
    ("cluster", Placeholder::Cluster),
    ("release", Placeholder::Release),
    ("unit", Placeholder::Unit),
    ("unit_namespace", Placeholder::UnitNamespace),
    ("kind", Placeholder::Kind),
    ("version", Placeholder::Version),
    ("owner", Placeholder::Owner),
];

/// A page has one button for each link and environment.
const MOST_LINKS: usize = 40;
/// Browsers and servers take addresses of this length.
const LONGEST_URL: usize = 2000;

impl UrlTemplate {
    /// The address with these values; none if one is unknown, or would change where the address leads.
    pub fn filled<'v>(&self, value: impl Fn(Placeholder) -> Option<&'v str>) -> Option<String> {
        let mut url = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => url.push_str(text),
                Piece::Host(name) => {
                    let value = value(*name).filter(|value| is_host_label(value))?;
                    url.push_str(value);
                }
                Piece::Value(name) => {
                    // Browsers resolve `..` in a path, also where it is encoded.
                    let is_known = |value: &&str| !matches!(*value, "" | "." | "..");
                    url.push_str(&uri::component(value(*name).filter(is_known)?));
                }
            }
        }
        (url.len() <= LONGEST_URL).then_some(url)
    }
}

/// Whether a value is a part of a host name: it cannot end the host.
fn is_host_label(value: &str) -> bool {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || c == '-';
    !value.is_empty() && value.len() <= 63 && value.chars().all(is_inside)
}

pub(super) fn links(sections: &[TomlSection], mistakes: &mut Mistakes) -> Vec<Link> {
    if let Some(section) = sections.get(MOST_LINKS) {
        let message = format!("there are more than {MOST_LINKS} links");
        mistakes
            .add(section.header(), message)
            .help("remove some: each is a button on every page that it applies to");
    }
    let links = sections.iter().take(MOST_LINKS).filter_map(|section| {
        section.allow_only(LINK_KEYS, mistakes);
        let name = section.required("name", mistakes);
        if let Some(name) = name.as_ref().filter(|name| name.value.trim().is_empty()) {
            mistakes
                .add(name.span.clone(), "the name of this link is empty")
                .help("add the text of the button, such as `Dashboard`");
        }
        let url = section.required("url", mistakes);
        let url = url.and_then(|url| template(&url, mistakes));
        let components = globs(section.list("match", mistakes), mistakes);
        let kinds = texts(section.list("kinds", mistakes));
        let environments = globs(section.list("environments", mistakes), mistakes);
        Some(Link {
            name: name?.value.trim().to_owned(),
            url: url?,
            components,
            kinds,
            environments,
        })
    });
    links.collect()
}

fn template(url: &TomlText, mistakes: &mut Mistakes) -> Option<UrlTemplate> {
    let text = url.value.as_str();
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    let rest = rest.filter(|rest| !rest.contains(|c| is_unfit(c) || ESCAPES.contains(&c)));
    let Some(rest) = rest.filter(|_| text.len() <= LONGEST_URL) else {
        mistakes
            .add(url.span.clone(), format!("`{text}` is not a URL"))
            .help("use an address that starts with `https://`, without spaces and quotes");
        return None;
    };
    let host_len = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let host = &rest[..host_len];
    if host.contains('@') {
        // The message must not repeat what may be a password.
        mistakes
            .add(url.span.clone(), "the URL contains credentials")
            .hide_source()
            .help("remove the part before the `@`: the URL is published on every page");
        return None;
    }
    if host.is_empty() || host.ends_with('}') {
        mistakes
            .add(url.span.clone(), format!("the host of `{text}` is not fixed"))
            .help("end the host with your domain, such as `https://grafana.{environment}.acme.example/`");
        return None;
    }
    let host_end = text.len() - rest.len() + host_len;
    pieces(text, host_end, url.span.clone(), mistakes).map(|pieces| UrlTemplate { pieces })
}

/// Characters that would need quoting wherever an address is written.
const ESCAPES: &[char] = &['"', '\'', '<', '>', '\\', '`'];

/// The pieces of a template, whose host ends at `host_end`.
fn pieces(
    text: &str,
    host_end: usize,
    span: Range<usize>,
    mistakes: &mut Mistakes,
) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].find(['{', '}']) {
        let start = at + open;
        let close = text[start..]
            .find('}')
            .filter(|_| text[start..].starts_with('{'));
        let Some(close) = close else {
            let message = format!("`{text}` has a brace that belongs to no placeholder");
            mistakes
                .add(span, message)
                .help("write `%7B` and `%7D` for literal braces");
            return None;
        };
        let name = &text[start + 1..start + close];
        let known = PLACEHOLDERS.iter().find(|(known, _)| *known == name);
        let Some((_, placeholder)) = known else {
            let names: Vec<&str> = PLACEHOLDERS.iter().map(|(name, _)| *name).collect();
            let help = match nearest(name, &names) {
                Some(meant) => format!("did you mean `{{{meant}}}`?"),
                None => format!("use one of {}", names.join(", ")),
            };
            let message = format!("`{{{name}}}` is not a placeholder");
            mistakes.add(span, message).help(help);
            return None;
        };
        pieces.push(Piece::Text(text[at..start].to_owned()));
        pieces.push(if start < host_end {
            Piece::Host(*placeholder)
        } else {
            Piece::Value(*placeholder)
        });
        at = start + close + 1;
    }
    pieces.push(Piece::Text(text[at..].to_owned()));
    Some(pieces)
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    fn filled(url: &str, value: &str) -> Option<String> {
        let text = format!("[[link]]\nname = \"x\"\nurl = \"{url}\"\n");
        let config = parse(&text, "catalog.toml").unwrap();
        config.links[0].url.filled(|_| Some(value))
    }

    #[test]
    fn values_are_encoded_and_cannot_lead_elsewhere() {
        let path = "https://g.example/d/{namespace}?q={component}#{kind}";
        assert_eq!(
            filled(path, "a b/../c&d#e\"<").as_deref(),
            Some(
                "https://g.example/d/a%20b%2F..%2Fc%26d%23e%22%3C?q=a%20b%2F..%2Fc%26d%23e%22%3C#a%20b%2F..%2Fc%26d%23e%22%3C"
            )
        );
        assert_eq!(filled(path, ".."), None);
        assert_eq!(filled(path, ""), None);
        let host = "https://g-{environment}.example/";
        assert_eq!(
            filled(host, "prod-1").as_deref(),
            Some("https://g-prod-1.example/")
        );
        for bad in ["evil.example/", "a.b", "a:80", "a@b", "é", "%2f"] {
            assert_eq!(filled(host, bad), None, "{bad}");
        }
        assert_eq!(filled("https://g.example/{unit}", &"é".repeat(2000)), None);
    }

    #[test]
    fn templates_that_lead_nowhere_safe_are_mistakes() {
        let mistake = |url: &str| {
            let text = format!("[[link]]\nname = \"x\"\nurl = '''{url}'''\n");
            let error = parse(&text, "catalog.toml").unwrap_err();
            error.mistakes[0].message.clone()
        };
        for url in [
            "javascript:alert(1)",
            "//g.example",
            "https://a b",
            "https://a\"b",
            "data:text/html,x",
        ] {
            assert_eq!(mistake(url), format!("`{url}` is not a URL"));
        }
        assert_eq!(
            mistake("https://me:secret@g.example/"),
            "the URL contains credentials"
        );
        for url in [
            "https://{cluster}/",
            "https:///x",
            "https://g.{environment}",
        ] {
            assert_eq!(mistake(url), format!("the host of `{url}` is not fixed"));
        }
        assert_eq!(
            mistake("https://g.example/{componnent}"),
            "`{componnent}` is not a placeholder"
        );
        for url in [
            "https://g.example/{",
            "https://g.example/a}",
            "https://g.example/}{",
        ] {
            assert!(mistake(url).contains("brace"), "{url}");
        }
    }
}
