//! From the sections of `catalog.toml` to a [`Config`]: what each value must be, and what to say when it is not.

use std::ops::Range;
use std::path::{Component, Path};

use globset::{Glob, GlobBuilder, GlobSet};

use super::application::applications;
use super::chart::charts;
use super::check;
use super::fetch;
use super::kind::kinds;
use super::link::links;
use super::look;
use super::mistake::Mistakes;
use super::section::{TomlSection, TomlText};
use super::{Accepted, Cluster, Config, Globs, KubeContext, Layer, Origin, Owner};
use base::hash::HashMap;

pub(super) fn config(top: &TomlSection, mistakes: &mut Mistakes) -> Config {
    top.allow_only(KEYS, mistakes);
    let repo = top.optional("repo", mistakes).map(|repo| repo.value);
    Config {
        title: top.optional("title", mistakes).map(|title| title.value),
        repository: top
            .optional("repository", mistakes)
            .and_then(|url| repository(&url, mistakes)),
        url: top
            .optional("url", mistakes)
            .and_then(|url| site(&url, mistakes)),
        accent: top
            .optional("accent", mistakes)
            .and_then(|accent| look::accent(&accent, mistakes)),
        logo: top
            .optional("logo", mistakes)
            .and_then(|logo| look::logo(logo, mistakes)),
        footer: top.optional("footer", mistakes).map(|text| text.value),
        nav: look::nav(&top.sections("nav", mistakes), mistakes),
        guide: guide(top, repo.as_deref(), mistakes),
        repo,
        ignore: ignored(top.list("ignore", mistakes), mistakes),
        clusters: clusters(&top.sections("cluster", mistakes), mistakes),
        contexts: contexts(&top.sections("context", mistakes), mistakes),
        layers: layers(&top.sections("layer", mistakes), mistakes),
        external_crds: api_groups(top.list("external_crds", mistakes), mistakes),
        owners: owners(&top.sections("owner", mistakes), mistakes),
        charts: charts(&top.sections("chart", mistakes), mistakes),
        kinds: kinds(&top.sections("kind", mistakes), mistakes),
        applications: applications(&top.sections("application", mistakes), mistakes),
        links: links(&top.sections("link", mistakes), mistakes),
        decisions: directories(top.list("decisions", mistakes), mistakes),
        accepted: accepted(&top.sections("accepted", mistakes), mistakes),
        check: check::check(top.section("check", mistakes), mistakes),
        fetch: fetch::fetch(top.section("fetch", mistakes), mistakes),
        origin: Origin::Elsewhere,
    }
}

pub(super) const KEYS: &[&str] = &[
    "title",
    "repository",
    "url",
    "accent",
    "logo",
    "footer",
    "nav",
    "repo",
    "guide",
    "ignore",
    "cluster",
    "context",
    "layer",
    "external_crds",
    "owner",
    "chart",
    "kind",
    "application",
    "link",
    "decisions",
    "accepted",
    "check",
    "fetch",
];
pub(super) const CLUSTER_KEYS: &[&str] = &["name", "root"];
pub(super) const CONTEXT_KEYS: &[&str] = &["name", "context"];
pub(super) const LAYER_KEYS: &[&str] = &["name", "match"];
pub(super) const OWNER_KEYS: &[&str] = &["name", "contact", "match"];
pub(super) const ACCEPTED_KEYS: &[&str] = &["spec", "file", "step", "now", "because"];

fn guide(top: &TomlSection, repo: Option<&str>, mistakes: &mut Mistakes) -> Option<String> {
    let guide = top.optional("guide", mistakes)?;
    if leaves_repo(&guide.value) {
        let message = format!("`{}` is not below the directory of this file", guide.value);
        mistakes
            .add(guide.span.clone(), message)
            .help("use a path relative to this file, such as `docs`");
    } else if repo.is_none() {
        mistakes
            .add(guide.span.clone(), "`guide` is set without `repo`")
            .help("remove it: pages in the repository itself are shown anyway");
    }
    Some(guide.value)
}

