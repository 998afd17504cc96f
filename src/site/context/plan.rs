//! Plans the pages: which ones exist, their addresses, and how long lists are split between them.

use std::collections::BTreeMap;
use std::ops::Range;

use super::api::Api;
use super::common_settings::CommonSettings;
use crate::catalog::{
    Catalog, Component, ComponentIx, EnvironmentIx, Setting, Status, is_production,
};
use crate::knowledge::Knowledge;
use crate::knowledge::route::{self, ComponentRoutes, Route, Taken};
use base::index::IndexVec;

/// Addresses of pages.
pub struct Routes {
    pub index: Route,
    pub architecture: Route,
    pub pages: Route,
    pub apis: Route,
    pub changes: Route,
    pub not_found: Route,
    pub components: ComponentRoutes,
    /// All settings of components that have more than their page shows.
    pub settings: BTreeMap<ComponentIx, Route>,
    /// Of those that are Kubernetes clusters.
    pub environments: IndexVec<EnvironmentIx, EnvironmentRoutes>,
    /// A list of them, where there are many.
    pub all_environments: Route,
    pub api: BTreeMap<String, Route>,
}

/// Pages of an environment.
pub struct EnvironmentRoutes {
    /// All that runs there.
    pub page: Route,
    /// Settings that differ elsewhere; several pages only where one would be too heavy.
    pub settings: Vec<Sheet>,
}

/// One of the pages that a long list is on.
#[derive(Debug, Clone)]
pub struct Sheet {
    pub route: Route,
    /// The part of the list on this page.
    pub range: Range<usize>,
}

/// Most markup of a list of documents on one page, in bytes.
const HEAVIEST_SHEET: usize = 60_000;
/// Most markup of the settings of an environment on one page, in bytes as `weight` estimates them.
const HEAVIEST_SETTINGS: usize = 1_600_000;

pub fn routes(
    catalog: &Catalog,
    apis: &BTreeMap<&str, Api<'_>>,
    running: &IndexVec<EnvironmentIx, Running>,
    taken: &mut Taken,
) -> Routes {
    Routes {
        index: taken.page("", "index"),
        architecture: taken.page("", "architecture"),
        pages: Route::new("pages.html"),
        apis: taken.page("", "apis"),
        changes: taken.page("", "changes"),
        not_found: taken.page("", "404"),
        components: route::components(catalog),
        settings: {
            let components = catalog.components.iter_enumerated();
            let long = components.filter(|(_, component)| has_more_settings(component));
            long.map(|(at, component)| (at, taken.page("settings", &component.id.0)))
                .collect()
        },
        environments: {
            let environments = catalog.cluster_environments().iter().zip(running);
            let routes = environments.map(|(environment, running)| {
                let page = taken.page("environments", &environment.name);
                let common = CommonSettings::new(catalog, &environment.name, &running.components);
                let weights = running.components.iter().map(|at| {
                    weight(catalog, *at, |setting| {
                        !common.has(*at, setting, &environment.name)
                    })
                });
                let mut weights: Vec<usize> = weights.collect();
                // Those of several components are listed once, before all others.
                if let Some(first) = weights.first_mut() {
                    let common = common.iter();
                    let common = common.map(|one| row_weight(one.setting, &one.values));
                    *first += common.sum::<usize>();
                }
                let differs = weights.iter().any(|weight| *weight > 0);
                let name = format!("{}-settings", environment.name);
                let settings = sheets(weights.into_iter(), HEAVIEST_SETTINGS, || {
                    taken.page("environments", &name)
                });
                let is_compared = differs && catalog.cluster_environments().len() > 1;
                EnvironmentRoutes {
                    page,
                    settings: if is_compared { settings } else { Vec::new() },
                }
            });
            routes.collect()
        },
        all_environments: taken.page("", "environments"),
        api: {
            let groups = apis.keys();
            groups
                .map(|group| ((*group).to_owned(), taken.page("apis", group)))
                .collect()
        },
    }
}

/// The components of an environment.
#[derive(Debug, Default)]
pub struct Running {
    /// Its components, in order.
    pub components: Vec<ComponentIx>,
    /// How many of them are switched on.
    pub enabled: usize,
}

/// By environment, of those that are Kubernetes clusters.
pub fn running(catalog: &Catalog) -> IndexVec<EnvironmentIx, Running> {
    let each = catalog.cluster_environments().iter().map(|environment| {
        let mut running = Running::default();
        for (at, component) in catalog.components.iter_enumerated() {
            let mut environments = component.environments.iter();
            if let Some(own) = environments.find(|one| one.name == environment.name) {
                running.components.push(at);
                running.enabled += usize::from(own.status == Status::Enabled);
            }
        }
        running
    });
    each.collect()
}

