//! AppProjects: the sources and destinations that they allow Applications. Only certain violations are reported: an
//! entry that may match counts as a match.

use std::sync::Arc;

use smol_str::SmolStr;

use super::super::ReadContext;
use super::super::address::address;
use super::application::sources;
use super::memo::Memo;
use crate::facts::Resource;
use base::glob::{self, Stars};
use base::hash::HashMap;
use base::text::has_gap;
use base::{Finding, Place};
use yaml::Node;

/// AppProjects by name. None for a name that is declared more than once, because it is unknown which one applies.
pub type Projects = HashMap<SmolStr, Option<(Place, Arc<Node>)>>;

const HERE: (&str, &str) = ("https://kubernetes.default.svc", "in-cluster");

/// Findings for everything that the AppProject of an Application forbids.
pub fn forbidden(application: &Resource, context: &ReadContext<'_>) -> Vec<Finding> {
    let empty = Node::map(application.place);
    let spec = application.node.get("spec").unwrap_or(&empty);
    let name = match spec.text_at(&["project"]) {
        None | Some("") => "default",
        Some(name) => name,
    };
    let projects = Memo::get(context).projects.get_or_init(|| read(context));
    let Some((place, project)) = projects.get(name).and_then(Option::as_ref) else {
        return Vec::new();
    };
    let said = |at: Place, what: String| {
        Finding::warning(
            "project-forbids",
            at,
            format!(
                "the AppProject `{name}` does not permit the Application `{}` {what}, so Argo CD refuses \
                 to sync it",
                application.id.name
            ),
        )
        .cause(format_args!("{name} {what}"))
        .note(*place, format!("`{name}` is declared here"))
        .help("add an entry to the AppProject, or move the Application to another project")
    };
    let mut findings = Vec::new();
    if let Some(destination) = spec.get("destination") {
        let entries = project.items_at("destinations");
        if !entries.iter().any(|entry| may_go(entry, destination)) {
            let namespace = destination.text_at(&["namespace"]).unwrap_or_default();
            let what = format!(
                "to deploy to `{}` in the namespace `{namespace}`",
                cluster(destination)
            );
            findings.push(said(destination.place, what));
        }
    }
    for source in sources(&application.node) {
        let Some(url) = source.get("repoURL") else {
            continue;
        };
        let text = url.text().unwrap_or_default();
        let entries = project.items_at("sourceRepos");
        if !text.is_empty() && !entries.iter().any(|entry| may_take(entry, text)) {
            findings.push(said(url.place, format!("to use the source `{text}`")));
        }
    }
    findings
}

fn read(context: &ReadContext<'_>) -> Projects {
    let mut projects = Projects::default();
    for (_, found) in context.facts.all() {
        let of_kind = |one: &&Resource| one.id.is(super::GROUP, "AppProject");
        for resource in found.resources.iter().filter(of_kind) {
            let spec = resource.node.get("spec").cloned().map(Arc::new);
            let read = spec.map(|spec| (resource.place, spec));
            let known = projects.entry(resource.id.name.clone());
            known.and_modify(|one| *one = None).or_insert(read);
        }
    }
    projects
}

fn cluster(destination: &Node) -> &str {
    let stated = |key: &str| destination.text_at(&[key]).filter(|text| !text.is_empty());
    stated("name").or(stated("server")).unwrap_or("no cluster")
}

fn may_go(entry: &Node, destination: &Node) -> bool {
    let of = |node: &'_ Node, key: &str| SmolStr::from(node.text_at(&[key]).unwrap_or_default());
    let (server, name) = (of(destination, "server"), of(destination, "name"));
    let server = server.trim_end_matches('/');
    let (server, name) = match (server, name.as_str()) {
        ("", "") => return true,
        (server, name) if server == HERE.0 || name == HERE.1 => HERE,
        (server, name) => (server, name),
    };
    let allows = |pattern: &str, text: &str| match (pattern, text) {
        ("", _) => false,
        // By what the other one goes is known to Argo CD only.
        (_, "") => !pattern.starts_with('!'),
        (pattern, text) => may_match(pattern, text),
    };
    let namespace = of(destination, "namespace");
    let is_there = allows(of(entry, "server").trim_end_matches('/'), server)
        || allows(&of(entry, "name"), name);
    is_there && (namespace.is_empty() || may_match(&of(entry, "namespace"), &namespace))
}

fn may_take(entry: &Node, url: &str) -> bool {
    let pattern = entry.text().unwrap_or_default();
    if pattern.starts_with('!') {
        false
    } else {
        pattern == "*" || may_match(&address(pattern), &address(url))
    }
}

/// Whether a pattern may match. A pattern with an unresolved placeholder may match anything.
fn may_match(pattern: &str, text: &str) -> bool {
    if pattern.starts_with('!') {
        return false;
    }
    has_gap(pattern) || has_gap(text) || glob::matches(pattern, text.trim_matches('/'), Stars::Any)
}
