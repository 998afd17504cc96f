//! Summary of what was detected in a repository, in a few lines for first-time users.

use std::collections::BTreeMap;

use crate::catalog::{Catalog, ClusterUnits, Status};
use crate::site::context::SiteContext;
use crate::site::view::counted;
use base::{FileId, Severity};

/// Lines for a terminal and for the head of a configuration, without control characters.
pub fn survey(context: &SiteContext<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut add = |label: &str, text: String| {
        let text: String = text.chars().filter(|c| !c.is_control()).collect();
        lines.extend(wrapped(label, &text));
    };
    let catalog = context.catalog;
    if is_empty(catalog) {
        add(
            "Manifests",
            format!("none found (looked for {LOOKED_FOR}); {NEXT_STEP}"),
        );
    }
    let tools = tools(context);
    if !tools.is_empty() {
        add("Reconciler", tools.join(" and "));
    }
    for (label, text) in clusters(catalog) {
        add(label, text);
    }
    if !catalog.components.is_empty() {
        add("Components", components(catalog));
        add("Layers", layers(context));
    }
    let knowledge = context.knowledge;
    if !knowledge.decisions.is_empty() {
        let files = knowledge.decisions.iter().map(|decision| decision.file);
        add("Decisions", by_directory(context, files));
    }
    if !knowledge.specs.is_empty() {
        let files = knowledge.specs.iter().map(|spec| spec.file);
        let records = match knowledge.records.len() {
            0 => "no records".to_owned(),
            many => counted(many, "record"),
        };
        add(
            "Specs",
            format!("{}; {records}", by_directory(context, files)),
        );
    }
    let runbooks = context
        .pages
        .documents
        .iter()
        .filter(|document| document.runbook.is_some());
    let runbooks: Vec<FileId> = runbooks.map(|document| document.file).collect();
    if !runbooks.is_empty() {
        add("Runbooks", by_directory(context, runbooks.into_iter()));
    }
    let programs = catalog.program_count();
    if programs > 0 {
        add("Programs", counted(programs, "program"));
    }
    let pages = context.pages.documents.len();
    if pages > 0 {
        add("Markdown", counted(pages, "file"));
    }
    add("Owners", owners(context));
    add("Repository", repository(context));
    let tally = |severity| {
        context
            .findings
            .iter()
            .filter(|one| one.severity == severity)
            .count()
    };
    let (errors, warnings) = (tally(Severity::Error), tally(Severity::Warning));
    if !catalog.clusters.is_empty() || errors + warnings > 0 {
        add(
            "Findings",
            format!(
                "{}, {}",
                counted(errors, "error"),
                counted(warnings, "warning")
            ),
        );
    }
    lines
}

/// A line for each cluster: its name, its root and how many units of each kind it has.
fn clusters(catalog: &Catalog) -> Vec<(&'static str, String)> {
    let clusters: Vec<&ClusterUnits> = catalog.kubernetes().collect();
    let longest = |text: fn(&ClusterUnits) -> usize| {
        let widths = clusters.iter().map(|cluster| text(cluster));
        widths.max().unwrap_or(0).min(40)
    };
    let name_width = longest(|cluster| cluster.name.chars().count());
    let root_width = longest(|cluster| cluster.root.as_str().chars().count().max(1));
    let mut lines = Vec::new();
    for (at, cluster) in clusters.iter().take(MOST).enumerate() {
        let label = match at {
            0 if clusters.len() == 1 => "Cluster",
            0 => "Clusters",
            _ => "",
        };
        let root = match cluster.root.as_str() {
            "" => ".",
            root => root,
        };
        let (name, kinds) = (&cluster.name, kinds(cluster));
        lines.push((
            label,
            format!("{name:<name_width$}  {root:<root_width$}  {kinds}"),
        ));
    }
    if clusters.len() > MOST {
        let more = clusters.len() - MOST;
        lines.push(("", format!("and {more} more")));
    }
    lines
}

/// `3 HelmReleases, 12 Kustomizations`.
fn kinds(cluster: &ClusterUnits) -> String {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for unit in &cluster.units {
        *kinds.entry(unit.id.kind.as_str()).or_default() += 1;
    }
    if kinds.is_empty() {
        return "no Kustomization, HelmRelease or Application".to_owned();
    }
    let each: Vec<String> = kinds
        .iter()
        .map(|(kind, number)| counted(*number, kind))
        .collect();
    each.join(", ")
}

/// How many components there are, how many of them are off, and how many dependencies they have.
fn components(catalog: &Catalog) -> String {
    let statuses = [
        (Status::Suspended, "suspended"),
        (Status::Disabled, "disabled"),
    ];
    let off: Vec<String> = statuses
        .into_iter()
        .map(|(status, word)| {
            let components = catalog.components.iter();
            let number = components.filter(|one| one.status == status).count();
            (number, word)
        })
        .filter(|(number, _)| *number > 0)
        .map(|(number, word)| format!("{number} {word}"))
        .collect();
    let all = counted(catalog.services(), "component");
    let edges = counted(catalog.edges.len(), "dependency");
    if off.is_empty() {
        format!("{all}, {edges}")
    } else {
        format!("{all} ({}), {edges}", off.join(", "))
    }
}

const MOST: usize = 12;

