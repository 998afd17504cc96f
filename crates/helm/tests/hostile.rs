//! Charts that try to exceed the limits: each costs one fault, in little time.

#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::sync::Arc;

use base::steps::counted;
use catalog_helm::{
    Capabilities, ChartRelease, Data, Flavour, Package, PackageFile, Rendered, render,
};
use flate2::Compression;
use flate2::write::GzEncoder;

const CHART: &str = "apiVersion: v2\nname: hostile\nversion: 0.1.0\n";

fn rendered(template: &str) -> Rendered {
    let files = vec![
        PackageFile::new("Chart.yaml", CHART.as_bytes()),
        PackageFile::new("templates/a.yaml", template.as_bytes()),
    ];
    let package = Arc::new(Package::from_directory(files).unwrap());
    let release = ChartRelease {
        name: "r".into(),
        namespace: "n".into(),
        flavour: Flavour::Helm3,
    };
    render(
        &package,
        &Data::map(),
        &release,
        &Capabilities::offline(Flavour::Helm3),
    )
}

#[test]
fn every_bomb_is_one_fault() {
    let long = format!("a: {}", "x".repeat(10 * 1024 * 1024));
    let nested = "a: {{ ((1)) }}";
    let deep = format!("{{{{ {}1{} }}}}", "(".repeat(5_000), ")".repeat(5_000));
    let many_ifs = "{{ if true }}".repeat(3_000) + &"{{ end }}".repeat(3_000);
    let bombs = [
        r#"{{ define "r" }}{{ include "r" . }}{{ end }}{{ include "r" . }}"#,
        r#"{{ define "r" }}{{ template "r" . }}{{ end }}{{ template "r" . }}"#,
        r#"{{ define "r" }}{{ include "r" . }}{{ include "r" . }}{{ end }}{{ include "r" . }}"#,
        r#"{{ $t := "{{ tpl .t . }}" }}{{ tpl $t (dict "t" $t) }}"#,
        r#"{{ range until 100000000 }}x{{ end }}"#,
        r#"{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}"#,
        r#"{{ repeat 1000000000 "x" }}"#,
        r#"{{ $x := repeat 1000 "x" }}{{ range until 100 }}{{ $x = print $x $x }}{{ end }}{{ $x }}"#,
        r#"{{ $x := dict "a" 1 }}{{ range until 60 }}{{ $x = dict "a" $x "b" $x }}{{ end }}{{ toYaml $x }}"#,
        r#"{{ $x := dict "a" 1 }}{{ range until 60 }}{{ $x = dict "a" $x "b" $x }}{{ end }}{{ toJson $x }}"#,
        r#"{{ $x := dict "a" 1 }}{{ range until 60 }}{{ $x = dict "a" $x "b" $x }}{{ end }}{{ deepCopy $x }}"#,
        r#"{{ $x := dict "a" 1 }}{{ range until 60 }}{{ $x = dict "a" $x "b" $x }}{{ end }}{{ $x }}"#,
        r#"{{ $x := dict }}{{ $_ := set $x "self" $x }}{{ toYaml $x }}"#,
        r#"{{ $x := dict }}{{ $_ := set $x "self" $x }}{{ print $x }}"#,
        r#"{{ $x := dict }}{{ $_ := set $x "self" $x }}{{ deepEqual $x (deepCopy $x) }}"#,
        r#"{{ $_ := set . "self" . }}{{ toJson . }}"#,
        r#"{{ $x := list }}{{ range until 200000 }}{{ $x = list $x }}{{ end }}{{ toJson $x }}"#,
        r#"{{ nindent 1000000 (repeat 100000 "\n") }}"#,
        r#"{{ replace "" (repeat 10000 "x") (repeat 1000000 "y") }}"#,
        r#"{{ printf "%1000000000d" 1 | repeat 1000 }}"#,
        r#"{{ join (repeat 100000 "x") (until 100000) }}"#,
        r#"{{ regexReplaceAll "" (repeat 1000000 "a") (repeat 100000 "b") }}"#,
        r#"{{ $x := printf "[%s1]" (repeat 3000000 "{\"a\":1},") }}{{ fromJson $x }}"#,
        r#"{{ fromYaml (repeat 3000000 "- a: 1\n") }}"#,
        r#"{{ $x := repeat 10000000 "a" }}{{ range until 100000 }}{{ $_ := contains "b" $x }}{{ end }}"#,
        r#"{{ $x := list (repeat 10000000 "a") }}{{ range until 100000 }}{{ $_ := has (repeat 3 "b") $x }}{{ $_ := deepEqual $x (list (index $x 0)) }}{{ end }}"#,
        r#"{{ printf (repeat 100000 "%[1]s") (repeat 100000 "x") }}"#,
        r#"{{ wrapWith 1 (repeat 10000 "x") (repeat 1000000 "a ") }}"#,
        r#"{{ $x := wrap 1 (repeat 10000000 "a ") }}{{ range until 100 }}{{ $x = wrap 1 $x }}{{ end }}"#,
        r#"{{ $x := repeat 30000000 "a" }}{{ len (splitList "" $x) }}"#,
        r#"{{ range until 100 }}{{ $_ := tpl (print . (repeat 10000000 "{{ 1 }}")) $ }}{{ end }}"#,
        r#"{{ regexMatch "(a|aa){2000}$" (repeat 10000000 "a") }}{{ fail "x" }}"#,
        r#"{{ fail (repeat 30000000 "a") }}"#,
        "{{ 'a",
        r#"{{ repeat 3000000 "---\na: 1\n" }}"#,
        deep.as_str(),
        many_ifs.as_str(),
    ];
    for bomb in bombs {
        let shown: String = bomb.chars().take(80).collect();
        let work = counted(|| {
            let rendered = rendered(bomb);
            let first = rendered.faults.first();
            assert_eq!(rendered.faults.len(), 1, "{shown}: {first:?}");
            assert!(rendered.faults[0].message.len() < 100_000, "{shown}");
        });
        assert!(work < MOST_WORK, "{shown} takes {work} steps");
    }
    assert_eq!(rendered(&long).faults, []);
    assert_eq!(rendered(nested).faults, []);
}