fn clusters(sections: &[TomlSection], mistakes: &mut Mistakes) -> Vec<Cluster> {
    let names = distinct_names("cluster", CLUSTER_KEYS, sections, mistakes);
    let mut clusters = Vec::new();
    for (section, name) in sections.iter().zip(names) {
        let Some(root) = section.required("root", mistakes) else {
            continue;
        };
        if leaves_repo(&root.value) {
            let message = format!("`{}` is not a directory in the repository", root.value);
            mistakes
                .add(root.span.clone(), message)
                .help("use a path relative to the repository, such as `clusters/prod`");
        }
        let place = mistakes.place_of(&root.span);
        let root = root.value;
        clusters.extend(name.map(|name| Cluster {
            name: name.value,
            root,
            place,
        }));
    }
    clusters
}

fn contexts(sections: &[TomlSection], mistakes: &mut Mistakes) -> Vec<KubeContext> {
    let names = distinct_names("context", CONTEXT_KEYS, sections, mistakes);
    let mut contexts = Vec::new();
    for (section, name) in sections.iter().zip(names) {
        let Some(context) = section.required("context", mistakes) else {
            continue;
        };
        let is_unfit = |c: char| c.is_control() || c.is_whitespace();
        if context.value.is_empty() || context.value.contains(is_unfit) {
            mistakes
                .add(context.span.clone(), "this is not the name of a context")
                .help("use a name that `kubectl config get-contexts` lists");
            continue;
        }
        contexts.extend(name.map(|name| KubeContext {
            name: name.value,
            context: context.value,
        }));
    }
    contexts
}

fn layers(sections: &[TomlSection], mistakes: &mut Mistakes) -> Vec<Layer> {
    let names = distinct_names("layer", LAYER_KEYS, sections, mistakes);
    let mut layers = Vec::new();
    for (section, name) in sections.iter().zip(names) {
        let globs = globs(section.required_list("match", mistakes), mistakes);
        layers.extend(name.map(|name| Layer {
            place: mistakes.place_of(&name.span),
            name: name.value,
            globs,
        }));
    }
    layers
}

fn owners(sections: &[TomlSection], mistakes: &mut Mistakes) -> Vec<Owner> {
    let names = distinct_names("owner", OWNER_KEYS, sections, mistakes);
    let mut owners = Vec::new();
    for (section, name) in sections.iter().zip(names) {
        let contact = section.optional("contact", mistakes);
        if let Some(contact) = contact.as_ref().filter(|text| !is_contact(&text.value)) {
            let message = format!("`{}` is neither a URL nor an email address", contact.value);
            mistakes
                .add(contact.span.clone(), message)
                .help("use `https://…`, or an email address such as `platform@example.org`");
        }
        let contact = contact.map(|contact| contact.value);
        let globs = globs(section.required_list("match", mistakes), mistakes);
        owners.extend(name.map(|name| Owner {
            place: mistakes.place_of(&name.span),
            name: name.value,
            contact,
            globs,
        }));
    }
    owners
}

/// Directories of the repo, with paths normalised.
fn directories(texts: Vec<TomlText>, mistakes: &mut Mistakes) -> Vec<String> {
    let mut directories = Vec::new();
    for text in texts {
        if leaves_repo(&text.value) {
            let message = format!("`{}` is not a directory in the repository", text.value);
            mistakes
                .add(text.span.clone(), message)
                .help("use a path relative to the repository, such as `docs/architecture`");
        }
        let path = text.value.trim_start_matches("./").trim_end_matches('/');
        directories.push(path.to_owned());
    }
    directories
}

