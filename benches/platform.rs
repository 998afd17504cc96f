//! A generator of platforms: GitOps repositories of any size in the style of real ones, the same
//! bytes on every machine. Every cluster builds every component; with two, five YAML files make one on average.
//! Writes below the directory that it is given, and nowhere else.

#[path = "platform/manifests.rs"]
mod manifests;
#[path = "platform/releases.rs"]
mod releases;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use manifests::*;
use releases::*;

/// What was written, as the catalogue should show it.
pub struct Platform {
    pub components: Vec<Component>,
    pub yaml_files: usize,
    pub yaml_bytes: usize,
}

pub struct Component {
    pub name: String,
    pub layer: &'static str,
    pub namespace: String,
    pub shape: Shape,
    /// The components that its unit waits for, by index.
    pub waits_for: Vec<usize>,
    /// The component whose service it calls.
    pub calls: Option<usize>,
    /// Picks what varies between components of one shape.
    variant: u64,
}

/// How a component is written down.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A chart, with an overlay for each environment: six files.
    OverlaidRelease,
    /// A chart that differs between environments by variables only: four files.
    PlainRelease,
    /// Plain manifests, with an overlay for each environment: five files.
    Manifests,
    /// The store that everybody reads secrets through.
    SecretStore,
}

pub const ENVIRONMENTS: [&str; 2] = ["dev", "prod"];
/// Stages of a larger company, each with two clusters.
const STAGES: [&str; 8] = [
    "sandbox", "ithc", "test", "demo", "perf", "preview", "staging", "prod",
];

/// Every component that reads secrets needs these two.
pub const SECRETS_OPERATOR: usize = 0;
pub const SECRET_STORE: usize = 1;

/// The names of that many environments: `dev` and `prod`, or else clusters of stages such as `prod-00`.
pub fn environments(count: usize) -> Vec<String> {
    match count {
        ..=2 => ENVIRONMENTS.map(str::to_owned).to_vec(),
        _ => (0..count)
            .map(|at| {
                format!(
                    "{}-{:02}",
                    STAGES[at / 2 % STAGES.len()],
                    at % 2 + at / 16 * 2
                )
            })
            .collect(),
    }
}

/// Writes a platform of so many components (at least two) into a directory, for `dev` and `prod`.
pub fn write(root: &Path, count: usize) -> io::Result<Platform> {
    write_for(root, count, &environments(2))
}

/// Writes a platform of so many components (at least two) into a directory, with a cluster for each environment.
pub fn write_for(root: &Path, count: usize, environments: &[String]) -> io::Result<Platform> {
    let components: Vec<Component> = (0..count.max(2)).map(|at| plan(at, count.max(2))).collect();
    let mut files = Files {
        root: root.to_path_buf(),
        yaml_files: 0,
        yaml_bytes: 0,
    };
    for environment in environments {
        write_cluster(&mut files, environment)?;
    }
    write_layers(&mut files, &components)?;
    for component in &components {
        write_component(&mut files, component, &components, environments)?;
    }
    Ok(Platform {
        yaml_files: files.yaml_files,
        yaml_bytes: files.yaml_bytes,
        components,
    })
}

impl Component {
    pub fn reads_secrets(&self) -> bool {
        self.shape == Shape::PlainRelease
    }

    fn directory(&self) -> String {
        format!("components/{}/{}", self.layer, self.name)
    }

    fn has_overlays(&self) -> bool {
        matches!(self.shape, Shape::OverlaidRelease | Shape::Manifests)
    }
}

const LAYERS: [&str; 20] = [
    "infrastructure-core",
    "infrastructure-network",
    "infrastructure-storage",
    "infrastructure-security",
    "infrastructure-delivery",
    "infrastructure-observability",
    "data-postgres",
    "data-cache",
    "data-messaging",
    "data-search",
    "data-warehouse",
    "apps-identity",
    "apps-payments",
    "apps-products",
    "apps-orders",
    "apps-logistics",
    "apps-marketing",
    "apps-support",
    "apps-analytics",
    "apps-edge",
];