/// What a chart with these files costs, at once.
fn assert_costs_one_fault(files: Vec<PackageFile>, values: &Data) {
    let release = ChartRelease {
        name: "r".into(),
        namespace: "n".into(),
        flavour: Flavour::Helm4,
    };
    let capabilities = Capabilities::offline(Flavour::Helm4);
    let first = files.last().map(|file| file.path.clone());
    let work = counted(|| match Package::from_directory(files) {
        Err(message) => assert!(message.contains("more than"), "{message}"),
        Ok(package) => {
            let rendered = render(&Arc::new(package), values, &release, &capabilities);
            assert!(rendered.faults.len() == 1, "{:?}", rendered.faults);
        }
    });
    assert!(work < MOST_WORK, "{first:?} takes {work} steps");
}

/// All limits of a run together, and what reading texts takes.
const MOST_WORK: u64 = 1_000_000_000;

#[test]
fn values_schemas_and_subcharts_cannot_explode() {
    let file = |path: &str, text: &str| PackageFile::new(path, text.as_bytes());
    let map = "- a: 1\n".repeat(300_000);
    assert_costs_one_fault(
        vec![
            file("Chart.yaml", CHART),
            file("values.yaml", &format!("a:\n{map}")),
        ],
        &Data::map(),
    );
    // Each of many subcharts is given a copy of the global values.
    let mut chart = CHART.to_owned() + "dependencies:\n";
    for nth in 0..400 {
        chart += &format!("- {{name: s, version: 1.0.0, alias: s{nth}}}\n");
    }
    let globals = format!("global:\n  a:\n{}", "  - a: 1\n".repeat(50_000));
    let part = "apiVersion: v2\nname: s\nversion: 1.0.0\n";
    for (own, inner) in [(globals.as_str(), ""), ("", globals.as_str())] {
        let files = vec![
            file("Chart.yaml", &chart),
            file("charts/s/Chart.yaml", part),
            file("charts/s/values.yaml", inner),
            file("values.yaml", own),
        ];
        assert_costs_one_fault(files, &Data::map());
    }
    // Patterns that take long to compile, for many values.
    let patterns: Vec<String> = (0..2_000)
        .map(|nth| format!("\"^{nth}\\\\w{{200}}\": {{}}"))
        .collect();
    let schema = format!(
        "{{\"properties\": {{\"a\": {{\"items\": {{\"patternProperties\": {{{}}}}}}}}}}}",
        patterns.join(",")
    );
    let values = catalog_helm::read_yaml(&format!("a:\n{}", "- a: 1\n".repeat(50_000)));
    assert_costs_one_fault(
        vec![
            file("Chart.yaml", CHART),
            file("values.schema.json", &schema),
        ],
        &values.unwrap(),
    );
}

/// A tar archive of one entry.
fn archive(name: &str, kind: u8, content: &[u8]) -> Vec<u8> {
    let mut header = [0u8; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    let size = format!("{:011o}", content.len());
    header[124..135].copy_from_slice(size.as_bytes());
    header[156] = kind;
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    let mut bytes = header.to_vec();
    bytes.extend(content);
    bytes.resize(bytes.len().div_ceil(512) * 512 + 1024, 0);
    bytes
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn archives_cannot_escape_or_explode() {
    let chart = packed(&archive("hostile/Chart.yaml", b'0', CHART.as_bytes()));
    assert!(Package::from_archive(&chart).is_ok());
    let bad = [
        packed(&archive("/etc/passwd", b'0', b"x")),
        packed(&archive("hostile/../../x", b'0', b"x")),
        packed(&archive("hostile/C:/x", b'0', b"x")),
        packed(&archive("Chart.yaml", b'0', CHART.as_bytes())),
        packed(&archive("hostile/link", b'2', b"")),
        packed(&archive("hostile/link", b'1', b"")),
        packed(&archive("hostile/large", b'0', &vec![0; 6 * 1024 * 1024])),
        packed(&vec![0; 101 * 1024 * 1024]),
        packed(b"no archive at all").repeat(3),
        chart[..chart.len() / 2].to_vec(),
        b"x".to_vec(),
        Vec::new(),
    ];
    for (nth, bytes) in bad.iter().enumerate() {
        assert!(Package::from_archive(bytes).is_err(), "{nth}");
    }
}
