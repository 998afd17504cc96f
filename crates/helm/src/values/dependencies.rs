//! The subcharts of a chart that are installed, their names, and the values they export to their parents.

use std::sync::Arc;

use smol_str::{SmolStr, format_smolstr};

use super::coalesce::{Flavour, GLOBAL, MergeRules, Nulls, Table, coalesce, coalesce_tables};
use crate::data::Data;
use crate::functions::version::meets;
use crate::package::{Import, ListedChart, Package};

/// Limits on charts of a release and on their nesting.
const MAX_CHARTS: usize = 500;
const MAX_DEPTH: usize = 12;
/// Limit on the subcharts of a release, each counted under every name that it is listed by.
const MAX_INSTANCES: usize = 5_000;
/// Limit on the defaults of all of them, and on the global values that each is given a copy of.
const MAX_VALUES: usize = 1_000_000;

/// A chart as part of a release.
#[derive(Debug)]
pub struct ChartInstance {
    pub package: Arc<Package>,
    /// Its name, or its alias.
    pub name: SmolStr,
    pub dependencies: Vec<ListedChart>,
    pub subcharts: Vec<ChartInstance>,
    /// Its defaults, where they are not those of the package.
    defaults: Option<Data>,
}

impl ChartInstance {
    /// A chart with all subcharts that it contains.
    pub fn new(package: &Arc<Package>) -> Result<ChartInstance, String> {
        ChartInstance::within(package, 0, &mut 0)
    }

    fn within(
        package: &Arc<Package>,
        depth: usize,
        count: &mut usize,
    ) -> Result<ChartInstance, String> {
        *count += 1;
        if depth > MAX_DEPTH || *count > MAX_CHARTS {
            return Err("the chart has too many subcharts".to_owned());
        }
        let subcharts = package.subcharts.iter();
        let subcharts = subcharts.map(|sub| ChartInstance::within(sub, depth + 1, count));
        Ok(ChartInstance {
            package: package.clone(),
            name: package.metadata.name.clone(),
            dependencies: package.metadata.dependencies.clone(),
            subcharts: subcharts.collect::<Result<_, _>>()?,
            defaults: None,
        })
    }

    pub fn defaults(&self) -> &Data {
        self.defaults.as_ref().unwrap_or(&self.package.values)
    }

    /// Listed dependencies that the chart does not contain.
    pub fn missing(&self) -> Vec<SmolStr> {
        let listed = self.dependencies.iter().filter(|listed| {
            let contained = self.subcharts.iter();
            !contained
                .into_iter()
                .any(|sub| sub.package.metadata.name == listed.name)
        });
        listed.map(|listed| listed.name.clone()).collect()
    }
}

/// Leaves the subcharts that the values enable, and takes the values that they export.
pub fn process(chart: &mut ChartInstance, values: &Table, flavour: Flavour) -> Result<(), String> {
    let rules = MergeRules {
        flavour,
        nulls: Nulls::Remove,
    };
    let mut size = ReleaseSize {
        globals: values.get(GLOBAL).map_or(0, Data::size) + globals(chart),
        ..ReleaseSize::default()
    };
    enable(chart, values, "", (rules, &mut size))?;
    import(chart, rules)
}

/// The size of the subcharts of a release.
#[derive(Default)]
struct ReleaseSize {
    instances: usize,
    values: usize,
    /// Most of the global values that a chart is given.
    globals: usize,
}

impl ReleaseSize {
    fn add(&mut self, subcharts: &[ChartInstance]) -> Result<(), String> {
        let values = subcharts.iter().map(|sub| sub.package.size + self.globals);
        self.values += values.sum::<usize>();
        self.instances += subcharts.len();
        if self.instances > MAX_INSTANCES || self.values > MAX_VALUES {
            return Err("the chart has too many subcharts".to_owned());
        }
        Ok(())
    }
}

/// The number of global values in the defaults of a chart and of all that it contains, where they set them for others too.
fn globals(chart: &ChartInstance) -> usize {
    fn within(data: &Data) -> usize {
        let Data::Map(map) = data else { return 0 };
        let own = map.iter().map(|(key, value)| match key.as_str() {
            GLOBAL => value.size(),
            _ => within(value),
        });
        own.sum()
    }
    let inner = chart.subcharts.iter().map(globals);
    within(&chart.package.values) + inner.sum::<usize>()
}

fn is_compatible(dependency: &ListedChart, version: &str) -> bool {
    meets(&dependency.version, version) == Some(true)
}

