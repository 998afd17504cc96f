//! Charts: which API groups they bring, how, and whose objects their webhooks admit. What is known of common charts
//! is `charts.toml`, compiled in; `[[chart]]` in `catalog.toml` has the same form and comes first.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Serialize;

use super::mistake::Mistakes;
use super::section::{TomlSection, TomlText, built_in, texts};

/// What a chart brings to a cluster. Several may have the same name: what each says is added up.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Chart {
    /// The name of the chart, such as `external-secrets`.
    #[schemars(example = &"acme-operator")]
    pub name: String,
    /// Part of the address of its repository. Tells charts with the same name apart.
    #[schemars(example = &"charts.acme.example")]
    pub repository: Option<String>,
    /// The API groups that it installs CRDs for, such as `traefik.io`. If several charts share a group, list single kinds,
    /// such as `argoproj.io/Rollout`.
    #[schemars(default, example = ["acme.example"])]
    pub groups: Vec<String>,
    /// Where its CRDs come from: `templates`; `directory` for Helm's `crds/`, which a release may skip; `run-time` if its
    /// controller creates them at startup.
    #[schemars(default)]
    pub crds: Crds,
    /// The chart values that turn the CRDs on and off, such as `installCRDs`.
    #[schemars(default, example = ["crds.install"])]
    pub crds_value: Vec<String>,
    /// Whether the CRDs are installed if none of these values is set.
    #[schemars(default, example = Switch::Off)]
    pub crds_default: Switch,
    /// The API groups whose objects its admission webhook validates.
    #[schemars(default, example = ["acme.example"])]
    pub webhook: Vec<String>,
    /// The chart value that turns the webhook off, such as `webhook.create`.
    #[schemars(example = &"webhook.enabled")]
    pub webhook_value: Option<String>,
    /// What happens to these objects while the webhook is not serving: `refuse` rejects them, `accept` lets them through.
    #[schemars(default)]
    pub webhook_down: WhenDown,
    /// The API groups of custom resources in its templates, which it cannot be installed without, such as `cert-manager.io`.
    #[schemars(default, example = ["cert-manager.io"])]
    pub needs: Vec<String>,
    /// The chart values that decide whether it needs them. Where a release sets one, nothing is assumed.
    #[schemars(default, example = ["certManager.enabled"])]
    pub needs_value: Vec<String>,
    /// The names of the classes that it serves: ingress classes such as `nginx`, storage and device classes, storage drivers,
    /// and devices such as `nvidia.com/gpu`.
    #[schemars(default)]
    pub classes: Vec<String>,
    /// Services that it creates under fixed names, such as `prometheus-operated`. Those named after the release are known.
    #[schemars(default, example = ["prometheus-operated"])]
    pub services: Vec<String>,
    /// `first` for charts that a cluster cannot do without, such as its network plugin: they are assumed to run before
    /// anything else is applied.
    #[schemars(default)]
    pub starts: Starts,
    /// `pass` for proxies that stand in front of others and sign users in: what is reached through them is exposed by them.
    #[schemars(default)]
    pub requests: Requests,
    /// Which version to show: the `chart` version, or the version of the `image` in the values for generic charts that run
    /// any image.
    #[schemars(default)]
    pub version_from: VersionFrom,
    /// `webhook` for charts whose webhook adds variables to what units substitute: beside one, no variable counts as unset.
    #[schemars(default)]
    pub variables_from: VariablesFrom,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Crds {
    #[default]
    Templates,
    Directory,
    RunTime,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Switch {
    #[default]
    On,
    Off,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WhenDown {
    #[default]
    Refuse,
    Accept,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Starts {
    #[default]
    WithItsUnit,
    First,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Requests {
    #[default]
    Answer,
    Pass,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VariablesFrom {
    #[default]
    Manifests,
    Webhook,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VersionFrom {
    #[default]
    Chart,
    Image,
}

pub(super) const CHART_KEYS: &[&str] = &[
    "name",
    "repository",
    "groups",
    "crds",
    "crds_value",
    "crds_default",
    "webhook",
    "webhook_value",
    "webhook_down",
    "needs",
    "needs_value",
    "classes",
    "services",
    "starts",
    "requests",
    "version_from",
    "variables_from",
];

/// Built-in charts.
pub fn known_charts() -> &'static [Chart] {
    static KNOWN: LazyLock<Vec<Chart>> =
        LazyLock::new(|| built_in("charts.toml", include_str!("charts.toml"), "chart", charts));
    &KNOWN
}

pub(super) fn charts(sections: &[TomlSection], mistakes: &mut Mistakes) -> Vec<Chart> {
    let mut charts = Vec::new();
    for section in sections {
        section.allow_only(CHART_KEYS, mistakes);
        let Some(name) = section.required("name", mistakes) else {
            continue;
        };
        if name.value.trim().is_empty() {
            mistakes
                .add(name.span.clone(), "the name of this chart is empty")
                .help("add the name of the chart");
        }
        let value = |text: Option<TomlText>| text.map(|text| text.value);
        charts.push(Chart {
            name: name.value,
            repository: value(section.optional("repository", mistakes)),
            groups: groups(section.list("groups", mistakes), mistakes),
            crds: word(section, "crds", CRDS, mistakes),
            crds_value: texts(section.list("crds_value", mistakes)),
            crds_default: word(section, "crds_default", SWITCHES, mistakes),
            webhook: groups(section.list("webhook", mistakes), mistakes),
            webhook_value: value(section.optional("webhook_value", mistakes)),
            webhook_down: word(section, "webhook_down", WHEN_DOWN, mistakes),
            needs: groups(section.list("needs", mistakes), mistakes),
            needs_value: texts(section.list("needs_value", mistakes)),
            classes: texts(section.list("classes", mistakes)),
            services: texts(section.list("services", mistakes)),
            starts: word(section, "starts", STARTS, mistakes),
            requests: word(section, "requests", REQUESTS, mistakes),
            version_from: word(section, "version_from", VERSIONS, mistakes),
            variables_from: word(section, "variables_from", VARIABLES, mistakes),
        });
    }
    charts
}

const CRDS: &[(&str, Crds)] = &[
    ("templates", Crds::Templates),
    ("directory", Crds::Directory),
    ("run-time", Crds::RunTime),
];
pub(super) const SWITCHES: &[(&str, Switch)] = &[("on", Switch::On), ("off", Switch::Off)];
const WHEN_DOWN: &[(&str, WhenDown)] =
    &[("refuse", WhenDown::Refuse), ("accept", WhenDown::Accept)];
const STARTS: &[(&str, Starts)] = &[
    ("first", Starts::First),
    ("with-its-unit", Starts::WithItsUnit),
];
const REQUESTS: &[(&str, Requests)] = &[("answer", Requests::Answer), ("pass", Requests::Pass)];
const VARIABLES: &[(&str, VariablesFrom)] = &[
    ("manifests", VariablesFrom::Manifests),
    ("webhook", VariablesFrom::Webhook),
];
const VERSIONS: &[(&str, VersionFrom)] =
    &[("chart", VersionFrom::Chart), ("image", VersionFrom::Image)];

pub(super) fn word<T: Copy + Default>(
    section: &TomlSection,
    key: &str,
    words: &[(&str, T)],
    mistakes: &mut Mistakes,
) -> T {
    let Some(text) = section.optional(key, mistakes) else {
        return T::default();
    };
    let known = words.iter().find(|(word, _)| *word == text.value);
    if known.is_none() {
        let names: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
        let message = format!("`{}` is not a valid value for `{key}`", text.value);
        mistakes
            .add(text.span, message)
            .help(format!("use one of {}", names.join(", ")));
    }
    known.map(|(_, value)| *value).unwrap_or_default()
}

/// `group` or `group/Kind`; a version is a common slip.
fn groups(list: Vec<TomlText>, mistakes: &mut Mistakes) -> Vec<String> {
    for text in &list {
        let (group, kind) = match text.value.split_once('/') {
            Some((group, kind)) => (group, Some(kind)),
            None => (text.value.as_str(), None),
        };
        let is_kind = |kind: &str| kind.starts_with(|c: char| c.is_ascii_uppercase());
        if group.is_empty() || kind.is_some_and(|kind| !is_kind(kind)) {
            let message = format!("`{}` is not an API group", text.value);
            mistakes.add(text.span.clone(), message).help(
                "write the group without its version, such as `traefik.io`, or one of its kinds, such as `argoproj.io/Rollout`",
            );
        }
    }
    texts(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compiled_in_can_be_read() {
        let charts = known_charts();
        assert!(charts.len() > 60, "{}", charts.len());
        let cert_manager = charts.iter().find(|chart| chart.name == "cert-manager");
        let cert_manager = cert_manager.unwrap();
        assert_eq!(cert_manager.crds_default, Switch::Off);
        assert_eq!(cert_manager.crds_value, ["crds.enabled", "installCRDs"]);
    }

    #[test]
    fn mistakes_in_charts_are_told_with_their_lines() {
        let text = "[[chart]]\nname = \"x\"\ngroups = [\"x.io/v1\"]\ncrds = \"flag\"\nwebhok = \"y\"\n\n[[chart]]\ngroups = []\n";
        let error = crate::input::config::parse(text, "catalog.toml").unwrap_err();
        let lines: Vec<(u32, &str)> = error
            .mistakes
            .iter()
            .map(|mistake| (mistake.line, mistake.message.as_str()))
            .collect();
        assert_eq!(
            lines,
            [
                (3, "`x.io/v1` is not an API group"),
                (4, "`flag` is not a valid value for `crds`"),
                (5, "unknown key `webhok`"),
                (7, "the key `name` is missing"),
            ]
        );
    }
}
