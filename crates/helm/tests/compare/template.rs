//! Renders a chart like `helm template --include-crds`, to compare both: `template CHART [-f FILE]... [NAME=VALUE]...`.

mod directory;

use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use catalog_helm::{
    Capabilities, ChartRelease, Data, Flavour, Package, PackageFile, read_yaml, render,
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut chart = None;
    let mut values = Data::map();
    let mut release = ChartRelease {
        name: "release-name".into(),
        namespace: "default".into(),
        flavour: Flavour::Helm3,
    };
    let mut kube_version = None;
    let mut api_versions = Vec::new();
    let mut times = 0;
    let mut shows_lines = false;
    let mut shows_unknown = false;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut next = || arguments.next().ok_or("an option has no value");
        match argument.as_str() {
            "-f" => values.merge(&read_yaml(&fs::read_to_string(next()?)?)?),
            "--name" => release.name = next()?.into(),
            "--namespace" => release.namespace = next()?.into(),
            "--kube-version" => kube_version = Some(next()?),
            "--api-versions" => api_versions.push(next()?.into()),
            "--helm4" => release.flavour = Flavour::Helm4,
            "--times" => times = next()?.parse()?,
            "--unknown" => shows_unknown = true,
            "--lines" => shows_lines = true,
            _ => chart = Some(argument),
        }
    }
    let mut capabilities = Capabilities::offline(release.flavour);
    if let Some(version) = kube_version {
        capabilities.kube_version = version.into();
    }
    capabilities.api_versions.extend(api_versions);
    let chart = chart.ok_or("no chart is given")?;
    let path = Path::new(&chart);
    let started = Instant::now();
    let package = if path.is_dir() {
        let files = directory::files(path)?.into_iter();
        let files = files.map(|(path, data)| PackageFile::new(path, data));
        Package::from_directory(files.collect())?
    } else {
        Package::from_archive(&fs::read(path)?)?
    };
    let package = Arc::new(package);
    if shows_unknown {
        for unknown in package.unknown_values(&values) {
            let nearest = unknown.nearest.map(|path| path.join("."));
            println!("{} {}", unknown.path.join("."), nearest.unwrap_or_default());
        }
        return Ok(());
    }
    let loaded = started.elapsed();
    let rendered = render(&package, &values, &release, &capabilities);
    let first = started.elapsed() - loaded;
    for manifest in &rendered.manifests {
        println!("---\n# Source: {}", manifest.template);
        if shows_lines {
            let numbered = manifest.text.lines().zip(manifest.lines.iter());
            numbered.for_each(|(line, number)| println!("{number:4} {line}"));
        } else {
            print!("{}", manifest.text);
        }
    }
    for fault in &rendered.faults {
        eprintln!(
            "Error: {:?} {:?}: {}",
            fault.kind, fault.line, fault.message
        );
    }
    if times > 0 {
        let started = Instant::now();
        for _ in 0..times {
            render(&package, &values, &release, &capabilities);
        }
        let each = started.elapsed() / times;
        eprintln!("load {loaded:?}, first {first:?}, then {each:?}");
    }
    if rendered.faults.is_empty() {
        Ok(())
    } else {
        Err("the chart has faults".into())
    }
}
