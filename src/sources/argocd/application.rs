//! Applications: where their files and charts come from, what they change in them, and where the objects go.

use std::sync::Arc;

use smol_str::SmolStr;

use super::super::{Fetched, ReadContext};
use super::{
    chart, destination, detail, has_option, inflated, installed, options, project, registered,
};
use crate::facts::{
    Build, CrdsOnUpgrade, Located, Naming, Origin, Release, Resource, SourceRef, Statement,
    SyncPolicy, Target, Unit, UnitChart,
};
use crate::input::repo::RepoPath;
use base::{FileId, Finding};
use kustomize::located;
use yaml::Node;

pub fn unit(resource: &Resource) -> Unit {
    let empty = Node::map(resource.place);
    let spec = resource.node.get("spec").unwrap_or(&empty);
    let sources = sources(&resource.node);
    let mut builds = sources.iter().filter_map(|source| build(source, spec));
    let mut unit = super::unit(resource);
    unit.build = builds.next().map(Box::new);
    unit.more_builds = builds.collect();
    let named = sources
        .iter()
        .map(|source| installed::named(source, resource));
    installed::give(&mut unit, &named.collect::<Vec<_>>());
    unit.appearance.naming = Naming::Own;
    unit.suspended = is_switched_off(resource, spec);
    unit.reconcile.sync_policy = sync_policy(spec);
    unit.remote = destination::remote(spec);
    if let Some(retry) = spec.text_at(&["syncPolicy", "retry", "backoff", "duration"]) {
        unit.reconcile.timing.retry =
            super::super::duration::seconds(retry).or(unit.reconcile.timing.retry);
    }
    unit
}

/// Sources of an Application, including those that only provide values files.
pub fn sources(application: &Node) -> Vec<&Node> {
    let Some(spec) = application.get("spec") else {
        return Vec::new();
    };
    // With `sourceHydrator`, the synced manifests are rendered from the dry source.
    if let Some(dry) = spec.at(&["sourceHydrator", "drySource"]) {
        return vec![dry];
    }
    match spec.items_at("sources") {
        [] => spec.get("source").into_iter().collect(),
        many => many.iter().collect(),
    }
}

/// Whether sync is explicitly disabled, rather than never enabled.
fn is_switched_off(resource: &Resource, spec: &Node) -> bool {
    let automated = spec.at(&["syncPolicy", "automated", "enabled"]);
    let skipped = [
        "metadata",
        "annotations",
        "argocd.argoproj.io/skip-reconcile",
    ];
    automated.and_then(Node::as_bool) == Some(false)
        || resource.node.text_at(&skipped) == Some("true")
}

/// Automated sync policy of an Application.
fn sync_policy(spec: &Node) -> SyncPolicy {
    let automated = spec.at(&["syncPolicy", "automated"]);
    let says = |key: &str| automated.and_then(|it| it.get(key)).and_then(Node::as_bool);
    let applies = automated.is_some_and(|it| !it.is_null()) && says("enabled") != Some(false);
    let also = |key: &str| applies && says(key) == Some(true);
    SyncPolicy {
        applies,
        prunes: also("prune"),
        reverts: also("selfHeal"),
        empties: also("allowEmpty"),
        is_stated: applies,
    }
}

fn namespace(spec: &Node) -> Option<Located<SmolStr>> {
    let stated = spec.at(&["destination", "namespace"]).and_then(located);
    stated.filter(|namespace| !namespace.value.is_empty())
}

fn origin(source: &Node) -> Origin {
    let revision = source.text_at(&["targetRevision"]);
    Origin {
        url: source.text_at(&["repoURL"]).unwrap_or_default().into(),
        revision: revision
            .filter(|revision| !matches!(*revision, "" | "HEAD" | "main" | "master"))
            .map(SmolStr::from),
    }
}

/// Build of a source directory. A source without a path only provides files to other sources.
fn build(source: &Node, spec: &Node) -> Option<Build> {
    if source.text_at(&["chart"]).is_some() {
        return None;
    }
    let path = source.get("path");
    let text = match path.and_then(Node::text) {
        Some(path) => path,
        None if source.get("ref").is_some() => return None,
        None => "",
    };
    let path_place = path.or(source.get("repoURL")).unwrap_or(source).place;
    let mut build = Build {
        origin: Some(origin(source)),
        path: plain_path(text),
        path_place,
        listing: options::listing(source),
        renders_charts: true,
        is_by_plugin: source.get("plugin").is_some(),
        default_namespace: namespace(spec),
        ..Build::default()
    };
    if let Some(kustomize) = source.get("kustomize") {
        options::kustomize(kustomize, &mut build);
    }
    Some(build)
}

fn plain_path(path: &str) -> SmolStr {
    match RepoPath::new(path.trim_start_matches('/')) {
        Some(path) => path.as_str().into(),
        None => path.into(),
    }
}

/// The chart that a source names, from a repository of charts.
pub fn release(source: &Node, resource: &Resource) -> Option<Release> {
    let stated = source.get("chart")?;
    let chart = UnitChart {
        name: located(stated),
        version: source.get("targetRevision").and_then(located),
        source: SourceRef::default(),
        repository: source.text_at(&["repoURL"]).map(SmolStr::from),
        parts: Vec::new(),
        main_part: None,
        file: None,
        place: stated.place,
    };
    Some(with_chart(source, resource, chart))
}

