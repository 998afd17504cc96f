//! A `catalog.toml` in which every key is shown once, described and commented out: what is detected without it need not be
//! written down, and would go stale. Keys and descriptions come from the schema of `Config`.

use serde_json::Value;

use super::survey::survey;
use crate::input::config::Config;
use crate::site::context::SiteContext;

pub fn settings(context: &SiteContext<'_>) -> String {
    let schema = schemars::schema_for!(Config).to_value();
    let mut text = schema_line(env!("CARGO_PKG_REPOSITORY")).unwrap_or_default();
    comment(INTRODUCTION, &mut text);
    text.push_str("#\n");
    for line in survey(context) {
        text.push_str(&format!("#   {line}\n"));
    }
    for table in TABLES {
        text.push('\n');
        let described = match table.definition {
            "" => &schema,
            name => &schema["$defs"][name],
        };
        if let Some((parent, key)) = table.described {
            let parent = match parent {
                "" => &schema,
                name => &schema["$defs"][name],
            };
            comment(description(&parent["properties"][key]), &mut text);
        }
        let found = found(context, table.header);
        if !found.is_empty() {
            for (key, _) in table.keys {
                let meaning = description(&described["properties"][*key]);
                comment(&format!("`{key}`: {meaning}"), &mut text);
            }
            text.push_str("# Detected without it:\n");
            found.iter().for_each(|block| text.push_str(block));
            continue;
        }
        if !table.header.is_empty() {
            text.push_str(&format!("#{}\n", table.header));
        }
        for (key, example) in table.keys {
            if table.header.is_empty() {
                text.push('\n');
            }
            comment(description(&described["properties"][*key]), &mut text);
            match example {
                Example::Value(value) => {
                    let value = own_value(context, key).unwrap_or_else(|| (*value).to_owned());
                    text.push_str(&format!("#{key} = {value}\n"));
                }
                Example::Instead(value) => {
                    text.push_str(&format!("#   {key} = {value}\n"));
                }
            }
        }
    }
    // Blank lines came in pairs where a table begins with its first key.
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    text
}

const INTRODUCTION: &str = "Facts that the manifests do not contain. Every key is optional; to use one, remove the # before it.\n\n\
                            Detected when this file was written:";

/// The directive by which editors (Even Better TOML, taplo) find the schema in the repository of this program; none if
/// that is not published, or its address is a placeholder.
fn schema_line(repository: &str) -> Option<String> {
    let address = repository.trim_end_matches('/').trim_end_matches(".git");
    let is_published = address.starts_with("https://") && !address.contains("/your-org/");
    is_published.then(|| format!("#:schema {address}/raw/main/docs/catalog.schema.json\n"))
}

struct SettingsTable {
    header: &'static str,
    /// The type that its keys are of; the whole configuration where it is empty.
    definition: &'static str,
    /// The key that the table as a whole is described by, and the type that it belongs to.
    described: Option<(&'static str, &'static str)>,
    keys: &'static [(&'static str, Example)],
}