const DOMAINS: [&str; 25] = [
    "account", "audit", "basket", "billing", "booking", "campaign", "claims", "content",
    "customer", "delivery", "device", "fleet", "fraud", "invoice", "ledger", "loyalty", "market",
    "media", "partner", "pricing", "quote", "refund", "shipping", "stock", "tariff",
];
const SUBJECTS: [&str; 20] = [
    "archive", "batch", "bridge", "cache", "chart", "event", "export", "feed", "index", "intake",
    "limit", "notice", "policy", "query", "report", "route", "rule", "score", "stream", "token",
];
const ROLES: [&str; 20] = [
    "agent",
    "broker",
    "builder",
    "collector",
    "console",
    "consumer",
    "engine",
    "exporter",
    "fetcher",
    "gateway",
    "importer",
    "keeper",
    "mapper",
    "planner",
    "proxy",
    "reader",
    "scheduler",
    "server",
    "watcher",
    "worker",
];

fn plan(at: usize, count: usize) -> Component {
    let layer = at * LAYERS.len() / count;
    let variant = mix(at as u64);
    let (name, shape) = match at {
        SECRETS_OPERATOR => ("external-secrets".to_owned(), Shape::OverlaidRelease),
        SECRET_STORE => ("secret-store".to_owned(), Shape::SecretStore),
        _ => (
            name(at),
            [
                Shape::OverlaidRelease,
                Shape::PlainRelease,
                Shape::Manifests,
            ][at % 3],
        ),
    };
    let waits_for = waits_for(at, count, layer, variant);
    let calls = waits_for
        .first()
        .copied()
        .filter(|first| *first > SECRET_STORE);
    Component {
        name,
        layer: LAYERS[layer],
        namespace: namespace(at, layer, count),
        shape,
        waits_for,
        calls,
        variant,
    }
}

/// Two or three components of the layer before; in the first layer, those that secrets need.
fn waits_for(at: usize, count: usize, layer: usize, variant: u64) -> Vec<usize> {
    if layer == 0 {
        return (SECRETS_OPERATOR..=SECRET_STORE)
            .filter(|needed| *needed < at)
            .collect();
    }
    let (start, end) = (first_of(layer - 1, count), first_of(layer, count));
    let mut chosen = Vec::new();
    for nth in 0..2 + variant % 2 {
        let one = start + (mix(variant + nth) as usize) % (end - start).max(1);
        if one < at && !chosen.contains(&one) {
            chosen.push(one);
        }
    }
    chosen
}

/// The first component of a layer.
fn first_of(layer: usize, count: usize) -> usize {
    (layer * count).div_ceil(LAYERS.len())
}

/// Eight components share a namespace, and no namespace is shared by two layers.
fn namespace(at: usize, layer: usize, count: usize) -> String {
    let teams = count / LAYERS.len() / 8 + 1;
    let team = layer * (teams + 1) + (at - first_of(layer, count)) / 8;
    format!("{}-{}", DOMAINS[team % DOMAINS.len()], team + 1)
}

/// A name of three words that no other component has.
fn name(at: usize) -> String {
    let names = DOMAINS.len() * SUBJECTS.len() * ROLES.len();
    // The stride shares no factor with the number of names, so that all of them are used in turn.
    let nth = at * 7919 % names;
    let domain = DOMAINS[nth % DOMAINS.len()];
    let subject = SUBJECTS[nth / DOMAINS.len() % SUBJECTS.len()];
    let role = ROLES[nth / DOMAINS.len() / SUBJECTS.len()];
    match at / names {
        0 => format!("{domain}-{subject}-{role}"),
        again => format!("{domain}-{subject}-{role}-{}", again + 1),
    }
}

