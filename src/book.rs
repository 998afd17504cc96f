//! Everything that pages may show, in one place: the catalogue with its graph, its findings by component, the prose,
//! and the address of every page. Made once; pages only look things up.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::config::Config;
use crate::diagnostic::Finding;
use crate::export;
use crate::fact::Relation;
use crate::forge::Forge;
use crate::model::{self, Catalog, Edge, Graph};
use crate::prose::{self, Prose};
use crate::repo::Repo;
use crate::route::{Route, Taken, slug};

pub struct Book<'a> {
    pub config: &'a Config,
    pub repo: &'a Repo,
    pub catalog: &'a Catalog,
    /// By place, with those that prose gave.
    pub findings: Vec<Finding>,
    /// Positions in the findings, the gravest first, then by rule.
    pub by_severity: Vec<usize>,
    pub title: String,
    pub sha: String,
    pub graph: Graph,
    pub forge: Option<Forge>,
    pub prose: Prose,
    /// In the order in which they are shown.
    pub layers: Vec<Layer>,
    pub routes: Routes,
    /// By component.
    pub related: Vec<Related<'a>>,
    /// Components as the navigation lists them, and where each is in that list.
    pub order: Vec<usize>,
    pub position: Vec<usize>,
    pub finding_pages: Vec<Sheet>,
    /// API groups that are defined or used here, other than those of every cluster.
    pub apis: BTreeMap<&'a str, Api>,
}

/// Components that belong together, under one heading.
pub struct Layer {
    pub title: String,
    /// By title.
    pub components: Vec<usize>,
}

/// Where pages stand.
pub struct Routes {
    pub index: Route,
    pub architecture: Route,
    pub pages: Route,
    pub apis: Route,
    pub not_found: Route,
    pub components: Vec<Route>,
    /// By cluster; a large one has several pages.
    pub environments: Vec<Vec<Sheet>>,
    /// A list of them, where there are many.
    pub all_environments: Route,
    pub api: BTreeMap<String, Route>,
    /// A page for a layer, where the index is too long for all.
    pub layers: Vec<Vec<Route>>,
}

/// One of the pages that a long list is on.
#[derive(Debug, Clone)]
pub struct Sheet {
    pub route: Route,
    /// What of the list stands on it.
    pub range: Range<usize>,
}

/// What concerns one component.
#[derive(Default)]
pub struct Related<'a> {
    pub upstream: Vec<&'a Edge>,
    pub downstream: Vec<&'a Edge>,
    /// Positions in the findings, the gravest first.
    pub findings: Vec<usize>,
    pub layer: usize,
}

/// An API group, by component.
#[derive(Default)]
pub struct Api {
    pub installed_by: Vec<usize>,
    pub used_by: Vec<usize>,
}

/// As many components as a list on one page may have.
pub const LONGEST_LIST: usize = 100;
const MOST_FINDINGS: usize = 100;
/// What the components of an environment may weigh together on one page, in bytes of markup.
const HEAVIEST_SHEET: usize = 60_000;

impl Layer {
    /// Its anchor in the index.
    pub fn id(&self) -> String {
        format!("layer-{}", slug(&self.title.to_lowercase()))
    }
}

impl<'a> Book<'a> {
    pub fn new(
        config: &'a Config,
        repo: &'a Repo,
        catalog: &'a Catalog,
        findings: Vec<Finding>,
    ) -> Book<'a> {
        let mut taken = Taken::default();
        let layers = layers(config, catalog);
        let apis = apis(catalog);
        let mut routes = routes(catalog, &layers, &apis, &mut taken);
        let forge = Forge::of(repo, config);
        let prose = prose::read(
            repo,
            catalog,
            &routes.components,
            forge.as_ref(),
            &mut taken,
        );
        routes.pages = taken.page("", "pages");
        let mut findings = findings;
        findings.extend(prose.findings.iter().cloned());
        findings.sort();
        findings.dedup();
        model::blame(repo, catalog, &mut findings);
        let mut by_severity: Vec<usize> = (0..findings.len()).collect();
        by_severity.sort_by_key(|at| (findings[*at].severity, findings[*at].rule, *at));
        let sha = export::document(repo, catalog, &findings).sha;
        let related = related(catalog, &layers, &findings, &by_severity);
        let finding_pages = match findings.is_empty() {
            true => Vec::new(),
            false => sheets(findings.iter().map(|_| 1), MOST_FINDINGS, || {
                taken.page("", "findings")
            }),
        };
        let order: Vec<usize> = layers
            .iter()
            .flat_map(|layer| layer.components.iter().copied())
            .collect();
        let mut position = vec![0; order.len()];
        order
            .iter()
            .enumerate()
            .for_each(|(at, component)| position[*component] = at);
        Book {
            config,
            repo,
            catalog,
            title: title(config, forge.as_ref(), repo),
            sha,
            graph: Graph::new(catalog.components.len(), catalog.edges.iter()),
            forge,
            prose,
            layers,
            routes,
            related,
            order,
            position,
            finding_pages,
            apis,
            findings,
            by_severity,
        }
    }

    /// The document of other programs, with the findings of the prose.
    pub fn document(&self) -> export::Document<'_> {
        export::document(self.repo, self.catalog, &self.findings)
    }
}

