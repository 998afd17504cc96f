//! The platforms that the benchmark measures are read as they were meant.

#[path = "../../benches/platform.rs"]
mod generator;

use std::collections::BTreeSet;

use base::Severity;
use catalog::catalog::{Catalog, ComponentIx, UnitView};
use catalog::pipeline::{self, Request};

use generator::{Platform, SECRET_STORE, SECRETS_OPERATOR, Shape};

const COMPONENTS: usize = 60;

fn read() -> (Platform, Catalog) {
    let directory = tempfile::tempdir().unwrap();
    let platform = generator::write(directory.path(), COMPONENTS).unwrap();
    let request = Request {
        repo: Some(directory.path().to_path_buf()),
        config: None,
        ..Request::default()
    };
    let reading = pipeline::check(&request).unwrap();
    let errors: Vec<_> = reading
        .findings
        .open
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    (platform, reading.catalog)
}

fn id(catalog: &Catalog, index: ComponentIx) -> &str {
    &catalog.components[index].id.0
}

#[test]
fn a_generated_platform_is_catalogued_whole() {
    let (platform, catalog) = read();
    let mut names: Vec<&str> = platform
        .components
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    names.sort_unstable();
    let found: Vec<&str> = catalog
        .components
        .indices()
        .map(|at| id(&catalog, at))
        .collect();
    assert_eq!(found, names);
    let clusters: Vec<&str> = catalog
        .clusters
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(clusters, generator::ENVIRONMENTS);
    assert!(catalog.components.iter().all(|one| {
        one.environments
            .iter()
            .map(|environment| environment.name.as_str())
            .eq(generator::ENVIRONMENTS)
    }));
    // Five files to a component; those of the layers and clusters weigh more in a small platform.
    assert!((5 * COMPONENTS..5 * COMPONENTS + 80).contains(&platform.yaml_files));
    assert!(platform.yaml_bytes > 500 * platform.yaml_files);
}

#[test]
fn every_dependency_of_a_generated_platform_is_found() {
    let (platform, catalog) = read();
    for cluster in catalog.clusters.iter() {
        let unbuilt = |unit: &&UnitView| unit.path.is_some() && unit.resources.is_none();
        assert_eq!(cluster.units.iter().filter(unbuilt).count(), 0);
        let units: BTreeSet<_> = cluster.units.iter().map(|unit| &unit.id).collect();
        let depends_on = cluster.units.iter().flat_map(|unit| &unit.depends_on);
        let dangling: Vec<_> = depends_on.filter(|id| !units.contains(id)).collect();
        assert!(dangling.is_empty(), "{dangling:?}");
    }
    let name = |at: usize| platform.components[at].name.as_str();
    let mut planned: BTreeSet<(&str, &str, &str)> = BTreeSet::new();
    for one in &platform.components {
        for needed in &one.waits_for {
            planned.insert((&one.name, name(*needed), "Flux dependsOn"));
        }
        if let Some(called) = one.calls {
            planned.insert((&one.name, name(called), "calls its service"));
        }
        if one.reads_secrets() {
            planned.insert((&one.name, name(SECRET_STORE), "uses its secret store"));
        }
        if one.reads_secrets() || one.shape == Shape::SecretStore {
            planned.insert((&one.name, name(SECRETS_OPERATOR), "needs its CRD"));
        }
    }
    let edges = catalog.edges.iter();
    let found: BTreeSet<(&str, &str, &str)> = edges
        .map(|edge| {
            (
                id(&catalog, edge.from),
                id(&catalog, edge.to),
                edge.relation.reason(),
            )
        })
        .collect();
    let missing: Vec<_> = planned.difference(&found).collect();
    let unplanned: Vec<_> = found.difference(&planned).collect();
    assert!(
        missing.is_empty() && unplanned.is_empty(),
        "missing {missing:#?}, not planned {unplanned:#?}"
    );
}
