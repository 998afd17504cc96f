//! The charts that an Application installs: the main one, and others next to it. Values are described per chart, so
//! that settings of one are not mistaken for those of another.

use std::collections::VecDeque;
use std::sync::Arc;

use smol_str::{SmolStr, format_smolstr};

use super::super::ReadContext;
use super::{application, chart, options, umbrella, values};
use crate::facts::values as values_facts;
use crate::facts::{Further, Listing, Release, Resource, Statement, Unit};
use crate::input::repo::RepoPath;
use base::{FileId, Finding};
use yaml::Node;

/// With more settings than this, those of further charts are left out.
const MAX_SETTINGS: usize = 1200;

/// A source of an Application and the chart that it installs.
pub struct ChartSourceUse<'s> {
    pub source: &'s Node,
    /// Directory of the chart, if it is in this repository.
    pub directory: Option<RepoPath>,
    pub release: Option<Release>,
}

/// Every source, with the chart that it names or holds.
pub fn context<'s>(resource: &'s Resource, context: &ReadContext<'_>) -> Vec<ChartSourceUse<'s>> {
    let sources = application::sources(&resource.node);
    let each = sources
        .iter()
        .map(|source| match chart::directory(source, context) {
            Some((directory, metadata)) => {
                let mut chart = chart::read(&metadata, source);
                let off = umbrella::switched_off(&metadata, || {
                    let given = values::chart_values(source, &sources, Some(&directory), context);
                    umbrella::values(&directory, &given, context)
                });
                chart.parts.retain(|part| !off.contains(&part.values));
                chart.main_part = umbrella::core(&chart, &directory, context);
                ChartSourceUse {
                    source,
                    directory: Some(directory),
                    release: Some(application::with_chart(source, resource, chart)),
                }
            }
            None => named(source, resource),
        });
    each.collect()
}

/// A source with the chart that it names, without looking for it in the repo.
pub fn named<'s>(source: &'s Node, resource: &Resource) -> ChartSourceUse<'s> {
    ChartSourceUse {
        source,
        directory: None,
        release: application::release(source, resource),
    }
}

/// Gives a unit its charts. The one that it is about is called like it, else is given values, else comes first.
pub fn give(unit: &mut Unit, installed: &[ChartSourceUse<'_>]) {
    let main = main(installed, &unit.id.name);
    unit.release = main
        .and_then(|main| installed[main].release.clone())
        .map(Box::new);
    unit.more_releases.clear();
    for (at, one) in installed.iter().enumerate() {
        if let Some(release) = one.release.as_ref().filter(|_| Some(at) != main) {
            add(unit, release.clone());
        }
    }
}

/// Adds a chart: the first is the one that a unit is about.
pub fn add(unit: &mut Unit, release: Release) {
    if unit.release.is_none() {
        unit.release = Some(Box::new(release));
        return;
    }
    let prefix = prefix(&release);
    unit.more_releases.push(Further { release, prefix });
}

fn main(installed: &[ChartSourceUse<'_>], name: &str) -> Option<usize> {
    let charts = || {
        let all = installed.iter().enumerate();
        all.filter_map(|(at, one)| Some((at, one, one.release.as_ref()?)))
    };
    let called = charts().find(|(_, _, release)| chart_name(release) == Some(name));
    let given = || charts().find(|(_, one, _)| is_given_values(one.source));
    let (at, ..) = called.or_else(given).or_else(|| charts().next())?;
    Some(at)
}

fn chart_name(release: &Release) -> Option<&str> {
    Some(release.chart.as_ref()?.name.as_ref()?.value.as_str())
}

fn is_given_values(source: &Node) -> bool {
    let helm = source.get("helm");
    let keys = [
        "values",
        "valuesObject",
        "valueFiles",
        "parameters",
        "fileParameters",
    ];
    helm.is_some_and(|helm| keys.into_iter().any(|key| helm.get(key).is_some()))
}

fn prefix(release: &Release) -> SmolStr {
    format_smolstr!("{}.", chart_name(release).unwrap_or(&release.name))
}

/// Says what the charts are given, and names the files that say so.
pub fn describe(
    installed: &[ChartSourceUse<'_>],
    context: &ReadContext<'_>,
    statement: &mut Statement,
    findings: &mut Vec<Finding>,
) -> Vec<FileId> {
    let Some(unit) = statement.unit.as_ref() else {
        return Vec::new();
    };
    let main = main(installed, &unit.id.name);
    let sources: Vec<&Node> = installed.iter().map(|one| one.source).collect();
    let mut files = Vec::new();
    let mut is_partial = false;
    let mut values = VecDeque::new();
    for (at, one) in installed.iter().enumerate() {
        findings.extend(options::unfollowed(one.source, context));
        let Some(release) = &one.release else {
            continue;
        };
        let mut given = values::chart_values(one.source, &sources, one.directory.as_ref(), context);
        let directory = one.directory.as_ref();
        let own = directory.and_then(|here| context.facts.repo.file_in(here, "values.yaml"));
        given.put_under(own, context);
        findings.extend(given.findings);
        files.extend(given.files);
        let documents = given.documents.iter().map(|document| &**document);
        let all = || {
            given
                .documents
                .iter()
                .chain(&given.texts)
                .cloned()
                .collect()
        };
        if Some(at) == main {
            values_facts::describe_over(documents, statement);
            values.push_front(all());
        } else {
            beside(release, statement, |apart| {
                values_facts::describe_over(documents, apart);
            });
            values.push_back(all());
        }
        is_partial |= given.is_partial;
    }
    if let Some(unit) = statement.unit.as_mut().map(Arc::make_mut) {
        let further = unit.more_releases.iter_mut();
        let further = further.map(|further| &mut further.release);
        let first = unit.release.as_deref_mut().into_iter();
        // The main chart comes first in both, and the others are in the order of their sources.
        for (release, values) in first.chain(further).zip(values) {
            release.has_more_values |= is_partial;
            release.values = values;
        }
        mark(unit, installed);
    }
    files
}

/// Describes what a further chart is given, under names of its own.
pub fn beside<T>(
    release: &Release,
    statement: &mut Statement,
    describe: impl FnOnce(&mut Statement) -> T,
) -> T {
    let mut apart = Statement::default();
    let answer = describe(&mut apart);
    let prefix = prefix(release);
    let room = MAX_SETTINGS.saturating_sub(statement.settings.len());
    let settings = apart.settings.into_iter().take(room);
    statement.settings.extend(settings.map(|mut setting| {
        setting.name = format_smolstr!("{prefix}{}", setting.name);
        setting
    }));
    statement.runs.images.extend(apart.runs.images);
    statement.reached.urls.extend(apart.reached.urls);
    statement.alerts.extend(apart.alerts);
    answer
}

/// Marks builds of a chart's directory as chart builds.
fn mark(unit: &mut Unit, installed: &[ChartSourceUse<'_>]) {
    let builds = unit
        .build
        .as_deref_mut()
        .into_iter()
        .chain(&mut unit.more_builds);
    for build in builds {
        let path = RepoPath::new(&build.path);
        let mut charts = installed.iter().filter_map(|one| one.directory.as_ref());
        if charts.any(|directory| Some(directory) == path.as_ref()) {
            build.listing = Listing::Chart;
        }
    }
}