/// As configured, else by the name of the repository, else of its directory.
fn title(config: &Config, forge: Option<&Forge>, repo: &Repo) -> String {
    if let Some(title) = &config.title {
        return title.clone();
    }
    let name = forge.map(|forge| {
        forge
            .name()
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_owned()
    });
    let directory = || {
        let root = repo.root().canonicalize().ok()?;
        Some(root.file_name()?.to_string_lossy().into_owned())
    };
    let name = name.filter(|name| !name.is_empty()).or_else(directory);
    name.map_or_else(
        || "Service catalogue".to_owned(),
        |name| model::title(&name),
    )
}

/// Configured layers in their order, then others by name, then what is in none.
fn layers(config: &Config, catalog: &Catalog) -> Vec<Layer> {
    let mut by_name: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
    for (index, component) in catalog.components.iter().enumerate() {
        by_name
            .entry(component.layer.as_deref())
            .or_default()
            .push(index);
    }
    let loose = by_name.remove(&None);
    let mut layers = Vec::new();
    let configured = config.layers.iter().map(|layer| Some(layer.name.as_str()));
    let configured: Vec<Option<&str>> = configured.collect();
    for name in &configured {
        if let Some(components) = by_name.remove(name) {
            layers.push((name.unwrap_or_default().to_owned(), components));
        }
    }
    let others = by_name.into_iter().map(|(name, components)| {
        let name = name.unwrap_or_default();
        let is_plain = !name.chars().any(|c| c.is_uppercase() || c == ' ');
        let title = if is_plain {
            model::title(name)
        } else {
            name.to_owned()
        };
        (title, components)
    });
    layers.extend(others);
    if let Some(components) = loose {
        let title = if layers.is_empty() {
            "Components"
        } else {
            "Other"
        };
        layers.push((title.to_owned(), components));
    }
    let sorted = layers.into_iter().map(|(title, mut components)| {
        components.sort_by_key(|index| {
            let component = &catalog.components[*index];
            (component.title.to_lowercase(), &component.id)
        });
        Layer { title, components }
    });
    sorted.collect()
}

fn routes(
    catalog: &Catalog,
    layers: &[Layer],
    apis: &BTreeMap<&str, Api>,
    taken: &mut Taken,
) -> Routes {
    let is_long = catalog.components.len() > LONGEST_LIST;
    let by_layer = layers.iter().map(|layer| {
        let pages = match is_long {
            true => layer.components.len().div_ceil(LONGEST_LIST),
            false => 0,
        };
        (0..pages)
            .map(|_| taken.page("layers", &layer.title.to_lowercase()))
            .collect()
    });
    let by_layer = by_layer.collect();
    Routes {
        index: taken.page("", "index"),
        architecture: taken.page("", "architecture"),
        pages: Route::new("pages.html"),
        apis: taken.page("", "apis"),
        not_found: taken.page("", "404"),
        components: {
            let components = catalog.components.iter();
            components
                .map(|component| taken.page("components", &component.id.0))
                .collect()
        },
        environments: {
            let clusters = catalog.clusters.iter();
            let sheets = clusters.map(|cluster| {
                let weights = runs_in(catalog, &cluster.name).map(|at| weight(catalog, at));
                sheets(weights, HEAVIEST_SHEET, || {
                    taken.page("environments", &cluster.name)
                })
            });
            sheets.collect()
        },
        all_environments: taken.page("", "environments"),
        api: {
            let groups = apis.keys();
            groups
                .map(|group| ((*group).to_owned(), taken.page("apis", group)))
                .collect()
        },
        layers: by_layer,
    }
}

/// The components that run in an environment, in order.
pub fn runs_in<'a>(catalog: &'a Catalog, environment: &'a str) -> impl Iterator<Item = usize> + 'a {
    let components = catalog.components.iter().enumerate();
    let inside = components.filter(move |(_, component)| {
        let mut environments = component.environments.iter();
        environments.any(|one| one.name == environment)
    });
    inside.map(|(at, _)| at)
}