/// Spreads a number over all bits: the only source of variety here.
fn mix(n: u64) -> u64 {
    let mut z = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

struct Files {
    root: PathBuf,
    yaml_files: usize,
    yaml_bytes: usize,
}

impl Files {
    fn write(&mut self, path: &str, text: &str) -> io::Result<()> {
        if path.ends_with(".yaml") {
            self.yaml_files += 1;
            self.yaml_bytes += text.len();
        }
        let path = self.root.join(path);
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory)?;
        }
        fs::write(path, text)
    }
}

/// Puts values where a template has `<key>`.
fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut text = template.trim_start_matches('\n').to_owned();
    for (key, value) in values {
        text = text.replace(&format!("<{key}>"), value);
    }
    text
}

fn write_cluster(files: &mut Files, environment: &str) -> io::Result<()> {
    let cluster = format!("clusters/{environment}");
    let values = [("environment", environment)];
    for (path, template) in [
        ("flux-system/gotk-sync.yaml", GOTK_SYNC),
        ("flux-system/kustomization.yaml", GOTK_KUSTOMIZATION),
        ("kustomization.yaml", CLUSTER_KUSTOMIZATION),
        ("cluster-vars-patch.yaml", CLUSTER_VARS_PATCH),
        ("environment.env", CLUSTER_ENV),
    ] {
        files.write(&format!("{cluster}/{path}"), &fill(template, &values))?;
    }
    Ok(())
}

fn write_layers(files: &mut Files, components: &[Component]) -> io::Result<()> {
    let mut listed = String::new();
    for (at, layer) in LAYERS.iter().enumerate() {
        let own: Vec<&Component> = components
            .iter()
            .filter(|one| one.layer == *layer)
            .collect();
        let mut namespaces: Vec<&str> = own.iter().map(|one| one.namespace.as_str()).collect();
        namespaces.dedup();
        let objects: String = namespaces
            .iter()
            .map(|namespace| fill(NAMESPACE, &[("namespace", namespace)]))
            .collect();
        files.write(&format!("layers/{layer}/namespaces.yaml"), &objects)?;
        let entries: String = own
            .iter()
            .map(|one| format!("  - {}.yaml\n", one.name))
            .collect();
        let text = fill(
            LAYER_KUSTOMIZATION,
            &[("layer", layer), ("entries", &entries)],
        );
        files.write(&format!("layers/{layer}/kustomization.yaml"), &text)?;
        let waits = match at {
            0 => String::new(),
            _ => format!("  dependsOn:\n    - name: {}\n", LAYERS[at - 1]),
        };
        let text = fill(LAYER, &[("layer", layer), ("waits", &waits)]);
        files.write(&format!("platform/{layer}.yaml"), &text)?;
        listed += &format!("  - {layer}.yaml\n");
    }
    let text = fill(PLATFORM_KUSTOMIZATION, &[("entries", &listed)]);
    files.write("platform/kustomization.yaml", &text)?;
    files.write("platform/charts.yaml", CHARTS.trim_start_matches('\n'))?;
    files.write(
        "platform/platform.env",
        PLATFORM_ENV.trim_start_matches('\n'),
    )
}

