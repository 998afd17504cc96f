//! Values that are secret where they end up, although nothing says so where they are stated: variables that are put into
//! Secrets, and values that charts write into passwords.

use super::{Cluster, Unsure};
use crate::cluster::unit::Applied;
use base::hash::HashSet;
use base::{MARKER, Place};
use std::sync::Arc;
use yaml::{Node, Value};

impl Cluster {
    /// Hides such values where they are stated: among settings, and in objects that are printed.
    pub(super) fn hide_values(&mut self) {
        self.hidden = self.hidden_places();
        if self.hidden.is_empty() {
            return;
        }
        let hidden = std::mem::take(&mut self.hidden);
        for_each_applied(self, &mut |applied| hide_in(applied, &hidden));
        self.hidden = hidden;
    }

    /// The same after an edit. What is no longer hidden would have to be read again.
    pub(super) fn hide_values_again(&mut self) -> Result<(), Unsure> {
        let before = std::mem::take(&mut self.hidden);
        self.hide_values();
        if before.is_subset(&self.hidden) {
            Ok(())
        } else {
            Err(Unsure)
        }
    }

    /// The places of values that are hidden wherever they are shown.
    pub fn hidden(&self) -> &HashSet<Place> {
        &self.hidden
    }

    fn hidden_places(&self) -> HashSet<Place> {
        let variables = self.objects_with_charts().flat_map(|(unit, object)| {
            let known = unit.map(|unit| &self.units[unit].variables);
            let names = object.secret.iter();
            names.filter_map(move |name| Some(known?.get(name)?.place))
        });
        let charts = self.units.iter().filter_map(|unit| unit.chart_objects());
        let values = charts.flat_map(|applied| applied.hidden.iter().copied());
        variables.chain(values).collect()
    }
}

fn for_each_applied(cluster: &mut Cluster, change: &mut dyn FnMut(&mut Applied)) {
    change(&mut cluster.loose);
    for unit in cluster.units.iter_mut() {
        let charts = unit.charts.as_mut().map(|charts| &mut charts.applied);
        unit.applied.iter_mut().chain(charts).for_each(&mut *change);
    }
}

fn hide_in(applied: &mut Applied, hidden: &HashSet<Place>) {
    for object in applied.objects.iter_mut() {
        for setting in &mut object.statement.settings {
            if hidden.contains(&setting.place) {
                setting.value = None;
            }
        }
        if let Some(tree) = &mut object.tree
            && has_any(tree, hidden)
        {
            hide(Arc::make_mut(tree), hidden);
        }
    }
}

fn has_any(node: &Node, hidden: &HashSet<Place>) -> bool {
    match &node.value {
        Value::Scalar(_) => hidden.contains(&node.place),
        Value::Seq(items) => items.iter().any(|item| has_any(item, hidden)),
        Value::Map(map) => map.0.iter().any(|entry| has_any(&entry.value, hidden)),
    }
}

fn hide(node: &mut Node, hidden: &HashSet<Place>) {
    match &mut node.value {
        Value::Scalar(scalar) => {
            if hidden.contains(&node.place) {
                scalar.text = MARKER.into();
            }
        }
        Value::Seq(items) => items.iter_mut().for_each(|item| hide(item, hidden)),
        Value::Map(map) => {
            let values = map.0.iter_mut().map(|entry| &mut entry.value);
            values.for_each(|value| hide(value, hidden));
        }
    }
}