/// What a component takes on the page of an environment: its row, and the settings that differ.
fn weight(catalog: &Catalog, component: usize) -> usize {
    let component = &catalog.components[component];
    let names: Vec<&str> = component
        .environments
        .iter()
        .map(|e| e.name.as_str())
        .collect();
    let differing = component
        .settings
        .iter()
        .filter(|setting| setting.differs(&names))
        .count();
    600 + differing * (150 + 250 * catalog.clusters.len().min(8))
}

/// Cuts a list into pages that are not too heavy; there is always one.
fn sheets(
    weights: impl Iterator<Item = usize>,
    heaviest: usize,
    mut route: impl FnMut() -> Route,
) -> Vec<Sheet> {
    let mut cuts = vec![0];
    let (mut sum, mut end) = (0, 0);
    for weight in weights {
        if sum > 0 && sum + weight > heaviest {
            cuts.push(end);
            sum = 0;
        }
        sum += weight;
        end += 1;
    }
    cuts.push(end);
    let ranges = cuts.windows(2).map(|pair| pair[0]..pair[1]);
    ranges
        .map(|range| Sheet {
            route: route(),
            range,
        })
        .collect()
}

fn related<'a>(
    catalog: &'a Catalog,
    layers: &[Layer],
    findings: &[Finding],
    by_severity: &[usize],
) -> Vec<Related<'a>> {
    let mut related: Vec<Related<'a>> = Vec::new();
    related.resize_with(catalog.components.len(), Related::default);
    for edge in &catalog.edges {
        related[edge.from].upstream.push(edge);
        related[edge.to].downstream.push(edge);
    }
    for (position, layer) in layers.iter().enumerate() {
        for component in &layer.components {
            related[*component].layer = position;
        }
    }
    let ids: BTreeMap<&str, usize> = {
        let components = catalog.components.iter().enumerate();
        components
            .map(|(index, component)| (component.id.0.as_str(), index))
            .collect()
    };
    for position in by_severity {
        let component = findings[*position]
            .component
            .as_deref()
            .and_then(|id| ids.get(id));
        if let Some(component) = component {
            related[*component].findings.push(*position);
        }
    }
    related
}

/// Groups of custom resources: those whose name has a domain that is not Kubernetes' own.
fn apis(catalog: &Catalog) -> BTreeMap<&str, Api> {
    let mut apis: BTreeMap<&str, Api> = BTreeMap::new();
    for (index, component) in catalog.components.iter().enumerate() {
        for resource in &component.resources {
            let group = resource.id.group.as_str();
            if is_custom(group) {
                add(&mut apis.entry(group).or_default().used_by, index);
            }
            if let Some(defined) = defined_group(resource) {
                add(&mut apis.entry(defined).or_default().installed_by, index);
            }
        }
    }
    // Definitions that come with a chart are in no file; that somebody needs them says who has them.
    let needs = catalog.edges.iter();
    for edge in needs.filter(|edge| edge.reason == Relation::CustomResource.reason()) {
        let mut resources = catalog.components[edge.from].resources.iter();
        let resource = resources.find(|resource| resource.place == edge.place);
        let api = resource.and_then(|resource| apis.get_mut(resource.id.group.as_str()));
        if let Some(api) = api {
            api.installed_by.push(edge.to);
        }
    }
    for api in apis.values_mut() {
        api.installed_by.sort_unstable();
        api.installed_by.dedup();
    }
    apis
}

fn add(list: &mut Vec<usize>, index: usize) {
    if list.last() != Some(&index) {
        list.push(index);
    }
}

/// The group that a resource defines a kind of: a definition is called `plural.group`.
pub fn defined_group(resource: &model::ComponentResource) -> Option<&str> {
    let id = &resource.id;
    let defines = id.is("apiextensions.k8s.io", "CustomResourceDefinition");
    let (_, group) = id.name.split_once('.').filter(|_| defines)?;
    Some(group)
}

fn is_custom(group: &str) -> bool {
    const OF_EVERY_CLUSTER: [&str; 3] = [
        "apiextensions.k8s.io",
        "apiregistration.k8s.io",
        "kustomize.config.k8s.io",
    ];
    let own = group.ends_with(".k8s.io")
        && !group.contains(".x-")
        && !group.starts_with("gateway.")
        && !group.starts_with("snapshot.");
    group.contains('.') && !own && !OF_EVERY_CLUSTER.contains(&group)
}