const LOOKED_FOR: &str = "Flux Kustomizations, HelmReleases and ResourceSets, Argo CD Applications and ApplicationSets, \
                          charts and kustomizations that create them, Pulumi projects, Terraform root modules and \
                          helmfiles";
const NEXT_STEP: &str = "run catalog in the root of your GitOps repository, or name it with --repo DIR; if a reconciler \
                         starts from a directory that is not detected, add it as [[cluster]] to catalog.toml";

/// The error for a repository without manifests.
pub fn nothing(catalog: &Catalog) -> Option<String> {
    is_empty(catalog).then(no_manifests)
}

/// What was looked for without success, and the next step.
pub fn no_manifests() -> String {
    format!("no GitOps manifests found (looked for {LOOKED_FOR})\nhelp: {NEXT_STEP}")
}

fn is_empty(catalog: &Catalog) -> bool {
    catalog.clusters.is_empty() && catalog.components.is_empty()
}

/// The tools that reconcile the repository, by kinds that no two of them share.
fn tools(context: &SiteContext<'_>) -> Vec<&'static str> {
    let units = || {
        context
            .catalog
            .clusters
            .iter()
            .flat_map(|cluster| &cluster.units)
    };
    let has = |kinds: &[&str]| units().any(|unit| kinds.contains(&unit.id.kind.as_str()));
    let known: [(&str, &[&str]); 3] = [
        ("Flux", &["Kustomization", "HelmRelease"]),
        ("Argo CD", &["Application", "ApplicationSet"]),
        ("Terraform", &["RootModule"]),
    ];
    let known = known.into_iter().filter(|(_, kinds)| has(kinds));
    known.map(|(tool, _)| tool).collect()
}

/// A label and its text, in lines that fit on a terminal.
fn wrapped(label: &str, text: &str) -> Vec<String> {
    let mut lines = vec![format!("{label:<LABEL$}")];
    let mut width = LABEL;
    for (at, word) in text.split(' ').enumerate() {
        let length = word.chars().count();
        if at > 0 && width + length + 1 > WIDTH {
            lines.push(" ".repeat(LABEL));
            width = LABEL;
        } else if at > 0 {
            width += 1;
            lines.last_mut().expect("begun with one").push(' ');
        }
        width += length;
        lines.last_mut().expect("begun with one").push_str(word);
    }
    lines
        .iter()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

const LABEL: usize = 13;
const WIDTH: usize = 100;

fn layers(context: &SiteContext<'_>) -> String {
    let named = context.layers.iter().filter(|layer| {
        let mut components = layer.components.iter();
        components.any(|at| context.catalog.components[*at].layer.is_some())
    });
    let names: Vec<String> = named
        .map(|layer| format!("{} ({})", short(&layer.title), layer.components.len()))
        .collect();
    let from = if context.config.layers.is_empty() {
        "from labels, parent Kustomizations or Applications, comments and directories"
    } else {
        "from catalog.toml, otherwise from the manifests"
    };
    match names.len() {
        0 => "none found in labels, parent Kustomizations or Applications, comments or directories"
            .to_owned(),
        many if many > MOST => {
            let more = many - MOST;
            format!("{} and {more} more, {from}", names[..MOST].join(", "))
        }
        _ => format!("{}, {from}", names.join(", ")),
    }
}

/// A shortened title: some are whole comments.
fn short(title: &str) -> String {
    const LONGEST: usize = 40;
    if title.chars().count() > LONGEST {
        title.chars().take(LONGEST).collect::<String>() + "…"
    } else {
        title.to_owned()
    }
}

/// `7 in docs/adr, 2 in docs/old`.
fn by_directory(context: &SiteContext<'_>, files: impl Iterator<Item = FileId>) -> String {
    let mut directories: BTreeMap<String, usize> = BTreeMap::new();
    for file in files {
        let directory = context.repo.path(file).parent();
        let directory = directory
            .map(|parent| parent.to_string())
            .unwrap_or_default();
        *directories.entry(directory).or_default() += 1;
    }
    let all = directories.len();
    let mut parts: Vec<String> = directories
        .into_iter()
        .take(MOST)
        .map(|(directory, number)| match directory.as_str() {
            "" => format!("{number} in the root"),
            directory => format!("{number} in {directory}"),
        })
        .collect();
    if all > MOST {
        parts.push(format!("and {} more directories", all - MOST));
    }
    parts.join(", ")
}

fn owners(context: &SiteContext<'_>) -> String {
    if !context.config.owners.is_empty() {
        return format!("{} in catalog.toml", context.config.owners.len());
    }
    let places = [
        "CODEOWNERS",
        ".github/CODEOWNERS",
        ".gitlab/CODEOWNERS",
        "docs/CODEOWNERS",
    ];
    let mut files = context
        .repo
        .files()
        .map(|file| context.repo.path(file).as_str());
    match files.find(|path| places.contains(path)) {
        Some(path) => format!("none ({path} is not read; add [[owner]] entries)"),
        None => "none (add [[owner]] entries)".to_owned(),
    }
}

fn repository(context: &SiteContext<'_>) -> String {
    match (&context.repo_host, &context.config.repository) {
        (Some(repo_host), Some(_)) => format!("{}, from catalog.toml", repo_host.address()),
        (Some(repo_host), None) => format!("{}, from the git remote `origin`", repo_host.address()),
        (None, _) => {
            "address unknown, so pages do not link to source files; set `repository`".to_owned()
        }
    }
}
