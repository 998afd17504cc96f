//! Merges the values of a release with the defaults of its charts, as Helm does.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::dependencies::ChartInstance;
use crate::data::Data;

pub type Table = BTreeMap<SmolStr, Data>;

pub const GLOBAL: &str = "global";

/// Treatment of null values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nulls {
    /// It removes a default.
    Remove,
    /// It is kept, since values will be merged again.
    Keep,
}

/// How Helm treats null in the defaults of a chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Flavour {
    /// Helm 3: a default that is null stays.
    #[default]
    Helm3,
    /// Helm 4: a default that is null is left out.
    Helm4,
}

/// How values are merged.
#[derive(Debug, Clone, Copy)]
pub struct MergeRules {
    pub flavour: Flavour,
    pub nulls: Nulls,
}

impl MergeRules {
    fn keeping(self) -> MergeRules {
        MergeRules {
            nulls: Nulls::Keep,
            ..self
        }
    }
}

/// Values of a chart and its subcharts, with defaults.
pub fn coalesce(
    chart: &ChartInstance,
    mut values: Table,
    rules: MergeRules,
) -> Result<Table, String> {
    coalesce_values(chart, &mut values, rules);
    for subchart in &chart.subcharts {
        let own = values.remove(&subchart.name).unwrap_or_else(Data::map);
        let Data::Map(mut own) = own else {
            return Err(format!("type mismatch on {}: not a map", subchart.name));
        };
        coalesce_globals(&mut own, &values, rules);
        let own = coalesce(subchart, own, rules)?;
        values.insert(subchart.name.clone(), Data::Map(own));
    }
    Ok(values)
}

/// Puts the globals of a chart over those of its subchart.
fn coalesce_globals(own: &mut Table, parent: &Table, rules: MergeRules) {
    let mut globals = match own.get(GLOBAL) {
        None => Table::new(),
        Some(Data::Map(globals)) => globals.clone(),
        Some(_) => return,
    };
    let empty = Table::new();
    let above = match parent.get(GLOBAL) {
        None => &empty,
        Some(Data::Map(above)) => above,
        Some(_) => return,
    };
    for (key, value) in above {
        match (value, globals.get_mut(key)) {
            (Data::Map(over), Some(Data::Map(known))) => {
                let mut over = over.clone();
                coalesce_tables(&mut over, std::mem::take(known), rules.keeping());
                *known = over;
            }
            // A map does not replace something else, nor the other way round.
            (Data::Map(_), Some(_)) | (_, Some(Data::Map(_))) => {}
            (value, _) => drop(globals.insert(key.clone(), value.clone())),
        }
    }
    own.insert(GLOBAL.into(), Data::Map(globals));
}

fn coalesce_values(chart: &ChartInstance, values: &mut Table, rules: MergeRules) {
    let Data::Map(defaults) = chart.defaults() else {
        return;
    };
    let cleans = rules.flavour == Flavour::Helm4 && rules.nulls == Nulls::Remove;
    for (key, default) in defaults {
        match values.get_mut(key) {
            Some(Data::Null) if rules.nulls == Nulls::Remove => drop(values.remove(key)),
            Some(Data::Map(given)) => {
                let Data::Map(default) = default else {
                    continue;
                };
                let is_subchart = chart.subcharts.iter().any(|sub| sub.name == *key);
                let mut default = default.clone();
                if cleans && !is_subchart {
                    clean(&mut default);
                }
                let rules = if is_subchart { rules.keeping() } else { rules };
                coalesce_tables(given, default, rules);
            }
            Some(_) => {}
            None => {
                let mut default = default.clone();
                if cleans {
                    match &mut default {
                        Data::Null => continue,
                        Data::Map(map) => clean(map),
                        _ => {}
                    }
                }
                values.insert(key.clone(), default);
            }
        }
    }
}

/// Removes nulls.
fn clean(map: &mut Table) {
    map.retain(|_, value| *value != Data::Null);
    for value in map.values_mut() {
        if let Data::Map(inner) = value {
            clean(inner);
        }
    }
}

/// Adds what a map lacks from another.
pub fn coalesce_tables(over: &mut Table, under: Table, rules: MergeRules) {
    let removes = |value: &Data| {
        // For Helm 4, null only removes a default that is something.
        rules.nulls == Nulls::Remove && (rules.flavour == Flavour::Helm3 || *value != Data::Null)
    };
    for (key, value) in under {
        match (over.get_mut(&key), value) {
            (Some(Data::Null), value) if removes(&value) => drop(over.remove(&key)),
            (None, value) => drop(over.insert(key, value)),
            (Some(Data::Map(over)), Data::Map(under)) => coalesce_tables(over, under, rules),
            _ => {}
        }
    }
}
