//! `chart-unpinned`: a release that does not pin its chart version.

use super::{Check, CheckContext};
use crate::cluster::Cluster;
use crate::facts::{ChartSource, SourceRef, UnitChart};
use base::hash::HashMap;
use base::{FileId, Finding, Place, Rule, Severity};

pub struct ChartUnpinned;

pub static RULE: Rule = Rule {
    name: "chart-unpinned",
    severity: Severity::Warning,
    skips_input: false,
    security: None,
    summary: "A Helm release does not pin its chart version.",
    about: r#"
## What it does

Checks for releases that set no chart version (a warning), or a range of versions (an info). A chart from a GitRepository has
the version of its files, so there the source must be pinned. Releases with the same source are reported as one finding.

## Why is this bad?

A new version is installed as soon as it is published: at any hour, in all environments at once, and without a commit to
revert. A new cluster gets different software from the one it replaces.

## Example

```yaml
spec:
  chart:
    spec:
      chart: external-secrets
      version: ">=0.10.0"
```

## Use instead

```yaml
spec:
  chart:
    spec:
      chart: external-secrets
      version: 0.10.7
```

Renovate or Dependabot can propose new versions as pull requests.
"#,
};

impl Check for ChartUnpinned {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, context: &CheckContext<'_>) -> Vec<Finding> {
        let clusters = context.clusters.iter().zip(context.catalog.clusters.iter());
        // A chart of this repository is pinned by its commit.
        let is_local = |chart: &UnitChart| {
            let name = chart.name.as_ref().filter(|_| chart.version.is_none());
            let file = name.map_or(FileId::NONE, |name| name.place.file);
            file != FileId::NONE && context.repo.path(file).file_name() == "Chart.yaml"
        };
        let mut findings = Vec::new();
        for (cluster, views) in clusters {
            let sources = sources(cluster);
            for view in &views.units {
                let at = cluster.position_in(view.declared_in, &view.id);
                let unit = at.map(|at| &cluster.units[at].unit);
                // Further charts of the same unit state their own name and version.
                for further in unit.iter().flat_map(|unit| &unit.more_releases) {
                    let chart = further.release.chart.as_ref().filter(|one| !is_local(one));
                    let named = chart.and_then(|chart| Some((chart, chart.name.as_ref()?)));
                    if let Some((chart, name)) = named {
                        let version = chart.version.as_ref();
                        let place = version.map_or(name.place, |version| version.place);
                        let version = version.map(|version| version.value.as_str());
                        findings.extend(unpinned(&view.id.name, place, &name.value, version));
                    }
                }
                let chart = unit.and_then(|unit| unit.release.as_ref()?.chart.as_ref());
                let (Some(chart), Some(resolved)) = (chart, &view.chart) else {
                    continue;
                };
                let place = match (&chart.version, &chart.name) {
                    (Some(version), _) => version.place,
                    (None, Some(name)) => name.place,
                    (None, None) => sources
                        .get(&chart.source)
                        .and_then(|source| Some(source.version.as_ref()?.place))
                        .unwrap_or(chart.place),
                };
                // A chart in the repository is pinned by its commit. If the source is elsewhere, the version is unknown.
                let is_path = resolved.name.contains('/') || resolved.name.starts_with('.');
                if is_local(chart) && chart.repository.is_none() {
                    continue;
                }
                if is_path || chart.name.is_none() && resolved.repository.is_none() {
                    continue;
                }
                let version = resolved.version.as_deref();
                // The version of a chart among files is that of the files.
                let is_in_files = chart.file.is_some() && !chart.source.name.is_empty();
                let finding = if is_in_files && version.is_none() {
                    let source = sources.get(&chart.source);
                    source
                        .filter(|source| !source.is_fixed)
                        .map(|_| unpinned_source(&view.id.name, place, chart, &resolved.name))
                } else {
                    let finding = unpinned(&view.id.name, place, &resolved.name, version);
                    // A range that the source states is one range, however many releases use it.
                    finding.map(|finding| match (&chart.version, &chart.name) {
                        (None, None) => finding.cause(source_name(&chart.source)),
                        _ => finding,
                    })
                };
                findings.extend(finding);
            }
        }
        findings
    }
}

/// The sources that a cluster declares. A release may leave the version to its source.
fn sources(cluster: &Cluster) -> HashMap<SourceRef, &ChartSource> {
    let statements = cluster.objects().map(|(_, object)| &object.statement);
    let sources = statements.filter_map(|statement| {
        let stated = statement.supplies.source.as_deref()?;
        let id = &statement.id;
        let source = SourceRef {
            kind: id.kind.clone(),
            namespace: id.namespace.clone(),
            name: id.name.clone(),
        };
        Some((source, stated))
    });
    sources.collect()
}

fn source_name(source: &SourceRef) -> String {
    format!("{} `{}`", source.kind, source.name)
}

/// Finding for a chart from files whose source follows a branch.
fn unpinned_source(unit: &str, place: Place, chart: &UnitChart, name: &str) -> Finding {
    let source = source_name(&chart.source);
    let message = format!(
        "`{unit}` installs chart `{name}` from {source}, which is not pinned and can change at any time"
    );
    Finding::warning(RULE.name, place, message)
        .help(format!(
            "pin {source} to a tag or a commit; a chart version has no effect here"
        ))
        .cause(source)
}

fn unpinned(unit: &str, place: Place, chart: &str, version: Option<&str>) -> Option<Finding> {
    match version {
        None | Some("latest" | "*") => Some(
            Finding::warning(
                RULE.name,
                place,
                format!("`{unit}` does not pin chart `{chart}`, so it installs the latest version"),
            )
            .help("set a version, so that every upgrade is a commit"),
        ),
        Some(version) if is_range(version) => Some(
            Finding::info(
                RULE.name,
                place,
                format!(
                    "`{unit}` installs the newest version of chart `{chart}` that matches `{version}`"
                ),
            )
            .help("set an exact version, so that every upgrade is a commit"),
        ),
        Some(_) => None,
    }
}

fn is_range(version: &str) -> bool {
    let sign = |c: char| matches!(c, '*' | '<' | '>' | '^' | '~' | '|' | ',');
    let has_wildcard = version.split('.').any(|part| matches!(part, "x" | "X"));
    !version.contains('$') && (version.contains(sign) || has_wildcard)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_distinguished_from_versions() {
        for range in [">=0.15.0 <1.0.0", "1.x", "^1.2", "~1.2.3", "1.2.*", "1.x.x"] {
            assert!(is_range(range), "{range}");
        }
        for version in ["1.2.3", "v1.2.3-rc.1+exp", "${VERSION}", "2026.1.0", "x86"] {
            assert!(!is_range(version), "{version}");
        }
    }
}