fn enable(
    chart: &mut ChartInstance,
    values: &Table,
    path: &str,
    (rules, size): (MergeRules, &mut ReleaseSize),
) -> Result<(), String> {
    if chart.dependencies.is_empty() {
        return Ok(());
    }
    let contained = std::mem::take(&mut chart.subcharts);
    let is_listed = |sub: &ChartInstance| {
        chart.dependencies.iter().any(|listed| {
            listed.name == sub.name && is_compatible(listed, &sub.package.metadata.version)
        })
    };
    let mut subcharts: Vec<ChartInstance> = Vec::new();
    for sub in contained.iter().filter(|sub| !is_listed(sub)) {
        subcharts.push(ChartInstance::new(&sub.package)?);
    }
    for listed in &mut chart.dependencies {
        let found = contained.iter().find(|sub| {
            sub.name == listed.name && is_compatible(listed, &sub.package.metadata.version)
        });
        if let Some(found) = found {
            let mut sub = ChartInstance::new(&found.package)?;
            if !listed.alias.is_empty() {
                sub.name = listed.alias.clone();
            }
            subcharts.push(sub);
        }
        if !listed.alias.is_empty() {
            listed.name = listed.alias.clone();
        }
        listed.is_enabled = true;
    }
    // A chart may be listed again and again under other names, by charts that are listed so themselves.
    size.add(&subcharts)?;
    chart.subcharts = subcharts;
    let merged = coalesce(chart, values.clone(), rules)?;
    apply_tags(&mut chart.dependencies, &merged);
    apply_conditions(&mut chart.dependencies, &merged, path);
    let dependencies = &chart.dependencies;
    let is_disabled = |name: &SmolStr| {
        let mut listed = dependencies.iter();
        listed.any(|listed| listed.name == *name && !listed.is_enabled)
    };
    chart.subcharts.retain(|sub| !is_disabled(&sub.name));
    let disabled: Vec<SmolStr> = dependencies
        .iter()
        .filter(|listed| !listed.is_enabled)
        .map(|listed| listed.name.clone())
        .collect();
    chart
        .dependencies
        .retain(|listed| !disabled.contains(&listed.name));
    for sub in &mut chart.subcharts {
        // Helm passes the values of the top, and prefixes the paths of conditions.
        let path = format!("{path}{}.", sub.name);
        enable(sub, &merged, &path, (rules, size))?;
    }
    Ok(())
}

fn apply_tags(dependencies: &mut [ListedChart], values: &Table) {
    let Some(Data::Map(tags)) = values.get("tags") else {
        return;
    };
    for listed in dependencies {
        let stated = listed.tags.iter().filter_map(|tag| match tags.get(tag) {
            Some(Data::Bool(value)) => Some(*value),
            _ => None,
        });
        let stated: Vec<bool> = stated.collect();
        listed.is_enabled = stated.is_empty() || stated.contains(&true);
    }
}

fn apply_conditions(dependencies: &mut [ListedChart], values: &Table, path: &str) {
    for listed in dependencies {
        let conditions = listed.condition.trim().split(',');
        for condition in conditions.filter(|condition| !condition.is_empty()) {
            let full = format!("{path}{condition}");
            let keys: Vec<&str> = full.split('.').collect();
            if let Some(Data::Bool(value)) = at(values, &keys) {
                listed.is_enabled = *value;
                break;
            }
        }
    }
}

/// The value at a path.
fn at<'v>(values: &'v Table, keys: &[&str]) -> Option<&'v Data> {
    let (first, rest) = keys.split_first()?;
    let mut found = values.get(*first)?;
    for key in rest {
        found = found.get(key)?;
    }
    Some(found)
}

fn table_at(values: &Table, path: &str) -> Option<Table> {
    let keys: Vec<&str> = path.split('.').collect();
    match at(values, &keys) {
        Some(Data::Map(map)) => Some(map.clone()),
        _ => None,
    }
}

/// Merges what subcharts export into the defaults of their parents, innermost first.
fn import(chart: &mut ChartInstance, rules: MergeRules) -> Result<(), String> {
    for sub in &mut chart.subcharts {
        import(sub, rules)?;
    }
    if chart.package.metadata.dependencies.is_empty() {
        return Ok(());
    }
    // Defaults of subcharts become defaults of the parent, which only shows if null removes something twice.
    let keeping = MergeRules {
        nulls: Nulls::Keep,
        ..rules
    };
    let mut merged = coalesce(chart, Table::new(), keeping)?;
    let mut imported = Table::new();
    for listed in &chart.dependencies {
        for import in &listed.imports {
            let (child, parent) = match import {
                Import::Export(name) => (format_smolstr!("exports.{name}"), "."),
                Import::Path { child, parent } => (child.clone(), parent.as_str()),
            };
            let Some(table) = table_at(&merged, &format!("{}.{child}", listed.name)) else {
                continue;
            };
            let table = if parent == "." {
                table
            } else {
                let mut keys = parent.split('.').rev();
                keys.try_fold(table, |table, key| {
                    Some(Table::from([(key.into(), Data::Map(table))]))
                })
                .unwrap_or_default()
            };
            coalesce_tables(&mut imported, table, keeping);
        }
    }
    coalesce_tables(&mut merged, imported, keeping);
    chart.defaults = Some(Data::Map(merged));
    Ok(())
}
