//! The cluster as charts see it, and the API versions that they ask for.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use catalog_helm::{
    Capabilities, ChartRelease, Data, Flavour, Package, PackageFile, Rendered, render,
};

fn rendered(template: &str, capabilities: &Capabilities) -> Rendered {
    let files = vec![
        PackageFile::new(
            "Chart.yaml",
            &b"apiVersion: v2\nname: a\nversion: 0.1.0\n"[..],
        ),
        PackageFile::new("templates/a.yaml", template.as_bytes()),
    ];
    let package = Arc::new(Package::from_directory(files).unwrap());
    let release = ChartRelease {
        name: "r".into(),
        namespace: "n".into(),
        flavour: Flavour::Helm3,
    };
    render(&package, &Data::map(), &release, capabilities)
}

const MONITOR: &str = r#"{{- if .Capabilities.APIVersions.Has "monitoring.coreos.com/v1" }}
kind: ServiceMonitor
{{- else if and (.Capabilities.APIVersions.Has "apps/v1") (not ($.Capabilities.APIVersions.Has "a.b/v1/C")) }}
kind: Other
{{- end }}
"#;

#[test]
fn api_versions_that_the_cluster_lacks_are_listed() {
    let mut cluster = Capabilities::offline(Flavour::Helm3);
    let without = rendered(MONITOR, &cluster);
    assert_eq!(without.manifests[0].text, "kind: Other\n");
    let missing: Vec<&str> = without.asked.missing.iter().map(|it| it.as_str()).collect();
    assert_eq!(missing, ["a.b/v1/C", "monitoring.coreos.com/v1"]);
    assert!(!without.asked.reads_list);
    cluster.api_versions.push("monitoring.coreos.com/v1".into());
    let with = rendered(MONITOR, &cluster);
    assert_eq!(with.manifests[0].text, "kind: ServiceMonitor\n");
    assert_eq!(with.asked, Default::default());
}

#[test]
fn templates_that_read_the_whole_list_are_told() {
    let cluster = Capabilities::offline(Flavour::Helm3);
    for template in [
        "{{ range .Capabilities.APIVersions }}{{ if eq . \"x/v1\" }}a: 1{{ end }}{{ end }}",
        "{{ $all := .Capabilities.APIVersions }}a: {{ has \"x/v1\" $all }}",
    ] {
        let rendered = rendered(template, &cluster);
        assert_eq!(rendered.faults, [], "{template}");
        assert!(rendered.asked.reads_list, "{template}");
    }
    let other = rendered("a: {{ .Capabilities.KubeVersion.Version }}", &cluster);
    assert_eq!(other.manifests[0].text, "a: v1.32.0\n");
    assert_eq!(other.asked, Default::default());
}

#[test]
fn the_list_of_what_is_missing_has_a_limit() {
    let cluster = Capabilities::offline(Flavour::Helm3);
    let template = "{{ range until 9999 }}{{ $_ := $.Capabilities.APIVersions.Has (print . \"/v1\") }}{{ end }}";
    let rendered = rendered(template, &cluster);
    assert_eq!(rendered.faults, []);
    assert_eq!(rendered.asked.missing.len(), 200);
}