/// Environments in the order in which they are compared: production first.
pub fn production_first(catalog: &Catalog) -> Vec<EnvironmentIx> {
    let all = catalog.environments.iter_enumerated();
    let mut all: Vec<_> = all.collect();
    all.sort_by_key(|(_, one)| (one.is_program, !is_production(&one.name)));
    all.into_iter().map(|(at, _)| at).collect()
}

/// Estimated markup of the settings of a component that differ and that it has for itself, in bytes.
fn weight(catalog: &Catalog, component: ComponentIx, is_own: impl Fn(&Setting) -> bool) -> usize {
    let component = &catalog.components[component];
    let names: Vec<&str> = component
        .environments
        .iter()
        .map(|e| e.name.as_str())
        .collect();
    let differing = component.settings.iter();
    let differing = differing.filter(|setting| setting.differs(&names) && is_own(setting));
    let each = differing.map(|setting| {
        let values = names.iter().map(|name| (*name, setting.text(name)));
        row_weight(setting, &values.collect())
    });
    each.sum()
}

/// Estimated markup of a setting with its values by environment, in bytes.
fn row_weight(setting: &Setting, values: &BTreeMap<&str, Option<&str>>) -> usize {
    /// Markup of a row, with the address of its place, and what is seen of a value.
    const ROW: usize = 270;
    const VALUE: usize = 60;
    /// The longest text of a value.
    const LONGEST: usize = 300;
    let mut values: Vec<Option<&str>> = values.values().copied().collect();
    values.sort_unstable();
    values.dedup();
    // The value here, and as many others as a row names.
    values.truncate(4);
    let text = |value: &Option<&str>| VALUE + value.map_or(0, |text| text.len().min(LONGEST));
    ROW + setting.name.len() + values.iter().map(text).sum::<usize>()
}

/// Cells of settings on the page of a component.
pub const MOST_SETTING_CELLS: usize = 1_000;
/// With more environments than this, a value that all share is shown once, wherever each has it from.
const MOST_REPEATED: usize = 4;

/// The cells of a setting in a table with these environments.
pub fn setting_cells(setting: &Setting, environments: &[&str]) -> usize {
    if is_shared(setting, environments) {
        1
    } else {
        environments.len().max(1)
    }
}

/// Whether one cell stands for all environments: they have the same value, and a few of them from the same line.
pub fn is_shared(setting: &Setting, environments: &[&str]) -> bool {
    let values = environments.iter().map(|name| setting.values.get(name));
    let values: Vec<_> = values.collect();
    let is_many = environments.len() > MOST_REPEATED;
    let all = values.windows(2).all(|pair| match (pair[0], pair[1]) {
        (Some(a), Some(b)) => {
            a.value.as_deref() == b.value.as_deref() && (is_many || a.place == b.place)
        }
        (a, b) => a.is_none() && b.is_none(),
    });
    all && environments.len() > 1
}

fn has_more_settings(component: &Component) -> bool {
    let environments = component.environments.iter();
    let names: Vec<&str> = environments.map(|one| one.name.as_str()).collect();
    let settings = component.settings.iter();
    let cells: usize = settings.map(|setting| setting_cells(setting, &names)).sum();
    cells > MOST_SETTING_CELLS
}

/// Pages of decisions, and of what became of specs; none where there are none.
pub struct KnowledgePages {
    pub decisions: Vec<Sheet>,
    pub ledger: Option<Route>,
}

/// Rows that a list of decisions shows of what each names.
const MOST_NAMED: usize = 6;

pub fn knowledge_pages(knowledge: &Knowledge, taken: &mut Taken) -> KnowledgePages {
    let mut pages = |name: &str, weights: Vec<usize>| {
        if weights.is_empty() {
            Vec::new()
        } else {
            sheets(weights.into_iter(), HEAVIEST_SHEET, || taken.page("", name))
        }
    };
    let decisions = knowledge.decisions.iter().zip(&knowledge.ledger.specs_of);
    let decisions = decisions
        .map(|(one, specs)| 700 + one.mentions.len().min(MOST_NAMED) * 200 + specs.len() * 120);
    KnowledgePages {
        decisions: pages("decisions", decisions.collect()),
        ledger: (!knowledge.specs.is_empty()).then(|| taken.page("", "ledger")),
    }
}

/// Cuts a list into pages that are not too heavy; there is always one.
pub fn sheets(
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