/// A chart as an Application installs it.
pub fn with_chart(source: &Node, resource: &Resource, chart: UnitChart) -> Release {
    let empty = Node::map(source.place);
    let helm = source.get("helm").unwrap_or(&empty);
    let spec = resource.node.get("spec").unwrap_or(&empty);
    let skips = helm.get("skipCrds").and_then(Node::as_bool);
    let name = helm.text_at(&["releaseName"]).unwrap_or(&resource.id.name);
    Release {
        name: name.into(),
        target_namespace: namespace(spec).map(|it| it.value).unwrap_or_default(),
        chart: Some(chart),
        creates_namespace: creates_namespace(spec),
        skips_crds: skips == Some(true),
        crds_on_upgrade: CrdsOnUpgrade::Replaced,
        has_more_values: false,
        is_rendered: true,
        values: Vec::new(),
        changes: Vec::new(),
    }
}

fn sync_options(spec: &Node) -> impl Iterator<Item = &str> {
    let policy = spec.get("syncPolicy");
    let options = policy.map(|policy| policy.items_at("syncOptions"));
    options.unwrap_or_default().iter().filter_map(Node::text)
}

fn creates_namespace(spec: &Node) -> bool {
    has_option(sync_options(spec), "CreateNamespace")
}

pub fn describe(resource: &Resource, statement: &mut Statement) {
    let Some(spec) = resource.node.get("spec") else {
        return;
    };
    let sync = if sync_policy(spec).applies {
        "automated"
    } else {
        "manual"
    };
    let project = spec.text_at(&["project"]);
    let called = super::called(&resource.id.namespace, &resource.id.name);
    statement
        .details
        .extend(detail("application", Some(&called)));
    statement.details.extend(detail("sync", Some(sync)));
    statement.details.extend(detail("project", project));
    let remote = destination::remote(spec).map(|remote| remote.way);
    statement
        .details
        .extend(detail("cluster", remote.as_deref()));
    if let (true, Some(namespace)) = (creates_namespace(spec), namespace(spec)) {
        let made = Target::object("Namespace", "", &namespace.value);
        statement.provides.push(made);
    }
    let all = has_option(sync_options(spec), "SkipDryRunOnMissingResource");
    if let Some(unit) = statement.unit.as_mut().map(Arc::make_mut) {
        unit.apply.skips_dry_run_on_missing = all;
    }
}

pub fn fetched(resource: &Resource) -> Vec<Fetched> {
    let sources = sources(&resource.node);
    let paths = sources.iter().filter_map(|source| {
        Some(Fetched {
            origin: origin(source),
            path: source.text_at(&["path"])?.into(),
        })
    });
    paths.collect()
}

/// Whether a path holds a chart, and what the values of charts are.
pub fn resolve_files(
    resource: &Resource,
    context: &ReadContext<'_>,
    statement: &mut Statement,
) -> Vec<Finding> {
    let empty = Node::map(resource.place);
    let spec = resource.node.get("spec").unwrap_or(&empty);
    let mut findings = project::forbidden(resource, context);
    let installed = installed::context(resource, context);
    if let Some(unit) = statement.unit.as_mut().map(Arc::make_mut) {
        if unit.remote.is_some() {
            unit.remote = registered::remote(spec, context);
        }
        installed::give(unit, &installed);
    }
    let mut files = installed::describe(&installed, context, statement, &mut findings);
    let without = installed.iter().filter(|one| one.release.is_none());
    for one in without {
        files.extend(add_inflated(one.source, spec, resource, context, statement));
    }
    let makes = chart::makes_objects(resource, context, &mut findings);
    if let Some(unit) = statement.unit.as_mut().map(Arc::make_mut) {
        unit.appearance.home = home(&files, context);
        if makes {
            unit.template = Some(Arc::new(resource.clone()));
        }
    }
    findings
}

/// The charts that a kustomization has rendered, as releases of an Application.
fn add_inflated(
    source: &Node,
    spec: &Node,
    resource: &Resource,
    context: &ReadContext<'_>,
    statement: &mut Statement,
) -> Vec<FileId> {
    let path = source.text_at(&["path"]).unwrap_or_default();
    let path = RepoPath::new(path.trim_start_matches('/'));
    let url = source.text_at(&["repoURL"]).unwrap_or_default();
    let own = path.filter(|path| context.is_own(url, path));
    let directory = own.and_then(|path| context.facts.repo.resolve_dir(&path));
    let name = &resource.id.name;
    let found = directory.map(|directory| inflated::charts(&directory, name, context));
    let namespace = namespace(spec).map(|it| it.value).unwrap_or_default();
    let mut files = Vec::new();
    for (directory, chart) in found.unwrap_or_default() {
        let Some(unit) = statement.unit.as_mut().map(Arc::make_mut) else {
            break;
        };
        let release = inflated::release(&chart, &directory, (name, &namespace), context);
        let is_first = unit.release.is_none();
        installed::add(unit, release.clone());
        files.extend(if is_first {
            inflated::describe(&chart, &directory, context, statement)
        } else {
            installed::beside(&release, statement, |apart| {
                inflated::describe(&chart, &directory, context, apart)
            })
        });
    }
    files
}

/// The directory that all files of values lie in.
fn home(files: &[FileId], context: &ReadContext<'_>) -> Option<RepoPath> {
    let mut parents = files
        .iter()
        .map(|file| context.facts.repo.path(*file).parent());
    let mut home = parents.next()??;
    for parent in parents.flatten() {
        while parent != home && !parent.is_below(&home) {
            home = home.parent()?;
        }
    }
    Some(home).filter(|home| !home.as_str().is_empty())
}
