//! Limits on units that create units. A platform may have any number of units; a loop or a bomb must end.

use base::hash::HashSet;
use base::{Finding, Place};

use super::{Cluster, UnitIx};
use crate::cluster::build::Builder;
use crate::facts::{Unit, UnitId};

/// A longer chain of units that create units counts as endless.
const MAX_CHAIN: usize = 24;
/// A directory built more often than this in one chain counts as endless.
const MAX_AGAIN: usize = 2;
/// Units beyond the first that each place declares: so many, and one more for each file of the repository.
const MAX_REPEATED: usize = 20_000;

/// How many units a cluster has grown by, and what was left out. The first unit of each place that declares one is
/// always taken, so a bomb cannot crowd out the rest.
#[derive(Debug, Default)]
pub struct Growth {
    declared_at: HashSet<Place>,
    repeated: usize,
    allowed: usize,
    /// The chain that was cut off first.
    endless: Option<(UnitId, Place, usize)>,
    is_endless_reported: bool,
    /// The first unit beyond the limit, and how many there are.
    beyond: Option<(Place, usize)>,
}

impl Growth {
    /// A larger repository may declare more.
    pub fn allow(&mut self, builder: &Builder<'_>) {
        self.allowed = MAX_REPEATED + builder.repo().files().len();
    }

    /// Counts a unit. False if it is one too many.
    fn take(&mut self, place: Place) -> bool {
        if self.declared_at.insert(place) {
            return true;
        }
        // Before the first round nothing is repeated without end.
        if self.repeated < self.allowed.max(MAX_REPEATED) {
            self.repeated += 1;
            return true;
        }
        self.beyond.get_or_insert((place, 0)).1 += 1;
        false
    }
}

impl Cluster {
    /// Whether a unit is left out because units create units without end. What its owner applies is then incomplete.
    pub(super) fn is_endless(&mut self, unit: &Unit, owner: Option<UnitIx>) -> bool {
        let path = unit.build.as_ref().map(|build| &build.path);
        let is_same = |at: &UnitIx| {
            let other = self.units[*at].unit.build.as_ref();
            path.is_some() && other.map(|build| &build.path) == path
        };
        let above = self.above(owner);
        let again = above.iter().filter(|at| is_same(at)).count();
        let is_loop = above.len() > MAX_CHAIN || again > MAX_AGAIN;
        if is_loop {
            let chain = (unit.id.clone(), unit.place, above.len() - 1);
            self.growth.endless.get_or_insert(chain);
        }
        let is_left_out = is_loop || !self.growth.take(unit.place);
        if is_left_out {
            let applied = match owner {
                Some(owner) => self.units[owner].applied.as_mut(),
                None => Some(&mut self.loose),
            };
            if let Some(applied) = applied {
                applied.is_partial = true;
            }
        }
        is_left_out
    }

    /// The units that lead to an owner, itself first.
    pub(super) fn above(&self, mut owner: Option<UnitIx>) -> Vec<UnitIx> {
        let mut above = Vec::new();
        while let Some(index) = owner.filter(|_| above.len() <= MAX_CHAIN) {
            above.push(index);
            owner = self.units[index].owner.filter(|above| *above != index);
        }
        above
    }

    /// Reports what was left out: a loop once, and a bomb with the number of units.
    pub(super) fn report_growth(&mut self) {
        if let Some((unit, place, levels)) = self.growth.endless.take()
            && !std::mem::replace(&mut self.growth.is_endless_reported, true)
        {
            let why = format!(
                "{unit} is skipped: it is created through a chain of more than {levels} units"
            );
            self.findings.push(Finding::error("unit-chain", place, why));
        }
        if let Some((place, count)) = self.growth.beyond.take() {
            let why = format!(
                "{count} units (Kustomizations, HelmReleases or Applications) are skipped: the same declarations \
                 were repeated more than {} times",
                self.growth.allowed
            );
            self.findings.push(Finding::error("unit-chain", place, why));
        }
    }
}

#[cfg(test)]
mod tests {
    use base::FileId;

    use super::*;

    #[test]
    fn what_is_declared_once_is_always_taken_and_repetitions_are_not() {
        let place = |line: u32| Place {
            line,
            ..Place::start_of(FileId(0))
        };
        let mut growth = Growth::default();
        assert!((1..100_000).all(|line| growth.take(place(line))));
        let taken = (0..100_000).filter(|_| growth.take(place(1))).count();
        assert_eq!(taken, MAX_REPEATED);
        assert_eq!(growth.beyond, Some((place(1), 100_000 - MAX_REPEATED)));
        assert!(growth.take(place(100_001)));
    }
}
