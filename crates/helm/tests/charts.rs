//! Charts that use every feature, compared with what Helm made of them: `record.py` records it again.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::FileId;
use catalog_helm::{
    Capabilities, ChartRelease, Data, Flavour, Package, PackageFile, Rendered, RenderedManifest,
    read_yaml, render,
};

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn files(directory: &Path, prefix: &str, found: &mut Vec<PackageFile>) {
    let mut entries: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(Result::unwrap)
        .collect();
    entries.sort_by_key(|entry| entry.file_name());
    for entry in entries {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            files(&entry.path(), &format!("{name}/"), found);
        } else {
            found.push(PackageFile::new(name, fs::read(entry.path()).unwrap()));
        }
    }
}

fn rendered(package: Package, values: &Data, flavour: Flavour) -> Rendered {
    let release = ChartRelease {
        name: "release-name".into(),
        namespace: "default".into(),
        flavour,
    };
    let capabilities = Capabilities::offline(flavour);
    render(&Arc::new(package), values, &release, &capabilities)
}

/// Manifests by their template and number, without white space around them.
fn recorded(text: &str) -> BTreeMap<String, Vec<String>> {
    let mut by_template: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut template = String::new();
    for part in format!("\n{text}").split("\n---") {
        let part = part.trim();
        let stated = part.strip_prefix("# Source: ");
        let part = match stated {
            Some(rest) => {
                let (name, rest) = rest.split_once('\n').unwrap_or((rest, ""));
                template = name.to_owned();
                rest.trim()
            }
            None => part,
        };
        let is_empty = part.lines().all(|line| line.starts_with('#'));
        if !is_empty {
            let manifests = by_template.entry(template.clone()).or_default();
            manifests.push(part.to_owned());
            manifests.sort();
        }
    }
    by_template
}

fn ours(manifests: &[RenderedManifest]) -> BTreeMap<String, Vec<String>> {
    let mut by_template: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for manifest in manifests {
        let found = by_template
            .entry(manifest.template.to_string())
            .or_default();
        found.push(manifest.text.trim().to_owned());
        found.sort();
    }
    by_template
}

#[test]
fn charts_are_rendered_as_helm_does() {
    let mut count = 0;
    for entry in fs::read_dir(here().join("recorded")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Some(case) = name.strip_suffix(".yaml") else {
            continue;
        };
        let mut parts = case.split('.');
        let chart = here().join("charts").join(parts.next().unwrap());
        let (flavour, sets): (_, Vec<&str>) = match parts.collect::<Vec<_>>().split_last().unwrap()
        {
            (&"helm4", sets) => (Flavour::Helm4, sets.to_vec()),
            (_, sets) => (Flavour::Helm3, sets.to_vec()),
        };
        let mut values = Data::map();
        for set in sets {
            let text = fs::read_to_string(chart.join(format!("{set}.yaml"))).unwrap();
            values.merge(&read_yaml(&text).unwrap());
        }
        let mut found = Vec::new();
        files(&chart, "", &mut found);
        let rendered = rendered(Package::from_directory(found).unwrap(), &values, flavour);
        assert_eq!(rendered.faults, [], "{name}");
        let expected = recorded(&fs::read_to_string(&path).unwrap());
        let actual = ours(&rendered.manifests);
        assert_eq!(
            actual.keys().collect::<Vec<_>>(),
            expected.keys().collect::<Vec<_>>(),
            "{name}"
        );
        for (template, manifests) in &expected {
            for (one, other) in actual[template].iter().zip(manifests) {
                for (one, other) in one.lines().zip(other.lines()) {
                    assert_eq!(one, other, "{name} {template}");
                }
            }
            assert_eq!(&actual[template], manifests, "{name} {template}");
        }
        count += 1;
    }
    assert!(count > 5);
}

const CHART: &str = "apiVersion: v2\nname: errors\nversion: 0.1.0\n";

fn one_template(name: &str, text: &str) -> Package {
    let files = vec![
        PackageFile::new("Chart.yaml", CHART.as_bytes()),
        PackageFile::new(
            "values.yaml",
            "num: 1\ns: text\nmap: {}\nlist: [1]\n".as_bytes(),
        ),
        PackageFile::new(format!("templates/{name}"), text.as_bytes()),
    ];
    Package::from_directory(files).unwrap()
}

#[test]
fn a_template_that_fails_has_helm_s_message() {
    let messages = fs::read_to_string(here().join("recorded/errors.txt")).unwrap();
    for message in messages.lines() {
        let (name, expected) = message.split_once(": ").unwrap();
        let text = fs::read_to_string(here().join("errors").join(name)).unwrap();
        let rendered = rendered(one_template(name, &text), &Data::map(), Flavour::Helm3);
        let [fault] = rendered.faults.as_slice() else {
            panic!("{name}: {:?}", rendered.faults);
        };
        assert_eq!(fault.message, expected, "{name}");
        assert!(fault.line.is_some(), "{name}");
    }
}

#[test]
fn every_line_has_the_line_that_wrote_it() {
    let text = "a: 1\n{{ if true }}\nb: {{ 2 }}\n{{ end }}\nc:\n{{ toYaml (list 1 2) }}\nd: 3\n";
    let rendered = rendered(one_template("a.yaml", text), &Data::map(), Flavour::Helm3);
    let [manifest] = rendered.manifests.as_slice() else {
        panic!("{:?}", rendered.faults);
    };
    let numbered: Vec<String> = manifest
        .text
        .lines()
        .zip(manifest.lines.iter())
        .filter(|(line, _)| !line.is_empty())
        .map(|(line, number)| format!("{number} {line}"))
        .collect();
    assert_eq!(
        numbered,
        ["1 a: 1", "3 b: 2", "5 c:", "6 - 1", "6 - 2", "7 d: 3"]
    );
    assert!(yaml::parse(&manifest.text, FileId(0)).findings.is_empty());
}

#[test]
fn other_templates_are_rendered_when_one_fails() {
    let files = vec![
        PackageFile::new("Chart.yaml", CHART.as_bytes()),
        PackageFile::new("templates/a.yaml", "kind: A\n".as_bytes()),
        PackageFile::new("templates/b.yaml", "kind: {{ fail \"no\" }}\n".as_bytes()),
        PackageFile::new("templates/c.yaml", "kind: {{ nope }}\n".as_bytes()),
    ];
    let package = Package::from_directory(files).unwrap();
    let rendered = rendered(package, &Data::map(), Flavour::Helm3);
    assert_eq!(rendered.manifests.len(), 1);
    assert_eq!(rendered.faults.len(), 2);
}

#[test]
fn random_values_are_the_same_each_time() {
    let text = "a: {{ randAlphaNum 24 }}\nb: {{ randAlphaNum 24 }}\nc: {{ now | date \"2006\" }}\nd: {{ (genCA \"x\" 1).Cert | b64enc }}\ne: {{ randAlphaNum 4 }}\nf: {{ uuidv4 }}\n";
    let run = || {
        let rendered = rendered(one_template("a.yaml", text), &Data::map(), Flavour::Helm3);
        assert_eq!(rendered.faults, []);
        rendered.manifests[0].text.clone()
    };
    let text = run();
    assert_eq!(text, run());
    let values: Vec<&str> = text.lines().map(|line| &line[3..]).collect();
    assert!(values[0].starts_with("placeholder") && values[0].len() == 24);
    assert_ne!(values[0], values[1]);
    assert_eq!(values[4].len(), 4);
}
