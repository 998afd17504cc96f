//! `catalog rehearse` on the example and on cases: what starts, what races, and what never does.

use std::path::{Path, PathBuf};

use catalog::checks::rehearse::{Cause, Rehearsal, diagram};
use catalog::pipeline::{self, Request};

use crate::case;
use crate::cli::{catalog, repo, stderr, stdout};

fn rehearse(path: &Path, without: Option<&str>) -> Vec<Rehearsal> {
    let request = Request {
        repo: Some(path.to_path_buf()),
        config: None,
        ..Request::default()
    };
    pipeline::rehearse(&request, without)
        .unwrap()
        .rehearsals
        .unwrap()
}

fn of_case(name: &str, without: Option<&str>) -> Rehearsal {
    let cases = case::all("check");
    let case = cases.iter().find(|case| case.name == name).unwrap();
    let directory = case.lay_out();
    rehearse(directory.path(), without).remove(0)
}

fn started(rehearsal: &Rehearsal) -> Vec<Vec<String>> {
    let names = |wave: &Vec<catalog::checks::rehearse::StartedUnit>| {
        let steps = wave.iter();
        steps
            .map(|step| format!("{}/{}", step.kind, step.name))
            .collect()
    };
    rehearsal.waves.iter().map(names).collect()
}

fn content() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("content")
}

