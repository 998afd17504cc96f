//! What pages say of the manifests: names, addresses and dependencies as a cluster has them.

use crate::cli::repo;
use crate::entry::unit;
use crate::site::{build, text};

/// An operator, and a component that asks it for a Secret.
fn asking(target: &str) -> tempfile::TempDir {
    let operator = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n\
                    metadata: {name: external-secrets, namespace: secrets}\n\
                    spec: {chart: {spec: {chart: external-secrets, sourceRef: {kind: HelmRepository, name: x}}}}\n";
    let request = format!(
        "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {{name: web, namespace: web}}\n\
         spec:\n  secretStoreRef: {{kind: ClusterSecretStore, name: vault}}\n{target}"
    );
    repo(&[
        (
            "fleet/a.yaml",
            &(unit("operator", "./operator", "") + &unit("web", "./web", "")),
        ),
        ("operator/release.yaml", operator),
        ("web/secret.yaml", &request),
    ])
}

/// The page of the component that asks, as Markdown.
fn page_of_web(target: &str) -> String {
    let site = build(asking(target).path());
    text(&site, "components/web.md").to_owned()
}

#[test]
fn the_way_of_a_secret_ends_at_the_name_that_its_target_has() {
    let named = page_of_web("  target: {name: web-credentials}\n");
    assert!(named.contains("Secret web-credentials"), "{named}");
    assert!(named.contains("ExternalSecret web"), "{named}");
    assert!(named.contains("creates and updates"), "{named}");

    let merged = page_of_web("  target: {name: shared, creationPolicy: Merge}\n");
    assert!(merged.contains("Secret shared"), "{merged}");
    assert!(merged.contains("adds to it"), "{merged}");

    let unnamed = page_of_web("  target: {creationPolicy: Owner}\n");
    assert!(unnamed.contains("as Secret web\n"), "{unnamed}");

    let nothing = page_of_web("  target: {name: shared, creationPolicy: None}\n");
    assert!(!nothing.contains("Secret shared"), "{nothing}");
}