fn accepted(sections: &[TomlSection], mistakes: &mut Mistakes) -> Vec<Accepted> {
    let mut accepted = Vec::new();
    for section in sections {
        section.allow_only(ACCEPTED_KEYS, mistakes);
        let spec = section.required("spec", mistakes);
        let file = section.optional("file", mistakes);
        let step = section.integer("step", mistakes);
        let because = section.required("because", mistakes);
        if let Some((_, span)) = step.as_ref().filter(|(step, _)| *step == 0) {
            mistakes
                .add(span.clone(), "`step` counts from 1")
                .help("use the step's number in its list");
        }
        match (&file, &step) {
            (None, None) => {
                mistakes
                    .add(section.header(), "this entry has neither `file` nor `step`")
                    .help("add the `file` of an artifact, or the number of a `step`");
            }
            (Some(_), Some((_, span))) => {
                mistakes
                    .add(span.clone(), "this entry has both `file` and `step`")
                    .help("write a separate `[[accepted]]` entry for each");
            }
            _ => {}
        }
        if let Some(because) = because.as_ref().filter(|text| text.value.trim().is_empty()) {
            mistakes
                .add(because.span.clone(), "the reason is empty")
                .help("explain why the difference is accepted");
        }
        let (Some(spec), Some(because)) = (spec, because) else {
            continue;
        };
        accepted.push(Accepted {
            place: mistakes.place_of(&spec.span),
            spec: spec.value,
            file: file.map(|file| file.value.trim_start_matches("./").to_owned()),
            step: step.map(|(step, _)| step),
            now: section.optional("now", mistakes).map(|now| now.value),
            because: because.value,
        });
    }
    accepted
}

/// The `name` of each section, which must be there, say something, and differ from those before it.
fn distinct_names(
    kind: &str,
    keys: &[&str],
    sections: &[TomlSection],
    mistakes: &mut Mistakes,
) -> Vec<Option<TomlText>> {
    let mut seen: HashMap<String, Range<usize>> = HashMap::default();
    let mut names = Vec::new();
    for section in sections {
        section.allow_only(keys, mistakes);
        let name = section.required("name", mistakes);
        names.push(name.clone());
        let Some(name) = name else { continue };
        if name.value.trim().is_empty() {
            mistakes
                .add(
                    name.span.clone(),
                    format!("the name of this {kind} is empty"),
                )
                .help("add a name");
        } else if let Some(first) = seen.get(&name.value) {
            let line = mistakes.line_of(first);
            let message = format!("there are two {kind}s named `{}`", name.value);
            mistakes
                .add(name.span.clone(), message)
                .help(format!("the first is at line {line}; rename or remove one"));
        }
        seen.entry(name.value).or_insert(name.span);
    }
    names
}

/// The address without what some copy along with it, so that a path can be put behind it.
/// The address of a site ends with a slash, so that the addresses of its pages can follow.
fn site(url: &TomlText, mistakes: &mut Mistakes) -> Option<String> {
    let address = repository(url, mistakes)?;
    Some(format!("{}/", address.trim_end_matches('/')))
}

fn repository(url: &TomlText, mistakes: &mut Mistakes) -> Option<String> {
    let plain = url.value.trim_end_matches('/');
    let plain = plain.strip_suffix(".git").unwrap_or(plain);
    let rest = plain
        .strip_prefix("https://")
        .or_else(|| plain.strip_prefix("http://"))
        .filter(|rest| !rest.is_empty() && !rest.contains(is_unfit));
    let Some(host) = rest.and_then(|rest| rest.split('/').next()) else {
        let message = format!("`{}` is not a URL", url.value);
        mistakes
            .add(url.span.clone(), message)
            .help("use the URL of its web page, such as `https://github.com/acme/platform`");
        return None;
    };
    if host.contains('@') {
        // The message must not repeat what may be a password.
        mistakes
            .add(url.span.clone(), "the URL contains credentials")
            .hide_source()
            .help("remove the part before the `@`: the URL is published on every page");
        return None;
    }
    Some(plain.to_string())
}

/// Characters that no address has, and that would end it where it is shown or followed.
pub(super) fn is_unfit(c: char) -> bool {
    c.is_whitespace() || c.is_control()
}

