//! `[fetch]`: how `catalog fetch` reaches the charts.

use schemars::JsonSchema;

use super::mistake::Mistakes;
use super::read::is_unfit;
use super::section::{TomlSection, TomlText};

/// How `catalog fetch` downloads charts.
#[derive(Debug, Clone, Default, PartialEq, Eq, JsonSchema)]
#[schemars(default, deny_unknown_fields)]
pub struct Fetch {
    /// Mirrors to download from instead. Manifests, `catalog.lock` and the catalogue keep the original addresses.
    #[schemars(rename = "mirror")]
    pub mirrors: Vec<Mirror>,
}

/// A mirror of some repositories of charts. If several match an address, the longest `from` counts.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Mirror {
    /// The beginning of the addresses that it stands for: `https://`, `oci://`, or the address of a git repository.
    #[schemars(example = &"oci://ghcr.io")]
    pub from: String,
    /// What is requested in place of that beginning.
    #[schemars(example = &"oci://registry.example.com/ghcr")]
    pub to: String,
}

pub(super) const FETCH_KEYS: &[&str] = &["mirror"];
pub(super) const MIRROR_KEYS: &[&str] = &["from", "to"];
const SCHEMES: &[&str] = &["https://", "http://", "oci://", "ssh://", "file://"];

pub(super) fn fetch(section: Option<TomlSection>, mistakes: &mut Mistakes) -> Fetch {
    let Some(section) = section else {
        return Fetch::default();
    };
    section.allow_only(FETCH_KEYS, mistakes);
    let sections = section.sections("mirror", mistakes);
    let mirrors = sections.iter().filter_map(|section| {
        section.allow_only(MIRROR_KEYS, mistakes);
        let from = section.required("from", mistakes);
        let to = section.required("to", mistakes);
        let (from, to) = (address(from?, mistakes)?, address(to?, mistakes)?);
        Some(Mirror { from, to })
    });
    Fetch {
        mirrors: mirrors.collect(),
    }
}

fn address(text: TomlText, mistakes: &mut Mistakes) -> Option<String> {
    let rest = SCHEMES
        .iter()
        .find_map(|scheme| text.value.strip_prefix(scheme));
    let Some(rest) = rest.filter(|rest| !rest.is_empty() && !rest.contains(is_unfit)) else {
        let message = format!("`{}` is not the address of a repository", text.value);
        mistakes
            .add(text.span, message)
            .help("use an address that starts with `https://`, `oci://` or `ssh://`");
        return None;
    };
    let authority = rest.split('/').next().unwrap_or_default();
    let login = authority.rsplit_once('@').map(|(login, _)| login);
    if login.is_some_and(|login| login.contains(':') || !text.value.starts_with("ssh://")) {
        // The message must not repeat what may be a password.
        mistakes
            .add(text.span, "the address contains credentials")
            .hide_source()
            .help("remove the part before the `@`, and keep credentials in Docker's or Helm's configuration");
        return None;
    }
    Some(text.value)
}