enum Example {
    Value(&'static str),
    /// Stands in the place of another key.
    Instead(&'static str),
}

use Example::{Instead, Value as Is};

/// Every key, in the order of the file. A test holds it to the types.
const TABLES: &[SettingsTable] = &[
    SettingsTable {
        header: "",
        definition: "",
        described: None,
        keys: &[
            ("title", Is("\"Platform\"")),
            ("repository", Is("\"https://github.com/acme/platform\"")),
            ("url", Is("\"https://catalog.acme.example/\"")),
            ("accent", Is("\"#0b6e4f\"")),
            ("logo", Is("\"docs/logo.svg\"")),
            ("footer", Is("\"Questions? Ask the platform team.\"")),
            ("repo", Instead("\"../platform\"")),
            ("guide", Instead("\"docs\"")),
            ("ignore", Is("[\"/drafts/\", \"*.bak\"]")),
            ("external_crds", Is("[\"gateway.networking.k8s.io\"]")),
            ("decisions", Is("[\"docs/decisions\"]")),
        ],
    },
    SettingsTable {
        header: "[[nav]]",
        definition: "ExtraLink",
        described: Some(("", "nav")),
        keys: &[
            ("name", Is("\"Handbook\"")),
            ("url", Is("\"https://handbook.acme.example\"")),
        ],
    },
    SettingsTable {
        header: "[[cluster]]",
        definition: "Cluster",
        described: Some(("", "cluster")),
        keys: &[("name", Is("\"prod\"")), ("root", Is("\"clusters/prod\""))],
    },
    SettingsTable {
        header: "[[context]]",
        definition: "KubeContext",
        described: Some(("", "context")),
        keys: &[("name", Is("\"prod\"")), ("context", Is("\"admin@prod\""))],
    },
    SettingsTable {
        header: "[[layer]]",
        definition: "Layer",
        described: Some(("", "layer")),
        keys: &[
            ("name", Is("\"Network\"")),
            ("match", Is("[\"traefik\", \"apps/network/\", \"cert-*\"]")),
        ],
    },
    SettingsTable {
        header: "[[owner]]",
        definition: "Owner",
        described: Some(("", "owner")),
        keys: &[
            ("name", Is("\"Platform team\"")),
            ("contact", Is("\"platform@acme.example\"")),
            ("match", Is("[\"**\"]")),
        ],
    },
    SettingsTable {
        header: "[[chart]]",
        definition: "Chart",
        described: Some(("", "chart")),
        keys: &[
            ("name", Is("\"widget-operator\"")),
            ("repository", Is("\"charts.acme.example\"")),
            ("groups", Is("[\"widgets.acme.example\"]")),
            ("crds", Is("\"templates\"")),
            ("crds_value", Is("[\"installCRDs\"]")),
            ("crds_default", Is("\"on\"")),
            ("webhook", Is("[\"widgets.acme.example\"]")),
            ("webhook_value", Is("\"webhook.enabled\"")),
            ("webhook_down", Is("\"refuse\"")),
            ("needs", Is("[\"cert-manager.io\"]")),
            ("needs_value", Is("[\"certManager.enabled\"]")),
            ("classes", Is("[\"widget\"]")),
            ("services", Is("[\"acme-gateway\"]")),
            ("starts", Is("\"with-its-unit\"")),
            ("requests", Is("\"answer\"")),
            ("version_from", Is("\"chart\"")),
            ("variables_from", Is("\"manifests\"")),
        ],
    },
    SettingsTable {
        header: "[[kind]]",
        definition: "Kind",
        described: Some(("", "kind")),
        keys: &[
            ("name", Is("\"acme.example/Database\"")),
            ("services", Is("[\"{name}-primary\"]")),
            ("secrets", Is("[\"{name}-credentials\"]")),
            ("classes", Is("[\"acme.example/gpu\"]")),
            ("refers", Is("[\"spec.clusterRef = DatabaseCluster\"]")),
            ("quiet", Is("[\"analysis\"]")),
        ],
    },
    SettingsTable {
        header: "[[application]]",
        definition: "Application",
        described: Some(("", "application")),
        keys: &[
            ("name", Is("\"shop\"")),
            ("aliases", Is("[\"webshop\", \"acme/shop\"]")),
            ("kinds", Is("[\"shops.acme.example/Shop\"]")),
            ("description", Is("\"Online shop\"")),
            ("home", Is("\"https://shop.acme.example\"")),
            ("code", Is("\"https://github.com/acme/shop\"")),
            ("icon", Is("\"shopware\"")),
            ("images", Is("\"on\"")),
        ],
    },
    SettingsTable {
        header: "[[link]]",
        definition: "Link",
        described: Some(("", "link")),
        keys: &[
            ("name", Is("\"Dashboard\"")),
            (
                "url",
                Is("\"https://grafana.acme.example/d/apps?var-namespace={namespace}\""),
            ),
            ("match", Is("[\"apps/\"]")),
            ("kinds", Is("[\"HelmRelease\"]")),
            ("environments", Is("[\"prod*\"]")),
        ],
    },
    SettingsTable {
        header: "[[accepted]]",
        definition: "Accepted",
        described: Some(("", "accepted")),
        keys: &[
            ("spec", Is("\"0003a\"")),
            ("file", Is("\"infra/main.tf\"")),
            ("step", Instead("2")),
            ("now", Instead("\"`infra/` has 4 files, not 3\"")),
            ("because", Is("\"It moved to another repository.\"")),
        ],
    },
    SettingsTable {
        header: "[check]",
        definition: "Check",
        described: Some(("", "check")),
        keys: &[
            ("select", Is("[\"dependency-*\", \"weak-gate\"]")),
            ("ignore", Is("[\"yaml-template\"]")),
        ],
    },
    SettingsTable {
        header: "[check.severity]",
        definition: "",
        described: Some(("Check", "severity")),
        keys: &[("weak-gate", Is("\"warning\""))],
    },
    SettingsTable {
        header: "[[check.allow]]",
        definition: "Allow",
        described: Some(("Check", "allow")),
        keys: &[
            ("rule", Is("\"remote-base\"")),
            ("path", Is("[\"vendor/\"]")),
            ("component", Is("[\"legacy-*\"]")),
            ("because", Is("\"It is reviewed before it is updated.\"")),
        ],
    },
    SettingsTable {
        header: "[[fetch.mirror]]",
        definition: "Mirror",
        described: Some(("Fetch", "mirror")),
        keys: &[
            ("from", Is("\"oci://ghcr.io\"")),
            ("to", Is("\"oci://registry.example.com/ghcr\"")),
        ],
    },
];

/// The value that was detected for a key, instead of an example.
fn own_value(context: &SiteContext<'_>, key: &str) -> Option<String> {
    match key {
        "title" => Some(quoted(&context.title)),
        "repository" => Some(quoted(context.repo_host.as_ref()?.address())),
        _ => None,
    }
}

/// Tables that repeat what is detected anyway.
fn found(context: &SiteContext<'_>, header: &str) -> Vec<String> {
    const MOST: usize = 20;
    if header != "[[cluster]]" {
        return Vec::new();
    }
    let clusters = context.catalog.kubernetes();
    let named = clusters.filter(|cluster| !cluster.root.as_str().is_empty());
    let blocks = named.take(MOST).map(|cluster| {
        let (name, root) = (quoted(&cluster.name), quoted(cluster.root.as_str()));
        format!("#[[cluster]]\n#name = {name}\n#root = {root}\n")
    });
    blocks.collect()
}

fn description(property: &Value) -> &str {
    property["description"].as_str().unwrap_or_default()
}

/// Comment lines of a readable length.
fn comment(text: &str, to: &mut String) {
    const WIDTH: usize = 100;
    for paragraph in text.split("\n\n").filter(|text| !text.trim().is_empty()) {
        if to.ends_with("\n") && paragraph != text.split("\n\n").next().unwrap_or_default() {
            to.push_str("#\n");
        }
        let mut line = String::from("#");
        for word in paragraph.split_whitespace() {
            if line.len() + word.len() + 1 > WIDTH {
                to.push_str(&line);
                to.push('\n');
                line = String::from("#");
            }
            line.push(' ');
            line.push_str(word);
        }
        to.push_str(&line);
        to.push('\n');
    }
}

/// A string as TOML writes it.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_key_of_the_configuration_is_shown_once() {
        let schema = schemars::schema_for!(Config).to_value();
        let keys = |value: &Value| -> BTreeSet<String> {
            let properties = value["properties"].as_object();
            properties.unwrap().keys().cloned().collect()
        };
        let mut top: BTreeSet<String> = BTreeSet::new();
        for table in TABLES {
            let own: BTreeSet<String> = table
                .keys
                .iter()
                .map(|(key, _)| (*key).to_owned())
                .collect();
            assert_eq!(own.len(), table.keys.len(), "{}", table.header);
            match (table.definition, table.header) {
                ("", "") => top.extend(own),
                ("", _) => {}
                ("Check", _) => {
                    top.insert("check".to_owned());
                    let mut own = own;
                    own.extend(["severity".to_owned(), "allow".to_owned()]);
                    assert_eq!(own, keys(&schema["$defs"]["Check"]));
                }
                (name, header) => {
                    assert_eq!(own, keys(&schema["$defs"][name]), "{name}");
                    let key = header.trim_matches(['[', ']']);
                    // A table that holds nothing but another has no header of its own.
                    match key.strip_prefix("fetch.") {
                        Some(inner) => {
                            top.insert("fetch".to_owned());
                            let inner = BTreeSet::from([inner.to_owned()]);
                            assert_eq!(inner, keys(&schema["$defs"]["Fetch"]));
                        }
                        None if !key.contains('.') => {
                            top.insert(key.to_owned());
                        }
                        None => {}
                    }
                }
            }
        }
        assert_eq!(top, keys(&schema));
    }

    #[test]
    fn editors_are_led_to_the_schema_of_a_published_program_only() {
        assert_eq!(
            schema_line("https://github.com/acme/catalog.git").as_deref(),
            Some("#:schema https://github.com/acme/catalog/raw/main/docs/catalog.schema.json\n")
        );
        for unpublished in ["", "https://github.com/your-org/catalog", "git@a:b"] {
            assert_eq!(schema_line(unpublished), None);
        }
    }

    #[test]
    fn strings_are_quoted_as_toml_has_it() {
        assert_eq!(quoted("a\"b\\c\nd"), "\"a\\\"b\\\\c\\u000Ad\"");
    }
}