#[test]
fn a_deadlock_is_told_in_the_words_of_the_api_server() {
    let rehearsal = of_case("crd-deadlock", None);
    assert_eq!(started(&rehearsal), [["Kustomization/web"]]);
    assert!(!rehearsal.completes());
    let first = &rehearsal.stuck[0];
    assert_eq!((first.name.as_str(), first.cause), ("eso", Cause::Fails));
    assert_eq!(
        first.message.as_deref(),
        Some(r#"no matches for kind "ClusterSecretStore" in version "external-secrets.io/v1""#)
    );
    assert_eq!(rehearsal.stuck[1].cause, Cause::Waits);
}

#[test]
fn what_keeps_its_namespace_from_being_made_never_starts() {
    let rehearsal = of_case("namespace-deadlock", None);
    let stuck = rehearsal.stuck.iter();
    let fails = stuck.filter(|stuck| stuck.cause == Cause::Fails);
    let told: Vec<(&str, &str)> = fails
        .map(|stuck| (stuck.name.as_str(), stuck.message.as_deref().unwrap()))
        .collect();
    let expected = [
        ("forms", r#"namespaces "forms" not found"#),
        ("layers", r#"namespaces "issuers" not found"#),
        ("shop", r#"namespaces "shop" not found"#),
        ("web", r#"namespaces "web" not found"#),
    ];
    assert_eq!(told, expected);
    // What they would have created waits with them.
    assert_eq!(started(&rehearsal), [["Kustomization/crds"]]);
}

#[test]
fn a_race_costs_the_interval_or_the_retry_of_the_unit_that_fails() {
    let rehearsal = of_case("weak-gate", None);
    assert!(rehearsal.completes());
    let steps: Vec<_> = rehearsal.waves.iter().flatten().collect();
    let races: Vec<_> = steps.iter().filter(|step| !step.races.is_empty()).collect();
    // What waits for the one that fails need not fail itself.
    assert_eq!(races.len(), 1);
    assert_eq!(races[0].name, "eso-config");
    assert_eq!(races[0].races[0].retry, Some(60));
    // A minute for the retry, and half of one until `web` looks again.
    assert_eq!(rehearsal.waiting, 90);
    let path: Vec<&str> = rehearsal
        .critical_path
        .iter()
        .map(|link| link.name.as_str())
        .collect();
    assert_eq!(path, ["eso", "eso-config", "web"]);
}

#[test]
fn what_is_left_out_takes_with_it_what_waits_for_it() {
    let rehearsal = of_case("weak-gate-is-silent", Some("eso"));
    let never: Vec<&str> = rehearsal
        .stuck
        .iter()
        .filter(|stuck| stuck.kind == "Kustomization")
        .map(|stuck| stuck.name.as_str())
        .collect();
    assert_eq!(never, ["eso", "eso-config", "web"]);
}

#[test]
fn a_component_that_does_not_exist_is_answered_with_the_nearest_name() {
    let request = Request {
        repo: Some(content()),
        config: None,
        ..Request::default()
    };
    let unknown = |name| {
        let rehearsed = pipeline::rehearse(&request, Some(name)).unwrap();
        rehearsed.rehearsals.unwrap_err().to_string()
    };
    assert_eq!(
        unknown("postgre"),
        "there is no component `postgre`; did you mean `postgres`?"
    );
    assert!(unknown("nobody").contains("`catalog graph --format json` lists all components"));
}

#[test]
fn circles_and_what_is_missing_never_start() {
    let circle = of_case("dependency-cycle", None);
    let names: Vec<&str> = circle.stuck.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
    let dangling = of_case("dangling-dependency", None);
    assert_eq!(dangling.stuck.len(), 2);
    assert!(
        dangling.stuck[0]
            .message
            .as_deref()
            .unwrap()
            .contains("not found")
    );
}

#[test]
fn the_example_starts_but_for_its_hazards() {
    for rehearsal in rehearse(&content(), None) {
        let fails: Vec<&str> = rehearsal
            .stuck
            .iter()
            .filter(|stuck| stuck.cause == Cause::Fails)
            .map(|stuck| stuck.name.as_str())
            .collect();
        assert_eq!(fails, ["traefik"]);
        let racing: Vec<&str> = rehearsal
            .waves
            .iter()
            .flatten()
            .filter(|step| !step.races.is_empty())
            .map(|step| step.name.as_str())
            .collect();
        assert_eq!(racing, ["postgres"]);
        assert!(
            diagram(&rehearsal)
                .mermaid()
                .contains("races with cloudnative-pg")
        );
    }
}

/// Rules that report that something in a cluster never starts, or only after retries.
const ORDERING: [&str; 10] = [
    "crd-deadlock",
    "namespace-deadlock",
    "weak-gate",
    "webhook-race",
    "crd-unordered",
    "dangling-dependency",
    "dependency-wrong-kind",
    "dependency-disabled",
    "dependency-suspended",
    "dependency-cycle",
];

#[test]
fn the_rehearsal_shows_a_deadlock_or_race_wherever_a_check_reports_one_and_nowhere_else() {
    let mut disagree = Vec::new();
    for case in case::all("check") {
        let directory = case.lay_out();
        let reading = crate::check::read(directory.path());
        let open = reading.findings.open.iter().filter(|finding| {
            let is_fault = finding.severity == base::Severity::Error;
            // Files of a unit whose directory is missing may be elsewhere.
            ORDERING.contains(&finding.rule) || is_fault && finding.rule != "path-missing"
        });
        let found: Vec<&str> = open.map(|finding| finding.rule).collect();
        let happens = reading.rehearsals.iter().any(|rehearsal| {
            let mut started = rehearsal.waves.iter().flatten();
            let mut stuck = rehearsal.stuck.iter();
            // What a suspended unit creates is not meant to start, unless something depends on it.
            let is_meant = found.is_empty() && stuck.any(|one| one.cause == Cause::Wanted);
            !is_meant && !rehearsal.completes() || started.any(|unit| !unit.races.is_empty())
        });
        if found.is_empty() == happens {
            disagree.push(format!("{}: {found:?}, {happens}", case.name));
        }
    }
    assert_eq!(disagree, [""; 0]);
}

#[test]
fn check_and_rehearse_say_what_an_unread_base_may_define() {
    let unit = |name: &str, more: &str| {
        format!(
            "---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\nspec:\n  interval: 10m\n  path: ./apps/{name}\n  sourceRef: {{kind: GitRepository, name: flux-system}}\n{more}"
        )
    };
    let units = [
        unit("base", ""),
        unit("monitoring", "  wait: true\n"),
        unit("web", "  dependsOn: [{name: base}]\n"),
    ];
    let directory = repo(&[
        (
            "catalog.toml",
            "[[cluster]]\nname = \"prod\"\nroot = \"clusters/prod\"\n",
        ),
        ("clusters/prod/units.yaml", &units.concat()),
        (
            "apps/base/kustomization.yaml",
            "resources:\n  - https://git.example.com/acme/platform//base?ref=v1.2.3\n",
        ),
        (
            "apps/monitoring/release.yaml",
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: monitoring, namespace: default}\nspec:\n  interval: 1h\n  chart:\n    spec:\n      chart: kube-prometheus-stack\n      version: 1.2.3\n      sourceRef: {kind: HelmRepository, name: charts}\n---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {name: charts, namespace: default}\nspec: {interval: 1h, url: 'https://charts.example.com'}\n",
        ),
        (
            "apps/web/monitor.yaml",
            "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: web, namespace: default}\n",
        ),
    ]);
    let said =
        "1 remote base not read, 1 API group that these may define, so their order is not judged";
    for command in ["check", "rehearse"] {
        let output = catalog(&[command], directory.path());
        let error = stderr(&output);
        assert!(error.contains(said), "{command}: {error}");
        let output = catalog(&[command, "--format", "json"], directory.path());
        let report: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
        assert_eq!(report["unseen"]["remote_bases"], 1, "{command}");
        assert_eq!(report["unseen"]["assumed_groups"], 1, "{command}");
    }
}
