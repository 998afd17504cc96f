//! The charts of units, once all that they need is known: sources that other units declare, and values from ConfigMaps.

use std::collections::BTreeSet;

use rayon::prelude::*;
use smol_str::{SmolStr, format_smolstr};

use super::{Cluster, ClusterUnit, Declared, Destination, UnitIx, Unsure, units_in};
use crate::cluster::build::Builder;
use crate::cluster::chart_request::ChartLocator;
use crate::cluster::charts::{self, ChartObjects, Coverage};
use crate::cluster::source_index::{Declarations, SourceIndex};
use crate::cluster::unit::{Applied, Object};
use crate::facts::Target;
use crate::facts::kubernetes::is_builtin;
use base::hash::{HashMap, HashSet};

/// How often charts may create units with charts.
const MAX_ROUNDS: usize = 4;

impl ClusterUnit {
    /// What its charts yield, as if it applied that.
    pub fn chart_objects(&self) -> Option<&Applied> {
        self.charts.as_ref().map(|charts| &charts.applied)
    }
}

impl Cluster {
    /// Renders the charts that units install, and adds the units among their objects.
    pub fn render_charts(&mut self, builder: &Builder<'_>) {
        let mut next = UnitIx::FIRST;
        for _ in 0..MAX_ROUNDS {
            let first = next;
            next = self.units.next_index();
            if first == next {
                break;
            }
            self.take_values();
            let new: Vec<UnitIx> = self.units.indices().skip(first.index()).collect();
            let rendered = self.rendered(builder, &new);
            let nothing = SourceIndex::new(&self.root, self.known.own());
            let mut known = std::mem::replace(&mut self.known, nothing);
            for (index, yielded) in rendered {
                let Some(yielded) = yielded else {
                    continue;
                };
                known.take(Declarations::from_applied(&yielded.applied));
                for (unit, heading) in units_in(&yielded.applied) {
                    self.add(unit, Some(index), heading);
                }
                self.units[index].charts = Some(yielded);
            }
            self.settle(builder, &mut known, next);
            self.known = known;
        }
        self.serve_own_types(builder);
        self.doubt_charts();
        self.hide_values();
    }

    /// Renders charts again that ask for an API version which a CRD of the same cluster brings. A reconciler does so
    /// when it upgrades the release.
    fn serve_own_types(&mut self, builder: &Builder<'_>) {
        let mut served: HashMap<Destination, BTreeSet<SmolStr>> = HashMap::default();
        for (unit, object) in self.objects_with_charts() {
            for version in &object.statement.supplies.api_versions {
                let here = served.entry(self.target_of(unit)).or_default();
                here.extend(version.rsplit_once('/').map(|(group, _)| group.into()));
                here.insert(version.clone());
            }
        }
        let units = self.units.iter_enumerated();
        let asking = units.filter(|(_, unit)| {
            let charts = unit.charts.iter().flat_map(|charts| &charts.charts);
            let mut asked = charts.flatten().flat_map(|chart| &chart.asked);
            let here = served.get(&unit.target);
            here.is_some_and(|here| asked.any(|version| here.contains(version)))
        });
        let asking: Vec<UnitIx> = asking.map(|(at, _)| at).collect();
        self.served = served;
        for (at, yielded) in self.rendered(builder, &asking) {
            let unit = &mut self.units[at];
            if let (Some(yielded), Some(before)) = (yielded, &unit.charts)
                && declares_same(before, &yielded)
            {
                unit.charts = Some(yielded);
            }
        }
    }

    /// Notes which charts ask for an API that the cluster gets from elsewhere: they yield more there than here.
    fn doubt_charts(&mut self) {
        let objects = self.objects_with_charts().map(|(_, object)| object);
        let provided = objects.flat_map(|object| {
            let statement = &object.statement;
            let defined = statement.provides.iter().filter_map(|target| match target {
                Target::Api { group, .. } => Some(group),
                _ => None,
            });
            let own = Some(&statement.id.group).filter(|group| !is_builtin(group));
            defined.chain(own)
        });
        let groups: HashSet<SmolStr> = provided.cloned().collect();
        let charts = self
            .units
            .iter_mut()
            .filter_map(|unit| unit.charts.as_mut());
        for chart in charts.flat_map(|charts| charts.charts.iter_mut().flatten()) {
            let is_there = |version: &&SmolStr| {
                let group = version.split_once('/').map(|(group, _)| group);
                group.is_some_and(|group| groups.contains(group))
            };
            if chart.coverage == Coverage::Whole
                && let Some(version) = chart.asked.iter().find(is_there)
            {
                let why = format_smolstr!(
                    "its templates ask whether the cluster has `{version}`, and it may add objects for it"
                );
                chart.coverage = Coverage::Part(why);
            }
        }
    }

    /// What the charts of some units yield; none for one without a chart.
    fn rendered(
        &self,
        builder: &Builder<'_>,
        units: &[UnitIx],
    ) -> Vec<(UnitIx, Option<ChartObjects>)> {
        let locator = ChartLocator::new(builder.repo(), self);
        let rendered = units.par_iter().map(|at| {
            let unit = &self.units[*at];
            let served = self.served.get(&unit.target);
            let yielded = charts::render(builder, &locator, &unit.unit, served);
            (*at, yielded)
        });
        rendered.collect()
    }

    /// Renders the charts of units again, after an edit.
    pub(super) fn render_charts_again(
        &mut self,
        builder: &Builder<'_>,
        units: &[UnitIx],
    ) -> Result<(), Unsure> {
        if units.is_empty() {
            return Ok(());
        }
        self.take_values();
        for (at, yielded) in self.rendered(builder, units) {
            let yielded = yielded.unwrap_or_default();
            let before = self.units[at].charts.take().unwrap_or_default();
            let is_same = declares_same(&before, &yielded);
            self.units[at].charts = Some(yielded);
            if !is_same {
                return Err(Unsure);
            }
        }
        Ok(())
    }

    /// Gives the units the values that their declarations took from ConfigMaps.
    fn take_values(&mut self) {
        let declared = self.objects().filter_map(|(owner, object)| {
            object.statement.supplies.values_from.as_ref()?;
            let declared = object.statement.unit.clone()?;
            let at = self.position_in(self.target_of(owner), &declared.id)?;
            Some((at, declared))
        });
        let declared: Vec<_> = declared.collect();
        for (at, declared) in declared {
            let unit = &mut self.units[at].unit;
            if unit.place == declared.place && unit.release != declared.release {
                std::sync::Arc::make_mut(unit).release = declared.release.clone();
            }
        }
    }

    /// Every object, those that charts yield included, with the unit that brings it.
    pub fn objects_with_charts(&self) -> impl Iterator<Item = (Option<UnitIx>, &Object)> {
        let yielded = self.units.iter_enumerated().flat_map(|(index, unit)| {
            let objects = unit.chart_objects().into_iter();
            let objects = objects.flat_map(|applied| &applied.objects);
            objects.map(move |object| (Some(index), object))
        });
        self.objects().chain(yielded)
    }
}

/// Whether the same units are among the objects of charts. They are units of the cluster, which are built once.
fn declares_same(before: &ChartObjects, after: &ChartObjects) -> bool {
    let is_same = |(before, after): (&Declared, &Declared)| before.0 == after.0;
    let (before, after) = (units_in(&before.applied), units_in(&after.applied));
    before.len() == after.len() && before.iter().zip(&after).all(is_same)
}