fn write_component(
    files: &mut Files,
    one: &Component,
    all: &[Component],
    environments: &[String],
) -> io::Result<()> {
    let directory = one.directory();
    let path = if one.has_overlays() {
        format!("{directory}/overlays/${{ENVIRONMENT}}")
    } else {
        directory.clone()
    };
    let mut waits = String::new();
    for at in &one.waits_for {
        waits += if waits.is_empty() {
            "  dependsOn:\n"
        } else {
            ""
        };
        waits += &format!("    - name: {}\n", all[*at].name);
    }
    let upstream = one.calls.map_or_else(String::new, |at| {
        let (name, namespace) = (&all[at].name, &all[at].namespace);
        format!("http://{name}.{namespace}.svc.cluster.local:8080")
    });
    let version = format!(
        "{}.{}.{}",
        1 + one.variant % 4,
        one.variant % 17,
        one.variant % 9
    );
    let port = (8000 + one.variant % 1000).to_string();
    let chart = match one.name.as_str() {
        "external-secrets" => "external-secrets",
        _ => [
            "app-template",
            "service",
            "stateful-service",
            "cron-service",
        ][one.variant as usize % 4],
    };
    let extra = extra_values(one);
    let values = [
        ("extra", extra.as_str()),
        ("waits", &waits),
        ("name", &one.name),
        ("namespace", &one.namespace),
        ("layer", one.layer),
        ("path", &path),
        ("upstream", &upstream),
        ("version", &version),
        ("port", &port),
        ("chart", chart),
    ];
    let unit = format!("layers/{}/{}.yaml", one.layer, one.name);
    files.write(&unit, &fill(UNIT, &values))?;
    for (path, template) in templates(one) {
        files.write(&format!("{directory}/{path}"), &fill(template, &values))?;
    }
    for (at, environment) in environments.iter().enumerate() {
        // Stages before production are up to two release candidates ahead of each other.
        let candidate = (1 + mix(one.variant + at as u64 / 2) % 3).to_string();
        let candidate = if environments.len() > 2 {
            &candidate
        } else {
            "1"
        };
        let values = [&values[..], &[("candidate", candidate)]].concat();
        for (path, template) in overlay(one, environment.starts_with("prod")) {
            let path = format!("{directory}/overlays/{environment}/{path}");
            files.write(&path, &fill(template, &values))?;
        }
    }
    Ok(())
}

/// The files of a component below its own directory.
fn templates(one: &Component) -> &'static [(&'static str, &'static str)] {
    match one.shape {
        Shape::OverlaidRelease => &[
            ("base/kustomization.yaml", RELEASE_BASE),
            ("base/helmrelease.yaml", RELEASE_FROM_OCI),
        ],
        Shape::PlainRelease => &[
            ("kustomization.yaml", PLAIN_KUSTOMIZATION),
            ("helmrelease.yaml", RELEASE_FROM_REPOSITORY),
            ("externalsecret.yaml", EXTERNAL_SECRET),
        ],
        Shape::Manifests => &[
            ("base/kustomization.yaml", MANIFESTS_BASE),
            ("base/manifests.yaml", MANIFESTS),
        ],
        Shape::SecretStore => &[
            ("kustomization.yaml", STORE_KUSTOMIZATION),
            ("clustersecretstore.yaml", SECRET_STORE_OBJECT),
        ],
    }
}

/// The files of an environment's overlay.
fn overlay(one: &Component, is_production: bool) -> &'static [(&'static str, &'static str)] {
    match (one.shape, is_production) {
        (Shape::OverlaidRelease, true) => &[
            ("kustomization.yaml", RELEASE_PROD),
            ("helmrelease-patch.yaml", RELEASE_PATCH),
        ],
        (Shape::OverlaidRelease, false) => &[("kustomization.yaml", RELEASE_DEV)],
        (Shape::Manifests, true) => &[("kustomization.yaml", MANIFESTS_PROD)],
        (Shape::Manifests, false) => &[("kustomization.yaml", MANIFESTS_DEV)],
        (Shape::PlainRelease | Shape::SecretStore, _) => &[],
    }
}

/// Values that some charts are given and others are not.
fn extra_values(one: &Component) -> String {
    let mut text = String::new();
    for nth in 0..one.variant % 12 {
        let subject = SUBJECTS[(one.variant >> 8).wrapping_add(nth) as usize % SUBJECTS.len()];
        let key = format!(
            "{}_{}",
            subject.to_uppercase(),
            ["LIMIT", "WINDOW", "MODE"][nth as usize % 3]
        );
        text += &format!("      {key}_{nth}: \"{}\"\n", mix(one.variant + nth) % 900);
    }
    if one.variant.is_multiple_of(3) {
        text += PERSISTENCE;
    }
    text
}