fn ignored(patterns: Vec<TomlText>, mistakes: &mut Mistakes) -> Vec<String> {
    for pattern in &patterns {
        // The signs that only a `.gitignore` knows are not part of the glob.
        let glob = pattern.value.strip_prefix('!').unwrap_or(&pattern.value);
        compile(glob.trim_matches('/'), pattern, mistakes);
    }
    patterns.into_iter().map(|pattern| pattern.value).collect()
}

fn api_groups(patterns: Vec<TomlText>, mistakes: &mut Mistakes) -> Globs {
    for pattern in patterns.iter().filter(|text| text.value.contains('/')) {
        let message = format!("`{}` is not an API group", pattern.value);
        mistakes
            .add(pattern.span.clone(), message)
            .help("use the group without its version, such as `traefik.io`");
    }
    globs(patterns, mistakes)
}

/// The same for globs that are not in a file.
pub(super) fn typed_globs(patterns: &[String]) -> Result<Globs, String> {
    let mut mistakes = Mistakes::new("");
    let texts = patterns.iter().map(|pattern| TomlText {
        value: pattern.clone(),
        span: 0..0,
    });
    let globs = globs(texts.collect(), &mut mistakes);
    match mistakes.into_result("", globs) {
        Ok(globs) => Ok(globs),
        Err(error) => Err(error
            .mistakes
            .into_iter()
            .next()
            .map_or_else(String::new, |mistake| mistake.message)),
    }
}

pub(super) fn globs(texts: Vec<TomlText>, mistakes: &mut Mistakes) -> Globs {
    let mut set = GlobSet::builder();
    for text in &texts {
        let pattern = text.value.as_str();
        let directory = pattern
            .strip_suffix("/**")
            .or_else(|| pattern.strip_suffix('/'));
        let Some(glob) = compile(directory.unwrap_or(pattern), text, mistakes) else {
            continue;
        };
        set.add(glob);
        if let Some(directory) = directory {
            let below = compile(&format!("{directory}/**"), text, mistakes);
            below.map(|glob| set.add(glob));
        }
    }
    let set = set.build().unwrap_or_else(|error| {
        let span = texts.first().map_or(0..0, |text| text.span.clone());
        let message = format!("these globs cannot be compiled: {error}");
        mistakes
            .add(span, message)
            .help("use fewer or shorter globs");
        GlobSet::empty()
    });
    let patterns = texts.into_iter().map(|text| text.value).collect();
    Globs { patterns, set }
}

fn compile(pattern: &str, text: &TomlText, mistakes: &mut Mistakes) -> Option<Glob> {
    if pattern.is_empty() {
        let message = format!("the glob `{}` matches nothing", text.value);
        mistakes
            .add(text.span.clone(), message)
            .help("correct it, or remove it");
        return None;
    }
    match GlobBuilder::new(pattern).literal_separator(true).build() {
        Ok(glob) => Some(glob),
        Err(error) => {
            let message = format!("`{}` is not a valid glob: {}", text.value, error.kind());
            mistakes
                .add(text.span.clone(), message)
                .help("put a `\\` before a literal `[`, `{` or `*`");
            None
        }
    }
}

pub(super) fn leaves_repo(path: &str) -> bool {
    let mut depth = 0i32;
    for component in Path::new(path).components() {
        depth += match component {
            Component::Normal(_) => 1,
            Component::CurDir => 0,
            Component::ParentDir => -1,
            Component::RootDir | Component::Prefix(_) => return true,
        };
        if depth < 0 {
            return true;
        }
    }
    false
}

/// Only what is safe to put into a link: anything else would need quoting, or would run as a script.
fn is_contact(text: &str) -> bool {
    if text.contains(is_unfit) {
        return false;
    }
    let is_url = ["https://", "http://", "mailto:"]
        .iter()
        .any(|scheme| text.len() > scheme.len() && text.starts_with(scheme));
    let is_mail = matches!(text.split_once('@'), Some((name, host)) if !name.is_empty() && !host.is_empty())
        && !text.contains(':');
    is_url || is_mail
}
