//! The values that each chart of a tree sees: its own, overridden by those its parent has under its name. They also
//! decide which subcharts are enabled.

use crate::chart_tree::{Chart, ChartTree};
use crate::{ChartSource, Value};

const GLOBAL: &str = "global";

/// The values of every chart of a tree; `None` for disabled ones.
pub fn subchart_values(
    tree: &ChartTree,
    given: &Value,
    source: &dyn ChartSource,
) -> Vec<Option<Value>> {
    let charts = &tree.charts;
    let mut own: Vec<Value> = Vec::with_capacity(charts.len());
    for (at, chart) in charts.iter().enumerate() {
        let stated = match chart.parent {
            Some(parent) => values_for_subchart(&own[parent], &chart.name),
            None => given.clone(),
        };
        own.push(put_over(defaults(chart, source), &stated, tree, at));
    }
    if charts.len() == 1 {
        return own.into_iter().map(Some).collect();
    }
    // Imported values of a subchart count for its conditions, too.
    let all = joined(charts, own.clone(), |_| true);
    let mut wanted: Vec<bool> = Vec::with_capacity(charts.len());
    for chart in charts {
        wanted.push(chart.parent.is_none_or(|parent| {
            wanted[parent] && is_enabled(chart, &all[parent], all[0].get("tags"))
        }));
    }
    let seen = joined(charts, own, |at| wanted[at])
        .into_iter()
        .zip(&wanted);
    seen.map(|(values, wanted)| wanted.then_some(values))
        .collect()
}

/// The `values.yaml` of a chart.
fn defaults(chart: &Chart, source: &dyn ChartSource) -> Value {
    let mut values = Value::default();
    values.set(&[GLOBAL], nothing());
    if let Some(file) = source.files().file_in(&chart.directory, "values.yaml") {
        for document in source.documents(file) {
            values.merge(&Value::from_node(document));
        }
    }
    values
}

fn nothing() -> Value {
    Value::map(std::iter::empty())
}

/// The values that a chart passes to a subchart, with `global`.
fn values_for_subchart(values: &Value, name: &str) -> Value {
    let is_map = |value: &&Value| matches!(value, Value::Map(_));
    let mut stated = values
        .get(name)
        .filter(is_map)
        .cloned()
        .unwrap_or_else(nothing);
    let mut global = stated.get(GLOBAL).cloned().unwrap_or_else(nothing);
    if let Some(over) = values.get(GLOBAL).filter(is_map) {
        global.merge(over);
    }
    stated.set(&[GLOBAL], global);
    stated
}

/// Merges values over the defaults of a chart. Below the key of a subchart, nulls stay: they remove defaults of the
/// subchart.
fn put_over(mut own: Value, stated: &Value, tree: &ChartTree, at: usize) -> Value {
    let kept = tree.names_in(at).filter_map(|name| {
        let (Value::Map(_), over @ Value::Map(_)) = (own.get(name)?, stated.get(name)?) else {
            return None;
        };
        let mut both = own.get(name)?.clone();
        both.merge(over);
        Some((name, both))
    });
    let kept: Vec<_> = kept.collect();
    own.put_over(stated);
    for (name, both) in kept {
        own.set(&[name.as_str()], both);
    }
    own
}

/// Adds the values of subcharts to their parents, under their names.
fn joined(charts: &[Chart], mut values: Vec<Value>, is_part: impl Fn(usize) -> bool) -> Vec<Value> {
    for (at, chart) in charts.iter().enumerate().rev() {
        if let Some(parent) = chart.parent.filter(|_| is_part(at)) {
            let inner = values[at].clone();
            let taken = imported_values(chart, &inner);
            values[parent].set(&[chart.name.as_str()], inner);
            // A chart's own values win over imported ones.
            if let Some(mut taken) = taken {
                taken.merge(&values[parent]);
                values[parent] = taken;
            }
        }
    }
    values
}

/// The values that a parent imports from a subchart, at their path in the parent.
fn imported_values(chart: &Chart, values: &Value) -> Option<Value> {
    let mut taken: Option<Value> = None;
    for (from, to) in &chart.imports {
        let mut keys = from.split('.');
        let found = keys.try_fold(values, |value, key| value.get(key));
        let Some(found @ Value::Map(_)) = found else {
            continue;
        };
        let path: Vec<&str> = to.split('.').filter(|key| !key.is_empty()).collect();
        let mut here = nothing();
        here.set(&path, found.clone());
        // The first import of a path wins.
        if let Some(before) = &taken {
            here.merge(before);
        }
        taken = Some(here);
    }
    taken
}

/// Whether a subchart is enabled. The first condition that is a boolean decides; otherwise tags, of which one that is
/// true suffices.
fn is_enabled(chart: &Chart, values: &Value, tags: Option<&Value>) -> bool {
    let truth = |value: &Value| match value {
        Value::Bool(value) => Some(*value),
        _ => None,
    };
    let mut conditions = chart.conditions.iter();
    let stated = conditions.find_map(|path| {
        let mut keys = path.split('.');
        truth(keys.try_fold(values, |value, key| value.get(key))?)
    });
    stated.unwrap_or_else(|| {
        let stated: Vec<bool> = chart
            .tags
            .iter()
            .filter_map(|tag| tags?.get(tag))
            .filter_map(truth)
            .collect();
        stated.is_empty() || stated.contains(&true)
    })
}
